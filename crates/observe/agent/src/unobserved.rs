//! Code of the JVM's side that the agent runs on a thread of the subject as if it had not run.
//!
//! It may be counted. Counts and marks of values are then set back to what they were, and values are not taken.

use std::cell::Cell;

use crate::calls;
use crate::chunks::Chunks;
use crate::classes::ClassIndex;
use crate::jvm::Jni;
use crate::session::Session;

thread_local! {
    // A virtual thread stays on its carrier while one of our frames is on its stack.
    static UNOBSERVED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the current thread runs such code.
pub fn is_running() -> bool {
    UNOBSERVED.get()
}

/// Runs an action, and returns the classes besides that counted for the first time on this thread meanwhile. Code of the JDK alone is counted only on
/// request.
pub fn run<T>(session: &Session, jni: Jni, action: impl FnOnce() -> T) -> (T, Vec<ClassIndex>) {
    if session.options.count_jdk {
        run_any(session, jni, action)
    } else {
        (action(), Vec::new())
    }
}

/// The same for an action that may run code of the subject.
pub fn run_any<T>(session: &Session, jni: Jni, action: impl FnOnce() -> T) -> (T, Vec<ClassIndex>) {
    let before = if session.counting() {
        Chunks::snapshot(session, jni)
    } else {
        None
    };
    if !is_running() {
        calls::set_apart(session, jni, true);
    }
    let outer = UNOBSERVED.replace(true);
    let result = action();
    UNOBSERVED.set(outer);
    if !outer {
        calls::set_apart(session, jni, false);
    }
    let new = before.map_or_else(Vec::new, |before| Chunks::restore(session, jni, &before));
    (result, new)
}
