//! What the user should know about a fit, in words.

use pricetag_cost_model::{Diagnostic, Evaluation, Interval, Severity};
use pricetag_dataset::{Pace, Status};
use pricetag_estimator::{Coefficient, Diagnosis};
use pricetag_quantity::counted;

use crate::learner::{Learned, Learner};
use crate::method::Method;
use crate::mined;
use crate::missing::missing;
use crate::study::Study;
use crate::tuning::Signs;

/// Says that some coefficients can be no prices.
pub(crate) fn negative(coefficients: &[Coefficient]) -> Option<Diagnostic> {
    let below = |c: &&Coefficient| c.estimate.is_some_and(|e| e < 0.0);
    let count = coefficients.iter().filter(below).count();
    (count > 0).then(|| Diagnostic {
        severity: Severity::Warning,
        message: format!("{} below zero: no prices", counted(count, "coefficient")),
        advice: Some("Use --method nnls or hier for prices.".into()),
    })
}

impl Study<'_> {
    /// Findings about data and fit.
    pub fn notes(
        &self,
        learner: &Learner,
        diagnosis: &Diagnosis,
        learned: &Learned,
    ) -> Vec<Diagnostic> {
        let rows = self.table.observations.len();
        let missing = missing(self.dataset, &self.table.incomplete, rows).map(note);
        // First, as only the first few notes are printed.
        let mut out: Vec<Diagnostic> = missing.into_iter().collect();
        let asked = self.options.method.holds_signs();
        if asked && self.options.tuning.signs == Signs::Positive {
            out.push(note(format!(
                "`{}` holds coefficients, and a constant, at zero or above; --signs free lets them be negative",
                learner.method
            )));
        }
        out.extend(diagnosis.messages.iter().cloned());
        let hierarchical = learner.method == Method::Hier;
        for message in &mut out {
            // With a hierarchy more features than observations is the normal case.
            if hierarchical && message.severity == Severity::Warning {
                message.severity = Severity::Note;
                message.advice = None;
            }
        }
        out.extend(learned.notes.clone());
        if let Some(formula) = learned
            .formula
            .as_ref()
            .filter(|_| learner.method == Method::Gp)
        {
            out.extend(mined::notes(self.dataset, &learner.constants, formula));
        }
        out.extend(self.dataset.pace.get(&self.options.target).map(uneven));
        let failed = self
            .dataset
            .observations
            .iter()
            .filter(|o| o.status == Status::Failed)
            .count();
        let doubtful = self
            .table
            .observations
            .iter()
            .filter(|&&o| !self.dataset.observations[o].caveats.is_empty())
            .count();
        let unstable = self
            .table
            .features
            .iter()
            .filter(|f| self.dataset.features[f.0 as usize].nondeterministic > 0)
            .count();
        for (count, noun, text) in [
            (failed, "observation", "failed and left out"),
            (
                self.table.unmeasured,
                "observation",
                "without this cost left out",
            ),
            (doubtful, "observation", "with caveats about the counts"),
            (
                unstable,
                "feature",
                "counted differently in two runs of the same input",
            ),
            (
                learned.empty.len(),
                "feature",
                "only in rows that were not learnt from",
            ),
        ] {
            if count > 0 {
                out.push(note(format!("{} {text}", counted(count, noun))));
            }
        }
        out.extend(negative(&learned.coefficients));
        let rows = if self.options.refit {
            "all"
        } else {
            "the training"
        };
        out.push(note(format!(
            "learnt from {rows} rows: {} of {}",
            if self.options.refit {
                self.design.rows()
            } else {
                self.split.train.len()
            },
            self.design.rows()
        )));
        out
    }

    /// Where the evaluation says that the model should not be trusted.
    pub fn verdict(
        own: &Evaluation,
        others: &[Evaluation],
        baseline: Option<&Evaluation>,
        interval: Option<&Interval>,
    ) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        let mut warn = |message: String, advice: &str| {
            out.push(Diagnostic {
                severity: Severity::Warning,
                message,
                advice: Some(advice.into()),
            });
        };
        let percent = |e: f64| format!("{:.1} %", 100.0 * e);
        for other in others
            .iter()
            .filter(|o| o.median_error < 0.8 * own.median_error)
        {
            warn(
                format!(
                    "`{}` predicts better: median relative error {} against {}",
                    other.name,
                    percent(other.median_error),
                    percent(own.median_error)
                ),
                &better(&other.name),
            );
        }
        // Less than a twentieth is no difference.
        if let Some(b) = baseline.filter(|b| b.median_error < 0.95 * own.median_error) {
            warn(
                format!(
                    "the inputs alone predict better: median relative error {} against {}",
                    percent(b.median_error),
                    percent(own.median_error)
                ),
                "The counts miss what the time depends on; add inputs, repeats, or other features.",
            );
        }
        // What the luck of the split explains is no finding.
        let short = |i: &&Interval| {
            let least = i.level - 3.0 * i.scatter.unwrap_or(0.0);
            i.coverage.is_some_and(|coverage| coverage < least)
        };
        if let Some(interval) = interval.filter(short) {
            warn(
                format!(
                    "the {} intervals cover only {} of the test rows",
                    percent(interval.level),
                    percent(interval.coverage.unwrap_or_default())
                ),
                "Training and test inputs differ in kind; train on a wider selection.",
            );
        }
        out
    }
}

/// What to do about a model that predicts better.
fn better(name: &str) -> String {
    const ANOTHER: &str = "Few inputs may favour it by luck: another split tells (`pricetag fit` with another --seed).";
    match name {
        "opcode prices (nnls)" => {
            format!("`pricetag fit DATA --method nnls --level opcode` delivers it. {ANOTHER}")
        }
        other if other.starts_with("inputs only") => format!(
            "It stands beside for comparison. `--method auto` delivers a formula of the inputs where one is as good as the counts. {ANOTHER}"
        ),
        _ => ANOTHER.to_owned(),
    }
}

/// Something for information.
pub(crate) fn note(message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Note,
        message,
        advice: None,
    }
}

/// How unsteady the machine was, and what was done about it.
fn uneven(pace: &Pace) -> Diagnostic {
    Diagnostic {
        severity: Severity::Note,
        message: format!(
            "the machine slowed down in stretches: {:.0} % of the timed runs took over a tenth longer than at its usual pace, up to {:.1} times as long; \
             times are evened out by the repeats that were not slowed down",
            100.0 * pace.slowed,
            pace.worst
        ),
        advice: Some("--pace raw takes times as measured; more repeats make it surer.".into()),
    }
}
