//! How large a method is, by the measures that compilers and people use.

use pricetag_classfile::Code;
use pricetag_probe_plan::{EdgeKind, Node};

use crate::cfg::Cfg;

/// Methods with more bytes of code than this are never compiled by HotSpot unless told so (`-XX:-DontCompileHugeMethods`).
pub const HUGE_METHOD_BYTES: u32 = 8_000;

/// Static measures of one method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MethodSize {
    /// Length of the code, unreachable code included.
    pub code_bytes: u32,
    /// Reachable instructions.
    pub instructions: u32,
    /// Reachable basic blocks.
    pub blocks: u32,
    /// Normal edges, the entry and the returns included.
    pub edges: u32,
    /// Reachable exception handlers.
    pub handlers: u32,
    /// Loops.
    pub loops: u32,
    /// Deepest loop nesting.
    pub loop_depth: u32,
    /// Cyclomatic number of the normal flow (T. J. `McCabe` 1976, "A complexity measure"): decisions plus one; a switch of n ways is n − 1
    /// decisions; a `ret` decides nothing.
    pub cyclomatic: u32,
    /// Words of operand stack.
    pub max_stack: u16,
    /// Slots of local variables.
    pub max_locals: u16,
}

impl MethodSize {
    /// Measures a method.
    pub fn of(cfg: &Cfg, code: &Code<'_>) -> Self {
        let loops = cfg.loops();
        let mut ways_out = vec![0u32; cfg.blocks.len()];
        for edge in cfg.edges.iter().filter(|e| e.kind != EdgeKind::Ret) {
            if let Node::Block(b) = edge.from {
                ways_out[b.0 as usize] += 1;
            }
        }
        Self {
            code_bytes: code.bytes.len() as u32,
            instructions: cfg.blocks.iter().map(|b| b.instructions.len() as u32).sum(),
            blocks: cfg.blocks.len() as u32,
            edges: cfg.edges.len() as u32,
            handlers: cfg.handlers.len() as u32,
            loops: loops.len() as u32,
            loop_depth: loops.iter().map(|l| l.depth).max().unwrap_or(0),
            cyclomatic: 1 + ways_out.iter().map(|n| n.saturating_sub(1)).sum::<u32>(),
            max_stack: code.max_stack,
            max_locals: code.max_locals,
        }
    }
}
