//! Predicted cost with interval and extrapolation flag.
//!
//! A prediction is the model's formula at a row's values, its interval the prediction times the model's factors. Beside
//! it stands how far the row is from the training rows, in features and in the effect on the prediction: an interval
//! measured on rows like those of the training says little about others.
//!
//! **Features that a table has no column for.** Where the model was learnt from a stranger's table, that is an error that
//! names them. A recorded count that is absent means that the code was never reached,
//! so it is zero. A model does not say which features are counts; the training range does: a feature that was constant
//! takes that constant (such as the one base price per run), a feature whose range includes zero takes zero, and any
//! other, such as the size of the input, is an error that names it. In a recording of ours a count that was never zero in training is zero, too, if others of its sort were counted.

mod calls;
mod controls;
mod foreign;
mod names;
mod row;

pub use calls::{Call, Pricing, predict_call};
pub use controls::{Control, hold_against};
pub use foreign::predict_table;
pub use row::{Row, predict_dataset, predict_rows};

use pricetag_cost_model::FormulaError;

/// Why there is no prediction.
#[derive(Debug, thiserror::Error)]
pub enum PredictError {
    /// The table lacks columns that were never zero in training.
    #[error(
        "the table has no column for {} of the model's features, such as `{first}`{seen}: add {} to the table{}, or fit without {}",
        .count, pronoun(*.count), proposed(.near), pronoun(*.count)
    )]
    MissingFeatures {
        /// How many.
        count: usize,
        /// One of them.
        first: String,
        /// Its range in training, in words.
        seen: String,
        /// Columns that are nearly called so.
        near: Vec<String>,
    },
    /// The formula could not be evaluated.
    #[error("predicting `{label}`: {source}")]
    Formula {
        /// The observation.
        label: String,
        /// What the formula lacks.
        source: FormulaError,
    },
    /// The formula gave no finite number.
    #[error(
        "predicting `{label}`: the formula gives {value}; the row is outside of what the model can be used for"
    )]
    NotFinite {
        /// The observation.
        label: String,
        /// What it gave.
        value: f64,
    },
    /// The table could not be read.
    #[error(transparent)]
    Table(#[from] pricetag_dataset::DatasetError),
    /// A cell that the model needs is not a number.
    #[error("{place}, column `{column}`: `{text}` is not a number")]
    NotANumber {
        /// `line 7` or `row 6`.
        place: String,
        /// Column.
        column: String,
        /// The cell.
        text: String,
    },
    /// The price list has no prices for these charging rules.
    #[error("the price list has no prices for {wanted}; it has: {available}")]
    NoPrices {
        /// Mode or estimator.
        wanted: String,
        /// What there is.
        available: String,
    },
    /// There is nothing to predict.
    #[error("the table has no rows to predict")]
    NoRows,
}

fn proposed(near: &[String]) -> String {
    let named: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    if named.is_empty() {
        return String::new();
    }
    format!(" (is it what {} holds?)", named.join(" or "))
}

fn pronoun(count: usize) -> &'static str {
    if count == 1 { "it" } else { "them" }
}
