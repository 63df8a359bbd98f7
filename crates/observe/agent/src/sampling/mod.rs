//! Sampled profiles: which methods the processor time of a run goes to.
//!
//! Each thread of the program has a timer, whose signal comes about once in a millisecond, at moments left to chance ([`moment`]).
//! If the thread runs then, the handler walks its stack by HotSpot's `AsyncGetCallTrace` ([`watch`], [`mod@walk`]). One thread of
//! the agent's wakes every millisecond, takes up the stacks, and reads the processor clock of every thread. What a thread has
//! used is divided among its stacks ([`sampler`], [`tree`]). Compilers, collector and the JVM's other threads are accounted by
//! their clocks alone. No privileges are needed. Allocations are sampled by JVMTI.
//!
//! Nothing of a sampled run is counted, or timed for anybody. What sampling costs stands in `docs/benchmarks.md`.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_COMPILED_METHOD_LOAD,
    JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, JVMTI_EVENT_THREAD_START,
    jvmtiCapabilities,
};
use pricetag_profile::{Beside, Profile, ProfiledRun, Role};
use pricetag_trace::{Record, Sampled};

use crate::clock;
use crate::jvm::{Jni, jclass, jobject};
use crate::session::{Session, lock};

mod anchor;
mod code;
mod moment;
mod names;
mod sampler;
mod threads;
mod tree;
mod walk;
mod watch;

pub use code::{compiled, generated};

/// Bytes allocated from one sampled allocation to the next, on average.
const ALLOCATION_INTERVAL: i32 = 128 << 10;
/// Frames kept of an allocation's stack.
const ALLOCATION_DEPTH: usize = 512;
/// Between two looks.
const PERIOD: Duration = Duration::from_millis(1);

static SAMPLING: OnceLock<Sampling> = OnceLock::new();

/// What is sampled in this process.
struct Sampling {
    tree: Mutex<tree::Tree>,
    /// Threads that have just begun.
    begun: Mutex<Vec<i32>>,
    stop: AtomicBool,
    /// The thread that wakes, as the system knows it.
    sampler: AtomicI32,
    thread: Mutex<Option<JoinHandle<sampler::Outcome>>>,
    /// Processor time of the process when sampling began, ns, and when that was.
    cpu_before: u64,
    began: std::time::Instant,
    /// Why stacks are not sampled, if they are not.
    without: Option<&'static str>,
}

/// What the agent wants of the JVM for sampling.
pub fn want(wanted: &mut jvmtiCapabilities, possible: &jvmtiCapabilities) {
    wanted.set_can_generate_compiled_method_load_events(
        possible.can_generate_compiled_method_load_events(),
    );
    wanted.set_can_get_bytecodes(possible.can_get_bytecodes());
    wanted.set_can_generate_sampled_object_alloc_events(
        possible.can_generate_sampled_object_alloc_events(),
    );
}

/// The JVM is initialised: sampling begins.
pub fn begin(session: &Session, jni: Jni) {
    let jvmti = session.jvmti;
    let _ = jvmti.heap_sampling_interval(ALLOCATION_INTERVAL);
    for event in [
        JVMTI_EVENT_CLASS_LOAD,
        JVMTI_EVENT_CLASS_PREPARE,
        JVMTI_EVENT_THREAD_START,
        JVMTI_EVENT_COMPILED_METHOD_LOAD,
        JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
    ] {
        let _ = jvmti.notify(event, true);
    }
    for event in [
        JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
        JVMTI_EVENT_COMPILED_METHOD_LOAD,
    ] {
        let _ = jvmti.generate_events(event);
    }
    // A stack is told by ids of methods, which exist only where somebody has asked for them.
    for class in jvmti.loaded_classes() {
        drop(jvmti.methods(class));
        jni.delete_local(class);
    }
    let without = walk::prepare(jvmti, jni).err();
    let sampling = Sampling {
        tree: Mutex::default(),
        begun: Mutex::default(),
        stop: AtomicBool::new(false),
        sampler: AtomicI32::new(0),
        thread: Mutex::default(),
        cpu_before: clock::process_cpu(),
        began: std::time::Instant::now(),
        without,
    };
    if SAMPLING.set(sampling).is_err() {
        return;
    }
    if let Some(sampling) = SAMPLING.get() {
        let thread = crate::worker::spawn("pricetag sampler", move || sampler::run(sampling));
        *lock(&sampling.thread) = thread.ok();
        let _ = jvmti.notify(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, true);
    }
}

/// A class is about to be used: its methods get ids.
pub fn class_prepared(session: &Session, class: jclass) {
    drop(session.jvmti.methods(class));
}

/// A thread has begun; called on it.
pub fn thread_started() {
    if let Some(sampling) = SAMPLING.get() {
        lock(&sampling.begun).push(clock::thread());
    }
}

/// An allocation is sampled; called on the thread that allocates.
pub fn allocated(session: &Session, thread: jobject, bytes: i64) {
    let Some(sampling) = SAMPLING.get().filter(|s| !s.stop.load(Ordering::Acquire)) else {
        return;
    };
    let stack: Vec<tree::Frame> = session
        .jvmti
        .top(thread, ALLOCATION_DEPTH)
        .iter()
        .map(|frame| tree::Frame::new(frame.method as usize, frame.location as i32))
        .collect();
    let size = bytes as f64;
    // Chosen with this probability (Poisson sampling by bytes), it stands for so many like it.
    let chosen = -(-size / f64::from(ALLOCATION_INTERVAL)).exp_m1();
    lock(&sampling.tree).allocated(&stack, size / chosen);
}

/// The JVM ends: what was sampled becomes a record.
pub fn end(session: &Session, jni: Jni) {
    let Some(sampling) = SAMPLING.get() else {
        return;
    };
    let _ = session
        .jvmti
        .notify(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, false);
    let cpu = clock::process_cpu();
    let wall = clock::since(sampling.began);
    sampling.stop.store(true, Ordering::Release);
    let thread = lock(&sampling.thread).take();
    let Some(outcome) = thread.and_then(|thread| thread.join().ok()) else {
        session.inexact("the sampler failed");
        return;
    };
    walk::finish();
    let tree = std::mem::take(&mut *lock(&sampling.tree));
    let resolved = names::resolve(session, jni, &tree);
    let mut beside = outcome.beside;
    let used = cpu
        .saturating_sub(sampling.cpu_before)
        .saturating_sub(outcome.own_ns);
    let known: u64 =
        beside.values().sum::<u64>() + resolved.samples.iter().map(|s| s.cpu_ns).sum::<u64>();
    *beside.entry(Role::Unsampled).or_default() += used.saturating_sub(known);
    let run = ProfiledRun {
        rows: Vec::new(),
        samples: resolved.samples,
        allocated: resolved.allocated,
        beside: beside
            .into_iter()
            .filter(|(_, ns)| *ns > 0)
            .map(|(role, cpu_ns)| Beside { role, cpu_ns })
            .collect(),
        compiled: Vec::new(),
        cpu_ns: used.max(known),
        wall_ns: wall,
    };
    let mut notes: Vec<String> = outcome.notes;
    notes.extend(sampling.without.map(str::to_owned));
    notes.extend(tree.note());
    session.record(&Record::Sampled(Sampled {
        profile: Profile {
            methods: resolved.methods,
            nodes: resolved.nodes,
            runs: vec![run],
            notes,
        },
        compiling: outcome.compiling,
    }));
}
