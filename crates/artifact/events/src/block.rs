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
    pub(crate) offset: u64,
    pub(crate) content: Content,
}

/// The events of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// As they stand in a frame of their own.
    Packed {
        bytes: Vec<u8>,
        unpacked: u32,
        /// Kinds that are declared.
        kinds: u32,
    },
    /// Out of a frame of several blocks.
    Plain {
        events: Vec<Symbol>,
        packed_bytes: usize,
    },
}

impl Block {
    /// Replaces `events` by those of the block.
    ///
    /// # Errors
    /// If the bytes are no events, or name a kind that the file had not declared; `events` is then empty.
    pub fn decode(&self, events: &mut Vec<Symbol>) -> Result<(), Stop> {
        events.clear();
        let (packed, unpacked, kinds) = match &self.content {
            Content::Packed {
                bytes,
                unpacked,
                kinds,
            } => (bytes, *unpacked, *kinds),
            Content::Plain { events: plain, .. } => {
                events.extend_from_slice(plain);
                return Ok(());
            }
        };
        let damaged = |why: &str| Stop {
            offset: self.offset,
            why: format!("a block of thread {}: {why}", self.place.thread.0),
        };
        let bytes = zstd::bulk::decompress(packed, unpacked as usize)
            .map_err(|e| damaged(&e.to_string()))?;
        coding::decode(&bytes, self.count as usize, events).map_err(damaged)?;
        let largest = events.iter().map(|e| e.0).max();
        if largest.is_some_and(|largest| largest >= kinds) {
            events.clear();
            return Err(damaged(
                "it names a kind of invocation that is not declared",
            ));
        }
        Ok(())
    }

    /// Bytes that its events take in the file.
    pub fn packed_bytes(&self) -> usize {
        match &self.content {
            Content::Packed { bytes, .. } => bytes.len(),
            Content::Plain { packed_bytes, .. } => *packed_bytes,
        }
    }
}
