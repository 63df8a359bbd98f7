//! The Gram matrices of all training sides of a cross-validation for little more than the price of one.
//!
//! Every fold's rows are multiplied out once, together with the target and the constant; the training side of a fold is
//! the sum over the other folds. Adding what is wanted instead of subtracting what is not loses no digits. Columns are
//! centred and scaled on all rows first, so that the centring of a training side is a small correction.

use faer::{Mat, Scale};

use super::gram::{Complete, square};
use super::path::{LassoPath, Units};
use super::scaled::{Scaled, Shape};
use super::working_set::{Limits, follow_complete};
use super::{Lasso, Standardisation};

/// Less than this share of a column left after centring: the fold is worked out from its rows instead.
const CANCELLED: f64 = 1e-8;

/// Products and ranges of the rows of one fold; the last two columns are the target and the constant.
struct Part {
    products: Mat<f64>,
    /// Smallest and largest value of every column.
    ranges: Vec<(f64, f64)>,
}

/// One part per fold.
pub(crate) struct FoldProducts<'p, 'a> {
    scaled: &'p Scaled<'a>,
    parts: Vec<Part>,
}

impl<'p, 'a> FoldProducts<'p, 'a> {
    pub(crate) fn new<'r>(
        scaled: &'p Scaled<'a>,
        held_out: impl Iterator<Item = &'r [usize]>,
    ) -> Self {
        let parts = held_out.map(|rows| part(scaled, rows)).collect();
        Self { scaled, parts }
    }

    /// The path of everything but one fold; none when rounding would show: a column that cancels by centring, or of which
    /// the active ones leave less than products can tell.
    pub(crate) fn path(
        &self,
        lasso: &Lasso,
        fold: usize,
        smallest_lambda: f64,
    ) -> Option<LassoPath> {
        let training = self.training(lasso, fold)?;
        let mut gram = Complete(training.gram);
        let end = if training.target_length > 0.0 {
            smallest_lambda / training.target_length
        } else {
            0.0
        };
        let limits = Limits {
            non_negative: lasso.non_negative,
            end,
            relative: false,
            corners: 20 * training.kept.len() + 1000,
            saturation: lasso.saturation.unwrap_or(-1.0),
        };
        let path = follow_complete(
            &mut gram,
            &training.correlation,
            &training.penalty,
            &training.kept,
            limits,
        );
        let units = Units {
            intercept: lasso.intercept,
            kept: &training.kept,
            shapes: &training.shapes,
            target_mean: training.target_mean,
            target_length: training.target_length,
            lambda: training.target_length,
        };
        (path.finished && !path.doubtful).then(|| LassoPath {
            knots: path.corners.iter().map(|c| units.knot(c)).collect(),
            exact: true,
            dropped: Vec::new(),
            unreached: None,
        })
    }

    fn training(&self, lasso: &Lasso, fold: usize) -> Option<Training> {
        let p = self.scaled.len();
        let mut sum: Mat<f64> = Mat::zeros(p + 2, p + 2);
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); p];
        for (_, part) in self.parts.iter().enumerate().filter(|(f, _)| *f != fold) {
            sum += &part.products;
            for (r, q) in ranges.iter_mut().zip(&part.ranges) {
                *r = (r.0.min(q.0), r.1.max(q.1));
            }
        }
        let weight = sum[(p + 1, p + 1)];
        if weight.is_nan() || weight <= 0.0 {
            return None;
        }
        let sum = sum * Scale(1.0 / weight);
        Training::new(self.scaled, lasso, &sum, &ranges)
    }
}

/// The scaled problem of one training side.
struct Training {
    gram: Mat<f64>,
    correlation: Vec<f64>,
    penalty: Vec<f64>,
    kept: Vec<usize>,
    shapes: Vec<Shape>,
    target_mean: f64,
    target_length: f64,
}

impl Training {
    /// From products with weights of sum one.
    fn new(scaled: &Scaled, lasso: &Lasso, sum: &Mat<f64>, ranges: &[(f64, f64)]) -> Option<Self> {
        let (p, one) = (scaled.len(), scaled.len() + 1);
        let mean = |j: usize| if lasso.intercept { sum[(j, one)] } else { 0.0 };
        let inner = |i: usize, j: usize| sum[(i, j)] - mean(i) * mean(j);
        let squared = inner(p, p);
        if squared < CANCELLED * sum[(p, p)] {
            return None;
        }
        let mut chosen = Vec::new();
        let mut shapes = Vec::new();
        let mut penalty = Vec::new();
        for (j, range) in ranges.iter().enumerate() {
            let constant = range.0 == range.1 && (lasso.intercept || range.0 == 0.0);
            if constant {
                continue;
            }
            if inner(j, j) < CANCELLED * sum[(j, j)] {
                return None;
            }
            let whole = scaled.shapes[j];
            let length = whole.length * inner(j, j).sqrt();
            let scale = match lasso.standardisation {
                Standardisation::None => 1.0,
                Standardisation::Maximum => range.0.abs().max(range.1.abs()),
                Standardisation::Range => range.1 - range.0,
                Standardisation::Deviation => {
                    let share = sum[(j, j)] - sum[(j, one)] * sum[(j, one)];
                    if !lasso.intercept && share < CANCELLED * sum[(j, j)] {
                        return None;
                    }
                    whole.length * share.sqrt()
                }
            };
            if scale <= 0.0 {
                return None;
            }
            let v = lasso.penalties.get(scaled.kept[j]).copied().unwrap_or(1.0);
            penalty.push(v * scale / length);
            shapes.push(Shape {
                centre: whole.centre + mean(j) * whole.length,
                length,
                scale,
                ..whole
            });
            chosen.push(j);
        }
        let sizes: Vec<f64> = chosen.iter().map(|&j| inner(j, j).sqrt()).collect();
        let target_size = squared.sqrt();
        let k = chosen.len();
        Some(Self {
            gram: Mat::from_fn(k, k, |a, b| {
                inner(chosen[a], chosen[b]) / (sizes[a] * sizes[b])
            }),
            correlation: (0..k)
                .map(|a| inner(chosen[a], p) / (sizes[a] * target_size))
                .collect(),
            penalty,
            kept: chosen.iter().map(|&j| scaled.kept[j]).collect(),
            shapes,
            target_mean: scaled.target_mean + mean(p) * scaled.target_length,
            target_length: scaled.target_length * target_size,
        })
    }
}

/// The products of some rows of [Z, t, √w].
fn part(scaled: &Scaled, rows: &[usize]) -> Part {
    let p = scaled.len();
    let mut values = Mat::zeros(rows.len(), p + 2);
    let mut ranges = Vec::with_capacity(p);
    let mut scratch = vec![0.0; scaled.rows()];
    for (j, &column) in scaled.kept.iter().enumerate() {
        let from = scaled.source.view(column, &mut scratch);
        let Shape { centre, length, .. } = scaled.shapes[j];
        let factor = 1.0 / length;
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for (to, &row) in values.col_as_slice_mut(j).iter_mut().zip(rows) {
            let root = scaled.roots[row];
            if root > 0.0 {
                range = (range.0.min(from[row]), range.1.max(from[row]));
            }
            *to = (from[row] - centre) * (root * factor);
        }
        ranges.push(range);
    }
    for (at, &row) in rows.iter().enumerate() {
        values[(at, p)] = scaled.target[row];
        values[(at, p + 1)] = scaled.roots[row];
    }
    Part {
        products: square(values.as_ref()),
        ranges,
    }
}
