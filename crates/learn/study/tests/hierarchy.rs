//! Hierarchical prices on simulated programs whose prices are known.

mod simulation;

use pricetag_cost_model::{CostModel, Evaluation};
use pricetag_study::{FitOptions, Method, fit};
use simulation::{Simulated, Simulation, simulate};

fn learn(data: &Simulated, train: f64) -> CostModel {
    fit(
        &data.dataset,
        &FitOptions {
            method: Method::Auto,
            train,
            ..FitOptions::default()
        },
    )
    .unwrap()
}

fn other<'a>(model: &'a CostModel, name: &str) -> &'a Evaluation {
    model
        .alternatives
        .iter()
        .find(|e| e.name.starts_with(name))
        .unwrap()
}

#[test]
fn more_blocks_than_observations_is_the_normal_case() {
    // 640 blocks, 100 training rows, single measurements noisy by 2 %, block prices off their parts' by 80 % and more.
    let data = simulate(&Simulation::default());
    let model = learn(&data, 0.5);
    let own = model.evaluation.as_ref().unwrap();
    assert_eq!(model.method, "hier");
    assert!(own.median_error < 0.012, "{}", own.median_error);
    assert!(own.median_error < 0.6 * other(&model, "nnls").median_error);
    assert!(own.median_error < 0.8 * other(&model, "opcode prices").median_error);
    assert!(own.median_error < 0.1 * model.baseline.as_ref().unwrap().median_error);
    assert!(
        model
            .prices
            .iter()
            .all(|p| p.price.is_some_and(|p| p >= 0.0))
    );
    assert!(
        model
            .prices
            .iter()
            .all(|p| p.evidence.is_none_or(|e| (0.0..=1.0).contains(&e)))
    );
}

#[test]
fn few_rows_lean_on_the_parts() {
    let data = simulate(&Simulation {
        rows: 120,
        ..Simulation::default()
    });
    let model = learn(&data, 0.1);
    let own = model.evaluation.as_ref().unwrap();
    assert_eq!(own.train_rows, 12);
    assert!(own.median_error < 0.05, "{}", own.median_error);
    assert!(own.median_error < 0.5 * other(&model, "nnls").median_error);
}

#[test]
fn without_departures_prices_are_those_of_the_parts() {
    let data = simulate(&Simulation {
        departure: 0.0,
        calls: 0,
        opcodes: 8,
        noise: 0.005,
        ..Simulation::default()
    });
    let model = learn(&data, 0.5);
    let mut errors: Vec<f64> = (0..640)
        .map(|b| relative_price_error(&model, &data, b))
        .collect();
    errors.sort_by(f64::total_cmp);
    assert!(
        errors[320] < 0.1,
        "median error of a price: {}",
        errors[320]
    );
}

#[test]
fn with_enough_rows_every_price_comes_from_the_observations() {
    let data = simulate(&Simulation {
        blocks: 20,
        rows: 600,
        noise: 0.002,
        departure: 1.0,
        ..Simulation::default()
    });
    let model = learn(&data, 0.5);
    for b in 0..20 {
        let price = model
            .prices
            .iter()
            .find(|p| p.bucket == format!("block {b}"))
            .unwrap();
        let error = relative_price_error(&model, &data, b);
        if price.share > 0.01 {
            assert!(error < 0.1, "block {b}: {price:?} is off by {error}");
            assert!(price.evidence.unwrap() > 0.8, "{price:?}");
        }
    }
}

fn relative_price_error(model: &CostModel, data: &Simulated, block: usize) -> f64 {
    let name = format!("block {block}");
    let price = model
        .prices
        .iter()
        .find(|p| p.bucket == name)
        .unwrap()
        .price
        .unwrap();
    (price / data.block_prices[block] - 1.0).abs()
}

#[test]
fn standard_errors_of_prices_are_honest() {
    let data = simulate(&Simulation {
        rows: 300,
        blocks: 120,
        departure: 0.5,
        ..Simulation::default()
    });
    let model = learn(&data, 0.5);
    let (mut inside, mut all) = (0_usize, 0_usize);
    for b in 0..120 {
        let price = model
            .prices
            .iter()
            .find(|p| p.bucket == format!("block {b}"))
            .unwrap();
        let (low, high) = price.bounds.unwrap();
        all += 1;
        inside += usize::from((low..=high).contains(&data.block_prices[b]));
    }
    let share = inside as f64 / all as f64;
    assert!((0.85..=1.0).contains(&share), "{share}");
}

#[test]
fn intervals_cover_what_they_promise_over_repeats() {
    let (mut covered, mut rows) = (0.0, 0.0);
    for seed in 0..60 {
        let data = simulate(&Simulation {
            rows: 200,
            blocks: 25,
            phases: 4,
            opcodes: 6,
            calls: 2,
            noise: 0.05,
            seed,
            ..Simulation::default()
        });
        let method = if seed % 2 == 0 {
            Method::Hier
        } else {
            Method::Nnls
        };
        let o = FitOptions {
            method,
            alternatives: false,
            seed,
            ..FitOptions::default()
        };
        let model = fit(&data.dataset, &o).unwrap();
        let interval = model.interval.unwrap();
        assert_eq!(interval.level, 0.95);
        let n = f64::from(model.evaluation.unwrap().test_rows);
        covered += interval.coverage.unwrap() * n;
        rows += n;
    }
    let share = covered / rows;
    println!("coverage {share:.4} over {rows} rows");
    assert!((0.93..=0.97).contains(&share), "{share}");
}
