//! Which slots of a frame are read later: what a collection in native code would find in registers and on the stack.
//!
//! Where code jumps forward only, one pass from its end suffices (backward data flow, Kildall 1973); loops are gone through until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Code, Op};
use crate::core::Operator;

/// Slots that are live, and whether `acc` is.
#[derive(Clone, Debug, Default, PartialEq)]
struct Live {
    slots: Vec<u64>,
    acc: bool,
}

impl Live {
    fn set(&mut self, slot: u32) {
        let (word, bit) = (slot as usize / 64, slot % 64);
        if self.slots.len() <= word {
            self.slots.resize(word + 1, 0);
        }
        self.slots[word] |= 1 << bit;
    }

    fn clear(&mut self, slot: u32) {
        if let Some(word) = self.slots.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    fn join(&mut self, other: &Self) {
        if self.slots.len() < other.slots.len() {
            self.slots.resize(other.slots.len(), 0);
        }
        self.slots
            .iter_mut()
            .zip(&other.slots)
            .for_each(|(a, b)| *a |= b);
        self.acc |= other.acc;
    }

    fn has(&self, slot: u32) -> bool {
        let word = self.slots.get(slot as usize / 64);
        word.is_some_and(|w| w >> (slot % 64) & 1 == 1)
    }

    /// The words on top and `acc` are read.
    fn reads(&mut self, depth: u32, words: u32) {
        (depth - words..depth).for_each(|slot| self.set(slot));
        self.acc = true;
    }

    /// Slots, then one word for `acc`.
    fn boxed(&self) -> Box<[u64]> {
        let mut words = self.slots.clone();
        words.push(u64::from(self.acc));
        words.into()
    }
}

/// Adds the live slots of instructions `start..` to the code; `depths` are the words on the frame before each of them.
pub(super) fn analyse(code: &mut Code, start: usize, depths: &[u32]) {
    let (mut labels, mut open, mut ends) = (BTreeSet::new(), vec![], BTreeMap::new());
    for (pc, op) in code.ops.iter_mut().enumerate().skip(start) {
        labels.extend(op.target().map(|t| *t));
        match op {
            Op::Handler(to) => open.push(*to),
            Op::EndHandler => {
                ends.insert(pc, open.pop().unwrap_or(0));
            }
            _ => {}
        }
    }
    let mut at: BTreeMap<u32, Live> = BTreeMap::new();
    let ops = code.ops.iter_mut().enumerate().skip(start);
    let loops = ops
        .filter_map(|(pc, op)| Some((pc, *op.target()?)))
        .any(|(pc, to)| to as usize <= pc);
    loop {
        let before = loops.then(|| at.clone());
        pass(code, start, depths, &labels, &ends, &mut at);
        if before.is_none_or(|before| before == at) {
            return;
        }
    }
}

/// Once from the end to the beginning; what is live at labels is known from the pass before.
fn pass(
    code: &mut Code,
    start: usize,
    depths: &[u32],
    labels: &BTreeSet<u32>,
    ends: &BTreeMap<usize, u32>,
    at: &mut BTreeMap<u32, Live>,
) {
    let mut live = Live::default();
    let mut handlers: Vec<Live> = vec![];
    for pc in (start..code.ops.len()).rev() {
        let mut op = code.ops[pc];
        let target = op.target().map(|t| *t).or_else(|| ends.get(&pc).copied());
        let mut joined = target.and_then(|t| at.get(&t).cloned()).unwrap_or_default();
        match op {
            Op::Call(_) | Op::CallKnown(_) => {
                let mut after = live.clone();
                after.acc = false;
                code.live.insert(pc as u32, after.boxed());
            }
            Op::Count(_) => {
                code.live.insert(pc as u32, live.boxed());
            }
            Op::EndHandler => {
                joined.acc = false;
                handlers.push(joined.clone());
            }
            Op::Handler(_) => {
                joined.acc = false;
                handlers.pop();
            }
            _ => {}
        }
        if matches!(
            op,
            Op::Reraise | Op::MatchFailure(_) | Op::AssertFailure(_) | Op::Operate(Operator::Raise)
        ) {
            live = Live::default();
            handlers.iter().for_each(|h| live.join(h));
        }
        step(op, depths[pc - start], &joined, &mut live);
        if labels.contains(&(pc as u32)) {
            at.insert(pc as u32, live.clone());
        }
    }
}

/// What is live before an instruction, of what is live after it and at its target.
fn step(op: Op, depth: u32, joined: &Live, live: &mut Live) {
    match op {
        Op::Count(_) | Op::Drop(_) | Op::Reserve(_) => {}
        Op::Int(_)
        | Op::Constant(_)
        | Op::Global(_)
        | Op::MatchFailure(_)
        | Op::AssertFailure(_) => live.acc = false,
        Op::Store(_) => live.reads(depth, 1),
        Op::Local(slot) | Op::LocalField(slot, _) => {
            live.acc = false;
            live.set(slot);
        }
        Op::LocalPush(slot) => {
            live.clear(depth);
            live.set(slot);
        }
        Op::Push => {
            live.acc |= live.has(depth);
            live.clear(depth);
        }
        Op::SetSlot(slot) => {
            live.acc |= live.has(slot);
            live.clear(slot);
        }
        Op::SetField(slot, _) => {
            live.acc = true;
            live.set(slot);
        }
        Op::Block(_, n) => live.reads(depth, n - 1),
        Op::Closure(_, n) => {
            live.reads(depth, n);
            live.acc = false;
        }
        Op::Partial(n) | Op::Call(n) | Op::CallKnown(n) => live.reads(depth, n),
        Op::TailCall(n) | Op::TailKnown(n) => {
            *live = Live::default();
            live.reads(depth, n);
        }
        Op::Return => {
            *live = Live::default();
            live.acc = true;
        }
        Op::Stop => *live = Live::default(),
        Op::Jump(_) => *live = joined.clone(),
        Op::Handler(_) | Op::EndHandler => live.join(joined),
        Op::JumpUnless(_)
        | Op::JumpIf(_)
        | Op::JumpNotInt(..)
        | Op::JumpNotTag(..)
        | Op::JumpNotRange(..)
        | Op::JumpNotSize(..)
        | Op::JumpNotConstant(..)
        | Op::JumpNotCompareImmediate(..) => {
            live.join(joined);
            live.acc = true;
        }
        Op::JumpNotCompareInt(..) => {
            live.join(joined);
            live.reads(depth, 1);
        }
        Op::IntAdd | Op::IntSub | Op::IntMul | Op::CompareInt(_) => live.reads(depth, 1),
        Op::Operate(operator) => live.reads(depth, operator.arity() - 1),
        Op::SetGlobal(_)
        | Op::CopyBlock(_)
        | Op::Field(_)
        | Op::BoxFloat
        | Op::CopyFloat
        | Op::CopyIfRaw
        | Op::AddToField(_)
        | Op::Reraise
        | Op::AddInt(_) => {
            live.acc = true;
        }
        Op::LocalPushLocal(..)
        | Op::LocalPushTwice(..)
        | Op::PushLocal(_)
        | Op::IntPush(..)
        | Op::LocalCount(..)
        | Op::GlobalCount(..)
        | Op::FieldToSlot(..)
        | Op::LocalJumpNotInt(..)
        | Op::LocalJumpNotTag(..)
        | Op::LocalCall(..) => unreachable!("what is analysed is not fused yet"),
    }
}
