//! Scaling laws that are known, from five sizes each: which exponents are found.

mod exact;

use exact::dataset;
use pricetag_cost_model::{CostModel, Formula};
use pricetag_dataset::FeatureKind;
use pricetag_study::{FitOptions, Method, fit};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Exponents of the size and of its logarithm, and the share of the cost at the largest size that does not grow.
const LAWS: [(f64, i32, f64); 25] = [
    (1.0, 0, 0.0),
    (1.0, 0, 0.1),
    (1.0, 0, 0.4),
    (2.0, 0, 0.0),
    (2.0, 0, 0.05),
    (3.0, 0, 0.0),
    (3.0, 0, 0.2),
    (1.0, 1, 0.0),
    (1.0, 1, 0.1),
    (1.0, 2, 0.0),
    (2.0, 1, 0.0),
    (2.0, 1, 0.1),
    (0.0, 1, 0.3),
    (0.0, 1, 0.0),
    (0.0, 2, 0.2),
    (0.5, 0, 0.0),
    (0.5, 0, 0.3),
    (0.5, 1, 0.1),
    (1.5, 0, 0.0),
    (1.5, 0, 0.1),
    (1.0 / 3.0, 0, 0.2),
    (2.0 / 3.0, 0, 0.1),
    (4.0 / 3.0, 0, 0.0),
    (2.5, 0, 0.1),
    (1.5, 1, 0.1),
];

/// Five sizes, five times each, half a percent of noise.
fn learnt(law: (f64, i32, f64), seed: u64, method: Method) -> CostModel {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let grows = |x: f64| x.powf(law.0) * x.ln().powi(law.1);
    let largest = grows(64.0);
    let constant = law.2 / (1.0 - law.2) * largest;
    let sizes: Vec<f64> = (0..25)
        .map(|i| [4.0, 8.0, 16.0, 32.0, 64.0][i / 5])
        .collect();
    let cost: Vec<f64> = sizes
        .iter()
        .map(|&x| {
            let noise: f64 = (0..4).map(|_| random.random::<f64>() - 0.5).sum();
            100.0 * (constant + grows(x)) / largest * (1.0 + 0.01 * noise * 0.866)
        })
        .collect();
    let data = dataset(&[("p", FeatureKind::Foreign, sizes)], &cost);
    let options = FitOptions {
        method,
        train: 1.0,
        ..FitOptions::default()
    };
    fit(&data, &options).unwrap()
}

/// How a formula grows: the slope of its logarithm far out, where the largest power is alone.
fn is_of_order(formula: &Formula, (power, logarithm, _): (f64, i32, f64)) -> bool {
    let at = |x: f64| formula.evaluate(&|_| Some(x)).unwrap();
    let law = |x: f64| x.powf(power) * x.ln().powi(logarithm);
    let (near, far) = (1e30, 1e60);
    let grown = (at(far) / at(near)).ln() - (law(far) / law(near)).ln();
    grown.abs() < 0.01
}

fn right(method: Method) -> Vec<(f64, i32, f64)> {
    let laws = LAWS.iter().enumerate();
    laws.filter(|(i, law)| is_of_order(&learnt(**law, *i as u64, method).formula, **law))
        .map(|(_, law)| *law)
        .collect()
}

#[test]
fn exponents_are_found_from_five_sizes() {
    for method in [Method::Scaling, Method::Auto] {
        let found = right(method);
        let wrong: Vec<_> = LAWS.iter().filter(|law| !found.contains(law)).collect();
        assert!(wrong.len() <= 3, "{method}: {wrong:?}");
    }
}

/// 40 + n·log(n)·√t: a product of two sizes, of which one has a logarithm.
#[test]
fn a_product_of_two_sizes_is_found() {
    let n: Vec<f64> = (0..30).map(|i| f64::from(2 << (i % 6))).collect();
    let t: Vec<f64> = (0..30)
        .map(|i| [1.0, 4.0, 9.0, 25.0, 64.0][i / 6])
        .collect();
    let cost: Vec<f64> = n
        .iter()
        .zip(&t)
        .map(|(n, t)| 40.0 + n * n.ln() * t.sqrt())
        .collect();
    let data = dataset(
        &[
            ("n", FeatureKind::Foreign, n),
            ("t", FeatureKind::Foreign, t),
        ],
        &cost,
    );
    let options = FitOptions {
        train: 1.0,
        ..FitOptions::default()
    };
    let model = fit(&data, &options).unwrap();
    assert_eq!(model.method, "scaling");
    assert_eq!(model.formula.rounded(6).text(), "40 + 1·n·log(n)·sqrt(t)");
}
