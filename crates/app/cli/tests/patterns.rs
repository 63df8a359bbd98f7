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
