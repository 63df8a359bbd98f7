//! Every invocation of counted methods, in order, to a file beside the trace.
//!
//! A thread writes its invocations down in a `long[]` of its own, its *log* (`java.lang.Pricetag.called`). When that is full the thread copies it and hands the copy
//! to the [`writer`], a thread of the agent's, through a queue of bounded length: a program that invokes faster than can be written waits. When a thread or the
//! program ends, what is in the log is handed over likewise.
//!
//! A thread that is suspended at the end of the program runs on until its next call into the JVM, and does no more then. So it hands over in steps, of which the end
//! sees how far they got: the copy is *pending* from before the log is emptied, and whoever takes it from there sends it. No lock is held while the JVM is called.
//!
//! Native methods of the program come by the agent ([`natives`]). On request counted methods also write down what they are about to call, of which those calls stay that
//! leave the counted code ([`asked`]).
//!
//! Where invocations of a scope are observed, their events are written alone, and marks say where each begins and ends. Where a scope is of all threads, all events are.
//!
//! Limits: classes of receivers are kept, so they are not unloaded; receivers beyond [`receivers::MOST`] count as of the class that declares the method; with an agent that came
//! late, nothing is written.

mod asked;
mod facts;
mod marks;
pub mod natives;
mod receivers;
mod thunks;
mod writer;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use pricetag_events::Edge;
use pricetag_instrument::Keeping;

use crate::callbacks;
use crate::jvm::{Global, Jni, jobject};
use crate::session::{Session, lock};
use crate::unobserved;

use writer::{Batch, Writing};

pub use facts::name_of;

/// Words of a log; the first says where the next one goes.
const LOG: usize = 1 + 8191;

/// What threads have invoked.
#[derive(Debug, Default)]
pub struct Calls {
    logs: Mutex<BTreeMap<i32, Log>>,
    /// Whether the run is over: threads hand over nothing more.
    closed: AtomicBool,
    writing: Writing,
    /// Classes of receivers, by number less one.
    pub(crate) receivers: receivers::Receivers,
    /// Native methods of the program.
    pub(crate) natives: natives::Natives,
    /// Calls that may leave.
    pub(crate) asked: asked::Asked,
}

/// The log of a live thread.
#[derive(Debug)]
struct Log {
    array: Global,
    /// When its first word was written, about, ns since the start.
    since_ns: u64,
    /// A copy that is not in the queue yet.
    pending: Option<Vec<i64>>,
}

/// Whether invocations are written down.
pub fn wanted(session: &Session) -> bool {
    session.counting() && session.options.calls.is_some()
}

fn now_ns(session: &Session) -> u64 {
    u64::try_from(session.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Begins, when the helper is there: its tables of receivers are made, and the file.
pub fn begin(session: &'static Session, jni: Jni) {
    if !wanted(session) {
        return;
    }
    if callbacks::keeping(session) != Keeping::Fields {
        session.inexact("invocations cannot be written down by an agent that came late");
        return;
    }
    let begun = session
        .calls
        .receivers
        .begin(session, jni)
        .and_then(|()| session.calls.writing.begin(session));
    if let Err(why) = begun {
        session.inexact(format!("invocations are not written down: {why}"));
    }
    if !thunks::exist() {
        session.inexact("invocations of native methods are not written down on this platform");
    }
}

/// Whether threads write to their logs.
fn open(session: &Session) -> bool {
    let calls = &session.calls;
    calls.writing.is_on() && !calls.closed.load(Ordering::Acquire)
}

/// Adds a word to the log of the current thread, from native code.
fn write(session: &'static Session, jni: Jni, word: i64) {
    let log = || {
        let field = session.runtime.get()?.thread_calls?;
        let thread = session.jvmti.current_thread()?;
        let log = jni.object_field(thread, field);
        jni.delete_local(thread);
        Some(log)
    };
    let next = |log: jobject| {
        let mut next = [0];
        jni.read_longs(log, &mut next);
        usize::try_from(next[0]).unwrap_or(LOG)
    };
    let Some(mut array) = log() else {
        return;
    };
    let mut at = if array.is_null() { LOG } else { next(array) };
    if at >= LOG {
        if !array.is_null() {
            jni.delete_local(array);
        }
        if next_log(session, jni).is_none() {
            return;
        }
        let Some(fresh) = log().filter(|log| !log.is_null()) else {
            return;
        };
        (array, at) = (fresh, next(fresh));
    }
    if at < LOG {
        jni.write_longs_at(array, at, &[word]);
        jni.write_longs(array, &[at as i64 + 1]);
    }
    jni.delete_local(array);
}

/// A call of a scope begins or ends on the current thread.
pub fn mark(jni: Jni, call: u64, edge: Edge) {
    let Some(session) = Session::get() else {
        return;
    };
    if open(session) && session.scopes.by_thread() && !unobserved::is_running() {
        write(session, jni, marks::word(call, edge));
    }
}

/// A log for the current thread to write to: emptied, or a new one. What `slowCalls` returns.
pub fn next_log(session: &'static Session, jni: Jni) -> Option<jobject> {
    let calls = &session.calls;
    if !open(session) {
        return None;
    }
    let runtime = session.runtime.get()?;
    let thread = session.jvmti.current_thread()?;
    let serial = runtime.keeper?.serial(session.jvmti, jni, thread);
    let array = lock(&calls.logs).get(&serial).map(|log| log.array);
    let array = if let Some(array) = array {
        hand_over(session, jni, serial, array);
        array.0
    } else {
        let array = jni.new_long_array(LOG)?;
        jni.write_longs(array, &[1]);
        let log = Log {
            array: jni.global(array)?,
            since_ns: now_ns(session),
            pending: None,
        };
        lock(&calls.logs).insert(serial, log);
        jni.set_object_field(thread, runtime.thread_calls?, array);
        array
    };
    jni.delete_local(thread);
    Some(array)
}

/// Code that does not count begins or ends on the current thread: what was invoked before is handed over, what was invoked meanwhile is forgotten.
pub fn set_apart(session: &Session, jni: Jni, begins: bool) {
    if !session.calls.writing.is_on() {
        return;
    }
    let keeper = session.runtime.get().and_then(|runtime| runtime.keeper);
    let (Some(keeper), Some(thread)) = (keeper, session.jvmti.current_thread()) else {
        return;
    };
    let serial = keeper.serial(session.jvmti, jni, thread);
    jni.delete_local(thread);
    let array = lock(&session.calls.logs).get(&serial).map(|log| log.array);
    match array {
        Some(array) if begins => hand_over(session, jni, serial, array),
        Some(array) => jni.write_longs(array.0, &[1]),
        None => {}
    }
}

/// Sends what is in a log of the current thread, and empties it.
fn hand_over(session: &Session, jni: Jni, serial: i32, array: Global) {
    if unobserved::is_running() {
        jni.write_longs(array.0, &[1]);
        return;
    }
    let words = read(session, jni, array);
    if let Some(log) = lock(&session.calls.logs).get_mut(&serial) {
        log.pending = Some(words);
    }
    jni.write_longs(array.0, &[1]);
    let writing = &session.calls.writing;
    // From here on the JVM is not called: a thread that is stopped goes on, and the end waits for it.
    writing.on_the_way(|| {
        if let Some(batch) = take(session, serial) {
            writing.send(batch);
        }
    });
}

/// Takes what waits to be sent of a thread, unless the end has done so.
fn take(session: &Session, serial: i32) -> Option<Batch> {
    let mut logs = lock(&session.calls.logs);
    let log = logs.get_mut(&serial)?;
    let words = log.pending.take()?;
    let since_ns = std::mem::replace(&mut log.since_ns, now_ns(session));
    Some(Batch {
        serial,
        since_ns,
        words,
    })
}

/// The words that were written to a log, without the calls that stay within the counted code.
fn read(session: &Session, jni: Jni, array: Global) -> Vec<i64> {
    let mut used = [0];
    jni.read_longs(array.0, &mut used);
    let used = usize::try_from(used[0]).unwrap_or(1).clamp(1, LOG);
    let mut words = vec![0; used];
    jni.read_longs(array.0, &mut words);
    words.remove(0);
    if session
        .options
        .calls
        .as_ref()
        .is_some_and(|calls| calls.which.leaving)
    {
        session.calls.asked.settle(session, jni, &mut words);
    }
    words
}

/// A thread ends, on that thread.
pub fn thread_end(session: &Session, jni: Jni, serial: i32) {
    let calls = &session.calls;
    let array = lock(&calls.logs).get(&serial).map(|log| log.array);
    let Some(array) = array.filter(|_| !calls.closed.load(Ordering::Acquire)) else {
        return;
    };
    hand_over(session, jni, serial, array);
    if calls.closed.load(Ordering::Acquire) {
        return;
    }
    calls.writing.thread_ended(serial);
    if lock(&calls.logs).remove(&serial).is_some() {
        jni.delete_global(array);
    }
}

/// The program is over, and all other threads are stopped: what is in the logs is written, and the file ended.
pub fn end(session: &Session, jni: Jni) {
    let calls = &session.calls;
    if !calls.writing.is_on() || calls.closed.swap(true, Ordering::AcqRel) {
        return;
    }
    let live: Vec<(i32, Global)> = {
        let logs = lock(&calls.logs);
        logs.iter()
            .map(|(serial, log)| (*serial, log.array))
            .collect()
    };
    for (serial, array) in live {
        if let Some(batch) = take(session, serial) {
            // Its owner was about to send it, and may have emptied the log or not.
            calls.writing.send(batch);
            continue;
        }
        let words = read(session, jni, array);
        if let Some(log) = lock(&calls.logs).get_mut(&serial) {
            log.pending = Some(words);
        }
        if let Some(batch) = take(session, serial) {
            calls.writing.send(batch);
        }
    }
    if let Some(caveat) = calls.writing.end(now_ns(session)) {
        session.inexact(caveat);
    }
    let caveats = [calls.receivers.caveat(), calls.natives.caveat()];
    for caveat in caveats.into_iter().flatten() {
        session.inexact(caveat);
    }
}
