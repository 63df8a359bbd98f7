//! The exact path when columns are many: homotopy on a working set, checked against all columns.
//!
//! Between two corners every correlation and its bound are linear in μ, so a column that stays within its bound at
//! both stays within it in between. It is therefore enough to check all columns at the corners, many corners at a time
//! and most columns only at some of them ([`super::certificate`]). Where a column outside the set exceeds its bound
//! for the first time, the path is taken back to the corner before, the column joins the set, and the path goes on.
//! The check measures correlations on the data, so the violation reported for a corner is that of the data.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

use super::certificate::{Measured, measure};
use super::gram::{Growing, Sourced};
use super::homotopy::{Corner, Ended, Gram, Homotopy, Problem};
use super::scaled::Scaled;

/// Up to this many columns the complete Gram matrix is formed.
pub(crate) const COMPLETE: usize = 512;
/// Columns in the first working set, and at least so many per extension.
const FIRST: usize = 256;
const EXTENSION: usize = 64;
/// Corners per check, at first and at most.
const CORNERS: (usize, usize) = (64, 128);
/// A correlation this much above its bound has missed its event.
const MISSED: f64 = 1e-11;

/// How far the path is followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub non_negative: bool,
    /// μ at the end; as a share of the largest μ if `relative`.
    pub end: f64,
    pub relative: bool,
    pub corners: usize,
    /// The path also ends where no more than this share of the target's square is unexplained; negative for never.
    pub saturation: f64,
}

/// The corners, over positions among the kept columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScaledPath {
    pub corners: Vec<Corner>,
    /// Whether `end` was reached.
    pub finished: bool,
    /// Whether a column entered of which the Gram matrix knows too little, without the data being at hand.
    pub doubtful: bool,
}

/// The path of a scaled problem; `first` suggests columns that may become active.
pub(crate) fn follow(problem: &Scaled, limits: Limits, first: &[usize]) -> ScaledPath {
    if problem.len() <= COMPLETE {
        let mut gram = Sourced::of(problem);
        return follow_complete(
            &mut gram,
            &problem.correlations(),
            &problem.penalty,
            &problem.kept,
            limits,
        );
    }
    Follower::new(problem, limits, first).run()
}

/// The path for a known Gram matrix.
pub(crate) fn follow_complete<G: Gram>(
    gram: &mut G,
    correlation: &[f64],
    penalty: &[f64],
    order: &[usize],
    limits: Limits,
) -> ScaledPath {
    let mut path = Homotopy::new(Problem {
        gram,
        correlation,
        penalty,
        order,
        non_negative: limits.non_negative,
    });
    path.saturation = limits.saturation;
    let end = limits.end * if limits.relative { path.mu() } else { 1.0 };
    let (corners, ended) = path.advance(limits.corners, end);
    ScaledPath {
        corners,
        finished: ended == Ended::Finished,
        doubtful: path.doubtful,
    }
}

struct Follower<'p, 'a> {
    problem: &'p Scaled<'a>,
    limits: Limits,
    gram: Growing<'p, 'a>,
    inside: Vec<bool>,
    /// Of the members.
    correlation: Vec<f64>,
    penalty: Vec<f64>,
    order: Vec<usize>,
    accepted: Vec<Corner>,
}

impl<'p, 'a> Follower<'p, 'a> {
    fn new(problem: &'p Scaled<'a>, limits: Limits, first: &[usize]) -> Self {
        let mut this = Self {
            problem,
            limits,
            gram: Growing::new(problem),
            inside: vec![false; problem.len()],
            correlation: Vec::new(),
            penalty: Vec::new(),
            order: Vec::new(),
            accepted: Vec::new(),
        };
        let correlation = problem.correlations();
        let free = (0..problem.len()).filter(|&j| problem.penalty[j] == 0.0);
        let mut start: Vec<usize> = free.chain(first.iter().copied()).collect();
        start.extend(this.nearest(&correlation, FIRST));
        this.extend(start);
        this
    }

    /// The columns outside that are closest to their bound.
    fn nearest(&self, correlation: &[f64], count: usize) -> Vec<usize> {
        let closeness =
            |j: usize| self.signed(correlation[j]) / self.problem.penalty[j].max(1e-300);
        let mut outside: Vec<usize> = (0..self.problem.len())
            .filter(|&j| !self.inside[j])
            .collect();
        let count = count.min(outside.len());
        if count > 0 {
            outside.select_nth_unstable_by(count - 1, |&i, &j| {
                closeness(j).total_cmp(&closeness(i)).then(i.cmp(&j))
            });
        }
        outside.truncate(count);
        outside
    }

    fn extend(&mut self, mut new: Vec<usize>) {
        new.sort_unstable();
        new.dedup();
        new.retain(|&j| !self.inside[j]);
        self.gram.extend(&new);
        for &j in &new {
            self.inside[j] = true;
            self.correlation.push(self.problem.shapes[j].correlation);
            self.penalty.push(self.problem.penalty[j]);
            self.order.push(self.problem.kept[j]);
        }
    }

    fn run(mut self) -> ScaledPath {
        let mut end = self.limits.end;
        let mut corners = CORNERS.0;
        let mut finished = false;
        while self.accepted.len() < self.limits.corners {
            let problem = Problem {
                gram: &mut self.gram,
                correlation: &self.correlation,
                penalty: &self.penalty,
                order: &self.order,
                non_negative: self.limits.non_negative,
            };
            let (mut path, repeated) = match self.accepted.last() {
                None => (Homotopy::new(problem), 0),
                Some(corner) => (Homotopy::resume(problem, corner), 1),
            };
            path.saturation = self.limits.saturation;
            if self.accepted.is_empty() && self.limits.relative {
                end *= path.mu();
            }
            let (mut found, ended) = path.advance(corners + repeated, end);
            // The corner started from comes again, unless new members change its active set.
            let before = self.accepted.len();
            if repeated == 1
                && found
                    .first()
                    .is_some_and(|c| c.mu >= self.accepted[before - 1].mu)
            {
                self.accepted.pop();
            }
            let (valid, missed, last) = self.check(&mut found);
            let clean = missed.is_empty();
            found.truncate(valid);
            self.accepted.append(&mut found);
            if clean && ended != Ended::Paused {
                finished = ended == Ended::Finished;
                break;
            }
            corners = if clean {
                (2 * corners).min(CORNERS.1)
            } else {
                corners
            };
            let near = self.nearest(&last, EXTENSION.max(missed.len()));
            self.extend(missed.into_iter().chain(near).collect());
        }
        let members = self.gram.members;
        for corner in &mut self.accepted {
            corner.active.iter_mut().for_each(|j| *j = members[*j]);
        }
        ScaledPath {
            corners: self.accepted,
            finished,
            doubtful: false,
        }
    }

    /// Checks corners against all columns: how many are valid, which columns were missed, and the last valid correlations.
    fn check(&self, found: &mut [Corner]) -> (usize, Vec<usize>, Vec<f64>) {
        if found.is_empty() {
            return (0, Vec::new(), self.problem.correlations());
        }
        let residuals = self.residuals(found);
        self.check_members(found, &residuals);
        let outside = (0..self.problem.len()).filter(|&j| !self.inside[j]);
        let mu: Vec<f64> = found.iter().map(|c| c.mu).collect();
        let measured = measure(
            self.problem,
            outside.collect(),
            &residuals,
            &mu,
            self.limits.non_negative,
        );
        let (mut valid, mut missed) = (found.len(), Vec::new());
        let mut judge = |k: usize, j: usize, score: f64| {
            let over = self.signed(score) - mu[k] * self.problem.penalty[j];
            found[k].violation = found[k].violation.max(over);
            if over > MISSED {
                valid = valid.min(k);
                missed.push(j);
            }
        };
        for (at, &k) in measured.anchors.iter().enumerate() {
            let scores = measured.anchored.col_as_slice(at);
            for (&j, &score) in measured.outside.iter().zip(scores) {
                judge(k, j, score);
            }
        }
        for &(k, j, score) in &measured.between {
            judge(k, j, score);
        }
        missed.sort_unstable();
        missed.dedup();
        (valid, missed, self.last_known(&measured, valid))
    }

    /// Correlations of the columns outside at the last anchor that is valid, at the first one if none is.
    fn last_known(&self, measured: &Measured, valid: usize) -> Vec<f64> {
        let at = measured.anchors.iter().rposition(|k| *k < valid);
        let scores = measured.anchored.col_as_slice(at.unwrap_or(0));
        let mut last = vec![0.0; self.problem.len()];
        for (&j, &score) in measured.outside.iter().zip(scores) {
            last[j] = score;
        }
        last
    }

    fn signed(&self, c: f64) -> f64 {
        if self.limits.non_negative { c } else { c.abs() }
    }

    /// t − Zθ for every corner.
    fn residuals(&self, found: &[Corner]) -> Mat<f64> {
        let mut theta: Mat<f64> = Mat::zeros(self.gram.members.len(), found.len());
        for (k, corner) in found.iter().enumerate() {
            for (&j, value) in corner.active.iter().zip(&corner.theta) {
                theta[(j, k)] = -value;
            }
        }
        let target = &self.problem.target;
        let mut out = Mat::from_fn(target.len(), found.len(), |i, _| target[i]);
        let mut before = 0;
        for part in &self.gram.parts {
            let rows = theta.as_ref().subrows(before, part.ncols());
            matmul(out.as_mut(), Accum::Add, part, rows, 1.0, Par::Seq);
            before += part.ncols();
        }
        out
    }

    /// Measures the violation of the members at every corner.
    fn check_members(&self, found: &mut [Corner], residuals: &Mat<f64>) {
        for corner in found.iter_mut() {
            corner.violation = 0.0;
        }
        let mut before = 0;
        for part in &self.gram.parts {
            let mut scores: Mat<f64> = Mat::zeros(part.ncols(), found.len());
            let to = scores.as_mut();
            matmul(
                to,
                Accum::Replace,
                part.transpose(),
                residuals,
                1.0,
                Par::Seq,
            );
            for (k, corner) in found.iter_mut().enumerate() {
                let mut bound: Vec<Option<f64>> = vec![None; part.ncols()];
                for (&j, sign) in corner.active.iter().zip(&corner.sign) {
                    if let Some(bound) = j.checked_sub(before).and_then(|at| bound.get_mut(at)) {
                        *bound = Some(corner.mu * self.penalty[j] * sign);
                    }
                }
                for (at, (bound, &c)) in bound.iter().zip(scores.col_as_slice(k)).enumerate() {
                    let over = match bound {
                        Some(bound) => (c - bound).abs(),
                        None => self.signed(c) - corner.mu * self.penalty[before + at],
                    };
                    corner.violation = corner.violation.max(over);
                }
            }
            before += part.ncols();
        }
    }
}
