//! How strongly hierarchical prices are shrunk, chosen by leave-one-group-out prediction.
//!
//! For a linear smoother the prediction of a group from the others has a closed form (Craven & Wahba 1979 for single
//! rows), so every pair of strengths costs one inverse of a rows × rows matrix and no refit.

use faer::linalg::solvers::{DenseSolveCore, Solve};
use faer::{Mat, Side};
use pricetag_estimator::EstimatorError;

use crate::kernel::{Kernels, Problem, column, factor, solve_top};

/// Rows used to choose the strengths of shrinkage.
pub const CHOICE_ROWS: usize = 400;
/// Weakest shrinkage: below, departures are differences that rounding has eaten.
pub(crate) const LEAST: f64 = 1e-8;
/// What is left of a row's precision when this share or less is, is rounding: its leverage is one.
const LEVERAGE_ONE: f64 = 1e-9;
/// Strengths tried, from "almost free" to "almost none".
const STRENGTHS: [f64; 10] = [LEAST, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e2];

/// How strongly departures are shrunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Shrinkage {
    /// λ₁, of blocks towards their parts.
    pub blocks: f64,
    /// λ₂, of parts towards their kind.
    pub parts: f64,
    /// Mean error of predicting rows from others, under the design's own weights and relative to the mean cost under
    /// them; with relative weights the mean relative error. NaN when the strengths were not chosen by prediction.
    pub error: f64,
}

impl Shrinkage {
    /// Refuses strengths that are no positive numbers.
    pub(crate) fn check(&self) -> Result<(), EstimatorError> {
        for (parameter, value) in [("blocks", self.blocks), ("parts", self.parts)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(EstimatorError::Parameter {
                    method: "hier",
                    parameter,
                    value,
                });
            }
        }
        Ok(())
    }
}

/// Chooses both strengths by leave-one-group-out prediction, one coordinate at a time. Rows were weighed down by
/// `factors` before: they count less in the choice, and fully in the error that is reported.
pub(crate) fn choose(problem: &Problem, groups: &[String], factors: &[f64]) -> Shrinkage {
    let n = problem.z.len();
    let fallback = Shrinkage {
        blocks: 1e-1,
        parts: 1e-2,
        error: f64::NAN,
    };
    if n < 4 {
        return fallback;
    }
    let step = n.div_ceil(CHOICE_ROWS);
    let rows: Vec<usize> = (0..n).step_by(step).collect();
    let pick = |m: &Mat<f64>| Mat::from_fn(rows.len(), m.ncols(), |i, j| m[(rows[i], j)]);
    let of_some;
    let kernels = if step == 1 {
        problem.kernels()
    } else {
        of_some = Kernels::of(&pick(&problem.blocks), &pick(&problem.parts));
        &of_some
    };
    let top = pick(&problem.top);
    let z: Vec<f64> = rows.iter().map(|&r| problem.z[r]).collect();
    let members = members(rows.iter().map(|&r| groups[r].as_str()));
    let errors = |blocks: f64, parts: f64| {
        let s = Shrinkage {
            blocks,
            parts,
            error: f64::NAN,
        };
        leave_group_out(kernels, &top, &z, &members, &s)
    };
    let error = |blocks: f64, parts: f64| {
        let errors: Vec<f64> = errors(blocks, parts)
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        if errors.is_empty() {
            return f64::INFINITY;
        }
        errors.iter().map(|e| e.abs()).sum::<f64>() / errors.len() as f64
    };
    let mut best = (f64::INFINITY, 6_usize, 6_usize);
    for round in 0..2 {
        for axis in 0..2 {
            for k in 0..STRENGTHS.len() {
                let (i, j) = if axis == 0 { (k, best.2) } else { (best.1, k) };
                let near = if axis == 0 {
                    k.abs_diff(best.1)
                } else {
                    k.abs_diff(best.2)
                };
                if round > 0 && near > 1 {
                    continue;
                }
                let e = error(STRENGTHS[i], STRENGTHS[j]);
                // On a tie the stronger shrinkage wins.
                if e < best.0 * (1.0 - 1e-9) || (e <= best.0 && i + j > best.1 + best.2) {
                    best = (e, i, j);
                }
            }
        }
    }
    if !best.0.is_finite() {
        return fallback;
    }
    let (blocks, parts) = (STRENGTHS[best.1], STRENGTHS[best.2]);
    let (mut plain, mut cost) = (0.0, 0.0);
    for ((error, &row), z) in errors(blocks, parts).iter().flatten().zip(&rows).zip(&z) {
        if let Some(error) = error {
            let root = factors[row].sqrt();
            plain += error.abs() / root;
            cost += z.abs() / root;
        }
    }
    Shrinkage {
        blocks,
        parts,
        error: plain / cost,
    }
}

fn members<'a>(groups: impl Iterator<Item = &'a str>) -> Vec<Vec<usize>> {
    let mut out: std::collections::BTreeMap<&str, Vec<usize>> = std::collections::BTreeMap::new();
    for (row, group) in groups.enumerate() {
        out.entry(group).or_default().push(row);
    }
    out.into_values().collect()
}

/// Weighted errors of all rows when each group is predicted from the others; none for rows that only they determine.
pub(crate) fn errors_without(
    problem: &Problem,
    groups: &[String],
    s: &Shrinkage,
) -> Option<Vec<Option<f64>>> {
    let members = members(groups.iter().map(String::as_str));
    leave_group_out(problem.kernels(), &problem.top, &problem.z, &members, s)
}

/// Weighted residuals when each group is predicted from the others: `e_G = (P_GG)⁻¹ (P z)_G` with
/// `P = M⁻¹ − M⁻¹X(XᵀM⁻¹X)⁻¹XᵀM⁻¹` and X the top columns in use. A group that alone says what a column of X costs has
/// leverage one, `P_GG` is singular and there is nothing to predict it by.
fn leave_group_out(
    kernels: &Kernels,
    top: &Mat<f64>,
    z: &[f64],
    members: &[Vec<usize>],
    s: &Shrinkage,
) -> Option<Vec<Option<f64>>> {
    let n = z.len();
    let llt = factor(&kernels.covariance(s, true)).ok()?;
    let gamma = solve_top(&llt, top, z);
    let used: Vec<usize> = (0..gamma.len()).filter(|&j| gamma[j] > 0.0).collect();
    let x = Mat::from_fn(n, used.len(), |i, j| top[(i, used[j])]);
    let mut p = llt.inverse();
    let without_top: Vec<f64> = (0..n).map(|i| p[(i, i)]).collect();
    if !used.is_empty() {
        let mx = &p * &x;
        let inner = (x.transpose() * &mx).llt(Side::Lower).ok()?;
        p -= &mx * inner.solve(mx.transpose().to_owned());
    }
    let pz = &p * &column(z);
    let mut errors = vec![None; n];
    for group in members {
        let block = Mat::from_fn(group.len(), group.len(), |a, b| p[(group[a], group[b])]);
        let Ok(block) = block.llt(Side::Lower) else {
            continue;
        };
        let determined = |(a, &row): (usize, &usize)| {
            block.L()[(a, a)].powi(2) > LEVERAGE_ONE * without_top[row]
        };
        if !group.iter().enumerate().all(determined) {
            continue;
        }
        let right = Mat::from_fn(group.len(), 1, |a, _| pz[(group[a], 0)]);
        let e = block.solve(&right);
        for (a, &row) in group.iter().enumerate() {
            errors[row] = Some(e[(a, 0)]);
        }
    }
    errors
        .iter()
        .flatten()
        .all(|e| e.is_finite())
        .then_some(errors)
}
