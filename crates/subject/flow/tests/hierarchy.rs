//! Subtype tests against reachability over direct supers.

use pricetag_flow::{ClassEntry, Hierarchy, HierarchyError};
use proptest::prelude::*;

fn entry(name: &str, super_name: Option<&str>, interfaces: &[&str]) -> ClassEntry {
    ClassEntry {
        name: name.into(),
        super_name: super_name.map(Into::into),
        interfaces: interfaces.iter().map(|&i| i.into()).collect(),
    }
}

#[test]
fn subtypes_of_a_small_library() {
    let h = Hierarchy::of([
        entry("Object", None, &[]),
        entry("Collection", Some("Object"), &["Iterable"]),
        entry("List", Some("Object"), &["Collection"]),
        entry("AbstractList", Some("Object"), &["List"]),
        entry("ArrayList", Some("AbstractList"), &["RandomAccess"]),
    ])
    .unwrap();
    let id = |n| h.id(n).unwrap();
    let is = |a, b| h.is_subtype(id(a), id(b));
    assert!(
        is("ArrayList", "AbstractList")
            && is("ArrayList", "Object")
            && is("ArrayList", "ArrayList")
    );
    assert!(is("ArrayList", "Collection") && is("ArrayList", "Iterable") && is("List", "Object"));
    assert!(
        !is("AbstractList", "ArrayList")
            && !is("AbstractList", "RandomAccess")
            && !is("Object", "List")
    );
    // `Iterable` and `RandomAccess` were named but not given.
    assert!(
        h.is_complete(id("Object"))
            && !h.is_complete(id("Collection"))
            && !h.is_complete(id("ArrayList"))
    );
    assert_eq!(h.superclass(id("ArrayList")), h.id("AbstractList"));
    assert_eq!(h.subclasses(id("AbstractList")), [id("ArrayList")]);
    assert!(h.id("Nowhere").is_none());
}

#[test]
fn malformed_hierarchies_are_refused() {
    let cycle = Hierarchy::of([
        entry("A", Some("B"), &[]),
        entry("B", None, &["C"]),
        entry("C", Some("A"), &[]),
    ]);
    assert!(
        matches!(cycle, Err(HierarchyError::Cycle { name }) if ["A", "B", "C"].contains(&name.as_str()))
    );
    let own = Hierarchy::of([entry("A", Some("A"), &[])]);
    assert_eq!(own.unwrap_err(), HierarchyError::Cycle { name: "A".into() });
    let below = Hierarchy::of([entry("0", Some("A"), &[]), entry("A", Some("A"), &[])]);
    assert_eq!(
        below.unwrap_err(),
        HierarchyError::Cycle { name: "A".into() }
    );
    let twice = Hierarchy::of([entry("A", None, &[]), entry("A", Some("B"), &[])]);
    assert_eq!(
        twice.unwrap_err(),
        HierarchyError::Twice { name: "A".into() }
    );
    assert!(Hierarchy::of([entry("A", None, &[]), entry("A", None, &[])]).is_ok());
}

proptest! {
    /// Types extend and implement types with smaller numbers only. Type 0 is `Object`; odd ones are classes, even ones
    /// interfaces, which extend `Object` as in every class file.
    #[test]
    fn subtyping_is_reachability(supers in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..3)), 1..14)) {
        let name = |i: usize| format!("c{i:02}");
        let mut direct: Vec<Vec<usize>> = Vec::new();
        let mut entries = Vec::new();
        for (i, (parent, interfaces)) in supers.iter().enumerate() {
            let classes: Vec<usize> = (0..i).filter(|j| *j == 0 || (j % 2 == 1 && i % 2 == 1)).collect();
            let parent = (i > 0).then(|| classes[usize::from(*parent) % classes.len()]);
            let implementable: Vec<usize> = (1..i).filter(|j| j % 2 == 0).collect();
            let pick = |&x: &u8| implementable.get(usize::from(x) % implementable.len().max(1)).copied();
            let interfaces: Vec<usize> = interfaces.iter().filter_map(pick).collect();
            entries.push(ClassEntry {
                name: name(i),
                super_name: parent.map(name),
                interfaces: interfaces.iter().map(|&j| name(j)).collect(),
            });
            direct.push(interfaces.into_iter().chain(parent).collect());
        }
        let h = Hierarchy::of(entries).unwrap();
        for i in 0..supers.len() {
            let mut reached = vec![i];
            let mut next = 0;
            while next < reached.len() {
                reached.extend(direct[reached[next]].clone());
                next += 1;
                prop_assume!(reached.len() < 20_000);
            }
            for j in 0..supers.len() {
                let (a, b) = (h.id(&name(i)).unwrap(), h.id(&name(j)).unwrap());
                prop_assert_eq!(h.is_subtype(a, b), reached.contains(&j), "{} <: {}", i, j);
            }
        }
    }
}
