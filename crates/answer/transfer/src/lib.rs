//! Predictions on a platform where the program never ran, from what small programs cost there and here.
//!
//! Krogmann, Kuperberg and Reussner (2010), section 3.6, predict Σ counts × prices over a factor R that is learnt where the program
//! runs; that is here as [`apply()`] and as the route `paper`. Deviations, each measured on programs over eleven platforms: a model learnt here predicts the cost here,
//! and only the ratio of the two platforms is taken from their lists; how far the lists differ decides how ([`choose`]); the ratio has an uncertainty, which
//! widens the intervals; runs there update it. Limits: counts are those of this JDK's run; one thread; nothing is known of memory that is full or cores that are shared.

mod apply;
mod calibrate;
mod difference;
mod mixture;
mod program;
mod rank;
mod routes;

pub use apply::apply;
pub use calibrate::{Update, update};
pub use difference::{Shared, differ, shared};
pub use mixture::{Mixture, mixture};
pub use program::{Counted, Program};
pub use routes::{Ask, Route, choose, move_to};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// Another kind of processor.
    #[error(
        "the lists are of different architectures, {here} and {there}: their benchmarks are compiled to different instructions, so a ratio of one program says nothing of another"
    )]
    Architecture {
        /// Of the first.
        here: String,
        /// Of the second.
        there: String,
    },
    /// They share nothing.
    #[error(
        "the two lists share {shared} benchmarks with times, fewer than the {least} that a ratio needs"
    )]
    TooFew {
        /// How many.
        shared: usize,
        /// How many there should be.
        least: usize,
    },
    /// The model is of another platform than the list that is to stand for it.
    #[error("the model was not learnt on the platform of the first list: {why}")]
    NotHere {
        /// What differs.
        why: String,
    },
    /// The cost is no time.
    #[error("the model explains {target} in {unit}; price lists tell times")]
    NoTime {
        /// Its target.
        target: String,
        /// Its unit.
        unit: String,
    },
    /// Counts are needed.
    #[error("route `{route}` needs counted opcodes with prices in both lists, and there are none")]
    NotCounted {
        /// Which route.
        route: &'static str,
    },
    /// The paper's factor needs times.
    #[error("route `paper` needs times measured here, to learn the factor R from")]
    NotMeasured,
    /// The runs there say nothing.
    #[error("no observation to calibrate by has a measured {target} and a prediction")]
    NothingToCalibrate {
        /// The cost.
        target: String,
    },
}

impl TransferError {
    /// What to try.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Architecture { .. } => "run the program there once, and fit a model there",
            Self::TooFew { .. } => "measure both platforms with this version of Pricetag",
            Self::NotHere { .. } => {
                "measure the platform where the model was learnt, with the same JVM and options, and name the list with --here"
            }
            Self::NoTime { .. } => "fit a model with --target cpu or --target wall",
            Self::NotCounted { .. } => {
                "give a dataset with opcodes (the default of `record`), and lists with prices; or another --route"
            }
            Self::NotMeasured => "give the dataset that was recorded here, or another --route",
            Self::NothingToCalibrate { .. } => {
                "record a few runs there: `pricetag record`, then --calibrate with that dataset"
            }
        }
    }
}
