//! Flow conservation in one method, solved as far as its counters reach.
//!
//! Nodes are entrance and exit of every block and the caller; edges are those of the plan, one through every block (its count may follow
//! where no edge's does), and one for the throws that nothing counts. Each node keeps the balance *entered = left*. Where the edges that are not known form a forest, some node always has one
//! of them left, which its balance gives (Knuth & Stevenson 1973).
//!
//! Deviation: with the counters of a loop removed, or only those that a list of blocks needs, they form cycles, too. To a flow that keeps all balances any amount can be added around a cycle, so
//! no edge on a cycle is determined; every other one is a bridge, and the balance of all that lies on its one side gives it (the cut of a graph and its cycles
//! are orthogonal). So the nodes that cycles join are taken as one, and what remains is a forest again.
//!
//! Limits: that counts are not negative would bound some of the rest; bounds are not sought.

use pricetag_graph::bridges;
use pricetag_graph::spanning::DisjointSets;

use crate::derive::{Imbalance, Place, read};
use crate::plan::{BlockId, MethodPlan, Node};

/// An edge of the undirected flow problem.
struct FlowEdge {
    from: u32,
    to: u32,
    /// None until it is known.
    count: Option<i128>,
}

/// The balances of all nodes: entrance and exit of each block in turn, then the caller.
pub(crate) struct Flow<'p> {
    plan: &'p MethodPlan,
    /// Those of the plan, then one through each block, then the throws that nothing counts.
    edges: Vec<FlowEdge>,
    /// The node that stands for a node.
    stands: Vec<u32>,
    /// Edges at each node that were not counted.
    at: Vec<Vec<usize>>,
    unknown: Vec<u32>,
    entered: Vec<i128>,
    left: Vec<i128>,
    caller: u32,
}

impl<'p> Flow<'p> {
    pub(crate) fn new(plan: &'p MethodPlan, counters: &[u64]) -> Result<Self, Imbalance> {
        let caller = 2 * plan.blocks.len() as u32;
        let nodes = caller as usize + 1;
        let uncounted = plan.uncounted_throws();
        let mut flow = Self {
            plan,
            edges: Vec::with_capacity(plan.edges.len() + plan.blocks.len() + uncounted.len()),
            stands: (0..=caller).collect(),
            at: vec![Vec::new(); nodes],
            unknown: vec![0; nodes],
            entered: vec![0; nodes],
            left: vec![0; nodes],
            caller,
        };
        let entrance = |n: Node| match n {
            Node::Entry | Node::Exit => caller,
            Node::Block(b) => 2 * b.0,
        };
        let exit = |n: Node| match n {
            Node::Entry | Node::Exit => caller,
            Node::Block(b) => 2 * b.0 + 1,
        };
        for edge in &plan.edges {
            let count = edge.counter.map(|c| read(counters, c)).transpose()?;
            flow.add(exit(edge.from), entrance(edge.to), count);
        }
        for b in 0..plan.blocks.len() as u32 {
            flow.add(2 * b, 2 * b + 1, None);
        }
        for block in uncounted {
            flow.add(exit(Node::Block(block)), caller, None);
        }
        Ok(flow)
    }

    fn add(&mut self, from: u32, to: u32, count: Option<u64>) {
        let number = self.edges.len();
        let count = count.map(i128::from);
        self.edges.push(FlowEdge { from, to, count });
        match count {
            Some(count) => self.pass(from, to, count),
            None => {
                for end in [from, to] {
                    self.at[end as usize].push(number);
                    self.unknown[end as usize] += 1;
                }
            }
        }
    }

    fn pass(&mut self, from: u32, to: u32, count: i128) {
        self.left[from as usize] += count;
        self.entered[to as usize] += count;
    }

    /// `n` frames left a block by exception, or are still in it: to the caller, as far as the balance is concerned.
    pub(crate) fn leave(&mut self, block: BlockId, n: i128) {
        self.pass(2 * block.0 + 1, self.caller, n);
    }

    /// `n` exceptions entered a block.
    pub(crate) fn enter(&mut self, block: BlockId, n: i128) {
        self.pass(self.caller, 2 * block.0, n);
    }

    /// Finds all counts that follow.
    pub(crate) fn solve(&mut self) -> Result<(), Imbalance> {
        self.peel()?;
        if let Some(node) = self.unknown.iter().position(|n| *n > 0) {
            if !self.plan.is_partial() {
                let node = self.place(node as u32);
                return Err(Imbalance::Undetermined { node });
            }
            self.join();
            self.peel()?;
        }
        for node in 0..=self.caller {
            let (entered, left) = (self.entered[node as usize], self.left[node as usize]);
            if entered != left {
                let node = self.place(node);
                return Err(Imbalance::Contradiction {
                    node,
                    entered,
                    left,
                });
            }
        }
        Ok(())
    }

    /// Solves nodes with one unknown edge until there is none.
    fn peel(&mut self) -> Result<(), Imbalance> {
        let nodes = (0..=self.caller).rev();
        let mut ready: Vec<u32> = nodes.filter(|&n| self.unknown[n as usize] == 1).collect();
        while let Some(node) = ready.pop() {
            let n = node as usize;
            let open = |&&e: &&usize| self.edges[e].count.is_none();
            let Some(&number) = self.at[n].iter().find(open) else {
                continue;
            };
            let edge = &mut self.edges[number];
            let (from, to) = (
                self.stands[edge.from as usize],
                self.stands[edge.to as usize],
            );
            let balance = self.entered[n] - self.left[n];
            let count = if from == node { balance } else { -balance };
            edge.count = Some(count);
            if count < 0 {
                let node = self.place(node);
                return Err(Imbalance::Negative { node, count });
            }
            self.pass(from, to, count);
            for end in [from, to] {
                self.unknown[end as usize] -= 1;
                if self.unknown[end as usize] == 1 {
                    ready.push(end);
                }
            }
        }
        Ok(())
    }

    /// Takes nodes that cycles of unknown edges join as one node each, after which no unknown edge but the bridges leads from one node to another.
    fn join(&mut self) {
        let numbers = 0..self.edges.len();
        let open: Vec<usize> = numbers.filter(|e| self.edges[*e].count.is_none()).collect();
        let ends = |e: &usize| (self.edges[*e].from, self.edges[*e].to);
        let ends: Vec<(u32, u32)> = open.iter().map(ends).collect();
        let nodes = self.caller + 1;
        let bridges = bridges(nodes, &ends);
        let mut sets = DisjointSets::new(nodes);
        for (&(from, to), _) in ends.iter().zip(&bridges).filter(|(_, bridge)| !**bridge) {
            sets.union(from, to);
        }
        self.stands = (0..nodes).map(|n| sets.find(n)).collect();
        for node in 0..nodes as usize {
            let stands = self.stands[node] as usize;
            if stands != node {
                self.entered[stands] += std::mem::take(&mut self.entered[node]);
                self.left[stands] += std::mem::take(&mut self.left[node]);
            }
            self.at[node].clear();
            self.unknown[node] = 0;
        }
        for (number, _) in open.into_iter().zip(bridges).filter(|(_, bridge)| *bridge) {
            for end in [self.edges[number].from, self.edges[number].to] {
                let end = self.stands[end as usize] as usize;
                self.at[end].push(number);
                self.unknown[end] += 1;
            }
        }
    }

    /// Counts of the plan's edges, as far as they are known.
    pub(crate) fn edges(&self) -> impl Iterator<Item = Option<u64>> {
        self.edges[..self.plan.edges.len()].iter().map(count)
    }

    /// Entries into each block, likewise.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Option<u64>> {
        let blocks = &self.edges[self.plan.edges.len()..];
        blocks[..self.plan.blocks.len()].iter().map(count)
    }

    /// Throws that nothing counts, by the block they leave, likewise.
    pub(crate) fn uncounted_throws(&self) -> impl Iterator<Item = (BlockId, Option<u64>)> {
        let throws = &self.edges[self.plan.edges.len() + self.plan.blocks.len()..];
        throws.iter().map(|e| (BlockId(e.from / 2), count(e)))
    }

    fn place(&self, node: u32) -> Place {
        if node == self.caller {
            Place::Caller
        } else {
            Place::Block(BlockId(node / 2))
        }
    }
}

/// No count that was found is negative.
fn count(edge: &FlowEdge) -> Option<u64> {
    edge.count.map(|n| n as u64)
}
