//! What the addends of a formula carry.

use pricetag_cost_model::{Formula, Term};
use pricetag_estimator::Design;

use crate::learner::evaluate;

/// The addends of a formula with their shares of the predicted cost over `rows`, largest first; one for a formula that is
/// no sum.
pub(crate) fn terms(formula: &Formula, design: &Design, rows: &[usize]) -> Vec<Term> {
    let addends = addends(formula);
    let total: f64 = evaluate(formula, design, rows).iter().sum();
    let share = |addend: &Formula| {
        let sum: f64 = evaluate(addend, design, rows).iter().sum();
        if total == 0.0 { 0.0 } else { sum / total }
    };
    let mut out: Vec<Term> = addends
        .iter()
        .map(|addend| Term {
            text: addend.text(),
            share: share(addend),
        })
        .collect();
    out.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()));
    out
}

/// What a formula is the sum of.
pub(crate) fn addends(formula: &Formula) -> Vec<Formula> {
    match formula {
        Formula::Sum(parts) => parts.iter().flat_map(addends).collect(),
        Formula::Linear { intercept, terms } => {
            let constant = (*intercept != 0.0).then_some(Formula::Constant(*intercept));
            let products = terms.iter().map(|(coefficient, name)| Formula::Linear {
                intercept: 0.0,
                terms: vec![(*coefficient, name.clone())],
            });
            constant.into_iter().chain(products).collect()
        }
        other => vec![other.clone()],
    }
}
