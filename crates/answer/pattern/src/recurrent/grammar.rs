//! The grammar: pairs of neighbours that recur become one symbol, runs of one symbol become a loop, again and again.
//!
//! After Re-Pair (Larsson & Moffat 2000), which replaces the most frequent pair of the whole text. We replace, in each round over a chunk, all pairs that are more frequent than the pairs that overlap them
//! (as in recompression, Jeż 2015), so that a few rounds do, and we keep the dictionary from chunk to chunk: what was replaced before goes first, so that the
//! same sequence gets the same symbol later. A run of any length is one symbol, its loop; so a loop that turns three times and one that turns seventeen times are the
//! same pattern, and loops nest. How often each turned is summed up, not kept.
//!
//! Limits: what repeats at a distance of more than a chunk ([`CHUNK`] events) is found only after three chunks have shown it; rounds stop when
//! they replace less than one symbol in 128; when the dictionary is full, its rarest symbols are forgotten (as in lossy counting, Manku & Motwani 2002).

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

/// Nodes that are kept.
const MOST_NODES: usize = 1 << 17;

/// Pairs after which those that were never replaced are forgotten; a chunk may add as many again.
const MANY_PAIRS: usize = 1 << 20;

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
    round: u32,
    /// Occurrences in that round.
    adjacent: u32,
    chunk: u32,
    chunks: u32,
    /// Times replaced.
    replaced: u32,
    node: u32,
}

const NEW: Entry = Entry {
    round: 0,
    adjacent: 0,
    chunk: 0,
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
    round: u32,
    chunk: u32,
    tokens: Vec<u32>,
    lengths: Vec<u32>,
    prices: Vec<f64>,
    slots: Vec<u32>,
    /// Symbols forgotten.
    pub(crate) forgotten: u64,
    derivation: Option<(Vec<Derived>, Vec<usize>)>,
}

impl Grammar {
    pub(crate) fn new(slice_count: usize) -> Self {
        let mut grammar = Self {
            pairs: Pairs::new(2 * MANY_PAIRS),
            entries: Vec::new(),
            nodes: Vec::new(),
            slices: Vec::new(),
            slice_count: slice_count.max(1),
            round: 0,
            chunk: 0,
            tokens: Vec::new(),
            lengths: Vec::new(),
            prices: Vec::new(),
            slots: Vec::new(),
            forgotten: 0,
            derivation: None,
        };
        grammar.entry(NONE, NONE);
        grammar
    }

    /// Folds the next events of a sequence; `price` is ns per kind.
    pub(crate) fn push(&mut self, events: &[Symbol], spot: Spot, price: Option<&[f64]>) {
        for (place, events) in events.chunks(CHUNK).enumerate() {
            if self.pairs.len() > MANY_PAIRS || self.nodes.len() > MOST_NODES {
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
        let (mut from, mut to, mut position) = (0, 0, spot.first);
        while from < self.tokens.len() {
            let token = self.tokens[from];
            let run = self.tokens[from..]
                .iter()
                .take_while(|&&t| t == token)
                .count();
            let length: u32 = self.lengths[from..from + run].iter().sum();
            let price = self
                .prices
                .get(from..from + run)
                .map(|p| p.iter().sum::<f64>());
            let token = if run == 1 {
                token
            } else {
                let slot = self.entry(token, LOOP);
                self.occur(
                    slot,
                    Rule::Loop(token),
                    run,
                    (length, price),
                    position,
                    spot,
                )
            };
            if let Some((arena, derived)) = &mut self.derivation {
                let parts = derived[from..from + run].to_vec();
                derived[to] = match parts[..] {
                    [one] => one,
                    _ => {
                        arena.push(Derived::Loop(parts));
                        arena.len() - 1
                    }
                };
            }
            self.set(to, token, length, price);
            position += u64::from(length);
            from += run;
            to += 1;
        }
        self.truncate(to);
    }

    /// Counts pairs.
    fn look(&mut self) {
        self.round = self.round.wrapping_add(1);
        self.slots.clear();
        for at in 1..self.tokens.len() {
            let slot = self.entry(self.tokens[at - 1], self.tokens[at]);
            let entry = &mut self.entries[slot as usize];
            if entry.round != self.round {
                entry.round = self.round;
                entry.adjacent = 0;
                if entry.chunk != self.chunk {
                    entry.chunk = self.chunk;
                    entry.chunks += 1;
                }
            }
            entry.adjacent += 1;
            self.slots.push(slot);
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
        let (mut from, mut to, mut replaced) = (0, 0, 0);
        let mut position = spot.first;
        let (mut before, mut here) = (0, self.urgency(0));
        while from < self.tokens.len() {
            let next = self.urgency(from + 1);
            let (mut token, mut length) = (self.tokens[from], self.lengths[from]);
            let mut price = self.prices.get(from).copied();
            let merge = here > before && here > next;
            if merge {
                let (a, b) = (token, self.tokens[from + 1]);
                length += self.lengths[from + 1];
                price = price.zip(self.prices.get(from + 1)).map(|(a, b)| a + b);
                let slot = self.slots[from];
                token = self.occur(slot, Rule::Pair(a, b), 1, (length, price), position, spot);
                replaced += 1;
            }
            if let Some((arena, derived)) = &mut self.derivation {
                derived[to] = if merge {
                    arena.push(Derived::Pair(derived[from], derived[from + 1]));
                    arena.len() - 1
                } else {
                    derived[from]
                };
            }
            self.set(to, token, length, price);
            position += u64::from(length);
            to += 1;
            if merge {
                from += 2;
                (before, here) = (0, self.urgency(from));
            } else {
                from += 1;
                (before, here) = (here, next);
            }
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

    /// Forgets pairs that were never replaced, and the rarest nodes if there are many.
    fn forget(&mut self) {
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
        let mut pairs = Pairs::new(2 * MANY_PAIRS);
        let mut entries = vec![NEW];
        pairs.insert(NONE, NONE);
        for (slot, entry) in (0..).zip(&self.entries).skip(1) {
            if entry.node == NONE || moved[entry.node as usize] == NONE {
                continue;
            }
            let (a, b) = self.pairs.pair(slot);
            if let (Some(a), Some(b)) = (rename(a), rename(b)) {
                pairs.insert(a, b);
                entries.push(Entry {
                    node: moved[entry.node as usize],
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expand(arena: &[Derived], at: usize, out: &mut Vec<u32>) {
        match &arena[at] {
            Derived::Kind(kind) => out.push(*kind),
            Derived::Pair(a, b) => {
                expand(arena, *a, out);
                expand(arena, *b, out);
            }
            Derived::Loop(parts) => parts.iter().for_each(|&part| expand(arena, part, out)),
        }
    }

    /// Folds and expands, and checks what is said of the parts.
    fn check(grammar: &mut Grammar, events: &[u32]) {
        let symbols: Vec<Symbol> = events.iter().map(|&e| Symbol(e)).collect();
        grammar.derivation = Some((Vec::new(), Vec::new()));
        grammar.push(&symbols, Spot::default(), Some(&[1.0; 100]));
        let Some((arena, derived)) = &grammar.derivation else {
            unreachable!();
        };
        let mut again = Vec::new();
        let pairs = derived.iter().zip(&grammar.tokens).zip(&grammar.lengths);
        for ((&at, &token), &length) in pairs {
            let before = again.len();
            expand(arena, at, &mut again);
            assert_eq!(again.len() - before, length as usize);
            follows(grammar, arena, at, token);
        }
        assert_eq!(again, events);
        for node in &grammar.nodes {
            assert!((node.ns - node.events as f64).abs() < 1e-6);
        }
    }

    /// The derivation is one that the grammar's rules allow.
    fn follows(grammar: &Grammar, arena: &[Derived], at: usize, token: u32) {
        if token & NODE == 0 {
            assert_eq!(arena[at], Derived::Kind(token));
            return;
        }
        match (grammar.nodes[(token & !NODE) as usize].rule, &arena[at]) {
            (Rule::Pair(a, b), Derived::Pair(x, y)) => {
                follows(grammar, arena, *x, a);
                follows(grammar, arena, *y, b);
            }
            (Rule::Loop(a), Derived::Loop(turns)) => {
                assert!(turns.len() >= 2);
                turns
                    .iter()
                    .for_each(|&turn| follows(grammar, arena, turn, a));
            }
            (rule, derived) => panic!("{rule:?} gave {derived:?}"),
        }
    }

    #[test]
    fn nested_loops_become_one_symbol() {
        let mut events = Vec::new();
        for turn in 0..40 {
            events.push(1);
            for _ in 0..2 + turn % 5 {
                events.extend([2, 3]);
            }
            events.push(4);
        }
        let mut grammar = Grammar::new(1);
        check(&mut grammar, &events);
        assert_eq!(grammar.tokens.len(), 1, "{:?}", grammar.nodes);
        let top = &grammar.nodes[(grammar.tokens[0] & !NODE) as usize];
        assert!(matches!(top.rule, Rule::Loop(_)));
        assert_eq!(
            (top.count, top.turns, top.events),
            (1, 40, events.len() as u64)
        );
    }

    #[test]
    fn a_full_dictionary_forgets_what_is_rare() {
        let mut grammar = Grammar::new(3);
        let symbols: Vec<Symbol> = (0..4000_u32).map(|i| Symbol(i % 50)).collect();
        grammar.push(&symbols, Spot::default(), None);
        let frequent = grammar.nodes.iter().map(|n| n.count).max();
        for id in 0..MOST_NODES as u32 {
            let slot = grammar.entry(100 + id, 7);
            grammar.occur(
                slot,
                Rule::Pair(100 + id, 7),
                1,
                (2, None),
                0,
                Spot::default(),
            );
        }
        grammar.push(&symbols, Spot::default(), None);
        assert!(grammar.forgotten > 1000 && grammar.nodes.len() <= MOST_NODES);
        let after = grammar.nodes.iter().map(|n| n.count).max();
        assert!(after > frequent, "{after:?} {frequent:?}");
        for (id, node) in grammar.nodes.iter().enumerate() {
            assert!(parts(node.rule).all(|part| part < id));
        }
    }

    fn sequence() -> impl Strategy<Value = Vec<u32>> {
        let leaf = prop::collection::vec(0..6_u32, 1..6);
        let nested = leaf.prop_recursive(4, 400, 5, |inner| {
            prop_oneof![
                (prop::collection::vec(inner.clone(), 1..4)).prop_map(|parts| parts.concat()),
                (inner, 1..9_usize).prop_map(|(part, times)| part.repeat(times)),
            ]
        });
        nested.prop_filter("not too long", |events| events.len() < 20_000)
    }

    proptest! {
        #[test]
        fn what_is_folded_expands_to_the_same(sequences in prop::collection::vec(sequence(), 1..5)) {
            let mut grammar = Grammar::new(1);
            for events in sequences {
                check(&mut grammar, &events);
            }
        }
    }
}
