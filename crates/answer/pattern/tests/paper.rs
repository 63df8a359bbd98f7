//! The paper's worked examples (Hwang & Huang, figures 2, 3, 4 and 8).

mod support;

use pricetag_events::{Class, ClassId};
use pricetag_pattern::{Dimension, Hierarchy, Patterns, Settings};
use support::{file_of_text, patterns};

/// Figure 2: a tree is traversed with a stack; from the sixth to the fourteenth event three calls are repeated.
const TREE: &str = "\
class Object
class stack extends Object
class ce extends Object
method stack push
method stack empty
method stack pop
method ce setOK
method ce setValue
method ce hasMoreChildren
method ce nextChild
event 1 stack stack push
event 2 stack stack empty
event 3 stack stack pop
event 4 ce ce setOK
event 5 ce ce setValue
event 6 ce ce hasMoreChildren
event 7 ce ce nextChild
";

fn window(size: u32) -> Settings {
    Settings {
        window: std::num::NonZeroU32::new(size),
        ..Settings::default()
    }
}

fn locality(patterns: &Patterns) -> Vec<f64> {
    let dimensions = patterns.whole.dimensions.iter();
    dimensions.map(|d| d.locality.unwrap()).collect()
}

#[test]
fn figure_2_localities() {
    let file = file_of_text(TREE, "1 2 3 4 5 6 7 1 6 7 1 6");
    let found = patterns(&file, window(12));
    assert_eq!(locality(&found), [2.0 / 12.0, 2.0 / 12.0, 7.0 / 12.0]);
}

#[test]
fn figure_2_windows_by_the_papers_rule() {
    let file = file_of_text(TREE, "1 2 3 4 5 6 7 1 6 7 1 6");
    let found = patterns(&file, Settings::default());
    assert_eq!(found.windows, [3, 3, 7]);
}

#[test]
fn figure_2_consecutive_and_loop_3() {
    let file = file_of_text(TREE, "1 2 3 4 5 6 7 1 6 7 1 6 7 1");
    let found = patterns(&file, Settings::default());
    for dimension in &found.whole.dimensions {
        let [consecutive, three] = [0, 2].map(|at| dimension.loops[at].pattern);
        if dimension.dimension == Dimension::Method {
            assert_eq!(consecutive.predicted.events, 0);
            assert_eq!((three.predicted.events, three.members.events), (6, 9));
        } else {
            // stack stack stack, ce ce ce ce, stack, ce ce, stack, ce ce, stack.
            assert_eq!(consecutive.predicted.events, 7);
            assert!(three.members.events >= 9);
        }
    }
    let text = found.to_string();
    assert!(text.contains("loop-3"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    let loops = &found.recurrent[0];
    assert_eq!((loops.covered.events, loops.example.event), (9, 5));
    assert!(
        text.contains("(ce.hasMoreChildren, ce.nextChild, stack.push)×3"),
        "{text}"
    );
}

/// Figures 3 and 4.
const AREA: &str = "\
class Object
class Component extends Object
class TextComponent extends Component
class TextArea extends TextComponent
method Component enable
method TextArea appendText
event 1 TextArea Component enable
event 2 TextArea TextArea appendText
";

#[test]
fn figures_3_and_4_hierarchy_and_distance() {
    let found = patterns(&file_of_text(AREA, "1 1 2 2"), Settings::default());
    let distances: Vec<u64> = found
        .distances
        .distribution
        .iter()
        .map(|s| s.events)
        .collect();
    assert_eq!(distances, [2, 0, 2]);
    assert_eq!(found.distances.mean, Some(1.0));
    assert_eq!(found.whole.mean_distance, Some(1.0));
    let [_, class, method] = &found.whole.dimensions[..] else {
        panic!("three parts");
    };
    let hierarchy = class.hierarchy_consecutive.unwrap();
    assert_eq!(
        (hierarchy.predicted.events, hierarchy.members.events),
        (3, 4)
    );
    let consecutive = class.loops[0].pattern;
    assert_eq!(
        (consecutive.predicted.events, consecutive.members.events),
        (2, 4)
    );
    assert_eq!(method.loops[0].pattern.predicted.events, 2);
    assert_eq!(method.hierarchy_consecutive, None);
}

/// Figure 8, as far as the text tells its values: A 0–6, E 3–5, C 2, F 5.
#[test]
fn figure_8_encoding() {
    let class = |name: &str, superclass: Option<u32>| Class {
        name: name.to_owned(),
        superclass: superclass.map(ClassId),
        ..Class::default()
    };
    let [a, c, e, f] = [0, 2, 3, 5].map(ClassId);
    let classes = [
        class("A", None),
        class("B", Some(0)),
        class("C", Some(1)),
        class("E", Some(0)),
        class("D", Some(3)),
        class("F", Some(3)),
        class("G", Some(0)),
    ];
    let hierarchy = Hierarchy::new(&classes).unwrap();
    assert_eq!(hierarchy.values(a), Some((0, 6)));
    assert_eq!(hierarchy.values(e), Some((3, 5)));
    assert_eq!(hierarchy.values(c).unwrap().0, 2);
    assert_eq!(hierarchy.values(f).unwrap().0, 5);
    assert!(hierarchy.is_subclass(f, a));
    assert!(!hierarchy.is_subclass(c, e));
}
