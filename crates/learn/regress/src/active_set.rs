//! The active-set method of non-negative least squares.
//!
//! Lawson & Hanson (1974), chapter 23, on normal equations (Bro & de Jong 1997): the passive set's Gram matrix is kept as
//! a Cholesky factor that grows and shrinks with the set. Deviations: a column that rounding refuses is tried again only
//! after the solution has moved, and the method may begin with a set that is likely to be passive, such as that of a
//! similar problem.

use faer::Mat;

use crate::cholesky::Factor;

/// A gradient below this (columns and target of unit length) is zero.
const GRADIENT: f64 = 1e-11;
/// Less than this share of a column is new: it does not enter the passive set.
const NEW_SHARE: f64 = 1e-12;

/// Exchanges in a row that may leave as many columns on the wrong side as before.
const CHANCES: usize = 3;

/// Inner products of columns of unit length with each other and with the target.
pub(crate) trait Products {
    /// Of every column with the target.
    fn correlation(&self) -> &[f64];

    /// Of two columns.
    fn inner(&self, i: usize, j: usize) -> f64;

    /// Of every column with the residual at `x`; any value for passive ones.
    fn gradient(&self, x: &[f64], passive: &[usize]) -> Vec<f64>;
}

/// Where the method ended.
pub(crate) struct Found {
    pub x: Vec<f64>,
    pub passive: Vec<usize>,
    /// Columns taken into or out of the passive set.
    pub steps: usize,
}

/// The state of the method.
pub(crate) struct Solver<'a, P> {
    products: &'a P,
    passive: Vec<usize>,
    in_passive: Vec<bool>,
    refused: Vec<bool>,
    /// Of the passive Gram matrix.
    factor: Factor,
    x: Vec<f64>,
    steps: usize,
}

impl<'a, P: Products> Solver<'a, P> {
    pub fn new(products: &'a P, columns: usize) -> Self {
        Self {
            products,
            passive: Vec::new(),
            in_passive: vec![false; columns],
            refused: vec![false; columns],
            factor: Factor::default(),
            x: vec![0.0; columns],
            steps: 0,
        }
    }

    /// Runs to the optimum.
    pub fn run(mut self) -> Found {
        let limit = 10 * self.x.len() + 100;
        'moved: loop {
            let w = self.products.gradient(&self.x, &self.passive);
            loop {
                let entering = (0..w.len())
                    .filter(|&j| !self.in_passive[j] && !self.refused[j] && w[j] > GRADIENT)
                    .max_by(|&i, &j| w[i].total_cmp(&w[j]).then(j.cmp(&i)));
                let Some(entering) = entering else {
                    break 'moved;
                };
                if self.push(entering) && self.step_to_feasible() {
                    self.refused.fill(false);
                    break;
                }
                self.refused[entering] = true;
            }
            if self.steps > limit {
                break; // rounding makes the set cycle; the violation is reported
            }
        }
        Found {
            x: self.x,
            passive: self.passive,
            steps: self.steps,
        }
    }

    /// Exchanges all columns on the wrong side at once, as long as that makes them fewer (block principal pivoting,
    /// Portugal, Júdice & Vicente 1994); what it cannot finish, single exchanges do.
    pub fn exchange(&mut self, start: &[usize]) {
        let mut passive = start.to_vec();
        let (mut fewest, mut chances) = (usize::MAX, CHANCES);
        while let Some((factor, z)) = self.solution_over(&passive) {
            let mut x = vec![0.0; self.x.len()];
            for (&j, z) in passive.iter().zip(&z) {
                x[j] = *z;
            }
            let mut inside = vec![false; x.len()];
            for &j in &passive {
                inside[j] = true;
            }
            let w = self.products.gradient(&x, &passive);
            let wrong = |j: usize| {
                if inside[j] {
                    x[j] <= 0.0
                } else {
                    w[j] > GRADIENT
                }
            };
            let exchanged: Vec<usize> = (0..x.len()).filter(|&j| wrong(j)).collect();
            if exchanged.is_empty() {
                (self.x, self.in_passive) = (x, inside);
                (self.factor, self.passive) = (factor, passive);
                return;
            }
            if exchanged.len() < fewest {
                (fewest, chances) = (exchanged.len(), CHANCES);
            } else if chances == 0 {
                return self.begin(&passive);
            } else {
                chances -= 1;
            }
            for &j in &exchanged {
                inside[j] = !inside[j];
            }
            passive = (0..inside.len()).filter(|&j| inside[j]).collect();
        }
    }

    /// The least-squares solution over those of `start` that stay positive when the others are dropped.
    fn begin(&mut self, start: &[usize]) {
        let mut start = start.to_vec();
        while let Some((factor, z)) = self.solution_over(&start) {
            let positive: Vec<usize> = (0..z.len()).filter(|&at| z[at] > 0.0).collect();
            if positive.len() == z.len() {
                for (&j, z) in start.iter().zip(&z) {
                    self.x[j] = *z;
                    self.in_passive[j] = true;
                }
                (self.factor, self.passive) = (factor, start);
                return;
            }
            start = positive.into_iter().map(|at| start[at]).collect();
        }
    }

    /// `None` when the columns are dependent.
    fn solution_over(&self, columns: &[usize]) -> Option<(Factor, Vec<f64>)> {
        let inner = |i: usize, j: usize| self.products.inner(columns[i], columns[j]);
        let gram = Mat::from_fn(columns.len(), columns.len(), inner);
        let factor = Factor::of(&gram, NEW_SHARE)?;
        let all = self.products.correlation();
        let right: Vec<f64> = columns.iter().map(|&j| all[j]).collect();
        let z = factor.solve(&right);
        Some((factor, z))
    }

    /// Moves to the least-squares solution of the passive set, dropping columns that would become negative. False, and
    /// nothing has moved, when the last one is negative itself: the gradient said up, rounding says down.
    fn step_to_feasible(&mut self) -> bool {
        let mut first = true;
        loop {
            let z = self.solve_passive();
            if first && z.last().is_some_and(|z| *z <= 0.0) {
                self.drop_at(self.passive.len() - 1);
                return false;
            }
            first = false;
            let ratio = |at: usize| self.x[self.passive[at]] / (self.x[self.passive[at]] - z[at]);
            let blocking = (0..z.len())
                .filter(|&at| z[at] <= 0.0)
                .min_by(|&i, &j| ratio(i).total_cmp(&ratio(j)));
            let step = blocking.map_or(1.0, ratio);
            for (&j, z) in self.passive.iter().zip(&z) {
                self.x[j] += step * (z - self.x[j]);
            }
            let Some(blocking) = blocking else {
                return true;
            };
            for at in (0..z.len()).rev() {
                if at == blocking || (z[at] <= 0.0 && self.x[self.passive[at]] <= 1e-14) {
                    self.drop_at(at);
                }
            }
        }
    }

    fn push(&mut self, j: usize) -> bool {
        let inner = |&k: &usize| self.products.inner(j, k);
        let products: Vec<f64> = self.passive.iter().map(inner).collect();
        let own = self.products.inner(j, j);
        let fits = self.factor.push(&products, own, NEW_SHARE);
        if fits {
            self.passive.push(j);
            self.in_passive[j] = true;
            self.steps += 1;
        }
        fits
    }

    fn drop_at(&mut self, at: usize) {
        let j = self.passive.remove(at);
        self.in_passive[j] = false;
        self.x[j] = 0.0;
        self.steps += 1;
        self.factor.remove(at);
    }

    fn solve_passive(&self) -> Vec<f64> {
        let all = self.products.correlation();
        let right: Vec<f64> = self.passive.iter().map(|&j| all[j]).collect();
        self.factor.solve(&right)
    }
}
