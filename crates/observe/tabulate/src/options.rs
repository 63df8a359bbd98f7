//! What to tabulate.

use std::collections::BTreeSet;

use pricetag_dataset::FeatureKind;
use pricetag_flow::category::Categories;

/// What to tabulate.
#[derive(Clone, Debug)]
pub struct TabulateOptions {
    /// Kinds of features wanted.
    pub kinds: BTreeSet<FeatureKind>,
    /// How opcodes are grouped.
    pub categories: Categories,
}

impl Default for TabulateOptions {
    /// Everything that is derived from counters, with one opcode category per mechanism.
    fn default() -> Self {
        Self {
            kinds: BTreeSet::from([
                FeatureKind::Block,
                FeatureKind::Method,
                FeatureKind::Opcode,
                FeatureKind::Call,
                FeatureKind::Loop,
                FeatureKind::Branch,
                FeatureKind::Transition,
                FeatureKind::Stride,
                FeatureKind::Exception,
                FeatureKind::Value,
                FeatureKind::Cold,
                FeatureKind::Base,
            ]),
            categories: Categories::fine(),
        }
    }
}
