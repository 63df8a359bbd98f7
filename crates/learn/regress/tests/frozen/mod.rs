//! Reads what `tests/oracle_ols/make.R` froze.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::path::PathBuf;

use pricetag_estimator::{Column, Design, Values};

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/oracle_ols")
        .join(file)
}

/// Names of all cases that begin so.
pub fn cases(prefix: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(path(""))
        .unwrap()
        .filter_map(|e| {
            let file = e.unwrap().file_name().into_string().unwrap();
            file.strip_suffix(".txt").map(str::to_owned)
        })
        .filter(|n| n.starts_with(prefix))
        .collect();
    names.sort();
    names
}

/// Columns y, w and the features.
pub fn design(name: &str) -> Design {
    let text = std::fs::read_to_string(path(&format!("{name}.csv"))).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|l| l.split(',').map(|v| v.parse().unwrap()).collect())
        .collect();
    let column = |j: usize| rows.iter().map(|r| r[j]).collect::<Vec<f64>>();
    let columns = (2..names.len())
        .map(|j| Column {
            name: names[j].to_owned(),
            values: Values::Dense(column(j)),
        })
        .collect();
    let mut design = Design::new(columns, column(0));
    design.weights = column(1);
    design
}

/// The words of every line.
pub fn lines(name: &str) -> Vec<Vec<String>> {
    std::fs::read_to_string(path(&format!("{name}.txt")))
        .unwrap()
        .lines()
        .map(|l| l.split_whitespace().map(str::to_owned).collect())
        .collect()
}

/// A word as a number.
pub fn number(word: &str) -> f64 {
    word.parse().unwrap_or_else(|_| panic!("{word}"))
}

/// Equal but for `tolerance` of the second.
pub fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs()
}
