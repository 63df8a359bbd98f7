//! The grammar: pairs of neighbours that recur become one symbol, runs of one symbol become a loop, again and again.
//!
//! After Re-Pair (Larsson & Moffat 2000), which replaces the most frequent pair of the whole text. We replace, in each round over a chunk, all pairs that are more frequent than the pairs that overlap them
//! (as in recompression, Jeż 2015), so that a few rounds do, and we keep the dictionary from chunk to chunk: what was replaced before goes first, so that the
//! same sequence gets the same symbol later. A run of any length is one symbol, its loop; so a loop that turns three times and one that turns seventeen times are the
//! same pattern, and loops nest. How often each turned is summed up, not kept.
//!
//! Limits: what repeats at a distance of more than a chunk ([`CHUNK`] events) is found only after three chunks have shown it; rounds stop when
//! they replace less than one symbol in 128; when the dictionary is full, its rarest symbols are forgotten (as in lossy counting, Manku & Motwani 2002).

mod forget;
#[cfg(test)]
mod tests;

use pricetag_events::{Symbol, ThreadId};

use crate::pairs::Pairs;

/// Events folded at once.
pub(crate) const CHUNK: usize = 1 << 16;

/// Numbers from here on are nodes, below are kinds of invocation.
pub(crate) const NODE: u32 = 1 << 31;

/// Second half of the pair of a loop.
const LOOP: u32 = u32::MAX;

/// No node.
const NONE: u32 = u32::MAX;

/// A pair that is new since pairs were counted.
const STALE: u32 = u32::MAX;

/// Nodes that are kept.
const MOST_NODES: usize = 1 << 17;

/// Pairs beside those of nodes after which those that were never replaced are forgotten.
const MANY_PAIRS: usize = 1 << 17;

/// Pairs at most: room for those that a chunk adds.
const MOST_PAIRS: usize = 1 << 20;

/// Rounds over a chunk.
const ROUNDS: usize = 48;

/// What a node stands for; numbers as in [`NODE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// One, then the other.
    Pair(u32, u32),
    /// Twice or more the same.
    Loop(u32),
}

/// A symbol of the grammar.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) rule: Rule,
    /// Occurrences.
    pub(crate) count: u64,
    /// Events in all occurrences.
    pub(crate) events: u64,
    /// Of a loop, turns in all occurrences.
    pub(crate) turns: u64,
    /// Price of all occurrences, ns.
    pub(crate) ns: f64,
    /// Thread and event number of the first occurrence, and its events.
    pub(crate) example: (ThreadId, u64, u32),
}

/// Where a chunk stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spot {
    pub(crate) thread: ThreadId,
    pub(crate) first: u64,
    pub(crate) slice: usize,
}

/// What is known of a pair.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The last chunk that had it, and its occurrences there as the chunk stands.
    chunk: u32,
    adjacent: u32,
    /// Chunks that had it.
    chunks: u32,
    /// Times replaced.
    replaced: u32,
    node: u32,
}

const NEW: Entry = Entry {
    chunk: 0,
    adjacent: 0,
    chunks: 0,
    replaced: 0,
    node: NONE,
};

/// One way in which a chunk was derived, kept for tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Derived {
    Kind(u32),
    Pair(usize, usize),
    Loop(Vec<usize>),
}

/// A grammar that grows chunk by chunk.
pub(crate) struct Grammar {
    pairs: Pairs,
    entries: Vec<Entry>,
    pub(crate) nodes: Vec<Node>,
    /// Events by node and slice.
    pub(crate) slices: Vec<u64>,
    slice_count: usize,
    chunk: u32,
    tokens: Vec<u32>,
    lengths: Vec<u32>,
    prices: Vec<f64>,
    /// The entry of each token and the next one, or [`STALE`]; of the last token 0, which is no pair's.
    slots: Vec<u32>,
    /// Pairs that are no more.
    left: Vec<u32>,
    /// Symbols forgotten.
    pub(crate) forgotten: u64,
    derivation: Option<(Vec<Derived>, Vec<usize>)>,
}

impl Grammar {
    pub(crate) fn new(slice_count: usize) -> Self {
        let mut grammar = Self {
            pairs: Pairs::new(MOST_PAIRS),
            entries: Vec::new(),
            nodes: Vec::new(),
            slices: Vec::new(),
            slice_count: slice_count.max(1),
            chunk: 0,
            tokens: Vec::new(),
            lengths: Vec::new(),
            prices: Vec::new(),
            slots: Vec::new(),
            left: Vec::new(),
            forgotten: 0,
            derivation: None,
        };
        grammar.entry(NONE, NONE);
        grammar
    }

    /// Folds the next events of a sequence; `price` is ns per kind.
    pub(crate) fn push(&mut self, events: &[Symbol], spot: Spot, price: Option<&[f64]>) {
        for (place, events) in events.chunks(CHUNK).enumerate() {
            if self.pairs.len() > MANY_PAIRS + self.nodes.len() || self.nodes.len() > MOST_NODES {
                self.forget();
            }
            let first = spot.first + (place * CHUNK) as u64;
            self.begin(events, price);
            self.fold(Spot { first, ..spot });
        }
    }

    fn begin(&mut self, events: &[Symbol], price: Option<&[f64]>) {
        self.chunk = self.chunk.wrapping_add(1);
        self.tokens.clear();
        self.tokens.extend(events.iter().map(|e| e.0));
        self.lengths.clear();
        self.lengths.resize(events.len(), 1);
        self.left.clear();
        self.slots.clear();
        self.slots.resize(events.len(), STALE);
        self.prices.clear();
        if let Some(price) = price {
            let of = |e: &Symbol| price.get(e.index()).copied().unwrap_or(0.0);
            self.prices.extend(events.iter().map(of));
        }
        if let Some((arena, derived)) = &mut self.derivation {
            *arena = events.iter().map(|e| Derived::Kind(e.0)).collect();
            *derived = (0..events.len()).collect();
        }
    }

    fn fold(&mut self, spot: Spot) {
        for _ in 0..ROUNDS {
            self.collapse(spot);
            self.look();
            let before = self.tokens.len();
            let replaced = self.replace(spot);
            if replaced * 128 < before || replaced == 0 {
                break;
            }
        }
        self.collapse(spot);
    }

    /// Turns runs into loops.
    fn collapse(&mut self, spot: Spot) {
        let (mut from, mut to, mut position) = (0_usize, 0_usize, spot.first);
        while from < self.tokens.len() {
            let token = self.tokens[from];
            if self.tokens.get(from + 1) != Some(&token) {
                // No run: nothing changes but its place.
                position += u64::from(self.lengths[from]);
                if to < from {
                    self.shift(from, to);
                }
                from += 1;
                to += 1;
                continue;
            }
            let run = self.tokens[from..]
                .iter()
                .take_while(|&&t| t == token)
                .count();
            let length: u32 = self.lengths[from..from + run].iter().sum();
            let price = self
                .prices
                .get(from..from + run)
                .map(|p| p.iter().sum::<f64>());
            let slot = self.entry(token, LOOP);
            let rule = Rule::Loop(token);
            let token = self.occur(slot, rule, run, (length, price), position, spot);
            if let Some((arena, derived)) = &mut self.derivation {
                arena.push(Derived::Loop(derived[from..from + run].to_vec()));
                derived[to] = arena.len() - 1;
            }
            for at in from..from + run {
                self.leave(at);
            }
            self.leave(to.wrapping_sub(1));
            self.set(to, token, length, price);
            self.slots[to] = STALE;
            position += u64::from(length);
            from += run;
            to += 1;
        }
        self.truncate(to);
    }

    /// Moves a token to an earlier place.
    fn shift(&mut self, from: usize, to: usize) {
        self.tokens[to] = self.tokens[from];
        self.lengths[to] = self.lengths[from];
        self.slots[to] = self.slots[from];
        if !self.prices.is_empty() {
            self.prices[to] = self.prices[from];
        }
        if let Some((_, derived)) = &mut self.derivation {
            derived[to] = derived[from];
        }
    }

    /// Counts the pairs that are new.
    fn look(&mut self) {
        let Some(last) = self.slots.last_mut() else {
            return;
        };
        *last = 0;
        self.discount();
        for at in 1..self.tokens.len() {
            if self.slots[at - 1] != STALE {
                continue;
            }
            let slot = self.entry(self.tokens[at - 1], self.tokens[at]);
            let entry = &mut self.entries[slot as usize];
            if entry.chunk != self.chunk {
                entry.chunk = self.chunk;
                entry.chunks = entry.chunks.saturating_add(1);
                entry.adjacent = 0;
            }
            entry.adjacent += 1;
            self.slots[at - 1] = slot;
        }
    }

    /// The pair at a place is no more.
    fn leave(&mut self, at: usize) {
        let Some(slot) = self.slots.get_mut(at) else {
            return;
        };
        if *slot != STALE {
            self.left.push(*slot);
            *slot = STALE;
        }
    }

    /// Takes those that are no more off the counts: not while a round is going on, which compares them.
    fn discount(&mut self) {
        for slot in self.left.drain(..) {
            let entry = &mut self.entries[slot as usize];
            entry.adjacent = entry.adjacent.saturating_sub(1);
        }
    }

    /// How urgently the pair at a place is to be replaced; 0 is not at all. Among equals what came first goes first.
    fn urgency(&self, at: usize) -> u64 {
        let Some(&slot) = self.slots.get(at) else {
            return 0;
        };
        let entry = &self.entries[slot as usize];
        let recurs = entry.adjacent >= 2 || entry.replaced > 0 || entry.chunks >= 3;
        if recurs && slot != 0 {
            u64::from(entry.replaced.saturating_add(entry.adjacent)) << 32 | u64::from(!slot)
        } else {
            0
        }
    }

    /// Replaces the pairs that are more urgent than their neighbours; says how many.
    fn replace(&mut self, spot: Spot) -> usize {
        let (mut from, mut to, mut replaced) = (0_usize, 0_usize, 0);
        let mut position = spot.first;
        let (mut before, mut here) = (0, self.urgency(0));
        while from < self.tokens.len() {
            let next = self.urgency(from + 1);
            if here <= before || here <= next {
                position += u64::from(self.lengths[from]);
                if to < from {
                    self.shift(from, to);
                }
                from += 1;
                to += 1;
                (before, here) = (here, next);
                continue;
            }
            let (a, b) = (self.tokens[from], self.tokens[from + 1]);
            let length = self.lengths[from] + self.lengths[from + 1];
            let price = self.prices.get(from).zip(self.prices.get(from + 1));
            let price = price.map(|(a, b)| a + b);
            let slot = self.slots[from];
            let rule = Rule::Pair(a, b);
            let token = self.occur(slot, rule, 1, (length, price), position, spot);
            replaced += 1;
            self.leave(from);
            self.leave(from + 1);
            self.leave(to.wrapping_sub(1));
            if let Some((arena, derived)) = &mut self.derivation {
                arena.push(Derived::Pair(derived[from], derived[from + 1]));
                derived[to] = arena.len() - 1;
            }
            self.set(to, token, length, price);
            self.slots[to] = STALE;
            position += u64::from(length);
            from += 2;
            to += 1;
            (before, here) = (0, self.urgency(from));
        }
        self.truncate(to);
        replaced
    }

    fn set(&mut self, at: usize, token: u32, length: u32, price: Option<f64>) {
        self.tokens[at] = token;
        self.lengths[at] = length;
        if let (Some(slot), Some(price)) = (self.prices.get_mut(at), price) {
            *slot = price;
        }
    }

    fn truncate(&mut self, length: usize) {
        self.tokens.truncate(length);
        self.lengths.truncate(length);
        self.slots.truncate(length);
        self.prices.truncate(length);
        if let Some((_, derived)) = &mut self.derivation {
            derived.truncate(length);
        }
    }

    fn entry(&mut self, a: u32, b: u32) -> u32 {
        let slot = self.pairs.insert(a, b).unwrap_or(0);
        if slot as usize == self.entries.len() {
            self.entries.push(NEW);
        }
        slot
    }

    /// Counts an occurrence of a pair's node, which is made if there is none; the node as a token.
    fn occur(
        &mut self,
        slot: u32,
        rule: Rule,
        turns: usize,
        (length, price): (u32, Option<f64>),
        position: u64,
        spot: Spot,
    ) -> u32 {
        let entry = &mut self.entries[slot as usize];
        entry.replaced = entry.replaced.saturating_add(1);
        if entry.node == NONE || slot == 0 {
            entry.node = self.nodes.len() as u32;
            self.nodes.push(Node {
                rule,
                count: 0,
                events: 0,
                turns: 0,
                ns: 0.0,
                example: (spot.thread, position, length),
            });
            self.slices.resize(self.nodes.len() * self.slice_count, 0);
        }
        let id = entry.node;
        let node = &mut self.nodes[id as usize];
        node.count += 1;
        node.events += u64::from(length);
        node.turns += turns as u64;
        node.ns += price.unwrap_or(0.0);
        if self.slice_count > 1 {
            let slice = spot.slice.min(self.slice_count - 1);
            self.slices[id as usize * self.slice_count + slice] += u64::from(length);
        }
        NODE | id
    }

    /// Events of a node by slice.
    pub(crate) fn by_slice(&self, node: usize) -> &[u64] {
        let from = node * self.slice_count;
        self.slices
            .get(from..from + self.slice_count)
            .unwrap_or_default()
    }
}

/// The nodes that a rule names.
pub(crate) fn parts(rule: Rule) -> impl Iterator<Item = usize> {
    let (a, b) = match rule {
        Rule::Pair(a, b) => (a, Some(b)),
        Rule::Loop(a) => (a, None),
    };
    let nodes = [Some(a), b].into_iter().flatten();
    nodes
        .filter(|token| token & NODE != 0)
        .map(|token| (token & !NODE) as usize)
}
