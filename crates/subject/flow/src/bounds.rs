//! Loops that surely end soon: blocks that run fewer than 2³² times whenever an innermost loop is entered.
//!
//! A local is *stepped* if one `iinc` by 1 or −1, passed in each turn, is all that changes it in the loop. Then turns are bounded
//! - by a comparison that each turn passes and that leaves the loop unless the stepped local is below a limit (for −1: above), whatever the limit is and whether or
//!   not it changes: the local cannot overflow before it fails, and is another number each time. A constant limit may be reached, too, unless it is the last number. Or by
//!   one that leaves the loop where the local equals what the loop leaves alone: of all numbers one is that;
//! - by an array access in each turn whose index is the local: what is no index of any array throws.
//!
//! Instead of the local itself its sum with what the loop leaves alone will do. Up to 2³² − 1 comparisons succeed, so the blocks that are bounded
//! are those that a turn reaches by way of the comparison, and its own. A loop that a handler continues is not looked at, since an exception may have skipped the step.

use std::collections::BTreeMap;

use pricetag_classfile::opcode as op;
use pricetag_classfile::{ConstantPool, Instruction, Operand};
use pricetag_probe_plan::{BlockId, Node};

use crate::cfg::{Cfg, Edge};
use crate::loops::MethodLoop;
use crate::operands::{Slot, Stack};
use crate::stack::effect;

/// Most blocks of a loop that is looked at.
const MOST_BLOCKS: usize = 256;

/// The blocks of an innermost, reducible loop that run fewer than 2³² times whenever it is entered, ascending.
pub fn bounded_blocks(cfg: &Cfg, l: &MethodLoop, constants: &ConstantPool<'_>) -> Vec<BlockId> {
    let continued = || cfg.handlers.iter().any(|h| l.blocks.contains(&h.block));
    if l.blocks.len() > MOST_BLOCKS || continued() {
        return Vec::new();
    }
    let turns = Turns {
        cfg,
        l,
        changed: changed(cfg, l),
    };
    let mut bounded = Vec::new();
    for &block in &l.blocks {
        match turns.bound_by(block, constants) {
            Some(Bound::Index) => return l.blocks.clone(),
            Some(Bound::Comparison) => {
                let before = turns.reached_without(block);
                let behind = |b: &&BlockId| before.binary_search(b).is_err();
                bounded.extend(l.blocks.iter().filter(behind));
            }
            None => {}
        }
    }
    bounded.sort_unstable();
    bounded.dedup();
    bounded
}

/// What bounds the turns.
enum Bound {
    Comparison,
    Index,
}

/// How a loop changes a local.
#[derive(Clone, Copy)]
enum Change {
    /// By this much, in that block.
    Stepped(i16, BlockId),
    Otherwise,
}

/// How a loop changes locals; others it leaves alone.
fn changed(cfg: &Cfg, l: &MethodLoop) -> BTreeMap<u16, Change> {
    let mut changed = BTreeMap::new();
    for &block in &l.blocks {
        for here in cfg.instructions_of(block) {
            if let Operand::Iinc { local, delta } = here.operand {
                let change = match delta {
                    1 | -1 if !changed.contains_key(&local) => Change::Stepped(delta, block),
                    _ => Change::Otherwise,
                };
                changed.insert(local, change);
            } else if let Some((local, wide)) = here.stored_local() {
                changed.insert(local, Change::Otherwise);
                if wide {
                    changed.insert(local.saturating_add(1), Change::Otherwise);
                }
            }
        }
    }
    changed
}

struct Turns<'t> {
    cfg: &'t Cfg,
    l: &'t MethodLoop,
    changed: BTreeMap<u16, Change>,
}

impl Turns<'_> {
    fn contains(&self, node: Node) -> bool {
        matches!(node, Node::Block(b) if self.l.blocks.binary_search(&b).is_ok())
    }

    /// The ways out of a block.
    fn ways(&self, block: BlockId) -> &[Edge] {
        let rank = |e: &Edge| match e.from {
            Node::Block(b) => i64::from(b.0),
            Node::Entry | Node::Exit => -1,
        };
        let edges = &self.cfg.edges;
        let first = edges.partition_point(|e| rank(e) < i64::from(block.0));
        let behind = edges.partition_point(|e| rank(e) <= i64::from(block.0));
        &edges[first..behind]
    }

    /// The blocks that a turn may reach without passing one, ascending.
    fn reached_without(&self, block: BlockId) -> Vec<BlockId> {
        let header = self.l.header;
        let mut reached = Vec::new();
        let mut open = Vec::from_iter((header != block).then_some(header));
        while let Some(next) = open.pop() {
            let Err(place) = reached.binary_search(&next) else {
                continue;
            };
            reached.insert(place, next);
            let inside = self.ways(next).iter().filter(|e| self.contains(e.to));
            open.extend(inside.filter_map(|e| match e.to {
                Node::Block(to) if to != block => Some(to),
                _ => None,
            }));
        }
        reached
    }

    /// Whether no turn is complete without a block.
    fn always_passes(&self, block: BlockId) -> bool {
        let without = self.reached_without(block);
        let closes = |b: &BlockId| {
            let to_header = |e: &Edge| e.to == Node::Block(self.l.header);
            self.ways(*b).iter().any(to_header)
        };
        !without.iter().any(closes)
    }

    /// By how much each turn changes a value, if that is 1 or −1.
    fn step(&self, slot: Slot) -> Option<i16> {
        let (Slot::Local(local) | Slot::Moved(local)) = slot else {
            return None;
        };
        match self.changed.get(&local)? {
            Change::Stepped(step, block) if self.always_passes(*block) => Some(*step),
            _ => None,
        }
    }

    /// Whether a value is the same in all turns.
    fn is_steady(&self, slot: Slot) -> bool {
        match slot {
            Slot::Int(_) => true,
            Slot::Local(local) => !self.changed.contains_key(&local),
            _ => false,
        }
    }

    /// How a block bounds the turns.
    fn bound_by(&self, block: BlockId, constants: &ConstantPool<'_>) -> Option<Bound> {
        let instructions = self.cfg.instructions_of(block);
        let (last, before) = instructions.split_last()?;
        let mut stack = Stack::default();
        for here in before {
            if let Some(below) = index_below(here.opcode)
                && self.step(stack.peek(below)).is_some()
                && self.always_passes(block)
            {
                return Some(Bound::Index);
            }
            let sum = self.sum(here.opcode, stack.peek(1), stack.peek(0));
            stack.step(here, effect(here, constants).ok()?, constants);
            if let Some(sum) = sum {
                stack.replace_top(sum);
            }
        }
        let compared = self.compares(block, last, &stack) && self.always_passes(block);
        compared.then_some(Bound::Comparison)
    }

    /// What an addition leaves, if it moves a local's value by one that is the same in all turns.
    fn sum(&self, opcode: u8, first: Slot, second: Slot) -> Option<Slot> {
        let (value, by) = match opcode {
            op::IADD if self.is_steady(first) => (second, first),
            op::IADD | op::ISUB => (first, second),
            _ => return None,
        };
        match value {
            Slot::Local(local) | Slot::Moved(local) if self.is_steady(by) => {
                Some(Slot::Moved(local))
            }
            _ => None,
        }
    }

    /// Whether the loop goes on behind a comparison only until a stepped value reaches a limit.
    fn compares(&self, block: BlockId, last: &Instruction, stack: &Stack) -> bool {
        let (value, limit) = match last.opcode {
            op::IFEQ..=op::IFLE => (stack.peek(0), Slot::Int(0)),
            op::IF_ICMPEQ..=op::IF_ICMPLE => (stack.peek(1), stack.peek(0)),
            _ => return false,
        };
        let [not_taken, taken] = self.ways(block) else {
            return false;
        };
        let jumps = match (self.contains(not_taken.to), self.contains(taken.to)) {
            (true, false) => Relation::of(last.opcode).map(Relation::negated),
            (false, true) => Relation::of(last.opcode),
            _ => None,
        };
        let Some(stays) = jumps else { return false };
        let limits = |value: Slot, stays: Relation, limit: Slot| match (self.step(value), stays) {
            (Some(1), Relation::Less) | (Some(-1), Relation::Greater) => true,
            (Some(_), Relation::Other) => self.is_steady(limit),
            (Some(1), Relation::LessOrEqual) => matches!(limit, Slot::Int(n) if n < i32::MAX),
            (Some(-1), Relation::GreaterOrEqual) => matches!(limit, Slot::Int(n) if n > i32::MIN),
            _ => false,
        };
        limits(value, stays, limit) || limits(limit, stays.mirrored(), value)
    }
}

/// How far below the top of the stack the index of an array access is.
fn index_below(opcode: u8) -> Option<usize> {
    match opcode {
        op::IALOAD..=op::SALOAD => Some(0),
        op::LASTORE | op::DASTORE => Some(2),
        op::IASTORE..=op::SASTORE => Some(1),
        _ => None,
    }
}

/// How a value compares with another.
#[derive(Clone, Copy)]
enum Relation {
    Equal,
    Other,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Relation {
    /// When a conditional jump is taken.
    fn of(opcode: u8) -> Option<Self> {
        Some(match opcode {
            op::IFEQ | op::IF_ICMPEQ => Self::Equal,
            op::IFNE | op::IF_ICMPNE => Self::Other,
            op::IFLT | op::IF_ICMPLT => Self::Less,
            op::IFGE | op::IF_ICMPGE => Self::GreaterOrEqual,
            op::IFGT | op::IF_ICMPGT => Self::Greater,
            op::IFLE | op::IF_ICMPLE => Self::LessOrEqual,
            _ => return None,
        })
    }

    /// The same with the values exchanged.
    fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::Other => self,
            Self::Less => Self::Greater,
            Self::Greater => Self::Less,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// When it does not hold.
    fn negated(self) -> Self {
        match self {
            Self::Equal => Self::Other,
            Self::Other => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::GreaterOrEqual => Self::Less,
            Self::Greater => Self::LessOrEqual,
            Self::LessOrEqual => Self::Greater,
        }
    }
}
