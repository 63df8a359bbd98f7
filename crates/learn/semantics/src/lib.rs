//! Learns a price list: what constructs cost in time and bytes, and what the garbage collector costs.
//!
//! Das and Hoffmann, *ML for ML* (TACAS 2017), sections 2 to 6: the cost of a program is Σ counts × prices, learnt by several
//! regressions from small programs; the number of minor collections is ⌊M/H₀⌋. Deviations: prices come with intervals and support; what does not grow
//! with any program's size gets no price; a collection's time is a + b·(words promoted) instead of a constant, which is kept beside it.
//! A table names its rows' programs as groups and has the costs `ns`, `bytes`, `collections` and `promoted_words`.

mod bytes;
mod collector;
mod interval;
mod overlap;
mod platform;
mod time;

use std::collections::BTreeMap;

use pricetag_cost_model::{ModePrices, OVERLAP, PRICE_LIST_SCHEMA, PriceList, region};
use pricetag_dataset::{Dataset, FeatureKind, Measured, Observation, ObservationId, Status};
use pricetag_study::FitError;

pub use platform::platform_prices;
pub use time::{CHOSEN, ESTIMATORS};

/// Growth of a count between the sizes of one program that makes it supported.
const GROWTH: f64 = 100.0;

/// Why there is no price list.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// No table at all.
    #[error("there is no table of counts to learn from")]
    NoTable,
    /// Nothing could be measured.
    #[error("none of the {total} measurements succeeded; the first failed because: {reason}")]
    NothingMeasured {
        /// Rows.
        total: usize,
        /// Of the first row.
        reason: String,
    },
    /// A fit failed.
    #[error("learning {what} in {mode} mode: {source}")]
    Fit {
        /// Time or bytes.
        what: String,
        /// Charging rules.
        mode: String,
        /// Why.
        source: FitError,
    },
}

/// Learns from one table for each set of charging rules; the tables hold the same measurements.
pub fn learn(tables: &BTreeMap<String, Dataset>, seed: u64) -> Result<PriceList, LearnError> {
    let first = tables.values().next().ok_or(LearnError::NoTable)?;
    if !first.observations.iter().any(|o| o.status == Status::Ok) {
        return Err(LearnError::NothingMeasured {
            total: first.observations.len(),
            reason: first
                .observations
                .iter()
                .find_map(|o| o.reason.clone())
                .unwrap_or_else(|| "there are none".into()),
        });
    }
    let mut modes = BTreeMap::new();
    for (mode, table) in tables {
        modes.insert(mode.clone(), mode_prices(mode, table, seed)?);
    }
    let collector = collector::learn(tables, &modes);
    Ok(PriceList {
        schema: PRICE_LIST_SCHEMA,
        kind: "price-list".into(),
        platform: first.meta.platform.clone(),
        modes,
        collector,
        measurements: first.digest(),
        options: first.meta.options.clone(),
        notes: first.meta.notes.clone(),
        pricetag: env!("CARGO_PKG_VERSION").into(),
    })
}

fn mode_prices(mode: &str, table: &Dataset, seed: u64) -> Result<ModePrices, LearnError> {
    let unsupported = unsupported(table);
    let table = without(table, &unsupported);
    let mut time = time::learn(mode, &table, seed)?;
    let overlapping = overlap::learn(&table, &unsupported, seed);
    let chosen = if overlapping.is_some() {
        OVERLAP
    } else {
        CHOSEN
    };
    time.extend(overlapping.map(|model| (OVERLAP.to_owned(), model)));
    Ok(ModePrices {
        chosen: chosen.into(),
        time,
        bytes: bytes::learn(mode, &table, seed)?,
        unsupported,
    })
}

/// A cost of a row.
pub(crate) fn cost(row: &Observation, name: &str) -> f64 {
    row.costs.get(name).and_then(Measured::value).unwrap_or(0.0)
}

/// Features that grow within no group: a count that occurs once a run cannot be told from the base price.
fn unsupported(table: &Dataset) -> Vec<String> {
    let mut out = Vec::new();
    for (feature, column) in table.features.iter().zip(&table.columns) {
        if feature.name == "base"
            || feature.kind == FeatureKind::Input
            || region::parse_column(&feature.name).is_some()
        {
            continue;
        }
        let mut ranges: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for (row, value) in column {
            let group = table.observations[row.0 as usize].group.as_str();
            let range = ranges.entry(group).or_insert((*value, *value));
            *range = (range.0.min(*value), range.1.max(*value));
        }
        if ranges.values().all(|(low, high)| high - low < GROWTH) {
            out.push(feature.name.clone());
        }
    }
    out
}

/// The table without some features.
fn without(table: &Dataset, names: &[String]) -> Dataset {
    let mut out = table.clone();
    let keep: Vec<bool> = out
        .features
        .iter()
        .map(|f| !names.contains(&f.name))
        .collect();
    let mut kept = keep.iter();
    out.features.retain(|_| *kept.next().unwrap_or(&true));
    let mut kept = keep.iter();
    out.columns.retain(|_| *kept.next().unwrap_or(&true));
    out
}

/// The rows that a rule picks.
pub(crate) fn rows(table: &Dataset, pick: &dyn Fn(&Observation) -> bool) -> Dataset {
    let mut new = vec![None; table.observations.len()];
    let mut observations = Vec::new();
    for (i, row) in table.observations.iter().enumerate() {
        if row.status == Status::Ok && pick(row) {
            new[i] = Some(ObservationId(observations.len() as u32));
            observations.push(row.clone());
        }
    }
    Dataset {
        meta: table.meta.clone(),
        observations,
        features: table.features.clone(),
        columns: table
            .columns
            .iter()
            .map(|c| {
                c.iter()
                    .filter_map(|(row, v)| Some((new[row.0 as usize]?, *v)))
                    .collect()
            })
            .collect(),
        ..Dataset::default()
    }
}
