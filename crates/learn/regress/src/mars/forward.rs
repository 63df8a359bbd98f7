//! The forward pass: terms are added, most useful first, until nothing is worth adding.
//!
//! Friedman (1991), algorithm 2, in `earth`'s form: every step tries every parent × variable × knot and takes the line, the
//! pair of hinges or the step that lowers the residual sum of squares most. The conventions below are `earth`'s, taken
//! from its documentation and behaviour, so that models agree term by term:
//! - a step of the pass occupies two places of `max_terms`, also when it made one term;
//! - the share of a hinge that must be new is 1 % in small models and 1e-5 from the fifteenth place on;
//! - a gain more than ten times the one before is taken for numerical error (unweighted fits);
//! - a pair whose line is not new brings one hinge;
//! - after a line, the parents lag behind the terms (`all_parents` mends that).

use rayon::prelude::*;

use super::basis::Basis;
use super::candidates::{Arrival, Best, Candidates, Question};
use super::data::{Data, SMALLEST, dot};
use super::span::Rule;
use super::sweep::Lanes;
use super::term::{Factor, Shape};
use super::{Mars, Stopped};

/// Gains and residuals below this, for a target of unit variance, are zero.
const ALMOST_ZERO: f64 = 1e-10;
/// Generalised R² below which the pass gives up.
const WORST_GRSQ: f64 = -10.0;
/// Places from which on the smaller share applies.
const SMALL_MODEL: usize = 15;
/// Of a column's length in a weighted fit, squared, as R's tolerance has it.
const WEIGHTED_SHARE: f64 = 1e-16;
/// Bytes of remembered candidates beyond which they are computed anew at every step.
const MEMORY: usize = 1 << 30;
/// Rows × variables from which on variables are searched in parallel.
const PARALLEL: usize = 20_000;

/// One place of the model; a step of the pass fills two.
pub(super) struct Place {
    /// The factors, over scaled variables.
    pub factors: Vec<Factor>,
    /// Coordinates in the basis.
    pub coordinates: Vec<f64>,
    /// Whether the term is in the model.
    pub used: bool,
    /// Root of the weights times the term, by row.
    column: Vec<f64>,
}

/// Candidates on one parent, and how much of the basis they know.
struct Parent {
    absorbed: usize,
    groups: Vec<(usize, Candidates)>,
    /// Whether there is memory to keep them for the next step.
    kept: bool,
}

/// What a step of the pass adds.
#[derive(Clone, Copy)]
struct Choice {
    gain: f64,
    parent: usize,
    variable: usize,
    /// None: the line.
    knot: Option<usize>,
    step: bool,
    /// Whether the line was new.
    new_line: bool,
}

/// The forward pass over one design.
pub(super) struct Forward<'a> {
    options: &'a Mars,
    data: &'a Data,
    rule: Rule,
    degree: usize,
    pub basis: Basis,
    pub places: Vec<Place>,
    /// Best gain of each parent at the last step, by place.
    gains: Vec<f64>,
    /// Places that may be parents: so many from the first.
    parents: usize,
    remembered: Vec<Option<Parent>>,
    bytes: usize,
    uses: Vec<u32>,
    /// What the second hinge of a weighted pair is tested against: `earth` takes a constant for the intercept.
    shadow: Basis,
    rss: f64,
    lanes: Vec<Lanes>,
}

impl<'a> Forward<'a> {
    pub fn new(options: &'a Mars, data: &'a Data) -> Self {
        let rule = Rule {
            rows: data.rows(),
            variables: data.variables.len(),
            min_span: options.min_span,
            end_span: options.end_span,
            adjustment: options.adjust_end_span,
        };
        let mut this = Self {
            options,
            data,
            rule,
            degree: options.degree as usize,
            basis: Basis::new(&data.target),
            places: Vec::new(),
            gains: Vec::new(),
            parents: 1,
            remembered: Vec::new(),
            bytes: 0,
            uses: vec![0; data.variables.len()],
            shadow: Basis::default(),
            rss: 0.0,
            lanes: vec![[0.0; 4]; data.rows()],
        };
        if data.weighted {
            this.shadow = Basis::new(&data.target);
            this.shadow.push(&vec![1.0; data.rows()], 0.0);
        }
        this.place(Vec::new(), data.roots.clone(), true);
        this.rss = dot(&this.basis.residual, &this.basis.residual);
        this
    }

    /// Adds terms until a condition stops the pass.
    pub fn run(&mut self) -> Stopped {
        let rows = self.data.rows();
        let total = self.rss.max(1e-8 * rows as f64);
        let limit = self.options.limit(self.data.variables.len());
        let threshold = self.options.threshold;
        let mut r_squared = 0.0;
        let mut last_gain = total;
        if limit < 3 {
            return Stopped::MaxTerms;
        }
        loop {
            let legal = if self.data.weighted {
                f64::INFINITY
            } else {
                (1.01 * self.rss).min(10.0 * last_gain)
            };
            let Some(choice) = self.search(legal) else {
                return Stopped::NoGain;
            };
            let added = self.columns(&choice);
            let left = zero_if_tiny(self.rss - choice.gain);
            let next = 1.0 - left / total;
            let used = self.used() + added.iter().filter(|a| a.2).count();
            let gcv = |terms: usize, rss: f64| self.options.gcv(terms, rss, rows);
            let generalised = 1.0 - gcv(used, left) / gcv(1, total);
            if threshold != 0.0 && zero_if_tiny(next - r_squared) < threshold {
                return Stopped::SmallGain;
            }
            if threshold != 0.0 && generalised < WORST_GRSQ {
                return Stopped::PoorGrsq;
            }
            self.uses[choice.variable] += 1;
            for (factors, column, used) in added {
                self.place(factors, column, used);
            }
            self.parents += self.places[self.places.len() - 2..]
                .iter()
                .filter(|p| p.used)
                .count();
            self.rss = zero_if_tiny(dot(&self.basis.residual, &self.basis.residual));
            last_gain = choice.gain;
            r_squared = next;
            if r_squared >= 1.0 - threshold || self.rss == 0.0 {
                return Stopped::Explained;
            }
            if self.places.len() + 1 >= limit {
                return Stopped::MaxTerms;
            }
        }
    }

    fn used(&self) -> usize {
        self.places.iter().filter(|p| p.used).count()
    }

    /// The best choice of this step.
    fn search(&mut self, legal: f64) -> Option<Choice> {
        let mut best: Option<Choice> = None;
        for parent in self.parents_in_order() {
            let found = self.candidates_of(parent, legal);
            let mut highest: f64 = -1.0;
            let mut improved = false;
            for (variable, new_form, b) in found {
                let factor = self.novelty(variable);
                let line = b.line.map(|gain| (factor * gain, None, false));
                let knot = b.knot.map(|(gain, at)| (gain, Some(at), false));
                let step = b.step.map(|(gain, at)| (gain, Some(at), true));
                let Some((gain, knot, step)) = step.or(knot).or(line) else {
                    continue;
                };
                highest = highest.max(gain);
                if gain > best.map_or(0.0, |b| b.gain) {
                    improved = true;
                    best = Some(Choice {
                        gain,
                        parent,
                        variable,
                        knot,
                        step,
                        new_line: if self.data.weighted {
                            new_form
                        } else {
                            b.line.is_some()
                        },
                    });
                }
            }
            self.gains[parent] = highest;
            if let Some(best) = best.as_mut().filter(|_| improved) {
                best.gain /= self.novelty(best.variable);
            }
        }
        best
    }

    /// Friedman (1991), eq. 74.
    fn novelty(&self, variable: usize) -> f64 {
        if self.uses[variable] == 0 {
            1.0 / (1.0 + self.options.new_variable_penalty)
        } else {
            1.0
        }
    }

    /// Parents by what they gained last, new ones first: among equal gains the first one found wins.
    fn parents_in_order(&self) -> Vec<usize> {
        let all = self.options.all_parents || self.options.step_bases;
        let places = if all { self.places.len() } else { self.parents };
        let mut order: Vec<usize> = (0..places)
            .filter(|&p| self.places[p].used && self.places[p].factors.len() < self.degree)
            .collect();
        order.sort_by(|&a, &b| self.gains[b].total_cmp(&self.gains[a]).then(a.cmp(&b)));
        order
    }

    /// The best of every variable on one parent: variable, whether its line may be new, what was found.
    fn candidates_of(&mut self, parent: usize, legal: f64) -> Vec<(usize, bool, Best)> {
        let mut state = match self.remembered[parent].take() {
            Some(state) => state,
            None => self.create(parent),
        };
        self.absorb(parent, &mut state);
        let place = &self.places[parent];
        let share = match (self.data.weighted, self.places.len() < SMALL_MODEL) {
            (true, _) => 0.0,
            (false, true) => 0.01,
            (false, false) => 1e-5,
        };
        let ask = |(variable, candidates): &mut (usize, Candidates)| {
            let question = Question {
                basis: &self.basis,
                parent: &place.column,
                variable: &self.data.variables[*variable],
                line: self.line_may_be_new(parent, *variable),
                share,
                legal,
                slack: if self.data.weighted { ALMOST_ZERO } else { 0.0 },
                factor: self.novelty(*variable),
            };
            (*variable, question.line, candidates.best(&question))
        };
        let found = if self.in_parallel() {
            state.groups.par_iter_mut().map(ask).collect()
        } else {
            state.groups.iter_mut().map(ask).collect()
        };
        self.remembered[parent] = state.kept.then_some(state);
        found
    }

    fn in_parallel(&self) -> bool {
        self.data.rows() * self.data.variables.len() >= PARALLEL
    }

    fn create(&mut self, parent: usize) -> Parent {
        let place = &self.places[parent];
        let support = place.column.iter().filter(|b| **b > 0.0).count();
        let spacing = self.rule.spacing(place.factors.len() + 1, support);
        let free: Vec<usize> = (0..self.data.variables.len())
            .filter(|v| place.factors.iter().all(|f| f.variable != *v))
            .collect();
        let make = |&variable: &usize| {
            let made = Candidates::new(
                &place.column,
                &self.data.variables[variable],
                spacing,
                self.data.weighted,
                self.options.step_bases,
            );
            (variable, made)
        };
        let groups: Vec<(usize, Candidates)> = if self.in_parallel() {
            free.par_iter().map(make).collect()
        } else {
            free.iter().map(make).collect()
        };
        let bytes: usize = groups.iter().map(|g| g.1.bytes()).sum();
        let kept = self.bytes + bytes <= MEMORY;
        if kept {
            self.bytes += bytes;
        }
        Parent {
            absorbed: 0,
            groups,
            kept,
        }
    }

    /// Brings the candidates up to the basis and the residual.
    fn absorb(&mut self, parent: usize, state: &mut Parent) {
        let column = &self.places[parent].column;
        let parallel = self.in_parallel();
        loop {
            let waiting = &self.basis.columns[state.absorbed..];
            let count = waiting.len().min(4);
            let last = count < 4;
            let residual = last.then_some(self.basis.residual.as_slice());
            let vectors: Vec<&[f64]> = waiting[..count]
                .iter()
                .map(Vec::as_slice)
                .chain(residual)
                .collect();
            multiply(column, &vectors, &mut self.lanes);
            let arrival = Arrival {
                lanes: &self.lanes,
                columns: &waiting[..count],
                residual,
            };
            let take = |(variable, candidates): &mut (usize, Candidates)| {
                candidates.absorb(&self.data.variables[*variable], &arrival);
            };
            if parallel {
                state.groups.par_iter_mut().for_each(take);
            } else {
                state.groups.iter_mut().for_each(take);
            }
            state.absorbed += count;
            if last {
                return;
            }
        }
    }

    /// False when every term so far has exactly the variables that the new one would have: then the line is in their span.
    fn line_may_be_new(&self, parent: usize, variable: usize) -> bool {
        let has = |place: &Place, v: usize| place.factors.iter().any(|f| f.variable == v);
        let parent = &self.places[parent];
        let mut terms = self.places[1..].iter().filter(|p| p.used).peekable();
        if terms.peek().is_none() {
            return true;
        }
        terms.any(|term| {
            let others_differ = term
                .factors
                .iter()
                .any(|f| f.variable != variable && !has(parent, f.variable))
                || parent.factors.iter().any(|f| !has(term, f.variable));
            !has(term, variable) || others_differ
        })
    }

    /// Factors and column of the two places of a choice, and whether each is used.
    fn columns(&mut self, choice: &Choice) -> Vec<(Vec<Factor>, Vec<f64>, bool)> {
        let variable = &self.data.variables[choice.variable];
        let shapes: Vec<Shape> = match choice.knot.map(|at| variable.sorted[at]) {
            None if self.options.linear => vec![Shape::Linear],
            None => vec![Shape::Above(variable.sorted[0])],
            Some(knot) if choice.step => vec![Shape::Step(knot)],
            Some(knot) => vec![Shape::Above(knot), Shape::Below(knot)],
        };
        let parent = &self.places[choice.parent];
        let mut added: Vec<(Vec<Factor>, Vec<f64>, bool)> = shapes
            .into_iter()
            .map(|shape| {
                let mut factors = parent.factors.clone();
                factors.push(Factor {
                    variable: choice.variable,
                    shape,
                });
                let values = parent.column.iter().zip(&variable.values);
                let column = values.map(|(b, x)| b * shape.value(*x)).collect();
                (factors, column, true)
            })
            .collect();
        if added.len() == 2 {
            added[1].2 = choice.new_line;
        } else {
            let (factors, rows) = (added[0].0.clone(), self.data.rows());
            added.push((factors, vec![0.0; rows], false));
        }
        if self.data.weighted {
            self.shadow.push(&added[0].1, 0.0);
            if added[1].2 {
                let left = self.shadow.project(&added[1].1).left;
                added[1].2 = left > SMALLEST;
            }
            if added[1].2 {
                self.shadow.push(&added[1].1, 0.0);
            }
        }
        added
    }

    /// Fills the next place. A weighted fit also keeps the direction of an unused second hinge, as `earth` does.
    fn place(&mut self, factors: Vec<Factor>, column: Vec<f64>, used: bool) {
        let coordinates = match (used, self.data.weighted) {
            (true, false) => self.basis.push(&column, 0.0),
            (_, true) => self.basis.push(&column, WEIGHTED_SHARE),
            (false, false) => Vec::new(),
        };
        self.places.push(Place {
            factors,
            coordinates,
            used,
            column: if used { column } else { Vec::new() },
        });
        self.gains.push(f64::INFINITY);
        self.remembered.push(None);
    }
}

fn zero_if_tiny(x: f64) -> f64 {
    if x.abs() < ALMOST_ZERO { 0.0 } else { x }
}

/// Lane k of row i becomes column[i] · vectors[k][i]; other lanes become zero.
fn multiply(column: &[f64], vectors: &[&[f64]], lanes: &mut [Lanes]) {
    for (i, (lane, b)) in lanes.iter_mut().zip(column).enumerate() {
        *lane = [0.0; 4];
        for (l, vector) in lane.iter_mut().zip(vectors) {
            *l = b * vector[i];
        }
    }
}
