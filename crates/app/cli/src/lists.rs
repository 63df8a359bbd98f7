//! Lists that users write or `inspect --list` prints: methods or blocks to count, features to learn from. One a line; empty lines and lines that
//! begin with # are skipped.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use pricetag_dataset::Dataset;
use pricetag_trace::{BlockName, Listed, MethodName};

use crate::failure::{Failure, io};

/// Line numbers and lines of a list.
fn lines(path: &Path) -> Result<Vec<(usize, String)>, Failure> {
    let text = std::fs::read_to_string(path).map_err(io("read", path))?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let said = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    Ok(said
        .map(|(number, line)| (number, line.to_owned()))
        .collect())
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
