//! Which methods and classes are building blocks: much used, between many and unlikely neighbours.
//!
//! Hwang & Huang ("In-Depth") take a method for a candidate of a recurring pattern if the probabilities of what stands before it and after it are small. Entropy says how unlikely:
//! −Σ p log₂ p over the neighbours, 0 bits for a single one. The rank is the number of invocations times the smaller of the two entropies, so that what
//! always has one partner, before or after, ranks as part of that pair and not by itself.

use std::collections::BTreeMap;

use pricetag_events::{ClassId, Dictionary, MethodId};
use serde::Serialize;

use crate::dimension::Dimension;

/// A class or method, and what stands beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbourhood {
    /// Its name.
    pub name: String,
    /// Its number in the file.
    pub id: u32,
    /// Invocations that have a neighbour.
    pub invocations: u64,
    /// What comes before.
    pub before: Side,
    /// What comes after.
    pub after: Side,
    /// Invocations times the smaller entropy, bits.
    pub score: f64,
}

/// What stands on one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Side {
    /// Different neighbours.
    pub different: usize,
    /// How unlikely they are, bits.
    pub entropy_bits: f64,
    /// The most frequent.
    pub most: Vec<Neighbour>,
}

/// A neighbour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbour {
    /// Its name.
    pub name: String,
    /// Conditional probability, given the one in the middle.
    pub probability: f64,
    /// How often.
    pub count: u64,
}

/// Neighbours named on each side.
const NAMED: usize = 5;

/// The `top` classes or methods by rank.
pub(crate) fn rank(
    pairs: &[(u32, u32, u64)],
    dimension: Dimension,
    dictionary: &Dictionary,
    top: usize,
) -> Vec<Neighbourhood> {
    let mut sides: BTreeMap<u32, [Vec<(u64, u32)>; 2]> = BTreeMap::new();
    for &(before, after, count) in pairs {
        if count > 0 {
            sides.entry(after).or_default()[0].push((count, before));
            sides.entry(before).or_default()[1].push((count, after));
        }
    }
    let mut ranked: Vec<(f64, u64, u32)> = Vec::with_capacity(sides.len());
    for (&id, [before, after]) in &sides {
        let invocations = total(before).max(total(after));
        let least = entropy(before).min(entropy(after));
        ranked.push((invocations as f64 * least, invocations, id));
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    ranked.truncate(top);
    let name = |id: u32| match dimension {
        Dimension::Method => dictionary.method_name(MethodId(id)),
        Dimension::ReceiverClass | Dimension::MethodClass => dictionary.class_name(ClassId(id)),
    };
    let mut found = Vec::with_capacity(ranked.len());
    for (score, invocations, id) in ranked {
        let Some([before, after]) = sides.get(&id) else {
            continue;
        };
        found.push(Neighbourhood {
            name: name(id),
            id,
            invocations,
            before: side(before, &name),
            after: side(after, &name),
            score,
        });
    }
    found
}

fn total(counts: &[(u64, u32)]) -> u64 {
    counts.iter().map(|(count, _)| count).sum()
}

fn entropy(counts: &[(u64, u32)]) -> f64 {
    let total = total(counts) as f64;
    let terms = counts.iter().map(|&(count, _)| {
        let p = count as f64 / total;
        -p * p.log2()
    });
    // Not −0.
    terms.sum::<f64>().max(0.0)
}

fn side(counts: &[(u64, u32)], name: &impl Fn(u32) -> String) -> Side {
    let total = total(counts) as f64;
    let mut counts = counts.to_vec();
    counts.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let most = counts.iter().take(NAMED).map(|&(count, id)| Neighbour {
        name: name(id),
        probability: count as f64 / total,
        count,
    });
    Side {
        different: counts.len(),
        entropy_bits: entropy(&counts),
        most: most.collect(),
    }
}
