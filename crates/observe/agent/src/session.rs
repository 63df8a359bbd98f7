//! The one state of the agent in this process.

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use pricetag_probe_plan::PlanStore;
use pricetag_trace::{AgentOptions, Left, Mode, Record, TraceWriter};

use crate::beforehand::Reader;
use crate::block_times::BlockTimes;
use crate::callers::Callers;
use crate::calls::Calls;
use crate::caught::Caught;
use crate::chunks::Chunks;
use crate::classes::Classes;
use crate::costs::Costs;
use crate::jvm::Jvmti;
use crate::looks::Watch;
use crate::main_class::MainClass;
use crate::progress::Progress;
use crate::reuse::Reuse;
use crate::runtime::Runtime;
use crate::scope::Scopes;
use crate::snapshot::Snapshots;
use crate::step::Steps;
use crate::values::Values;
use crate::worker::Worker;

/// What may be lost when the process is killed, as far as [`Session::flush_when_due`] is asked.
const FLUSH_MS: u64 = 100;

static SESSION: OnceLock<Session> = OnceLock::new();

/// Everything the agent knows, from `Agent_OnLoad` to the end of the process.
pub struct Session {
    /// The JVMTI environment.
    pub jvmti: Jvmti,
    /// What was asked for.
    pub options: AgentOptions,
    /// When the agent was loaded.
    pub started: Instant,
    /// Feature release of the JVM.
    pub feature: u16,
    /// Where records go; none in [`Mode::Step`], which writes a text file at the end.
    writer: Option<Mutex<TraceWriter<File>>>,
    /// When records were last handed to the file, ms after the start.
    flushed: AtomicU64,
    /// Handles into the Java runtime, from `VMStart` on.
    pub runtime: OnceLock<Runtime>,
    /// Does what needs a big stack.
    pub worker: Worker,
    /// Which class is the main class.
    pub main_class: MainClass,
    /// Counted classes.
    pub classes: Classes,
    /// Their counters.
    pub chunks: Chunks,
    /// First values of variables.
    pub values: Values,
    /// Exceptions where they are caught.
    pub caught: Caught,
    /// Methods as callers of loops.
    pub callers: Callers,
    /// Every invocation, if they are written down.
    pub calls: Calls,
    /// Observed methods.
    pub scopes: Scopes,
    /// Costs of the process.
    pub costs: Costs,
    /// Counts of single steps.
    pub steps: Steps,
    /// Times of single blocks.
    pub block_times: BlockTimes,
    /// Where plans are kept, once it was asked for.
    pub plans: OnceLock<PlanStore>,
    /// Reads the files of classes when a timed run is over, if that is wanted and may be; from `VMInit` on.
    pub reader: OnceLock<Option<Reader>>,
    /// Classes as an earlier run rewrote them, if they are kept.
    pub reuse: Option<Reuse>,
    /// Whether the JVM was running when the agent was loaded.
    pub late: bool,
    /// Whether the agent has left the classes as they were, until it is asked again.
    pub resting: AtomicBool,
    /// Which calls were under way when a late agent began to count.
    pub under_way: Mutex<Option<String>>,
    /// What selects classes: the options, or those of a later recording.
    pub selection: Mutex<Arc<AgentOptions>>,
    /// Set when `VMDeath` begins.
    pub dying: AtomicBool,
    /// Snapshots of a VM that goes on.
    pub snapshots: Snapshots,
    /// Those by which it is learnt when counts are final.
    pub progress: Progress,
    /// The invocation that is looked into.
    pub watch: Watch,
}

impl Session {
    /// A session that has seen nothing yet.
    pub fn new(
        jvmti: Jvmti,
        options: AgentOptions,
        writer: Option<TraceWriter<File>>,
        worker: Worker,
        late: bool,
    ) -> Self {
        Self {
            jvmti,
            started: Instant::now(),
            feature: jvmti.feature(),
            writer: writer.map(Mutex::new),
            flushed: AtomicU64::new(0),
            runtime: OnceLock::new(),
            worker,
            main_class: MainClass::default(),
            classes: Classes::default(),
            chunks: Chunks::default(),
            values: Values::default(),
            caught: Caught::default(),
            callers: Callers::default(),
            calls: Calls::default(),
            scopes: Scopes::new(&options),
            costs: Costs::default(),
            steps: Steps::default(),
            block_times: BlockTimes::default(),
            plans: OnceLock::new(),
            reader: OnceLock::new(),
            reuse: Reuse::of(&options).filter(|_| !late),
            late,
            resting: AtomicBool::new(false),
            under_way: Mutex::default(),
            selection: Mutex::new(Arc::new(options.clone())),
            dying: AtomicBool::new(false),
            snapshots: Snapshots::default(),
            progress: Progress::default(),
            watch: Watch::default(),
            options,
        }
    }

    /// Makes this the session of the process; false if there is one already (the agent was loaded twice).
    pub fn install(self) -> bool {
        SESSION.set(self).is_ok()
    }

    /// The session, if the agent is active.
    pub fn get() -> Option<&'static Self> {
        SESSION.get()
    }

    /// Where plans are kept; the directory is made when it is first asked for.
    pub fn plans(&self) -> Result<&PlanStore, String> {
        if let Some(store) = self.plans.get() {
            return Ok(store);
        }
        let directory = self.options.plans.as_deref();
        let directory = directory.ok_or("there is no plan directory")?;
        let store = PlanStore::open(directory).map_err(|error| error.to_string())?;
        Ok(self.plans.get_or_init(|| store))
    }

    /// Whether counters are wanted.
    pub fn counting(&self) -> bool {
        self.options.mode == Mode::Count
    }

    /// Whether counters are looked at while the run goes on.
    pub fn progress_wanted(&self) -> bool {
        self.options.progress && self.counting() && !self.scopes.any()
    }

    /// Whether invocations are looked into while they go on.
    pub fn looks_wanted(&self) -> bool {
        self.options.progress && self.counting() && self.scopes.by_thread()
    }

    /// Whether `VMDeath` has begun.
    pub fn is_dying(&self) -> bool {
        self.dying.load(Ordering::Acquire)
    }

    /// Whether all classes are as they were for now.
    pub fn is_resting(&self) -> bool {
        self.resting.load(Ordering::Acquire)
    }

    /// Appends a record. A write error is kept by the writer, which stops writing; the reader sees a cut trace.
    pub fn record(&self, record: &Record) {
        if let Some(writer) = &self.writer {
            let _ = lock(writer).write(record);
        }
    }

    /// Hands everything recorded so far to the file.
    pub fn flush(&self) {
        if let Some(writer) = &self.writer {
            let _ = lock(writer).flush();
        }
    }

    /// Hands it over if that was not done for a while: a process may be killed at any moment.
    pub fn flush_when_due(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.flushed.load(Ordering::Relaxed);
        if now.saturating_sub(last) >= FLUSH_MS {
            self.flushed.store(now, Ordering::Relaxed);
            self.flush();
        }
    }

    /// Records nothing more: something that is read with the trace could not be written. The reader sees a cut trace.
    pub fn stop_recording(&self) {
        if let Some(writer) = &self.writer {
            let _ = lock(writer).stop();
        }
    }

    /// Records that counts are not exact.
    pub fn inexact(&self, reason: impl Into<String>) {
        self.record(&Record::Inexact(reason.into()));
    }

    /// Records that a class or method stays as it is.
    pub fn left(&self, class: &str, method: Option<String>, reason: impl Into<String>) {
        self.record(&Record::Left(Left {
            class: class.to_owned(),
            method,
            reason: reason.into(),
        }));
    }

    /// Records a panic of ours, unless the panicking thread holds the writer.
    pub fn panicked(&self, what: &str) {
        if let Some(Ok(mut writer)) = self.writer.as_ref().map(Mutex::try_lock) {
            let _ = writer.write(&Record::Inexact(format!("the agent failed: {what}")));
        }
    }
}

/// Locks; a panic of another thread under the lock left data that is still whole.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
