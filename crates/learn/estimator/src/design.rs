//! A linear design: named columns over labelled, weighted, grouped rows, and the cost to be explained.
//!
//! Three types, after linfa's parameter guards: a [`Design`] may hold anything, a [`Checked`] one is finite, complete and
//! uniquely named, and an estimator turns it into a [`crate::Fitted`] one. Counts of real programs are sparse, columns of
//! a stranger's table are not, so a column is either.

use std::collections::BTreeSet;
use std::ops::Deref;

use pricetag_quantity::Unfinite;

/// A column's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// One value per row.
    Dense(Vec<f64>),
    /// `(row, value)` ascending by row; other rows are zero.
    Sparse(Vec<(u32, f64)>),
}

impl Values {
    /// The stored entries in ascending order of rows; a dense column stores its zeros.
    pub fn entries(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (dense, sparse): (&[f64], &[(u32, f64)]) = match self {
            Self::Dense(values) => (values, &[]),
            Self::Sparse(entries) => (&[], entries),
        };
        let stored = sparse.iter().map(|&(row, value)| (row as usize, value));
        dense.iter().copied().enumerate().chain(stored)
    }

    /// Adds `factor` times the column to `to`.
    pub fn add_to(&self, factor: f64, to: &mut [f64]) {
        match self {
            Self::Dense(values) => {
                for (t, v) in to.iter_mut().zip(values) {
                    *t += factor * v;
                }
            }
            Self::Sparse(entries) => {
                for &(row, value) in entries {
                    to[row as usize] += factor * value;
                }
            }
        }
    }

    /// Inner product with `other`.
    pub fn dot(&self, other: &[f64]) -> f64 {
        match self {
            Self::Dense(values) => values.iter().zip(other).map(|(a, b)| a * b).sum(),
            Self::Sparse(entries) => entries
                .iter()
                .map(|&(row, value)| value * other[row as usize])
                .sum(),
        }
    }

    /// All values, zeros included.
    pub fn to_dense(&self, rows: usize) -> Vec<f64> {
        let mut out = vec![0.0; rows];
        self.add_to(1.0, &mut out);
        out
    }

    /// The column restricted to `rows`, which become rows 0, 1, ….
    #[must_use]
    pub fn select(&self, rows: &[usize], total: usize) -> Self {
        match self {
            Self::Dense(values) => Self::Dense(rows.iter().map(|&r| values[r]).collect()),
            Self::Sparse(_) => {
                let dense = self.to_dense(total);
                let kept = rows
                    .iter()
                    .enumerate()
                    .map(|(new, &old)| (new as u32, dense[old]));
                Self::Sparse(kept.filter(|e| e.1 != 0.0).collect())
            }
        }
    }

    /// The column times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        match self {
            Self::Dense(values) => Self::Dense(values.iter().map(|v| v * factor).collect()),
            Self::Sparse(entries) => {
                Self::Sparse(entries.iter().map(|&(r, v)| (r, v * factor)).collect())
            }
        }
    }

    /// Largest absolute value; 0 for an empty column.
    pub fn largest(&self) -> f64 {
        self.entries().fold(0.0, |m, (_, v)| m.max(v.abs()))
    }
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Unique name.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// Columns, target, weights and groups; nothing checked yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Design {
    /// The explaining columns.
    pub columns: Vec<Column>,
    /// What each row is called in messages.
    pub labels: Vec<String>,
    /// Rows of one group never stand on both sides of a split.
    pub groups: Vec<String>,
    /// The cost to be explained.
    pub target: Vec<f64>,
    /// Weights of the squared errors.
    pub weights: Vec<f64>,
}

/// Why a design cannot be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DesignError {
    /// No row.
    #[error("there is no observation to learn from")]
    NoRows,
    /// No column.
    #[error("there is no feature to learn from")]
    NoColumns,
    /// NaN or infinity.
    #[error(
        "row `{row}`, column `{column}`: {value} is not a finite number; of the column's values are {all}"
    )]
    NotFinite {
        /// Label of the row.
        row: String,
        /// Name of the column.
        column: String,
        /// What stands there.
        value: f64,
        /// How many of the column's values are not finite.
        all: Box<Unfinite>,
    },
    /// A negative or non-finite weight.
    #[error("row `{row}`: the weight {value} is not a finite number ≥ 0")]
    Weight {
        /// Label of the row.
        row: String,
        /// What stands there.
        value: f64,
    },
    /// Parts of different lengths, or rows out of order.
    #[error("column `{column}` does not fit the {rows} rows of the design")]
    Shape {
        /// Name of the column, or `target`, `weights`, `groups`.
        column: String,
        /// Rows of the design.
        rows: usize,
    },
    /// Two columns of one name.
    #[error("two columns are called `{0}`")]
    DuplicateName(String),
}

/// A design that is finite, complete, uniquely named and not empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked<T>(T);

impl<T> Deref for Checked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Checked<T> {
    /// Gives the unchecked value back, to change it.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Design {
    /// A design with equal weights, rows numbered from 1, each its own group.
    pub fn new(columns: Vec<Column>, target: Vec<f64>) -> Self {
        let labels: Vec<String> = (1..=target.len()).map(|i| i.to_string()).collect();
        Self {
            columns,
            groups: labels.clone(),
            labels,
            weights: vec![1.0; target.len()],
            target,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.target.len()
    }

    /// Checks everything an estimator relies on.
    pub fn check(self) -> Result<Checked<Self>, DesignError> {
        let rows = self.rows();
        if rows == 0 {
            return Err(DesignError::NoRows);
        }
        if self.columns.is_empty() {
            return Err(DesignError::NoColumns);
        }
        self.check_rows()?;
        let mut names = BTreeSet::new();
        for column in &self.columns {
            if !names.insert(&column.name) {
                return Err(DesignError::DuplicateName(column.name.clone()));
            }
            let fits = match &column.values {
                Values::Dense(values) => values.len() == rows,
                Values::Sparse(entries) => {
                    entries.windows(2).all(|w| w[0].0 < w[1].0)
                        && entries.last().is_none_or(|e| (e.0 as usize) < rows)
                }
            };
            if !fits {
                return Err(self.misshapen(&column.name));
            }
            if let Some((row, value)) = column.values.entries().find(|(_, v)| !v.is_finite()) {
                let all = column.values.entries().map(|(_, value)| value).collect();
                return Err(self.not_finite(row, &column.name, value, all));
            }
        }
        Ok(Checked(self))
    }

    /// Checks what there is one of per row.
    fn check_rows(&self) -> Result<(), DesignError> {
        for (name, length) in [
            ("labels", self.labels.len()),
            ("groups", self.groups.len()),
            ("weights", self.weights.len()),
        ] {
            if length != self.rows() {
                return Err(self.misshapen(name));
            }
        }
        for (row, (&y, &w)) in self.target.iter().zip(&self.weights).enumerate() {
            if !y.is_finite() {
                let all = self.target.iter().copied().collect();
                return Err(self.not_finite(row, "target", y, all));
            }
            if !(w.is_finite() && w >= 0.0) {
                return Err(DesignError::Weight {
                    row: self.labels[row].clone(),
                    value: w,
                });
            }
        }
        Ok(())
    }

    fn misshapen(&self, column: &str) -> DesignError {
        DesignError::Shape {
            column: column.to_owned(),
            rows: self.rows(),
        }
    }

    fn not_finite(&self, row: usize, column: &str, value: f64, all: Unfinite) -> DesignError {
        DesignError::NotFinite {
            row: self.labels[row].clone(),
            column: column.to_owned(),
            value,
            all: Box::new(all),
        }
    }

    /// The design restricted to some rows, in the order given.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let total = self.rows();
        let pick = |from: &[String]| rows.iter().map(|&r| from[r].clone()).collect();
        Self {
            columns: self
                .columns
                .iter()
                .map(|c| Column {
                    name: c.name.clone(),
                    values: c.values.select(rows, total),
                })
                .collect(),
            labels: pick(&self.labels),
            groups: pick(&self.groups),
            target: rows.iter().map(|&r| self.target[r]).collect(),
            weights: rows.iter().map(|&r| self.weights[r]).collect(),
        }
    }
}

impl Checked<Design> {
    /// The design restricted to some rows; still checked as long as there is one.
    pub fn subset(&self, rows: &[usize]) -> Result<Self, DesignError> {
        if rows.is_empty() {
            Err(DesignError::NoRows)
        } else {
            Ok(Self(self.0.select(rows)))
        }
    }

    /// The same rows with other weights.
    pub fn reweighted(mut self, weights: Vec<f64>) -> Result<Self, DesignError> {
        self.0.weights = weights;
        self.0.check_rows()?;
        Ok(self)
    }
}

/// 1 / max(|y|, q)² with q the 5 % quantile of |y| (or the smallest positive one): squared errors become relative, and
/// rows near zero do not take all the weight.
pub fn relative_weights(target: &[f64]) -> Vec<f64> {
    let magnitudes: Vec<f64> = target.iter().map(|y| y.abs()).collect();
    let smallest = magnitudes
        .iter()
        .copied()
        .filter(|y| *y > 0.0)
        .fold(f64::INFINITY, f64::min);
    let quantile = pricetag_quantity::quantile(&magnitudes, 0.05).unwrap_or(0.0);
    let floor = if quantile > 0.0 { quantile } else { smallest };
    if !floor.is_finite() {
        return vec![1.0; target.len()];
    }
    magnitudes.iter().map(|y| y.max(floor).powi(-2)).collect()
}
