//! The oracle: counts every executed bytecode of the subject by single-stepping.
//!
//! Shares no code with the probes: no class is changed, nothing is derived. A hundred times slower and more; for tests.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use crate::jvm::{Jni, jmethodID};
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
}

thread_local! {
    static THREAD: RefCell<ThreadSteps> = RefCell::default();
}

impl Steps {
    /// An instruction is about to be executed.
    pub fn step(&self, session: &Session, jni: Jni, method: jmethodID, pc: i64) {
        let key = method as usize;
        let known = THREAD.with_borrow(|thread| thread.wanted.get(&key).copied());
        let wanted = known.unwrap_or_else(|| {
            let wanted = self.is_wanted(session, jni, method);
            THREAD.with_borrow_mut(|thread| thread.wanted.insert(key, wanted));
            wanted
        });
        if wanted {
            THREAD.with_borrow_mut(|thread| {
                let counts = thread.counts.get_or_insert_with(|| {
                    let counts = Arc::<Mutex<Counts>>::default();
                    lock(&self.threads).push(counts.clone());
                    counts
                });
                *lock(counts).entry((key, pc)).or_insert(0) += 1;
            });
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
    let class = signature.strip_prefix('L')?.strip_suffix(';')?.to_owned();
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
