//! Where `this` is, and in constructors, whether it is initialised yet.
//!
//! An abstract interpretation of the method over its control-flow graph that knows two kinds of slots, "surely `this`"
//! and "anything else". It answers two questions exactly enough to rely on: is the receiver of a field access `this`
//! (then it is not null), and has the constructor called `super(…)` or `this(…)` before an instruction.
//!
//! Source: the verifier's type inference (JVMS §4.10.2) with two types instead of all. Deviation: only the lowest
//! [`TRACKED`] slots of stack and locals are followed; what is not followed is "anything else", which is safe.

use pricetag_classfile::opcode as op;
use pricetag_classfile::{Code, ConstantPool, Instruction, Operand};
use pricetag_graph::{Analysis, solve};
use pricetag_probe_plan::BlockId;

use crate::cfg::Cfg;
use crate::error::FlowError;
use crate::stack::{Effect, Effects, shuffle};

/// How many slots of the stack, and how many locals, are followed.
pub const TRACKED: u32 = u64::BITS;

/// What was found out about an instance method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receivers {
    /// For each instruction, whether it is a `getfield` or `putfield` on `this`.
    field_of_this: Vec<bool>,
    /// For each instruction, whether it runs before `this` is initialised; empty if `this` is from the start.
    before_init: Vec<bool>,
}

impl Receivers {
    /// Analyses an instance method. `uninitialised` says whether `this` needs a constructor call first: in `<init>` of
    /// every class that has a superclass.
    ///
    /// # Errors
    /// If the operand stack does not fit, or initialisation depends on the way taken; the JVM's verifier refuses almost
    /// all such methods too.
    pub fn of(
        cfg: &Cfg,
        code: &Code<'_>,
        effects: &Effects,
        constants: &ConstantPool<'_>,
        uninitialised: bool,
    ) -> Result<Self, FlowError> {
        let interpretation = Interpretation {
            cfg,
            code,
            effects,
            constants,
        };
        let start = Frame {
            depth: 0,
            stack: 0,
            locals: 1,
            initialised: !uninitialised,
        };
        let facts = if cfg.is_straight() {
            vec![Some(start)]
        } else {
            solve(
                cfg.digraph(),
                cfg.reverse_postorder(),
                start,
                &interpretation,
            )?
        };
        let count = cfg.instructions.len();
        let mut result = Self {
            field_of_this: vec![false; count],
            before_init: vec![false; if uninitialised { count } else { 0 }],
        };
        for (block, fact) in cfg.blocks.iter().zip(&facts) {
            let Some(fact) = fact else { continue };
            let mut frame = *fact;
            for i in block.instructions.clone() {
                let here = &cfg.instructions[i];
                if uninitialised {
                    result.before_init[i] = !frame.initialised;
                }
                result.field_of_this[i] = matches!(here.opcode, op::GETFIELD | op::PUTFIELD)
                    && frame.is_this(effects.at(i).pops - 1);
                interpretation.step(&mut frame, here, effects.at(i))?;
            }
        }
        Ok(result)
    }

    /// Whether the instruction at an index is a `getfield` or `putfield` whose receiver surely is `this`.
    pub fn is_field_of_this(&self, instruction: usize) -> bool {
        self.field_of_this[instruction]
    }

    /// Whether the instruction at an index runs before the constructor has initialised `this`.
    pub fn is_before_init(&self, instruction: usize) -> bool {
        self.before_init
            .get(instruction)
            .is_some_and(|before| *before)
    }
}

/// What is known before an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    /// Slots on the operand stack.
    depth: u32,
    /// Those that hold `this`, as bits, the lowest being the bottom.
    stack: u64,
    /// Locals that hold `this`, as bits.
    locals: u64,
    initialised: bool,
}

/// The bit of a slot; 0 for one that is not followed.
fn bit(slot: u32) -> u64 {
    1u64.checked_shl(slot).unwrap_or(0)
}

impl Frame {
    fn pop(&mut self, slots: u32, pc: u16) -> Result<(), FlowError> {
        self.depth = self
            .depth
            .checked_sub(slots)
            .ok_or(FlowError::Stack { pc })?;
        if self.depth < TRACKED {
            self.stack &= bit(self.depth) - 1;
        }
        Ok(())
    }

    fn push(&mut self, this: bool) {
        if this {
            self.stack |= bit(self.depth);
        }
        self.depth += 1;
    }

    /// Whether the slot `below` the top (0 is the top) holds `this`.
    fn is_this(&self, below: u32) -> bool {
        self.depth
            .checked_sub(below + 1)
            .is_some_and(|slot| self.stack & bit(slot) != 0)
    }

    fn loads_this(&self, local: u16) -> bool {
        self.locals & bit(u32::from(local)) != 0
    }

    fn store(&mut self, local: u16, this: bool) {
        let bit = bit(u32::from(local));
        if this {
            self.locals |= bit;
        } else {
            self.locals &= !bit;
        }
    }
}

struct Interpretation<'a> {
    cfg: &'a Cfg,
    code: &'a Code<'a>,
    effects: &'a Effects,
    constants: &'a ConstantPool<'a>,
}

impl Analysis for Interpretation<'_> {
    type Fact = Frame;
    type Error = FlowError;

    fn transfer(
        &self,
        node: u32,
        fact: &Frame,
        out: &mut Vec<(u32, Frame)>,
    ) -> Result<(), FlowError> {
        let edges = self.cfg.digraph().out_edges(node);
        if node == self.cfg.entry() {
            out.extend(edges.iter().map(|&e| (e, *fact)));
            return Ok(());
        }
        if node > self.cfg.entry() {
            return Ok(());
        }
        let first_exceptional = self.cfg.edges.len();
        // Edges come in order of their numbers.
        let (normal, handlers) =
            edges.split_at(edges.partition_point(|&e| (e as usize) < first_exceptional));
        let mut frame = *fact;
        for i in self.cfg.blocks[node as usize].instructions.clone() {
            let here = &self.cfg.instructions[i];
            for &edge in handlers {
                let (_, handler) = self.cfg.exceptional[edge as usize - first_exceptional];
                if self.covers(handler, here.pc) {
                    let thrown = Frame {
                        depth: 1,
                        stack: 0,
                        ..frame
                    };
                    match out.iter_mut().find(|(e, _)| *e == edge) {
                        Some((_, known)) => drop(meet(known, &thrown, here.pc)?),
                        None => out.push((edge, thrown)),
                    }
                }
            }
            self.step(&mut frame, here, self.effects.at(i))?;
        }
        out.extend(normal.iter().map(|&e| (e, frame)));
        Ok(())
    }

    fn join(&self, node: u32, fact: &mut Frame, new: Frame) -> Result<bool, FlowError> {
        if node >= self.cfg.entry() {
            return Ok(false);
        }
        meet(fact, &new, self.cfg.instructions_of(BlockId(node))[0].pc)
    }
}

/// Keeps in `known` what `new` knows too; whether that changed it.
fn meet(known: &mut Frame, new: &Frame, pc: u16) -> Result<bool, FlowError> {
    if known.depth != new.depth {
        return Err(FlowError::Stack { pc });
    }
    if known.initialised != new.initialised {
        return Err(FlowError::Ambiguous { pc });
    }
    let before = *known;
    known.stack &= new.stack;
    known.locals &= new.locals;
    Ok(*known != before)
}

impl Interpretation<'_> {
    fn covers(&self, handler: usize, pc: u16) -> bool {
        let entries = &self.cfg.handlers[handler].entries;
        entries
            .iter()
            .map(|&e| &self.code.exception_table[e])
            .any(|e| e.start_pc <= pc && pc < e.end_pc)
    }

    fn step(&self, frame: &mut Frame, here: &Instruction, effect: Effect) -> Result<(), FlowError> {
        match here.opcode {
            op::ALOAD => {
                frame.push(matches!(here.operand, Operand::Local(n) if frame.loads_this(n)));
            }
            op::ALOAD_0..=op::ALOAD_3 => {
                frame.push(frame.loads_this(u16::from(here.opcode - op::ALOAD_0)));
            }
            op::CHECKCAST => return Ok(()),
            op::DUP..=op::SWAP => {
                let mut touched = [false; 4];
                for (slot, below) in touched.iter_mut().zip((0..effect.pops).rev()) {
                    *slot = frame.is_this(below);
                }
                frame.pop(effect.pops, here.pc)?;
                for &slot in shuffle(here.opcode) {
                    frame.push(touched[slot]);
                }
            }
            _ => {
                if let Some((local, wide)) = here.stored_local() {
                    let this = !wide && frame.is_this(0);
                    frame.store(local, this);
                    if wide {
                        frame.store(local.saturating_add(1), false);
                    }
                }
                if here.opcode == op::INVOKESPECIAL
                    && !frame.initialised
                    && frame.is_this(effect.pops - 1)
                    && self.calls_init(here)?
                {
                    frame.initialised = true;
                }
                frame.pop(effect.pops, here.pc)?;
                frame.depth += effect.pushes;
            }
        }
        if frame.depth > u32::from(self.code.max_stack) {
            return Err(FlowError::Stack { pc: here.pc });
        }
        Ok(())
    }

    fn calls_init(&self, here: &Instruction) -> Result<bool, FlowError> {
        let Operand::Constant(index) = here.operand else {
            return Ok(false);
        };
        Ok(self.constants.member_name_and_descriptor(index)?.0 == b"<init>")
    }
}
