//! `mine` when there is nothing to learn, nowhere to write, or somebody presses Ctrl-C; and what a terminal sees meanwhile.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Desk;

#[test]
fn counts_that_never_vary_leave_a_dataset_and_advice() {
    let inputs: Vec<(String, String)> = (0..6).map(|i| (format!("f{i}"), "9".to_owned())).collect();
    let inputs: Vec<(&str, &str)> = inputs
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let desk = Desk::new(&inputs);
    let ran = desk.watch(
        "mine --level block --method nnls --repeat 1 --check-determinism none --inputs in/*",
    );
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("constant") && ran.stderr.contains("inputs of different size"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("the dataset is kept in pricetag-data"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        desk.json("inspect pricetag-data --json")["observations"]["ok"],
        6
    );
}

#[test]
fn one_observation_leaves_a_dataset_and_advice() {
    let desk = Desk::new(&[("a", "9")]);
    let ran = desk.watch("mine --json --repeat 1 --inputs in/*");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let error = &ran.json()["error"];
    assert!(
        error["why"].as_str().unwrap().contains("add inputs"),
        "{error}"
    );
    assert!(
        error["advice"]
            .as_str()
            .unwrap()
            .contains("is kept in pricetag-data"),
        "{error}"
    );
    assert_eq!(
        desk.json("inspect pricetag-data --json")["observations"]["ok"],
        1
    );
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_hours_of_work() {
    let desk = Desk::new(&[("a", "9")]);
    for (report, what) in [
        ("/proc/report.html", "/proc/report.html"),
        ("in", "is a directory"),
    ] {
        let ran = desk.watch(&format!("mine --report {report} --repeat 1 --inputs in/*"));
        assert_eq!(ran.code, 1, "{}", ran.stdout);
        assert!(
            ran.stderr.contains(what) && ran.stderr.contains("try: "),
            "{}",
            ran.stderr
        );
        assert!(!desk.path("pricetag-data").exists());
    }
}

#[test]
fn wrong_usage_is_told_in_json_too() {
    let desk = Desk::new(&[("a", "9")]);
    for line in [
        "mine --json --nonsense",
        "--json mine --repeat x -- java X",
        "record --json",
    ] {
        let ran = desk.run(line);
        assert_eq!(ran.code, 2, "{line}");
        let error = &ran.json()["error"];
        assert_eq!(error["exit_code"], 2, "{line}");
        assert!(
            !error["why"].as_str().unwrap().is_empty() && !ran.stderr.is_empty(),
            "{line}"
        );
    }
    std::fs::write(desk.path("pricetag.toml"), "nonsense = 1\n").unwrap();
    assert_eq!(
        desk.run("inspect --json data").json()["error"]["exit_code"],
        2
    );
    std::fs::write(desk.path("pricetag.toml"), "json = true\n").unwrap();
    assert_eq!(
        desk.run("inspect --nonsense").json()["error"]["exit_code"],
        2
    );
}

#[test]
fn ctrl_c_ends_a_search_in_order() {
    let inputs: Vec<(String, String)> = (0..12)
        .map(|i| (format!("f{i:02}"), format!("{} {}", 2 + i, 1 + i * 7 % 12)))
        .collect();
    let inputs: Vec<(&str, &str)> = inputs
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let desk = Desk::new(&inputs);
    let mut mine = desk.subject(
        "mine --json --method gp --generations 100000000 --repeat 1 --check-determinism none --inputs in/*",
    );
    let child = mine
        .arg("{}")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let learning = || {
        desk.path("pricetag-data/meta.json").exists()
            && !desk.path("pricetag-data/.recording").exists()
    };
    while !learning() && begun.elapsed() < Duration::from_mins(2) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_secs(4));
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{said}");
    assert!(desk.path("report.html").exists() && desk.path("pricetag-data/model.json").exists());
}

#[test]
fn a_terminal_sees_progress_before_the_first_run_ends() {
    let desk = Desk::new(&[("a", "hang")]);
    let record =
        desk.subject("record -o d --repeat 1 --check-determinism none --timeout 6 --inputs in/*");
    let words = std::iter::once(record.get_program()).chain(record.get_args());
    let words: Vec<String> = words
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    // `script` of util-linux lends it a terminal.
    let mut terminal = Command::new("script");
    terminal
        .args(["-qec", &format!("{} '{{}}'", words.join(" ")), "/dev/null"])
        .current_dir(desk.path("."))
        .env("TERM", "xterm")
        .env("PRICETAG_CACHE", "none")
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null());
    let ran = crate::support::ran(terminal);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let seen = ran.stdout;
    assert!(
        seen.contains("running") && seen.contains("0/2") && seen.contains("elapsed"),
        "{seen}"
    );
}

#[test]
fn what_is_named_wrongly_is_told_before_anything_runs() {
    let desk = Desk::new(&[("a", "5"), ("b", "6")]);
    let ran = desk.watch("mine -o d --target cpuu --inputs in/*");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("costs are: alloc, ") && !desk.path("d").exists(),
        "{}",
        ran.stderr
    );
    let ran = desk.run("mine -o d --inputs in/a in/b -- java Sums {}");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("quote the pattern"), "{}", ran.stderr);
}
