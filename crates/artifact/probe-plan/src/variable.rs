//! The primitive variables that a class assigns, and where.
//!
//! After Chen et al. 2010 ("Mantis: predicting system performance through program analysis and modeling"), whose features include the
//! first values given to each variable. A variable is a field, or a local variable of one method as the debug tables delimit it (a slot
//! where there are none). Assignments are the stores to it: parameters receive their values without one.
//!
//! Recursive methods are in the same plan: their depth is a value, too.
//!
//! Behind the counters of a class, its chunk has one more element per variable: how many of its first values were taken
//! since the observation began; and two per recursive method: how many frames are open, and how many were at most.

use serde::{Deserialize, Serialize};

use crate::collection;
use crate::plan::{ClassPlan, Pc};

/// A variable of one class; index into [`ValuesPlan::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VariableIndex(pub u32);

/// Which variables a class assigns, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuesPlan {
    /// Whether lengths of arrays and strings and sizes of collections are values, too.
    pub lengths: bool,
    /// Whether every method that may be reached again while it is active is among the recursive ones.
    pub depths: bool,
    /// In order of their first assignment in the class file; index = [`VariableIndex`].
    pub variables: Vec<VariablePlan>,
    /// Ascending by method and place.
    pub assignments: Vec<AssignmentPlan>,
    /// Methods that call themselves, straight or by way of others of the class, or may be reached again by way of other code, ascending. Each has two more elements of the chunk behind
    /// those of the variables: how many of its frames are open, and how many were at most.
    pub recursive: Vec<u16>,
    /// Names and descriptors of the fields that the class declares: tells where an inherited field belongs.
    pub fields: Vec<(String, String)>,
    /// Methods in which no values are taken, on request.
    pub removed: Vec<u16>,
    /// Method and number of the loops in which none are taken, on request, ascending. What is assigned in one of them is no variable of the method.
    pub removed_loops: Vec<(u16, u32)>,
    /// Fields that are assigned there, or in methods that are not counted: what is known of their values is not complete.
    pub unseen: Vec<VariablePlace>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariablePlan {
    /// Where it lives.
    pub place: VariablePlace,
    /// What is taken down of it.
    pub kind: ValueKind,
}

/// Where a variable lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VariablePlace {
    /// A local variable.
    Local {
        /// Index of its method in the class file.
        method: u16,
        /// Its name, if the class was compiled with debug tables.
        name: Option<String>,
        /// Its slot.
        slot: u16,
        /// Source line of its first assignment, if known.
        line: Option<u16>,
    },
    /// A field, static or not; of all instances together.
    Field {
        /// Internal name of the class it was looked up in, which may inherit it.
        owner: String,
        /// Name.
        name: String,
        /// Descriptor.
        descriptor: String,
    },
}

/// What is taken down of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ValueKind {
    /// `boolean`, as 0 and 1.
    Boolean,
    /// `byte`.
    Byte,
    /// `char`, as its code.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// Length of an array; `null` counts as never assigned.
    ArrayLength,
    /// Length of a string; `null` counts as never assigned.
    StringLength,
    /// Size of a collection or map; `null` counts as never assigned, and of others than the JDK's own nothing is known.
    CollectionSize,
}

impl ValueKind {
    /// What is taken of a variable with this descriptor.
    pub fn of(descriptor: &str, lengths: bool) -> Option<Self> {
        Some(match descriptor.as_bytes().first()? {
            b'Z' => Self::Boolean,
            b'B' => Self::Byte,
            b'C' => Self::Char,
            b'S' => Self::Short,
            b'I' => Self::Int,
            b'J' => Self::Long,
            b'F' => Self::Float,
            b'D' => Self::Double,
            b'[' if lengths => Self::ArrayLength,
            _ if lengths && descriptor == "Ljava/lang/String;" => Self::StringLength,
            _ if lengths && collection::is_collection(descriptor) => Self::CollectionSize,
            _ => return None,
        })
    }

    /// Whether a value takes two slots on the operand stack.
    pub fn is_wide(self) -> bool {
        matches!(self, Self::Long | Self::Double)
    }

    /// Whether values travel as the bits of a `double`.
    pub fn is_real(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }

    /// Whether the variable holds a reference, of which the length or size is taken.
    pub fn is_reference(self) -> bool {
        self.measure().is_some()
    }

    /// What is taken of a variable that holds a reference; none of numbers.
    pub fn measure(self) -> Option<&'static str> {
        match self {
            Self::ArrayLength | Self::StringLength => Some("length"),
            Self::CollectionSize => Some("size"),
            _ => None,
        }
    }
}

/// An instruction that assigns a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignmentPlan {
    /// Index of the method in the class file.
    pub method: u16,
    /// The store, `putfield`, `putstatic` or `iinc`.
    pub pc: Pc,
    /// What it assigns.
    pub variable: VariableIndex,
}

impl ClassPlan {
    /// Length of the class's chunk: its counters, then one element per variable and two per recursive method.
    pub fn chunk_length(&self) -> u32 {
        let elements = |v: &ValuesPlan| v.variables.len() + 2 * v.recursive.len();
        self.counters + self.values.as_ref().map_or(0, elements) as u32
    }

    /// Where in the chunk it is noted how many frames of a recursive method are open; behind that, how many were at most.
    pub fn depth_element(&self, method: u16) -> Option<u32> {
        let values = self.values.as_ref()?;
        let at = values.recursive.binary_search(&method).ok()?;
        Some(self.counters + (values.variables.len() + 2 * at) as u32)
    }

    /// Where a variable's element lies in the chunk.
    pub fn element(&self, variable: VariableIndex) -> u32 {
        self.counters + variable.0
    }
}

impl ValuesPlan {
    /// The assignments in a method.
    pub fn of_method(&self, method: u16) -> &[AssignmentPlan] {
        let first = self.assignments.partition_point(|a| a.method < method);
        let end = self.assignments.partition_point(|a| a.method <= method);
        &self.assignments[first..end]
    }
}
