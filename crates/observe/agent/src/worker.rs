//! The agent's own thread, for planning and rewriting classes.
//!
//! Classes are loaded on the subject's threads, often deep in their stacks and just after a `StackOverflowError`: HotSpot
//! guarantees native code a few dozen KiB there. The subject's thread only waits, or takes what an earlier run left ([`crate::reuse`]); the work is done here on a stack of our own.
//! Signals are blocked on this thread, so that the JVM never handles one on it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

const STACK_BYTES: usize = 64 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// Runs jobs one after another on its own thread.
pub struct Worker {
    jobs: Sender<Job>,
}

impl Worker {
    /// Starts the thread.
    pub fn start() -> std::io::Result<Self> {
        let (jobs, queue): (Sender<Job>, Receiver<Job>) = channel();
        let thread = spawn("pricetag", move || {
            for job in queue {
                job();
            }
        });
        thread.map(|_| Self { jobs })
    }

    /// Runs a job and waits for its result; none if it panicked.
    pub fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (reply, result): (SyncSender<T>, Receiver<T>) = sync_channel(1);
        self.jobs
            .send(Box::new(move || {
                // A panic drops `reply`, which the waiting thread sees.
                if let Ok(value) = catch_unwind(AssertUnwindSafe(job)) {
                    let _ = reply.send(value);
                }
            }))
            .ok()?;
        result.recv().ok()
    }

    /// Runs a job some time later, if the process lives that long.
    pub fn post(&self, job: impl FnOnce() + Send + 'static) {
        let _ = self.jobs.send(Box::new(move || {
            let _ = catch_unwind(AssertUnwindSafe(job));
        }));
    }
}

/// Starts a thread of the agent's that handles no signals.
pub fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<JoinHandle<T>> {
    let previous = block_signals();
    let thread = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work);
    restore_signals(&previous);
    thread
}

fn block_signals() -> libc::sigset_t {
    // SAFETY: both sets are live locals, filled before they are read.
    unsafe {
        let (mut all, mut previous) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut previous);
        previous
    }
}

fn restore_signals(previous: &libc::sigset_t) {
    // SAFETY: `previous` is what `pthread_sigmask` returned.
    unsafe {
        libc::pthread_sigmask(
            libc::SIG_SETMASK,
            &raw const *previous,
            std::ptr::null_mut(),
        );
    }
}
