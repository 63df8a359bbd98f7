//! What is bounded: a time by prices, bytes, how often a construct runs, how often a function is called.
//!
//! Costs are whole millionths of the unit, so that nothing is lost in adding them up; a price between two is rounded to the safe side.

use std::collections::BTreeMap;

use pricetag_miniml::Construct;
use pricetag_miniml::first_order::{Step, Unsized};

/// Which side of the cost the bound is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Never exceeded.
    Upper,
    /// Never undercut.
    Lower,
}

/// Millionths of a unit in a unit.
pub(crate) const MILLION: i64 = 1_000_000;

/// What is bounded.
#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    /// Nanoseconds by the prices of constructs, named as in a price list.
    Time(BTreeMap<String, f64>),
    /// Bytes, by the rules of paper mode.
    Bytes,
    /// How often a construct runs.
    Count(Construct),
    /// How often a function of that name is called.
    Calls(String),
}

impl Metric {
    /// What a bound is in.
    pub fn unit(&self) -> &str {
        match self {
            Self::Time(_) => "ns",
            Self::Bytes => "bytes",
            Self::Count(construct) => construct.name(),
            Self::Calls(_) => "calls",
        }
    }
}

/// A step that has no cost to add up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unpriced {
    /// A construct that has no price.
    #[error("the price list has no price for `{0}`")]
    Construct(String),
    /// Its cost hangs on what has no size.
    #[error("{0}: what that takes hangs on what has no size here")]
    Unsized(String),
}

/// The cost of each step.
#[derive(Debug)]
pub(crate) struct Costs {
    prices: BTreeMap<Construct, i64>,
    of_bytes: i64,
    calls: Option<String>,
    all_priced: bool,
    side: Side,
}

impl Costs {
    pub fn new(metric: &Metric, side: Side) -> Self {
        let whole = |price: f64| {
            let millionths = price.max(0.0) * MILLION as f64;
            let near = millionths.round();
            // A price with few digits is meant to be that number.
            (if (millionths - near).abs() < 1e-6 * near.max(1.0) {
                near
            } else if side == Side::Upper {
                millionths.ceil()
            } else {
                millionths.floor()
            }) as i64
        };
        let prices = match metric {
            Metric::Time(prices) => Construct::ALL
                .iter()
                .filter_map(|c| Some((*c, whole(*prices.get(c.name())?))))
                .collect(),
            Metric::Count(construct) => BTreeMap::from([(*construct, MILLION)]),
            _ => BTreeMap::new(),
        };
        Self {
            prices,
            of_bytes: if *metric == Metric::Bytes { MILLION } else { 0 },
            calls: match metric {
                Metric::Calls(name) => Some(name.clone()),
                _ => None,
            },
            all_priced: matches!(metric, Metric::Time(_)),
            side,
        }
    }

    /// Whether what is bounded is what has no size in a step.
    pub fn meets(&self, step: &Unsized) -> bool {
        let counted = |c: &Construct| !self.all_priced && self.prices.contains_key(c);
        self.all_priced && step.time
            || self.of_bytes > 0 && step.bytes
            || step.counted.iter().any(counted)
    }

    /// The cost of a step, in millionths.
    pub fn of(&self, step: &Step) -> Result<i64, Unpriced> {
        Ok(match step {
            Step::Charge(construct, n) => match self.prices.get(construct) {
                Some(price) => price.saturating_mul(*n as i64),
                None if self.all_priced => {
                    return Err(Unpriced::Construct(construct.name().to_owned()));
                }
                None => 0,
            },
            Step::Bytes(n) => self.of_bytes * *n as i64,
            Step::Enter(name) => {
                if self.calls.as_ref() == Some(name) {
                    MILLION
                } else {
                    0
                }
            }
            // It takes something: a lower bound leaves that out.
            Step::Unsized(step) if self.side == Side::Upper && self.meets(step) => {
                return Err(Unpriced::Unsized(step.what.clone()));
            }
            Step::Unsized(_) | Step::Bind(..) => 0,
        })
    }
}
