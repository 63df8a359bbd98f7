//! The first values that variables were given.

use pricetag_probe_plan::{ClassHash, VariableIndex};
use serde::{Deserialize, Serialize};

/// First values of variables in a run, or in one invocation of a scope.
///
/// In a run every thread counts its own versions; version *n* is the mean of the *n*th values over the threads that gave
/// an *n*th value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Values {
    /// The [`crate::Invocation::sequence`] of the invocation; none for the whole run.
    pub invocation: Option<u64>,
    /// Variables that were assigned, ascending by place.
    pub variables: Vec<VariableValues>,
}

/// First values of one variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariableValues {
    /// Which variable.
    pub place: ValuePlace,
    /// Its versions, from the first.
    pub versions: Vec<VersionValue>,
}

/// Which variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ValuePlace {
    /// A local variable.
    Local {
        /// Class of its method.
        hash: ClassHash,
        /// Its number in the class's plan.
        variable: VariableIndex,
    },
    /// The depth of a recursive method: its only version is the largest number of its frames on one thread.
    Depth {
        /// Its class.
        hash: ClassHash,
        /// Its index in the class file.
        method: u16,
    },
    /// A field.
    Field {
        /// Internal name of the class that declares it, as far as that class is counted; else of the class it was looked up in.
        class: String,
        /// Name.
        name: String,
        /// Descriptor.
        descriptor: String,
    },
}

/// One version of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VersionValue {
    /// Mean over the threads with a finite value; 0 if there is none.
    pub mean: f64,
    /// Threads with a finite value.
    pub threads: u32,
    /// Threads with a value that is not a number or infinite.
    pub unusable: u32,
}
