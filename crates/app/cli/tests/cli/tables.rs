//! Tables of other tools through the whole program: what failed for strangers, with what is right.

use std::fmt::Write as _;

use crate::support::Desk;

/// A table with a row for each number.
fn table(header: &str, rows: std::ops::Range<usize>, row: impl Fn(usize) -> String) -> String {
    rows.fold(format!("{header}\n"), |mut text, i| {
        let _ = writeln!(text, "{}", row(i));
        text
    })
}

fn desk(files: &[(&str, &str)]) -> Desk {
    let desk = Desk::new(&[]);
    for (name, text) in files {
        std::fs::write(desk.path(name), text).unwrap();
    }
    desk
}

/// Values of the predictions for a table.
fn predicted(desk: &Desk, table: &str) -> Vec<f64> {
    let found = desk.json(&format!("predict model.json --features {table} --json"));
    let rows = found["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| row["value"].as_f64().unwrap())
        .collect()
}

fn fitted(desk: &Desk, line: &str) -> (String, String) {
    let ran = desk.run(&format!("fit {line}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    (ran.stdout, ran.stderr)
}

#[test]
fn booleans_and_texts_explain_the_cost_and_new_levels_are_flagged() {
    let algo = |i: usize| ["quick", "heap", "merge"][i * i % 3];
    let cost = |i: usize| {
        let extra = [0, 300, 900][i * i % 3];
        10 * (1 + i * 7 % 31) + if i.is_multiple_of(2) { 500 } else { 0 } + extra
    };
    let row = |i: usize| {
        let cache = if i.is_multiple_of(2) { "True" } else { "False" };
        format!("{},{cache},{},{}", 1 + i * 7 % 31, algo(i), cost(i))
    };
    let train = table("a,cache,algo,y", 0..60, row);
    let new = "a,cache,algo\n3,true,heap\n3,FALSE,quick\n3,False,radix\n";
    let desk = desk(&[("t.csv", &train), ("new.csv", new)]);
    let (_, said) = fitted(&desk, "t.csv --target y --train 100%");
    assert!(
        said.contains("`algo` is text: a category of 2 levels (heap, quick)"),
        "{said}"
    );
    let values = predicted(&desk, "new.csv");
    assert!(
        (values[0] - 830.0).abs() < 1.0 && (values[1] - 30.0).abs() < 1.0,
        "{values:?}"
    );
    let text = desk.run("predict model.json --features new.csv").stdout;
    assert!(text.contains("row 3: algo=radix has no price"), "{text}");
}

#[test]
fn where_nothing_explains_the_cost_a_constant_is_delivered_and_said_first() {
    let noise = |i: usize| 300 + (i * 7919 + i * i * 104_729) % 911;
    let row = |i: usize| format!("{},{},{}", i * 31 % 97, i * 17 % 89, noise(i));
    let desk = desk(&[("t.csv", &table("a,b,y", 0..200, row))]);
    let (text, _) = fitted(&desk, "t.csv --target y");
    assert!(
        text.starts_with("warning: nothing here explains the cost: on 200 rows kept aside"),
        "{text}"
    );
    assert!(
        text.contains("y, by constant") && text.contains("whatever the features are"),
        "{text}"
    );
    let model: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(desk.path("model.json")).unwrap()).unwrap();
    assert_eq!(model["diagnostics"][0]["severity"], "warning");
    assert!(model["prices"].as_array().unwrap().is_empty());
    // A method that is asked for is delivered, with the same warning.
    let (text, _) = fitted(&desk, "t.csv --target y --method nnls");
    assert!(
        text.starts_with("warning: nothing here explains the cost"),
        "{text}"
    );
    assert!(text.contains("y, by nnls"), "{text}");
}

#[test]
fn one_reader_serves_fit_and_predict() {
    let row = |i: usize| {
        format!(
            "{};{};{}",
            i % 2,
            i / 2 % 2,
            100 + 900 * (i % 2) + 50 * (i / 2 % 2) + i % 3
        )
    };
    let text = table("gzip;tls;y", 0..60, row);
    let tabs = format!("\u{feff}{}", text.replace(';', "\t"));
    let desk = desk(&[
        ("t.csv", &text),
        ("t.tsv", &tabs),
        ("other.csv", "zip;tsl;y\n0;1;2\n"),
    ]);
    fitted(&desk, "t.csv --target y");
    let values = predicted(&desk, "t.csv");
    assert!(
        (values[0] - 101.0).abs() < 3.0 && (values[3] - 1051.0).abs() < 11.0,
        "{values:?}"
    );
    assert_eq!(values, predicted(&desk, "t.tsv"));
    let ran = desk.run("predict model.json --features other.csv");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("`gzip`") && ran.stderr.contains("`zip`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn holes_are_counted_and_said_on_the_first_line() {
    let row = |i: usize| {
        let b = if i == 0 {
            "NA".to_owned()
        } else {
            (1 + i * 11 % 23).to_string()
        };
        format!(
            "{},{b},{}",
            1 + i * 7 % 31,
            10 * (1 + i * 7 % 31) + 3 * (1 + i * 11 % 23)
        )
    };
    let desk = desk(&[("t.csv", &table("a,b,y", 0..60, row))]);
    let (_, said) = fitted(&desk, "t.csv --target y");
    assert!(
        said.starts_with(
            "note: 1 of 60 rows have no value of `b` and are left out (--missing rows)"
        ),
        "{said}"
    );
    let found = desk.json("predict model.json --features t.csv --json");
    assert_eq!(found["rows"].as_array().unwrap().len(), 59);
    assert_eq!(found["failed"][0]["reason"], "`b` is missing (line 2)");
    let (_, said) = fitted(&desk, "t.csv --target y --missing impute");
    assert!(
        said.starts_with("note: 1 of 60 rows have no value of `b`: its median is taken"),
        "{said}"
    );
    assert_eq!(predicted(&desk, "t.csv").len(), 60);
    let ran = desk.run("fit t.csv --target y --missing guess");
    assert!(
        ran.code == 2 && ran.stderr.contains("rows, columns, impute"),
        "{}",
        ran.stderr
    );
}

#[test]
fn no_prediction_is_below_zero_where_no_cost_was() {
    let row = |i: usize| format!("{},{}", 1 + i * 7 % 40, 1000 - 20 * (1 + i * 7 % 40));
    let desk = desk(&[
        ("t.csv", &table("p,y", 0..40, row)),
        ("new.csv", "p\n256\n1024\n"),
    ]);
    fitted(&desk, "t.csv --target y --train 100% --method poly");
    let found = desk.json("predict model.json --features new.csv --json");
    for row in found["rows"].as_array().unwrap() {
        let ends = &row["interval"];
        assert!(row["value"].as_f64().unwrap() > 0.0 && row["implausible"].as_f64().unwrap() < 0.0);
        assert!(
            ends[0].as_f64().unwrap() <= ends[1].as_f64().unwrap(),
            "{ends}"
        );
        assert!(ends[0].as_f64().unwrap() > 0.0, "{ends}");
    }
}

/// y = 7·x − 300 but for one wild row: the constant is below zero.
#[test]
fn signs_are_free_where_that_is_asked_for() {
    let wild = |x: usize| if x == 70 { 400 } else { 7 * x - 300 };
    let row = |i: usize| format!("{},{}", 58 + i, wild(58 + i));
    let desk = desk(&[("t.csv", &table("x,y", 0..15, row))]);
    let line = "t.csv --target y --method l1 --intercept --weights equal --train 100%";
    let (text, _) = fitted(&desk, line);
    assert!(text.contains("at zero or above; --signs free"), "{text}");
    fitted(&desk, &format!("{line} --signs free"));
    let values = predicted(&desk, "t.csv");
    let off: f64 = values
        .iter()
        .enumerate()
        .map(|(i, v)| (v - wild(58 + i) as f64).abs())
        .sum();
    assert!((off - (400.0 - 190.0)).abs() < 1e-6, "{off}");
    let ran = desk.run("fit t.csv --target y --method nnls --signs free");
    assert!(
        ran.code != 0 && ran.stderr.contains("l1 or lasso"),
        "{}",
        ran.stderr
    );
}

#[test]
fn numbers_that_cannot_be_squared_are_refused() {
    let row = |i: usize| format!("{}e300,{}", 1 + i * 7 % 31, 10 * (1 + i * 7 % 31) + i % 3);
    let desk = desk(&[("t.csv", &table("a,y", 0..60, row))]);
    for method in ["auto", "ols", "wls", "step", "nnls", "huber", "lasso"] {
        let ran = desk.run(&format!("fit t.csv --target y --method {method}"));
        assert_eq!(ran.code, 1, "{method}: {}", ran.stdout);
        let said = "`a` reaches 3.1e301, which cannot be squared; give it in another unit, or leave it out (--ignore)";
        assert!(ran.stderr.contains(said), "{method}: {}", ran.stderr);
        assert!(!ran.stderr.contains("--target:"), "{}", ran.stderr);
    }
}

/// The best values lie outside of the bounds: the search ends at these.
#[test]
fn a_bounded_search_ends_at_its_bounds() {
    let row = |i: usize| format!("{},{}", i + 10, 7 * (i + 10) + 3);
    let desk = desk(&[("t.csv", &table("n,y", 0..40, row))]);
    let begun = std::time::Instant::now();
    fitted(
        &desk,
        "t.csv --target y --method nls --formula k*n+c --start k=1,c=1 --bounds k=0..5,c=0..10 --train 100% -o model.json",
    );
    assert!(begun.elapsed() < std::time::Duration::from_mins(1));
    let values = predicted(&desk, "t.csv");
    // 5·n + 10, of n = 10, is the closest to 7·n + 3 that is allowed.
    assert!((values[0] - 60.0).abs() < 0.1, "{values:?}");
}
