//! Least squares on a table too large to be held: rows come from a Parquet file in blocks.
//!
//! All rows are learnt from, so none judges: what streams is meant for the summary of a fit, not for a choice of methods.
//! Of the diagnosis before a fit there is what the triangle of the rows and two more passes tell: dependent columns and what
//! they depend on, the condition number and what is behind it, ranges and support. Buckets and leverage would need the columns themselves.

use std::collections::BTreeMap;
use std::path::Path;

use pricetag_cost_model::{
    CostModel, Diagnostic, Domain, Formula, MODEL_SCHEMA, Price, Provenance, Severity,
};
use pricetag_dataset::DatasetError;
use pricetag_estimator::{Coefficient, Relation, Support};
use pricetag_quantity::counted;
use pricetag_regress::{LeastSquares, RowBlocks, RowWeights, RowsError, RowsFit, TableRows};

use crate::fit::{FitError, check_options};
use crate::notes::negative;
use crate::options::{FitOptions, Weighting};
use crate::prices::{bounds, no_price, rare};
use crate::suitability::check_streaming;

/// Rows in which the most frequent value of a column is looked for.
const SAMPLE: u64 = 65_536;
/// Columns named in one note.
const LISTED: usize = 5;

/// Why rows that stream were not fitted.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// An option cannot be followed.
    #[error(transparent)]
    Option(#[from] FitError),
    /// The rows cannot be read or fitted.
    #[error(transparent)]
    Rows(#[from] RowsError),
}

impl StreamError {
    /// Whether the file is no Parquet.
    pub fn is_other_format(&self) -> bool {
        matches!(
            self,
            Self::Rows(RowsError::Dataset(DatasetError::NotParquet { .. }))
        )
    }
}

/// Fits a Parquet file by `ols` or `wls` without holding its rows.
///
/// # Errors
/// If the file cannot be read, holds a number that is not finite, or an option needs rows to be held.
pub fn fit_stream(
    path: &Path,
    ignore: &[&str],
    options: &FitOptions,
) -> Result<CostModel, StreamError> {
    check_options(options)?;
    check_streaming(options)?;
    let mut rows = TableRows::open(path, &options.target, None, ignore)?;
    let weights = match options.method.weighting(options.weighting) {
        Weighting::Relative => RowWeights::Relative,
        // Rows weighted by roots are refused above.
        Weighting::Equal | Weighting::Root => RowWeights::AsGiven,
    };
    let least_squares = LeastSquares {
        intercept: options.intercept,
        ..LeastSquares::default()
    };
    let found = least_squares.fit_rows(&mut rows, weights)?;
    let names = rows.names();
    let total = rows.rows();
    let columns = Columns::count(&mut rows, total)?;
    let domain: BTreeMap<String, Domain> = names
        .iter()
        .zip(&found.ranges)
        .map(|(name, &(min, max))| (name.clone(), Domain { min, max }))
        .collect();
    let mut diagnostics = diagnostics(&found, &names, options);
    diagnostics.extend(
        rows.left_out()
            .iter()
            .map(|(name, what)| note(format!("column `{name}` was left out: it holds {what}"))),
    );
    diagnostics.push(note(format!(
        "learnt from all {} rows in {} passes over the file; no row was held out",
        found.rows,
        found.passes + Columns::PASSES
    )));
    diagnostics.sort_by_key(|d| std::cmp::Reverse(d.severity));
    Ok(CostModel {
        schema: MODEL_SCHEMA,
        target: options.target.clone(),
        unit: "1".into(),
        method: options.method.to_string(),
        text: found.fitted.formula.text(),
        prices: prices(&found, &names, &columns, options),
        formula: found.fitted.formula,
        charges: None,
        terms: Vec::new(),
        screening: None,
        preferred: None,
        interval: None,
        domain,
        evaluation: None,
        baseline: None,
        alternatives: Vec::new(),
        costs: None,
        unexplained: None,
        standings: Vec::new(),
        concise: None,
        sensitivity: None,
        summary: found.fitted.summary,
        diagnostics,
        provenance: Provenance {
            scope: "table".into(),
            options: options.describe(),
            seed: options.seed,
            pricetag: options.pricetag.clone(),
            ..Provenance::default()
        },
    })
}

/// What is known of the columns besides the fit.
struct Columns {
    support: Vec<Support>,
    sums: Vec<f64>,
}

impl Columns {
    /// How often the rows are read for it.
    const PASSES: u32 = 2;

    /// Counts where columns differ from their most frequent value, which is that of up to 65,536 rows evenly spread over the
    /// file, and so exact unless two values are about as frequent.
    fn count(rows: &mut dyn RowBlocks, total: u64) -> Result<Self, RowsError> {
        let width = rows.names().len();
        let stride = total.div_ceil(SAMPLE).max(1);
        let mut sample: Vec<Vec<f64>> = vec![Vec::new(); width];
        rows.for_each(&mut |block| {
            let first = block.start.next_multiple_of(stride) - block.start;
            for (sample, column) in sample.iter_mut().zip(&block.columns) {
                let picked = column.iter().skip(first as usize).step_by(stride as usize);
                sample.extend(picked);
            }
            Ok(())
        })?;
        let modes: Vec<f64> = sample.into_iter().map(most_frequent).collect();
        let mut same = vec![0_u64; width];
        let mut non_zero = vec![0_u64; width];
        let mut sums = vec![0.0; width];
        let mut seen = 0_u64;
        rows.for_each(&mut |block| {
            seen += block.target.len() as u64;
            for (j, column) in block.columns.iter().enumerate() {
                same[j] += column.iter().filter(|x| **x == modes[j]).count() as u64;
                non_zero[j] += column.iter().filter(|x| **x != 0.0).count() as u64;
                sums[j] += column.iter().sum::<f64>();
            }
            Ok(())
        })?;
        let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let support = same.iter().zip(&non_zero).map(|(&same, &filled)| Support {
            non_zero: number(filled),
            varying: number(seen - same),
        });
        Ok(Self {
            support: support.collect(),
            sums,
        })
    }
}

fn most_frequent(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let runs = values.chunk_by(|a, b| a == b);
    runs.max_by_key(|run| run.len()).map_or(0.0, |run| run[0])
}

fn prices(
    found: &RowsFit,
    names: &[String],
    columns: &Columns,
    options: &FitOptions,
) -> Vec<Price> {
    let df = found.fitted.summary.as_ref().map(|s| s.residual_df);
    let paid = |c: &Coefficient, sum: f64| c.estimate.unwrap_or(0.0) * sum;
    let coefficients = &found.fitted.coefficients;
    let constant = match &found.fitted.formula {
        Formula::Linear { intercept, .. } => intercept * found.rows as f64,
        _ => 0.0,
    };
    let parts = coefficients.iter().zip(&columns.sums);
    let total = constant + parts.map(|(c, sum)| paid(c, *sum)).sum::<f64>();
    let price = |(j, coefficient): (usize, &Coefficient)| {
        let (value, support) = (coefficient.estimate, columns.support[j]);
        let value = value.filter(|v| *v >= 0.0);
        Price {
            bucket: names[j].clone(),
            members: vec![names[j].clone()],
            ratios: vec![1.0],
            price: value,
            std_error: coefficient.std_error,
            bounds: bounds(value, coefficient.std_error, df, options.level_of_intervals),
            prior: None,
            evidence: None,
            support: support.varying,
            share: if total > 0.0 {
                paid(coefficient, columns.sums[j]) / total
            } else {
                0.0
            },
            note: no_price(coefficient).or_else(|| rare(support.varying)),
        }
    };
    coefficients.iter().enumerate().map(price).collect()
}

/// What is to be said of the rows and the fit.
fn diagnostics(found: &RowsFit, names: &[String], options: &FitOptions) -> Vec<Diagnostic> {
    let mut out = found.fitted.notes.clone();
    out.extend(negative(&found.fitted.coefficients));
    let named = |column: usize| {
        let column = column.checked_sub(usize::from(options.intercept))?;
        Some(names[column].as_str())
    };
    // What is a multiple of the constant alone is named below.
    let varies = |r: &&Relation| r.terms.iter().any(|&(_, j)| named(j).is_some());
    let related = found.relations.iter().filter(varies).take(LISTED);
    out.extend(related.map(|relation| relation.message(&named)));
    let name = |column: usize| {
        named(column).map_or_else(|| "the constant".to_owned(), |name| format!("`{name}`"))
    };
    if !found.inflated.is_empty() {
        let behind: Vec<String> = found
            .inflated
            .iter()
            .take(LISTED)
            .map(|i| name(i.column))
            .collect();
        out.push(Diagnostic {
            severity: Severity::Warning,
            message: format!(
                "the features are nearly dependent (condition number {:.1e}; behind it: {})",
                found.condition,
                behind.join(", ")
            ),
            advice: Some(
                "Treat single prices with care; predictions for similar inputs are not affected."
                    .into(),
            ),
        });
    }
    let constant: Vec<&String> = names
        .iter()
        .zip(&found.ranges)
        .filter(|(_, (low, high))| low == high)
        .map(|(name, _)| name)
        .collect();
    if !constant.is_empty() {
        let listed: Vec<String> = constant
            .iter()
            .take(LISTED)
            .map(|n| format!("`{n}`"))
            .collect();
        out.push(note(format!(
            "the same in every row: {}: {}{}",
            counted(constant.len(), "column"),
            listed.join(", "),
            if constant.len() > LISTED { ", …" } else { "" }
        )));
    }
    out
}

fn note(message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Note,
        message,
        advice: None,
    }
}
