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
//! in the space of observations: every matrix is rows × rows, however many blocks there are, or smaller where columns are few. λ₁ and λ₂ minimise the
//! mean relative error of leave-one-group-out prediction, which for a linear smoother has a closed form.
//!
//! All levels are solved jointly under all bounds (`joint`). Rows that the others do not explain are weighed down first
//! (`outliers`). Deviations: the closed form ignores the bounds (where many are active, folds with bounds decide), and
//! above [`crate::shrinkage::CHOICE_ROWS`] rows it looks at a regular subset. [`crate::PartsAlone`] has no departures.

use faer::Mat;
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{
    Checked, Coefficient, Design, Estimator, EstimatorError, Fitted, Split, folds_by_group,
};

use crate::hierarchy::{Hierarchy, Role};
use crate::joint::{self, Levels};
use crate::kernel::{Problem, column, factor, whiten};
use crate::outliers::{Weighed, weigh_down};
use crate::shrinkage::{LEAST, Shrinkage, choose};
use crate::wide::{add, dot};

/// Folds for the strengths where bounds matter.
const REFINING_FOLDS: usize = 5;
/// Above this many entries of the design the strengths are not refined.
const REFINED_ENTRIES: usize = 2_000_000;

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
    /// The strengths used; none where nothing departs from what its parts cost.
    pub shrinkage: Option<Shrinkage>,
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
        check(&self.hierarchy, design)?;
        if let Some(given) = &self.shrinkage {
            given.check()?;
        }
        let Weighed { design, factors } =
            &weigh_down(&self.hierarchy, design, self.shrinkage.as_ref())?;
        let mut problem = Problem::new(&self.hierarchy, design);
        let shrinkage = if let Some(given) = &self.shrinkage {
            problem = problem.compressed();
            given.clone()
        } else {
            let start = choose(&problem, &design.groups, factors);
            problem = problem.compressed();
            self.refine(&problem, design, factors, start)?
        };
        solve(&problem, design, &shrinkage, self.certainty)
    }

    /// The closed form of leave-one-group-out prediction knows no bounds. Where many prices end at zero it believes in
    /// freedom that is not there; then stronger shrinkage is tried by folds, bounds and all.
    fn refine(
        &self,
        problem: &Problem,
        design: &Checked<Design>,
        factors: &[f64],
        start: Shrinkage,
    ) -> Result<Shrinkage, EstimatorError> {
        let levels = joint::solve(problem, &start)?;
        let at_zero = levels.blocks.iter().filter(|b| **b <= 0.0).count();
        let folds = folds_by_group(&design.groups, REFINING_FOLDS, 0);
        if at_zero * 10 < levels.blocks.len()
            || folds.len() < 3
            || design.rows() * design.columns.len() > REFINED_ENTRIES
        {
            return Ok(start);
        }
        let held_out: Vec<HeldOut> = folds
            .iter()
            .map(|fold| HeldOut::new(&self.hierarchy, design, factors, fold))
            .collect::<Result<_, _>>()?;
        let (mut best, mut least) = (start, f64::INFINITY);
        let start = best.clone();
        for blocks in [0.01, 1.0, 10.0, 100.0, 1e3] {
            for parts in [1.0, 100.0, 1e4] {
                let tried = Shrinkage {
                    blocks: (start.blocks * blocks).max(LEAST),
                    parts: start.parts * parts,
                    error: f64::NAN,
                };
                if let Some(errors) = errors_over(&held_out, &tried, least * (1.0 - 1e-3)) {
                    least = errors.weighed;
                    best = Shrinkage {
                        error: errors.plain / errors.cost,
                        ..tried
                    };
                }
            }
        }
        Ok(best)
    }
}

/// One fold: the problem without it, and the rows it holds out.
struct HeldOut<'a> {
    problem: Problem<'a>,
    test: Design,
    /// By how much each of these rows was weighed down.
    factors: Vec<f64>,
}

/// Sums over held-out rows.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    /// Weighted absolute errors.
    weighed: f64,
    /// The same with the weights that the rows had before they were weighed down.
    plain: f64,
    /// Absolute costs under these.
    cost: f64,
}

impl<'a> HeldOut<'a> {
    fn new(
        hierarchy: &'a Hierarchy,
        design: &Checked<Design>,
        factors: &[f64],
        fold: &Split,
    ) -> Result<Self, EstimatorError> {
        let train = design.subset(&fold.train)?;
        let problem = Problem::new(hierarchy, &train).compressed();
        Ok(Self {
            problem,
            test: design.select(&fold.test),
            factors: fold.test.iter().map(|&row| factors[row]).collect(),
        })
    }

    /// Adds the errors of the held-out rows.
    fn add_errors(&self, s: &Shrinkage, to: &mut Errors) -> Result<(), EstimatorError> {
        let levels = joint::solve(&self.problem, s)?;
        let mut predicted = vec![0.0; self.test.rows()];
        let composed = self.problem.composed.iter().zip(&levels.blocks);
        for (&j, price) in composed.chain(self.problem.free.iter().zip(&levels.free)) {
            self.test.columns[j].values.add_to(*price, &mut predicted);
        }
        for (i, predicted) in predicted.iter().enumerate() {
            let (cost, root) = (self.test.target[i], self.test.weights[i].sqrt());
            let plain = root / self.factors[i].sqrt();
            to.weighed += root * (cost - predicted).abs();
            to.plain += plain * (cost - predicted).abs();
            to.cost += plain * cost.abs();
        }
        Ok(())
    }
}

/// Errors over folds; none when a fit fails or the weighed ones are not below `enough`.
fn errors_over(folds: &[HeldOut], s: &Shrinkage, enough: f64) -> Option<Errors> {
    let mut sum = Errors::default();
    for fold in folds {
        fold.add_errors(s, &mut sum).ok()?;
        // A sum that is no number is not below it either.
        if !sum.weighed.is_finite() || sum.weighed >= enough {
            return None;
        }
    }
    Some(sum)
}

/// Refuses designs that a hierarchy does not describe, and those too small.
pub(crate) fn check(hierarchy: &Hierarchy, design: &Design) -> Result<(), EstimatorError> {
    if hierarchy.roles.len() != design.columns.len() {
        let reason = format!(
            "{} roles for {} columns",
            hierarchy.roles.len(),
            design.columns.len()
        );
        return Err(EstimatorError::Request {
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
    Ok(())
}

/// Solves for given strengths.
fn solve(
    problem: &Problem,
    design: &Design,
    s: &Shrinkage,
    with_certainty: bool,
) -> Result<Outcome, EstimatorError> {
    let levels = joint::solve(problem, s)?;
    let certainty = if with_certainty {
        certainty(problem, s, &levels)?
    } else {
        vec![(None, None); problem.composed.len()]
    };
    let mut coefficients = vec![Coefficient::default(); design.columns.len()];
    for (k, &j) in problem.composed.iter().enumerate() {
        coefficients[j] = Coefficient {
            estimate: Some(levels.blocks[k]),
            std_error: certainty[k].1,
            prior: Some(levels.priors[k]),
            evidence: certainty[k].0,
        };
    }
    for (k, &j) in problem.free.iter().enumerate() {
        coefficients[j].estimate = Some(levels.free[k]);
    }
    let mut fitted = Fitted::linear("hier", design, 0.0, coefficients);
    fitted.notes.push(note(problem, s));
    Ok(Outcome {
        fitted,
        part_prices: levels.parts,
        shrinkage: Some(s.clone()),
    })
}

fn note(problem: &Problem, s: &Shrinkage) -> Diagnostic {
    let error = if s.error.is_nan() {
        String::new()
    } else {
        format!(
            "; cross-validated mean error {:.1} % of the cost",
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

/// Evidence and standard error.
type Certainty = (Option<f64>, Option<f64>);

/// Per composed column: evidence = 1 − posterior/prior variance of its departure when its parts' prices are given, and
/// the posterior standard deviation of its price when they are not.
fn certainty(
    problem: &Problem,
    s: &Shrinkage,
    levels: &Levels,
) -> Result<Vec<Certainty>, EstimatorError> {
    let full = &factor(&problem.kernels().covariance(s, true))?;
    let without_parts = &factor(&problem.kernels().covariance(s, false))?;
    let n = problem.observations;
    let mut residual = problem.z.clone();
    let mut used = 0;
    let top = levels.kinds.iter().chain(&levels.free);
    for (j, &g) in top.enumerate().filter(|(_, g)| **g > 0.0) {
        add(&mut residual, -g, problem.top.col_as_slice(j));
        used += 1;
    }
    let white = whiten(full, &column(&residual));
    let sigma2 =
        (n > used).then(|| dot(white.col_as_slice(0), white.col_as_slice(0)) / (n - used) as f64);
    let own = whiten(without_parts, &problem.blocks);
    let mut shared = Mat::<f64>::zeros(problem.z.len(), problem.composed.len());
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
    Ok((0..problem.composed.len())
        .map(|k| {
            let (own, shared) = (own.col_as_slice(k), shared.col_as_slice(k));
            let evidence = (dot(own, own) / s.blocks).clamp(0.0, 1.0);
            let variance = (prior_variance[k] - dot(shared, shared)).max(0.0);
            (Some(evidence), sigma2.map(|s2| (s2 * variance).sqrt()))
        })
        .collect())
}
