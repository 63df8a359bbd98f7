//! Many methods, and calls as deep as no stack is drawn: the measures are those of their definitions.

mod support;

use pricetag_pattern::{Dimension, Settings};
use support::{Program, patterns};

/// As many methods as twice the classes.
const CLASSES: u32 = 50_000;

#[test]
fn a_hundred_thousand_methods() {
    let methods = 2 * CLASSES;
    // Each on the class that declares it, so that a kind is a method.
    let program = Program {
        classes: CLASSES,
        kinds: (0..methods).map(|m| (m % CLASSES, m)).collect(),
    };
    // Each once, then the first two in turn.
    let mut events: Vec<u32> = (0..methods).collect();
    events.extend((0..methods).map(|i| i % 2));
    let found = patterns(&program.file(&[(1, events)]), Settings::default());
    assert_eq!(found.recorded.methods as u32, methods);
    assert_eq!(found.recorded.kinds as u32, methods);
    assert_eq!(found.recorded.events, u64::from(2 * methods));
    assert_eq!(found.windows[2], u64::from(methods));
    let by_method = found.whole.dimensions.iter();
    let mut by_method = by_method.filter(|of| of.dimension == Dimension::Method);
    let by_method = by_method.next().unwrap();
    // A window of all methods: at first it holds each once, then one fewer at each step but for the two that come again, which it gets once it has left them.
    let n = f64::from(methods);
    let sizes = (0..=methods).map(|gone| match gone {
        // What has left is methods 0 … gone-1; what has come is method 0, then 1, and so on.
        0 | 1 => n,
        gone => n - f64::from(gone) + 2.0,
    });
    let wanted = sizes.map(|size| size / n).sum::<f64>() / (n + 1.0);
    let locality = by_method.locality.unwrap();
    assert!((locality - wanted).abs() < 1e-9, "{locality}, not {wanted}");
    let pairs = &by_method.loops[1].pattern;
    assert_eq!(pairs.predicted.events, u64::from(methods) - 2);
    assert_eq!(pairs.members.events, u64::from(methods));
}

#[test]
fn a_recursion_a_million_calls_deep() {
    let depth = 1_000_000;
    let program = Program {
        classes: 3,
        kinds: (0..3).map(|k| (k, k)).collect(),
    };
    // One method calls itself, then three call each other in turn; no return is recorded.
    let mut events = vec![0; depth];
    events.extend((0..3 * depth).map(|i| (i % 3) as u32));
    let found = patterns(&program.file(&[(1, events)]), Settings::default());
    assert_eq!(found.recorded.events, 4 * depth as u64);
    let by_method = found.whole.dimensions.iter();
    let mut by_method = by_method.filter(|of| of.dimension == Dimension::Method);
    let by_method = by_method.next().unwrap();
    // The first of the three is the method that recurred.
    assert_eq!(by_method.loops[0].pattern.predicted.events, depth as u64);
    // All of the three but the first round, and what recurred from its fourth call on, with the first of the three.
    let three = &by_method.loops[2].pattern;
    assert_eq!(
        three.predicted.events,
        (depth - 3) as u64 + (3 * depth - 3) as u64 + 1
    );
    assert_eq!(three.members.events, 4 * depth as u64);
    // All of the three but some at the ends of chunks.
    let covered: Vec<u64> = found.recurrent.iter().map(|r| r.covered.events).collect();
    assert!(
        covered.iter().any(|&c| c >= 2_997_000),
        "the mutual recursion is one loop: {covered:?}"
    );
}
