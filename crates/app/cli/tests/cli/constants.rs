//! Constants that a search takes out of the code of a recorded program.

use crate::support::{Desk, classes, ran};

/// `Uploads.java`: bytes are allocated by size above 203776 only. From the sizes alone 200000 would be as good a guess.
#[test]
fn a_threshold_in_the_code_is_found_without_being_offered() {
    let desk = Desk::new(&[]);
    let mut command = desk.command(
        "record -o data --repeat 1 --warmup 1 --check-determinism none --scope Uploads#store",
    );
    command.args(["--", "java", "-Xint", "-XX:+UseSerialGC", "-cp"]);
    command.arg(classes()).arg("Uploads");
    let recorded = ran(command);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);

    let line = "fit data --target alloc --level input --method gp --train 100% --json";
    let model = desk.json(line);
    let formula = model["text"].as_str().unwrap();
    assert!(formula.contains("size > 203776"), "{formula}");
    let notes = model["diagnostics"].to_string();
    // 40, 12.25, 250.5, 100000 and 203776 ran; no size is below the first three. 3 is a test for equality, 150000 never ran.
    assert!(
        notes.contains("compares with 5 numbers: 2 offered to the search"),
        "{notes}"
    );
    assert!(
        notes.contains("203776 stands in the code: Uploads.store(int), line 8"),
        "{notes}"
    );

    // Without the plans nothing is known of the code, and the roundest number between the sizes is the guess.
    std::fs::rename(desk.path("data/plans"), desk.path("data/gone")).unwrap();
    let model = desk.json(line);
    let formula = model["text"].as_str().unwrap();
    assert!(formula.contains("size > 200000"), "{formula}");
    let notes = model["diagnostics"].to_string();
    assert!(!notes.contains("offered to the search"), "{notes}");
}
