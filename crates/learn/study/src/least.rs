//! What a preference or a rule of parsimony costs: the same method without them, on the same rows.

use pricetag_cost_model::{Evaluation, Formula};

use crate::learner::Learner;
use crate::options::FitOptions;
use crate::study::Study;
use crate::tuning::{Parsimony, Tuning};

/// The model that predicts best by its own cross-validation.
pub(crate) struct Least {
    /// On the rows held out.
    pub evaluation: Option<Evaluation>,
    pub formula: Formula,
}

impl Study<'_> {
    /// The model of the same method with the least error; none if that is the one delivered.
    pub fn least_error(&self, chosen: &Learner) -> Option<Least> {
        let options = self.options;
        if options.prefer.is_none() && !options.tuning.is_parsimonious() {
            return None;
        }
        let plain = FitOptions {
            prefer: None,
            tuning: Tuning {
                parsimony: Parsimony::Least,
                terms: None,
                ..options.tuning.clone()
            },
            ..options.clone()
        };
        let learner = Learner::new(
            self.dataset,
            &self.table,
            &self.design,
            chosen.method,
            &plain,
            self.world,
        );
        let learned = learner.learn(&self.split.train, None).ok()?;
        let formula = self.formula(&learned);
        let name = format!(
            "{}, least error ({} features)",
            chosen.method,
            formula.features().len()
        );
        Some(Least {
            evaluation: self.judge(&learner, &learned, &name),
            formula,
        })
    }
}
