//! Looks into invocations while they go on, by which it is learnt when in an invocation each feature is final.
//!
//! One invocation at a time is looked into, those with three significant binary digits in their number: all of the first eight, four in each octave
//! from there on. The helper counts the calls that the invoking thread makes of it (method entries and assignments) and calls `epoch` after each interval. A
//! look holds what the thread has counted since the invocation began, and the invocation's own frames: those above the depth of the stack at its entry. No other
//! thread is stopped, and no clock has a say in it.

use std::sync::atomic::{AtomicBool, Ordering};

use pricetag_trace::{Look, OpenFrameRecord};

use crate::chunks::Chunks;
use crate::compact::Compact;
use crate::costs::classes_loaded;
use crate::frames;
use crate::intervals::Intervals;
use crate::jvm::Jni;
use crate::scope::{Changes, changes};
use crate::session::Session;
use crate::threads::{self, Active};
use crate::unobserved;
use crate::values;

/// Calls in the first intervals.
const FIRST: i32 = 1;
/// Significant binary digits in the number of an invocation that is looked into.
const DIGITS: u32 = 3;

/// Whether an invocation is being looked into.
#[derive(Debug, Default)]
pub struct Watch {
    busy: AtomicBool,
}

/// Looks into one invocation.
#[derive(Debug)]
pub struct Looks {
    /// Frames of the thread below the invocation's own.
    below: usize,
    intervals: Intervals<Look>,
}

/// Whether the invocation of that number is looked into, if no other is.
fn is_chosen(sequence: u64) -> bool {
    let insignificant = (u64::BITS - sequence.leading_zeros()).saturating_sub(DIGITS);
    sequence >> insignificant << insignificant == sequence
}

/// Begins to look into an invocation of the current thread, if it is to be looked into. To be called from a native method that the invoked one has called.
pub fn begin(session: &Session, jni: Jni, sequence: u64) -> Option<Looks> {
    if !session.looks_wanted() || !is_chosen(sequence) {
        return None;
    }
    let helper = session.runtime.get()?.helper?;
    let thread = session.jvmti.current_thread()?;
    // The native method and the invoked one stand on top.
    let below = session.jvmti.frame_count(thread)?.checked_sub(2)?;
    if session.watch.busy.swap(true, Ordering::AcqRel) {
        return None;
    }
    jni.set_static_int_field(helper.class.0, helper.left, 0);
    jni.set_static_object_field(helper.class.0, helper.watched, thread);
    Some(Looks {
        below,
        intervals: Intervals::new(FIRST),
    })
}

/// Ends it: the looks, in their order.
pub fn end(session: &Session, jni: Jni, looks: Looks) -> Vec<Look> {
    release(session, jni);
    looks.intervals.into_kept()
}

/// Lets another invocation be looked into.
pub fn release(session: &Session, jni: Jni) {
    if let Some(helper) = session.runtime.get().and_then(|runtime| runtime.helper) {
        let none = std::ptr::null_mut();
        jni.set_static_object_field(helper.class.0, helper.watched, none);
    }
    session.watch.busy.store(false, Ordering::Release);
}

/// An interval is over: how many calls the next one has.
pub fn epoch(session: &Session, jni: Jni) -> i32 {
    let due = watched(session, jni, |active, looks| {
        let due = looks.intervals.advance();
        due.then_some((looks.below, active.classes))
    });
    let Some(due) = due else {
        return i32::MAX;
    };
    if let (Some((below, classes)), false) = (due, unobserved::is_running()) {
        let now = Chunks::end(session, jni).unwrap_or_default();
        let open = frames::above(session, jni, below);
        let classes = classes_loaded(session, jni).saturating_sub(classes);
        watched(session, jni, |active, looks| {
            let look = look(session, active, &now, open, classes);
            looks.intervals.keep(look);
        });
    }
    watched(session, jni, |_, looks| looks.intervals.begin()).unwrap_or(i32::MAX)
}

/// Works on the current thread's invocation that is looked into.
fn watched<R>(
    session: &Session,
    jni: Jni,
    action: impl FnOnce(&mut Active, &mut Looks) -> R,
) -> Option<R> {
    threads::with(session, jni, |thread| {
        let active = thread
            .active
            .iter_mut()
            .find(|active| active.looks.is_some())?;
        let mut looks = active.looks.take()?;
        let result = action(active, &mut looks);
        active.looks = Some(looks);
        Some(result)
    })
}

fn look(
    session: &Session,
    active: &Active,
    now: &Compact,
    open: Vec<OpenFrameRecord>,
    classes: u64,
) -> Look {
    let before = active.began.as_ref();
    let depths = values::depths_of(session, now);
    let changed = before.map_or_else(Changes::default, |before| {
        changes(session, &before.counters, now)
    });
    Look {
        invocation: active.sequence,
        counters: changed.counters,
        open,
        values: session.values.of(&active.values, depths),
        caught: session
            .options
            .caught
            .then(|| session.caught.of(session, &active.caught)),
        classes_loaded: u32::try_from(classes).unwrap_or(u32::MAX),
        called: session.options.by_caller().then_some(changed.called),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ever_fewer_invocations_are_looked_into() {
        let chosen: Vec<u64> = (0..40).filter(|n| is_chosen(*n)).collect();
        assert_eq!(
            chosen,
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32]
        );
        assert_eq!((0..1_000_000).filter(|n| is_chosen(*n)).count(), 8 + 4 * 17);
        assert!(!is_chosen(u64::MAX));
    }
}
