//! The entry point: known prices come back, nothing is negative, bad input is refused with a reason.

mod exact;
mod simulation;

use std::collections::BTreeMap;

use pricetag_cost_model::{CostModel, Severity};
use pricetag_dataset::{Dataset, FeatureKind, Measured, Status};
use pricetag_study::{FitOptions, Level, Method, Weighting, fit};
use simulation::{Dice, Simulation, simulate};

/// A stranger's table: columns of kind Foreign, no parts.
fn table(columns: &[(&str, Vec<f64>)], target: &[f64]) -> Dataset {
    let columns: Vec<(&str, FeatureKind, Vec<f64>)> = columns
        .iter()
        .map(|(name, values)| (*name, FeatureKind::Foreign, values.clone()))
        .collect();
    exact::dataset(&columns, target)
}

fn options(method: Method) -> FitOptions {
    FitOptions {
        method,
        ..FitOptions::default()
    }
}

/// Lata's modular exponentiation: block 1 and block 3 always run together.
fn lata(noise: f64) -> Dataset {
    let mut dice = Dice::new(5);
    let bb1: Vec<f64> = (0..60).map(|i| f64::from(800 * (1 + i % 4))).collect();
    let bb2: Vec<f64> = bb1
        .iter()
        .map(|n| (n * (0.2 + 0.6 * dice.uniform())).round())
        .collect();
    let y: Vec<f64> = (0..60)
        .map(|i| (37.0 * bb1[i] + 12.0 * bb2[i]) * (noise * dice.normal()).exp())
        .collect();
    table(&[("bb1", bb1.clone()), ("bb2", bb2), ("bb3", bb1)], &y)
}

fn price(model: &CostModel, name: &str) -> f64 {
    model
        .prices
        .iter()
        .find(|p| p.members.iter().any(|m| m == name))
        .unwrap()
        .price
        .unwrap()
}

#[test]
fn blocks_that_run_together_are_one_bucket_with_one_price() {
    for method in [Method::Auto, Method::Nnls, Method::Ols, Method::Wls] {
        let model = fit(&lata(0.01), &options(method)).unwrap();
        let together = model
            .prices
            .iter()
            .find(|p| p.bucket == "bb1 + 1 more")
            .unwrap();
        assert_eq!(together.members, ["bb1", "bb3"]);
        assert_eq!(together.ratios, [1.0, 1.0]);
        assert!(
            (together.price.unwrap() / 37.0 - 1.0).abs() < 0.02,
            "{method}: {:?}",
            together.price
        );
        assert!((price(&model, "bb2") / 12.0 - 1.0).abs() < 0.06, "{method}");
        let said = model
            .diagnostics
            .iter()
            .any(|d| d.message.contains("`bb1`, `bb3`") && d.advice.is_some());
        assert!(said, "{method}: {:?}", model.diagnostics);
    }
    // R prints NA for the second twin; so do we.
    let model = fit(&lata(0.01), &options(Method::Ols)).unwrap();
    let summary = model.summary.unwrap();
    assert!(
        summary.coefficients[2].estimate.is_none() && summary.coefficients[0].estimate.is_some()
    );
}

#[test]
fn methods_that_were_not_tried_are_named_with_the_reason() {
    let found = |dataset: &Dataset, train| {
        let o = FitOptions {
            train,
            ..options(Method::Auto)
        };
        let model = fit(dataset, &o).unwrap();
        let notes = model.diagnostics.into_iter().map(|d| d.message);
        notes
            .filter(|m| m.starts_with("not tried: "))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(&lata(0.01), 0.2),
        [
            "not tried: `hier` (the dataset does not say what features consist of), `sampled` (the dataset has no sampled runs), `poly` (12 training rows, it wants 20), `mars` (12 training rows, it wants 30), `log-mars` (12 training rows, it wants 30)"
        ]
    );
    let blocks = simulate(&Simulation {
        rows: 80,
        blocks: 450,
        ..Simulation::default()
    });
    let notes = found(&blocks.dataset, 0.5);
    assert_eq!(notes.len(), 1);
    assert!(
        !notes[0].contains("`hier`")
            && notes[0].contains("`l1` (451 features, it is slow with more than 400)")
    );
}

#[test]
fn a_negative_coefficient_is_no_price() {
    let mut dice = Dice::new(3);
    let a: Vec<f64> = (0..40).map(|i| 100.0 + f64::from(i)).collect();
    let b: Vec<f64> = a.iter().map(|a| a * (1.0 + 0.01 * dice.normal())).collect();
    let y: Vec<f64> = (0..40)
        .map(|i| 5.0 * a[i] - 1.0 * b[i] + dice.normal())
        .collect();
    let data = table(&[("a", a), ("b", b)], &y);
    let ols = fit(&data, &options(Method::Ols)).unwrap();
    let b = ols.prices.iter().find(|p| p.bucket == "b").unwrap();
    assert!(
        b.price.is_none() && b.note.as_ref().unwrap().contains("least squares gives -"),
        "{b:?}"
    );
    let nnls = fit(&data, &options(Method::Nnls)).unwrap();
    assert!(
        nnls.prices
            .iter()
            .all(|p| p.price.is_some_and(|p| p >= 0.0))
    );
}

#[test]
fn equal_seeds_give_equal_bytes_and_models_survive_json() {
    let data = simulate(&Simulation {
        rows: 60,
        blocks: 40,
        ..Simulation::default()
    })
    .dataset;
    let model = fit(&data, &options(Method::Auto)).unwrap();
    let json = model.to_json().unwrap();
    assert_eq!(
        json,
        fit(&data, &options(Method::Auto))
            .unwrap()
            .to_json()
            .unwrap()
    );
    assert_eq!(CostModel::from_json(&json).unwrap(), model);
    assert_eq!(model.method, "hier");
    assert_eq!(model.unit, "ns");
}

#[test]
fn the_formula_predicts_what_was_evaluated() {
    let data = simulate(&Simulation {
        rows: 60,
        blocks: 40,
        ..Simulation::default()
    })
    .dataset;
    for method in [Method::Hier, Method::Nnls, Method::Wls] {
        let model = fit(&data, &options(method)).unwrap();
        for row in &model.evaluation.as_ref().unwrap().rows {
            let index = data
                .observations
                .iter()
                .position(|o| o.label == row.label)
                .unwrap();
            let values: BTreeMap<&str, f64> = data
                .features
                .iter()
                .zip(&data.columns)
                .map(|(f, c)| {
                    let value = c
                        .iter()
                        .find(|e| e.0.0 as usize == index)
                        .map_or(0.0, |e| e.1);
                    (f.name.as_str(), value)
                })
                .collect();
            let value = model
                .formula
                .evaluate(&|name| values.get(name).copied())
                .unwrap();
            assert!(
                (value / row.predicted - 1.0).abs() < 1e-9,
                "{method}: {value} {}",
                row.predicted
            );
        }
        let shares: f64 = model.prices.iter().map(|p| p.share).sum();
        assert!(
            (shares - 1.0).abs() < 1e-6,
            "{method}: shares add up to {shares}"
        );
    }
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let ok = lata(0.0);
    let message = |data: &Dataset, o: &FitOptions| fit(data, o).unwrap_err().to_string();
    let m = message(
        &ok,
        &FitOptions {
            target: "cpu".into(),
            ..FitOptions::default()
        },
    );
    assert!(m.contains("`cpu`") && m.contains("wall"), "{m}");
    let m = message(
        &ok,
        &FitOptions {
            level: Level::Block,
            ..FitOptions::default()
        },
    );
    assert!(m.contains("block") && m.contains("foreign"), "{m}");
    let m = message(
        &ok,
        &FitOptions {
            train: 0.0,
            ..FitOptions::default()
        },
    );
    assert!(m.contains("train"), "{m}");
    let mut none = ok.clone();
    for o in &mut none.observations {
        o.status = Status::Failed;
        o.reason = Some("exit code 1".into());
    }
    let m = message(&none, &FitOptions::default());
    assert!(
        m.contains("none of the 60") && m.contains("exit code 1"),
        "{m}"
    );
    let one = table(&[("a", vec![3.0])], &[10.0]);
    let m = message(&one, &FitOptions::default());
    assert!(m.contains("at least 2"), "{m}");
    let same = table(
        &[("a", vec![3.0; 6]), ("b", vec![1.0; 6])],
        &[10.0, 11.0, 12.0, 10.0, 11.0, 12.0],
    );
    let m = message(&same, &FitOptions::default());
    assert!(m.contains("constant"), "{m}");
    let negative = table(&[("a", vec![1.0, 2.0, 3.0])], &[1.0, -2.0, 3.0]);
    let m = message(&negative, &FitOptions::default());
    assert!(m.contains("`row 2`") && m.contains("-2"), "{m}");
    let equal = FitOptions {
        method: Method::Ols,
        weighting: Some(Weighting::Equal),
        ..FitOptions::default()
    };
    assert!(
        fit(
            &negative,
            &FitOptions {
                train: 1.0,
                ..equal
            }
        )
        .is_ok()
    );
    let nan = table(&[("a", vec![1.0, f64::NAN, 3.0])], &[1.0, 2.0, 3.0]);
    let m = message(&nan, &FitOptions::default());
    assert!(m.contains("`row 2`") && m.contains("`a`"), "{m}");
    let m = message(&Dataset::default(), &FitOptions::default());
    assert!(m.contains("none of the 0"), "{m}");
    assert!(
        "hierarchy"
            .parse::<Method>()
            .unwrap_err()
            .to_string()
            .contains("hier")
    );
}

#[test]
fn two_observations_are_enough_for_an_answer() {
    let data = table(&[("a", vec![1.0, 2.0])], &[10.0, 20.0]);
    let model = fit(
        &data,
        &FitOptions {
            train: 1.0,
            ..options(Method::Nnls)
        },
    )
    .unwrap();
    assert!((price(&model, "a") - 10.0).abs() < 1e-9);
    assert!(model.evaluation.is_none() && model.interval.is_none());
    for method in [Method::Auto, Method::Ols, Method::Wls, Method::Hier] {
        assert!(fit(&data, &options(method)).is_ok(), "{method}");
    }
}

#[test]
fn what_never_ran_in_training_is_priced_by_its_parts() {
    let mut data = simulate(&Simulation {
        rows: 80,
        blocks: 60,
        departure: 0.1,
        ..Simulation::default()
    });
    // Block 7 runs in the last ten rows only; train on a seed that leaves them out by grouping them.
    let column = 1 + 7;
    data.dataset.columns[column].retain(|e| e.0.0 >= 70);
    for row in 70..80 {
        data.dataset.observations[row].group = "late".into();
        data.dataset.observations[row].costs.clear();
    }
    for o in data.dataset.observations.iter_mut().take(70) {
        o.group.clone_from(&o.label);
    }
    for row in 70..80 {
        let cost = Measured { repeats: vec![1e6] };
        data.dataset.observations[row]
            .costs
            .insert("wall".into(), cost);
    }
    let seed = (1..50).find(|&seed| {
        let model = fit(
            &data.dataset,
            &FitOptions {
                seed,
                alternatives: false,
                ..options(Method::Hier)
            },
        )
        .unwrap();
        model.domain["block 7"].max == 0.0
    });
    let o = FitOptions {
        seed: seed.unwrap(),
        alternatives: false,
        ..options(Method::Hier)
    };
    let model = fit(&data.dataset, &o).unwrap();
    let unseen = model.prices.iter().find(|p| p.bucket == "block 7").unwrap();
    assert_eq!((unseen.evidence, unseen.support), (Some(0.0), 0));
    assert!(unseen.note.as_ref().unwrap().contains("never used"));
    let ratio = unseen.price.unwrap() / data.block_prices[7];
    assert!(
        (0.6..1.6).contains(&ratio),
        "price of its parts alone is off by {ratio}"
    );
    assert!(
        model
            .diagnostics
            .iter()
            .all(|d| d.severity != Severity::Error)
    );
}
