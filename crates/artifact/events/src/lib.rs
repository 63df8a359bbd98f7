//! What was invoked, in order: static facts of classes and methods, and the sequence of invocations.
//!
//! An invocation is the class of its receiver, the class that declares the method, and the method (Hwang & Huang, "Method Invocation
//! Localities"). The first and the last imply the second, so an event is a pair ([`Kind`]) that a dictionary numbers: one [`Symbol`] an event.
//! An agent writes with [`Writer`], everybody else reads with [`Reader`]; [`text`] is the paper's pair of files.
//!
//! # The file
//! `pricetag-events\n`, the version as `u32`, then frames until the end. Integers are little-endian; *n* is a LEB128 number, text a length and UTF-8.
//!
//! | frame | payload |
//! |---|---|
//! | every one | kind (`u8`), length of the payload (`u32`), CRC-32 of kind and payload (`u32`), payload |
//! | 1 facts | length *n* unpacked, then zstd of records: 1 class, 2 method, 3 kind, 4 thread |
//! | 2 block | thread *n*, start in ns plus one *n* (0: unknown), first event *n*, events left out before it *n*, events *n*, length unpacked *n*, zstd of the coded events |
//! | 3 end | the end in ns plus one *n* (0: unknown) |
//! | 6 parts | thread *n*, start in ns plus one *n*, number of the thread's next event before them *n*, events *n*, parts *n*, length unpacked *n*, zstd of the parts (events left out before it *n*, events *n*) and then the coded events of all: as many blocks |
//! | 5 marks | thread *n*, marks *n*, length unpacked *n*, zstd of the marks |
//! | 4 mark | of version 1: a mark without differences behind its thread *n* (call, edge, event) |
//!
//! A mark is 0: a call of a scope begins, 1: it ends, 2: it ended unseen; the call's number *n* and that of the thread's next event *n*, each less that of the mark
//! before (twice its amount, less one if it is negative).
//!
//! | record | fields |
//! |---|---|
//! | class | name, flags (1: interface), superclass plus one *n* (0: none), interfaces: how many *n* and each *n*, bytes plus one *n* (0: unknown) |
//! | method | class *n*, name, descriptor, flags *n*, bytes plus one *n*, instructions plus one *n* |
//! | kind | class of the receiver *n*, method *n* |
//! | thread | thread *n*, name |
//!
//! Classes, methods and kinds are numbered from 0 in the order of their records, and none is used before its record; only superclasses and interfaces may come later.
//! Frames of other kinds are skipped, so that a later version may add some. How a block's events are coded says `coding.rs`.
//! A file that ends early is whole up to there: [`Reader::ending`] says where and why reading stopped.

mod block;
mod coding;
mod extent;
mod facts;
mod frame;
mod parts;
mod reader;
mod records;
mod scoped;
mod stop;
pub mod text;
mod writer;

pub use block::{Block, Place};
pub use extent::{Extent, ThreadExtent};
pub use facts::{
    Class, ClassId, Dictionary, Flag, Flags, Kind, Method, MethodId, Symbol, ThreadId,
};
pub use frame::{MAGIC, VERSION};
pub use parts::Part;
pub use reader::{Limits, Reader};
pub use scoped::{Edge, Mark, ScopeCall, scope_calls};
pub use stop::{Ending, Stop};
pub use writer::{LONGEST_BLOCK, Writer};
