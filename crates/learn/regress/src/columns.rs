//! Columns as a fit reads them: stored dense, stored sparse, or worked out when they are needed.

use pricetag_estimator::{Design, Values};

/// A table of columns that need not exist in memory.
pub(crate) trait Columns: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns.
    fn count(&self) -> usize;
    /// The values of a column; `scratch` has room for them if they are not stored as a slice.
    fn view<'a>(&'a self, column: usize, scratch: &'a mut [f64]) -> &'a [f64];
    /// The non-zero entries of a column that is stored sparse.
    fn entries(&self, _column: usize) -> Option<&[(u32, f64)]> {
        None
    }
}

impl Columns for Design {
    fn rows(&self) -> usize {
        self.target.len()
    }

    fn count(&self) -> usize {
        self.columns.len()
    }

    fn view<'a>(&'a self, column: usize, scratch: &'a mut [f64]) -> &'a [f64] {
        match &self.columns[column].values {
            Values::Dense(values) => values,
            Values::Sparse(entries) => {
                scratch.fill(0.0);
                for &(row, value) in entries {
                    scratch[row as usize] = value;
                }
                scratch
            }
        }
    }

    fn entries(&self, column: usize) -> Option<&[(u32, f64)]> {
        match &self.columns[column].values {
            Values::Dense(_) => None,
            Values::Sparse(entries) => Some(entries),
        }
    }
}
