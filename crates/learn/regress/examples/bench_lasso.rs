//! Times the lasso path, its cross-validation and NNLS on generated counts, for `scripts/bench-learning/lasso.sh`.
//!
//! `bench_lasso write FOLDER` writes the two data sets as raw little-endian doubles, column by column, target last;
//! `bench_lasso run FOLDER [SET]` prints `name seconds detail` per line, the minimum of several runs on one thread, and writes the
//! grid of λ and the objective of the exact path there.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use faer::Mat;
use pricetag_estimator::{Checked, Column, Design, Values};
use pricetag_regress::lasso::{LassoPath, SparseModel};
use pricetag_regress::{Lasso, nnls};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Name, rows, columns and the smallest λ as a share of the largest.
const SETS: [(&str, usize, usize, f64); 2] =
    [("small", 3840, 126, 1e-4), ("large", 3045, 5516, 1e-2)];

fn normal(random: &mut Pcg64Mcg) -> f64 {
    let (a, b): (f64, f64) = (random.random::<f64>().max(1e-300), random.random());
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// Knuth's method for small means, the normal limit for large ones.
fn poisson(mean: f64, random: &mut Pcg64Mcg) -> f64 {
    if mean > 50.0 {
        return (mean + mean.sqrt() * normal(random)).round().max(0.0);
    }
    let (limit, mut product, mut count) = ((-mean).exp(), random.random::<f64>(), 0.0);
    while product > limit {
        product *= random.random::<f64>();
        count += 1.0;
    }
    count
}

/// Counts that share a size and a handful of hidden activities, scaled to at most 1; the last three columns are a copy,
/// a constant and a sum. A tenth of the columns has a price.
fn generate(rows: usize, columns: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Pcg64Mcg::seed_from_u64(20261121);
    let hidden: Vec<Vec<f64>> = (0..8)
        .map(|_| {
            (0..rows)
                .map(|_| (0.8 * normal(&mut random)).exp())
                .collect()
        })
        .collect();
    let mut data: Vec<Vec<f64>> = Vec::with_capacity(columns);
    for _ in 0..columns - 3 {
        let loads: Vec<f64> = (0..8)
            .map(|_| random.random::<f64>().powi(3) * 10.0)
            .collect();
        let column: Vec<f64> = (0..rows)
            .map(|i| {
                let mean: f64 = loads.iter().zip(&hidden).map(|(l, h)| l * h[i]).sum();
                poisson(mean, &mut random)
            })
            .collect();
        data.push(column);
    }
    data.push(data[3].clone());
    data.push(vec![7.0; rows]);
    data.push(data[0].iter().zip(&data[1]).map(|(a, b)| a + b).collect());
    let mut target = vec![5.0; rows];
    for (j, column) in data
        .iter()
        .enumerate()
        .take(columns - 3)
        .filter(|c| c.0 % 10 == 0)
    {
        let price = 1.0 + (j % 7) as f64;
        target
            .iter_mut()
            .zip(column)
            .for_each(|(t, v)| *t += price * v);
    }
    for t in &mut target {
        *t *= 1.0 + 0.03 * normal(&mut random);
    }
    for column in &mut data {
        let largest = column.iter().copied().fold(1e-300, f64::max);
        for v in column {
            *v /= largest;
        }
    }
    (data, target)
}

fn write(folder: &Path) -> Outcome<()> {
    for (name, rows, columns, _) in SETS {
        let (data, target) = generate(rows, columns);
        let bytes: Vec<u8> = data
            .iter()
            .chain([&target])
            .flatten()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        fs::write(folder.join(format!("{name}.bin")), bytes)?;
    }
    Ok(())
}

fn read(folder: &Path, name: &str, rows: usize, columns: usize) -> Outcome<Checked<Design>> {
    let bytes = fs::read(folder.join(format!("{name}.bin")))?;
    let numbers: Vec<f64> = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|b| f64::from_le_bytes(*b))
        .collect();
    let column = |j: usize| numbers[j * rows..(j + 1) * rows].to_vec();
    let design = (0..columns).map(|j| Column {
        name: format!("c{j}"),
        values: Values::Dense(column(j)),
    });
    Ok(Design::new(design.collect(), column(columns)).check()?)
}

/// ½ Σ r²/n + λ Σ s|b| with s the deviation of a column, as glmnet has it.
fn objective(design: &Design, model: &SparseModel, lambda: f64) -> f64 {
    let rows = design.rows() as f64;
    let mut residual: Vec<f64> = design.target.iter().map(|y| y - model.intercept).collect();
    let mut penalty = 0.0;
    for &(column, coefficient) in &model.coefficients {
        let values = design.columns[column].values.to_dense(design.rows());
        let mean = values.iter().sum::<f64>() / rows;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        penalty += (squares / rows).sqrt() * coefficient.abs();
        for (r, v) in residual.iter_mut().zip(&values) {
            *r -= coefficient * v;
        }
    }
    residual.iter().map(|r| r * r).sum::<f64>() / (2.0 * rows) + lambda * penalty
}

/// Minimum of several runs.
fn least<T>(times: usize, mut run: impl FnMut() -> T) -> (f64, Option<T>) {
    let (mut best, mut last) = (f64::INFINITY, None);
    for _ in 0..times {
        let start = Instant::now();
        let found = run();
        best = best.min(start.elapsed().as_secs_f64());
        last = Some(found);
    }
    (best, last)
}

fn run(folder: &Path, only: Option<&str>) -> Outcome<()> {
    let wanted = SETS
        .iter()
        .filter(|set| only.is_none_or(|only| only == set.0));
    for &(name, rows, columns, ratio) in wanted {
        let design = read(folder, name, rows, columns)?;
        let lasso = Lasso {
            ratio: Some(ratio),
            ..Lasso::default()
        };
        let times = if name == "small" { 15 } else { 3 };
        let (seconds, path) = least(times, || lasso.path(&design));
        let path: LassoPath = path.ok_or("no run")??;
        println!(
            "{name}-path {seconds:.5} {} knots, violation {:.1e}",
            path.knots.len(),
            path.violation()
        );
        // The grid and the least objective there, for the peers to be judged against.
        let grid = path.grid(100);
        let least_of = |&l: &f64| format!("{:e}", objective(&design, &path.at(l), l));
        let objectives: Vec<String> = grid.iter().map(least_of).collect();
        let grid: Vec<String> = grid.iter().map(|l| format!("{l:e}")).collect();
        fs::write(folder.join(format!("{name}.lambda")), grid.join("\n"))?;
        fs::write(
            folder.join(format!("{name}.objective")),
            objectives.join("\n"),
        )?;
        let times = if name == "small" { 5 } else { 1 };
        let (seconds, curve) = least(times, || lasso.cross_validate(&design));
        let (_, curve) = curve.ok_or("no run")??;
        let at = curve
            .lambda
            .iter()
            .position(|l| *l == curve.lambda_min)
            .unwrap_or(0);
        println!(
            "{name}-cv {seconds:.5} {} columns at the best of {} λ",
            curve.columns[at],
            curve.lambda.len()
        );
        if name == "small" {
            let dense: Vec<Vec<f64>> = design
                .columns
                .iter()
                .map(|c| c.values.to_dense(rows))
                .collect();
            let a = Mat::from_fn(rows, columns, |i, j| dense[j][i]);
            let (seconds, found) = least(9, || nnls(&a, &design.target));
            let found = found.ok_or("no run")?;
            let positive = found.x.iter().filter(|x| **x > 0.0).count();
            println!(
                "small-nnls {seconds:.5} {positive} positive, ‖r‖ = {:.10e}, violation {:.1e}",
                found.residual_norm, found.violation
            );
        }
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().collect();
    match &arguments[1..] {
        [what, folder] if what == "write" => write(Path::new(folder)),
        [what, folder] if what == "run" => run(Path::new(folder), None),
        [what, folder, set] if what == "run" => run(Path::new(folder), Some(set)),
        _ => Err("bench_lasso (write FOLDER | run FOLDER [small | large])".into()),
    }
}
