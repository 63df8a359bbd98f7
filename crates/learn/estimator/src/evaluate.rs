//! Errors of predictions, relative to what was measured.
//!
//! R² hides errors of orders of magnitude on small inputs; the relative error does not. Rows measured as zero have no
//! relative error and are left out of the figures, but stay in the list of rows.

use pricetag_cost_model::{EvaluatedRow, Evaluation};
use pricetag_quantity::{median, quantile};

/// Judges `predicted` against `measured`, row by row.
pub fn evaluate(
    name: &str,
    train_rows: usize,
    labels: &[String],
    measured: &[f64],
    predicted: &[f64],
) -> Evaluation {
    let signed: Vec<f64> = measured
        .iter()
        .zip(predicted)
        .filter(|(m, _)| **m > 0.0)
        .map(|(m, p)| (p - m) / m)
        .collect();
    let absolute: Vec<f64> = signed.iter().map(|e| e.abs()).collect();
    let count = signed.len().max(1) as f64;
    Evaluation {
        name: name.to_owned(),
        train_rows: train_rows as u32,
        test_rows: measured.len() as u32,
        median_error: median(&absolute).unwrap_or(f64::NAN),
        p90_error: quantile(&absolute, 0.9).unwrap_or(f64::NAN),
        mean_error: if absolute.is_empty() {
            f64::NAN
        } else {
            absolute.iter().sum::<f64>() / count
        },
        median_signed_error: median(&signed).unwrap_or(f64::NAN),
        under_rate: signed.iter().filter(|e| **e < 0.0).count() as f64 / count,
        noise_floor: None,
        rows: labels
            .iter()
            .zip(measured.iter().zip(predicted))
            .map(|(label, (&measured, &predicted))| EvaluatedRow {
                label: label.clone(),
                measured,
                predicted,
                interval: None,
            })
            .collect(),
    }
}
