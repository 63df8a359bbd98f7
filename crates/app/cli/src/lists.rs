//! Lists that users write or `inspect --list` prints: methods to count, features to learn from. One a line; empty lines and lines that
//! begin with # are skipped.

use std::collections::BTreeSet;
use std::path::Path;

use pricetag_dataset::Dataset;
use pricetag_trace::MethodName;

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

/// Reads a list of methods to count; none without a file.
pub fn listed_methods(path: Option<&Path>) -> Result<BTreeSet<MethodName>, Failure> {
    let Some(path) = path else {
        return Ok(BTreeSet::new());
    };
    let methods: BTreeSet<MethodName> = lines(path)?
        .into_iter()
        .map(|(number, line)| {
            let place = format!("{} line {number}", path.display());
            line.parse()
                .map_err(|e| Failure::usage(format!("{place}: {e}")))
        })
        .collect::<Result<_, _>>()?;
    if methods.is_empty() {
        let why = format!("{} names no method", path.display());
        return Err(Failure::usage(why).advice("leave out --methods to count all"));
    }
    Ok(methods)
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
