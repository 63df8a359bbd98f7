//! `--overhead`: which probes are removed so that counting slows the subject no more than allowed.
//!
//! Probes are removed in groups. The counters, transitions and strides in a loop are one, the values taken there another; an edge is in the innermost
//! loop that it stays in. What stands outside loops is the method's own group, with the fetch of its counters at every entry: without it no counter
//! of the method has a place, so it takes all groups of the method with it (values outside loops take those in loops). The slow-down of a run is taken to be spread over
//! the groups in proportion to what their probes executed and what compiling them takes (`operations.rs`). The dearest groups go first, as many as the estimate asks for, and what is left is
//! measured anew, until a *measurement* fits ([`crate::slow_down`]): the estimate only decides how fast that happens. Of several sets that are looked at some seem to fit by luck, so one that does is measured once more, and that
//! measurement, which had no part in choosing it, decides. Given the measurements, every decision is determined.
//!
//! The greedy choice is a heuristic of our own: it need not keep the most features that would fit.
//! Limits: one input stands for all; what loading the agent and rewriting classes costs cannot be removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use pricetag_trace::Region;
use serde::{Deserialize, Serialize};

use crate::error::RunnerError;
use crate::overhead::percent;
use crate::slow_down::{Care, SlowDown};

/// Rounds of removal by estimate; in the last one everything that runs is removed.
const ROUNDS: usize = 8;
/// Part of the operations left that goes in one round by estimate: it may be far off.
const MOST_AT_ONCE: f64 = 0.75;

/// Probes that are removed together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// Where they stand.
    #[serde(alias = "method")]
    pub region: Region,
    /// Whether only those that take values are meant.
    #[serde(default)]
    pub values: bool,
}

impl Group {
    /// Whether the other one is gone when this one is.
    fn covers(&self, other: &Self) -> bool {
        let method = self.region.header.is_none() && self.region.method == other.region.method;
        self == other || (method && (other.values || !self.values))
    }
}

/// What the probes of a group cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Probe operations, and as many as compiling the probes is worth; 0 if none was executed.
    pub operations: u64,
    /// First source line of the loop, if it is one and the line is known.
    pub line: Option<u16>,
}

/// Measures the subject with some probes left out.
pub trait Measurer {
    /// By how much the other probes slow it down; none if it was interrupted, or no input runs.
    fn compare(
        &mut self,
        removed: &BTreeSet<Group>,
        care: Care,
    ) -> Result<Option<SlowDown>, RunnerError>;

    /// What the probes of each group cost if all are there; asked for when that was compared.
    fn work(&self) -> &BTreeMap<Group, Work>;
}

/// Probes that are left out for the sake of the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Removal {
    /// Which.
    #[serde(flatten)]
    pub group: Group,
    /// First source line of the loop, if it is one and the line is known.
    #[serde(default)]
    pub line: Option<u16>,
    /// The slow-down that its probes were estimated to cause, as a fraction of the plain run.
    pub share: f64,
}

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.values {
            f.write_str("values in ")?;
        }
        let Region { method, header } = &self.group.region;
        match (header, self.line) {
            (None, _) => {}
            (Some(_), Some(line)) => write!(f, "the loop at line {line} of ")?,
            (Some(pc), None) => write!(f, "the loop at bytecode {pc} of ")?,
        }
        write!(f, "{method} ({})", percent(self.share))
    }
}

/// What fits the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// The budget, as a fraction.
    pub budget: f64,
    /// Slow-down with everything counted.
    pub everything: f64,
    /// Slow-down of what fits.
    pub remaining: f64,
    /// The same, with the doubt that its measurement leaves.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// What is left uncounted, in order of removal.
    pub removals: Vec<Removal>,
}

impl Fitted {
    /// The methods and loops to leave uncounted.
    pub fn uncounted(&self) -> BTreeSet<Region> {
        regions(self.removals.iter().map(|r| &r.group), false)
    }

    /// The methods and loops in which no values are to be taken.
    pub fn without_values(&self) -> BTreeSet<Region> {
        regions(self.removals.iter().map(|r| &r.group), true)
    }

    /// What the user must know.
    pub fn note(&self) -> String {
        let budget = percent(self.budget);
        let at_most = self.at_most.map_or_else(String::new, |most| {
            format!(" (upper bound {})", percent(most))
        });
        if self.removals.is_empty() {
            let all = percent(self.everything);
            return format!(
                "overhead budget {budget}: nothing was removed, counting cost {all}{at_most}"
            );
        }
        let names: Vec<String> = self.removals.iter().map(ToString::to_string).collect();
        format!(
            "overhead budget {budget}: counting everything cost {}, now {}{at_most}; {} of probes removed, the features that need them are absent, not zero, \
             and totals of opcodes and calls are without what is not counted (estimated share of the slow-down): {}",
            percent(self.everything),
            percent(self.remaining),
            match names.len() {
                1 => "one group".to_owned(),
                n => format!("{n} groups"),
            },
            names.join(", ")
        )
    }
}

/// The regions of the groups that are, or are not, about values alone.
pub(crate) fn regions<'g>(
    groups: impl Iterator<Item = &'g Group>,
    values: bool,
) -> BTreeSet<Region> {
    let chosen = groups.filter(|group| group.values == values);
    chosen.map(|group| group.region.clone()).collect()
}

/// Finds the removals that make a measured run fit; none if the measurer could not go on.
///
/// # Errors
/// If even a run without any probe that executes exceeds the budget, or measuring fails.
pub fn fit(budget: f64, measurer: &mut dyn Measurer) -> Result<Option<Fitted>, RunnerError> {
    let mut removals: Vec<Removal> = Vec::new();
    let mut everything = None;
    for round in 1.. {
        let Some((slow, fits)) = measure(budget, &removals, measurer)? else {
            return Ok(None);
        };
        let groups = left(&removals, measurer.work());
        let now = Cost {
            operations: groups.iter().map(|(_, work)| work.operations as f64).sum(),
            slow_down: slow.estimate,
        };
        let everything = *everything.get_or_insert(now);
        if fits {
            return Ok(Some(Fitted {
                budget,
                everything: everything.slow_down,
                remaining: slow.estimate,
                at_most: Some(slow.high),
                removals,
            }));
        }
        if groups.is_empty() {
            return Err(RunnerError::OverBudget {
                budget: budget * 100.0,
                smallest: slow.estimate * 100.0,
                everything: everything.slow_down * 100.0,
            });
        }
        let (most, excess) = if round < ROUNDS {
            (MOST_AT_ONCE * now.operations, slow.excess(budget))
        } else {
            (f64::INFINITY, f64::INFINITY)
        };
        let price = now.price(everything);
        remove_dearest(&mut removals, &groups, price, excess, most);
    }
    Ok(None)
}

/// By how much the probes that are left slow the subject down, and whether that is shown to fit.
fn measure(
    budget: f64,
    removals: &[Removal],
    measurer: &mut dyn Measurer,
) -> Result<Option<(SlowDown, bool)>, RunnerError> {
    let removed = removals.iter().map(|r| r.group.clone()).collect();
    let Some(look) = measurer.compare(&removed, Care::Look)? else {
        return Ok(None);
    };
    // Of the last set it is enough that it is not above.
    let last = left(removals, measurer.work()).is_empty();
    if !(look.may_fit(budget) || last && look.low <= budget) {
        return Ok(Some((look, false)));
    }
    let Some(slow) = measurer.compare(&removed, Care::Confirm)? else {
        return Ok(None);
    };
    let fits = slow.fits(budget) || last && slow.estimate <= budget;
    Ok(Some((slow, fits)))
}

/// What a set of probes executes, and by how much it slows the subject down.
#[derive(Clone, Copy, Debug)]
struct Cost {
    operations: f64,
    slow_down: f64,
}

impl Cost {
    /// The slow-down that goes with an operation: its part of all there is or, if that is less, what those that were removed before brought. There are costs that no removal saves.
    fn price(self, everything: Self) -> f64 {
        let part = self.slow_down / self.operations;
        let removed = everything.operations - self.operations;
        if removed <= 0.0 {
            return part;
        }
        let saved = (everything.slow_down - self.slow_down) / removed;
        part.min(saved.max(0.0))
    }
}

/// The groups that executed probes and are not removed, the dearest first.
fn left<'w>(removals: &[Removal], work: &'w BTreeMap<Group, Work>) -> Vec<(&'w Group, Work)> {
    let mut groups: Vec<(&Group, Work)> = work
        .iter()
        .filter(|(group, work)| {
            work.operations > 0 && !removals.iter().any(|r| r.group.covers(group))
        })
        .map(|(group, work)| (group, *work))
        .collect();
    groups.sort_by(|a, b| (b.1.operations.cmp(&a.1.operations)).then_with(|| a.0.cmp(b.0)));
    groups
}

/// Removes groups in their order, at least one, until the excess or as many operations are gone as may go at once.
fn remove_dearest(
    removals: &mut Vec<Removal>,
    groups: &[(&Group, Work)],
    price: f64,
    excess: f64,
    most: f64,
) {
    let mut gone = 0.0;
    for (group, work) in groups {
        if gone > 0.0 && (gone >= most || gone * price >= excess) {
            break;
        }
        if removals.iter().any(|r| r.group.covers(group)) {
            continue;
        }
        // Of what it takes with it, some may be gone already.
        let with_it = groups.iter().filter(|(other, _)| {
            group.covers(other) && !removals.iter().any(|r| r.group.covers(other))
        });
        let operations: f64 = with_it.map(|(_, work)| work.operations as f64).sum();
        gone += operations;
        let covered = removals.extract_if(.., |r| group.covers(&r.group));
        let share = operations * price + covered.map(|r| r.share).sum::<f64>();
        removals.push(Removal {
            group: (*group).clone(),
            line: work.line,
            share,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A subject whose probes cost what this says: a fixed part, and a price per operation of each method.
    struct Model {
        fixed: f64,
        doubt: f64,
        methods: Vec<(&'static str, u64, f64)>,
        work: BTreeMap<Group, Work>,
        asked: Vec<usize>,
        confirmed: usize,
        /// What is added to measurements, by their number.
        luck: BTreeMap<usize, f64>,
        patience: usize,
    }

    impl Measurer for Model {
        fn compare(
            &mut self,
            removed: &BTreeSet<Group>,
            care: Care,
        ) -> Result<Option<SlowDown>, RunnerError> {
            if self.asked.len() == self.patience {
                return Ok(None);
            }
            let luck = self.luck.get(&self.asked.len()).copied();
            let luck = luck.unwrap_or_default();
            self.asked.push(removed.len());
            self.confirmed += usize::from(care == Care::Confirm);
            let gone = |name| removed.iter().any(|r| r.covers(&group(name)));
            let left = self.methods.iter().filter(|(name, _, _)| !gone(name));
            let probes: f64 = left.map(|(_, n, price)| *n as f64 * price).sum();
            let exact = SlowDown::exact((self.fixed + probes) / 1000.0 + luck);
            Ok(Some(SlowDown {
                high: exact.estimate + self.doubt,
                margin: self.doubt,
                ..exact
            }))
        }

        fn work(&self) -> &BTreeMap<Group, Work> {
            &self.work
        }
    }

    fn work(operations: u64) -> Work {
        let line = Some(7);
        Work { operations, line }
    }

    /// `=` before a name stands for values, `@` behind it for a loop.
    fn group(name: &str) -> Group {
        let values = name.starts_with('=');
        let name = name.trim_start_matches('=');
        let (name, header) = name
            .split_once('@')
            .map_or((name, None), |(n, h)| (n, Some(h)));
        let at = header.map_or_else(String::new, |header| format!("@{header}"));
        Group {
            region: format!("A.{name}()V{at}").parse().expect("a region"),
            values,
        }
    }

    fn model(fixed: f64, methods: &[(&'static str, u64, f64)]) -> Model {
        Model {
            fixed,
            doubt: 0.0,
            methods: methods.to_vec(),
            work: methods
                .iter()
                .map(|(name, n, _)| (group(name), work(*n)))
                .collect(),
            asked: Vec::new(),
            confirmed: 0,
            luck: BTreeMap::new(),
            patience: usize::MAX,
        }
    }

    fn names(fitted: &Fitted) -> Vec<&str> {
        let removals = fitted.removals.iter();
        removals
            .map(|r| r.group.region.method.name.as_str())
            .collect()
    }

    #[test]
    fn what_fits_is_left_alone() {
        let mut subject = model(10.0, &[("hot", 30, 1.0)]);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!((names(&fitted), subject.asked), (vec![], vec![0, 0]));
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
        let mut subject = model(0.0, &[("loop", 20, 1.0), ("=loop", 90, 1.0)]);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(fitted.without_values().len(), 1);
        assert_eq!(fitted.uncounted().len(), 0);
        assert!(fitted.note().contains("values in A.loop()V (9.0 %)"));
    }

    fn groups(fitted: &Fitted) -> Vec<String> {
        let removals = fitted.removals.iter();
        removals.map(|r| r.group.region.to_string()).collect()
    }

    #[test]
    fn a_hot_loop_goes_before_its_method() {
        let methods = [("m", 10, 1.0), ("m@3", 20, 1.0), ("m@30", 300, 1.0)];
        let fitted = fit(0.05, &mut model(0.0, &methods)).unwrap().unwrap();
        assert_eq!(groups(&fitted), ["A.m()V@30"]);
        let note = fitted.note();
        assert!(
            note.contains("the loop at line 7 of A.m()V (30.0 %)"),
            "{note}"
        );
        let pc = Removal {
            line: None,
            ..fitted.removals[0].clone()
        };
        assert!(pc.to_string().starts_with("the loop at bytecode 30 of "));
    }

    #[test]
    fn a_method_takes_its_loops_and_values_with_it() {
        let methods = [
            ("m", 100, 1.0),
            ("m@3", 120, 1.0),
            ("=m@3", 5, 1.0),
            ("n", 8, 1.0),
        ];
        let mut subject = model(0.0, &methods);
        let fitted = fit(0.01, &mut subject).unwrap().unwrap();
        assert_eq!(
            groups(&fitted),
            ["A.m()V"],
            "the loop is not listed besides"
        );
        assert!((fitted.removals[0].share - 0.225).abs() < 1e-9);
        assert!((fitted.remaining - 0.008).abs() < 1e-9);
        // Values outside loops take those inside with them, and no counters.
        let methods = [("m@3", 20, 1.0), ("=m@3", 50, 1.0), ("=m", 60, 1.0)];
        let fitted = fit(0.05, &mut model(0.0, &methods)).unwrap().unwrap();
        assert_eq!(fitted.without_values().len(), 1);
        assert_eq!(
            (groups(&fitted), fitted.uncounted().len()),
            (vec!["A.m()V".to_owned()], 0)
        );
    }

    #[test]
    fn small_budgets_are_not_printed_as_none() {
        let fitted = fit(0.0001, &mut model(0.0, &[("hot", 100, 1.0)]));
        let note = fitted.unwrap().unwrap().note();
        assert!(note.starts_with("overhead budget 0.01 %: "), "{note}");
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
        let fitted = fit(0.17, &mut model(0.0, &methods)).unwrap().unwrap();
        assert_eq!(names(&fitted), ["a", "b"]);
    }

    #[test]
    fn what_fits_narrowly_is_taken_once_nothing_is_left_to_remove() {
        // Four fifths of the budget are more than its doubtful measurement allows as long as there is a choice.
        let mut subject = model(45.0, &[("hot", 5, 1.0)]);
        subject.doubt = 0.02;
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(
            (names(&fitted), subject.asked),
            (vec!["hot"], vec![0, 1, 1])
        );
        assert!(fitted.note().contains("now 4.5 % (upper bound 6.5 %)"));
    }

    #[test]
    fn what_fitted_by_luck_is_measured_again() {
        let mut subject = model(0.0, &[("hot", 200, 1.0), ("warm", 60, 1.0)]);
        // The first look at what is left without `hot` is lucky.
        subject.luck = BTreeMap::from([(1, -0.02)]);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(names(&fitted), ["hot", "warm"]);
        assert_eq!((subject.asked, subject.confirmed), (vec![0, 1, 1, 2, 2], 2));
        // What is told is the measurement that chose nothing.
        let mut subject = model(40.0, &[("hot", 100, 1.0)]);
        subject.luck = BTreeMap::from([(1, -0.03), (2, 0.005)]);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert!((fitted.remaining - 0.045).abs() < 1e-9);
    }

    #[test]
    fn what_removals_brought_tells_how_many_more_it_takes() {
        // 3.2 % of 5.2 % are fixed: by their part of it, the second round would remove two of the four small ones.
        let small = [
            ("a", 50, 0.1),
            ("b", 50, 0.1),
            ("c", 50, 0.1),
            ("d", 50, 0.1),
        ];
        let methods = [&[("hot", 1000, 0.1)], &small[..]].concat();
        let mut subject = model(32.0, &methods);
        let fitted = fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(subject.asked, [0, 1, 4, 4]);
        assert!((fitted.remaining - 0.037).abs() < 1e-9);
        // Where they brought nothing at all, three quarters go at once.
        let methods = [&[("hot", 1000, 0.0)], &small[..]].concat();
        let mut subject = model(45.0, &methods);
        fit(0.05, &mut subject).unwrap().unwrap();
        assert_eq!(subject.asked[..3], [0, 1, 4]);
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
        // The last set was measured twice, as it fits.
        assert_eq!(subject.asked.len(), ROUNDS + 2);
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
