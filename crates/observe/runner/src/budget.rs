//! `--overhead`: which probes are removed so that counting slows the subject no more than allowed.
//!
//! Probes are removed in groups: the values taken in a method, or all probes of it. The slow-down of a run is taken to be spread over
//! the groups in proportion to the probe operations they executed: one per entry (the fetch of the thread's counters), one per
//! counter update, one per assignment whose value might be taken. The hottest groups go first, as many as the estimate asks for, and the run is measured again, until a *measured* run fits: the
//! estimate only decides how fast that happens. Given the measurements, every decision is determined.
//!
//! The greedy choice is a heuristic of our own: it need not keep the most methods that would fit.
//! Limits: whole methods, not loops; one input stands for all; what loading the agent and rewriting classes costs cannot be removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use pricetag_trace::MethodName;
use serde::{Deserialize, Serialize};

use crate::error::RunnerError;

/// Part of the budget that removals aim at, so that noise does not cost another round.
const AIM: f64 = 0.8;
/// Rounds of removal by estimate; in the last one everything that runs is removed.
const ROUNDS: usize = 8;

/// The subject with counters beside the subject without.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// CPU time without counters, ns.
    pub plain_ns: f64,
    /// CPU time with them, ns.
    pub counted_ns: f64,
    /// Probe operations executed by each group.
    pub operations: BTreeMap<Group, u64>,
}

impl Comparison {
    /// 0.35 for 35 %.
    pub fn slow_down(&self) -> f64 {
        if self.plain_ns > 0.0 {
            self.counted_ns / self.plain_ns - 1.0
        } else {
            0.0
        }
    }
}

/// Probes that are removed together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// Where they stand.
    pub method: MethodName,
    /// Whether only those that take values are meant.
    #[serde(default)]
    pub values: bool,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.values { "values in " } else { "" };
        write!(f, "{what}{}", self.method)
    }
}

/// Measures the subject with some probes left out.
pub trait Measurer {
    /// None if it was interrupted, or no input runs.
    fn compare(&mut self, removed: &BTreeSet<Group>) -> Result<Option<Comparison>, RunnerError>;
}

/// Probes that are left out for the sake of the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Removal {
    /// Which.
    #[serde(flatten)]
    pub group: Group,
    /// The slow-down that its probes were estimated to cause, as a fraction of the plain run.
    pub share: f64,
}

/// What fits the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// The budget, as a fraction.
    pub budget: f64,
    /// Slow-down with everything counted.
    pub everything: f64,
    /// Slow-down of the run that fits.
    pub remaining: f64,
    /// What is left uncounted, in order of removal.
    pub removals: Vec<Removal>,
}

impl Fitted {
    /// The methods to leave uncounted.
    pub fn methods(&self) -> BTreeSet<MethodName> {
        methods(self.removals.iter().map(|r| &r.group), false)
    }

    /// The methods in which no values are to be taken.
    pub fn without_values(&self) -> BTreeSet<MethodName> {
        methods(self.removals.iter().map(|r| &r.group), true)
    }

    /// What the user must know.
    pub fn note(&self) -> String {
        let percent = |x: f64| format!("{:.1} %", x.max(0.0) * 100.0);
        let budget = percent(self.budget);
        if self.removals.is_empty() {
            let all = percent(self.everything);
            return format!("overhead budget {budget}: nothing was removed, counting cost {all}");
        }
        let names: Vec<String> = self
            .removals
            .iter()
            .map(|r| format!("{} ({})", r.group, percent(r.share)))
            .collect();
        format!(
            "overhead budget {budget}: counting everything cost {}, now {}; {} groups of probes were removed, their features are absent, not zero, \
             and totals of opcodes and calls are without uncounted methods (estimated share of the slow-down): {}",
            percent(self.everything),
            percent(self.remaining),
            names.len(),
            names.join(", ")
        )
    }
}

/// The methods of the groups that are, or are not, about values alone.
pub(crate) fn methods<'g>(
    groups: impl Iterator<Item = &'g Group>,
    values: bool,
) -> BTreeSet<MethodName> {
    let chosen = groups.filter(|group| group.values == values);
    chosen.map(|group| group.method.clone()).collect()
}

/// Finds the removals that make a measured run fit; none if the measurer could not go on.
///
/// # Errors
/// If even a run without any probe that executes exceeds the budget, or measuring fails.
pub fn fit(budget: f64, measurer: &mut dyn Measurer) -> Result<Option<Fitted>, RunnerError> {
    let mut removals: Vec<Removal> = Vec::new();
    let mut removed = BTreeSet::new();
    let mut everything = None;
    for round in 1.. {
        let Some(run) = measurer.compare(&removed)? else {
            return Ok(None);
        };
        let slow = run.slow_down();
        let everything = *everything.get_or_insert(slow);
        if slow <= budget {
            return Ok(Some(Fitted {
                budget,
                everything,
                remaining: slow,
                removals,
            }));
        }
        let chosen = hottest(&run, &removed, budget, round >= ROUNDS);
        if chosen.is_empty() {
            return Err(RunnerError::OverBudget {
                budget: budget * 100.0,
                smallest: slow * 100.0,
                everything: everything * 100.0,
            });
        }
        removed.extend(chosen.iter().map(|r| r.group.clone()));
        removals.extend(chosen);
    }
    Ok(None)
}

/// The next groups to remove: at least one, if any executed probes.
fn hottest(run: &Comparison, removed: &BTreeSet<Group>, budget: f64, all: bool) -> Vec<Removal> {
    let mut groups: Vec<(&Group, u64)> = run
        .operations
        .iter()
        .filter(|&(group, &n)| n > 0 && !removed.contains(group))
        .map(|(group, &n)| (group, n))
        .collect();
    groups.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let total: f64 = groups.iter().map(|&(_, n)| n as f64).sum();
    let slow = run.slow_down();
    let excess = slow - AIM * budget;
    let mut gone = 0.0;
    let mut chosen = Vec::new();
    for (group, n) in groups {
        if !all && gone >= excess {
            break;
        }
        let share = slow * n as f64 / total;
        gone += share;
        chosen.push(Removal {
            group: group.clone(),
            share,
        });
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A subject whose probes cost what this says: a fixed part, and a price per operation of each method.
    struct Model {
        fixed: f64,
        methods: Vec<(&'static str, u64, f64)>,
        asked: Vec<usize>,
        patience: usize,
    }

    impl Measurer for Model {
        fn compare(
            &mut self,
            removed: &BTreeSet<Group>,
        ) -> Result<Option<Comparison>, RunnerError> {
            if self.asked.len() == self.patience {
                return Ok(None);
            }
            self.asked.push(removed.len());
            let left: Vec<_> = self
                .methods
                .iter()
                .filter(|(name, _, _)| !removed.contains(&method(name)))
                .collect();
            let probes: f64 = left.iter().map(|(_, n, price)| *n as f64 * price).sum();
            Ok(Some(Comparison {
                plain_ns: 1000.0,
                counted_ns: 1000.0 + self.fixed + probes,
                operations: left.iter().map(|(name, n, _)| (method(name), *n)).collect(),
            }))
        }
    }

    fn method(name: &str) -> Group {
        let (values, name) = match name.strip_prefix('=') {
            Some(name) => (true, name),
            None => (false, name),
        };
        Group {
            method: format!("A.{name}()V").parse().expect("a method"),
            values,
        }
    }

    fn model(fixed: f64, methods: &[(&'static str, u64, f64)]) -> Model {
        Model {
            fixed,
            methods: methods.to_vec(),
            asked: Vec::new(),
            patience: usize::MAX,
        }
    }

    fn names(fitted: &Fitted) -> Vec<&str> {
        let removals = fitted.removals.iter();
        removals.map(|r| r.group.method.name.as_str()).collect()
    }

    #[test]
    fn what_fits_is_left_alone() {
        let mut subject = model(10.0, &[("hot", 30, 1.0)]);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!((names(&fitted), subject.asked), (vec![], vec![0]));
        assert!((fitted.everything - 0.04).abs() < 1e-9);
        assert!(fitted.note().contains("nothing was removed"));
    }

    #[test]
    fn the_hottest_go_first_and_no_more_than_needed() {
        let mut subject = model(
            0.0,
            &[("cold", 5, 1.0), ("hot", 200, 1.0), ("warm", 30, 1.0)],
        );
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(names(&fitted), ["hot"]);
        assert!((fitted.removals[0].share - 0.2).abs() < 1e-9);
        assert!((fitted.everything - 0.235).abs() < 1e-9);
        assert!((fitted.remaining - 0.035).abs() < 1e-9);
        assert!(
            fitted.note().contains("A.hot()V (20.0 %)"),
            "{}",
            fitted.note()
        );
    }

    #[test]
    fn values_go_before_the_counters_of_their_method() {
        let mut subject = model(0.0, &[("loop", 40, 1.0), ("=loop", 90, 1.0)]);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(fitted.without_values().len(), 1);
        assert_eq!(fitted.methods().len(), 0);
        assert!(fitted.note().contains("values in A.loop()V (9.0 %)"));
    }

    #[test]
    fn a_wrong_estimate_costs_rounds_and_not_the_budget() {
        // `few` runs few probes that are dear: the estimate removes the cheap ones first.
        let methods = [("many", 900, 0.01), ("some", 90, 0.01), ("few", 10, 20.0)];
        let mut subject = model(0.0, &methods);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(names(&fitted), ["many", "some", "few"]);
        assert!(fitted.remaining <= 0.05 && subject.asked.len() > 1);
    }

    #[test]
    fn equals_are_removed_in_the_order_of_their_names() {
        let methods = [("b", 100, 1.0), ("a", 100, 1.0), ("c", 100, 1.0)];
        let fitted = fit(0.15, &mut model(0.0, &methods)).unwrap().unwrap();
        assert_eq!(names(&fitted), ["a", "b"]);
    }

    #[test]
    fn a_budget_below_the_fixed_cost_is_refused_with_the_smallest_possible() {
        let mut subject = model(80.0, &[("hot", 100, 1.0), ("never", 0, 1.0)]);
        let error = fit(0.05, &mut subject).unwrap_err();
        let RunnerError::OverBudget {
            budget,
            smallest,
            everything,
        } = &error
        else {
            panic!("{error}")
        };
        for (found, expected) in [(budget, 5.0), (smallest, 8.0), (everything, 18.0)] {
            assert!((found - expected).abs() < 1e-9, "{error}");
        }
        assert_eq!(subject.asked, [0, 1]);
    }

    #[test]
    fn it_ends_with_everything_removed_after_a_bounded_number_of_rounds() {
        // Each round's estimate is fooled by one method that is hot and free.
        let names: Vec<&'static str> =
            vec!["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let methods: Vec<_> = names
            .iter()
            .zip(0..)
            .map(|(&name, k)| (name, 10u64.pow(12 - k), if k == 11 { 10.0 } else { 0.0 }))
            .collect();
        let mut subject = model(0.0, &methods);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(fitted.removals.len(), 12);
        assert_eq!(subject.asked.len(), ROUNDS + 1);
    }

    #[test]
    fn an_interruption_is_no_verdict() {
        let mut subject = model(0.0, &[("hot", 100, 1.0)]);
        subject.patience = 1;
        assert_eq!(fit(0.05, &mut subject).unwrap(), None);
    }

    #[test]
    fn verdicts_survive_the_disk() {
        let fitted = fit(0.05, &mut model(0.0, &[("hot", 100, 1.0)]));
        let fitted = fitted.unwrap().unwrap();
        let text = serde_json::to_string(&fitted).unwrap();
        assert_eq!(serde_json::from_str::<Fitted>(&text).unwrap(), fitted);
    }
}
