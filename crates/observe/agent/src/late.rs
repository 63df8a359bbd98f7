//! A JVM that was running when the agent came.
//!
//! Nothing can be added to `java.lang.Thread` then, so threads keep their chunks elsewhere ([`crate::keeping`]); classes that are loaded are rewritten where they stand
//! (JVMTI `RetransformClasses`). Calls that are under way go on in the code as it was and are counted nowhere: neither their beginning nor
//! their end, which no balance misses. The limit of 8,000 bytes beyond which HotSpot compiles no method cannot be lifted, so methods that counters would push
//! over it are left alone.
//!
//! When the recording is over the recorder says [`LEAVE`], and every class gets its own code back. The counters stay, for the case that it comes
//! again.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_VM_DEATH,
};
use pricetag_trace::{AgentOptions, LEAVE};

use crate::callbacks;
use crate::frames;
use crate::hook;
use crate::jvm::Jni;
use crate::session::{Session, lock};

/// How many calls under way are named.
const NAMED: usize = 5;

fn begin(session: &'static Session, jni: Jni) -> Result<(), String> {
    callbacks::prepare(session, jni).map_err(|(class, why)| format!("{class}: {why}"))?;
    let events = callbacks::later_events(session);
    for event in [JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK]
        .into_iter()
        .chain(events)
    {
        session
            .jvmti
            .notify(event, true)
            .map_err(|error| format!("the JVM has no event {event} ({error:?})"))?;
    }
    session.costs.main_entered(session, jni);
    count(session, jni);
    Ok(())
}

/// The agent is loaded once more: to begin, to leave, or to count again with what the options select now.
pub fn again(session: &'static Session, jni: Jni, text: &str) -> Result<(), String> {
    if !session.late {
        return Err("the agent is there from the start".to_owned());
    }
    let began = session.runtime.get().is_some();
    if text == LEAVE {
        if began {
            leave(session, jni);
        }
        return Ok(());
    }
    let mut options = AgentOptions::read(text.as_ref()).map_err(|error| error.to_string())?;
    options.trace = options.trace_of(std::process::id());
    if !session.options.has_counters_of(&options) {
        return Err(
            "an earlier recording chose other kinds of features, another scope or another list"
                .to_owned(),
        );
    }
    if began && !session.is_resting() {
        // Its recorder was killed.
        leave(session, jni);
    }
    *lock(&session.selection) = Arc::new(options);
    if !began {
        return begin(session, jni);
    }
    session.resting.store(false, Ordering::Release);
    switch(session, true);
    count(session, jni);
    Ok(())
}

fn count(session: &'static Session, jni: Jni) {
    hook::retransform_loaded(session, jni);
    let caveat = under_way(session, jni);
    *lock(&session.under_way) = caveat;
    session.flush();
}

fn leave(session: &'static Session, jni: Jni) {
    session.resting.store(true, Ordering::Release);
    hook::retransform(session, jni, |name, _| {
        !session.classes.named(name).is_empty() || session.scopes.concerns(name)
    });
    session.classes.rest();
    switch(session, false);
    session.flush();
}

fn switch(session: &Session, on: bool) {
    for event in [JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE] {
        let _ = session.jvmti.notify(event, on);
    }
}

/// Says which calls of counted methods began before they were counted.
fn under_way(session: &Session, jni: Jni) -> Option<String> {
    let methods = frames::replaced(session, jni);
    let calls: usize = methods.values().sum();
    let mut named: Vec<&str> = methods.keys().map(String::as_str).take(NAMED).collect();
    if methods.len() > NAMED {
        named.push("…");
    }
    (calls > 0).then(|| {
        format!(
            "{calls} {} under way when counting began and {} not counted: {}",
            if calls == 1 { "call was" } else { "calls were" },
            if calls == 1 { "is" } else { "are" },
            named.join(", ")
        )
    })
}
