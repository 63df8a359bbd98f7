//! Calls of a scope among the events: where each begins and ends.
//!
//! A recorder that observes a scope writes the events of its calls alone. A mark says at which event of its thread a call begins or ends, so that the events of one call can
//! be told from those of the next. Calls may stand within each other where there are several scopes.

use std::collections::BTreeMap;

use crate::coding::{number, take_number};
use crate::facts::ThreadId;

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// The call begins.
    Begins,
    /// It ends.
    Ends,
    /// It ended unseen, as when the stack was full: no row is of it.
    GivenUp,
}

impl Edge {
    const ALL: [Self; 3] = [Self::Begins, Self::Ends, Self::GivenUp];

    /// Its number in files and logs.
    pub fn number(self) -> u8 {
        match self {
            Self::Begins => 0,
            Self::Ends => 1,
            Self::GivenUp => 2,
        }
    }

    /// The one of a number.
    pub fn of(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Where a call of a scope begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its thread.
    pub thread: ThreadId,
    /// Which call: the order of their entries over all threads, from 0.
    pub call: u64,
    /// Begin or end.
    pub edge: Edge,
    /// Number in the thread of the event that follows; what was left out is numbered, too.
    pub at: u64,
}

/// Appends marks of one thread, each less the one before: its edge, its call, its place. Calls that follow each other repeat themselves so.
pub(crate) fn encode(marks: &[Mark], out: &mut Vec<u8>) {
    let (mut call, mut at) = (0, 0);
    for mark in marks {
        number(out, u64::from(mark.edge.number()));
        number(out, zigzag(mark.call.wrapping_sub(call)));
        number(out, zigzag(mark.at.wrapping_sub(at)));
        (call, at) = (mark.call, mark.at);
    }
}

/// Most bytes of a mark.
pub(crate) const LONGEST_MARK: usize = 1 + 10 + 10;

/// Reads `count` marks of a thread; none if the bytes are no such.
pub(crate) fn decode(mut bytes: &[u8], thread: ThreadId, count: usize) -> Option<Vec<Mark>> {
    let (mut call, mut at) = (0_u64, 0_u64);
    let mut marks = Vec::new();
    for _ in 0..count {
        let edge = Edge::of(take_number(&mut bytes)?)?;
        call = call.wrapping_add(unzigzag(take_number(&mut bytes)?));
        at = at.wrapping_add(unzigzag(take_number(&mut bytes)?));
        marks.push(Mark {
            thread,
            call,
            edge,
            at,
        });
    }
    bytes.is_empty().then_some(marks)
}

/// A small number of a small difference, whatever its sign.
fn zigzag(difference: u64) -> u64 {
    let signed = difference as i64;
    (signed << 1 ^ signed >> 63) as u64
}

fn unzigzag(number: u64) -> u64 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

/// A call of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeCall {
    /// Its thread.
    pub thread: ThreadId,
    /// The order of entries over all threads, from 0.
    pub call: u64,
    /// Number in the thread of its first event.
    pub from: u64,
    /// Number in the thread of the first event behind it.
    pub to: u64,
}

/// The calls that have both their ends, in the order in which they began.
pub fn scope_calls(marks: &[Mark]) -> Vec<ScopeCall> {
    let mut begun: BTreeMap<u64, Mark> = BTreeMap::new();
    let mut calls = Vec::new();
    for mark in marks {
        match mark.edge {
            Edge::Begins => {
                begun.insert(mark.call, *mark);
            }
            Edge::GivenUp => {
                begun.remove(&mark.call);
            }
            Edge::Ends => {
                let begin = begun.remove(&mark.call);
                calls.extend(
                    begin
                        .filter(|b| b.thread == mark.thread)
                        .map(|b| ScopeCall {
                            thread: b.thread,
                            call: b.call,
                            from: b.at,
                            to: mark.at,
                        }),
                );
            }
        }
    }
    calls.sort_by_key(|call| call.call);
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_a_begin_and_an_end_and_may_stand_within_each_other() {
        let mark = |thread, call, edge, at| Mark {
            thread: ThreadId(thread),
            call,
            edge,
            at,
        };
        let found = scope_calls(&[
            mark(1, 0, Edge::Begins, 5),
            mark(2, 1, Edge::Begins, 0),
            mark(1, 2, Edge::Begins, 7),
            mark(1, 2, Edge::Ends, 9),
            mark(1, 0, Edge::Ends, 12),
            mark(2, 1, Edge::GivenUp, 3),
            mark(2, 3, Edge::Begins, 4),
        ]);
        let told: Vec<_> = found.iter().map(|c| (c.call, c.from, c.to)).collect();
        assert_eq!(told, [(0, 5, 12), (2, 7, 9)]);
    }

    #[test]
    fn marks_are_read_as_they_were_written() {
        let numbers = [0, 1, 77, u64::MAX, 3, 1 << 63];
        let thread = ThreadId(4);
        let mut marks = Vec::new();
        for (call, at) in numbers.into_iter().zip(numbers.into_iter().rev()) {
            for edge in Edge::ALL {
                assert_eq!(Edge::of(edge.number().into()), Some(edge));
                marks.push(Mark {
                    thread,
                    call,
                    edge,
                    at,
                });
            }
        }
        let mut bytes = Vec::new();
        encode(&marks, &mut bytes);
        assert!(bytes.len() <= marks.len() * LONGEST_MARK);
        assert_eq!(decode(&bytes, thread, marks.len()), Some(marks.clone()));
        assert_eq!(decode(&bytes, thread, marks.len() - 1), None);
        assert_eq!(decode(&bytes[1..], thread, marks.len()), None);
        assert_eq!(decode(&[3, 0, 0], thread, 1), None);
    }
}
