//! The cost in few terms, beside the model that is delivered: which features explain most of it, to be read.
//!
//! A sparse polynomial of at most [`MOST`] terms (`--method poly --terms 5`), learnt once, from the same rows; Mantis
//! (Chun et al. 2010) finds two to five features enough for its programs. It is sought where the method is not chosen by
//! the user and the features are those of a program without its blocks: of blocks there are too many alike.

use pricetag_cost_model::{Concise, Evaluation, Formula};
use pricetag_dataset::FeatureKind;

use crate::learner::{Learned, Learner};
use crate::method::Method;
use crate::options::FitOptions;
use crate::study::Study;
use crate::terms::{addends, terms};
use crate::tuning::Tuning;

/// Terms at most, the constant aside.
const MOST: usize = 5;
/// Training rows × columns beyond which it is not sought: on so many it takes some seconds.
const CELLS: usize = 1_500_000;

/// What was found.
#[derive(Default)]
pub(crate) struct FewTerms {
    pub concise: Option<Concise>,
    /// On the rows held out.
    pub evaluation: Option<Evaluation>,
    /// Why there is none although there might be.
    pub why_not: Option<String>,
}

impl Study<'_> {
    /// The cost in at most five terms; none where the model itself has no more, or its method was asked for.
    pub fn few_terms(&self, chosen: &Learner, learned: &Learned) -> FewTerms {
        if !self.is_to_be_read() || is_short(learned.formula.as_ref()) {
            return FewTerms::default();
        }
        unsuited(self.split.train.len(), self.design.columns.len()).map_or_else(
            || self.found(chosen),
            |reason| FewTerms {
                why_not: Some(format!("no formula of {MOST} terms was sought: {reason}")),
                ..FewTerms::default()
            },
        )
    }

    /// Whether the method was left open, and there are features of a program without its blocks.
    fn is_to_be_read(&self) -> bool {
        use FeatureKind as K;
        let options = self.options;
        let open = options.method == Method::Auto
            && options.prefer.is_none()
            && !options.tuning.is_parsimonious();
        let kinds = self.table.features.iter();
        let kinds = kinds.map(|f| self.dataset.features[f.0 as usize].kind);
        let (mut features, mut parts) = (false, false);
        for kind in kinds {
            parts |= matches!(kind, K::Block | K::Opcode | K::Call);
            features |= matches!(
                kind,
                K::Method | K::Context | K::Loop | K::Branch | K::Exception | K::Value
            );
        }
        open && features && !parts
    }

    fn found(&self, chosen: &Learner) -> FewTerms {
        let options = FitOptions {
            tuning: Tuning {
                terms: Some(MOST),
                ..self.options.tuning.clone()
            },
            ..self.options.clone()
        };
        let learner = Learner::new(
            self.dataset,
            &self.table,
            &self.design,
            Method::Poly,
            &options,
            self.world,
        );
        let train = &self.split.train;
        let found = learner.learn(train, None).and_then(|learned| {
            let name = format!("poly, {MOST} terms at most");
            let evaluation = self.judge(&learner, &learned, &name);
            let delivered = self.refitted(&learner)?;
            let (learned, rows) = delivered.unwrap_or_else(|| (learned, train.clone()));
            Ok((self.formula(&learned), rows, evaluation))
        });
        let (formula, rows, evaluation) = match found {
            Ok(found) => found,
            Err(e) => {
                return FewTerms {
                    why_not: Some(format!(
                        "no formula of {MOST} terms beside `{}`: {e}",
                        chosen.method
                    )),
                    ..FewTerms::default()
                };
            }
        };
        let mut judged = evaluation.clone();
        if let Some(judged) = &mut judged {
            judged.rows.clear();
        }
        FewTerms {
            concise: Some(Concise {
                most: MOST as u32,
                text: formula.text(),
                terms: terms(&formula, &self.design, &rows),
                formula,
                evaluation: judged,
            }),
            evaluation,
            why_not: None,
        }
    }
}

/// Why it should not be sought in a table of this size.
fn unsuited(rows: usize, columns: usize) -> Option<String> {
    if rows * columns > CELLS {
        return Some(format!(
            "{rows} training rows of {columns} features take long; --method poly --terms {MOST} seeks it, sooner with --train 10%"
        ));
    }
    // However many columns: there is one fit, without the cross-validation of a comparison.
    Method::Poly.unsuited(rows, 0)
}

/// Whether a formula that is no list of prices has few terms itself.
fn is_short(formula: Option<&Formula>) -> bool {
    let varies = |addend: &&Formula| !addend.features().is_empty();
    formula.is_some_and(|formula| addends(formula).iter().filter(varies).count() <= MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten per cent of 3,000 rows of 3,000 features take about two seconds, half of them about 25.
    #[test]
    fn it_is_sought_where_that_takes_seconds() {
        assert_eq!(unsuited(300, 3_000), None);
        assert_eq!(unsuited(3_000, 300), None);
        let why = unsuited(1_500, 3_000).unwrap();
        assert!(
            why.starts_with("1500 training rows of 3000 features"),
            "{why}"
        );
        assert!(unsuited(12, 5).unwrap().contains("12 training rows"));
    }
}
