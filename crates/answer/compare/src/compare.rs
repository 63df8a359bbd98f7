//! Counts of two builds, subtracted and priced.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, Status};
use pricetag_finding::{Change, Difference, FINDING_SCHEMA, MethodChange};

use crate::align;
use crate::code::{Method, methods};
use crate::cost;
use crate::counts::{Counts, calls};
use crate::growth::Sizes;
use crate::pair::Pair;
use crate::rates::Rates;
use crate::settings::{recounted, settings};
use crate::side::Side;

/// Why two datasets cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// No input succeeded in both.
    #[error("no input of one is an input of the other: {before} and {after}, for example")]
    NothingInCommon {
        /// An input of the first.
        before: String,
        /// An input of the second.
        after: String,
    },
    /// One has no counts of blocks or methods.
    #[error("{0} has no counts of blocks")]
    NotCounted(&'static str),
}

/// What the second build executes and costs more or less than the first.
///
/// # Errors
/// If they have no inputs in common, or one was not counted.
pub fn compare(before: Side, after: Side) -> Result<Difference, CompareError> {
    let (common, [only_before, only_after]) = common(before.dataset, after.dataset)?;
    let [old, new] = [before, after].map(|side| methods(side.dataset));
    for (side, found) in [("the first dataset", &old), ("the second dataset", &new)] {
        if found.iter().all(|m| m.blocks.is_empty()) {
            return Err(CompareError::NotCounted(side));
        }
    }
    let counts = [
        Counts::of(before.dataset, common.iter().map(|rows| rows.0)),
        Counts::of(after.dataset, common.iter().map(|rows| rows.1)),
    ];
    let rates = [before, after].map(Rates::of);
    let rows: Vec<usize> = common.iter().map(|rows| rows.0).collect();
    let sizes = Sizes::of(before.dataset, &rows);
    let aligned = align::methods(&old, &new);
    let both = aligned
        .pairs
        .iter()
        .map(|&(i, j)| (Some(&old[i]), Some(&new[j])));
    let gone = aligned.gone.iter().map(|&i| (Some(&old[i]), None));
    let fresh = aligned.new.iter().map(|&j| (None, Some(&new[j])));
    let counted = old.iter().chain(&new).map(Method::callee).collect();
    let (mut changed, mut varying) = (Vec::new(), Vec::new());
    let (mut rewritten, mut same) = (Vec::new(), 0);
    for (old, new) in both.chain(gone).chain(fresh) {
        let pair = Pair {
            old,
            new,
            counted: &counted,
        };
        match pair.change(&counts, &rates, sizes.as_ref()) {
            None if pair.is_rewritten() => rewritten.push(pair.name()),
            None => same += 1,
            Some(change) if pair.varies() => varying.push(change),
            Some(change) => changed.push(change),
        }
    }
    for list in [&mut changed, &mut varying] {
        // By what is exact: what it is worth has an interval.
        list.sort_by(|a: &MethodChange, b| {
            let size = |m: &MethodChange| m.instructions.delta().abs();
            size(b)
                .total_cmp(&size(a))
                .then_with(|| a.name.cmp(&b.name))
        });
    }
    let total = |side: usize| counts[side].executed();
    Ok(Difference {
        schema: FINDING_SCHEMA,
        inputs: common.len() as u32,
        only_before,
        only_after,
        settings: settings(before.dataset, after.dataset),
        instructions: Change {
            before: total(0),
            after: total(1),
        },
        costs: cost::changes(before.dataset, after.dataset, &common),
        changed,
        varying,
        rewritten,
        same,
        calls: calls(&counts),
        recounted: [before, after].map(|side| recounted(side.dataset)),
        target: before
            .explanation
            .or(after.explanation)
            .map(|e| e.target.clone()),
        unit: before
            .explanation
            .or(after.explanation)
            .map(|e| e.unit.clone()),
    })
}

/// Pairs of rows of the inputs that succeeded in both, and the inputs of one side alone.
#[allow(clippy::type_complexity)]
pub(crate) fn common(
    before: &Dataset,
    after: &Dataset,
) -> Result<(Vec<(usize, usize)>, [Vec<String>; 2]), CompareError> {
    let labels = |dataset: &Dataset| -> BTreeMap<String, usize> {
        let rows = dataset.observations.iter().enumerate();
        let ok = rows.filter(|(_, o)| o.status == Status::Ok);
        ok.map(|(row, o)| (o.label.clone(), row)).collect()
    };
    let [mut old, mut new] = [before, after].map(labels);
    // The same files may lie in other folders.
    if !old.keys().any(|label| new.contains_key(label)) {
        let names = |of: &BTreeMap<String, usize>| -> Option<BTreeMap<String, usize>> {
            let named = of
                .iter()
                .map(|(label, row)| (label.rsplit('/').next().unwrap_or(label).to_owned(), *row));
            let named: BTreeMap<String, usize> = named.collect();
            (named.len() == of.len()).then_some(named)
        };
        if let (Some(a), Some(b)) = (names(&old), names(&new)) {
            (old, new) = (a, b);
        }
    }
    let both: Vec<(usize, usize)> = old
        .iter()
        .filter_map(|(label, row)| Some((*row, *new.get(label)?)))
        .collect();
    let alone = |of: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>| -> Vec<String> {
        of.keys()
            .filter(|label| !other.contains_key(*label))
            .cloned()
            .collect()
    };
    if both.is_empty() {
        let some = |of: &BTreeMap<String, usize>| {
            of.keys()
                .next()
                .cloned()
                .unwrap_or_else(|| "none that succeeded".to_owned())
        };
        return Err(CompareError::NothingInCommon {
            before: some(&old),
            after: some(&new),
        });
    }
    let only = [alone(&old, &new), alone(&new, &old)];
    Ok((both, only))
}
