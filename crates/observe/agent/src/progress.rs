//! Snapshots of a run at intervals of counts, by which it is learnt when each feature is final.
//!
//! The helper counts its own calls (method entries and assignments) and calls `epoch` after each interval. A snapshot is written then; when there
//! are too many, every second one is deleted and the interval doubles. So their number is bounded, they are spread evenly over the run
//! whatever its length, and no clock has a say in it: a program of one thread that repeats itself yields the same snapshots.

use std::path::PathBuf;
use std::sync::Mutex;

use pricetag_trace::AgentOptions;

use crate::intervals::Intervals;
use crate::jvm::Jni;
use crate::session::{Session, lock};
use crate::snapshot;

/// Calls in the first intervals.
const FIRST: i32 = 512;

/// Snapshots so far.
#[derive(Debug)]
pub struct Progress {
    intervals: Mutex<Intervals<PathBuf>>,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            intervals: Mutex::new(Intervals::new(FIRST)),
        }
    }
}

/// An interval is over: how many calls the next one has.
pub fn epoch(session: &Session, jni: Jni) -> i32 {
    let progress = &session.progress;
    let due = {
        let mut intervals = lock(&progress.intervals);
        let due = intervals.advance();
        due.then(|| AgentOptions::progress_of(&session.options.trace, intervals.over()))
    };
    if let Some(file) = due
        && snapshot::take_to(session, jni, || file.clone())
    {
        let gone = lock(&progress.intervals).keep(file);
        for file in gone {
            let _ = std::fs::remove_file(file);
        }
    }
    lock(&progress.intervals).begin()
}
