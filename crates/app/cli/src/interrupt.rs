//! Ctrl-C: what the first one means is up to what goes on; where nothing has to be ended in order, and on the second, the program ends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pricetag_runner::Cancel;
use pricetag_runner::supervise::kill_all;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::{FEWER_FILES, Failure, too_many_files};
use crate::scratch;

/// Exit code of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Ends something in order; false if that was asked before.
type Ender = Box<dyn Fn() -> bool + Send>;

static CURRENT: Mutex<Option<Ender>> = Mutex::new(None);

/// As long as it lives, Ctrl-C goes to what it was made for.
#[must_use]
pub struct Attention(());

impl Attention {
    /// The first Ctrl-C calls `end`, and a further one if it then returns true.
    pub fn to(end: impl Fn() -> bool + Send + 'static) -> Self {
        *current() = Some(Box::new(end));
        Self(())
    }

    /// Ends recordings in order on the first Ctrl-C, at once on the second.
    pub fn of_recording() -> (Cancel, Self) {
        let cancel = Cancel::default();
        let set = cancel.clone();
        let attention = Self::to(move || {
            let first = !set.is_cancelled();
            set.cancel();
            first
        });
        (cancel, attention)
    }
}

impl Drop for Attention {
    fn drop(&mut self) {
        *current() = None;
    }
}

fn current() -> MutexGuard<'static, Option<Ender>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on Ctrl-C, and what else asks a program to end, arrives here.
///
/// # Errors
/// If the system takes no handler.
pub fn watch() -> Result<(), Failure> {
    let failed = |e: std::io::Error| {
        let failure = Failure::new(format!("cannot watch for Ctrl-C: {e}"));
        if too_many_files(&e) {
            failure.advice(FEWER_FILES)
        } else {
            failure
        }
    };
    // A write beyond the limit of a file's size is to fail like any other, not to end the program.
    let beyond = rustix::process::Signal::XFSZ.as_raw();
    let mut asked = vec![SIGINT, SIGTERM, beyond];
    // Under `nohup` the terminal's end is not the program's.
    if !is_ignored(SIGHUP) {
        asked.push(SIGHUP);
    }
    let mut signals = Signals::new(asked).map_err(failed)?;
    let forever = move || {
        signals
            .forever()
            .filter(|&signal| signal != beyond)
            .for_each(|_| on_interrupt());
    };
    std::thread::Builder::new()
        .name("interrupts".to_owned())
        .spawn(forever)
        .map(drop)
        .map_err(failed)
}

/// Whether whoever started this process had it ignore the signal.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

fn on_interrupt() {
    let ended = current().as_ref().is_some_and(|end| end());
    if !ended {
        kill_all();
        scratch::remove_all();
        std::process::exit(INTERRUPTED);
    }
}
