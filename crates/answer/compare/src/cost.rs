//! How measured costs differ, over the inputs that both sides have.

use pricetag_dataset::{Dataset, Measured};
use pricetag_finding::CostChange;
use pricetag_quantity::{mean_interval, median};

/// Confidence of the intervals of ratios.
const CONFIDENCE: f64 = 0.95;
/// Inputs below which a ratio has no interval.
const LEAST: usize = 3;

/// The change of each cost that both datasets have. `rows` are pairs of rows of one input.
pub(crate) fn changes(
    before: &Dataset,
    after: &Dataset,
    rows: &[(usize, usize)],
) -> Vec<CostChange> {
    let names = before.meta.cost_units.iter();
    names
        .filter_map(|(name, unit)| change(name, unit, before, after, rows))
        .collect()
}

fn change(
    name: &str,
    unit: &str,
    before: &Dataset,
    after: &Dataset,
    rows: &[(usize, usize)],
) -> Option<CostChange> {
    if after
        .meta
        .cost_units
        .get(name)
        .is_some_and(|other| other != unit)
    {
        return None;
    }
    let of = |dataset: &Dataset, row: usize| {
        let measured: Option<&Measured> = dataset.observations[row].costs.get(name);
        measured.and_then(|m| median(&m.repeats))
    };
    let pairs: Option<Vec<(f64, f64)>> = rows
        .iter()
        .map(|&(old, new)| of(before, old).zip(of(after, new)))
        .collect();
    let pairs = pairs.filter(|pairs| !pairs.is_empty())?;
    let positive = pairs.iter().all(|(old, new)| *old > 0.0 && *new > 0.0);
    let logs: Vec<f64> = pairs.iter().map(|(old, new)| (new / old).ln()).collect();
    // The error is that of the mean over inputs: what hits one side as a whole (another hour, another heap) is not in it.
    let interval = (positive && pairs.len() >= LEAST)
        .then(|| mean_interval(&logs, CONFIDENCE))
        .flatten();
    Some(CostChange {
        name: name.to_owned(),
        unit: unit.to_owned(),
        before: pairs.iter().map(|pair| pair.0).sum(),
        after: pairs.iter().map(|pair| pair.1).sum(),
        ratio: positive.then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp()),
        ratio_bounds: interval.map(|i| (i.low.exp(), i.high.exp())),
    })
}
