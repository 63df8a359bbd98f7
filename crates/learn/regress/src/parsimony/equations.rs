//! Selection on normal equations, whose inner products are worked out for the columns that were taken.

use std::collections::BTreeMap;
use std::ops::Range;

use faer::Mat;

use super::weighted::Weighted;
use crate::cholesky::Factor;
use crate::nnls::from_gram;
use crate::wide::{add, dot};

/// Columns whose error is worked out before one of them enters.
const COMPARED: usize = 8;
/// A column is a candidate if more than this share of its squared length is new.
const NEW_SHARE: f64 = 1e-9;
/// A gain below this share of the squared target is none.
pub(super) const GAIN: f64 = 1e-10;
/// A column leaves when that costs at most this share of the last gain.
const BACKWARD: f64 = 0.5;
/// Columns that sets may have beyond those wanted.
const BEYOND: usize = 3;
/// An exchange has to gain this share more than it loses.
const BETTER: f64 = 1e-6;

/// A set of columns and its non-negative coefficients. The first column is the constant.
#[derive(Clone, Debug, Default)]
pub(super) struct Set {
    pub columns: Vec<usize>,
    pub x: Vec<f64>,
}

/// The normal equations of the rows that are not held out: diagonal of `XᵀX`, `Xᵀy` and `yᵀy`.
pub(super) struct Equations<'a> {
    table: &'a Weighted,
    /// Rows that take no part.
    held: Range<usize>,
    own: Vec<f64>,
    right: Vec<f64>,
    target: f64,
    /// How dear each column is, all alike where this is empty.
    penalties: &'a [f64],
    /// Rows of `XᵀX`, of the columns that were taken at some time.
    products: BTreeMap<usize, Vec<f64>>,
}

impl<'a> Equations<'a> {
    pub fn new(table: &'a Weighted, held: Option<Range<usize>>, penalties: &'a [f64]) -> Self {
        let held = held.unwrap_or(0..0);
        let target = table.target();
        let columns = || (0..table.count()).map(|j| table.column(j));
        Self {
            own: columns().map(|c| product(c, c, &held)).collect(),
            right: columns().map(|c| product(c, target, &held)).collect(),
            target: product(target, target, &held),
            table,
            held,
            penalties,
            products: BTreeMap::new(),
        }
    }

    /// The best set found with at most 0, 1, … `most` columns besides the constant. Sets grow somewhat larger than that and
    /// shrink again: what a column is a poor substitute for may be worth little until all of it is there.
    pub fn select(mut self, most: usize) -> Vec<Set> {
        let (mut error, mut now) = self.fitted(&[0]);
        let mut best = vec![(error, now.clone())];
        let largest = (most + BEYOND).min(self.rows().saturating_sub(2));
        // Every round lowers the error by more than it is given back, so none comes twice; the bound is for rounding.
        for _ in 0..4 * largest {
            let Some((lower, next)) = self.forward(&now, error) else {
                break;
            };
            let gain = error - lower;
            if gain <= GAIN * self.target {
                break;
            }
            (error, now) = (lower, next);
            keep(&mut best, error, &now);
            while let Some((higher, fewer)) = self.backward(&now, error) {
                if higher - error > BACKWARD * gain {
                    break;
                }
                (error, now) = (higher, fewer);
                keep(&mut best, error, &now);
            }
            (error, now) = self.exchanged(error, now, &mut best);
            if now.columns.len() > largest {
                break;
            }
        }
        while let Some((higher, fewer)) = self.backward(&now, error) {
            keep(&mut best, higher, &fewer);
            (error, now) = self.exchanged(higher, fewer, &mut best);
        }
        let mut sets = Vec::with_capacity(most + 1);
        for size in 0..=most {
            let within = best
                .iter()
                .take(size + 1)
                .filter(|b| !b.1.columns.is_empty());
            if let Some((_, set)) = within.min_by(|a, b| a.0.total_cmp(&b.0)) {
                sets.push(set.clone());
            }
        }
        sets
    }

    /// The set that is left when no exchange is for the better, and its error.
    fn exchanged(
        &mut self,
        mut error: f64,
        mut now: Set,
        best: &mut Vec<(f64, Set)>,
    ) -> (f64, Set) {
        // Each lowers the error, or, where columns are unlike dear, the error per expense: there the bound is needed.
        for _ in 0..2 * now.columns.len() {
            let Some((lower, next)) = self.exchange(&now, error) else {
                break;
            };
            (error, now) = (lower, next);
            keep(best, error, &now);
        }
        (error, now)
    }

    /// Works out a row of `XᵀX`.
    fn load(&mut self, column: usize) {
        let (table, held) = (self.table, &self.held);
        self.products.entry(column).or_insert_with(|| {
            let one = table.column(column);
            let all = (0..table.count()).map(|j| product(one, table.column(j), held));
            all.collect()
        });
    }

    /// An entry of `XᵀX`, which is worked out anew unless one of the columns was taken before.
    fn product(&self, i: usize, j: usize) -> f64 {
        if i == j {
            self.own[i]
        } else if let Some(row) = self.products.get(&i) {
            row[j]
        } else if let Some(row) = self.products.get(&j) {
            row[i]
        } else {
            let (one, other) = (self.table.column(i), self.table.column(j));
            product(one, other, &self.held)
        }
    }

    /// Rows that take part.
    fn rows(&self) -> usize {
        self.table.target().len() - self.held.len()
    }

    /// A change of the error, per expense of the column that brings it about.
    fn per_expense(&self, change: f64, column: usize) -> f64 {
        change / self.penalties.get(column).copied().unwrap_or(1.0)
    }

    /// Non-negative least squares on some columns; those that get nothing are left out, the constant excepted. With the
    /// squared error of its predictions.
    fn fitted(&self, columns: &[usize]) -> (f64, Set) {
        let k = columns.len();
        let gram = Mat::from_fn(k, k, |a, b| self.product(columns[a], columns[b]));
        let right: Vec<f64> = columns.iter().map(|&j| self.right[j]).collect();
        let start: Vec<usize> = (0..k).collect();
        let x = from_gram(&gram, &right, &start);
        let mut error = self.target;
        let mut set = Set::default();
        for a in 0..k {
            let inside = (0..k).map(|b| gram[(a, b)] * x[b]).sum::<f64>();
            error += x[a] * (inside - 2.0 * right[a]);
            if x[a] > 0.0 || columns[a] == 0 {
                set.columns.push(columns[a]);
                set.x.push(x[a].max(0.0));
            }
        }
        (error.max(0.0), set)
    }

    /// What a set leaves of the target and of every column.
    fn rest(&mut self, now: &Set) -> Rest {
        let mut factor = Factor::default();
        let mut inside: Vec<usize> = Vec::new();
        for &j in &now.columns {
            self.load(j);
            let products: Vec<f64> = inside.iter().map(|&i| self.product(i, j)).collect();
            if factor.push(&products, self.own[j], NEW_SHARE) {
                inside.push(j);
            }
        }
        let mut target = self.right.clone();
        for (j, x) in now.columns.iter().zip(&now.x) {
            add(&mut target, -x, &self.products[j]);
        }
        let mut columns = self.own.clone();
        let mut known: Vec<Vec<f64>> = Vec::with_capacity(inside.len());
        for (at, j) in inside.iter().enumerate() {
            let (diagonal, row) = factor.row(at).split_last().unwrap_or((&1.0, &[]));
            let mut next = self.products[j].clone();
            for (l, before) in row.iter().zip(&known) {
                add(&mut next, -l, before);
            }
            for (value, rest) in next.iter_mut().zip(&mut columns) {
                *value /= diagonal;
                *rest -= *value * *value;
            }
            known.push(next);
        }
        Rest {
            target,
            columns,
            inside,
            factor,
            known,
        }
    }

    /// What a column that is not in the set would explain if the bounds of the others did not matter, which only take
    /// away from that; by what is left of target and column. None if its coefficient would be negative.
    fn gain(&self, j: usize, target: f64, column: f64) -> Option<f64> {
        (target > 0.0 && column > NEW_SHARE * self.own[j]).then(|| target * target / column)
    }

    /// The set with the most useful further column, and its error; `before` is the error without one.
    fn forward(&mut self, now: &Set, before: f64) -> Option<(f64, Set)> {
        let rest = self.rest(now);
        let bound = |j: usize| {
            let gain = self.gain(j, rest.target[j], rest.columns[j])?;
            (!now.columns.contains(&j)).then(|| (self.per_expense(gain, j), j))
        };
        let others = 1..self.right.len();
        let mut best: Option<(f64, (f64, Set))> = None;
        for (bound, j) in largest(others.filter_map(bound)) {
            // Of equal ones the first is taken.
            let gained = best.as_ref().map_or(0.0, |b| b.0);
            if bound <= gained {
                break;
            }
            let mut columns = now.columns.clone();
            columns.push(j);
            let (error, set) = self.fitted(&columns);
            let gain = self.per_expense(before - error, j);
            if gain > gained {
                best = Some((gain, (error, set)));
            }
        }
        best.map(|(_, found)| found)
    }

    /// The set without the column that is missed least, and its error; `before` is the error with it.
    fn backward(&self, now: &Set, before: f64) -> Option<(f64, Set)> {
        let fewer = now.columns.iter().filter(|j| **j != 0).map(|&j| {
            let (error, set) = self.fitted(&without(&now.columns, j));
            (self.per_expense(error - before, j), (error, set))
        });
        let least = fewer.min_by(|a, b| a.0.total_cmp(&b.0));
        least.map(|(_, found)| found)
    }

    /// The set in which one column made room for a better one, and its error; the exchange that gains most, per expense.
    fn exchange(&mut self, now: &Set, before: f64) -> Option<(f64, Set)> {
        let rest = self.rest(now);
        let mut bounds = Vec::new();
        for (at, (leaves, x)) in now.columns.iter().zip(&now.x).enumerate() {
            if *leaves == 0 || rest.inside.get(at) != Some(leaves) {
                continue;
            }
            // Without it, what its coefficients in the target and in the other columns stood for is left of these, too.
            let (inverse, shares) = rest.shares(at);
            let lost = self.per_expense(x * x / inverse, *leaves);
            let least = BETTER * lost.max(GAIN * self.target);
            bounds.extend((1..self.right.len()).filter_map(|j| {
                let target = rest.target[j] + x * shares[j] / inverse;
                let column = rest.columns[j] + shares[j] * shares[j] / inverse;
                let gain = self.per_expense(self.gain(j, target, column)?, j) - lost;
                (gain > least && !now.columns.contains(&j)).then_some((gain, (*leaves, j)))
            }));
        }
        let mut best: Option<(f64, (f64, Set))> = None;
        for (bound, (leaves, enters)) in largest(bounds.into_iter()) {
            let mut columns = without(&now.columns, leaves);
            let fewer = self.fitted(&columns).0;
            let lost = self.per_expense(fewer - before, leaves);
            let least = BETTER * lost.max(GAIN * self.target);
            let gained = best.as_ref().map_or(least, |b| b.0.max(least));
            if bound <= gained {
                break;
            }
            columns.push(enters);
            let (error, set) = self.fitted(&columns);
            let gain = self.per_expense(fewer - error, enters) - lost;
            if gain > gained {
                best = Some((gain, (error, set)));
            }
        }
        best.map(|(_, found)| found)
    }
}

/// What the columns inside a set leave of the target and of every column.
struct Rest {
    /// Inner products of every column with what is left of the target.
    target: Vec<f64>,
    /// Squared length of what is left of every column.
    columns: Vec<f64>,
    /// The columns that the others do not determine, and the Cholesky factor L of their inner products.
    inside: Vec<usize>,
    factor: Factor,
    /// Rows of L⁻¹ `XᵀX`.
    known: Vec<Vec<f64>>,
}

impl Rest {
    /// Of the column at a position: its place on the diagonal of (L Lᵀ)⁻¹, and its coefficient in every column.
    fn shares(&self, at: usize) -> (f64, Vec<f64>) {
        let mut unit = vec![0.0; self.inside.len()];
        unit[at] = 1.0;
        let row = self.factor.forward(&unit);
        let mut shares = vec![0.0; self.columns.len()];
        for (weight, known) in row.iter().zip(&self.known).skip(at) {
            add(&mut shares, *weight, known);
        }
        (row.iter().map(|v| v * v).sum(), shares)
    }
}

/// Columns without one of them.
fn without(columns: &[usize], one: usize) -> Vec<usize> {
    columns.iter().copied().filter(|j| *j != one).collect()
}

/// The largest of some bounds, the largest first, of equal ones the first.
fn largest<T: Ord + Copy>(bounds: impl Iterator<Item = (f64, T)>) -> Vec<(f64, T)> {
    let order = |a: &(f64, T), b: &(f64, T)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let mut found: Vec<(f64, T)> = bounds.collect();
    if found.len() > COMPARED {
        found.select_nth_unstable_by(COMPARED, order);
        found.truncate(COMPARED);
    }
    found.sort_by(order);
    found
}

/// The inner product over the rows that are not held out.
fn product(a: &[f64], b: &[f64], held: &Range<usize>) -> f64 {
    dot(&a[..held.start], &b[..held.start]) + dot(&a[held.end..], &b[held.end..])
}

/// Remembers a set if it is the best of its size.
fn keep(best: &mut Vec<(f64, Set)>, error: f64, set: &Set) {
    let size = set.columns.iter().filter(|j| **j != 0).count();
    if best.len() <= size {
        best.resize(size + 1, (f64::INFINITY, Set::default()));
    }
    if error < best[size].0 {
        best[size] = (error, set.clone());
    }
}
