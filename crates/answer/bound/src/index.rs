//! Base polynomials: what is counted in a value (Hoffmann, Aehlig and Hofmann 2012, section 4; Hoffmann, Das and Weng 2017, section 5).
//!
//! The index `k` of a number n stands for C(n, k). An index of data is a list of constructors, each with indices for what is inside:
//! it stands for the sum, over all nodes in that order (a node comes before those below it, those from left to right), of the product of
//! what is counted inside of them. For a list without such insides that is C(n, k). A tuple's index stands for the product of its parts'.

use pricetag_miniml::first_order::{Data, Shape};

/// A base polynomial of one value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Index {
    /// The constant 1.
    One,
    /// C(n, k), k > 0.
    Number(u32),
    /// The product of those of the parts.
    Tuple(Vec<Index>),
    /// Nodes in order: constructor, and the parts of what is inside, as a tuple.
    Nodes(Vec<(usize, Index)>),
}

impl Index {
    pub(crate) fn tuple(parts: Vec<Self>) -> Self {
        if parts.iter().all(|p| *p == Self::One) {
            Self::One
        } else {
            Self::Tuple(parts)
        }
    }

    pub(crate) fn nodes(nodes: Vec<(usize, Self)>) -> Self {
        if nodes.is_empty() {
            Self::One
        } else {
            Self::Nodes(nodes)
        }
    }

    pub(crate) fn number(k: u32) -> Self {
        if k == 0 { Self::One } else { Self::Number(k) }
    }

    pub(crate) fn degree(&self) -> u32 {
        match self {
            Self::One => 0,
            Self::Number(k) => *k,
            Self::Tuple(parts) => parts.iter().map(Self::degree).sum(),
            Self::Nodes(nodes) => nodes.iter().map(|(_, inside)| 1 + inside.degree()).sum(),
        }
    }
}

/// All indices of a shape up to a degree, that of 1 first.
pub(crate) fn all(shape: &Shape, data: &[Data], degree: u32) -> Vec<Index> {
    match shape {
        Shape::Opaque => vec![Index::One],
        Shape::Number => (0..=degree).map(Index::number).collect(),
        Shape::Tuple(parts) => {
            let parts: Vec<&Shape> = parts.iter().collect();
            tuples(&parts, data, degree)
                .into_iter()
                .map(Index::tuple)
                .collect()
        }
        Shape::Data(id) => {
            let mut heads = Vec::new();
            for (c, constructor) in data[*id].constructors.iter().enumerate() {
                let inside: Vec<&Shape> = constructor.fields.iter().flatten().collect();
                if degree > 0 {
                    let inside = tuples(&inside, data, degree - 1);
                    heads.extend(inside.into_iter().map(|i| (c, Index::tuple(i))));
                }
            }
            let mut found = vec![vec![]];
            let mut at = 0;
            while at < found.len() {
                let so_far: Vec<(usize, Index)> = found[at].clone();
                let used: u32 = so_far.iter().map(|(_, i)| 1 + i.degree()).sum();
                for head in &heads {
                    if used + 1 + head.1.degree() <= degree {
                        let mut longer = so_far.clone();
                        longer.push(head.clone());
                        found.push(longer);
                    }
                }
                at += 1;
            }
            found.into_iter().map(Index::nodes).collect()
        }
    }
}

fn tuples(shapes: &[&Shape], data: &[Data], degree: u32) -> Vec<Vec<Index>> {
    let Some((first, rest)) = shapes.split_first() else {
        return vec![vec![]];
    };
    let mut found = Vec::new();
    for index in all(first, data, degree) {
        for mut more in tuples(rest, data, degree - index.degree()) {
            more.insert(0, index.clone());
            found.push(more);
        }
    }
    found
}

/// C(n, k), if it is not too large.
pub(crate) fn choose(n: i64, k: u32) -> Option<i64> {
    if n < i64::from(k) {
        return Some(0);
    }
    let mut value: i64 = 1;
    for i in 0..i64::from(k) {
        value = value.checked_mul(n - i)? / (i + 1);
    }
    Some(value)
}

/// The product of two base polynomials of one value, as a sum of such.
pub(crate) fn product(a: &Index, b: &Index) -> Vec<(Index, i64)> {
    match (a, b) {
        (Index::One, other) | (other, Index::One) => vec![(other.clone(), 1)],
        (Index::Number(i), Index::Number(j)) => (*i.max(j)..=i + j)
            .map(|k| {
                // Of k chosen ones i were chosen first, and of those all that were not chosen again.
                let ways = choose(i64::from(k), *i).zip(choose(i64::from(*i), i + j - k));
                (Index::number(k), ways.map_or(0, |(a, b)| a * b))
            })
            .collect(),
        (Index::Tuple(x), Index::Tuple(y)) => {
            let mut found = vec![(vec![], 1)];
            for (p, q) in x.iter().zip(y) {
                let mut next = Vec::new();
                for (parts, n) in &found {
                    for (part, m) in product(p, q) {
                        let mut parts: Vec<Index> = parts.clone();
                        parts.push(part);
                        next.push((parts, n * m));
                    }
                }
                found = next;
            }
            found
                .into_iter()
                .map(|(p, n)| (Index::tuple(p), n))
                .collect()
        }
        (Index::Nodes(x), Index::Nodes(y)) => shuffles(x, y)
            .into_iter()
            .map(|(nodes, n)| (Index::nodes(nodes), n))
            .collect(),
        _ => unreachable!("both are of one value"),
    }
}

type Nodes = Vec<(usize, Index)>;

/// Both lists in one, each in its order, where nodes of one may be those of the other.
fn shuffles(x: &[(usize, Index)], y: &[(usize, Index)]) -> Vec<(Nodes, i64)> {
    let (Some((a, more_x)), Some((b, more_y))) = (x.split_first(), y.split_first()) else {
        return vec![([x, y].concat(), 1)];
    };
    let mut found = Vec::new();
    let mut put = |head: &(usize, Index), n: i64, rest: Vec<(Nodes, i64)>| {
        for (mut nodes, m) in rest {
            nodes.insert(0, head.clone());
            found.push((nodes, n * m));
        }
    };
    put(a, 1, shuffles(more_x, y));
    put(b, 1, shuffles(x, more_y));
    if a.0 == b.0 {
        for (inside, n) in product(&a.1, &b.1) {
            put(&(a.0, inside), n, shuffles(more_x, more_y));
        }
    }
    found
}
