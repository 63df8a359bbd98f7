//! From counters to every count of a method, by flow conservation.
//!
//! Every block keeps the balance *entered = left*:
//! in-edges + handler entries = out-edges + throws + open frames. ENTRY and EXIT are one node, which keeps the sum of all
//! balances. The edges without a counter form a forest, so some node always has one unknown edge left, which its balance
//! gives (Knuth & Stevenson 1973). One balance per tree of the forest is left over and is checked.
//!
//! Deviation: in a constructor before `super()` returns, throws are not counted; a block that ends in a `Continue` edge
//! (or in an `athrow` without throw point) there has one more unknown, its throws, an edge to EXIT that no plan lists.
//!
//! Limits: counts are `u64` and wrap never in practice; the arithmetic here is 128 bits wide.

use crate::plan::{BlockId, CounterIndex, EdgeKind, MethodPlan, Node, Pc};

/// `athrow`.
const ATHROW: u8 = 0xbf;

/// A frame that was active when the counters were read: control entered its block and has left it neither by an edge
/// nor by an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFrame {
    /// The instruction being executed (a call in progress), in the original bytecode. It counts as executed; the
    /// instructions after it do not.
    pub pc: Pc,
    /// How many frames stand there.
    pub frames: u64,
}

/// All counts of one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodCounts {
    /// Times control passed each edge; index = `EdgeId`.
    pub edges: Vec<u64>,
    /// Times control entered each block; index = `BlockId`.
    pub blocks: Vec<u64>,
    /// Times each instruction was started, parallel to the blocks' `instructions`.
    pub instructions: Vec<Vec<u64>>,
    /// Entries by exception, parallel to `MethodPlan::handlers`.
    pub handlers: Vec<u64>,
    /// Exceptions that left each block in its middle or at its end; index = `BlockId`.
    pub throws: Vec<u64>,
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
    /// The plan's edges without counter do not form a forest.
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
        for (b, here) in departures.blocks.iter().enumerate() {
            flow.leave(b, here.iter().map(|d| i128::from(d.throws + d.open)).sum());
        }
        for (handler, &entries) in self.handlers.iter().zip(&handlers) {
            flow.enter(handler.block.0 as usize, i128::from(entries));
        }
        flow.solve()?;
        let edges: Vec<u64> = flow.edges[..self.edges.len()]
            .iter()
            .map(|e| e.count as u64)
            .collect();
        let mut counts = MethodCounts {
            blocks: flow.entered[..self.blocks.len()]
                .iter()
                .map(|&n| n as u64)
                .collect(),
            instructions: departures.instructions(self, &flow.entered)?,
            throws: departures
                .blocks
                .iter()
                .map(|here| here.iter().map(|d| d.throws).sum())
                .collect(),
            edges,
            handlers,
        };
        for edge in &flow.edges[self.edges.len()..] {
            counts.throws[edge.from] += edge.count as u64;
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

fn read(counters: &[u64], counter: CounterIndex) -> Result<u64, Imbalance> {
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
    open: u64,
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
        entered: &[i128],
    ) -> Result<Vec<Vec<u64>>, Imbalance> {
        let mut result = Vec::with_capacity(plan.blocks.len());
        for (b, block) in plan.blocks.iter().enumerate() {
            let mut left = self.blocks[b].iter().peekable();
            let mut running = entered[b];
            let mut counts = Vec::with_capacity(block.instructions.len());
            for (k, instruction) in block.instructions.iter().enumerate() {
                let count = u64::try_from(running).map_err(|_| Imbalance::NegativeInstruction {
                    node: Place::Block(BlockId(b as u32)),
                    pc: instruction.pc,
                    count: running,
                })?;
                counts.push(count);
                while let Some(d) = left.next_if(|d| d.instruction == k) {
                    running -= i128::from(d.throws) + i128::from(d.open);
                }
            }
            result.push(counts);
        }
        Ok(result)
    }
}

/// An edge of the undirected flow problem.
struct FlowEdge {
    from: usize,
    to: usize,
    count: i128,
    known: bool,
}

/// The balances of all nodes: blocks by number, then the caller.
struct Flow {
    edges: Vec<FlowEdge>,
    /// Edges at each node.
    at: Vec<Vec<usize>>,
    unknown: Vec<usize>,
    entered: Vec<i128>,
    left: Vec<i128>,
    caller: usize,
}

impl Flow {
    fn new(plan: &MethodPlan, counters: &[u64]) -> Result<Self, Imbalance> {
        let caller = plan.blocks.len();
        let node = |n: Node| match n {
            Node::Entry | Node::Exit => caller,
            Node::Block(b) => b.0 as usize,
        };
        let mut flow = Self {
            edges: Vec::new(),
            at: vec![Vec::new(); caller + 1],
            unknown: vec![0; caller + 1],
            entered: vec![0; caller + 1],
            left: vec![0; caller + 1],
            caller,
        };
        for edge in &plan.edges {
            let count = edge.counter.map(|c| read(counters, c)).transpose()?;
            flow.add(node(edge.from), node(edge.to), count);
        }
        for block in plan.uncounted_throws() {
            flow.add(block.0 as usize, caller, None);
        }
        Ok(flow)
    }

    fn add(&mut self, from: usize, to: usize, count: Option<u64>) {
        let number = self.edges.len();
        let known = count.is_some();
        let count = i128::from(count.unwrap_or(0));
        self.edges.push(FlowEdge {
            from,
            to,
            count,
            known,
        });
        self.left[from] += count;
        self.entered[to] += count;
        if !known {
            self.at[from].push(number);
            self.at[to].push(number);
            self.unknown[from] += 1;
            self.unknown[to] += 1;
        }
    }

    /// `n` frames left block `b` by exception, or are still in it: to the caller, as far as the balance is concerned.
    fn leave(&mut self, b: usize, n: i128) {
        self.left[b] += n;
        self.entered[self.caller] += n;
    }

    /// `n` exceptions entered block `b`.
    fn enter(&mut self, b: usize, n: i128) {
        self.entered[b] += n;
        self.left[self.caller] += n;
    }

    fn solve(&mut self) -> Result<(), Imbalance> {
        let mut ready: Vec<usize> = (0..=self.caller)
            .rev()
            .filter(|&n| self.unknown[n] == 1)
            .collect();
        while let Some(node) = ready.pop() {
            let Some(&number) = self.at[node].iter().find(|&&e| !self.edges[e].known) else {
                continue;
            };
            let edge = &mut self.edges[number];
            let balance = self.entered[node] - self.left[node];
            edge.count = if edge.from == node { balance } else { -balance };
            edge.known = true;
            let (from, to, count) = (edge.from, edge.to, edge.count);
            if count < 0 {
                return Err(Imbalance::Negative {
                    node: self.place(node),
                    count,
                });
            }
            self.left[from] += count;
            self.entered[to] += count;
            for end in [from, to] {
                self.unknown[end] -= 1;
                if self.unknown[end] == 1 {
                    ready.push(end);
                }
            }
        }
        for node in 0..=self.caller {
            let (entered, left) = (self.entered[node], self.left[node]);
            if self.unknown[node] > 0 {
                return Err(Imbalance::Undetermined {
                    node: self.place(node),
                });
            }
            if entered != left {
                return Err(Imbalance::Contradiction {
                    node: self.place(node),
                    entered,
                    left,
                });
            }
        }
        Ok(())
    }

    fn place(&self, node: usize) -> Place {
        if node == self.caller {
            Place::Caller
        } else {
            Place::Block(BlockId(node as u32))
        }
    }
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
                && last.opcode == ATHROW
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
