//! One of the two builds that are compared.

use pricetag_dataset::Dataset;
use pricetag_finding::Explanation;

/// One build: what it executed and, if it is known, where its cost goes.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Counts and costs.
    pub dataset: &'a Dataset,
    /// By block.
    pub explanation: Option<&'a Explanation>,
}
