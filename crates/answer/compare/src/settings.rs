//! What differs in how two datasets were recorded.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_dataset::Dataset;
use pricetag_finding::SettingChange;

/// Platform facts and options that decide what a program executes or costs, and what of it is counted.
const SETTINGS: [&str; 19] = [
    "java",
    "jvm",
    "jvm_version",
    "flags",
    "cpu",
    "arch",
    "os",
    "jit",
    "gc",
    "program",
    "env",
    "scope",
    "include",
    "exclude",
    "methods",
    "blocks",
    "count_jdk",
    "overhead_budget",
    "categories",
];

/// Those that are not the same on both sides, and the command.
pub(crate) fn settings(before: &Dataset, after: &Dataset) -> Vec<SettingChange> {
    let all = |dataset: &Dataset| -> BTreeMap<String, String> {
        let facts = dataset.meta.platform.iter().chain(&dataset.meta.options);
        let told = facts.filter(|(name, _)| SETTINGS.contains(&name.as_str()));
        let mut found: BTreeMap<String, String> =
            told.map(|(n, v)| (n.clone(), v.clone())).collect();
        found.insert("command".to_owned(), dataset.meta.subject.join(" "));
        found
    };
    let [old, new] = [before, after].map(all);
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value =
        |of: &BTreeMap<String, String>, name: &String| of.get(name).cloned().unwrap_or_default();
    names
        .into_iter()
        .map(|name| SettingChange {
            name: name.clone(),
            before: value(&old, name),
            after: value(&new, name),
        })
        .filter(|change| change.before != change.after)
        .collect()
}

/// Inputs that were counted twice; none if the dataset does not say so.
pub(crate) fn recounted(dataset: &Dataset) -> Option<u32> {
    dataset.meta.options.get("counted_twice")?.parse().ok()
}
