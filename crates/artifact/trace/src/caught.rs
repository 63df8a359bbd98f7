//! Which exceptions arrived at the handlers of counted code, by their class at run time.

use pricetag_probe_plan::{ClassHash, CounterIndex};
use serde::{Deserialize, Serialize};

/// Arrivals by handler and class, in a run or in one invocation of a scope.
///
/// What arrived without being attributed to a class (no room on the stack to ask) is missing: the handler's own counter has all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caught {
    /// The [`crate::Invocation::sequence`] of the invocation; none for the whole run.
    pub invocation: Option<u64>,
    /// Ascending by handler and class.
    pub arrivals: Vec<Arrivals>,
}

/// Exceptions of one class at one handler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Arrivals {
    /// Class of the handler's method.
    pub hash: ClassHash,
    /// The handler's counter, which tells it from others of the class.
    pub handler: CounterIndex,
    /// Internal name of the exception's class.
    pub class: String,
    /// How many.
    pub count: u64,
}
