//! At which array reads it is counted how often they leave a cache line.
//!
//! A *stride* is an execution of an instruction that reads an element of an array from another cache line than the same instruction
//! did last on the same thread: the local load strides of Hoste & Eeckhout 2007, "Microarchitecture-independent workload
//! characterization", cut at the length of a line. Lines are counted from the array's header; of which array an element is is not
//! looked at. The first execution is compared with an array's first line.

use serde::{Deserialize, Serialize};

use crate::plan::{BlockId, ClassPlan, CounterIndex, MethodPlan, Pc};

/// Bytes of a cache line.
pub const LINE: u32 = 64;
/// Bytes of an array's header in HotSpot with compressed class pointers.
pub const HEADER: u32 = 16;

/// An array read whose strides are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StridePlan {
    /// Index of its method in the class file.
    pub method: u16,
    /// Where it stands.
    pub pc: Pc,
    /// Its block.
    pub block: BlockId,
    /// Counts the strides.
    pub counter: CounterIndex,
    /// Holds the line read last; no count.
    pub last: CounterIndex,
}

/// Binary logarithm of the size of the elements that an opcode reads from an array, references taken as compressed ones; none if it is
/// no such instruction.
pub fn element_size(opcode: u8) -> Option<u32> {
    Some(match opcode {
        0x33 => 0,               // baload
        0x34 | 0x35 => 1,        // caload, saload
        0x2e | 0x30 | 0x32 => 2, // iaload, faload, aaload
        0x2f | 0x31 => 3,        // laload, daload
        _ => return None,
    })
}

impl ClassPlan {
    /// The strides counted in a method.
    pub fn strides_of(&self, method: u16) -> &[StridePlan] {
        let all = self.strides.as_deref().unwrap_or_default();
        let first = all.partition_point(|s| s.method < method);
        let end = all.partition_point(|s| s.method <= method);
        &all[first..end]
    }
}

impl MethodPlan {
    /// Where elements of arrays are read, ascending.
    pub fn array_reads(&self) -> Vec<(Pc, BlockId)> {
        let blocks = (0..).map(BlockId).zip(&self.blocks);
        let reads = blocks.flat_map(|(id, block)| {
            let reads = block.instructions.iter();
            let reads = reads.filter(|i| element_size(i.opcode).is_some());
            reads.map(move |i| (i.pc, id))
        });
        let mut reads: Vec<_> = reads.collect();
        reads.sort_unstable();
        reads
    }
}
