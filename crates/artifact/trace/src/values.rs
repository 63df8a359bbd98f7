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

/// A variable that [`Given`] names by number; its record comes before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbered {
    /// Its number in this trace.
    pub number: u32,
    /// Which variable.
    pub place: ValuePlace,
}

/// Some of the first values of variables in one invocation, in the order in which they were given. Several records of an invocation
/// continue one another; they come before its [`crate::Invocation`], which is missing if it did not end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// Its [`crate::Invocation::sequence`].
    pub invocation: u64,
    /// Numbers of variables and what each was given, infinite and not a number included.
    pub values: Vec<(u32, f64)>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VersionValue {
    /// Mean over the threads with a finite value; 0 if there is none.
    pub mean: f64,
    /// Threads with a finite value.
    pub threads: u32,
    /// Threads with another one.
    pub unusable: Unusable,
}

/// On how many threads a version was no finite number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unusable {
    /// Not a number, or a size that is not known.
    pub nan: u32,
    /// Positive infinity, or finite values whose sum was.
    pub infinite: u32,
    /// Negative infinity, or finite values whose sum was.
    pub minus_infinite: u32,
}

impl Unusable {
    /// Counts so many threads with a value; finite values are left alone.
    pub fn add(&mut self, value: f64, threads: u32) {
        if value.is_nan() {
            self.nan += threads;
        } else if value == f64::INFINITY {
            self.infinite += threads;
        } else if value == f64::NEG_INFINITY {
            self.minus_infinite += threads;
        }
    }

    /// Whether every thread had a finite value.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

impl VersionValue {
    /// What one thread gave.
    pub fn of(value: f64) -> Self {
        let mut unusable = Unusable::default();
        unusable.add(value, 1);
        let finite = value.is_finite();
        Self {
            mean: if finite { value } else { 0.0 },
            threads: u32::from(finite),
            unusable,
        }
    }
}
