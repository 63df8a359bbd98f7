//! The cost of one call from the counts of its constructs and a price list.
//!
//! Time is Σ counts × prices (by the estimator `overlap`, those of the longest alternative in each part of the program), plus the collections' time; their number is ⌊bytes/H₀⌋ as if the call began with an empty minor heap
//! (Das and Hoffmann 2017, section 6). A construct that no training program supports makes the call's time unknown, by name. By `overlap` that is so only if it may be
//! in a longest alternative: one that was in none while learning has an upper bound, and what changes little even at that needs no price.
//! The time of constructs and that of collections have intervals of their own, each from training programs left out; a call's is their sum, as if both were off in the same
//! direction, so too wide rather than too narrow where both take time.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_cost_model::region::{Region, longest, longest_of};
use pricetag_cost_model::{Collector, CostModel, Formula, Found, Interval, OVERLAP, PriceList};
use pricetag_finding::{CallPart, CallPrediction};

use crate::PredictError;

/// Name of the feature that is 1 in every call.
const BASE: &str = "base";
/// What collections are called among the parts.
const COLLECTING: &str = "(collections)";

/// What is known about a call before it runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Its name.
    pub label: String,
    /// Its line.
    pub line: u32,
    /// How often each construct runs.
    pub counts: BTreeMap<String, f64>,
    /// Its parts, with what goes on at once in each.
    pub regions: Vec<Region>,
    /// What its collections find, if known.
    pub found: Option<Found>,
}

/// The prices used, of those in a list.
#[derive(Clone, Copy, Debug)]
pub struct Pricing<'a> {
    /// Time without collections.
    pub time: &'a CostModel,
    /// Bytes.
    pub bytes: &'a CostModel,
    /// Whether the prices are for the longest alternative of each part.
    pub overlapping: bool,
    /// The collector.
    pub collector: Option<&'a Collector>,
    /// Whether a collection costs the same whatever it promotes, as in the paper.
    pub constant_collections: bool,
}

impl<'a> Pricing<'a> {
    /// Prices of a mode, by the estimator named or the one chosen.
    pub fn of(
        list: &'a PriceList,
        mode: &str,
        estimator: Option<&str>,
    ) -> Result<Self, PredictError> {
        let missing = |wanted: String, available: Vec<&String>| PredictError::NoPrices {
            wanted,
            available: available
                .into_iter()
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
        };
        let prices = list
            .modes
            .get(mode)
            .ok_or_else(|| missing(format!("{mode} mode"), list.modes.keys().collect()))?;
        let name = estimator.unwrap_or(&prices.chosen);
        let time = prices.time.get(name).ok_or_else(|| {
            missing(
                format!("estimator {name} in {mode} mode"),
                prices.time.keys().collect(),
            )
        })?;
        Ok(Self {
            time,
            bytes: &prices.bytes,
            overlapping: name == OVERLAP,
            collector: list.collector.as_ref(),
            constant_collections: mode == "paper",
        })
    }
}

impl Pricing<'_> {
    /// The price of each construct that has one, where time is the sum of prices.
    pub fn constructs(&self) -> BTreeMap<String, f64> {
        let known = known(&self.time.formula);
        let names = self
            .time
            .domain
            .keys()
            .filter(|name| priced(self.time, name));
        names
            .map(|name| {
                (
                    name.clone(),
                    known.get(name.as_str()).copied().unwrap_or(0.0),
                )
            })
            .collect()
    }
}

/// Whether the learnt cost says anything about a construct: it occurred in training and its price could be determined.
fn priced(time: &CostModel, construct: &str) -> bool {
    let undetermined = time
        .prices
        .iter()
        .any(|p| p.price.is_none() && p.members.iter().any(|m| m == construct));
    time.domain.contains_key(construct) && !undetermined
}

/// Constructs that run and have no price.
fn lacking<'a>(
    time: &'a CostModel,
    counts: &'a BTreeMap<String, f64>,
) -> impl Iterator<Item = &'a String> {
    let running = counts.iter().filter(|(_, n)| **n > 0.0);
    running
        .map(|(name, _)| name)
        .filter(move |name| !priced(time, name))
}

/// What may raise a call's time by less than this share of it needs no price.
const NEGLIGIBLE: f64 = 0.05;

/// Constructs without a price in alternatives that may be the longest of their part, if that may matter to a call's time.
fn undecided(pricing: &Pricing, regions: &[Region], total: f64) -> BTreeSet<String> {
    let known = known(&pricing.time.formula);
    let price = |name: &str| known.get(name).copied().unwrap_or(0.0);
    let most = |name: &str| {
        if priced(pricing.time, name) {
            price(name)
        } else {
            upper_bound(pricing.time, name)
        }
    };
    let sum = |counts: &BTreeMap<String, f64>, price: &dyn Fn(&str) -> f64| -> f64 {
        let running = counts.iter().filter(|(_, n)| **n > 0.0);
        running.map(|(name, n)| n * price(name)).sum()
    };
    let (mut names, mut more) = (BTreeSet::new(), 0.0);
    for region in regions {
        let longest = longest_of(region, |c| sum(c, &price)).map_or(0.0, |l| l.0);
        let highest = longest_of(region, |c| sum(c, &most)).map_or(0.0, |l| l.0);
        more += highest - longest;
        let longer = region.iter().filter(|c| sum(c, &most) > longest);
        names.extend(longer.flat_map(|c| lacking(pricing.time, c)).cloned());
    }
    if more > NEGLIGIBLE * total {
        names
    } else {
        BTreeSet::new()
    }
}

/// The most that a construct without a price can cost.
fn upper_bound(time: &CostModel, construct: &str) -> f64 {
    let mut undetermined = time.prices.iter().filter(|p| p.price.is_none());
    let own = undetermined.find(|p| p.members.iter().any(|m| m == construct));
    own.and_then(|p| p.bounds)
        .map_or(f64::INFINITY, |(_, high)| high)
}

/// Prices of a sum, by name.
fn known(formula: &Formula) -> BTreeMap<&str, f64> {
    let mut prices = BTreeMap::new();
    if let Formula::Linear { terms, .. } = formula {
        prices.extend(terms.iter().map(|(price, name)| (name.as_str(), *price)));
    }
    prices
}

/// Predicts one call.
pub fn predict_call(pricing: &Pricing, call: &Call) -> CallPrediction {
    let mut all = call.counts.clone();
    all.insert(BASE.into(), 1.0);
    let counts = if pricing.overlapping {
        timed(&pricing.time.formula, call)
    } else {
        all.clone()
    };
    let mutator = total(&pricing.time.formula, &counts);
    let unpriced: BTreeSet<String> = if pricing.overlapping {
        undecided(pricing, &call.regions, mutator.unwrap_or(0.0))
    } else {
        lacking(pricing.time, &counts).cloned().collect()
    };
    let bytes = total(&pricing.bytes.formula, &all).map(|b| b.max(0.0));
    let collections = bytes
        .zip(pricing.collector)
        .map(|(bytes, c)| c.collections(bytes));
    let found = call.found.filter(|_| !pricing.constant_collections);
    let collecting = bytes
        .zip(pricing.collector)
        .map_or(0.0, |(bytes, c)| c.time(bytes, found));
    let time = mutator
        .filter(|_| unpriced.is_empty())
        .map(|t| (t + collecting).max(0.0));
    let parts = parts(&pricing.time.formula, &counts, collections, collecting);
    let interval = time
        .zip(pricing.time.interval.as_ref())
        .map(|(t, i)| bounds(pricing, i, t - collecting, collecting, &parts));
    CallPrediction {
        label: call.label.clone(),
        line: call.line,
        time,
        interval,
        collecting,
        bytes: bytes.filter(|_| unpriced.is_empty()),
        collections: collections.filter(|_| unpriced.is_empty()),
        promoted: call.found.map(|f| f.promoted),
        major: bytes
            .zip(pricing.collector)
            .zip(call.found)
            .is_some_and(|((bytes, c), found)| found.may_finish_major(bytes / c.heap)),
        parts,
        unpriced: unpriced.into_iter().collect(),
    }
}

/// Ends of the times of constructs and of collections together, as if both were at the same end. Where no factors were learnt for the rule of collections, those of
/// constructs are taken.
fn bounds(
    pricing: &Pricing,
    interval: &Interval,
    mutator: f64,
    collecting: f64,
    parts: &[CallPart],
) -> (f64, f64) {
    let share = |construct: &str| {
        let own = parts.iter().find(|p| p.construct == construct);
        own.filter(|_| mutator > 0.0)
            .map_or(0.0, |p| p.time / mutator)
    };
    let around = interval.factors(&share);
    let own = pricing.collector.and_then(|c| c.interval.as_ref());
    let collector = own
        .filter(|_| !pricing.constant_collections)
        .map_or(around, |i| i.factors(&|_| 0.0));
    (
        mutator * around.0 + collecting * collector.0,
        mutator * around.1 + collecting * collector.1,
    )
}

/// Counts of what takes the time, where much goes on at once.
fn timed(formula: &Formula, call: &Call) -> BTreeMap<String, f64> {
    let prices = known(formula);
    let price = |name: &str| prices.get(name).copied().unwrap_or(0.0);
    let mut counts = longest(&call.regions, &price);
    counts.insert(BASE.into(), 1.0);
    counts
}

fn total(formula: &Formula, counts: &BTreeMap<String, f64>) -> Option<f64> {
    formula
        .evaluate(&|name| Some(counts.get(name).copied().unwrap_or(0.0)))
        .ok()
        .filter(|v| v.is_finite())
}

/// Constructs by the time they carry, largest first.
fn parts(
    formula: &Formula,
    counts: &BTreeMap<String, f64>,
    collections: Option<f64>,
    collecting: f64,
) -> Vec<CallPart> {
    let Formula::Linear { terms, .. } = formula else {
        return vec![];
    };
    let mut parts: Vec<CallPart> = terms
        .iter()
        .filter_map(|(price, name)| {
            let count = counts.get(name).copied().filter(|n| *n != 0.0)?;
            Some(part(name, count, *price))
        })
        .collect();
    if let Some(k) = collections.filter(|_| collecting > 0.0) {
        parts.push(part(COLLECTING, k, collecting / k));
    }
    let all: f64 = parts.iter().map(|p| p.time).sum();
    for p in &mut parts {
        p.share = if all > 0.0 { p.time / all } else { 0.0 };
    }
    parts.sort_by(|a, b| {
        b.time
            .total_cmp(&a.time)
            .then_with(|| a.construct.cmp(&b.construct))
    });
    parts
}

fn part(construct: &str, count: f64, price: f64) -> CallPart {
    CallPart {
        construct: construct.to_owned(),
        count,
        price,
        time: count * price,
        share: 0.0,
    }
}
