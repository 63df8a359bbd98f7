//! Counts of a JVM that goes on: a complete trace of its own, whenever the JVM is asked for a data dump.
//!
//! `jcmd PID JVMTI.data_dump`, or the same request through the JVM's attach socket, posts the event on a thread of the JVM
//! (so does SIGQUIT, which prints stacks besides). The threads of the program are suspended while their stacks are walked and
//! their counters copied, and run on while the file is written; a garbage collection is held up at no time, since suspended threads
//! stand where one may happen, and nothing is allocated on the heap. Costs are read before. The file appears under its
//! name when it is complete.
//!
//! A thread that was running bytecode is marked as at the end of the VM: it may be in the middle of an update, so its last counts are
//! a snapshot.
//!
//! The end of the VM waits for a snapshot that is under way, and none begins after that.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

use jvmti_bindings::sys::jni::{JNI_OK, JNI_VERSION_1_6, JavaVM};
use pricetag_trace::{AgentOptions, Record, Start, TraceError, TraceReader, TraceWriter};

use crate::dump;
use crate::frames;
use crate::jvm::Jni;
use crate::session::Session;

static VM: AtomicPtr<JavaVM> = AtomicPtr::new(null_mut());

/// How long the end of the VM waits for a snapshot, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(1);

/// Which snapshots there are.
#[derive(Debug, Default)]
pub struct Snapshots {
    busy: AtomicBool,
    over: AtomicBool,
}

/// Keeps the VM for [`current`].
pub fn remember(vm: *mut JavaVM) {
    VM.store(vm, Ordering::Release);
}

/// The VM, once it is known.
pub fn vm() -> Option<*mut JavaVM> {
    let vm = VM.load(Ordering::Acquire);
    (!vm.is_null()).then_some(vm)
}

/// The environment of the current thread: the event does not bring it along.
pub fn current() -> Option<Jni> {
    let vm = vm()?;
    let mut env = null_mut();
    // SAFETY: `vm` is what the JVM passed to the agent's entry point; the out-pointer is a live local.
    let result = unsafe { ((**vm).GetEnv)(vm, &raw mut env, JNI_VERSION_1_6) };
    (result == JNI_OK).then(|| Jni::new(env.cast())).flatten()
}

/// Writes a snapshot beside the trace, unless one is under way or the VM ends.
pub fn take(session: &Session, jni: Jni) {
    take_to(session, jni, || {
        // The first free number, which is where those who asked look for it.
        (1..=u32::MAX)
            .map(|number| AgentOptions::snapshot_of(&session.options.trace, number))
            .find(|file| !file.exists())
            .unwrap_or_default()
    });
}

/// Writes a snapshot to a file; false if one is under way, the VM ends, or it cannot be written.
pub fn take_to(session: &Session, jni: Jni, file: impl FnOnce() -> PathBuf) -> bool {
    let snapshots = &session.snapshots;
    if !session.counting() || snapshots.busy.swap(true, Ordering::SeqCst) {
        return false;
    }
    let _turn = Turn(&snapshots.busy);
    let mut written = false;
    if !snapshots.over.load(Ordering::SeqCst) && session.runtime.get().is_some() {
        match write(session, jni, &file()) {
            Ok(()) => written = true,
            Err(error) => session.inexact(format!("a snapshot was not written: {error}")),
        }
    }
    written
}

/// The right to write a snapshot, given back however that ends.
struct Turn<'s>(&'s AtomicBool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// Waits for a snapshot that is under way; none begins any more.
pub fn none_more(session: &Session) {
    let snapshots = &session.snapshots;
    snapshots.over.store(true, Ordering::SeqCst);
    let start = Instant::now();
    while snapshots.busy.load(Ordering::SeqCst) && start.elapsed() < PATIENCE {
        std::thread::sleep(LOOK);
    }
}

fn write(session: &Session, jni: Jni, file: &Path) -> Result<(), TraceError> {
    session.flush();
    let costs = session.costs.so_far(session, jni);
    let begun = Instant::now();
    let stopped = frames::stop_others(session, jni);
    let open = frames::open_frames(session, jni, &stopped);
    let caught = session.caught.record(session, None);
    let totals = session.chunks.peek(session, jni);
    let unseen = frames::unseen(session, jni, &stopped, &totals.live);
    drop(stopped);
    let pause = begun.elapsed();

    let part = file.with_extension("part");
    let _ = std::fs::remove_file(&part);
    let mut writer = TraceWriter::create(&part)?;
    heading(session, &mut writer, pause)?;
    let about = unseen
        .map(Record::Inexact)
        .into_iter()
        .chain(costs.map(Record::Process));
    for record in about.chain(dump::records(session, &totals, open, caught)) {
        writer.write(&record)?;
    }
    writer.write(&Record::End)?;
    writer.finish()?;
    std::fs::rename(&part, file).map_err(|source| TraceError::Io {
        action: "rename",
        path: part,
        source,
    })
}

/// What the trace of the run has said so far about the JVM and about what is not counted.
fn heading(
    session: &Session,
    writer: &mut TraceWriter<File>,
    pause: Duration,
) -> Result<(), TraceError> {
    let mut reader = TraceReader::open(&session.options.trace)?;
    while let Some(record) = reader.next_record()? {
        match record {
            Record::Start(mut start) => {
                describe(&mut start, session, pause);
                writer.write(&Record::Start(start))?;
            }
            Record::Left(_) | Record::Inexact(_) => writer.write(&record)?,
            _ => {}
        }
    }
    Ok(())
}

fn describe(start: &mut Start, session: &Session, pause: Duration) {
    let age = session.started.elapsed();
    for (name, time) in [
        ("pricetag.snapshot.age_ns", age),
        ("pricetag.snapshot.pause_ns", pause),
    ] {
        start
            .properties
            .push((name.to_owned(), time.as_nanos().to_string()));
    }
}
