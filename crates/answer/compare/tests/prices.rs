//! Differences of small datasets, priced by explanations that are written down.

use std::collections::BTreeMap;

use pricetag_compare::{CompareError, Side, compare};
use pricetag_dataset::{
    Dataset, Feature, FeatureKind, Measured, Meta, Observation, ObservationId, Status,
};
use pricetag_finding::{CostItem, Explanation, Place};

/// Blocks of `A.f()` and `A.g()`, two instructions each, by executions in each of the inputs.
fn dataset(labels: &[&str], f: &[f64], g: &[f64], cpu: f64) -> Dataset {
    let block = |method: &str| Feature {
        name: format!("A.{method}() block 0"),
        kind: FeatureKind::Block,
        class: Some("A".to_owned()),
        method: Some(method.to_owned()),
        descriptor: Some("()V".to_owned()),
        block: Some(0),
        lines: Some((3, 4)),
        text: Some(format!("0 iload_{method}\n1 ireturn")),
        ..Feature::default()
    };
    let column = |counts: &[f64]| {
        (0..)
            .map(ObservationId)
            .zip(counts.iter().copied())
            .collect()
    };
    let observation = |(at, label): (usize, &&str)| Observation {
        label: (*label).to_owned(),
        costs: BTreeMap::from([(
            "cpu".to_owned(),
            Measured {
                repeats: vec![cpu * (1.0 + at as f64)],
            },
        )]),
        ..Observation::default()
    };
    Dataset {
        meta: Meta {
            cost_units: BTreeMap::from([("cpu".to_owned(), "ns".to_owned())]),
            ..Meta::default()
        },
        observations: labels.iter().enumerate().map(observation).collect(),
        features: vec![block("f"), block("g")],
        columns: vec![column(f), column(g)],
        ..Dataset::default()
    }
}

/// The block of `A.f()` has 600 ns, 450 to 900 by its samples.
fn explanation() -> Explanation {
    Explanation {
        target: "cpu".to_owned(),
        unit: "ns".to_owned(),
        predicted: 1000.0,
        items: vec![CostItem {
            place: Some(Place {
                class: "A".to_owned(),
                method: Some("f".to_owned()),
                descriptor: Some("()V".to_owned()),
                block: Some(0),
                ..Place::default()
            }),
            cost: 600.0,
            share: 0.6,
            share_bounds: Some((0.45, 0.9)),
            ..CostItem::default()
        }],
        ..Explanation::default()
    }
}

fn side(dataset: &Dataset) -> Side<'_> {
    Side {
        dataset,
        explanation: None,
    }
}

#[test]
fn a_difference_is_worth_its_instructions_times_what_one_cost_before() {
    let labels = ["a", "b", "c"];
    let before = dataset(&labels, &[10.0, 20.0, 30.0], &[5.0; 3], 100.0);
    let after = dataset(&labels, &[10.0, 20.0, 90.0], &[5.0; 3], 110.0);
    let told = explanation();
    let [before, after] =
        [(&before, Some(&told)), (&after, None)].map(|(dataset, explanation)| Side {
            dataset,
            explanation,
        });
    let found = compare(before, after).unwrap();
    assert_eq!((found.inputs, found.same, found.changed.len()), (3, 1, 1));
    let method = &found.changed[0];
    assert_eq!(method.name, "A.f()");
    // 60 executions of two instructions had 600 ns: 5 ns each; 120 more are 600 ns.
    assert_eq!(method.instructions.delta(), 120.0);
    let worth = method.worth.unwrap();
    assert!((worth.cost - 600.0).abs() < 1e-9);
    let (low, high) = worth.bounds.unwrap();
    assert!((low - 450.0).abs() < 1e-9 && (high - 900.0).abs() < 1e-9);
    let cpu = &found.costs[0];
    assert_eq!((cpu.before, cpu.after.round()), (600.0, 660.0));
    assert!((cpu.ratio.unwrap() - 1.1).abs() < 1e-9);
}

#[test]
fn only_inputs_that_succeeded_on_both_sides_count() {
    let before = dataset(&["in/a", "in/b", "in/c"], &[1.0, 2.0, 4.0], &[1.0; 3], 1.0);
    let mut after = dataset(&["x/c", "x/a", "x/d"], &[4.0, 1.0, 7.0], &[1.0; 3], 1.0);
    let found = compare(side(&before), side(&after)).unwrap();
    assert_eq!(
        (found.inputs, found.changed.len()),
        (2, 0),
        "paired by name of the file"
    );
    assert_eq!(
        (found.only_before, found.only_after),
        (vec!["b".into()], vec!["d".into()])
    );
    for observation in &mut after.observations {
        observation.status = Status::Failed;
    }
    let none = compare(side(&before), side(&after)).unwrap_err();
    assert!(
        matches!(none, CompareError::NothingInCommon { .. }),
        "{none}"
    );
    assert!(none.to_string().contains("none that succeeded"));
}

#[test]
fn counts_that_do_not_repeat_are_listed_apart() {
    let before = dataset(&["a"], &[10.0], &[5.0], 1.0);
    let mut after = dataset(&["a"], &[11.0], &[6.0], 1.0);
    after.features[0].nondeterministic = 1;
    let found = compare(side(&before), side(&after)).unwrap();
    let names = |of: &[pricetag_finding::MethodChange]| -> Vec<String> {
        of.iter().map(|m| m.name.clone()).collect()
    };
    assert_eq!(names(&found.varying), ["A.f()"]);
    assert_eq!(names(&found.changed), ["A.g()"]);
}

#[test]
fn what_goes_up_here_and_down_there_is_a_change() {
    let before = dataset(&["a", "b"], &[10.0, 20.0], &[5.0; 2], 1.0);
    let after = dataset(&["a", "b"], &[20.0, 10.0], &[5.0; 2], 1.0);
    let found = compare(side(&before), side(&after)).unwrap();
    assert_eq!((found.changed.len(), found.same), (1, 1));
    let method = &found.changed[0];
    assert_eq!((method.differing, method.instructions.delta()), (2, 0.0));
    let text = found.to_text(9, 100);
    assert!(text.contains("the same in sum, not in 2 inputs"), "{text}");
    assert!(
        !text.contains("every count that repeats is the same"),
        "{text}"
    );
}

#[test]
fn other_code_that_runs_as_often_is_not_the_same() {
    let before = dataset(&["a"], &[10.0], &[5.0], 1.0);
    let mut after = before.clone();
    after.features[0].text = Some("0 lload_f\n1 lreturn".to_owned());
    let found = compare(side(&before), side(&after)).unwrap();
    assert_eq!((found.changed.len(), found.same), (0, 1));
    assert_eq!(found.rewritten, ["A.f()"]);
    assert!(!found.is_same());
}

#[test]
fn whether_counts_repeat_is_known_of_inputs_that_were_counted_twice_alone() {
    let mut before = dataset(&["a", "b"], &[1.0, 2.0], &[5.0; 2], 1.0);
    let after = before.clone();
    let options = &mut before.meta.options;
    options.insert("counted_twice".to_owned(), "0".to_owned());
    options.insert("include".to_owned(), "p.**".to_owned());
    let found = compare(side(&before), side(&after)).unwrap();
    assert_eq!(found.recounted, [Some(0), None]);
    let text = found.to_text(9, 100);
    assert!(text.contains("no inputs were counted twice"), "{text}");
    assert!(text.contains("include differs: p.** → none"), "{text}");
}

#[test]
fn new_code_that_calls_something_is_worth_what_the_new_build_says_or_cannot_be_told() {
    let before = dataset(&["a"], &[60.0], &[5.0], 1.0);
    let mut after = before.clone();
    after.features[0].text = Some("0 iload_f\n1 invokestatic X.slow()\n4 ireturn".to_owned());
    let [told, mut dearer] = [explanation(), explanation()];
    dearer.items[0].cost = 5000.0;
    let old = Side {
        dataset: &before,
        explanation: Some(&told),
    };
    let found = compare(old, side(&after)).unwrap();
    assert_eq!(
        (
            found.changed[0].instructions.delta(),
            found.changed[0].worth
        ),
        (60.0, None)
    );
    let new = Side {
        dataset: &after,
        explanation: Some(&dearer),
    };
    let worth = compare(old, new).unwrap().changed[0].worth.unwrap();
    assert!((worth.cost - 4400.0).abs() < 1e-9, "{worth:?}");
    let (low, high) = worth.bounds.unwrap();
    assert!((low - (3750.0 - 900.0)).abs() < 1e-9 && (high - (7500.0 - 450.0)).abs() < 1e-9);
}

#[test]
fn new_code_whose_calls_have_prices_is_worth_as_much_as_the_methods_other_code() {
    let told = explanation();
    let worth = |was: &str, callee: &str| {
        let mut before = dataset(&["a"], &[60.0], &[5.0], 1.0);
        before.features[0].text = Some(format!("0 iload_f\n1 invokestatic {was}"));
        let mut after = before.clone();
        after.features[0].text = Some(format!("0 iload_f\n1 invokestatic {callee}\n4 ireturn"));
        let old = Side {
            dataset: &before,
            explanation: Some(&told),
        };
        compare(old, side(&after)).unwrap().changed[0].worth
    };
    // Two instructions of 60 executions cost 600; a third costs half as much again.
    let same = worth("X.slow()", "X.slow()").unwrap();
    assert!((same.cost - 300.0).abs() < 1e-9, "{same:?}");
    // `A.f` is counted: what runs in it has prices of its own.
    assert_eq!(worth("A.f()", "A.f()"), Some(same));
    assert_eq!(worth("X.slow()", "X.slower()"), None);
    // The price has the call in it that is not made any more.
    assert_eq!(worth("X.slow()", "A.f()"), None);
}
