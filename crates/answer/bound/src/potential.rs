//! Potentials: sums of products of base polynomials of variables, with coefficients that are linear in the program's unknowns.

use std::collections::BTreeMap;

use pricetag_miniml::first_order::{Atom, Data, Shape, Var};

use crate::index::{Index, choose, product};

/// The value that a function gives.
pub(crate) const RESULT: Var = Var::MAX;

/// A product of base polynomials of different variables, by variable; without any it is 1.
pub(crate) type Monomial = Vec<(Var, Index)>;

/// A constant and unknowns with whole factors. The constant is in millionths of the metric's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Linear {
    pub terms: BTreeMap<usize, i64>,
    pub constant: i64,
}

impl Linear {
    pub fn unknown(of: usize) -> Self {
        Self {
            terms: BTreeMap::from([(of, 1)]),
            constant: 0,
        }
    }

    pub fn add(&mut self, other: &Self, factor: i64) {
        for (unknown, n) in &other.terms {
            *self.terms.entry(*unknown).or_default() += n * factor;
        }
        self.constant += other.constant * factor;
    }
}

/// A potential.
#[derive(Clone, Debug, Default)]
pub(crate) struct Potential {
    pub of: BTreeMap<Monomial, Linear>,
}

pub(crate) fn degree(monomial: &Monomial) -> u32 {
    monomial.iter().map(|(_, i)| i.degree()).sum()
}

/// The product of two monomials.
pub(crate) fn times(a: &Monomial, b: &Monomial) -> Vec<(Monomial, i64)> {
    let mut found: Vec<(BTreeMap<Var, Index>, i64)> = vec![(a.iter().cloned().collect(), 1)];
    for (var, index) in b {
        let mut next = Vec::new();
        for (monomial, n) in found {
            let both = match monomial.get(var) {
                Some(other) => product(other, index),
                None => vec![(index.clone(), 1)],
            };
            for (index, m) in both {
                let mut monomial = monomial.clone();
                monomial.insert(*var, index);
                next.push((monomial, n * m));
            }
        }
        found = next;
    }
    found
        .into_iter()
        .map(|(m, n)| (m.into_iter().collect(), n))
        .collect()
}

/// A base polynomial of an atom; nothing where it is a number too large to count with.
pub(crate) fn of_atom(atom: Atom, index: &Index) -> Option<Vec<(Monomial, i64)>> {
    match (atom, index) {
        (_, Index::One) => Some(vec![(vec![], 1)]),
        (Atom::Var(var), index) => Some(vec![(vec![(var, index.clone())], 1)]),
        (Atom::Constant(n), Index::Number(k)) => match choose(n, *k)? {
            0 => Some(vec![]),
            ways if ways < 1 << 30 => Some(vec![(vec![], ways)]),
            _ => None,
        },
        (Atom::Constant(_), _) => Some(vec![]),
    }
}

/// The product of several sums.
pub(crate) fn product_of(
    factors: impl IntoIterator<Item = Option<Vec<(Monomial, i64)>>>,
) -> Option<Vec<(Monomial, i64)>> {
    let mut found: Vec<(Monomial, i64)> = vec![(vec![], 1)];
    for factor in factors {
        let factor = factor?;
        let mut next = Vec::new();
        for (a, n) in &found {
            for (b, m) in &factor {
                next.extend(times(a, b).into_iter().map(|(c, k)| (c, n * m * k)));
            }
        }
        found = next;
    }
    Some(found)
}

/// A base polynomial of a node, in what is inside of it and the values of the same type below.
pub(crate) fn of_node(
    index: &Index,
    constructor: usize,
    fields: &[Atom],
    kinds: &[Option<Shape>],
) -> Option<Vec<(Monomial, i64)>> {
    let Index::Nodes(nodes) = index else {
        return Some(vec![(vec![], 1)]);
    };
    let below: Vec<Atom> = own(fields, kinds, true);
    let mut found = split(nodes, &below)?;
    if let Some(((first, inside), rest)) = nodes.split_first()
        && *first == constructor
    {
        let parts = own(fields, kinds, false);
        let inside = match inside {
            Index::Tuple(indices) => {
                product_of(parts.iter().zip(indices).map(|(a, i)| of_atom(*a, i)))?
            }
            _ => vec![(vec![], 1)],
        };
        found.extend(product_of([Some(inside), Some(split(rest, &below)?)])?);
    }
    Some(found)
}

fn own(fields: &[Atom], kinds: &[Option<Shape>], own: bool) -> Vec<Atom> {
    let both = fields.iter().zip(kinds);
    both.filter(|(_, k)| k.is_none() == own)
        .map(|(f, _)| *f)
        .collect()
}

/// The nodes, in order, in several values one after the other.
fn split(nodes: &[(usize, Index)], values: &[Atom]) -> Option<Vec<(Monomial, i64)>> {
    let Some((first, rest)) = values.split_first() else {
        return Some(if nodes.is_empty() {
            vec![(vec![], 1)]
        } else {
            vec![]
        });
    };
    let mut found = Vec::new();
    for n in 0..=nodes.len() {
        let here = of_atom(*first, &Index::nodes(nodes[..n].to_vec()));
        found.extend(product_of([here, Some(split(&nodes[n..], rest)?)])?);
    }
    Some(found)
}

impl Potential {
    pub fn add(&mut self, monomial: Monomial, linear: &Linear, factor: i64) {
        self.of.entry(monomial).or_default().add(linear, factor);
    }

    pub fn cost(&mut self, cost: i64) {
        if cost != 0 {
            self.of.entry(vec![]).or_default().constant += cost;
        }
    }

    /// Each base polynomial of a variable replaced; what has no replacement is handed back.
    pub fn replace(
        &self,
        var: Var,
        by: &mut dyn FnMut(&Index) -> Option<Vec<(Monomial, i64)>>,
    ) -> (Self, Vec<Linear>) {
        let (mut new, mut left) = (Self::default(), vec![]);
        for (monomial, linear) in &self.of {
            let Ok(at) = monomial.binary_search_by_key(&var, |(v, _)| *v) else {
                new.add(monomial.clone(), linear, 1);
                continue;
            };
            let mut rest = monomial.clone();
            let (_, index) = rest.remove(at);
            match by(&index) {
                None => left.push(linear.clone()),
                Some(sum) => {
                    for (factor, n) in sum {
                        for (monomial, m) in times(&rest, &factor) {
                            new.add(monomial, linear, n * m);
                        }
                    }
                }
            }
        }
        (new, left)
    }
}

/// All monomials of some variables up to a degree, 1 first.
pub(crate) fn monomials(vars: &[(Var, &Shape)], data: &[Data], degree: u32) -> Vec<Monomial> {
    let Some(((var, shape), rest)) = vars.split_first() else {
        return vec![vec![]];
    };
    let mut found = Vec::new();
    for index in crate::index::all(shape, data, degree) {
        for mut monomial in monomials(rest, data, degree - index.degree()) {
            if index != Index::One {
                monomial.insert(0, (*var, index.clone()));
            }
            found.push(monomial);
        }
    }
    found.sort();
    found
}
