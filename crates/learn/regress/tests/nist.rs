//! The 11 linear sets of NIST's Statistical Reference Datasets, against exact rational arithmetic.
//!
//! The digits asked for are those R's `lm(tol = 1e-15)` reaches on the worst coefficient (measured with R 4.2.2), less
//! 0.3; Filip needs that tolerance too, by default R (and we) report one coefficient as `NA`.

use std::path::PathBuf;

use pricetag_estimator::{Column, Design, Estimator, R_TOLERANCE, Values};
use pricetag_regress::LeastSquares;

struct Certified {
    design: Design,
    intercept: bool,
    exact: serde_json::Value,
}

fn load(name: &str) -> Certified {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/nist");
    let exact: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string(dir.join(format!("{name}.exact.json"))).unwrap(),
    )
    .unwrap();
    let csv = std::fs::read_to_string(dir.join(format!("{name}.csv"))).unwrap();
    let rows: Vec<Vec<f64>> = csv
        .lines()
        .skip(1)
        .map(|l| l.split(',').map(|v| v.trim().parse().unwrap()).collect())
        .collect();
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

#[test]
fn digits_are_those_of_r() {
    let wanted = [
        ("Norris", 12.5),
        ("Pontius", 12.7),
        ("NoInt1", 14.0),
        ("NoInt2", 14.0),
        ("Filip", 7.2),
        ("Longley", 13.0),
        ("Wampler1", 9.8),
        // R has 13.6; the refined solution of the data as rounded to binary is 13.2 digits from that of the decimal data.
        ("Wampler2", 13.5),
        ("Wampler3", 9.3),
        ("Wampler4", 7.5),
        ("Wampler5", 5.5),
    ];
    let mut missed = Vec::new();
    for (name, r) in wanted {
        let set = load(name);
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
        let beta = column("beta", &|e| e.0);
        let errors = column("se", &|e| e.1);
        let sigma = digits(summary.sigma, number(&set.exact["rsd"]));
        let r2 = digits(summary.r_squared, number(&set.exact["r2"]));
        println!("{name}: beta {beta:.1} se {errors:.1} sigma {sigma:.1} r2 {r2:.1}");
        if beta < r - 0.3 {
            missed.push(format!("{name}: {beta:.1} digits, R has {r}"));
        }
        // Wampler1 and 2 fit exactly: their residuals are rounding alone.
        if !["Wampler1", "Wampler2"].contains(&name) && (errors < 6.5 || sigma < 8.0 || r2 < 8.0) {
            missed.push(format!(
                "{name}: se {errors:.1}, sigma {sigma:.1}, R² {r2:.1}"
            ));
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
