//! Where searches begin: at the values given, at those with the linear parameters solved for, and at random ones.
//!
//! Once the other parameters have values, those in which the formula is linear follow by least squares (the idea of
//! variable projection, Golub & Pereyra 1973, used here for starts alone). It mends poor guesses of scales and offsets.

use pricetag_estimator::Qr;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use super::marquardt::{Evaluation, LeastSquaresProblem as _};
use super::model::Model;

/// The start with its linear parameters replaced by their least-squares values; none without linear parameters or where
/// these are not determined or out of bounds.
pub(super) fn solved(model: &Model, start: &[f64], bounds: &[(f64, f64)]) -> Option<Vec<f64>> {
    let linear: Vec<usize> = (0..start.len())
        .filter(|&j| model.linear[j] && bounds[j].0 < bounds[j].1)
        .collect();
    let mut at = start.to_vec();
    for &j in &linear {
        at[j] = 0.0;
    }
    let Evaluation {
        residuals,
        mut jacobian,
    } = model.at(&at);
    let columns: Vec<Vec<f64>> = linear
        .iter()
        .map(|&j| std::mem::take(&mut jacobian[j]))
        .collect();
    let finite = |column: &Vec<f64>| column.iter().all(|x| x.is_finite());
    if linear.is_empty() || !finite(&residuals) || !columns.iter().all(finite) {
        return None;
    }
    let qr = Qr::new(columns, residuals, 1e-9);
    if qr.rank < linear.len() {
        return None;
    }
    for (&k, value) in qr.pivot.iter().zip(qr.solve()) {
        let (lower, upper) = bounds[linear[k]];
        at[linear[k]] = value.clamp(lower, upper);
    }
    at.iter().all(|x| x.is_finite()).then_some(at)
}

/// Random starts: anywhere between finite bounds (by ratio if both are positive and far apart), else up to a hundred times
/// larger or smaller than the start, of either sign where bounds allow.
pub(super) fn random(start: &[f64], bounds: &[(f64, f64)], count: u32, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut one = |value: f64, (lower, upper): (f64, f64)| {
        let (u, sign): (f64, bool) = (random.random(), random.random());
        if lower.is_finite() && upper.is_finite() {
            return if lower > 0.0 && upper > 100.0 * lower {
                lower * (upper / lower).powf(u)
            } else {
                lower + u * (upper - lower)
            };
        }
        let size = if value == 0.0 { 1.0 } else { value.abs() } * 100.0_f64.powf(2.0 * u - 1.0);
        let signed = if sign { size } else { -size };
        let inside = |x: f64| (lower..=upper).contains(&x);
        if inside(signed) {
            signed
        } else if inside(-signed) {
            -signed
        } else if lower.is_finite() {
            lower + size
        } else {
            upper - size
        }
    };
    (0..count)
        .map(|_| start.iter().zip(bounds).map(|(v, b)| one(*v, *b)).collect())
        .collect()
}
