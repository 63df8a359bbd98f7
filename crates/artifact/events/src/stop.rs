//! How reading a file ends.

use std::fmt;

/// Where and why reading stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset}: {why}")]
pub struct Stop {
    /// First byte of what was not read.
    pub offset: u64,
    /// Why, in words.
    pub why: String,
}

/// How a file ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// It has been read to its last frame, which says when the run ended (ns).
    Whole(Option<u64>),
    /// What was read is right, but something is missing.
    Cut(Stop),
    /// There is more to read.
    #[default]
    Open,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(_) => write!(f, "whole"),
            Self::Cut(stop) => write!(f, "cut {stop}"),
            Self::Open => write!(f, "not read to its end"),
        }
    }
}
