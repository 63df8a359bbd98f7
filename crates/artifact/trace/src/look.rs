//! What an invocation had counted at a moment at which it was still going on.

use serde::{Deserialize, Serialize};

use crate::called::Called;
use crate::caught::Arrivals;
use crate::record::{ClassCounters, OpenFrameRecord};
use crate::values::VariableValues;

/// A look into an invocation, before its own record; those of one invocation are in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The [`crate::Invocation::sequence`] of the invocation.
    pub invocation: u64,
    /// Counters that changed since its beginning, on its thread.
    pub counters: Vec<ClassCounters>,
    /// Its frames.
    pub open: Vec<OpenFrameRecord>,
    /// First values of variables so far.
    pub values: Vec<VariableValues>,
    /// Exceptions at handlers so far, if they are counted by class.
    pub caught: Option<Vec<Arrivals>>,
    /// Classes loaded so far.
    pub classes_loaded: u32,
    /// Passes of loops by calling method so far, if they are counted.
    pub called: Option<Vec<Called>>,
}
