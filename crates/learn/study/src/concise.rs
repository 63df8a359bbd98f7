//! The cost in few terms, beside the model that is delivered: which features explain most of it, to be read.
//!
//! A sum of at most [`MOST`] terms (`--method poly --terms 5`), learnt once, from the same rows; Mantis
//! (Chun et al. 2010) finds two to five features enough for its programs. Terms are products of features where values of
//! variables are among these, which may be sizes; counts are products of sizes already. It is sought where the method is not chosen by
//! the user, among the features of the program ([`Level::Features`]): of blocks, which prices are learnt of where nothing else
//! is asked for, there are too many alike.

use pricetag_cost_model::{Concise, Evaluation, Formula};
use pricetag_dataset::FeatureKind;
use pricetag_regress::polynomial::CELLS;

use crate::learner::{Learned, Learner};
use crate::method::Method;
use crate::options::{FitOptions, Level, is_readable};
use crate::study::Study;
use crate::terms::{addends, terms};
use crate::tuning::Tuning;

/// Terms at most, the constant aside.
const MOST: usize = 5;
/// Training rows × columns beyond which it is sought once, and without products: to find of which features, or to seek it
/// in every fold of a comparison, takes some seconds on so many.
const QUICK: usize = 1_500_000;

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
        let options = self.options;
        if !self.is_open() || is_short(learned.formula.as_ref()) {
            return FewTerms::default();
        }
        if self.is_to_be_read() {
            return self.found(chosen);
        }
        let readable = FitOptions {
            level: Level::Features,
            ..options.clone()
        };
        let others = options.level == Level::Auto && options.kinds.is_none();
        let study = others.then(|| Study::new(self.dataset, &readable, self.world));
        match study {
            Some(Ok(study)) if study.is_to_be_read() => study.found(chosen),
            _ => FewTerms::default(),
        }
    }

    /// Whether neither the method nor a choice that decides which terms there are was asked for.
    pub fn is_open(&self) -> bool {
        let options = self.options;
        options.method == Method::Auto
            && options.prefer.is_none()
            && !options.tuning.is_parsimonious()
    }

    /// Whether there are features of a program, without its blocks.
    fn is_to_be_read(&self) -> bool {
        !self.has(|kind| kind == FeatureKind::Block) && self.has(is_readable)
    }

    /// Whether a feature of the table is of some kind.
    fn has(&self, kind: impl Fn(FeatureKind) -> bool) -> bool {
        let features = &self.dataset.features;
        let mut kinds = self.table.features.iter();
        kinds.any(|f| kind(features[f.0 as usize].kind))
    }

    /// Training rows, and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.split.train.len(), self.design.columns.len())
    }

    /// The options of a fit in few terms.
    pub fn in_few_terms(&self) -> FitOptions {
        let (rows, columns) = self.size();
        let counts_alone = !self.has(|kind| kind == FeatureKind::Value);
        let alone = (counts_alone || rows * columns > QUICK).then_some(1);
        FitOptions {
            tuning: Tuning {
                terms: Some(MOST),
                degree: self.options.tuning.degree.or(alone),
                ..self.options.tuning.clone()
            },
            ..self.options.clone()
        }
    }

    /// Whether `auto` compares `poly` in few terms: where there are too many features for a polynomial of as many terms as
    /// predict best, and they are those of the program.
    pub fn compares_few_terms(&self) -> bool {
        let (rows, columns) = self.size();
        self.is_open()
            && self.is_to_be_read()
            && Method::Poly.unsuited(rows, columns).is_some()
            && rows * columns <= QUICK
            && unsuited(rows, columns).is_none()
    }

    /// The options of a method that is compared in few terms.
    pub fn limited(&self, method: Method) -> Option<&FitOptions> {
        self.few.as_ref().filter(|_| method == Method::Poly)
    }

    /// What a method is called, with its few terms where it is compared in these.
    pub fn title(&self, method: Method) -> String {
        match self.limited(method) {
            Some(_) => name_in_few_terms(),
            None => method.to_string(),
        }
    }

    /// Why `poly` is compared in few terms, if it is.
    pub fn why_few(&self) -> Option<String> {
        self.few.as_ref().map(|_| {
            format!(
                "`{}` was compared: with {} features more terms take long",
                name_in_few_terms(),
                self.size().1
            )
        })
    }

    fn found(&self, chosen: &Learner) -> FewTerms {
        let (rows, columns) = self.size();
        if let Some(reason) = unsuited(rows, columns) {
            return FewTerms {
                why_not: Some(format!("no formula of {MOST} terms was sought: {reason}")),
                ..FewTerms::default()
            };
        }
        let options = self.in_few_terms();
        let learner = self.learner_by(Method::Poly, &options);
        let train = &self.split.train;
        let found = learner.learn(train, None).and_then(|learned| {
            let evaluation = self.judge(&learner, &learned, &name_in_few_terms());
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

/// What `poly` is called where nobody asked for few terms.
fn name_in_few_terms() -> String {
    format!("{}, {MOST} terms at most", Method::Poly)
}

/// Why it should not be sought in a table of this size.
fn unsuited(rows: usize, columns: usize) -> Option<String> {
    if rows * columns > CELLS {
        return Some(format!(
            "{rows} training rows of {columns} features take long; --method poly --terms {MOST} --degree 1 seeks it, sooner with --train 10%"
        ));
    }
    // Of p columns k are told from chance by some k·ln p rows (Wainwright 2009, Information-theoretic limits on sparsity
    // recovery): below that there are always some that fit.
    if (rows as f64) < MOST as f64 * (columns as f64).ln() {
        return Some(format!(
            "some {MOST} of {columns} features fit {rows} training rows by chance; record more inputs, or leave out kinds of features by --level"
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

    #[test]
    fn it_is_sought_where_that_takes_seconds_and_chance_finds_nothing() {
        assert_eq!(unsuited(300, 3_000), None);
        assert_eq!(unsuited(3_000, 3_000), None);
        let why = unsuited(3_000, 30_000).unwrap();
        assert!(
            why.starts_with("3000 training rows of 30000 features"),
            "{why}"
        );
        assert!(unsuited(12, 5).unwrap().contains("12 training rows"));
        assert_eq!(unsuited(47, 10_000), None);
        let why = unsuited(46, 10_000).unwrap();
        assert!(why.starts_with("some 5 of 10000 features fit 46"), "{why}");
    }
}
