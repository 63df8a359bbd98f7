//! Charges: prices that sampled runs bear out.
//!
//! Samples say how much processor time each method took, counts how often its blocks ran; the quotient is a price. A method
//! with few samples leans on what its work is worth elsewhere ([`pricetag_regress::sampled`]). Inside a method, time is
//! divided by where its frames stood and, where samples are few, by the work of its blocks. What is no method's (compilers,
//! collector, class loading) is measured run by run and follows what a JVM does once per run ([`activities`]).
//!
//! Limits: shares are of processor time, whatever time is the target; a price is a mean over the sampled runs, so that code
//! that is cold in one run and hot in another has a price in between.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pricetag_cost_model::{Charge, ChargeKind, Charges, MethodKey};
use pricetag_dataset::{Dataset, FeatureId, FeatureKind, Measured};
use pricetag_profile::{Accounts, MethodId, Profile, ProfiledRun, Within};
use pricetag_regress::{Sampled, rates};
use statrs::distribution::{ContinuousCDF, Gamma, Normal};

mod activities;
mod threads;

/// Samples that the work of a method's blocks counts as, where its time is divided among them.
const WORK_COUNTS_AS: f64 = 4.0;
/// Variance of the samples of a method over that of a Poisson count, as measured on repeated profiles.
const OVERDISPERSION: f64 = 1.1;

/// What is charged: processor time or allocated bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matter {
    Time,
    Bytes,
}

/// Unit of times, and the cost in bytes that allocations are sampled of.
const NANOSECONDS: &str = "ns";
const ALLOCATED: &str = "alloc";
/// The cost of which waiting is a part.
const WALL: &str = "wall";
/// The cost that is the processor time of threads that run Java, and the scope in which the other threads are known.
const JAVA_THREADS: &str = "thread_cpu";
const PROCESS: &str = "main";
/// The costs that samples of processor time divide. Others may be of one thread, or of time in which nothing ran.
const SAMPLED: [&str; 2] = [WALL, "cpu"];

/// The charges of a cost by the samples of these observations; none without samples in methods, or for a cost that samples
/// say nothing of.
pub(crate) fn charges(
    dataset: &Dataset,
    target: &str,
    observations: &[usize],
    level: f64,
) -> Option<Charges> {
    let profile = dataset.profile.as_ref()?;
    let unit = dataset.meta.cost_units.get(target)?;
    let matter = match (unit.as_str(), target) {
        (NANOSECONDS, target) if SAMPLED.contains(&target) => Matter::Time,
        (_, ALLOCATED) => Matter::Bytes,
        _ => return None,
    };
    let evidence = Evidence::of(dataset, profile, observations, level)?;
    evidence.charges(matter, target, observations)
}

/// A method of the program, or several of one name, and its counted features.
#[derive(Default)]
struct Subject {
    samples: f64,
    /// Time or bytes.
    amount: f64,
    ids: Vec<MethodId>,
    blocks: Vec<Block>,
}

struct Block {
    feature: FeatureId,
    /// Executions in the sampled runs.
    count: f64,
    /// Units of each kind of work in one execution.
    work: [f64; KINDS],
    pcs: Option<(u32, u32)>,
}

/// Kinds of work: instructions of its own, and calls that leave the counted code.
const KINDS: usize = 2;

struct Evidence<'a> {
    dataset: &'a Dataset,
    profile: &'a Profile,
    accounts: Accounts<'a>,
    runs: Vec<&'a ProfiledRun>,
    /// Observations that the runs cover, and how many runs do.
    covered: HashMap<usize, f64>,
    /// Nominal coverage of intervals.
    level: f64,
}

impl<'a> Evidence<'a> {
    fn of(
        dataset: &'a Dataset,
        profile: &'a Profile,
        observations: &[usize],
        level: f64,
    ) -> Option<Self> {
        let rows: HashMap<&str, usize> = dataset
            .observations
            .iter()
            .enumerate()
            .map(|(row, observation)| (observation.label.as_str(), row))
            .collect();
        let allowed: BTreeSet<usize> = observations.iter().copied().collect();
        let (mut runs, mut covered) = (Vec::new(), HashMap::new());
        for run in &profile.runs {
            let of_run: Vec<usize> = run
                .rows
                .iter()
                .filter_map(|label| rows.get(label.as_str()).copied())
                .collect();
            if of_run.iter().any(|row| allowed.contains(row)) {
                runs.push(run);
                for row in of_run {
                    *covered.entry(row).or_default() += 1.0;
                }
            }
        }
        (!runs.is_empty()).then(|| Self {
            dataset,
            profile,
            accounts: Accounts::of(profile, &Within::of(&dataset.meta.scope)),
            runs,
            covered,
            level,
        })
    }

    fn charges(&self, matter: Matter, target: &str, observations: &[usize]) -> Option<Charges> {
        let subjects = self.subjects(matter);
        let samples: f64 = subjects.values().map(|subject| subject.samples).sum();
        let amount: f64 = subjects.values().map(|subject| subject.amount).sum();
        if samples <= 0.0 || amount <= 0.0 {
            return None;
        }
        // What one sample stands for.
        let each = amount / samples;
        let posterior = match matter {
            Matter::Time => rates(&Sampled {
                samples: subjects.values().map(|s| s.amount / each).collect(),
                work: subjects.values().map(Subject::work).collect(),
            }),
            // What work is worth in bytes depends on what it is: only samples speak.
            Matter::Bytes => pricetag_regress::Rates {
                weights: vec![0.0; KINDS],
                expected: Vec::new(),
                mean: subjects.values().map(|s| s.amount / each).collect(),
                deviation: subjects
                    .values()
                    .map(|s| s.amount / each / s.samples.max(1.0).sqrt())
                    .collect(),
            },
        };
        let places = self.places(matter);
        let base = self.base();
        let mut accounts: Vec<Charge> = Vec::new();
        for (index, (key, subject)) in subjects.iter().enumerate() {
            let (mean, deviation) = (posterior.mean[index], posterior.deviation[index]);
            if mean <= 0.0 {
                continue;
            }
            let cost = mean * each;
            accounts.push(Charge {
                kind: ChargeKind::Method,
                method: Some(key.clone()),
                terms: self.divide(subject, cost, &posterior.weights, &places, base),
                cost,
                factors: factors(mean, deviation * OVERDISPERSION.sqrt(), self.level),
                samples: Some(subject.samples.round() as u32),
            });
        }
        match matter {
            Matter::Time => accounts.extend(self.activities(base)),
            Matter::Bytes => accounts.extend(self.bytes_outside(base)),
        }
        accounts.retain(|account| account.cost > 0.0 && !account.terms.is_empty());
        if matter == Matter::Time {
            threads::level(&mut accounts, self.clocks());
        }
        let waiting = self.dataset.waiting().filter(|_| target == WALL);
        let runs = 1.0 - waiting.unwrap_or(0.0);
        let scale = self.scale(&accounts, target, observations)?;
        for account in &mut accounts {
            account.cost *= scale * runs;
            for (price, _) in &mut account.terms {
                *price *= scale * runs;
            }
        }
        accounts.extend(waiting.and_then(|share| self.waits(&accounts, share, base)));
        accounts.sort_by(|a, b| {
            b.cost
                .total_cmp(&a.cost)
                .then_with(|| a.method.cmp(&b.method))
        });
        Some(Charges {
            accounts,
            samples: samples.round() as u32,
            runs: self.runs.len() as u32,
            level: self.level,
        })
    }

    /// Of the processor time of runs without samples, the share of the threads that run Java; none where that was not measured. Of the observations that were sampled.
    fn clocks(&self) -> Option<f64> {
        let rows = || self.dataset.observations.iter().enumerate();
        let sum = |cost: &str| -> Option<f64> {
            let covered = rows().filter(|(row, _)| self.covered.contains_key(row));
            covered
                .map(|(_, observation)| observation.costs.get(cost)?.value())
                .sum()
        };
        let share = sum(JAVA_THREADS)? / sum("cpu")?;
        (self.dataset.meta.scope == PROCESS && share > 0.0 && share < 1.0).then_some(share)
    }

    /// Executions in the sampled runs.
    fn count(&self, feature: usize) -> f64 {
        let column = &self.dataset.columns[feature];
        let covered = |row: u32| self.covered.get(&(row as usize)).copied().unwrap_or(0.0);
        column
            .iter()
            .map(|(row, value)| value * covered(row.0))
            .sum()
    }

    /// Methods of the program by name: those that samples fell on, and those that were counted.
    fn subjects(&self, matter: Matter) -> BTreeMap<MethodKey, Subject> {
        let found = self.accounts.by_method(self.runs.iter().copied());
        let mut subjects: BTreeMap<MethodKey, Subject> = BTreeMap::new();
        for (&id, spread) in &found.methods {
            let method = &self.profile.methods[id.0 as usize];
            // What the JVM's log of compilations names has no parameters, and no samples: it is on the line of compiling.
            if method.descriptor.is_empty() {
                continue;
            }
            let subject = subjects
                .entry(key(&method.class, &method.name, &method.descriptor))
                .or_default();
            let (amount, samples) = match matter {
                Matter::Time => (spread.running(), spread.samples),
                Matter::Bytes => (spread.bytes, spread.allocations),
            };
            subject.amount += amount;
            subject.samples += f64::from(samples);
            subject.ids.push(id);
        }
        let mut work: HashMap<FeatureId, [f64; KINDS]> = HashMap::new();
        for part in &self.dataset.parts {
            let kind = match self.dataset.features[part.part.0 as usize].kind {
                FeatureKind::Opcode => 0,
                FeatureKind::Call => 1,
                _ => continue,
            };
            work.entry(part.whole).or_default()[kind] += part.amount;
        }
        let has_blocks = (self.dataset.features.iter()).any(|f| f.kind == FeatureKind::Block);
        let wanted = if has_blocks {
            FeatureKind::Block
        } else {
            FeatureKind::Method
        };
        for (index, feature) in self.dataset.features.iter().enumerate() {
            let (true, Some(class), Some(method), Some(descriptor)) = (
                feature.kind == wanted,
                &feature.class,
                &feature.method,
                &feature.descriptor,
            ) else {
                continue;
            };
            let count = self.count(index);
            if count <= 0.0 {
                continue;
            }
            let id = FeatureId(index as u32);
            let length = feature
                .pcs
                .map_or(1.0, |(start, end)| f64::from(end - start) / 2.0);
            let subject = subjects.entry(key(class, method, descriptor)).or_default();
            subject.blocks.push(Block {
                feature: id,
                count,
                work: work.get(&id).copied().unwrap_or([length, 0.0]),
                pcs: feature.pcs,
            });
        }
        subjects
    }

    /// Time or bytes by method and by where its frame stood.
    fn places(&self, matter: Matter) -> BTreeMap<(MethodId, Option<u32>), f64> {
        match matter {
            Matter::Time => self.accounts.by_place(self.runs.iter().copied()),
            Matter::Bytes => self.accounts.bytes_by_place(self.runs.iter().copied()),
        }
    }

    /// A feature that is 1 in every observation.
    fn base(&self) -> Option<&'a str> {
        let mut features = self.dataset.features.iter();
        let base = features.find(|feature| feature.kind == FeatureKind::Base)?;
        Some(&base.name)
    }

    /// Divides a method's cost among its blocks.
    fn divide(
        &self,
        subject: &Subject,
        cost: f64,
        weights: &[f64],
        places: &BTreeMap<(MethodId, Option<u32>), f64>,
        base: Option<&str>,
    ) -> Vec<(f64, String)> {
        if subject.blocks.is_empty() {
            // Not counted: what is known of it is its mean over the observations.
            let observations: f64 = self.covered.values().sum();
            return Vec::from_iter(base.map(|base| (cost / observations, base.to_owned())));
        }
        let by_work: Vec<f64> = subject
            .blocks
            .iter()
            .map(|b| b.count * b.worth(weights))
            .collect();
        let mut seen = vec![0.0; subject.blocks.len()];
        for id in &subject.ids {
            for ((_, at), amount) in places.range((*id, None)..=(*id, Some(u32::MAX))) {
                let inside = |block: &Block| {
                    let (start, end) = block.pcs?;
                    (start..end).contains(&(*at)?).then_some(())
                };
                if let Some(at) = subject.blocks.iter().position(|b| inside(b).is_some()) {
                    seen[at] += amount;
                }
            }
        }
        let each = if subject.samples > 0.0 {
            subject.amount / subject.samples
        } else {
            1.0
        };
        let (all_work, all_seen): (f64, f64) = (by_work.iter().sum(), seen.iter().sum());
        let leaning = WORK_COUNTS_AS * each;
        let share = |work: f64, seen: f64| {
            let by_work = if all_work > 0.0 {
                work / all_work
            } else {
                1.0 / subject.blocks.len() as f64
            };
            (seen + leaning * by_work) / (all_seen + leaning)
        };
        let blocks = subject.blocks.iter().zip(by_work.iter().zip(&seen));
        blocks
            .map(|(block, (&work, &seen))| {
                let price = cost * share(work, seen) / block.count;
                let feature = &self.dataset.features[block.feature.0 as usize];
                (price, feature.name.clone())
            })
            .filter(|(price, _)| *price > 0.0)
            .collect()
    }

    /// What is left of wall time beside that in which the program ran.
    fn waits(&self, running: &[Charge], share: f64, base: Option<&str>) -> Option<Charge> {
        let ran: f64 = running.iter().map(|account| account.cost).sum();
        let cost = ran * share / (1.0 - share);
        let observations: f64 = self.covered.values().sum();
        Some(Charge {
            kind: ChargeKind::Waiting,
            method: None,
            terms: vec![(cost / observations, base?.to_owned())],
            cost,
            factors: (1.0, 1.0),
            samples: None,
        })
    }

    fn bytes_outside(&self, base: Option<&str>) -> Option<Charge> {
        let found = self.accounts.by_method(self.runs.iter().copied());
        let observations: f64 = self.covered.values().sum();
        let price = found.bytes_outside / observations;
        Some(Charge {
            kind: ChargeKind::Startup,
            method: None,
            terms: vec![(price, base?.to_owned())],
            cost: found.bytes_outside,
            factors: (1.0, 1.0),
            samples: None,
        })
    }

    /// What the target is of what was sampled: the measured cost of these observations over what the accounts charge them.
    fn scale(&self, accounts: &[Charge], target: &str, observations: &[usize]) -> Option<f64> {
        let mut prices: HashMap<&str, f64> = HashMap::new();
        for (price, feature) in accounts.iter().flat_map(|account| &account.terms) {
            *prices.entry(feature).or_default() += price;
        }
        let mut charged = vec![0.0; self.dataset.observations.len()];
        for (feature, column) in self.dataset.features.iter().zip(&self.dataset.columns) {
            if let Some(price) = prices.get(feature.name.as_str()) {
                for (row, value) in column {
                    charged[row.0 as usize] += price * value;
                }
            }
        }
        let (mut measured, mut sampled) = (0.0, 0.0);
        for &row in observations {
            let cost = self.dataset.observations[row].costs.get(target);
            if let Some(value) = cost.and_then(Measured::value) {
                measured += value;
                sampled += charged[row];
            }
        }
        (measured > 0.0 && sampled > 0.0).then(|| measured / sampled)
    }
}

fn key(class: &str, name: &str, descriptor: &str) -> MethodKey {
    MethodKey {
        class: class.to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
    }
}

impl Subject {
    fn work(&self) -> Vec<f64> {
        let of = |kind: usize| self.blocks.iter().map(|b| b.count * b.work[kind]).sum();
        (0..KINDS).map(of).collect()
    }
}

impl Block {
    fn worth(&self, weights: &[f64]) -> f64 {
        self.work
            .iter()
            .zip(weights)
            .map(|(units, w)| units * w)
            .sum()
    }
}

/// Ends of the interval of a gamma distributed cost, as factors of its mean. Where the deviation is small the quantile is
/// taken from a cube root that is normally distributed (Wilson and Hilferty 1931): the search for the exact one has no end there.
fn factors(mean: f64, deviation: f64, level: f64) -> (f64, f64) {
    const NARROW: f64 = 1e3;
    if deviation <= 0.0 || mean <= 0.0 {
        return (1.0, 1.0);
    }
    let shape = (mean / deviation).powi(2);
    let tail = (1.0 - level) / 2.0;
    if shape > NARROW {
        let reach = Normal::standard().inverse_cdf(1.0 - tail) / (3.0 * shape.sqrt());
        let end = |reach: f64| (1.0 - 1.0 / (9.0 * shape) + reach).powi(3);
        return (end(-reach), end(reach));
    }
    Gamma::new(shape, shape).map_or((0.0, f64::INFINITY), |gamma| {
        (gamma.inverse_cdf(tail), gamma.inverse_cdf(1.0 - tail))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_any_width_have_ends() {
        // Quantiles of chi-squared with 50 degrees of freedom are 32.3574 and 71.4202.
        let (low, high) = factors(1.0, 0.2, 0.95);
        assert!((low - 32.3574 / 50.0).abs() < 1e-5 && (high - 71.4202 / 50.0).abs() < 1e-5);
        // The two ways meet.
        let [below, above] =
            [999.0_f64, 1001.0].map(|shape| factors(1.0, 1.0 / shape.sqrt(), 0.95));
        assert!((below.0 - above.0).abs() < 1e-4 && (below.1 - above.1).abs() < 1e-4);
        for exponent in -12..3 {
            let (a, b) = factors(7.0, 10_f64.powi(exponent), 0.95);
            assert!(
                (0.0..=1.0).contains(&a) && b >= 1.0 || exponent > 0,
                "{exponent}: {a} {b}"
            );
        }
    }
}
