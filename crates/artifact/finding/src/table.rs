//! Text tables: no borders, aligned columns, names shortened to the width that is left.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use pricetag_file::raw;

use crate::figure::shorten;

/// Width that text answers are laid out for when the caller does not know better.
pub const TEXT_WIDTH: usize = 100;

/// Side of a column on which its text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Lays out rows under a header. Cells of the column `flexible` are shortened so that the table fits into `width`
/// characters, but never below 16. Control characters in cells are replaced, so that a file name cannot drive the terminal.
pub fn render(
    header: &[(&str, Align)],
    rows: &[Vec<String>],
    flexible: usize,
    width: usize,
) -> String {
    let clean: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| printable(cell)).collect())
        .collect();
    let others: usize = (0..header.len())
        .filter(|&column| column != flexible)
        .map(|column| 2 + column_width(header[column].0, &clean, column))
        .sum();
    let room = width.saturating_sub(others + 2).max(16);
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().map(|(name, _)| *name));
    for mut row in clean {
        if let Some(cell) = row.get_mut(flexible) {
            *cell = shorten(cell, room);
        }
        table.add_row(row);
    }
    for (index, (_, align)) in header.iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
        }
    }
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Replaces characters that could drive a terminal or turn the order of what is read by a visible mark: foreign text, such as names of files
/// and classes or what a program said, becomes one line of plain text.
pub fn printable(text: &str) -> String {
    plain(text, |_| false)
}

/// The same of text that has lines.
pub fn printable_lines(text: &str) -> String {
    plain(text, |c| matches!(c, '\n' | '\t'))
}

fn plain(text: &str, allowed: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if let Some(byte) = raw::byte(c) {
            // Of a name that is not UTF-8, as `ls` and Bash write it.
            let _ = write!(out, "\\x{byte:02x}");
        } else if is_harmful(c) && !allowed(c) {
            out.push('\u{fffd}');
        } else {
            out.push(c);
        }
    }
    out
}

/// Control characters (C0, C1, delete), Unicode's marks, embeddings, overrides and isolates of direction, and its line separators.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn column_width(name: &str, rows: &[Vec<String>], column: usize) -> usize {
    rows.iter()
        .filter_map(|row| row.get(column))
        .map(|cell| cell.chars().count())
        .chain([name.chars().count()])
        .max()
        .unwrap_or(0)
}

/// Text of others in Markdown.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_drives_nothing() {
        let name = "a\u{1b}[2J\u{9b}1m\u{7f}\r\u{202e}txt.exe\u{2066}\u{2029}\n\tb é 漢 🦀";
        let shown = "a\u{fffd}[2J\u{fffd}1m\u{fffd}\u{fffd}\u{fffd}txt.exe\u{fffd}\u{fffd}";
        assert_eq!(printable(name), format!("{shown}\u{fffd}\u{fffd}b é 漢 🦀"));
        assert_eq!(printable_lines(name), format!("{shown}\n\tb é 漢 🦀"));
        assert_eq!(printable("bad\u{f7ff}"), "bad\\xff");
    }

    #[test]
    fn numbers_align_and_long_names_are_cut() {
        let rows = vec![
            vec!["a".repeat(200), "1".to_owned()],
            vec!["b\u{1b}[31m".to_owned(), "1,000".to_owned()],
        ];
        let text = render(
            &[("name", Align::Left), ("count", Align::Right)],
            &rows,
            0,
            40,
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 40),
            "{text}"
        );
        assert!(
            text.contains("    1\n") && text.contains("1,000\n"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'));
    }
}
