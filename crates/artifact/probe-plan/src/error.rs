//! What is wrong with bytes that should be a plan, or another record.

#[cfg(doc)]
use crate::plan::PLAN_VERSION;

/// Why bytes are not a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// Not ours, or torn off within the first bytes.
    #[error(
        "not a probe plan: what is there, {length} bytes to the end, does not start with the plan magic"
    )]
    NotAPlan {
        /// Length of the input, or of what is left of a file.
        length: usize,
    },
    /// Made by another version of Pricetag.
    #[error(
        "probe plan of version {found}, this is version {expected}: it must be computed again, by an agent built with this program"
    )]
    Version {
        /// Version in the file.
        found: u32,
        /// Our [`PLAN_VERSION`].
        expected: u32,
    },
    /// Torn or too long.
    #[error("probe plan torn: its header announces {expected} bytes, {found} are there")]
    Length {
        /// Length of the input, or of what is left of a file.
        found: usize,
        /// Length the header announces.
        expected: u64,
    },
    /// Altered.
    #[error(
        "probe plan with checksum {found:032x} instead of {expected:032x}: the file is damaged"
    )]
    Checksum {
        /// Checksum of the bytes read.
        found: u128,
        /// Checksum in the file.
        expected: u128,
    },
    /// The body does not decode, or does not encode.
    #[error("probe plan does not decode: {0}")]
    Body(#[from] postcard::Error),
    /// The body decodes to a plan that no class has.
    #[error("probe plan refers to something that is not there: {0}")]
    Dangling(&'static str),
}

impl CodecError {
    /// Whether what is there may be sound, for another version.
    pub(crate) fn is_version(&self) -> bool {
        matches!(self, Self::Version { .. })
    }
}
