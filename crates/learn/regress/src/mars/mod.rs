//! Multivariate adaptive regression splines: piecewise linear models that find their own bends and interactions.
//!
//! J. H. Friedman (1991), *Multivariate adaptive regression splines*, Annals of Statistics 19(1). A forward pass adds pairs
//! of hinges max(0, x − t), max(0, t − x), times a term already there; a backward pass drops terms by generalised
//! cross-validation. The conventions are those of `earth` 5.3 with `fast.k = 0` (a full search), and models agree with it
//! term by term; see [`Mars`] for what is ours.
//!
//! Row weights cost nothing, and a step of the forward pass costs one sweep over the rows per parent and variable.
//! Limits: rows × columns are held densely; the candidates' sums up to a gigabyte, beyond that they are recomputed.

mod basis;
mod candidates;
mod data;
mod forward;
mod model;
mod prune;
mod span;
mod sweep;
mod term;

use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted, Qr};

pub use model::{Importance, MarsModel, Stopped, Subset};
pub use term::{Factor, Shape, Term};

use data::{Data, Variable};
use forward::Forward;

/// Name of the method.
const NAME: &str = "mars";
/// `earth`'s tolerance for terms that the forward pass left dependent.
const TERM_TOLERANCE: f64 = 1e-8;
/// Tolerance of the final regression; its terms are independent already.
const FINAL_TOLERANCE: f64 = 1e-13;
/// Of the target's sum of squares in units of its variance, less than this is zero.
const ALMOST_ZERO: f64 = 1e-10;

/// How far knots are apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Friedman's equation 43.
    #[default]
    Auto,
    /// So many rows.
    Rows(u32),
    /// So many knots per variable, evenly spaced.
    Knots(u32),
}

/// MARS as an estimator; the defaults are `earth`'s with `fast.k = 0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mars {
    /// Largest number of variables in a term.
    pub degree: u32,
    /// Places for terms in the forward pass, the intercept's included (`nk`); by default twice the variables and one,
    /// within 21 and 201.
    pub max_terms: Option<u32>,
    /// Price of a knot in generalised cross-validation; by default 2, for interactions 3; −1: terms and knots are free.
    pub penalty: Option<f64>,
    /// The forward pass ends when R² grows by less than this, or reaches one minus this; 0 for neither.
    pub threshold: f64,
    /// Rows between knots.
    pub min_span: Span,
    /// Rows outside the outermost knots; by default Friedman's equation 45.
    pub end_span: Option<u32>,
    /// In interactions the end span grows by so many times itself.
    pub adjust_end_span: f64,
    /// Reluctance to take a new variable (Friedman's γ, equation 74).
    pub new_variable_penalty: f64,
    /// A variable whose best knot is its minimum enters as it is (`Auto.linpreds`).
    pub linear: bool,
    /// Most terms after pruning (`nprune`).
    pub max_kept: Option<u32>,
    /// Also tries steps `1[x > t]`, at every value: hinges cannot represent a jump. Implies `all_parents`.
    pub step_bases: bool,
    /// Builds on every term. `earth` forgets some of the latest ones after a term without a partner.
    pub all_parents: bool,
}

impl Default for Mars {
    fn default() -> Self {
        Self {
            degree: 1,
            max_terms: None,
            penalty: None,
            threshold: 0.001,
            min_span: Span::Auto,
            end_span: None,
            adjust_end_span: 2.0,
            new_variable_penalty: 0.0,
            linear: true,
            max_kept: None,
            step_bases: false,
            all_parents: false,
        }
    }
}

impl Estimator for Mars {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let model = self.model(design)?;
        let names: Vec<&str> = design.columns.iter().map(|c| c.name.as_str()).collect();
        Ok(Fitted {
            method: NAME,
            formula: model.formula(&names),
            coefficients: Vec::new(),
            intercept: 0.0,
            summary: None,
            notes: self.notes(&model, &names),
        })
    }
}

impl Mars {
    /// Fits, and returns everything that is known about the fit.
    pub fn model(&self, design: &Checked<Design>) -> Result<MarsModel, EstimatorError> {
        self.validate()?;
        if design.rows() < 2 {
            return Err(EstimatorError::TooFewRows {
                method: NAME,
                needed: 2,
                rows: design.rows(),
            });
        }
        let data = Data::new(design)?;
        let mut forward = Forward::new(self, &data);
        let stopped = if data.spread == 0.0 {
            Stopped::Constant
        } else {
            forward.run()
        };
        Ok(self.prune(&data, &forward, stopped))
    }

    fn validate(&self) -> Result<(), EstimatorError> {
        let checks = [
            ("degree", f64::from(self.degree), self.degree >= 1),
            (
                "max_terms",
                self.max_terms.map_or(1.0, f64::from),
                self.max_terms.is_none_or(|n| n >= 1),
            ),
            (
                "penalty",
                self.price(),
                self.price() == -1.0 || (0.0..=1000.0).contains(&self.price()),
            ),
            (
                "threshold",
                self.threshold,
                (0.0..1.0).contains(&self.threshold),
            ),
            (
                "adjust_end_span",
                self.adjust_end_span,
                (0.0..=10.0).contains(&self.adjust_end_span),
            ),
            (
                "new_variable_penalty",
                self.new_variable_penalty,
                (0.0..=100.0).contains(&self.new_variable_penalty),
            ),
        ];
        match checks.into_iter().find(|c| !c.2) {
            Some((parameter, value, _)) => Err(EstimatorError::Parameter {
                method: NAME,
                parameter,
                value,
            }),
            None => Ok(()),
        }
    }

    /// Penalty per knot.
    fn price(&self) -> f64 {
        self.penalty
            .unwrap_or(if self.degree > 1 { 3.0 } else { 2.0 })
    }

    /// Places of the forward pass.
    fn limit(&self, variables: usize) -> usize {
        self.max_terms
            .map_or((2 * variables).clamp(20, 200) + 1, |n| n as usize)
    }

    /// Friedman (1991), eq. 30 and 32: two terms share a knot.
    fn gcv(&self, terms: usize, rss: f64, rows: usize) -> f64 {
        let rows = rows as f64;
        let parameters = if self.price() < 0.0 {
            0.0
        } else {
            terms as f64 + self.price() * (terms as f64 - 1.0) / 2.0
        };
        if parameters >= rows {
            f64::INFINITY
        } else {
            rss / (rows * (1.0 - parameters / rows).powi(2))
        }
    }

    /// Drops dependent terms, then useless ones, and returns to the units of the design.
    fn prune(&self, data: &Data, forward: &Forward, stopped: Stopped) -> MarsModel {
        let rows = data.rows();
        let kept = independent(forward);
        let columns: Vec<&[f64]> = kept
            .iter()
            .map(|&p| forward.places[p].coordinates.as_slice())
            .collect();
        let residual = &forward.basis.residual;
        let outside = data::dot(residual, residual);
        let unit = if data.spread > 0.0 { data.spread } else { 1.0 };
        let scale = unit * unit * if data.weighted { data.mean_weight } else { 1.0 };
        let subsets: Vec<Subset> = prune::backward(&columns, &forward.basis.effects, outside)
            .into_iter()
            .map(|c| {
                let rss = scale * if c.rss < ALMOST_ZERO { 0.0 } else { c.rss };
                Subset {
                    gcv: self.gcv(c.members.len(), rss, rows),
                    terms: c.members,
                    rss,
                }
            })
            .collect();
        let most = self.max_kept.map_or(subsets.len(), |n| n.max(1) as usize);
        let mut chosen = 0;
        for (i, subset) in subsets.iter().enumerate().take(most) {
            if subset.gcv < subsets[chosen].gcv {
                chosen = i;
            }
        }
        let terms = |members: &[usize]| {
            let chosen: Vec<usize> = members.iter().map(|&m| kept[m]).collect();
            solve(data, forward, &chosen, unit)
        };
        let all: Vec<usize> = (0..kept.len()).collect();
        let variables_of: Vec<Vec<usize>> = kept
            .iter()
            .map(|&p| {
                let factors = &forward.places[p].factors;
                factors.iter().map(|f| f.variable).collect()
            })
            .collect();
        let best = &subsets[chosen];
        MarsModel {
            terms: terms(&best.terms),
            forward: terms(&all),
            chosen,
            rss: best.rss,
            r_squared: model::explained(best.rss, subsets[0].rss),
            gcv: best.gcv,
            grsq: model::explained(best.gcv, subsets[0].gcv),
            importance: model::importance(&subsets, chosen, &variables_of),
            stopped,
            subsets,
        }
    }

    fn notes(&self, model: &MarsModel, names: &[&str]) -> Vec<Diagnostic> {
        let mut notes = vec![Diagnostic {
            severity: Severity::Note,
            message: format!(
                "MARS kept {} of {} terms; generalised R² {:.6}, R² {:.6}",
                model.terms.len(),
                model.forward.len(),
                model.grsq,
                model.r_squared
            ),
            advice: None,
        }];
        if !model.importance.is_empty() {
            let shown: Vec<String> = model
                .importance
                .iter()
                .take(8)
                .map(|i| format!("{} {:.0}", names[i.variable], i.gcv))
                .collect();
            notes.push(Diagnostic {
                severity: Severity::Note,
                message: format!("importance of the variables: {}", shown.join(", ")),
                advice: None,
            });
        }
        let whole = model.terms.len() == model.forward.len();
        if model.stopped == Stopped::MaxTerms && whole && model.terms.len() > 1 {
            notes.push(Diagnostic {
                severity: Severity::Warning,
                message: format!(
                    "the forward pass filled all of its {} places and no term was dropped again",
                    self.limit(names.len())
                ),
                advice: Some("Allow more terms.".into()),
            });
        }
        if model.grsq <= 0.0 && model.stopped != Stopped::Constant {
            notes.push(Diagnostic {
                severity: Severity::Warning,
                message: "no term explains the costs better than a constant does".into(),
                advice: Some("Add observations, or features that the costs depend on.".into()),
            });
        }
        notes
    }
}

/// Places in use whose columns do not depend on earlier ones, by R's rule.
fn independent(forward: &Forward) -> Vec<usize> {
    let used: Vec<usize> = (0..forward.places.len())
        .filter(|&p| forward.places[p].used)
        .collect();
    let qr = least_squares(forward, &used, TERM_TOLERANCE);
    let mut kept: Vec<usize> = qr.pivot[..qr.rank].iter().map(|&i| used[i]).collect();
    kept.sort_unstable();
    kept
}

/// The regression of the target on some places, in the coordinates of the basis.
fn least_squares(forward: &Forward, places: &[usize], tolerance: f64) -> Qr {
    let height = forward.basis.effects.len();
    let columns = places
        .iter()
        .map(|&p| {
            let mut column = forward.places[p].coordinates.clone();
            column.resize(height, 0.0);
            column
        })
        .collect();
    Qr::new(columns, forward.basis.effects.clone(), tolerance)
}

/// The terms at some places with their coefficients, in the units of the design.
fn solve(data: &Data, forward: &Forward, places: &[usize], unit: f64) -> Vec<Term> {
    let qr = least_squares(forward, places, FINAL_TOLERANCE);
    let mut coefficients = vec![0.0; places.len()];
    for (&at, x) in qr.pivot.iter().zip(qr.solve()) {
        coefficients[at] = x;
    }
    let mut terms: Vec<Term> = places
        .iter()
        .zip(coefficients)
        .map(|(&p, coefficient)| {
            let factors = &forward.places[p].factors;
            rescale(factors, coefficient * unit, &data.variables)
        })
        .collect();
    if let Some(intercept) = terms.first_mut() {
        intercept.coefficient += data.centre;
    }
    terms
}

/// A term over scaled variables as one over the variables.
fn rescale(factors: &[Factor], coefficient: f64, variables: &[Variable]) -> Term {
    let mut term = Term {
        coefficient,
        factors: factors.to_vec(),
    };
    for factor in &mut term.factors {
        let scale = variables[factor.variable].scale;
        if !matches!(factor.shape, Shape::Step(_)) {
            term.coefficient *= scale;
        }
        factor.shape = factor.shape.scaled(1.0 / scale);
    }
    term
}
