//! Products of powers of features: their enumeration, their values on demand, and their formula.

use pricetag_cost_model::Formula;
use pricetag_estimator::Design;
use serde::{Deserialize, Serialize};

use crate::columns::Columns;

/// A product of powers of columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Term {
    /// `(column, power)`, ascending by column, powers ≥ 1.
    pub powers: Vec<(usize, u32)>,
}

impl Term {
    /// Sum of the powers.
    pub fn degree(&self) -> u32 {
        self.powers.iter().map(|p| p.1).sum()
    }
}

/// All products of powers of `columns` with total degree up to `degree` of up to `interactions` different columns: low
/// degrees first, within a degree in the order of columns. The constant is not among them.
pub fn expand(columns: &[usize], degree: u32, interactions: usize) -> Vec<Term> {
    let mut all: Vec<Term> = Vec::new();
    let mut last = vec![Term { powers: Vec::new() }];
    for _ in 0..degree {
        let mut next: Vec<Term> = Vec::new();
        for term in &last {
            let from = term.powers.last().map(|p| p.0);
            for &column in columns.iter().filter(|c| from.is_none_or(|f| **c >= f)) {
                let mut powers = term.powers.clone();
                match powers.last_mut() {
                    Some(p) if p.0 == column => p.1 += 1,
                    _ => powers.push((column, 1)),
                }
                if powers.len() <= interactions {
                    next.push(Term { powers });
                }
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    all
}

/// The terms as columns of features scaled by their largest absolute value; a column is worked out when it is read.
pub(crate) struct Expansion {
    rows: usize,
    /// Scaled values of each feature that occurs.
    features: Vec<Vec<f64>>,
    /// Position in `features` by column.
    position: std::collections::BTreeMap<usize, usize>,
    scales: Vec<f64>,
    pub terms: Vec<Term>,
}

impl Expansion {
    pub(crate) fn new(design: &Design, terms: Vec<Term>) -> Self {
        let mut expansion = Self {
            rows: design.rows(),
            features: Vec::new(),
            position: std::collections::BTreeMap::new(),
            scales: Vec::new(),
            terms: Vec::new(),
        };
        for &(column, _) in terms.iter().flat_map(|t| &t.powers) {
            if !expansion.position.contains_key(&column) {
                let values = &design.columns[column].values;
                let largest = values.largest();
                let scale = if largest > 0.0 { largest } else { 1.0 };
                let scaled = values.to_dense(design.rows());
                expansion.position.insert(column, expansion.features.len());
                expansion
                    .features
                    .push(scaled.iter().map(|v| v / scale).collect());
                expansion.scales.push(scale);
            }
        }
        expansion.terms = terms;
        expansion
    }

    /// The coefficient of a term of the features as they came, given that of the scaled ones.
    pub(crate) fn unscaled(&self, term: usize, coefficient: f64) -> f64 {
        self.terms[term]
            .powers
            .iter()
            .fold(coefficient, |c, &(column, power)| {
                let scale = self.scales[self.position[&column]];
                (0..power).fold(c, |c, _| c / scale)
            })
    }
}

impl Columns for Expansion {
    fn rows(&self) -> usize {
        self.rows
    }

    fn count(&self) -> usize {
        self.terms.len()
    }

    fn view<'a>(&'a self, column: usize, scratch: &'a mut [f64]) -> &'a [f64] {
        let powers = &self.terms[column].powers;
        if let [(feature, 1)] = powers[..] {
            return &self.features[self.position[&feature]];
        }
        scratch.fill(1.0);
        for &(feature, power) in powers {
            let values = &self.features[self.position[&feature]];
            for _ in 0..power {
                for (s, v) in scratch.iter_mut().zip(values) {
                    *s *= v;
                }
            }
        }
        scratch
    }
}

/// The formula of a sum of terms over the columns' names.
pub(crate) fn formula(design: &Design, intercept: f64, terms: &[(Term, f64)]) -> Formula {
    let name = |column: usize| design.columns[column].name.clone();
    let (linear, products): (Vec<_>, Vec<_>) = terms.iter().partition(|t| t.0.degree() == 1);
    let linear = Formula::Linear {
        intercept,
        terms: linear
            .iter()
            .map(|(term, c)| (*c, name(term.powers[0].0)))
            .collect(),
    };
    if products.is_empty() {
        return linear;
    }
    let product = |(term, c): &&(Term, f64)| {
        let mut factors = vec![Formula::Constant(*c)];
        factors.extend(term.powers.iter().map(|&(column, power)| {
            let feature = Formula::Feature(name(column));
            if power == 1 {
                feature
            } else {
                let exponent = Formula::Constant(f64::from(power));
                Formula::Power(Box::new(feature), Box::new(exponent))
            }
        }));
        Formula::Product(factors)
    };
    let mut parts = vec![linear];
    parts.extend(products.iter().map(product));
    Formula::Sum(parts)
}
