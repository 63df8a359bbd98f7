//! Processor time that is no method's: compilers, collector, class loading, the JVM's start.
//!
//! Each is measured in every sampled run, as a whole or by samples. How it depends on the run is a non-negative sum of what
//! a JVM does once per run (columns of the kind `cold`) and a constant, scaled so that it adds up to what was measured.

use std::collections::BTreeMap;

use faer::Mat;
use pricetag_cost_model::{Charge, ChargeKind};
use pricetag_dataset::FeatureKind;
use pricetag_profile::Role;
use pricetag_regress::nnls;

use super::Evidence;

/// Runs from which an activity is explained by more than a constant.
const ENOUGH: usize = 8;

impl Evidence<'_> {
    /// One account per activity; empty where scopes are looked at, whose runs do not tell it.
    pub(super) fn activities(&self, base: Option<&str>) -> Vec<Charge> {
        let Some(base) = base else {
            return Vec::new();
        };
        let mut measured: BTreeMap<ChargeKind, Vec<Amount>> = BTreeMap::new();
        for (index, run) in self.runs.iter().enumerate() {
            for (kind, amount) in self.amounts(run) {
                let of_kind = measured
                    .entry(kind)
                    .or_insert_with(|| vec![Amount::default(); self.runs.len()]);
                of_kind[index].add(amount);
            }
        }
        let columns = self.cold(base);
        measured
            .into_iter()
            .map(|(kind, amounts)| self.activity(kind, &amounts, &columns))
            .collect()
    }

    fn amounts(&self, run: &pricetag_profile::ProfiledRun) -> Vec<(ChargeKind, Amount)> {
        let found = self.accounts.by_method([run]);
        let beside = found.beside.iter().map(|(role, ns)| {
            let kind = match role {
                Role::C1 | Role::C2 => ChargeKind::Compilation,
                Role::Collector => ChargeKind::Collection,
                Role::Startup => ChargeKind::Startup,
                Role::Jvm => ChargeKind::Jvm,
                Role::NativeThreads => ChargeKind::Native,
                Role::Unwalked | Role::Unsampled => ChargeKind::Unknown,
            };
            (
                kind,
                Amount {
                    ns: *ns,
                    ..Amount::default()
                },
            )
        });
        let sampled = [
            (ChargeKind::Loading, found.loading),
            (ChargeKind::Startup, found.outside),
        ];
        let sampled = sampled.map(|(kind, activity)| {
            let amount = Amount {
                ns: activity.cpu_ns,
                variance: activity.squares,
                samples: activity.samples,
            };
            (kind, amount)
        });
        beside.chain(sampled).filter(|(_, a)| a.ns > 0.0).collect()
    }

    /// The base column and those of what a JVM does once, by sampled run: a run's observations summed up.
    fn cold<'n>(&'n self, base: &'n str) -> Vec<(&'n str, Vec<f64>)> {
        let rows: BTreeMap<&str, usize> = self
            .dataset
            .observations
            .iter()
            .enumerate()
            .map(|(row, observation)| (observation.label.as_str(), row))
            .collect();
        let of_runs = |values: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let of_run = |run: &&pricetag_profile::ProfiledRun| {
                let rows = run.rows.iter().filter_map(|label| rows.get(label.as_str()));
                rows.map(|&row| values(row)).sum()
            };
            self.runs.iter().map(of_run).collect()
        };
        let mut columns = vec![(base, of_runs(&|_| 1.0))];
        if self.runs.len() < ENOUGH {
            return columns;
        }
        let features = self.dataset.features.iter().zip(&self.dataset.columns);
        for (feature, column) in features.filter(|(f, _)| f.kind == FeatureKind::Cold) {
            let mut dense = vec![0.0; self.dataset.observations.len()];
            for (row, value) in column {
                dense[row.0 as usize] = *value;
            }
            columns.push((&feature.name, of_runs(&|row| dense[row])));
        }
        columns
    }

    fn activity(
        &self,
        kind: ChargeKind,
        amounts: &[Amount],
        columns: &[(&str, Vec<f64>)],
    ) -> Charge {
        let target: Vec<f64> = amounts.iter().map(|amount| amount.ns).collect();
        let sizes: Vec<f64> = columns
            .iter()
            .map(|(_, values)| values.iter().copied().fold(0.0, f64::max))
            .collect();
        let matrix = Mat::from_fn(target.len(), columns.len(), |row, column| {
            if sizes[column] > 0.0 {
                columns[column].1[row] / sizes[column]
            } else {
                0.0
            }
        });
        let found = nnls(&matrix, &target).x;
        let fitted: Vec<f64> = (0..target.len())
            .map(|row| {
                (0..columns.len())
                    .map(|c| matrix[(row, c)] * found[c])
                    .sum()
            })
            .collect();
        let (cost, all): (f64, f64) = (target.iter().sum(), fitted.iter().sum());
        let scale = if all > 0.0 { cost / all } else { 0.0 };
        let terms = columns
            .iter()
            .zip(found.iter().zip(&sizes))
            .filter(|(_, (price, size))| **price > 0.0 && **size > 0.0)
            .map(|((name, _), (price, size))| (scale * price / size, (*name).to_owned()))
            .collect();
        // Another recording of the same runs would differ by the samples' luck and by what its runs do otherwise.
        let freedom = target.len() as f64 - terms_of(&found);
        let squares: f64 = target
            .iter()
            .zip(&fitted)
            .map(|(y, f)| (y - scale * f).powi(2))
            .sum();
        let between = if freedom >= 1.0 {
            squares / freedom * target.len() as f64
        } else {
            0.0
        };
        let within: f64 = amounts.iter().map(|amount| amount.variance).sum();
        let samples: u32 = amounts.iter().map(|amount| amount.samples).sum();
        Charge {
            kind,
            method: None,
            terms,
            cost,
            factors: super::factors(cost, between.max(within).sqrt(), self.level),
            samples: (samples > 0).then_some(samples),
        }
    }
}

fn terms_of(prices: &[f64]) -> f64 {
    prices.iter().filter(|price| **price > 0.0).count() as f64
}

/// What one run spent on an activity.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    ns: f64,
    /// Of the samples, ns².
    variance: f64,
    samples: u32,
}

impl Amount {
    fn add(&mut self, other: Self) {
        self.ns += other.ns;
        self.variance += other.variance;
        self.samples += other.samples;
    }
}
