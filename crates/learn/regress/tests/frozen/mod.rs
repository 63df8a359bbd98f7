//! What other programs' answers were frozen to: tables and texts beside the scripts that made them.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::path::{Path, PathBuf};

use pricetag_estimator::{Column, Design, Values};

/// A folder of `tests`.
pub struct Frozen(pub &'static str);

/// Cells of a table under their names.
pub struct Cells {
    pub names: Vec<String>,
    pub rows: Vec<Vec<f64>>,
}

impl Cells {
    pub fn column(&self, j: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[j]).collect()
    }
}

impl Frozen {
    fn path(&self, file: &str) -> PathBuf {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        tests.join(self.0).join(file)
    }

    /// Names of all files that begin and end so, without the ending, in order.
    pub fn names(&self, prefix: &str, ending: &str) -> Vec<String> {
        let files = std::fs::read_dir(self.path("")).unwrap();
        let name = |file: std::fs::DirEntry| {
            let file = file.file_name().into_string().unwrap();
            file.strip_suffix(ending).map(str::to_owned)
        };
        let mut names: Vec<String> = files.filter_map(|file| name(file.unwrap())).collect();
        names.retain(|name| name.starts_with(prefix));
        names.sort();
        names
    }

    /// Names of all cases that begin so.
    pub fn cases(&self, prefix: &str) -> Vec<String> {
        self.names(prefix, ".txt")
    }

    /// Whether there is such a file.
    pub fn has(&self, file: &str) -> bool {
        self.path(file).is_file()
    }

    /// A file as it is.
    pub fn text(&self, file: &str) -> String {
        let path = self.path(file);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The words of every line of a case's answer.
    pub fn lines(&self, name: &str) -> Vec<Vec<String>> {
        let text = self.text(&format!("{name}.txt"));
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        text.lines().map(words).collect()
    }

    /// A case's table.
    pub fn cells(&self, name: &str) -> Cells {
        let text = self.text(&format!("{name}.csv"));
        let mut lines = text.lines();
        let names = lines.next().unwrap().split(',').map(str::to_owned);
        Cells {
            names: names.collect(),
            rows: lines
                .map(|line| line.split(',').map(|cell| number(cell.trim())).collect())
                .collect(),
        }
    }

    /// A case's table with the columns y, w and the features.
    pub fn design(&self, name: &str) -> Design {
        let cells = self.cells(name);
        let column = |j: usize| Column {
            name: cells.names[j].clone(),
            values: Values::Dense(cells.column(j)),
        };
        let columns = (2..cells.names.len()).map(column).collect();
        let mut design = Design::new(columns, cells.column(0));
        design.weights = cells.column(1);
        design
    }
}

/// A word as a number; R's `NA` is NaN.
pub fn number(word: &str) -> f64 {
    match word {
        "Inf" => f64::INFINITY,
        "-Inf" => f64::NEG_INFINITY,
        "NA" => f64::NAN,
        _ => word.parse().unwrap_or_else(|_| panic!("no number: {word}")),
    }
}

/// The numbers of some words.
pub fn numbers<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Vec<f64> {
    let words = words.into_iter();
    words.map(|word| number(word.as_ref())).collect()
}

/// Equal but for `tolerance` of the second.
pub fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs()
}
