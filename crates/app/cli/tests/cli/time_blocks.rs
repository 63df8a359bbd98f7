//! `time-blocks` on blocks of known length; its executions are held against those that `record` counts.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Desk, Ran, classes, ran};
use serde_json::Value;

fn naps(desk: &Desk, line: &str) -> Ran {
    let mut command = desk.command(line);
    command.args(["--", "java", "-cp"]);
    ran({
        command.arg(classes()).arg("Naps");
        command
    })
}

/// The rows of a method, by block.
fn blocks<'a>(times: &'a Value, method: &str) -> Vec<&'a Value> {
    let all = times["blocks"].as_array().unwrap();
    all.iter().filter(|b| b["method"] == method).collect()
}

#[test]
fn a_nap_takes_as_long_as_it_says_and_runs_as_often_as_counted() {
    let desk = Desk::new(&[]);
    let ran = naps(&desk, "time-blocks --json --repeat 2");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let times = ran.json();
    assert_eq!(
        (&times["runs"], &times["failures"]),
        (&2.into(), &Value::Array(vec![]))
    );
    assert_eq!(times["notes"], Value::Array(vec![]));
    let nap = blocks(&times, "Naps.sleep(boolean)")[1];
    assert!(nap["min"].as_u64().unwrap() >= 5_000_000, "{nap}");
    assert!(nap["mean"].as_f64().unwrap() >= 5e6, "{nap}");
    assert!(nap["deviation"].as_f64().unwrap() >= 0.0);
    // Calls are part of a block: each level of the recursion holds the one nap at its bottom.
    let call = blocks(&times, "Naps.deep(int)")[2];
    assert!(call["min"].as_u64().unwrap() >= 5_000_000, "{call}");

    let recorded = naps(&desk, "record -o data --repeat 1 --check-determinism none");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    desk.json("export data --format lata-csv -o counts.csv --json");
    let csv = std::fs::read_to_string(desk.path("counts.csv")).unwrap();
    let mut lines = csv.lines().map(|line| line.split(','));
    let (header, row) = (lines.next().unwrap(), lines.next().unwrap());
    let counted: Vec<(&str, f64)> = header
        .zip(row.map(|cell| cell.parse().unwrap()))
        .skip(1)
        .collect();
    let timed = times["blocks"].as_array().unwrap();
    assert_eq!(timed.len(), counted.len());
    for block in timed {
        let name = format!(
            "{} block {} (",
            block["method"].as_str().unwrap(),
            block["block"]
        );
        let column = name.replace(|c: char| !c.is_ascii_alphanumeric(), ".");
        let count = counted.iter().find(|(name, _)| name.starts_with(&column));
        let executions = block["executions"].as_f64().unwrap();
        assert_eq!(executions, 2.0 * count.expect(&column).1, "{name}");
    }
}

#[test]
fn one_method_can_be_chosen_and_a_wrong_name_is_told() {
    let desk = Desk::new(&[]);
    let ran = naps(
        &desk,
        "time-blocks --json --repeat 1 --method Naps#work --method Naps#absent",
    );
    let times = ran.json();
    assert_eq!(blocks(&times, "Naps.work(int)").len(), 4);
    assert_eq!(times["blocks"].as_array().unwrap().len(), 4);
    assert_eq!(times["notes"][0], "Naps#absent did not run");

    let text = naps(&desk, "time-blocks --repeat 1 --method Naps#work");
    assert!(text.stdout.contains("std. dev."), "{}", text.stdout);
    assert!(text.stdout.contains("A baseline only"), "{}", text.stdout);
}

#[test]
fn a_program_that_fails_is_a_failure_with_its_reason() {
    let desk = Desk::new(&[("exit", "exit")]);
    let mut command = desk.subject("time-blocks --repeat 1");
    command.arg("in/exit");
    let failed = ran(command);
    assert_eq!(failed.code, 1);
    assert!(
        failed.stderr.contains("no run succeeded: exit code 7"),
        "{}",
        failed.stderr
    );
    // There is no workload here, so nothing stands for the braces.
    assert_ne!(desk.watch("time-blocks --repeat 1").code, 0);
}

#[test]
fn under_nohup_the_terminals_end_is_nothing_and_ctrl_c_leaves_nothing() {
    let desk = Desk::new(&[("hang", "hang")]);
    let temporary = desk.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut subject = desk.subject("time-blocks --repeat 1");
    subject.arg("in/hang");
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh"])
        .arg(subject.get_program())
        .args(subject.get_args())
        .current_dir(desk.path("."))
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let folders = || std::fs::read_dir(&temporary).unwrap().count();
    let begun = Instant::now();
    while folders() == 0 && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(folders(), 1);
    let id = child.id().to_string();
    let send = |signal: &str| {
        let mut kill = Command::new("kill");
        kill.args([signal, &id]);
        assert!(kill.status().unwrap().success());
    };
    send("-HUP");
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    send("-INT");
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1), "the first Ctrl-C ends it in order");
    assert_eq!(folders(), 0);
}
