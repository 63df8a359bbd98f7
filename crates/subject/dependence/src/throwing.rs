//! Which instructions may end in an exception, and where control goes then.
//!
//! Source: *The Java Virtual Machine Specification*, §2.10 and the run-time exceptions of §6.5. Deviation: errors that may come anywhere
//! (no memory, no stack, a stopped thread) are left out, as are those of linking.

use pricetag_classfile::opcode as op;
use pricetag_classfile::{Code, Instruction};

/// Which exceptions a dependence may pass through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exceptions {
    /// Those that a handler of the same method may catch, and `athrow`.
    #[default]
    Caught,
    /// Every exception that an instruction may end in, caught or not: whatever stands behind it then depends on it.
    All,
}

/// Whether an instruction may end in an exception.
pub const fn may_throw(opcode: u8) -> bool {
    matches!(
        opcode,
        op::IALOAD..=op::SALOAD
            | op::IASTORE..=op::SASTORE
            | op::IDIV
            | op::LDIV
            | op::IREM
            | op::LREM
            | op::GETSTATIC..=op::MONITOREXIT
            | op::MULTIANEWARRAY
    )
}

/// Where an exception of one instruction may go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catchers {
    /// First bytes of handlers, in order of the table, without repeats.
    pub handlers: Vec<u16>,
    /// Whether one of them takes every exception.
    pub all: bool,
}

/// The handlers of the instruction at an offset, up to the first that takes every exception.
pub fn catchers(code: &Code<'_>, instruction: &Instruction) -> Catchers {
    let mut found = Catchers::default();
    for entry in &code.exception_table {
        if entry.start_pc <= instruction.pc && instruction.pc < entry.end_pc {
            if !found.handlers.contains(&entry.handler_pc) {
                found.handlers.push(entry.handler_pc);
            }
            if entry.catch_type == 0 {
                found.all = true;
                break;
            }
        }
    }
    found
}
