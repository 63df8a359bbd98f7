//! What is found of a recording that was killed, and of one that was finished, by the commands that come after.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Desk, ran};

const RECORD: &str = "record -o data --json --repeat 3 --check-determinism none --inputs in/*";

fn desk() -> Desk {
    Desk::new(&[("f1", "20"), ("f2", "40"), ("f3", "60")])
}

/// A recording that is going on, once so many inputs are timed for the first time.
fn started(desk: &Desk, timed: usize) -> Child {
    let mut command = desk.subject(RECORD);
    let child = command
        .arg("{}")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let finished = || {
        let files = std::fs::read_dir(desk.path("data/.recording"));
        let names = files.into_iter().flatten().flatten();
        let notes = names.filter(|f| f.file_name().to_string_lossy().ends_with("-time-0.json"));
        notes.count()
    };
    let begun = Instant::now();
    while finished() < timed && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_killed_recording_is_a_dataset_as_far_as_it_came() {
    let desk = desk();
    let mut child = started(&desk, 2);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!desk.path("data/meta.json").exists(), "nobody saved it");
    let found = desk.json("inspect data --json");
    let ok = found["observations"]["ok"].as_u64().unwrap();
    assert!((2..=3).contains(&ok), "{found}");
    assert!(found["features"]["block"].as_u64().unwrap() > 3, "{found}");
    let notes = found["notes"].to_string();
    assert!(notes.contains("interrupted"), "{notes}");
    let before = desk.run("export data --format csv -o -").stdout;
    // A trace that was damaged since is a failure, never a row of zeros; resuming runs it again.
    let trace = desk.path("data/.recording/00000-count-0.trace");
    let mut bytes = std::fs::read(&trace).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&trace, bytes).unwrap();
    let damaged = desk.json("inspect data --json");
    let reason = damaged["failed"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("counting run 1: the trace is incomplete"),
        "{reason}"
    );
    // It may then be continued as ever, with the same counts.
    let resumed = desk.watch(&format!("{RECORD} --resume"));
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(resumed.json()["ok"], 3);
    let blocks = |csv: &str| {
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let header = rows.headers().unwrap().clone();
        let row = rows.records().next().unwrap().unwrap();
        let cells = header.iter().zip(row.iter());
        let cells = cells.filter(|(name, _)| name.contains(" block "));
        let cells = cells.map(|(name, count)| format!("{name}={count}"));
        cells.collect::<Vec<String>>()
    };
    let after = desk.run("export data --format csv -o -").stdout;
    assert_eq!(blocks(&before), blocks(&after));
    assert!(!blocks(&after).is_empty());
}

#[test]
fn other_options_in_the_environment_are_other_runs() {
    let desk = desk();
    let mut child = started(&desk, 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut command = desk.subject(&format!("{RECORD} --resume"));
    command
        .arg("{}")
        .env("JAVA_TOOL_OPTIONS", "-Xint -Dpassword=sesame");
    let resumed = ran(command);
    assert_eq!(resumed.code, 1, "{}", resumed.stdout);
    assert!(
        resumed.stderr.contains("JAVA_TOOL_OPTIONS=-Xint"),
        "{}",
        resumed.stderr
    );
    assert!(!resumed.stderr.contains("sesame"), "{}", resumed.stderr);
}

#[test]
fn resuming_what_is_finished_runs_nothing_and_uses_it() {
    let desk = desk();
    let first = desk.watch(RECORD);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let stored = std::fs::read(desk.path("data/runs.parquet")).unwrap();
    let again = desk.watch(&format!("{RECORD} --resume"));
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("nothing was left to run"));
    assert_eq!(again.json()["ok"], 3);
    assert_eq!(
        std::fs::read(desk.path("data/runs.parquet")).unwrap(),
        stored
    );
    for (change, named) in [
        ("--jit off", "`jit`"),
        ("--repeat 9", "`repeat`"),
        ("--exclude a.B", "`exclude`"),
    ] {
        let line = format!("{RECORD} --resume {change}").replacen("--repeat 3 ", "", 1);
        let line = if change.starts_with("--repeat") {
            line
        } else {
            format!("{line} --repeat 3")
        };
        let other = desk.watch(&line);
        assert_eq!(other.code, 1, "{change}");
        assert!(other.stderr.contains(named), "{change}: {}", other.stderr);
    }
    std::fs::write(desk.path("in/f4"), "80").unwrap();
    let more = desk.watch(&format!("{RECORD} --resume"));
    assert_eq!(more.code, 1);
    assert!(more.stderr.contains("`inputs`"), "{}", more.stderr);
}
