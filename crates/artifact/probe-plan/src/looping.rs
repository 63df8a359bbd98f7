//! Which loop a probe stands in, and which loops have none.
//!
//! An edge belongs to the innermost loop that both of its ends are in: one into a loop or out of it is passed as often as the loop is entered,
//! and belongs around it. (Not so where a loop calls a subroutine that is called elsewhere, too, and so stands in no loop.) What stands at a block (transitions, strides, values) belongs to the innermost loop around that.

use crate::plan::{BlockId, EdgePlan, MethodPlan, Node, Pc};

impl MethodPlan {
    /// The innermost loop around a block; index into [`MethodPlan::loops`].
    pub fn loop_of_block(&self, block: BlockId) -> Option<u32> {
        self.blocks[block.0 as usize].innermost_loop
    }

    /// The innermost loop that an edge stays in.
    pub fn loop_of_edge(&self, edge: &EdgePlan) -> Option<u32> {
        let (Node::Block(from), Node::Block(to)) = (edge.from, edge.to) else {
            return None;
        };
        let (mut a, mut b) = (self.loop_of_block(from), self.loop_of_block(to));
        // Outer loops have smaller numbers than those inside, and none is smaller than any.
        while a != b {
            let inner = if a > b { &mut a } else { &mut b };
            *inner = inner.and_then(|l| self.loops[l as usize].parent);
        }
        a
    }

    /// Whether what stands in this loop, or outside all, has no probes on request.
    pub fn is_removed(&self, of: Option<u32>) -> bool {
        of.is_some_and(|l| self.removed_loops.binary_search(&l).is_ok())
    }

    /// The first instruction of a loop's header, by which the loop is named.
    pub fn loop_header(&self, of: u32) -> Pc {
        let header = self.loops[of as usize].header;
        self.blocks[header.0 as usize].start
    }

    /// The loops whose header begins at a place, ascending.
    pub fn loops_at(&self, header: Pc) -> impl Iterator<Item = u32> {
        let all = 0..self.loops.len() as u32;
        all.filter(move |l| self.loop_header(*l) == header)
    }

    /// The first source line of a loop's header, if known.
    pub fn loop_line(&self, of: u32) -> Option<u16> {
        let header = self.loops[of as usize].header;
        self.blocks[header.0 as usize]
            .line_span()
            .map(|(first, _)| first)
    }
}
