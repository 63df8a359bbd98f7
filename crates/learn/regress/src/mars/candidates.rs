//! All terms that one parent and one variable can make, and how much each would lower the residual sum of squares.
//!
//! For a candidate column h, with r the target's residual and h⊥ the part of h outside the basis, the gain is
//! (h·r)² / ‖h⊥‖². Basis columns never change once they are in, so h·q is needed once per candidate and basis column:
//! ‖h⊥‖² = ‖h‖² − Σ (h·q)² is kept and lowered as columns arrive, and a step of the forward pass costs one sweep per
//! parent and variable instead of one per basis column. `earth` recomputes the whole sum at every step.
//!
//! A hinge pair spans the hinge and the variable itself times the parent, the "line". So the line enters first
//! (Friedman 1991, eq. 49), and h·l⊥ is kept likewise.

use super::basis::{Basis, Projection};
use super::data::{SMALLEST, Variable, dot};
use super::span::Spacing;
use super::sweep::{Lanes, hinges, sizes, steps};

/// Below this share of its size, what subtraction has left of a column is computed again from the column.
const INEXACT: f64 = 1e-6;
/// Below this share a line of an unweighted fit is rounding, whatever its unit.
const NOISE: f64 = 1e-20;
/// R's rule for weighted fits: a column with less than 1e-8 of its length left is dependent.
const DEPENDENT: f64 = 1e-16;

/// Candidates of one parent and one variable.
pub(super) struct Candidates {
    /// Positions of the knots in the sort order, descending.
    knots: Vec<u32>,
    /// Size of each hinge: about its mean if unweighted.
    own: Vec<f64>,
    /// ‖h⊥‖².
    left: Vec<f64>,
    /// h·l⊥.
    cross: Vec<f64>,
    /// h·r.
    inner: Vec<f64>,
    line: Line,
    jumps: Jumps,
    weighted: bool,
}

/// The parent times the variable.
struct Line {
    /// The variable is centred here; the parent is in the basis, so it does not matter.
    centre: f64,
    /// ‖b·x‖².
    size: f64,
    /// Sum of squares when last computed exactly.
    own: f64,
    /// ‖l⊥‖².
    left: f64,
    /// l·r.
    inner: f64,
    /// l⊥ itself, once subtraction has become inexact.
    rest: Option<Vec<f64>>,
    /// False once it lies in the basis.
    alive: bool,
}

/// Steps 1[x > t] times the parent.
#[derive(Default)]
struct Jumps {
    at: Vec<u32>,
    own: Vec<f64>,
    left: Vec<f64>,
    inner: Vec<f64>,
}

/// Basis columns that arrive, multiplied with the parent.
pub(super) struct Arrival<'a> {
    pub lanes: &'a [Lanes],
    /// The columns in the first lanes.
    pub columns: &'a [Vec<f64>],
    /// If the lane after them holds the residual, the residual.
    pub residual: Option<&'a [f64]>,
}

/// What is asked of the candidates in one step of the forward pass.
pub(super) struct Question<'a> {
    pub basis: &'a Basis,
    /// The parent's column.
    pub parent: &'a [f64],
    pub variable: &'a Variable,
    /// Whether the line may enter.
    pub line: bool,
    /// A candidate must have more than this share of its size outside the basis.
    pub share: f64,
    /// Gains from here on are taken for numerical error.
    pub legal: f64,
    /// A knot must gain this much more than the one before it.
    pub slack: f64,
    /// Gains are multiplied by this (Friedman 1991, eq. 74).
    pub factor: f64,
}

/// The best of the candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Best {
    /// Gain of the line alone, if it may enter and is new.
    pub line: Option<f64>,
    /// Gain of line and hinge, and the knot's position, if that is better.
    pub knot: Option<(f64, usize)>,
    /// Gain of the step and its position, if that is better still.
    pub step: Option<(f64, usize)>,
}

impl Candidates {
    pub fn new(
        parent: &[f64],
        variable: &Variable,
        spacing: Spacing,
        weighted: bool,
        with_steps: bool,
    ) -> Self {
        let knots = place(parent, variable, spacing, weighted);
        let rows = parent.len() as f64;
        let sizes = sizes(variable, &knots, parent);
        let own = sizes
            .iter()
            .map(|s| {
                let about = if weighted { 0.0 } else { s.sum * s.sum / rows };
                s.squares - about
            })
            .collect();
        let line = Line::new(parent, variable);
        let mut this = Self {
            own,
            left: sizes.iter().map(|s| s.squares).collect(),
            cross: vec![0.0; knots.len()],
            inner: vec![0.0; knots.len()],
            knots,
            line,
            jumps: Jumps::default(),
            weighted,
        };
        if this.line.alive {
            let products = this.line.products(parent, variable);
            this.cross_with(parent, variable, &products);
        }
        if with_steps {
            this.jumps = Jumps::new(parent, variable, spacing, weighted);
        }
        this
    }

    /// Bytes held per row of knots.
    pub fn bytes(&self) -> usize {
        let rest = self.line.rest.as_ref().map_or(0, Vec::len);
        36 * self.knots.len() + 28 * self.jumps.at.len() + 8 * rest
    }

    /// h·l for all hinges, given the line's column.
    fn cross_with(&mut self, parent: &[f64], variable: &Variable, line: &[f64]) {
        let lanes: Vec<Lanes> = parent
            .iter()
            .zip(line)
            .map(|(b, l)| [b * l, 0.0, 0.0, 0.0])
            .collect();
        hinges(variable, &self.knots, &lanes, |k, h| self.cross[k] = h[0]);
    }

    /// Takes basis columns (and the new residual) into account.
    pub fn absorb(&mut self, variable: &Variable, arrival: &Arrival) {
        let count = arrival.columns.len();
        let with_line = self.line.alive;
        let line = if with_line {
            self.line.absorb(variable, arrival)
        } else {
            [0.0; 4]
        };
        let (left, cross, inner) = (&mut self.left, &mut self.cross, &mut self.inner);
        hinges(variable, &self.knots, arrival.lanes, |k, h| {
            for lane in 0..count {
                left[k] -= h[lane] * h[lane];
                cross[k] -= h[lane] * line[lane];
            }
            if arrival.residual.is_some() {
                inner[k] = h[count];
            }
        });
        let jumps = &mut self.jumps;
        let (left, inner) = (&mut jumps.left, &mut jumps.inner);
        steps(variable, &jumps.at, arrival.lanes, |k, s| {
            for value in &s[..count] {
                left[k] -= value * value;
            }
            if arrival.residual.is_some() {
                inner[k] = s[count];
            }
        });
    }

    /// The best line, hinge and step.
    pub fn best(&mut self, question: &Question) -> Best {
        self.check_line(question);
        let with_line = question.line && self.line.alive && self.line.left > 0.0;
        let line = with_line.then(|| self.line.inner * self.line.inner / self.line.left);
        let mut best = Best {
            line,
            ..Best::default()
        };
        let base = line.unwrap_or(0.0);
        let mut highest = question.factor * base;
        for k in 0..self.knots.len() {
            let Some(hinge) = self.hinge_gain(k, with_line, question, highest) else {
                continue;
            };
            let gain = question.factor * (base + hinge);
            if gain > highest + question.slack && gain < question.legal {
                best.knot = Some((gain, self.knots[k] as usize));
                highest = gain;
            }
        }
        for (k, &at) in self.jumps.at.iter().enumerate() {
            let left = self.jumps.left[k];
            if left <= question.share.max(INEXACT) * self.jumps.own[k] {
                continue;
            }
            let gain = question.factor * self.jumps.inner[k] * self.jumps.inner[k] / left;
            if gain > highest + question.slack && gain < question.legal {
                best.step = Some((gain, at as usize));
                highest = gain;
            }
        }
        best
    }

    /// What hinge `k` gains over the line; none if it is dependent or cannot reach `highest`.
    fn hinge_gain(
        &self,
        k: usize,
        with_line: bool,
        question: &Question,
        highest: f64,
    ) -> Option<f64> {
        let (mut left, mut inner) = (self.left[k], self.inner[k]);
        if with_line {
            let along = self.cross[k] / self.line.left;
            left -= self.cross[k] * along;
            inner -= self.line.inner * along;
        }
        if left > question.share.max(INEXACT) * self.own[k] {
            return Some(inner * inner / left);
        }
        if !self.weighted || self.own[k] <= 0.0 {
            return None; // unweighted, the share asked for is above what subtraction loses
        }
        // No larger than this by rounding alone; most dependent hinges are dismissed here.
        let bound = inner * inner / left.max(1e-6 * INEXACT * self.own[k]);
        if question.factor * (bound + self.line_gain(with_line)) <= highest + question.slack {
            return None;
        }
        self.exact_gain(k, with_line, question)
    }

    fn line_gain(&self, with_line: bool) -> f64 {
        if with_line {
            self.line.inner * self.line.inner / self.line.left
        } else {
            0.0
        }
    }

    /// The gain from the column itself, for hinges with little left outside the basis.
    fn exact_gain(&self, k: usize, with_line: bool, question: &Question) -> Option<f64> {
        let variable = question.variable;
        let knot = variable.sorted[self.knots[k] as usize];
        let hinge: Vec<f64> = question
            .parent
            .iter()
            .zip(&variable.values)
            .map(|(b, x)| b * (x - knot).max(0.0))
            .collect();
        let mut rest = question.basis.project(&hinge).rest;
        if with_line {
            let line = self.line.products(question.parent, variable);
            let line = question.basis.project(&line).rest;
            let along = dot(&rest, &line) / dot(&line, &line);
            super::basis::add(-along, &line, &mut rest);
        }
        let left = dot(&rest, &rest);
        let inner = dot(&rest, &question.basis.residual);
        (left > DEPENDENT * dot(&hinge, &hinge)).then(|| inner * inner / left)
    }

    /// Computes l⊥ from the line itself when too little of it is left for subtraction, and retires a dependent line.
    fn check_line(&mut self, question: &Question) {
        let limit = if self.weighted {
            DEPENDENT * self.line.size
        } else {
            SMALLEST.max(NOISE * self.line.size)
        };
        if !self.line.alive || self.line.left > limit.max(INEXACT * self.line.own) {
            return;
        }
        let column = self.line.products(question.parent, question.variable);
        let Projection { rest, left, .. } = question.basis.project(&column);
        if left <= limit {
            self.line.alive = false;
            self.line.rest = None;
            return;
        }
        self.cross_with(question.parent, question.variable, &rest);
        self.line.inner = dot(&rest, &question.basis.residual);
        self.line.own = left;
        self.line.left = left;
        self.line.rest = Some(rest);
    }
}

impl Line {
    fn new(parent: &[f64], variable: &Variable) -> Self {
        let weight = dot(parent, parent);
        let moment: f64 = parent
            .iter()
            .zip(&variable.values)
            .map(|(b, x)| b * b * x)
            .sum();
        let mut this = Self {
            centre: if weight > 0.0 { moment / weight } else { 0.0 },
            size: parent
                .iter()
                .zip(&variable.values)
                .map(|(b, x)| (b * x) * (b * x))
                .sum(),
            own: 0.0,
            left: 0.0,
            inner: 0.0,
            rest: None,
            alive: weight > 0.0,
        };
        let products = this.products(parent, variable);
        this.own = dot(&products, &products);
        this.left = this.own;
        this
    }

    /// The line's column, or what is left of it if that is kept.
    fn products(&self, parent: &[f64], variable: &Variable) -> Vec<f64> {
        if let Some(rest) = &self.rest {
            return rest.clone();
        }
        parent
            .iter()
            .zip(&variable.values)
            .map(|(b, x)| b * (x - self.centre))
            .collect()
    }

    /// Coordinates of the line along the arriving columns.
    fn absorb(&mut self, variable: &Variable, arrival: &Arrival) -> Lanes {
        let mut along = [0.0; 4];
        if let Some(rest) = &self.rest {
            let vectors = arrival.columns.iter().map(Vec::as_slice);
            for (a, vector) in along.iter_mut().zip(vectors.chain(arrival.residual)) {
                *a = dot(rest, vector);
            }
        } else {
            for (products, x) in arrival.lanes.iter().zip(&variable.values) {
                for (a, product) in along.iter_mut().zip(products) {
                    *a += product * (x - self.centre);
                }
            }
        }
        let count = arrival.columns.len();
        self.left -= along[..count].iter().map(|a| a * a).sum::<f64>();
        if arrival.residual.is_some() {
            self.inner = along[count];
        }
        along
    }
}

impl Jumps {
    /// Between any two distinct values outside the end spans: a jump is where it is, not every few rows.
    fn new(parent: &[f64], variable: &Variable, spacing: Spacing, weighted: bool) -> Self {
        let sorted = &variable.sorted;
        let last = sorted.len().saturating_sub(spacing.end);
        let at: Vec<u32> = (spacing.end.saturating_sub(1)..last)
            .rev()
            .filter(|&i| i + 1 < sorted.len() && sorted[i] < sorted[i + 1])
            .map(|i| i as u32)
            .collect();
        let lanes: Vec<Lanes> = parent.iter().map(|b| [*b, b * b, 0.0, 0.0]).collect();
        let (mut own, mut left) = (Vec::new(), Vec::new());
        steps(variable, &at, &lanes, |_, s| {
            let about = s[0] * s[0] / sorted.len() as f64;
            own.push(if weighted { s[1] } else { s[1] - about });
            left.push(s[1]);
        });
        Self {
            inner: vec![0.0; at.len()],
            at,
            own,
            left,
        }
    }
}

/// Walks down from the largest value and places a knot after every `between` rows where the parent is positive.
///
/// The row above the knot is the one that is counted. Unweighted, rows count from where the hinge is not zero.
fn place(parent: &[f64], variable: &Variable, spacing: Spacing, weighted: bool) -> Vec<u32> {
    let (order, sorted) = (&variable.order, &variable.sorted);
    let mut knots = Vec::new();
    let mut wait = spacing.first;
    let mut highest = None;
    for i in (spacing.end..order.len().saturating_sub(1)).rev() {
        let above = parent[order[i + 1] as usize];
        if above != 0.0 {
            highest = highest.or(Some(sorted[i + 1]));
        }
        let counts = weighted || highest.is_some_and(|x| x > sorted[i]);
        if above > 0.0 && counts {
            wait -= 1;
            if wait == 0 {
                knots.push(i as u32);
                wait = spacing.between;
            }
        }
    }
    knots
}
