//! Noise of measurements, and which of the times measured is the one to explain.
//!
//! Noise is half the range of one input's repeats over their median; of a dataset, the median over its inputs. It is
//! taken from the repeats as they were measured. What an even pace leaves of it is told beside it.

use std::collections::BTreeMap;

use pricetag_quantity::{median, minimum, quantile};

use crate::model::{Dataset, Observation, Status};

/// The scope of rows that are stretches of an attached program's life.
const INTERVALS: &str = "interval";
/// Name of the cost that is the time for which the thread of `main` waited for a processor, ns.
pub const QUEUED: &str = "queued";
/// From this much processor time per wall time on a program does not wait.
const BUSY: f64 = 0.7;
/// Less waiting than this is not told.
const NOTABLE: f64 = 0.01;
/// Processor time follows wall time if their ratio differs by no more than this from input to input (median).
const FOLLOWS: f64 = 0.25;

/// How repeats of one input differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// As they were measured.
    pub raw: f64,
    /// Once the machine's pace is evened out, judged for each input by a pace that other inputs say; none if it is not.
    pub evened: Option<f64>,
}

/// Why a time is the one to explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// There is no other, or nothing speaks for another.
    Only,
    /// Processor time says the same as wall time and scatters less.
    Steadier {
        /// Wall time is so many times the processor time (median).
        wall: f64,
        /// Noise of both.
        noise: (f64, f64),
    },
    /// Rows are intervals: their length is no cost.
    Intervals,
    /// The program waits for a good part of its wall time.
    Waits(Waited),
    /// It runs whenever it gets a processor, but others used that for a notable part of its wall time.
    Crowded(Waited),
}

/// What a program waited for, as shares of its wall time over all inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waited {
    /// Processor time of all threads, which may be more than one.
    pub ran: f64,
    /// For what it wants; where the queue is not known, for both. At the least: another of its threads that runs hides it.
    pub share: f64,
    /// For a processor that others used, where that is known.
    pub queued: Option<f64>,
}

/// The cost that is meant unless one is named.
#[derive(Clone, Debug, PartialEq)]
pub struct Usual {
    /// Its name.
    pub cost: String,
    /// Why this one.
    pub why: Why,
}

impl Dataset {
    /// Noise of a cost; none without repeats.
    pub fn noise(&self, cost: &str) -> Option<Noise> {
        let kept = self.noise.get(cost).copied();
        kept.or_else(|| {
            let raw = spread_of(self.repeats(cost))?;
            Some(Noise { raw, evened: None })
        })
    }

    /// The cost that is meant unless one is named: wall time, or processor time where it says the same and scatters
    /// less; the only one there is otherwise.
    pub fn usual_cost(&self) -> Usual {
        let usual = |cost: &str, why| Usual {
            cost: cost.to_owned(),
            why,
        };
        let costs = self.costs();
        if !costs.contains_key("wall") {
            let mut names = costs.keys().copied();
            let only = names.next().filter(|_| names.next().is_none());
            return usual(only.unwrap_or("wall"), Why::Only);
        }
        if !costs.contains_key("cpu") {
            return usual("wall", Why::Only);
        }
        if self.meta.scope == INTERVALS {
            return usual("cpu", Why::Intervals);
        }
        let ratios: Vec<f64> = self.succeeded().filter_map(busy).collect();
        let Some(ratio) = median(&ratios) else {
            return usual("wall", Why::Only);
        };
        let off: Vec<f64> = ratios.iter().map(|r| (r / ratio - 1.0).abs()).collect();
        if let Some(waited) = self.waited() {
            // Of the time in which it had a processor, or wanted none.
            let free = 1.0 - waited.queued.unwrap_or(0.0);
            if waited.share > (1.0 - BUSY) * free {
                return usual("wall", Why::Waits(waited));
            }
            if ratio < BUSY {
                return usual("cpu", Why::Crowded(waited));
            }
        }
        let follows = median(&off).is_some_and(|off| off <= FOLLOWS);
        match (self.noise("cpu"), self.noise("wall")) {
            (Some(cpu), Some(wall)) if follows && cpu.raw < wall.raw => {
                let why = Why::Steadier {
                    wall: 1.0 / ratio,
                    noise: (cpu.raw, wall.raw),
                };
                usual("cpu", why)
            }
            _ => usual("wall", Why::Only),
        }
    }

    /// What the program waited for, by the measured sums; none where wall time or processor time is not measured for all inputs.
    pub fn waited(&self) -> Option<Waited> {
        let wall = self.total("wall").filter(|wall| *wall > 0.0)?;
        let ran = self.total("cpu")? / wall;
        // Compilers work beside a program that waits; it waits for collections itself.
        let own = self.total("thread_cpu").map_or(ran, |threads| {
            let paused = self.total("collection_time").unwrap_or(0.0);
            ran.min((threads + paused) / wall)
        });
        let queued = self.total(QUEUED).map(|ns| ns / wall);
        let share = (1.0 - own - queued.unwrap_or(0.0)).max(0.0);
        Some(Waited { ran, share, queued })
    }

    /// The share of wall time in which the program did not run, for whatever reason, where that is notable.
    pub fn waiting(&self) -> Option<f64> {
        let waited = self.waited().filter(|_| self.meta.scope != INTERVALS)?;
        // The queue of `main` may be longer than what all threads together did not run.
        let all = waited.share + waited.queued.unwrap_or(0.0);
        let idle = 1.0 - self.total("cpu")? / self.total("wall")?;
        Some(all.min(idle)).filter(|share| *share >= NOTABLE)
    }

    /// The sum of a cost over the inputs; none if it was not measured for each.
    fn total(&self, cost: &str) -> Option<f64> {
        self.succeeded()
            .map(|row| row.costs.get(cost)?.value())
            .sum()
    }

    fn succeeded(&self) -> impl Iterator<Item = &Observation> {
        self.observations.iter().filter(|o| o.status == Status::Ok)
    }

    fn repeats<'a>(&'a self, cost: &'a str) -> impl Iterator<Item = &'a [f64]> {
        let rows = self.succeeded();
        rows.filter_map(move |row| row.costs.get(cost).map(|m| m.repeats.as_slice()))
    }

    /// Noise of all costs as they stand.
    pub(crate) fn noises(&self) -> BTreeMap<String, Noise> {
        let names = self.costs().into_keys().map(str::to_owned);
        names
            .filter_map(|name| Some((name.clone(), self.noise(&name)?)))
            .collect()
    }
}

/// Processor time per wall time.
fn busy(row: &Observation) -> Option<f64> {
    let time = |name| row.costs.get(name)?.value().filter(|time| *time > 0.0);
    Some(time("cpu")? / time("wall")?)
}

/// Median of the spreads of the rows that were measured more than once.
pub(crate) fn spread_of<'a>(rows: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
    median(&rows.filter_map(spread).collect::<Vec<_>>())
}

fn spread(repeats: &[f64]) -> Option<f64> {
    let middle = median(repeats).filter(|middle| *middle > 0.0 && repeats.len() > 1)?;
    Some((quantile(repeats, 1.0)? - minimum(repeats)?) / 2.0 / middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Measured, Meta};

    /// Ten inputs; (wall, cpu) of the repeats of input `i`.
    fn timed(scope: &str, repeats: impl Fn(f64) -> Vec<(f64, f64)>) -> Dataset {
        let rows = (1..=10).map(|i| {
            let (wall, cpu) = repeats(f64::from(i)).into_iter().unzip();
            let measured = |repeats| Measured { repeats };
            Observation {
                costs: [
                    ("wall".to_owned(), measured(wall)),
                    ("cpu".to_owned(), measured(cpu)),
                ]
                .into(),
                ..Observation::default()
            }
        });
        Dataset {
            observations: rows.collect(),
            meta: Meta {
                scope: scope.to_owned(),
                ..Meta::default()
            },
            ..Dataset::default()
        }
    }

    #[test]
    fn noise_is_half_the_range_over_the_median() {
        let dataset = timed("main", |i| vec![(9.0 * i, i), (10.0 * i, i), (12.0 * i, i)]);
        let noise = dataset.noise("wall").unwrap();
        assert!((noise.raw - 0.15).abs() < 1e-12 && noise.evened.is_none());
        assert_eq!(dataset.noise("alloc"), None);
        let once = timed("main", |i| vec![(i, i)]);
        assert_eq!(once.noise("wall"), None);
    }

    #[test]
    fn processor_time_where_it_says_the_same_and_scatters_less() {
        let steady = timed("main", |i| vec![(1.0 * i, i), (1.5 * i, 1.02 * i)]);
        let found = steady.usual_cost();
        assert_eq!(found.cost, "cpu");
        let Why::Steadier { wall, noise } = found.why else {
            panic!("{found:?}")
        };
        assert!(wall > 1.0 && noise.0 < 0.02 && noise.1 > 0.15, "{found:?}");
        // Wall scatters less.
        let quiet = timed("main", |i| vec![(1.1 * i, i), (1.1 * i, 1.2 * i)]);
        assert_eq!(
            (quiet.usual_cost().cost.as_str(), quiet.usual_cost().why),
            ("wall", Why::Only)
        );
        // Measured once: nothing is known of noise.
        let once = timed("main", |i| vec![(1.1 * i, i)]);
        assert_eq!(once.usual_cost().cost, "wall");
    }

    #[test]
    fn a_program_that_waits_has_wall_time() {
        let waits = timed("main", |i| vec![(4.0 * i, i), (8.0 * i, i)]);
        let found = waits.usual_cost();
        assert_eq!(found.cost, "wall");
        let Why::Waits(Waited {
            share,
            queued: None,
            ..
        }) = found.why
        else {
            panic!("{found:?}")
        };
        assert!((share - 5.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn who_waits_for_a_processor_alone_has_processor_time() {
        let with_queue = |part: f64| {
            let mut dataset = timed("main", |i| vec![(4.0 * i, i)]);
            for (row, i) in dataset.observations.iter_mut().zip(1..) {
                let repeats = vec![part * 4.0 * f64::from(i)];
                row.costs.insert(QUEUED.to_owned(), Measured { repeats });
            }
            dataset.usual_cost()
        };
        let crowded = with_queue(0.7);
        assert_eq!(crowded.cost, "cpu");
        let Why::Crowded(waited) = crowded.why else {
            panic!("{crowded:?}")
        };
        assert_eq!(waited.queued, Some(0.7));
        assert!((waited.share - 0.05).abs() < 1e-12);
        // Of 0.55 in which it had a processor, or wanted none, it waited 0.3.
        let both = with_queue(0.45);
        assert_eq!(both.cost, "wall", "{both:?}");
        let waits = with_queue(0.25);
        assert_eq!(waits.cost, "wall");
        assert_eq!(
            waits.why,
            Why::Waits(Waited {
                ran: 0.25,
                share: 0.5,
                queued: Some(0.25)
            })
        );
    }

    #[test]
    fn compilers_that_work_meanwhile_do_not_hide_that_a_program_waits() {
        let mut dataset = timed("main", |i| vec![(4.0 * i, 3.9 * i)]);
        for (row, i) in dataset.observations.iter_mut().zip(1..) {
            for (cost, part) in [("thread_cpu", 1.6), ("collection_time", 0.4)] {
                let repeats = vec![part * f64::from(i)];
                row.costs.insert(cost.to_owned(), Measured { repeats });
            }
        }
        let waited = dataset.waited().unwrap();
        assert!((waited.share - 0.5).abs() < 1e-12, "{waited:?}");
        assert_eq!(dataset.usual_cost().cost, "wall");
    }

    #[test]
    fn an_interval_has_what_was_done_in_it() {
        let attached = timed("interval", |i| vec![(100.0, i)]);
        assert_eq!(
            (
                attached.usual_cost().cost.as_str(),
                attached.usual_cost().why
            ),
            ("cpu", Why::Intervals)
        );
    }
}
