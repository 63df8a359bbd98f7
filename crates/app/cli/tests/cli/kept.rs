//! What is kept when the JVM crashes, hangs or ends early; and the JVM's switches.

use crate::support::Desk;
use serde_json::Value;

/// A line of CSV; names of methods have commas in them.
fn cells(line: &str) -> Vec<String> {
    let pieces = line.split('"').enumerate();
    let marked = pieces.map(|(n, piece)| {
        if n % 2 == 0 {
            piece.replace(',', "\n")
        } else {
            piece.to_owned()
        }
    });
    marked
        .collect::<String>()
        .split('\n')
        .map(str::to_owned)
        .collect()
}

/// Cells of an exported dataset: column → one text per row.
fn table(desk: &Desk, dataset: &str) -> impl Fn(&str) -> Vec<String> {
    let exported = desk.run(&format!("export {dataset} --format csv -o t.csv"));
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let text = std::fs::read_to_string(desk.path("t.csv")).unwrap();
    move |column: &str| {
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let at = cells(header).iter().position(|name| name == column);
        let at = at.unwrap_or_else(|| panic!("no column {column} in {header}"));
        lines.map(|line| cells(line).swap_remove(at)).collect()
    }
}

#[test]
fn a_crash_of_the_jvm_is_one_failed_row() {
    let desk = Desk::new(&[("a", "5"), ("b", "crash")]);
    let ran = desk.watch("record -o data --json --repeat 1 --check-determinism none --inputs in/*");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let outcome = ran.json();
    assert_eq!(outcome["ok"], 1);
    let failed = outcome["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 1, "{outcome}");
    assert_eq!(failed[0]["label"], "in/b");
    let reason = failed[0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("the JVM crashed") && reason.contains("SIGSEGV"),
        "{reason}"
    );
}

#[test]
fn invocations_before_the_end_of_a_failing_run_are_kept() {
    let desk = Desk::new(&[
        ("a", "calls crash"),
        ("b", "calls exit"),
        ("c", "calls hang"),
    ]);
    let ran = desk.watch(
        "record -o data --json --scope Sums#sum --warmup 0 --repeat 1 --check-determinism none --timeout 8 --inputs in/*",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let outcome = ran.json();
    let reason = |label: &str| {
        let mut failed = outcome["failed"].as_array().unwrap().iter();
        let row: &Value = failed.find(|f| f["label"] == label).unwrap();
        row["reason"].as_str().unwrap().to_owned()
    };
    assert!(reason("in/a").contains("the JVM crashed"), "{outcome}");
    assert!(reason("in/b").contains("exit code 7"), "{outcome}");
    assert!(
        reason("in/c").contains("did not end within 8 s"),
        "{outcome}"
    );
    assert_eq!(outcome["failed"].as_array().unwrap().len(), 3);
    let column = table(&desk, "data");
    let rows = |input: &str| -> Vec<usize> {
        let labels = column("label");
        let of = |label: &&String| label.starts_with(&format!("{input} #"));
        let rows = labels.iter().enumerate().filter(|(_, label)| of(label));
        rows.map(|(row, _)| row).collect()
    };
    // What ends in order loses nothing, what crashes at most the last tenth of a second.
    assert_eq!((rows("in/b").len(), rows("in/c").len()), (120, 120));
    assert!((20..=120).contains(&rows("in/a").len()), "{outcome}");
    let (n, wall, status) = (column("n"), column("wall"), column("status"));
    for input in ["in/a", "in/b", "in/c"] {
        for (i, row) in rows(input).into_iter().enumerate() {
            assert_eq!(n[row], (2000 + i % 30 * 400).to_string(), "{input} #{i}");
            assert!(wall[row].parse::<f64>().unwrap() > 0.0);
            assert_eq!(status[row], "ok");
        }
    }
}

#[test]
fn inputs_that_cannot_be_predicted_are_named() {
    let inputs: Vec<String> = (1..=8)
        .map(|n| format!("{} {}", 3 + n, n * 5 % 8))
        .collect();
    let names: Vec<String> = (1..=8).map(|n| format!("f{n}")).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .zip(&inputs)
        .map(|(n, i)| (&**n, &**i))
        .collect();
    let desk = Desk::new(&[&files[..], &[("odd", "exit"), ("worse", "crash")]].concat());
    let quick = "--repeat 1 --check-determinism none --inputs in/f*";
    let mined = desk.watch(&format!("mine --json --level opcode --method nnls {quick}"));
    assert_eq!(mined.code, 0, "{}", mined.stderr);
    let predict = |files: &str, json: &str| {
        let line = format!("predict pricetag-data/model.json {json} --inputs {files}");
        let mut command = desk.subject(&line);
        command.arg("{}");
        crate::support::ran(command)
    };
    let some = predict("in/*", "--json");
    assert_eq!(some.code, 0, "{}", some.stderr);
    let some = some.json();
    assert_eq!(some["rows"].as_array().unwrap().len(), 8, "{some}");
    let failed = some["failed"].as_array().unwrap();
    assert_eq!(
        (&failed[0]["label"], &failed[1]["label"]),
        (&"in/odd".into(), &"in/worse".into())
    );
    assert!(
        failed[0]["reason"]
            .as_str()
            .unwrap()
            .contains("exit code 7"),
        "{some}"
    );
    let some = predict("in/*", "").stdout;
    assert!(
        some.contains("2 of 10 observations failed") && some.contains("! in/odd: "),
        "{some}"
    );
    // Each has a reason of its own.
    let none = predict("in/[ow]*", "");
    assert_eq!(none.code, 1, "{}", none.stdout);
    assert!(
        none.stderr.contains("all runs failed (2)"),
        "{}",
        none.stderr
    );
}

#[test]
fn without_compiler_and_collector_everything_is_interpreted_and_nothing_collected() {
    let desk = Desk::new(&[("a", "allocate"), ("b", "150 5")]);
    let quick = "--json --repeat 1 --check-determinism none --inputs in/*";
    for (switches, dataset) in [("--gc off --jit off", "off"), ("", "on")] {
        let ran = desk.watch(&format!("record -o {dataset} {switches} {quick}"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.json()["ok"], 2, "{}", ran.stdout);
    }
    let off = table(&desk, "off");
    assert_eq!(off("collections"), ["0", "0"]);
    let header = std::fs::read_to_string(desk.path("t.csv")).unwrap();
    let header = header.lines().next().unwrap();
    assert!(
        !header.contains(" C1") && !header.contains(" C2"),
        "{header}"
    );
    let opcodes = cells(header)
        .into_iter()
        .filter(|name| name.starts_with("opcode "));
    let mut all = [0u64; 2];
    for opcode in opcodes {
        for (sum, cell) in all.iter_mut().zip(off(&opcode)) {
            *sum += cell.parse::<u64>().unwrap();
        }
    }
    let interpreted: Vec<u64> = off("instructions interpreted")
        .iter()
        .map(|cell| cell.parse().unwrap())
        .collect();
    assert!(all[1] > 100_000);
    assert_eq!(interpreted, all);
    let meta = std::fs::read_to_string(desk.path("off/meta.json")).unwrap();
    let meta: Value = serde_json::from_str(&meta).unwrap();
    assert_eq!(
        (&meta["options"]["jit"], &meta["options"]["gc"]),
        (&"off".into(), &"off".into())
    );
    let flags = meta["options"]["jvm_flags"].as_str().unwrap();
    assert!(flags.contains("-Xint"), "{flags}");
    let on = table(&desk, "on");
    assert_ne!(
        on("collections")[0],
        "0",
        "with a collector this input needs it"
    );
    assert_ne!(on("instructions in C1 code")[1], "0");
}

#[test]
fn what_includes_nothing_is_told() {
    let desk = Desk::new(&[("a", "5")]);
    let quick = "--repeat 1 --check-determinism none --inputs in/*";
    let ran = desk.watch(&format!(
        "record -o d --include Sums --include java.util.** {quick}"
    ));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("--include java.util.**") && ran.stderr.contains("--count-jdk"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("--include Sums"), "{}", ran.stderr);
    // Where that leaves nothing to learn from, it is why.
    let ran = desk.watch("mine -o m --report m.html --samples off --include Smus --inputs in/*");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("matches --include Smus"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_scope_that_cannot_be_one_says_why() {
    let desk = Desk::new(&[("a", "3")]);
    for (scope, why) in [
        ("Sums#<init>", "<init> is a constructor"),
        (
            "Sums#nope",
            "class Sums has no method nope; it has end, main, product, sum",
        ),
        (
            "Sums#main(int)",
            "class Sums has no method main(int); it has main(String[])",
        ),
    ] {
        let line = format!("record -o data --force --repeat 1 --scope {scope} --inputs in/*");
        let ran = desk.watch(&line);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert!(ran.stderr.contains("no interface"), "{}", ran.stderr);
    }
}
