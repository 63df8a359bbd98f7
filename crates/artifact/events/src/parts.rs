//! Events of one thread with gaps: a frame for several blocks, of which each is small where calls of a scope have others between them.

use std::vec::IntoIter;

use crate::block::{Block, Content, Place};
use crate::coding::{self, number, take_number};
use crate::facts::{Symbol, ThreadId};
use crate::writer::LONGEST_BLOCK;

/// Events without a gap, and how many were left out before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Events left out just before.
    pub left_out: u64,
    /// Events, one at least.
    pub events: u32,
}

/// Appends how the events are parted.
pub(crate) fn encode(parts: &[Part], out: &mut Vec<u8>) {
    for part in parts {
        number(out, part.left_out);
        number(out, u64::from(part.events));
    }
}

/// Blocks of a frame that are still to be given.
#[derive(Debug)]
pub(crate) struct Parted {
    thread: ThreadId,
    start_ns: Option<u64>,
    /// Number of the thread's next event, before what is left out.
    next: u64,
    parts: IntoIter<Part>,
    events: IntoIter<Symbol>,
    packed_bytes: usize,
    offset: u64,
}

impl Parted {
    /// Reads a frame at `offset`; none if it is damaged, or names a kind beyond `kinds`.
    pub(crate) fn read(payload: &[u8], longest: u32, kinds: u32, offset: u64) -> Option<Self> {
        let mut rest = payload;
        let thread = ThreadId(take_number(&mut rest)?);
        let start_ns = take_number(&mut rest)?.checked_sub(1);
        let next = take_number(&mut rest)?;
        let count = take_number(&mut rest).filter(|&count| count <= LONGEST_BLOCK as u64)?;
        let all = take_number(&mut rest).filter(|&all| all <= count)?;
        let unpacked = take_number(&mut rest)?;
        let most = count * coding::LONGEST as u64 + all * LONGEST_PART;
        if unpacked > most.min(u64::from(longest)) {
            return None;
        }
        let bytes = zstd::bulk::decompress(rest, unpacked as usize).ok()?;
        let mut coded = bytes.as_slice();
        let (mut parts, mut end, mut sum) = (Vec::new(), next, 0_u64);
        for _ in 0..all {
            let left_out = take_number(&mut coded)?;
            let events = take_number(&mut coded).filter(|&events| events > 0)?;
            end = end.checked_add(left_out)?.checked_add(events)?;
            sum += u64::from(u32::try_from(events).ok()?);
            parts.push(Part {
                left_out,
                events: events as u32,
            });
        }
        let mut events = Vec::new();
        coding::decode(coded, count as usize, &mut events).ok()?;
        let known = events.iter().all(|event| event.0 < kinds);
        (sum == count && known).then(|| Self {
            thread,
            start_ns,
            next,
            parts: parts.into_iter(),
            events: events.into_iter(),
            packed_bytes: rest.len(),
            offset,
        })
    }
}

/// Most bytes of a part.
const LONGEST_PART: u64 = 10 + 5;

impl Iterator for Parted {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let part = self.parts.next()?;
        let first = self.next + part.left_out;
        self.next = first + u64::from(part.events);
        let events = self.events.by_ref().take(part.events as usize);
        Some(Block {
            place: Place {
                thread: self.thread,
                start_ns: self.start_ns.take(),
                left_out: part.left_out,
            },
            first,
            count: part.events,
            offset: self.offset,
            content: Content::Plain {
                events: events.collect(),
                // The first has those of all.
                packed_bytes: std::mem::take(&mut self.packed_bytes),
            },
        })
    }
}
