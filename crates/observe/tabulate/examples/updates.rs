//! How often counters were updated in a run, and how often they would be by other ways of counting: figures that no busy machine disturbs.
//!
//! ```text
//! cargo run --release -p pricetag-tabulate --example updates -- PLANS TRACE...
//! ```
//! One row per trace, per hundred executed blocks (`docs/decisions/025-counter-updates.md` says what follows from them):
//! - *made*: updates that were made, on edges outside the spanning tree, at throws and at handlers;
//! - *best tree*: the same with the spanning tree that suits what this run itself passed, which no estimate beats;
//! - *in call-free loops*: of those that were made, the ones on edges in innermost loops where no other Java code can run: what locals could take over (`docs/decisions/029-promoted-counters.md`);
//! - *turns of these*: how often such loops turn, which their induction variables would tell, or a product where a loop around them does;
//! - *paths*: ends of acyclic paths (Ball & Larus 1996), each an update in memory, beside additions to a register on the way;
//! - *bound entries*: invocations of static, private and final methods and of constructors: what call sites could tell at most.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use pricetag_classfile::opcode as op;
use pricetag_graph::maximum_spanning_forest;
use pricetag_probe_plan::{
    ClassHash, ClassPlan, EdgeKind, EdgePlan, MethodOutcome, MethodPlan, Node, OpenFrame, PlanStore,
};
use pricetag_trace::{Record, TraceReader};

const ACC_PRIVATE: u16 = 0x0002;
const ACC_STATIC: u16 = 0x0008;
const ACC_FINAL: u16 = 0x0010;

#[derive(Default)]
struct Totals {
    blocks: u64,
    made: u64,
    best: u64,
    call_free: u64,
    turns: u64,
    paths: u64,
    bound: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let plans = arguments.next().ok_or("usage: updates PLANS TRACE...")?;
    let plans = PlanStore::open(plans)?;
    println!(
        "| trace | blocks | made | best tree | in call-free loops | turns of these | paths | bound entries |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for trace in arguments {
        let totals = totals(&plans, &trace)?;
        let name = Path::new(&trace).file_stem().unwrap_or_default().display();
        print!("| {name} | {:.2e} |", totals.blocks as f64);
        for count in [
            totals.made,
            totals.best,
            totals.call_free,
            totals.turns,
            totals.paths,
            totals.bound,
        ] {
            print!(" {:.1} |", 100.0 * count as f64 / totals.blocks as f64);
        }
        println!();
    }
    Ok(())
}

fn totals(plans: &PlanStore, trace: &str) -> Result<Totals, Box<dyn Error>> {
    let mut reader = TraceReader::open(trace.as_ref())?;
    let mut counters: BTreeMap<ClassHash, Vec<(u32, u64)>> = BTreeMap::new();
    let mut open: BTreeMap<(ClassHash, u16), Vec<OpenFrame>> = BTreeMap::new();
    while let Some(record) = reader.next_record()? {
        match record {
            Record::Counters(class) => {
                counters.insert(class.hash, class.counts);
            }
            Record::OpenFrame(frame) => {
                let frames = open.entry((frame.hash, frame.method)).or_default();
                frames.push(OpenFrame {
                    pc: frame.pc,
                    frames: 1,
                });
            }
            _ => {}
        }
    }
    let mut totals = Totals::default();
    for (hash, counts) in counters {
        let plan = plans.load(hash)?.ok_or("a counted class has no plan")?;
        let mut all = vec![0; plan.counters as usize];
        for (counter, count) in counts {
            *all.get_mut(counter as usize)
                .ok_or("a counter has no place in its plan")? = count;
        }
        for (index, method) in (0..).zip(&plan.methods) {
            if method.outcome == MethodOutcome::Counted {
                let frames = open.get(&(hash, index)).map_or(&[][..], Vec::as_slice);
                totals.add(&plan, method, &all, frames);
            }
        }
    }
    Ok(totals)
}

impl Totals {
    fn add(&mut self, class: &ClassPlan, method: &MethodPlan, all: &[u64], open: &[OpenFrame]) {
        // A method that a thread was running at the end does not balance.
        let Ok(counts) = method.derive(all, open) else {
            return;
        };
        let passed: Vec<u64> = counts
            .edges
            .iter()
            .map(|count| count.unwrap_or(0))
            .collect();
        let points = method.throw_points.iter().map(|point| point.counter);
        let handlers = method.handlers.iter().map(|handler| handler.counter);
        let aside: u64 = points.chain(handlers).map(|c| all[c.0 as usize]).sum();
        let counted = || {
            method
                .edges
                .iter()
                .zip(&passed)
                .filter(|(e, _)| e.counter.is_some())
        };
        self.blocks += counts.blocks.iter().flatten().sum::<u64>();
        self.made += counted().map(|(_, count)| count).sum::<u64>() + aside;
        self.best += best(method, &passed) + aside;
        let numbers = 0..method.loops.len() as u32;
        let call_free: Vec<bool> = numbers.map(|l| is_call_free(method, l)).collect();
        let is_inside = |e: &EdgePlan| {
            method
                .loop_of_edge(e)
                .is_some_and(|l| call_free[l as usize])
        };
        let inside = counted().filter(|(edge, _)| is_inside(edge));
        self.call_free += inside.map(|(_, count)| count).sum::<u64>();
        let invocations = method.invocations(&counts).unwrap_or(0);
        self.paths += invocations;
        for (l, call_free) in method.loops.iter().zip(call_free) {
            let turns: u64 = l.back_edges.iter().map(|e| passed[e.0 as usize]).sum();
            self.paths += turns;
            self.turns += if call_free { turns } else { 0 };
        }
        let access = method.access | class.access & ACC_FINAL;
        if access & (ACC_STATIC | ACC_PRIVATE | ACC_FINAL) != 0 || method.name == "<init>" {
            self.bound += invocations;
        }
    }
}

/// Updates on edges if the spanning tree had been chosen by what was passed.
fn best(method: &MethodPlan, passed: &[u64]) -> u64 {
    const IN_TREE: u64 = u64::MAX;
    let caller = method.blocks.len() as u32;
    let node = |node: Node| match node {
        Node::Entry | Node::Exit => caller,
        Node::Block(block) => block.0,
    };
    let mut instructions = method.blocks.iter().flat_map(|block| &block.instructions);
    let has_monitors = instructions.any(|i| matches!(i.opcode, op::MONITORENTER | op::MONITOREXIT));
    let mut updates = 0;
    let mut candidates = Vec::new();
    for (edge, &count) in method.edges.iter().zip(passed) {
        match edge.kind {
            EdgeKind::Continue => updates += count,
            EdgeKind::Return if has_monitors => candidates.push((node(edge.from), caller, IN_TREE)),
            _ => candidates.push((node(edge.from), node(edge.to), count)),
        }
    }
    let throws = method.uncounted_throws();
    candidates.extend(throws.iter().map(|block| (block.0, caller, IN_TREE)));
    let in_tree = maximum_spanning_forest(caller + 1, &candidates);
    let outside = candidates
        .iter()
        .zip(in_tree)
        .filter(|(_, in_tree)| !in_tree);
    updates + outside.map(|((.., count), _)| count).sum::<u64>()
}

/// Whether a loop has no other in it, and no instruction that may run other Java code: calls, and what may load or initialise a class or wait.
fn is_call_free(method: &MethodPlan, of: u32) -> bool {
    let has_inner = method.loops.iter().any(|l| l.parent == Some(of));
    let mut inside = method
        .blocks
        .iter()
        .filter(|b| b.innermost_loop == Some(of));
    let may_run = |opcode: u8| matches!(opcode, op::GETSTATIC | op::PUTSTATIC | op::INVOKEVIRTUAL..=op::NEW | op::ANEWARRAY | op::CHECKCAST..=op::MONITOREXIT | op::MULTIANEWARRAY);
    !has_inner && !inside.any(|b| b.instructions.iter().any(|i| may_run(i.opcode)))
}
