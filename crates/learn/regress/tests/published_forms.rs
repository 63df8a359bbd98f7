//! Models that Mantis (Chun et al. 2010, section 6) published, planted among features that do not matter: they come back.

use pricetag_cost_model::Formula;
use pricetag_estimator::{Checked, Column, Design, Estimator, Fitted, Values, relative_weights};
use pricetag_regress::SparsePolynomial;

/// Rows to learn from: a tenth of the 3,840 runs of Lucene.
const ROWS: usize = 384;
/// Features beside those of the model.
const IDLE: usize = 12;
/// Largest relative error of a measurement; uniform, so that the median is half of it.
const NOISE: f64 = 0.12;

struct Model {
    features: &'static [&'static str],
    cost: fn(&[f64]) -> f64,
}

/// Lucene: keywords read from the query file, and processors of queries per thread.
const LUCENE: Model = Model {
    features: &["l2", "v9"],
    cost: |x| {
        let (l, v) = (x[0], x[1]);
        0.1 + 0.52 * l + 0.09 * v - 0.69 * l * l - 0.07 * v * v
            + 1.16 * l.powi(3)
            + 0.13 * l * v * v
    },
};

/// Find Maxima: width and height of the region of interest.
const MAXIMA: Model = Model {
    features: &["w", "h"],
    cost: |x| 0.1 + 0.08 * x[0] + 0.07 * x[1] + 0.33 * x[0] * x[1] + 0.02 * x[1] * x[1],
};

/// The black box of the same: the image's size.
const SIZE: Model = Model {
    features: &["x"],
    cost: |x| 0.1 + 2.18 * x[0] - 8.77 * x[0].powi(2) + 36.6 * x[0].powi(3),
};

/// Features scaled to [0, 1], as in the paper, and the costs by the model.
fn drawn(model: &Model, rows: usize, seed: u64, noise: f64) -> Checked<Design> {
    let mut state = seed;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let own = model.features.iter().map(|name| (*name).to_owned());
    let names = own.chain((0..IDLE).map(|k| format!("idle{k}")));
    let columns: Vec<(String, Vec<f64>)> = names
        .map(|name| (name, (0..rows).map(|_| random()).collect()))
        .collect();
    let target: Vec<f64> = (0..rows)
        .map(|i| {
            let row: Vec<f64> = columns.iter().map(|(_, values)| values[i]).collect();
            (model.cost)(&row) * (1.0 + noise * (2.0 * random() - 1.0))
        })
        .collect();
    let columns = columns.into_iter().map(|(name, values)| Column {
        name,
        values: Values::Dense(values),
    });
    let mut design = Design::new(columns.collect(), target);
    design.weights = relative_weights(&design.target);
    design.check().unwrap()
}

/// Median relative error of a formula on costs without noise.
fn error(formula: &Formula, fresh: &Checked<Design>) -> f64 {
    let rows = fresh.target.len();
    let columns: Vec<(&str, Vec<f64>)> = fresh
        .columns
        .iter()
        .map(|c| (c.name.as_str(), c.values.to_dense(rows)))
        .collect();
    let mut errors: Vec<f64> = (0..rows)
        .map(|row| {
            let at = |name: &str| columns.iter().find(|c| c.0 == name).map(|c| c.1[row]);
            let predicted = formula.evaluate(&at).unwrap();
            (predicted / fresh.target[row] - 1.0).abs()
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    errors[rows / 2]
}

fn fitted(degree: u32, design: &Checked<Design>) -> Fitted {
    let method = SparsePolynomial {
        degree,
        ..SparsePolynomial::default()
    };
    method.fit(design).unwrap()
}

#[test]
fn published_models_come_back_from_a_tenth_of_the_runs() {
    for model in [LUCENE, MAXIMA, SIZE] {
        for seed in 1..=3 {
            let (design, fresh) = (
                drawn(&model, ROWS, seed, NOISE),
                drawn(&model, 1000, seed + 100, 0.0),
            );
            let found = fitted(3, &design);
            let named = found.formula.features();
            assert!(
                model.features.iter().all(|f| named.contains(f)),
                "{named:?} lacks some of {:?}",
                model.features
            );
            // Well within the noise, and better than what is linear in the same features.
            let (cubic, linear) = (
                error(&found.formula, &fresh),
                error(&fitted(1, &design).formula, &fresh),
            );
            assert!(cubic < 0.03, "{:?}: {cubic}", model.features);
            assert!(
                2.0 * cubic < linear,
                "{:?}: {cubic} {linear}",
                model.features
            );
        }
    }
}
