//! The minor heap's size and the time of its collections.
//!
//! The number of collections is ⌊M/H₀⌋ (Das and Hoffmann, section 6): every observation with k collections bounds H₀ by
//! M/(k+1) < H₀ ≤ M/k, and what all bounds have in common is H₀. Where they contradict each other, the size that explains most
//! observations is taken. The time of collections is what is left of a run's time after its constructs: a·collections + b·(words promoted) + c·(calls on the stack,
//! which every collection looks through), all ≥ 0.
//! Runs in which a major collection was finished are left out of that: how much marking and sweeping fell into them is chance.

use std::collections::BTreeMap;

use pricetag_cost_model::{Collector, ModePrices, OVERLAP};
use pricetag_dataset::{Dataset, InputValue, Observation};
use pricetag_estimator::{Column, Design, Estimator, Values};
use pricetag_quantity::median;
use pricetag_regress::NonNegative;

use crate::{cost, overlap, rows};

/// The cost that counts major collections.
const MAJOR: &str = "major_collections";

/// With fewer runs than this without major collections, those with them are learnt from too.
const FEWEST: usize = 10;

/// Learns the linear rule from what extended prices leave and the constant one from what paper prices leave, or both from
/// what there is.
pub(crate) fn learn(
    tables: &BTreeMap<String, Dataset>,
    modes: &BTreeMap<String, ModePrices>,
) -> Option<Collector> {
    let left = |mode: &str| {
        let of_mode = tables.get_key_value(mode);
        let (name, table) = of_mode.or_else(|| tables.iter().next())?;
        let minor = |row: &Observation| cost(row, "collections") > 0.0;
        let pure = rows(table, &|row| minor(row) && cost(row, MAJOR) == 0.0);
        let collecting = if pure.observations.len() < FEWEST {
            rows(table, &minor)
        } else {
            pure
        };
        (!collecting.observations.is_empty()).then(|| remainders(&collecting, &modes[name]))
    };
    let (linear_left, constant_left) = (left("extended")?, left("paper")?);
    let table = tables.values().next()?;
    let observed: Vec<(f64, f64)> = table
        .observations
        .iter()
        .filter(|o| o.costs.contains_key("bytes"))
        .map(|o| (cost(o, "bytes"), cost(o, "collections")))
        .collect();
    let (heap, heap_bounds) = heap(&observed)?;
    let exact = observed
        .iter()
        .filter(|(bytes, k)| (bytes / heap).floor() == *k)
        .count();
    let each: Vec<f64> = constant_left
        .iter()
        .map(|(row, ns)| ns / cost(row, "collections"))
        .collect();
    let [per_collection, per_word, per_frame] = linear(&linear_left)?;
    Some(Collector {
        heap,
        heap_bounds,
        exact: (exact as u32, observed.len() as u32),
        constant: median(&each)?.max(0.0),
        per_collection,
        per_word,
        per_frame,
        support: linear_left.len() as u32,
    })
}

/// A size that explains as many observations as can be, and how far it could be moved without explaining fewer.
fn heap(observed: &[(f64, f64)]) -> Option<(f64, (f64, f64))> {
    let mut ends: Vec<f64> = observed
        .iter()
        .filter(|(m, _)| *m > 0.0)
        .flat_map(|(m, k)| {
            let above = m / (k + 1.0);
            if *k > 0.0 {
                vec![above, m / k]
            } else {
                vec![above]
            }
        })
        .collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let explains = |size: f64| {
        observed
            .iter()
            .filter(|(m, k)| (m / size).floor() == *k)
            .count()
    };
    let spans: Vec<(f64, f64)> = ends.windows(2).map(|w| (w[0], w[1])).collect();
    let (low, high) = spans
        .into_iter()
        .max_by_key(|(low, high)| explains(f64::midpoint(*low, *high)))?;
    Some((f64::midpoint(low, high), (low, high)))
}

/// Rows with what their constructs do not explain.
fn remainders(collecting: &Dataset, prices: &ModePrices) -> Vec<(Observation, f64)> {
    let Some(model) = prices.time.get(&prices.chosen) else {
        return vec![];
    };
    let overlapping = (prices.chosen == OVERLAP).then(|| overlap::predict(collecting, model));
    let dense: BTreeMap<&str, Vec<f64>> = collecting
        .features
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let id = pricetag_dataset::FeatureId(i as u32);
            (f.name.as_str(), collecting.dense(id))
        })
        .collect();
    collecting
        .observations
        .iter()
        .enumerate()
        .filter_map(|(row, o)| {
            let explained = match &overlapping {
                Some(times) => times[row],
                None => model
                    .formula
                    .evaluate(&|name| Some(dense.get(name).map_or(0.0, |c| c[row])))
                    .ok()?,
            };
            Some((o.clone(), cost(o, "ns") - explained))
        })
        .collect()
}

/// The input that holds how many calls collections find on the stack.
const FRAMES: &str = "frames";

fn frames(row: &Observation) -> f64 {
    match row.inputs.get(FRAMES) {
        Some(InputValue::Number(n)) => *n,
        _ => 0.0,
    }
}

/// a, b and c by non-negative least squares on errors relative to the whole run: small remainders of long runs are mostly noise.
fn linear(left: &[(Observation, f64)]) -> Option<[f64; 3]> {
    let column = |name: &str, value: &dyn Fn(&Observation) -> f64| Column {
        name: name.to_owned(),
        values: Values::Dense(left.iter().map(|(row, _)| value(row)).collect()),
    };
    let costs = ["collections", "promoted_words"];
    let mut columns = costs
        .map(|name| column(name, &|row| cost(row, name)))
        .to_vec();
    let known = left.iter().any(|(row, _)| frames(row) > 0.0);
    columns.extend(known.then(|| column(FRAMES, &frames)));
    let mut design = Design::new(columns, left.iter().map(|l| l.1).collect());
    design.weights = left
        .iter()
        .map(|(row, _)| cost(row, "ns").max(1.0).powi(-2))
        .collect();
    let fitted = NonNegative.fit(&design.check().ok()?).ok()?;
    let price = |i: usize| fitted.coefficients.get(i)?.estimate;
    let per_frame = if known { price(2)? } else { 0.0 };
    Some([price(0)?, price(1)?, per_frame])
}

#[cfg(test)]
mod tests {
    use super::*;
    use pricetag_dataset::Measured;

    #[test]
    fn the_heap_is_what_all_observations_allow() {
        let observed = [
            (500.0, 0.0),
            (990.0, 0.0),
            (1010.0, 1.0),
            (1990.0, 1.0),
            (2010.0, 2.0),
        ];
        let (heap, (low, high)) = heap(&observed).unwrap();
        assert!(
            low >= 990.0 && high <= 1010.0 && (low..high).contains(&heap),
            "{low} {heap} {high}"
        );
    }

    #[test]
    fn a_contradiction_costs_as_few_observations_as_can_be() {
        let observed = [(990.0, 0.0), (1010.0, 1.0), (1020.0, 0.0), (2010.0, 2.0)];
        let (size, _) = heap(&observed).unwrap();
        let exact = observed
            .iter()
            .filter(|(m, k)| (m / size).floor() == *k)
            .count();
        assert_eq!(exact, 3);
    }

    #[test]
    fn calls_on_the_stack_have_a_price_where_they_are_known() {
        let row = |k: f64, words: f64, calls: Option<f64>| {
            let costs = [("collections", k), ("promoted_words", words), ("ns", 1e6)];
            let costs = costs.map(|(name, x)| (name.to_owned(), Measured::new([x])));
            let calls = calls.map(|n| (FRAMES.to_owned(), InputValue::Number(n)));
            let row = Observation {
                costs: costs.into(),
                inputs: calls.clone().into_iter().collect(),
                ..Observation::default()
            };
            let time = 300.0 * k + 2.5 * words + 9.0 * frames(&row);
            (row, time)
        };
        let sizes = [
            (1.0, 500.0, 70.0),
            (2.0, 100.0, 9.0),
            (3.0, 900.0, 30.0),
            (1.0, 0.0, 0.0),
        ];
        for known in [true, false] {
            let rows = sizes.map(|(k, words, calls)| row(k, words, known.then_some(calls)));
            let [each, word, call] = linear(&rows).unwrap();
            assert!((each - 300.0).abs() < 1e-6 && (word - 2.5).abs() < 1e-6);
            assert!(
                (call - if known { 9.0 } else { 0.0 }).abs() < 1e-6,
                "{call}"
            );
        }
    }
}
