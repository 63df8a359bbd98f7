//! Which loops keep their counters in locals while they run.
//!
//! A compiler keeps a local in a register, but has to write an element of an array in each turn. So the counters of an innermost loop are *promoted*: they count in `int`
//! locals, and are added to the array where the loop is left, by edges and by exceptions. LLVM does the same for its profiles (*counter promotion*).
//! What is in a local no one else can see or will find when the program ends, hence only in loops
//! - that run no other Java code, which might end the program: calls, initialisation of classes, monitors (what may load a class is let by: such a
//!   frame is known to be in the loop, and reported as one that is running);
//! - in which each counter is passed fewer than 2³² times before they are left ([`bounded_blocks`]);
//! - with few ways out, at which the additions stand.
//!
//! `docs/decisions/029-promoted-counters.md` has what it is worth.

use std::collections::BTreeSet;

use pricetag_classfile::opcode as op;
use pricetag_classfile::{Constant, ConstantPool, Instruction, Operand};
use pricetag_flow::{Cfg, MethodLoop, bounded_blocks};
use pricetag_probe_plan::{EdgeKind, MethodPlan, Node, Pc};

use crate::throwing::ClassScope;

/// Most promoted counters of a method: each is a local in every frame.
const MOST: usize = 12;
/// Most additions to counters on the ways out of a loop.
const MOST_SETTLED: usize = 12;

/// The loops of a planned method whose counters are promoted, ascending. No values are taken where `assigning`.
pub(crate) fn loops(
    plan: &MethodPlan,
    cfg: &Cfg,
    loops: &[MethodLoop],
    (constants, scope): (&ConstantPool<'_>, &ClassScope<'_>),
    assigning: &BTreeSet<Pc>,
) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..loops.len() as u32).collect();
    // Of too many those that turn more often.
    numbers.sort_by_key(|&n| std::cmp::Reverse(loops[n as usize].depth));
    let mut promoted = Vec::new();
    let mut room = MOST;
    for number in numbers {
        if room == 0 {
            break;
        }
        let l = &loops[number as usize];
        let is_innermost = !loops.iter().any(|inner| inner.parent == Some(number));
        if !is_innermost || !l.reducible || !is_closed(plan, cfg, l, (constants, scope), assigning)
        {
            continue;
        }
        let counted = counted(plan, number);
        let counters = counted.len();
        if counters == 0 || counters > room || counters * ways_out(plan, l) > MOST_SETTLED {
            continue;
        }
        let bounded = bounded_blocks(cfg, l, constants);
        let is_bounded = |from: &Node| match from {
            Node::Block(b) => bounded.binary_search(b).is_ok(),
            Node::Entry | Node::Exit => false,
        };
        if counted.iter().all(is_bounded) {
            promoted.push(number);
            room -= counters;
        }
    }
    promoted.sort_unstable();
    promoted
}

/// The sources of the counted edges that stay in a loop.
fn counted(plan: &MethodPlan, of: u32) -> Vec<Node> {
    let edges = plan.edges.iter();
    let inside = edges.filter(|e| e.counter.is_some() && plan.loop_of_edge(e) == Some(of));
    inside.map(|e| e.from).collect()
}

fn ways_out(plan: &MethodPlan, l: &MethodLoop) -> usize {
    let contains =
        |node: Node| matches!(node, Node::Block(b) if l.blocks.binary_search(&b).is_ok());
    let leaves = |e: &&pricetag_probe_plan::EdgePlan| contains(e.from) && !contains(e.to);
    plan.edges.iter().filter(leaves).count()
}

/// Whether a loop runs no other code, ours included, and stands where its counters can be settled.
fn is_closed(
    plan: &MethodPlan,
    cfg: &Cfg,
    l: &MethodLoop,
    (constants, scope): (&ConstantPool<'_>, &ClassScope<'_>),
    assigning: &BTreeSet<Pc>,
) -> bool {
    let plain = |here: &Instruction| {
        !runs_others(here, constants, scope)
            && !plan.uninitialised.contains(Pc(here.pc))
            && !assigning.contains(&Pc(here.pc))
    };
    let continues = plan.edges.iter().any(|e| {
        e.kind == EdgeKind::Continue && matches!(e.from, Node::Block(b) if l.blocks.contains(&b))
    });
    !continues
        && l.blocks
            .iter()
            .all(|&b| cfg.instructions_of(b).iter().all(plain))
}

/// Whether an instruction may run other Java code while it completes, apart from loaders of classes.
fn runs_others(here: &Instruction, constants: &ConstantPool<'_>, scope: &ClassScope<'_>) -> bool {
    match (here.opcode, &here.operand) {
        (op::LDC | op::LDC_W | op::LDC2_W, Operand::Constant(index)) => !matches!(
            constants.loadable(*index),
            Ok(Constant::Integer(_)
                | Constant::Float(_)
                | Constant::Long(_)
                | Constant::Double(_)
                | Constant::String(_))
        ),
        // The class whose method runs is initialised, or being so.
        (op::GETSTATIC | op::PUTSTATIC, Operand::Constant(index)) => {
            !matches!(scope.own_field(*index, constants), Ok(Some(_)))
        }
        (opcode, _) => {
            matches!(
                opcode,
                op::INVOKEVIRTUAL..=op::NEW | op::MONITORENTER | op::MONITOREXIT
            ) || op::is_subroutine(opcode)
        }
    }
}
