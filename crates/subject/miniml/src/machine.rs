//! The counting machine: iterative, with its own stack and heap, so that depth is limited by memory and not by the host's stack.
//!
//! Words are OCaml's: an odd word is an integer, an even one the place of a block. A limit of steps (*fuel*) ends divergence.
//! Beside the counts it keeps the bytes that native code would have allocated, and simulates its minor collections: whenever they fill the
//! minor heap, what is still reachable from live variables is promoted. Blocks above 256 words are not in it.

mod apply;
mod array;
mod collect;
mod digest;
mod heap;
mod occurrences;
mod operate;
mod predictor;

use crate::code::{Code, Constant, Op};
use crate::core::Operator;
use heap::Compared;
pub(crate) use heap::{FLAT, GHOST, Heap, Word, int, word};
use occurrences::Occurrences;
pub(crate) use operate::orders;
use predictor::Predictor;

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// No fuel is left.
    #[error("the limit of {0} constructs is reached")]
    Fuel(u64),
    /// The heap and the stack are larger than allowed.
    #[error("the limit of {0} bytes of memory is reached")]
    Memory(u64),
    /// An exception nobody caught.
    #[error("uncaught exception {0}")]
    Exception(String),
    /// The program ended itself, by `exit`.
    #[error("the program ends itself: exit {0}")]
    Exit(i64),
}

/// Where the machine is: the next instruction, and where its function's slots begin.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    pc: usize,
    base: usize,
}

/// A call that has not returned. Small, since there may be millions.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    /// Where it goes on.
    pc: u32,
    base: usize,
    /// Arguments below that the result is applied to.
    more: u32,
    /// The recursive definition it is part of.
    region: u32,
    /// Whether a minor collection has been here: all that the call needs is old, and what it does not need is forgotten.
    old: bool,
}

#[derive(Clone, Copy, Debug)]
struct Handler {
    at: At,
    stack: usize,
    frames: usize,
    region: u32,
}

/// How far a program may go, and how large its minor heap is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub fuel: u64,
    pub memory: u64,
    pub minor_heap: u64,
    /// Whether strings and partial applications are allocated as native code does.
    pub native: bool,
}

/// What one segment costs the machine's own accounts.
#[derive(Clone, Copy, Debug)]
struct Cost {
    fuel: u64,
    bytes: u64,
}

pub(crate) struct Machine<'c> {
    code: &'c Code,
    costs: Vec<Cost>,
    /// The roots: stack, globals and constants.
    stack: Vec<Word>,
    globals: Vec<Word>,
    constants: Vec<Word>,
    acc: Word,
    heap: Heap,
    frames: Vec<Frame>,
    handlers: Vec<Handler>,
    exceptions: Vec<String>,
    /// How often each segment ran, by the recursive definition it ran in.
    pub counts: Occurrences,
    /// What was not foreseen, by recursive definition.
    pub missed: Vec<Missed>,
    /// How often each recursive definition was begun, and called itself.
    pub entries: Vec<Entries>,
    /// Those that were begun.
    pub begun: Vec<u32>,
    predictor: Predictor,
    /// The recursive definition that runs; 0 outside.
    region: u32,
    pub output: Vec<u8>,
    pub allocation: Allocation,
    /// What the calls of each function take on the stack natively, by instruction.
    frame_bytes: Vec<u16>,
    /// What calls took when there were so many times [`DEEP`](apply::DEEP) of them.
    depths: Vec<u64>,
    /// How often they were added up, in an item.
    summed: u32,
    /// The most of it, in an item.
    pub deepest: u64,
    /// The exception nobody caught.
    pub uncaught: Option<Word>,
    fuel: u64,
    bounds: Bounds,
    lines: &'c crate::diagnostic::Lines,
}

/// What was not foreseen, or waits for what was called before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Missed {
    /// Ways that branches took.
    pub branches: u64,
    /// Places that calls returned to.
    pub returns: u64,
    /// Calls of a function made by the same `fun`, from inside of one: each is found in the one before.
    pub closures: u64,
    /// Words that the runtime copies or fills, however many a call of it has.
    pub copied: u64,
    /// Words that the runtime allocates, however many a call of it has.
    pub allocated: u64,
    /// Values that comparisons looked at beyond the two they were given.
    pub compared: Compared,
}

/// Calls of a recursive definition.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entries {
    /// From elsewhere.
    pub first: u64,
    /// From itself.
    pub again: u64,
}

/// What an item allocated in the minor heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allocation {
    /// Bytes since the last collection.
    young: u64,
    /// Bytes before that.
    before: u64,
    pub collections: u64,
    pub promoted: u64,
    pub promoted_blocks: u64,
    /// Calls that had not returned when a collection looked through the stack, of all collections together.
    pub frames: u64,
    /// Words of older blocks within reach at the first collection.
    pub live: u64,
}

impl Allocation {
    pub(crate) fn bytes(&self) -> u64 {
        self.before + self.young
    }
}

/// What an instruction may end in: an exception or a stop.
pub(crate) enum Interrupt {
    Raise(Word),
    Stop(Stop),
}

impl<'c> Machine<'c> {
    pub(crate) fn new(
        code: &'c Code,
        globals: u32,
        exceptions: Vec<String>,
        bounds: Bounds,
        lines: &'c crate::diagnostic::Lines,
    ) -> Self {
        let costs = code.segments.iter().map(|s| Cost {
            fuel: s.charges.iter().map(|(_, n)| n).sum(),
            bytes: s.bytes,
        });
        let mut machine = Self {
            code,
            costs: costs.collect(),
            stack: vec![],
            globals: vec![int(0); globals as usize],
            constants: vec![],
            acc: int(0),
            heap: Heap::default(),
            frames: vec![],
            handlers: vec![],
            exceptions,
            counts: Occurrences::new(code.segments.len()),
            missed: vec![Missed::default(); code.regions as usize + 1],
            entries: vec![Entries::default(); code.regions as usize + 1],
            begun: vec![],
            predictor: Predictor::default(),
            region: 0,
            output: vec![],
            allocation: Allocation::default(),
            frame_bytes: if bounds.native {
                code.frame_bytes()
            } else {
                vec![]
            },
            depths: vec![],
            summed: 0,
            deepest: 0,
            uncaught: None,
            fuel: bounds.fuel,
            bounds,
            lines,
        };
        for constant in &code.constants {
            let w = machine.constant(constant);
            machine.constants.push(w);
        }
        machine.heap.settle();
        machine
    }

    /// Lays out data that is there from the beginning; its nesting is that of the program's text.
    fn constant(&mut self, constant: &Constant) -> Word {
        match constant {
            Constant::Int(n) => int(*n),
            Constant::Float(bits) => {
                let w = self.heap.float(f64::from_bits(*bits));
                self.heap.box_float(w);
                w
            }
            Constant::String(s) => self.heap.string(s),
            Constant::Block(tag, parts) if parts.is_empty() => self.heap.block_of(*tag, 0, int(0)),
            Constant::Block(tag, parts) => {
                let words: Vec<Word> = parts.iter().map(|p| self.constant(p)).collect();
                let (first, others) = words
                    .split_first()
                    .map_or((int(0), &[][..]), |(f, o)| (*f, o));
                self.heap.block_forward(*tag, first, others)
            }
            Constant::List(parts) => {
                let mut list = int(0);
                for part in parts.iter().rev() {
                    let head = self.constant(part);
                    list = self.heap.block_forward(0, head, &[list]);
                }
                list
            }
        }
    }

    /// The value of a global, and what printing it needs.
    pub(crate) fn global(&self, global: u32) -> (Word, &Heap) {
        (self.globals[global as usize], &self.heap)
    }

    #[inline]
    fn pop(&mut self) -> Word {
        self.stack.pop().unwrap_or(int(0))
    }

    /// Runs an item, as if after a minor collection.
    pub(crate) fn run(&mut self, entry: u32) -> Result<(), Stop> {
        self.stack.clear();
        self.frames.clear();
        self.handlers.clear();
        (self.deepest, self.summed) = (0, 0);
        self.depths.clear();
        self.region = 0;
        self.acc = int(0);
        self.heap.settle();
        self.allocation = Allocation::default();
        let mut at = At {
            pc: entry as usize,
            base: 0,
        };
        loop {
            match self.steps(at) {
                Ok(()) => return Ok(()),
                Err(Interrupt::Stop(stop)) => return Err(stop),
                Err(Interrupt::Raise(exception)) => {
                    let Some(h) = self.handlers.pop() else {
                        self.uncaught = Some(exception);
                        return Err(Stop::Exception(String::new()));
                    };
                    self.stack.truncate(h.stack);
                    self.predictor
                        .abandon(self.frames.len().saturating_sub(h.frames));
                    self.frames.truncate(h.frames);
                    self.region = h.region;
                    self.acc = exception;
                    at = h.at;
                }
            }
        }
    }

    #[inline]
    fn count(&mut self, id: u32, pc: usize, base: usize) -> Result<(), Interrupt> {
        let cost = self.costs[id as usize];
        if self.fuel < cost.fuel {
            return Err(Interrupt::Stop(Stop::Fuel(self.bounds.fuel)));
        }
        self.fuel -= cost.fuel;
        if self.counts.add(self.region, id) {
            self.check_memory()?;
        }
        self.allocation.young += cost.bytes;
        if self.allocation.young > self.bounds.minor_heap {
            self.minor_collection(cost.bytes, Some(pc), base)?;
        }
        Ok(())
    }

    /// A conditional jump, foreseen or not.
    #[expect(
        clippy::inline_always,
        reason = "a jump in each instruction is foreseen better than one for all"
    )]
    #[inline(always)]
    fn branch(&mut self, taken: bool, to: u32, pc: usize) -> usize {
        if self.bounds.native && self.predictor.misses(pc, taken) {
            self.missed[self.region as usize].branches += 1;
        }
        if taken {
            // Keeps this a jump and no choice of two values: what follows need not wait for what is tested.
            std::hint::black_box(());
            to as usize
        } else {
            pc
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
    fn steps(&mut self, at: At) -> Result<(), Interrupt> {
        // By value: behind references they would be stored and loaded at every instruction.
        let At { mut pc, mut base } = at;
        let code = self.code;
        let ops = &code.ops[..];
        loop {
            // In place: of a copy more is moved than its instruction needs.
            let op = &ops[pc];
            pc += 1;
            match *op {
                Op::Count(id) => self.count(id, pc - 1, base)?,
                Op::Int(n) => self.acc = int(i64::from(n)),
                Op::Constant(c) => self.acc = self.constants[c as usize],
                Op::Local(slot) => self.acc = self.stack[base + slot as usize],
                Op::LocalPush(slot) => {
                    let w = self.stack[base + slot as usize];
                    self.stack.push(w);
                }
                Op::LocalField(slot, field) => {
                    let w = self.stack[base + slot as usize];
                    self.acc = self.heap.field(w, field as usize);
                }
                Op::SetSlot(slot) => self.stack[base + slot as usize] = self.acc,
                Op::Global(g) => self.acc = self.globals[g as usize],
                Op::SetGlobal(g) => self.globals[g as usize] = self.acc,
                Op::Push => self.stack.push(self.acc),
                Op::Drop(n) => self.stack.truncate(self.stack.len() - n as usize),
                Op::Reserve(words) => self.room(words as usize)?,
                Op::Block(tag, size) => {
                    self.room(size as usize + 1)?;
                    let from = self.stack.len() - (size as usize - 1);
                    self.acc = self.heap.block_reversed(tag, self.acc, &self.stack[from..]);
                    self.stack.truncate(from);
                }
                Op::CopyBlock(size) => {
                    self.room(size as usize + 1)?;
                    self.acc = self.heap.copy(self.acc);
                }
                Op::SetField(slot, field) => {
                    self.heap
                        .set(self.stack[base + slot as usize], field as usize, self.acc);
                }
                Op::Field(field) => self.acc = self.heap.field(self.acc, field as usize),
                Op::Store(field) => {
                    let value = self.pop();
                    self.heap.assign(self.acc, field as usize, value);
                    self.acc = int(0);
                }
                Op::AddToField(n) => {
                    let sum = self
                        .heap
                        .field(self.acc, 0)
                        .wrapping_add((i64::from(n) as u64) << 1);
                    self.heap.assign(self.acc, 0, sum);
                    self.acc = int(0);
                }
                Op::CopyIfRaw => {
                    if self.heap.has_tag(self.acc, heap::RAW_FLOAT) {
                        self.room(2)?;
                        self.acc = self.heap.float(self.heap.as_float(self.acc));
                        self.heap.box_float(self.acc);
                        if self.bounds.native {
                            self.allocate(16, base)?;
                        }
                    }
                }
                Op::BoxFloat => self.heap.box_float(self.acc),
                Op::CopyFloat => {
                    self.room(2)?;
                    self.acc = self.heap.float(self.heap.as_float(self.acc));
                    self.heap.box_float(self.acc);
                }
                Op::Jump(to) => pc = to as usize,
                Op::JumpUnless(to) => {
                    let taken = self.acc == int(0);
                    pc = self.branch(taken, to, pc);
                }
                Op::JumpIf(to) => {
                    let taken = self.acc != int(0);
                    pc = self.branch(taken, to, pc);
                }
                Op::JumpNotInt(n, to) => {
                    let taken = self.acc != int(i64::from(n));
                    pc = self.branch(taken, to, pc);
                }
                Op::JumpNotTag(tag, to) => {
                    let taken = !self.heap.has_tag(self.acc, tag);
                    pc = self.branch(taken, to, pc);
                }
                Op::JumpNotRange(a, b, to) => {
                    let taken = !(i64::from(a)..=i64::from(b)).contains(&word(self.acc));
                    pc = self.branch(taken, to, pc);
                }
                Op::JumpNotSize(size, to) => {
                    let taken = self.heap.size(self.acc) != size as usize;
                    pc = self.branch(taken, to, pc);
                }
                Op::JumpNotConstant(c, to) => {
                    // Natively the compiler's own code, which is charged as branches.
                    let mut looked = Compared::default();
                    let constant = self.constants[c as usize];
                    let order = self.heap.compare(self.acc, constant, false, &mut looked);
                    let taken = order != Ok(Some(std::cmp::Ordering::Equal));
                    pc = self.branch(taken, to, pc);
                }
                Op::Closure(id, n) => {
                    self.room(n as usize + 2)?;
                    let from = self.stack.len() - n as usize;
                    let id = int(i64::from(id));
                    self.acc = self
                        .heap
                        .block_reversed(heap::CLOSURE, id, &self.stack[from..]);
                    self.stack.truncate(from);
                }
                Op::Partial(n) => self.partial(heap::KNOWN_PARTIAL, n as usize)?,
                Op::Call(n) => {
                    self.enter(At { pc, base })?;
                    self.follow(pc);
                    At { pc, base } = self.apply(n as usize, base)?;
                }
                Op::CallKnown(n) => {
                    self.enter(At { pc, base })?;
                    At { pc, base } = self.jump(n as usize);
                }
                Op::TailCall(n) => {
                    self.replace(n as usize, base);
                    self.follow(pc);
                    At { pc, base } = self.apply(n as usize, base)?;
                }
                Op::TailKnown(n) => {
                    self.replace(n as usize, base);
                    At { pc, base } = self.jump(n as usize);
                }
                Op::Return => {
                    self.stack.truncate(base);
                    At { pc, base } = self.leave(base)?;
                }
                Op::Handler(to) => self.handlers.push(Handler {
                    at: At {
                        pc: to as usize,
                        base,
                    },
                    stack: self.stack.len(),
                    frames: self.frames.len(),
                    region: self.region,
                }),
                Op::EndHandler => {
                    self.handlers.pop();
                }
                Op::MatchFailure(site) => {
                    return Err(self.match_failure(site, "Match_failure"));
                }
                Op::AssertFailure(site) => {
                    return Err(self.match_failure(site, "Assert_failure"));
                }
                Op::AddInt(n) => self.acc = self.acc.wrapping_add((i64::from(n) as u64) << 1),
                Op::IntAdd => self.acc = self.acc.wrapping_add(self.pop() - 1),
                Op::IntSub => self.acc = self.acc.wrapping_sub(self.pop()).wrapping_add(1),
                Op::IntMul => self.acc = int(word(self.acc).wrapping_mul(word(self.pop()))),
                Op::CompareInt(holds) => {
                    let b = self.pop();
                    self.acc = int(i64::from(operate::holds(
                        holds,
                        (self.acc as i64).cmp(&(b as i64)),
                    )));
                }
                Op::JumpNotCompareInt(holds, to) => {
                    let b = self.pop();
                    let taken = !operate::holds(holds, (self.acc as i64).cmp(&(b as i64)));
                    pc = self.branch(taken, to, pc);
                }
                Op::JumpNotCompareImmediate(holds, n, to) => {
                    let taken =
                        !operate::holds(holds, (self.acc as i64).cmp(&(int(i64::from(n)) as i64)));
                    pc = self.branch(taken, to, pc);
                }
                Op::Reraise | Op::Operate(Operator::Raise) => {
                    return Err(Interrupt::Raise(self.acc));
                }
                Op::Operate(operator) => self.operate(operator, base)?,
                Op::Stop => return Ok(()),
                Op::LocalPushLocal(a, b) => {
                    let w = self.stack[base + a as usize];
                    self.stack.push(w);
                    self.acc = self.stack[base + b as usize];
                    pc += 1;
                }
                Op::LocalPushTwice(a, b) => {
                    let w = self.stack[base + a as usize];
                    self.stack.push(w);
                    let w = self.stack[base + b as usize];
                    self.stack.push(w);
                    pc += 1;
                }
                Op::PushLocal(slot) => {
                    self.stack.push(self.acc);
                    self.acc = self.stack[base + slot as usize];
                    pc += 1;
                }
                Op::IntPush(n, times) => {
                    self.acc = int(i64::from(n));
                    for _ in 0..times {
                        self.stack.push(self.acc);
                    }
                    pc += times as usize;
                }
                Op::LocalCount(slot, id) => {
                    self.acc = self.stack[base + slot as usize];
                    self.count(id, pc, base)?;
                    pc += 1;
                }
                Op::GlobalCount(g, id) => {
                    self.acc = self.globals[g as usize];
                    self.count(id, pc, base)?;
                    pc += 1;
                }
                Op::FieldToSlot(slot, field, to) => {
                    let w = self.stack[base + usize::from(slot)];
                    self.acc = self.heap.field(w, usize::from(field));
                    self.stack[base + to as usize] = self.acc;
                    pc += 1;
                }
                Op::LocalJumpNotInt(slot, n, to) => {
                    self.acc = self.stack[base + usize::from(slot)];
                    let taken = self.acc != int(i64::from(n));
                    pc = self.branch(taken, to, pc + 1);
                }
                Op::LocalJumpNotTag(tag, slot, to) => {
                    self.acc = self.stack[base + usize::from(slot)];
                    let taken = !self.heap.has_tag(self.acc, tag);
                    pc = self.branch(taken, to, pc + 1);
                }
                Op::LocalCall(slot, n) => {
                    self.acc = self.stack[base + slot as usize];
                    pc += 1;
                    self.enter(At { pc, base })?;
                    self.follow(pc);
                    At { pc, base } = self.apply(n as usize, base)?;
                }
            }
        }
    }
}
