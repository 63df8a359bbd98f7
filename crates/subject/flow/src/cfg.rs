//! The control-flow graph of a method: reachable blocks, an edge for every way out of them, handlers.
//!
//! Only code that can be reached from the method's entry is in the graph; class files before version 50 may hold other
//! code. A handler counts as reachable as soon as any reachable instruction is in its range, whether or not it can throw.
//! Blocks do not end at calls or at the borders of exception ranges: exceptional edges lead from the block as a whole.
//! Every case of a switch is an edge of its own, and so is a branch to the next instruction.
//!
//! A `jsr` is a jump, and a `ret` has an edge to every place where it may go on (`subroutines`).
//!
//! Source: *The Java Virtual Machine Specification*, §4.9–4.11.

use std::cell::OnceCell;
use std::ops::Range;

use pricetag_classfile::{Code, ConstantPool, Instruction, Instructions, Operand, opcode};
use pricetag_graph::Digraph;
use pricetag_probe_plan::{BlockId, EdgeKind, Node, Pc};

use crate::error::FlowError;
use crate::subroutines::Subroutines;

/// Most entries of the exception table times instructions; compilers stay far below.
const MOST_COVERED: usize = 1 << 26;

/// A basic block: reachable instructions that run one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its instructions, as indices into [`Cfg::instructions`].
    pub instructions: Range<usize>,
}

/// A way from one block to the next, into the method or out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Source.
    pub from: Node,
    /// Target.
    pub to: Node,
    /// Condition.
    pub kind: EdgeKind,
}

/// A reachable exception handler: one for all table entries with its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Its first block.
    pub block: BlockId,
    /// Indices into the exception table.
    pub entries: Vec<usize>,
}

/// The control-flow graph of one method.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// All instructions of the method, reachable or not.
    pub instructions: Instructions,
    /// Blocks in order of their first instruction.
    pub blocks: Vec<Block>,
    /// Normal edges: the entry, then block by block.
    pub edges: Vec<Edge>,
    /// Handlers in order of their block.
    pub handlers: Vec<Handler>,
    /// Exceptional edges, from blocks to indices of `handlers`, without repeats.
    pub exceptional: Vec<(BlockId, usize)>,
    /// Made when first asked for, as is the order.
    graph: OnceCell<Digraph>,
    order: OnceCell<Vec<u32>>,
}

/// An instruction can be reached from the method's entry.
const REACHED: u8 = 1;
/// An instruction starts a block.
const LEADER: u8 = 2;

impl Cfg {
    /// Builds the graph.
    ///
    /// # Errors
    /// If the code cannot be decoded or runs past its end, or it cannot be told where a subroutine returns to.
    pub fn of(code: &Code<'_>) -> Result<Self, FlowError> {
        Self::split(code.instructions()?, code, &[])
    }

    /// The same graph with blocks ending behind each instruction in `after`, which is ascending; the edge to the next
    /// instruction is then a [`EdgeKind::Continue`].
    ///
    /// # Errors
    /// As [`Cfg::of`].
    pub fn split_after(self, code: &Code<'_>, after: &[Pc]) -> Result<Self, FlowError> {
        Self::split(self.instructions, code, after)
    }

    fn split(instructions: Instructions, code: &Code<'_>, after: &[Pc]) -> Result<Self, FlowError> {
        let (entries, length) = (code.exception_table.len(), instructions.len());
        if entries.saturating_mul(length) > MOST_COVERED {
            let instructions = length;
            return Err(FlowError::TooManyRanges {
                entries,
                instructions,
            });
        }
        let (mut marks, subroutines) = reachable(&instructions, code)?;
        for pc in after {
            marks[index(&instructions, u32::from(pc.0)) + 1] |= LEADER;
        }
        let mut blocks: Vec<Block> = Vec::new();
        for (i, mark) in marks.iter().enumerate().take(length) {
            match blocks.last_mut() {
                _ if mark & REACHED == 0 => {}
                Some(block) if mark & LEADER == 0 && block.instructions.end == i => {
                    block.instructions.end = i + 1;
                }
                _ => blocks.push(Block {
                    instructions: i..i + 1,
                }),
            }
        }
        let mut cfg = Self {
            instructions,
            blocks,
            edges: Vec::new(),
            handlers: Vec::new(),
            exceptional: Vec::new(),
            graph: OnceCell::new(),
            order: OnceCell::new(),
        };
        cfg.edges = cfg.normal_edges(after, &subroutines);
        cfg.add_handlers(code);
        Ok(cfg)
    }

    /// The block that starts at an offset.
    fn block_at(&self, pc: u32) -> Option<BlockId> {
        let index = self.instructions.index_of(pc)?;
        let block = self
            .blocks
            .binary_search_by_key(&index, |b| b.instructions.start);
        block.ok().map(|b| BlockId(b as u32))
    }

    fn normal_edges(&self, after: &[Pc], subroutines: &Subroutines) -> Vec<Edge> {
        let at = |pc: u32| self.block_at(pc).map(Node::Block);
        let first = Edge {
            from: Node::Entry,
            to: Node::Block(BlockId(0)),
            kind: EdgeKind::Entry,
        };
        let mut edges = Vec::with_capacity(2 * self.blocks.len() + 1);
        edges.push(first);
        for (b, block) in self.blocks.iter().enumerate() {
            let last = &self.instructions[block.instructions.end - 1];
            let mut add = |to: Option<Node>, kind| {
                let from = Node::Block(BlockId(b as u32));
                edges.extend(to.map(|to| Edge { from, to, kind }));
            };
            match &last.operand {
                _ if opcode::is_return(last.opcode) => add(Some(Node::Exit), EdgeKind::Return),
                Operand::Branch(target) if opcode::is_conditional(last.opcode) => {
                    add(at(last.end()), EdgeKind::NotTaken);
                    add(at(*target), EdgeKind::Taken);
                }
                Operand::Branch(target) => add(at(*target), EdgeKind::Jump),
                Operand::TableSwitch {
                    default, targets, ..
                } => {
                    for (case, &target) in targets.iter().enumerate() {
                        add(at(target), EdgeKind::Case(case as u32));
                    }
                    add(at(*default), EdgeKind::Default);
                }
                Operand::LookupSwitch { default, pairs } => {
                    for (case, &(_, target)) in pairs.iter().enumerate() {
                        add(at(target), EdgeKind::Case(case as u32));
                    }
                    add(at(*default), EdgeKind::Default);
                }
                _ if last.opcode == opcode::RET => {
                    for way in subroutines.ways(block.instructions.end - 1) {
                        add(at(u32::from(self.instructions[way].pc)), EdgeKind::Ret);
                    }
                }
                _ if !opcode::falls_through(last.opcode) => {}
                _ => {
                    let kind = if after.binary_search(&Pc(last.pc)).is_ok() {
                        EdgeKind::Continue
                    } else {
                        EdgeKind::FallThrough
                    };
                    let next = (b + 1 < self.blocks.len()).then_some(BlockId(b as u32 + 1));
                    add(next.map(Node::Block), kind);
                }
            }
        }
        edges
    }

    fn add_handlers(&mut self, code: &Code<'_>) {
        for (i, entry) in code.exception_table.iter().enumerate() {
            let Some(block) = self.block_at(u32::from(entry.handler_pc)) else {
                continue;
            };
            let covered = self.covered_blocks(entry.start_pc, entry.end_pc);
            if covered.is_empty() {
                continue;
            }
            let known = self.handlers.iter().position(|h| h.block == block);
            let handler = known.unwrap_or(self.handlers.len());
            if known.is_none() {
                let entries = Vec::new();
                self.handlers.push(Handler { block, entries });
            }
            self.handlers[handler].entries.push(i);
            self.exceptional
                .extend(covered.map(|b| (BlockId(b as u32), handler)));
        }
        if self.handlers.is_empty() {
            return;
        }
        let mut order: Vec<usize> = (0..self.handlers.len()).collect();
        order.sort_by_key(|&h| self.handlers[h].block);
        let mut rank = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            rank[old] = new;
        }
        self.handlers.sort_by_key(|h| h.block);
        for (_, handler) in &mut self.exceptional {
            *handler = rank[*handler];
        }
        self.exceptional.sort_unstable();
        self.exceptional.dedup();
    }

    /// Blocks with an instruction in `[start, end)`.
    fn covered_blocks(&self, start: u16, end: u16) -> Range<usize> {
        let pc = |i: usize| self.instructions[i].pc;
        let first = self
            .blocks
            .partition_point(|b| pc(b.instructions.end - 1) < start);
        let last = self
            .blocks
            .partition_point(|b| pc(b.instructions.start) < end);
        first..last.max(first)
    }

    /// The instructions of a block.
    pub fn instructions_of(&self, block: BlockId) -> &[Instruction] {
        &self.instructions[self.blocks[block.0 as usize].instructions.clone()]
    }

    /// The graph for [`pricetag_graph`]: blocks by their number, then the entry, then the exit; edges by their number,
    /// then the exceptional ones.
    pub fn digraph(&self) -> &Digraph {
        self.graph.get_or_init(|| self.new_digraph())
    }

    /// The nodes of [`Cfg::digraph`] that the entry reaches, in reverse post-order.
    pub fn reverse_postorder(&self) -> &[u32] {
        self.order.get_or_init(|| {
            if self.is_straight() {
                let exit = (self.edges.len() == 2).then_some(self.entry() + 1);
                return [self.entry(), 0].into_iter().chain(exit).collect();
            }
            self.digraph().reverse_postorder(self.entry())
        })
    }

    /// Whether there is one block, entered once and left no way but out: many methods are so, and need no graph.
    pub(crate) fn is_straight(&self) -> bool {
        self.exceptional.is_empty()
            && matches!(&self.edges[..], [_] | [_, Edge { to: Node::Exit, .. }])
    }

    fn new_digraph(&self) -> Digraph {
        self.digraph_with(|edge| edge.from)
    }

    /// The graph of [`Cfg::digraph`] with normal edges that start where `from` says.
    pub(crate) fn digraph_with(&self, from: impl Fn(&Edge) -> Node) -> Digraph {
        let node = |n: Node| match n {
            Node::Block(b) => b.0,
            Node::Entry => self.entry(),
            Node::Exit => self.entry() + 1,
        };
        let normal = self.edges.iter().map(|e| (node(from(e)), node(e.to)));
        let exceptional = self
            .exceptional
            .iter()
            .map(|&(b, h)| (b.0, self.handlers[h].block.0));
        Digraph::new(self.entry() + 2, normal.chain(exceptional))
    }

    /// The node of the method's entry in [`Cfg::digraph`].
    pub fn entry(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Internal names of the classes a handler catches, in table order without repeats; empty if it catches all.
    ///
    /// # Errors
    /// If the table names no class.
    pub fn catches(
        &self,
        handler: &Handler,
        code: &Code<'_>,
        constants: &ConstantPool<'_>,
    ) -> Result<Vec<String>, FlowError> {
        let mut names = Vec::new();
        for &entry in &handler.entries {
            match code.exception_table[entry].catch_type {
                0 => return Ok(Vec::new()),
                index => {
                    let name = constants.class_name(index)?;
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
        }
        Ok(names)
    }
}

/// Marks the instructions that can be reached from the first, and those that start a block. There is one mark more than
/// instructions.
fn reachable(
    instructions: &Instructions,
    code: &Code<'_>,
) -> Result<(Vec<u8>, Subroutines), FlowError> {
    let mut subroutines = None;
    let mut marks = vec![0; instructions.len() + 1];
    marks[0] = LEADER;
    for entry in &code.exception_table {
        // Harmless for handlers that are not reachable: their instructions are in no block, or in one by another way.
        marks[index(instructions, u32::from(entry.handler_pc))] = LEADER;
    }
    let mut entered = vec![false; code.exception_table.len()];
    let mut stack = vec![0];
    loop {
        while let Some(mut i) = stack.pop() {
            while marks[i] & REACHED == 0 {
                marks[i] |= REACHED;
                let here = &instructions[i];
                let falls_through = opcode::falls_through(here.opcode);
                i += 1;
                if here.jumps() {
                    for target in here.targets() {
                        let target = index(instructions, target);
                        marks[target] |= LEADER;
                        stack.push(target);
                    }
                    marks[i] |= LEADER;
                }
                if !falls_through {
                    if opcode::is_subroutine(here.opcode) && subroutines.is_none() {
                        subroutines = Some(Subroutines::of(instructions, code)?);
                    }
                    for way in subroutines.iter().flat_map(|s: &Subroutines| s.ways(i - 1)) {
                        marks[way] |= LEADER;
                        stack.push(way);
                    }
                    marks[i] |= LEADER;
                    break;
                }
                if i == instructions.len() {
                    return Err(FlowError::FallsOff { pc: here.pc });
                }
            }
        }
        for (entry, entered) in code.exception_table.iter().zip(&mut entered) {
            // A range may end with the code.
            let end = instructions.index_of(u32::from(entry.end_pc));
            let range =
                index(instructions, u32::from(entry.start_pc))..end.unwrap_or(instructions.len());
            if !*entered && marks[range].iter().any(|mark| mark & REACHED != 0) {
                *entered = true;
                stack.push(index(instructions, u32::from(entry.handler_pc)));
            }
        }
        if stack.is_empty() {
            return Ok((marks, subroutines.unwrap_or_default()));
        }
    }
}

/// The index of the instruction at an offset where one is known to start.
fn index(instructions: &Instructions, pc: u32) -> usize {
    instructions
        .index_of(pc)
        .unwrap_or_else(|| unreachable!("an instruction starts where one is known to start"))
}
