//! Lists that users write or `inspect --list` prints: methods or blocks to count, features to learn from. One a line; empty lines and lines that
//! begin with # are skipped.

use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};
use std::path::Path;
use std::str::FromStr;

use pricetag_dataset::Dataset;
use pricetag_file::raw;
use pricetag_finding::table::is_harmful;
use pricetag_trace::{BlockName, Listed, MethodName};

use crate::failure::{Failure, io};

/// A name as a line: what would end it, be skipped with it or drive a terminal is written as in Rust and JavaScript, `\u{a}`.
pub fn line_of(name: &str) -> String {
    let mut line = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        let rest = &name[at + c.len_utf8()..];
        let edge = (at == 0 || rest.is_empty()) && c.is_whitespace() || at == 0 && c == '#';
        let escape = c == '\\' && rest.starts_with("u{");
        if edge || escape || is_harmful(c) || raw::byte(c).is_some() {
            let _ = write!(line, "\\u{{{:x}}}", u32::from(c));
        } else {
            line.push(c);
        }
    }
    line
}

/// The name that a line is of.
fn name_of(line: &str) -> String {
    let mut name = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("\\u{") {
        let digits = &rest[at + 3..];
        let code = digits.split_once('}').and_then(|(digits, after)| {
            let code = u32::from_str_radix(digits, 16).ok()?;
            Some((char::from_u32(code)?, after))
        });
        name.push_str(&rest[..at]);
        if let Some((c, after)) = code {
            name.push(c);
            rest = after;
        } else {
            name.push_str("\\u{");
            rest = digits;
        }
    }
    name + rest
}

/// Line numbers and names of a list.
fn lines(path: &Path) -> Result<Vec<(usize, String)>, Failure> {
    let text = std::fs::read_to_string(path).map_err(io("read", path))?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let said = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    Ok(said.map(|(number, line)| (number, name_of(line))).collect())
}

/// Reads what is to be counted from the file of `--methods` or of `--blocks`; everything without either.
pub fn listed(methods: Option<&Path>, blocks: Option<&Path>) -> Result<Listed, Failure> {
    let remedy = "`pricetag inspect DATASET --list methods` prints such a list";
    let methods = methods.map(|path| names(path, ("method", remedy, "--methods")));
    let remedy = "`pricetag inspect DATASET --list blocks` prints such a list";
    let blocks = blocks.map(|path| names(path, ("block", remedy, "--blocks")));
    let methods: BTreeSet<MethodName> = methods.transpose()?.unwrap_or_default();
    let blocks: BTreeSet<BlockName> = blocks.transpose()?.unwrap_or_default();
    Listed::of(methods, blocks).ok_or_else(|| {
        Failure::usage("methods are listed, and blocks")
            .advice("give --blocks alone: the methods of its blocks are counted")
    })
}

/// The names in a file, which are of some kind; how to get such names, and the option that the file was given by.
fn names<N>(path: &Path, (kind, remedy, option): (&str, &str, &str)) -> Result<BTreeSet<N>, Failure>
where
    N: FromStr<Err: Display> + Ord,
{
    let names: BTreeSet<N> = lines(path)?
        .into_iter()
        .map(|(number, line)| {
            let place = format!("{} line {number}", path.display());
            line.parse()
                .map_err(|e| Failure::usage(format!("{place}: {e}")).advice(remedy))
        })
        .collect::<Result<_, _>>()?;
    if names.is_empty() {
        let why = format!("{} names no {kind}", path.display());
        return Err(Failure::usage(why).advice(format!("leave out {option} to count all")));
    }
    Ok(names)
}

/// The dataset with the listed features alone, of the kinds that the list names; all of it without a list.
pub fn restricted(dataset: Dataset, only: Option<&Path>) -> Result<Dataset, Failure> {
    let Some(path) = only else {
        return Ok(dataset);
    };
    let names: BTreeSet<String> = lines(path)?.into_iter().map(|(_, line)| line).collect();
    if names.is_empty() {
        let why = format!("{} names no feature", path.display());
        return Err(Failure::usage(why).advice("leave out --only for all features"));
    }
    dataset.with_only(&names).map_err(|odd| {
        Failure::new(format!(
            "{} names `{odd}`, which no feature is called",
            path.display()
        ))
        .advice("`pricetag inspect DATASET --list features` prints the names")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_a_list() {
        let names = [
            "A.m(int) block 3",
            "A.new\nline()V",
            "#A.m()V",
            " A.m()V ",
            "A.nul\0x()V",
            "A.a\\b()V",
            "A.\\u{41}()V",
            "A.\\u{zz}()V",
            "\u{202e}A",
            "bad\u{f7ff}",
            "\t",
            "é 漢 🦀",
            "",
        ];
        for name in names {
            let line = line_of(name);
            assert_eq!(name_of(&line), name, "{line}");
            assert_eq!(line.trim(), line);
            assert!(
                !line.starts_with('#') && !line.contains(is_harmful),
                "{line}"
            );
        }
        assert_eq!(line_of("A.new\nline()V"), "A.new\\u{a}line()V");
        assert_eq!(line_of("A.m(int) block 3"), "A.m(int) block 3");
    }
}
