//! Which method of one build is which of another, and which block which.
//!
//! Names decide first. Compilers number lambdas and anonymous classes, so that a new one renames all behind it: among these, content decides
//! before the number. What then has no partner is matched by content, if that is long enough to tell and unique on both sides. Blocks of
//! matched methods are aligned by a longest common subsequence of their contents (Hunt & Szymanski 1977); what lies between two aligned
//! blocks in equal number on both sides is taken for changed, in its order.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Block, Key, Method};

/// Instructions from which on the content of a method tells which it is.
const TELLING: f64 = 10.0;
/// Products of numbers of blocks up to which a table is filled; beyond, equal contents are matched in their order.
const TABLE: usize = 4_000_000;

/// Pairs of methods, and what has no partner, as indices.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Alignment {
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) gone: Vec<usize>,
    pub(crate) new: Vec<usize>,
}

/// Aligns the methods of two builds.
pub(crate) fn methods(before: &[Method], after: &[Method]) -> Alignment {
    let mut matching = Matching {
        methods: [before, after],
        open: [(0..before.len()).collect(), (0..after.len()).collect()],
        pairs: Vec::new(),
    };
    // Numbered by the compiler: by content among those that differ in the number alone, then by name.
    let numbered = |m: &Method| Some(stem(&m.key)).filter(|stem| *stem != m.key);
    matching.in_order(|m| Some((numbered(m)?, m.content())));
    matching.unique(|m| Some(m.key.clone()));
    matching.in_order(numbered);
    // Renamed or moved.
    let telling = |m: &Method| (m.instructions() >= TELLING).then(|| m.content());
    matching.unique(|m| Some((m.key.0.clone(), telling(m)?)));
    matching.unique(telling);
    let Matching {
        open, mut pairs, ..
    } = matching;
    let [gone, new] = open.map(|open| open.into_iter().collect());
    pairs.sort_unstable();
    Alignment { pairs, gone, new }
}

/// Methods of both sides while they are paired.
struct Matching<'a> {
    methods: [&'a [Method]; 2],
    /// Those without a partner.
    open: [BTreeSet<usize>; 2],
    pairs: Vec<(usize, usize)>,
}

impl Matching<'_> {
    /// Pairs methods that have a mark which no other of their side has.
    fn unique<M: Ord>(&mut self, mark: impl Fn(&Method) -> Option<M>) {
        for [old, new] in self.marked(mark) {
            if let ([old], [new]) = (&old[..], &new[..]) {
                self.pair(*old, *new);
            }
        }
    }

    /// Pairs methods that have the same mark, the first with the first.
    fn in_order<M: Ord>(&mut self, mark: impl Fn(&Method) -> Option<M>) {
        for [old, new] in self.marked(mark) {
            for (old, new) in old.into_iter().zip(new) {
                self.pair(old, new);
            }
        }
    }

    /// Open methods of both sides by their mark.
    fn marked<M: Ord>(&self, mark: impl Fn(&Method) -> Option<M>) -> Vec<[Vec<usize>; 2]> {
        let mut marked: BTreeMap<M, [Vec<usize>; 2]> = BTreeMap::new();
        for (side, methods) in self.methods.into_iter().enumerate() {
            for &index in &self.open[side] {
                if let Some(mark) = mark(&methods[index]) {
                    marked.entry(mark).or_default()[side].push(index);
                }
            }
        }
        marked.into_values().collect()
    }

    fn pair(&mut self, old: usize, new: usize) {
        self.open[0].remove(&old);
        self.open[1].remove(&new);
        self.pairs.push((old, new));
    }
}

/// A method's key without the numbers that compilers give to lambdas and anonymous classes.
fn stem((class, method, descriptor): &Key) -> Key {
    let class: Vec<&str> = class.split('$').map(unless_number).collect();
    let method = if method.starts_with("lambda$")
        || method.contains("$lambda")
        || method.contains("$anonfun")
    {
        let parts: Vec<&str> = method.split('$').map(unless_number).collect();
        parts.join("$")
    } else {
        method.clone()
    };
    (class.join("$"), method, descriptor.clone())
}

fn unless_number(part: &str) -> &str {
    let number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if number { "" } else { part }
}

/// Pairs of blocks; a block of one side alone has no partner. In the order of the code.
pub(crate) fn blocks(before: &[Block], after: &[Block]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut aligned = Vec::new();
    let (mut i, mut j) = (0, 0);
    let anchors = common(before, after);
    for (a, b) in anchors.into_iter().chain([(before.len(), after.len())]) {
        // Between two anchors: as many on both sides are the same ones, changed.
        let changed = a - i == b - j;
        if changed {
            aligned.extend((i..a).zip(j..b).map(|(i, j)| (Some(i), Some(j))));
        } else {
            aligned.extend((i..a).map(|i| (Some(i), None)));
            aligned.extend((j..b).map(|j| (None, Some(j))));
        }
        if a < before.len() && b < after.len() {
            aligned.push((Some(a), Some(b)));
        }
        (i, j) = (a + 1, b + 1);
    }
    aligned
}

/// A longest common subsequence by content.
fn common(before: &[Block], after: &[Block]) -> Vec<(usize, usize)> {
    let same = |i: usize, j: usize| before[i].content == after[j].content;
    let (n, m) = (before.len(), after.len());
    let start = (0..n.min(m)).take_while(|&i| same(i, i)).count();
    let rest = n.min(m) - start;
    let end = (1..=rest).take_while(|&k| same(n - k, m - k)).count();
    let (rows, columns) = (n - start - end, m - start - end);
    let mut pairs: Vec<(usize, usize)> = (0..start).map(|i| (i, i)).collect();
    if rows * columns <= TABLE {
        let width = columns + 1;
        let mut longest = vec![0u32; (rows + 1) * width];
        for i in (0..rows).rev() {
            for j in (0..columns).rev() {
                longest[i * width + j] = if same(start + i, start + j) {
                    longest[(i + 1) * width + j + 1] + 1
                } else {
                    longest[(i + 1) * width + j].max(longest[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < rows && j < columns {
            if same(start + i, start + j) {
                pairs.push((start + i, start + j));
                (i, j) = (i + 1, j + 1);
            } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    } else {
        let mut from = start;
        for i in start..n - end {
            if let Some(j) = (from..m - end).find(|&j| same(i, j)) {
                pairs.push((i, j));
                from = j + 1;
            }
        }
    }
    pairs.extend((0..end).rev().map(|k| (n - 1 - k, m - 1 - k)));
    pairs
}

#[cfg(test)]
mod tests {
    use pricetag_finding::Place;
    use proptest::prelude::*;

    use super::*;

    fn block(number: u32, content: &str) -> Block {
        Block {
            column: 0,
            number,
            lines: None,
            content: content.to_owned(),
            instructions: 5.0,
        }
    }

    fn code(contents: &str) -> Vec<Block> {
        (0..)
            .zip(contents.chars())
            .map(|(number, c)| block(number, &c.to_string()))
            .collect()
    }

    fn method(class: &str, name: &str, contents: &str) -> Method {
        Method {
            key: (class.to_owned(), name.to_owned(), "()V".to_owned()),
            place: Place::default(),
            blocks: code(contents),
            invocations: None,
            varies: false,
        }
    }

    fn aligned(before: &[Method], after: &[Method]) -> Vec<(usize, usize)> {
        methods(before, after).pairs
    }

    #[test]
    fn names_decide_and_content_finds_what_was_renamed_or_moved() {
        let before = [
            method("A", "f", "ab"),
            method("A", "g", "cd"),
            method("B", "h", "ef"),
        ];
        let after = [
            method("A", "f", "xy"),
            method("A", "g2", "cd"),
            method("C", "h", "ef"),
        ];
        assert_eq!(aligned(&before, &after), [(0, 0), (1, 1), (2, 2)]);
    }

    #[test]
    fn what_two_have_alike_tells_nothing() {
        let before = [method("A", "f", "ab"), method("A", "g", "ab")];
        let after = [method("A", "x", "ab"), method("A", "y", "ab")];
        let found = methods(&before, &after);
        assert_eq!(
            (found.pairs.len(), found.gone.len(), found.new.len()),
            (0, 2, 2)
        );
        // Five instructions could be anybody's.
        assert!(aligned(&[method("A", "f", "a")], &[method("A", "x", "a")]).is_empty());
    }

    #[test]
    fn a_new_lambda_renames_those_behind_it() {
        let before = [
            method("A", "lambda$main$0", "a"),
            method("A", "lambda$main$1", "b"),
        ];
        let after = [
            method("A", "lambda$main$0", "new"),
            method("A", "lambda$main$1", "a"),
            method("A", "lambda$main$2", "b"),
        ];
        let found = methods(&before, &after);
        assert_eq!((found.pairs, found.new), (vec![(0, 1), (1, 2)], vec![0]));
        // Changed at the same time, what is left goes by its number.
        let after = [
            method("A", "lambda$main$0", "z"),
            method("A", "lambda$main$1", "b"),
        ];
        assert_eq!(aligned(&before, &after), [(0, 0), (1, 1)]);
        let before = [method("A$1", "run", "a"), method("A$2", "run", "b")];
        let after = [
            method("A$1", "run", "n"),
            method("A$2", "run", "a"),
            method("A$3", "run", "b"),
        ];
        assert_eq!(aligned(&before, &after), [(0, 1), (1, 2)]);
    }

    #[test]
    fn blocks_between_equal_ones_are_changed_or_new() {
        let pairs = |a: &str, b: &str| blocks(&code(a), &code(b));
        assert_eq!(
            pairs("abc", "axc"),
            [(Some(0), Some(0)), (Some(1), Some(1)), (Some(2), Some(2))]
        );
        assert_eq!(
            pairs("ac", "abc"),
            [(Some(0), Some(0)), (None, Some(1)), (Some(1), Some(2))]
        );
        assert_eq!(
            pairs("abc", "c"),
            [(Some(0), None), (Some(1), None), (Some(2), Some(0))]
        );
        assert_eq!(pairs("", "a"), [(None, Some(0))]);
        assert_eq!(pairs("", ""), []);
    }

    proptest! {
        /// Every block is there once, in order, and the pairs of equal content are as many as the longest common subsequence has.
        #[test]
        fn every_block_is_aligned_once(a in "[abc]{0,8}", b in "[abc]{0,8}") {
            let (old, new) = (code(&a), code(&b));
            let found = blocks(&old, &new);
            let left: Vec<usize> = found.iter().filter_map(|p| p.0).collect();
            let right: Vec<usize> = found.iter().filter_map(|p| p.1).collect();
            prop_assert_eq!(left, (0..old.len()).collect::<Vec<_>>());
            prop_assert_eq!(right, (0..new.len()).collect::<Vec<_>>());
            prop_assert_eq!(common(&old, &new).len(), longest(a.as_bytes(), b.as_bytes()));
        }
    }

    /// By its definition.
    fn longest(a: &[u8], b: &[u8]) -> usize {
        match (a.split_first(), b.split_first()) {
            (Some((x, rest)), Some((y, others))) if x == y => 1 + longest(rest, others),
            (Some((_, rest)), Some((_, others))) => longest(rest, b).max(longest(a, others)),
            _ => 0,
        }
    }
}
