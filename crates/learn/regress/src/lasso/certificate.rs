//! Which columns stay within their bound at many corners of a path, without measuring every one at every corner.
//!
//! Columns have length one, so by Cauchy and Schwarz |zᵀr − zᵀRa| ≤ ‖r − Ra‖ for any a. The correlations with a few
//! residuals R, the anchors, are measured for all columns; the residuals r in between are projected onto them, and only
//! the columns which that leaves in doubt are measured there as well. It is the idea of safe screening (El Ghaoui, Viallon
//! & Rabbani 2012) with the path itself as reference; nothing is estimated, a column that is not measured is proven to
//! be within its bound.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

use super::scaled::Scaled;
use crate::cholesky::Factor;
use crate::wide::dot;

/// Every so many corners one is an anchor; so is the last.
const SPACING: usize = 16;
/// Rounding of a projected correlation, per unit of the coefficients' absolute sum.
const ROUNDING: f64 = 1e-13;
/// An anchor with less than this share of its square new among the others is not projected onto.
const NEW_SHARE: f64 = 1e-10;

/// What is known about the columns outside the working set at some corners.
pub(crate) struct Measured {
    /// The columns; a row of `anchored` each.
    pub outside: Vec<usize>,
    /// Corners that are anchors.
    pub anchors: Vec<usize>,
    /// Their correlations.
    pub anchored: Mat<f64>,
    /// `(corner, column, correlation)` where a column was in doubt.
    pub between: Vec<(usize, usize, f64)>,
}

/// Measures the columns `outside` at corners with these residuals and values of μ, where they may exceed their bound.
pub(crate) fn measure(
    problem: &Scaled,
    outside: Vec<usize>,
    residuals: &Mat<f64>,
    mu: &[f64],
    non_negative: bool,
) -> Measured {
    let last = mu.len() - 1;
    let (anchors, others): (Vec<usize>, Vec<usize>) =
        (0..mu.len()).partition(|k| (last - k).is_multiple_of(SPACING));
    let reference = pick(residuals, &anchors);
    let anchored = problem.scores_of(&outside, reference.as_ref());
    let mut between = Vec::new();
    let projections = project(&reference, residuals, &others);
    let mut guesses: Mat<f64> = Mat::zeros(outside.len(), others.len());
    let (to, how) = (guesses.as_mut(), &projections.coefficients);
    matmul(to, Accum::Replace, &anchored, how, 1.0, Par::Seq);
    // Neighbouring corners share most of their doubtful columns.
    for group in others.chunk_by(|a, b| a + 1 == *b) {
        let first = others.partition_point(|k| *k < group[0]);
        let columns = first..first + group.len();
        let doubtful: Vec<usize> = (0..outside.len())
            .filter(|&row| {
                columns.clone().any(|at| {
                    let guess = guesses[(row, at)];
                    let size = if non_negative { guess } else { guess.abs() };
                    size + projections.slack[at] > mu[others[at]] * problem.penalty[outside[row]]
                })
            })
            .map(|row| outside[row])
            .collect();
        let right = pick(residuals, group);
        let scores = problem.scores_of(&doubtful, right.as_ref());
        for (at, &corner) in group.iter().enumerate() {
            let column = doubtful.iter().zip(scores.col_as_slice(at));
            between.extend(column.map(|(&j, &score)| (corner, j, score)));
        }
    }
    Measured {
        outside,
        anchors,
        anchored,
        between,
    }
}

fn pick(residuals: &Mat<f64>, corners: &[usize]) -> Mat<f64> {
    Mat::from_fn(residuals.nrows(), corners.len(), |i, k| {
        residuals[(i, corners[k])]
    })
}

/// Residuals as sums of anchors.
struct Projections {
    /// One column per residual.
    coefficients: Mat<f64>,
    /// What of it the sum leaves over, and rounding.
    slack: Vec<f64>,
}

fn project(anchors: &Mat<f64>, residuals: &Mat<f64>, corners: &[usize]) -> Projections {
    let mut factor = Factor::default();
    let mut used: Vec<usize> = Vec::new();
    // From the last one on: it is the closest to what comes.
    for k in (0..anchors.ncols()).rev() {
        let own = anchors.col_as_slice(k);
        let inner = |&i: &usize| dot(anchors.col_as_slice(i), own);
        let products: Vec<f64> = used.iter().map(inner).collect();
        let square = dot(own, own);
        if factor.push(&products, square, NEW_SHARE * square) {
            used.push(k);
        }
    }
    let mut coefficients = Mat::zeros(anchors.ncols(), corners.len());
    let mut slack = Vec::with_capacity(corners.len());
    for (at, &corner) in corners.iter().enumerate() {
        let residual = residuals.col_as_slice(corner);
        let right: Vec<f64> = used
            .iter()
            .map(|&k| dot(anchors.col_as_slice(k), residual))
            .collect();
        let solution = factor.solve(&right);
        let mut left = residual.to_vec();
        let mut size = 1.0;
        for (&k, a) in used.iter().zip(&solution) {
            for (l, r) in left.iter_mut().zip(anchors.col_as_slice(k)) {
                *l -= a * r;
            }
            coefficients[(k, at)] = *a;
            size += a.abs();
        }
        slack.push(dot(&left, &left).sqrt() * (1.0 + 1e-9) + ROUNDING * size);
    }
    Projections {
        coefficients,
        slack,
    }
}
