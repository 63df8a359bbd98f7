//! Events of one thread without a gap.

use crate::coding;
use crate::facts::{Symbol, ThreadId};
use crate::stop::Stop;

/// Where a block stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The thread.
    pub thread: ThreadId,
    /// When its first event began, ns by the recorder's clock.
    pub start_ns: Option<u64>,
    /// Events of the thread that were left out just before it.
    pub left_out: u64,
}

/// A block as it stands in the file: its events are decoded on request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it stands.
    pub place: Place,
    /// Number of its first event in the thread, from 0; what was left out is numbered, too.
    pub first: u64,
    /// How many events it has.
    pub count: u32,
    pub(crate) kinds: u32,
    pub(crate) unpacked: u32,
    pub(crate) offset: u64,
    pub(crate) packed: Vec<u8>,
}

impl Block {
    /// Replaces `events` by those of the block.
    ///
    /// # Errors
    /// If the bytes are no events, or name a kind that the file had not declared; `events` is then empty.
    pub fn decode(&self, events: &mut Vec<Symbol>) -> Result<(), Stop> {
        events.clear();
        let damaged = |why: &str| Stop {
            offset: self.offset,
            why: format!("a block of thread {}: {why}", self.place.thread.0),
        };
        let bytes = zstd::bulk::decompress(&self.packed, self.unpacked as usize)
            .map_err(|e| damaged(&e.to_string()))?;
        coding::decode(&bytes, self.count as usize, events).map_err(damaged)?;
        let largest = events.iter().map(|e| e.0).max();
        if largest.is_some_and(|largest| largest >= self.kinds) {
            events.clear();
            return Err(damaged(
                "it names a kind of invocation that is not declared",
            ));
        }
        Ok(())
    }

    /// Bytes that its events take in the file.
    pub fn packed_bytes(&self) -> usize {
        self.packed.len()
    }
}
