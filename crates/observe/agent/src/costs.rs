//! Costs of the whole process, from the entry of `main` on.
//!
//! The span ends when `main` has returned and the last thread that is no daemon has ended; when `main` never returns, or another
//! thread ends the VM, it ends with the VM. Start-up of the JVM is subtracted by reading every figure at the entry of `main`; clocks
//! are read last on entry and first on exit, so that the agent's own work lies outside.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use pricetag_trace::ProcessCosts;

use crate::clock;
use crate::jvm::{Jni, jobject};
use crate::session::{Session, lock};

/// Name of the thread on which the launcher waits for the end.
const LAST_THREAD: &str = "DestroyJavaVM";

/// Gathers the costs.
#[derive(Debug, Default)]
pub struct Costs {
    entered: AtomicBool,
    collections: AtomicU32,
    collection_ns: AtomicU64,
    collection_start: AtomicU64,
    threads: AtomicU32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    start: Option<Reading>,
    /// What each thread had used when the span began, or when it began itself, by Java thread id; until its usage is in `ended`, so that
    /// nothing is kept of threads that are gone.
    baseline: BTreeMap<i64, Usage>,
    /// What ended threads used within the span.
    ended: Usage,
    main_end: Option<Reading>,
    last_end: Option<Reading>,
    heap: Option<u64>,
    queue: Queue,
}

/// How long the thread of `main` has waited for a processor, where the system tells.
#[derive(Debug, Default)]
struct Queue {
    thread: i32,
    start: Option<u64>,
    end: Option<u64>,
}

/// What a thread has used.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    cpu: u64,
    allocated: u64,
}

/// All clocks and counters at one moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    at: Instant,
    cpu: u64,
    classes: u64,
    collections: u32,
    collection_ns: u64,
    threads: u32,
}

impl Costs {
    /// `main` is entered: the span begins. Later calls (a program that calls its own `main`) change nothing.
    pub fn main_entered(&self, session: &Session, jni: Jni) {
        if self.entered.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut baseline = BTreeMap::new();
        for thread in session.jvmti.threads() {
            if let Some(id) = session
                .runtime
                .get()
                .and_then(|runtime| runtime.id_of(jni, thread))
            {
                baseline.insert(id, usage(session, jni, thread, id));
            }
            jni.delete_local(thread);
        }
        let current = current_id(session, jni);
        let classes = classes_loaded(session, jni);
        // The figures of this thread again, as late as possible.
        let runtime = session.runtime.get();
        let allocated = runtime
            .and_then(|runtime| runtime.allocated(jni))
            .unwrap_or(0);
        let thread = clock::thread();
        let queue = Queue {
            thread,
            start: clock::queued(thread),
            end: None,
        };
        let mut state = lock(&self.state);
        state.queue = queue;
        state.baseline.append(&mut baseline);
        if let Some(id) = current {
            state.baseline.insert(
                id,
                Usage {
                    cpu: clock::thread_cpu(),
                    allocated,
                },
            );
        }
        state.start = Some(Reading {
            classes,
            ..self.reading()
        });
    }

    /// The outermost `main` returns or throws.
    pub fn main_left(&self, session: &Session, jni: Jni) {
        let mut reading = self.reading();
        let cpu = clock::thread_cpu();
        let queued = clock::queued(clock::thread());
        let runtime = session.runtime.get();
        let allocated = runtime
            .and_then(|runtime| runtime.allocated(jni))
            .unwrap_or(0);
        reading.classes = classes_loaded(session, jni);
        let heap = runtime
            .and_then(|runtime| runtime.heap)
            .and_then(|heap| heap.used(jni));
        let id = current_id(session, jni);
        let mut state = lock(&self.state);
        if state.main_end.is_some() {
            return;
        }
        state.main_end = Some(reading);
        state.last_end = Some(reading);
        state.queue.end = queued;
        state.heap = heap;
        if let Some(id) = id {
            state.end_thread(id, Usage { cpu, allocated });
        }
    }

    /// A thread starts; called on it.
    pub fn thread_start(&self, session: &Session, jni: Jni, thread: jobject) {
        if !self.entered.load(Ordering::Acquire) {
            return;
        }
        let runtime = session.runtime.get();
        let id = runtime.and_then(|runtime| runtime.id_of(jni, thread));
        let within = {
            // Threads of the JVM that began before `main` may report only now.
            let state = lock(&self.state);
            if id.is_some_and(|id| state.baseline.contains_key(&id)) {
                return;
            }
            state.start.is_some()
        };
        if within {
            let info = session.jvmti.thread_info(jni, thread);
            if info.is_none_or(|info| info.name != LAST_THREAD) {
                self.threads.fetch_add(1, Ordering::Relaxed);
            }
        }
        let (Some(runtime), Some(id)) = (runtime, id) else {
            return;
        };
        let allocated = runtime.allocated(jni).unwrap_or(0);
        lock(&self.state).baseline.insert(
            id,
            Usage {
                cpu: clock::thread_cpu(),
                allocated,
            },
        );
    }

    /// A thread ends; called on it.
    pub fn thread_end(&self, session: &Session, jni: Jni, thread: jobject) {
        if !self.entered.load(Ordering::Acquire) {
            return;
        }
        let mut reading = self.reading();
        let cpu = clock::thread_cpu();
        let Some(runtime) = session.runtime.get() else {
            return;
        };
        let allocated = runtime.allocated(jni).unwrap_or(0);
        reading.classes = classes_loaded(session, jni);
        let info = session.jvmti.thread_info(jni, thread);
        let Some(id) = runtime.id_of(jni, thread) else {
            return;
        };
        let mut state = lock(&self.state);
        let new = state.end_thread(id, Usage { cpu, allocated });
        if new && info.is_some_and(|info| !info.daemon && info.name != LAST_THREAD) {
            state.last_end = Some(reading);
        }
    }

    /// A collection begins; called at a safepoint, where nothing of the VM may be touched.
    pub fn collection_started(&self, session: &Session) {
        self.collections.fetch_add(1, Ordering::Relaxed);
        self.collection_start
            .store(clock::since(session.started), Ordering::Relaxed);
    }

    /// A collection is over; called at a safepoint.
    pub fn collection_finished(&self, session: &Session) {
        let started = self.collection_start.load(Ordering::Relaxed);
        let nanos = clock::since(session.started).saturating_sub(started);
        self.collection_ns.fetch_add(nanos, Ordering::Relaxed);
    }

    /// Collections so far.
    pub fn collections(&self) -> u32 {
        self.collections.load(Ordering::Relaxed)
    }

    /// The sum of it all at the end of the VM; none when `main` was never entered.
    pub fn total(&self, session: &Session, jni: Jni) -> Option<ProcessCosts> {
        // On the launcher's waiting thread no Java frame stands: the VM ends because nothing is left to do.
        let orderly = session
            .jvmti
            .current_thread()
            .and_then(|thread| session.jvmti.frame_count(thread))
            == Some(0);
        self.sum(session, jni, orderly)
    }

    /// How long the thread of `main` waited for a processor, ns; none where the system does not tell.
    pub fn queued(&self) -> Option<u64> {
        let state = lock(&self.state);
        state.start?;
        let end = state
            .queue
            .end
            .or_else(|| clock::queued(state.queue.thread))?;
        end.checked_sub(state.queue.start?)
    }

    /// What it has cost so far, in a VM that goes on; none when `main` has not been entered.
    pub fn so_far(&self, session: &Session, jni: Jni) -> Option<ProcessCosts> {
        self.sum(session, jni, false)
    }

    fn sum(&self, session: &Session, jni: Jni, orderly: bool) -> Option<ProcessCosts> {
        let mut now = self.reading();
        let own_cpu = clock::thread_cpu();
        now.classes = classes_loaded(session, jni);
        let heap_now = session
            .runtime
            .get()
            .and_then(|runtime| runtime.heap)
            .and_then(|heap| heap.used(jni));
        let live = self.live_usage(session, jni, own_cpu);
        let state = lock(&self.state);
        let start = state.start?;
        let end = state
            .last_end
            .filter(|_| orderly && state.main_end.is_some())
            .unwrap_or(now);
        let span = |reading: &Reading| clock::nanos(reading.at, start.at);
        Some(ProcessCosts {
            wall_ns: span(&end),
            main_wall_ns: state.main_end.as_ref().map(span),
            cpu_ns: end.cpu.saturating_sub(start.cpu),
            thread_cpu_ns: state.ended.cpu + live.cpu,
            allocated_bytes: state.ended.allocated + live.allocated,
            heap_used_bytes: state.heap.filter(|_| orderly).or(heap_now).unwrap_or(0),
            collections: end.collections - start.collections,
            collection_ns: end.collection_ns - start.collection_ns,
            classes_loaded: u32::try_from(end.classes.saturating_sub(start.classes))
                .unwrap_or(u32::MAX),
            threads: end.threads - start.threads,
        })
    }

    /// CPU time and allocation of all threads but the current one so far, without the JVM's own; those of a virtual thread are its carrier's. Differences are what
    /// was used meanwhile.
    pub fn of_others(&self, session: &Session, jni: Jni) -> (u64, u64) {
        let own = current_id(session, jni);
        let mut readings = Self::readings(session, jni);
        readings.retain(|(id, _)| own != Some(*id));
        let state = lock(&self.state);
        let mut sum = state.ended;
        state.add_live(&mut sum, readings);
        (sum.cpu, sum.allocated)
    }

    /// What the threads that are still alive used within the span.
    fn live_usage(&self, session: &Session, jni: Jni, own_cpu: u64) -> Usage {
        let own = current_id(session, jni);
        let mut readings = Self::readings(session, jni);
        for (id, usage) in &mut readings {
            if own == Some(*id) {
                usage.cpu = own_cpu;
            }
        }
        let mut sum = Usage::default();
        lock(&self.state).add_live(&mut sum, readings);
        sum
    }

    /// What each live platform thread has used, by its id.
    fn readings(session: &Session, jni: Jni) -> Vec<(i64, Usage)> {
        let mut readings = Vec::new();
        for thread in session.jvmti.threads() {
            if let Some(id) = session
                .runtime
                .get()
                .and_then(|runtime| runtime.id_of(jni, thread))
            {
                readings.push((id, usage(session, jni, thread, id)));
            }
            jni.delete_local(thread);
        }
        readings
    }

    fn reading(&self) -> Reading {
        Reading {
            cpu: clock::process_cpu(),
            classes: 0,
            collections: self.collections.load(Ordering::Relaxed),
            collection_ns: self.collection_ns.load(Ordering::Relaxed),
            threads: self.threads.load(Ordering::Relaxed),
            at: Instant::now(),
        }
    }
}

impl State {
    /// Adds what live threads used within the span, unless they have ended since it was read, or are only about to begin.
    fn add_live(&self, sum: &mut Usage, readings: Vec<(i64, Usage)>) {
        for (id, usage) in readings {
            if let Some(baseline) = self.baseline.get(&id) {
                sum.add(usage, *baseline);
            }
        }
    }

    /// Adds a thread's usage once; whether this was the time.
    fn end_thread(&mut self, id: i64, usage: Usage) -> bool {
        let baseline = self.baseline.remove(&id);
        if let Some(baseline) = baseline {
            self.ended.add(usage, baseline);
        }
        baseline.is_some()
    }
}

impl Usage {
    fn add(&mut self, now: Self, before: Self) {
        self.cpu += now.cpu.saturating_sub(before.cpu);
        self.allocated += now.allocated.saturating_sub(before.allocated);
    }
}

fn usage(session: &Session, jni: Jni, thread: jobject, id: i64) -> Usage {
    let management = session.runtime.get().and_then(|runtime| runtime.management);
    Usage {
        cpu: session.jvmti.thread_cpu(thread).unwrap_or(0),
        allocated: management
            .and_then(|management| management.allocated(jni, id))
            .unwrap_or(0),
    }
}

fn current_id(session: &Session, jni: Jni) -> Option<i64> {
    let thread = session.jvmti.current_thread()?;
    let id = session.runtime.get()?.id_of(jni, thread);
    jni.delete_local(thread);
    id
}

/// Classes loaded since the JVM started.
pub fn classes_loaded(session: &Session, jni: Jni) -> u64 {
    let management = session.runtime.get().and_then(|runtime| runtime.management);
    management
        .and_then(|management| management.classes_loaded(jni))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_threads_that_are_gone_only_the_sum_is_kept() {
        let used = |cpu, allocated| Usage { cpu, allocated };
        let mut state = State::default();
        for id in 1..=1000 {
            state.baseline.insert(id, used(10, 100));
            assert!(state.end_thread(id, used(13, 140)));
            assert!(!state.end_thread(id, used(99, 999)), "main ends twice");
        }
        assert_eq!((state.ended.cpu, state.ended.allocated), (3_000, 40_000));
        assert!(state.baseline.is_empty());
        // A thread that has ended since it was read, and one that is alive.
        state.baseline.insert(1001, used(5, 50));
        let mut sum = Usage::default();
        state.add_live(&mut sum, vec![(1, used(13, 140)), (1001, used(7, 51))]);
        assert_eq!((sum.cpu, sum.allocated), (2, 1));
    }
}
