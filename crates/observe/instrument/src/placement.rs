//! Where each counter of a method's plan stands.
//!
//! An edge that is its target's only way in is counted at the target, one that is its source's only way out at the source,
//! a fall-through between the two; any other needs a *trampoline*, code at the method's end that counts and jumps on. The way from a `ret`
//! to what follows a `jsr` is counted between these two: the address that a `jsr` pushes is that of the counter, and no other way leads there.

use crate::error::MethodError;
use pricetag_classfile::instruction::{Instruction, Instructions, Operand};
use pricetag_classfile::opcode;
use pricetag_probe_plan::{EdgeKind, EdgePlan, MethodPlan, Node, Pc, TransitionPlan};

/// What is inserted around one instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// Counted by whoever arrives, jumping or falling in.
    pub arrival: Option<u32>,
    /// Counted before the instruction is executed: a `goto`, `jsr` or return.
    pub own: Option<u32>,
    /// Counted when control falls through to the next instruction, or comes back to it by a `ret`.
    pub after: Option<u32>,
    /// Original offset of the `ret` that comes back behind this `jsr`.
    pub returned_by: Option<u16>,
    /// Stored in the position local before the instruction.
    pub position: Option<u32>,
    /// Transitions of the branch whose only way here this is: it was taken.
    pub taken: Option<u32>,
    /// Transitions of the branch that falls through here: it was not taken.
    pub not_taken: Option<u32>,
}

/// Counters on an edge that needs its own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Trampoline {
    /// Index of the jumping instruction.
    pub instruction: u32,
    /// Which of its targets: 0 is a branch's target or a switch's default, `c + 1` is case `c`.
    pub slot: u32,
    /// The edge's counter.
    pub counter: Option<u32>,
    /// Transitions of the branch that was taken.
    pub taken: Option<u32>,
    /// Original offset of the target.
    pub target: u16,
}

/// A method's counters by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// Parallel to the instructions.
    pub marks: Vec<Marks>,
    /// Counted at the end of the prologue.
    pub entry: Option<u32>,
    /// Ascending by instruction and slot.
    pub trampolines: Vec<Trampoline>,
    /// Original offset and counter of each handler, ascending.
    pub handlers: Vec<(u16, u32)>,
    /// Whether any position is stored.
    pub has_positions: bool,
    /// The position that the prologue stores.
    pub first_position: u32,
}

/// Finds the place of every counter of `plan`, those of the method's transitions included.
pub(crate) fn place(
    plan: &MethodPlan,
    transitions: &[TransitionPlan],
    instructions: &Instructions,
) -> Result<Placement, MethodError> {
    let mut placement = Placement {
        marks: vec![Marks::default(); instructions.len()],
        ..Placement::default()
    };
    let ways_in = ways_in(plan)?;
    for edge in &plan.edges {
        let transitions = changes(transitions, edge);
        place_edge(
            plan,
            (edge, transitions),
            instructions,
            &ways_in,
            &mut placement,
        )?;
    }
    for point in &plan.throw_points {
        let what = "plan has a throw point where no instruction starts";
        let index = instructions
            .index_of(u32::from(point.pc.0))
            .ok_or(MethodError::Plan {
                pc: point.pc.0,
                what,
            })?;
        placement.marks[index].position = Some(point.counter.0);
        placement.has_positions = true;
    }
    for handler in &plan.handlers {
        placement
            .handlers
            .push((start(plan, handler.block.0)?.0, handler.counter.0));
    }
    if let Some(index) = first_point(plan, instructions, &ways_in) {
        placement.first_position = placement.marks[index].position.take().unwrap_or(0);
    }
    placement.handlers.sort_unstable();
    placement.trampolines.sort_unstable();
    Ok(placement)
}

/// The throw point whose position the prologue may store in its place: the first of a block that only the caller enters. Until there
/// nothing throws.
fn first_point(plan: &MethodPlan, instructions: &Instructions, ways_in: &[u32]) -> Option<usize> {
    let entered = plan.edges.iter().find(|edge| edge.from == Node::Entry)?;
    let Node::Block(block) = entered.to else {
        return None;
    };
    if ways_in[block.0 as usize] != 1 {
        return None;
    }
    let points = plan.throw_points.iter().filter(|p| p.block == block);
    let first = points.map(|p| p.pc.0).min()?;
    let index = instructions.index_of(u32::from(first))?;
    (!plan.uninitialised.contains(Pc(first))).then_some(index)
}

/// The counter of the transitions of the branch of which the edge is an outcome.
fn changes(transitions: &[TransitionPlan], edge: &EdgePlan) -> Option<u32> {
    let (EdgeKind::Taken | EdgeKind::NotTaken, Node::Block(from)) = (edge.kind, edge.from) else {
        return None;
    };
    let at = transitions.binary_search_by_key(&from, |t| t.block).ok()?;
    Some(transitions[at].counter.0)
}

fn start(plan: &MethodPlan, block: u32) -> Result<Pc, MethodError> {
    let what = "plan names a block it does not have";
    plan.blocks
        .get(block as usize)
        .map(|block| block.start)
        .ok_or(MethodError::Plan { pc: 0, what })
}

/// How many ways lead into each block. Being a handler counts as two: a counter must never stand there for an edge.
fn ways_in(plan: &MethodPlan) -> Result<Vec<u32>, MethodError> {
    let mut ways = vec![0_u32; plan.blocks.len()];
    let into = plan.edges.iter().filter_map(|edge| {
        if let Node::Block(block) = edge.to {
            Some((block, 1))
        } else {
            None
        }
    });
    for (block, more) in into.chain(plan.handlers.iter().map(|handler| (handler.block, 2))) {
        start(plan, block.0)?;
        ways[block.0 as usize] += more;
    }
    Ok(ways)
}

fn place_edge(
    plan: &MethodPlan,
    (edge, transitions): (&EdgePlan, Option<u32>),
    instructions: &Instructions,
    ways_in: &[u32],
    placement: &mut Placement,
) -> Result<(), MethodError> {
    let counter = edge.counter.map(|counter| counter.0);
    let Node::Block(from) = edge.from else {
        placement.entry = counter;
        return Ok(());
    };
    let from_pc = start(plan, from.0)?.0;
    let mismatch = |what| MethodError::Plan { pc: from_pc, what };
    let last = plan.blocks[from.0 as usize]
        .instructions
        .last()
        .ok_or(mismatch("plan has an empty block"))?;
    let last = instructions
        .index_of(u32::from(last.pc.0))
        .ok_or(mismatch("plan has an instruction where none starts"))?;
    let instruction = &instructions[last];
    if edge.kind == EdgeKind::Ret && instruction.opcode == opcode::RET {
        let called = called_before(plan, edge, instructions).ok_or(mismatch(
            "plan has a way back from a subroutine that no jsr called",
        ))?;
        let marks = &mut placement.marks[called];
        if marks.returned_by.replace(instruction.pc).is_some() {
            return Err(mismatch("plan has two ways back to one jsr"));
        }
        marks.after = counter;
        return Ok(());
    }
    if counter.or(transitions).is_none() {
        return Ok(());
    }
    let slot = match edge.kind {
        EdgeKind::FallThrough | EdgeKind::NotTaken | EdgeKind::Continue
            if opcode::falls_through(instruction.opcode) =>
        {
            placement.marks[last].after = counter;
            placement.marks[last].not_taken = transitions;
            return Ok(());
        }
        EdgeKind::Jump
            if matches!(instruction.opcode, opcode::GOTO | opcode::GOTO_W)
                || opcode::is_jsr(instruction.opcode) =>
        {
            placement.marks[last].own = counter;
            return Ok(());
        }
        EdgeKind::Return if opcode::is_return(instruction.opcode) => {
            placement.marks[last].own = counter;
            return Ok(());
        }
        EdgeKind::Taken | EdgeKind::Default => 0,
        EdgeKind::Case(case) => case.saturating_add(1),
        _ => {
            return Err(mismatch(
                "plan has an edge that the block's last instruction cannot take",
            ));
        }
    };
    let Node::Block(to) = edge.to else {
        return Err(mismatch("plan has a jump out of the method"));
    };
    let target = target(instruction, slot)
        .ok_or(mismatch("plan has a jump that the instruction has not"))?;
    if u32::from(start(plan, to.0)?.0) != target {
        return Err(mismatch(
            "plan has a jump to another place than the instruction",
        ));
    }
    if ways_in[to.0 as usize] == 1 {
        let index = instructions
            .index_of(target)
            .ok_or(mismatch("jump to no instruction"))?;
        placement.marks[index].arrival = counter;
        placement.marks[index].taken = transitions;
    } else {
        placement.trampolines.push(Trampoline {
            instruction: last as u32,
            slot,
            counter,
            taken: transitions,
            target: target as u16,
        });
    }
    Ok(())
}

/// Index of the `jsr` in front of where an edge leads.
fn called_before(plan: &MethodPlan, edge: &EdgePlan, instructions: &Instructions) -> Option<usize> {
    let Node::Block(to) = edge.to else {
        return None;
    };
    let site = instructions.index_of(u32::from(start(plan, to.0).ok()?.0))?;
    let called = site.checked_sub(1)?;
    opcode::is_jsr(instructions[called].opcode).then_some(called)
}

/// The target of an instruction by slot.
fn target(instruction: &Instruction, slot: u32) -> Option<u32> {
    match (&instruction.operand, slot.checked_sub(1)) {
        (Operand::Branch(target), None) => Some(*target),
        (Operand::TableSwitch { default, .. } | Operand::LookupSwitch { default, .. }, None) => {
            Some(*default)
        }
        (Operand::TableSwitch { targets, .. }, Some(case)) => targets.get(case as usize).copied(),
        (Operand::LookupSwitch { pairs, .. }, Some(case)) => {
            pairs.get(case as usize).map(|pair| pair.1)
        }
        _ => None,
    }
}
