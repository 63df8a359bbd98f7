//! Rows of a method scope: every outermost invocation in a warm JVM is one observation.
//!
//! Counts come from the counting run and times from the timing runs, matched by [`crate::matching`]. Where no timing
//! run matches, times come from the counting run and a note states by how much counting slows an invocation. Warm-up is
//! given or detected ([`crate::warmup`]) and its rows are marked.

use std::collections::BTreeMap;

use pricetag_dataset::{Measured, Observation, Status};
use pricetag_quantity::median;
use pricetag_trace::{Invocation, Record, Trace};

use crate::arguments::{groups, inputs, names};
use crate::assemble::{Counts, Reader, Row, Runs};
use crate::error::RunnerError;
use crate::journal::{RunId, RunKind};
use crate::matching::pair;
use crate::options::{RecordOptions, Timing};
use crate::overhead;
use crate::warmup;

/// The rows of one input's runs.
pub(crate) fn rows(
    reader: &Reader<'_>,
    case: usize,
    interrupted: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Row>, RunnerError> {
    let (counting, timing, caveats) = match reader.runs(case, interrupted) {
        Runs::Unfinished => return Ok(Vec::new()),
        Runs::Failed(why) => return Ok(vec![reader.failed(case, why)]),
        Runs::Done {
            counting,
            timing,
            remarks,
        } => (counting, timing, remarks),
    };
    let label = &reader.options.workload.cases[case].label;
    let first = RunId {
        case,
        kind: RunKind::Count(0),
    };
    let trace = reader.trace(first)?;
    let names = names(&trace, &reader.options.workload.cases[case].inputs);
    let counted = invocations(trace);
    let mut timed = Vec::new();
    for &id in &timing {
        timed.push(invocations(reader.trace(id)?));
    }
    let times = Times::choose(reader.options, &counted, &timed);
    notes.extend(times.notes.iter().map(|n| format!("{label}: {n}")));
    let again = RunId {
        case,
        kind: RunKind::Count(1),
    };
    let second = if counting.contains(&again) {
        Some(invocations(reader.trace(again)?))
    } else {
        None
    };
    let recounted = second.as_ref().and_then(|s| pair(&counted, s));
    if second.is_some() && recounted.is_none() {
        notes.push(format!("{label}: two counting runs made different invocations, so their counts cannot be compared"));
    }
    let warm = warm_up(reader, &counted, &times, label, notes);
    let inputs = inputs(&counted, &names);
    let groups = groups(&inputs);
    let single = reader.options.workload.cases.len() == 1;
    let prefix = if single {
        short_name(&reader.options.scope.to_string())
    } else {
        label.clone()
    };
    let counts = |id: RunId, index: usize| Counts::Invocation {
        trace: reader.journal.trace(id),
        index,
    };
    let rows = (0..counted.len()).map(|i| {
        let blank = reader.blank(case);
        let label = format!("{prefix} #{}", i + 1);
        let mut known = blank.inputs.clone();
        known.extend(inputs[i].clone());
        let observation = Observation {
            group: groups
                .as_ref()
                .map_or_else(|| label.clone(), |g| format!("{prefix} {}", g[i])),
            label,
            status: if i < warm { Status::WarmUp } else { Status::Ok },
            inputs: known,
            costs: times.costs(i),
            caveats: caveats.clone(),
            ..blank
        };
        let recount = recounted.as_ref().map(|partner| counts(again, partner[i]));
        Row {
            observation,
            counts: Some(counts(first, i)),
            recount,
        }
    });
    Ok(rows.collect())
}

/// Invocations in order of their records.
fn invocations(trace: Trace) -> Vec<Invocation> {
    let only = |record| {
        if let Record::Invocation(i) = record {
            Some(i)
        } else {
            None
        }
    };
    trace.records.into_iter().filter_map(only).collect()
}

/// The runs that times are taken from.
struct Times<'a> {
    /// For each run its invocations and each counted invocation's place among them.
    runs: Vec<(&'a [Invocation], Vec<usize>)>,
    notes: Vec<String>,
}

impl<'a> Times<'a> {
    fn choose(
        options: &RecordOptions,
        counted: &'a [Invocation],
        timed: &'a [Vec<Invocation>],
    ) -> Self {
        let matched: Vec<(&[Invocation], Vec<usize>)> = timed
            .iter()
            .filter_map(|t| Some((t.as_slice(), pair(counted, t)?)))
            .collect();
        let slower = slow_down(counted, timed);
        let stated = slower.map(|s| overhead::sentence(s, "an invocation (median)", options));
        let same = vec![(counted, (0..counted.len()).collect())];
        match options.timing {
            Timing::Never => Self {
                runs: Vec::new(),
                notes: Vec::new(),
            },
            Timing::Same => Self {
                runs: same,
                notes: stated.into_iter().collect(),
            },
            Timing::Separate if matched.is_empty() => {
                let overhead = slower
                    .map(|s| format!(", which is {:.0} % slower than without counters", s * 100.0));
                let why = "counting and timing runs made different invocations; times come from the counting run";
                Self {
                    runs: same,
                    notes: vec![format!("{why}{}", overhead.unwrap_or_default())],
                }
            }
            Timing::Separate => {
                let lost = timed.len() - matched.len();
                let all = timed.len();
                let left_out = (lost > 0).then(|| {
                    format!(
                        "{lost} of {all} timing runs made different invocations and are left out"
                    )
                });
                Self {
                    runs: matched,
                    notes: stated.into_iter().chain(left_out).collect(),
                }
            }
        }
    }

    fn costs(&self, i: usize) -> BTreeMap<String, Measured> {
        let mut costs: BTreeMap<String, Measured> = BTreeMap::new();
        for (run, place) in &self.runs {
            let call = &run[place[i]];
            let named = [
                ("wall", call.wall_ns as f64),
                ("cpu", call.cpu_ns as f64),
                ("alloc", call.allocated_bytes as f64),
                ("collections", f64::from(call.collections)),
            ];
            for (name, value) in named {
                costs
                    .entry(name.to_owned())
                    .or_default()
                    .repeats
                    .push(value);
            }
        }
        costs
    }

    /// Median wall time of each invocation over the runs, ns.
    fn wall(&self, n: usize) -> Vec<f64> {
        let of = |i: usize| {
            self.runs
                .iter()
                .map(|(run, place)| run[place[i]].wall_ns as f64)
                .collect::<Vec<_>>()
        };
        (0..n).map(|i| median(&of(i)).unwrap_or_default()).collect()
    }
}

/// How much slower counting is, by the median time of an invocation in the second half of each run.
fn slow_down(counted: &[Invocation], timed: &[Vec<Invocation>]) -> Option<f64> {
    let wall = |run: &[Invocation]| {
        let half = &run[run.len() / 2..];
        median(&half.iter().map(|i| i.wall_ns as f64).collect::<Vec<_>>())
    };
    let runs: Vec<f64> = timed.iter().filter_map(|t| wall(t)).collect();
    let without = median(&runs).filter(|&w| w > 0.0)?;
    Some(wall(counted)? / without - 1.0)
}

/// Number of leading warm-up rows.
fn warm_up(
    reader: &Reader<'_>,
    counted: &[Invocation],
    times: &Times<'_>,
    label: &str,
    notes: &mut Vec<String>,
) -> usize {
    if let Some(given) = reader.options.warmup {
        return (given as usize).min(counted.len());
    }
    let work: Vec<f64> = counted
        .iter()
        .map(|i| {
            i.counters
                .iter()
                .flat_map(|c| &c.counts)
                .map(|&(_, n)| n as f64)
                .sum()
        })
        .collect();
    let Some(warm) = warmup::detect(&times.wall(counted.len()), &work) else {
        if !counted.is_empty() {
            notes.push(format!(
                "{label}: {} invocations are too few to detect warm-up; none is left out",
                counted.len()
            ));
        }
        return 0;
    };
    let all = counted.len();
    if warm >= all - all / 4 {
        notes.push(format!("{label}: times did not settle; {warm} of {all} invocations are left out as warm-up: run more of them"));
    } else if warm > 0 {
        notes.push(format!(
            "{label}: the first {warm} of {all} invocations are warm-up and left out of fits"
        ));
    }
    warm
}

/// `org.example.Search#query(I)V` → `Search#query`.
fn short_name(scope: &str) -> String {
    let name = scope.split('(').next().unwrap_or(scope);
    let (class, method) = name.split_once('#').unwrap_or((name, ""));
    let class = class.rsplit('.').next().unwrap_or(class);
    if method.is_empty() {
        class.to_owned()
    } else {
        format!("{class}#{method}")
    }
}
