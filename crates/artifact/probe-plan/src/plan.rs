//! The plan of one class, as data.

use serde::{Deserialize, Serialize};

use crate::name::Name;
use crate::stride::StridePlan;
use crate::transition::TransitionPlan;
use crate::uninitialised::Uninitialised;
use crate::variable::ValuesPlan;

/// Version of the plan format and of the placement algorithm; a stored plan of another version is recomputed.
pub const PLAN_VERSION: u32 = 17;

/// XXH3-128 of the bytes of a class file before instrumentation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClassHash(pub u128);

impl std::fmt::Display for ClassHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl std::fmt::Debug for ClassHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Byte offset of an instruction in a `Code` attribute as compiled, before instrumentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pc(pub u16);

/// A basic block of one method, numbered in order of its first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BlockId(pub u32);

/// A control-flow edge of one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EdgeId(pub u32);

/// A counter of one class: index into the `long[]` chunk that every thread owns for that class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CounterIndex(pub u32);

/// Everything known statically about one class, and where its probes stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPlan {
    /// [`PLAN_VERSION`] of the code that made it.
    pub version: u32,
    /// Hash of the class bytes this plan is for.
    pub hash: ClassHash,
    /// Internal name, `java/util/List`.
    pub name: String,
    /// Internal name of the superclass; none for `java/lang/Object`.
    pub super_name: Option<String>,
    /// Internal names of the direct superinterfaces.
    pub interfaces: Vec<String>,
    /// The `SourceFile` attribute.
    pub source_file: Option<String>,
    /// Class-file access flags.
    pub access: u16,
    /// Major class-file version.
    pub major: u16,
    /// Size of the class file, in bytes.
    pub bytes: u32,
    /// Number of the class's counters, which are the first elements of its chunk.
    pub counters: u32,
    /// One entry per method of the class file, in its order.
    pub methods: Vec<MethodPlan>,
    /// Which variables are assigned where, if their values are recorded. Then every assignment is a throw point: the call that takes
    /// the value may overflow the stack.
    pub values: Option<ValuesPlan>,
    /// The branches whose changes of outcome are counted, ascending by method and block, if any are wanted.
    pub transitions: Option<Vec<TransitionPlan>>,
    /// The array reads whose strides are counted, ascending by method and place, if any are wanted.
    pub strides: Option<Vec<StridePlan>>,
}

/// One method of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodPlan {
    /// Method name.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
    /// Method access flags.
    pub access: u16,
    /// Length of the bytecode, in bytes; 0 without a `Code` attribute.
    pub code_bytes: u32,
    /// Whether the method is counted, and if not, why.
    pub outcome: MethodOutcome,
    /// Blocks in order of their first instruction; index = [`BlockId`].
    pub blocks: Vec<BlockPlan>,
    /// Edges; index = [`EdgeId`].
    pub edges: Vec<EdgePlan>,
    /// Instructions at which an exception may leave a block early, in order of `pc`.
    pub throw_points: Vec<ThrowPoint>,
    /// Exception handlers that are entered from the exception table.
    pub handlers: Vec<HandlerPlan>,
    /// Loops, outer before inner.
    pub loops: Vec<LoopPlan>,
    /// In a constructor of a class with a superclass: where `this` is not initialised. The method-wide catch-all covers the rest.
    pub uninitialised: Uninitialised,
    /// Comparisons by order with a number that stands in the code, ascending by `pc`.
    pub comparisons: Vec<ComparisonPlan>,
    /// Loops whose probes are removed on request, ascending; indices into `loops`. What does not follow without them is not known.
    pub removed_loops: Vec<u32>,
    /// The blocks whose counts are asked for, ascending; those of all blocks if none. With a list only the edges that these counts need have
    /// counters.
    pub listed_blocks: Option<Vec<BlockId>>,
}

/// What was decided for a method.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MethodOutcome {
    /// Counted by the probes of this plan.
    #[default]
    Counted,
    /// Abstract or native: nothing to count.
    NoCode,
    /// Left as it was, with the reason.
    Left(String),
}

/// A basic block: instructions that run one after another unless one of them throws.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPlan {
    /// First instruction.
    pub start: Pc,
    /// One past the last byte of the last instruction (may be 65535 + 1, hence the type).
    pub end: u32,
    /// Nesting depth of loops around the block; 0 outside any.
    pub loop_depth: u32,
    /// Index in [`MethodPlan::loops`] of the innermost loop around the block.
    pub innermost_loop: Option<u32>,
    /// Every instruction of the block.
    pub instructions: Vec<Instruction>,
    /// Where in the block another source line begins, in order of the code.
    pub lines: Vec<LineStart>,
    /// The block's invocations, in order: one for each instruction that is one. Only [`ClassPlan::to_bytes`] stores them.
    #[serde(skip)]
    pub calls: Vec<CallSite>,
}

/// The first of the instructions in a row that stem from one source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineStart {
    /// Index in [`BlockPlan::instructions`].
    pub at: u16,
    /// Number of the line.
    pub line: u16,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// Where it stands.
    pub pc: Pc,
    /// Its opcode; for `wide` forms the widened opcode.
    pub opcode: u8,
}

/// One invocation instruction and its static target. Stored beside the plan, each target once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// Where the invocation stands.
    pub pc: Pc,
    /// `invokevirtual`, `invokespecial`, `invokestatic`, `invokeinterface` or `invokedynamic`.
    pub opcode: u8,
    /// Internal name of the owner in the constant pool; the bootstrap method's owner for `invokedynamic`.
    pub owner: Name,
    /// Name of the target.
    pub name: Name,
    /// Descriptor of the target.
    pub descriptor: Name,
}

/// An end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Node {
    /// The caller, before the first instruction.
    Entry,
    /// A block.
    Block(BlockId),
    /// The caller, after a return. Exceptional exits are [`ThrowPoint`]s, not edges.
    Exit,
}

/// What makes control take an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EdgeKind {
    /// From the method's entry to its first block.
    Entry,
    /// The next instruction, nothing decided (the next block is a jump target).
    FallThrough,
    /// A conditional branch not taken.
    NotTaken,
    /// A conditional branch taken.
    Taken,
    /// `goto`, `goto_w`, and `jsr`, `jsr_w`, which come back by the subroutine's `ret`.
    Jump,
    /// Case number of a `tableswitch` or `lookupswitch`, in the order of the instruction's table.
    Case(u32),
    /// The default of a switch.
    Default,
    /// A return instruction.
    Return,
    /// The instruction after one that may throw, where a constructor's `this` is not yet initialised: there the throw
    /// is counted as the difference between the block and this edge, which always has a counter.
    Continue,
    /// From the `ret` of a subroutine to what follows a `jsr` that called it.
    Ret,
}

/// A control-flow edge. Switch cases that share a target share no edge: each case is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgePlan {
    /// Source.
    pub from: Node,
    /// Target.
    pub to: Node,
    /// Condition.
    pub kind: EdgeKind,
    /// The counter on this edge, if it is outside the spanning tree.
    pub counter: Option<CounterIndex>,
}

/// An instruction at which an exception may leave its block.
///
/// Before the instruction the method stores `counter` in its position local; when an exception arrives at a handler or
/// at the method's end, the counter found there is incremented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThrowPoint {
    /// The instruction.
    pub pc: Pc,
    /// Its block.
    pub block: BlockId,
    /// Counts the exceptions that left here.
    pub counter: CounterIndex,
}

/// An exception handler: the target of one or more entries of the exception table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandlerPlan {
    /// The block at the handler's first instruction.
    pub block: BlockId,
    /// Internal names of the caught types over all table entries with this target; empty for catch-all (`finally`).
    pub catches: Vec<String>,
    /// Counts the entries by exception.
    pub counter: CounterIndex,
}

/// A natural loop, or an irreducible strongly connected region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopPlan {
    /// The block that every iteration passes (for irreducible regions: the first block of the region).
    pub header: BlockId,
    /// Index of the innermost enclosing loop in [`MethodPlan::loops`].
    pub parent: Option<u32>,
    /// Nesting depth, 1 for an outermost loop.
    pub depth: u32,
    /// Edges from inside the loop to its header: their sum is the number of iterations after the first.
    pub back_edges: Vec<EdgeId>,
    /// Edges from outside into the loop: their sum is the number of times the loop was entered.
    pub entry_edges: Vec<EdgeId>,
    /// Whether the loop is entered through its header only.
    pub reducible: bool,
}

/// A comparison with a number that stands in the code, as in `size > 200000`.
///
/// Such numbers are thresholds of the cost more often than others, so they are offered to the search for a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonPlan {
    /// The instruction that compares.
    pub pc: Pc,
    /// Its block.
    pub block: BlockId,
    /// Its source line, if known.
    pub line: Option<u16>,
    /// The number.
    pub literal: Literal,
}

/// A number that stands in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Literal {
    /// An `int` or `long`.
    Integer(i64),
    /// The bits of a `double`, to which a `float` is widened.
    Real(u64),
}

impl Literal {
    /// The number; integers beyond 2^53 are rounded.
    pub fn value(self) -> f64 {
        match self {
            Self::Integer(n) => n as f64,
            Self::Real(bits) => f64::from_bits(bits),
        }
    }
}
