//! `pricetag patterns` on the paper's two texts, on files of events, and on what is none.

use std::path::Path;
use std::process::{Command, Output};

const FACTS: &str = "class A\nmethod A f bytes 3\nmethod A g\nevent 0 A A f\nevent 1 A A g\n";
const EVENTS: &str = "0 1 0 1 0 1 0 1\n";

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricetag"));
    command.arg("patterns").args(arguments).current_dir(folder);
    command.output().unwrap()
}

fn texts(facts: &str, events: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("static.txt"), facts).unwrap();
    std::fs::write(folder.path().join("dynamic.txt"), events).unwrap();
    folder
}

fn told(output: &Output) -> String {
    let bytes = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn texts_and_files_say_the_same() {
    let folder = texts(FACTS, EVENTS);
    let text = run(folder.path(), &["."]);
    assert!(text.status.success(), "{}", told(&text));
    assert!(told(&text).contains("(A.f, A.g)×4"), "{}", told(&text));
    let named = run(folder.path(), &["static.txt"]);
    assert_eq!(named.stdout, text.stdout);
    let file = pricetag_events::text::import(FACTS, EVENTS.as_bytes()).unwrap();
    std::fs::write(folder.path().join("a.events"), file).unwrap();
    let binary = run(folder.path(), &["a.events"]);
    assert_eq!(binary.stdout, text.stdout);
    let json = run(
        folder.path(),
        &[
            "a.events",
            "--json",
            "--window",
            "2",
            "--slices",
            "2",
            "--per-thread",
        ],
    );
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let patterns = &json["files"][0]["patterns"];
    assert_eq!(patterns["windows"][2], 2);
    assert_eq!(patterns["slices"].as_array().unwrap().len(), 2);
    assert_eq!(patterns["threads"][0]["measures"]["events"], 8);
}

#[test]
fn what_cannot_be_read_is_told() {
    let folder = texts("class B extends A\n", "");
    let output = run(folder.path(), &["."]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        told(&output).contains("line 1: class A is not declared"),
        "{}",
        told(&output)
    );
    let output = run(folder.path(), &["no such file"]);
    assert!(
        told(&output).contains("cannot be read"),
        "{}",
        told(&output)
    );
    std::fs::write(folder.path().join("x.events"), "no events").unwrap();
    let output = run(folder.path(), &["x.events"]);
    assert!(
        told(&output).contains("no file of events"),
        "{}",
        told(&output)
    );
    let output = run(folder.path(), &["x.events", "--window", "0"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_picture_is_written_and_says_what_it_holds() {
    let folder = texts(FACTS, EVENTS);
    let report = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pricetag"));
        command
            .arg("report")
            .args(arguments)
            .current_dir(folder.path());
        command.output().unwrap()
    };
    let output = report(&["--patterns", ".", "-o", "p.html"]);
    assert!(output.status.success(), "{}", told(&output));
    assert!(
        told(&output).contains("picture of 8 calls"),
        "{}",
        told(&output)
    );
    let page = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
    assert!(
        page.contains("8 calls of 2 methods on objects of 1 class, by 1 thread."),
        "{}",
        &page[..3000]
    );
    let output = report(&[
        "--patterns",
        "static.txt",
        "-o",
        "p.html",
        "--window",
        "2..4",
        "--json",
    ]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&json["calls"], &json["report"]),
        (&8.into(), &"p.html".into())
    );
    for (arguments, why) in [
        (vec!["-o", "p.html"], "required"),
        (
            vec!["--patterns", ".", "-o", "p.html", "--window", "8..9"],
            "the recording has 8 calls",
        ),
        (
            vec!["--patterns", ".", "-o", "p.html", "--window", "4..2"],
            "the second number must be above",
        ),
        (
            vec!["--patterns", ".", "-o", "p.html", "--run", "2"],
            "has no run `2`",
        ),
        (
            vec!["--patterns", ".", "-o", "p.html", "--figures", "x"],
            "cannot be used with",
        ),
        (
            vec!["m.json", "-o", "p.html", "--window", "1..2"],
            "--patterns",
        ),
    ] {
        let output = report(&arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            told(&output)
        );
        assert!(
            told(&output).contains(why),
            "{arguments:?}: {}",
            told(&output)
        );
    }
}

#[test]
fn calls_are_exported_for_viewers() {
    let folder = texts(FACTS, EVENTS);
    let speedscope = run(
        folder.path(),
        &[
            ".",
            "--export",
            "speedscope",
            "-o",
            "a.json",
            "--window",
            "2..5",
        ],
    );
    assert!(
        told(&speedscope).contains("3 calls of"),
        "{}",
        told(&speedscope)
    );
    let text = std::fs::read_to_string(folder.path().join("a.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["profiles"][0]["events"].as_array().unwrap().len(), 6);
    let chrome = run(folder.path(), &[".", "--export", "chrome", "-o", "-"]);
    let json: serde_json::Value = serde_json::from_slice(&chrome.stdout).unwrap();
    assert_eq!(json["traceEvents"].as_array().unwrap().len(), 2 + 8);
    let text = run(folder.path(), &[".", "--export", "text", "-o", "again"]);
    assert!(text.status.success(), "{}", told(&text));
    let again = run(folder.path(), &["again"]);
    assert_eq!(again.stdout, run(folder.path(), &["."]).stdout);
    assert!(folder.path().join("again/static.txt").exists());
    let collapsed = run(folder.path(), &[".", "--export", "collapsed", "-o", "-"]);
    assert_eq!(told(&collapsed), "thread 0;A.f 4\nthread 0;A.g 4\n");
    for (arguments, why) in [
        (vec![".", "--export", "chrome"], "--output"),
        (
            vec![".", "--export", "chrome", "-o", "x", "--window", "3"],
            "no part of the calls",
        ),
        (vec![".", "--window", "1..3"], "--export"),
        (
            vec![".", "--export", "text", "-o", "x", "--window", "1..3"],
            "leave --window out",
        ),
        (vec![".", "--export", "text", "-o", "-"], "name a folder"),
        (
            vec![".", "--export", "text", "-o", "static.txt"],
            "name a folder",
        ),
        (
            vec![".", "--export", "chrome", "-o", "x", "--window", "9..12"],
            "the recording has 8 calls",
        ),
        (
            vec![".", "--export", "chrome", "-o", "-", "--json"],
            "standard output cannot hold",
        ),
    ] {
        let output = run(folder.path(), &arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            told(&output)
        );
        assert!(
            told(&output).contains(why),
            "{arguments:?}: {}",
            told(&output)
        );
    }
}
