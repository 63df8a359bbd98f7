//! Calling context: calls and passes of loops by the method that called.

use std::collections::BTreeMap;

use pricetag_dataset::FeatureId;
use pricetag_testkit::Compiler;

use crate::{agree, assert_split, cell, expected, passes, printed, rows, subject};

#[test]
fn calls_are_split_by_the_method_that_made_them() {
    let subject = subject("Callers", "5", Compiler::Javac(11));
    let (_, dataset) = rows(&subject, None, 0);
    agree(&subject, &dataset);
    let text = |name: &str| {
        let id = dataset.feature_id(name).expect("the feature");
        dataset.feature(id).text.clone().unwrap_or_default()
    };
    let of_two = "calls made there, of 2 implementations together";
    assert_eq!(
        text("Callers$Square.area() called from Callers.main(String[])"),
        of_two
    );
    // By `super.area()` nothing but that method is reached.
    let one = "calls made there";
    assert_eq!(
        text("Callers$Square.area() called from Callers$Sheet.area()"),
        one
    );
    assert_eq!(
        text("Callers$Square.shown() called from Callers.main(String[])"),
        one
    );
    // What nothing overrides was invoked as often as it was called.
    for method in [
        "Callers.work(int)",
        "Callers.down(int)",
        "Callers$Square.shown()",
    ] {
        let calls: f64 = (0..dataset.features.len() as u32)
            .map(FeatureId)
            .filter(|id| {
                dataset
                    .feature(*id)
                    .name
                    .starts_with(&format!("{method} called from "))
            })
            .filter_map(|id| dataset.cells(id)[0])
            .sum();
        assert_eq!(
            cell(&dataset, 0, &format!("{method} invocations")),
            Some(calls),
            "{method}"
        );
    }
}

#[test]
fn loops_are_split_by_the_method_that_called_theirs() {
    for release in [11, 17] {
        let subject = subject("LoopCallers", "5", Compiler::Javac(release));
        let (_, dataset) = rows(&subject, None, 0);
        agree(&subject, &dataset);
        assert_split(&dataset, 0, "process");
        // The comments name all of them.
        let named = expected(&subject);
        let mut found = 0;
        for (name, (_, callers)) in passes(&dataset, 0) {
            for caller in callers.keys() {
                let split = format!("{name} called from {caller} (");
                assert!(named.iter().any(|n| n.1.starts_with(&split)), "{split}");
                found += 1;
            }
        }
        assert_eq!(found, named.len());
    }
}

#[test]
fn loops_are_split_by_caller_in_every_invocation() {
    let subject = subject("LoopCallers", "5", Compiler::Javac(11));
    let scope = "LoopCallers#many".parse().expect("a scope");
    let (_, dataset) = rows(&subject, Some(scope), 0);
    let split = |row, loops: &str, caller: &str| {
        let split = passes(&dataset, row);
        let mut found = split.iter().filter(|(name, _)| name.starts_with(loops));
        let (_, (_, callers)) = found.next().expect("the loop");
        callers.get(caller).copied()
    };
    // The first invocation has the argument 5, the second 6; each also calls `work` with every smaller number.
    for (row, n) in [(0, 5.0), (1, 6.0)] {
        assert_split(&dataset, row, "invocation");
        let (many, work) = (
            "LoopCallers.many(int) loop 0",
            "LoopCallers.work(int) loop 0",
        );
        assert_eq!(
            split(row, many, "LoopCallers.main(String[])"),
            Some(n + 1.0)
        );
        assert_eq!(
            split(row, work, "LoopCallers.many(int)"),
            Some(n * (n + 1.0) / 2.0)
        );
        assert_eq!(split(row, work, "LoopCallers.few(int)"), None);
    }
    assert_eq!(dataset.observations.len(), 2);
}

/// The program asks the stack who called each of its methods.
#[test]
fn invocations_are_split_by_the_method_that_called() {
    for release in [11, 17] {
        let subject = subject("Invokers", "5", Compiler::Javac(release));
        let (outcome, dataset) = rows(&subject, None, 0);
        agree(&subject, &dataset);
        let printed = printed(&outcome);
        assert!(printed.len() > 25, "{printed:?}");
        for (name, times) in &printed {
            assert_eq!(cell(&dataset, 0, name), Some(*times), "{name}");
        }
        // Of the methods that ask nothing else is there, and the columns of each add up.
        let mut sums = BTreeMap::new();
        for (index, feature) in dataset.features.iter().enumerate() {
            let Some((method, caller)) = feature.name.split_once(" invocations called from ")
            else {
                continue;
            };
            let times = dataset.cells(FeatureId(index as u32))[0].unwrap_or(0.0);
            *sums.entry(method).or_insert(0.0) += times;
            let asks = |name: &str| name.starts_with(&format!("{method} invocations"));
            let known = printed.contains_key(feature.name.as_str());
            assert!(
                known || !printed.keys().any(|n| asks(n)),
                "{}",
                feature.name
            );
            assert_ne!(caller, "an unknown method", "{}", feature.name);
        }
        for (method, times) in &sums {
            let all = cell(&dataset, 0, &format!("{method} invocations"));
            assert_eq!(all, Some(*times), "{method}");
        }
        assert_eq!(sums.len(), 20, "{sums:?}");
    }
}

#[test]
fn invocations_are_split_by_caller_in_every_invocation_of_a_scope() {
    let subject = subject("Invokers", "5", Compiler::Javac(11));
    let scope = "Invokers#all".parse().expect("a scope");
    let (_, dataset) = rows(&subject, Some(scope), 0);
    let called = |row, name: &str| cell(&dataset, row, name).unwrap_or(0.0);
    for (row, class) in [(0, "Square"), (1, "Sheet")] {
        let by_all = "invocations called from Invokers.all(Invokers$Shape, int)";
        let name = format!("Invokers${class}.area(int) {by_all}");
        assert_eq!(called(row, &name), 5.0, "{name}");
        let leaf = "Invokers.leaf(int) invocations called from Invokers$Square.area(int)";
        assert_eq!(called(row, leaf), 6.0);
        assert_eq!(called(row, &format!("Invokers.silent(int) {by_all}")), 5.0);
    }
    let name = "Invokers$Square.area(int) invocations called from Invokers$Sheet.area(int)";
    assert_eq!((called(0, name), called(1, name)), (0.0, 6.0));
    assert_eq!(dataset.observations.len(), 2);
}
