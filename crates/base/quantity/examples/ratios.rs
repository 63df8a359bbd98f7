//! Tables of paired measurements: `ratios RUNS.jsonl` reads the lines that `scripts/overhead.sh` writes and prints Markdown.
//!
//! A ratio is the median over rounds of (variant / plain) within the round, so that drift of the machine cancels. Intervals are 95 %: those
//! of a program distribution-free from order statistics ([`pricetag_quantity::median_interval`]), those of a geometric mean over programs by a
//! percentile bootstrap (Efron & Tibshirani 1993, §13) that draws each program's rounds anew, with a fixed seed.

use pricetag_quantity::{median, median_interval, quantile};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::{env, fs};

/// The variant that all others are divided by.
const PLAIN: &str = "plain";
/// Known variants in the order of the table, with their headings.
const VARIANTS: [(&str, &str); 13] = [
    ("idle", "Pricetag, nothing to count"),
    ("pricetag", "Pricetag, exact counts"),
    ("kept", "the same with classes kept by an earlier run"),
    (
        "alone",
        "the same in a first counting run that finds no classes",
    ),
    (
        "ahead",
        "the timed run that goes before, with what follows it",
    ),
    (
        "first",
        "exact counts in the first counting run of `record`",
    ),
    (
        "again",
        "the same in the first counting run of another `record`",
    ),
    ("recorded", "the same as `record` runs it"),
    ("budget", "the same within a budget"),
    ("jacoco", "JaCoCo, booleans"),
    ("naive", "naive block counters"),
    ("atomic", "naive, atomic"),
    ("threadlocal", "naive, ThreadLocal"),
];
/// Measured columns and what they are called.
const COLUMNS: [(&str, &str); 4] = [
    ("steady", "steady state, CPU of the working threads"),
    ("whole", "whole process, CPU"),
    ("wall", "whole process, wall time"),
    ("instructions", "whole process, instructions"),
];
/// The programs of several threads.
const THREADED: &str = "http";
const RESAMPLES: usize = 4000;

/// Figures of one column: program → variant → round → value.
type Figures = BTreeMap<String, BTreeMap<String, BTreeMap<u64, f64>>>;

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args_os().nth(1).ok_or("usage: ratios RUNS.jsonl")?;
    let text = fs::read_to_string(&file)?;
    let setting = text
        .lines()
        .find_map(|line| field(line, "huge"))
        .ok_or("no runs")?;
    println!("\nMethods over 8,000 bytes of bytecode: {setting}.");
    for (column, title) in COLUMNS {
        let figures = read(&text, column)?;
        if !figures.is_empty() {
            table(title, column, &figures);
        }
    }
    Ok(())
}

/// The value of a key in a flat JSON object, without quotes.
fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.split_once(&format!("\"{key}\":"))?.1;
    Some(rest.split([',', '}']).next()?.trim().trim_matches('"'))
}

/// Reads one column; runs without a value are left out.
fn read(text: &str, column: &str) -> Result<Figures, Box<dyn Error>> {
    let mut figures = Figures::new();
    for (number, line) in text.lines().enumerate() {
        let get = |key| field(line, key).ok_or(format!("line {}: no {key}", number + 1));
        let (program, variant, round) = (get("program")?, get("variant")?, get("round")?);
        if let Ok(value) = get(column)?.parse() {
            figures
                .entry(program.to_owned())
                .or_default()
                .entry(variant.to_owned())
                .or_default()
                .insert(round.parse()?, value);
        }
    }
    Ok(figures)
}

/// The ratios of a variant to the plain runs of the same rounds.
fn ratios(variants: &BTreeMap<String, BTreeMap<u64, f64>>, variant: &str) -> Vec<f64> {
    let (Some(plain), Some(other)) = (variants.get(PLAIN), variants.get(variant)) else {
        return Vec::new();
    };
    other
        .iter()
        .filter_map(|(round, value)| Some(value / plain.get(round).filter(|plain| **plain > 0.0)?))
        .collect()
}

fn table(title: &str, column: &str, figures: &Figures) {
    let present: BTreeSet<&str> = figures
        .values()
        .flat_map(|variants| variants.keys().map(String::as_str))
        .collect();
    let shown: Vec<_> = VARIANTS
        .into_iter()
        .filter(|(variant, _)| present.contains(variant))
        .collect();
    println!("\nRatio to plain, {title}: median [95 % interval]\n");
    let headings: Vec<&str> = shown.iter().map(|variant| variant.1).collect();
    println!(
        "| program | rounds | plain | {} |\n|---|---|---|{}",
        headings.join(" | "),
        "---|".repeat(shown.len())
    );
    for (program, variants) in figures {
        let plain: Vec<f64> = variants
            .get(PLAIN)
            .map(|rounds| rounds.values().copied().collect())
            .unwrap_or_default();
        let cells: Vec<String> = shown
            .iter()
            .map(|(variant, _)| cell(&ratios(variants, variant)))
            .collect();
        let absolute = median(&plain).map_or("–".to_owned(), |value| unit(column, value));
        println!(
            "| {program} | {} | {absolute} | {} |",
            plain.len(),
            cells.join(" | ")
        );
    }
    let of_means = |name: &str, figures: &Figures| {
        let means = shown
            .iter()
            .map(|(variant, _)| geometric_mean(figures, variant));
        let means: Vec<String> = means.collect();
        println!("| **{name}** | | | {} |", means.join(" | "));
    };
    of_means("geometric mean", figures);
    let mut alone = figures.clone();
    if alone.remove(THREADED).is_some() && !alone.is_empty() {
        of_means("of one thread", &alone);
    }
}

fn unit(column: &str, value: f64) -> String {
    match column {
        "steady" => format!("{:.0} ms", value / 1e6),
        "instructions" => format!("{:.1}e9", value / 1e9),
        _ => format!("{value:.2} s"),
    }
}

/// Fewer rounds have no interval of 95 %: the smallest and largest of five hold the median with 94 %.
const ROUNDS_FOR_INTERVAL: usize = 6;

/// A median and, where there are rounds enough, its interval.
fn cell(ratios: &[f64]) -> String {
    let Some(middle) = median(ratios) else {
        return "–".to_owned();
    };
    match median_interval(ratios, 0.95) {
        Some(found) if ratios.len() >= ROUNDS_FOR_INTERVAL => {
            let (low, high) = (found.interval.low, found.interval.high);
            format!("{middle:.2} [{low:.2}–{high:.2}]")
        }
        _ => format!("{middle:.2}"),
    }
}

/// Geometric mean over programs of the median ratios, with its bootstrap interval if there are rounds enough, and the worst program's ratio.
fn geometric_mean(figures: &Figures, variant: &str) -> String {
    let samples: Vec<Vec<f64>> = figures
        .values()
        .map(|variants| ratios(variants, variant))
        .filter(|sample| !sample.is_empty())
        .collect();
    let mean = |samples: &[Vec<f64>]| {
        let logarithms: f64 = samples
            .iter()
            .filter_map(|sample| median(sample))
            .map(f64::ln)
            .sum();
        (logarithms / samples.len() as f64).exp()
    };
    if samples.is_empty() {
        return "–".to_owned();
    }
    let worst = samples
        .iter()
        .filter_map(|sample| median(sample))
        .fold(0.0, f64::max);
    if samples.iter().any(|s| s.len() < ROUNDS_FOR_INTERVAL) {
        return format!("**{:.3}**, worst {worst:.2}", mean(&samples));
    }
    let mut draws = Draws(20_261_121);
    let resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn: Vec<Vec<f64>> = samples
                .iter()
                .map(|sample| draws.resample(sample))
                .collect();
            mean(&drawn)
        })
        .collect();
    let at = |p| quantile(&resampled, p).unwrap_or(f64::NAN);
    format!(
        "**{:.3}** [{:.3}–{:.3}], worst {worst:.2}",
        mean(&samples),
        at(0.025),
        at(0.975)
    )
}

/// A small generator (Steele, Lea & Flood 2014, `SplitMix64`): the tables are the same each time.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn resample(&mut self, sample: &[f64]) -> Vec<f64> {
        (0..sample.len())
            .map(|_| sample[(self.next() % sample.len() as u64) as usize])
            .collect()
    }
}
