//! What a preference or a rule of parsimony costs: the same method without them, on the same rows.

use pricetag_cost_model::{Evaluation, Formula};
use pricetag_regress::lasso::Lambda;

use crate::learner::Learner;
use crate::options::FitOptions;
use crate::study::Study;
use crate::tuning::{Parsimony, Tuning};

/// The model that predicts best by its own cross-validation.
pub(crate) struct Least {
    /// On the rows held out.
    pub evaluation: Option<Evaluation>,
    /// Learnt from the rows that the delivered formula is learnt from.
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
                lambda: Lambda::default(),
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
        let judged = self.formula(&learned);
        let name = format!(
            "{}, least error ({} features)",
            chosen.method,
            judged.features().len()
        );
        Some(Least {
            evaluation: self.judge(&learner, &learned, &name),
            formula: match self.refitted(&learner).ok()? {
                Some((learned, _)) => self.formula(&learned),
                None => judged,
            },
        })
    }
}
