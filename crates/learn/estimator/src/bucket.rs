//! Buckets: columns that these rows cannot tell apart, because one is a multiple of the other.
//!
//! A linear model can only price such columns together (Lata 2014, §2.4.1, where R prints `NA` for all but one of them).
//! Columns are compared by their directions: each is divided by its largest value and projected on a fixed
//! pseudo-random vector; columns with equal projections are then compared entry by entry.

use crate::design::{Checked, Column, Design};

/// Entries of two columns of unit maximum may differ by this much.
const TOLERANCE: f64 = 1e-9;

/// Columns in fixed proportion over all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Bucket {
    /// Indices of the columns, ascending unless [`Bucket::lead_by`] chose another one; the first is the bucket's unit.
    pub members: Vec<usize>,
    /// Units of each member per unit of the first.
    pub ratios: Vec<f64>,
}

/// All columns, sorted into buckets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buckets {
    /// Non-empty columns; ordered by first member.
    pub buckets: Vec<Bucket>,
    /// Columns that are zero in every row.
    pub empty: Vec<usize>,
}

/// How many times one column is another: whole from 10,000 (65536 stays 65536), else four significant digits.
pub(crate) fn multiplier(value: f64) -> String {
    let size = value.abs();
    if (1e4..1e15).contains(&size) {
        return format!("{value:.0}");
    }
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if (1e-4..1e4).contains(&size) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// A number in [0.5, 1.5) that depends on the row alone (`SplitMix64`, Steele et al. 2014).
fn direction(row: usize) -> f64 {
    let mut z = (row as u64)
        .wrapping_add(1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    0.5 + ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Factor that turns `a` into `b`, if there is one.
fn ratio(a: &Column, b: &Column) -> Option<f64> {
    let (size_a, size_b) = (a.values.largest(), b.values.largest());
    let stored = |c: &Column| {
        c.values
            .entries()
            .filter(|e| e.1 != 0.0)
            .collect::<Vec<_>>()
    };
    let (entries_a, entries_b) = (stored(a), stored(b));
    if entries_a.len() != entries_b.len() {
        return None;
    }
    let sign = (entries_a.first()?.1 * entries_b.first()?.1).signum();
    let same = entries_a
        .iter()
        .zip(&entries_b)
        .all(|(&(row_a, value_a), &(row_b, value_b))| {
            row_a == row_b && (value_a / size_a - sign * value_b / size_b).abs() <= TOLERANCE
        });
    same.then(|| sign * size_b / size_a)
}

impl Buckets {
    /// Sorts the columns of a design into buckets.
    pub fn of(design: &Checked<Design>) -> Self {
        let mut empty = Vec::new();
        let mut keys = Vec::new();
        let directions: Vec<f64> = (0..design.rows()).map(direction).collect();
        for (index, column) in design.columns.iter().enumerate() {
            let size = column.values.largest();
            if size == 0.0 {
                empty.push(index);
                continue;
            }
            let key: f64 = column
                .values
                .entries()
                .map(|(row, value)| value / size * directions[row])
                .sum();
            keys.push((key.abs(), index));
        }
        keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
        let mut window = 0;
        for (key, index) in keys {
            let near = TOLERANCE * (1.0 + key) * 10.0;
            while window < groups.len() && groups[window].0 < key - near {
                window += 1;
            }
            let same = groups[window..].iter().position(|(_, members)| {
                ratio(&design.columns[members[0]], &design.columns[index]).is_some()
            });
            match same {
                Some(at) => groups[window + at].1.push(index),
                None => groups.push((key, vec![index])),
            }
        }
        let mut buckets: Vec<Bucket> = groups
            .into_iter()
            .map(|(_, mut members)| {
                members.sort_unstable();
                let first = &design.columns[members[0]];
                let others = members[1..].iter();
                let others = others.map(|&m| ratio(first, &design.columns[m]).unwrap_or(1.0));
                let ratios = std::iter::once(1.0).chain(others).collect();
                Bucket { members, ratios }
            })
            .collect();
        buckets.sort_by_key(|b| b.members[0]);
        Self { buckets, empty }
    }

    /// One column per bucket: its first member, under the bucket's name.
    pub fn merge(&self, design: &Checked<Design>) -> Design {
        let columns = self
            .buckets
            .iter()
            .map(|b| design.columns[b.members[0]].clone())
            .collect();
        Design {
            columns,
            labels: design.labels.clone(),
            groups: design.groups.clone(),
            target: design.target.clone(),
            weights: design.weights.clone(),
        }
    }
}

impl Bucket {
    /// Makes another member the bucket's unit.
    pub fn lead_by(&mut self, at: usize) {
        let member = self.members.remove(at);
        let ratio = self.ratios.remove(at);
        self.members.insert(0, member);
        self.ratios.insert(0, ratio);
        for r in &mut self.ratios {
            *r /= ratio;
        }
    }

    /// Which inputs would separate the members, in words that follow "add"; none for a bucket of one.
    pub fn advice(&self, design: &Design) -> Option<String> {
        let name = |at: usize| &design.columns[self.members[at]].name;
        let more = match self.members.len() {
            0 | 1 => return None,
            2 => String::new(),
            3 => format!(" (likewise `{}`)", name(2)),
            n => format!(" (likewise {} others)", n - 2),
        };
        let ratio = if self.ratios[1] == 1.0 {
            String::new()
        } else {
            format!("{}·", multiplier(self.ratios[1]))
        };
        Some(format!(
            "inputs in which `{}` differs from {ratio}`{}`{more}",
            name(1),
            name(0)
        ))
    }

    /// `name`, or `name + 2 more`.
    pub fn name(&self, design: &Design) -> String {
        let first = &design.columns[self.members[0]].name;
        match self.members.len() - 1 {
            0 => first.clone(),
            more => format!("{first} + {more} more"),
        }
    }
}
