//! What can be wrong with a class file, with the place where it is.

/// Why bytes are no class file, or one that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClassFileError {
    /// The bytes end inside something.
    #[error("class file ends inside {what} at offset {offset}")]
    Truncated {
        /// Where the missing bytes were to start.
        offset: usize,
        /// What was being read.
        what: &'static str,
    },
    /// The first four bytes are not `CAFEBABE`.
    #[error("not a class file: it starts with {found:#010x}, not 0xcafebabe")]
    Magic {
        /// The first four bytes.
        found: u32,
    },
    /// Something that no class file contains.
    #[error("{what} at offset {offset}")]
    Malformed {
        /// Offset from the start of the class file.
        offset: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A constant is missing or of the wrong kind.
    #[error("constant {index} is not {expected}")]
    Constant {
        /// Index into the constant pool.
        index: u16,
        /// What it was to be.
        expected: &'static str,
    },
    /// Undecodable bytecode.
    #[error("bytecode offset {pc}: {what}")]
    Bytecode {
        /// Offset from the start of the method's code.
        pc: u32,
        /// What is wrong.
        what: &'static str,
    },
    /// A limit of the class-file format would be exceeded.
    #[error("{what} would be {value}, the format allows {limit}")]
    Limit {
        /// What grew too large.
        what: &'static str,
        /// How large it would be.
        value: usize,
        /// How large it may be.
        limit: usize,
    },
    /// A conditional branch is too far from its target and no place for an intermediate jump is near enough.
    #[error(
        "bytecode offset {pc}: no place for an intermediate jump within reach of a conditional branch"
    )]
    NoIsland {
        /// Offset of the branch in the code being written.
        pc: u32,
    },
}
