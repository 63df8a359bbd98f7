//! JVM class files: zero-copy reading, instruction and frame decoding, and the writing half of a rewriter.
//!
//! Reading never copies more than asked for and never panics, whatever the bytes. Writing keeps the constant pool verbatim
//! and appends to it; only the attributes that are meant to change are spliced.
//!
//! Source: *The Java Virtual Machine Specification, Java SE 25*, chapter 4 (class file) and 6 (instructions).
//! Deviation: structure is checked only as far as decoding needs it; access flags, names and types are the JVM's to verify.
#![doc = include_str!("../README.md")]

pub mod annotation;
pub mod append;
pub mod assemble;
pub mod class;
pub mod code;
mod cursor;
pub mod descriptor;
mod error;
pub mod frame;
pub mod instruction;
pub mod layout;
pub mod naming;
pub mod opcode;
mod parameter;
pub mod pool;
pub mod relocate;
pub mod spelling;
pub mod splice;
pub mod text;

pub use append::PoolAppender;
pub use assemble::{Assembler, Label};
pub use class::{Attribute, Attributes, ClassFile, Member};
pub use code::{Code, ExceptionEntry, LocalVariable};
pub use error::ClassFileError;
pub use frame::{Frame, Frames, VerificationType};
pub use instruction::{Instruction, Instructions, Operand};
pub use layout::Assembled;
pub use pool::{Constant, ConstantPool, InvokeDynamic, MemberRef};
