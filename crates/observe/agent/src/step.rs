//! The oracle: counts every executed bytecode of the subject by single-stepping.
//!
//! Shares no code with the probes: no class is changed, nothing is derived. A hundred times slower and more; for tests.
//!
//! HotSpot hides steps while it resolves a field, method or class for a bytecode (`JvmtiHideSingleStepping`), although static
//! initialisers and class loaders of the subject run then. Every instruction of the subject therefore has a breakpoint too: a
//! breakpoint is not hidden, and counts when no step was reported for the instruction just before it. The capability for
//! breakpoints also stops the interpreter from fusing pairs of bytecodes into one. Limit: an instruction that jumps to itself is
//! reported once.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use crate::jvm::{Jni, internal_name, jclass, jmethodID};
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
    /// By method id; none for methods that are not the subject's.
    methods: Mutex<HashMap<usize, Option<Arc<Method>>>>,
    threads: Mutex<Vec<Arc<Mutex<Counts>>>>,
}

#[derive(Default)]
struct ThreadSteps {
    counts: Option<Arc<Mutex<Counts>>>,
    /// Whether a method is the subject's.
    wanted: HashMap<usize, bool>,
    /// The step reported last, until its breakpoint has been seen.
    stepped: Option<(usize, i64)>,
}

thread_local! {
    static THREAD: RefCell<ThreadSteps> = RefCell::default();
}

impl Steps {
    /// A step: an instruction is about to be executed.
    pub fn step(&self, session: &Session, jni: Jni, method: jmethodID, pc: i64) {
        let key = method as usize;
        let known = THREAD.with_borrow(|thread| thread.wanted.get(&key).copied());
        let wanted = known.unwrap_or_else(|| {
            let wanted = self.is_wanted(session, jni, method);
            THREAD.with_borrow_mut(|thread| thread.wanted.insert(key, wanted));
            wanted
        });
        if wanted {
            self.count(key, pc, true);
        }
    }

    /// A breakpoint: the same, after the step unless that was hidden.
    pub fn breakpoint(&self, method: jmethodID, pc: i64) {
        let here = (method as usize, pc);
        let hidden = THREAD.with_borrow_mut(|thread| thread.stepped.take() != Some(here));
        if hidden {
            self.count(here.0, pc, false);
        }
    }

    fn count(&self, method: usize, pc: i64, stepped: bool) {
        THREAD.with_borrow_mut(|thread| {
            thread.stepped = stepped.then_some((method, pc));
            let counts = thread.counts.get_or_insert_with(|| {
                let counts = Arc::<Mutex<Counts>>::default();
                lock(&self.threads).push(counts.clone());
                counts
            });
            *lock(counts).entry((method, pc)).or_insert(0) += 1;
        });
    }

    /// A class is about to be used for the first time: sets its breakpoints.
    pub fn prepare(&self, session: &Session, jni: Jni, class: jclass) {
        let methods = session.jvmti.methods(class);
        for method in methods {
            if !self.is_wanted(session, jni, method.0) {
                continue;
            }
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

    fn is_wanted(&self, session: &Session, jni: Jni, method: jmethodID) -> bool {
        if let Some(known) = lock(&self.methods).get(&(method as usize)) {
            return known.is_some();
        }
        let resolved = resolve(session, jni, method).map(Arc::new);
        let wanted = resolved.is_some();
        lock(&self.methods).insert(method as usize, resolved);
        wanted
    }

    /// Lines `class TAB method TAB descriptor TAB pc TAB count`.
    pub fn text(&self) -> String {
        let methods = lock(&self.methods);
        let mut sums: BTreeMap<(&Method, i64), u64> = BTreeMap::new();
        for counts in lock(&self.threads).iter() {
            for (&(method, pc), &count) in lock(counts).iter() {
                if let Some(Some(method)) = methods.get(&method) {
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

/// A method of the subject, by name.
fn resolve(session: &Session, jni: Jni, method: jmethodID) -> Option<Method> {
    let class = session.jvmti.declaring_class(method)?;
    let signature = session.jvmti.class_signature(class);
    let loader = session.jvmti.class_loader(class);
    let signature = signature?;
    let class = internal_name(&signature)?;
    if !subject::selected(session, jni, loader?, &class) {
        return None;
    }
    let (name, descriptor) = session.jvmti.method_name(method)?;
    Some(Method {
        class,
        name,
        descriptor,
    })
}
