//! How the error depends on the size of the training set and on λ: the data behind Mantis' figures 6 and 9.

use pricetag_cost_model::{LambdaPoint, PathLine, Sensitivity, SizePoint};
use pricetag_estimator::{Buckets, Checked, Design, evaluate, split_by_group};
use pricetag_regress::lasso::LassoPath;

use crate::learner::Learner;
use crate::method::lasso_of;
use crate::study::Study;

/// Shares of the groups that are learnt from.
const FRACTIONS: [f64; 10] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8];
/// Splits of each size.
const SPLITS: u64 = 3;
/// Rows that a method is not asked to learn from fewer of.
const LEAST_ROWS: usize = 4;
/// Rows beyond which no training set is tried: the error has settled, and the fits take minutes.
const MOST_ROWS: usize = 1600;
/// Lines in the picture of the path.
const LINES: usize = 12;

impl Study<'_> {
    /// Repeats the model's method on other training sets, and follows a lasso along λ: the model's own where it is one, the
    /// first step of a polynomial, else the one of `lasso` on the same rows.
    pub fn sensitivity(&self, learner: &Learner) -> Sensitivity {
        let (lambda, path) = self.along_lambda(learner).unwrap_or_default();
        Sensitivity {
            training: self.by_training_size(learner),
            lambda,
            path,
        }
    }

    fn by_training_size(&self, learner: &Learner) -> Vec<SizePoint> {
        let mut points = Vec::new();
        for fraction in FRACTIONS {
            for split in 0..SPLITS {
                let seed = self.options.seed.wrapping_add(split);
                let split = split_by_group(&self.design.groups, fraction, seed);
                if split.train.len() < LEAST_ROWS
                    || split.train.len() > MOST_ROWS
                    || split.test.is_empty()
                {
                    continue;
                }
                // A method that cannot learn from so little has no point there.
                let Ok(learned) = learner.learn(&split.train, None) else {
                    continue;
                };
                let predicted = learned.predict(&self.design, &split.test);
                let (median_error, mean_error) = self.errors(&split.test, &predicted);
                points.push(SizePoint {
                    fraction,
                    train_rows: split.train.len() as u32,
                    median_error,
                    mean_error,
                });
            }
        }
        points
    }

    fn along_lambda(&self, learner: &Learner) -> Option<(Vec<LambdaPoint>, Vec<PathLine>)> {
        if self.split.test.is_empty() {
            return None;
        }
        let train = learner.rows(&self.split.train).ok()?;
        let buckets = learner.buckets(&train);
        let merged = buckets.merge(&train).check().ok()?;
        let test = merged_test(&self.design, &buckets, &self.split.test)?;
        let penalties = learner.penalties(&buckets);
        let lasso = lasso_of(learner.method, self.options, penalties);
        let path = lasso.path(&merged).ok()?;
        let grid = path.grid(60);
        let points = grid.iter().map(|&lambda| {
            let model = path.at(lambda);
            let (median_error, mean_error) = self.errors(&self.split.test, &model.predict(&test));
            LambdaPoint {
                lambda,
                features: model.coefficients.len() as u32,
                median_error,
                mean_error,
            }
        });
        Some((points.collect(), lines(&path, &grid, &merged)))
    }

    /// Median and mean relative error of predictions for some rows.
    fn errors(&self, rows: &[usize], predicted: &[f64]) -> (f64, f64) {
        let measured: Vec<f64> = rows.iter().map(|&r| self.design.target[r]).collect();
        let judged = evaluate("", 0, &[], &measured, predicted);
        (judged.median_error, judged.mean_error)
    }
}

/// The buckets' leading columns in the rows held out.
fn merged_test(
    design: &Checked<Design>,
    buckets: &Buckets,
    rows: &[usize],
) -> Option<Checked<Design>> {
    let test = design.subset(rows).ok()?;
    buckets.merge(&test).check().ok()
}

/// The features whose effect is largest anywhere on the path.
fn lines(path: &LassoPath, grid: &[f64], design: &Design) -> Vec<PathLine> {
    let scale: Vec<f64> = design.columns.iter().map(|c| c.values.largest()).collect();
    let mut effect = vec![0.0_f64; scale.len()];
    for knot in &path.knots {
        for &(column, coefficient) in &knot.model.coefficients {
            effect[column] = effect[column].max((coefficient * scale[column]).abs());
        }
    }
    let mut order: Vec<usize> = (0..scale.len()).filter(|&j| effect[j] > 0.0).collect();
    order.sort_by(|&a, &b| effect[b].total_cmp(&effect[a]).then(a.cmp(&b)));
    order.truncate(LINES);
    let value = |lambda: f64, column: usize| {
        let model = path.at(lambda);
        let found = model.coefficients.iter().find(|c| c.0 == column);
        found.map_or(0.0, |c| c.1 * scale[column])
    };
    order
        .into_iter()
        .map(|column| PathLine {
            feature: design.columns[column].name.clone(),
            points: grid.iter().map(|&l| (l, value(l, column))).collect(),
        })
        .collect()
}
