//! A formula term by term: a table whose long terms are continued on further lines and never cut.
//!
//! A line ends before a factor where it can, within a name only if that alone is longer than a line. Whatever the width,
//! the lines of a term put together are the term, so that two features never look alike.

use std::fmt::Write as _;

use pricetag_cost_model::Term;

use crate::figure::{brief, count, percent};
use crate::table::{Align, printable, render};

/// Stands before the further lines of a term.
const INDENT: &str = "  ";
/// A line has room for at least this many characters of a term.
const LEAST: usize = 24;

/// A table of at most `limit` terms, laid out for `width` characters; of others their number and `rest` are told.
pub fn term_table(terms: &[Term], limit: usize, width: usize, rest: &str) -> String {
    let shown = &terms[..terms.len().min(limit)];
    let shares: Vec<String> = shown.iter().map(|term| percent(term.share)).collect();
    let widest = shares.iter().map(|share| share.chars().count()).max();
    let others = widest.unwrap_or(0).max("share".len()) + 4;
    let room = width.saturating_sub(others).max(LEAST);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (term, share) in shown.iter().zip(shares) {
        let lines = continued(&brief(&printable(&term.text)), room);
        let shares = std::iter::once(share).chain(std::iter::repeat(String::new()));
        let lines = lines.into_iter().zip(shares);
        rows.extend(lines.map(|(line, share)| vec![line, share]));
    }
    let header = [("term", Align::Left), ("share", Align::Right)];
    let mut text = render(&header, &rows, 0, usize::MAX);
    if terms.len() > limit {
        let more = count((terms.len() - limit) as f64);
        let _ = writeln!(text, "{more} more: {rest}");
    }
    text
}

/// Where a text may be broken, best first.
const BREAKS: [fn(&str) -> Vec<&str>; 3] = [factors, words, characters];

/// A text in lines of at most `room` characters, those after the first indented.
fn continued(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    put(text, 0, room.max(LEAST), &mut lines);
    lines
}

/// Appends a piece to the last line if it fits, to a new one if it fits there, else in smaller pieces.
fn put(piece: &str, level: usize, room: usize, lines: &mut Vec<String>) {
    let length = |text: &str| text.chars().count();
    let last = lines.last().map_or(0, |line| length(line));
    let fresh = INDENT.len() + length(piece.trim_end()) <= room;
    if last + length(piece.trim_end()) <= room {
        if let Some(line) = lines.last_mut() {
            line.push_str(piece);
        }
    } else if fresh && level > 0 || level == BREAKS.len() {
        lines.push(format!("{INDENT}{piece}"));
    } else {
        for smaller in BREAKS[level](piece) {
            put(smaller, level + 1, room, lines);
        }
    }
}

/// Pieces that begin with a sign of multiplication or division, or behind a space, outside of names.
fn factors(text: &str) -> Vec<&str> {
    let mut quoted = false;
    split(text, |before, c| {
        quoted ^= c == '`';
        !quoted && (matches!(c, '·' | '/') || before == ' ')
    })
}

fn words(text: &str) -> Vec<&str> {
    split(text, |before, _| before == ' ')
}

fn characters(text: &str) -> Vec<&str> {
    split(text, |_, _| true)
}

/// Cuts a text before every character for which `begins`, given the one before it, holds.
fn split(text: &str, mut begins: impl FnMut(char, char) -> bool) -> Vec<&str> {
    let (mut out, mut start, mut before) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        // Asked of the first character, too: it may be a quotation mark.
        let begins = begins(before.unwrap_or(c), c);
        if begins && before.is_some() {
            out.push(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }
    out.push(&text[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "2041.9·`Work.exchange(int[], int) loop 0 at block 1 (:4)`·`Work.quad(int) loop 1 at block 3 (:6) per entry of loop 0`";

    fn bare(text: &str) -> String {
        text.split_whitespace().collect()
    }

    #[test]
    fn a_product_of_two_features_is_told_whole_at_any_width() {
        for room in 24..200 {
            let lines = continued(LONG, room);
            assert_eq!(bare(&lines.concat()), bare(LONG), "{room}");
            let fits = |line: &String| line.trim_end().chars().count() <= room;
            assert!(lines.iter().all(fits), "{room}: {lines:#?}");
        }
        // One line per factor where they fit.
        let lines = continued(LONG, 90);
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert!(lines[1].starts_with("  ·`Work.quad(int) loop 1"));
        assert_eq!(continued(LONG, 200).len(), 1);
    }

    #[test]
    fn a_table_has_each_share_beside_the_first_line_of_its_term() {
        let term = |text: &str, share| Term {
            text: text.into(),
            share,
        };
        let terms = [term(LONG, 0.978), term("12·n", 0.022), term("5", 0.0)];
        let text = term_table(&terms, 2, 100, "see there");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[1].trim_start().starts_with("2041.9·`Work.exchange"),
            "{text}"
        );
        assert!(lines[1].ends_with("97.8 %"), "{text}");
        assert!(lines[2].starts_with("   ·`Work.quad"), "{text}");
        assert!(lines[3].ends_with("2.2 %"), "{text}");
        assert!(text.ends_with("1 more: see there\n"), "{text}");
        assert!(!text.contains('…') && lines.iter().all(|l| l.chars().count() <= 100));
    }
}
