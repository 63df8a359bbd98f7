//! The tree of calls, and what was sampled at its nodes.

use std::collections::HashMap;

use pricetag_profile::State;

/// Nodes that are kept; beyond that a stack is charged to the innermost of its frames that has one.
const MOST: usize = 1_000_000;
/// No node.
pub const NONE: u32 = u32::MAX;

/// A frame: a method's id, and where it stood in its bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The JVM's id of the method.
    pub method: usize,
    /// Offset in its bytecode; negative where that is not known.
    pub at: i32,
}

impl Frame {
    /// From what the JVM says.
    pub fn new(method: usize, at: i32) -> Self {
        Self {
            method,
            at: at.max(-1),
        }
    }
}

/// A frame on top of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The frame below; [`NONE`] where the stack begins.
    pub parent: u32,
    /// The frame.
    pub frame: Frame,
}

/// The tree and its weights.
#[derive(Debug, Default)]
pub struct Tree {
    /// Parents stand before their children.
    pub nodes: Vec<Node>,
    known: HashMap<Node, u32>,
    /// Samples of equal weight that would say as much, and processor time, ns.
    pub samples: HashMap<(u32, State), (f64, u64)>,
    /// Samples and bytes.
    pub allocated: HashMap<u32, (u32, f64)>,
    cut: u64,
}

impl Tree {
    /// Charges the processor time of a sample to the end of a stack. It says as much as this part of a sample among equals.
    pub fn sampled(&mut self, node: u32, state: State, part: f64, ns: u64) {
        let weight = self.samples.entry((node, state)).or_default();
        *weight = (weight.0 + part, weight.1 + ns);
    }

    /// Charges bytes to a stack.
    pub fn allocated(&mut self, stack: &[Frame], bytes: f64) {
        if let Some(node) = self.intern(stack) {
            let weight = self.allocated.entry(node).or_default();
            *weight = (weight.0 + 1, weight.1 + bytes);
        }
    }

    /// The node of a stack, innermost frame first.
    pub fn intern(&mut self, stack: &[Frame]) -> Option<u32> {
        let mut parent = NONE;
        for &frame in stack.iter().rev().filter(|frame| frame.method != 0) {
            let node = Node { parent, frame };
            parent = match self.known.get(&node) {
                Some(&number) => number,
                None if self.nodes.len() >= MOST => {
                    self.cut += 1;
                    break;
                }
                None => {
                    let number = self.nodes.len() as u32;
                    self.nodes.push(node);
                    self.known.insert(node, number);
                    number
                }
            };
        }
        (parent != NONE).then_some(parent)
    }

    /// What was left out.
    pub fn note(&self) -> Option<String> {
        let cut = self.cut;
        (cut > 0).then(|| {
            format!("the tree of calls has {MOST} nodes: {cut} samples are charged further out")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_share_their_nodes() {
        let frame = Frame::new;
        let mut tree = Tree::default();
        let mut sampled = |stack: &[Frame], state, ns| {
            if let Some(node) = tree.intern(stack) {
                tree.sampled(node, state, 0.75, ns);
            }
        };
        sampled(&[frame(2, 7), frame(1, 3)], State::Compiled, 10);
        sampled(&[frame(2, 7), frame(1, 3)], State::Compiled, 5);
        sampled(&[frame(2, 8), frame(1, 3)], State::Compiled, 1);
        sampled(&[frame(1, -3)], State::Native, 2);
        sampled(&[], State::Native, 100);
        tree.allocated(&[frame(1, 3)], 64.0);
        let nodes: Vec<(u32, usize, i32)> = tree
            .nodes
            .iter()
            .map(|n| (n.parent, n.frame.method, n.frame.at))
            .collect();
        assert_eq!(nodes, [(NONE, 1, 3), (0, 2, 7), (0, 2, 8), (NONE, 1, -1)]);
        assert_eq!(tree.samples[&(1, State::Compiled)], (1.5, 15));
        assert_eq!(tree.samples[&(3, State::Native)], (0.75, 2));
        assert_eq!(tree.samples.len(), 3);
        assert_eq!(tree.allocated[&0], (1, 64.0));
    }
}
