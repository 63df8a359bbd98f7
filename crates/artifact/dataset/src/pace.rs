//! The machine's pace: shared and laptop machines slow down for stretches, and a stretch rarely meets every repeat.
//!
//! Timing runs go in rounds: all inputs (or all calls of a warm JVM) once, then all again. So neighbouring rows of one
//! repeat were measured at nearly the same time, and a repeat that was slower than the others over a whole window of rows
//! was measured on a slower machine. Times are taken as cost × pace, with a pace that varies slowly along each repeat: over a
//! window of rows the quickest repeat is the yardstick, and another one's pace is the median of its ratios to it (a local
//! form of the median polish of a two-way table, Tukey 1977). Each time is divided by its pace. What makes the median of
//! three repeats slow, two of them on a slow machine, is mended too.
//!
//! All times are then multiplied by the pace that a repeat usually has, so that they stay those of a usual run and do not
//! become those of the luckiest. Limits: what slows all repeats of a window alike is not seen; nor is anything of one
//! repeat, of fewer rows than [`WINDOW`] twice, or of tables whose rows are in no known order.

use pricetag_quantity::{median, quantile};

use crate::model::{Dataset, Status};
use crate::noise::spread_of;

/// Rows over which the pace is taken to be constant.
pub const WINDOW: usize = 11;
/// Of the paces of a repeat this quantile is the usual one: most of a recording may be disturbed.
const USUAL: f64 = 0.2;
/// A run that took this many times as long as at the usual pace was slowed down.
const SLOW: f64 = 1.1;

/// How unsteady the machine was while it measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Share of the timed runs that took over a tenth longer than at the recording's usual pace.
    pub slowed: f64,
    /// How many times as long runs took where it was slowest.
    pub worst: f64,
}

impl Dataset {
    /// Whether rows stand in the order in which they were observed: those of recordings do, and only they say how often
    /// they repeat.
    pub fn in_order_of_runs(&self) -> bool {
        self.meta.options.contains_key("repeat")
    }

    /// The same dataset with times as they would be on a machine of even pace, unless they are already or cannot be.
    #[must_use]
    pub fn with_even_pace(mut self) -> Self {
        if self.stored_digest.is_some() || !self.in_order_of_runs() {
            return self;
        }
        self.stored_digest = Some(self.digest());
        self.noise = self.noises();
        let times = self
            .meta
            .cost_units
            .iter()
            .filter(|(_, unit)| *unit == "ns");
        let names: Vec<String> = times.map(|(name, _)| name.clone()).collect();
        for name in names {
            let paces = self.even_out(&name);
            let slow = paces.iter().filter(|p| **p > SLOW).count();
            if slow > 0 {
                let worst = paces.iter().copied().fold(1.0, f64::max);
                let slowed = slow as f64 / paces.len() as f64;
                self.pace.insert(name, Pace { slowed, worst });
            }
        }
        self
    }

    /// Evens out one cost; returns how slow the machine was in each run, as a multiple of its usual time.
    fn even_out(&mut self, cost: &str) -> Vec<f64> {
        let repeats = |row: &crate::Observation| row.costs.get(cost).map_or(0, |m| m.repeats.len());
        let most = self.observations.iter().map(repeats).max().unwrap_or(0);
        if most < 2 {
            return Vec::new();
        }
        let rows: Vec<usize> = (0..self.observations.len())
            .filter(|&i| {
                let row = &self.observations[i];
                row.status == Status::Ok
                    && repeats(row) == most
                    && row.costs[cost].repeats.iter().all(|t| *t > 0.0)
            })
            .collect();
        if rows.len() < 2 * WINDOW {
            return Vec::new();
        }
        let times: Vec<&[f64]> = rows
            .iter()
            .map(|&i| self.observations[i].costs[cost].repeats.as_slice())
            .collect();
        let middles: Vec<f64> = times.iter().map(|row| median(row).unwrap_or(1.0)).collect();
        let mut paces: Vec<Vec<f64>> = (0..rows.len())
            .map(|i| local(&times, &middles, i, None))
            .collect();
        let evened = rows.iter().enumerate().map(|(i, _)| {
            // By the others of the window: a row's own times would even themselves out.
            let paces = local(&times, &middles, i, Some(i));
            let evened = times[i].iter().zip(paces).map(|(time, pace)| time / pace);
            evened.collect::<Vec<f64>>()
        });
        let evened: Vec<Vec<f64>> = evened.collect();
        let left = spread_of(evened.iter().map(Vec::as_slice));
        let usual: Vec<f64> = (0..most)
            .filter_map(|k| quantile(&paces.iter().map(|p| p[k]).collect::<Vec<_>>(), USUAL))
            .collect();
        let usual = median(&usual).unwrap_or(1.0);
        if let Some(noise) = self.noise.get_mut(cost) {
            noise.evened = left;
        }
        for (&row, paces) in rows.iter().zip(&mut paces) {
            let Some(measured) = self.observations[row].costs.get_mut(cost) else {
                continue;
            };
            for (time, pace) in measured.repeats.iter_mut().zip(paces) {
                *pace /= usual;
                *time /= *pace;
            }
        }
        paces.concat()
    }
}

/// The pace of each repeat around a row: how many times as long as the quickest there. One row may be left out.
fn local(times: &[&[f64]], middles: &[f64], row: usize, without: Option<usize>) -> Vec<f64> {
    let first = row.saturating_sub(WINDOW / 2).min(times.len() - WINDOW);
    let rows: Vec<usize> = (first..first + WINDOW)
        .filter(|r| Some(*r) != without)
        .collect();
    let window: Vec<&[f64]> = rows.iter().map(|&r| times[r]).collect();
    let middles: Vec<f64> = rows.iter().map(|&r| middles[r]).collect();
    let against = |k: usize, yardstick: &[f64]| {
        let rows = window.iter().zip(yardstick);
        let ratios: Vec<f64> = rows.map(|(row, y)| row[k] / y).collect();
        median(&ratios).unwrap_or(1.0)
    };
    let repeats = 0..window[0].len();
    let by_middle: Vec<f64> = repeats.clone().map(|k| against(k, &middles)).collect();
    let quickest = repeats
        .clone()
        .min_by(|&a, &b| by_middle[a].total_cmp(&by_middle[b]));
    let yardstick: Vec<f64> = quickest
        .map(|k| window.iter().map(|row| row[k]).collect())
        .unwrap_or_default();
    repeats.map(|k| against(k, &yardstick).max(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Measured, Meta, Observation};

    /// Rows of three repeats: true cost × pace of the repeat there × noise of one percent.
    fn recorded(rows: usize, pace: impl Fn(usize, usize) -> f64) -> (Vec<f64>, Dataset) {
        let mut state = 7_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let truth: Vec<f64> = (0..rows).map(|_| 1e6 * (6.0 * random()).exp()).collect();
        let observations = (0..rows)
            .map(|i| {
                let repeats = (0..3)
                    .map(|k| truth[i] * pace(i, k) * (1.0 + 0.02 * (random() - 0.5)))
                    .collect();
                Observation {
                    costs: [("cpu".to_owned(), Measured { repeats })].into(),
                    ..Observation::default()
                }
            })
            .collect();
        let meta = Meta {
            cost_units: [("cpu".to_owned(), "ns".to_owned())].into(),
            options: [("repeat".to_owned(), "3".to_owned())].into(),
            ..Meta::default()
        };
        let dataset = Dataset {
            meta,
            observations,
            ..Dataset::default()
        };
        (truth, dataset)
    }

    /// Relative errors of the median repeat.
    fn errors(truth: &[f64], dataset: &Dataset) -> Vec<f64> {
        let rows = dataset.observations.iter().zip(truth);
        rows.map(|(row, t)| median(&row.costs["cpu"].repeats).unwrap() / t - 1.0)
            .collect()
    }

    #[test]
    fn stretches_that_slow_two_of_three_repeats_leave_no_trace() {
        // The second repeat is slow in rows 50 … 149, the third in 100 … 199: the median of rows 100 … 149 is 60 % off.
        let slow = |i: usize, k: usize| {
            let hit = k == 1 && (50..150).contains(&i) || k == 2 && (100..200).contains(&i);
            if hit { 1.6 } else { 1.0 }
        };
        let (truth, dataset) = recorded(300, slow);
        assert!(errors(&truth, &dataset).iter().any(|e| *e > 0.5));
        let even = dataset.clone().with_even_pace();
        for (i, e) in errors(&truth, &even).iter().enumerate() {
            assert!(e.abs() < 0.03, "row {i} is {e} off");
        }
        let pace = even.pace["cpu"];
        assert!((pace.slowed - 200.0 / 900.0).abs() < 0.02, "{pace:?}");
        assert!((pace.worst - 1.6).abs() < 0.05, "{pace:?}");
        // Two repeats of three differ by 60 % in most of the slow rows; the two percent of noise remain.
        let noise = even.noise("cpu").unwrap();
        assert_eq!(noise.raw, dataset.noise("cpu").unwrap().raw);
        assert!(noise.evened.unwrap() < 0.02, "{noise:?}");
        assert_eq!(even.clone().with_even_pace(), even);
        assert_eq!(even.digest(), dataset.digest());
    }

    #[test]
    fn a_quiet_machine_and_one_that_is_always_slower_change_little() {
        let (truth, dataset) = recorded(200, |_, _| 1.0);
        let quiet = dataset.with_even_pace();
        assert!(quiet.pace.is_empty());
        assert!(errors(&truth, &quiet).iter().all(|e| e.abs() < 0.015));
        // Two virtual machines compiled worse code than the third: usual is what most of them do.
        let (truth, dataset) = recorded(200, |_, k| [1.0, 1.08, 1.08][k]);
        let usual = dataset.with_even_pace();
        assert!(
            errors(&truth, &usual)
                .iter()
                .all(|e| (e - 0.08).abs() < 0.02)
        );
    }

    #[test]
    fn tables_in_no_known_order_and_short_ones_stay_as_they_are() {
        let slow = |i: usize, k: usize| if k == 0 && i < 10 { 2.0 } else { 1.0 };
        let (_, short) = recorded(2 * WINDOW - 1, slow);
        assert_eq!(
            short.clone().with_even_pace().observations,
            short.observations
        );
        let (_, mut foreign) = recorded(100, slow);
        let unit = "ns".to_owned();
        foreign.meta.cost_units.insert("never".to_owned(), unit);
        assert!(foreign.clone().with_even_pace().pace.contains_key("cpu"));
        foreign.meta.options.clear();
        assert_eq!(foreign.clone().with_even_pace(), foreign);
    }
}
