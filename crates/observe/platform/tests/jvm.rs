//! The suite in a real JVM, whose verifier checks every class, and times against what is known of them.

use std::time::Duration;

use pricetag_platform_measure::{ClassWriter, Effort, Launch, MeasureError, Suite, measure};

const BRIEF: Effort = Effort {
    rounds: 1,
    samples: 3,
    sample: 2e5,
    warm: (1e6, 3e7),
};

fn launch(folder: &std::path::Path, flags: &[&str]) -> Launch {
    Launch {
        java: "java".into(),
        flags: flags.iter().map(|&f| f.to_owned()).collect(),
        folder: folder.to_owned(),
        interpreted: flags.contains(&"-Xint"),
    }
}

#[test]
fn every_benchmark_is_verified_and_timed() {
    let folder = tempfile::tempdir().unwrap();
    let suite = Suite::shipped().unwrap();
    suite.write(folder.path()).unwrap();
    let flags = ["-Xverify:all", "-XX:TieredStopAtLevel=1"];
    let found = measure(&suite, &launch(folder.path(), &flags), BRIEF, &mut |_| true).unwrap();
    let refused: Vec<_> = suite
        .programs
        .iter()
        .zip(&found.programs)
        .filter_map(|(p, t)| Some((&p.name, t.refused.as_ref()?)))
        .collect();
    assert!(refused.len() <= 2, "{refused:?}");
    for (program, timed) in suite.programs.iter().zip(&found.programs) {
        let Some(ns) = timed.ns else { continue };
        assert!((0.01..1e7).contains(&ns), "{}: {ns} ns", program.name);
    }
    let time = |name: &str| {
        let at = suite.programs.iter().position(|p| p.name == name).unwrap();
        found.programs[at].ns.unwrap()
    };
    // What any machine with caches and a divider has in common.
    assert!(time("walk beyond the caches") > 3.0 * time("walk in the first cache"));
    assert!(time("int divide") > time("empty step"));
    assert!(time("SHA-256, 1000 bytes") > time("SHA-256, 64 bytes"));
    let loaded = time("class of 40 methods loaded");
    assert!(loaded > time("class of 1 method loaded and run once"));
    assert!(time("class of 40 methods loaded and run once") > loaded);
    assert!(loaded > 100.0 * time("object allocated"));
}

#[test]
fn a_jvm_that_does_not_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let suite = Suite::shipped().unwrap();
    suite.write(folder.path()).unwrap();
    let launch = launch(folder.path(), &["-XX:+NoSuchOption"]);
    let refused = measure(&suite, &launch, BRIEF, &mut |_| true).unwrap_err();
    assert!(matches!(refused, MeasureError::Ended { .. }));
    assert!(refused.to_string().contains("NoSuchOption"), "{refused}");
}

#[test]
fn it_stops_when_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let suite = Suite::shipped().unwrap();
    suite.write(folder.path()).unwrap();
    let begun = std::time::Instant::now();
    let stopped = measure(&suite, &launch(folder.path(), &[]), BRIEF, &mut |_| false);
    assert!(matches!(stopped, Err(MeasureError::Interrupted)));
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// A suite of one program whose class is our own.
#[test]
fn work_that_is_left_out_and_methods_that_lack_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut suite = Suite::shipped().unwrap();
    suite.programs.truncate(3);
    let mut class = ClassWriter::new("PricetagSuite", "java/lang/Object", &[]);
    let harness = include_str!("../suite/harness.txt");
    for section in harness.split("\n= ").skip(1) {
        let (header, text) = section.split_once('\n').unwrap();
        let (name, descriptor) = header.split_once(' ').unwrap();
        if ["main", "cpu"].contains(&name) {
            class.function(name, descriptor, text).unwrap();
        }
    }
    // Program 0 ignores its steps, 1 calls what no JDK has, 2 works.
    let lacking =
        "iload 0 ; iconst_1 ; if_icmpne works ; invokestatic java/lang/String.noSuch()V ; return";
    let works = "works: ; iconst_0 ; istore 3 ; again: ; iload 3 ; iload 1 ; if_icmpge done ; iload 2 ; invokestatic $.loop(I)V ; iinc 3 1 ; goto again ; done: ; return";
    let idle = "idle: ; iconst_0 ; istore 3 ; more: ; iload 3 ; iload 1 ; if_icmpge done ; int 100 ; invokestatic $.loop(I)V ; iinc 3 1 ; goto more";
    let text = format!("iload 0 ; ifeq idle\n{lacking}\n{idle}\n{works}");
    class.function("run", "(III)V", &text).unwrap();
    let text = "iconst_0 ; istore 1 ; again: ; iload 1 ; iload 0 ; if_icmpge done ; getstatic $.x:I ; iload 1 ; imul ; iconst_1 ; iadd ; putstatic $.x:I ; iinc 1 1 ; goto again ; done: ; return";
    class.function("loop", "(I)V", text).unwrap();
    std::fs::write(
        folder.path().join("PricetagSuite.class"),
        class.finish().unwrap(),
    )
    .unwrap();
    // One compiler, which the program waits for: what is timed changes at no other moment.
    let flags = ["-Xbatch", "-XX:TieredStopAtLevel=1"];
    let found = measure(&suite, &launch(folder.path(), &flags), BRIEF, &mut |_| true).unwrap();
    let why = |at: usize| found.programs[at].refused.clone().unwrap_or_default();
    assert!(why(0).contains("left the work out"), "{:?}", found.programs);
    assert!(why(1).contains("NoSuchMethodError"), "{:?}", found.programs);
    assert!(found.programs[2].ns.is_some(), "{:?}", found.programs);
}
