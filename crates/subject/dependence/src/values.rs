//! Where every operand comes from: static single assignment by simulating the operand stack.
//!
//! A value is made by one instruction, or is a parameter, or a caught exception. Where ways with different values in one slot meet, a
//! φ stands for them. Loads and stores are instructions like all others: a load's value is its own, and depends on the value in the
//! variable. So a set of instructions that is closed under dependence can be kept in the bytecode as it is.
//!
//! Source: Cytron et al. 1991, "Efficiently computing static single assignment form", §3. Deviation: φs are placed where simulation finds
//! different values, not at dominance frontiers; there may be more than needed, some of variables that nobody reads.

use std::collections::BTreeMap;

use pricetag_classfile::opcode as op;
use pricetag_classfile::{Code, ConstantPool, Instruction, Operand};
use pricetag_flow::stack::{effect, shuffle};
use pricetag_flow::{Cfg, FlowError};
use pricetag_probe_plan::Node;

use crate::throwing::{catchers, may_throw};

/// A value: an index into the values of its method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

/// Where a value comes from. Instructions are indices into [`Cfg::instructions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A variable before it was set: the verifier lets nobody read it.
    Unset,
    /// What a parameter's slot holds at the method's entry; `this` is in slot 0.
    Parameter(u16),
    /// What an instruction pushes or stores.
    Result(usize),
    /// What `dup` and its kin push: a copy.
    Copy {
        /// The instruction.
        by: usize,
        /// What it copies.
        of: ValueId,
    },
    /// One of several, by the way that control came.
    Phi(Vec<ValueId>),
    /// The exception that a handler finds on the stack, by its first instruction.
    Caught {
        /// The handler's first instruction.
        handler: usize,
        /// Instructions that may have thrown it.
        thrown_by: Vec<usize>,
    },
}

/// The values of a method and what each instruction takes.
#[derive(Clone, Debug)]
pub struct Values {
    all: Vec<Value>,
    operands: Vec<ValueId>,
    /// Where each instruction's operands end in `operands`.
    ends: Vec<u32>,
}

const UNSET: ValueId = ValueId(0);

impl Values {
    /// Simulates a method. `parameters` are the slots that receiver and arguments take.
    ///
    /// # Errors
    /// If stack or variables do not fit, which the verifier refuses, too.
    pub fn of(
        cfg: &Cfg,
        code: &Code<'_>,
        constants: &ConstantPool<'_>,
        parameters: u16,
    ) -> Result<Self, FlowError> {
        let mut simulation = Simulation::new(cfg, code, constants, parameters)?;
        simulation.settle()?;
        simulation.collect()
    }

    /// The operands of an instruction, bottom of the stack first, one for each slot: both halves of a `long` are the same value. A load
    /// has the value of its variable, `iinc` as well.
    pub fn operands(&self, instruction: usize) -> &[ValueId] {
        let start = match instruction {
            0 => 0,
            i => self.ends[i - 1] as usize,
        };
        &self.operands[start..self.ends[instruction] as usize]
    }

    /// Where a value comes from.
    pub fn value(&self, value: ValueId) -> &Value {
        &self.all[value.0 as usize]
    }

    /// All values.
    pub fn all(&self) -> &[Value] {
        &self.all
    }

    /// The value that an instruction pushes or stores, if it makes one.
    pub fn result(&self, instruction: usize) -> ValueId {
        // Behind the unset one: they are numbered like instructions.
        ValueId(instruction as u32 + 1)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    locals: Vec<ValueId>,
    stack: Vec<ValueId>,
}

/// A place that two ways may disagree about: a block and a slot, variables first.
type Place = (u32, u32);

struct Simulation<'a> {
    cfg: &'a Cfg,
    code: &'a Code<'a>,
    constants: &'a ConstantPool<'a>,
    /// At the start of each block.
    states: Vec<Option<State>>,
    values: Vec<Value>,
    phis: BTreeMap<Place, ValueId>,
    /// By block that is one.
    caught: BTreeMap<u32, ValueId>,
    /// By instruction and place.
    copies: BTreeMap<(usize, usize), ValueId>,
    /// Where an exception of each instruction may go, blocks; empty for most.
    exceptional: Vec<Vec<u32>>,
    /// By block, those that control passes to without an exception.
    successors: Vec<Vec<u32>>,
    start: State,
}

impl<'a> Simulation<'a> {
    fn new(
        cfg: &'a Cfg,
        code: &'a Code<'a>,
        constants: &'a ConstantPool<'a>,
        parameters: u16,
    ) -> Result<Self, FlowError> {
        let count = cfg.instructions.len();
        let mut values = vec![Value::Unset];
        values.extend((0..count).map(Value::Result));
        let mut locals = vec![UNSET; usize::from(code.max_locals)];
        if parameters > code.max_locals {
            return Err(FlowError::Stack { pc: 0 });
        }
        for slot in 0..parameters {
            locals[usize::from(slot)] = ValueId(values.len() as u32);
            values.push(Value::Parameter(slot));
        }
        let mut caught = BTreeMap::new();
        for handler in &cfg.handlers {
            caught.insert(handler.block.0, ValueId(values.len() as u32));
            values.push(Value::Caught {
                handler: cfg.blocks[handler.block.0 as usize].instructions.start,
                thrown_by: Vec::new(),
            });
        }
        let mut successors = vec![Vec::new(); cfg.blocks.len()];
        for edge in &cfg.edges {
            if let (Node::Block(from), Node::Block(to)) = (edge.from, edge.to) {
                successors[from.0 as usize].push(to.0);
            }
        }
        Ok(Self {
            cfg,
            code,
            constants,
            states: vec![None; cfg.blocks.len()],
            values,
            phis: BTreeMap::new(),
            caught,
            copies: BTreeMap::new(),
            exceptional: exceptional_targets(cfg, code),
            successors,
            start: State {
                locals,
                stack: Vec::new(),
            },
        })
    }

    /// Runs blocks until nothing changes.
    fn settle(&mut self) -> Result<(), FlowError> {
        self.states[0] = Some(self.start.clone());
        let order: Vec<u32> = self
            .cfg
            .reverse_postorder()
            .iter()
            .copied()
            .filter(|&b| b < self.cfg.entry())
            .collect();
        // The first block may be a loop's header: the method's entry is one more way to it.
        let mut dirty = vec![false; self.cfg.blocks.len()];
        dirty[0] = true;
        while dirty.contains(&true) {
            for &block in &order {
                if !std::mem::take(&mut dirty[block as usize]) {
                    continue;
                }
                let mut reached = Vec::new();
                self.run(block, &mut |_, _| {}, &mut |to, state| {
                    reached.push((to, state.clone()));
                })?;
                for (to, state) in reached {
                    if self.join(to, &state)? {
                        dirty[to as usize] = true;
                    }
                }
            }
        }
        Ok(())
    }

    fn join(&mut self, block: u32, new: &State) -> Result<bool, FlowError> {
        let pc = self.cfg.instructions[self.cfg.blocks[block as usize].instructions.start].pc;
        let Some(mut old) = self.states[block as usize].take() else {
            self.states[block as usize] = Some(new.clone());
            return Ok(true);
        };
        if old.stack.len() != new.stack.len() {
            return Err(FlowError::Stack { pc });
        }
        let mut changed = false;
        let slots = old.locals.iter_mut().chain(&mut old.stack);
        let arriving = new.locals.iter().chain(&new.stack);
        for (slot, (known, new)) in slots.zip(arriving).enumerate() {
            if known == new {
                continue;
            }
            let phi = *self.phis.entry((block, slot as u32)).or_insert_with(|| {
                self.values.push(Value::Phi(Vec::new()));
                ValueId(self.values.len() as u32 - 1)
            });
            changed |= *known != phi;
            *known = phi;
        }
        self.states[block as usize] = Some(old);
        Ok(changed)
    }

    /// Runs one block from its start: tells each instruction's operands, and which state arrives where.
    fn run(
        &mut self,
        block: u32,
        taken: &mut dyn FnMut(usize, &[ValueId]),
        arrives: &mut dyn FnMut(u32, &State),
    ) -> Result<(), FlowError> {
        let Some(mut state) = self.states[block as usize].clone() else {
            return Ok(());
        };
        for i in self.cfg.blocks[block as usize].instructions.clone() {
            for &handler in &self.exceptional[i] {
                let thrown = State {
                    locals: state.locals.clone(),
                    stack: vec![self.caught[&handler]],
                };
                arrives(handler, &thrown);
            }
            self.step(i, &mut state, taken)?;
        }
        for &to in &self.successors[block as usize] {
            arrives(to, &state);
        }
        Ok(())
    }

    fn step(
        &mut self,
        i: usize,
        state: &mut State,
        taken: &mut dyn FnMut(usize, &[ValueId]),
    ) -> Result<(), FlowError> {
        let here = &self.cfg.instructions[i];
        let bad = || FlowError::Stack { pc: here.pc };
        let result = ValueId(i as u32 + 1);
        let effect = effect(here, self.constants)?;
        let rest = state.stack.len().checked_sub(effect.pops as usize);
        let popped = state.stack.split_off(rest.ok_or_else(bad)?);
        if (op::DUP..=op::SWAP).contains(&here.opcode) {
            taken(i, &[]);
            for (k, &from) in shuffle(here.opcode).iter().enumerate() {
                let copy = *self.copies.entry((i, k)).or_insert_with(|| {
                    self.values.push(Value::Unset);
                    ValueId(self.values.len() as u32 - 1)
                });
                self.values[copy.0 as usize] = Value::Copy {
                    by: i,
                    of: popped[from],
                };
                state.stack.push(copy);
            }
            return Ok(());
        }
        if let Some(local) = read_local(here) {
            let value = state.locals.get(usize::from(local)).ok_or_else(bad)?;
            taken(i, &[*value]);
        } else {
            taken(i, &popped);
        }
        let mut set = |local: u16| -> Result<(), FlowError> {
            *state.locals.get_mut(usize::from(local)).ok_or_else(bad)? = result;
            Ok(())
        };
        if let Operand::Iinc { local, .. } = here.operand {
            set(local)?;
        } else if let Some((local, wide)) = here.stored_local() {
            set(local)?;
            if wide {
                set(local.checked_add(1).ok_or_else(bad)?)?;
            }
        }
        for _ in 0..effect.pushes {
            state.stack.push(result);
        }
        if state.stack.len() > usize::from(self.code.max_stack) {
            return Err(bad());
        }
        Ok(())
    }

    /// One more run of each block, now that the states are final.
    fn collect(mut self) -> Result<Values, FlowError> {
        let count = self.cfg.instructions.len();
        let mut taken: Vec<Vec<ValueId>> = vec![Vec::new(); count];
        let mut joined: BTreeMap<ValueId, Vec<ValueId>> = BTreeMap::new();
        let mut arriving = vec![(0, self.start.clone())];
        for block in 0..self.cfg.blocks.len() as u32 {
            self.run(
                block,
                &mut |i, operands| taken[i] = operands.to_vec(),
                &mut |to, state| arriving.push((to, state.clone())),
            )?;
            for (to, state) in arriving.drain(..) {
                let Some(known) = &self.states[to as usize] else {
                    continue;
                };
                let slots = known.locals.iter().chain(&known.stack);
                for (slot, (known, new)) in slots
                    .zip(state.locals.iter().chain(&state.stack))
                    .enumerate()
                {
                    if self.phis.get(&(to, slot as u32)) == Some(known) && known != new {
                        let operands = joined.entry(*known).or_default();
                        if operands.last() != Some(new) {
                            operands.push(*new);
                        }
                    }
                }
            }
        }
        for (phi, mut operands) in joined {
            operands.sort_unstable();
            operands.dedup();
            self.values[phi.0 as usize] = Value::Phi(operands);
        }
        for (i, targets) in self.exceptional.iter().enumerate() {
            for target in targets {
                if let Value::Caught { thrown_by, .. } =
                    &mut self.values[self.caught[target].0 as usize]
                {
                    thrown_by.push(i);
                }
            }
        }
        let (mut operands, mut ends) = (Vec::new(), Vec::with_capacity(count));
        for mut own in taken {
            operands.append(&mut own);
            ends.push(operands.len() as u32);
        }
        Ok(Values {
            all: self.values,
            operands,
            ends,
        })
    }
}

/// The variable that an instruction reads.
pub(crate) fn read_local(here: &Instruction) -> Option<u16> {
    match (here.opcode, &here.operand) {
        (op::ILOAD..=op::ALOAD | op::RET, Operand::Local(n)) => Some(*n),
        (op::IINC, Operand::Iinc { local, .. }) => Some(*local),
        (op::ILOAD_0..=op::ALOAD_3, _) => Some(u16::from((here.opcode - op::ILOAD_0) % 4)),
        _ => None,
    }
}

/// By instruction, the blocks that its exceptions may go to. A handler that only covers what cannot throw is entered from all of that.
pub(crate) fn exceptional_targets(cfg: &Cfg, code: &Code<'_>) -> Vec<Vec<u32>> {
    let mut targets = vec![Vec::new(); cfg.instructions.len()];
    if cfg.handlers.is_empty() {
        return targets;
    }
    let by_pc: BTreeMap<u16, u32> = cfg
        .handlers
        .iter()
        .map(|h| (cfg.instructions_of(h.block)[0].pc, h.block.0))
        .collect();
    let mut entered: BTreeMap<u32, bool> = by_pc.values().map(|&b| (b, false)).collect();
    for strict in [true, false] {
        for i in cfg.blocks.iter().flat_map(|b| b.instructions.clone()) {
            let here = &cfg.instructions[i];
            if strict && !may_throw(here.opcode) {
                continue;
            }
            for block in catchers(code, here)
                .handlers
                .iter()
                .filter_map(|pc| by_pc.get(pc))
            {
                if strict || !entered[block] {
                    targets[i].push(*block);
                }
            }
        }
        for block in targets.iter().flatten() {
            entered.insert(*block, true);
        }
        if entered.values().all(|&e| e) {
            break;
        }
    }
    targets
}
