//! What is going on on each Java thread, for observations.
//!
//! Platform threads keep it in the storage of their OS thread. A virtual thread may move to another OS thread inside an
//! observation, so its state lies in a table under its Java thread id, for as long as an observation is active on it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

use pricetag_trace::Argument;

use crate::caught;
use crate::jvm::Jni;
use crate::looks::Looks;
use crate::session::{Session, lock};
use crate::together::Moment;
use crate::values::Own;

/// First release with virtual threads, and with the JNI function that recognises them.
const FIRST_WITH_VIRTUAL: u16 = 21;

/// By so many bytes the same call may find the native stack elsewhere once methods are compiled, or no longer are.
const NEAR: usize = 256;

thread_local! {
    static PLATFORM: RefCell<ThreadState> = RefCell::default();
}

/// What is going on on one thread.
#[derive(Debug, Default)]
pub struct ThreadState {
    /// Its number, once it has been observed.
    pub serial: Option<u32>,
    /// Arguments reported since the last `enter`.
    pub arguments: Vec<Argument>,
    /// Which invocations of each scope are active.
    pub nests: BTreeMap<i32, Nest>,
    /// Observations that have begun, outer before inner.
    pub active: Vec<Active>,
}

impl ThreadState {
    /// The outermost invocation of a scope ends. Takes out its observation, and those that began within it, which must be over.
    pub fn end(&mut self, scope: i32) -> Option<(Active, Vec<Active>)> {
        let at = self
            .active
            .iter()
            .rposition(|active| active.scope == scope)?;
        let mut over = self.active.drain(at..);
        let active = over.next()?;
        Some((active, over.collect()))
    }
}

/// Invocations of one scope within one another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nest {
    /// How many have begun, but for those whose ends were reported.
    pub depth: u32,
    /// Where the native stack was when the outermost began.
    pub place: usize,
    /// Whether one has ended by an exception, and another one not: there may be more that have ended, but could not report it.
    pub doubtful: bool,
}

impl Nest {
    /// An invocation begins where the native stack is at `place`: whether it seems to be the outermost, which a look at the frames may refute.
    pub fn begin(&mut self, place: usize) -> bool {
        self.depth += 1;
        if self.depth == 1 {
            self.place = place;
            return true;
        }
        place > self.place + NEAR || (self.doubtful && place + NEAR >= self.place)
    }

    /// An invocation ends: whether it is the outermost.
    pub fn end(&mut self, threw: bool) -> bool {
        let outermost = self.depth == 1;
        self.depth = self.depth.saturating_sub(1);
        self.doubtful = self.depth > 0 && (self.doubtful || threw);
        outermost
    }

    /// So many invocations are active, by the frames, the last of which has just begun.
    pub fn correct(&mut self, depth: u32, place: usize) {
        self.place = if depth == 1 {
            place
        } else {
            // Higher it is on a virtual thread that has moved.
            self.place.max(place)
        };
        self.depth = depth;
        self.doubtful = false;
    }
}

/// An observation that has begun.
#[derive(Debug)]
pub struct Active {
    /// Which scope.
    pub scope: i32,
    /// Order of entry over all threads.
    pub sequence: u64,
    /// What is known of its arguments.
    pub arguments: Vec<Argument>,
    /// What was counted on entry; only in counting runs.
    pub began: Option<Moment>,
    /// First values of variables; only in counting runs.
    pub values: Own,
    /// Exceptions where they are caught; only in counting runs.
    pub caught: caught::Own,
    /// Looks into it while it goes on, if that is wanted.
    pub looks: Option<Looks>,
    /// Collections so far.
    pub collections: u32,
    /// Classes loaded so far.
    pub classes: u64,
    /// Bytes the thread had allocated.
    pub allocated: u64,
    /// CPU time of the thread.
    pub cpu: u64,
    /// Time of entry.
    pub start: Instant,
}

/// The states of virtual threads, and numbers for all threads.
#[derive(Debug, Default)]
pub struct Threads {
    serials: AtomicU32,
    virtuals: Mutex<HashMap<i64, ThreadState>>,
    told: AtomicBool,
}

impl Threads {
    /// A number for a thread that has none.
    pub fn next_serial(&self) -> u32 {
        self.serials.fetch_add(1, Ordering::Relaxed)
    }
}

/// The Java thread id of the current thread if it is virtual.
pub fn virtual_id(session: &Session, jni: Jni) -> Option<i64> {
    if session.feature < FIRST_WITH_VIRTUAL {
        return None;
    }
    let thread = session.jvmti.current_thread()?;
    let id = if jni.is_virtual(thread) {
        session.runtime.get()?.id_of(jni, thread)
    } else {
        None
    };
    jni.delete_local(thread);
    id
}

/// Says, once, what is not known of an invocation if it begins on a virtual thread.
pub fn announce(session: &Session, jni: Jni) {
    let told = &session.scopes.threads.told;
    if !told.load(Ordering::Relaxed)
        && is_virtual(session, jni)
        && !told.swap(true, Ordering::Relaxed)
    {
        session
            .inexact("CPU time and allocation of invocations on virtual threads are not measured");
    }
}

/// Whether the current thread is virtual.
pub fn is_virtual(session: &Session, jni: Jni) -> bool {
    if session.feature < FIRST_WITH_VIRTUAL {
        return false;
    }
    let thread = session.jvmti.current_thread();
    thread.is_some_and(|thread| {
        let found = jni.is_virtual(thread);
        jni.delete_local(thread);
        found
    })
}

/// Works on the state of the current thread; `action` must not call the JVM.
pub fn with<R>(session: &Session, jni: Jni, action: impl FnOnce(&mut ThreadState) -> R) -> R {
    let Some(id) = virtual_id(session, jni) else {
        return PLATFORM.with_borrow_mut(action);
    };
    let mut virtuals = lock(&session.scopes.threads.virtuals);
    let state = virtuals.entry(id).or_default();
    let result = action(state);
    if state.active.is_empty()
        && state.arguments.is_empty()
        && state.nests.values().all(|nest| nest.depth == 0)
    {
        virtuals.remove(&id);
    }
    result
}

/// What was going on on the current thread, which ends; none if that is gone already, as it is when a native thread detaches last of all.
pub fn leave(session: &Session, jni: Jni) -> Option<ThreadState> {
    match virtual_id(session, jni) {
        Some(id) => lock(&session.scopes.threads.virtuals).remove(&id),
        None => PLATFORM.try_with(RefCell::take).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{NEAR, Nest};

    #[test]
    fn frames_are_asked_for_only_if_an_end_may_be_missing() {
        let (mut nest, top) = (Nest::default(), 1 << 20);
        assert!(nest.begin(top));
        // Nothing has thrown: what is near may be inlined.
        assert!(!nest.begin(top) && !nest.begin(top - 2 * NEAR));
        assert!(!nest.end(false));
        assert!(!nest.end(true), "caught by the outermost");
        assert!(nest.begin(top - 1) && nest.doubtful);
        nest.correct(2, top - 1);
        assert!(!nest.begin(top - 1), "known to be within another one");
        assert!(!nest.end(false) && !nest.end(false) && nest.end(true));
        assert!(nest.begin(top) && !nest.doubtful);
        // A frame that is gone, and whose callers are no invocations.
        assert!(nest.begin(top + 2 * NEAR));
        nest.correct(1, top + 2 * NEAR);
        assert!(nest.end(false));
    }
}
