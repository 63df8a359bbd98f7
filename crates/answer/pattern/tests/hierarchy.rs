//! The encoded hierarchy against walking it; hierarchies that are none.

use pricetag_events::{Class, ClassId};
use pricetag_pattern::{Hierarchy, HierarchyError};
use proptest::prelude::*;

fn class(name: &str, superclass: Option<u32>, interfaces: &[u32], interface: bool) -> Class {
    Class {
        name: name.to_owned(),
        interface,
        superclass: superclass.map(ClassId),
        interfaces: interfaces.iter().map(|&i| ClassId(i)).collect(),
        bytes: None,
    }
}

/// By definition: walks everything above.
fn above(classes: &[Class], class: usize, found: &mut Vec<usize>) {
    found.push(class);
    let class = &classes[class];
    for next in class.superclass.iter().chain(&class.interfaces) {
        above(classes, next.index(), found);
    }
}

fn hierarchies() -> impl Strategy<Value = Vec<Class>> {
    let one = (
        any::<prop::sample::Index>(),
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        0..3_u8,
    );
    prop::collection::vec(one, 1..40).prop_map(|list| {
        let mut classes: Vec<Class> = Vec::new();
        for (parent, interfaces, sort) in list {
            let pick = |index: &prop::sample::Index, interface: bool| {
                let fit = (0_u32..)
                    .zip(&classes)
                    .filter(|(_, c)| c.interface == interface);
                let fit: Vec<u32> = fit.map(|(id, _)| id).collect();
                (!fit.is_empty()).then(|| fit[index.index(fit.len())])
            };
            let interfaces: Vec<u32> = interfaces.iter().filter_map(|i| pick(i, true)).collect();
            let superclass = if sort == 0 {
                None
            } else {
                pick(&parent, false)
            };
            let name = format!("C{}", classes.len());
            classes.push(class(&name, superclass, &interfaces, sort == 0));
        }
        // Numbers need not follow the hierarchy.
        let count = classes.len() as u32;
        classes.reverse();
        for class in &mut classes {
            let turn = |id: ClassId| ClassId(count - 1 - id.0);
            class.superclass = class.superclass.map(turn);
            class.interfaces = class.interfaces.iter().map(|&i| turn(i)).collect();
        }
        classes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn inclusion_is_as_by_walking(classes in hierarchies()) {
        let hierarchy = Hierarchy::new(&classes).unwrap();
        for a in 0..classes.len() {
            let mut found = Vec::new();
            above(&classes, a, &mut found);
            let mut line = vec![a];
            while let Some(superclass) = classes[line[line.len() - 1]].superclass {
                line.push(superclass.index());
            }
            for b in 0..classes.len() {
                let (x, y) = (ClassId(a as u32), ClassId(b as u32));
                prop_assert_eq!(hierarchy.is_subtype(x, y), found.contains(&b));
                prop_assert_eq!(hierarchy.is_subclass(x, y), line.contains(&b));
                let distance = line.iter().position(|&c| c == b);
                prop_assert_eq!(hierarchy.distance(x, y), distance.map(|d| d as u32));
            }
        }
    }
}

#[test]
fn cycles_and_gaps_are_named() {
    let cyclic = [
        class("A", Some(2), &[], false),
        class("B", Some(0), &[], false),
        class("C", Some(1), &[], false),
        class("D", Some(0), &[], false),
    ];
    let why = Hierarchy::new(&cyclic).unwrap_err().to_string();
    assert!(
        why.contains("its own ancestor") && why.contains("A extends C extends B"),
        "{why}"
    );
    let own = [class("A", Some(0), &[], false)];
    assert!(matches!(
        Hierarchy::new(&own),
        Err(HierarchyError::Cycle { .. })
    ));
    let interfaces = [class("I", None, &[1], true), class("J", None, &[0], true)];
    assert!(matches!(
        Hierarchy::new(&interfaces),
        Err(HierarchyError::Cycle { .. })
    ));
    let incomplete = [class("A", Some(7), &[], false)];
    let why = Hierarchy::new(&incomplete).unwrap_err().to_string();
    assert!(why.contains("only 1 are declared"), "{why}");
    let incomplete = [class("A", None, &[9], false)];
    assert!(matches!(
        Hierarchy::new(&incomplete),
        Err(HierarchyError::Missing { missing: 9, .. })
    ));
    assert_eq!(Hierarchy::new(&[]).unwrap(), Hierarchy::default());
}

#[test]
fn interfaces_are_below_object() {
    let classes = [
        class("java/lang/Object", None, &[], false),
        class("I", None, &[], true),
    ];
    let hierarchy = Hierarchy::new(&classes).unwrap();
    assert!(hierarchy.is_subtype(ClassId(1), ClassId(0)));
    assert!(!hierarchy.is_subtype(ClassId(0), ClassId(1)));
    assert!(!hierarchy.is_subtype(ClassId(9), ClassId(0)));
}

#[test]
fn a_deep_hierarchy_needs_no_deep_stack() {
    let deep = 200_000_u32;
    let classes: Vec<Class> = (0..deep)
        .map(|i| class("C", i.checked_sub(1), &[], false))
        .collect();
    let hierarchy = Hierarchy::new(&classes).unwrap();
    assert_eq!(
        hierarchy.distance(ClassId(deep - 1), ClassId(0)),
        Some(deep - 1)
    );
}
