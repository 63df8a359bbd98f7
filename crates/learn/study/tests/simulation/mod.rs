//! Programs that never ran: blocks made of opcodes and calls, with known prices, executed in phases.

use std::collections::BTreeMap;

use pricetag_dataset::{
    Dataset, Feature, FeatureId, FeatureKind, Measured, Meta, Observation, ObservationId, Part,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What to simulate.
pub struct Simulation {
    pub rows: usize,
    pub blocks: usize,
    pub opcodes: usize,
    pub calls: usize,
    /// Phases of the program: each executes a subset of the blocks in slowly changing proportions.
    pub phases: usize,
    /// Standard deviation of log(price / price of parts).
    pub departure: f64,
    /// Relative noise of a measurement.
    pub noise: f64,
    pub base: f64,
    pub seed: u64,
}

impl Default for Simulation {
    fn default() -> Self {
        Self {
            rows: 200,
            blocks: 640,
            opcodes: 25,
            calls: 12,
            phases: 12,
            departure: 0.6,
            noise: 0.02,
            base: 2e5,
            seed: 1,
        }
    }
}

/// A dataset and the truth behind it.
pub struct Simulated {
    pub dataset: Dataset,
    pub block_prices: Vec<f64>,
    #[allow(dead_code, reason = "not every test reads it")]
    pub noiseless: Vec<f64>,
}

pub struct Dice(Pcg64Mcg);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    pub fn uniform(&mut self) -> f64 {
        self.0.random::<u64>() as f64 / u64::MAX as f64
    }

    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().max(1e-300).ln()).sqrt()
            * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n)
    }
}

fn feature(name: String, kind: FeatureKind) -> Feature {
    Feature {
        name,
        kind,
        unit: "1".into(),
        ..Feature::default()
    }
}

/// Runs the simulation.
pub fn simulate(s: &Simulation) -> Simulated {
    let mut dice = Dice::new(s.seed);
    let mut data = Dataset {
        meta: Meta::default(),
        ..Dataset::default()
    };
    data.meta.cost_units.insert("wall".into(), "ns".into());
    let parts = s.opcodes + s.calls;
    let part_prices: Vec<f64> = (0..parts)
        .map(|p| {
            if p < s.opcodes {
                1.5 * (0.5 * dice.normal()).exp()
            } else {
                40.0 * dice.normal().exp()
            }
        })
        .collect();
    let mut composition = Vec::new();
    let mut block_prices = Vec::new();
    for _ in 0..s.blocks {
        let mut list: BTreeMap<usize, f64> = BTreeMap::new();
        for _ in 0..2 + dice.below(14) {
            *list.entry(dice.below(s.opcodes)).or_default() += 1.0;
        }
        if s.calls > 0 && dice.below(3) == 0 {
            *list.entry(s.opcodes + dice.below(s.calls)).or_default() += 1.0;
        }
        let prior: f64 = list.iter().map(|(p, n)| n * part_prices[*p]).sum();
        block_prices.push(prior * (s.departure * dice.normal()).exp());
        composition.push(list);
    }
    let phase_of: Vec<usize> = (0..s.blocks).map(|_| dice.below(s.phases)).collect();
    let rate: Vec<f64> = (0..s.blocks).map(|_| (1.5 * dice.normal()).exp()).collect();
    let mut counts = vec![Vec::new(); s.blocks];
    for row in 0..s.rows {
        let size = 2000.0 * (1.2 * dice.normal()).exp();
        let work: Vec<f64> = (0..s.phases)
            .map(|_| size * (0.7 * dice.normal()).exp())
            .collect();
        let mut total = s.base;
        for b in 0..s.blocks {
            let count = (work[phase_of[b]] * rate[b] * (0.25 * dice.normal()).exp()).round();
            if count > 0.0 {
                counts[b].push((ObservationId(row as u32), count));
                total += count * block_prices[b];
            }
        }
        let repeats = (0..3)
            .map(|_| total * (s.noise * dice.normal()).exp())
            .collect();
        data.observations.push(Observation {
            label: format!("input {row}"),
            costs: [("wall".to_owned(), Measured { repeats })].into(),
            ..Observation::default()
        });
        // The size is known before the run.
        if row == 0 {
            data.features
                .push(feature("size".into(), FeatureKind::Input));
            data.columns.push(Vec::new());
        }
        data.columns[0].push((ObservationId(row as u32), size.round()));
    }
    let noiseless = noiseless(s, &counts, &block_prices);
    let first = data.features.len() as u32;
    for (b, column) in counts.iter().enumerate() {
        data.features
            .push(feature(format!("block {b}"), FeatureKind::Block));
        data.columns.push(column.clone());
    }
    let first_part = data.features.len() as u32;
    for p in 0..parts {
        let (kind, name) = if p < s.opcodes {
            (FeatureKind::Opcode, "opcode")
        } else {
            (FeatureKind::Call, "call")
        };
        data.features.push(feature(format!("{name} {p}"), kind));
        let mut sums: BTreeMap<ObservationId, f64> = BTreeMap::new();
        for (b, list) in composition.iter().enumerate() {
            if let Some(amount) = list.get(&p) {
                for (row, count) in &counts[b] {
                    *sums.entry(*row).or_default() += amount * count;
                }
            }
        }
        data.columns.push(sums.into_iter().collect());
    }
    for (b, list) in composition.iter().enumerate() {
        for (p, amount) in list {
            data.parts.push(Part {
                whole: FeatureId(first + b as u32),
                part: FeatureId(first_part + *p as u32),
                amount: *amount,
            });
        }
    }
    data.features
        .push(feature("base price of a run".into(), FeatureKind::Base));
    data.columns.push(
        (0..s.rows)
            .map(|r| (ObservationId(r as u32), 1.0))
            .collect(),
    );
    Simulated {
        dataset: data,
        block_prices,
        noiseless,
    }
}

fn noiseless(s: &Simulation, counts: &[Vec<(ObservationId, f64)>], prices: &[f64]) -> Vec<f64> {
    let mut out = vec![s.base; s.rows];
    for (column, price) in counts.iter().zip(prices) {
        for (row, count) in column {
            out[row.0 as usize] += price * count;
        }
    }
    out
}
