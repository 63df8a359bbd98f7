//! From counters to every count of a method, by flow conservation.

use crate::plan::Pc;

/// A frame that was active when the counters were read: control entered its block and has left it neither by an edge
/// nor by an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFrame {
    /// The instruction being executed (a call in progress), in the original bytecode. It counts as executed; the
    /// instructions after it do not.
    pub pc: Pc,
    /// How many frames stand there.
    pub frames: u64,
}

/// All counts of one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodCounts {
    /// Times control passed each edge; index = `EdgeId`.
    pub edges: Vec<u64>,
    /// Times control entered each block; index = `BlockId`.
    pub blocks: Vec<u64>,
    /// Times each instruction was started, parallel to the blocks' `instructions`.
    pub instructions: Vec<Vec<u64>>,
    /// Entries by exception, parallel to `MethodPlan::handlers`.
    pub handlers: Vec<u64>,
}
