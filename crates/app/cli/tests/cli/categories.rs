//! Opcode categories from the command line: Lata's six, the finer table, a table of one's own.

use std::collections::BTreeMap;

use crate::support::{Desk, ran};

const LATA: [&str; 6] = ["ADD", "CALLS", "DIV", "LDSTCOND", "MUL", "SUB"];

/// Inputs with two kinds of work in different amounts.
fn desk() -> Desk {
    let inputs: Vec<(String, String)> = (0..8)
        .map(|i| (format!("f{i}"), format!("{} {}", 3 + i, 1 + i * 5 % 8)))
        .collect();
    let inputs: Vec<(&str, &str)> = inputs
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    Desk::new(&inputs)
}

/// The columns of opcodes in a dataset, by category: one value per observation.
fn opcodes(desk: &Desk, dataset: &str) -> BTreeMap<String, Vec<u64>> {
    let exported = desk.run(&format!("export {dataset} --format csv -o t.csv"));
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let text = std::fs::read_to_string(desk.path("t.csv")).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let column = |at: usize| {
        let rows = text.lines().skip(1).map(|row| row.split(',').nth(at));
        rows.map(|cell| cell.unwrap().parse().unwrap()).collect()
    };
    let named = header.iter().enumerate();
    named
        .filter_map(|(at, name)| Some((name.strip_prefix("opcode ")?.to_owned(), column(at))))
        .collect()
}

/// Instructions of each observation.
fn sums(columns: &BTreeMap<String, Vec<u64>>) -> Vec<u64> {
    let rows = columns.values().next().unwrap().len();
    (0..rows)
        .map(|row| columns.values().map(|c| c[row]).sum())
        .collect()
}

#[test]
fn every_table_partitions_the_same_instructions() {
    let desk = desk();
    let own =
        "[categories]\narithmetic = [\"ladd\", \"lmul\", \"irem\"]\nloops = [\"iinc\", \"goto\"]\n";
    std::fs::write(desk.path("own.toml"), own).unwrap();
    let quick = "--repeat 1 --check-determinism none --inputs in/*";
    for (table, dataset) in [("lata", "l"), ("own.toml", "o"), ("fine", "f")] {
        let ran = desk.watch(&format!("record -o {dataset} --categories {table} {quick}"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let (lata, own, fine) = (
        opcodes(&desk, "l"),
        opcodes(&desk, "o"),
        opcodes(&desk, "f"),
    );
    // The subject does not subtract.
    let names: Vec<&str> = lata.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        LATA.iter()
            .copied()
            .filter(|c| *c != "SUB")
            .collect::<Vec<_>>()
    );
    let names: Vec<&str> = own.keys().map(String::as_str).collect();
    assert_eq!(names, ["arithmetic", "loops", "other"]);
    assert!(fine.len() > 10 && fine.contains_key("long_mul"), "{fine:?}");
    assert_eq!(sums(&lata), sums(&fine));
    assert_eq!(sums(&own), sums(&fine));
    // `sum(1000)` multiplies a thousand times and divides as often; so does a call of `product` once less, without dividing.
    let row = |i: u64| (3 + i, 1 + i * 5 % 8);
    let expected =
        |f: fn(u64, u64) -> u64| (0..8).map(|i| f(row(i).0, row(i).1)).collect::<Vec<_>>();
    assert_eq!(
        lata["MUL"],
        expected(|sums, products| sums * 1000 + products * 999)
    );
    assert_eq!(lata["DIV"], expected(|sums, _| sums * 1000));
}

#[test]
fn a_model_is_asked_in_its_own_categories() {
    let desk = desk();
    let quick = "--repeat 1 --check-determinism none --inputs in/*";
    let mined = desk.watch(&format!(
        "mine --json --categories lata --level opcode --method nnls {quick}"
    ));
    assert_eq!(mined.code, 0, "{}", mined.stderr);
    let model = std::fs::read_to_string(desk.path("pricetag-data/model.json")).unwrap();
    let model: serde_json::Value = serde_json::from_str(&model).unwrap();
    assert_eq!(model["provenance"]["recording"]["categories"], "lata");
    let mut counted = desk.subject("predict pricetag-data/model.json --json --inputs in/*");
    counted.arg("{}");
    let counted = ran(counted);
    assert_eq!(counted.code, 0, "{}", counted.stderr);
    let known = desk.json("predict pricetag-data/model.json --dataset pricetag-data --json");
    for (row, same) in counted.json()["rows"]
        .as_array()
        .unwrap()
        .iter()
        .zip(known["rows"].as_array().unwrap())
    {
        assert_eq!(row["value"], same["value"], "counted alike");
    }
    let fine = desk.watch(&format!("record -o fine {quick}"));
    assert_eq!(fine.code, 0, "{}", fine.stderr);
    let other = desk.run("predict pricetag-data/model.json --dataset fine");
    assert_eq!(other.code, 1);
    assert!(
        other
            .stderr
            .contains("grouped by `lata`, the dataset's by `fine`")
            && other.stderr.contains("--categories"),
        "{}",
        other.stderr
    );
}

#[test]
fn a_bad_table_is_told_with_its_line() {
    let desk = Desk::new(&[("a", "1")]);
    for (text, code, what, advice) in [
        (
            "[categories]\na = [\"iad\"]\n",
            2,
            "bad.toml:2: category a names the opcode \"iad\"",
            "mnemonics",
        ),
        (
            "[categories]\na = [\"iadd\"]\nb = [\"iadd\"]\n",
            2,
            "bad.toml:3: the opcode iadd",
            "one category",
        ),
        (
            "[categories\n",
            2,
            "bad.toml: TOML parse error at line 1",
            "[categories]",
        ),
    ] {
        std::fs::write(desk.path("bad.toml"), text).unwrap();
        let ran = desk.watch("record -o d --categories bad.toml --inputs in/*");
        assert_eq!(ran.code, code, "{}", ran.stderr);
        assert!(
            ran.stderr.contains(what)
                && ran.stderr.contains("try: ")
                && ran.stderr.contains(advice),
            "{}",
            ran.stderr
        );
        assert!(!desk.path("d").exists(), "told before anything is recorded");
    }
    let missing = desk.watch("mine --categories coarse --inputs in/*");
    assert_eq!(missing.code, 1);
    assert!(
        missing.stderr.contains("coarse") && missing.stderr.contains("`lata`, `fine`"),
        "{}",
        missing.stderr
    );
}

#[test]
fn a_recording_is_resumed_with_the_same_table() {
    let desk = Desk::new(&[("a", "1"), ("b", "hang")]);
    let line = "record -o d --repeat 1 --check-determinism none --inputs in/*";
    let mut command = desk.subject(&format!("{line} --categories lata"));
    let mut child = command
        .arg("{}")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let begun = std::time::Instant::now();
    let first = desk.path("d/.recording/00000-count-0.json");
    while !first.exists() && begun.elapsed() < std::time::Duration::from_mins(1) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let other = desk.watch(&format!("{line} --resume"));
    assert_eq!(other.code, 1);
    assert!(
        other.stderr.contains("`categories`")
            && other.stderr.contains("`lata`")
            && other.stderr.contains("`fine`"),
        "{}",
        other.stderr
    );
}
