//! The exact lasso path by homotopy, in the units of [`super::scaled`].
//!
//! Osborne, Presnell & Turlach (2000) and Efron et al. (2004, §3.1, LARS with the lasso's drop step), with penalty
//! weights. While the active set A and its signs s stay, θ_A(μ) = G_AA⁻¹(c_A − μ u_A s_A) is linear in μ, and so is every
//! correlation; the next knot is where an inactive correlation meets its bound or an active coefficient meets zero.
//!
//! Deviations: at every knot θ is solved for afresh (with one step of refinement where it moves anything) instead of being added up, so errors
//! do not accumulate. Where several events coincide, the one with the lowest column goes first and no knot is emitted
//! until none is left: Murty's least-index rule, which cannot cycle. A column that the active ones explain completely
//! does not enter; its correlation then stays within its bound by itself.
//!
//! A Gram matrix knows a column's new share only to its rounding. Where little of a column is new, the share is measured
//! on the data, and from the first such column on all is worked out with an orthonormal basis of them (`precise`). Limit: far below the
//! largest λ coefficients of columns that differ by a millionth grow until doubles do not hold them to nine digits; there
//! the path ends (`solve`).

#![expect(
    clippy::inline_always,
    reason = "loops are compiled for wider vectors only where they are inlined into the dispatching function"
)]

use super::precise::{Basis, Solution, new_share};
use crate::cholesky::Factor;
use crate::wide::{accumulate, inner, wide};

/// A column enters only if more than this share of its squared length is new.
pub(crate) const NEW_SHARE: f64 = 1e-14;
/// Below this share the Gram matrix has lost half the digits: the data are asked, if they are at hand.
const DOUBTFUL: f64 = 1e-8;
/// The same as [`NEW_SHARE`] for a share measured on the data: what is left of such a column moves no correlation by 4e-10.
const MEASURED_SHARE: f64 = 1e-19;
/// Events within this share of μ coincide.
const WINDOW: f64 = 1e-11;
/// Steps below this share of μ have no length.
const NO_STEP: f64 = 1e-13;
/// μ falls at most to this share of itself before the next event is worked out again: a smaller one would be a difference
/// of nearly equal numbers.
const FAR: f64 = 1e-3;

/// A solution of the normal equations that leaves no more than this share of the right side needs no refinement.
const SOLVED: f64 = 16.0 * f64::EPSILON;

/// Inner products of the columns, one column of the Gram matrix at a time.
pub(crate) trait Gram {
    /// Makes a column available.
    fn load(&mut self, j: usize);
    /// Inner products of all columns with column `j`, which has been loaded.
    fn column(&self, j: usize) -> &[f64];
    /// The columns themselves, where they are at hand.
    fn data(&self) -> Option<&dyn Data> {
        None
    }
}

/// Standardised columns.
pub(crate) trait Data {
    /// One column.
    fn vector(&self, j: usize) -> Vec<f64>;
    /// The target, t.
    fn target(&self) -> &[f64];
    /// Inner products of all columns with a vector.
    fn scores(&self, vector: &[f64]) -> Vec<f64>;
}

/// The problem as the homotopy sees it.
pub(crate) struct Problem<'a, G> {
    pub gram: &'a mut G,
    /// c, zᵀt of every column.
    pub correlation: &'a [f64],
    /// u, the weight of every column's penalty.
    pub penalty: &'a [f64],
    /// Among coinciding events the lowest goes first.
    pub order: &'a [usize],
    pub non_negative: bool,
}

/// One corner of the path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corner {
    pub mu: f64,
    pub active: Vec<usize>,
    /// Parallel to `active`; so is `theta`.
    pub sign: Vec<f64>,
    pub theta: Vec<f64>,
    pub violation: f64,
}

/// Why the homotopy came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The end of the path.
    Finished,
    /// As many corners as were asked for.
    Paused,
    /// Coinciding events did not resolve: rounding.
    Stalled,
}

/// Where the path is, and how it goes on as μ falls.
struct Position {
    theta: Vec<f64>,
    /// −dθ/dμ of the active columns.
    direction: Vec<f64>,
    correlation: Vec<f64>,
    /// −dc/dμ = Gᵀ·direction of all columns.
    slope: Vec<f64>,
}

/// A change of the active set.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Join(usize, f64),
    Leave(usize),
}

/// The state of the path.
pub(crate) struct Homotopy<'a, G> {
    problem: Problem<'a, G>,
    mu: f64,
    active: Vec<usize>,
    sign: Vec<f64>,
    inside: Vec<bool>,
    refused: Vec<bool>,
    factor: Factor,
    /// Rows of the lower half of G_AA, side by side in memory.
    inner: Vec<Vec<f64>>,
    leavings: usize,
    /// The path ends where no more than this share of the target's square is unexplained; negative for never.
    pub saturation: f64,
    /// So many of the last columns joined at the current μ: their coefficients are zero.
    fresh: usize,
    /// Of the active columns, once one of them was in doubt.
    basis: Option<Basis>,
    /// Whether a column in doubt had to enter by the Gram matrix alone.
    pub doubtful: bool,
}

impl<'a, G: Gram> Homotopy<'a, G> {
    /// Starts where no penalised column is active.
    pub(crate) fn new(problem: Problem<'a, G>) -> Self {
        let free: Vec<usize> = (0..problem.penalty.len())
            .filter(|&j| problem.penalty[j] == 0.0)
            .collect();
        let start = Corner {
            mu: f64::INFINITY,
            sign: vec![0.0; free.len()],
            active: free,
            ..Corner::default()
        };
        let mut path = Self::resume(problem, &start);
        let at = path.position();
        path.mu = (0..at.correlation.len())
            .filter(|&j| path.problem.penalty[j] > 0.0)
            .map(|j| path.signed(at.correlation[j]) / path.problem.penalty[j])
            .fold(0.0, f64::max);
        path
    }

    /// Goes on from a corner.
    pub(crate) fn resume(problem: Problem<'a, G>, corner: &Corner) -> Self {
        let p = problem.penalty.len();
        let mut path = Self {
            problem,
            mu: corner.mu,
            active: Vec::new(),
            sign: Vec::new(),
            inside: vec![false; p],
            refused: vec![false; p],
            factor: Factor::default(),
            inner: Vec::new(),
            leavings: 0,
            saturation: -1.0,
            fresh: 0,
            basis: None,
            doubtful: false,
        };
        for (&j, &s) in corner.active.iter().zip(&corner.sign) {
            path.push(j, s);
        }
        let coming = corner.theta.iter().rev().take_while(|t| **t == 0.0);
        path.fresh = coming.count().min(path.active.len());
        path
    }

    pub(crate) fn mu(&self) -> f64 {
        self.mu
    }

    /// Follows the path down to `end`, or for so many corners.
    pub(crate) fn advance(&mut self, corners: usize, end: f64) -> (Vec<Corner>, Ended) {
        let mut found = Vec::new();
        let mut without_step = 0;
        let mut passing = false;
        loop {
            let at = self.position();
            let (step, event) = self.next(&at);
            if let Some(event) = event.filter(|_| step <= NO_STEP * self.mu && self.mu > end) {
                without_step += 1;
                if without_step > 4 * self.inside.len() + 50 {
                    return (found, Ended::Stalled);
                }
                self.apply(event);
                continue;
            }
            if !passing {
                found.push(self.corner(&at));
            }
            if self.mu <= end || self.unexplained(&at) <= self.saturation {
                return (found, Ended::Finished);
            }
            passing = false;
            match event {
                Some(_) if self.mu - step < FAR * self.mu && FAR * self.mu > end => {
                    self.mu *= FAR;
                    self.fresh = 0;
                    passing = true;
                }
                Some(event) if self.mu - step > end => {
                    if found.len() >= corners {
                        return (found, Ended::Paused);
                    }
                    self.mu -= step;
                    self.fresh = 0;
                    without_step = 0;
                    self.apply(event);
                }
                _ => {
                    self.mu = end;
                    self.fresh = 0;
                }
            }
        }
    }

    /// What of a correlation counts against the bound.
    fn signed(&self, c: f64) -> f64 {
        if self.problem.non_negative {
            c
        } else {
            c.abs()
        }
    }

    fn push(&mut self, j: usize, sign: f64) -> bool {
        self.problem.gram.load(j);
        let column = self.problem.gram.column(j);
        let mut products: Vec<f64> = self.active.iter().map(|&i| column[i]).collect();
        products.push(column[j]);
        if !self.enter(j, &products) {
            self.refused[j] = true;
            return false;
        }
        self.inner.push(products);
        self.active.push(j);
        self.sign.push(sign);
        self.inside[j] = true;
        true
    }

    /// Adds a column to the factor, from its inner products with the active ones and itself, if enough of it is new.
    fn enter(&mut self, j: usize, products: &[f64]) -> bool {
        let (own, products) = products.split_last().expect("its own square");
        let (row, rest) = self.factor.project(products, *own);
        if rest > DOUBTFUL && self.basis.is_none() {
            return self.factor.push_row(row, rest, NEW_SHARE);
        }
        let Some(data) = self.problem.gram.data() else {
            let entered = self.factor.push_row(row, rest, NEW_SHARE);
            self.doubtful |= entered;
            return entered;
        };
        if self.basis.is_none() {
            let active: Vec<Vec<f64>> = self.active.iter().map(|&i| data.vector(i)).collect();
            if new_share(&self.factor, &active, data.vector(j)) <= MEASURED_SHARE {
                return false;
            }
            self.orthogonalise();
        }
        let (Some(basis), Some(data)) = (&mut self.basis, self.problem.gram.data()) else {
            return false;
        };
        let (row, left, rest) = basis.project(data.vector(j));
        let entered = self.factor.push_row(row, rest, MEASURED_SHARE);
        if entered {
            basis.push(left, rest);
        }
        entered
    }

    /// Makes basis and factor of the active columns from the data.
    fn orthogonalise(&mut self) {
        let Some(data) = self.problem.gram.data() else {
            return;
        };
        let mut basis = Basis::new(data.target());
        self.factor = Factor::default();
        for &j in &self.active {
            let (row, left, rest) = basis.project(data.vector(j));
            self.factor.push_row(row, rest, 0.0);
            basis.push(left, rest);
        }
        self.basis = Some(basis);
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Join(j, sign) => {
                self.fresh += usize::from(self.push(j, sign));
            }
            Event::Leave(at) => {
                if at + self.fresh >= self.active.len() {
                    self.fresh -= 1;
                }
                let j = self.active.remove(at);
                self.sign.remove(at);
                self.inner.remove(at);
                for row in &mut self.inner[at..] {
                    row.remove(at);
                }
                self.inside[j] = false;
                self.refused.fill(false);
                self.leavings += 1;
                if self.basis.is_some() {
                    self.orthogonalise();
                } else if self.leavings.is_multiple_of(16) {
                    self.refactor(); // rotations add up rounding
                } else {
                    self.factor.remove(at);
                }
            }
        }
    }

    fn refactor(&mut self) {
        self.factor = Factor::default();
        self.inner.clear();
        let (active, sign) = (
            std::mem::take(&mut self.active),
            std::mem::take(&mut self.sign),
        );
        for (&j, &s) in active.iter().zip(&sign) {
            self.inside[j] = self.push(j, s);
        }
    }

    /// G_AA⁻¹ right for the first columns of A, refined once.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut z = self.factor.solve(right);
        let left = wide(
            #[inline(always)]
            || self.left(right, &z),
        );
        let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest(&left) > SOLVED * largest(right) {
            for (z, d) in z.iter_mut().zip(self.factor.solve(&left)) {
                *z += d;
            }
        }
        z
    }

    /// right − G_AA z, within a wide loop.
    #[inline(always)]
    fn left(&self, right: &[f64], z: &[f64]) -> Vec<f64> {
        let mut left = right.to_vec();
        for (i, row) in self.inner[..z.len()].iter().enumerate() {
            left[i] -= inner(&z[..=i], row);
            accumulate(&mut left[..i], -z[i], row);
        }
        left
    }

    /// ‖t − Zθ‖² for a target of length one.
    fn unexplained(&self, at: &Position) -> f64 {
        let explained = self.active.iter().zip(&at.theta);
        let explained =
            explained.map(|(&j, t)| t * (self.problem.correlation[j] + at.correlation[j]));
        1.0 - explained.sum::<f64>()
    }

    fn position(&self) -> Position {
        let Problem {
            correlation,
            penalty,
            ..
        } = self.problem;
        let bound: Vec<f64> = self
            .active
            .iter()
            .zip(&self.sign)
            .map(|(&j, s)| penalty[j] * s)
            .collect();
        let settled = self.active.len() - self.fresh;
        if let (Some(basis), Some(data)) = (&self.basis, self.problem.gram.data()) {
            let Solution {
                theta,
                direction,
                residual,
                turn,
            } = basis.solve(&self.factor, &bound, self.mu, settled);
            return Position {
                correlation: data.scores(&residual),
                slope: data.scores(&turn),
                theta,
                direction,
            };
        }
        let right: Vec<f64> = self
            .active
            .iter()
            .zip(&bound)
            .map(|(&j, b)| correlation[j] - if *b == 0.0 { 0.0 } else { self.mu * b })
            .collect();
        let mut theta = self.solve(&right[..settled]);
        theta.resize(self.active.len(), 0.0);
        let direction = self.solve(&bound);
        let mut now = correlation.to_vec();
        let mut slope = vec![0.0; now.len()];
        wide(
            #[inline(always)]
            || {
                for (&j, (t, d)) in self.active.iter().zip(theta.iter().zip(&direction)) {
                    let column = self.problem.gram.column(j);
                    for ((c, q), g) in now.iter_mut().zip(&mut slope).zip(column) {
                        *c -= t * g;
                        *q += d * g;
                    }
                }
            },
        );
        Position {
            theta,
            direction,
            correlation: now,
            slope,
        }
    }

    /// The next event and how far μ falls until then.
    fn next(&self, at: &Position) -> (f64, Option<Event>) {
        let mut events: Vec<(f64, usize, Event)> = Vec::new();
        for j in (0..self.inside.len()).filter(|&j| !self.inside[j] && !self.refused[j]) {
            let u = self.problem.penalty[j];
            for sign in [1.0, -1.0] {
                if sign < 0.0 && self.problem.non_negative {
                    continue;
                }
                let gap = (self.mu * u - sign * at.correlation[j]).max(0.0);
                let rate = u - sign * at.slope[j];
                if rate > 1e-13 * u && gap < self.mu * rate * (1.0 + WINDOW) {
                    events.push((gap / rate, self.problem.order[j], Event::Join(j, sign)));
                }
            }
        }
        for (k, &j) in self.active.iter().enumerate() {
            let (value, rate) = (
                (at.theta[k] * self.sign[k]).max(0.0),
                -at.direction[k] * self.sign[k],
            );
            if rate > 0.0 && self.problem.penalty[j] > 0.0 && value < self.mu * rate {
                events.push((value / rate, self.problem.order[j], Event::Leave(k)));
            }
        }
        let shortest = events.iter().map(|e| e.0).fold(f64::INFINITY, f64::min);
        let window = shortest + WINDOW * self.mu;
        events
            .iter()
            .filter(|e| e.0 <= window)
            .min_by_key(|e| e.1)
            .map_or((f64::INFINITY, None), |e| (e.0, Some(e.2)))
    }

    fn corner(&self, at: &Position) -> Corner {
        let mut violation = 0.0_f64;
        for j in (0..self.inside.len()).filter(|&j| !self.inside[j]) {
            let over = self.signed(at.correlation[j]) - self.mu * self.problem.penalty[j];
            violation = violation.max(over);
        }
        for (&j, sign) in self.active.iter().zip(&self.sign) {
            let bound = self.mu * self.problem.penalty[j] * sign;
            violation = violation.max((at.correlation[j] - bound).abs());
        }
        let mut theta = at.theta.clone();
        for (t, sign) in theta.iter_mut().zip(&self.sign) {
            if *t * sign < 0.0 {
                violation = violation.max(t.abs()); // rounding took it beyond zero
                *t = 0.0;
            }
        }
        Corner {
            mu: self.mu,
            active: self.active.clone(),
            sign: self.sign.clone(),
            theta,
            violation,
        }
    }
}
