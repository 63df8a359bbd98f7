//! The 11 linear sets of NIST's Statistical Reference Datasets, against exact rational arithmetic.
//!
//! The digits asked for are those R's `lm(tol = 1e-15)` reaches on the worst coefficient, less 0.3; Filip needs that tolerance too, by default R (and we) report one coefficient as `NA`.

mod frozen;

use frozen::{Frozen, numbers};
use pricetag_estimator::{Column, Design, Estimator, R_TOLERANCE, Values};
use pricetag_regress::LeastSquares;

const NIST: Frozen = Frozen("data/nist");

struct Certified {
    design: Design,
    intercept: bool,
    exact: serde_json::Value,
}

fn load(name: &str) -> Certified {
    let text = NIST.text(&format!("{name}.exact.json"));
    let exact: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = NIST.cells(name).rows;
    let intercept = exact["intercept"].as_bool().unwrap();
    let terms = exact["p"].as_u64().unwrap() as usize - usize::from(intercept);
    let target = rows.iter().map(|r| r[0]).collect();
    let columns = (0..terms)
        .map(|j| Column {
            name: format!("x{}", j + 1),
            values: Values::Dense(
                rows.iter()
                    .map(|r| {
                        if r.len() == terms + 1 {
                            r[j + 1]
                        } else {
                            r[1].powi(j as i32 + 1)
                        }
                    })
                    .collect(),
            ),
        })
        .collect();
    Certified {
        design: Design::new(columns, target),
        intercept,
        exact,
    }
}

fn number(v: &serde_json::Value) -> f64 {
    v.as_str()
        .map_or_else(|| v.as_f64().unwrap(), |s| s.parse().unwrap())
}

fn digits(found: f64, exact: f64) -> f64 {
    let error = if exact == 0.0 {
        found.abs()
    } else {
        ((found - exact) / exact).abs()
    };
    if error == 0.0 {
        15.0
    } else {
        (-error.log10()).min(15.0)
    }
}

/// Correct digits of R, frozen by `tests/oracle_ols/make.R`: coefficients, their errors, RSD, R², F.
fn digits_of_r() -> Vec<(String, Vec<f64>)> {
    let lines = Frozen("oracle_ols")
        .lines("nist-digits")
        .into_iter()
        .skip(1);
    let row = |line: Vec<String>| {
        let digits = numbers(&line[1..]);
        (line[0].clone(), digits)
    };
    lines.map(row).collect()
}

#[test]
fn digits_are_those_of_r() {
    let wanted = digits_of_r();
    assert_eq!(wanted.len(), 11);
    let mut missed = Vec::new();
    for (name, r) in wanted {
        let set = load(&name);
        let fit = LeastSquares {
            intercept: set.intercept,
            tolerance: 1e-15,
        }
        .fit(&set.design.clone().check().unwrap())
        .unwrap();
        let summary = fit.summary.unwrap();
        let column = |key: &str, pick: &dyn Fn((f64, f64, f64, f64)) -> f64| {
            let exact = set.exact[key].as_array().unwrap();
            assert_eq!(exact.len(), summary.coefficients.len());
            let each = summary.coefficients.iter().zip(exact);
            each.map(|(c, e)| digits(pick(c.estimate.unwrap()), number(e)))
                .fold(15.0, f64::min)
        };
        let f = &set.exact["F"];
        let found = [
            column("beta", &|e| e.0),
            column("se", &|e| e.1),
            digits(summary.sigma, number(&set.exact["rsd"])),
            digits(summary.r_squared, number(&set.exact["r2"])),
            // An exact fit has no finite F.
            if f.is_string() {
                digits(summary.f.unwrap().0, number(f))
            } else {
                f64::INFINITY
            },
        ];
        println!("{name}: ours {found:.1?}, R {r:.1?}");
        for (what, (ours, r)) in ["beta", "se", "rsd", "r2", "F"]
            .iter()
            .zip(found.iter().zip(&r))
        {
            if *ours < r - 0.3 {
                missed.push(format!("{name}: {what} has {ours:.2} digits, R has {r:.2}"));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn filip_loses_a_coefficient_at_the_default_tolerance_as_in_r() {
    let set = load("Filip");
    let fit = LeastSquares {
        intercept: true,
        tolerance: R_TOLERANCE,
    }
    .fit(&set.design.check().unwrap())
    .unwrap();
    let summary = fit.summary.unwrap();
    let missing: Vec<&str> = summary
        .coefficients
        .iter()
        .filter(|c| c.estimate.is_none())
        .map(|c| c.name.as_str())
        .collect();
    assert_eq!((summary.rank, missing), (10, vec!["x10"]));
}
