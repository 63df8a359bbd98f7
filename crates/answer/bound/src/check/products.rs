//! The checker's products of base polynomials: how two lists of nodes can lie over each other, place by place.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Zero};
use pricetag_miniml::first_order::Atom;

use super::Product;
use crate::index::Index;

/// All ways to cut `n` in order among `parts`: where each part ends. None if nothing may take what there is.
pub(super) fn cuts(n: usize, parts: usize) -> Vec<Vec<usize>> {
    if parts == 0 {
        return if n == 0 { vec![vec![]] } else { vec![] };
    }
    let mut found = vec![vec![]];
    for part in 0..parts {
        found = found
            .into_iter()
            .flat_map(|ends: Vec<usize>| {
                let from = ends.last().copied().unwrap_or(0);
                let least = if part + 1 == parts { n } else { from };
                (least..=n).map(move |end| [ends.clone(), vec![end]].concat())
            })
            .collect();
    }
    found
}

/// An atom's polynomial.
pub(super) fn of(atom: Atom, index: &Index) -> Option<Vec<(Product, BigInt)>> {
    let one = |i: &Index| match i {
        Index::One | Index::Number(0) => true,
        Index::Nodes(list) => list.is_empty(),
        Index::Tuple(parts) => parts.iter().all(|p| *p == Index::One),
        Index::Number(_) => false,
    };
    if one(index) {
        return Some(vec![(Product::new(), BigInt::one())]);
    }
    match (atom, index) {
        (Atom::Var(v), _) => Some(vec![(Product::from([(v, index.clone())]), BigInt::one())]),
        (Atom::Constant(n), Index::Number(k)) => {
            let ways = binomial(n.max(0), *k);
            Some(if ways.is_zero() {
                vec![]
            } else {
                vec![(Product::new(), ways)]
            })
        }
        (Atom::Constant(_), _) => Some(vec![]),
    }
}

fn binomial(n: i64, k: u32) -> BigInt {
    let (mut over, mut under) = (BigInt::one(), BigInt::one());
    for i in 0..i64::from(k) {
        over *= BigInt::from((n - i).max(0));
        under *= BigInt::from(i + 1);
    }
    over / under
}

/// The product of sums.
pub(super) fn all(
    factors: impl IntoIterator<Item = Option<Vec<(Product, BigInt)>>>,
) -> Option<Vec<(Product, BigInt)>> {
    let mut sum = vec![(Product::new(), BigInt::one())];
    for factor in factors {
        let factor = factor?;
        let mut next = Vec::new();
        for (a, n) in &sum {
            for (b, m) in &factor {
                next.extend(over(a, b).into_iter().map(|(p, k)| (p, n * m * k)));
            }
        }
        sum = next;
    }
    Some(sum)
}

/// The product of two products.
pub(super) fn over(a: &Product, b: &Product) -> Vec<(Product, BigInt)> {
    let mut sum = vec![(a.clone(), BigInt::one())];
    for (var, index) in b {
        sum = sum
            .into_iter()
            .flat_map(|(mut product, n)| {
                let both = match product.remove(var) {
                    None => vec![(index.clone(), BigInt::one())],
                    Some(other) => together(&other, index),
                };
                both.into_iter().map(move |(index, m)| {
                    let mut product = product.clone();
                    product.insert(*var, index);
                    (product, &n * m)
                })
            })
            .collect();
    }
    sum
}

/// The product of two polynomials of one value.
fn together(a: &Index, b: &Index) -> Vec<(Index, BigInt)> {
    match (a, b) {
        (Index::One, i) | (i, Index::One) => vec![(i.clone(), BigInt::one())],
        // C(n, i) C(n, j): the list of i units over that of j.
        (Index::Number(i), Index::Number(j)) => {
            let unit = |n: &u32| vec![(0, Index::One); *n as usize];
            let mut counts: BTreeMap<usize, BigInt> = BTreeMap::new();
            for (list, n) in overlays(&unit(i), &unit(j)) {
                *counts.entry(list.len()).or_default() += n;
            }
            counts
                .into_iter()
                .map(|(k, n)| (Index::Number(k as u32), n))
                .collect()
        }
        (Index::Nodes(x), Index::Nodes(y)) => overlays(x, y)
            .into_iter()
            .map(|(list, n)| (Index::Nodes(list), n))
            .collect(),
        (Index::Tuple(x), Index::Tuple(y)) => {
            let mut sum = vec![(vec![], BigInt::one())];
            for (p, q) in x.iter().zip(y) {
                sum = sum
                    .into_iter()
                    .flat_map(|(parts, n): (Vec<Index>, BigInt)| {
                        together(p, q)
                            .into_iter()
                            .map(move |(i, m)| ([parts.clone(), vec![i]].concat(), &n * m))
                    })
                    .collect();
            }
            sum.into_iter().map(|(p, n)| (Index::Tuple(p), n)).collect()
        }
        _ => vec![],
    }
}

/// All lists of which both are parts in order: for each length, every place of the first and of the second that leaves no place empty.
fn overlays(x: &[(usize, Index)], y: &[(usize, Index)]) -> Vec<(Vec<(usize, Index)>, BigInt)> {
    let mut found = Vec::new();
    for length in x.len().max(y.len())..=x.len() + y.len() {
        for first in places(length, x.len()) {
            for second in places(length, y.len()) {
                if (0..length).any(|p| !first.contains(&p) && !second.contains(&p)) {
                    continue;
                }
                let mut lists = vec![(vec![], BigInt::one())];
                for place in 0..length {
                    let at = |places: &[usize]| places.iter().position(|p| *p == place);
                    let here: Vec<((usize, Index), BigInt)> = match (at(&first), at(&second)) {
                        (Some(i), None) => vec![(x[i].clone(), BigInt::one())],
                        (None, Some(j)) => vec![(y[j].clone(), BigInt::one())],
                        (Some(i), Some(j)) if x[i].0 == y[j].0 => together(&x[i].1, &y[j].1)
                            .into_iter()
                            .map(|(inside, n)| ((x[i].0, inside), n))
                            .collect(),
                        _ => vec![],
                    };
                    lists = lists
                        .into_iter()
                        .flat_map(|(list, n): (Vec<(usize, Index)>, BigInt)| {
                            here.clone()
                                .into_iter()
                                .map(move |(node, m)| ([list.clone(), vec![node]].concat(), &n * m))
                        })
                        .collect();
                }
                found.extend(lists);
            }
        }
    }
    found
}

/// Places in order, `k` of `n`.
fn places(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![vec![]];
    for i in 0..k {
        found = found
            .into_iter()
            .flat_map(|places| {
                let from = places.last().map_or(0, |p| p + 1);
                (from..=n - (k - i)).map(move |p| [places.clone(), vec![p]].concat())
            })
            .collect();
    }
    found
}
