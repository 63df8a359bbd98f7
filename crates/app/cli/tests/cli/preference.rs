//! Features that are final early, from a recorded program with a known answer.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::{Desk, classes, ran};

/// `Early.java`: the header is read first and tells the number of records but for two; the records make the bytes.
#[test]
fn an_early_feature_is_preferred_to_a_late_one_that_explains_more() {
    let desk = Desk::new(&[]);
    let rows: Vec<u32> = (0..24).map(|i| 200 + 83 * i).collect();
    let mut table = String::from("n\n");
    for n in &rows {
        let _ = writeln!(table, "{n}");
    }
    std::fs::write(desk.path("work.csv"), table).unwrap();
    let mut command = desk.command(
        "record -o data --availability --repeat 1 --check-determinism none --features loops --workload work.csv",
    );
    command.args(["--", "java", "-Xint", "-XX:+UseSerialGC", "-cp"]);
    command.arg(classes()).args(["Early", "{n}"]);
    let recorded = ran(command);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);

    let learnt = |options: &str| {
        desk.json(&format!(
            "fit data --target alloc --level loop --method poly --degree 1 --lambda 1se --json {options}"
        ))
    };
    let plain = learnt("").to_string();
    assert!(plain.contains("Early.records(int) loop"), "{plain}");
    let model = learnt("--prefer cheap");
    let formula = model["text"].as_str().unwrap();
    assert!(
        formula.contains("Early.header(int) loop") && !formula.contains("Early.records(int)"),
        "{formula}"
    );
    let preferred = &model["preferred"];
    let (with, without) = (&preferred["after"], &preferred["after_without"]);
    assert!(with.as_f64().unwrap() < 0.5, "{preferred}");
    assert!(without.as_f64().unwrap() > 0.9, "{preferred}");
    let least = &model["alternatives"][0];
    assert!(
        least["name"].as_str().unwrap().contains("least error"),
        "{least}"
    );

    let shown =
        desk.run("fit data --target alloc --level loop --method poly --lambda 1se --prefer cheap");
    assert!(
        shown.stdout.contains("preferred for being early"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("without the preference after"),
        "{}",
        shown.stdout
    );
    let refused = desk.run("fit data --target alloc --method hier --prefer cheap");
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("cannot prefer features"),
        "{}",
        refused.stderr
    );
}

/// A quarter of an invocation is `first`'s; the other thread's calls are not part of it.
#[test]
fn features_of_invocations_are_final_when_their_part_is_done() {
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../subjects/features/Phases.java");
    let desk = Desk::new(&[]);
    desk.compile(".", &[source]);
    let recorded = desk.run(
        "record -o data --scope Phases#serve --availability --features loops,exceptions --repeat 1 --check-determinism none -- java -cp . Phases 40",
    );
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let inspected = desk.json("inspect data --json");
    let share = |method: &str, what: &str| {
        let all = inspected["available"].as_array().unwrap();
        let found = all.iter().find(|f| {
            let name = f["feature"].as_str().unwrap();
            name.starts_with(method) && name.contains(what)
        });
        found.unwrap_or_else(|| panic!("{method} {what}: {inspected}"))["share"]
            .as_f64()
            .unwrap()
    };
    for what in ["loop 0", "caught java.lang.ArithmeticException"] {
        let first = share("Phases.first(int)", what);
        assert!((0.2..0.25 + 1.0 / 16.0).contains(&first), "{what}: {first}");
        assert!(share("Phases.second(int)", what) > 0.9, "{what}");
    }
}
