//! A running JVM seen in intervals: snapshots one after another, each pair of neighbours an observation.
//!
//! Costs of an interval are the differences of the costs since the entry of `main`. Counters run all the time, so these times contain
//! the price of counting, and of the snapshots: the notes state how long the threads stood still.
//!
//! An interval is handed over when it has ended, so that whoever takes it can be done with its first snapshot before the next interval ends: an observation of days needs no more room
//! than one of minutes.
//!
//! The last interval is shorter where the observation ends within it: what was seen until then is not lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pricetag_dataset::{Measured, Meta, Observation, Status};
use pricetag_quantity::median;
use pricetag_trace::{ProcessCosts, Record, Start, Trace, TraceError};

use crate::attach::{AttachError, Attached};
use crate::costs::{named_costs, process_costs};
use crate::platform;
use crate::progress::Progress;
use crate::supervise::Cancel;

/// How often a pause looks for a cancellation.
const LOOK: Duration = Duration::from_millis(20);
/// What is left of an interval at the end is one if it is longer.
const LITTLE: Duration = Duration::from_secs(1);

/// One interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The snapshot at its beginning, which nothing else needs any more.
    pub before: PathBuf,
    /// The snapshot at its end, with which the next interval begins.
    pub after: PathBuf,
    /// Everything but the counts.
    pub observation: Observation,
}

/// Files of snapshots; those that are still there are removed with this.
#[derive(Debug, Default)]
pub struct Snapshots(Vec<PathBuf>);

impl Drop for Snapshots {
    fn drop(&mut self) {
        for file in &self.0 {
            fs::remove_file(file).ok();
        }
    }
}

/// What was seen of a running JVM.
#[derive(Debug, Default)]
pub struct Watched {
    /// Provenance; without list of uncounted classes, creation time and program version.
    pub meta: Meta,
    /// Every snapshot taken: files that nobody removed are there for as long as this is.
    pub snapshots: Snapshots,
}

/// When to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// From one snapshot to the next.
    pub every: Duration,
    /// For how long; until the JVM ends or the user says so, if none.
    pub length: Option<Duration>,
}

/// Why intervals cannot be observed.
#[derive(Debug, thiserror::Error)]
pub enum IntervalError {
    /// The JVM.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// A snapshot.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// `main` has not been entered.
    #[error("the program of process {pid} has not entered its main method")]
    NotStarted {
        /// Which.
        pid: u32,
    },
    /// It ended too early.
    #[error("the observation of process {pid} ended before there was an interval")]
    Nothing {
        /// Which.
        pid: u32,
    },
}

/// Takes snapshots until the time is over, the JVM ends or the user cancels, and hands over intervals as they end, in order.
///
/// # Errors
/// If there is no interval, since the first snapshots fail or the user cancels at once; a later failure ends the observation, and a note says so.
pub fn watch(
    attached: &Attached,
    schedule: Schedule,
    progress: &dyn Progress,
    cancel: &Cancel,
    mut ended: impl FnMut(Interval),
) -> Result<Watched, IntervalError> {
    let planned = schedule.length.map_or(0, |length| {
        length.as_nanos() / schedule.every.as_nanos().max(1)
    });
    progress.begin(planned as u64, "watching");
    let mut watched = Watched::default();
    let mut readings: Vec<Reading> = Vec::new();
    let outcome = observe(attached, schedule, progress, cancel, |file| {
        let file = set_aside(attached, &file, readings.len() + 1)?;
        watched.snapshots.0.push(file.clone());
        let reading = Reading::of(attached, &file)?;
        if let Some(last) = readings.last() {
            ended(interval(readings.len(), last, &reading));
        }
        readings.push(reading);
        Ok(())
    });
    progress.end();
    let mut notes = Vec::new();
    match outcome {
        Err(error) if readings.len() < 2 => return Err(error),
        Err(error) => notes.push(format!("the observation ended early: {error}")),
        Ok(()) if readings.len() < 2 => {
            return Err(IntervalError::Nothing {
                pid: attached.pid(),
            });
        }
        Ok(()) => {}
    }
    if let (true, Some(first)) = (attached.came_late(), readings.first()) {
        notes.extend(first.caveats.iter().cloned());
    }
    notes.splice(0..0, pauses(&readings));
    watched.meta = meta(attached, schedule, &readings, notes);
    Ok(watched)
}

/// Gives a snapshot a name of its own: the next one is written under the first that is free, which must not depend on what has been removed by then.
fn set_aside(attached: &Attached, file: &Path, number: usize) -> Result<PathBuf, AttachError> {
    let mut name = attached.options.trace.as_os_str().to_owned();
    name.push(format!(".taken-{number:06}"));
    let pid = attached.pid();
    fs::rename(file, &name).map_err(|error| AttachError::NoSnapshot {
        pid,
        why: format!("{}: {error}", file.display()),
    })?;
    Ok(name.into())
}

/// Takes snapshots and hands over each at once.
fn observe(
    attached: &Attached,
    schedule: Schedule,
    progress: &dyn Progress,
    cancel: &Cancel,
    mut taken: impl FnMut(PathBuf) -> Result<(), IntervalError>,
) -> Result<(), IntervalError> {
    let begun = Instant::now();
    let mut last = None;
    for number in 0.. {
        // By the clock, so that slow snapshots do not add up.
        let due = begun + schedule.every * number;
        let end = schedule.length.map(|length| begun + length);
        let end = end.filter(|&end| end < due);
        let goal = end.unwrap_or(due);
        while Instant::now() < goal && !cancel.is_cancelled() {
            std::thread::sleep(LOOK.min(goal.saturating_duration_since(Instant::now())));
        }
        if cancel.is_cancelled() || end.is_some() {
            break;
        }
        let Some(file) = attached.snapshot(cancel)? else {
            break;
        };
        taken(file)?;
        if number > 0 {
            progress.step(&format!("interval {number}"), None);
        }
        last = Some(Instant::now());
    }
    if last.is_some_and(|last| last.elapsed() > LITTLE)
        && let Some(file) = attached.snapshot(&Cancel::default())?
    {
        taken(file)?;
    }
    Ok(())
}

/// What a snapshot says but for its counters.
struct Reading {
    file: PathBuf,
    costs: ProcessCosts,
    start: Option<Start>,
    /// What it says of all counts.
    caveats: Vec<String>,
}

impl Reading {
    fn of(attached: &Attached, file: &Path) -> Result<Self, IntervalError> {
        let trace = Trace::read(file)?;
        let pid = attached.pid();
        let costs = process_costs(&trace).ok_or(IntervalError::NotStarted { pid })?;
        let (mut start, mut caveats) = (None, Vec::new());
        for record in trace.records {
            match record {
                Record::Start(first) => start = Some(first),
                Record::Inexact(why) => caveats.push(why),
                _ => {}
            }
        }
        Ok(Self {
            file: file.to_owned(),
            costs,
            start,
            caveats,
        })
    }

    fn property(&self, name: &str) -> Option<&str> {
        let properties = &self.start.as_ref()?.properties;
        let found = properties.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

fn interval(number: usize, before: &Reading, after: &Reading) -> Interval {
    let earlier: BTreeMap<&str, f64> = named_costs(&before.costs).into_iter().collect();
    let costs = named_costs(&after.costs)
        .into_iter()
        .filter_map(|(name, value)| {
            let value = match name {
                "heap_used" => value,
                "main_wall" => return None,
                _ => (value - earlier.get(name).copied().unwrap_or(0.0)).max(0.0),
            };
            let repeats = vec![value];
            Some((name.to_owned(), Measured { repeats }))
        });
    let label = format!("interval {number:05}");
    Interval {
        before: before.file.clone(),
        after: after.file.clone(),
        observation: Observation {
            group: label.clone(),
            label,
            status: Status::Ok,
            costs: costs.collect(),
            ..Observation::default()
        },
    }
}

/// How long the program's threads stood still for the snapshots.
fn pauses(readings: &[Reading]) -> Option<String> {
    let pauses: Vec<f64> = readings
        .iter()
        .filter_map(|r| r.property("pricetag.snapshot.pause_ns")?.parse().ok())
        .collect();
    let longest = pauses.iter().copied().fold(0.0, f64::max);
    Some(format!(
        "times contain counting; for each of {} snapshots the program's threads stood still for {:.1} ms (median; {:.1} ms at most)",
        pauses.len(),
        median(&pauses)? / 1e6,
        longest / 1e6
    ))
}

/// What is known of a recording before its first interval; kept with those that are finished if it does not end in order.
pub fn begun(attached: &Attached, schedule: Schedule) -> Meta {
    let note = "the observation did not end in order: intervals that were finished are kept";
    meta(attached, schedule, &[], vec![note.to_owned()])
}

fn meta(attached: &Attached, schedule: Schedule, readings: &[Reading], notes: Vec<String>) -> Meta {
    let mut platform = platform::describe(None, &[]);
    let properties = readings.first().and_then(|r| r.start.as_ref());
    for (name, key) in [
        ("java.vm.name", "jvm"),
        ("java.vm.version", "jvm_version"),
        ("java.vm.vendor", "jvm_vendor"),
        ("java.home", "java_home"),
    ] {
        let known = properties.map_or(&[][..], |start| &start.properties);
        if let Some((_, value)) = known.iter().find(|(property, _)| property == name) {
            platform.insert(key.to_owned(), value.clone());
        }
    }
    let mut cost_units = crate::costs::cost_units(&pricetag_trace::Scope::Main);
    cost_units.remove("main_wall");
    Meta {
        schema: pricetag_dataset::DATASET_SCHEMA,
        subject: attached.command.clone(),
        scope: "interval".to_owned(),
        cost_units,
        platform,
        options: BTreeMap::from([
            ("attach".to_owned(), attached.pid().to_string()),
            (
                "every".to_owned(),
                format!("{} s", schedule.every.as_secs_f64()),
            ),
        ]),
        notes,
        ..Meta::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(file: &str, wall: u64, heap: u64) -> Reading {
        Reading {
            file: file.into(),
            costs: ProcessCosts {
                wall_ns: wall,
                main_wall_ns: Some(5),
                cpu_ns: 2 * wall,
                heap_used_bytes: heap,
                ..ProcessCosts::default()
            },
            start: None,
            caveats: Vec::new(),
        }
    }

    #[test]
    fn an_interval_costs_what_was_added() {
        let made = interval(1, &reading("a", 100, 70), &reading("b", 350, 60));
        assert_eq!((made.before, made.after), ("a".into(), "b".into()));
        let cost = |name: &str| made.observation.costs[name].repeats.clone();
        assert_eq!(cost("wall"), [250.0]);
        assert_eq!(cost("cpu"), [500.0]);
        assert_eq!(cost("heap_used"), [60.0]);
        assert!(!made.observation.costs.contains_key("main_wall"));
        assert_eq!(made.observation.label, "interval 00001");
    }
}
