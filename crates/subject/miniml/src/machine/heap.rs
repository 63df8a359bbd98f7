//! Blocks on a heap of two generations: young ones are those since the last simulated minor collection. Both are collected by copying
//! (Cheney 1970). Where something old comes to point to something young, its place is remembered until the next collection.
//!
//! A block also stands for what the native compiler would allocate in its place, which may be nothing: see [`Native`].

use std::cmp::Ordering;

/// An OCaml word.
pub(crate) type Word = u64;

/// A tuple that the compiler takes apart before it is made.
pub(crate) const GHOST: u8 = 243;
/// A function applied to too few arguments, where the compiler knew the function.
pub(super) const KNOWN_PARTIAL: u8 = 245;
/// A function applied to too few arguments at run time.
pub(super) const PARTIAL: u8 = 246;
pub(super) const CLOSURE: u8 = 247;
/// A float held in a register.
pub(super) const RAW_FLOAT: u8 = 250;
pub(super) const STRING: u8 = 252;
pub(super) const FLOAT: u8 = 253;
/// A record of floats.
pub(crate) const FLAT: u8 = 254;

/// Words a nursery has before it is collected, unless a simulated collection comes first.
const NURSERY: usize = 1 << 18;
/// Blocks of more words than this are not allocated in the minor heap.
pub(super) const LARGEST_YOUNG: u64 = 256;

/// The word of an integer: 63 bits.
pub(crate) fn int(n: i64) -> Word {
    ((n as u64) << 1) | 1
}

/// The integer of a word.
pub(crate) fn word(w: Word) -> i64 {
    w as i64 >> 1
}

/// What a comparison looked at beyond the two values it was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// Values inside.
    pub values: u64,
    /// Words that texts have in common, beyond the first of each.
    pub texts: u64,
}

/// Words of a native string, with its header.
pub(super) fn string_words(length: u64) -> u64 {
    length / 8 + 2
}

/// Words that a native string takes of the minor heap.
pub(super) fn young_string_words(length: u64) -> u64 {
    let words = string_words(length);
    if words <= LARGEST_YOUNG + 1 { words } else { 0 }
}

/// Words of the chain of closures that hold arguments `from..to` of a function.
pub(super) fn curry_words(arity: usize, from: usize, to: usize) -> u64 {
    (from + 1..=to)
        .map(|held| if arity - held > 1 { 6 } else { 5 })
        .sum()
}

/// What the native compiler would have allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Native {
    pub words: u64,
    pub blocks: u64,
}

impl Native {
    /// In place of the block at a place; `closure` knows the words of a function's closure.
    fn of(words: &[Word], at: usize, closure: &impl Fn(usize) -> u64) -> Self {
        let (size, tag) = (words[at] >> 9, (words[at] >> 1) as u8);
        let mut blocks = 1;
        let words = match tag {
            RAW_FLOAT | GHOST => 0,
            STRING => young_string_words(words[at + 1]),
            CLOSURE => closure(word(words[at + 1]) as usize),
            // Which function is partially applied is behind the block: two more than the arguments is right for the usual one.
            KNOWN_PARTIAL => size + 2,
            PARTIAL => {
                let more = size.saturating_sub(2);
                blocks += more;
                6 * more + 5
            }
            // Larger blocks are not in the minor heap.
            _ if size > LARGEST_YOUNG => 0,
            _ => size + 1,
        };
        Self {
            words,
            blocks: if words > 0 { blocks } else { 0 },
        }
    }

    fn add(&mut self, other: Self) {
        self.words += other.words;
        self.blocks += other.blocks;
    }
}

/// A header is odd: size, tag, 1. The header of a block that has moved is even: its new place.
#[derive(Debug)]
pub(crate) struct Heap {
    words: Vec<Word>,
    /// Where young blocks begin.
    young: usize,
    /// Length at which a collection is due.
    threshold: usize,
    /// Length of the old generation at which it is collected too.
    old_threshold: usize,
    /// Places of old blocks that something young was assigned to.
    remembered: Vec<usize>,
    /// Where survivors of collections are gathered: kept, since new memory is dear.
    survivors: Vec<Word>,
}

impl Default for Heap {
    fn default() -> Self {
        Self {
            words: vec![],
            young: 0,
            threshold: NURSERY,
            old_threshold: 8 * NURSERY,
            remembered: vec![],
            survivors: vec![],
        }
    }
}

impl Heap {
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    #[inline]
    pub(super) fn is_full(&self, words: usize) -> bool {
        self.words.len() + words > self.threshold
    }

    #[inline]
    fn open(&mut self, tag: u8, size: usize) -> Word {
        let at = self.words.len() as u64;
        self.words
            .push((size as u64) << 9 | u64::from(tag) << 1 | 1);
        at << 1
    }

    fn header(&self, w: Word) -> Word {
        self.words[(w >> 1) as usize]
    }

    pub(crate) fn size(&self, w: Word) -> usize {
        (self.header(w) >> 9) as usize
    }

    #[inline]
    pub(crate) fn tag(&self, w: Word) -> u8 {
        (self.header(w) >> 1) as u8
    }

    #[inline]
    pub(super) fn has_tag(&self, w: Word, tag: u8) -> bool {
        w & 1 == 0 && self.tag(w) == tag
    }

    #[inline]
    pub(crate) fn field(&self, w: Word, i: usize) -> Word {
        self.words[(w >> 1) as usize + 1 + i]
    }

    pub(super) fn set(&mut self, w: Word, i: usize, value: Word) {
        self.words[(w >> 1) as usize + 1 + i] = value;
    }

    /// Assigns a field, for good.
    pub(super) fn assign(&mut self, w: Word, i: usize, value: Word) {
        let at = (w >> 1) as usize + 1 + i;
        self.words[at] = value;
        if at < self.young && value & 1 == 0 && (value >> 1) as usize >= self.young {
            self.remembered.push(at);
        }
    }

    /// A block of the same word many times.
    pub(super) fn block_of(&mut self, tag: u8, size: usize, word: Word) -> Word {
        let w = self.open(tag, size);
        self.words.resize(self.words.len() + size, word);
        w
    }

    /// A byte of a string.
    pub(super) fn byte(&self, w: Word, i: usize) -> u8 {
        self.field(w, 1 + i / 8).to_be_bytes()[i % 8]
    }

    pub(super) fn set_byte(&mut self, w: Word, i: usize, byte: u8) {
        let mut eight = self.field(w, 1 + i / 8).to_be_bytes();
        eight[i % 8] = byte;
        self.set(w, 1 + i / 8, u64::from_be_bytes(eight));
    }

    /// A block of a first field and others in reverse.
    #[inline]
    pub(super) fn block_reversed(&mut self, tag: u8, first: Word, others: &[Word]) -> Word {
        let w = self.open(tag, others.len() + 1);
        self.words.push(first);
        match others {
            [one] => self.words.push(*one),
            several => self.words.extend(several.iter().rev()),
        }
        w
    }

    pub(super) fn block_forward(&mut self, tag: u8, first: Word, others: &[Word]) -> Word {
        let w = self.open(tag, others.len() + 1);
        self.words.push(first);
        self.words.extend(others);
        w
    }

    pub(super) fn copy(&mut self, w: Word) -> Word {
        let from = (w >> 1) as usize;
        let at = self.words.len() as u64;
        self.words.extend_from_within(from..=from + self.size(w));
        at << 1
    }

    /// A float, not boxed.
    #[inline]
    pub(super) fn float(&mut self, x: f64) -> Word {
        let w = self.open(RAW_FLOAT, 1);
        self.words.push(x.to_bits());
        w
    }

    /// Boxes a float where it is.
    pub(super) fn box_float(&mut self, w: Word) {
        self.words[(w >> 1) as usize] = 1 << 9 | u64::from(FLOAT) << 1 | 1;
    }

    pub(crate) fn as_float(&self, w: Word) -> f64 {
        f64::from_bits(self.field(w, 0))
    }

    /// A string: its length, then its bytes, eight to a word.
    pub(super) fn string(&mut self, bytes: &[u8]) -> Word {
        let w = self.open(STRING, 1 + bytes.len().div_ceil(8));
        self.words.push(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            self.words.push(u64::from_be_bytes(eight));
        }
        w
    }

    pub(crate) fn bytes(&self, w: Word) -> Vec<u8> {
        let length = self.field(w, 0) as usize;
        let mut bytes: Vec<u8> = (1..self.size(w))
            .flat_map(|i| self.field(w, i).to_be_bytes())
            .collect();
        bytes.truncate(length);
        bytes
    }

    /// Everything becomes old.
    pub(super) fn settle(&mut self) {
        self.remembered.clear();
        self.young = self.words.len();
        if self.young > NURSERY {
            // As for calls: much is old, so there may be much more.
            let _ = self.words.try_reserve(16 * NURSERY);
        }
        self.threshold = self.young + NURSERY;
    }

    /// Moves what the roots reach of the young blocks; they stay young.
    pub(super) fn compact<const N: usize>(&mut self, roots: [&mut [Word]; N], wanted: usize) {
        let survivors = self.collect(self.young, roots, |_, _| {});
        self.threshold = self.young + (2 * (survivors + wanted)).max(NURSERY);
    }

    /// A minor collection: what the roots reach of the young blocks becomes old. Returns what it takes natively; the first `old` words of the first root reach
    /// no young block; `closure` knows the words of a function's closure.
    pub(super) fn promote<const N: usize>(
        &mut self,
        roots: [&mut [Word]; N],
        old: usize,
        closure: impl Fn(usize) -> u64,
    ) -> Native {
        let mut promoted = Native::default();
        let full = self.young > self.old_threshold;
        // What is collected with the old generation may be old: only young blocks count, so they are moved first.
        let mut roots = roots;
        let young = self.young;
        let mut from = old;
        let fresh = roots.each_mut().map(|root| {
            let from = std::mem::take(&mut from).min(root.len());
            &mut root[from..]
        });
        self.collect(young, fresh, |words, at| {
            promoted.add(Native::of(words, at, &closure));
        });
        self.remembered.clear();
        if full {
            self.collect(0, roots, |_, _| {});
            self.old_threshold = (2 * self.words.len()).max(8 * NURSERY);
        }
        self.settle();
        promoted
    }

    /// Words that everything within reach of the roots takes natively.
    pub(super) fn reachable<const N: usize>(
        &mut self,
        roots: [&mut [Word]; N],
        closure: impl Fn(usize) -> u64,
    ) -> u64 {
        let mut all = Native::default();
        self.collect(0, roots, |words, at| {
            all.add(Native::of(words, at, &closure));
        });
        self.settle();
        all.words
    }

    fn collect<const N: usize>(
        &mut self,
        from: usize,
        roots: [&mut [Word]; N],
        mut visit: impl FnMut(&[Word], usize),
    ) -> usize {
        let mut to = std::mem::take(&mut self.survivors);
        to.reserve(self.words.len() - from);
        for root in roots {
            for w in root {
                *w = self.moved(*w, from, &mut to);
            }
        }
        // A place that was assigned twice must not be moved twice.
        self.remembered.sort_unstable();
        self.remembered.dedup();
        for i in 0..self.remembered.len() {
            let place = self.remembered[i];
            if place < from {
                self.words[place] = self.moved(self.words[place], from, &mut to);
            }
        }
        let mut at = 0;
        while at < to.len() {
            let (size, tag) = ((to[at] >> 9) as usize, (to[at] >> 1) as u8);
            visit(&to, at);
            if !matches!(tag, STRING | FLOAT | RAW_FLOAT) {
                for i in at + 1..=at + size {
                    to[i] = self.moved(to[i], from, &mut to);
                }
            }
            at += size + 1;
        }
        self.words.truncate(from);
        self.words.extend_from_slice(&to);
        let survivors = to.len();
        to.clear();
        to.shrink_to(2 * NURSERY);
        self.survivors = to;
        survivors
    }

    #[inline]
    fn moved(&mut self, w: Word, boundary: usize, to: &mut Vec<Word>) -> Word {
        let from = (w >> 1) as usize;
        if w & 1 == 1 || from < boundary {
            return w;
        }
        let header = self.words[from];
        if header & 1 == 0 {
            return header;
        }
        let new = ((boundary + to.len()) as u64) << 1;
        match self.words[from..=from + (header >> 9) as usize] {
            // A cell of a list, which most blocks are: without a call that copies.
            [header, head, tail] => to.extend([header, head, tail]),
            ref block => to.extend_from_slice(block),
        }
        self.words[from] = new;
        new
    }

    /// By bytes, and a beginning before what goes on: words hold eight bytes each, the first one highest, and zeros where a string has ended.
    fn compare_strings(&self, a: Word, b: Word) -> Ordering {
        let words = |w: Word| {
            let at = (w >> 1) as usize + 1;
            &self.words[at..at + self.size(w)]
        };
        let (a, b) = (words(a), words(b));
        a[1..].cmp(&b[1..]).then(a[0].cmp(&b[0]))
    }

    /// Words that two texts have in common from their beginnings, beyond the first.
    fn compared_words(&self, a: Word, b: Word) -> u64 {
        let (first, second) = (self.size(a) - 1, self.size(b) - 1);
        let same = (1..=first.min(second)).take_while(|i| self.field(a, *i) == self.field(b, *i));
        (same.count() as u64).saturating_sub(1)
    }

    /// OCaml's structural order; nothing where a NaN is met unless the order is `total`, an error where a function is.
    /// Adds what is looked at beyond the two values.
    pub(super) fn compare(
        &self,
        a: Word,
        b: Word,
        total: bool,
        looked: &mut Compared,
    ) -> Result<Option<Ordering>, ()> {
        // Most comparisons are of one pair, for which this takes no room.
        let mut todo = vec![];
        let mut pair = Some((a, b));
        while let Some((a, b)) = pair.or_else(|| todo.pop()) {
            looked.values += u64::from(pair.is_none());
            pair = None;
            if total && a == b {
                continue;
            }
            let order = match (a & 1, b & 1) {
                (1, 1) => (a as i64).cmp(&(b as i64)),
                (1, _) => Ordering::Less,
                (_, 1) => Ordering::Greater,
                _ => match (self.tag(a), self.tag(b)) {
                    (CLOSURE | PARTIAL | KNOWN_PARTIAL, _)
                    | (_, CLOSURE | PARTIAL | KNOWN_PARTIAL) => return Err(()),
                    (FLOAT | RAW_FLOAT, FLOAT | RAW_FLOAT) => {
                        let (x, y) = (self.as_float(a), self.as_float(b));
                        match x.partial_cmp(&y) {
                            Some(order) => order,
                            None if total => (!x.is_nan()).cmp(&!y.is_nan()),
                            None => return Ok(None),
                        }
                    }
                    (STRING, STRING) => {
                        looked.texts += self.compared_words(a, b);
                        self.compare_strings(a, b)
                    }
                    (s, t) => {
                        let (s, t) = (
                            if s == GHOST { 0 } else { s },
                            if t == GHOST { 0 } else { t },
                        );
                        let order = s.cmp(&t).then(self.size(a).cmp(&self.size(b)));
                        if order.is_eq() {
                            todo.extend(
                                (0..self.size(a))
                                    .rev()
                                    .map(|i| (self.field(a, i), self.field(b, i))),
                            );
                        }
                        order
                    }
                },
            };
            if order.is_ne() {
                return Ok(Some(order));
            }
        }
        Ok(Some(Ordering::Equal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_in_the_order_of_their_bytes() {
        let texts: Vec<Vec<u8>> = [0, 1, 7, 8, 9, 16, 17]
            .into_iter()
            .flat_map(|length| {
                let ends: [&[u8]; 4] = [b"", b"\0", b"\x01", b"\xff"];
                ends.map(|end| [&vec![b'a'; length][..], end].concat())
            })
            .collect();
        let mut heap = Heap::default();
        let words: Vec<Word> = texts.iter().map(|text| heap.string(text)).collect();
        for (a, x) in words.iter().zip(&texts) {
            for (b, y) in words.iter().zip(&texts) {
                let mut looked = Compared::default();
                assert_eq!(
                    heap.compare(*a, *b, true, &mut looked),
                    Ok(Some(x.cmp(y))),
                    "{x:?} {y:?}"
                );
            }
        }
    }
}
