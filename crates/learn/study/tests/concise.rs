//! The cost in few terms beside the model that is delivered.

mod exact;

use std::collections::BTreeMap;

use exact::dataset;
use pricetag_cost_model::CostModel;
use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_study::{FitOptions, Level, Method, Tuning, fit};

const ROWS: usize = 60;

/// Counts without a pattern in common.
fn counts(feature: usize) -> Vec<f64> {
    let step = [7, 11, 13, 17, 19, 23, 29, 31][feature];
    (0..ROWS)
        .map(|row| (1 + (row * step + row * row) % (37 + feature)) as f64)
        .collect()
}

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// All eight cost something, so that their prices are exact; `a` and `c` cost most.
fn runs(kind: FeatureKind) -> Dataset {
    let columns: Vec<(&str, FeatureKind, Vec<f64>)> = NAMES
        .into_iter()
        .enumerate()
        .map(|(i, name)| (name, kind, counts(i)))
        .collect();
    let cost: Vec<f64> = (0..ROWS)
        .map(|row| {
            let price = |i: usize| match i {
                0 => 500.0,
                2 => 300.0,
                _ => 5.0,
            };
            1.0 + (0..8).map(|i| price(i) * columns[i].2[row]).sum::<f64>()
        })
        .collect();
    dataset(&columns, &cost)
}

fn learn(data: &Dataset, options: &FitOptions) -> CostModel {
    fit(data, options).unwrap()
}

fn five() -> FitOptions {
    FitOptions {
        method: Method::Poly,
        tuning: Tuning {
            terms: Some(5),
            degree: Some(1),
            ..Tuning::default()
        },
        ..FitOptions::default()
    }
}

#[test]
fn the_cost_is_told_in_five_terms_beside_its_prices() {
    let data = runs(FeatureKind::Loop);
    let model = learn(&data, &FitOptions::default());
    assert_eq!(model.method, "nnls");
    let few = model.concise.as_ref().expect("a formula of few terms");
    // It is what `--method poly --terms 5 --degree 1` delivers.
    let asked = learn(&data, &five());
    assert_eq!((&few.formula, &few.terms), (&asked.formula, &asked.terms));
    assert!(asked.concise.is_none());
    assert!((1..=6).contains(&few.terms.len()), "{}", few.text);
    assert!(few.terms[0].text.ends_with("·a"), "{}", few.text);
    // The error is that of the formula on the rows held out.
    let judged = model.alternatives.iter();
    let judged = judged.filter(|e| e.name == "poly, 5 terms at most");
    let judged = judged.collect::<Vec<_>>()[0];
    assert_eq!(
        few.evaluation.as_ref().unwrap().median_error,
        judged.median_error
    );
    let mut errors: Vec<f64> = judged
        .rows
        .iter()
        .map(|row| {
            let number: usize = row.label["row ".len()..].parse().unwrap();
            let values: BTreeMap<&str, f64> = NAMES
                .into_iter()
                .enumerate()
                .map(|(i, name)| (name, counts(i)[number - 1]))
                .collect();
            let predicted = few
                .formula
                .evaluate(&|name| values.get(name).copied())
                .unwrap();
            (predicted - row.measured).abs() / row.measured
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    let middle = f64::midpoint(errors[(errors.len() - 1) / 2], errors[errors.len() / 2]);
    assert!(
        (middle - judged.median_error).abs() < 1e-9 && middle < 0.05,
        "{middle}"
    );
}

/// Prices are those of blocks; the few terms are of loops, which count the same, and of an opcode.
#[test]
fn beside_prices_of_blocks_it_is_sought_among_the_features_of_the_program() {
    let mut data = runs(FeatureKind::Block);
    let others = [
        ("loop at a", FeatureKind::Loop, 0),
        ("loop at c", FeatureKind::Loop, 2),
        ("opcode e", FeatureKind::Opcode, 4),
        ("f() invocations", FeatureKind::Method, 5),
    ];
    let others = others.map(|(name, kind, of)| (name, kind, counts(of)));
    let others = dataset(&others, &[1.0; ROWS]);
    data.features.extend(others.features);
    data.columns.extend(others.columns);
    let options = FitOptions::default();
    let model = learn(&data, &options);
    assert!(model.formula.features().contains(&"a"), "{}", model.text);
    let few = model.concise.expect("a formula of few terms");
    let named = few.formula.features();
    assert!(named.contains(&"loop at a") && named.contains(&"loop at c"));
    assert!(
        named.iter().all(|name| !NAMES.contains(name)),
        "{}",
        few.text
    );
    assert_eq!(few.formula, learn(&data, &five()).formula);
    let blocks = FitOptions {
        level: Level::Block,
        ..options
    };
    assert_eq!(learn(&data, &blocks).concise, None);
}

#[test]
fn it_is_not_sought_among_blocks_nor_beside_a_method_that_was_asked_for() {
    let found = |kind, options: &FitOptions| learn(&runs(kind), options).concise.map(|c| c.text);
    assert_eq!(found(FeatureKind::Block, &FitOptions::default()), None);
    assert_eq!(found(FeatureKind::Foreign, &FitOptions::default()), None);
    let asked = FitOptions {
        method: Method::Nnls,
        ..FitOptions::default()
    };
    assert_eq!(found(FeatureKind::Loop, &asked), None);
}
