//! What is forgotten when the dictionary is full.

use super::{
    Entry, Grammar, LOOP, MANY_PAIRS, MOST_NODES, MOST_PAIRS, NEW, NODE, NONE, Node, Rule, parts,
};
use crate::pairs::Pairs;

impl Grammar {
    /// Forgets pairs that were never replaced and were in one chunk alone, or all that were never replaced if they are many; and the rarest nodes if there are many.
    pub(super) fn forget(&mut self) {
        let keep = self.frequent();
        let mut moved = vec![NONE; self.nodes.len()];
        let mut kept = 0_u32;
        for (node, keep) in moved.iter_mut().zip(&keep) {
            if *keep {
                *node = kept;
                kept += 1;
            } else {
                self.forgotten += 1;
            }
        }
        let rename = |token: u32| match token & NODE {
            0 => Some(token),
            _ if token == LOOP => Some(token),
            _ => Some(moved[(token & !NODE) as usize])
                .filter(|&node| node != NONE)
                .map(|node| node | NODE),
        };
        let mut pairs = Pairs::new(MOST_PAIRS);
        let mut entries = vec![NEW];
        let mut twice = 0;
        pairs.insert(NONE, NONE);
        for (slot, entry) in (0..).zip(&self.entries).skip(1) {
            let stays = match moved.get(entry.node as usize) {
                Some(&node) => node != NONE,
                None => entry.chunks >= 2 && twice < MANY_PAIRS / 2,
            };
            if !stays {
                continue;
            }
            twice += usize::from(entry.node == NONE);
            let (a, b) = self.pairs.pair(slot);
            if let (Some(a), Some(b)) = (rename(a), rename(b)) {
                pairs.insert(a, b);
                entries.push(Entry {
                    node: moved.get(entry.node as usize).copied().unwrap_or(NONE),
                    ..*entry
                });
            }
        }
        let mut nodes = Vec::with_capacity(kept as usize);
        let mut slices = Vec::with_capacity(kept as usize * self.slice_count);
        for (id, node) in self.nodes.iter().enumerate().filter(|(id, _)| keep[*id]) {
            let again = |token| rename(token).unwrap_or(token);
            let rule = match node.rule {
                Rule::Pair(a, b) => Rule::Pair(again(a), again(b)),
                Rule::Loop(a) => Rule::Loop(again(a)),
            };
            nodes.push(Node {
                rule,
                ..node.clone()
            });
            slices.extend_from_slice(self.by_slice(id));
        }
        (self.pairs, self.entries, self.nodes, self.slices) = (pairs, entries, nodes, slices);
    }

    /// Which nodes stay: all, or at most half as many as there may be, and what these consist of.
    fn frequent(&self) -> Vec<bool> {
        let mut keep = vec![true; self.nodes.len()];
        let mut threshold = 1;
        while keep.iter().filter(|&&k| k).count() > MOST_NODES / 2 {
            threshold *= 2;
            for (keep, node) in keep.iter_mut().zip(&self.nodes) {
                *keep = node.count >= threshold;
            }
            // What a node consists of stands before it.
            for id in (0..self.nodes.len())
                .rev()
                .filter(|&id| self.nodes[id].count >= threshold)
            {
                for part in parts(self.nodes[id].rule) {
                    keep[part] = true;
                }
            }
        }
        keep
    }
}
