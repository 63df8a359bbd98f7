//! Least squares, its summary and its text, and NNLS, against frozen output of R (`tests/golden/make.R`).

mod frozen;

use std::collections::BTreeMap;

use faer::Mat;
use frozen::{Frozen, numbers};
use pricetag_estimator::Estimator;
use pricetag_regress::{LeastSquares, NonNegative, nnls};

/// R's `lm` and `nnls`.
const R: Frozen = Frozen("golden");

/// Words by key, and the coefficients in R's order.
type Expected = (BTreeMap<String, Vec<String>>, Vec<(String, Vec<String>)>);

fn expected(name: &str) -> Expected {
    let (mut keys, mut coefficients) = (BTreeMap::new(), Vec::new());
    for line in R.lines(name) {
        let mut words = line.into_iter();
        let key = words.next().unwrap();
        if key == "coefficient" {
            coefficients.push((words.next().unwrap(), words.collect()));
        } else {
            keys.insert(key, words.collect());
        }
    }
    (keys, coefficients)
}

fn close(found: f64, expected: f64, tolerance: f64, scale: f64) -> bool {
    found.is_nan() && expected.is_nan()
        || found == expected
        || (found - expected).abs() <= tolerance * expected.abs().max(scale)
}

fn check_lm(name: &str) -> Result<(), String> {
    let (keys, coefficients) = expected(name);
    let design = R.design(name);
    let size = design
        .target
        .iter()
        .zip(&design.weights)
        .map(|(y, w)| y.abs() * w.sqrt())
        .fold(0.0, f64::max);
    let intercept = keys["intercept"][0] == "1";
    let fit = LeastSquares {
        intercept,
        ..LeastSquares::default()
    }
    .fit(&design.check().unwrap())
    .map_err(|e| e.to_string())?;
    let s = fit.summary.unwrap();
    // The residual standard error of an exact fit is rounding; compare it with the size of the costs.
    let sigma = numbers(&keys["sigma"])[0];
    let exact_fit = sigma.is_nan() || sigma <= 1e-9 * size;
    let want = |what: &str, found: f64, expected: f64, tolerance: f64, scale: f64| {
        if close(found, expected, tolerance, scale) {
            Ok(())
        } else {
            Err(format!("{what}: {found}, R has {expected}"))
        }
    };
    want(
        "rank",
        f64::from(s.rank),
        numbers(&keys["rank"])[0],
        0.0,
        0.0,
    )?;
    want(
        "df",
        f64::from(s.residual_df),
        numbers(&keys["df"])[0],
        0.0,
        0.0,
    )?;
    want("sigma", s.sigma, sigma, 1e-9, 1e-9 * size)?;
    want("R²", s.r_squared, numbers(&keys["r2"])[0], 1e-8, 0.0)?;
    want(
        "adjusted R²",
        s.adjusted_r_squared,
        numbers(&keys["r2"])[1],
        1e-9,
        0.0,
    )?;
    for (found, expected) in s.residual_quantiles.iter().zip(numbers(&keys["quantiles"])) {
        want("quantile", *found, expected, 1e-8, 1e-4 * size)?;
    }
    let order: Vec<&str> = s.coefficients.iter().map(|c| c.name.as_str()).collect();
    let r_order: Vec<&str> = coefficients.iter().map(|c| c.0.as_str()).collect();
    if order != r_order {
        return Err(format!("columns {order:?}, R has {r_order:?}"));
    }
    for (row, (term, words)) in s.coefficients.iter().zip(&coefficients) {
        let Some((estimate, error, t, p)) = row.estimate else {
            want(
                &format!("{term} is NA"),
                f64::from(u8::from(words[0] == "NA")),
                1.0,
                0.0,
                0.0,
            )?;
            continue;
        };
        let r = numbers(words);
        if words[0] == "NA" {
            return Err(format!("{term}: {estimate}, R has NA"));
        }
        want(term, estimate, r[0], 1e-7, 0.0)?;
        if !exact_fit {
            want(&format!("error of {term}"), error, r[1], 1e-7, 0.0)?;
            want(&format!("t of {term}"), t, r[2], 2e-7, 1e-9)?;
            want(&format!("p of {term}"), p, r[3], 1e-5, 1e-300)?;
        }
    }
    match (s.f, keys["f"][0].as_str()) {
        (None, "none") => {}
        (Some((f, df1, df2, p)), _) if !exact_fit => {
            let r = numbers(&keys["f"]);
            want("F", f, r[0], 1e-7, 0.0)?;
            want("df1", f64::from(df1), r[1], 0.0, 0.0)?;
            want("df2", f64::from(df2), r[2], 0.0, 0.0)?;
            want("p of F", p, r[3], 1e-5, 1e-300)?;
        }
        (Some(_), words) if words != "none" => {}
        (found, words) => return Err(format!("F: {found:?}, R has {words}")),
    }
    Ok(())
}

#[test]
fn summaries_are_those_of_lm() {
    let names = R.cases("lm-");
    assert!(names.len() >= 24, "{names:?}");
    let wrong: Vec<String> = names
        .iter()
        .filter_map(|n| check_lm(n).err().map(|e| format!("{n}: {e}")))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn text_is_that_of_print_summary_lm() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for name in R.cases("lm-") {
        let file = format!("{name}.print");
        if !R.has(&file) {
            continue;
        }
        let printed = R.text(&file);
        let (keys, _) = expected(&name);
        let intercept = keys["intercept"][0] == "1";
        let fit = LeastSquares {
            intercept,
            ..LeastSquares::default()
        }
        .fit(&R.design(&name).check().unwrap())
        .unwrap();
        let text = fit.summary.unwrap().text();
        let lines = |t: &str| {
            t.lines()
                .map(str::trim_end)
                .filter(|l| !l.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let (ours, theirs): (Vec<String>, Vec<String>) = (lines(&text), lines(&printed));
        compared += 1;
        for (a, b) in ours.iter().zip(&theirs).filter(|(a, b)| a != b) {
            wrong.push(format!("{name}\n  ours {a}\n  R    {b}"));
        }
        if ours.len() != theirs.len() {
            wrong.push(format!(
                "{name}: {} lines, R has {}",
                ours.len(),
                theirs.len()
            ));
        }
    }
    assert!(compared >= 15, "{compared}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn non_negative_solutions_are_those_of_r_and_optimal() {
    let names = R.cases("nnls-");
    assert!(names.len() >= 5);
    for name in names {
        let design = R.design(&name);
        let (keys, _) = expected(&name);
        let roots: Vec<f64> = design.weights.iter().map(|w| w.sqrt()).collect();
        let dense: Vec<Vec<f64>> = design
            .columns
            .iter()
            .map(|c| c.values.to_dense(design.rows()))
            .collect();
        let a = Mat::from_fn(design.rows(), dense.len(), |i, j| dense[j][i] * roots[i]);
        let b: Vec<f64> = design
            .target
            .iter()
            .zip(&roots)
            .map(|(y, r)| y * r)
            .collect();
        let found = nnls(&a, &b);
        assert!(found.violation < 1e-9, "{name}: {}", found.violation);
        let norm = numbers(&keys["norm"])[0];
        assert!(
            close(
                found.residual_norm,
                norm,
                1e-9,
                1e-9 * b.iter().map(|v| v * v).sum::<f64>().sqrt()
            ),
            "{name}: norm {} {norm}",
            found.residual_norm
        );
        let fitted = NonNegative.fit(&design.check().unwrap()).unwrap();
        for (j, (x, r)) in found.x.iter().zip(numbers(&keys["x"])).enumerate() {
            assert_eq!(*x > 0.0, r > 0.0, "{name}: support of column {j}: {x} {r}");
            assert!(close(*x, r, 1e-6, 1e-9), "{name}: column {j}: {x} {r}");
            assert_eq!(fitted.coefficients[j].estimate, Some(*x));
        }
    }
}
