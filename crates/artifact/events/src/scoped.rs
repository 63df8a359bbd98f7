//! Calls of a scope among the events: where each begins and ends.
//!
//! A recorder that observes a scope writes the events of its calls alone. A mark says at which event of its thread a call begins or ends, so that the events of one call can
//! be told from those of the next. Calls may stand within each other where there are several scopes.

use std::collections::BTreeMap;

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
    pub(crate) const ALL: [Self; 3] = [Self::Begins, Self::Ends, Self::GivenUp];

    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Begins => 0,
            Self::Ends => 1,
            Self::GivenUp => 2,
        }
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
}
