//! Code for an accumulator machine (after Leroy's ZINC, 1990): instructions, functions, static data, and what each segment charges.

use crate::construct::Construct;
use crate::core::Operator;

/// Which of less, equal and greater make a comparison true: bits 0, 1, 2.
pub(crate) type Holds = u8;

/// An instruction. `acc` is the accumulator; slots count from the frame's base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Count(u32),
    Int(i32),
    Constant(u32),
    Local(u32),
    LocalPush(u32),
    /// A field of the block in a slot; a captured word, where that is the closure.
    LocalField(u32, u32),
    Global(u32),
    SetGlobal(u32),
    Push,
    /// The word in a slot becomes `acc`.
    SetSlot(u32),
    /// Drops that many words.
    Drop(u32),
    /// No collection happens while that many words are allocated.
    Reserve(u32),
    /// A block of `acc` and the words on top.
    Block(u8, u32),
    /// The same block again.
    CopyBlock(u32),
    /// `acc` becomes a field of the block in a slot.
    SetField(u32, u32),
    Field(u32),
    /// The word on top becomes a field of `acc`, for good.
    Store(u32),
    /// That much is added to the number in the first field of `acc`.
    AddToField(i32),
    /// A float that is part of an array gets a box of its own.
    CopyIfRaw,
    BoxFloat,
    CopyFloat,
    Jump(u32),
    JumpUnless(u32),
    JumpIf(u32),
    JumpNotInt(i32, u32),
    JumpNotTag(u8, u32),
    JumpNotRange(i16, i16, u32),
    /// Fields of a block.
    JumpNotSize(u32, u32),
    JumpNotConstant(u32, u32),
    /// Code and number of captured words on top.
    Closure(u32, u32),
    /// Some arguments of a function that is known and takes more.
    Partial(u32),
    Call(u32),
    /// The same where the function is known to take that many arguments.
    CallKnown(u32),
    TailCall(u32),
    TailKnown(u32),
    Return,
    Handler(u32),
    EndHandler,
    Reraise,
    MatchFailure(u32),
    AssertFailure(u32),
    AddInt(i32),
    IntAdd,
    IntSub,
    IntMul,
    CompareInt(Holds),
    JumpNotCompareInt(Holds, u32),
    JumpNotCompareImmediate(Holds, i16, u32),
    Operate(Operator),
    Stop,
    // Several in one, each of those after the first still in its place.
    LocalPushLocal(u32, u32),
    LocalPushTwice(u32, u32),
    PushLocal(u32),
    /// An integer, pushed that many times.
    IntPush(i32, u32),
    LocalCount(u32, u32),
    GlobalCount(u32, u32),
    /// A field of the block in a slot goes to another slot.
    FieldToSlot(u16, u16, u32),
    LocalJumpNotInt(u16, i32, u32),
    LocalJumpNotTag(u8, u16, u32),
    LocalCall(u32, u32),
}

impl Op {
    /// Where the instruction may jump to.
    pub(crate) fn target(&mut self) -> Option<&mut u32> {
        match self {
            Self::Jump(t)
            | Self::JumpUnless(t)
            | Self::JumpIf(t)
            | Self::JumpNotInt(_, t)
            | Self::JumpNotTag(_, t)
            | Self::JumpNotRange(_, _, t)
            | Self::JumpNotSize(_, t)
            | Self::JumpNotConstant(_, t)
            | Self::Handler(t)
            | Self::JumpNotCompareInt(_, t)
            | Self::JumpNotCompareImmediate(_, _, t) => Some(t),
            _ => None,
        }
    }
}

/// A function's code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub entry: u32,
    /// Behind its last instruction.
    pub end: u32,
    pub arity: u32,
    /// Words of its closure in native code; none when it captures nothing.
    pub words: u32,
    /// The recursive definition it belongs to, from 1; 0 for others, whose work is their caller's.
    pub region: u32,
}

/// Data that is there before the program runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    Int(i64),
    /// The bits of a float: a zero has a sign.
    Float(u64),
    String(Vec<u8>),
    Block(u8, Vec<Constant>),
    /// A list, which may be long.
    List(Vec<Constant>),
}

/// Which of a recursive definition's chains: the position of a parameter, or [`RESULT`].
pub(crate) type Chain = u32;

/// The chain of results.
pub(crate) const RESULT: Chain = Chain::MAX;
/// The longest chain of each loop.
pub(crate) const LOOP: Chain = Chain::MAX - 1;

/// A stretch of code that is left at its end only, by fallthrough, jump, call or exception.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    pub charges: Vec<(Construct, u64)>,
    /// Latencies on dependent chains, by chain.
    pub chains: Vec<(Chain, Construct, u64)>,
    /// Bytes allocated.
    pub bytes: u64,
    /// Whether it runs on the way back from a function's own call.
    pub returning: bool,
}

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    pub functions: Vec<Function>,
    pub constants: Vec<Constant>,
    pub segments: Vec<Segment>,
    /// Recursive definitions, and one more for what is in none.
    pub regions: u32,
    /// Places of matches that may fail.
    pub sites: Vec<crate::syntax::Span>,
    /// Where each item begins; nothing for a declaration.
    pub entries: Vec<Option<u32>>,
    /// Slots that are read later, by instruction: of calls, after they return; of counts, from there on. The last bit stands for `acc`.
    pub live: std::collections::BTreeMap<u32, Box<[u64]>>,
}

impl Code {
    /// Bytes of the stack that a call takes natively, by instruction of its function: the address to return to and what is live at any of its own calls, in
    /// multiples of 16. An estimate: the compiler may need more room, or share some.
    pub(crate) fn frame_bytes(&self) -> Vec<u16> {
        let mut bytes = vec![16; self.ops.len()];
        for function in &self.functions {
            let calls = self.live.range(function.entry..function.end);
            let calls = calls.filter(|(pc, _)| {
                matches!(self.ops[**pc as usize], Op::Call(_) | Op::CallKnown(_))
            });
            let live = calls.map(|(_, live)| {
                let slots = live.iter().take(live.len() - 1);
                slots.map(|bits| bits.count_ones()).sum::<u32>()
            });
            let own = (8 + 8 * live.max().unwrap_or(0)).next_multiple_of(16);
            let own = u16::try_from(own).unwrap_or(u16::MAX);
            bytes[function.entry as usize..function.end as usize].fill(own);
        }
        bytes
    }
}
