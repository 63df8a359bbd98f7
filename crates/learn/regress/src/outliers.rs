//! Rows that the others do not explain, weighed down: Huber's weights on errors of leave-one-group-out prediction.
//!
//! Huber (1964) with the scale from the median absolute error, as `rlm` has it. A measurement that a collector or another
//! program disturbed then pulls prices with a bounded force. Deviation: errors are those of prediction from the other
//! groups, because a row that prices can bend to has no residual, and there are two rounds, each with prices learnt anew.

use pricetag_estimator::{Checked, Design, EstimatorError};

use crate::hierarchy::Hierarchy;
use crate::kernel::Problem;
use crate::shrinkage::{Shrinkage, choose, errors_without};

/// Rounds of weighing.
const ROUNDS: usize = 2;
/// Errors above so many standard deviations pull with constant force: 95 % efficiency where errors are normal.
const BEND: f64 = 1.345;
/// Median absolute deviation to standard deviation.
const NORMAL: f64 = 1.4826;

/// A design whose outlying rows are weighed down, and by how much.
#[derive(Debug)]
pub(crate) struct Weighed {
    pub design: Checked<Design>,
    /// What each row's weight was multiplied by.
    pub factors: Vec<f64>,
}

/// Weighs outlying rows down, for strengths that are given or chosen on the way. Rows that only they themselves
/// determine, and rows of weight zero, have no error that says anything: they keep their weight and set no scale.
pub(crate) fn weigh_down(
    hierarchy: &Hierarchy,
    design: &Checked<Design>,
    given: Option<&Shrinkage>,
) -> Result<Weighed, EstimatorError> {
    let mut weights = design.weights.clone();
    let mut factors = vec![1.0; design.rows()];
    for _ in 0..ROUNDS {
        let problem = Problem::weighted(hierarchy, design, &weights);
        let strengths = match given {
            Some(given) => given.clone(),
            None => choose(&problem, &design.groups, &factors),
        };
        let Some(errors) = errors_without(&problem, &design.groups, &strengths) else {
            break;
        };
        let sizes: Vec<Option<f64>> = (0..design.rows())
            .map(|row| {
                let error = errors[row].filter(|_| design.weights[row] > 0.0)?;
                Some(error.abs() / f64::sqrt(factors[row]))
            })
            .collect();
        let known: Vec<f64> = sizes.iter().copied().flatten().collect();
        let scale = NORMAL * pricetag_quantity::quantile(&known, 0.5).unwrap_or(0.0);
        if scale <= 0.0 {
            break;
        }
        let factor = |size: f64| (BEND * scale / size.max(f64::MIN_POSITIVE)).min(1.0);
        factors = sizes.iter().map(|size| size.map_or(1.0, factor)).collect();
        let lighter = design.weights.iter().zip(&factors).map(|(w, f)| w * f);
        weights = lighter.collect();
    }
    Ok(Weighed {
        design: design.clone().reweighted(weights)?,
        factors,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hierarchical, Role};
    use pricetag_estimator::{Column, Estimator, Values, relative_weights};

    const PRICES: [f64; 3] = [3.0, 7.0, 1.0];

    /// Three columns with known prices, noise of 1 %, relative weights; `change` has the last word on the costs.
    fn design(rows: usize, change: impl Fn(usize, f64) -> f64) -> Design {
        let cell = |i: usize, j: usize| (1 + (i * (5 * j + 3) + (i / 7) * (j + 2)) % 23) as f64;
        let columns = (0..3).map(|j| Column {
            name: format!("c{j}"),
            values: Values::Dense((0..rows).map(|i| cell(i, j)).collect()),
        });
        let target = (0..rows).map(|i| {
            let cost: f64 = (0..3).map(|j| PRICES[j] * cell(i, j)).sum();
            let noise = ((i * 7919) % 101) as f64 / 50.0 - 1.0;
            change(i, cost * (1.0 + 0.01 * noise))
        });
        let mut out = Design::new(columns.collect(), target.collect());
        out.weights = relative_weights(&out.target);
        out
    }

    fn weighed(hierarchy: &Hierarchy, design: Design) -> Vec<f64> {
        let design = design.check().unwrap();
        weigh_down(hierarchy, &design, None).unwrap().factors
    }

    #[test]
    fn a_disturbed_row_counts_less_and_the_prices_come_back() {
        let disturbed = |i: usize, cost: f64| if i == 5 { 3.0 * cost } else { cost };
        let factors = weighed(&Hierarchy::flat(3), design(40, disturbed));
        assert!(factors[5] < 0.05, "{factors:?}");
        let others = factors.iter().enumerate().filter(|f| f.0 != 5);
        assert!(others.clone().all(|f| *f.1 > 0.2), "{factors:?}");
        let learn = |design: Design| -> Vec<f64> {
            let hier = Hierarchical {
                hierarchy: Hierarchy::flat(3),
                shrinkage: None,
                certainty: false,
            };
            let fitted = hier.fit(&design.check().unwrap()).unwrap();
            fitted
                .coefficients
                .iter()
                .map(|c| c.estimate.unwrap())
                .collect()
        };
        let (clean, found) = (learn(design(40, |_, c| c)), learn(design(40, disturbed)));
        for ((found, clean), truth) in found.iter().zip(clean).zip(PRICES) {
            assert!((found / truth - 1.0).abs() < 0.05, "{found} {truth}");
            assert!((found / clean - 1.0).abs() < 0.02, "{found} {clean}");
        }
    }

    #[test]
    fn a_row_that_nothing_else_determines_keeps_its_weight() {
        for alone in [vec![8], vec![8, 9]] {
            let disturbed = |i: usize, cost: f64| match i {
                5 => 3.0 * cost,
                i if alone.contains(&i) => cost + 5000.0,
                _ => cost,
            };
            let mut design = design(40, disturbed);
            design.columns.push(Column {
                name: "cold".into(),
                values: Values::Dense(
                    (0..40)
                        .map(|i| f64::from(u8::from(alone.contains(&i))))
                        .collect(),
                ),
            });
            for &row in &alone {
                design.groups[row] = "cold".into();
            }
            let mut hierarchy = Hierarchy::flat(4);
            hierarchy.roles[3] = Role::Free;
            let factors = weighed(&hierarchy, design);
            assert!(factors[5] < 0.05, "{factors:?}");
            for row in alone {
                assert_eq!(factors[row], 1.0, "{factors:?}");
            }
        }
    }

    #[test]
    fn rows_of_weight_zero_set_no_scale() {
        let disturbed = |i: usize, cost: f64| if i == 5 { 3.0 * cost } else { cost };
        let mut all = design(100, disturbed);
        all.weights[40..].fill(0.0);
        let forty = all.select(&(0..40).collect::<Vec<_>>());
        let hierarchy = Hierarchy::flat(3);
        let (factors, expected) = (weighed(&hierarchy, all), weighed(&hierarchy, forty));
        assert!(factors[5] < 0.05, "{factors:?}");
        for (row, (found, expected)) in factors.iter().zip(&expected).enumerate() {
            assert!(
                (found - expected).abs() < 1e-6,
                "row {row}: {found} {expected}"
            );
        }
    }

    /// The error reported, beside its definition: every row predicted from the others, all rows counting fully.
    #[test]
    fn the_error_counts_disturbed_rows_fully() {
        let disturbed = |i: usize, cost: f64| if i == 5 { 3.0 * cost } else { cost };
        let design = design(40, disturbed).check().unwrap();
        let hierarchy = Hierarchy::flat(3);
        let Weighed {
            design: lighter,
            factors,
        } = weigh_down(&hierarchy, &design, None).unwrap();
        let found = choose(
            &Problem::new(&hierarchy, &lighter),
            &design.groups,
            &factors,
        );
        let (mut error, mut cost) = (0.0, 0.0);
        for row in 0..40 {
            let others: Vec<usize> = (0..40).filter(|i| *i != row).collect();
            let problem = Problem::new(&hierarchy, &lighter.subset(&others).unwrap());
            let levels = crate::joint::solve(&problem, &found).unwrap();
            let predicted: f64 = (0..3)
                .map(|j| levels.blocks[j] * design.columns[j].values.to_dense(40)[row])
                .sum();
            error += design.weights[row].sqrt() * (design.target[row] - predicted).abs();
            cost += design.weights[row].sqrt() * design.target[row];
        }
        let expected = error / cost;
        assert!(
            expected > 0.02,
            "the disturbed row alone is that: {expected}"
        );
        assert!(
            (found.error / expected - 1.0).abs() < 0.05,
            "{} {expected}",
            found.error
        );
    }
}
