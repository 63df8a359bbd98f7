//! Coordinate descent for the lasso and the elastic net at given penalties, in the units of [`super::scaled`].
//!
//! Friedman, Hastie & Tibshirani (2010): covariance updates, warm starts from the solution before, and sweeps over an
//! active set. Deviation: a set that has settled is solved exactly by Cholesky, so what is returned satisfies the
//! optimality conditions to rounding instead of to the tolerance of the sweeps. It serves where the path is not linear
//! in λ (elastic net) and where ties defeat the homotopy.

use std::collections::BTreeMap;

use super::homotopy::{Corner, Gram, NEW_SHARE};
use super::scaled::Scaled;
use crate::cholesky::Factor;

/// Sweeps over the active set before it is tried exactly.
const SWEEPS: usize = 50;
/// Rounds of sweeps, exact solution and check.
const ROUNDS: usize = 2000;
/// A correlation this much above its bound belongs into the active set.
const MISSED: f64 = 1e-13;

/// Columns of the Gram matrix of all columns, each worked out when it is first needed.
pub(crate) struct OnDemand<'p, 'a> {
    pub problem: &'p Scaled<'a>,
    pub known: BTreeMap<usize, Vec<f64>>,
}

impl Gram for OnDemand<'_, '_> {
    fn load(&mut self, j: usize) {
        if !self.known.contains_key(&j) {
            let column = self.problem.matrix(&[j]);
            let scores = self.problem.scores(column.as_ref());
            self.known.insert(j, scores.col_as_slice(0).to_vec());
        }
    }

    fn column(&self, j: usize) -> &[f64] {
        self.known.get(&j).map_or(&[], Vec::as_slice)
    }
}

/// What is minimised: ½‖t − Zθ‖² + Σ bound_j |θ_j| + ½ Σ ridge_j θ_j².
#[derive(Clone, Debug)]
pub(crate) struct Penalty {
    /// Reported as the μ of the corner.
    pub mu: f64,
    pub bound: Vec<f64>,
    pub ridge: Vec<f64>,
}

/// Solves for each penalty in turn, starting from the solution before.
pub(crate) struct Descent<'a, G: ?Sized> {
    pub gram: &'a mut G,
    pub correlation: &'a [f64],
    pub non_negative: bool,
    theta: Vec<f64>,
}

impl<'a, G: Gram + ?Sized> Descent<'a, G> {
    pub(crate) fn new(gram: &'a mut G, correlation: &'a [f64], non_negative: bool) -> Self {
        Self {
            gram,
            correlation,
            non_negative,
            theta: vec![0.0; correlation.len()],
        }
    }

    pub(crate) fn solve(&mut self, penalty: &Penalty) -> Corner {
        let mut set: Vec<usize> = (0..self.theta.len())
            .filter(|&j| self.theta[j] != 0.0)
            .collect();
        let mut now = self.gradient();
        for _ in 0..ROUNDS {
            for &j in &set {
                self.gram.load(j);
            }
            let moved = self.sweep(&set, penalty);
            let exact = self.polish(penalty);
            now = self.gradient();
            set.retain(|&j| self.theta[j] != 0.0);
            let known = set.len();
            set.extend((0..self.theta.len()).filter(|&j| {
                self.theta[j] == 0.0 && self.signed(now[j]) > penalty.bound[j] + MISSED
            }));
            set.sort_unstable();
            if set.len() == known && (exact || moved <= 1e-16) {
                break;
            }
        }
        self.corner(penalty, &now)
    }

    fn signed(&self, c: f64) -> f64 {
        if self.non_negative { c } else { c.abs() }
    }

    /// c = Zᵀ(t − Zθ).
    fn gradient(&self) -> Vec<f64> {
        let mut now = self.correlation.to_vec();
        for (j, theta) in self.theta.iter().enumerate().filter(|t| *t.1 != 0.0) {
            for (c, g) in now.iter_mut().zip(self.gram.column(j)) {
                *c -= theta * g;
            }
        }
        now
    }

    /// Sweeps over a set until nothing moves much; how far the last sweep moved.
    fn sweep(&mut self, set: &[usize], penalty: &Penalty) -> f64 {
        let gram: Vec<Vec<f64>> = set
            .iter()
            .map(|&j| set.iter().map(|&i| self.gram.column(j)[i]).collect())
            .collect();
        let mut now: Vec<f64> = set.iter().map(|&j| self.correlation[j]).collect();
        for (column, &j) in gram.iter().zip(set) {
            for (c, g) in now.iter_mut().zip(column) {
                *c -= self.theta[j] * g;
            }
        }
        let mut moved = 0.0_f64;
        for _ in 0..SWEEPS {
            moved = 0.0;
            for (k, &j) in set.iter().enumerate() {
                let own = gram[k][k];
                let pull = now[k] + own * self.theta[j];
                let shrunk = (self.signed(pull) - penalty.bound[j])
                    .max(0.0)
                    .copysign(pull);
                let new = if shrunk == 0.0 {
                    0.0
                } else {
                    shrunk / (own + penalty.ridge[j])
                };
                let step = new - self.theta[j];
                if step != 0.0 {
                    self.theta[j] = new;
                    moved = moved.max(step.abs());
                    for (c, g) in now.iter_mut().zip(&gram[k]) {
                        *c -= step * g;
                    }
                }
            }
            if moved <= 1e-9 {
                break;
            }
        }
        moved
    }

    /// Solves the active columns exactly, if that keeps every sign.
    fn polish(&mut self, penalty: &Penalty) -> bool {
        let active: Vec<usize> = (0..self.theta.len())
            .filter(|&j| self.theta[j] != 0.0)
            .collect();
        let entry = |i: usize, j: usize| {
            self.gram.column(j)[i] + if i == j { penalty.ridge[j] } else { 0.0 }
        };
        let mut factor = Factor::default();
        for (k, &j) in active.iter().enumerate() {
            let products: Vec<f64> = active[..k].iter().map(|&i| entry(i, j)).collect();
            if !factor.push(&products, entry(j, j), NEW_SHARE) {
                return false;
            }
        }
        let mut left: Vec<f64> = active
            .iter()
            .map(|&j| self.correlation[j] - penalty.bound[j].copysign(self.theta[j]))
            .collect();
        let mut solution = vec![0.0; active.len()];
        for _ in 0..2 {
            let step = factor.solve(&left);
            for (k, (x, d)) in solution.iter_mut().zip(&step).enumerate() {
                *x += d;
                for (l, &i) in left.iter_mut().zip(&active) {
                    *l -= d * entry(i, active[k]);
                }
            }
        }
        let keeps = |(x, &j): (&f64, &usize)| {
            x * self.theta[j] > 0.0 || (penalty.bound[j] == 0.0 && !self.non_negative)
        };
        if !solution.iter().zip(&active).all(keeps) {
            return false;
        }
        for (x, &j) in solution.iter().zip(&active) {
            self.theta[j] = *x;
        }
        true
    }

    fn corner(&self, penalty: &Penalty, now: &[f64]) -> Corner {
        let mut corner = Corner {
            mu: penalty.mu,
            ..Corner::default()
        };
        for (j, (&theta, c)) in self.theta.iter().zip(now).enumerate() {
            let over = if theta == 0.0 {
                self.signed(*c) - penalty.bound[j]
            } else {
                (c - penalty.ridge[j] * theta - penalty.bound[j].copysign(theta)).abs()
            };
            corner.violation = corner.violation.max(over);
            if theta != 0.0 {
                corner.active.push(j);
                corner.sign.push(theta.signum());
                corner.theta.push(theta);
            }
        }
        corner
    }
}
