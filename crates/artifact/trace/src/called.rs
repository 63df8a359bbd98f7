//! Passes of loops, and invocations of methods, by the method that called.

use pricetag_probe_plan::ClassHash;
use serde::{Deserialize, Serialize};

/// Passes of loops and invocations by calling method, in a run or in one invocation of a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByCaller {
    /// The [`crate::Invocation::sequence`] of the invocation; none for the whole run.
    pub invocation: Option<u64>,
    /// Ascending by class and caller.
    pub called: Vec<Called>,
}

/// Passes of the loops of a class while one method had called theirs, and invocations of its methods by that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Called {
    /// The class of the loops.
    pub hash: ClassHash,
    /// The innermost counted method below on the stack; none if there was none.
    pub caller: Option<Caller>,
    /// Number of the loop in the class ([`pricetag_probe_plan::ClassPlan::first_loop`]) and passes of its header, ascending, passes > 0. Behind the loops are the methods, by their index, with
    /// invocations.
    pub passes: Vec<(u32, u64)>,
}

/// A method that calls others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Caller {
    /// Its class.
    pub hash: ClassHash,
    /// Its index in the class file.
    pub method: u16,
}
