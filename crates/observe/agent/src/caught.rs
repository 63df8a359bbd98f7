//! Which exceptions arrive at the handlers of counted code, by their class.
//!
//! The stub before a handler counts the arrival and then reports it here. A report may fail where the stack has no room, or come too late: what is
//! missing against the handler's counter is not attributed, and the reader says so. At the end the reports are read before the counters,
//! so that there are never more of them.
//!
//! Classes are kept by name, so that none stays loaded for it. Without method scopes arrivals are summed over the run; with scopes they belong
//! to the invocations that are active on the thread, or to the one that is observed on all. The table's lock is never held while the JVM is called.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use pricetag_probe_plan::CounterIndex;
use pricetag_trace::{Arrivals, Caught as Reported, Record};

use crate::classes::ClassIndex;
use crate::jvm::{Jni, jobject};
use crate::session::{Session, lock};
use crate::threads;
use crate::unobserved;

/// Combinations of handler and class at most; what is above is not attributed.
const MOST: usize = 1 << 16;

/// A handler and a class; index into [`Table::pairs`].
type Pair = u32;

/// Arrivals of one invocation.
pub type Own = BTreeMap<Pair, u64>;

/// All arrivals of the run.
#[derive(Debug, Default)]
pub struct Caught {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// Numbers of the classes, by internal name.
    types: HashMap<String, u32>,
    names: Vec<String>,
    /// By class of the handler, its counter, and number of the exception's class.
    known: HashMap<(ClassIndex, u32, u32), Pair>,
    pairs: Vec<(ClassIndex, u32, u32)>,
    /// By pair, without method scopes.
    counts: Vec<u64>,
}

impl Table {
    /// The number of a pair, if there is room for it.
    fn pair(&mut self, class: ClassIndex, handler: u32, name: String) -> Option<Pair> {
        let room = self.pairs.len() < MOST;
        let kind = match self.types.get(&name) {
            Some(kind) => *kind,
            None if !room => return None,
            None => {
                let next = self.names.len() as u32;
                self.names.push(name.clone());
                self.types.insert(name, next);
                next
            }
        };
        let key = (class, handler, kind);
        if let Some(pair) = self.known.get(&key) {
            return Some(*pair);
        }
        if !room {
            return None;
        }
        let next = self.pairs.len() as Pair;
        self.known.insert(key, next);
        self.pairs.push(key);
        self.counts.push(0);
        Some(next)
    }

    fn arrivals(
        &self,
        session: &Session,
        counts: impl Iterator<Item = (Pair, u64)>,
    ) -> Vec<Arrivals> {
        let found = counts.filter_map(|(pair, count)| {
            let (class, handler, kind) = self.pairs[pair as usize];
            Some(Arrivals {
                hash: session.classes.get(class)?.hash,
                handler: CounterIndex(handler),
                class: self.names[kind as usize].clone(),
                count,
            })
        });
        let mut found: Vec<Arrivals> = found.filter(|here| here.count > 0).collect();
        found.sort();
        found
    }
}

impl Caught {
    /// An exception has arrived at the handler with this counter.
    pub fn arrive(
        &self,
        session: &Session,
        jni: Jni,
        exception: jobject,
        (class, handler): (ClassIndex, u32),
    ) {
        if exception.is_null() || unobserved::is_running() {
            return;
        }
        let kind = jni.class_of(exception);
        let name = session.jvmti.class_name(kind);
        jni.delete_local(kind);
        let Some(name) = name.map(|name| name.plain) else {
            return;
        };
        let scoped = session.scopes.by_thread();
        let pair = {
            let mut table = lock(&self.table);
            let pair = table.pair(class, handler, name);
            if let (Some(pair), false) = (pair, scoped) {
                table.counts[pair as usize] += 1;
            }
            pair
        };
        if let (Some(pair), true) = (pair, scoped) {
            threads::with(session, jni, |thread| {
                for active in &mut thread.active {
                    *active.caught.entry(pair).or_default() += 1;
                }
            });
        }
    }

    /// Forgets all arrivals.
    pub fn forget(&self) {
        lock(&self.table).counts.fill(0);
    }

    /// The arrivals of the whole run so far, or since they were forgotten as an observation of all threads began; none unless they are wanted.
    pub fn record(&self, session: &Session, invocation: Option<u64>) -> Option<Record> {
        if !session.options.caught || (invocation.is_none() && session.scopes.any()) {
            return None;
        }
        let table = lock(&self.table);
        let counts = (0..).zip(table.counts.iter().copied());
        Some(Record::Caught(Reported {
            invocation,
            arrivals: table.arrivals(session, counts),
        }))
    }

    /// The arrivals of one invocation.
    pub fn record_of(&self, session: &Session, sequence: u64, own: &Own) -> Record {
        Record::Caught(Reported {
            invocation: Some(sequence),
            arrivals: self.of(session, own),
        })
    }

    /// The arrivals of one invocation so far.
    pub fn of(&self, session: &Session, own: &Own) -> Vec<Arrivals> {
        let counts = own.iter().map(|(pair, count)| (*pair, *count));
        lock(&self.table).arrivals(session, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_bounded_and_known_ones_stay_known() {
        let mut table = Table::default();
        let class = ClassIndex(3);
        let first = table.pair(class, 0, "A".to_owned());
        for handler in 1..MOST as u32 {
            assert!(table.pair(class, handler, "A".to_owned()).is_some());
        }
        assert_eq!(table.pair(class, MOST as u32, "A".to_owned()), None);
        assert_eq!(table.pair(class, 0, "B".to_owned()), None);
        assert_eq!(table.names, ["A"]);
        assert_eq!(table.pair(class, 0, "A".to_owned()), first);
    }
}
