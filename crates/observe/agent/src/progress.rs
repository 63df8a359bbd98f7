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

/// All in units of [`FIRST`] calls.
#[derive(Debug, Default)]
struct State {
    /// Calls from one snapshot to the next; 0 before the first.
    interval: u64,
    /// Calls the helper counts now: the interval, or a part of one that is too long for its counter.
    step: u64,
    /// Calls since the last snapshot.
    since: u64,
    /// All calls so far.
    over: u64,
    kept: Vec<PathBuf>,
}

impl State {
    /// Begins the first interval, or notes that a step is over: whether a snapshot is due.
    fn advance(&mut self) -> bool {
        self.over += self.step;
        self.since += self.step;
        let due = self.interval > 0 && self.since >= self.interval;
        if due {
            self.since = 0;
        }
        self.interval = self.interval.max(1);
        due
    }

    /// Calls of the next step.
    fn begin(&mut self) -> i32 {
        let longest = LONGEST.unsigned_abs() / FIRST.unsigned_abs();
        self.step = (self.interval - self.since).clamp(1, u64::from(longest));
        i32::try_from(self.step).map_or(LONGEST, |step| step * FIRST)
    }

    /// Keeps a snapshot; which ones are to be deleted.
    fn keep(&mut self, file: PathBuf) -> Vec<PathBuf> {
        self.kept.push(file);
        if self.kept.len() < KEPT {
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
    let due = {
        let mut state = lock(&progress.state);
        let due = state.advance();
        due.then(|| AgentOptions::progress_of(&session.options.trace, state.over))
    };
    if let Some(file) = due
        && snapshot::take_to(session, jni, || file.clone())
    {
        let gone = lock(&progress.state).keep(file);
        for file in gone {
            let _ = std::fs::remove_file(file);
        }
    }
    lock(&progress.state).begin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_stay_few_and_evenly_spread() {
        let mut state = State::default();
        let mut alive: Vec<u64> = Vec::new();
        let mut calls = 0;
        assert!(!state.advance());
        // Long enough for intervals beyond what the helper can count.
        while state.interval < 8 * u64::from(LONGEST.unsigned_abs() / FIRST.unsigned_abs()) {
            let step = state.begin();
            assert!((FIRST..=LONGEST).contains(&step));
            calls += u64::from((step / FIRST).unsigned_abs());
            if !state.advance() {
                continue;
            }
            assert_eq!(state.over, calls);
            alive.push(state.over);
            let gone = state.keep(PathBuf::from(state.over.to_string()));
            alive.retain(|n| !gone.contains(&PathBuf::from(n.to_string())));
            assert!(alive.len() < KEPT);
        }
        let gaps: Vec<u64> = alive.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| *gap == gaps[0]), "{gaps:?}");
        assert_eq!(gaps[0], state.interval);
        assert_eq!(alive[0], gaps[0]);
    }
}
