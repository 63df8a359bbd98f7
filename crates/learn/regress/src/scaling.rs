//! Scaling laws: c₀ + c₁·x^i·log(x)^j, the form in which running times of programs usually grow.
//!
//! Calotoiu, Hoefler, Poke & Wolf (SC 2013), *Using automated performance modeling to find scalability bugs in complex
//! codes*, §3: the performance model normal form with one or two terms, their exponents from a small set, chosen by
//! cross-validation. Points are left out one at a time: rows with the same values of the features are one point, and of
//! very many points several go together. A second term is taken only where it leaves clearly less error, and where both
//! terms grow.
//!
//! Deviations: several features are tried one by one, and in two terms of different ones or a product of two of fewer
//! exponents, found forward; errors are relative; log is the natural logarithm, so that coefficients differ from the
//! paper's by a power of ln 2. Limits: values must not be negative, and a term with a logarithm needs values of at least 1.

use pricetag_cost_model::{Diagnostic, Formula, Severity};
use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted};

const METHOD: &str = "scaling";
/// Exponents of the powers.
const POWERS: [(f64, f64); 19] = [
    (0.0, 1.0),
    (1.0, 4.0),
    (1.0, 3.0),
    (1.0, 2.0),
    (2.0, 3.0),
    (3.0, 4.0),
    (1.0, 1.0),
    (5.0, 4.0),
    (4.0, 3.0),
    (3.0, 2.0),
    (5.0, 3.0),
    (7.0, 4.0),
    (2.0, 1.0),
    (9.0, 4.0),
    (7.0, 3.0),
    (5.0, 2.0),
    (8.0, 3.0),
    (11.0, 4.0),
    (3.0, 1.0),
];
/// Exponents of the logarithm.
const LOGARITHMS: [i32; 3] = [0, 1, 2];
/// The same of factors of a product.
const FACTORS: [(f64, i32); 6] = [(0.0, 1), (0.5, 0), (1.0, 0), (1.0, 1), (2.0, 0), (3.0, 0)];
/// A second term must leave at most this share of the error.
const CLEARLY: f64 = 0.7;
/// Parts that the points are left out in at most.
const FOLDS: usize = 20;
/// Points beyond those that the coefficients need.
const SPARE: usize = 2;

/// Scaling laws as an estimator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scaling;

/// x^power · ln(x)^logarithm of one column.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Factor {
    column: usize,
    power: f64,
    logarithm: i32,
}

/// A product of factors, and its values.
#[derive(Clone, Debug)]
struct Term {
    factors: Vec<Factor>,
    values: Vec<f64>,
}

/// Terms with their coefficients, and the cross-validated error.
#[derive(Clone, Debug)]
struct Law {
    terms: Vec<usize>,
    error: f64,
}

impl Factor {
    fn of(&self, x: f64) -> f64 {
        let power = if self.power == 0.0 {
            1.0
        } else {
            x.powf(self.power)
        };
        let log = if self.logarithm == 0 {
            1.0
        } else {
            x.ln().powi(self.logarithm)
        };
        power * log
    }

    fn formula(&self, name: &str) -> Formula {
        let feature = || Formula::Feature(name.to_owned());
        let raised = |base: Formula, exponent: f64| {
            if exponent == 1.0 {
                base
            } else {
                Formula::Power(Box::new(base), Box::new(Formula::Constant(exponent)))
            }
        };
        let mut parts = Vec::new();
        if self.power != 0.0 {
            parts.push(raised(feature(), self.power));
        }
        if self.logarithm != 0 {
            let log = Formula::Log(Box::new(feature()));
            parts.push(raised(log, f64::from(self.logarithm)));
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => Formula::Product(parts),
        }
    }
}

/// The terms that are tried, the simplest first.
struct Candidates {
    terms: Vec<Term>,
}

impl Candidates {
    fn of(columns: &[Vec<f64>]) -> Self {
        let mut terms = Vec::new();
        let mut add = |factors: Vec<Factor>| {
            let rows = columns.first().map_or(0, Vec::len);
            let value = |row: usize| {
                factors
                    .iter()
                    .map(|f| f.of(columns[f.column][row]))
                    .product()
            };
            let values: Vec<f64> = (0..rows).map(value).collect();
            let varies = values.iter().any(|v| *v != values[0]);
            if varies && values.iter().all(|v| v.is_finite()) {
                terms.push(Term { factors, values });
            }
        };
        let usable: Vec<usize> = (0..columns.len())
            .filter(|&j| columns[j].iter().all(|x| *x >= 0.0))
            .collect();
        // Of a column with two values every law is the same.
        let is_two = |j: usize| {
            let other = columns[j].iter().find(|x| **x != columns[j][0]);
            columns[j]
                .iter()
                .all(|x| *x == columns[j][0] || Some(x) == other)
        };
        let has_logs = |j: usize| columns[j].iter().all(|x| *x >= 1.0);
        for &column in &usable {
            for logarithm in LOGARITHMS {
                for (i, d) in POWERS {
                    let power = i / d;
                    let is_plain = power == 1.0 && logarithm == 0;
                    let is_none = power == 0.0 && logarithm == 0;
                    let undefined = logarithm > 0 && !has_logs(column);
                    if is_none || undefined || is_two(column) && !is_plain {
                        continue;
                    }
                    add(vec![Factor {
                        column,
                        power,
                        logarithm,
                    }]);
                }
            }
        }
        for (at, &first) in usable.iter().enumerate() {
            for &second in &usable[at + 1..] {
                for a in factors(first, is_two(first), has_logs(first)) {
                    for b in factors(second, is_two(second), has_logs(second)) {
                        add(vec![a, b]);
                    }
                }
            }
        }
        Self { terms }
    }
}

/// What a column may be in a product.
fn factors(column: usize, is_two: bool, has_logs: bool) -> impl Iterator<Item = Factor> {
    let suits = move |(power, logarithm): &(f64, i32)| {
        let is_plain = *power == 1.0 && *logarithm == 0;
        (is_plain || !is_two) && (has_logs || *logarithm == 0)
    };
    FACTORS
        .into_iter()
        .filter(suits)
        .map(move |(power, logarithm)| Factor {
            column,
            power,
            logarithm,
        })
}

/// Rows in parts of which one is left out at a time.
struct Points<'a> {
    target: &'a [f64],
    weights: &'a [f64],
    /// Part of each row.
    part: Vec<usize>,
    parts: usize,
}

impl<'a> Points<'a> {
    /// Rows with equal values are one point; points go round the parts.
    fn of(design: &'a Design, columns: &[Vec<f64>]) -> Self {
        let mut distinct = std::collections::BTreeMap::new();
        for row in 0..design.rows() {
            let key: Vec<u64> = columns.iter().map(|c| c[row].to_bits()).collect();
            distinct.entry(key).or_insert_with(Vec::new).push(row);
        }
        let parts = distinct.len().min(FOLDS);
        let mut part = vec![0; design.rows()];
        for (point, rows) in distinct.into_values().enumerate() {
            for row in rows {
                part[row] = point % parts;
            }
        }
        Self {
            target: &design.target,
            weights: &design.weights,
            part,
            parts,
        }
    }

    /// Mean relative error of rows predicted without their part; none if some part cannot be spared.
    fn error(&self, terms: &[&Term]) -> Option<f64> {
        let mut all = Sums::default();
        let mut by_part = vec![Sums::default(); self.parts];
        let scales: Vec<f64> = terms.iter().map(|t| largest(&t.values)).collect();
        let row = |row: usize| -> [f64; 3] {
            let mut out = [1.0, 0.0, 0.0];
            for (k, (term, scale)) in terms.iter().zip(&scales).enumerate() {
                out[k + 1] = term.values[row] / scale;
            }
            out
        };
        for r in 0..self.target.len() {
            all.add(&row(r), self.target[r], self.weights[r]);
            by_part[self.part[r]].add(&row(r), self.target[r], self.weights[r]);
        }
        let solved: Option<Vec<[f64; 3]>> = by_part
            .iter()
            .map(|part| all.without(part).solve(terms.len() + 1))
            .collect();
        let solved = solved.filter(|_| self.parts > terms.len() + 1)?;
        let mut sum = 0.0;
        for r in 0..self.target.len() {
            let coefficients = &solved[self.part[r]];
            let predicted: f64 = row(r).iter().zip(coefficients).map(|(v, c)| v * c).sum();
            let y = self.target[r];
            sum += (predicted - y).abs() / y.abs().max(f64::MIN_POSITIVE);
        }
        let error = sum / self.target.len() as f64;
        error.is_finite().then_some(error)
    }

    /// The constant and the coefficients of the terms, from all rows.
    fn coefficients(&self, terms: &[&Term]) -> Option<Vec<f64>> {
        let scales: Vec<f64> = terms.iter().map(|t| largest(&t.values)).collect();
        let mut all = Sums::default();
        for r in 0..self.target.len() {
            let mut row = [1.0, 0.0, 0.0];
            for (k, (term, scale)) in terms.iter().zip(&scales).enumerate() {
                row[k + 1] = term.values[r] / scale;
            }
            all.add(&row, self.target[r], self.weights[r]);
        }
        let scaled = all.solve(terms.len() + 1)?;
        let own = scaled[1..].iter().zip(&scales).map(|(c, scale)| c / scale);
        Some(std::iter::once(scaled[0]).chain(own).collect())
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()))
}

/// Weighted sums of squares and products of a constant and two terms.
#[derive(Clone, Copy, Default)]
struct Sums {
    left: [[f64; 3]; 3],
    right: [f64; 3],
}

impl Sums {
    fn add(&mut self, row: &[f64; 3], y: f64, weight: f64) {
        for i in 0..3 {
            for j in 0..3 {
                self.left[i][j] += weight * row[i] * row[j];
            }
            self.right[i] += weight * row[i] * y;
        }
    }

    fn without(&self, part: &Self) -> Self {
        let mut out = *self;
        for i in 0..3 {
            for j in 0..3 {
                out.left[i][j] -= part.left[i][j];
            }
            out.right[i] -= part.right[i];
        }
        out
    }

    /// Solves the first `size` equations by Cholesky's method; none if they are dependent to rounding.
    fn solve(&self, size: usize) -> Option<[f64; 3]> {
        let mut l = [[0.0; 3]; 3];
        for i in 0..size {
            for j in 0..=i {
                let rest: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
                let value = self.left[i][j] - rest;
                if i == j {
                    let is_dependent = value <= 1e-12 * self.left[i][i];
                    if is_dependent || value.is_nan() {
                        return None;
                    }
                    l[i][i] = value.sqrt();
                } else {
                    l[i][j] = value / l[j][j];
                }
            }
        }
        let mut out = [0.0; 3];
        for i in 0..size {
            let rest: f64 = (0..i).map(|k| l[i][k] * out[k]).sum();
            out[i] = (self.right[i] - rest) / l[i][i];
        }
        for i in (0..size).rev() {
            let rest: f64 = (i + 1..size).map(|k| l[k][i] * out[k]).sum();
            out[i] = (out[i] - rest) / l[i][i];
        }
        Some(out)
    }
}

/// The law with the least error among some sets of terms; none if none can be fitted.
fn best(points: &Points, terms: &[Term], sets: impl Iterator<Item = Vec<usize>>) -> Option<Law> {
    let mut found: Option<Law> = None;
    for set in sets {
        let chosen: Vec<&Term> = set.iter().map(|&t| &terms[t]).collect();
        if chosen.len() > 1 {
            let grows = |c: &Vec<f64>| c[1..].iter().all(|c| *c > 0.0);
            if !points.coefficients(&chosen).is_some_and(|c| grows(&c)) {
                continue;
            }
        }
        let Some(error) = points.error(&chosen) else {
            continue;
        };
        if found.as_ref().is_none_or(|f| error < f.error) {
            found = Some(Law { terms: set, error });
        }
    }
    found
}

impl Estimator for Scaling {
    fn name(&self) -> &'static str {
        METHOD
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let rows = design.rows();
        let columns: Vec<Vec<f64>> = design
            .columns
            .iter()
            .map(|c| c.values.to_dense(rows))
            .collect();
        let points = Points::of(design, &columns);
        if points.parts < 2 + SPARE {
            return Err(EstimatorError::TooFewRows {
                method: METHOD,
                needed: 2 + SPARE,
                rows: points.parts,
            });
        }
        let terms = Candidates::of(&columns).terms;
        let count = terms.len();
        let one = best(&points, &terms, (0..count).map(|t| vec![t]));
        let nothing = || EstimatorError::Numerical {
            method: METHOD,
            reason: "no column has values that grow from zero or more".into(),
        };
        let one = one.ok_or_else(nothing)?;
        // Two terms of one column are compared with each other, those of several are found one after the other.
        let first = one.terms[0];
        let pairs: Vec<Vec<usize>> = if columns.len() == 1 {
            let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| vec![a, b]));
            all.collect()
        } else {
            (0..count)
                .filter(|t| *t != first)
                .map(|t| vec![first, t])
                .collect()
        };
        let two = if points.parts > 3 + SPARE {
            best(&points, &terms, pairs.into_iter())
        } else {
            None
        };
        let law = match two {
            Some(two) if two.error < CLEARLY * one.error && one.error > 1e-9 => two,
            _ => one,
        };
        let chosen: Vec<&Term> = law.terms.iter().map(|&t| &terms[t]).collect();
        let coefficients = points.coefficients(&chosen).ok_or_else(nothing)?;
        let product = |(term, c): (&&Term, &f64)| {
            let factors = term.factors.iter();
            let factors = factors.map(|f| f.formula(&design.columns[f.column].name));
            let constant = std::iter::once(Formula::Constant(*c));
            Formula::Product(constant.chain(factors).collect())
        };
        let constant = std::iter::once(Formula::Constant(coefficients[0]));
        let products = chosen.iter().zip(&coefficients[1..]).map(product);
        let message = format!(
            "scaling: of {count} laws of one term, and of two, this one predicts points that are left out best (off by {:.2} % on average)",
            100.0 * law.error
        );
        Ok(Fitted {
            method: METHOD,
            formula: Formula::Sum(constant.chain(products).collect()),
            coefficients: Vec::new(),
            intercept: 0.0,
            summary: None,
            notes: vec![Diagnostic {
                severity: Severity::Note,
                message,
                advice: None,
            }],
        })
    }
}
