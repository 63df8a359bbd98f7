//! Stacks of two builds: what only moved cancels.

use pricetag_compare::{Executed, executed};
use pricetag_dataset::{Dataset, Feature, FeatureKind, Observation, ObservationId};

/// A dataset of one input: blocks of `A.f()`, two instructions each, by line, code and executions.
fn dataset(blocks: &[(u32, &str, f64)]) -> Dataset {
    let block = |(number, &(line, code, _)): (u32, &(u32, &str, f64))| Feature {
        name: format!("A.f() block {number}"),
        kind: FeatureKind::Block,
        class: Some("A".to_owned()),
        method: Some("f".to_owned()),
        descriptor: Some("()V".to_owned()),
        block: Some(number),
        lines: Some((line, line)),
        text: Some(format!("0 {code}\n1 goto")),
        ..Feature::default()
    };
    Dataset {
        observations: vec![Observation {
            label: "in".to_owned(),
            ..Observation::default()
        }],
        features: (0..).zip(blocks).map(block).collect(),
        columns: blocks
            .iter()
            .map(|&(_, _, times)| vec![(ObservationId(0), times)])
            .collect(),
        ..Dataset::default()
    }
}

fn lines(before: &Dataset, after: &Dataset) -> Vec<(String, [u64; 2])> {
    let stacks = executed(before, after).unwrap().into_iter();
    let last = |stack: Executed| (stack.frames[2].clone(), stack.instructions);
    stacks.map(last).collect()
}

#[test]
fn moved_lines_cancel_and_lines_of_the_build_before_are_told_as_such() {
    let before = dataset(&[(3, "iadd", 10.0), (4, "isub", 20.0), (5, "imul", 1.0)]);
    // Two lines came in above: all moved, nothing else did.
    let moved = dataset(&[(5, "iadd", 10.0), (6, "isub", 20.0), (7, "imul", 1.0)]);
    let same = [
        ("A.f() line 5", 20),
        ("A.f() line 6", 40),
        ("A.f() line 7", 2),
    ];
    let same = same.map(|(frame, n)| (frame.to_owned(), [n, n]));
    assert_eq!(lines(&before, &moved), same);
    // The last block is gone: its line 5 is not the line 5 of the build after.
    let shorter = dataset(&[(5, "iadd", 10.0), (6, "isub", 30.0)]);
    let told = [
        ("A.f() line 5", [20, 20]),
        ("A.f() line 5 before", [2, 0]),
        ("A.f() line 6", [40, 60]),
    ];
    let told = told.map(|(frame, n)| (frame.to_owned(), n));
    assert_eq!(lines(&before, &shorter), told);
}
