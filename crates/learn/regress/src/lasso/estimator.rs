//! The lasso behind the contract of estimators.

use std::fmt::Write as _;

use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Coefficient, Design, Estimator, EstimatorError, Fitted};
use serde::{Deserialize, Serialize};

use super::cross_validation::CrossValidation;
use super::path::{LassoPath, OPTIMAL, SparseModel};
use super::scaled::{Dropped, Reason};
use super::solve::{End, Sample};
use super::{Lambda, Lasso};

/// Names listed in one note.
const LISTED: usize = 5;
/// Share of the costs' weighted square that need not be explained where columns are as many as rows: costs are not
/// measured to a thousandth.
const SATURATED: f64 = 1e-6;

/// The model a rule for λ chose, and from what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// λ.
    pub lambda: f64,
    /// The solution at this λ.
    pub model: SparseModel,
    /// The path; down to λ if that was given.
    pub path: LassoPath,
    /// The errors along the path, if they decided.
    pub curve: Option<CrossValidation>,
}

impl Lasso {
    /// The model at the λ the options ask for, with everything that led to it.
    pub fn select(&self, design: &Checked<Design>) -> Result<Choice, EstimatorError> {
        self.choose(&Sample::of(design))
    }

    /// The same lasso, stopped short of interpolation where columns are not fewer than rows, unless it says itself when to
    /// stop: the many knots there have no part in the choice of λ.
    pub(crate) fn saturating(&self, sample: &Sample) -> Self {
        let interpolates = sample.columns.count() >= sample.columns.rows();
        Self {
            saturation: self.saturation.or(interpolates.then_some(SATURATED)),
            ..self.clone()
        }
    }

    pub(crate) fn choose(&self, sample: &Sample) -> Result<Choice, EstimatorError> {
        let (path, curve, lambda) = if let Lambda::Value(value) = self.lambda {
            self.validate(sample)?;
            let path = self.follow(sample, sample.weights, End::Lambda(value), &[]);
            let nearest = path.unreached.map_or(value, |_| path.smallest_lambda());
            (path, None, nearest)
        } else {
            let (path, curve) = self.saturating(sample).cross_validate_of(sample)?;
            let lambda = curve.lambda(self.lambda);
            (path, Some(curve), lambda)
        };
        Ok(Choice {
            lambda,
            model: path.at(lambda),
            path,
            curve,
        })
    }
}

impl Estimator for Lasso {
    fn name(&self) -> &'static str {
        "lasso"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let Choice {
            lambda,
            model,
            path,
            ..
        } = self.select(design)?;
        let mut coefficients = vec![
            Coefficient {
                estimate: Some(0.0),
                ..Coefficient::default()
            };
            design.columns.len()
        ];
        for dropped in &path.dropped {
            coefficients[dropped.column].estimate = None;
        }
        for &(column, value) in &model.coefficients {
            coefficients[column].estimate = Some(value);
        }
        let mut fitted = Fitted::linear("lasso", design, model.intercept, coefficients);
        fitted.notes.push(Diagnostic {
            severity: Severity::Note,
            message: format!(
                "lasso: {} of {} features at λ = {lambda:.4e}",
                model.coefficients.len(),
                design.columns.len()
            ),
            advice: None,
        });
        let name = |j: usize| design.columns[j].name.as_str();
        fitted.notes.extend(dropped_notes(&path.dropped, &name));
        fitted.notes.extend(doubts(&path));
        Ok(fitted)
    }
}

/// What is said about a path that rounding cut short.
fn doubts(path: &LassoPath) -> Option<Diagnostic> {
    let message = if let Some(asked) = path.unreached {
        format!(
            "the lasso path ends at λ = {:.4e} instead of {asked:.4e}: below, coefficients in double precision do not hold the optimum to {OPTIMAL:.0e}",
            path.smallest_lambda(),
        )
    } else if path.violation() > OPTIMAL {
        format!("the lasso path is optimal only to {:.1e}", path.violation())
    } else {
        return None;
    };
    Some(Diagnostic {
        severity: Severity::Warning,
        message,
        advice: Some("Features are nearly dependent; treat single prices with care.".into()),
    })
}

/// What is said about columns that took no part.
pub(crate) fn dropped_notes<'a>(
    dropped: &[Dropped],
    name: &dyn Fn(usize) -> &'a str,
) -> Vec<Diagnostic> {
    let note = |what: &str, which: Vec<String>, advice: &str| {
        let more = which.len().saturating_sub(LISTED);
        let mut text = which[..which.len() - more].join(", ");
        if more > 0 {
            let _ = write!(text, " and {more} more");
        }
        Diagnostic {
            severity: Severity::Note,
            message: format!("{} {what}: {text}", which.len()),
            advice: Some(advice.to_owned()),
        }
    };
    let constant: Vec<String> = dropped
        .iter()
        .filter(|d| d.reason == Reason::Constant)
        .map(|d| format!("`{}`", name(d.column)))
        .collect();
    let copies: Vec<String> = dropped
        .iter()
        .filter_map(|d| match d.reason {
            Reason::CopyOf(first) => Some(format!("`{}` = `{}`", name(d.column), name(first))),
            Reason::Constant => None,
        })
        .collect();
    let mut notes = Vec::new();
    if !constant.is_empty() {
        let advice = "They never vary here and cannot be priced.";
        notes.push(note("constant features left out", constant, advice));
    }
    if !copies.is_empty() {
        let advice = "The first of each stands for all; together they have one price.";
        notes.push(note("copies of other features left out", copies, advice));
    }
    notes
}
