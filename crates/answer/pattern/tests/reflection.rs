//! Subtypes among the JDK's own classes, all pairs of two packages, as reflection has them.

use std::collections::HashMap;
use std::fs;
use std::process::Command;

use pricetag_classfile::ClassFile;
use pricetag_events::{Class, ClassId};
use pricetag_pattern::Hierarchy;
use pricetag_testkit::{jdk, repository};

const ACC_INTERFACE: u16 = 0x0200;

/// All classes of `java.base`, which extend and implement no others.
fn java_base() -> Vec<Class> {
    let files = jdk::classes("/java.base/.*\\.class");
    let parsed: Vec<ClassFile<'_>> = files
        .iter()
        .filter(|(path, _)| !path.ends_with("module-info.class"))
        .map(|(_, bytes)| ClassFile::parse(bytes).expect("a class of the JDK"))
        .collect();
    let ids: HashMap<String, ClassId> = (0..)
        .zip(&parsed)
        .map(|(number, class)| (class.name(), ClassId(number)))
        .collect();
    let described = parsed.iter().map(|class| {
        let interface = class.access() & ACC_INTERFACE != 0;
        let above = class.super_name().filter(|_| !interface);
        Class {
            name: class.name(),
            interface,
            superclass: above.map(|name| ids[&name]),
            interfaces: class.interfaces().iter().map(|name| ids[name]).collect(),
            bytes: None,
        }
    });
    described.collect()
}

#[test]
fn subtypes_are_those_that_reflection_tells() {
    let classes = java_base();
    let hierarchy = Hierarchy::new(&classes).expect("a hierarchy");
    let within = |class: &Class| {
        let package = class.name.rsplit_once('/').map(|(package, _)| package);
        matches!(package, Some("java/lang" | "java/util"))
    };
    let sample: Vec<(ClassId, String)> = (0..)
        .zip(&classes)
        .filter(|(_, class)| within(class))
        .map(|(id, class)| (ClassId(id), class.name.replace('/', ".")))
        .collect();
    assert!(sample.len() > 500, "{} classes", sample.len());

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("names");
    let names: Vec<&str> = sample.iter().map(|(_, name)| name.as_str()).collect();
    fs::write(&file, names.join("\n")).expect("writable");
    let source = repository().join("subjects/calls/Subtypes.java");
    let java = Command::new("java").arg(source).arg(&file).output();
    let told = java.expect("a JDK");
    assert!(
        told.status.success(),
        "{}",
        String::from_utf8_lossy(&told.stderr)
    );
    let told = String::from_utf8(told.stdout).expect("numbers");
    assert_eq!(told.lines().count(), sample.len());

    let mut pairs = 0;
    for ((below, name), line) in sample.iter().zip(told.lines()) {
        let numbers = line.split_whitespace().map(str::parse::<usize>);
        let wanted: Vec<&str> = numbers.map(|n| names[n.expect("a number")]).collect();
        let above = sample
            .iter()
            .filter(|(id, _)| hierarchy.is_subtype(*below, *id));
        let found: Vec<&str> = above.map(|(_, name)| name.as_str()).collect();
        assert_eq!(found, wanted, "{name}");
        pairs += found.len();
    }
    assert!(pairs > 2000, "{pairs} pairs");
    // And each of all classes against what it says itself.
    for (id, class) in (0..).zip(&classes) {
        for above in class.superclass.iter().chain(&class.interfaces) {
            assert!(hierarchy.is_subtype(ClassId(id), *above), "{}", class.name);
            assert!(!hierarchy.is_subtype(*above, ClassId(id)), "{}", class.name);
        }
    }
}
