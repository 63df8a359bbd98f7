//! Snapshots of a run at intervals of counts, by which it is learnt when each feature is final.
//!
//! The helper counts its own calls (method entries and assignments) and calls `epoch` after each interval. A snapshot is written then; when there
//! are too many, every second one is deleted and the interval doubles. So their number is bounded, they are spread evenly over the run
//! whatever its length, and no clock has a say in it: a program of one thread that repeats itself yields the same snapshots.

use std::path::PathBuf;
use std::sync::Mutex;

use pricetag_trace::AgentOptions;

use crate::jvm::Jni;
use crate::session::{Session, lock};
use crate::snapshot;

/// Calls in the first intervals.
const FIRST: i32 = 512;
/// Longest interval, half the largest number of calls the helper can count.
const LONGEST: i32 = 1 << 30;
/// Snapshots kept at most, an even number.
const KEPT: usize = 32;

/// Snapshots so far.
#[derive(Debug, Default)]
pub struct Progress {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Calls per interval; 0 before the first.
    interval: i32,
    /// How many intervals of [`FIRST`] calls are over.
    over: u64,
    kept: Vec<PathBuf>,
}

impl State {
    /// Begins the first interval or ends one: the file to write, unless this is the first call.
    fn next(&mut self, session: &Session) -> Option<PathBuf> {
        if self.interval == 0 {
            self.interval = FIRST;
            return None;
        }
        self.over += u64::from((self.interval / FIRST).unsigned_abs());
        Some(AgentOptions::progress_of(&session.options.trace, self.over))
    }

    /// Keeps a snapshot; which ones are to be deleted.
    fn keep(&mut self, file: PathBuf) -> Vec<PathBuf> {
        self.kept.push(file);
        if self.kept.len() < KEPT || self.interval >= LONGEST {
            return Vec::new();
        }
        self.interval *= 2;
        let all = std::mem::take(&mut self.kept);
        let (mut gone, mut odd) = (Vec::new(), true);
        for file in all {
            if odd { &mut gone } else { &mut self.kept }.push(file);
            odd = !odd;
        }
        gone
    }
}

/// An interval is over: how many calls the next one has.
pub fn epoch(session: &Session, jni: Jni) -> i32 {
    if !session.progress_wanted() {
        return i32::MAX;
    }
    let progress = &session.progress;
    let next = lock(&progress.state).next(session);
    if let Some(file) = next
        && snapshot::take_to(session, jni, || file.clone())
    {
        let gone = lock(&progress.state).keep(file);
        for file in gone {
            let _ = std::fs::remove_file(file);
        }
    }
    lock(&progress.state).interval
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_stay_few_and_evenly_spread() {
        let mut state = State {
            interval: FIRST,
            ..State::default()
        };
        let mut alive: Vec<u64> = Vec::new();
        for _ in 0..1000 {
            state.over += u64::from((state.interval / FIRST).unsigned_abs());
            alive.push(state.over);
            let gone = state.keep(PathBuf::from(state.over.to_string()));
            alive.retain(|n| !gone.contains(&PathBuf::from(n.to_string())));
            assert!(alive.len() < KEPT);
        }
        let gaps: Vec<u64> = alive.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| *gap == gaps[0]), "{gaps:?}");
        assert_eq!(gaps[0], u64::from((state.interval / FIRST).unsigned_abs()));
        assert_eq!(alive[0], gaps[0]);
    }
}
