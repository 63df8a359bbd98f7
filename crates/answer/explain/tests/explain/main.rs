//! Explanations against sums done by hand on a program of two methods.

use pricetag_cost_model::*;
use pricetag_dataset::*;
use pricetag_explain::{ExplainOptions, explain, inspect, listings, source_reader, summarize};
use pricetag_finding::{Grouping, Inspection};

use sorter::*;

mod sampled;
mod sorter;

#[test]
fn methods_carry_the_cost_of_their_blocks() {
    let found = by(&priced(), Grouping::Method);
    assert!((found.predicted - TOTAL).abs() < 1e-9);
    assert_eq!(found.measured, Some(3015.0));
    let names: Vec<&str> = found.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "org.example.Sorter.sort(int[])",
            "base",
            "org.example.Sorter.print(int[])"
        ]
    );
    let sort = &found.items[0];
    assert!((sort.cost - (3.0 * SQUARES + 12.0 * SUM)).abs() < 1e-9);
    assert_eq!(sort.count, 10.0, "invocations are those of block 0");
    assert_eq!(sort.evidence, Some(0.75));
    assert!(sort.is_risk());
    assert!(!found.items[1].is_risk() && !found.items[2].is_risk());
}

#[test]
fn a_method_that_ran_without_cost_is_named() {
    let free = model(
        &[(3.0, "Sorter.sort block 1")],
        vec![price(
            "Sorter.sort block 1",
            &[("Sorter.sort block 1", 1.0)],
            3.0,
        )],
    );
    let wanted = "1 method ran and carries no cost: `org.example.Sorter.print(int[])` (a block ran 50 times)";
    for grouping in [Grouping::Method, Grouping::Block, Grouping::Line] {
        let notes = by(&free, grouping).notes;
        assert!(notes.iter().any(|n| n.starts_with(wanted)), "{notes:?}");
    }
    let none = by(&priced(), Grouping::Method).notes;
    assert!(!none.iter().any(|n| n.contains("no cost")), "{none:?}");
}

#[test]
fn blocks_have_prices_and_merged_ones_say_so() {
    let found = by(&priced(), Grouping::Block);
    let item = |name: &str| found.items.iter().find(|item| item.name == name).unwrap();
    let third = item("Sorter.sort block 3");
    assert!((third.cost - 12.0 * SUM * 2.0 / 3.0).abs() < 1e-9);
    assert!((third.price.unwrap() * third.count - third.cost).abs() < 1e-9);
    assert_eq!(
        third.split_from.as_deref(),
        Some("Sorter.sort block 2 + 1 more")
    );
    let first = item("Sorter.sort block 1");
    assert_eq!(
        (first.price, first.prior, first.count, first.support),
        (Some(3.0), Some(6.0), SQUARES, 10)
    );
    let control = first.control.as_ref().unwrap();
    assert!(control.risk && control.variation > 0.5);
    assert_eq!(control.input.as_deref(), Some("size"));
    assert!((control.exponent.unwrap() - 2.0).abs() < 1e-9);
    let all: f64 = found
        .items
        .iter()
        .filter_map(|item| item.control.as_ref())
        .map(|control| control.variation)
        .sum();
    assert!((all - 1.0).abs() < 1e-9);
    assert!(item("Sorter.print block 0").notes[0].contains("differs between two runs"));
    let merged = |note: &String| note.contains("2 lines share 1 merged buckets");
    assert!(found.notes.iter().any(merged), "{:?}", found.notes);
}

#[test]
fn lines_share_a_block_equally_and_buckets_stay_whole() {
    let found = by(&priced(), Grouping::Line);
    let line = |n: u32| {
        found
            .items
            .iter()
            .find(|item| item.name == format!("org/example/Sorter.java:{n}"))
            .unwrap()
    };
    assert!(
        (line(11).cost - 1.5 * SQUARES).abs() < 1e-9
            && (line(12).cost - 1.5 * SQUARES).abs() < 1e-9
    );
    let found = by(&priced(), Grouping::Bucket);
    let bucket = found
        .items
        .iter()
        .find(|item| item.name == "Sorter.sort block 2 + 1 more")
        .unwrap();
    assert_eq!(
        (bucket.kind.as_str(), bucket.price, bucket.count),
        ("bucket", Some(12.0), SUM)
    );
    assert!((bucket.cost - 12.0 * SUM).abs() < 1e-9);
}

#[test]
fn opcode_prices_are_handed_to_the_blocks_that_ran_them() {
    let model = model(
        &[(7.0, "opcode iadd")],
        vec![price("opcode iadd", &[("opcode iadd", 1.0)], 7.0)],
    );
    let found = by(&model, Grouping::Block);
    let cost = |name: &str| {
        found
            .items
            .iter()
            .find(|item| item.name == name)
            .unwrap()
            .cost
    };
    assert!((cost("Sorter.sort block 1") - 14.0 * SQUARES).abs() < 1e-9);
    assert!((cost("Sorter.sort block 2") - 7.0 * SUM).abs() < 1e-9);
    assert!(found.items.iter().all(|item| item.name != "opcode iadd"));
    assert_eq!(by(&model, Grouping::Bucket).items[0].name, "opcode iadd");
}

#[test]
fn interactions_are_divided_equally() {
    let mut model = priced();
    let product = Formula::Product(vec![
        Formula::Feature("size".into()),
        Formula::Feature("base".into()),
    ]);
    model.formula = Formula::Sum(vec![Formula::Constant(5.0), product]);
    let found = by(&model, Grouping::Block);
    assert!((found.predicted - (50.0 + SUM)).abs() < 1e-9);
    let size = found.items.iter().find(|item| item.name == "size").unwrap();
    assert!((size.cost - SUM / 2.0).abs() < 1e-9);
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("divided equally"))
    );
}

#[test]
fn listings_show_source_or_bytecode() {
    let found = by(&priced(), Grouping::Block);
    let source = (1..=40)
        .map(|n| format!("line {n}"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut asked = Vec::new();
    let shown = listings(&found, &dataset(), 9, &mut |path| {
        asked.push(path.to_owned());
        Some(source.clone())
    })
    .unwrap();
    assert_eq!(asked, ["org/example/Sorter.java"], "a file is read once");
    assert_eq!(shown[0].path.as_deref(), Some("org/example/Sorter.java"));
    assert_eq!(shown[0].lines[0].number, Some(8));
    let eleven = shown[0]
        .lines
        .iter()
        .find(|line| line.number == Some(11))
        .unwrap();
    assert_eq!(
        (eleven.text.as_str(), eleven.count),
        ("line 11", Some(SQUARES))
    );
    assert!((eleven.cost.unwrap() - 1.5 * SQUARES).abs() < 1e-9);
    let mut lined = dataset();
    let mut line = lined.features[1].clone();
    (line.kind, line.name, line.lines) = (FeatureKind::Line, "line 12".into(), Some((12, 12)));
    lined.features.push(line);
    lined.columns.push(vec![(ObservationId(0), 4.0)]);
    let shown_lines = listings(&found, &lined, 9, &mut |_| Some(source.clone())).unwrap();
    let of = |number| {
        shown_lines[0]
            .lines
            .iter()
            .find(|l| l.number == Some(number))
    };
    let counts = [11, 12].map(|number| of(number).and_then(|line| line.count));
    assert_eq!(counts, [Some(0.0), Some(4.0)], "counted by line");
    let shown = listings(&found, &dataset(), 1, &mut |_| Some("too short".into())).unwrap();
    assert_eq!((shown.len(), shown[0].path.as_ref()), (1, None));
    assert_eq!(
        shown[0].lines[0].text, "0: iload_1",
        "blocks without a price are listed too"
    );
    assert!(
        shown[0].to_text("ns").contains("385    1.16 µs"),
        "{}",
        shown[0].to_text("ns")
    );
    assert!(listings(&by(&priced(), Grouping::Line), &dataset(), 1, &mut |_| None).is_err());
}

#[test]
fn source_files_outside_the_roots_are_not_read() {
    let here = env!("CARGO_MANIFEST_DIR");
    let mut read = source_reader(vec!["/nowhere".into(), format!("{here}/src").into()]);
    assert!(read("lib.rs").is_some());
    assert!(
        read("../Cargo.toml").is_none()
            && read("/etc/hostname").is_none()
            && read("none.rs").is_none()
    );
}

#[test]
fn inspection_and_summary_speak_plainly() {
    let inspection = inspect(&dataset(), None, vec!["add larger inputs".into()]);
    assert_eq!(inspection.observations["ok"], 10);
    assert_eq!(inspection.failed[0].reason, "exit code 1");
    assert_eq!(inspection.costs[0].range, Some((135.0, 277.5, 540.0)));
    assert!((inspection.costs[0].noise.unwrap() - 0.1).abs() < 1e-12);
    assert_eq!(inspection.nondeterministic[0].observations, 4);
    let mut model = priced();
    let evaluation = Evaluation {
        name: "hier".into(),
        train_rows: 5,
        test_rows: 5,
        median_error: 0.031,
        p90_error: 0.09,
        noise_floor: Some(0.01),
        ..Evaluation::default()
    };
    model.baseline = Some(Evaluation {
        median_error: 0.31,
        ..evaluation.clone()
    });
    model.evaluation = Some(evaluation);
    model.diagnostics = vec![Diagnostic {
        severity: Severity::Warning,
        message: "two blocks move together".into(),
        advice: Some("Vary them.".into()),
    }];
    model.concise = Some(Concise {
        most: 5,
        formula: Formula::Constant(7.0),
        text: "12·`a.b.Sorter.sort(int[]) loop 0`".into(),
        terms: Vec::new(),
        evaluation: Some(Evaluation {
            median_error: 0.063,
            ..Evaluation::default()
        }),
    });
    let summary = summarize(&model, &inspection, &by(&model, Grouping::Method));
    assert_eq!((&summary.formula, summary.terms.len()), (&None, 0));
    let text = summary.to_text(100).replace('\n', " ");
    for part in [
        "Sorter ran over 11 inputs (1 failed, left out); 7 features were counted",
        "Of 3.02 µs measured (wall time), most goes to Sorter.sort(int[]) (60.2 %)",
        "No stacks were sampled: shares are estimated",
        "Predictions of wall time for unseen inputs: the model (hier), learnt from 5 inputs and tested on 5 others, has a median error of 3.1 % (more than 9.0 % for the worst tenth)",
        "Noise: runs of one input differ by 10.0 %",
        "From the size of the input alone the error is 31.0 %, 10.0 times as much.",
        "In 5 terms at most: 12·`Sorter.sort(int[]) loop 0`; median error 6.3 % on the inputs not learnt from.",
        "2 features could not be told apart and share 1 price.",
        "Counted again, 1 of 7 features came out differently for the same input: the input alone does not decide the count.",
        "! two blocks move together. Vary them.",
        "! Whoever chooses the input chooses the cost: Sorter.sort(int[]) carries",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // A program that waits is not said to spend that time where it computes.
    let waits = Inspection {
        waited: Some(0.936),
        ..inspection
    };
    let summary = summarize(&model, &waits, &by(&model, Grouping::Method));
    let text = summary.to_text(100).replace('\n', " ");
    let waited = "(wall time), at least 93.6 % is waiting";
    assert!(text.contains(waited), "{text}");
    assert!(
        text.contains("By the prices most goes to Sorter.sort(int[]) (60.2 %)"),
        "{text}"
    );
    assert!(!text.contains("(wall time), most goes to"), "{text}");
    // Nor is anything said of parts of which nothing was counted.
    let kinds = ["base", "input"].map(|kind| (kind.to_owned(), 1));
    let uncounted = Inspection {
        features: kinds.into(),
        ..waits
    };
    let summary = summarize(&model, &uncounted, &by(&model, Grouping::Method));
    assert!(summary.sentences[0].starts_with("Nothing that the program executed was counted"));
    assert!(summary.top.is_empty());
}

/// Hinges of opposite signs may come to thousands of times the cost: then no share is told.
#[test]
fn terms_that_cancel_are_no_account_of_the_cost() {
    let mut model = priced();
    let inspection = inspect(&dataset(), None, Vec::new());
    let methods = by(&model, Grouping::Method);
    let term = |share| Term {
        text: "max(0, n - 3)".into(),
        share,
    };
    for (shares, told) in [
        (vec![0.7, 0.5, -0.2], true),
        (vec![0.6, 0.95, -0.55], false),
        (vec![45.17, -44.17], false),
    ] {
        model.terms = shares.into_iter().map(term).collect();
        let summary = summarize(&model, &inspection, &methods);
        let text = summary.to_text(100).replace('\n', " ");
        assert_eq!(!summary.top.is_empty(), told);
        assert_eq!(text.contains("cancel each other"), !told, "{text}");
    }
}

#[test]
fn nothing_to_explain_is_an_error() {
    let mut empty = dataset();
    empty
        .observations
        .iter_mut()
        .for_each(|observation| observation.status = Status::Failed);
    assert!(explain(&priced(), &empty, ExplainOptions::default()).is_err());
}

/// Where the formula has its own term for every member of a bucket, that division stands; and a base price is never
/// handed to the blocks that run once per run.
#[test]
fn a_division_by_the_model_stands() {
    let members = [("Sorter.sort block 2", 1.0), ("Sorter.sort block 3", 2.0)];
    let own = model(
        &[
            (10.0, "Sorter.sort block 2"),
            (1.0, "Sorter.sort block 3"),
            (100.0, "base"),
        ],
        vec![
            price("both", &members, 12.0),
            price(
                "base + 1 more",
                &[("base", 1.0), ("Sorter.sort block 0", 1.0)],
                100.0,
            ),
        ],
    );
    let found = by(&own, Grouping::Block);
    let item = |name: &str| found.items.iter().find(|item| item.name == name).unwrap();
    assert!((item("Sorter.sort block 2").cost - 10.0 * SUM).abs() < 1e-9);
    assert!((item("Sorter.sort block 3").cost - 2.0 * SUM).abs() < 1e-9);
    assert!((item("Sorter.sort block 2").price.unwrap() - 10.0).abs() < 1e-9);
    assert_eq!(
        item("Sorter.sort block 3").split_from.as_deref(),
        Some("both")
    );
    assert!((item("base").cost - 1000.0).abs() < 1e-9);
    assert!(
        found
            .items
            .iter()
            .all(|item| item.name != "Sorter.sort block 0")
    );
}
