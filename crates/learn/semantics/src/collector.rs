//! The minor heap's size and the time of its collections.
//!
//! The number of collections is ⌊M/H₀⌋ (Das and Hoffmann, section 6): every observation with k collections bounds H₀ by
//! M/(k+1) < H₀ ≤ M/k, and what all bounds have in common is H₀. Where they contradict each other, the size that explains most
//! observations is taken. The time of collections is what is left of a run's time after its constructs: a·collections + b·(words promoted) + c·(calls on the stack,
//! which every collection looks through) + d·(blocks that the promoted words are in) + e·(words alive before that major slices mark), all ≥ 0.
//! Errors relative to the whole run count as those of prices do: square while they are small, else absolute. Their interval comes from programs left out.
//! Runs in which a major collection was finished are left out of that: how much marking and sweeping fell into them is chance.

use std::collections::BTreeMap;

use pricetag_cost_model::{Collector, Found, Interval, ModePrices, OVERLAP};
use pricetag_dataset::{Dataset, InputValue, Observation};
use pricetag_estimator::{Column, Design, Estimator, Values};
use pricetag_quantity::median;
use pricetag_regress::NonNegative;
use pricetag_study::interval::interval;

use crate::interval::groups_with;
use crate::time::LEVEL;
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
    let runs: Vec<Remainder> = linear_left
        .iter()
        .map(|(row, ns)| Remainder::of(row, *ns, heap))
        .collect();
    let [
        per_collection,
        per_word,
        per_frame,
        per_block,
        per_marked_word,
    ] = linear(&runs)?;
    Some(Collector {
        heap,
        heap_bounds,
        exact: (exact as u32, observed.len() as u32),
        constant: median(&each)?.max(0.0),
        per_collection,
        per_word,
        per_frame,
        per_block,
        per_marked_word,
        interval: left_out(&runs),
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

/// An input of a row; 0 if it has none of that name.
fn input(row: &Observation, name: &str) -> f64 {
    match row.inputs.get(name) {
        Some(InputValue::Number(n)) => *n,
        _ => 0.0,
    }
}

/// What collections are charged for: their number, words promoted, calls on the stack, blocks promoted, words marked.
const CHARGES: usize = 5;

/// What constructs leave of a run's time, and what its collections are charged for.
#[derive(Clone, Debug)]
struct Remainder {
    group: String,
    /// Of the whole run.
    ns: f64,
    left: f64,
    charges: [f64; CHARGES],
}

impl Remainder {
    fn of(row: &Observation, left: f64, heap: f64) -> Self {
        let promoted = cost(row, "promoted_words");
        let found = Found {
            promoted,
            blocks: input(row, "blocks"),
            frames: input(row, "frames"),
            live: input(row, "live"),
        };
        let marked = found.marked(cost(row, "bytes") / heap);
        Self {
            group: row.group.clone(),
            ns: cost(row, "ns").max(1.0),
            left,
            charges: [
                cost(row, "collections"),
                promoted,
                found.frames,
                found.blocks,
                marked,
            ],
        }
    }

    fn time(&self, prices: &[f64; CHARGES]) -> f64 {
        let charges = self.charges.iter().zip(prices);
        charges.map(|(n, price)| n * price).sum()
    }
}

/// Turns of reweighting.
const TURNS: usize = 25;

/// Non-negative prices; what no run is charged for costs nothing.
fn linear(runs: &[Remainder]) -> Option<[f64; CHARGES]> {
    let used: Vec<usize> = (0..CHARGES)
        .filter(|&c| runs.iter().any(|r| r.charges[c] > 0.0))
        .collect();
    let columns = used.iter().map(|&c| Column {
        name: c.to_string(),
        values: Values::Dense(runs.iter().map(|r| r.charges[c]).collect()),
    });
    let mut design = Design::new(columns.collect(), runs.iter().map(|r| r.left).collect());
    let share = vec![1.0; runs.len()];
    let mut weights = share.clone();
    let mut prices = [0.0; CHARGES];
    for _ in 0..TURNS {
        // Relative to the whole run: small remainders of long runs are mostly noise.
        let relative = runs.iter().zip(&weights);
        design.weights = relative.map(|(r, w)| w / (r.ns * r.ns)).collect();
        let fitted = NonNegative.fit(&design.clone().check().ok()?).ok()?;
        for (c, coefficient) in used.iter().zip(&fitted.coefficients) {
            prices[*c] = coefficient.estimate?;
        }
        let errors: Vec<f64> = runs
            .iter()
            .map(|r| (r.time(&prices) - r.left) / r.ns)
            .collect();
        weights = overlap::weights(&errors, &share);
    }
    Some(prices)
}

/// Factors around the time of collections, from programs left out in turn where collections take most of the time: elsewhere what is left says more of constructs.
/// A program charged for what no other is charged for is passed over.
fn left_out(runs: &[Remainder]) -> Option<Interval> {
    let mut groups: Vec<&str> = runs.iter().map(|r| r.group.as_str()).collect();
    groups.sort_unstable();
    groups.dedup();
    let mut pairs = Vec::new();
    for group in groups {
        let (inside, others): (Vec<Remainder>, Vec<Remainder>) =
            runs.iter().cloned().partition(|r| r.group == group);
        let known = |c: usize| {
            let of = others.iter().map(|r| (r.group.as_str(), r.charges[c]));
            inside.iter().all(|r| r.charges[c] == 0.0) || groups_with(of) > 0
        };
        if !(0..CHARGES).all(known) {
            continue;
        }
        let prices = linear(&others)?;
        let mostly = inside.iter().filter(|r| r.left > r.ns / 2.0);
        pairs.extend(mostly.map(|r| (r.left, r.time(&prices))));
    }
    let mut interval = interval(&pairs, LEVEL)?;
    interval.method = format!("{} of programs left out in turn", interval.method);
    Some(interval)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn run(group: &str, charges: [f64; CHARGES], prices: [f64; CHARGES]) -> Remainder {
        let left = charges.iter().zip(prices).map(|(n, price)| n * price).sum();
        Remainder {
            group: group.into(),
            ns: left + 100.0,
            left,
            charges,
        }
    }

    const PRICES: [f64; CHARGES] = [300.0, 2.5, 9.0, 1.5, 2.0];

    const SIZES: [[f64; CHARGES]; 6] = [
        [1.0, 500.0, 70.0, 100.0, 0.0],
        [2.0, 100.0, 9.0, 0.0, 40.0],
        [3.0, 900.0, 30.0, 800.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, 90.0],
        [4.0, 10.0, 3.0, 0.0, 5.0],
        [2.0, 700.0, 10.0, 10.0, 300.0],
    ];

    #[test]
    fn whatever_collections_find_has_a_price_where_it_is_known() {
        for unknown in [None, Some(2), Some(3), Some(4)] {
            let mut prices = PRICES;
            let mut sizes = SIZES;
            if let Some(c) = unknown {
                prices[c] = 0.0;
                for charges in &mut sizes {
                    charges[c] = 0.0;
                }
            }
            let found = linear(&sizes.map(|charges| run("a", charges, prices))).unwrap();
            for (price, known) in found.iter().zip(prices) {
                assert!((price - known).abs() < 1e-6, "{unknown:?}: {found:?}");
            }
        }
    }

    #[test]
    fn a_run_that_the_charges_do_not_describe_moves_little() {
        let mut runs: Vec<Remainder> = (1..=40)
            .map(|n| run("a", [0.0, 1000.0 * f64::from(n), 0.0, 0.0, 0.0], PRICES))
            .collect();
        runs[20].left *= 3.0;
        runs[20].ns = runs[20].left + 100.0;
        let found = linear(&runs).unwrap();
        // Least squares of relative errors: 2.5 · (39 + 1/3) / (39 + 1/9).
        assert!(
            found[1] < 2.5 * (39.0 + 1.0 / 3.0) / (39.0 + 1.0 / 9.0),
            "{found:?}"
        );
        assert!(found[1] >= 2.5, "{found:?}");
    }

    #[test]
    fn programs_left_out_have_no_part_in_the_interval() {
        let mut runs: Vec<Remainder> = (0..6)
            .flat_map(|program| {
                let sizes = [1.0, 2.0, 3.0, 4.0];
                sizes.map(|n| {
                    let words = 1e4 * n;
                    run(&format!("p{program}"), [0.0, words, 0.0, 0.0, 0.0], PRICES)
                })
            })
            .collect();
        // One program takes twice what the others say; the rest is exact once it is left out or outweighed.
        for r in runs.iter_mut().filter(|r| r.group == "p5") {
            (r.left, r.ns) = (2.0 * r.left, 2.0 * r.left + 100.0);
        }
        let wide = left_out(&runs).unwrap();
        assert!((wide.upper - 2.0).abs() < 0.02, "{wide:?}");
        // Charged alone for something, it is passed over.
        for r in runs.iter_mut().filter(|r| r.group == "p5") {
            r.charges[2] = 10.0;
        }
        let narrow = left_out(&runs).unwrap();
        assert!(narrow.upper < 1.01 && narrow.lower > 0.99, "{narrow:?}");
    }
}
