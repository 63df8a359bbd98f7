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
//! All levels are solved jointly under all bounds (`joint`). Rows that the others do not explain are weighed down first
//! (`outliers`). Where parts alone predict as well, a share of every price is what its parts cost by non-negative least
//! squares without departures ([`Hierarchical::blend`]): two estimates with different errors, averaged (Breiman 1996,
//! stacked regressions). Deviations: the closed form ignores the bounds
//! (where many are active, folds with bounds decide), and above [`crate::shrinkage::CHOICE_ROWS`] rows it looks at a regular subset.

use faer::Mat;
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{
    Checked, Coefficient, Design, Estimator, EstimatorError, Fitted, Split, folds_by_group,
};

use crate::hierarchy::{Hierarchy, Role};
use crate::joint::{self, Levels};
use crate::kernel::{Kernels, Problem, add, column, composition, factor, whiten};
use crate::nnls::{dot, nnls};
use crate::outliers::weigh_down;
use crate::shrinkage::{LEAST, Shrinkage, choose};

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
    /// Share of the prices that comes from the parts alone, 0 … 1.
    pub blend: f64,
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

impl Outcome {
    /// Takes a share of every price from another fit of the same columns.
    fn mix(&mut self, design: &Design, other: &Self, share: f64) {
        let mixed = |mine: f64, theirs: f64| (1.0 - share) * mine + share * theirs;
        for (mine, theirs) in self.part_prices.iter_mut().zip(&other.part_prices) {
            *mine = mixed(*mine, *theirs);
        }
        let others = &other.fitted.coefficients;
        for (mine, theirs) in self.fitted.coefficients.iter_mut().zip(others) {
            for (to, from) in [
                (&mut mine.estimate, theirs.estimate),
                (&mut mine.prior, theirs.prior),
            ] {
                if let (Some(to), Some(from)) = (to, from) {
                    *to = mixed(*to, from);
                }
            }
        }
        let notes = std::mem::take(&mut self.fitted.notes);
        let coefficients = std::mem::take(&mut self.fitted.coefficients);
        self.fitted = Fitted::linear("hier", design, 0.0, coefficients);
        self.fitted.notes = notes;
        self.fitted.notes.push(Diagnostic {
            severity: Severity::Note,
            message: format!(
                "{:.0} % of every price is what its parts cost when nothing departs from that",
                100.0 * share
            ),
            advice: None,
        });
    }
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
        if self.blend >= 1.0 {
            return Ok(self.parts_alone(design));
        }
        let design = &weigh_down(&self.hierarchy, design, self.shrinkage.as_ref())?;
        let problem = Problem::new(&self.hierarchy, design);
        let shrinkage = match &self.shrinkage {
            Some(given) => given.clone(),
            None => self.refine(&problem, design, choose(&problem, &design.groups))?,
        };
        let mut outcome = solve(&problem, design, &shrinkage, self.certainty)?;
        if self.blend > 0.0 {
            outcome.mix(design, &self.parts_alone(design), self.blend);
        }
        Ok(outcome)
    }

    /// Every column costs what its parts cost, and parts have no kinds.
    fn parts_alone(&self, design: &Checked<Design>) -> Outcome {
        let problem = Problem::new(&self.hierarchy, design);
        let (q, kinds) = (problem.part_scale.len(), self.hierarchy.kinds.len());
        let mut columns = Mat::<f64>::zeros(problem.z.len(), q + problem.free.len());
        columns.as_mut().subcols_mut(0, q).copy_from(&problem.parts);
        let free = problem.top.as_ref().subcols(kinds, problem.free.len());
        columns
            .as_mut()
            .subcols_mut(q, problem.free.len())
            .copy_from(free);
        let found = nnls(&columns, &problem.z).x;
        let part_prices: Vec<f64> = found
            .iter()
            .zip(&problem.part_scale)
            .map(|(x, s)| x * s)
            .collect();
        let mut coefficients = vec![Coefficient::default(); design.columns.len()];
        for &j in &problem.composed {
            let price = composition(&self.hierarchy.roles[j], &part_prices);
            coefficients[j].estimate = Some(price);
            coefficients[j].prior = Some(price);
        }
        for (&j, price) in problem.free.iter().zip(&found[q..]) {
            coefficients[j].estimate = Some(*price);
        }
        Outcome {
            fitted: Fitted::linear("hier", design, 0.0, coefficients),
            part_prices,
            shrinkage: self.shrinkage.clone().unwrap_or(Shrinkage {
                blocks: f64::INFINITY,
                parts: 0.0,
                error: f64::NAN,
            }),
        }
    }

    /// The closed form of leave-one-group-out prediction knows no bounds. Where many prices end at zero it believes in
    /// freedom that is not there; then stronger shrinkage is tried by folds, bounds and all.
    fn refine(
        &self,
        problem: &Problem,
        design: &Checked<Design>,
        start: Shrinkage,
    ) -> Result<Shrinkage, EstimatorError> {
        let levels = joint::solve(problem, &Kernels::of(problem), &start)?;
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
            .map(|fold| HeldOut::new(&self.hierarchy, design, fold))
            .collect::<Result<_, _>>()?;
        let rows = design.rows() as f64;
        let mut best = start.clone();
        best.error = f64::INFINITY;
        for blocks in [0.01, 1.0, 10.0, 100.0, 1e3] {
            for parts in [1.0, 100.0, 1e4] {
                let tried = Shrinkage {
                    blocks: (start.blocks * blocks).max(LEAST),
                    parts: start.parts * parts,
                    error: f64::NAN,
                };
                let enough = best.error * (1.0 - 1e-3);
                let error = error_over(&held_out, &tried, enough * rows) / rows;
                if error < enough {
                    best = Shrinkage { error, ..tried };
                }
            }
        }
        Ok(if best.error.is_finite() { best } else { start })
    }
}

/// One fold: the problem without it, and the rows it holds out.
struct HeldOut<'a> {
    problem: Problem<'a>,
    kernels: Kernels,
    test: Design,
}

impl<'a> HeldOut<'a> {
    fn new(
        hierarchy: &'a Hierarchy,
        design: &Checked<Design>,
        fold: &Split,
    ) -> Result<Self, EstimatorError> {
        let train = design.subset(&fold.train)?;
        let problem = Problem::new(hierarchy, &train);
        Ok(Self {
            kernels: Kernels::of(&problem),
            problem,
            test: design.select(&fold.test),
        })
    }

    /// Sum of the held-out rows' weighted absolute errors.
    fn error(&self, s: &Shrinkage) -> Result<f64, EstimatorError> {
        let levels = joint::solve(&self.problem, &self.kernels, s)?;
        let mut predicted = vec![0.0; self.test.rows()];
        let composed = self.problem.composed.iter().zip(&levels.blocks);
        for (&j, price) in composed.chain(self.problem.free.iter().zip(&levels.free)) {
            self.test.columns[j].values.add_to(*price, &mut predicted);
        }
        let each = self
            .test
            .target
            .iter()
            .zip(&predicted)
            .zip(&self.test.weights);
        Ok(each.map(|((y, p), w)| w.sqrt() * (y - p).abs()).sum())
    }
}

/// Sum of weighted absolute errors over folds; infinite when a fit fails or the sum is seen to exceed `enough`.
fn error_over(folds: &[HeldOut], s: &Shrinkage, enough: f64) -> f64 {
    let mut sum = 0.0;
    for fold in folds {
        sum += fold.error(s).unwrap_or(f64::INFINITY);
        if sum >= enough {
            return f64::INFINITY;
        }
    }
    sum
}

/// Solves for given strengths.
fn solve(
    problem: &Problem,
    design: &Design,
    s: &Shrinkage,
    with_certainty: bool,
) -> Result<Outcome, EstimatorError> {
    let kernels = Kernels::of(problem);
    let levels = joint::solve(problem, &kernels, s)?;
    let certainty = if with_certainty {
        certainty(problem, &kernels, s, &levels)?
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
        shrinkage: s.clone(),
    })
}

fn note(problem: &Problem, s: &Shrinkage) -> Diagnostic {
    let error = if s.error.is_nan() {
        String::new()
    } else {
        format!(
            "; cross-validated mean relative error {:.1} %",
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
    kernels: &Kernels,
    s: &Shrinkage,
    levels: &Levels,
) -> Result<Vec<Certainty>, EstimatorError> {
    let full = &factor(&kernels.covariance(s, true))?;
    let without_parts = &factor(&kernels.covariance(s, false))?;
    let n = problem.z.len();
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
    Ok((0..problem.composed.len())
        .map(|k| {
            let (own, shared) = (own.col_as_slice(k), shared.col_as_slice(k));
            let evidence = (dot(own, own) / s.blocks).clamp(0.0, 1.0);
            let variance = (prior_variance[k] - dot(shared, shared)).max(0.0);
            (Some(evidence), sigma2.map(|s2| (s2 * variance).sqrt()))
        })
        .collect())
}
