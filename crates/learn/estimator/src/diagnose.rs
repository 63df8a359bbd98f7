//! What the data can and cannot tell, found before any fit.
//!
//! A design matrix of full rank can still be meaningless: a count that never varies is not supported however often it
//! occurs, and a condition number of 1e9 leaves no digit of a price. So support means *varying*, and everything that
//! cannot be told apart is named, together with what to vary. Leverage is that of the rows as weighted; all else looks at
//! the columns alone.

use pricetag_cost_model::Diagnostic;

use crate::bucket::Buckets;
use crate::design::{Checked, Design};
use crate::leverage::{leverages, notable};
use crate::qr::{Qr, R_TOLERANCE};

/// Columns for which exact relations and the condition number are worked out; beyond, only counts are reported.
const DETAIL_COLUMNS: usize = 1500;
/// Terms of a relation between columns that is still worth reading.
const READABLE_TERMS: usize = 6;
/// A coefficient this close to a whole number is taken for it, where the relation then holds to [`EXACT`].
const NEARLY_WHOLE: f64 = 1e-2;
/// A relation that holds to this share of the largest value is exact.
const EXACT: f64 = 1e-9;
/// Condition number above which prices lose six digits, and the columns behind it are named.
pub const ILL: f64 = 1e6;
/// Variance inflation from which a column belongs to those behind a large condition number.
const INFLATED: f64 = 1e4;
/// Operations that leverages may cost: seconds.
const LEVERAGE_WORK: f64 = 4e9;

/// Support of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// Rows in which it is not zero.
    pub non_zero: u32,
    /// Rows in which it differs from its most frequent value, which may be zero or not.
    pub varying: u32,
}

impl Support {
    /// Support of a column over the given rows.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let most = sorted
            .chunk_by(|a, b| a == b)
            .map(<[f64]>::len)
            .max()
            .unwrap_or(0);
        Self {
            non_zero: values.iter().filter(|v| **v != 0.0).count() as u32,
            varying: (values.len() - most) as u32,
        }
    }
}

/// An exact linear relation: column = Σ coefficient · column.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// The column that the others determine.
    pub dependent: usize,
    /// `(coefficient, column)`.
    pub terms: Vec<(f64, usize)>,
}

/// How far the other columns predict one, and so blow up the variance of its price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inflation {
    /// The column.
    pub column: usize,
    /// Variance inflation about zero, as in the condition number.
    pub factor: f64,
    /// The column whose price errs most in company with its own.
    pub with: usize,
}

/// The findings, with indices into the design's columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Numerical rank of the merged columns at R's tolerance.
    pub rank: usize,
    /// Condition number of the independent columns scaled to unit length; none when there are too many columns.
    pub condition: Option<f64>,
    /// The columns behind a large condition number, most inflated first.
    pub inflated: Vec<Inflation>,
    /// Per row: how much of its own prediction it decides. Empty where rows or columns are too many, and where there are
    /// no more rows than independent columns: then it is 1 for all.
    pub leverage: Vec<f64>,
    /// Per column.
    pub support: Vec<Support>,
    /// Columns that have the same non-zero value in every row.
    pub constant: Vec<usize>,
    /// Columns in fixed proportion, and empty ones.
    pub buckets: Buckets,
    /// Relations among more than two columns, where they are few and short.
    pub relations: Vec<Relation>,
    /// The same in words, worst first.
    pub messages: Vec<Diagnostic>,
}

impl Diagnosis {
    /// Looks at a design without fitting anything.
    pub fn of(design: &Checked<Design>) -> Self {
        Self::look(design, false)
    }

    /// The same where a constant is fitted beside the columns: it takes part in the leverages.
    pub fn beside_constant(design: &Checked<Design>) -> Self {
        Self::look(design, true)
    }

    fn look(design: &Checked<Design>, constant_beside: bool) -> Self {
        let rows = design.rows();
        let buckets = Buckets::of(design);
        let support: Vec<Support> = design
            .columns
            .iter()
            .map(|c| Support::of(&c.values.to_dense(rows)))
            .collect();
        let constant: Vec<usize> = (0..support.len())
            .filter(|&j| support[j].varying == 0 && support[j].non_zero as usize == rows)
            .collect();
        let mut diagnosis = Self {
            rows,
            columns: design.columns.len(),
            rank: 0,
            condition: None,
            inflated: Vec::new(),
            leverage: Vec::new(),
            support,
            constant,
            buckets,
            relations: Vec::new(),
            messages: Vec::new(),
        };
        let independent = diagnosis.decompose(design);
        diagnosis.weigh_rows(design, &independent, constant_beside);
        diagnosis.write_messages(design);
        diagnosis
    }

    /// Indices of rows with a notable leverage, highest first.
    pub fn leading_rows(&self) -> Vec<usize> {
        let least = notable(self.rows, self.rank);
        let mut rows: Vec<usize> = (0..self.leverage.len())
            .filter(|&i| self.leverage[i] > least)
            .collect();
        rows.sort_by(|&a, &b| {
            self.leverage[b]
                .total_cmp(&self.leverage[a])
                .then(a.cmp(&b))
        });
        rows
    }

    /// Rank, condition and relations; returns the independent columns.
    fn decompose(&mut self, design: &Checked<Design>) -> Vec<usize> {
        let leads: Vec<usize> = self.buckets.buckets.iter().map(|b| b.members[0]).collect();
        let columns: Vec<Vec<f64>> = leads
            .iter()
            .map(|&j| {
                let values = &design.columns[j].values;
                values.scaled(1.0 / values.largest()).to_dense(self.rows)
            })
            .collect();
        let qr = Qr::new(columns, vec![0.0; self.rows], R_TOLERANCE);
        self.rank = qr.rank;
        let independent = qr.pivot[..qr.rank].iter().map(|&j| leads[j]).collect();
        if leads.len() > DETAIL_COLUMNS {
            return independent;
        }
        let condition = qr.condition();
        self.condition = Some(condition);
        if condition > ILL {
            self.inflated = inflated(&qr, &leads);
        }
        if qr.rank == self.rows {
            return independent; // more columns than rows: everything is related to everything
        }
        let largest = |j: usize| design.columns[leads[j]].values.largest();
        self.relations = relations(&qr, &|_| 1.0)
            .into_iter()
            .map(|Relation { dependent, terms }| {
                let size = largest(dependent);
                let term = |(c, j): (f64, usize)| (c * size / largest(j), leads[j]);
                let relation = Relation {
                    dependent: leads[dependent],
                    terms: terms.into_iter().map(term).collect(),
                };
                relation.without_rounding(design)
            })
            .collect();
        independent
    }

    /// Leverages, from the independent columns as weighted.
    fn weigh_rows(
        &mut self,
        design: &Checked<Design>,
        independent: &[usize],
        constant_beside: bool,
    ) {
        let rank = independent.len() + usize::from(constant_beside);
        let work = self.rows as f64 * (rank * rank) as f64;
        if rank >= self.rows || rank == 0 || rank > DETAIL_COLUMNS || work > LEVERAGE_WORK {
            return;
        }
        let roots: Vec<f64> = design.weights.iter().map(|w| w.sqrt()).collect();
        let weighted = |&j: &usize| -> Vec<f64> {
            let values = &design.columns[j].values;
            let dense = values.scaled(1.0 / values.largest()).to_dense(self.rows);
            dense.iter().zip(&roots).map(|(x, r)| x * r).collect()
        };
        let mut columns: Vec<Vec<f64>> = independent.iter().map(weighted).collect();
        columns.extend(constant_beside.then(|| roots.clone()));
        let qr = Qr::new(columns.clone(), vec![0.0; self.rows], R_TOLERANCE);
        self.leverage = leverages(&qr, &columns);
    }
}

impl Relation {
    /// The relation with whole coefficients where they are nearly so, and without terms that only balance each other's rounding
    /// (columns that are nearly dependent leave such pairs), if it holds as well so.
    fn without_rounding(self, design: &Design) -> Self {
        let whole = |c: f64| {
            if (c - c.round()).abs() < NEARLY_WHOLE {
                c.round()
            } else {
                c
            }
        };
        let mut terms: Vec<(f64, usize)> = self.terms.iter().map(|&(c, j)| (whole(c), j)).collect();
        terms.retain(|(c, _)| *c != 0.0);
        let values = &design.columns[self.dependent].values;
        let mut left = values.to_dense(design.rows());
        for &(c, j) in &terms {
            design.columns[j].values.add_to(-c, &mut left);
        }
        let largest = left.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if !terms.is_empty() && largest <= EXACT * values.largest() {
            return Self { terms, ..self };
        }
        self
    }
}

/// How the dependent columns of a decomposition follow from the others, where that takes few terms; `largest` is the
/// largest absolute value of a column as decomposed.
pub fn relations(qr: &Qr, largest: &dyn Fn(usize) -> f64) -> Vec<Relation> {
    let dependent = qr.pivot[qr.rank..].iter().enumerate();
    let all = dependent.map(|(i, &dependent)| {
        let counts = |c: f64, j: usize| c.abs() * largest(j) > 1e-6 * largest(dependent);
        let terms = qr.dependence(i).into_iter().zip(qr.pivot.iter().copied());
        Relation {
            dependent,
            terms: terms.filter(|&(c, j)| counts(c, j)).collect(),
        }
    });
    all.filter(|r| r.terms.len() <= READABLE_TERMS).collect()
}

/// The independent columns whose price has a variance far above that of a column on its own, most inflated first; `leads`
/// says which column of the design each column of the decomposition is.
pub fn inflated(qr: &Qr, leads: &[usize]) -> Vec<Inflation> {
    let length = |j: usize| qr.upper(j).iter().map(|r| r * r).sum::<f64>();
    let diagonal = qr.inverse_diagonal();
    let with = |j: usize| {
        let mut unit = vec![0.0; qr.rank];
        unit[j] = 1.0;
        let shared = qr.solve_normal(&unit);
        let company = |k: &usize| shared[*k].abs() / diagonal[*k].sqrt();
        let others = (0..qr.rank).filter(|k| *k != j);
        others.max_by(|a, b| company(a).total_cmp(&company(b)).then(b.cmp(a)))
    };
    let mut out: Vec<Inflation> = (0..qr.rank)
        .map(|j| (j, length(j) * diagonal[j]))
        .filter(|(_, factor)| *factor > INFLATED)
        .filter_map(|(j, factor)| {
            Some(Inflation {
                column: leads[qr.pivot[j]],
                factor,
                with: leads[qr.pivot[with(j)?]],
            })
        })
        .collect();
    out.sort_by(|a, b| b.factor.total_cmp(&a.factor).then(a.column.cmp(&b.column)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Column, Values};

    fn design(columns: &[&[f64]]) -> Design {
        let named = columns.iter().enumerate().map(|(j, values)| Column {
            name: j.to_string(),
            values: Values::Dense(values.to_vec()),
        });
        Design::new(named.collect(), vec![1.0; columns[0].len()])
    }

    #[test]
    fn terms_that_balance_each_other_go_and_small_ones_that_matter_stay() {
        let large = [4e8, 7e8, 9e8, 1e8];
        let twice = large.map(|v| 2.0 * v);
        let (a, b) = ([3.0, 1.0, 4.0, 1.0], [5.0, 9.0, 2.0, 6.0]);
        let sum = [11.0, 11.0, 10.0, 8.0]; // 2a + b
        let design = design(&[&sum, &a, &b, &large, &twice]);
        let found = |terms: &[(f64, usize)]| {
            let relation = Relation {
                dependent: 0,
                terms: terms.to_vec(),
            };
            relation.without_rounding(&design).terms
        };
        let noisy = [
            (2.000_000_1, 1),
            (0.999_999_8, 2),
            (1.04e-8, 3),
            (-5.2e-9, 4),
        ];
        assert_eq!(found(&noisy), [(2.0, 1), (1.0, 2)]);
        let other = [(2.0, 1), (1.04e-8, 3)];
        assert_eq!(
            found(&other),
            other,
            "what does not hold without it is left alone"
        );
    }
}
