//! Ctrl-C: what the first one means is up to what goes on; where nothing has to be ended in order, and on the second, the program ends.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pricetag_runner::Cancel;
use pricetag_runner::supervise::kill_all;

use crate::failure::Failure;

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
    pub fn to(end: impl Fn() -> bool + Send + 'static) -> Result<Self, Failure> {
        static HANDLER: OnceLock<Result<(), String>> = OnceLock::new();
        let installed =
            HANDLER.get_or_init(|| ctrlc::set_handler(on_interrupt).map_err(|e| e.to_string()));
        if let Err(why) = installed {
            return Err(Failure::new(format!("cannot watch for Ctrl-C: {why}")));
        }
        *current() = Some(Box::new(end));
        Ok(Self(()))
    }

    /// Ends recordings in order on the first Ctrl-C, at once on the second.
    pub fn of_recording() -> Result<(Cancel, Self), Failure> {
        let cancel = Cancel::default();
        let set = cancel.clone();
        let attention = Self::to(move || {
            let first = !set.is_cancelled();
            set.cancel();
            first
        })?;
        Ok((cancel, attention))
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

fn on_interrupt() {
    let ended = current().as_ref().is_some_and(|end| end());
    if !ended {
        kill_all();
        std::process::exit(INTERRUPTED);
    }
}
