//! Where frames of other threads stood when an invocation began, and when it ended.

use serde::{Deserialize, Serialize};

use crate::record::OpenFrameRecord;

/// Frames of counted methods on other threads, around an invocation of a scope that observes all threads. A frame that stood at the beginning leaves its
/// block without having entered it meanwhile, one that stands at the end has entered it and not left it. Frames that stand in the same place at both are left out.
/// The record comes before the [`crate::Invocation`]; there is none without such frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The [`crate::Invocation::sequence`] of the invocation.
    pub invocation: u64,
    /// When it began.
    pub before: Vec<OpenFrameRecord>,
    /// When it ended.
    pub after: Vec<OpenFrameRecord>,
}
