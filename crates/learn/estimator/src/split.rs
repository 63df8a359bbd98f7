//! Seeded splits and folds that keep groups together.
//!
//! Groups are sorted by name before they are shuffled, so that a split depends on the set of groups and the seed, not on
//! the order of rows.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Rows for learning and rows for judging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows for learning, ascending.
    pub train: Vec<usize>,
    /// Rows for judging, ascending.
    pub test: Vec<usize>,
}

fn shuffled(groups: &[String], seed: u64) -> Vec<Vec<usize>> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, group) in groups.iter().enumerate() {
        by_name.entry(group).or_default().push(row);
    }
    let mut members: Vec<Vec<usize>> = by_name.into_values().collect();
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    for i in (1..members.len()).rev() {
        members.swap(i, random.random_range(0..=i));
    }
    members
}

/// Puts about `fraction` of the groups (at least one) into the training side; `fraction` ≥ 1 leaves nothing to test.
pub fn split_by_group(groups: &[String], fraction: f64, seed: u64) -> Split {
    let members = shuffled(groups, seed);
    let wanted = (fraction * members.len() as f64).round().max(1.0) as usize;
    let take = if fraction < 1.0 {
        wanted.min(members.len().saturating_sub(1)).max(1)
    } else {
        members.len()
    };
    let mut train: Vec<usize> = members.iter().take(take).flatten().copied().collect();
    let mut test: Vec<usize> = members.iter().skip(take).flatten().copied().collect();
    train.sort_unstable();
    test.sort_unstable();
    Split { train, test }
}

/// `k` folds over groups (fewer when there are fewer groups); every row is tested exactly once.
pub fn folds_by_group(groups: &[String], k: usize, seed: u64) -> Vec<Split> {
    let members = shuffled(groups, seed);
    let k = k.min(members.len());
    (0..k)
        .map(|fold| {
            let side = |inside: bool| {
                let mut rows: Vec<usize> = members
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| (i % k == fold) == inside)
                    .flat_map(|(_, rows)| rows.iter().copied())
                    .collect();
                rows.sort_unstable();
                rows
            };
            Split {
                train: side(false),
                test: side(true),
            }
        })
        .filter(|s| !s.train.is_empty())
        .collect()
}
