//! The tutorial, command by command: all of them work, and what it concludes holds.

#[allow(dead_code, reason = "the tutorial has a subject of its own")]
mod support;

use std::path::Path;
use std::process::Command;

use support::{Desk, Ran, program, ran};

/// Runs a line of the tutorial as a user types it; once instead of three times with a clock.
fn typed(desk: &Desk, line: &str) -> Ran {
    let folder = program().parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("bash");
    command
        .args(["-c", line])
        .current_dir(desk.path("."))
        .env("PATH", format!("{folder}:{path}"))
        .env("PRICETAG_CACHE", "none")
        .env("PRICETAG_REPEAT", "1");
    let ran = ran(command);
    assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    ran
}

/// The share that a table's line gives to a name, in percent.
fn share(table: &str, name: &str) -> f64 {
    let line = table.lines().find(|l| l.trim().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("no {name} in {table}"));
    let before = line.split(" %").next().unwrap();
    let number = before.split_whitespace().last().unwrap();
    number.parse().unwrap()
}

#[test]
fn the_tutorial_works_and_its_answer_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let page = std::fs::read_to_string(root.join("docs/tutorial.md")).unwrap();
    let desk = Desk::new(&[]);
    for file in ["Words.java", "Texts.java"] {
        std::fs::copy(root.join("subjects/tutorial").join(file), desk.path(file)).unwrap();
    }
    let commands: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("    $ "))
        .collect();
    let answers: Vec<(&str, Ran)> = commands
        .into_iter()
        .map(|line| (line, typed(&desk, line)))
        .collect();
    let answer = |part: &str| {
        let found: Vec<&str> = answers
            .iter()
            .filter(|(line, _)| line.contains(part))
            .map(|(_, ran)| ran.stdout.as_str())
            .collect();
        assert_eq!(found.len(), 1, "{part}");
        found[0]
    };
    let slow = answer("-- java -cp . Words {}");
    let before = share(slow, "Words.remember(String)");
    assert!(before > 15.0, "{slow}");
    let lines = answer("--by line");
    let source = std::fs::read_to_string(desk.path("Words.java")).unwrap();
    let contains = source
        .lines()
        .position(|l| l.contains("seen.contains"))
        .unwrap()
        + 1;
    assert!(
        share(lines, &format!("Words.java:{contains} ")) > 0.9 * before,
        "{lines}"
    );
    assert!(answer("--tree").contains("ArrayList.contains(Object)"));
    assert!(answer("--callers").contains("Words.read(String)"));
    assert!(answer("predict").contains("run "));
    let fast = answer("java -cp fast");
    if fast
        .lines()
        .any(|l| l.trim().starts_with("Words.remember(String)"))
    {
        assert!(
            share(fast, "Words.remember(String)") < before / 2.0,
            "{fast}"
        );
    }
}
