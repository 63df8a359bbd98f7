//! The oracle: counts every executed bytecode of the subject by stepping through it in the interpreter.
//!
//! Shares no code with the probes: no class is changed, nothing is derived. For tests: setting a breakpoint takes the longer the more
//! there are, so a program of more than some ten thousand instructions wants an include pattern.
//!
//! Steps are taken with a breakpoint on every instruction, not with JVMTI's `SingleStep` event, which misses executions in HotSpot
//! (JDK 17, seen by comparing the two): steps are hidden while a bytecode resolves a field, method or class
//! (`JvmtiHideSingleStepping`), although static initialisers and class loaders of the subject run then; and a second step at the
//! place of the last one is not posted, as when `return f(n - 1)` returns from itself. The capability for breakpoints also stops
//! the interpreter from fusing pairs of bytecodes into one.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use crate::jvm::{Jni, jclass, jmethodID};
use crate::session::{Session, lock};
use crate::subject;

/// A method that is counted.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Method {
    class: String,
    name: String,
    descriptor: String,
}

type Counts = HashMap<(usize, i64), u64>;

/// Counts of all threads.
#[derive(Debug, Default)]
pub struct Steps {
    /// Methods with breakpoints, by method id.
    methods: Mutex<HashMap<usize, Method>>,
    threads: Mutex<Vec<Arc<Mutex<Counts>>>>,
}

thread_local! {
    static THREAD: RefCell<Option<Arc<Mutex<Counts>>>> = const { RefCell::new(None) };
}

impl Steps {
    /// An instruction with a breakpoint is about to be executed.
    pub fn step(&self, method: jmethodID, pc: i64) {
        THREAD.with_borrow_mut(|thread| {
            let counts = thread.get_or_insert_with(|| {
                let counts = Arc::<Mutex<Counts>>::default();
                lock(&self.threads).push(counts.clone());
                counts
            });
            *lock(counts).entry((method as usize, pc)).or_insert(0) += 1;
        });
    }

    /// A class is about to be used for the first time: sets its breakpoints.
    pub fn prepare(&self, session: &Session, jni: Jni, class: jclass) {
        // Hidden classes go under the name of the class file they were made from.
        let Some(name) = session.jvmti.class_name(class).map(|name| name.plain) else {
            return;
        };
        let Some(loader) = session.jvmti.class_loader(class) else {
            return;
        };
        let selected = subject::selected(session, jni, loader, &name);
        jni.delete_local(loader);
        if !selected {
            return;
        }
        for method in session.jvmti.methods(class) {
            let Some((method_name, descriptor)) = session.jvmti.method_name(method.0) else {
                continue;
            };
            let named = Method {
                class: name.clone(),
                name: method_name,
                descriptor,
            };
            lock(&self.methods).insert(method.0 as usize, named);
            let code = session.jvmti.bytecodes(method.0).unwrap_or_default();
            let starts = session.worker.run(move || {
                let instructions =
                    pricetag_classfile::instruction::decode(&code).unwrap_or_default();
                instructions
                    .iter()
                    .map(|instruction| instruction.pc)
                    .collect::<Vec<_>>()
            });
            for pc in starts.unwrap_or_default() {
                let _ = session.jvmti.set_breakpoint(method, u32::from(pc));
            }
        }
    }

    /// Classes that are in use before the agent can watch (those of a system class loader of the subject's own).
    pub fn prepare_loaded(&self, session: &Session, jni: Jni) {
        for class in session.jvmti.loaded_classes() {
            self.prepare(session, jni, class);
            jni.delete_local(class);
        }
    }

    /// Lines `class TAB method TAB descriptor TAB pc TAB count`.
    pub fn text(&self) -> String {
        let methods = lock(&self.methods);
        let mut sums: BTreeMap<(&Method, i64), u64> = BTreeMap::new();
        for counts in lock(&self.threads).iter() {
            for (&(method, pc), &count) in lock(counts).iter() {
                if let Some(method) = methods.get(&method) {
                    *sums.entry((method, pc)).or_insert(0) += count;
                }
            }
        }
        let mut text = String::new();
        for ((method, pc), count) in sums {
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{pc}\t{count}",
                method.class, method.name, method.descriptor
            );
        }
        text
    }
}
