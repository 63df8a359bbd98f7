//! The worked example of docs/gate.md, command by command: all end as the page says, and what it shows is printed.

use std::path::Path;

use crate::support::Desk;
use crate::support::typed::typed;

/// A line with its columns moved together.
fn collapsed(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ")
}

/// Whether what is shown was printed; allocated bytes differ from machine to machine, and digests with the compiler.
fn steady(line: &str) -> bool {
    !line.is_empty() && !line.contains(" bytes ") && !line.contains("program differs")
}

#[test]
fn the_worked_example_is_what_the_program_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let page = std::fs::read_to_string(root.join("docs/gate.md")).unwrap();
    let desk = Desk::new(&[]);
    let subject = root.join("subjects/gate");
    std::fs::create_dir(desk.path("slower")).unwrap();
    for file in ["Ledger.java", "Entries.java", "slower/Ledger.java"] {
        std::fs::copy(subject.join(file), desk.path(file)).unwrap();
    }
    let (mut commands, mut compared, mut fenced) = (0, 0, false);
    let mut printed: Vec<String> = Vec::new();
    for line in page.lines() {
        if let Some(command) = line.strip_prefix("    $ ") {
            let code = if command.contains("# exit code 3") {
                3
            } else {
                0
            };
            let ran = typed(&desk, command, code);
            printed = ran.stdout.lines().map(collapsed).collect();
            commands += 1;
        } else if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced && steady(line) {
            let shown = collapsed(line);
            assert!(
                printed.contains(&shown),
                "not printed: {shown}\n{printed:#?}"
            );
            compared += 1;
        }
    }
    assert!(
        commands >= 8 && compared >= 10,
        "{commands} commands, {compared} lines"
    );
}
