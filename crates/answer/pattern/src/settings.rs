//! What is asked for.

use std::num::NonZeroU32;

use crate::loops::LONGEST;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Size of the window of locality, events; the paper's rule if none: the number of classes for classes, of methods for methods.
    pub window: Option<NonZeroU32>,
    /// Loops up to this length, 1…64 events.
    pub longest_loop: usize,
    /// Slices of time, 1 or more.
    pub slices: usize,
    /// Whether each thread is told by itself.
    pub per_thread: bool,
    /// What is asked.
    pub parts: Parts,
    /// Entries of ranked lists.
    pub top: usize,
    /// Nanoseconds per invocation by method; recurrent sequences are then ranked by time.
    pub prices: Option<Vec<f64>>,
}

/// Which questions are answered; localities, and sums of sizes, distances and natives always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Loop-N; consecutive patterns are loop-1.
    pub loops: bool,
    /// Neighbours, and hierarchy-consecutive patterns.
    pub neighbours: bool,
    /// Recurrent sequences of any length.
    pub recurrent: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            window: None,
            longest_loop: LONGEST,
            slices: 1,
            per_thread: false,
            parts: Parts {
                loops: true,
                neighbours: true,
                recurrent: true,
            },
            top: 20,
            prices: None,
        }
    }
}
