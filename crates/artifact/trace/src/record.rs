//! The records of a trace.

use pricetag_probe_plan::{BlockId, ClassHash, Pc};
use pricetag_profile::{Profile, Role};
use serde::{Deserialize, Serialize};

use crate::called::ByCaller;
use crate::caught::Caught;
use crate::look::Look;
use crate::standing::Standing;
use crate::values::{Given, Numbered, Values};

/// Version of the trace format.
pub const TRACE_VERSION: u32 = 2;

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// First record: who wrote this.
    Start(Start),
    /// A class that was rewritten; its plan is in the plan directory under its hash.
    Class(ClassLoaded),
    /// A class or method that was left as it was.
    Left(Left),
    /// Counters of one class, summed over all threads, at the end of the run.
    Counters(ClassCounters),
    /// A frame still active when the counters were read.
    OpenFrame(OpenFrameRecord),
    /// Something that makes counts inexact, in words, with the class concerned if there is one.
    Inexact(String),
    /// One outermost invocation of the scope method.
    Invocation(Invocation),
    /// Costs of the whole process from the entry of `main` on.
    Process(ProcessCosts),
    /// The run ended in order; nothing follows.
    End,
    /// How long the executions of one block took, timed one by one.
    BlockTime(BlockTime),
    /// First values of variables.
    Values(Values),
    /// What the parameters of a scope's method are called.
    Parameters(Parameters),
    /// Which exceptions arrived at handlers.
    Caught(Caught),
    /// What an invocation had counted while it was going on.
    Look(Look),
    /// Passes of loops by the method that called theirs.
    ByCaller(ByCaller),
    /// A variable and its number.
    Variable(Numbered),
    /// Values given in an invocation.
    Given(Given),
    /// Frames of other threads around an invocation.
    Standing(Standing),
    /// Where processor time and allocated bytes went, by samples.
    Sampled(Sampled),
    /// How long the thread of `main` waited for a processor, from the entry of `main` until it returned or the VM ended, ns.
    Queued(u64),
}

/// What a sampled run found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// The profile of this one run; which observations it covers and what compilers compiled is not known yet.
    pub profile: Profile,
    /// When compilers used processor time.
    pub compiling: Vec<Compiling>,
}

/// Processor time that a compiler's thread used up to a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiling {
    /// The moment, by the system's monotonic clock, ns.
    pub at_ns: u64,
    /// The thread's id.
    pub thread: i32,
    /// [`Role::C1`] or [`Role::C2`].
    pub compiler: Role,
    /// Used since the thread was last looked at, ns.
    pub cpu_ns: u64,
}

/// Who wrote a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// [`TRACE_VERSION`].
    pub version: u32,
    /// Process id of the JVM.
    pub pid: u32,
    /// `java.vm.version`, `java.vm.name`, `java.home` and the like.
    pub properties: Vec<(String, String)>,
    /// Agent options as given.
    pub options: String,
}

/// A class that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassLoaded {
    /// Hash of its original bytes.
    pub hash: ClassHash,
    /// Internal name.
    pub name: String,
    /// How many class loaders defined these bytes.
    pub loaders: u32,
}

/// A class or method that runs as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Internal class name, or `?` when the bytes do not tell.
    pub class: String,
    /// `name` + descriptor of the method, or none for the whole class.
    pub method: Option<String>,
    /// Why.
    pub reason: String,
}

/// Non-zero counters of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCounters {
    /// Which class.
    pub hash: ClassHash,
    /// `(counter index, count)`, ascending, counts > 0.
    pub counts: Vec<(u32, u64)>,
}

/// An active frame at the end of the run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OpenFrameRecord {
    /// Class of the frame's method.
    pub hash: ClassHash,
    /// Index of the method in the class file.
    pub method: u16,
    /// The call in progress, in the original bytecode.
    pub pc: Pc,
    /// Whether the thread was running bytecode at that moment, so that its counts are a snapshot.
    pub running: bool,
}

/// One outermost invocation of the scope method on one thread. Where the scope is of all threads, CPU time, allocation and counters are theirs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// Index of the scope in the agent's options.
    pub scope: u32,
    /// Order of entry over all threads, from 0.
    pub sequence: u64,
    /// Serial number of the thread, in order of first appearance.
    pub thread: u32,
    /// Arguments that are known before the call.
    pub arguments: Vec<Argument>,
    /// Entry, ns since the agent was loaded.
    pub start_ns: u64,
    /// Duration, ns.
    pub wall_ns: u64,
    /// CPU time of the thread, ns.
    pub cpu_ns: u64,
    /// Bytes the thread allocated.
    pub allocated_bytes: u64,
    /// Garbage collections that overlapped the call.
    pub collections: u32,
    /// Whether the call ended by an exception.
    pub threw: bool,
    /// Counters of each class that changed during the call on this thread; empty in timing runs.
    pub counters: Vec<ClassCounters>,
    /// Bytecode bytes, classes and so on that were new in this call are derived from these: classes loaded during it.
    pub classes_loaded: u32,
}

/// A method that a scope names, as its class was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// Index of the scope in the agent's options.
    pub scope: u32,
    /// Internal name of the class.
    pub class: String,
    /// `name` + descriptor.
    pub method: String,
    /// What its parameters are called, as far as its debug tables say; without `this`.
    pub names: Vec<Option<String>>,
}

/// A value known when the scope method is entered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Argument {
    /// Primitive integer, char or boolean.
    Integer(i64),
    /// Primitive float or double.
    Real(f64),
    /// Length or size of an array, collection or map.
    Size(u64),
    /// `null`.
    Null,
    /// Any other object.
    Opaque,
    /// A string.
    Text {
        /// Its length in UTF-16 units.
        length: u64,
        /// What it begins with, [`Argument::SHOWN`] units at most.
        beginning: String,
    },
    /// A file or a path: the end of its name, [`Argument::SHOWN`] units or bytes at most.
    Path(String),
}

impl Argument {
    /// So much of a text is kept, in the units of the JVM's representation. It tells rows apart for people.
    pub const SHOWN: usize = 48;
}

/// Costs of the whole process, from the entry of `main`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessCosts {
    /// From the entry of `main` until the last application thread ended or the VM began to exit, ns.
    pub wall_ns: u64,
    /// From the entry of `main` until it returned; none when it did not.
    pub main_wall_ns: Option<u64>,
    /// CPU time of the whole process in that span (JIT and collector included), ns.
    pub cpu_ns: u64,
    /// CPU time of the Java threads alone, ns.
    pub thread_cpu_ns: u64,
    /// Bytes allocated by Java threads.
    pub allocated_bytes: u64,
    /// Heap in use at the end, bytes.
    pub heap_used_bytes: u64,
    /// Garbage collections.
    pub collections: u32,
    /// Time spent in them, ns.
    pub collection_ns: u64,
    /// Classes loaded by the VM from the entry of `main` on, the runtime's own included.
    pub classes_loaded: u32,
    /// Threads started from the entry of `main` on.
    pub threads: u32,
}

/// Times of one block over all threads of a run: from the block's head to its tail, calls in it included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockTime {
    /// Class of the block's method.
    pub hash: ClassHash,
    /// Index of the method in the class file.
    pub method: u16,
    /// The block.
    pub block: BlockId,
    /// Executions whose end was seen, at least 1.
    pub executions: u64,
    /// Sum of their times, ns.
    pub sum_ns: u64,
    /// Sum of the squares of their times, ns².
    pub sum_squares: u128,
    /// Shortest, ns.
    pub min_ns: u64,
    /// Longest, ns.
    pub max_ns: u64,
    /// The one that ended first on the thread that ran the block first, ns.
    pub first_ns: u64,
}
