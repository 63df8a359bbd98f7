//! Where sequences of a known shape stand: all of them at once, in one pass.
//!
//! A shape is an automaton of positions (Glushkov 1961): one per invocation, and what may follow it. A loop's body stands there twice, since it
//! turns at least twice; below [`DEEP`] loops it stands there once, and may turn once. Of several occurrences that overlap the one that begins first counts, and as long as it
//! lasts (as POSIX matches). Each step keeps, per position, only the earliest beginning (Pike's simulation of Thompson 1968), so time is linear in the number of events.
//!
//! The grammar that found a sequence may have counted fewer occurrences: what stands within another sequence, or across two of its chunks, it may have folded otherwise.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use pricetag_events::{Symbol, ThreadId};

use super::shape::{Part, Shape};

/// Loops within loops whose bodies stand there twice.
const DEEP: usize = 3;

/// An occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The number of its shape.
    pub shape: usize,
    /// The thread.
    pub thread: ThreadId,
    /// Its events, by their numbers in the thread.
    pub events: Range<u64>,
}

/// Positions of a shape; the first is where it begins.
struct Automaton {
    labels: Vec<Symbol>,
    follow: Vec<Vec<u32>>,
    last: u32,
}

/// Finds shapes in events that come block by block.
pub struct Finder {
    shapes: Vec<Automaton>,
    /// By kind, the shapes that begin with it.
    begin: Vec<Vec<u32>>,
    threads: BTreeMap<ThreadId, Thread>,
}

/// Where a thread stands.
struct Thread {
    next: u64,
    going: Vec<Going>,
    /// Shapes that may go on.
    awake: Vec<u32>,
}

/// What may become occurrences of one shape.
#[derive(Clone, Default)]
struct Going {
    /// Positions, each with where the earliest occurrence that is there began.
    at: Vec<(u32, u64)>,
    next: Vec<(u32, u64)>,
    /// The longest so far, one behind the other: each waits for those that began before it.
    whole: VecDeque<Range<u64>>,
}

impl Finder {
    /// Looks for these; `kinds` is how many kinds of invocation there are.
    pub fn new<'s>(shapes: impl IntoIterator<Item = Option<&'s Shape>>, kinds: usize) -> Self {
        let mut begin = vec![Vec::new(); kinds];
        let mut automata = Vec::new();
        for (number, shape) in shapes.into_iter().enumerate() {
            let automaton = shape.map(Automaton::new).unwrap_or_default();
            let first = automaton.labels.first();
            if let Some(begin) = first.and_then(|kind| begin.get_mut(kind.index())) {
                begin.push(number as u32);
            }
            automata.push(automaton);
        }
        Self {
            shapes: automata,
            begin,
            threads: BTreeMap::new(),
        }
    }

    /// Takes the next events of a thread; `first` is the number of the first one. No occurrence spans what was left out.
    pub fn block(
        &mut self,
        thread: ThreadId,
        first: u64,
        events: &[Symbol],
        found: &mut impl FnMut(Occurrence),
    ) {
        let state = self.threads.entry(thread).or_insert_with(|| Thread {
            next: first,
            going: vec![Going::default(); self.shapes.len()],
            awake: Vec::new(),
        });
        if state.next != first {
            state.end(thread, found);
        }
        state.next = first + events.len() as u64;
        for (at, &event) in (first..).zip(events) {
            let begin = self.begin.get(event.index()).map_or(&[][..], Vec::as_slice);
            if begin.is_empty() && state.awake.is_empty() {
                continue;
            }
            for &shape in begin {
                if !state.awake.contains(&shape) {
                    state.awake.push(shape);
                }
            }
            let Thread { going, awake, .. } = state;
            awake.retain(|&shape| {
                let number = shape as usize;
                going[number].step(&self.shapes[number], event, at, |events| {
                    found(Occurrence {
                        shape: number,
                        thread,
                        events,
                    });
                });
                !going[number].at.is_empty()
            });
        }
    }

    /// What is still going on ends.
    pub fn finish(mut self, found: &mut impl FnMut(Occurrence)) {
        for (thread, state) in &mut self.threads {
            state.end(*thread, found);
        }
    }
}

impl Thread {
    fn end(&mut self, thread: ThreadId, found: &mut impl FnMut(Occurrence)) {
        for (shape, going) in self.going.iter_mut().enumerate() {
            going.at.clear();
            for events in going.whole.drain(..) {
                found(Occurrence {
                    shape,
                    thread,
                    events,
                });
            }
        }
        self.awake.clear();
    }
}

impl Going {
    /// Takes an event; tells the occurrences that are certain now.
    fn step(
        &mut self,
        automaton: &Automaton,
        event: Symbol,
        at: u64,
        mut tell: impl FnMut(Range<u64>),
    ) {
        self.next.clear();
        for &(position, start) in &self.at {
            for &follower in &automaton.follow[position as usize] {
                if automaton.labels[follower as usize] == event {
                    arrive(&mut self.next, follower, start);
                }
            }
        }
        if automaton.labels.first() == Some(&event) {
            arrive(&mut self.next, 0, at);
        }
        std::mem::swap(&mut self.at, &mut self.next);
        let whole = self.at.iter().find(|(p, _)| *p == automaton.last);
        if let Some(&(_, start)) = whole {
            while self.whole.back().is_some_and(|other| other.start >= start) {
                self.whole.pop_back();
            }
            self.whole.push_back(start..at + 1);
            self.at.retain(|(_, other)| *other <= start);
        }
        let earliest = self.at.iter().map(|(_, start)| *start).min();
        let earliest = earliest.unwrap_or(u64::MAX);
        while let Some(first) = self.whole.pop_front_if(|first| first.start < earliest) {
            tell(first);
        }
    }
}

/// Of two that are at one position the earlier one goes on.
fn arrive(places: &mut Vec<(u32, u64)>, position: u32, start: u64) {
    match places.iter_mut().find(|(p, _)| *p == position) {
        Some((_, earliest)) => *earliest = start.min(*earliest),
        None => places.push((position, start)),
    }
}

impl Default for Automaton {
    /// Nothing is found.
    fn default() -> Self {
        Self {
            labels: Vec::new(),
            follow: Vec::new(),
            last: u32::MAX,
        }
    }
}

impl Automaton {
    fn new(shape: &Shape) -> Self {
        let mut automaton = Self::default();
        if let Some((_, last)) = automaton.sequence(&shape.parts, 0) {
            automaton.last = last;
        }
        automaton
    }

    /// Adds parts in order; the first and the last position.
    fn sequence(&mut self, parts: &[Part], depth: usize) -> Option<(u32, u32)> {
        let mut ends: Option<(u32, u32)> = None;
        for part in parts {
            let (first, last) = match part {
                Part::Call(symbol) => {
                    let position = self.labels.len() as u32;
                    self.labels.push(*symbol);
                    self.follow.push(Vec::new());
                    (position, position)
                }
                Part::Loop(body) => self.turns(body, depth + 1)?,
            };
            if let Some((_, before)) = ends {
                self.follow[before as usize].push(first);
            }
            ends = Some((ends.map_or(first, |(begin, _)| begin), last));
        }
        ends
    }

    fn turns(&mut self, body: &[Part], depth: usize) -> Option<(u32, u32)> {
        let (begin, mut end) = self.sequence(body, depth)?;
        let mut again = begin;
        if depth <= DEEP {
            let (first, last) = self.sequence(body, depth)?;
            self.follow[end as usize].push(first);
            (again, end) = (first, last);
        }
        self.follow[end as usize].push(again);
        Some((begin, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Ends of all ways in which parts stand at a place, by trying all of them.
    fn ends(parts: &[Part], text: &[u32], from: usize) -> Vec<usize> {
        let mut here = vec![from];
        for part in parts {
            let mut next = Vec::new();
            for &at in &here {
                match part {
                    Part::Call(symbol) => {
                        if text.get(at) == Some(&symbol.0) {
                            next.push(at + 1);
                        }
                    }
                    Part::Loop(body) => {
                        let mut turn = ends(body, text, at);
                        while !turn.is_empty() {
                            turn = turn.iter().flat_map(|&at| ends(body, text, at)).collect();
                            turn.sort_unstable();
                            turn.dedup();
                            next.extend(&turn);
                        }
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            here = next;
        }
        here
    }

    /// From the left, the longest at each place.
    fn by_trying(parts: &[Part], text: &[u32]) -> Vec<Range<u64>> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < text.len() {
            match ends(parts, text, at).last() {
                Some(&end) => {
                    out.push(at as u64..end as u64);
                    at = end;
                }
                None => at += 1,
            }
        }
        out
    }

    fn found(shapes: &[Shape], text: &[u32], cut: usize) -> Vec<Vec<Range<u64>>> {
        let mut out = vec![Vec::new(); shapes.len()];
        let mut finder = Finder::new(shapes.iter().map(Some), 10);
        let mut add = |occurrence: Occurrence| out[occurrence.shape].push(occurrence.events);
        let symbols: Vec<Symbol> = text.iter().map(|&t| Symbol(t)).collect();
        let mut first = 0;
        for part in symbols.chunks(cut) {
            finder.block(ThreadId(1), first, part, &mut add);
            first += part.len() as u64;
        }
        finder.finish(&mut add);
        out
    }

    fn part() -> impl Strategy<Value = Part> {
        let call = (0_u32..3).prop_map(|s| Part::Call(Symbol(s)));
        call.prop_recursive(3, 8, 3, |inner| {
            prop::collection::vec(inner, 1..4).prop_map(Part::Loop)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn all_are_found(shapes in prop::collection::vec(prop::collection::vec(part(), 1..4), 1..4), text in prop::collection::vec(0_u32..3, 0..60), cut in 1_usize..20) {
            let shapes: Vec<Shape> = shapes.into_iter().map(|parts| Shape { parts }).collect();
            let told = found(&shapes, &text, cut);
            for (shape, told) in shapes.iter().zip(told) {
                prop_assert_eq!(told, by_trying(&shape.parts, &text), "{:?}", shape);
            }
        }
    }

    #[test]
    fn a_gap_ends_an_occurrence() {
        let call = |s| Part::Call(Symbol(s));
        let shape = Shape {
            parts: vec![call(0), Part::Loop(vec![call(1)])],
        };
        let mut finder = Finder::new([Some(&shape), None], 2);
        let mut out = Vec::new();
        let mut add = |occurrence: Occurrence| out.push(occurrence.events);
        let events: Vec<Symbol> = [0, 1, 1, 1].map(Symbol).to_vec();
        finder.block(ThreadId(1), 0, &events, &mut add);
        finder.block(ThreadId(2), 0, &events[..2], &mut add);
        finder.block(ThreadId(1), 9, &events[1..], &mut add);
        finder.block(ThreadId(2), 2, &events[1..], &mut add);
        finder.finish(&mut add);
        assert_eq!(out, [0..4, 0..5]);
        assert_eq!(shape.kinds(), [Symbol(0), Symbol(1)]);
    }
}
