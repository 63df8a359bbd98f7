//! Times L1, Huber and non-linear least squares on generated counts, for `scripts/bench-learning/robust.sh`.
//!
//! `bench_robust write FOLDER` writes the data as raw little-endian doubles, column by column, target last;
//! `bench_robust run FOLDER` prints `name seconds detail` per line, the minimum of several runs on one thread.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use pricetag_cost_model::Formula;
use pricetag_estimator::{Checked, Column, Design, Estimator, Values};
use pricetag_regress::{Huber, LeastAbsolute, NonLinear};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Name, rows and columns.
const SETS: [(&str, usize, usize); 2] = [("counts", 3840, 50), ("power", 3840, 1)];

/// Repetitions of which the fastest counts.
const RUNS: usize = 5;

fn normal(random: &mut Pcg64Mcg) -> f64 {
    let (a, b): (f64, f64) = (random.random::<f64>().max(1e-300), random.random());
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// Counts that share a size, a cost with 3 % noise, and a tenth of the costs far off.
fn counts(rows: usize, columns: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Pcg64Mcg::seed_from_u64(20261121);
    let size: Vec<f64> = (0..rows).map(|_| normal(&mut random).exp()).collect();
    let data: Vec<Vec<f64>> = (0..columns)
        .map(|_| {
            let mean = 1.0 + 40.0 * random.random::<f64>();
            let count = |s: &f64| {
                let m = mean * s;
                (m + m.sqrt() * normal(&mut random)).round().max(0.0)
            };
            size.iter().map(count).collect()
        })
        .collect();
    let target = (0..rows).map(|i| {
        let price = |j: usize| (j % 7) as f64;
        let cost: f64 = data.iter().enumerate().map(|(j, c)| price(j) * c[i]).sum();
        let wild = if random.random::<f64>() < 0.1 {
            10.0
        } else {
            1.0
        };
        (1.0 + cost) * wild * (1.0 + 0.03 * normal(&mut random))
    });
    let target = target.collect();
    (data, target)
}

/// c + k·n^e with 2 % noise.
fn power(rows: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Pcg64Mcg::seed_from_u64(20261122);
    let n: Vec<f64> = (0..rows)
        .map(|_| (10.0 * random.random::<f64>()).exp().round())
        .collect();
    let cost = |n: &f64| (500.0 + 7.0 * n.powf(1.3)) * (1.0 + 0.02 * normal(&mut random));
    let target = n.iter().map(cost).collect();
    (vec![n], target)
}

fn write(folder: &Path) -> Outcome<()> {
    for (name, rows, columns) in SETS {
        let (data, target) = if name == "counts" {
            counts(rows, columns)
        } else {
            power(rows)
        };
        let all = data.iter().flatten().chain(&target);
        let bytes: Vec<u8> = all.flat_map(|x| x.to_le_bytes()).collect();
        fs::write(folder.join(format!("{name}.f64")), bytes)?;
    }
    Ok(())
}

fn read(folder: &Path, (name, rows, columns): (&str, usize, usize)) -> Outcome<Checked<Design>> {
    let bytes = fs::read(folder.join(format!("{name}.f64")))?;
    let numbers: Vec<f64> = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|b| f64::from_le_bytes(*b))
        .collect();
    let column = |j: usize| numbers[j * rows..(j + 1) * rows].to_vec();
    let named = |j: usize| Column {
        name: format!("x{}", j + 1),
        values: Values::Dense(column(j)),
    };
    let mut design = Design::new((0..columns).map(named).collect(), column(columns));
    if name == "power" {
        design.weights = design.target.iter().map(|y| y.powi(-2)).collect();
    }
    Ok(design.check()?)
}

/// Prints the fastest of several runs and what the last one said.
fn time(name: &str, run: &dyn Fn() -> Outcome<String>) -> Outcome<()> {
    let mut best = f64::INFINITY;
    let mut detail = String::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        detail = run()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{name} {best:.4} {detail}");
    Ok(())
}

fn run(folder: &Path) -> Outcome<()> {
    let counts = read(folder, SETS[0])?;
    for (name, non_negative) in [("l1", false), ("l1-non-negative", true)] {
        time(name, &|| {
            let fit = LeastAbsolute {
                intercept: true,
                non_negative,
            }
            .solve(&counts)?;
            let proof = fit.certificate;
            let gap = (proof.objective - proof.bound).abs() / proof.objective;
            Ok(format!(
                "objective {:.9e}, gap {gap:.0e}, {} pivots",
                proof.objective, fit.pivots
            ))
        })?;
    }
    time("huber", &|| {
        let fit = Huber {
            intercept: true,
            ..Huber::default()
        }
        .fit(&counts)?;
        let first = fit.coefficients[0].estimate.unwrap_or(f64::NAN);
        Ok(format!("x1 {first:.9}"))
    })?;
    let power = read(folder, SETS[1])?;
    let formula = Formula::parse("c + k*x1^e")?;
    time("nls", &|| {
        let fit = NonLinear::new(formula.clone())
            .starting("c", 1.0)
            .starting("k", 1.0)
            .starting("e", 1.0)
            .solve(&power)?;
        Ok(format!("rss {:.9}, {} searches", fit.rss, fit.searches))
    })
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1..) {
        Some([what, folder]) if what == "write" => write(Path::new(folder)),
        Some([what, folder]) if what == "run" => run(Path::new(folder)),
        _ => Err("usage: bench_robust write|run FOLDER".into()),
    }
}
