//! Bounds as people read them: polynomials in named sizes.
//!
//! A base polynomial becomes a product of C(size, k). Of what is inside of lists only the largest counts (*the longest inner list*), which is
//! looser and only done for upper bounds.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use pricetag_miniml::first_order::{Entry, Shape};
use serde::Serialize;

use crate::certificate::Sum;
use crate::index::Index;
use crate::metric::{MILLION, Side};

/// A size of an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// `n`.
    pub name: String,
    /// `the length of argument 1`.
    pub meaning: String,
    /// Where it is: the argument from 0, then parts of tuples; a constructor or what is inside of one.
    pub path: Vec<Way>,
}

/// A step to a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// An argument, or a part of a tuple or record.
    Part(usize),
    /// The nodes of that constructor.
    Nodes(usize),
    /// A field of that constructor, the largest of all nodes.
    Inside(usize, usize),
}

/// Powers of sizes, by place among the sizes, with a factor in the metric's unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// `(place, power)`, by place.
    pub powers: Vec<(usize, u32)>,
    /// The factor as a fraction.
    #[serde(serialize_with = "fraction")]
    pub factor: BigRational,
}

fn fraction<S: serde::Serializer>(value: &BigRational, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// A polynomial in sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Polynomial {
    /// What it is a polynomial in.
    pub sizes: Vec<Size>,
    /// By degree, the constant first.
    pub terms: Vec<Term>,
    /// Whether lists inside of lists (or the like) were taken to be as long as the longest.
    pub widened: bool,
}

type Powers = BTreeMap<Vec<Way>, u32>;
type Sizes = BTreeMap<Powers, BigRational>;

impl Polynomial {
    pub(crate) fn of(entry: &Entry, bound: &Sum, side: Side) -> Option<Self> {
        let mut widened = false;
        let mut groups: BTreeMap<(Vec<(usize, Index)>, Powers), Vec<BigRational>> = BTreeMap::new();
        for (product, factor) in bound {
            if product
                .iter()
                .any(|(var, index)| too_many(entry, &entry.shapes[*var as usize], index))
            {
                continue;
            }
            let mut powers = Powers::new();
            let mut key = Vec::new();
            for (var, index) in product {
                let at = entry.parameters.iter().position(|p| p == var)?;
                let shape = &entry.shapes[*var as usize];
                widened |= choices(entry, shape, index, &mut vec![Way::Part(at)], &mut powers);
                key.push((at, sorted(index)));
            }
            groups
                .entry((key, powers))
                .or_default()
                .push(factor.clone());
        }
        if widened && side == Side::Lower {
            return None;
        }
        let mut sum = Sizes::new();
        for ((key, powers), factors) in groups {
            // Orders of different constructors: all together they are the product, so the largest factor is enough.
            let orders: u64 = key.iter().map(|(_, i)| orders(i)).product();
            let largest = factors
                .iter()
                .max()
                .cloned()
                .unwrap_or_else(BigRational::zero);
            let smallest = factors
                .iter()
                .min()
                .cloned()
                .unwrap_or_else(BigRational::zero);
            let factor = match side {
                Side::Upper => largest,
                Side::Lower if factors.len() as u64 == orders => smallest,
                Side::Lower => BigRational::zero(),
            };
            let mut product = Sizes::from([(
                Powers::new(),
                factor / BigRational::from_integer(MILLION.into()),
            )]);
            for (path, k) in powers {
                product = multiply(&product, &falling(&path, k));
            }
            for (powers, factor) in product {
                *sum.entry(powers).or_insert_with(BigRational::zero) += factor;
            }
        }
        sum.retain(|_, f| !f.is_zero());
        let mut paths: Vec<Vec<Way>> = sum.keys().flat_map(|p| p.keys().cloned()).collect();
        paths.sort();
        paths.dedup();
        let mut terms: Vec<Term> = sum
            .into_iter()
            .map(|(powers, factor)| Term {
                powers: powers
                    .into_iter()
                    .filter_map(|(path, k)| Some((paths.iter().position(|p| *p == path)?, k)))
                    .collect(),
                factor,
            })
            .collect();
        terms.sort_by_key(|t| {
            (
                t.powers.iter().map(|(_, k)| k).sum::<u32>(),
                std::cmp::Reverse(t.powers.clone()),
            )
        });
        terms.sort_by_key(|t| t.powers.iter().map(|(_, k)| k).sum::<u32>());
        let sizes = paths
            .into_iter()
            .enumerate()
            .map(|(i, path)| Size {
                name: name(i),
                meaning: meaning(entry, &path),
                path,
            })
            .collect();
        Some(Self {
            sizes,
            terms,
            widened,
        })
    }

    /// The degree.
    pub fn degree(&self) -> u32 {
        let degree = |t: &Term| t.powers.iter().map(|(_, k)| k).sum();
        self.terms.iter().map(degree).max().unwrap_or(0)
    }

    /// The value for sizes, in the metric's unit.
    pub fn at(&self, sizes: &[u64]) -> BigRational {
        let mut sum = BigRational::zero();
        for term in &self.terms {
            let mut product = term.factor.clone();
            for (place, k) in &term.powers {
                let size = BigInt::from(sizes.get(*place).copied().unwrap_or(0));
                product *= BigRational::from_integer(size.pow(*k));
            }
            sum += product;
        }
        sum
    }

    /// The same times a number, which is not negative; none if it is not finite.
    pub fn scaled(&self, factor: f64) -> Option<Self> {
        let factor = BigRational::from_float(factor)?;
        let mut scaled = self.clone();
        for term in &mut scaled.terms {
            term.factor *= &factor;
        }
        Some(scaled)
    }

    /// `0.446 + 11.277·n`: three digits behind the point, rounded to the safe side.
    pub fn text(&self, side: Side) -> String {
        let mut out = String::new();
        for term in &self.terms {
            let negative = term.factor.is_negative();
            let up = (side == Side::Upper) != negative;
            let factor = decimal(&term.factor.abs(), up);
            let sign = match (out.is_empty(), negative) {
                (true, false) => "",
                (true, true) => "−",
                (false, false) => " + ",
                (false, true) => " − ",
            };
            out.push_str(sign);
            if factor != "1" || term.powers.is_empty() {
                out.push_str(&factor);
                out.push_str(if term.powers.is_empty() { "" } else { "·" });
            }
            let powers = term.powers.iter().map(|(place, k)| {
                let name = &self.sizes[*place].name;
                if *k == 1 {
                    name.clone()
                } else {
                    format!("{name}{}", superscript(*k))
                }
            });
            out.push_str(&powers.collect::<Vec<_>>().join("·"));
        }
        if out.is_empty() { "0".to_owned() } else { out }
    }
}

fn superscript(k: u32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    k.to_string()
        .bytes()
        .map(|b| DIGITS[usize::from(b - b'0')])
        .collect()
}

fn decimal(value: &BigRational, up: bool) -> String {
    let thousandths = value * BigRational::from_integer(1000.into());
    let whole = if up {
        thousandths.ceil()
    } else {
        thousandths.floor()
    };
    let whole = whole.to_integer();
    let unit: BigInt = &whole / 1000;
    let rest: BigInt = &whole % 1000;
    let rest = rest.to_u32().unwrap_or(0);
    let mut out = unit.to_string();
    if rest > 0 {
        let _ = write!(out, ".{rest:03}");
        while out.ends_with('0') {
            out.pop();
        }
    }
    out
}

/// n, m, k, then with numbers.
fn name(i: usize) -> String {
    const NAMES: [&str; 8] = ["n", "m", "k", "l", "p", "q", "r", "s"];
    let letter = NAMES[i % NAMES.len()];
    if i < NAMES.len() {
        letter.to_owned()
    } else {
        format!("{letter}{}", i / NAMES.len())
    }
}

/// Adds the sizes that an index chooses from; whether something inside was taken to be the largest.
fn choices(
    entry: &Entry,
    shape: &Shape,
    index: &Index,
    path: &mut Vec<Way>,
    powers: &mut Powers,
) -> bool {
    match (shape, index) {
        (_, Index::Number(k)) => {
            *powers.entry(path.clone()).or_default() += k;
            false
        }
        (Shape::Tuple(shapes), Index::Tuple(parts)) => {
            let mut widened = false;
            for (i, (shape, part)) in shapes.iter().zip(parts).enumerate() {
                path.push(Way::Part(i));
                widened |= choices(entry, shape, part, path, powers);
                path.pop();
            }
            widened
        }
        (Shape::Data(id), Index::Nodes(nodes)) => {
            let mut widened = false;
            for (constructor, inside) in nodes {
                // Of a value that is one node at most, what is inside says whether there is one.
                if *inside == Index::One || recursive(entry, *id) {
                    path.push(Way::Nodes(*constructor));
                    *powers.entry(path.clone()).or_default() += 1;
                    path.pop();
                }
                if let Index::Tuple(parts) = inside {
                    let fields = entry.data[*id].constructors[*constructor]
                        .fields
                        .iter()
                        .enumerate();
                    let fields = fields.filter_map(|(i, f)| Some((i, f.as_ref()?)));
                    for ((i, shape), part) in fields.zip(parts) {
                        path.push(Way::Inside(*constructor, i));
                        widened |= choices(entry, shape, part, path, powers);
                        path.pop();
                    }
                    widened |= recursive(entry, *id);
                }
            }
            widened
        }
        _ => false,
    }
}

/// Whether values of a type may have more than one node.
fn recursive(entry: &Entry, data: usize) -> bool {
    let constructors = entry.data[data].constructors.iter();
    constructors.flat_map(|c| &c.fields).any(Option::is_none)
}

/// Whether an index chooses more nodes than a value can have.
fn too_many(entry: &Entry, shape: &Shape, index: &Index) -> bool {
    match (shape, index) {
        (Shape::Data(id), Index::Nodes(nodes)) => nodes.len() > 1 && !recursive(entry, *id),
        (Shape::Tuple(shapes), Index::Tuple(parts)) => {
            shapes.iter().zip(parts).any(|(s, i)| too_many(entry, s, i))
        }
        _ => false,
    }
}

/// The index with nodes in the order of their constructors, where those of one constructor are alike inside.
fn sorted(index: &Index) -> Index {
    match index {
        Index::Nodes(nodes) => {
            let alike = nodes
                .iter()
                .all(|(c, i)| nodes.iter().all(|(d, j)| c != d || i == j));
            let mut nodes = nodes.clone();
            if alike {
                nodes.sort();
            }
            Index::Nodes(nodes)
        }
        Index::Tuple(parts) => Index::Tuple(parts.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// In how many orders the constructors of an index can stand.
fn orders(index: &Index) -> u64 {
    match index {
        Index::Nodes(nodes) => {
            let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
            let mut ways = 1;
            for (i, (constructor, _)) in nodes.iter().enumerate() {
                let count = counts.entry(*constructor).or_default();
                *count += 1;
                ways = ways * (i as u64 + 1) / *count;
            }
            ways
        }
        Index::Tuple(parts) => parts.iter().map(orders).product(),
        _ => 1,
    }
}

/// C(size, k) as powers of the size.
fn falling(path: &[Way], k: u32) -> Sizes {
    let mut sum = Sizes::from([(Powers::new(), BigRational::one())]);
    for i in 0..k {
        let part = BigRational::new(BigInt::one(), BigInt::from(i + 1));
        let mut factor = Sizes::from([(Powers::from([(path.to_vec(), 1)]), part.clone())]);
        if i > 0 {
            factor.insert(Powers::new(), -part * BigRational::from_integer(i.into()));
        }
        sum = multiply(&sum, &factor);
    }
    sum
}

fn multiply(a: &Sizes, b: &Sizes) -> Sizes {
    let mut sum = Sizes::new();
    for (p, x) in a {
        for (q, y) in b {
            let mut powers = p.clone();
            for (path, k) in q {
                *powers.entry(path.clone()).or_default() += k;
            }
            *sum.entry(powers).or_insert_with(BigRational::zero) += x * y;
        }
    }
    sum
}

/// What a size is, in words.
fn meaning(entry: &Entry, path: &[Way]) -> String {
    let Some(Way::Part(first)) = path.first() else {
        return String::new();
    };
    let mut shape = &entry.shapes[entry.parameters[*first] as usize];
    let alone = entry.parameters.len() == 1;
    let mut what = if alone {
        "the argument".to_owned()
    } else {
        format!("argument {}", first + 1)
    };
    for way in &path[1..] {
        match (way, shape) {
            (Way::Part(i), Shape::Tuple(parts)) => {
                what = format!("part {} of {what}", i + 1);
                shape = &parts[*i];
            }
            (Way::Nodes(c), Shape::Data(id)) => {
                let constructor = &entry.data[*id].constructors[*c].name;
                return if constructor == "::" {
                    format!("the length of {what}")
                } else {
                    format!("how many `{constructor}` are in {what}")
                };
            }
            (Way::Inside(c, i), Shape::Data(id)) => {
                let constructor = &entry.data[*id].constructors[*c];
                what = if constructor.name == "::" {
                    format!("the largest element of {what}")
                } else {
                    format!(
                        "the largest part {} of a `{}` in {what}",
                        i + 1,
                        constructor.name
                    )
                };
                match &constructor.fields[*i] {
                    Some(inside) => shape = inside,
                    None => break,
                }
            }
            _ => break,
        }
    }
    if *shape == Shape::Number {
        format!("{what}, or 0 below that")
    } else {
        what
    }
}
