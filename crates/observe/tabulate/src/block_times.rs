//! Block times of several runs to one row per block.
//!
//! Limits: the variance comes from sums of whole nanoseconds that are exact to 128 bits, so that nothing cancels.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use pricetag_classfile::naming;
use pricetag_probe_plan::{BlockId, ClassHash, ClassPlan, PlanStore};
use pricetag_trace::{BlockTime, Record, Trace};

use crate::tabulator::TabulateError;

/// Times of one block over all runs, in ns.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockRow {
    /// Class, method and parameters.
    pub method: String,
    /// The block.
    pub block: BlockId,
    /// Source lines, ascending.
    pub lines: Vec<u16>,
    /// Executions that were timed.
    pub executions: u64,
    /// Mean time.
    pub mean: f64,
    /// Standard deviation of a single execution; none for a single one.
    pub deviation: Option<f64>,
    /// Shortest.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// First execution in each run, averaged over the runs.
    pub first: f64,
}

/// One row per block that ran, by class name, method and block; a class without plan has none.
///
/// # Errors
/// If a plan cannot be read.
pub fn block_rows(traces: &[Trace], plans: &PlanStore) -> Result<Vec<BlockRow>, TabulateError> {
    let mut times: BTreeMap<(ClassHash, u16, BlockId), Vec<BlockTime>> = BTreeMap::new();
    for record in traces.iter().flat_map(|trace| &trace.records) {
        if let Record::BlockTime(time) = record {
            let key = (time.hash, time.method, time.block);
            times.entry(key).or_default().push(*time);
        }
    }
    let mut classes: BTreeMap<ClassHash, Option<ClassPlan>> = BTreeMap::new();
    let mut rows = Vec::new();
    for ((hash, method, block), times) in times {
        let class = match classes.entry(hash) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(plans.load(hash)?),
        };
        let Some(class) = class else {
            continue;
        };
        let Some(planned) = class.methods.get(usize::from(method)) else {
            continue;
        };
        let name = naming::method(&class.name, &planned.name, &planned.descriptor);
        let lines = planned.blocks.get(block.0 as usize);
        let lines = lines.map_or_else(Vec::new, pricetag_probe_plan::BlockPlan::line_numbers);
        rows.push((class.name.clone(), method, row(name, block, lines, &times)));
    }
    rows.sort_by(|a, b| (&a.0, a.1, a.2.block).cmp(&(&b.0, b.1, b.2.block)));
    Ok(rows.into_iter().map(|row| row.2).collect())
}

fn row(method: String, block: BlockId, lines: Vec<u16>, times: &[BlockTime]) -> BlockRow {
    let executions: u64 = times.iter().map(|time| time.executions).sum();
    let sum: u128 = times.iter().map(|time| u128::from(time.sum_ns)).sum();
    let squares: u128 = times.iter().map(|time| time.sum_squares).sum();
    let n = u128::from(executions);
    // n Σx² − (Σx)² is n (n − 1) times the variance.
    let scaled = n
        .saturating_mul(squares)
        .saturating_sub(sum.saturating_mul(sum));
    let degrees = (executions > 1).then(|| n as f64 * (n - 1) as f64);
    let first: f64 = times.iter().map(|time| time.first_ns as f64).sum();
    BlockRow {
        method,
        block,
        lines,
        executions,
        mean: sum as f64 / n as f64,
        deviation: degrees.map(|degrees| (scaled as f64 / degrees).sqrt()),
        min: times.iter().map(|time| time.min_ns).min().unwrap_or(0),
        max: times.iter().map(|time| time.max_ns).max().unwrap_or(0),
        first: first / times.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statistics of the numbers themselves, by definition.
    #[test]
    fn runs_are_pooled_execution_by_execution() {
        let of = |times: &[u64]| BlockTime {
            hash: ClassHash(1),
            method: 0,
            block: BlockId(0),
            executions: times.len() as u64,
            sum_ns: times.iter().sum(),
            sum_squares: times.iter().map(|&t| u128::from(t).pow(2)).sum(),
            min_ns: *times.iter().min().expect("some"),
            max_ns: *times.iter().max().expect("some"),
            first_ns: times[0],
        };
        let (one, two) = (
            [1_000_000_007, 1_000_000_001],
            [1_000_000_004, 1_000_000_012],
        );
        let row = row(
            "A.m()".to_owned(),
            BlockId(0),
            vec![],
            &[of(&one), of(&two)],
        );
        let all = [7.0, 1.0, 4.0, 12.0];
        let mean = all.iter().sum::<f64>() / 4.0;
        let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 3.0;
        assert!((row.mean - 1e9 - mean).abs() < 1e-6);
        assert!((row.deviation.expect("four") - variance.sqrt()).abs() < 1e-9);
        assert_eq!(
            (row.executions, row.min, row.max),
            (4, 1_000_000_001, 1_000_000_012)
        );
        assert!((row.first - 1_000_000_005.5).abs() < 1e-6);
    }
}
