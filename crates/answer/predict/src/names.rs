//! Names of a table against names of a model: levels of categories, and what is nearly called the same.

use std::collections::BTreeSet;

use pricetag_cost_model::Formula;

use crate::row::needed;

/// Names that a message proposes.
const PROPOSED: usize = 3;

/// The categories that a name may be a level of: `a=b=c` is `b=c` of `a`, or `c` of `a=b`.
pub(crate) fn categories(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('=').map(|(at, _)| &name[..at])
}

/// The columns with the levels of categories that a formula asks for and no row has: where the table has the category, they
/// are zero.
pub(crate) fn with_levels(formula: &Formula, columns: &BTreeSet<String>) -> BTreeSet<String> {
    let has = |category: &str| {
        let level = format!("{category}=");
        let mut from = columns.range(level.clone()..);
        columns.contains(category) || from.next().is_some_and(|name| name.starts_with(&level))
    };
    let needed = needed(formula).into_iter();
    let given = needed.filter(|name| categories(name).any(has));
    columns
        .iter()
        .cloned()
        .chain(given.map(str::to_owned))
        .collect()
}

/// The columns most like a name, the nearest first: those that differ in few letters, whatever their case.
pub(crate) fn near(name: &str, columns: &BTreeSet<String>) -> Vec<String> {
    let wanted = name.to_lowercase();
    let letters = wanted.chars().count();
    let mut found: Vec<(usize, &String)> = columns
        .iter()
        .map(|column| (distance(&wanted, &column.to_lowercase()), column))
        .filter(|(distance, _)| *distance < letters && *distance <= (letters / 3).max(1))
        .collect();
    found.sort();
    let nearest = found.into_iter().take(PROPOSED);
    nearest.map(|(_, column)| column.clone()).collect()
}

/// Letters to insert, delete or exchange (Levenshtein 1966).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let exchanged = last[j] + usize::from(x != *y);
            next.push(exchanged.min(last[j + 1] + 1).min(next[j] + 1));
        }
        last = next;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_differ_in_few_letters() {
        let columns = ["Size", "sizes", "time", "n"].map(str::to_owned).into();
        assert_eq!(near("size", &columns), ["Size", "sizes"]);
        assert!(near("threads", &columns).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
    }
}
