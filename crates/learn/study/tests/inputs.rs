//! What stands beside a model: the paper's black box, and the counts of what became of the features.

mod exact;

use exact::dataset;
use pricetag_cost_model::{Evaluation, Screening};
use pricetag_dataset::{Dataset, FeatureKind, InputValue};
use pricetag_study::{FitOptions, Method, fit};

/// Width, height, and a count that depends on a third thing no input tells.
fn pictures(hidden: bool) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let row = |i: usize, a: usize, m: usize| (1 + i * a % m) as f64;
    let width: Vec<f64> = (0..90).map(|i| row(i, 7, 31)).collect();
    let height: Vec<f64> = (0..90).map(|i| row(i, 11, 37)).collect();
    let steps = (0..90)
        .map(|i| width[i] * width[i] * height[i] * if hidden { row(i, 13, 23) } else { 1.0 })
        .collect();
    (width, height, steps)
}

fn judged<'a>(list: &'a [Evaluation], name: &str) -> &'a Evaluation {
    list.iter().find(|e| e.name == name).expect(name)
}

fn fitted(hidden: bool) -> Vec<Evaluation> {
    let (width, height, steps) = pictures(hidden);
    let cost: Vec<f64> = steps.iter().map(|s| 100.0 + 3.0 * s).collect();
    let data = dataset(
        &[
            ("width", FeatureKind::Input, width),
            ("height", FeatureKind::Input, height),
            ("steps", FeatureKind::Block, steps),
            ("base", FeatureKind::Base, vec![1.0; 90]),
        ],
        &cost,
    );
    let options = FitOptions {
        method: Method::Nnls,
        ..FitOptions::default()
    };
    let model = fit(&data, &options).unwrap();
    assert!(model.evaluation.unwrap().median_error < 1e-6);
    model.alternatives
}

/// w²·h is one of the terms of (1 + w + h)³, so least squares finds it.
#[test]
fn a_cubic_cost_is_found_from_the_inputs() {
    let found = fitted(false);
    assert!(judged(&found, "inputs only, cubic by least squares").median_error < 1e-6);
    assert!(judged(&found, "inputs only, cubic by lasso").median_error < 0.05);
}

#[test]
fn what_the_inputs_do_not_tell_no_cubic_finds() {
    let found = fitted(true);
    assert!(judged(&found, "inputs only, cubic by least squares").median_error > 0.2);
    assert!(judged(&found, "inputs only, cubic by lasso").median_error > 0.2);
}

/// Sorting a thousand times as slow in one of three modes: what a size cannot say, a category can.
#[test]
fn texts_are_categories_of_the_black_box() {
    let size: Vec<f64> = (0..90).map(|i| f64::from(10 + i * 7 % 31)).collect();
    let mode = |i: usize| [("fast", 1.0), ("slow", 30.0), ("worst", 1000.0)][(i * i + i / 3) % 3];
    let cost: Vec<f64> = (0..90).map(|i| mode(i).1 * size[i]).collect();
    let columns = [
        ("size", FeatureKind::Input, size),
        ("steps", FeatureKind::Block, cost.clone()),
    ];
    let mut data = dataset(&columns, &cost);
    let options = FitOptions {
        method: Method::Nnls,
        ..FitOptions::default()
    };
    let errors = |data: &Dataset| {
        let model = fit(data, &options).unwrap();
        let cubic = judged(&model.alternatives, "inputs only, cubic by least squares");
        [cubic.median_error, model.baseline.unwrap().median_error]
    };
    let without = errors(&data);
    assert!(without.iter().all(|e| *e > 0.5), "{without:?}");
    for (i, row) in data.observations.iter_mut().enumerate() {
        let text = |text: &str| InputValue::Text(text.to_owned());
        row.inputs.insert("mode".to_owned(), text(mode(i).0));
        // A text of its own in every row says nothing of others.
        row.inputs.insert("file".to_owned(), text(&format!("f{i}")));
    }
    let with = errors(&data);
    assert!(with.iter().all(|e| *e < 1e-3), "{with:?}");
    // A category alone is an input, too.
    for entry in &mut data.columns[0] {
        entry.1 = 10.0;
    }
    let alone = fit(&data, &options).unwrap().baseline.unwrap().median_error;
    assert!((0.01..0.6).contains(&alone), "{alone}");
}

#[test]
fn every_feature_is_counted_once() {
    let a: Vec<f64> = (0..40).map(|i| f64::from(1 + i % 7)).collect();
    let b: Vec<f64> = (0..40).map(|i| f64::from(1 + i % 5)).collect();
    let twice = a.iter().map(|v| 2.0 * v).collect();
    let cost: Vec<f64> = a.iter().map(|v| 10.0 * v).collect();
    let data = dataset(
        &[
            ("a", FeatureKind::Block, a),
            ("twice a", FeatureKind::Block, twice),
            ("b", FeatureKind::Block, b),
            ("always 4", FeatureKind::Block, vec![4.0; 40]),
            ("never", FeatureKind::Block, vec![0.0; 40]),
            ("base", FeatureKind::Base, vec![1.0; 40]),
        ],
        &cost,
    );
    let options = FitOptions {
        method: Method::Nnls,
        ..FitOptions::default()
    };
    let expected = Screening {
        offered: 5,
        constant: 2,
        redundant: 1,
        useful: 2,
        selected: 1,
    };
    assert_eq!(fit(&data, &options).unwrap().screening, Some(expected));
}

/// Twelve rows are few for what is beyond chance. Where the size of the input is closer on rows learnt from and on rows held out, it is
/// what is delivered.
#[test]
fn counts_that_predict_worse_than_the_inputs_are_not_delivered() {
    let size: Vec<f64> = (0..12).map(|i| f64::from(10 + i * 7 % 12)).collect();
    let cost: Vec<f64> = size.iter().map(|s| 100.0 * s).collect();
    let misled = [0.5, 1.6, 1.0, 0.7, 1.4, 0.6, 1.5, 0.9, 1.3, 0.5, 1.6, 0.8];
    let steps: Vec<f64> = cost.iter().zip(misled).map(|(c, m)| c * m).collect();
    let data = dataset(
        &[
            ("size", FeatureKind::Input, size),
            ("steps", FeatureKind::Block, steps),
            ("base", FeatureKind::Base, vec![1.0; 12]),
        ],
        &cost,
    );
    let model = fit(&data, &FitOptions::default()).unwrap();
    assert_eq!(model.method, "inputs", "{:?}", model.standings);
    assert!(model.evaluation.unwrap().median_error < 0.05);
}
