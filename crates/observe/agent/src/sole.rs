//! As long as one thread alone counts, nobody asks which thread it is.
//!
//! To find its chunk a counted method asks for the current thread; compiled code does so once, but it is code that every method has, and the first
//! tier's compiler has most of its work with it. So from `VMInit` on the helper hands out the chunks of the main thread to whoever asks, which is right
//! because every other thread is *watched*: the JVM tells us when it enters a method (JVMTI `MethodEntry`, switched on for this thread alone, which runs in the
//! interpreter meanwhile). Before the first such thread runs any of a counted method the helper gets the code by which threads are told apart
//! (`RedefineClasses`): the JVM stops all threads for that and gives up compiled code that contains the former. Nobody is watched from then on.
//!
//! No counter moves: the main thread is the owner of the same chunks before and after, and a frame that holds one goes on with it. What
//! is left of the former code on the stack of the main thread reads `sole`, and that is set for nobody else.
//!
//! Where a thread may run a program's code before the JVM shows it, or without telling of the methods it enters, threads are told apart from then on:
//! - Agents written in Java are asked about every class that changes, on the thread that changes it; nothing that happens while the helper
//!   changes should be Java code. (An agent of another language that runs some is borne: that thread alone knows that it is changing the helper.)
//! - What native code calls through a stub of the JVM's (`java.lang.foreign`) runs compiled on threads that are watched, too.
//! - Until Java 18 a security manager of the program's is asked whether a thread may be attached, by that thread, before it is shown.
//! - Without its thread for notifications the JVM gives them from one that it hides.
//!
//! Threads that only run the JDK's code (those of references, finalizers, cleaners) may be watched for good. If they enter so many methods that watching might be felt, it ends.
//! Docs: `docs/decisions/030-sole-thread.md`.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_METHOD_ENTRY, JVMTI_EVENT_VIRTUAL_THREAD_START, jvmtiCapabilities,
};
use pricetag_instrument::{HelperOptions, helper_class_with};

use crate::callbacks;
use crate::frames;
use crate::jvm::{Global, Jni, Jvmti, jclass, jmethodID, jobject, jvmtiError};
use crate::session::{Session, lock};

/// First release whose JVM runs listeners of the program's only on threads that it shows to agents.
const FIRST_WITH_ALL_SHOWN: u16 = 17;
/// Releases with virtual threads that they may not show to agents.
const WITH_PREVIEW: [u16; 2] = [19, 20];
/// First release with virtual threads for everyone.
const FIRST_WITH_VIRTUAL: u16 = 21;

/// Last release that asks a security manager when a thread is attached, before it is shown.
const LAST_TO_ASK: u16 = 18;
/// The thread that gives the JVM's own notifications to listeners.
const NOTIFIES: &str = "Notification Thread";

/// Classes that the JVM loads with the first agent in Java, and with the first stub by which native code calls Java (of Java 17 to 19, of later ones).
const WITH_OTHERS: [&str; 3] = [
    "sun/instrument/InstrumentationImpl",
    "jdk/internal/foreign/abi/ProgrammableUpcallHandler",
    "jdk/internal/foreign/abi/UpcallLinker",
];

/// So many methods watched threads may enter, a microsecond each, ...
const ENTRIES: u64 = 4096;
/// ... and so many more per millisecond since the agent was loaded.
const ENTRIES_PER_MS: u64 = 4;

thread_local! {
    /// Whether this thread is changing the helper, and may meanwhile be running an agent that is asked about it.
    static CHANGING: Cell<bool> = const { Cell::new(false) };
}

/// Whether one thread alone counts.
#[derive(Debug, Default)]
pub struct Sole {
    /// Whether the helper takes that for granted, and all other threads are watched.
    active: AtomicBool,
    /// Whether it is to end with the next class: one of [`WITH_OTHERS`] is being loaded, or has been.
    over: AtomicBool,
    /// Whether the thread for notifications has been looked for.
    looked: AtomicBool,
    /// `java.lang.SecurityManager`, where one of the program's could be asked.
    manager: OnceLock<Global>,
    /// Held while the helper changes.
    changing: Mutex<()>,
    /// The main thread, if it ever was the only one.
    thread: OnceLock<Global>,
    /// How many methods watched threads have entered.
    entries: AtomicU64,
}

/// Whether a JVM of this release shows every thread that may run code of the program's.
fn shows_all(feature: u16) -> bool {
    feature >= FIRST_WITH_ALL_SHOWN && !WITH_PREVIEW.contains(&feature)
}

/// Adds the capabilities it takes, where they can be had; without them it does not begin.
pub fn want(wanted: &mut jvmtiCapabilities, feature: u16, possible: &jvmtiCapabilities) {
    if shows_all(feature)
        && possible.can_generate_method_entry_events()
        && possible.can_redefine_classes()
    {
        wanted.set_can_generate_method_entry_events(true);
        wanted.set_can_redefine_classes(true);
    }
}

/// Has the helper do something else.
fn redefine(session: &Session, options: HelperOptions) -> Result<(), jvmtiError> {
    let helper = session.runtime.get().and_then(|runtime| runtime.helper);
    let helper = helper.ok_or(jvmtiError::NOT_AVAILABLE)?;
    CHANGING.set(true);
    let redefined = session
        .jvmti
        .redefine(helper.class.0, &helper_class_with(options));
    CHANGING.set(false);
    redefined
}

/// Whether the JVM is to tell when a thread enters a method.
fn watch(jvmti: Jvmti, thread: jobject, on: bool) -> Result<(), jvmtiError> {
    jvmti.notify_of(JVMTI_EVENT_METHOD_ENTRY, on, thread)
}

impl Sole {
    /// Begins at `VMInit`, on the main thread, unless classes are counted by now: other threads may be running them.
    pub fn begin(&self, session: &Session, jni: Jni) {
        if !session.counting()
            || !shows_all(session.feature)
            || self.over.load(Ordering::SeqCst)
            || session.jvmti.property("java.security.manager").is_some()
        {
            return;
        }
        let _turn = lock(&self.changing);
        let Some(main) = session.jvmti.current_thread().and_then(|t| jni.global(t)) else {
            return;
        };
        let _ = self.thread.set(main);
        if session.feature <= LAST_TO_ASK {
            // Initialised it loads 165 further classes, some 50 ms of a start.
            let runtime = session.runtime.get();
            let manager = runtime
                .and_then(|known| known.class_of(jni, c"java.lang.SecurityManager", null_mut()));
            let Some(manager) = manager.and_then(|class| jni.global(class)) else {
                return;
            };
            let _ = self.manager.set(manager);
        }
        self.active.store(true, Ordering::SeqCst);
        let begun = self.watch_others(session, jni).and_then(|()| {
            // Asked for when all are watched: before, another agent's thread could have entered one.
            if session.classes.len() > 0 {
                return Err(jvmtiError::NOT_AVAILABLE);
            }
            let options = HelperOptions {
                sole: true,
                ..callbacks::helper_options(session)
            };
            redefine(session, options)
        });
        if begun.is_err() {
            self.go_on_as_ever(session, jni);
        }
    }

    /// A class of this name is being loaded.
    pub fn class_comes(&self, name: &str) {
        if WITH_OTHERS.contains(&name) {
            self.over.store(true, Ordering::SeqCst);
        }
    }

    /// A class has been loaded, none of its code has run.
    pub fn class_prepared(&self, session: &Session, jni: Jni, class: jclass) {
        if !self.active.load(Ordering::SeqCst) {
            return;
        }
        let manager = self.manager.get();
        if self.over.load(Ordering::SeqCst)
            || manager.is_some_and(|manager| jni.is_assignable(class, manager.0))
            || !self.notifications_seen(session, jni)
        {
            self.end(session, jni);
        }
    }

    /// Whether listeners of the JVM's notifications run on a thread that is shown, or there can be none: that thread comes soon after `VMInit`, and they are code that is counted, or
    /// calls such.
    fn notifications_seen(&self, session: &Session, jni: Jni) -> bool {
        if session.classes.len() == 0 || self.looked.swap(true, Ordering::SeqCst) {
            return true;
        }
        let mut seen = false;
        for thread in session.jvmti.threads() {
            let info = session.jvmti.thread_info(jni, thread);
            seen |= info.is_some_and(|info| info.name == NOTIFIES);
            jni.delete_local(thread);
        }
        seen
    }

    /// Whether this is the thread that may be the only one.
    pub fn is_of(&self, jni: Jni, thread: jobject) -> bool {
        self.thread
            .get()
            .is_some_and(|main| jni.same(main.0, thread))
    }

    /// A thread starts, and has run nothing yet; the main thread may do so after `VMInit`.
    pub fn thread_start(&self, session: &Session, jni: Jni, thread: jobject) {
        let other = self.active.load(Ordering::SeqCst) && !self.is_of(jni, thread);
        if other && watch(session.jvmti, thread, true).is_err() {
            self.end(session, jni);
        }
    }

    /// A watched thread enters a method.
    pub fn method_entry(&self, session: &Session, jni: Jni, thread: jobject, method: jmethodID) {
        if !self.active.load(Ordering::SeqCst) {
            // It was switched on while watching ended.
            let _ = watch(session.jvmti, thread, false);
            return;
        }
        let counted = || frames::may_be_counted(session, jni, method);
        if CHANGING.get() {
            if counted() {
                session.inexact("an agent that was asked about a change of the probes' class ran counted code in a thread that may have counted as the main thread");
            }
            return;
        }
        let age = u64::try_from(session.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let most = ENTRIES.saturating_add(age.saturating_mul(ENTRIES_PER_MS));
        if self.entries.fetch_add(1, Ordering::Relaxed) > most || counted() {
            self.end(session, jni);
        }
    }

    /// A thread asks for its first chunk, by when this must be over unless it is the main thread.
    pub fn counts(&self, session: &Session, jni: Jni, thread: jobject) {
        if self.active.load(Ordering::SeqCst) && !self.is_of(jni, thread) {
            self.end(session, jni);
            session.inexact(
                "a thread that the JVM does not show to agents may have counted as the main thread",
            );
        }
    }

    /// Has the helper tell threads apart, before the current one counts.
    pub fn end(&self, session: &Session, jni: Jni) {
        if !self.active.load(Ordering::SeqCst) {
            return;
        }
        if CHANGING.get() {
            self.over.store(true, Ordering::SeqCst);
            return;
        }
        let _turn = lock(&self.changing);
        if !self.active.load(Ordering::SeqCst) {
            return;
        }
        if let Err(error) = redefine(session, callbacks::helper_options(session)) {
            session.inexact(format!(
                "the JVM did not let threads be told apart ({error:?}): counts of several may have been lost"
            ));
        }
        self.go_on_as_ever(session, jni);
    }

    fn watch_others(&self, session: &Session, jni: Jni) -> Result<(), jvmtiError> {
        let jvmti = session.jvmti;
        if session.feature >= FIRST_WITH_VIRTUAL {
            jvmti.notify(JVMTI_EVENT_VIRTUAL_THREAD_START, true)?;
        }
        let mut main_seen = false;
        for thread in jvmti.threads() {
            let main = self.is_of(jni, thread);
            let watched = main || watch(jvmti, thread, true).is_ok();
            jni.delete_local(thread);
            if !watched {
                return Err(jvmtiError::NOT_AVAILABLE);
            }
            main_seen |= main;
        }
        // Else the threads could not be had.
        main_seen.then_some(()).ok_or(jvmtiError::NOT_AVAILABLE)
    }

    /// The helper tells threads apart.
    fn go_on_as_ever(&self, session: &Session, jni: Jni) {
        self.active.store(false, Ordering::SeqCst);
        let jvmti = session.jvmti;
        for thread in jvmti.threads() {
            let _ = watch(jvmti, thread, false);
            jni.delete_local(thread);
        }
        if session.feature >= FIRST_WITH_VIRTUAL {
            let _ = jvmti.notify(JVMTI_EVENT_VIRTUAL_THREAD_START, false);
        }
    }
}
