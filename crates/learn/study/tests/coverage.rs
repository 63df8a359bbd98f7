//! Intervals of every method hold what they promise, over repeats.

mod exact;
#[allow(dead_code, reason = "only its dice are wanted here")]
mod simulation;

use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_study::{FitOptions, Method, fit};
use simulation::Dice;

/// Three counts with prices, measured with errors of five percent.
fn measured(seed: u64) -> Dataset {
    let mut dice = Dice::new(seed);
    let mut draw = |scale: f64| -> Vec<f64> {
        let count = |_| (scale * (0.1 + dice.uniform())).round();
        (0..160).map(count).collect()
    };
    let columns = [draw(1000.0), draw(5000.0), draw(300.0)];
    let cost = (0..160)
        .map(|i| {
            let exact = 37.0 * columns[0][i] + 12.0 * columns[1][i] + 90.0 * columns[2][i];
            exact * (0.05 * dice.normal()).exp()
        })
        .collect::<Vec<f64>>();
    let [a, b, c] = columns;
    let columns = [("a", a), ("b", b), ("c", c)];
    let columns = columns.map(|(name, values)| (name, FeatureKind::Foreign, values));
    exact::dataset(&columns, &cost)
}

#[test]
fn intervals_of_every_method_cover_what_they_promise() {
    let methods = Method::NAMES.iter().map(|(_, method)| *method);
    // A search per repeat and fold is for `pricetag-evolve`'s own tests; `auto` chooses among the others; `sampled` wants sampled runs.
    let methods = methods.filter(|m| !matches!(m, Method::Auto | Method::Gp | Method::Sampled));
    let mut wrong = Vec::new();
    for method in methods {
        let (mut covered, mut rows) = (0.0, 0.0);
        for seed in 1..=16 {
            let mut options = FitOptions {
                method,
                alternatives: false,
                seed,
                ..FitOptions::default()
            };
            if method == Method::Nls {
                options.tuning.formula = Some("k1*a + k2*b + k3*c".parse().unwrap());
            }
            let model = fit(&measured(seed), &options).unwrap();
            let n = f64::from(model.evaluation.unwrap().test_rows);
            covered += model.interval.unwrap().coverage.unwrap() * n;
            rows += n;
        }
        // 1,280 rows: two standard errors of a share of 95 % are 1.2 points, and rows share the quantiles of their repeat.
        let share = covered / rows;
        if !(0.92..=0.98).contains(&share) {
            wrong.push(format!("{method} {share:.3}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
