//! Distances between numbers: what counts up to a limit counts down its distance from the limit.
//!
//! A function that compares two of its parameters, or one with a constant, is given their distance as one more parameter, where that
//! shrinks from call to call. Which are worth it shows only at the calls, so a function is walked through more than once: the first walk
//! wishes for distances, the last has those that were of use.

use std::collections::BTreeMap;

use super::branch::{SMALL, Test};
use super::lower::{Fact, Lower, Value};
use super::{Atom, Right, Var};
use crate::core::Operator;
use crate::types::{self, Ty};

/// A parameter and its limit, by their places; a limit that is none is a constant.
type Pair = (usize, Option<usize>);

/// For each function, by its key: how much is added to the limit less the parameter, so that all tests are of natural numbers.
#[derive(Clone, Default)]
pub(super) struct Wishes(BTreeMap<String, BTreeMap<Pair, i64>>);

impl Wishes {
    fn set(&mut self, key: &str, pair: Pair, offset: i64) {
        let of = self.0.entry(key.to_owned()).or_default();
        let known = of.entry(pair).or_insert(offset);
        *known = (*known).max(offset);
    }

    fn has(&self, key: &str, pair: Pair) -> bool {
        self.0.get(key).is_some_and(|of| of.contains_key(&pair))
    }

    /// Adds others but for some; whether there is anything new.
    pub fn add(&mut self, others: Self, but: &Self) -> bool {
        let mut new = false;
        for (key, pairs) in others.0 {
            for (pair, offset) in pairs {
                if but.has(&key, pair) {
                    continue;
                }
                let known = self.0.get(&key).and_then(|of| of.get(&pair));
                if known.is_none_or(|known| *known < offset) {
                    self.set(&key, pair, offset);
                    new = true;
                }
            }
        }
        new
    }

    /// Keeps those among others only; whether any were taken out.
    pub fn keep(&mut self, others: &Self, out: &mut Self) -> bool {
        let mut less = false;
        for (key, pairs) in &mut self.0 {
            pairs.retain(|pair, offset| {
                let kept = others.has(key, *pair);
                if !kept {
                    out.set(key, *pair, *offset);
                    less = true;
                }
                kept
            });
        }
        less
    }
}

/// The distances of one walk.
pub(super) struct Distances {
    wanted: Wishes,
    /// What further walks should have.
    pub wishes: Wishes,
    /// Those that shrink, or that another function takes.
    pub used: Wishes,
    /// By number and limit: the distance, how much was added, and whose parameter it is.
    known: BTreeMap<(Var, Option<Var>), (Var, i64)>,
    /// Whose parameter a distance is.
    owners: BTreeMap<Var, (String, Pair)>,
    /// Numbers that are another number and a constant.
    forms: BTreeMap<Var, (Var, i64)>,
}

impl Distances {
    pub fn new(wanted: &Wishes) -> Self {
        Self {
            wanted: wanted.clone(),
            wishes: Wishes::default(),
            used: Wishes::default(),
            known: BTreeMap::new(),
            owners: BTreeMap::new(),
            forms: BTreeMap::new(),
        }
    }

    /// A number as another one, if any, and a constant.
    fn form(&self, atom: Atom) -> (Option<Var>, i64) {
        match atom {
            Atom::Constant(n) => (None, n),
            Atom::Var(v) => {
                let (base, offset) = self.forms.get(&v).copied().unwrap_or((v, 0));
                (Some(base), offset)
            }
        }
    }

    /// Notes that a number is another one and a constant.
    pub fn is_sum(&mut self, var: Var, of: Atom, by: i64) {
        if let (Some(base), offset) = self.form(of)
            && let Some(offset) = offset.checked_add(by)
        {
            self.forms.insert(var, (base, offset));
        }
    }

    fn use_of(&mut self, distance: Var) {
        if let Some((key, pair)) = self.owners.get(&distance) {
            self.used.set(key, *pair, 0);
        }
    }
}

/// What a comparison asks of a number.
pub(super) struct Asked {
    pub number: Var,
    pub test: Test,
    /// Whether the comparison holds where the test does not.
    pub swapped: bool,
    /// Whether the comparison is only known where the test holds.
    pub weak: bool,
}

impl<'p> Lower<'p> {
    /// Adds to a call's arguments the distances that the function is to be given.
    pub fn add_distances(&mut self, key: &str, atoms: &mut Vec<(Atom, Ty)>) {
        let wanted = self.distances.wanted.0.get(key).cloned();
        let int = self.types.basic(types::INT);
        for ((at, limit), offset) in wanted.unwrap_or_default() {
            let limit = limit.map_or(Atom::Constant(0), |l| atoms[l].0);
            let distance = self.distance(Some(key), atoms[at].0, limit, offset);
            atoms.push((distance, int));
        }
    }

    /// Names the distances among a function's parameters, which come last.
    pub fn name_distances(&mut self, key: &str, parameters: &[Var]) {
        let wanted = self.distances.wanted.0.get(key).cloned();
        let wanted = wanted.unwrap_or_default();
        let given = &parameters[parameters.len() - wanted.len()..];
        for ((pair, offset), distance) in wanted.into_iter().zip(given) {
            let of = (parameters[pair.0], pair.1.map(|l| parameters[l]));
            self.distances.known.insert(of, (*distance, offset));
            self.distances
                .owners
                .insert(*distance, (key.to_owned(), pair));
        }
    }

    /// The limit less a number and a constant more, for a function of that key.
    fn distance(&mut self, key: Option<&str>, from: Atom, to: Atom, offset: i64) -> Atom {
        let ((x, a), (y, b)) = (self.distances.form(from), self.distances.form(to));
        let int = self.types.basic(types::INT);
        let Some(offset) = offset.checked_add(b).and_then(|c| c.checked_sub(a)) else {
            return self.unnamed(Right::Unknown, int);
        };
        let Some(x) = x.filter(|x| Some(*x) != y) else {
            return match y.filter(|_| x.is_none()) {
                Some(y) => self.moved(y, offset),
                None => Atom::Constant(offset),
            };
        };
        if let Some((distance, own)) = self.distances.known.get(&(x, y)).copied() {
            let Some(by) = offset.checked_sub(own) else {
                return self.unnamed(Right::Unknown, int);
            };
            let elsewhere = match (key, self.distances.owners.get(&distance)) {
                (Some(key), Some((owner, _))) => key != owner,
                _ => false,
            };
            let shrinks = by < 0 && matches!(self.facts.get(&distance), Some(Fact::Successor(_)));
            if elsewhere || shrinks {
                self.distances.use_of(distance);
            }
            return self.moved(distance, by);
        }
        if key.is_some() {
            self.wish(x, y, offset);
        }
        let most = match y {
            Some(y) => self.moved(y, offset),
            None => Atom::Constant(offset),
        };
        self.unnamed(Right::Less(most, Atom::Var(x)), int)
    }

    /// A number less another.
    pub fn difference(&mut self, a: Atom, b: Atom) -> Atom {
        self.distance(None, b, a, 0)
    }

    fn unnamed(&mut self, right: Right, int: Ty) -> Atom {
        match self.bind(right, int) {
            Value::Atom(atom, _) => atom,
            _ => unreachable!("a variable was bound"),
        }
    }

    fn moved(&mut self, var: Var, by: i64) -> Atom {
        let int = self.types.basic(types::INT);
        let value = if by < 0 {
            self.minus(Atom::Var(var), by.unsigned_abs(), int)
        } else {
            self.plus(Atom::Var(var), by.unsigned_abs(), int)
        };
        match value {
            Value::Atom(atom, _) => atom,
            _ => unreachable!("a number stays one"),
        }
    }

    /// Wishes for a distance, if both numbers are parameters of the function that is made.
    fn wish(&mut self, number: Var, limit: Option<Var>, offset: i64) {
        let Some(instance) = self.progress.last().map(|p| &self.instances[*p]) else {
            return;
        };
        let given = self.distances.wanted.0.get(&instance.key);
        let parameters = &self.functions[instance.function].parameters;
        let parameters = &parameters[..parameters.len() - given.map_or(0, BTreeMap::len)];
        let place = |v: Var| parameters.iter().position(|p| *p == v);
        let Some(number) = place(number) else { return };
        let limit = match limit.map(place) {
            Some(None) => return,
            Some(place) => place,
            None => None,
        };
        let key = instance.key.clone();
        self.distances.wishes.set(&key, (number, limit), offset);
    }

    /// What a comparison of a number with a limit asks of their distance.
    pub fn asked(&mut self, number: Atom, limit: Atom, operator: Operator) -> Option<Asked> {
        let ((x, a), (y, b)) = (self.distances.form(number), self.distances.form(limit));
        let x = x.filter(|x| Some(*x) != y)?;
        if y.is_none() && b <= SMALL {
            return None;
        }
        // The comparison is one of the distance with `own + apart`.
        let apart = a.checked_sub(b)?;
        let from = i64::from(matches!(operator, Operator::LessEqual | Operator::Greater));
        let known = self.distances.known.get(&(x, y)).copied();
        let most = match known {
            Some((_, own)) => own.checked_add(apart)?.checked_sub(from)?,
            None => -1,
        };
        if most < 0 {
            self.wish(x, y, from.checked_sub(apart)?);
        }
        let (distance, _) = known?;
        let (test, swapped) = match operator {
            Operator::Equal => (Test::Equals(most), false),
            Operator::NotEqual => (Test::Equals(most), true),
            Operator::Greater | Operator::GreaterEqual => (Test::AtMost(most), false),
            _ => (Test::AtMost(most), true),
        };
        Some(Asked {
            number: distance,
            test,
            swapped,
            weak: false,
        })
    }

    /// A number and a natural constant.
    pub fn plus(&mut self, to: Atom, by: u64, int: Ty) -> Value<'p> {
        match to {
            _ if by == 0 => Value::Atom(to, int),
            Atom::Constant(n) => Value::Atom(Atom::Constant(n.wrapping_add(by as i64)), int),
            Atom::Var(_) => {
                let sum = self.bind(Right::Sum(to, Atom::Constant(by as i64)), int);
                self.note_sum(&sum, to, by as i64);
                sum
            }
        }
    }

    /// A number less a natural constant: what was found by a test is named, other numbers are no larger.
    pub fn minus(&mut self, from: Atom, by: u64, int: Ty) -> Value<'p> {
        let (mut at, mut left) = (from, by);
        while left > 0
            && let Atom::Var(v) = at
            && let Some(Fact::Successor(before)) = self.facts.get(&v)
        {
            at = Atom::Var(*before);
            left -= 1;
        }
        match (at, left) {
            (_, 0) => Value::Atom(at, int),
            (Atom::Constant(n), _) => Value::Atom(Atom::Constant(n.wrapping_sub(by as i64)), int),
            _ => {
                let less = self.bind(Right::AtMost(at, None), int);
                self.note_sum(&less, at, (left as i64).wrapping_neg());
                less
            }
        }
    }

    fn note_sum(&mut self, value: &Value<'p>, of: Atom, by: i64) {
        if let Value::Atom(Atom::Var(var), _) = value {
            self.distances.is_sum(*var, of, by);
        }
    }
}
