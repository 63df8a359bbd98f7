//! Calling context: calls and passes of loops by the method that called.

use pricetag_dataset::FeatureId;
use pricetag_testkit::Compiler;

use crate::{agree, assert_split, cell, expected, passes, rows, subject};

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
