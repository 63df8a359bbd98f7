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
    /// How many invocations of each scope are active.
    pub depth: BTreeMap<i32, u32>,
    /// Observations that have begun, outer before inner.
    pub active: Vec<Active>,
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
        && state.depth.values().all(|&depth| depth == 0)
    {
        virtuals.remove(&id);
    }
    result
}
