//! From counters to every count of a method, by flow conservation.
//!
//! Every block keeps the balance *entered = left*:
//! in-edges + handler entries = out-edges + throws + open frames. ENTRY and EXIT are one node, which keeps the sum of all
//! balances. The edges without a counter form a forest, so some node always has one unknown edge left, which its balance
//! gives (Knuth & Stevenson 1973). One balance per tree of the forest is left over and is checked. Where the counters of loops are removed, or only some blocks are
//! asked for, what does not follow is none (`flow.rs`); exceptions and handler entries are counted all the same, so that the rest stays exact.
//!
//! Deviation: in a constructor before `super()` returns, throws are not counted; a block that ends in a `Continue` edge
//! (or in an `athrow` without throw point) there has one more unknown, its throws, an edge to EXIT that no plan lists.
//!
//! Limits: counts are `u64` and wrap never in practice; the arithmetic here is 128 bits wide.

use pricetag_classfile::opcode as op;

use crate::flow::Flow;
use crate::plan::{BlockId, BlockPlan, CounterIndex, EdgeKind, MethodPlan, Node, Pc};

/// A frame that was active when the counters were read: control entered its block and has left it neither by an edge
/// nor by an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFrame {
    /// The instruction being executed (a call in progress), in the original bytecode. It counts as executed; the
    /// instructions after it do not.
    pub pc: Pc,
    /// How many frames stand there. Negative where counting began in the middle of the run, with frames that stood there already: they leave a block
    /// without entering it.
    pub frames: i64,
}

/// All counts of one method. A count is none if it does not follow from the counters; where [`MethodPlan::is_partial`] does not hold all follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodCounts {
    /// Times control passed each edge; index = `EdgeId`.
    pub edges: Vec<Option<u64>>,
    /// Times control entered each block; index = `BlockId`.
    pub blocks: Vec<Option<u64>>,
    /// Times each instruction was started, parallel to the blocks' `instructions`; known together with the block.
    pub instructions: Vec<Option<Vec<u64>>>,
    /// Entries by exception, parallel to `MethodPlan::handlers`.
    pub handlers: Vec<u64>,
    /// Exceptions that left each block in its middle or at its end; index = `BlockId`.
    pub throws: Vec<Option<u64>>,
}

/// Why counters and plan do not fit together: the method's counts are not exact and must not be used as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Imbalance {
    /// Control cannot have left a block more often than it entered, nor the other way round.
    #[error("{node}: entered {entered} times but left {left} times")]
    Contradiction {
        /// Where.
        node: Place,
        /// In-edges and handler entries.
        entered: i128,
        /// Out-edges, throws and open frames.
        left: i128,
    },
    /// An edge would have been passed a negative number of times.
    #[error("{node}: an edge would have been passed {count} times")]
    Negative {
        /// At whose balance.
        node: Place,
        /// The count it yields.
        count: i128,
    },
    /// More exceptions and open frames within a block than entries into it.
    #[error("{node}: instruction at {pc} would have run {count} times", pc = pc.0)]
    NegativeInstruction {
        /// The block.
        node: Place,
        /// The instruction.
        pc: Pc,
        /// The count it yields.
        count: i128,
    },
    /// The plan names a counter that was not recorded.
    #[error("counter {} is missing: {length} were recorded", counter.0)]
    MissingCounter {
        /// The counter.
        counter: CounterIndex,
        /// How many were recorded.
        length: usize,
    },
    /// An open frame stands where the plan has no instruction.
    #[error("an open frame stands at {}, where no counted instruction is", pc.0)]
    StrayFrame {
        /// Where it stands.
        pc: Pc,
    },
    /// The plan's edges without counter do not form a forest, though all counts are asked for.
    #[error("{node}: the plan has too few counters to derive all counts")]
    Undetermined {
        /// A node with more than one unknown edge.
        node: Place,
    },
}

/// A node of the flow, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// ENTRY and EXIT together: the caller.
    Caller,
    /// A block.
    Block(BlockId),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Caller => f.write_str("the method as a whole"),
            Self::Block(b) => write!(f, "block {}", b.0),
        }
    }
}

impl MethodPlan {
    /// Derives all counts of the method.
    ///
    /// `counters` are the class's, summed over threads; `open` are the method's frames that were active when they were
    /// read.
    ///
    /// # Errors
    /// If the counters contradict each other; nothing is ever clamped.
    pub fn derive(&self, counters: &[u64], open: &[OpenFrame]) -> Result<MethodCounts, Imbalance> {
        let departures = Departures::of(self, counters, open)?;
        let handlers = self
            .handlers
            .iter()
            .map(|h| read(counters, h.counter))
            .collect::<Result<Vec<_>, _>>()?;
        let mut flow = Flow::new(self, counters)?;
        for (b, here) in (0..).map(BlockId).zip(&departures.blocks) {
            flow.leave(b, here.iter().map(Departure::left).sum());
        }
        for (handler, &entries) in self.handlers.iter().zip(&handlers) {
            flow.enter(handler.block, i128::from(entries));
        }
        flow.solve()?;
        let blocks: Vec<Option<u64>> = flow.blocks().collect();
        let thrown = |here: &Vec<Departure>| Some(here.iter().map(|d| d.throws).sum());
        let mut counts = MethodCounts {
            edges: flow.edges().collect(),
            instructions: departures.instructions(self, &blocks)?,
            throws: departures.blocks.iter().map(thrown).collect(),
            blocks,
            handlers,
        };
        for (block, more) in flow.uncounted_throws() {
            let throws = &mut counts.throws[block.0 as usize];
            *throws = throws.zip(more).map(|(some, more)| some + more);
        }
        Ok(counts)
    }

    /// The block and position in it of the counted instruction at `pc`.
    pub fn locate(&self, pc: Pc) -> Option<(BlockId, usize)> {
        let after = self.blocks.partition_point(|b| b.start <= pc);
        let b = after.checked_sub(1)?;
        let k = self.blocks[b]
            .instructions
            .binary_search_by_key(&pc, |i| i.pc)
            .ok()?;
        Some((BlockId(b as u32), k))
    }
}

pub(crate) fn read(counters: &[u64], counter: CounterIndex) -> Result<u64, Imbalance> {
    let missing = Imbalance::MissingCounter {
        counter,
        length: counters.len(),
    };
    counters.get(counter.0 as usize).copied().ok_or(missing)
}

/// What left a block at one of its instructions other than by an edge.
#[derive(Clone, Copy, Default)]
struct Departure {
    instruction: usize,
    throws: u64,
    open: i64,
}

impl Departure {
    fn left(&self) -> i128 {
        i128::from(self.throws) + i128::from(self.open)
    }
}

struct Departures {
    /// Per block, ascending by instruction.
    blocks: Vec<Vec<Departure>>,
}

impl Departures {
    fn of(plan: &MethodPlan, counters: &[u64], open: &[OpenFrame]) -> Result<Self, Imbalance> {
        let mut blocks = vec![Vec::new(); plan.blocks.len()];
        for point in &plan.throw_points {
            let throws = read(counters, point.counter)?;
            let (b, instruction) = plan
                .locate(point.pc)
                .ok_or(Imbalance::StrayFrame { pc: point.pc })?;
            blocks[b.0 as usize].push(Departure {
                instruction,
                throws,
                open: 0,
            });
        }
        for frame in open {
            let (b, instruction) = plan
                .locate(frame.pc)
                .ok_or(Imbalance::StrayFrame { pc: frame.pc })?;
            blocks[b.0 as usize].push(Departure {
                instruction,
                throws: 0,
                open: frame.frames,
            });
        }
        for here in &mut blocks {
            here.sort_by_key(|d| d.instruction);
        }
        Ok(Self { blocks })
    }

    /// Executions of each instruction: block entries minus what left at earlier instructions.
    fn instructions(
        &self,
        plan: &MethodPlan,
        entered: &[Option<u64>],
    ) -> Result<Vec<Option<Vec<u64>>>, Imbalance> {
        let count = |(b, entered): (usize, &Option<u64>)| {
            let count = |n| executed(BlockId(b as u32), &plan.blocks[b], &self.blocks[b], n);
            entered.map(count).transpose()
        };
        entered.iter().enumerate().map(count).collect()
    }
}

fn executed(
    id: BlockId,
    block: &BlockPlan,
    left: &[Departure],
    entered: u64,
) -> Result<Vec<u64>, Imbalance> {
    let mut left = left.iter().peekable();
    let mut running = i128::from(entered);
    let mut counts = Vec::with_capacity(block.instructions.len());
    for (k, instruction) in block.instructions.iter().enumerate() {
        let count = u64::try_from(running).map_err(|_| Imbalance::NegativeInstruction {
            node: Place::Block(id),
            pc: instruction.pc,
            count: running,
        })?;
        counts.push(count);
        while let Some(d) = left.next_if(|d| d.instruction == k) {
            running -= d.left();
        }
    }
    Ok(counts)
}

impl MethodPlan {
    /// Blocks whose last instruction may throw without being a throw point: in constructors, before `this` is
    /// initialised. Each has one more way out, to the caller, whose count is the difference of its others.
    ///
    /// Placement and derivation share this definition.
    pub fn uncounted_throws(&self) -> Vec<BlockId> {
        let mut blocks: Vec<BlockId> = Vec::new();
        for edge in &self.edges {
            if let (EdgeKind::Continue, Node::Block(b)) = (edge.kind, edge.from) {
                blocks.push(b);
            }
        }
        for (b, block) in self.blocks.iter().enumerate() {
            if let Some(last) = block.instructions.last()
                && last.opcode == op::ATHROW
                && self
                    .throw_points
                    .binary_search_by_key(&last.pc, |t| t.pc)
                    .is_err()
            {
                blocks.push(BlockId(b as u32));
            }
        }
        blocks.sort_unstable();
        blocks
    }
}
