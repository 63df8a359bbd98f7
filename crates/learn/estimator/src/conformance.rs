//! What every estimator must satisfy, whatever it computes (after scikit-learn's `estimator_checks`).
//!
//! [`violations`] runs all checks and returns what failed, in words; an empty list means conformance. It is meant for
//! the tests of the crates that implement [`Estimator`].

use pricetag_quantity::Unfinite;

use crate::contract::{Estimator, Fitted};
use crate::design::{Column, Design, DesignError, Values};

/// Agreement expected between mathematically equal fits.
const TOLERANCE: f64 = 1e-6;

/// One check: what went wrong, in words.
type Check = fn(&dyn Estimator) -> Result<(), String>;

/// Runs all checks on one estimator.
pub fn violations(estimator: &dyn Estimator) -> Vec<String> {
    violations_except(estimator, &[])
}

/// Runs all checks but those named: an estimator may have a reason not to meet one, such as prices that are compared
/// with each other and so depend on the features' units.
pub fn violations_except(estimator: &dyn Estimator, exempt: &[&str]) -> Vec<String> {
    let checks: [(&str, Check); 13] = [
        ("same design, same bytes", same_bytes),
        ("one thread, two threads", thread_counts),
        ("permuted rows", permuted_rows),
        ("permuted columns", permuted_columns),
        ("scaled target", scaled_target),
        ("scaled columns", scaled_columns),
        ("constant column", constant_column),
        ("an empty column changes nothing", empty_column),
        ("duplicate column", duplicate_column),
        ("a copy changes nothing", copy),
        ("a single row", single_row),
        ("an empty design", empty),
        ("NaN and infinity", not_finite),
    ];
    checks
        .iter()
        .filter(|(name, _)| !exempt.contains(name))
        .filter_map(|(name, check)| {
            check(estimator)
                .err()
                .map(|e| format!("{}: {name}: {e}", estimator.name()))
        })
        .collect()
}

/// Positive costs of three columns with known prices and a little deterministic noise.
fn sample() -> Design {
    let rows = 24;
    let column = |name: &str, f: &dyn Fn(f64) -> f64| Column {
        name: name.to_owned(),
        values: Values::Dense((0..rows).map(|i| f(f64::from(i))).collect()),
    };
    let a = column("a", &|i| 1.0 + i);
    let b = column("b", &|i| 5.0 + (i * 7.0) % 11.0);
    let c = column("c", &|i| (i * i) % 13.0);
    let at = |c: &Column, i: usize| c.values.to_dense(rows as usize)[i];
    let target = (0..rows as usize)
        .map(|i| {
            let noise = 1.0 + 0.01 * ((i * 5 % 7) as f64 - 3.0) / 3.0;
            (20.0 + 3.0 * at(&a, i) + 2.0 * at(&b, i) + 0.5 * at(&c, i)) * noise
        })
        .collect();
    Design::new(vec![a, b, c], target)
}

fn fit(estimator: &dyn Estimator, design: Design) -> Result<(Fitted, Vec<f64>), String> {
    let checked = design.check().map_err(|e| e.to_string())?;
    let fitted = estimator.fit(&checked).map_err(|e| e.to_string())?;
    let predicted = fitted.predict(&checked).map_err(|e| e.to_string())?;
    match predicted.iter().find(|p| !p.is_finite()) {
        Some(bad) => Err(format!("predicted {bad}")),
        None => Ok((fitted, predicted)),
    }
}

fn agree(a: &[f64], b: &[f64]) -> Result<(), String> {
    for (x, y) in a.iter().zip(b) {
        if (x - y).abs() > TOLERANCE * x.abs().max(y.abs()).max(1e-300) {
            return Err(format!("predicted {x} and {y}"));
        }
    }
    Ok(())
}

fn same_bytes(estimator: &dyn Estimator) -> Result<(), String> {
    let (a, b) = (fit(estimator, sample())?, fit(estimator, sample())?);
    if format!("{a:?}") == format!("{b:?}") {
        Ok(())
    } else {
        Err("two fits differ".into())
    }
}

fn thread_counts(estimator: &dyn Estimator) -> Result<(), String> {
    let with = |threads: usize| -> Result<String, String> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| e.to_string())?;
        pool.install(|| fit(estimator, sample()))
            .map(|fitted| format!("{fitted:?}"))
    };
    if with(1)? == with(2)? {
        Ok(())
    } else {
        Err("the fits differ".into())
    }
}

fn permuted_rows(estimator: &dyn Estimator) -> Result<(), String> {
    let order: Vec<usize> = (0..24).map(|i| i * 7 % 24).collect();
    let (_, straight) = fit(estimator, sample())?;
    let (_, permuted) = fit(estimator, sample().select(&order))?;
    let expected: Vec<f64> = order.iter().map(|&i| straight[i]).collect();
    agree(&expected, &permuted)
}

fn permuted_columns(estimator: &dyn Estimator) -> Result<(), String> {
    let mut turned = sample();
    turned.columns.reverse();
    agree(&fit(estimator, sample())?.1, &fit(estimator, turned)?.1)
}

fn scaled_target(estimator: &dyn Estimator) -> Result<(), String> {
    let mut scaled = sample();
    scaled.target.iter_mut().for_each(|y| *y *= 1e6);
    scaled.weights.iter_mut().for_each(|w| *w *= 1e-12);
    let (_, large) = fit(estimator, scaled)?;
    let expected: Vec<f64> = fit(estimator, sample())?
        .1
        .iter()
        .map(|p| p * 1e6)
        .collect();
    agree(&expected, &large)
}

/// Units of a feature are arbitrary: pages or bytes, the predictions are the same. Powers of two leave the digits alone.
fn scaled_columns(estimator: &dyn Estimator) -> Result<(), String> {
    let mut scaled = sample();
    for (column, factor) in scaled.columns.iter_mut().zip([1024.0, 0.125, 4096.0]) {
        column.values = column.values.scaled(factor);
    }
    agree(&fit(estimator, sample())?.1, &fit(estimator, scaled)?.1)
}

/// The sample with one column more.
fn sample_with(name: &str, values: Values) -> Design {
    let mut design = sample();
    design.columns.push(Column {
        name: name.into(),
        values,
    });
    design
}

fn twin() -> Design {
    sample_with("twin", sample().columns[1].values.clone())
}

fn duplicate_column(estimator: &dyn Estimator) -> Result<(), String> {
    fit(estimator, twin()).map(|_| ())
}

/// Which of two equal columns has the price, or which share, cannot matter to what both cost.
fn copy(estimator: &dyn Estimator) -> Result<(), String> {
    agree(&fit(estimator, sample())?.1, &fit(estimator, twin())?.1)
}

/// A constant takes the place of an intercept where there is none, and so may change what is predicted.
fn constant_column(estimator: &dyn Estimator) -> Result<(), String> {
    fit(
        estimator,
        sample_with("constant", Values::Dense(vec![4.0; 24])),
    )
    .map(|_| ())
}

fn empty_column(estimator: &dyn Estimator) -> Result<(), String> {
    for values in [Values::Sparse(Vec::new()), Values::Dense(vec![0.0; 24])] {
        let (_, beside) = fit(estimator, sample_with("zero", values))?;
        agree(&fit(estimator, sample())?.1, &beside)?;
    }
    Ok(())
}

fn single_row(estimator: &dyn Estimator) -> Result<(), String> {
    let checked = sample().select(&[0]).check().map_err(|e| e.to_string())?;
    match estimator.fit(&checked) {
        Err(_) => Ok(()), // refusing is right, panicking is not
        Ok(fitted) => match fitted.predict(&checked) {
            Ok(p) if p.iter().all(|p| p.is_finite()) => Ok(()),
            other => Err(format!("predicted {other:?}")),
        },
    }
}

fn empty(_: &dyn Estimator) -> Result<(), String> {
    let no_columns = Design::new(Vec::new(), vec![1.0, 2.0]).check();
    let no_rows = Design::new(Vec::new(), Vec::new()).check();
    match (no_columns, no_rows) {
        (Err(DesignError::NoColumns), Err(DesignError::NoRows)) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn not_finite(_: &dyn Estimator) -> Result<(), String> {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut design = sample();
        design.columns[1].values = Values::Sparse(vec![(2, bad)]);
        let text = design
            .check()
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default();
        let what: Unfinite = [bad].into_iter().collect();
        if !(text.contains("`b`") && text.contains("`3`") && text.ends_with(&what.to_string())) {
            return Err(format!("row, column and kind are not named: {text:?}"));
        }
    }
    Ok(())
}
