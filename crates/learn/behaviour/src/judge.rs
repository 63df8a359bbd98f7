//! One formula for one table: found on some rows, judged on the others.

use std::cmp::Reverse;

use pricetag_cost_model::Formula;
use pricetag_estimator::{Column, Design, Estimator as _, Values, relative_weights};
use pricetag_evolve::{Control, GeneticProgramming, Limits};
use pricetag_regress::Mars;
use pricetag_services::{Kind, Law, Quality, Rival};

use crate::Options;
use crate::rows::Table;
use crate::shapes::{Rows, same};

/// Columns that a search is given.
const SEARCHED: usize = 12;
/// Generations without a better formula after which a search ends.
const STAGNATION: u32 = 15;
/// A usual law holds on so many rows, at least.
const USUAL: f64 = 0.6;

/// The law for a table; none if `search` is off and no law of simple shape is exact.
pub(crate) fn judged(
    kind: &Kind,
    per_pass: bool,
    table: &Table,
    constants: &[f64],
    options: &Options,
    search: bool,
) -> Option<Law> {
    if table.target.iter().any(|y| !y.is_finite()) || table.target.is_empty() {
        return None;
    }
    let known: Vec<usize> = rows(table, false);
    let part = restricted(table, &known);
    let judge = |formula: Formula, method: &str| {
        let mut law = weigh(kind, per_pass, table, formula, method);
        if law.quality == Quality::Exact {
            law.rivals.clear();
        }
        law
    };
    let simple = exact(&part, constants).map(|formula| judge(formula, "shapes"));
    if let (Some(law), false) = (&simple, search)
        && law.quality != Quality::Exact
    {
        // Some calls that were kept aside contradict: all are learnt from, and none is left to check.
        let everything: Vec<usize> = (0..table.target.len()).collect();
        let formula = exact(&restricted(table, &everything), constants)?;
        let mut law = judge(formula, "shapes");
        (law.rows, law.checked, law.held) = (everything.len(), 0, 0);
        return Some(law);
    }
    if simple
        .as_ref()
        .is_some_and(|law| law.quality == Quality::Exact)
    {
        return simple;
    }
    if !search {
        return None;
    }
    // What holds on all rows learnt from but not on all others may depend on state, too.
    let shapes = Rows {
        columns: &part.columns,
        target: &part.target,
        constants,
    };
    let usual = simple.or_else(|| shapes.usual().map(|formula| judge(formula, "shapes")));
    let columns = relevant(&part);
    let mut design = design(&part, &columns);
    if *kind == Kind::Time {
        // First calls are slow whatever their size: errors count relative to the time.
        design.weights = relative_weights(&part.target);
    }
    let found = |formula: Option<Formula>, method: &str| Some(judge(formula?, method));
    let evolved = found(evolve(&design, &part, constants, options), "gp");
    let mars = found(mars(&design), "mars");
    let mean = judge(Formula::Constant(mean(&part.target)), "mean");
    if let Some(evolved) = evolved.as_ref().filter(|law| law.quality == Quality::Exact) {
        return Some(evolved.clone());
    }
    if let Some(mut usual) = usual.filter(|law| law.probability >= USUAL) {
        usual.quality = Quality::Usual;
        return Some(usual);
    }
    let mut rivals = Vec::new();
    for law in [mars.as_ref(), Some(&mean)].into_iter().flatten() {
        rivals.push(Rival {
            method: law.method.clone(),
            error: law.error,
            fitted: law.fitted,
        });
    }
    let error = |law: &Law| law.error.unwrap_or(f64::INFINITY);
    let mut best = evolved.or(mars).unwrap_or_else(|| mean.clone());
    if error(&best) >= error(&mean) {
        best = mean;
        best.quality = Quality::Unexplained;
    }
    best.rivals = rivals;
    Some(best)
}

/// A law of simple shape on all rows of a table. The number of the pass explains by chance what something else decides: it comes last.
fn exact(table: &Table, constants: &[f64]) -> Option<Formula> {
    let others: Vec<_> = table
        .columns
        .iter()
        .filter(|(name, _)| name != "pass")
        .cloned()
        .collect();
    let rows = |columns| Rows {
        columns,
        target: &table.target,
        constants,
    };
    let without = rows(&others).exact();
    without
        .or_else(|| (others.len() < table.columns.len()).then(|| rows(&table.columns).exact())?)
}

fn rows(table: &Table, aside: bool) -> Vec<usize> {
    let all = table.aside.iter().enumerate();
    all.filter(|(_, kept)| **kept == aside)
        .map(|(row, _)| row)
        .collect()
}

/// The table with these rows alone, without columns that no longer vary.
fn restricted(table: &Table, rows: &[usize]) -> Table {
    let pick = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&row| values[row]).collect() };
    let columns = table
        .columns
        .iter()
        .map(|(name, values)| (name.clone(), pick(values)));
    let varies = |(_, values): &(String, Vec<f64>)| values.windows(2).any(|w| w[0] != w[1]);
    Table {
        columns: columns.filter(varies).collect(),
        target: pick(&table.target),
        aside: vec![false; rows.len()],
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// A formula's value on a row; NaN if it has none.
fn value(formula: &Formula, table: &Table, row: usize) -> f64 {
    let of = |name: &str| {
        let mut columns = table.columns.iter();
        columns
            .find(|(n, _)| n == name)
            .map(|(_, values)| values[row])
    };
    formula.evaluate(&of).unwrap_or(f64::NAN)
}

/// Judges a formula on all rows, above all on those kept aside.
fn weigh(kind: &Kind, per_pass: bool, table: &Table, formula: Formula, method: &str) -> Law {
    let (known, aside) = (rows(table, false), rows(table, true));
    let exact = |row: usize| same(value(&formula, table, row), table.target[row]);
    let held = aside.iter().filter(|&&row| exact(row)).count();
    let all = known.len() + aside.len();
    let right = held + known.iter().filter(|&&row| exact(row)).count();
    let foretold = (0..all).filter(|&row| value(&formula, table, row) != 0.0);
    let foretold: Vec<bool> = foretold.map(exact).collect();
    let error = |rows: &[usize]| {
        let off: f64 = rows
            .iter()
            .map(|&row| (value(&formula, table, row) - table.target[row]).abs())
            .sum();
        let size: f64 = rows.iter().map(|&row| table.target[row].abs()).sum();
        if off == 0.0 {
            Some(0.0)
        } else {
            (size > 0.0 && off.is_finite()).then(|| off / size)
        }
    };
    let fitted = error(&known);
    let error = if aside.is_empty() {
        fitted
    } else {
        error(&aside)
    };
    let quality = if right == all {
        Quality::Exact
    } else {
        Quality::Approximate
    };
    Law {
        kind: kind.clone(),
        per_pass,
        text: formula.text().replace('`', ""),
        formula,
        quality,
        method: method.to_owned(),
        rows: known.len(),
        checked: aside.len(),
        held,
        error,
        fitted,
        probability: if foretold.is_empty() {
            right as f64 / all.max(1) as f64
        } else {
            foretold.iter().filter(|&&holds| holds).count() as f64 / foretold.len() as f64
        },
        rivals: Vec::new(),
    }
}

/// Columns that go most with the target, or with whether it is 0; by place, preferred ones first among equals.
fn relevant(table: &Table) -> Vec<usize> {
    let zero: Vec<f64> = table.target.iter().map(|y| f64::from(*y != 0.0)).collect();
    let scores = table.columns.iter().map(|(_, values)| {
        let score = correlation(values, &table.target).max(correlation(values, &zero));
        (score * 1e6).round() as i64
    });
    let mut places: Vec<(Reverse<i64>, usize)> =
        scores.enumerate().map(|(i, s)| (Reverse(s), i)).collect();
    places.sort_unstable();
    let mut chosen: Vec<usize> = places.into_iter().take(SEARCHED).map(|(_, i)| i).collect();
    chosen.sort_unstable();
    chosen
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (mx, my) = (mean(x), mean(y));
    let products = x.iter().zip(y).map(|(a, b)| (a - mx) * (b - my));
    let squares = |v: &[f64], m: f64| v.iter().map(|a| (a - m).powi(2)).sum::<f64>();
    let scale = (squares(x, mx) * squares(y, my)).sqrt();
    if scale > 0.0 {
        (products.sum::<f64>() / scale).abs()
    } else {
        0.0
    }
}

fn design(table: &Table, columns: &[usize]) -> Design {
    let column = |&place: &usize| Column {
        name: table.columns[place].0.clone(),
        values: Values::Dense(table.columns[place].1.clone()),
    };
    Design::new(columns.iter().map(column).collect(), table.target.clone())
}

/// The formula of the search's front that generalised cross-validation finds best: counts have no noise, so the front's simplest explanation is often too rough.
fn evolve(design: &Design, table: &Table, constants: &[f64], options: &Options) -> Option<Formula> {
    let parts = |c: &&f64| {
        design.columns.iter().any(|column| {
            let values = || column.values.entries().map(|(_, v)| v);
            values().any(|v| v <= **c) && values().any(|v| v > **c)
        })
    };
    let gp = GeneticProgramming {
        seed: options.seed,
        constants: constants.iter().filter(parts).take(50).copied().collect(),
        limits: Limits {
            generations: options.generations,
            stagnation: Some(STAGNATION),
            ..Limits::default()
        },
        ..GeneticProgramming::default()
    };
    let checked = design.clone().check().ok()?;
    let evolution = gp.evolve(&checked, Control::default(), None).ok()?;
    let rows = table.target.len() as f64;
    let validated = |formula: &Formula| {
        let squares: f64 = (0..table.target.len())
            .map(|row| {
                design.weights[row] * (value(formula, table, row) - table.target[row]).powi(2)
            })
            .sum();
        let left = 1.0 - (1.0 + numbers(formula) as f64) / rows;
        if left > 0.0 && squares.is_finite() {
            squares / left.powi(2)
        } else {
            f64::INFINITY
        }
    };
    let delivered = evolution.fitted.formula;
    let front = evolution.front.into_iter().map(|c| c.formula);
    front
        .chain([delivered])
        .map(|formula| (validated(&formula), formula))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, formula)| formula)
}

/// Numbers in a formula that the data decide.
fn numbers(formula: &Formula) -> usize {
    match formula {
        Formula::Constant(_) => 1,
        Formula::Linear { terms, .. } => 1 + terms.len(),
        other => other.parts().into_iter().map(numbers).sum(),
    }
}

fn mars(design: &Design) -> Option<Formula> {
    let checked = design.clone().check().ok()?;
    Mars::default()
        .fit(&checked)
        .ok()
        .map(|fitted| fitted.formula)
}
