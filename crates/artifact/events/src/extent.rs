//! How much a file holds: found by reading its frames without decoding events.

use std::collections::BTreeMap;
use std::io::Read;

use crate::block::Block;
use crate::facts::{Dictionary, ThreadId};
use crate::reader::Reader;
use crate::stop::{Ending, Stop};

/// How much a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// By thread.
    pub threads: BTreeMap<ThreadId, ThreadExtent>,
    /// The first and the last time that the file tells, ns.
    pub time_ns: Option<(u64, u64)>,
    /// Bytes that events take in the file.
    pub packed_bytes: u64,
    /// How it ends.
    pub ending: Ending,
}

/// How much it holds of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadExtent {
    /// Events.
    pub events: u64,
    /// Events that were left out.
    pub left_out: u64,
}

impl Extent {
    /// Reads all frames. What follows damage is not counted.
    ///
    /// # Errors
    /// If it is no file of events.
    pub fn scan<R: Read>(source: R) -> Result<(Self, Dictionary), Stop> {
        let mut reader = Reader::new(source)?;
        let mut extent = Self::default();
        for block in reader.by_ref() {
            extent.add(&block);
        }
        extent.ending = reader.ending().clone();
        if let Ending::Whole(Some(end)) = extent.ending {
            extent.at(end);
        }
        Ok((extent, reader.into_dictionary()))
    }

    /// Adds a block.
    pub fn add(&mut self, block: &Block) {
        self.events(
            block.place.thread,
            u64::from(block.count),
            block.place.left_out,
        );
        self.packed_bytes += block.packed_bytes() as u64;
        if let Some(ns) = block.place.start_ns {
            self.at(ns);
        }
    }

    /// Adds events of a thread.
    pub fn events(&mut self, thread: ThreadId, events: u64, left_out: u64) {
        let entry = self.threads.entry(thread).or_default();
        entry.events += events;
        entry.left_out = entry.left_out.saturating_add(left_out);
    }

    /// Widens the time.
    pub fn at(&mut self, ns: u64) {
        let (from, to) = self.time_ns.unwrap_or((ns, ns));
        self.time_ns = Some((from.min(ns), to.max(ns)));
    }

    /// Events of all threads.
    pub fn total(&self) -> u64 {
        self.threads.values().map(|t| t.events).sum()
    }

    /// Events of all threads that were left out.
    pub fn left_out(&self) -> u64 {
        let add = |sum: u64, thread: &ThreadExtent| sum.saturating_add(thread.left_out);
        self.threads.values().fold(0, add)
    }
}
