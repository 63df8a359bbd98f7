//! The joint optimum of all levels of hierarchical prices under all bounds.
//!
//! Two exact half-steps alternate. Given which blocks cost nothing (β = 0), the departures of the others are profiled out
//! and the upper levels (θ, τ, γ ≥ 0) solve a small non-negative least squares problem, in which the blocks at zero pull
//! their parts' prices down. Given the upper levels, the departures solve a ridge problem with lower bounds
//! ([`crate::bounded`]), which says which blocks cost nothing. When that set repeats, the optimality conditions of the
//! joint convex problem hold; else the best iterate is taken.

use faer::Mat;
use pricetag_estimator::EstimatorError;

use crate::bounded::{bounded_ridge, gram_of};
use crate::hierarchy::Role;
use crate::kernel::{Problem, column, composition, factor, whiten};
use crate::nnls::from_gram;
use crate::shrinkage::Shrinkage;
use crate::wide::{add, dot};

/// Alternations at most; a handful is usual.
const ROUNDS: usize = 30;

/// Prices on all levels.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// Per kind of part.
    pub kinds: Vec<f64>,
    /// Per free column.
    pub free: Vec<f64>,
    /// Per part.
    pub parts: Vec<f64>,
    /// Per composed column: the price of its parts.
    pub priors: Vec<f64>,
    /// Per composed column: its own price.
    pub blocks: Vec<f64>,
    /// Half the penalised sum of squares.
    pub objective: f64,
}

/// Solves for given strengths of shrinkage.
pub(crate) fn solve(problem: &Problem, s: &Shrinkage) -> Result<Levels, EstimatorError> {
    let mut zero = vec![false; problem.composed.len()];
    let mut positive = Vec::new();
    let mut best: Option<Levels> = None;
    for _ in 0..ROUNDS {
        let (levels, next) = round(problem, s, &zero, &mut positive)?;
        let better = best.as_ref().is_none_or(|b| levels.objective < b.objective);
        if better {
            best = Some(levels);
        }
        if next == zero {
            break;
        }
        zero = next;
    }
    best.ok_or_else(not_finite)
}

fn not_finite() -> EstimatorError {
    EstimatorError::Numerical {
        method: "hier",
        reason: "a price is not finite".into(),
    }
}

/// Both half-steps; returns the prices and which blocks are at zero. `positive` are the upper levels that were not at
/// zero in the round before.
fn round(
    problem: &Problem,
    s: &Shrinkage,
    zero: &[bool],
    positive: &mut Vec<usize>,
) -> Result<(Levels, Vec<bool>), EstimatorError> {
    let hierarchy = problem.hierarchy;
    let upper = upper(problem, s, zero, positive)?;
    *positive = (0..upper.len()).filter(|&j| upper[j] > 0.0).collect();
    let (q, k) = (problem.part_scale.len(), hierarchy.kinds.len());
    let kinds = upper[q..q + k].to_vec();
    let free = upper[q + k..].to_vec();
    let mut residual = problem.z.clone();
    let (mut parts, mut departures) = (Vec::with_capacity(q), 0.0);
    for p in 0..q {
        let (scale, expected) = (problem.part_scale[p], kinds[hierarchy.part_kinds[p]]);
        add(&mut residual, -upper[p], problem.parts.col_as_slice(p));
        parts.push(if scale > 0.0 {
            upper[p] * scale
        } else {
            expected
        });
        if scale > 0.0 {
            departures += (upper[p] - expected / scale).powi(2);
        }
    }
    for (j, &price) in free.iter().enumerate() {
        add(&mut residual, -price, problem.top.col_as_slice(k + j));
    }
    let priors: Vec<f64> = problem
        .composed
        .iter()
        .map(|&j| composition(&hierarchy.roles[j], &parts))
        .collect();
    let ratio = |(p, s): (&f64, &f64)| if *s > 0.0 { p / s } else { 0.0 };
    let lower: Vec<f64> = priors.iter().zip(&problem.block_scale).map(ratio).collect();
    let u = bounded_ridge(
        &problem.blocks,
        &problem.kernels().blocks,
        &residual,
        s.blocks,
        &lower,
    )
    .ok_or_else(not_finite)?;
    let mut blocks = Vec::with_capacity(u.len());
    for (b, &u) in u.iter().enumerate() {
        add(&mut residual, -u, problem.blocks.col_as_slice(b));
        blocks.push((priors[b] + problem.block_scale[b] * u).max(0.0));
    }
    let objective =
        0.5 * (dot(&residual, &residual) + s.blocks * dot(&u, &u) + s.parts * departures);
    if !objective.is_finite() {
        return Err(not_finite());
    }
    let next = u.iter().zip(&lower).map(|(u, l)| *u <= -l).collect();
    Ok((
        Levels {
            kinds,
            free,
            parts,
            priors,
            blocks,
            objective,
        },
        next,
    ))
}

/// θ/t, τ and γ, given the blocks at zero.
fn upper(
    problem: &Problem,
    s: &Shrinkage,
    zero: &[bool],
    start: &[usize],
) -> Result<Vec<f64>, EstimatorError> {
    let (n, q) = (problem.z.len(), problem.part_scale.len());
    let at_zero: Vec<usize> = (0..zero.len()).filter(|&b| zero[b]).collect();
    let mut covariance = (&problem.kernels().blocks - gram_of(&problem.blocks, &at_zero, 1.0))
        * faer::Scale(1.0 / s.blocks);
    for i in 0..n {
        covariance[(i, i)] += 1.0;
    }
    let llt = factor(&covariance)?;
    let kinds = problem.hierarchy.kinds.len();
    let width = q + kinds + problem.free.len();
    // Rows of observations; the kinds act through their parts alone.
    let mut rows = Mat::<f64>::zeros(n, width);
    rows.as_mut().subcols_mut(0, q).copy_from(&problem.parts);
    for j in 0..problem.free.len() {
        rows.col_as_slice_mut(q + kinds + j)
            .copy_from_slice(problem.top.col_as_slice(kinds + j));
    }
    let mut gram = pulls(problem, s, &at_zero, &mut rows);
    let rows = whiten(&llt, &rows);
    gram += rows.transpose() * &rows;
    for (p, &scale) in problem.part_scale.iter().enumerate() {
        if scale > 0.0 {
            let kind = q + problem.hierarchy.part_kinds[p];
            gram[(p, p)] += s.parts;
            gram[(p, kind)] -= s.parts / scale;
            gram[(kind, p)] -= s.parts / scale;
            gram[(kind, kind)] += s.parts / (scale * scale);
        }
    }
    let white_z = whiten(&llt, &column(&problem.z));
    let right: Vec<f64> = (0..width)
        .map(|j| dot(rows.col_as_slice(j), white_z.col_as_slice(0)))
        .collect();
    Ok(from_gram(&gram, &right, start))
}

/// A block at zero departs from its parts' price by just that price: it pulls the parts down (the Gram matrix returned),
/// and takes its share out of the observations' rows.
fn pulls(problem: &Problem, s: &Shrinkage, at_zero: &[usize], rows: &mut Mat<f64>) -> Mat<f64> {
    let mut gram = Mat::<f64>::zeros(rows.ncols(), rows.ncols());
    for &b in at_zero {
        let scale = problem.block_scale[b];
        let Role::Composed(list) = &problem.hierarchy.roles[problem.composed[b]] else {
            continue;
        };
        if scale <= 0.0 {
            continue;
        }
        let share = |&(p, amount): &(usize, f64)| (p, amount * problem.part_scale[p] / scale);
        for (p, mine) in list.iter().map(share) {
            add(
                rows.col_as_slice_mut(p),
                -mine,
                problem.blocks.col_as_slice(b),
            );
            for (other, theirs) in list.iter().map(share) {
                gram[(p, other)] += s.blocks * mine * theirs;
            }
        }
    }
    gram
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Hierarchy;
    use crate::nnls::nnls;
    use pricetag_estimator::{Column, Design, Values};

    /// The whole problem as one non-negative least squares problem in β, θ, τ, γ.
    fn by_stacking(problem: &Problem, s: &Shrinkage) -> f64 {
        let h = problem.hierarchy;
        let (n, p) = (problem.z.len(), problem.composed.len());
        let (q, k, f) = (problem.part_scale.len(), h.kinds.len(), problem.free.len());
        let mut a = Mat::<f64>::zeros(n + p + q, p + q + k + f);
        for b in 0..p {
            let scale = problem.block_scale[b];
            for i in 0..n {
                a[(i, b)] = problem.blocks[(i, b)] / scale;
            }
            a[(n + b, b)] = s.blocks.sqrt() / scale;
            if let Role::Composed(list) = &h.roles[problem.composed[b]] {
                for (part, amount) in list {
                    a[(n + b, p + part)] -= s.blocks.sqrt() / scale * amount;
                }
            }
        }
        for part in 0..q {
            a[(n + p + part, p + part)] = s.parts.sqrt() / problem.part_scale[part];
            a[(n + p + part, p + q + h.part_kinds[part])] =
                -s.parts.sqrt() / problem.part_scale[part];
        }
        for j in 0..f {
            for i in 0..n {
                a[(i, p + q + k + j)] = problem.top[(i, k + j)];
            }
        }
        let mut right = problem.z.clone();
        right.resize(n + p + q, 0.0);
        0.5 * nnls(&a, &right).residual_norm.powi(2)
    }

    #[test]
    fn agrees_with_one_stacked_problem() {
        for seed in 0..40_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
            let mut uniform = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let (rows, blocks) = (6 + (seed % 5) as usize, 3 + (seed % 9) as usize);
            let mut columns: Vec<Column> = (0..blocks)
                .map(|b| Column {
                    name: format!("b{b}"),
                    values: Values::Dense((0..rows).map(|_| (20.0 * uniform()).floor()).collect()),
                })
                .collect();
            columns.push(Column {
                name: "base".into(),
                values: Values::Dense(vec![1.0; rows]),
            });
            let target = (0..rows).map(|_| 10.0 + 300.0 * uniform()).collect();
            let mut hierarchy = Hierarchy::flat(blocks + 1);
            hierarchy.part_kinds = vec![0, 1, 1, 1];
            hierarchy.kinds = vec!["executed".into(), "opcode".into()];
            for (b, role) in hierarchy.roles.iter_mut().enumerate() {
                *role = Role::Composed(vec![(0, 1.0), (1 + b % 3, 1.0 + (b % 2) as f64), (1, 0.5)]);
            }
            hierarchy.roles[blocks] = Role::Free;
            let mut design = Design::new(columns, target);
            design.weights = pricetag_estimator::relative_weights(&design.target);
            let problem = Problem::new(&hierarchy, &design);
            for strength in [1e-4, 1e-2, 1.0] {
                let s = Shrinkage {
                    blocks: strength,
                    parts: 10.0 * strength,
                    error: f64::NAN,
                };
                let found = solve(&problem, &s).unwrap().objective;
                let optimum = by_stacking(&problem, &s);
                assert!(
                    found <= optimum * (1.0 + 1e-4) + 1e-12,
                    "seed {seed}, strength {strength}: {found} against {optimum}"
                );
                assert!(
                    found >= optimum * (1.0 - 1e-6) - 1e-12,
                    "below the optimum: {found} {optimum}"
                );
            }
        }
    }
}
