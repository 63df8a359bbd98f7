//! Why a method cannot be analysed.

use pricetag_classfile::ClassFileError;

/// Why a method has no control-flow graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// The code does not decode.
    #[error(transparent)]
    ClassFile(#[from] ClassFileError),
    /// It cannot be told where a subroutine (`jsr`, `ret`) returns to.
    #[error("subroutines of old class files: {what} {pc}")]
    Subroutine {
        /// Where.
        pc: u16,
        /// What is the matter there.
        what: &'static str,
    },
    /// Control would run past the last instruction.
    #[error("control runs past the end of the code behind the instruction at {pc}")]
    FallsOff {
        /// The last instruction.
        pc: u16,
    },
    /// So many exception ranges over so much code that analysing them would take minutes.
    #[error(
        "{entries} exception table entries over {instructions} instructions are too many to analyse"
    )]
    TooManyRanges {
        /// Entries of the exception table.
        entries: usize,
        /// Instructions of the method.
        instructions: usize,
    },
    /// The operand stack is too small or has different heights on two ways to one instruction.
    #[error("operand stack does not fit at {pc}")]
    Stack {
        /// Where.
        pc: u16,
    },
    /// `this` is initialised on one way to an instruction and not on another, or by several instructions in turn.
    #[error("it cannot be told at {pc} whether the constructor has initialised this")]
    Ambiguous {
        /// Where.
        pc: u16,
    },
}
