//! `slice` from the command line, on a program whose slice is known.

use std::process::Command;

use crate::support::{Desk, ran};

/// A desk with the classes of `subjects/slices/Lines.java`, and an input of three lines.
fn lines() -> Desk {
    let desk = Desk::new(&[("three", "a\nbb\nccc\n")]);
    let source = pricetag_testkit::repository().join("subjects/slices/Lines.java");
    let status = Command::new(pricetag_testkit::jvm::java_tool("javac"))
        .args(["-g", "--release", "17", "-d"])
        .arg(desk.path("classes"))
        .arg(source)
        .status()
        .expect("javac runs");
    assert!(status.success());
    desk
}

/// `slice`, with these options.
fn slice(desk: &Desk, criterion: &str, options: &str) -> crate::support::Ran {
    let mut command = desk.command("slice -c");
    command.arg(criterion).args(options.split_whitespace());
    command.args("-- java -Xmx1g -cp classes Lines".split(' '));
    ran(command)
}

#[test]
fn a_slice_says_how_large_it_is_where_and_how_much_of_it_ran() {
    let desk = lines();
    let recorded = desk.run(
        "record -q --repeat 1 --samples off --check-determinism none --features blocks --stdin {} --inputs in/* -o data -- java -cp classes Lines",
    );
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let found = slice(&desk, "Lines.main loop 0", "--json --dataset data").json();
    let size = |name: &str| found[name].as_u64().unwrap();
    assert_eq!((size("methods"), size("of_methods")), (1, 2));
    assert_eq!((size("instructions"), size("of_instructions")), (12, 43));
    assert_eq!(found["slice"][0]["lines"], serde_json::json!([17, 20]));
    // By hand: 8 instructions before the loop and 4 of the header's 5, which is passed 4 times. All: main 10 + 4 · 5 + 3 · 6 + 4, and
    // expensive 3 · 4 + 9 · 4 + 6 · 8 + 3 · 2.
    assert_eq!(found["executed"]["instructions"], 24.0);
    assert_eq!(found["executed"]["of_instructions"], 154.0);
    let text = slice(&desk, "Lines.main loop 0", "").stdout;
    assert!(text.contains("12 of 43 instructions (27.9 %)"), "{text}");
    assert!(
        text.contains("Lines.main(String[]) (Lines.java:17, 20)"),
        "{text}"
    );
}

#[test]
fn what_names_nothing_is_refused_with_what_to_try() {
    let desk = lines();
    for (criterion, why) in [
        ("Lines loop 0", "may be any of"),
        ("Lines.main loop 3", "has 1 loops"),
        ("Lines.main lop 3", "is no criterion"),
        ("Lines.none loop 0", "nothing that the program can reach"),
        ("Lines.main.j at line 20", "no instruction on line 20"),
    ] {
        let refused = slice(&desk, criterion, "");
        assert_eq!(refused.code, 2, "{criterion}");
        assert!(
            refused.stderr.contains(why) && refused.stderr.contains("try: "),
            "{}",
            refused.stderr
        );
        assert_eq!(refused.stdout, "");
    }
    let nowhere = desk.run("slice -c X -- java -cp missing X");
    assert!(
        nowhere.stderr.contains("no class on the class path"),
        "{}",
        nowhere.stderr
    );
}
