//! Wall time of the estimators on simulated counts: `cargo run --release -p pricetag-study --example speed [-- ROWS]` for
//! all of them, or for the hierarchical fits of so many rows alone.

use std::time::Instant;

use faer::Mat;
use pricetag_dataset::{
    Dataset, Feature, FeatureId, FeatureKind, Measured, Observation, ObservationId, Part,
};
use pricetag_estimator::{Column, Design, Estimator, Values};
use pricetag_regress::{LeastSquares, nnls};
use pricetag_study::{FitOptions, Method, fit};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn main() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let mut uniform = move || random.random::<u64>() as f64 / u64::MAX as f64;
    let only: Option<usize> = std::env::args().nth(1).and_then(|rows| rows.parse().ok());
    if only.is_none() {
        plain(&mut uniform);
    }
    // The last one is a demo's table: few runs, thousands of blocks, hundreds of opcodes and called methods.
    for (rows, blocks, parts) in [(500, 640, 30), (300, 20_000, 30), (25, 8_000, 670)] {
        if only.is_some_and(|only| only != rows) {
            continue;
        }
        let data = program(rows, blocks, parts, &mut uniform);
        for (what, alternatives) in [("hier, all of fit", false), ("with alternatives", true)] {
            time(&format!("{rows} rows x {blocks} blocks, {what}"), 1, || {
                let o = FitOptions {
                    method: Method::Hier,
                    train: 0.9,
                    alternatives,
                    ..FitOptions::default()
                };
                let model = fit(&data, &o).expect("fits");
                format!(
                    "median error {:.2} %",
                    100.0 * model.evaluation.expect("has rows").median_error
                )
            });
        }
    }
}

/// Single estimators.
fn plain(uniform: &mut impl FnMut() -> f64) {
    let a = Mat::from_fn(3840, 126, |_, j| {
        (100.0 * uniform() * (1.0 + (j % 7) as f64)).round()
    });
    let price: Vec<f64> = (0..126).map(|_| (uniform() - 0.7).max(0.0)).collect();
    let b: Vec<f64> = (0..3840)
        .map(|i| (0..126).map(|j| a[(i, j)] * price[j]).sum::<f64>() * (0.98 + 0.04 * uniform()))
        .collect();
    time("NNLS 3840 x 126", 5, || {
        let x = nnls(&a, &b);
        format!(
            "{} positive, violation {:.1e}",
            x.x.iter().filter(|x| **x > 0.0).count(),
            x.violation
        )
    });

    let n = 100_000;
    let columns: Vec<Column> = (0..100)
        .map(|j| Column {
            name: format!("c{j}"),
            values: Values::Dense((0..n).map(|_| (100.0 * uniform()).round()).collect()),
        })
        .collect();
    let target = (0..n).map(|_| uniform()).collect();
    let design = Design::new(columns, target).check().expect("finite");
    time("OLS with summary 1e5 x 100", 1, || {
        let s = LeastSquares::default()
            .fit(&design)
            .expect("fits")
            .summary
            .expect("has one");
        format!("rank {}", s.rank)
    });
}

fn time(what: &str, repeats: u32, mut work: impl FnMut() -> String) {
    let mut best = f64::INFINITY;
    let mut said = String::new();
    for _ in 0..repeats {
        let start = Instant::now();
        said = work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{what}: {:.1} ms ({said})", 1e3 * best);
}

/// Blocks in phases; every block consists of ten opcodes.
fn program(
    rows: usize,
    blocks: usize,
    opcodes: usize,
    uniform: &mut impl FnMut() -> f64,
) -> Dataset {
    let mut data = Dataset::default();
    let feature = |name: String, kind| Feature {
        name,
        kind,
        ..Feature::default()
    };
    for p in 0..opcodes {
        data.features
            .push(feature(format!("opcode {p}"), FeatureKind::Opcode));
        data.columns.push(Vec::new());
    }
    let work: Vec<Vec<f64>> = (0..rows)
        .map(|_| (0..20).map(|_| (4.0 * uniform()).exp()).collect())
        .collect();
    let mut total = vec![1e5; rows];
    for b in 0..blocks {
        let whole = FeatureId((opcodes + b) as u32);
        let mut price = 0.0;
        for _ in 0..10 {
            let p = (uniform() * f64::from(opcodes as u32)) as u32 % opcodes as u32;
            price += 1.0 + f64::from(p % 5);
            data.parts.push(Part {
                whole,
                part: FeatureId(p),
                amount: 1.0,
            });
        }
        price *= (uniform() * 2.0 - 1.0).exp();
        let rate = (6.0 * uniform()).exp();
        let mut column = Vec::new();
        for (row, work) in work.iter().enumerate() {
            let count = (work[b % 20] * rate * (0.8 + 0.4 * uniform())).round();
            if count > 0.0 {
                column.push((ObservationId(row as u32), count));
                total[row] += price * count;
            }
        }
        data.features
            .push(feature(format!("block {b}"), FeatureKind::Block));
        data.columns.push(column);
    }
    for (row, total) in total.iter().enumerate() {
        let repeats = (0..3).map(|_| total * (0.98 + 0.04 * uniform())).collect();
        data.observations.push(Observation {
            label: row.to_string(),
            costs: [("wall".to_owned(), Measured { repeats })].into(),
            ..Observation::default()
        });
    }
    data
}
