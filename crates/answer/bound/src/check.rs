//! The checker: whether the claims of a certificate hold, in exact rationals. Its rules share no code with those of the analysis.
//!
//! What both take is the normal form, what its steps cost ([`Prices`]) and names of base polynomials ([`Index`]). It reads the normal form and the certificate alone, knows no linear program and solves nothing. Where the analysis multiplies base
//! polynomials by recursion over their lists, this counts how two lists can lie over each other; where the analysis splits lists over the
//! values below a node, this walks over all ways to cut. A claim holds if what it says is needed suffices for the body, given all claims
//! (induction over evaluations: Hoffmann, Aehlig and Hofmann 2012, theorem 5.2).

mod products;

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use pricetag_miniml::Construct;
use pricetag_miniml::first_order::{
    Atom, Block, Entry, Question, Right, Shape, Step, Unsized, Var,
};

use crate::certificate::{Certificate, Choice, Sum};
use crate::index::Index;
use crate::metric::Side;
use products::{all, cuts, of, over};

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the checker does not accept the derivation: {0}")]
pub struct Refused(pub String);

/// What a step costs, in millionths of the unit: constructs, bytes, calls by name.
pub struct Prices<'a> {
    /// Of a construct that runs once.
    pub construct: &'a dyn Fn(Construct) -> i64,
    /// Of a byte.
    pub byte: i64,
    /// Of a call of the function with this name.
    pub call: &'a dyn Fn(&str) -> i64,
    /// Whether what is bounded is what has no size in such a step.
    pub meets: &'a dyn Fn(&Unsized) -> bool,
}

type Product = BTreeMap<Var, Index>;
type Worth = BTreeMap<Product, BigRational>;
type Checked<T> = Result<T, Refused>;

/// Checks a certificate for an entry.
///
/// # Errors
/// If a claim does not follow.
pub fn check(entry: &Entry, prices: &Prices<'_>, certificate: &Certificate) -> Checked<()> {
    let checker = Checker {
        entry,
        prices,
        certificate,
    };
    checker.body(
        &entry.body,
        &certificate.bound,
        &vec![],
        &certificate.choices,
        true,
        "the function",
    )?;
    for derivation in &certificate.derivations {
        for claim in &derivation.claims {
            let function = entry
                .functions
                .get(claim.function)
                .ok_or_else(|| Refused("a function that is not there".into()))?;
            checker.body(
                &function.body,
                &claim.before,
                &claim.after,
                &claim.choices,
                derivation.costly,
                &function.name,
            )?;
        }
    }
    Ok(())
}

struct Checker<'a> {
    entry: &'a Entry,
    prices: &'a Prices<'a>,
    certificate: &'a Certificate,
}

/// How far through the choices, and whether costs are paid.
struct Walk<'c> {
    choices: std::slice::Iter<'c, Choice>,
    costly: bool,
    /// Values known to be nodes: the variable, its constructor, its fields.
    known: Vec<(Var, Option<usize>, Vec<Atom>)>,
}

fn worth(sum: &Sum) -> Checked<Worth> {
    let mut worth = Worth::new();
    for (product, factor) in sum {
        if factor.is_negative() {
            return Err(Refused("a negative potential".into()));
        }
        *worth
            .entry(product.iter().cloned().collect())
            .or_insert_with(BigRational::zero) += factor;
    }
    Ok(worth)
}

fn whole(n: i64) -> BigRational {
    BigRational::from_integer(BigInt::from(n))
}

impl Checker<'_> {
    fn body(
        &self,
        block: &Block,
        before: &Sum,
        after: &Sum,
        choices: &[Choice],
        costly: bool,
        name: &str,
    ) -> Checked<()> {
        let mut walk = Walk {
            choices: choices.iter(),
            costly,
            known: vec![],
        };
        let needed = self.before(block, Var::MAX, worth(after)?, &mut walk)?;
        if walk.choices.next().is_some() {
            return Err(Refused(format!("choices that nothing asks for, in {name}")));
        }
        self.suffices(&worth(before)?, &needed)
            .map_err(|Refused(why)| Refused(format!("{why}, in {name}")))
    }

    /// Whether there is enough; for a lower bound, not more than what is spent.
    fn suffices(&self, there: &Worth, needed: &Worth) -> Checked<()> {
        let zero = BigRational::zero();
        let (large, small) = match self.certificate.side {
            Side::Upper => (there, needed),
            Side::Lower => (needed, there),
        };
        for (product, factor) in small {
            let other = large.get(product).unwrap_or(&zero);
            if other < factor {
                return Err(Refused(format!("{other} where {factor} is claimed")));
            }
        }
        Ok(())
    }

    /// The same with a variable's polynomials written out; what cannot be written out must not be needed, and is not counted on.
    fn written(
        &self,
        of: &Worth,
        var: Var,
        out: &dyn Fn(&Index) -> Option<Vec<(Product, BigInt)>>,
    ) -> Checked<Worth> {
        let mut new = Worth::new();
        for (product, factor) in of {
            let mut rest = product.clone();
            let Some(index) = rest.remove(&var) else {
                *new.entry(rest).or_insert_with(BigRational::zero) += factor;
                continue;
            };
            let Some(sum) = out(&index) else {
                if self.certificate.side == Side::Upper && !factor.is_zero() {
                    return Err(Refused("a size that is not known is to pay".into()));
                }
                continue;
            };
            for (part, n) in sum {
                for (both, m) in over(&rest, &part) {
                    let n = BigRational::from_integer(&n * &m);
                    *new.entry(both).or_insert_with(BigRational::zero) += factor * n;
                }
            }
        }
        Ok(new)
    }

    fn before(&self, block: &Block, var: Var, after: Worth, walk: &mut Walk<'_>) -> Checked<Worth> {
        let mut now = match block.value {
            Some(atom) => self.written(&after, var, &|i| of(atom, i))?,
            None => Worth::new(),
        };
        for step in block.steps.iter().rev() {
            let cost = match step {
                Step::Bind(var, right) => {
                    now = self.bound(*var, right, now, walk)?;
                    continue;
                }
                Step::Charge(construct, n) => {
                    whole((self.prices.construct)(*construct)) * whole(*n as i64)
                }
                Step::Bytes(n) => whole(self.prices.byte) * whole(*n as i64),
                Step::Enter(name) => whole((self.prices.call)(name)),
                Step::Unsized(step) => {
                    if self.certificate.side == Side::Upper && (self.prices.meets)(step) {
                        return Err(Refused(format!("{} has no size", step.what)));
                    }
                    continue;
                }
            };
            if walk.costly {
                *now.entry(Product::new()).or_insert_with(BigRational::zero) += cost;
            }
        }
        Ok(now)
    }

    /// The same worth in the fields of what is known to be a node.
    fn in_fields(
        &self,
        of_worth: &Worth,
        known: &[(Var, Option<usize>, Vec<Atom>)],
    ) -> Checked<Worth> {
        let mut now = of_worth.clone();
        for (var, constructor, fields) in known {
            let shape = &self.entry.shapes[*var as usize];
            now = self.written(&now, *var, &|i| match (constructor, i) {
                (Some(c), Index::Nodes(_)) => self.node(shape, *c, fields, i),
                // C(n + 1, k) = C(n, k) + C(n, k - 1)
                (Some(_), Index::Number(k)) => {
                    let mut sum = of(fields[0], &Index::Number(*k))?;
                    sum.extend(of(fields[0], &Index::Number(k - 1))?);
                    Some(sum)
                }
                _ => Some(vec![]),
            })?;
        }
        Ok(now)
    }

    fn meet(walk: &mut Walk<'_>) -> Checked<Worth> {
        match walk.choices.next() {
            Some(Choice::Meet(sum)) => worth(sum),
            _ => Err(Refused("no potential where ways part".into())),
        }
    }

    /// Whether a number is known not to be negative.
    fn sure(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Constant(n) => *n >= 0,
            Atom::Var(v) => self.entry.natural[*v as usize],
        }
    }

    fn bound(&self, var: Var, right: &Right, after: Worth, walk: &mut Walk<'_>) -> Checked<Worth> {
        let entry = self.entry;
        let upper = self.certificate.side == Side::Upper;
        match right {
            Right::Same(atom) => self.written(&after, var, &|i| of(*atom, i)),
            Right::AtMost(atom, _) if upper => self.written(&after, var, &|i| of(*atom, i)),
            Right::Less(atom, less) if upper && self.sure(less) => {
                self.written(&after, var, &|i| of(*atom, i))
            }
            Right::AtMost(..) | Right::Less(..) | Right::Unknown => {
                self.written(&after, var, &|_| None)
            }
            Right::Build(constructor, fields) => self.written(&after, var, &|i| {
                self.node(&entry.shapes[var as usize], *constructor, fields, i)
            }),
            Right::Tuple(parts) => self.written(&after, var, &|i| {
                let Index::Tuple(indices) = i else {
                    return None;
                };
                all(parts.iter().zip(indices).map(|(a, i)| of(*a, i)))
            }),
            Right::Part(tuple, part) => {
                let Shape::Tuple(parts) = &entry.shapes[*tuple as usize] else {
                    return self.written(&after, var, &|_| None);
                };
                self.written(&after, var, &|i| {
                    let mut indices = vec![Index::One; parts.len()];
                    indices[*part].clone_from(i);
                    Some(vec![(
                        Product::from([(*tuple, Index::Tuple(indices))]),
                        BigInt::one(),
                    )])
                })
            }
            Right::Sum(a, b) => {
                let exact = upper || (self.sure(a) && self.sure(b));
                if !exact {
                    return self.written(&after, var, &|_| None);
                }
                self.written(&after, var, &|i| {
                    let Index::Number(k) = i else { return None };
                    let mut sum = vec![];
                    for n in 0..=*k {
                        sum.extend(all([
                            of(*a, &Index::Number(n)),
                            of(*b, &Index::Number(k - n)),
                        ])?);
                    }
                    Some(sum)
                })
            }
            Right::Choice(blocks) => {
                let mut ways = Vec::new();
                for block in blocks {
                    ways.push(self.before(block, var, after.clone(), walk)?);
                }
                if ways.len() == 1 {
                    return Ok(ways.remove(0));
                }
                let meet = Self::meet(walk)?;
                let there = self.in_fields(&meet, &walk.known)?;
                for way in &ways {
                    self.suffices(&there, &self.in_fields(way, &walk.known)?)?;
                }
                Ok(meet)
            }
            Right::Case(of_var, arms, question) => {
                let shape = &entry.shapes[*of_var as usize];
                let tells = match (question, shape) {
                    (Question::Constructor, Shape::Data(_))
                    | (Question::Positive, Shape::Number) => true,
                    (Question::Zero, Shape::Number) => entry.natural[*of_var as usize],
                    _ => false,
                };
                let mut ways = Vec::new();
                for arm in arms {
                    if tells {
                        let fields = arm.fields.iter().map(|v| Atom::Var(*v)).collect();
                        walk.known.push((*of_var, arm.constructor, fields));
                    }
                    let mut way = self.before(&arm.block, var, after.clone(), walk)?;
                    if tells {
                        way = self.in_fields(&way, &walk.known)?;
                        walk.known.pop();
                    } else {
                        for field in &arm.fields {
                            way = self.written(&way, *field, &|_| None)?;
                        }
                    }
                    ways.push(way);
                }
                let meet = Self::meet(walk)?;
                for (arm, way) in arms.iter().zip(ways) {
                    let mut known = walk.known.clone();
                    if tells {
                        let fields = arm.fields.iter().map(|v| Atom::Var(*v)).collect();
                        known.push((*of_var, arm.constructor, fields));
                    }
                    self.suffices(
                        &self.in_fields(&meet, &known)?,
                        &self.in_fields(&way, &known)?,
                    )?;
                }
                Ok(meet)
            }
            Right::Call(function, arguments) => {
                self.called(var, *function, arguments, &after, walk)
            }
        }
    }

    fn called(
        &self,
        var: Var,
        function: usize,
        arguments: &[Atom],
        after: &Worth,
        walk: &mut Walk<'_>,
    ) -> Checked<Worth> {
        let Some(Choice::Call(kept)) = walk.choices.next() else {
            return Err(Refused("a call that nothing pays".into()));
        };
        let mut left: BTreeMap<Product, Worth> = BTreeMap::new();
        let mut now = Worth::new();
        for (product, factor) in after {
            let mut rest = product.clone();
            match rest.remove(&var) {
                None => *now.entry(rest).or_insert_with(BigRational::zero) += factor,
                Some(index) => {
                    let part = left.entry(rest).or_default();
                    part.insert(Product::from([(Var::MAX, index)]), factor.clone());
                }
            }
        }
        let mut paid = 0;
        for (factor, derivations) in kept {
            let factor: Product = factor.iter().cloned().collect();
            let mut leaves = Worth::new();
            for number in derivations {
                let derivation = self
                    .certificate
                    .derivations
                    .get(*number)
                    .ok_or_else(|| Refused("a derivation that is not there".into()))?;
                if derivation.costly {
                    if !factor.is_empty() {
                        return Err(Refused("costs paid more than once".into()));
                    }
                    paid += 1;
                }
                let claim = derivation
                    .claims
                    .iter()
                    .find(|c| c.function == function)
                    .ok_or_else(|| Refused("a call of another function".into()))?;
                for (product, worth) in worth(&claim.after)? {
                    *leaves.entry(product).or_insert_with(BigRational::zero) += worth;
                }
                let parameters = &self.entry.functions[function].parameters;
                for (product, worth) in worth(&claim.before)? {
                    let factors = product.iter().map(|(parameter, index)| {
                        let at = parameters.iter().position(|p| p == parameter)?;
                        of(arguments[at], index)
                    });
                    let Some(sum) = all(factors) else {
                        if self.certificate.side == Side::Upper {
                            return Err(Refused(
                                "a size that is not known is to pay a call".into(),
                            ));
                        }
                        continue;
                    };
                    for (part, n) in sum {
                        for (both, m) in over(&factor, &part) {
                            let n = BigRational::from_integer(&n * &m);
                            *now.entry(both).or_insert_with(BigRational::zero) += &worth * n;
                        }
                    }
                }
            }
            let wanted = left.remove(&factor).unwrap_or_default();
            self.suffices(&leaves, &wanted)?;
        }
        if paid != usize::from(walk.costly) {
            return Err(Refused("a call whose costs are not paid once".into()));
        }
        // What no derivation provides must not be needed.
        for wanted in left.values() {
            self.suffices(&Worth::new(), wanted)?;
        }
        Ok(now)
    }

    /// The polynomial of a node: all ways to cut its list among what is inside and the values below.
    fn node(
        &self,
        shape: &Shape,
        constructor: usize,
        fields: &[Atom],
        index: &Index,
    ) -> Option<Vec<(Product, BigInt)>> {
        let (Shape::Data(id), Index::Nodes(list)) = (shape, index) else {
            return None;
        };
        let kinds = &self.entry.data[*id].constructors[constructor].fields;
        let below: Vec<Atom> = fields
            .iter()
            .zip(kinds)
            .filter(|(_, k)| k.is_none())
            .map(|(f, _)| *f)
            .collect();
        let inside: Vec<Atom> = fields
            .iter()
            .zip(kinds)
            .filter(|(_, k)| k.is_some())
            .map(|(f, _)| *f)
            .collect();
        let mut sum = Vec::new();
        for takes_first in [false, true] {
            let rest = if takes_first {
                if list[0].0 != constructor {
                    continue;
                }
                &list[1..]
            } else {
                &list[..]
            };
            for cuts in cuts(rest.len(), below.len()) {
                let mut factors = Vec::new();
                let mut from = 0;
                for (atom, to) in below.iter().zip(cuts) {
                    let part = rest[from..to].to_vec();
                    factors.push(of(*atom, &Index::Nodes(part)));
                    from = to;
                }
                if let (true, Index::Tuple(indices)) = (takes_first, &list[0].1) {
                    factors.extend(inside.iter().zip(indices).map(|(a, i)| of(*a, i)));
                }
                sum.extend(all(factors)?);
            }
        }
        Some(sum)
    }
}
