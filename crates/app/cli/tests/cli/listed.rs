//! `--blocks`: the blocks of a list alone are counted, in recordings, in archives and where a model predicts; what is wrong with a list is told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{Desk, classes, ran};
use pricetag_dataset::{FeatureId, FeatureKind, open};

const QUICK: &str = "--repeat 1 --check-determinism none --inputs in/*";
const LISTED: &str = "\
Sums.product(int) block 1 (Sums.java:16)
Sums.sum(int) block 2 (Sums.java:8-9)
";

fn desk() -> Desk {
    let inputs: Vec<(String, String)> = (1..=8)
        .map(|i| (format!("f{i}"), format!("{} {}", 3 + i, i * 5 % 8)))
        .collect();
    let inputs: Vec<(&str, &str)> = inputs.iter().map(|(n, t)| (&**n, &**t)).collect();
    let desk = Desk::new(&inputs);
    write(&desk, "few", LISTED);
    desk
}

fn write(desk: &Desk, name: &str, text: &str) {
    std::fs::write(desk.path(name), text).unwrap();
}

/// The cells of every feature, by kind and name.
fn counts(desk: &Desk, dataset: &str) -> BTreeMap<(FeatureKind, String), Vec<Option<f64>>> {
    let dataset = open(&desk.path(dataset)).unwrap();
    let ids = (0..dataset.features.len() as u32).map(FeatureId);
    let cells = ids.map(|id| {
        let feature = dataset.feature(id);
        ((feature.kind, feature.name.clone()), dataset.cells(id))
    });
    cells.collect()
}

#[test]
fn listed_blocks_are_recorded_as_with_all_of_them() {
    let desk = desk();
    for (dataset, more) in [("all", ""), ("less", "--blocks few")] {
        let ran = desk.watch(&format!("record -o {dataset} {more} {QUICK}"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!ran.stderr.contains("the list names"), "{}", ran.stderr);
    }
    let blocks = desk.run("inspect all --list blocks").stdout;
    assert!(LISTED.lines().all(|line| blocks.contains(line)), "{blocks}");
    assert_eq!(desk.run("inspect less --list blocks").stdout, LISTED);
    let (all, less) = (counts(&desk, "all"), counts(&desk, "less"));
    assert!(all.keys().any(|(kind, _)| *kind == FeatureKind::Loop));
    let mut listed = 0;
    for ((kind, name), cells) in less {
        match kind {
            FeatureKind::Block => {
                listed += 1;
                assert_eq!(all[&(kind, name)], cells);
            }
            FeatureKind::Cold => assert!(name.contains("classes"), "{name}"),
            // `sum` divides once for every pass of its body, and nothing else that is listed does.
            FeatureKind::Opcode if name == "opcode int_div" => {
                assert_eq!(all[&(kind, name)], cells);
            }
            FeatureKind::Opcode | FeatureKind::Input | FeatureKind::Base => {}
            _ => panic!("{name} was not asked for"),
        }
    }
    assert_eq!(listed, 2);
    let resumed = desk.watch(&format!("record -o less --resume {QUICK}"));
    assert_eq!(resumed.code, 1, "{}", resumed.stderr);
    assert!(
        resumed.stderr.contains("option `blocks`"),
        "{}",
        resumed.stderr
    );
}

#[test]
fn a_model_of_listed_blocks_counts_these_to_predict() {
    let desk = desk();
    let mined = desk.watch(&format!(
        "mine --json --level opcode --method nnls --blocks few {QUICK}"
    ));
    assert_eq!(mined.code, 0, "{}", mined.stderr);
    let mut counted = desk.subject("predict pricetag-data/model.json --json --inputs in/*");
    counted.arg("{}");
    let counted = ran(counted);
    assert_eq!(counted.code, 0, "{}", counted.stderr);
    let known = desk.json("predict pricetag-data/model.json --dataset pricetag-data --json");
    let (counted, known) = (counted.json(), known);
    let rows = |predictions: &serde_json::Value| -> Vec<serde_json::Value> {
        let rows = predictions["rows"].as_array().unwrap().iter();
        rows.map(|row| row["value"].clone()).collect()
    };
    assert_eq!(rows(&counted).len(), 8);
    assert_eq!(rows(&counted), rows(&known), "counted alike");
}

/// Of so short a process the agent's start alone costs more than a ten-thousandth.
#[test]
fn a_budget_that_listed_blocks_cannot_meet_is_refused() {
    let desk = desk();
    let ran = desk.watch(&format!(
        "record -o cheap --blocks few --overhead 0.01% {QUICK}"
    ));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("budget of 0.01 % cannot be met")
            && ran.stderr.contains("the least possible"),
        "{}",
        ran.stderr
    );
    assert!(!desk.path("cheap/counts.parquet").exists());
}

#[test]
fn what_is_wrong_with_a_list_is_told() {
    let desk = desk();
    write(
        &desk,
        "odd",
        "# these\n\nSums.sum(int) block 2\nSums.sum(int) loop 1\n",
    );
    write(&desk, "none", "# nothing\n");
    for (line, parts) in [
        (
            "--blocks odd",
            &[
                "odd line 4",
                "\"Sums.sum(int) loop 1\" names no block",
                "--list blocks",
            ][..],
        ),
        (
            "--blocks none",
            &["none names no block", "leave out --blocks"],
        ),
        ("--blocks few --methods few", &["cannot be used with"]),
        (
            "--methods few",
            &["few line 1", "names no method", "--list methods"],
        ),
        (
            "--blocks few --features blocks,loops",
            &["what is not counted of listed blocks", "opcodes"],
        ),
    ] {
        let ran = desk.watch(&format!("record -o d {line} {QUICK}"));
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
    let ran = desk.watch(&format!("record -o d --blocks nowhere {QUICK}"));
    assert!(
        ran.code == 1 && ran.stderr.contains("nowhere"),
        "{}",
        ran.stderr
    );
}

#[test]
fn names_that_mean_nothing_are_told_and_the_others_counted() {
    let desk = desk();
    let odd = "Sums.sum(int) block 2 (Sums.java:90)\nSums.sum(int) block 40 (Sums.java:8)\n\
               Sums.sum(long) block 0\nNowhere.m() block 0\nSums.product(int) block 1\n";
    write(&desk, "odd", odd);
    let ran = desk.watch(&format!("record -o d --json --blocks odd {QUICK}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (name, what) in [
        (
            "Nowhere.m() block 0",
            ", which no class that was counted has",
        ),
        ("Sums.sum(long) block 0", ", which no class"),
        ("Sums.sum(int) block 40 (Sums.java:8)", ", which no class"),
        (
            "Sums.sum(int) block 2 (Sums.java:90)",
            ", but that block is at Sums.java:8-9",
        ),
    ] {
        let told = format!("the list names {name}{what}");
        assert!(ran.stderr.contains(&told), "{told}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("names Sums.product"), "{}", ran.stderr);
    assert_eq!(desk.run("inspect d --list blocks").stdout, LISTED);
    write(&desk, "methods", "Sums.sum(I)J\nSums.none(I)J\n");
    let ran = desk.watch(&format!("record -o m --methods methods {QUICK}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("the list names Sums.none(I)J, which no class")
    );
    assert!(
        !ran.stderr.contains("the list names Sums.sum"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_archive_counts_the_blocks_of_a_list() {
    let desk = desk();
    let mut jar = Command::new("jar");
    jar.args(["--create", "--file"]).arg(desk.path("app.jar"));
    jar.arg("-C").arg(classes()).arg("Sums.class");
    assert_eq!(ran(jar).code, 0);
    let made = desk.run("instrument app.jar -o counted.jar --blocks few");
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(
        made.stderr.contains("1 classes with 2 methods"),
        "{}",
        made.stderr
    );
    let mut java = Command::new("java");
    let input: PathBuf = desk.path("in/f1");
    java.arg(format!(
        "-Dpricetag.counts={}",
        desk.path("one.counts").display()
    ));
    java.arg("-cp")
        .arg(desk.path("counted.jar"))
        .arg("Sums")
        .arg(input);
    assert_eq!(ran(java).code, 0);
    let imported = desk.run("import one.counts --jar counted.jar -o data");
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    assert_eq!(desk.run("inspect data --list blocks").stdout, LISTED);
    let counts = counts(&desk, "data");
    // Five calls of `product(1000)`, four of `sum(1000)`.
    for (name, count) in LISTED.lines().zip([5000.0, 4000.0]) {
        assert_eq!(
            counts[&(FeatureKind::Block, name.to_owned())],
            [Some(count)]
        );
    }
    let known = |kind| counts.keys().any(|(k, _)| *k == kind);
    assert!(!known(FeatureKind::Method) && !known(FeatureKind::Loop));
}
