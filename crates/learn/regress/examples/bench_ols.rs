//! Speed and memory of least squares, backward elimination and streaming, on data that a peer can read as well.
//!
//! `bench_ols write DIR [ROWS]` writes the data; `bench_ols run DIR` fits them and leaves results for the comparison;
//! `bench_ols stream DIR ROWS` writes a Parquet file, fits it block by block and reports the peak of memory.
//! `scripts/bench-learning/ols.sh` does it all and runs R on the same data.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::Instant;

use pricetag_dataset::table::{Table, TableWriter, Values as Cells};
use pricetag_estimator::{Column, Design, Estimator, Values};
use pricetag_regress::{BackwardElimination, LeastSquares, RowWeights, TableRows};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rows = |default: usize| words.get(2).map_or(Ok(default), |w| w.parse());
    match words.first().map(String::as_str) {
        Some("write") => write(Path::new(&words[1]), rows(1_000_000)?),
        Some("run") => run(Path::new(&words[1])),
        Some("stream") => stream(Path::new(&words[1]), rows(10_000_000)?),
        _ => Err("write DIR [ROWS] | run DIR | stream DIR [ROWS]".into()),
    }
}

fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    move || (random.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64
}

/// `ols.bin` and `step.bin`: rows and columns as numbers, the columns, then the cost.
fn write(dir: &Path, rows: usize) -> Outcome {
    let mut next = uniform(1);
    let columns = (0..100).map(|j| {
        (0..rows)
            .map(|_| (100.0 * next()).floor() + f64::from(j))
            .collect()
    });
    save(
        &dir.join("ols.bin"),
        &columns.collect::<Vec<_>>(),
        |sum, u| sum + 500.0 * u,
        &mut uniform(2),
    )?;
    let mut next = uniform(3);
    let columns = (0..126).map(|j| {
        let scale = 50.0 * f64::from(1 + j % 7);
        (0..3840)
            .map(|_| (scale * next() * (1.0 + next())).floor())
            .collect()
    });
    save(
        &dir.join("step.bin"),
        &columns.collect::<Vec<_>>(),
        |sum, u| sum + 2000.0 * u,
        &mut uniform(4),
    )
}

/// Every third column is worth its index, the others nothing.
fn save(
    path: &Path,
    columns: &[Vec<f64>],
    noise: impl Fn(f64, f64) -> f64,
    next: &mut impl FnMut() -> f64,
) -> Outcome {
    let rows = columns[0].len();
    let mut target = vec![0.0; rows];
    for (j, column) in columns.iter().enumerate().step_by(3) {
        for (t, x) in target.iter_mut().zip(column) {
            *t += 0.1 * (j + 1) as f64 * x;
        }
    }
    for t in &mut target {
        *t = noise(*t, next());
    }
    let mut file = BufWriter::new(File::create(path)?);
    let mut put = |x: f64| file.write_all(&x.to_le_bytes());
    put(rows as f64)?;
    put(columns.len() as f64)?;
    for x in columns.iter().flatten().chain(&target) {
        put(*x)?;
    }
    Ok(())
}

fn load(path: &Path) -> Result<Design, Box<dyn std::error::Error>> {
    let mut file = BufReader::new(File::open(path)?);
    let mut bytes = [0; 8];
    let mut next = || {
        file.read_exact(&mut bytes)
            .map(|()| f64::from_le_bytes(bytes))
    };
    let (rows, columns) = (next()? as usize, next()? as usize);
    let mut all = Vec::new();
    for _ in 0..=columns {
        all.push((0..rows).map(|_| next()).collect::<Result<Vec<f64>, _>>()?);
    }
    let target = all.pop().unwrap_or_default();
    let named = all.into_iter().enumerate().map(|(j, values)| Column {
        name: format!("c{j}"),
        values: Values::Dense(values),
    });
    Ok(Design::new(named.collect(), target))
}

/// Seconds this thread has been running.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|w| w.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) * 1e-9
}

/// Least wall time and least processor time of some repeats.
fn time<T>(repeats: u32, mut work: impl FnMut() -> T) -> (T, f64, f64) {
    let (mut wall, mut busy, mut out) = (f64::INFINITY, f64::INFINITY, None);
    for _ in 0..repeats {
        let (start, before) = (Instant::now(), cpu());
        out = Some(work());
        wall = wall.min(start.elapsed().as_secs_f64());
        busy = busy.min(cpu() - before);
    }
    (out.expect("at least one repeat"), wall, busy)
}

fn run(dir: &Path) -> Outcome {
    let design = load(&dir.join("ols.bin"))?.check()?;
    let fit = LeastSquares {
        intercept: true,
        ..LeastSquares::default()
    };
    let (fitted, wall, busy) = time(3, || fit.fit(&design));
    println!("ours ols {wall} {busy}");
    let summary = fitted?.summary.ok_or("no summary")?;
    let mut out = BufWriter::new(File::create(dir.join("ols.ours"))?);
    for row in &summary.coefficients {
        let (b, error, ..) = row
            .estimate
            .unwrap_or((f64::NAN, f64::NAN, f64::NAN, f64::NAN));
        writeln!(out, "{b:e} {error:e}")?;
    }
    writeln!(out, "{:e} {:e}", summary.sigma, summary.r_squared)?;
    let design = load(&dir.join("step.bin"))?.check()?;
    let step = BackwardElimination::default();
    let (_, wall, busy) = time(5, || step.fit(&design));
    println!("ours step {wall} {busy}");
    let found = step.eliminate(&design)?;
    let mut out = BufWriter::new(File::create(dir.join("step.ours"))?);
    for drop in &found.drops {
        writeln!(out, "c{} {}", drop.column, drop.aic)?;
    }
    Ok(())
}

/// A line of `/proc/self/status`, in MiB.
fn memory(key: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with(key));
    let kib = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}

fn stream(dir: &Path, rows: usize) -> Outcome {
    const COLUMNS: usize = 16;
    const GROUP: usize = 100_000;
    let path = dir.join(format!("stream-{rows}.parquet"));
    if !path.exists() {
        let mut next = uniform(5);
        let mut writer = None;
        for start in (0..rows).step_by(GROUP) {
            let n = GROUP.min(rows - start);
            let mut table = Table::default();
            let mut target = vec![0.0; n];
            for j in 0..COLUMNS {
                let cells: Vec<f64> = (0..n).map(|_| (1000.0 * next()).floor()).collect();
                for (t, x) in target.iter_mut().zip(&cells) {
                    *t += (j + 1) as f64 * x;
                }
                table.push(
                    format!("c{j}"),
                    Cells::Reals(cells.into_iter().map(Some).collect()),
                );
            }
            let target = target.iter().map(|t| Some(t + 1000.0 * next())).collect();
            table.push("time", Cells::Reals(target));
            if writer.is_none() {
                writer = Some(TableWriter::create(&path, &table)?);
            }
            if let Some(writer) = &mut writer {
                writer.write(&table)?;
            }
        }
        if let Some(writer) = writer {
            writer.close()?;
        }
        println!("written {}", path.display());
        return Ok(());
    }
    let before = memory("VmRSS");
    let start = Instant::now();
    let (busy, mut source) = (cpu(), TableRows::open(&path, "time", None, &[])?);
    let fit = LeastSquares {
        intercept: true,
        ..LeastSquares::default()
    };
    let found = fit.fit_rows(&mut source, RowWeights::AsGiven)?;
    println!(
        "ours stream {} {} rows {} passes {} peak {:.0} MiB (before {before:.0}), c0 = {:?}",
        start.elapsed().as_secs_f64(),
        cpu() - busy,
        found.rows,
        found.passes,
        memory("VmHWM"),
        found.fitted.coefficients[0].estimate
    );
    Ok(())
}
