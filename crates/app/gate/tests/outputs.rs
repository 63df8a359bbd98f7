//! What services read, read back: the XML by an XML parser, the JSON by the rules that the services publish.

use pricetag_finding::{BlockChange, Change, Difference, MethodChange, Place};
use pricetag_gate::output::{annotations, bencher, benchmark_action, junit, markdown, text};
use pricetag_gate::{Figure, Level, Metric, Row, Verdict};
use serde_json::Value;

/// Names that need escaping everywhere.
const ODD: &str = "a<b>&\"c\"|d\u{1}\n100%";

fn row(benchmark: &str, metric: Metric, before: u64, after: Figure, level: Level) -> Row {
    Row {
        benchmark: benchmark.to_owned(),
        metric,
        before: Figure::Exact(before),
        after,
        level,
        most: before,
        limit: "0%".to_owned(),
    }
}

fn verdict() -> Verdict {
    let wavering = Figure::Wavering {
        low: 90,
        high: 120,
        runs: vec![100, 110],
    };
    let method = MethodChange {
        name: "p.A.f(int)".to_owned(),
        kind: "changed".to_owned(),
        place: Some(Place {
            class: "p/A".to_owned(),
            source_file: Some("A.java".to_owned()),
            ..Place::default()
        }),
        instructions: Change {
            before: 10.0,
            after: 30.0,
        },
        blocks: vec![BlockChange {
            lines: Some((7, 8)),
            instructions: Change {
                before: 10.0,
                after: 30.0,
            },
            ..BlockChange::default()
        }],
        ..MethodChange::default()
    };
    Verdict {
        schema: 1,
        suite: ODD.to_owned(),
        passed: false,
        problems: vec![format!("the benchmark `{ODD}` failed")],
        rows: vec![
            row(
                "one",
                Metric::Instructions,
                10,
                Figure::Exact(30),
                Level::Failed,
            ),
            row("one", Metric::Bytes, 100, wavering, Level::Within),
            row(ODD, Metric::Calls, 5, Figure::Exact(5), Level::Same),
        ],
        missing: vec!["gone".to_owned()],
        notes: vec![ODD.to_owned()],
        runs: 2,
        difference: Some(Difference {
            inputs: 2,
            changed: vec![method],
            ..Difference::default()
        }),
    }
}

#[test]
fn a_report_of_junit_is_xml_with_a_test_for_each_benchmark() {
    let text = junit(&verdict());
    let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let suite = root.first_element_child().unwrap();
    let number = |name: &str| -> usize { suite.attribute(name).unwrap().parse().unwrap() };
    let cases: Vec<_> = suite
        .children()
        .filter(|n| n.has_tag_name("testcase"))
        .collect();
    let with = |tag: &str| {
        let has = |case: &&roxmltree::Node| case.children().any(|n| n.has_tag_name(tag));
        cases.iter().filter(has).count()
    };
    assert_eq!(number("tests"), cases.len());
    assert_eq!(
        (number("failures"), number("errors")),
        (with("failure"), with("error"))
    );
    assert_eq!((cases.len(), with("failure"), with("error")), (4, 1, 2));
    for case in &cases {
        assert!(case.attribute("name").is_some() && case.attribute("classname").is_some());
    }
    // What XML cannot hold is replaced; all else is kept.
    let odd = ODD.replace('\u{1}', "\u{fffd}");
    assert_eq!(cases[2].attribute("name"), Some(odd.as_str()));
    let failure = cases[1].first_element_child().unwrap();
    assert!(
        failure.text().unwrap().contains("10 → 30, +20 (+200 %)"),
        "{failure:?}"
    );
}

#[test]
fn benchers_form_is_as_its_schema_says() {
    let value = bencher(&verdict());
    let benchmarks = value.as_object().unwrap();
    assert_eq!(benchmarks.len(), 2);
    for measures in benchmarks.values() {
        for (name, measure) in measures.as_object().unwrap() {
            // A measure is found by a name of up to 64 characters.
            assert!((1..=64).contains(&name.len()));
            let members = measure.as_object().unwrap();
            assert!(members["value"].is_number(), "`value` is required");
            for (member, number) in members {
                assert!(["value", "lower_value", "upper_value"].contains(&member.as_str()));
                assert!(number.is_number());
            }
        }
    }
    assert_eq!(value["one"]["instructions"]["value"], 30);
    let bytes = &value["one"]["bytes"];
    assert_eq!(bytes["value"], 105.0);
    assert_eq!(
        (&bytes["lower_value"], &bytes["upper_value"]),
        (&90.into(), &120.into())
    );
}

#[test]
fn the_actions_list_has_names_units_and_numbers() {
    let value = benchmark_action(&verdict());
    let entries = value.as_array().unwrap();
    assert_eq!(entries.len(), 3);
    for entry in entries {
        for (member, value) in entry.as_object().unwrap() {
            match member.as_str() {
                "value" => assert!(value.is_number()),
                "name" | "unit" | "range" | "extra" => assert!(value.is_string()),
                other => panic!("the action knows no {other}"),
            }
        }
        assert!(
            entry["name"].is_string() && entry["unit"].is_string() && entry["value"].is_number()
        );
    }
    assert_eq!(entries[1]["range"], Value::from("± 15"));
}

#[test]
fn annotations_are_commands_of_one_line_each() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("p")).unwrap();
    std::fs::write(root.path().join("p/A.java"), "").unwrap();
    let text = annotations(&verdict(), &[root.path().to_owned()]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    for line in &lines {
        // ::command properties::data
        let rest = line.strip_prefix("::error ").unwrap();
        let (properties, data) = rest.split_once("::").unwrap();
        for property in properties.split(',') {
            let (name, value) = property.split_once('=').unwrap();
            assert!(
                ["file", "line", "title"].contains(&name) && !value.contains(':'),
                "{line}"
            );
        }
        let bare = ["%25", "%0A", "%0D"]
            .iter()
            .fold(data.to_owned(), |d, e| d.replace(e, ""));
        assert!(!bare.contains('%'), "{line}");
    }
    assert!(
        lines[1].contains(",line=7,") && lines[1].contains("p/A.java"),
        "{text}"
    );
    // Where no source is found, the verdict is told all the same.
    let elsewhere = tempfile::tempdir().unwrap();
    assert_eq!(
        annotations(&verdict(), &[elsewhere.path().to_owned()])
            .lines()
            .count(),
        1
    );
}

#[test]
fn text_and_markdown_tell_what_cannot_be_judged_and_what_costs_more() {
    let shown = text(&verdict(), 10, 120);
    for part in [
        "FAILED: it cannot be judged",
        "cannot be judged: ",
        "A.f(int)",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let shown = markdown(&verdict(), 10);
    assert!(
        shown.contains("| one | instructions | 10 | 30 | +20 (+200 %) | 0% | FAILED |"),
        "{shown}"
    );
    assert!(!shown.contains("<b>"), "{shown}");
    let clean = Verdict {
        passed: true,
        rows: vec![row("one", Metric::Calls, 5, Figure::Exact(5), Level::Same)],
        ..Verdict::default()
    };
    assert!(text(&clean, 10, 80).contains("1 benchmark executes as in the baseline"));
}
