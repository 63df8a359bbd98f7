//! The plan of one method: blocks, edges, throw points, handlers, loops, and where the counters stand.

use std::collections::BTreeSet;

use pricetag_classfile::opcode as op;
use pricetag_classfile::{ClassFile, Code, ConstantPool, Member, Operand};
use pricetag_flow::{Cfg, FlowError, MethodLoop, compared_literals};
use pricetag_probe_plan::{
    BlockId, BlockPlan, CallSite, ComparisonPlan, CounterIndex, EdgePlan, HandlerPlan, Instruction,
    LineStart, Literal, LoopPlan, MethodOutcome, MethodPlan, Name, Pc, ThrowPoint,
};

use crate::throwing::{ClassScope, MethodScope, Throwing};
use crate::{ChosenLoop, Counters, Left, Listed, limits, placement};

/// What was asked for about a method.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// Why it is to be left.
    pub(crate) left: Left<'a>,
    /// Which of its loops have no probes.
    pub(crate) no_loop: ChosenLoop<'a>,
    /// Which of its blocks' counts are asked for.
    pub(crate) listed: Listed<'a>,
    /// Where variables of which values are taken are assigned.
    pub(crate) assigning: &'a BTreeSet<Pc>,
}

/// Texts of a class's constant pool that its call sites share, by index; each is read when first asked for.
#[derive(Debug)]
pub(crate) struct Names(Vec<Option<Name>>);

impl Names {
    /// With nothing read yet.
    pub(crate) fn of(class: &ClassFile<'_>) -> Self {
        Self(vec![None; usize::from(class.constants().count())])
    }

    fn text(&mut self, index: u16, constants: &ConstantPool<'_>) -> Result<Name, Refusal> {
        let index = usize::from(index);
        if let Some(Some(known)) = self.0.get(index) {
            return Ok(known.clone());
        }
        let name = Name::from(&*constants.text(index as u16)?);
        if let Some(slot) = self.0.get_mut(index) {
            *slot = Some(name.clone());
        }
        Ok(name)
    }
}

/// Why a method is not counted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error("{what} would be at least {value}, the class-file format allows {limit}")]
    TooLarge {
        what: &'static str,
        value: u64,
        limit: u64,
    },
}

impl From<pricetag_classfile::ClassFileError> for Refusal {
    fn from(error: pricetag_classfile::ClassFileError) -> Self {
        Self::Flow(error.into())
    }
}

/// Plans a method; on refusal, or if it is to be left, no counter is taken.
pub(crate) fn plan(
    class: &ClassFile<'_>,
    scope: &ClassScope<'_>,
    member: &Member<'_>,
    names: &mut Names,
    counters: &mut Counters,
    asked: Asked<'_>,
) -> MethodPlan {
    let constants = class.constants();
    let uncounted = |code_bytes, outcome| MethodPlan {
        name: member.name(constants),
        descriptor: member.descriptor(constants),
        access: member.access,
        code_bytes,
        outcome,
        ..MethodPlan::default()
    };
    let code = match member.code(constants) {
        Ok(Some(code)) => code,
        Ok(None) => return uncounted(0, MethodOutcome::NoCode),
        Err(error) => return uncounted(0, MethodOutcome::Left(error.to_string())),
    };
    let code_bytes = code.bytes.len() as u32;
    let mut plan = uncounted(code_bytes, MethodOutcome::Counted);
    if let Some(reason) = (asked.left)(&plan.name, &plan.descriptor) {
        plan.outcome = MethodOutcome::Left(reason);
        return plan;
    }
    match counted(class, scope, names, &code, plan, (counters.next, asked)) {
        Ok((plan, next)) => {
            counters.next = next;
            plan
        }
        Err(refusal) => uncounted(code_bytes, MethodOutcome::Left(refusal.to_string())),
    }
}

/// Fills a plan in which nothing is counted yet; also the next counter.
fn counted(
    class: &ClassFile<'_>,
    class_scope: &ClassScope<'_>,
    names: &mut Names,
    code: &Code<'_>,
    mut plan: MethodPlan,
    (first_counter, asked): (u32, Asked<'_>),
) -> Result<(MethodPlan, u32), Refusal> {
    let constants = class.constants();
    let scope = MethodScope {
        class: class_scope,
        name: &plan.name,
        access: plan.access,
    };
    let cfg = Cfg::of(code)?;
    let mut throwing = Throwing::of(&cfg, code, constants, &scope)?;
    throwing.add_assignments(&cfg, asked.assigning);
    let cfg = if throwing.before_init.is_empty() {
        cfg
    } else {
        cfg.split_after(code, &throwing.before_init)?
    };
    plan.uninitialised.clone_from(&throwing.uninitialised);
    plan.edges = cfg
        .edges
        .iter()
        .map(|e| EdgePlan {
            from: e.from,
            to: e.to,
            kind: e.kind,
            counter: None,
        })
        .collect();
    let loops = cfg.loops();
    // A damaged line table costs the lines, not the counts.
    let lines = code.line_numbers(constants).unwrap_or_default();
    plan.blocks = blocks(class, names, &lines, &cfg, &loops)?;
    plan.comparisons = comparisons(&cfg, constants, &lines);
    plan.throw_points = throw_points(&cfg, &throwing.points);
    for handler in &cfg.handlers {
        let catches = cfg.catches(handler, code, constants)?;
        plan.handlers.push(HandlerPlan {
            block: handler.block,
            catches,
            counter: CounterIndex(0),
        });
    }
    plan.loops = loops.iter().map(loop_plan).collect();
    let removed = |l: &u32| (asked.no_loop)(&plan.name, &plan.descriptor, plan.loop_header(*l));
    plan.removed_loops = (0..plan.loops.len() as u32).filter(removed).collect();
    let listed = (asked.listed)(&plan.name, &plan.descriptor);
    plan.listed_blocks = listed.map(|listed| {
        let blocks = plan.blocks.len() as u32;
        listed.into_iter().filter(|b| b.0 < blocks).collect()
    });
    let mut counters = Counters {
        next: first_counter,
    };
    let order = cfg.reverse_postorder();
    placement::place(&mut plan, order, throwing.returns_may_throw, &mut counters);
    for point in &mut plan.throw_points {
        point.counter = counters.take();
    }
    for handler in &mut plan.handlers {
        handler.counter = counters.take();
    }
    limits::check(code, &plan, asked.assigning)?;
    Ok((plan, counters.next))
}

fn blocks(
    class: &ClassFile<'_>,
    names: &mut Names,
    lines: &[(u16, u16)],
    cfg: &Cfg,
    loops: &[MethodLoop],
) -> Result<Vec<BlockPlan>, Refusal> {
    let constants = class.constants();
    // Outer loops come before inner ones.
    let mut innermost = vec![None; cfg.blocks.len()];
    for (number, l) in (0..).zip(loops) {
        for block in &l.blocks {
            innermost[block.0 as usize] = Some(number);
        }
    }
    let mut plans = Vec::with_capacity(cfg.blocks.len());
    // Entries of the line table behind the current instruction, which instructions pass in order.
    let mut following = 0;
    for (b, innermost_loop) in innermost.into_iter().enumerate() {
        let instructions = cfg.instructions_of(BlockId(b as u32));
        let (first, last) = (&instructions[0], &instructions[instructions.len() - 1]);
        let invokes = op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC;
        let is_call = |i: &&pricetag_classfile::Instruction| invokes.contains(&i.opcode);
        let mut calls = Vec::with_capacity(instructions.iter().filter(&is_call).count());
        for here in instructions.iter().filter(&is_call) {
            calls.push(call_site(class, constants, names, here)?);
        }
        let mut starts: Vec<LineStart> = Vec::new();
        for (at, here) in (0..).zip(instructions) {
            while lines.get(following).is_some_and(|l| l.0 <= here.pc) {
                following += 1;
            }
            let line = following.checked_sub(1).map(|i| lines[i].1);
            if line != starts.last().map(|start| start.line) {
                starts.extend(line.map(|line| LineStart { at, line }));
            }
        }
        plans.push(BlockPlan {
            start: Pc(first.pc),
            end: last.end(),
            loop_depth: innermost_loop.map_or(0, |l: u32| loops[l as usize].depth),
            innermost_loop,
            instructions: instructions
                .iter()
                .map(|i| Instruction {
                    pc: Pc(i.pc),
                    opcode: i.opcode,
                })
                .collect(),
            lines: starts,
            calls,
        });
    }
    Ok(plans)
}

fn call_site(
    class: &ClassFile<'_>,
    constants: &ConstantPool<'_>,
    names: &mut Names,
    here: &pricetag_classfile::Instruction,
) -> Result<CallSite, Refusal> {
    let (owner, name, descriptor) = match here.operand {
        Operand::Constant(index) | Operand::InvokeInterface { index, .. } => {
            let [owner, name, descriptor] = constants.member_texts(index)?;
            (
                names.text(owner, constants)?,
                names.text(name, constants)?,
                names.text(descriptor, constants)?,
            )
        }
        Operand::InvokeDynamic(index) => {
            let site = constants.invoke_dynamic(index)?;
            (
                class.bootstrap_method(site.bootstrap)?.owner.into(),
                site.name.into(),
                site.descriptor.into(),
            )
        }
        _ => return Err(FlowError::Stack { pc: here.pc }.into()),
    };
    Ok(CallSite {
        pc: Pc(here.pc),
        opcode: here.opcode,
        owner,
        name,
        descriptor,
    })
}

/// `points` is ascending.
fn throw_points(cfg: &Cfg, points: &[Pc]) -> Vec<ThrowPoint> {
    let mut block = 0;
    let in_block = |&pc: &Pc| {
        while cfg.instructions[cfg.blocks[block].instructions.end - 1].pc < pc.0 {
            block += 1;
        }
        ThrowPoint {
            pc,
            block: BlockId(block as u32),
            counter: CounterIndex(0),
        }
    };
    points.iter().map(in_block).collect()
}

fn comparisons(
    cfg: &Cfg,
    constants: &ConstantPool<'_>,
    lines: &[(u16, u16)],
) -> Vec<ComparisonPlan> {
    let plan = |(at, literal): (usize, Literal)| {
        let pc = cfg.instructions[at].pc;
        let block = cfg.blocks.partition_point(|b| b.instructions.end <= at);
        let line = lines.partition_point(|l| l.0 <= pc).checked_sub(1);
        ComparisonPlan {
            pc: Pc(pc),
            block: BlockId(block as u32),
            line: line.map(|i| lines[i].1),
            literal,
        }
    };
    let found = compared_literals(cfg, constants).into_iter();
    found.map(plan).collect()
}

fn loop_plan(l: &MethodLoop) -> LoopPlan {
    LoopPlan {
        header: l.header,
        parent: l.parent,
        depth: l.depth,
        back_edges: l.back_edges.clone(),
        entry_edges: l.entry_edges.clone(),
        reducible: l.reducible,
    }
}
