//! Which branches decide whether an instruction runs.
//!
//! An instruction depends on a branch if it surely runs after one of the branch's sides and not after another. Here nodes are instructions,
//! and a branch is whatever has several ways out: a condition, a switch, an instruction whose exception a handler of the method takes,
//! `athrow` among them. Loops that never end are given a way out, so that what is in them depends on how they are entered.
//!
//! Source: Ferrante, Ottenstein & Warren 1987, "The program dependence graph and its use in optimization", §3.1.

use pricetag_classfile::{Code, Instruction, opcode as op};
use pricetag_flow::Cfg;
use pricetag_graph::{Digraph, Dominators, components};
use pricetag_probe_plan::Node;

use crate::throwing::catchers;
use crate::values::exceptional_targets;

/// By instruction, the instructions that decide whether it runs.
#[derive(Clone, Debug)]
pub struct ControlDependences {
    on: Vec<u32>,
    ends: Vec<u32>,
}

impl ControlDependences {
    /// Finds them. `leaves` says which instructions may leave the method by an exception besides an `athrow` that is not caught for sure.
    pub fn of(cfg: &Cfg, code: &Code<'_>, leaves: &dyn Fn(usize, &Instruction) -> bool) -> Self {
        let count = cfg.instructions.len() as u32;
        let (graph, mut exits) = graph(cfg, code, leaves);
        give_exits(cfg, &graph, &mut exits);
        let post = Dominators::post(&graph, &exits);
        let mut is_exit = vec![false; count as usize];
        for &exit in &exits {
            is_exit[exit as usize] = true;
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for branch in cfg.blocks.iter().flat_map(|b| b.instructions.clone()) {
            let branch = branch as u32;
            let ways = graph.out_edges(branch).len() + usize::from(is_exit[branch as usize]);
            if ways < 2 {
                continue;
            }
            let stop = post.immediate(branch);
            for side in graph.successors(branch) {
                let mut at = Some(side);
                while at != stop {
                    let Some(node) = at.filter(|&n| n < count) else {
                        break;
                    };
                    pairs.push((node, branch));
                    at = post.immediate(node);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut ends = vec![0; count as usize];
        for &(node, _) in &pairs {
            ends[node as usize] += 1;
        }
        let mut end = 0;
        for own in &mut ends {
            end += *own;
            *own = end;
        }
        Self {
            on: pairs.into_iter().map(|pair| pair.1).collect(),
            ends,
        }
    }

    /// What decides whether an instruction runs, ascending; nothing if it runs whenever the method is invoked (exceptions that leave it aside).
    pub fn on(&self, instruction: usize) -> &[u32] {
        let start = match instruction {
            0 => 0,
            i => self.ends[i - 1] as usize,
        };
        &self.on[start..self.ends[instruction] as usize]
    }
}

/// Instructions and the ways between them, and those at which the method may end.
fn graph(
    cfg: &Cfg,
    code: &Code<'_>,
    leaves: &dyn Fn(usize, &Instruction) -> bool,
) -> (Digraph, Vec<u32>) {
    let first = |block: u32| cfg.blocks[block as usize].instructions.start as u32;
    let (mut edges, mut exits) = (Vec::new(), Vec::new());
    for block in &cfg.blocks {
        let range = block.instructions.clone();
        edges.extend(
            range
                .clone()
                .zip(range.skip(1))
                .map(|(a, b)| (a as u32, b as u32)),
        );
    }
    for edge in &cfg.edges {
        let Node::Block(from) = edge.from else {
            continue;
        };
        let last = cfg.blocks[from.0 as usize].instructions.end as u32 - 1;
        match edge.to {
            Node::Block(to) => edges.push((last, first(to.0))),
            _ => exits.push(last),
        }
    }
    let exceptional = exceptional_targets(cfg, code);
    for i in cfg.blocks.iter().flat_map(|b| b.instructions.clone()) {
        edges.extend(exceptional[i].iter().map(|&b| (i as u32, first(b))));
        let here = &cfg.instructions[i];
        let out = here.opcode == op::ATHROW || leaves(i, here);
        if out && !catchers(code, here).all {
            exits.push(i as u32);
        }
    }
    exits.sort_unstable();
    exits.dedup();
    // Cases of a switch with one target are one way.
    edges.sort_unstable();
    edges.dedup();
    (Digraph::new(cfg.instructions.len() as u32, edges), exits)
}

/// Adds an exit to each endless loop that no exit can be reached from.
fn give_exits(cfg: &Cfg, graph: &Digraph, exits: &mut Vec<u32>) {
    let mut ends = vec![false; graph.nodes() as usize];
    let mut pending = exits.clone();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut ends[node as usize], true) {
            pending.extend(graph.predecessors(node));
        }
    }
    let endless: Vec<u32> = cfg
        .blocks
        .iter()
        .flat_map(|b| b.instructions.clone())
        .map(|i| i as u32)
        .filter(|&i| !ends[i as usize])
        .collect();
    let parts = components::within(graph, endless, |_| true);
    for members in parts.members() {
        let part = parts.of(members[0]);
        let stays = |&n: &u32| graph.successors(n).all(|s| parts.of(s) == part);
        if members.iter().all(stays) {
            exits.push(members[0]);
        }
    }
    exits.sort_unstable();
}
