//! Levenberg–Marquardt within bounds.
//!
//! After Moré (The Levenberg–Marquardt algorithm: implementation and theory, 1978), whose trust region in scaled variables,
//! choice of the damping parameter by Newton's method on the secular equation, and tests of convergence are those of
//! MINPACK's `lmder`. Each step solves the linear problem by QR, never by normal equations.
//!
//! Deviation: bounds. A parameter at its bound whose gradient points outwards is left out of the step; what a step carries
//! across a bound is cut off at it, and the gain is judged for the step as cut. With enough damping this is a projected
//! gradient step, so progress is made unless the point is stationary.

use faer::Mat;

use super::triangle::{dot, triangle};

/// What a step needs to know of a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluation {
    /// Weighted residuals, measured − predicted.
    pub residuals: Vec<f64>,
    /// Derivative of the weighted predictions by each parameter, one column each.
    pub jacobian: Vec<Vec<f64>>,
}

/// The functions to be fitted.
pub(super) trait LeastSquaresProblem {
    /// Residuals and Jacobian, which share most of their work; the memory of the last evaluation is used again.
    fn evaluate(&self, parameters: &[f64], out: &mut Evaluation);

    /// The same in new memory.
    fn at(&self, parameters: &[f64]) -> Evaluation {
        let mut out = Evaluation::default();
        self.evaluate(parameters, &mut out);
        out
    }
}

/// How the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No step reduces the sum of squares by more than rounding.
    Converged,
    /// The iterations were used up.
    Iterations,
    /// Predictions or derivatives are not finite at the start, or derivatives later.
    NotFinite,
}

/// Where the search ended.
#[derive(Clone, Debug)]
pub(super) struct Minimum {
    pub parameters: Vec<f64>,
    pub rss: f64,
    pub iterations: u32,
    pub ending: Ending,
}

/// Lower and upper bound of every parameter, and when to stop.
pub(super) struct Search<'a> {
    pub bounds: &'a [(f64, f64)],
    /// First radius of the trust region, in lengths of the scaled start.
    pub radius: f64,
    pub iterations: u32,
}

/// Reduction of the sum of squares, relative, below which it is called rounding.
const ENOUGH: f64 = 1e-14;

/// Where a full step promises no more than this, a trial would see rounding alone.
const ROUNDING: f64 = 1e-15;

/// Trials of one step: more than it takes to halve the largest radius until it is no normal number.
const TRIALS: u32 = 2200;

impl Search<'_> {
    /// Minimises from a start within the bounds.
    pub(super) fn minimise(&self, problem: &dyn LeastSquaresProblem, start: &[f64]) -> Minimum {
        let mut state = Minimum {
            parameters: start.to_vec(),
            rss: f64::INFINITY,
            iterations: 0,
            ending: Ending::NotFinite,
        };
        let mut here = problem.at(start);
        let mut next = Evaluation::default();
        state.rss = sum_of_squares(&here.residuals);
        if !state.rss.is_finite() {
            return state;
        }
        let mut scale = vec![0.0_f64; start.len()];
        let mut trust = Trust {
            radius: f64::NAN,
            damping: 0.0,
        };
        while state.iterations < self.iterations {
            if !widen(&mut scale, &here.jacobian) {
                return state;
            }
            state.iterations += 1;
            if trust.radius.is_nan() {
                let length = scaled_norm(&scale, &state.parameters);
                trust.radius = self.radius * if length > 0.0 { length } else { 1.0 };
            }
            let free = self.free(&state.parameters, &here);
            let linear = Linear::new(&here, &free, &scale);
            if linear.is_stationary(state.rss) {
                state.ending = Ending::Converged;
                return state;
            }
            match self.step(problem, &mut state, &linear, &mut trust, &scale, &mut next) {
                Step::Taken => std::mem::swap(&mut here, &mut next),
                Step::Last => {
                    state.ending = Ending::Converged;
                    return state;
                }
            }
        }
        state.ending = Ending::Iterations;
        state
    }

    /// Parameters that may move: not held at a bound by the gradient.
    fn free(&self, parameters: &[f64], at: &Evaluation) -> Vec<usize> {
        let downhill = |j: usize| dot(&at.jacobian[j], &at.residuals);
        let may_move = |&j: &usize| {
            let (lower, upper) = self.bounds[j];
            lower < upper
                && !(parameters[j] <= lower && downhill(j) < 0.0)
                && !(parameters[j] >= upper && downhill(j) > 0.0)
        };
        (0..parameters.len()).filter(may_move).collect()
    }

    /// Shrinks the trust region until a step gains something.
    fn step(
        &self,
        problem: &dyn LeastSquaresProblem,
        state: &mut Minimum,
        linear: &Linear,
        trust: &mut Trust,
        scale: &[f64],
        evaluation: &mut Evaluation,
    ) -> Step {
        for _ in 0..TRIALS {
            let direction = linear.step(trust);
            let mut next = state.parameters.clone();
            for (&j, d) in linear.free.iter().zip(&direction) {
                let (lower, upper) = self.bounds[j];
                next[j] = (next[j] + d).clamp(lower, upper);
            }
            let moved: Vec<f64> = next
                .iter()
                .zip(&state.parameters)
                .map(|(a, b)| a - b)
                .collect();
            let length = scaled_norm(scale, &moved);
            let expected = linear.expected_gain(&moved) / state.rss;
            if trust.damping == 0.0 && (0.0..=ROUNDING).contains(&expected) {
                return Step::Last;
            }
            problem.evaluate(&next, evaluation);
            let rss = sum_of_squares(&evaluation.residuals);
            let gain = 1.0 - rss / state.rss;
            let gain = if gain.is_finite() {
                gain
            } else {
                f64::NEG_INFINITY
            };
            let ratio = if expected > 0.0 { gain / expected } else { 0.0 };
            // Of two infinities nothing follows: the region shrinks.
            let ratio = if ratio.is_nan() { 0.0 } else { ratio };
            trust.adapt(ratio, gain, expected, length);
            let at = scaled_norm(scale, &next);
            let small = trust.radius <= f64::EPSILON * at || length == 0.0;
            if ratio >= 1e-4 {
                state.parameters = next;
                state.rss = rss;
                let settled = gain.abs() <= ENOUGH && expected <= ENOUGH && ratio <= 2.0;
                if rss == 0.0 || settled || small {
                    return Step::Last;
                }
                return Step::Taken;
            }
            if small || (gain.abs() <= ENOUGH && expected <= ENOUGH) || !trust.radius.is_normal() {
                return Step::Last;
            }
        }
        Step::Last
    }
}

enum Step {
    Taken,
    Last,
}

/// Raises the scales to the lengths of the gradients; says whether these are finite.
fn widen(scale: &mut [f64], jacobian: &[Vec<f64>]) -> bool {
    for (s, column) in scale.iter_mut().zip(jacobian) {
        let norm = sum_of_squares(column).sqrt();
        if !norm.is_finite() && column.iter().any(|x| !x.is_finite()) {
            return false;
        }
        *s = if *s == 0.0 && norm == 0.0 {
            1.0
        } else {
            s.max(norm)
        };
    }
    true
}

struct Trust {
    radius: f64,
    damping: f64,
}

impl Trust {
    /// MINPACK's rules.
    fn adapt(&mut self, ratio: f64, gain: f64, expected: f64, length: f64) {
        if ratio <= 0.25 {
            let shrink = if gain >= 0.0 {
                0.5
            } else {
                (0.5 * expected / (expected - gain)).max(0.1)
            };
            let shrink = if shrink.is_finite() { shrink } else { 0.1 };
            self.radius = shrink * self.radius.min(10.0 * length);
            self.damping /= shrink;
        } else if self.damping == 0.0 || ratio >= 0.75 {
            self.radius = 2.0 * length;
            self.damping *= 0.5;
        }
    }
}

/// The linearised problem of the free parameters: R and Qᵀr of the Jacobian, in scaled variables.
struct Linear {
    free: Vec<usize>,
    scale: Vec<f64>,
    upper: Mat<f64>,
    rotated: Vec<f64>,
}

impl Linear {
    fn new(at: &Evaluation, free: &[usize], scale: &[f64]) -> Self {
        let scale: Vec<f64> = free.iter().map(|&j| scale[j]).collect();
        let columns: Vec<&[f64]> = free.iter().map(|&j| at.jacobian[j].as_slice()).collect();
        let (upper, rotated) = triangle(&columns, &scale, &at.residuals);
        Self {
            free: free.to_vec(),
            scale,
            upper,
            rotated,
        }
    }

    /// Whether no free parameter's column has an angle with the residuals worth following.
    fn is_stationary(&self, rss: f64) -> bool {
        rss == 0.0
            || (0..self.free.len()).all(|k| {
                let dot: f64 = (0..=k).map(|i| self.upper[(i, k)] * self.rotated[i]).sum();
                let norm: f64 = (0..=k).map(|i| self.upper[(i, k)].powi(2)).sum();
                dot == 0.0 || dot.abs() <= f64::EPSILON * (norm * rss).sqrt()
            })
    }

    /// Reduction of the sum of squares that the linear model promises for a move of all parameters.
    fn expected_gain(&self, moved: &[f64]) -> f64 {
        let p = self.free.len();
        let z: Vec<f64> = (0..p)
            .map(|k| moved[self.free[k]] * self.scale[k])
            .collect();
        (0..p)
            .map(|i| {
                let t: f64 = (i..p).map(|k| self.upper[(i, k)] * z[k]).sum();
                t * (2.0 * self.rotated[i] - t)
            })
            .sum()
    }

    /// The step whose scaled length is the radius, or the full one if that is shorter (MINPACK's `lmpar`).
    fn step(&self, trust: &mut Trust) -> Vec<f64> {
        let p = self.free.len();
        let gradient: Vec<f64> = (0..p)
            .map(|k| (0..=k).map(|i| self.upper[(i, k)] * self.rotated[i]).sum())
            .collect();
        let mut lowest = 0.0;
        if self.is_regular() {
            let full = back_substituted(&self.upper, &self.rotated);
            let excess = norm(&full) - trust.radius;
            if excess <= 0.1 * trust.radius {
                trust.damping = 0.0;
                return self.unscaled(&full);
            }
            lowest = excess / trust.radius / Self::slope(&self.upper, &full);
        }
        let mut highest = norm(&gradient) / trust.radius;
        if highest == 0.0 {
            highest = f64::MIN_POSITIVE / trust.radius.min(0.1);
        }
        let mut damping = trust.damping.clamp(lowest, highest);
        if damping == 0.0 {
            damping = norm(&gradient) / trust.radius;
        }
        let mut step = Vec::new();
        for _ in 0..12 {
            if damping == 0.0 {
                damping = (1e-3 * highest).max(f64::MIN_POSITIVE);
            }
            let upper;
            (upper, step) = self.damped(damping);
            let excess = norm(&step) - trust.radius;
            if excess.abs() <= 0.1 * trust.radius {
                break;
            }
            if excess > 0.0 {
                lowest = lowest.max(damping);
            } else {
                highest = highest.min(damping);
            }
            damping = lowest.max(damping + excess / trust.radius / Self::slope(&upper, &step));
        }
        trust.damping = damping;
        self.unscaled(&step)
    }

    /// −φ′/φ's denominator: squared length of R⁻ᵀ times the unit step.
    fn slope(upper: &Mat<f64>, step: &[f64]) -> f64 {
        let length = norm(step);
        let mut w: Vec<f64> = step.iter().map(|x| x / length).collect();
        for i in 0..w.len() {
            let known: f64 = (0..i).map(|k| upper[(k, i)] * w[k]).sum();
            w[i] = (w[i] - known) / upper[(i, i)];
        }
        w.iter().map(|x| x * x).sum()
    }

    fn is_regular(&self) -> bool {
        let diagonal = (0..self.free.len()).map(|k| self.upper[(k, k)].abs());
        let largest = diagonal.clone().fold(0.0, f64::max);
        diagonal.fold(f64::INFINITY, f64::min) > 1e-14 * largest
    }

    /// The triangle of the damped problem and its solution.
    fn damped(&self, damping: f64) -> (Mat<f64>, Vec<f64>) {
        let p = self.free.len();
        let root = damping.sqrt();
        let diagonal = |k: usize, i: usize| if i == p + k { root } else { 0.0 };
        let column = |k: usize| -> Vec<f64> {
            let top = (0..p).map(|i| self.upper[(i, k)]);
            top.chain((p..2 * p).map(|i| diagonal(k, i))).collect()
        };
        let columns: Vec<Vec<f64>> = (0..p).map(column).collect();
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut right = self.rotated.clone();
        right.resize(2 * p, 0.0);
        let (upper, rotated) = triangle(&views, &vec![1.0; p], &right);
        let step = back_substituted(&upper, &rotated);
        (upper, step)
    }

    fn unscaled(&self, step: &[f64]) -> Vec<f64> {
        step.iter().zip(&self.scale).map(|(z, s)| z / s).collect()
    }
}

fn back_substituted(upper: &Mat<f64>, right: &[f64]) -> Vec<f64> {
    let mut x = right.to_vec();
    for i in (0..x.len()).rev() {
        let known: f64 = (i + 1..x.len()).map(|k| upper[(i, k)] * x[k]).sum();
        x[i] = (x[i] - known) / upper[(i, i)];
    }
    x
}

pub(super) fn sum_of_squares(x: &[f64]) -> f64 {
    dot(x, x)
}

fn norm(x: &[f64]) -> f64 {
    sum_of_squares(x).sqrt()
}

fn scaled_norm(scale: &[f64], x: &[f64]) -> f64 {
    scale
        .iter()
        .zip(x)
        .map(|(s, v)| (s * v).powi(2))
        .sum::<f64>()
        .sqrt()
}
