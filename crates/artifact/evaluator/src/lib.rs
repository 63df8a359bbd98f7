//! Predictors as data: the features that a formula needs, how each is computed from a new input, what that costs, and what is answered.
//!
//! A predictor is an archive that runs by itself (`pricetag-evaluate` writes it). [`Evaluator`] lies in it as JSON for Pricetag, and as a
//! plain table ([`Evaluator::to_table`]) for the Java code in it. [`Answer`] is the line that it prints.

mod answer;
mod check;
mod postfix;
mod spec;
pub mod template;

pub use answer::{Answer, AnswerError, AnswerStatus, Tier};
pub use check::{Check, Trial};
pub use postfix::postfix;
pub use spec::{
    Counted, EVALUATOR_SCHEMA, Evaluator, Known, Point, Source, Subject, Validation, Wanted,
    curve_text, survey_table,
};
