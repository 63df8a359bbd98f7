//! Instructions that cannot throw because the same check has already succeeded on every way to them.
//!
//! Values are numbered, and what succeeded is remembered along the dominator tree: what a block has checked holds in the
//! blocks it dominates. Sure to succeed are
//! - `arraylength` and accesses of an already resolved field, if the reference is not null: it was dereferenced before,
//!   compared with `null`, made by `new`, loaded from the constant pool, caught, or is `this`;
//! - static field accesses, `ldc` and `instanceof` whose constant was resolved by the same kind of access. A static access that
//!   succeeded found the class initialised, or being initialised by this thread in a frame below this one;
//! - array loads, and stores of primitive values, to an array and index that were accessed before, or at a constant
//!   index below one that was; a `checkcast` of a reference to a class it was cast to before; division by what was
//!   divided by, or compared with 0.
//!
//! Why it is sound without a fixpoint: between the last pass of a block and of one that it dominates, no block that
//! dominates both runs. So a local that is stored once has not changed there, provided the store dominates the place
//! (it is the only one, and came before); all others keep their value only into a block whose one way in is the
//! end of the block before it. A block with exception handlers may have been left in its middle: then what it checked
//! holds only there, and elsewhere what was known at its start does.
//!
//! Source: dominator-based value numbering (Briggs, Cooper & Simpson 1997, "Value Numbering"). Deviation: checks are remembered in
//! place of expressions. Limits: nothing survives a join unless it dominates it; at most [`RECENT`] checks of one kind are searched.

use pricetag_classfile::opcode as op;
use pricetag_classfile::{ConstantPool, Instruction, Operand, pool::tag};
use pricetag_graph::Dominators;
use pricetag_probe_plan::{BlockId, EdgeKind};

use crate::cfg::Cfg;
use crate::profit::access;
use crate::stack::{Effect, Effects, shuffle};

/// How many array accesses and casts are remembered for comparison.
pub const RECENT: usize = 64;

/// Most locals times blocks; larger methods are not analysed.
const MOST_SLOTS: usize = 1 << 24;
/// Most stack slots that are followed into the next block.
const MOST_STACK: usize = 256;

/// A value; equal numbers mean equal values.
type Value = u32;

/// Numbers of small `int` constants start here: `CONSTANT + 32768 + n`.
const CONSTANT: Value = 1 << 31;

const fn constant(n: i32) -> Value {
    CONSTANT + (n + 32768) as u32
}

fn as_constant(value: Value) -> Option<i32> {
    (value >= CONSTANT).then(|| (value - CONSTANT) as i32 - 32768)
}

/// For each instruction, whether it surely does not throw because of what ran before it. `instance` says that local 0 is
/// `this`.
pub fn sure_repeats(
    cfg: &Cfg,
    effects: &Effects,
    locals: u16,
    constants: &ConstantPool<'_>,
    instance: bool,
) -> Vec<bool> {
    let slots = usize::from(locals) * cfg.blocks.len();
    if slots > MOST_SLOTS {
        return vec![false; cfg.instructions.len()];
    }
    let reachable = cfg.blocks.iter().flat_map(|b| b.instructions.clone());
    let locals = usize::from(locals);
    let mut stores = vec![0u8; locals + 2];
    for here in reachable.map(|i| &cfg.instructions[i]) {
        let stored = here.stored_local().or(match here.operand {
            Operand::Iinc { local, .. } => Some((local, false)),
            _ => None,
        });
        if let Some((local, wide)) = stored {
            for slot in usize::from(local)..=usize::from(local) + usize::from(wide) {
                if let Some(count) = stores.get_mut(slot) {
                    *count = count.saturating_add(1);
                }
            }
        }
    }
    let mut walk = Walk {
        cfg,
        effects,
        constants,
        stores,
        sure: vec![false; cfg.instructions.len()],
        not_zero: vec![false; locals],
        resolved: vec![0; usize::from(constants.count()) + 1],
        log: Vec::new(),
        pairs: Vec::new(),
        casts: Vec::new(),
        state: State::default(),
        saved: State::default(),
    };
    if let (true, Some(this)) = (instance, walk.not_zero.first_mut()) {
        *this = true;
    }
    walk.run(locals);
    walk.sure
}

#[derive(Clone, Copy)]
struct Local {
    value: Value,
    /// Whether a store to it dominates this place.
    stored: bool,
}

/// What slots hold.
#[derive(Default)]
struct State {
    locals: Vec<Local>,
    /// The upper part of the stack; nothing is known of what is below.
    stack: Vec<Value>,
}

/// What slots held at a place: from where on, and up to where, in [`Walk::saved`].
#[derive(Clone, Copy)]
struct Saved {
    locals: usize,
    stack: (usize, usize),
}

/// What to take back when the walk leaves a subtree.
#[derive(Clone, Copy)]
enum Learned {
    NotZero(Value),
    Resolved(u16, u8),
}

#[derive(Clone, Copy)]
struct Marks {
    log: usize,
    pairs: usize,
    casts: usize,
    saved: (usize, usize),
}

enum Task {
    Enter {
        block: u32,
        state: Saved,
        /// The one way in is the end of the parent.
        extends: bool,
        /// Not 0 on this way.
        tested: Option<Value>,
    },
    Forget(Marks),
}

/// The blocks that each block, or the entry, immediately dominates.
struct Children {
    first: Vec<u32>,
    /// The next block with the same parent.
    next: Vec<u32>,
}

impl Children {
    const NONE: u32 = u32::MAX;

    fn of(cfg: &Cfg) -> Self {
        if cfg.is_straight() {
            return Self {
                first: vec![Self::NONE, 0],
                next: vec![Self::NONE; 2],
            };
        }
        let immediate = Dominators::immediate_of(cfg.digraph(), cfg.reverse_postorder());
        let mut children = Self {
            first: vec![Self::NONE; immediate.len()],
            next: vec![Self::NONE; immediate.len()],
        };
        for block in (0..cfg.entry()).rev() {
            if let Some(parent) = immediate[block as usize] {
                let first = &mut children.first[parent as usize];
                children.next[block as usize] = std::mem::replace(first, block);
            }
        }
        children
    }

    /// Ascending.
    fn of_block(&self, block: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |block: u32| Some(block).filter(|&b| b != Self::NONE);
        std::iter::successors(some(self.first[block as usize]), move |&b| {
            some(self.next[b as usize])
        })
    }
}

struct Walk<'a> {
    cfg: &'a Cfg,
    effects: &'a Effects,
    constants: &'a ConstantPool<'a>,
    /// Stores per local.
    stores: Vec<u8>,
    sure: Vec<bool>,
    not_zero: Vec<bool>,
    /// Per constant, the accesses that resolved it.
    resolved: Vec<u8>,
    log: Vec<Learned>,
    /// Array and index.
    pairs: Vec<(Value, Value)>,
    /// Reference and class.
    casts: Vec<(Value, u16)>,
    /// What slots hold now.
    state: State,
    /// What they held at the ends, and starts, of blocks whose subtrees are not done.
    saved: State,
}

impl Walk<'_> {
    fn run(&mut self, locals: usize) {
        let cfg = self.cfg;
        let children = Children::of(cfg);
        self.state.locals = (0..locals as u32)
            .map(|value| Local {
                value,
                stored: false,
            })
            .collect();
        let start = self.save();
        let mut tasks = Vec::new();
        for block in children.of_block(cfg.entry()) {
            tasks.push(Task::Enter {
                block,
                state: start,
                extends: cfg.is_straight() || cfg.digraph().in_edges(block).len() == 1,
                tested: None,
            });
        }
        while let Some(task) = tasks.pop() {
            match task {
                Task::Forget(marks) => self.forget(marks),
                Task::Enter {
                    block,
                    state,
                    extends,
                    tested,
                } => {
                    let before = self.marks();
                    self.arrive(block, state, extends);
                    if let Some(value) = tested {
                        self.learn_not_zero(value);
                    }
                    let start = self.leaves_early(block).then(|| self.save());
                    let inside = self.marks();
                    let last = self.block(block);
                    tasks.push(Task::Forget(before));
                    if children.of_block(block).next().is_some() {
                        let end = self.save();
                        self.below(block, &children, (start, end), inside, last, &mut tasks);
                    }
                }
            }
        }
    }

    fn save(&mut self) -> Saved {
        let (locals, stack) = (self.saved.locals.len(), self.saved.stack.len());
        self.saved.locals.extend_from_slice(&self.state.locals);
        self.saved.stack.extend_from_slice(&self.state.stack);
        Saved {
            locals,
            stack: (stack, self.saved.stack.len()),
        }
    }

    fn restore(&mut self, from: Saved) {
        let locals = from.locals..from.locals + self.state.locals.len();
        let held = &self.saved.locals[locals];
        self.state.locals.copy_from_slice(held);
        self.state.stack.clear();
        let held = &self.saved.stack[from.stack.0..from.stack.1];
        self.state.stack.extend_from_slice(held);
    }

    /// Whether an exception may lead out of the middle of a block to a handler of the method.
    fn leaves_early(&self, block: u32) -> bool {
        // Edges come in order of their numbers.
        let last = || self.cfg.digraph().out_edges(block).last();
        let exceptional = |&e: &u32| e as usize >= self.cfg.edges.len();
        !self.cfg.exceptional.is_empty() && last().is_some_and(exceptional)
    }

    /// Schedules the blocks that `block` dominates: first those that know what was known at its end. What was known at its start is
    /// given if exceptions may leave the block.
    fn below(
        &self,
        block: u32,
        children: &Children,
        (start, end): (Option<Saved>, Saved),
        inside: Marks,
        last: Option<Value>,
        tasks: &mut Vec<Task>,
    ) {
        let graph = self.cfg.digraph();
        let normal = self.cfg.edges.len() as u32;
        let only_way = |child: u32| match graph.in_edges(child) {
            [edge] if *edge < normal && graph.ends(*edge).0 == block => Some(*edge),
            _ => None,
        };
        if let Some(state) = start {
            let without_end = |child: &u32| only_way(*child).is_none();
            for child in children.of_block(block).filter(without_end) {
                tasks.push(Task::Enter {
                    block: child,
                    state,
                    extends: false,
                    tested: None,
                });
            }
        }
        tasks.push(Task::Forget(inside));
        let knows_end = |child: &u32| start.is_none() || only_way(*child).is_some();
        for child in children.of_block(block).filter(knows_end) {
            let way = only_way(child);
            tasks.push(Task::Enter {
                block: child,
                state: end,
                extends: way.is_some(),
                tested: way.and_then(|e| self.tested(block, e, last)),
            });
        }
    }

    /// The value that is not 0, or not null, if control takes an edge out of a block that tests `last`.
    fn tested(&self, block: u32, edge: u32, last: Option<Value>) -> Option<Value> {
        let opcode = self.cfg.instructions_of(BlockId(block)).last()?.opcode;
        let kind = self.cfg.edges[edge as usize].kind;
        let holds = matches!(
            (opcode, kind),
            (op::IFNULL | op::IFEQ, EdgeKind::NotTaken)
                | (op::IFNONNULL | op::IFNE, EdgeKind::Taken)
        );
        last.filter(|_| holds)
    }

    /// Finds what slots hold at a block's start.
    fn arrive(&mut self, block: u32, from: Saved, extends: bool) {
        self.restore(from);
        if extends {
            if self.state.stack.len() > MOST_STACK {
                self.state.stack.clear();
            }
            return;
        }
        for (local, stores) in self.state.locals.iter_mut().zip(&self.stores) {
            if !(*stores == 0 || *stores == 1 && local.stored) {
                local.value = self.not_zero.len() as Value;
                self.not_zero.push(false);
            }
        }
        self.state.stack.clear();
        let normal = self.cfg.edges.len() as u32;
        if self
            .cfg
            .digraph()
            .in_edges(block)
            .iter()
            .all(|&e| e >= normal)
        {
            let caught = self.fresh();
            self.learn_not_zero(caught);
            self.state.stack.push(caught);
        }
    }

    /// Follows a block; the value that its last instruction tests.
    fn block(&mut self, block: u32) -> Option<Value> {
        let mut last = None;
        let mut state = std::mem::take(&mut self.state);
        let cfg = self.cfg;
        for i in cfg.blocks[block as usize].instructions.clone() {
            let here = &cfg.instructions[i];
            last = state.stack.last().copied();
            let effect = self.effects.at(i);
            let pops = effect.pops as usize;
            let height = state.stack.len();
            if height < pops {
                // Values that others pushed.
                let missing = (height..pops).map(|_| self.fresh()).collect::<Vec<_>>();
                state.stack.splice(0..0, missing);
            }
            self.sure[i] = self.check(here, &state.stack, pops);
            self.step(here, effect, &mut state);
        }
        self.state = state;
        last
    }

    /// Whether an instruction surely succeeds; it is taken to have succeeded afterwards.
    fn check(&mut self, here: &Instruction, stack: &[Value], pops: usize) -> bool {
        let slot = |below: usize| stack[stack.len() - 1 - below];
        match (here.opcode, &here.operand) {
            (op::GETFIELD | op::PUTFIELD, Operand::Constant(index)) => {
                let dereferenced = self.learn_not_zero(slot(pops - 1));
                self.resolve(*index, access(here.opcode)) && dereferenced
            }
            (
                op::LDC | op::LDC_W | op::LDC2_W | op::GETSTATIC | op::PUTSTATIC,
                Operand::Constant(index),
            ) => self.resolve(*index, access(here.opcode)),
            (op::NEW | op::ANEWARRAY, Operand::Constant(index)) => {
                self.resolve(*index, access(here.opcode));
                false
            }
            (op::CHECKCAST, Operand::Constant(index)) => {
                let cast = (slot(0), *index);
                let known = self.casts.iter().rev().take(RECENT).any(|c| *c == cast);
                if !known {
                    self.casts.push(cast);
                }
                self.resolve_if_not_null(slot(0), *index);
                known
            }
            (op::INSTANCEOF, Operand::Constant(index)) => {
                let resolved = self.resolved.get(usize::from(*index));
                let known = resolved.is_some_and(|r| r & access(here.opcode) != 0);
                self.resolve_if_not_null(slot(0), *index);
                known
            }
            (op::IALOAD..=op::SALOAD, _) => self.access_array(slot(1), slot(0)),
            (op::IASTORE..=op::SASTORE, _) => {
                let known = self.access_array(slot(pops - 1), slot(pops - 2));
                known && here.opcode != op::AASTORE
            }
            (op::IDIV | op::LDIV | op::IREM | op::LREM | op::ARRAYLENGTH, _) => {
                self.learn_not_zero(slot(0))
            }
            (op::MONITORENTER | op::MONITOREXIT, _) => {
                self.learn_not_zero(slot(0));
                false
            }
            (op::INVOKEVIRTUAL | op::INVOKESPECIAL | op::INVOKEINTERFACE, _) => {
                self.learn_not_zero(slot(pops - 1));
                false
            }
            _ => false,
        }
    }

    fn step(&mut self, here: &Instruction, effect: Effect, state: &mut State) {
        let stack = &mut state.stack;
        let height = stack.len() - effect.pops as usize;
        if here.opcode == op::CHECKCAST {
            return;
        }
        if (op::DUP..=op::SWAP).contains(&here.opcode) {
            let order = shuffle(here.opcode);
            let mut touched = [0; 6];
            touched[..effect.pops as usize].copy_from_slice(&stack[height..]);
            stack.truncate(height);
            stack.extend(order.iter().map(|&i| touched[i]));
            return;
        }
        if let Some((local, wide)) = here.stored_local() {
            let slots = 1 + usize::from(wide);
            for (offset, &value) in stack[height..].iter().enumerate().take(slots) {
                if let Some(local) = state.locals.get_mut(usize::from(local) + offset) {
                    *local = Local {
                        value,
                        stored: true,
                    };
                }
            }
        }
        stack.truncate(height);
        if let Operand::Iinc { local, .. } = here.operand {
            let value = self.fresh();
            if let Some(local) = state.locals.get_mut(usize::from(local)) {
                *local = Local {
                    value,
                    stored: true,
                };
            }
        }
        let small = |n: i32| (-32768..32768).contains(&n).then(|| constant(n));
        let known = match (here.opcode, &here.operand) {
            (op::ICONST_M1..=op::ICONST_5, _) => {
                small(i32::from(here.opcode) - i32::from(op::ICONST_0))
            }
            (op::BIPUSH | op::SIPUSH, Operand::Immediate(n)) => small(*n),
            _ => None,
        };
        if let Some(value) = known {
            state.stack.push(value);
        } else if let Some(first) = loaded_local(here) {
            for slot in 0..effect.pushes as usize {
                let local = state.locals.get(usize::from(first) + slot);
                let value = local.map_or_else(|| self.fresh(), |l| l.value);
                state.stack.push(value);
            }
        } else {
            for _ in 0..effect.pushes {
                let value = self.fresh();
                state.stack.push(value);
            }
            if let (true, Some(&value)) = (self.makes_reference(here), state.stack.last()) {
                self.learn_not_zero(value);
            }
        }
    }

    /// Whether an instruction's result is a reference that is not null.
    fn makes_reference(&self, here: &Instruction) -> bool {
        match (here.opcode, &here.operand) {
            (op::NEW | op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY, _) => true,
            (op::LDC | op::LDC_W, Operand::Constant(index)) => {
                matches!(self.constants.tag(*index), Some(tag::STRING | tag::CLASS))
            }
            _ => false,
        }
    }

    fn fresh(&mut self) -> Value {
        self.not_zero.push(false);
        self.not_zero.len() as Value - 1
    }

    /// Notes that a value is neither null nor 0; whether that was known.
    fn learn_not_zero(&mut self, value: Value) -> bool {
        if let Some(n) = as_constant(value) {
            return n != 0;
        }
        let known = std::mem::replace(&mut self.not_zero[value as usize], true);
        if !known {
            self.log.push(Learned::NotZero(value));
        }
        known
    }

    /// Notes that a constant is resolved; whether that was known.
    fn resolve(&mut self, index: u16, access: u8) -> bool {
        let Some(resolved) = self.resolved.get_mut(usize::from(index)) else {
            return false;
        };
        let known = *resolved & access != 0;
        if !known {
            *resolved |= access;
            self.log.push(Learned::Resolved(index, access));
        }
        known
    }

    /// `null` passes `checkcast` and `instanceof` without resolving the class.
    fn resolve_if_not_null(&mut self, value: Value, class: u16) {
        if as_constant(value).is_none() && self.not_zero[value as usize] {
            self.resolve(class, access(op::CHECKCAST));
        }
    }

    /// Notes that an index is within an array; whether that was known.
    fn access_array(&mut self, array: Value, index: Value) -> bool {
        self.learn_not_zero(array);
        let within = |other: Value| {
            other == index
                || matches!((as_constant(other), as_constant(index)), (Some(o), Some(i)) if 0 <= i && i <= o)
        };
        let mut recent = self.pairs.iter().rev().take(RECENT);
        let known = recent.any(|&(a, i)| a == array && within(i));
        if !known {
            self.pairs.push((array, index));
        }
        known
    }

    fn marks(&self) -> Marks {
        Marks {
            log: self.log.len(),
            pairs: self.pairs.len(),
            casts: self.casts.len(),
            saved: (self.saved.locals.len(), self.saved.stack.len()),
        }
    }

    fn forget(&mut self, marks: Marks) {
        for learned in self.log.drain(marks.log..) {
            match learned {
                Learned::NotZero(value) => self.not_zero[value as usize] = false,
                Learned::Resolved(index, access) => self.resolved[usize::from(index)] &= !access,
            }
        }
        self.pairs.truncate(marks.pairs);
        self.casts.truncate(marks.casts);
        self.saved.locals.truncate(marks.saved.0);
        self.saved.stack.truncate(marks.saved.1);
    }
}

/// The first local that an instruction loads.
fn loaded_local(here: &Instruction) -> Option<u16> {
    match (here.opcode, &here.operand) {
        (op::ILOAD..=op::ALOAD, Operand::Local(n)) => Some(*n),
        (op::ILOAD_0..=op::ALOAD_3, _) => Some(u16::from((here.opcode - op::ILOAD_0) % 4)),
        _ => None,
    }
}
