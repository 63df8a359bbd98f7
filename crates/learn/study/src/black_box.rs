//! The black box of Mantis: a cubic polynomial of what is known before the run, by least squares and by the lasso.
//!
//! Chun et al., *Mantis* (2010), §6: all terms of (1 + x₁ + … + xₖ)³ over the command line's arguments and the input's
//! size. [`mod@crate::baseline`] is the stronger opponent; this one stands beside the paper's figures. Deviations: errors are
//! relative, as everywhere here, and predictions never fall below a tenth of the least cost learnt from.

use pricetag_dataset::Dataset;
use pricetag_estimator::{Column, Design, Estimator, Table, Values, relative_weights};
use pricetag_regress::polynomial::expand;
use pricetag_regress::{Lasso, LeastSquares};

use crate::inputs::known_before;

/// Inputs used at most: the terms of a cubic grow with the cube of their number.
const INPUTS: usize = 8;
const DEGREE: u32 = 3;

/// The two fits' names and predictions for all rows of the table; none when no input varies.
pub(crate) fn black_box(
    dataset: &Dataset,
    target: &str,
    train: &[usize],
) -> Vec<(&'static str, Vec<f64>)> {
    let Some(table) = known_before(dataset, target) else {
        return Vec::new();
    };
    let design = cubic(&table);
    let least = train
        .iter()
        .map(|&r| design.target[r])
        .filter(|y| *y > 0.0)
        .fold(f64::INFINITY, f64::min);
    let floor = if least.is_finite() { 0.1 * least } else { 0.0 };
    let squares = LeastSquares {
        intercept: true,
        ..LeastSquares::default()
    };
    let named: [(&str, &dyn Estimator); 2] = [
        ("inputs only, cubic by least squares", &squares),
        (
            "inputs only, cubic by lasso",
            &Lasso {
                intercept: true,
                ..Lasso::default()
            },
        ),
    ];
    let mut out = Vec::new();
    for (name, estimator) in named {
        if let Some(predicted) = predictions(estimator, &design, train) {
            out.push((name, predicted.iter().map(|p| p.max(floor)).collect()));
        }
    }
    out
}

fn predictions(estimator: &dyn Estimator, design: &Design, train: &[usize]) -> Option<Vec<f64>> {
    let checked = design.clone().check().ok()?;
    let mut rows = checked.subset(train).ok()?.into_inner();
    rows.weights = relative_weights(&rows.target);
    let fitted = estimator.fit(&rows.check().ok()?).ok()?;
    fitted.predict(design).ok()
}

/// Every term of the cubic as a column, inputs divided by their largest value.
fn cubic(table: &Table) -> Design {
    let rows = table.design.rows();
    let inputs: Vec<Vec<f64>> = table
        .design
        .columns
        .iter()
        .map(|c| (c.values.to_dense(rows), c.values.largest()))
        .filter(|(values, largest)| *largest > 0.0 && values.iter().any(|v| *v != values[0]))
        .map(|(values, largest)| values.iter().map(|v| v / largest).collect())
        .take(INPUTS)
        .collect();
    let all: Vec<usize> = (0..inputs.len()).collect();
    let columns = expand(&all, DEGREE, inputs.len())
        .iter()
        .enumerate()
        .map(|(index, term)| Column {
            name: format!("term {index}"),
            values: Values::Dense(
                (0..rows)
                    .map(|row| {
                        let power =
                            |&(input, power): &(usize, u32)| inputs[input][row].powi(power as i32);
                        term.powers.iter().map(power).product()
                    })
                    .collect(),
            ),
        })
        .collect();
    Design {
        columns,
        ..table.design.clone()
    }
}
