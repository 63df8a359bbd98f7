//! Laws of simple shapes that hold on every row: what a program passes on, counts or decides by.
//!
//! In this order: a constant; `x`; `a·x + b`; `x ± y`, `x·y`, each plus a constant; `a·x + b·y + c`; and what holds under conditions, 0 otherwise, or another such law
//! otherwise. Conditions are comparisons, several of them joined by a product. A threshold between two values may be anywhere: a number that stands in the
//! program's code is taken if one is there, compared ones first, else the roundest.
//!
//! [`Rows::usual`] is the same for conditions that do not decide all: all rows that differ from 0 meet them, and most of those that meet them differ from 0.

use pricetag_cost_model::{Comparison, Formula};
use pricetag_evolve::problem::roundest;

/// Columns that are tried in pairs.
const PAIRED: usize = 60;
/// Columns that are tried otherwise.
const TRIED: usize = 240;
/// Conditions that are joined.
const JOINED: usize = 5;
/// Different values of a column that one of two laws may be split at.
const SPLITS: usize = 24;
/// Share of rows that meet the conditions and differ from 0, at least, for a usual law.
const MOST: f64 = 0.75;

/// Columns by name over rows, a target, constants.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'r> {
    /// Names and values, those that are preferred first.
    pub columns: &'r [(String, Vec<f64>)],
    /// What is to be explained.
    pub target: &'r [f64],
    /// Numbers that stand in the code, those that are compared first.
    pub constants: &'r [f64],
}

/// Whether two numbers are the same but for rounding.
pub fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn feature(name: &str) -> Formula {
    Formula::Feature(name.to_owned())
}

fn plus(formula: Formula, constant: f64) -> Formula {
    if constant == 0.0 {
        formula
    } else {
        Formula::Sum(vec![formula, Formula::Constant(constant)])
    }
}

/// A number as it was meant: rounding of sums and quotients is taken out.
fn tidy(number: f64) -> f64 {
    let near = (number * 1e6).round() / 1e6;
    if same(near, number) { near } else { number }
}

impl Rows<'_> {
    /// A law that holds on all rows.
    pub fn exact(&self) -> Option<Formula> {
        let all: Vec<usize> = (0..self.target.len()).collect();
        self.plain(&all)
            .or_else(|| self.gated(&all))
            .or_else(|| self.split(&all))
    }

    fn columns(&self) -> impl Iterator<Item = &(String, Vec<f64>)> {
        self.columns.iter().take(TRIED)
    }

    /// A law without conditions on these rows.
    fn plain(&self, rows: &[usize]) -> Option<Formula> {
        let target = |row: usize| self.target[row];
        let first = target(*rows.first()?);
        if rows.iter().all(|&row| same(target(row), first)) {
            return Some(Formula::Constant(first));
        }
        for (name, values) in self.columns() {
            if rows.iter().all(|&row| same(values[row], target(row))) {
                return Some(feature(name));
            }
        }
        for (name, values) in self.columns() {
            if let Some((factor, constant)) = self.line(rows, values) {
                let scaled = if factor == 1.0 {
                    feature(name)
                } else {
                    Formula::Product(vec![Formula::Constant(factor), feature(name)])
                };
                return Some(plus(scaled, constant));
            }
        }
        self.pairs(rows)
    }

    /// `a·x + b` on rows of at least three different x.
    fn line(&self, rows: &[usize], values: &[f64]) -> Option<(f64, f64)> {
        let (low, high) = ends(rows, values)?;
        let middle = rows
            .iter()
            .any(|&row| !same(values[row], values[low]) && !same(values[row], values[high]));
        if !middle {
            return None;
        }
        let factor = tidy((self.target[high] - self.target[low]) / (values[high] - values[low]));
        let constant = tidy(self.target[low] - factor * values[low]);
        let holds = |&row: &usize| same(factor * values[row] + constant, self.target[row]);
        (factor != 0.0 && rows.iter().all(holds)).then_some((factor, constant))
    }

    /// Laws of two columns, on at least five rows.
    fn pairs(&self, rows: &[usize]) -> Option<Formula> {
        if rows.len() < 5 {
            return None;
        }
        let columns = || self.columns.iter().take(PAIRED);
        let shift = |combined: &dyn Fn(usize) -> f64| {
            let constant = tidy(self.target[rows[0]] - combined(rows[0]));
            let holds = |&row: &usize| same(combined(row) + constant, self.target[row]);
            rows.iter().all(holds).then_some(constant)
        };
        for (at, (a, x)) in columns().enumerate() {
            for (b, y) in columns().skip(at) {
                if a != b {
                    if let Some(constant) = shift(&|row| x[row] + y[row]) {
                        return Some(plus(Formula::Sum(vec![feature(a), feature(b)]), constant));
                    }
                    for ((plus_name, p), (minus_name, m)) in [((a, x), (b, y)), ((b, y), (a, x))] {
                        if let Some(constant) = shift(&|row| p[row] - m[row]) {
                            let negative = Formula::Product(vec![
                                Formula::Constant(-1.0),
                                feature(minus_name),
                            ]);
                            let difference = Formula::Sum(vec![feature(plus_name), negative]);
                            return Some(plus(difference, constant));
                        }
                    }
                }
                if let Some(constant) = shift(&|row| x[row] * y[row]) {
                    return Some(plus(
                        Formula::Product(vec![feature(a), feature(b)]),
                        constant,
                    ));
                }
            }
        }
        if rows.len() < 7 {
            return None;
        }
        for (at, (a, x)) in columns().enumerate() {
            for (b, y) in columns().skip(at + 1) {
                if let Some([p, q, constant]) = self.plane(rows, x, y) {
                    let term = |factor, name: &str| {
                        Formula::Product(vec![Formula::Constant(factor), feature(name)])
                    };
                    return Some(plus(Formula::Sum(vec![term(p, a), term(q, b)]), constant));
                }
            }
        }
        None
    }

    /// `a·x + b·y + c`, from three rows that are not in line.
    fn plane(&self, rows: &[usize], x: &[f64], y: &[f64]) -> Option<[f64; 3]> {
        let z = self.target;
        let (low, high) = ends(rows, x)?;
        let [dx, dy, dz] = [x, y, z].map(|v| v[high] - v[low]);
        let cross = |row: usize| dx * (y[row] - y[low]) - dy * (x[row] - x[low]);
        let third = rows
            .iter()
            .copied()
            .max_by(|a, b| cross(*a).abs().total_cmp(&cross(*b).abs()))?;
        let [ex, ey, ez] = [x, y, z].map(|v| v[third] - v[low]);
        let determinant = dx * ey - dy * ex;
        if determinant.abs() <= 1e-9 * (dx * ey).abs().max((dy * ex).abs()) {
            return None;
        }
        let p = tidy((dz * ey - dy * ez) / determinant);
        let q = tidy((dx * ez - dz * ex) / determinant);
        let constant = tidy(z[low] - p * x[low] - q * y[low]);
        let holds = |&row: &usize| same(p * x[row] + q * y[row] + constant, z[row]);
        (p != 0.0 && q != 0.0 && rows.iter().all(holds)).then_some([p, q, constant])
    }

    /// A law under joined conditions, and 0, or another constant that is frequent, where they are not met.
    fn gated(&self, rows: &[usize]) -> Option<Formula> {
        for rest in self.frequent(rows) {
            let (out, within): (Vec<usize>, Vec<usize>) =
                rows.iter().partition(|&&row| same(self.target[row], rest));
            let Some(law) = self.plain(&within) else {
                continue;
            };
            if let Some((condition, 0)) = self.conditions(&within, &out) {
                return Some(when(condition, law, Formula::Constant(rest)));
            }
        }
        None
    }

    /// The values that occur most often: the constant 0 first.
    fn frequent(&self, rows: &[usize]) -> Vec<f64> {
        let mut values: Vec<f64> = rows.iter().map(|&row| self.target[row]).collect();
        values.sort_by(f64::total_cmp);
        let mut counts: Vec<(f64, usize)> = Vec::new();
        for value in values {
            match counts.last_mut() {
                Some((last, count)) if same(*last, value) => *count += 1,
                _ => counts.push((value, 1)),
            }
        }
        counts.retain(|(value, count)| *count > 1 || *value == 0.0);
        counts.sort_by_key(|(value, count)| (*value != 0.0, std::cmp::Reverse(*count)));
        counts.into_iter().take(3).map(|(value, _)| value).collect()
    }

    /// Comparisons that all of `within` meet and that together rule out as many of `out` as can be; how many of these meet them all the same. Guessed numbers are
    /// used only if they rule out more.
    fn conditions(&self, within: &[usize], out: &[usize]) -> Option<(Formula, usize)> {
        let known = self.joined(within, out, Trust::Kind);
        if known.as_ref().is_some_and(|(_, left)| *left == 0) {
            return known;
        }
        let all = self.joined(within, out, Trust::Odd);
        match (known, all) {
            (Some(known), Some(all)) if known.1 <= all.1 => Some(known),
            (known, all) => all.or(known),
        }
    }

    /// The same with comparisons of at most this trust.
    fn joined(&self, within: &[usize], out: &[usize], limit: Trust) -> Option<(Formula, usize)> {
        let mut left: Vec<usize> = out.to_vec();
        let mut joined: Vec<Formula> = Vec::new();
        while !left.is_empty() && joined.len() < JOINED {
            let mut best: Option<(Vec<usize>, Trust, Formula)> = None;
            for (name, values) in self.columns() {
                for (formula, trust, rest) in self.comparisons(name, values, within, &left) {
                    let better = best.as_ref().is_none_or(|(known, known_trust, _)| {
                        (rest.len(), trust) < (known.len(), *known_trust)
                    });
                    if rest.len() < left.len() && better && trust <= limit {
                        best = Some((rest, trust, formula));
                    }
                }
            }
            let Some((rest, _, formula)) = best else {
                break;
            };
            left = rest;
            joined.push(formula);
        }
        let condition = match joined.len() {
            0 => return None,
            1 => joined.remove(0),
            _ => Formula::Product(joined),
        };
        Some((condition, left.len()))
    }

    /// Comparisons of a column that all of `within` meet: how far each is to be trusted, and who of `out` meets them, too.
    fn comparisons(
        &self,
        name: &str,
        values: &[f64],
        within: &[usize],
        out: &[usize],
    ) -> Vec<(Formula, Trust, Vec<usize>)> {
        let least = within
            .iter()
            .map(|&r| values[r])
            .fold(f64::INFINITY, f64::min);
        let most = within
            .iter()
            .map(|&r| values[r])
            .fold(f64::NEG_INFINITY, f64::max);
        let compared = |how: Comparison, number: f64| {
            Formula::Compare(
                how,
                Box::new(feature(name)),
                Box::new(Formula::Constant(number)),
            )
        };
        let rest = |meets: &dyn Fn(f64) -> bool| -> Vec<usize> {
            out.iter().copied().filter(|&r| meets(values[r])).collect()
        };
        let mut found = Vec::new();
        let below = out.iter().map(|&r| values[r]).filter(|&v| v < least);
        let below = below.fold(f64::NEG_INFINITY, f64::max);
        if below.is_finite() {
            let (number, mined) = self.threshold(below, least);
            let formula = compared(Comparison::Greater, number);
            found.push((formula, Trust::of(name, mined), rest(&|v| v >= least)));
        }
        let above = out.iter().map(|&r| values[r]).filter(|&v| v > most);
        let above = above.fold(f64::INFINITY, f64::min);
        if above.is_finite() {
            let (number, mined) = self.threshold(most, above);
            let formula = compared(Comparison::LessOrEqual, number);
            found.push((formula, Trust::of(name, mined), rest(&|v| v <= most)));
        }
        // Flags and kinds are compared as they are.
        let kinds = kinds(values);
        let trust = if kinds == 2 { Trust::Flag } else { Trust::Kind };
        if least == most && (above.is_finite() && below.is_finite() || kinds <= 8) {
            let rest = rest(&|v| v == least);
            found.insert(0, (compared(Comparison::Equal, least), trust, rest));
        } else if let Some(other) = single(out, values)
            && within.iter().all(|&r| values[r] != other)
            && kinds <= 8
        {
            found.insert(
                0,
                (compared(Comparison::NotEqual, other), trust, Vec::new()),
            );
        }
        found
    }

    /// A number in [low, high), and whether it stands in the code.
    fn threshold(&self, low: f64, high: f64) -> (f64, bool) {
        let mut inside = self.constants.iter().filter(|&&c| low <= c && c < high);
        match inside.next() {
            Some(&constant) => (constant, true),
            None => (roundest(low, high), false),
        }
    }

    /// One law above a threshold, another up to it.
    fn split(&self, rows: &[usize]) -> Option<Formula> {
        for (name, values) in self.columns.iter().take(PAIRED) {
            let mut steps: Vec<f64> = rows.iter().map(|&row| values[row]).collect();
            steps.sort_by(f64::total_cmp);
            steps.dedup();
            if steps.len() < 2 {
                continue;
            }
            let mut at: Vec<usize> = (1..steps.len()).collect();
            if at.len() > SPLITS {
                let mined = |&i: &usize| self.threshold(steps[i - 1], steps[i]).1;
                at.retain(mined);
            }
            for i in at {
                let (above, below): (Vec<usize>, Vec<usize>) =
                    rows.iter().partition(|&&row| values[row] >= steps[i]);
                if above.len() < 3 || below.len() < 3 {
                    continue;
                }
                if let Some(upper) = self.simple(&above)
                    && let Some(lower) = self.simple(&below)
                {
                    let (number, _) = self.threshold(steps[i - 1], steps[i]);
                    let condition = Formula::Compare(
                        Comparison::Greater,
                        Box::new(feature(name)),
                        Box::new(Formula::Constant(number)),
                    );
                    return Some(when(condition, upper, lower));
                }
            }
        }
        None
    }

    /// A law of at most one column.
    fn simple(&self, rows: &[usize]) -> Option<Formula> {
        let alone = Self {
            columns: &self.columns[..self.columns.len().min(PAIRED)],
            ..*self
        };
        alone.plain_of_one(rows)
    }

    fn plain_of_one(&self, rows: &[usize]) -> Option<Formula> {
        let four = &rows[..rows.len().min(4)];
        // What fails on four rows fails on all, and soon.
        (four.len() >= 3).then_some(())?;
        let target = |row: usize| self.target[row];
        let first = target(rows[0]);
        if rows.iter().all(|&row| same(target(row), first)) {
            return Some(Formula::Constant(first));
        }
        for (name, values) in self.columns {
            if rows.iter().all(|&row| same(values[row], target(row))) {
                return Some(feature(name));
            }
        }
        if rows.len() < 4 {
            return None;
        }
        for (name, values) in self.columns {
            if let Some((factor, constant)) = self.line(rows, values) {
                let scaled = Formula::Product(vec![Formula::Constant(factor), feature(name)]);
                return Some(plus(scaled, constant));
            }
        }
        None
    }

    /// A law that holds on most rows: what differs from 0 is exactly what the law says, and most of what meets the conditions differs from 0; or one law for nearly
    /// all.
    pub fn usual(&self) -> Option<Formula> {
        let rows = 0..self.target.len();
        let (out, within): (Vec<usize>, Vec<usize>) =
            rows.clone().partition(|&row| self.target[row] == 0.0);
        let law = self.plain(&within).filter(|_| within.len() >= 3)?;
        let (condition, left) = self.conditions(&within, &out).unwrap_or_else(|| {
            let always = Formula::Constant(1.0);
            (always, out.len())
        });
        let met = within.len() + left;
        let most = within.len() as f64 >= MOST * met as f64;
        most.then(|| match condition {
            Formula::Constant(_) => law,
            condition => when(condition, law, Formula::Constant(0.0)),
        })
    }
}

/// Which of several comparisons that part the rows alike is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    /// A size against a number that stands in the code.
    Mined,
    /// One of two values.
    Flag,
    /// One of few values.
    Kind,
    /// A size, against a number that is guessed.
    Guessed,
    /// A number that is no size, such as a hash.
    Odd,
}

impl Trust {
    fn of(name: &str, mined: bool) -> Self {
        let given = name.matches('.').count() == 0;
        let size = matches!(name.rsplit_once('.'), Some((_, "size" | "sizes"))) || given;
        match (size, mined) {
            (true, true) => Self::Mined,
            (true, false) => Self::Guessed,
            (false, _) => Self::Odd,
        }
    }
}

fn when(condition: Formula, then: Formula, otherwise: Formula) -> Formula {
    match (&then, &otherwise) {
        (Formula::Constant(one), Formula::Constant(zero)) if *one == 1.0 && *zero == 0.0 => {
            condition
        }
        _ => Formula::If {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        },
    }
}

/// Rows with the least and the largest value; none if these are the same.
fn ends(rows: &[usize], values: &[f64]) -> Option<(usize, usize)> {
    let by = |a: &&usize, b: &&usize| values[**a].total_cmp(&values[**b]);
    let (low, high) = (*rows.iter().min_by(by)?, *rows.iter().max_by(by)?);
    (values[low] < values[high]).then_some((low, high))
}

fn single(rows: &[usize], values: &[f64]) -> Option<f64> {
    let first = values[*rows.first()?];
    rows.iter().all(|&r| values[r] == first).then_some(first)
}

/// Different values, up to nine.
fn kinds(values: &[f64]) -> usize {
    let mut seen: Vec<f64> = Vec::new();
    for &value in values {
        if !seen.contains(&value) {
            seen.push(value);
            if seen.len() > 8 {
                break;
            }
        }
    }
    seen.len()
}
