//! Hierarchical prices: more blocks than observations is the normal case.
//!
//! A block's price is what its parts cost plus its own departure, a part's price is what its kind costs plus its own
//! departure, and departures are shrunk as far as the observations do not support them:
//!
//! ```text
//! β_b = Σ amount_bp·θ_p + s_b·u_b      u_b ~ N(0, σ²/λ₁),  β ≥ 0
//! θ_p = τ_kind(p) + t_p·v_p            v_p ~ N(0, σ²/λ₂),  θ ≥ 0,  τ ≥ 0
//! √w·y = √w·(N β + F γ) + σ·ε          γ ≥ 0: base price and cold costs
//! ```
//!
//! The scales s and t are the prices expected from the kinds alone, so departures are relative: cheap and dear blocks
//! shrink alike. It is empirical Bayes for a linear mixed model (Robinson 1991, "That BLUP is a good thing"), computed
//! in the space of observations: every matrix is rows × rows, however many blocks there are. λ₁ and λ₂ minimise the
//! mean relative error of leave-one-group-out prediction, which for a linear smoother has a closed form.
//!
//! Deviations: the levels are solved from the top down (τ, γ with θ and β profiled out; then v with u profiled out; then
//! u), each with its bounds, by [`crate::bounded`]; that is the joint optimum unless bounds are active. Cross-validation
//! ignores the bounds on u and v. Above [`CHOICE_ROWS`] rows the strengths are chosen on a regular subset.

use faer::linalg::solvers::{DenseSolveCore, Llt, Solve};
use faer::{Mat, Side};
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Coefficient, Design, Estimator, EstimatorError, Fitted};

use crate::bounded::{bounded_ridge, gram_of};
use crate::hierarchy::{Hierarchy, Role};
use crate::nnls::{dot, nnls};

/// Rows used to choose the strengths of shrinkage.
pub const CHOICE_ROWS: usize = 400;
/// Least expected share of a kind in the total cost, so that no kind's scale is zero.
const LEAST_SHARE: f64 = 0.05;
/// Strengths tried, from "almost free" to "almost none".
const STRENGTHS: [f64; 9] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e3];

/// How strongly departures are shrunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Shrinkage {
    /// λ₁, of blocks towards their parts.
    pub blocks: f64,
    /// λ₂, of parts towards their kind.
    pub parts: f64,
    /// Mean relative error of leave-one-group-out prediction; NaN when it was not chosen by that.
    pub error: f64,
}

/// The hierarchical estimator for the columns of one design.
#[derive(Clone, Debug, PartialEq)]
pub struct Hierarchical {
    /// What the design's columns consist of.
    pub hierarchy: Hierarchy,
    /// Strengths; chosen by cross-validation when not given.
    pub shrinkage: Option<Shrinkage>,
    /// Whether evidence and standard errors are wanted; they take a good part of the time.
    pub certainty: bool,
}

/// A fit with what is particular to it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Prices of the columns.
    pub fitted: Fitted,
    /// Prices of the parts.
    pub part_prices: Vec<f64>,
    /// The strengths used.
    pub shrinkage: Shrinkage,
}

impl Estimator for Hierarchical {
    fn name(&self) -> &'static str {
        "hier"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        self.solve(design).map(|outcome| outcome.fitted)
    }
}

impl Hierarchical {
    /// Fits, and keeps the prices of the parts.
    pub fn solve(&self, design: &Checked<Design>) -> Result<Outcome, EstimatorError> {
        if self.hierarchy.roles.len() != design.columns.len() {
            let reason = format!(
                "{} roles for {} columns",
                self.hierarchy.roles.len(),
                design.columns.len()
            );
            return Err(EstimatorError::Numerical {
                method: "hier",
                reason,
            });
        }
        if design.rows() < 2 {
            return Err(EstimatorError::TooFewRows {
                method: "hier",
                needed: 2,
                rows: design.rows(),
            });
        }
        let problem = Problem::new(&self.hierarchy, design);
        let shrinkage = match &self.shrinkage {
            Some(given) => given.clone(),
            None => choose(&problem, &design.groups)?,
        };
        solve(&problem, design, &shrinkage, self.certainty)
    }
}

/// The weighted, scaled problem.
struct Problem<'a> {
    hierarchy: &'a Hierarchy,
    /// √w·y.
    z: Vec<f64>,
    /// Indices of the composed and the free columns of the design.
    composed: Vec<usize>,
    free: Vec<usize>,
    /// √w · N · diag(s) and the scales s.
    blocks: Mat<f64>,
    block_scale: Vec<f64>,
    /// √w · N H · diag(t) and the scales t.
    parts: Mat<f64>,
    part_scale: Vec<f64>,
    /// √w · [N H per kind | F]: columns without shrinkage.
    top: Mat<f64>,
}

impl<'a> Problem<'a> {
    fn new(hierarchy: &'a Hierarchy, design: &Design) -> Self {
        let n = design.rows();
        let roots: Vec<f64> = design.weights.iter().map(|w| w.sqrt()).collect();
        let z: Vec<f64> = design
            .target
            .iter()
            .zip(&roots)
            .map(|(y, r)| y * r)
            .collect();
        let is_free = |j: &usize| matches!(hierarchy.roles[*j], Role::Free);
        let (free, composed): (Vec<usize>, Vec<usize>) =
            (0..design.columns.len()).partition(is_free);
        let mut parts = Mat::<f64>::zeros(n, hierarchy.part_kinds.len());
        let mut top = Mat::<f64>::zeros(n, hierarchy.kinds.len() + free.len());
        let mut blocks = Mat::<f64>::zeros(n, composed.len());
        for (k, &j) in composed.iter().enumerate() {
            for (i, value) in design.columns[j].values.entries() {
                blocks[(i, k)] = value * roots[i];
            }
            if let Role::Composed(list) = &hierarchy.roles[j] {
                for &(part, amount) in list {
                    add(parts.col_as_slice_mut(part), amount, blocks.col_as_slice(k));
                }
            }
        }
        for (part, &kind) in hierarchy.part_kinds.iter().enumerate() {
            add(top.col_as_slice_mut(kind), 1.0, parts.col_as_slice(part));
        }
        for (k, &j) in free.iter().enumerate() {
            for (i, value) in design.columns[j].values.entries() {
                top[(i, hierarchy.kinds.len() + k)] = value * roots[i];
            }
        }
        let kind_scale = kind_scales(&top, &z, hierarchy.kinds.len());
        let part_scale: Vec<f64> = hierarchy
            .part_kinds
            .iter()
            .map(|&k| kind_scale[k])
            .collect();
        let block_scale: Vec<f64> = composed
            .iter()
            .map(|&j| composition(&hierarchy.roles[j], &part_scale))
            .collect();
        for (k, scale) in block_scale.iter().enumerate() {
            blocks
                .col_as_slice_mut(k)
                .iter_mut()
                .for_each(|v| *v *= scale);
        }
        for (k, scale) in part_scale.iter().enumerate() {
            parts
                .col_as_slice_mut(k)
                .iter_mut()
                .for_each(|v| *v *= scale);
        }
        Self {
            hierarchy,
            z,
            composed,
            free,
            blocks,
            block_scale,
            parts,
            part_scale,
            top,
        }
    }
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    for (t, f) in to.iter_mut().zip(from) {
        *t += factor * f;
    }
}

fn composition(role: &Role, part_prices: &[f64]) -> f64 {
    match role {
        Role::Free => 0.0,
        Role::Composed(parts) => parts
            .iter()
            .map(|(part, amount)| amount * part_prices[*part])
            .sum(),
    }
}

/// What one unit of each kind costs if kinds were all there is, but never less than a small share of the total.
fn kind_scales(top: &Mat<f64>, z: &[f64], kinds: usize) -> Vec<f64> {
    let start = nnls(top, z);
    let total: f64 = z.iter().map(|v| v.abs()).sum();
    (0..kinds)
        .map(|k| {
            let units: f64 = top.col_as_slice(k).iter().sum();
            let least = if units > 0.0 {
                LEAST_SHARE * total / units
            } else {
                0.0
            };
            start.x[k].max(least)
        })
        .collect()
}

/// K₁, K₂: covariances of the observations through departures of blocks and parts, for λ = 1.
struct Kernels {
    blocks: Mat<f64>,
    parts: Mat<f64>,
}

impl Kernels {
    fn of(problem: &Problem) -> Self {
        let all = |m: &Mat<f64>| (0..m.ncols()).collect::<Vec<_>>();
        Self {
            blocks: gram_of(&problem.blocks, &all(&problem.blocks), 1.0),
            parts: gram_of(&problem.parts, &all(&problem.parts), 1.0),
        }
    }

    /// I + K₁/λ₁ + K₂/λ₂ (the last term only when asked for).
    fn covariance(&self, s: &Shrinkage, with_parts: bool) -> Mat<f64> {
        let n = self.blocks.nrows();
        Mat::from_fn(n, n, |i, j| {
            let parts = if with_parts {
                self.parts[(i, j)] / s.parts
            } else {
                0.0
            };
            f64::from(u8::from(i == j)) + self.blocks[(i, j)] / s.blocks + parts
        })
    }
}

fn factor(m: &Mat<f64>) -> Result<Llt<f64>, EstimatorError> {
    m.llt(Side::Lower).map_err(|_| EstimatorError::Numerical {
        method: "hier",
        reason: "the covariance of the observations is not positive definite".into(),
    })
}

fn column(v: &[f64]) -> Mat<f64> {
    Mat::from_fn(v.len(), 1, |i, _| v[i])
}

/// L⁻¹ · m.
fn whiten(llt: &Llt<f64>, m: &Mat<f64>) -> Mat<f64> {
    let mut out = m.clone();
    faer::linalg::triangular_solve::solve_lower_triangular_in_place(
        llt.L(),
        out.as_mut(),
        faer::Par::Seq,
    );
    out
}

/// τ and γ by generalised non-negative least squares; their covariance-weighted residual follows from it.
fn solve_top(llt: &Llt<f64>, top: &Mat<f64>, z: &[f64]) -> Vec<f64> {
    let white = whiten(llt, &column(z));
    nnls(&whiten(llt, top), white.col_as_slice(0)).x
}

/// Chooses both strengths by leave-one-group-out prediction, one coordinate at a time.
fn choose(problem: &Problem, groups: &[String]) -> Result<Shrinkage, EstimatorError> {
    let n = problem.z.len();
    let fallback = Shrinkage {
        blocks: 1e-1,
        parts: 1e-2,
        error: f64::NAN,
    };
    if n < 4 {
        return Ok(fallback);
    }
    let step = n.div_ceil(CHOICE_ROWS);
    let rows: Vec<usize> = (0..n).step_by(step).collect();
    let pick = |m: &Mat<f64>| Mat::from_fn(rows.len(), m.ncols(), |i, j| m[(rows[i], j)]);
    let (blocks, parts) = (pick(&problem.blocks), pick(&problem.parts));
    let all = |m: &Mat<f64>| (0..m.ncols()).collect::<Vec<_>>();
    let kernels = Kernels {
        blocks: gram_of(&blocks, &all(&blocks), 1.0),
        parts: gram_of(&parts, &all(&parts), 1.0),
    };
    let top = pick(&problem.top);
    let z: Vec<f64> = rows.iter().map(|&r| problem.z[r]).collect();
    let members = members(rows.iter().map(|&r| groups[r].as_str()));
    let error = |blocks: f64, parts: f64| {
        let s = Shrinkage {
            blocks,
            parts,
            error: f64::NAN,
        };
        leave_group_out(&kernels, &top, &z, &members, &s).unwrap_or(f64::INFINITY)
    };
    let mut best = (f64::INFINITY, 4_usize, 4_usize);
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
        return Ok(fallback);
    }
    Ok(Shrinkage {
        blocks: STRENGTHS[best.1],
        parts: STRENGTHS[best.2],
        error: best.0,
    })
}

fn members<'a>(groups: impl Iterator<Item = &'a str>) -> Vec<Vec<usize>> {
    let mut out: std::collections::BTreeMap<&str, Vec<usize>> = std::collections::BTreeMap::new();
    for (row, group) in groups.enumerate() {
        out.entry(group).or_default().push(row);
    }
    out.into_values().collect()
}

/// Mean |weighted residual| when each group is predicted from the others: e_G = (P_GG)⁻¹ (P z)_G with
/// P = M⁻¹ − M⁻¹X(XᵀM⁻¹X)⁻¹XᵀM⁻¹ and X the top columns in use.
fn leave_group_out(
    kernels: &Kernels,
    top: &Mat<f64>,
    z: &[f64],
    members: &[Vec<usize>],
    s: &Shrinkage,
) -> Option<f64> {
    let n = z.len();
    let llt = factor(&kernels.covariance(s, true)).ok()?;
    let gamma = solve_top(&llt, top, z);
    let used: Vec<usize> = (0..gamma.len()).filter(|&j| gamma[j] > 0.0).collect();
    let x = Mat::from_fn(n, used.len(), |i, j| top[(i, used[j])]);
    let mut p = llt.inverse();
    if !used.is_empty() {
        let mx = &p * &x;
        let inner = (x.transpose() * &mx).llt(Side::Lower).ok()?;
        p -= &mx * inner.solve(mx.transpose().to_owned());
    }
    let pz = &p * &column(z);
    let mut sum = 0.0;
    for group in members {
        let e = match group.as_slice() {
            [i] => vec![pz[(*i, 0)] / p[(*i, *i)]],
            group => {
                let block = Mat::from_fn(group.len(), group.len(), |a, b| p[(group[a], group[b])]);
                let right = Mat::from_fn(group.len(), 1, |a, _| pz[(group[a], 0)]);
                let e = block.llt(Side::Lower).ok()?.solve(&right);
                (0..group.len()).map(|a| e[(a, 0)]).collect()
            }
        };
        sum += e.iter().map(|e| e.abs()).sum::<f64>();
    }
    (sum / n as f64).is_finite().then(|| sum / n as f64)
}

/// Solves for given strengths.
fn solve(
    problem: &Problem,
    design: &Design,
    s: &Shrinkage,
    with_certainty: bool,
) -> Result<Outcome, EstimatorError> {
    let numerical = || EstimatorError::Numerical {
        method: "hier",
        reason: "a price is not finite".into(),
    };
    let hierarchy = problem.hierarchy;
    let kernels = Kernels::of(problem);
    let full = factor(&kernels.covariance(s, true))?;
    let top = solve_top(&full, &problem.top, &problem.z);
    let mut residual = problem.z.clone();
    for (j, &g) in top.iter().enumerate() {
        add(&mut residual, -g, problem.top.col_as_slice(j));
    }
    // Parts, with the departures of blocks profiled out.
    let without_parts = factor(&kernels.covariance(s, false))?;
    let tau: Vec<f64> = hierarchy.part_kinds.iter().map(|&k| top[k]).collect();
    let lower: Vec<f64> = tau
        .iter()
        .zip(&problem.part_scale)
        .map(|(t, s)| if *s > 0.0 { t / s } else { 0.0 })
        .collect();
    let white = whiten(&without_parts, &column(&residual));
    let white_parts = whiten(&without_parts, &problem.parts);
    let v = bounded_ridge(
        &white_parts,
        &(&white_parts * white_parts.transpose()),
        white.col_as_slice(0),
        s.parts,
        &lower,
    )
    .ok_or_else(numerical)?;
    let part_prices: Vec<f64> = tau
        .iter()
        .zip(&problem.part_scale)
        .zip(&v)
        .map(|((t, s), v)| (t + s * v).max(0.0))
        .collect();
    for (j, &v) in v.iter().enumerate() {
        add(&mut residual, -v, problem.parts.col_as_slice(j));
    }
    // Blocks.
    let prior: Vec<f64> = problem
        .composed
        .iter()
        .map(|&j| composition(&hierarchy.roles[j], &part_prices))
        .collect();
    let lower: Vec<f64> = prior
        .iter()
        .zip(&problem.block_scale)
        .map(|(p, s)| if *s > 0.0 { p / s } else { 0.0 })
        .collect();
    let u = bounded_ridge(
        &problem.blocks,
        &kernels.blocks,
        &residual,
        s.blocks,
        &lower,
    )
    .ok_or_else(numerical)?;
    let certainty = if with_certainty {
        certainty(problem, &full, &without_parts, s, &top)
    } else {
        vec![(None, None); problem.composed.len()]
    };
    let mut coefficients = vec![Coefficient::default(); design.columns.len()];
    for (k, &j) in problem.composed.iter().enumerate() {
        coefficients[j] = Coefficient {
            estimate: Some((prior[k] + problem.block_scale[k] * u[k]).max(0.0)),
            std_error: certainty[k].1,
            prior: Some(prior[k]),
            evidence: certainty[k].0,
        };
    }
    for (k, &j) in problem.free.iter().enumerate() {
        coefficients[j].estimate = Some(top[hierarchy.kinds.len() + k]);
    }
    let mut fitted = Fitted::linear("hier", design, 0.0, coefficients);
    fitted.notes.push(note(problem, s));
    Ok(Outcome {
        fitted,
        part_prices,
        shrinkage: s.clone(),
    })
}

fn note(problem: &Problem, s: &Shrinkage) -> Diagnostic {
    let error = if s.error.is_nan() {
        String::new()
    } else {
        format!(
            "; leave-one-group-out mean relative error {:.1} %",
            100.0 * s.error
        )
    };
    Diagnostic {
        severity: Severity::Note,
        message: format!(
            "{} prices start from what {} parts of {} kinds cost; shrinkage towards that: {:.0e} for buckets, {:.0e} for parts{error}",
            problem.composed.len(),
            problem.part_scale.len(),
            problem.hierarchy.kinds.len(),
            s.blocks,
            s.parts,
        ),
        advice: None,
    }
}

/// Per composed column: evidence = 1 − posterior/prior variance of its departure when its parts' prices are given, and
/// the posterior standard deviation of its price when they are not.
fn certainty(
    problem: &Problem,
    full: &Llt<f64>,
    without_parts: &Llt<f64>,
    s: &Shrinkage,
    top: &[f64],
) -> Vec<(Option<f64>, Option<f64>)> {
    let n = problem.z.len();
    let mut residual = problem.z.clone();
    let mut used = 0;
    for (j, &g) in top.iter().enumerate().filter(|(_, g)| **g > 0.0) {
        add(&mut residual, -g, problem.top.col_as_slice(j));
        used += 1;
    }
    let white = whiten(full, &column(&residual));
    let sigma2 =
        (n > used).then(|| dot(white.col_as_slice(0), white.col_as_slice(0)) / (n - used) as f64);
    let own = whiten(without_parts, &problem.blocks);
    let mut shared = Mat::<f64>::zeros(n, problem.composed.len());
    let mut prior_variance = vec![0.0; problem.composed.len()];
    for (k, &j) in problem.composed.iter().enumerate() {
        let scale = problem.block_scale[k];
        add(
            shared.col_as_slice_mut(k),
            scale / s.blocks,
            problem.blocks.col_as_slice(k),
        );
        prior_variance[k] = scale * scale / s.blocks;
        if let Role::Composed(parts) = &problem.hierarchy.roles[j] {
            for &(part, amount) in parts {
                let t = amount * problem.part_scale[part];
                add(
                    shared.col_as_slice_mut(k),
                    t / s.parts,
                    problem.parts.col_as_slice(part),
                );
                prior_variance[k] += t * t / s.parts;
            }
        }
    }
    let shared = whiten(full, &shared);
    (0..problem.composed.len())
        .map(|k| {
            let (own, shared) = (own.col_as_slice(k), shared.col_as_slice(k));
            let evidence = (dot(own, own) / s.blocks).clamp(0.0, 1.0);
            let variance = (prior_variance[k] - dot(shared, shared)).max(0.0);
            (Some(evidence), sigma2.map(|s2| (s2 * variance).sqrt()))
        })
        .collect()
}
