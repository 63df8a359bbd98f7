//! Hierarchical prices on simulated programs whose prices are known.

mod simulation;

use pricetag_regress::{FitOptions, Method, fit};
use simulation::{Simulation, simulate};

fn options(method: Method, train: f64) -> FitOptions {
    FitOptions {
        method,
        train,
        ..FitOptions::default()
    }
}

#[test]
fn report() {
    for (name, s) in [
        ("default", Simulation::default()),
        (
            "rows 60",
            Simulation {
                rows: 120,
                ..Simulation::default()
            },
        ),
        (
            "no departure",
            Simulation {
                departure: 0.0,
                ..Simulation::default()
            },
        ),
        (
            "big departure",
            Simulation {
                departure: 1.2,
                ..Simulation::default()
            },
        ),
        (
            "few blocks",
            Simulation {
                blocks: 60,
                rows: 400,
                ..Simulation::default()
            },
        ),
        (
            "one phase",
            Simulation {
                phases: 1,
                ..Simulation::default()
            },
        ),
    ] {
        let data = simulate(&s);
        let start = std::time::Instant::now();
        let model = fit(&data.dataset, &options(Method::Auto, 0.5)).unwrap();
        let e = model.evaluation.as_ref().unwrap();
        println!(
            "{name}: {} {:.2} % p90 {:.2} % floor {:?} cov {:?} in {:.2?}",
            model.method,
            100.0 * e.median_error,
            100.0 * e.p90_error,
            e.noise_floor,
            model.interval.as_ref().unwrap().coverage,
            start.elapsed()
        );
        for a in model.alternatives.iter().chain(&model.baseline) {
            println!(
                "    {}: {:.2} % p90 {:.2} %",
                a.name,
                100.0 * a.median_error,
                100.0 * a.p90_error
            );
        }
        for d in &model.diagnostics {
            println!("    {:?} {}", d.severity, d.message);
        }
    }
}
