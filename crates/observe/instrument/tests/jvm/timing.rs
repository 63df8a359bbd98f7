//! Clocks around blocks: the verifier accepts them, they run as often as the counters say, and every method that is entered is left.

use crate::workshop::{Workshop, counters, plan, run};
use pricetag_instrument::rewrite_timed;
use pricetag_testkit::{Compiler, Suite, Testbed};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const SUBJECT: &str = include_str!("../java/Subject.java");

/// The stand-in's depth and marks.
fn marks(output: &str) -> (i64, Vec<u64>) {
    let line = output.lines().find_map(|line| line.strip_prefix("depth "));
    let (depth, marks) = line
        .and_then(|line| line.split_once(" marks "))
        .expect("marks were shown");
    let numbers = marks.split(' ').map(|n| n.parse().expect("a number"));
    (depth.parse().expect("a number"), numbers.collect())
}

fn check_subject(javac_options: &[&str]) {
    let workshop = Workshop::new(&[("Subject", SUBJECT)], javac_options);
    check(&workshop, "Subject");
}

fn check(workshop: &Workshop, name: &str) {
    let (plan, _) = workshop.instrument(name, true, &[]);
    let counted = counters(&workshop.run(name, plan.counters));
    let timed =
        rewrite_timed(&workshop.class(name), &plan, 0, &|_| true).expect("a class just compiled");
    assert_eq!(timed.left, []);
    let to = workshop.path("counted").join(name).with_extension("class");
    fs::write(to, timed.bytes).expect("writable");
    let output = workshop.run(name, 0);
    assert_eq!(
        output.lines().next(),
        workshop.run_plain(name).lines().next()
    );
    let (depth, marks) = marks(&output);
    assert_eq!(depth, 0, "every method that is entered is left");
    let mut first = 0;
    for method in &plan.methods {
        let counts = method.derive(&counted, &[]).expect("balanced").blocks;
        for (block, count) in method.blocks.iter().zip(counts) {
            // The block in which the object is initialised is timed from there: not when the call throws.
            if !method.uninitialised.contains(block.start) {
                assert_eq!(Some(marks[first]), count, "{} {block:?}", method.name);
            }
            first += 1;
        }
    }
}

#[test]
fn every_block_is_marked_as_often_as_it_is_counted() {
    check_subject(&[]);
    check_subject(&["-g"]);
}

/// Whose constructors call `super()` in several places, behind handlers, or never.
#[test]
fn constructors_are_timed_from_where_their_object_is_initialised() {
    const NAME: &str = "HandlerBeforeSuper";
    let suite =
        Suite::compile(Compiler::Bytecode, &Testbed::locate(), NAME).expect("it is generated");
    let workshop = Workshop::new(&[], &[]);
    let class = std::env::split_paths(&suite.class_path)
        .map(|folder| folder.join(NAME).with_extension("class"))
        .find(|file| file.exists());
    let to = workshop.path("plain").join(NAME).with_extension("class");
    fs::copy(class.expect("it was written"), to).expect("writable");
    check(&workshop, NAME);
}

#[test]
fn methods_that_are_not_chosen_stay_as_they_are() {
    let workshop = Workshop::new(&[("Subject", SUBJECT)], &[]);
    let bytes = workshop.class("Subject");
    let plan = plan(&bytes);
    let untouched = rewrite_timed(&bytes, &plan, 0, &|_| false).expect("a class");
    assert_eq!(untouched.bytes, bytes);
    let one = rewrite_timed(&bytes, &plan, 0, &|method| method.name == "spin").expect("a class");
    assert_eq!(one.methods.len(), 1);
}

#[test]
fn the_verifier_accepts_a_timed_compiler() {
    let workshop = Workshop::new(&[("Subject", SUBJECT)], &[]);
    for (number, (path, bytes)) in (1..).zip(pricetag_testkit::jdk::classes(
        "/jdk.compiler/com/sun/tools/javac/(comp|jvm)/.*",
    )) {
        let timed = rewrite_timed(&bytes, &plan(&bytes), number, &|_| true).expect("a class");
        assert_eq!(timed.left, [], "{}", path.display());
        let below: PathBuf = path.components().skip(1).collect();
        let file = workshop.path("compiler").join(below);
        fs::create_dir_all(file.parent().expect("a directory")).expect("writable");
        fs::write(file, timed.bytes).expect("writable");
    }
    let mut java = Command::new("java");
    java.arg("-Xverify:all");
    for (module, directory) in [("java.base", "base"), ("jdk.compiler", "compiler")] {
        let directory = workshop.path(directory);
        java.arg(format!("--patch-module={module}={}", directory.display()));
    }
    java.args(["-m", "jdk.compiler/com.sun.tools.javac.Main", "-d"]);
    run(java
        .arg(workshop.path("again"))
        .arg(workshop.path("Subject.java")));
    let compiled = |directory: &str| {
        fs::read(workshop.path(directory).join("Subject.class")).expect("compiled")
    };
    assert_eq!(compiled("again"), compiled("plain"));
}
