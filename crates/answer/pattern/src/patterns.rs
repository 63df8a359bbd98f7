//! The answer as data.

use serde::Serialize;

use crate::census::{Distances, Natives, Sizes};
use crate::dimension::Dimension;
use crate::measures::Measures;
use crate::ranking::Neighbourhood;
use crate::recurrent::Recurrent;

/// What a sequence of invocations looks like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Patterns {
    /// What was looked at.
    pub recorded: Recorded,
    /// Windows of locality: for receiver class, method class, method, events.
    pub windows: [u64; 3],
    /// The whole run: what is said of each thread, added up; no pattern spans two threads.
    pub whole: Measures,
    /// By thread, in the order of their numbers; empty if not asked for.
    pub threads: Vec<ThreadMeasures>,
    /// By slice of time; empty if there is one.
    pub slices: Vec<SliceMeasures>,
    /// How far methods are declared above the receiver's class.
    pub distances: Distances,
    /// Sizes of methods.
    pub sizes: Sizes,
    /// Native methods.
    pub natives: Natives,
    /// Building blocks by receiver class, method class and method.
    pub neighbours: Vec<Neighbours>,
    /// Recurrent sequences, those that matter most first.
    pub recurrent: Vec<Recurrent>,
    /// What limits trust, in words.
    pub notes: Vec<String>,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Recorded {
    /// Events.
    pub events: u64,
    /// Events that the recording left out.
    pub left_out: u64,
    /// Threads.
    pub threads: usize,
    /// Classes that are known.
    pub classes: usize,
    /// Methods that are known.
    pub methods: usize,
    /// Kinds of invocation, each a receiver's class and a method.
    pub kinds: usize,
    /// First and last time told, ns.
    pub time_ns: Option<(u64, u64)>,
}

/// Measures of a thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadMeasures {
    /// Its number.
    pub thread: u64,
    /// Its name, if told.
    pub name: Option<String>,
    /// What is said of it.
    pub measures: Measures,
}

/// Measures of a slice of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SliceMeasures {
    /// Where it begins: ns, or the number of an event if the recording tells no times.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// Which of both.
    pub unit: SliceUnit,
    /// What is said of it.
    pub measures: Measures,
}

/// What slices are cut by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SliceUnit {
    /// Time.
    Ns,
    /// Events, in the order of the file.
    Events,
}

/// Building blocks of one part of invocations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbours {
    /// Which.
    pub dimension: Dimension,
    /// The first ones by rank.
    pub ranked: Vec<Neighbourhood>,
}
