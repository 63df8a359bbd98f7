//! The counting machine: iterative, with its own stack and heap, so that depth is limited by memory and not by the host's stack.
//!
//! Words are OCaml's: an odd word is an integer, an even one the place of a block. A limit of steps (*fuel*) ends divergence.

mod heap;
mod operate;

use crate::compile::{Code, Constant, Op};
use crate::core::Operator;
use heap::{Heap, Word, int, word};

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
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    pc: usize,
    base: usize,
    /// Arguments below that the result is applied to.
    more: usize,
}

#[derive(Clone, Copy, Debug)]
struct Handler {
    pc: usize,
    base: usize,
    stack: usize,
    frames: usize,
}

pub(crate) struct Machine<'c> {
    code: &'c Code,
    /// The roots: stack, globals and constants.
    stack: Vec<Word>,
    globals: Vec<Word>,
    constants: Vec<Word>,
    acc: Word,
    heap: Heap,
    frames: Vec<Frame>,
    handlers: Vec<Handler>,
    exceptions: Vec<String>,
    pub counts: Vec<u64>,
    pub output: Vec<u8>,
    pub fuel: u64,
    limit: u64,
    memory: u64,
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
        fuel: u64,
        memory: u64,
    ) -> Self {
        let mut machine = Self {
            code,
            stack: vec![],
            globals: vec![int(0); globals as usize],
            constants: vec![],
            acc: int(0),
            heap: Heap::default(),
            frames: vec![],
            handlers: vec![],
            exceptions,
            counts: vec![0; code.segments.len()],
            output: vec![],
            fuel,
            limit: fuel,
            memory,
        };
        for constant in &code.constants {
            let w = match constant {
                Constant::Int(n) => int(*n),
                Constant::Float(x) => machine.heap.float(*x),
                Constant::String(s) => machine.heap.string(s),
            };
            machine.constants.push(w);
        }
        machine
    }

    /// Makes room; blocks move, so words held elsewhere than in roots are stale afterwards.
    fn room(&mut self, words: usize) -> Result<(), Interrupt> {
        if self.heap.is_full(words) {
            let roots = [
                &mut self.stack[..],
                &mut self.globals,
                &mut self.constants,
                std::slice::from_mut(&mut self.acc),
            ];
            self.heap.collect(roots, words);
            self.check_memory()?;
        }
        Ok(())
    }

    fn check_memory(&self) -> Result<(), Interrupt> {
        let words = self.heap.words() + self.stack.len() + 3 * self.frames.len();
        if words as u64 * 8 > self.memory {
            return Err(Interrupt::Stop(Stop::Memory(self.memory)));
        }
        Ok(())
    }

    fn pop(&mut self) -> Word {
        self.stack.pop().unwrap_or(int(0))
    }

    /// Runs an item.
    pub(crate) fn run(&mut self, entry: u32) -> Result<(), Stop> {
        self.stack.clear();
        self.frames.clear();
        self.handlers.clear();
        let (mut pc, mut base) = (entry as usize, 0);
        loop {
            match self.steps(&mut pc, &mut base) {
                Ok(()) => return Ok(()),
                Err(Interrupt::Stop(stop)) => return Err(stop),
                Err(Interrupt::Raise(exception)) => {
                    let Some(h) = self.handlers.pop() else {
                        return Err(Stop::Exception(self.exception_text(exception)));
                    };
                    self.stack.truncate(h.stack);
                    self.frames.truncate(h.frames);
                    self.acc = exception;
                    (pc, base) = (h.pc, h.base);
                }
            }
        }
    }

    fn exception_text(&self, exception: Word) -> String {
        let id = word(self.heap.field(exception, 0)) as usize;
        let name = self.exceptions.get(id).cloned().unwrap_or_default();
        if matches!(&*name, "Failure" | "Invalid_argument") {
            let text = self.heap.bytes(self.heap.field(exception, 1));
            return format!("{name} {:?}", String::from_utf8_lossy(&text));
        }
        name
    }

    fn steps(&mut self, pc: &mut usize, base: &mut usize) -> Result<(), Interrupt> {
        let code = self.code;
        loop {
            let op = code.ops[*pc];
            *pc += 1;
            match op {
                Op::Count(id) => {
                    self.counts[id as usize] += 1;
                    if self.fuel == 0 {
                        return Err(Interrupt::Stop(Stop::Fuel(self.limit)));
                    }
                    self.fuel = self
                        .fuel
                        .saturating_sub(code.segments[id as usize].len() as u64);
                }
                Op::Int(n) => self.acc = int(i64::from(n)),
                Op::Constant(c) => self.acc = self.constants[c as usize],
                Op::Local(slot) => self.acc = self.stack[*base + slot as usize],
                Op::SetSlot(slot) => self.stack[*base + slot as usize] = self.acc,
                Op::Env(arity, field) => {
                    let closure = self.stack[*base + arity as usize];
                    self.acc = self.heap.field(closure, field as usize);
                }
                Op::Global(g) => self.acc = self.globals[g as usize],
                Op::SetGlobal(g) => self.globals[g as usize] = self.acc,
                Op::Push => self.stack.push(self.acc),
                Op::Drop(n) => self.stack.truncate(self.stack.len() - n as usize),
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
                        .set(self.stack[*base + slot as usize], field as usize, self.acc);
                }
                Op::Field(field) => self.acc = self.heap.field(self.acc, field as usize),
                Op::Jump(to) => *pc = to as usize,
                Op::JumpUnless(to) if self.acc == int(0) => *pc = to as usize,
                Op::JumpIf(to) if self.acc != int(0) => *pc = to as usize,
                Op::JumpNotInt(n, to) if self.acc != int(i64::from(n)) => *pc = to as usize,
                Op::JumpNotTag(tag, to) if !self.heap.has_tag(self.acc, tag) => *pc = to as usize,
                Op::JumpNotRange(a, b, to)
                    if !(i64::from(a)..=i64::from(b)).contains(&word(self.acc)) =>
                {
                    *pc = to as usize;
                }
                Op::JumpNotConstant(c, to)
                    if self.heap.compare(self.acc, self.constants[c as usize])
                        != Ok(Some(std::cmp::Ordering::Equal)) =>
                {
                    *pc = to as usize;
                }
                Op::JumpUnless(_)
                | Op::JumpIf(_)
                | Op::JumpNotInt(..)
                | Op::JumpNotTag(..)
                | Op::JumpNotRange(..)
                | Op::JumpNotConstant(..) => {}
                Op::Closure(id, n) => {
                    self.room(n as usize + 2)?;
                    let from = self.stack.len() - n as usize;
                    self.acc = self.heap.block_reversed(
                        heap::CLOSURE,
                        int(i64::from(id)),
                        &self.stack[from..],
                    );
                    self.stack.truncate(from);
                }
                Op::Call(n) => {
                    self.frames.push(Frame {
                        pc: *pc,
                        base: *base,
                        more: 0,
                    });
                    if self.frames.len().is_multiple_of(1 << 16) {
                        self.check_memory()?;
                    }
                    self.apply(n as usize, pc, base)?;
                }
                Op::TailCall(n) => {
                    let from = self.stack.len() - n as usize;
                    self.stack.drain(*base..from);
                    self.apply(n as usize, pc, base)?;
                }
                Op::Return => {
                    self.stack.truncate(*base);
                    self.leave(pc, base)?;
                }
                Op::Handler(to) => self.handlers.push(Handler {
                    pc: to as usize,
                    base: *base,
                    stack: self.stack.len(),
                    frames: self.frames.len(),
                }),
                Op::EndHandler => {
                    self.handlers.pop();
                }
                Op::MatchFailure(place) => return Err(self.match_failure(place)),
                Op::AddInt(n) => self.acc = self.acc.wrapping_add((i64::from(n) as u64) << 1),
                Op::JumpNotCompareInt(operator, to) => {
                    let b = self.pop();
                    if !operate::holds(operator, (self.acc as i64).cmp(&(b as i64))) {
                        *pc = to as usize;
                    }
                }
                Op::JumpNotCompareImmediate(operator, n, to) => {
                    if !operate::holds(operator, word(self.acc).cmp(&i64::from(n))) {
                        *pc = to as usize;
                    }
                }
                Op::OperateInt(operator) => self.operate_int(operator),
                Op::Reraise | Op::Operate(Operator::Raise) => {
                    return Err(Interrupt::Raise(self.acc));
                }
                Op::Operate(operator) => self.operate(operator)?,
                Op::Stop => return Ok(()),
            }
        }
    }

    fn match_failure(&mut self, place: u32) -> Interrupt {
        let id = self
            .exceptions
            .iter()
            .position(|e| e == "Match_failure")
            .unwrap_or(0);
        let empty = self.heap.string(b"");
        let detail = self
            .heap
            .block_reversed(0, empty, &[int(0), int(i64::from(place))]);
        Interrupt::Raise(self.heap.block_reversed(0, int(id as i64), &[detail]))
    }

    /// Applies `acc` to the `n` words on top; the frame on top says what comes after.
    fn apply(&mut self, mut n: usize, pc: &mut usize, base: &mut usize) -> Result<(), Interrupt> {
        loop {
            while self.heap.has_tag(self.acc, heap::PARTIAL) {
                let held = self.heap.size(self.acc) - 1;
                for i in 1..=held {
                    let w = self.heap.field(self.acc, i);
                    self.stack.push(w);
                }
                n += held;
                self.acc = self.heap.field(self.acc, 0);
            }
            let function = self.code.functions[word(self.heap.field(self.acc, 0)) as usize];
            let arity = function.arity as usize;
            if n < arity {
                self.room(n + 2)?;
                let from = self.stack.len() - n;
                self.acc = self
                    .heap
                    .block_forward(heap::PARTIAL, self.acc, &self.stack[from..]);
                self.stack.truncate(from);
                return self.leave(pc, base);
            }
            if n > arity {
                self.frames.push(Frame {
                    pc: 0,
                    base: 0,
                    more: n - arity,
                });
                n = arity;
                continue;
            }
            *base = self.stack.len() - n;
            self.stack.push(self.acc);
            *pc = function.entry as usize;
            return Ok(());
        }
    }

    /// Goes on where the frame on top says.
    fn leave(&mut self, pc: &mut usize, base: &mut usize) -> Result<(), Interrupt> {
        let frame = self.frames.pop().unwrap_or(Frame {
            pc: 0,
            base: 0,
            more: 0,
        });
        if frame.more > 0 {
            return self.apply(frame.more, pc, base);
        }
        (*pc, *base) = (frame.pc, frame.base);
        Ok(())
    }
}
