//! Observations of all threads: what the whole program does while an invocation lasts.
//!
//! There is one at a time, whichever thread began it; what begins meanwhile is part of it. When it begins and when it ends, the other threads are stopped while
//! their stacks are walked and their counters read, as for a snapshot, so that frames that enter a block on one side and leave it on the other
//! are known. Nothing is stopped in timing runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pricetag_trace::{OpenFrameRecord, Record, Standing, Values};

use crate::compact::Compact;
use crate::frames::{self, Stopped};
use crate::jvm::Jni;
use crate::session::Session;
use crate::values;

/// Whether one is going on.
#[derive(Debug, Default)]
pub struct Together {
    taken: AtomicBool,
    within: AtomicU64,
}

/// What all threads had counted at one moment, and where the frames of the other ones stood, in order.
#[derive(Debug)]
pub struct Moment {
    /// All counters.
    pub counters: Compact,
    /// Frames of counted methods.
    pub standing: Vec<OpenFrameRecord>,
}

impl Together {
    /// Begins an observation; false if one is going on.
    pub fn begin(&self) -> bool {
        let free = !self.taken.swap(true, Ordering::AcqRel);
        if !free {
            self.within.fetch_add(1, Ordering::Relaxed);
        }
        free
    }

    /// Ends it.
    pub fn end(&self) {
        self.taken.store(false, Ordering::Release);
    }

    /// Says how many invocations were part of others.
    pub fn caveat(&self) -> Option<String> {
        let within = self.within.load(Ordering::Relaxed);
        (within > 0).then(|| {
            format!(
                "{within} invocations began while another was observed: what all threads did then is part of that one's row"
            )
        })
    }
}

/// All counters as an invocation begins. Forgets the values taken and the exceptions that arrived before.
pub fn before(session: &Session, jni: Jni) -> Moment {
    let stopped = frames::stop_others(session, jni);
    if session.options.values > 0 {
        session.chunks.forget_values(session, jni);
        session.values.forget();
    }
    session.caught.forget();
    moment(session, jni, stopped)
}

/// All counters as an invocation ends, and what else is known of it.
pub fn after(session: &Session, jni: Jni, sequence: u64) -> (Moment, Vec<Record>) {
    let stopped = frames::stop_others(session, jni);
    let caught = session.caught.record(session, Some(sequence));
    let mut variables = session.values.all();
    let moment = moment(session, jni, stopped);
    if session.options.values > 0 {
        variables.extend(values::depths_of(session, &moment.counters));
        variables.sort_by(|a, b| a.place.cmp(&b.place));
    }
    let invocation = Some(sequence);
    let values = (!variables.is_empty()).then_some(Record::Values(Values {
        invocation,
        variables,
    }));
    (moment, caught.into_iter().chain(values).collect())
}

fn moment(session: &Session, jni: Jni, stopped: Stopped<'_>) -> Moment {
    let mut standing = frames::of_others(session, jni, &stopped);
    let totals = session.chunks.peek(session, jni);
    drop(stopped);
    standing.sort();
    let mut counters = Compact::default();
    for (class, chunk) in &totals.counters {
        let chunk: Vec<i64> = chunk.iter().map(|count| *count as i64).collect();
        counters.push(*class, &chunk);
    }
    counters.shrink();
    Moment { counters, standing }
}

/// The frames that stood on one side only; both lists are in order. Those that were running are on both, since what they have counted may not be.
pub fn standing(
    sequence: u64,
    before: Vec<OpenFrameRecord>,
    after: Vec<OpenFrameRecord>,
) -> Option<Record> {
    let (mut left, mut entered) = (Vec::new(), Vec::new());
    let (mut before, mut after) = (before.into_iter().peekable(), after.into_iter().peekable());
    loop {
        match (before.peek(), after.peek()) {
            (Some(then), Some(now)) if then == now && !then.running => {
                before.next();
                after.next();
            }
            (Some(then), Some(now)) if then > now => entered.extend(after.next()),
            (Some(_), _) => left.extend(before.next()),
            (None, Some(_)) => entered.extend(after.next()),
            (None, None) => break,
        }
    }
    let any = !left.is_empty() || !entered.is_empty();
    any.then_some(Record::Standing(Standing {
        invocation: sequence,
        before: left,
        after: entered,
    }))
}

#[cfg(test)]
mod tests {
    use pricetag_probe_plan::{ClassHash, Pc};

    use super::*;

    fn frames(pcs: &[u16]) -> Vec<OpenFrameRecord> {
        let frame = |pc: &u16| OpenFrameRecord {
            hash: ClassHash(1),
            method: 0,
            pc: Pc(*pc),
            running: false,
        };
        pcs.iter().map(frame).collect()
    }

    #[test]
    fn what_was_running_does_not_cancel() {
        let mut both = frames(&[3, 5]);
        both[1].running = true;
        let Some(Record::Standing(found)) = standing(7, both.clone(), both.clone()) else {
            panic!("a frame that was running is told");
        };
        assert_eq!(
            (&found.before[..], &found.after[..]),
            (&both[1..], &both[1..])
        );
    }

    #[test]
    fn what_stands_on_both_sides_cancels() {
        let of = |before: &[u16], after: &[u16]| standing(7, frames(before), frames(after));
        assert_eq!(of(&[1, 2, 2], &[1, 2, 2]), None);
        assert_eq!(of(&[], &[]), None);
        let expected = Record::Standing(Standing {
            invocation: 7,
            before: frames(&[2, 5]),
            after: frames(&[3, 3, 9]),
        });
        assert_eq!(of(&[1, 2, 2, 5], &[1, 2, 3, 3, 9]), Some(expected));
    }
}
