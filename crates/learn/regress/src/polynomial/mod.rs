//! Sparse polynomial regression: few products of powers of few features.
//!
//! Chun et al., *Mantis* (2010), §4.2, after Huang et al., *SPORE* (NIPS 2010), in three steps: a linear lasso finds the
//! features that matter, all products of powers of these up to a degree become terms, and a second lasso picks the terms.
//!
//! Deviations: errors are relative when the design's weights are (the papers' are absolute); features are divided by
//! their largest value instead of being shifted to [0, 1], so that zero stays zero and coefficients can be given for the
//! features as they came; λ comes from cross-validation in both steps; the terms picked are fitted once more by least
//! squares unless [`SparsePolynomial::refit`] is off, because the lasso shrinks them; and the terms can be picked by
//! forward–backward selection instead ([`Selector`]). Where few are wanted all features are offered as they are, not only
//! those that the first lasso kept, and without products there is no first step.
//!
//! Limits: a feature that acts only in a product may be missed by the linear first step, as the papers say themselves.

pub mod terms;

use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted, Qr, R_TOLERANCE};
use serde::{Deserialize, Serialize};
pub use terms::{Term, expand};

use crate::greedy::{Greedy, GreedyPath};
use crate::lasso::estimator::{Choice, dropped_notes};
use crate::lasso::solve::Sample;
use crate::lasso::{Lasso, SparseModel, Standardisation};
use crate::parsimony::{Parsimony, Sizes};
use terms::{Expansion, formula};

/// Terms among which few are sought as they are; of more, those on the path of a second lasso.
const COMPARABLE: usize = 20_000;
/// The same for values of terms, rows × terms: 128 MB.
pub const CELLS: usize = 16_000_000;
/// Terms of that path.
const ON_PATH: usize = 1000;

/// What picks the terms.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// The second lasso.
    Lasso(Lasso),
    /// Forward–backward selection.
    ForwardBackward(Greedy),
    /// Few terms with coefficients that are not negative.
    Few(Parsimony),
}

/// Sparse polynomial regression as an estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct SparsePolynomial {
    /// Largest total degree of a term, 1 … 6.
    pub degree: u32,
    /// Most different features in one term.
    pub interactions: usize,
    /// Most features that survive the first step; the ones with the largest effect do.
    pub survivors: usize,
    /// The first lasso. Its penalty weights hold for the selector as well, whatever it is, instead of its own: a product
    /// weighs what its dearest factor does.
    pub screen: Lasso,
    /// What picks the terms.
    pub selector: Selector,
    /// Whether the picked terms are fitted once more without penalty.
    pub refit: bool,
}

impl Default for SparsePolynomial {
    fn default() -> Self {
        let lasso = Lasso {
            standardisation: Standardisation::Range,
            ..Lasso::default()
        };
        Self {
            degree: 2,
            interactions: 2,
            survivors: 30,
            screen: lasso.clone(),
            selector: Selector::Lasso(lasso),
            refit: true,
        }
    }
}

/// How the terms were picked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// By the second lasso.
    Lasso(Choice),
    /// By forward–backward selection.
    ForwardBackward(GreedyPath),
    /// As few as predict about as well as more.
    Few(Sizes),
}

/// A polynomial and how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Polynomial {
    /// Added once per row.
    pub intercept: f64,
    /// Terms and their coefficients, for the features as they came.
    pub terms: Vec<(Term, f64)>,
    /// Columns that survived the first step; all where there was none.
    pub survivors: Vec<usize>,
    /// Terms that were offered to the second step.
    pub offered: usize,
    /// The first step; none where few terms without products are wanted, for which there is nothing to screen.
    pub screening: Option<Choice>,
    /// The second one; none when no feature survived.
    pub selection: Option<Selection>,
}

impl SparsePolynomial {
    /// Fits and returns every step.
    pub fn polynomial(&self, design: &Checked<Design>) -> Result<Polynomial, EstimatorError> {
        self.validate()?;
        // Where some columns are dearer than others, the first step leaves out those that cheaper ones can stand for.
        let all = matches!(self.selector, Selector::Few(_)) && self.screen.penalties.is_empty();
        let screening = if all && self.degree == 1 {
            None
        } else {
            Some(self.screen.choose(&Sample::of(design))?)
        };
        let survivors = match &screening {
            Some(screening) => self.survivors(design, screening),
            None => (0..design.columns.len()).collect(),
        };
        let mut terms = expand(&survivors, self.degree, self.interactions);
        if all {
            terms.extend(lone(design.columns.len(), &survivors));
        }
        let offered = terms.len();
        if terms.is_empty() {
            return Ok(Polynomial {
                intercept: screening.as_ref().map_or(0.0, |s| s.model.intercept),
                terms: Vec::new(),
                survivors,
                offered,
                screening,
                selection: None,
            });
        }
        let penalties = dearest_factors(&terms, &self.screen.penalties);
        let expansion = Expansion::new(design, terms);
        let sample = Sample {
            columns: &expansion,
            ..Sample::of(design)
        };
        let (model, selection) = self.pick(&sample, penalties)?;
        Ok(Polynomial {
            intercept: model.intercept,
            terms: model
                .coefficients
                .iter()
                .map(|&(t, c)| (expansion.terms[t].clone(), expansion.unscaled(t, c)))
                .collect(),
            survivors,
            offered,
            screening,
            selection: Some(selection),
        })
    }

    /// The second step: which terms, and their coefficients.
    fn pick(
        &self,
        sample: &Sample,
        penalties: Vec<f64>,
    ) -> Result<(SparseModel, Selection), EstimatorError> {
        let (picked, selection, intercept) = match &self.selector {
            Selector::Lasso(lasso) => {
                let weighted = Lasso {
                    penalties,
                    ..lasso.clone()
                };
                let choice = weighted.choose(sample)?;
                let picked = choice.model.clone();
                (picked, Selection::Lasso(choice), lasso.intercept)
            }
            Selector::ForwardBackward(greedy) => {
                let weighted = Greedy {
                    penalties,
                    ..greedy.clone()
                };
                let path = weighted.path_of(sample)?;
                let picked = path.chosen().clone();
                (picked, Selection::ForwardBackward(path), greedy.intercept)
            }
            Selector::Few(parsimony) => {
                let candidates = self.candidates(sample, penalties.clone())?;
                let weighted = Parsimony {
                    penalties,
                    ..parsimony.clone()
                };
                let sizes = weighted.choose(sample, &candidates)?;
                return Ok((sizes.model.clone(), Selection::Few(sizes)));
            }
        };
        let model = if self.refit {
            refit(sample, &picked, intercept)
        } else {
            picked
        };
        Ok((model, selection))
    }

    /// The terms that few are picked of: all, or those on the path of a second lasso where they are very many.
    fn candidates(
        &self,
        sample: &Sample,
        penalties: Vec<f64>,
    ) -> Result<Vec<usize>, EstimatorError> {
        let count = sample.columns.count();
        let cells = sample.columns.rows().saturating_mul(count);
        if count <= COMPARABLE && cells <= CELLS {
            return Ok((0..count).collect());
        }
        let weighted = Lasso {
            penalties,
            ..self.screen.saturating(sample)
        };
        let path = weighted.path_of(sample)?;
        let mut found = Vec::new();
        for (term, _) in path.knots.iter().flat_map(|k| &k.model.coefficients) {
            if found.len() < ON_PATH && !found.contains(term) {
                found.push(*term);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    fn validate(&self) -> Result<(), EstimatorError> {
        let wrong = |parameter, value| {
            Err(EstimatorError::Parameter {
                method: "poly",
                parameter,
                value,
            })
        };
        if !(1..=6).contains(&self.degree) {
            return wrong("degree", f64::from(self.degree));
        }
        if self.interactions == 0 {
            return wrong("interactions", 0.0);
        }
        if self.survivors == 0 {
            return wrong("survivors", 0.0);
        }
        Ok(())
    }

    /// Features with an effect; if cross-validation keeps none, the first on the path.
    fn survivors(&self, design: &Design, screening: &Choice) -> Vec<usize> {
        let first = screening
            .path
            .knots
            .iter()
            .map(|k| &k.model)
            .find(|m| !m.coefficients.is_empty());
        let model = match first {
            Some(first) if screening.model.coefficients.is_empty() => first,
            _ => &screening.model,
        };
        let mut effects: Vec<(f64, usize)> = model
            .coefficients
            .iter()
            .map(|&(j, c)| ((c * design.columns[j].values.largest()).abs(), j))
            .collect();
        effects.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        effects.truncate(self.survivors);
        let mut kept: Vec<usize> = effects.into_iter().map(|e| e.1).collect();
        kept.sort_unstable();
        kept
    }
}

/// The columns that are not among those that survived, which ascend, as they are. What explains the cost in company of few is often not what a lasso
/// takes, which shrinks and so needs many; to offer it costs little, as products of these are not formed.
fn lone(columns: usize, survivors: &[usize]) -> impl Iterator<Item = Term> {
    let lone = (0..columns).filter(|j| survivors.binary_search(j).is_err());
    lone.map(|j| Term {
        powers: vec![(j, 1)],
    })
}

/// Penalty weights of terms by those of columns: a term is as dear as its dearest factor. None for none.
fn dearest_factors(terms: &[Term], penalties: &[f64]) -> Vec<f64> {
    if penalties.is_empty() {
        return Vec::new();
    }
    let dearest = |t: &Term| t.powers.iter().map(|p| penalties[p.0]).fold(0.0, f64::max);
    terms.iter().map(dearest).collect()
}

/// Least squares over the columns a model names; columns that the others determine are left out.
pub(crate) fn refit(sample: &Sample, model: &SparseModel, intercept: bool) -> SparseModel {
    let roots: Vec<f64> = sample.weights.iter().map(|w| w.sqrt()).collect();
    let weighted = |v: &[f64]| {
        v.iter()
            .zip(&roots)
            .map(|(v, r)| v * r)
            .collect::<Vec<f64>>()
    };
    let mut scratch = vec![0.0; roots.len()];
    let mut columns = Vec::new();
    if intercept {
        columns.push(roots.clone());
    }
    for &(j, _) in &model.coefficients {
        columns.push(weighted(sample.columns.view(j, &mut scratch)));
    }
    if columns.is_empty() {
        return SparseModel::default();
    }
    let qr = Qr::new(columns, weighted(sample.target), R_TOLERANCE);
    let mut out = SparseModel::default();
    for (&at, value) in qr.pivot.iter().zip(qr.solve()) {
        match at.checked_sub(usize::from(intercept)) {
            None => out.intercept = value,
            Some(k) => out.coefficients.push((model.coefficients[k].0, value)),
        }
    }
    out.coefficients.sort_unstable_by_key(|c| c.0);
    out
}

/// The fitted form of a polynomial.
pub(crate) fn fitted(method: &'static str, design: &Design, polynomial: &Polynomial) -> Fitted {
    let name = |j: usize| design.columns[j].name.as_str();
    let kept = format!(
        "{} of {} terms are kept",
        polynomial.terms.len(),
        polynomial.offered
    );
    let message = match &polynomial.screening {
        Some(_) => format!(
            "{method}: {} of {} features survive, {kept}",
            polynomial.survivors.len(),
            design.columns.len(),
        ),
        None => format!("{method}: {kept}"),
    };
    let mut notes = vec![Diagnostic {
        severity: Severity::Note,
        message,
        advice: None,
    }];
    if let Some(Selection::Few(sizes)) = &polynomial.selection {
        notes.push(by_size(method, sizes));
    }
    if let Some(screening) = &polynomial.screening {
        notes.extend(dropped_notes(&screening.path.dropped, &name));
    }
    Fitted {
        method,
        formula: formula(design, polynomial.intercept, &polynomial.terms),
        coefficients: Vec::new(),
        intercept: polynomial.intercept,
        summary: None,
        notes,
    }
}

/// How the error falls with the number of terms.
fn by_size(method: &str, sizes: &Sizes) -> Diagnostic {
    let told = |s: usize| {
        let left = 100.0 * (sizes.mean[s] / sizes.mean[0].max(f64::MIN_POSITIVE)).sqrt();
        format!("{left:.1} % with {s}")
    };
    let last = sizes.mean.len().saturating_sub(1).min(sizes.best);
    let mut shown: Vec<usize> = [1, 2, 3, 5, 8, 12, sizes.size, last].into();
    shown.retain(|s| (1..=last).contains(s));
    shown.sort_unstable();
    shown.dedup();
    let shown: Vec<String> = shown.into_iter().map(told).collect();
    let message = if shown.is_empty() {
        format!("{method}: no term predicts better than a constant")
    } else {
        format!(
            "{method}: {} terms are enough; cross-validated error in shares of a constant's: {}",
            sizes.size,
            shown.join(", ")
        )
    };
    Diagnostic {
        severity: Severity::Note,
        message,
        advice: None,
    }
}

impl Estimator for SparsePolynomial {
    fn name(&self) -> &'static str {
        match self.selector {
            Selector::Lasso(_) | Selector::Few(_) => "poly",
            Selector::ForwardBackward(_) => "greedy",
        }
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        Ok(fitted(self.name(), design, &self.polynomial(design)?))
    }
}
