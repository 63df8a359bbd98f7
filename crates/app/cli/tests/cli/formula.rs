//! What `mine` and `fit` tell of formulas: on a recorded program with a known answer, and on a guide's table.

use std::fmt::Write as _;

use crate::support::{Desk, Ran, classes, ran};

/// `Early.java` makes 4 KiB for each pass of a loop.
fn mine(desk: &Desk, options: &str) -> Ran {
    let mut command = desk.command(&format!(
        "mine --target alloc --repeat 1 --check-determinism none --features loops,branches,methods,exceptions,values --workload work.csv {options}"
    ));
    command.args(["--", "java", "-Xint", "-XX:+UseSerialGC", "-cp"]);
    command.arg(classes()).args(["Early", "{n}"]);
    let mined = ran(command);
    assert_eq!(mined.code, 0, "{}", mined.stderr);
    mined
}

#[test]
fn mine_tells_the_formula_and_the_cost_in_few_terms() {
    let desk = Desk::new(&[]);
    let mut table = String::from("n\n");
    for i in 0..44 {
        let _ = writeln!(table, "{}", 200 + 83 * i);
    }
    std::fs::write(desk.path("work.csv"), table).unwrap();
    let summary = mine(&desk, "--json").json();
    let few = &summary["concise"];
    assert_ne!(summary["method"], "poly");
    let text = few["text"].as_str().unwrap();
    assert!(
        text.contains("Early.") && few["terms"][0]["share"].is_f64(),
        "{few}"
    );
    let error = few["evaluation"]["median_error"].as_f64().unwrap();
    assert!(error < 0.02, "{few}");
    let shown = mine(&desk, "--resume").stdout.replace('\n', " ");
    assert!(shown.contains("In 5 terms at most: "), "{shown}");
    assert!(shown.contains("on the inputs not learnt from."), "{shown}");
    let report = std::fs::read_to_string(desk.path("report.html")).unwrap();
    assert!(report.contains("In 5 terms at most: "));
    let again = desk.run("fit pricetag-data --target alloc").stdout;
    assert!(
        again.contains("in 5 terms at most, alloc is the sum of"),
        "{again}"
    );

    let formula = mine(&desk, "--resume --json --method poly").json();
    assert!(formula["concise"].is_null(), "{formula}");
    let text = formula["formula"].as_str().unwrap();
    assert!(text.contains("Early."), "{text}");
    let shown = mine(&desk, "--resume --method poly").stdout;
    assert!(shown.contains("alloc is the sum of\n term"), "{shown}");
    assert!(!shown.contains("could be priced"), "{shown}");
    let first = formula["terms"][0]["text"].as_str().unwrap();
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    assert!(
        bare(&shown).contains(&bare(first.split('·').next().unwrap())),
        "{shown}"
    );
}

/// What `--sensitivity` finds is printed as it stands in the model.
#[test]
fn fit_prints_how_the_error_depends_on_what_was_learnt_from() {
    let desk = Desk::new(&[]);
    let table =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/learning/images.csv");
    std::fs::copy(table, desk.path("images.csv")).unwrap();
    let line = "fit images.csv --target ns --method lasso --sensitivity";
    let model = desk.json(&format!("{line} --json"));
    let shown = desk.run(line).stdout;
    let lines: Vec<Vec<&str>> = shown
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    let least = model["sensitivity"]["lambda"].as_array().unwrap().iter();
    let least = least.min_by(|a, b| {
        let error = |point: &serde_json::Value| point["median_error"].as_f64().unwrap();
        error(a).total_cmp(&error(b))
    });
    let least = least.unwrap();
    let error = format!("{:.1}", 100.0 * least["median_error"].as_f64().unwrap());
    let marked = lines
        .iter()
        .find(|line| line.last() == Some(&"least"))
        .expect(&shown);
    assert_eq!(marked[1], least["features"].to_string());
    assert_eq!(marked[2], error);
    let half = lines
        .iter()
        .find(|line| line.starts_with(&["50.0", "%", "120", "3"]));
    let mut errors: Vec<f64> = model["sensitivity"]["training"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|point| point["fraction"] == 0.5)
        .map(|point| point["median_error"].as_f64().unwrap())
        .collect();
    errors.sort_by(f64::total_cmp);
    assert_eq!(half.expect(&shown)[4], format!("{:.1}", 100.0 * errors[1]));
}

/// Version 2 of `x` has no value in every fourth of twelve rows.
#[test]
fn missing_values_are_named() {
    let desk = Desk::new(&[]);
    let mut table = String::from("ns,n,x#1,x#2\n");
    for i in 1..=12 {
        let second = if i % 4 == 0 {
            String::new()
        } else {
            (i * i).to_string()
        };
        let _ = writeln!(table, "{},{i},{},{second}", 7 * i, i % 5);
    }
    std::fs::write(desk.path("table.csv"), table).unwrap();
    let imported = desk.run("import table.csv --target ns -o data");
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let missing = &desk.json("inspect data --target ns --json")["design"]["missing"];
    let expected = serde_json::json!([{"feature": "x#2", "rows": 3}]);
    assert_eq!(missing, &expected);
    let shown = desk.run("inspect data --target ns").stdout;
    assert!(shown.contains("  x#2: in 3 of 12 rows\n"), "{shown}");
    let shown = desk.run("fit data --target ns --method nnls").stdout;
    assert!(shown.contains("left out: `x#2` (in 3 of 12)\n"), "{shown}");
}
