//! Loop-N patterns for N = 1…64 in one pass; loop-1 is the consecutive pattern.
//!
//! The paper's predictor for loop-N remembers the last N events and foretells the oldest of them; an event that was foretold forms an instance together
//! with what the predictor holds (Hwang & Huang, "Control Pattern Evaluation"). So an event is *predicted* if it equals the one N places before, and a *member* if it or one of
//! the next N is predicted. The paper takes a pass per pattern. Here a chunk of events is renamed to bytes, compared with itself N places before, 64 events to a word of
//! bits, and spread backwards over N places by doubling: some instructions per 64 events and N, whatever the events are.
//!
//! Limits: members are counted 64 events late, so that the last ones of a slice of time are counted in the next.

use crate::matches::{self, Compare};

/// The largest N.
pub const LONGEST: usize = 64;

/// Events renamed at once.
const CHUNK: usize = 4096;

/// Words of bits of a chunk, with one of the past in front and one of zeros behind.
const WORDS: usize = CHUNK / 64 + 2;

/// Numbers for N = 1, 2, …: index N − 1.
pub type PerLength = [u64; LONGEST];

/// Events of loop-N patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopCounts {
    /// Events that equal the one N places before.
    pub predicted: PerLength,
    /// Events that belong to an instance.
    pub members: PerLength,
}

impl Default for LoopCounts {
    fn default() -> Self {
        Self {
            predicted: [0; LONGEST],
            members: [0; LONGEST],
        }
    }
}

impl LoopCounts {
    /// Adds another sequence's.
    pub fn add(&mut self, other: &Self) {
        let pairs = self.predicted.iter_mut().zip(other.predicted);
        for (sum, more) in pairs.chain(self.members.iter_mut().zip(other.members)) {
            *sum += more;
        }
    }
}

/// Where one sequence stands.
#[derive(Clone, Debug)]
pub struct Loops {
    longest: usize,
    seen: u64,
    /// The last 64 ids, the latest last.
    history: [u32; LONGEST],
    /// For each N, whether each of the last 64 events was predicted; the latest in the highest bit.
    recent: PerLength,
}

/// Room to work in; one serves all sequences of a thread of ours.
#[derive(Debug)]
pub struct Workshop {
    /// By id, the chunk in which it was renamed and its byte there.
    labels: Vec<u32>,
    chunk: u32,
    bytes: Box<[u8; LONGEST + CHUNK + 64]>,
    portable: bool,
}

impl Workshop {
    /// For ids below `ids`.
    pub fn new(ids: usize) -> Self {
        Self {
            labels: vec![0; ids],
            chunk: 0,
            bytes: Box::new([0; LONGEST + CHUNK + 64]),
            portable: false,
        }
    }

    /// The same without instructions that only some processors have.
    pub fn portable(ids: usize) -> Self {
        Self {
            portable: true,
            ..Self::new(ids)
        }
    }

    /// Renames the past and as many of `ids` as one alphabet of bytes allows; says how many.
    fn rename(&mut self, past: &[u32], ids: &[u32]) -> usize {
        self.chunk += 1;
        if self.chunk >= 1 << 24 {
            self.labels.fill(0);
            self.chunk = 1;
        }
        let stamp = self.chunk << 8;
        let mut next = 0;
        let (before, here) = self.bytes.split_at_mut(LONGEST);
        let before = &mut before[LONGEST - past.len()..];
        for (byte, &id) in before.iter_mut().zip(past) {
            let label = &mut self.labels[id as usize];
            if *label & !0xff != stamp {
                *label = stamp | next;
                next += 1;
            }
            *byte = *label as u8;
        }
        let length = ids.len().min(CHUNK);
        for (at, (byte, &id)) in here.iter_mut().zip(&ids[..length]).enumerate() {
            let label = &mut self.labels[id as usize];
            if *label & !0xff != stamp {
                if next == 256 {
                    return at;
                }
                *label = stamp | next;
                next += 1;
            }
            *byte = *label as u8;
        }
        length
    }
}

impl Loops {
    /// A sequence that has not begun, for N up to `longest` (1…64).
    pub fn new(longest: usize) -> Self {
        Self {
            longest: longest.clamp(1, LONGEST),
            seen: 0,
            history: [0; LONGEST],
            recent: [0; LONGEST],
        }
    }

    /// Takes the next events.
    ///
    /// # Panics
    /// If an id is not below the workshop's number of ids.
    pub fn push(&mut self, mut ids: &[u32], workshop: &mut Workshop, counts: &mut LoopCounts) {
        if self.longest == 1 {
            self.consecutive(ids, counts);
            return;
        }
        while !ids.is_empty() {
            let known = (self.seen as usize).min(LONGEST);
            let length = workshop.rename(&self.history[LONGEST - known..], ids);
            let (now, rest) = ids.split_at(length);
            self.compare(workshop, length, counts);
            self.remember(now);
            ids = rest;
        }
    }

    /// The same for consecutive patterns alone, which need no renaming; members are counted at once.
    fn consecutive(&mut self, ids: &[u32], counts: &mut LoopCounts) {
        let Some((&first, rest)) = ids.split_first() else {
            return;
        };
        let mut was = self.recent[0] != 0;
        let (mut predicted, mut opened) = (0, 0);
        let mut step = |same: bool| {
            predicted += u64::from(same);
            opened += u64::from(same && !was);
            was = same;
        };
        step(self.seen > 0 && self.history[LONGEST - 1] == first);
        for (before, id) in ids.iter().zip(rest) {
            step(before == id);
        }
        self.recent[0] = u64::from(was);
        counts.predicted[0] += predicted;
        counts.members[0] += predicted + opened;
        self.remember(ids);
    }

    fn compare(&mut self, workshop: &Workshop, length: usize, counts: &mut LoopCounts) {
        let mut work = Chunk {
            loops: self,
            bytes: &workshop.bytes[..],
            length,
            counts,
        };
        #[cfg(target_arch = "x86_64")]
        if !workshop.portable
            && let Some(v3) = pulp::x86::V3::try_new()
        {
            v3.vectorize(|| work.run(v3));
            return;
        }
        work.run(matches::Portable);
    }

    fn remember(&mut self, now: &[u32]) {
        self.seen += now.len() as u64;
        let keep = now.len().min(LONGEST);
        self.history.copy_within(keep.., 0);
        self.history[LONGEST - keep..].copy_from_slice(&now[now.len() - keep..]);
    }

    /// Counts the last members: the sequence has ended.
    pub fn finish(&mut self, counts: &mut LoopCounts) {
        if self.longest == 1 {
            return;
        }
        for (n, (recent, members)) in (1..).zip(self.recent.iter_mut().zip(&mut counts.members)) {
            let mut words = [*recent, 0];
            spread(&mut words, n);
            *members += u64::from(words[0].count_ones());
            *recent = 0;
        }
    }
}

struct Chunk<'a> {
    loops: &'a mut Loops,
    bytes: &'a [u8],
    length: usize,
    counts: &'a mut LoopCounts,
}

impl Chunk<'_> {
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it is compiled for the processor by its caller"
    )]
    fn run(&mut self, with: impl Compare) {
        let mut buffer = [0_u64; WORDS];
        let count = self.length.div_ceil(64);
        for n in 1..=self.loops.longest {
            let recent = self.loops.recent[n - 1];
            let words = &mut buffer[..count + 2];
            matches::compare(with, self.bytes, LONGEST, n, &mut words[1..=count]);
            self.clear_unknown(n, &mut words[1..=count]);
            words[0] = recent;
            words[count + 1] = 0;
            let any = words.iter().fold(0, |any, word| any | word);
            if any == 0 {
                continue;
            }
            let predicted: u32 = words[1..=count].iter().map(|w| w.count_ones()).sum();
            self.counts.predicted[n - 1] += u64::from(predicted);
            self.loops.recent[n - 1] = last(words, self.length);
            spread(words, n);
            self.counts.members[n - 1] += ones(words, self.length);
        }
    }

    /// Clears bits of what is not there: events before the first, and after the last.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it is compiled for the processor by its caller"
    )]
    fn clear_unknown(&self, n: usize, words: &mut [u64]) {
        let tail = self.length % 64;
        if tail > 0
            && let Some(word) = words.last_mut()
        {
            *word &= (1 << tail) - 1;
        }
        let unknown = (n as u64).saturating_sub(self.loops.seen) as usize;
        if unknown > 0
            && let Some(word) = words.first_mut()
        {
            *word &= u64::MAX.checked_shl(unknown as u32).unwrap_or(0);
        }
    }
}

/// The 64 bits that follow the first `length`.
fn last(words: &[u64], length: usize) -> u64 {
    let (word, bit) = (length / 64, length % 64);
    let above = if bit == 0 {
        0
    } else {
        words[word + 1] << (64 - bit)
    };
    words[word] >> bit | above
}

/// How many of the first `length` bits are set.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled for the processor by its caller"
)]
fn ones(words: &[u64], length: usize) -> u64 {
    let (whole, tail) = (length / 64, length % 64);
    let mut ones: u32 = words[..whole].iter().map(|w| w.count_ones()).sum();
    if tail > 0 {
        ones += (words[whole] & ((1 << tail) - 1)).count_ones();
    }
    u64::from(ones)
}

/// Sets each bit of which one of the next `n` is set: by doubling, in about log₂ *n* passes.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled for the processor by its caller"
)]
fn spread(words: &mut [u64], n: usize) {
    let mut have = 1;
    while have < n + 1 {
        let step = have.min(n + 1 - have);
        for at in 0..words.len() - 1 {
            words[at] |= words[at] >> step | words[at + 1] << (64 - step);
        }
        if let Some(word) = words.last_mut() {
            *word |= *word >> step;
        }
        have += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(ids: &[u32]) -> LoopCounts {
        let (mut loops, mut workshop) = (Loops::new(LONGEST), Workshop::new(2000));
        let mut counts = LoopCounts::default();
        loops.push(ids, &mut workshop, &mut counts);
        loops.finish(&mut counts);
        counts
    }

    #[test]
    fn a_loop_of_three() {
        let counts = counts(&[9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 8]);
        assert_eq!(counts.predicted[2], 6);
        assert_eq!(counts.members[2], 9);
        assert_eq!(counts.predicted[5], 3);
        assert_eq!(counts.members[5], 9);
        assert_eq!(counts.predicted[0], 0);
    }

    #[test]
    fn consecutive_alone_is_the_same() {
        let ids = [5, 5, 1, 2, 2, 2, 3, 4, 4];
        let (mut loops, mut workshop) = (Loops::new(1), Workshop::new(9));
        let mut alone = LoopCounts::default();
        for ids in ids.chunks(2) {
            loops.push(ids, &mut workshop, &mut alone);
        }
        loops.finish(&mut alone);
        assert_eq!(alone.predicted[0], 4);
        assert_eq!(alone.members[0], 7);
        assert_eq!(counts(&ids).members[0], 7);
    }

    #[test]
    fn long_alphabets_are_cut() {
        let ids: Vec<u32> = (0..6000).map(|i| i % 1999).collect();
        assert_eq!(counts(&ids), LoopCounts::default());
        let ids: Vec<u32> = (0..6000).map(|i| i / 64 * 17 % 1999).collect();
        // Ninety-three runs of 64 and one of 48; of a run, all but the first are predicted.
        assert_eq!(counts(&ids).predicted[0], 6000 - 94);
        assert_eq!(counts(&ids).members[0], 6000);
    }
}
