//! Depth of recursion: what a class sees by itself, and on request what it does not.

use pricetag_testkit::Compiler;

use crate::{agree, cell, printed, rows, rows_asking, subject};

#[test]
fn depths_of_recursion_through_other_classes_lambdas_and_constructors() {
    for release in [11, 17] {
        let subject = subject("Again", "5", Compiler::Javac(release));
        let (outcome, dataset) = rows_asking(&subject, None, 1, |launch| launch.depths = true);
        agree(&subject, &dataset);
        let printed = printed(&outcome);
        assert_eq!(printed.len(), 6);
        for (name, depth) in printed {
            assert_eq!(cell(&dataset, 0, name), Some(depth), "{name}");
        }
    }
}

/// By default none of these has a depth, since the class does not see that it is called again.
#[test]
fn a_class_sees_its_own_cycles_alone() {
    let subject = subject("Again", "5", Compiler::Javac(11));
    let (_, dataset) = rows(&subject, None, 1);
    let depths = dataset
        .features
        .iter()
        .filter(|f| f.name.ends_with(" depth"));
    assert_eq!(depths.count(), 0);
}

#[test]
fn recursion_through_superclasses_and_interfaces_has_a_depth() {
    let subject = subject("Composite", "5", Compiler::Javac(11));
    for all in [false, true] {
        let (_, dataset) = rows_asking(&subject, None, 1, |launch| launch.depths = all);
        agree(&subject, &dataset);
    }
}

#[test]
fn every_invocation_has_depths_of_its_own() {
    let subject = subject("Again", "5", Compiler::Javac(11));
    let scope = "Again#fail".parse().expect("a scope");
    let (_, dataset) = rows_asking(&subject, Some(scope), 1, |launch| launch.depths = true);
    for row in 0..5 {
        let depth = cell(&dataset, row, "Again.fail(int) depth");
        assert_eq!(depth, Some((row + 1) as f64), "[{row}]");
    }
    assert_eq!(dataset.observations.len(), 5);
}
