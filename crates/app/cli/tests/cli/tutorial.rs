//! The tutorial, command by command: all of them work, and what it concludes holds.

use std::path::Path;

use crate::support::typed::typed;
use crate::support::{Desk, Ran};

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
        .map(|line| (line, typed(&desk, line, 0)))
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
