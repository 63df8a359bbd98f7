//! The exact path when columns are many: homotopy on a working set, checked against all columns.
//!
//! Between two corners every correlation and its bound are linear in μ, so a column that stays within its bound at
//! both stays within it in between. It is therefore enough to check all columns at the corners, and the check of many
//! corners is one matrix product ZᵀR, which reads the columns once. Where a column outside the set exceeds its bound
//! for the first time, the path is taken back to the corner before, the column joins the set, and the path goes on.
//! The check measures correlations on the data, so the violation reported for a corner is that of the data.

use faer::Mat;

use super::gram::{Complete, Lazy};
use super::homotopy::{Corner, Ended, Homotopy, Problem};
use super::scaled::Scaled;

/// Up to this many columns the complete Gram matrix is formed.
pub(crate) const COMPLETE: usize = 512;
/// Columns in the first working set, and at least so many per extension.
const FIRST: usize = 256;
const EXTENSION: usize = 64;
/// Corners per check, at first and at most.
const CORNERS: (usize, usize) = (16, 64);
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
}

/// The corners, over positions among the kept columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScaledPath {
    pub corners: Vec<Corner>,
    /// Whether `end` was reached.
    pub finished: bool,
}

/// The path of a scaled problem; `first` suggests columns that may become active.
pub(crate) fn follow(problem: &Scaled, limits: Limits, first: &[usize]) -> ScaledPath {
    if problem.len() <= COMPLETE {
        let mut gram = Complete::of(problem);
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
pub(crate) fn follow_complete(
    gram: &mut Complete,
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
    let end = limits.end * if limits.relative { path.mu() } else { 1.0 };
    let (corners, ended) = path.advance(limits.corners, end);
    ScaledPath {
        corners,
        finished: ended == Ended::Finished,
    }
}

struct Follower<'p, 'a> {
    problem: &'p Scaled<'a>,
    limits: Limits,
    gram: Lazy<'p, 'a>,
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
            gram: Lazy::new(problem),
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
        let closeness = |j: usize| {
            let c = correlation[j];
            let c = if self.limits.non_negative { c } else { c.abs() };
            c / self.problem.penalty[j].max(1e-300)
        };
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
        let needed = self.accepted.last().map_or(&[][..], |c| &c.active);
        self.gram.extend(&new, needed);
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
        }
    }

    /// Checks corners against all columns: how many are valid, which columns were missed, and the last valid correlations.
    fn check(&self, found: &mut [Corner]) -> (usize, Vec<usize>, Vec<f64>) {
        let rows = self.problem.rows();
        let mut residuals = Mat::zeros(rows, found.len());
        for (k, corner) in found.iter().enumerate() {
            let mut residual = self.problem.target.clone();
            for (&j, theta) in corner.active.iter().zip(&corner.theta) {
                for (r, z) in residual.iter_mut().zip(self.gram.member(j)) {
                    *r -= theta * z;
                }
            }
            residuals.col_as_slice_mut(k).copy_from_slice(&residual);
        }
        let scores = self.problem.scores(residuals.as_ref());
        let (mut valid, mut missed) = (found.len(), Vec::new());
        for (k, corner) in found.iter_mut().enumerate() {
            let mut bound: Vec<Option<f64>> = vec![None; self.problem.len()];
            for (&j, sign) in corner.active.iter().zip(&corner.sign) {
                bound[self.gram.members[j]] = Some(corner.mu * self.penalty[j] * sign);
            }
            corner.violation = 0.0;
            for (j, bound) in bound.iter().enumerate() {
                let c = scores[(j, k)];
                let over = match bound {
                    Some(bound) => (c - bound).abs(),
                    None if self.limits.non_negative => c - corner.mu * self.problem.penalty[j],
                    None => c.abs() - corner.mu * self.problem.penalty[j],
                };
                corner.violation = corner.violation.max(over);
                if over > MISSED && !self.inside[j] {
                    valid = valid.min(k);
                    missed.push(j);
                }
            }
        }
        missed.sort_unstable();
        missed.dedup();
        let last = match valid.checked_sub(1) {
            Some(k) => scores.col_as_slice(k).to_vec(),
            None => self.problem.correlations(),
        };
        (valid, missed, last)
    }
}
