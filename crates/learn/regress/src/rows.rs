//! Rows that come in blocks, so that a fit need not hold them all.
//!
//! A [`RowBlocks`] is read several times from the beginning and yields the same blocks each time: [`DesignRows`] from a
//! design in memory, [`TableRows`] from a Parquet file.

use std::path::Path;

use pricetag_dataset::{DatasetError, NumberBlocks};
use pricetag_estimator::{Checked, Design, EstimatorError, Values};

/// Rows of a design yielded at a time.
const ROWS: usize = 4096;

/// Some consecutive rows, column by column.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// Number of rows before this block.
    pub start: u64,
    /// The explaining columns.
    pub columns: Vec<&'a [f64]>,
    /// The cost.
    pub target: &'a [f64],
    /// Weights of the squared errors; none if they are all 1.
    pub weights: Option<&'a [f64]>,
}

/// Why a fit over blocks failed.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// The rows cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The rows cannot be fitted.
    #[error(transparent)]
    Estimator(#[from] EstimatorError),
}

/// Result of reading or fitting rows.
pub type Result<T> = std::result::Result<T, RowsError>;

/// What is done with a block.
pub type Visit<'a> = dyn FnMut(&Block<'_>) -> Result<()> + 'a;

/// A source of rows that can be read again and again.
pub trait RowBlocks {
    /// Names of the explaining columns.
    fn names(&self) -> Vec<String>;

    /// Yields all rows, in order; finite numbers only.
    fn for_each(&mut self, visit: &mut Visit<'_>) -> Result<()>;

    /// Yields the cost alone, for which a source may read less.
    fn for_each_target(&mut self, visit: &mut dyn FnMut(&[f64])) -> Result<()> {
        self.for_each(&mut |block| {
            visit(block.target);
            Ok(())
        })
    }
}

/// The rows of a design in memory.
#[derive(Debug)]
pub struct DesignRows<'a>(pub &'a Checked<Design>);

impl RowBlocks for DesignRows<'_> {
    fn names(&self) -> Vec<String> {
        self.0.columns.iter().map(|c| c.name.clone()).collect()
    }

    fn for_each(&mut self, visit: &mut Visit<'_>) -> Result<()> {
        let design = self.0;
        let equal = design.weights.iter().all(|w| *w == 1.0);
        // Entries of a sparse column come in ascending order: each has a cursor and a block of its own.
        let mut cursors = vec![0; design.columns.len()];
        let mut scattered: Vec<Vec<f64>> = design
            .columns
            .iter()
            .map(|c| match c.values {
                Values::Dense(_) => Vec::new(),
                Values::Sparse(_) => vec![0.0; ROWS],
            })
            .collect();
        for start in (0..design.rows()).step_by(ROWS) {
            let end = (start + ROWS).min(design.rows());
            for (j, column) in design.columns.iter().enumerate() {
                if let Values::Sparse(entries) = &column.values {
                    scattered[j].fill(0.0);
                    let rest = entries[cursors[j]..].iter();
                    for &(row, value) in rest.take_while(|e| (e.0 as usize) < end) {
                        scattered[j][row as usize - start] = value;
                        cursors[j] += 1;
                    }
                }
            }
            let columns = design.columns.iter().zip(&scattered);
            visit(&Block {
                start: start as u64,
                columns: columns
                    .map(|(column, scattered)| match &column.values {
                        Values::Dense(values) => &values[start..end],
                        Values::Sparse(_) => &scattered[..end - start],
                    })
                    .collect(),
                target: &design.target[start..end],
                weights: (!equal).then(|| &design.weights[start..end]),
            })?;
        }
        Ok(())
    }
}

/// The rows of a wide Parquet file: one column is the cost, one may be the weights, all others explain.
#[derive(Debug)]
pub struct TableRows {
    file: NumberBlocks,
    weights: bool,
}

impl TableRows {
    /// Opens a file; columns in `ignore` and columns that hold no numbers are left out (see [`TableRows::left_out`]).
    pub fn open(path: &Path, target: &str, weights: Option<&str>, ignore: &[&str]) -> Result<Self> {
        let first: Vec<(&str, &'static str)> = std::iter::once((target, "the target"))
            .chain(weights.map(|w| (w, "the weights")))
            .collect();
        Ok(Self {
            file: NumberBlocks::open(path, &first, ignore)?,
            weights: weights.is_some(),
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.file.rows()
    }

    /// Columns that hold no numbers, and what they hold.
    pub fn left_out(&self) -> &[(String, String)] {
        self.file.left_out()
    }

    fn explaining(&self) -> usize {
        1 + usize::from(self.weights)
    }
}

impl RowBlocks for TableRows {
    fn names(&self) -> Vec<String> {
        self.file.names()[self.explaining()..].to_vec()
    }

    fn for_each(&mut self, visit: &mut Visit<'_>) -> Result<()> {
        let first = self.explaining();
        let weighted = self.weights;
        self.file.for_each(usize::MAX, &mut |start, columns| {
            if let Some(row) = columns[1..first].iter().flatten().position(|w| *w < 0.0) {
                return Err(
                    EstimatorError::Design(pricetag_estimator::DesignError::Weight {
                        row: (start + row as u64 + 1).to_string(),
                        value: columns[1][row],
                    })
                    .into(),
                );
            }
            visit(&Block {
                start,
                columns: columns[first..].iter().map(Vec::as_slice).collect(),
                target: &columns[0],
                weights: weighted.then(|| columns[1].as_slice()),
            })
        })
    }

    fn for_each_target(&mut self, visit: &mut dyn FnMut(&[f64])) -> Result<()> {
        self.file.for_each(1, &mut |_, columns| {
            visit(&columns[0]);
            Ok::<(), RowsError>(())
        })
    }
}
