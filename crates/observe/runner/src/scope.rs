//! Rows of a method scope: every outermost invocation in a warm JVM is one observation.
//!
//! Counts come from the counting run and times from the timing runs, matched by [`crate::matching`]. Where no timing
//! run matches, times come from the counting run and a note states by how much counting slows an invocation. Warm-up is
//! given or detected ([`crate::warmup`]) and its rows are marked.
//!
//! A run that crashes, hangs or fails has finished invocations behind it: they are rows, and the failure is one more. Runs of such an input
//! are compared as far as most of them came. What the JVM had not yet handed to the trace when it was killed is lost (a tenth of a second).

use std::collections::{BTreeMap, BTreeSet};

use pricetag_dataset::{Measured, Observation, Status};
use pricetag_quantity::median;
use pricetag_trace::{Argument, Invocation, MethodScope, Record, Trace};

use crate::arguments::{self, Parameters, names};
use crate::assemble::{Counts, Reader, Row, Runs};
use crate::error::RunnerError;
use crate::journal::{RunId, RunKind};
use crate::matching::pair;
use crate::options::{RecordOptions, Timing};
use crate::overhead;
use crate::warmup;

/// The rows of one input, still without the arguments' names.
pub(crate) struct Part {
    /// Finished invocations, then the failure of the run they were part of.
    rows: Vec<Row>,
    /// The arguments of the rows' invocations; none of a failed run.
    arguments: Vec<Vec<Argument>>,
    /// The methods of the scope.
    parameters: BTreeSet<Parameters>,
    /// How its rows' labels and groups begin.
    prefix: String,
}

impl Part {
    fn failed(reader: &Reader<'_>, case: usize, why: String) -> Self {
        Self {
            rows: vec![reader.failed(case, why)],
            arguments: Vec::new(),
            parameters: BTreeSet::new(),
            prefix: String::new(),
        }
    }

    /// Whether there is anything in it.
    pub(crate) fn is_finished(&self) -> bool {
        !self.rows.is_empty()
    }
}

/// The rows of all inputs: arguments have the same names everywhere.
pub(crate) fn join(mut parts: Vec<Part>, notes: &mut Vec<String>) -> Vec<Row> {
    let parameters = parts.iter().flat_map(|p| p.parameters.iter().cloned());
    let parameters = parameters.collect();
    let calls = || parts.iter().flat_map(|p| &p.arguments);
    let arities = calls().map(Vec::len).collect();
    let rows = parts.iter().flat_map(|p| &p.rows);
    let known = rows.flat_map(|r| r.observation.inputs.keys().map(String::as_str));
    let names = names(&parameters, &arities, &known.collect());
    let mut inputs: Vec<_> = calls().map(|a| arguments::inputs(a, &names)).collect();
    arguments::complete(&mut inputs);
    notes.extend(arguments::unfinite(calls(), &names));
    let mut inputs = inputs.into_iter();
    for part in &mut parts {
        let called = part.rows.iter_mut().zip(&part.arguments);
        for ((row, _), own) in called.zip(inputs.by_ref()) {
            row.observation.inputs.extend(own);
        }
        notes.extend(part.group());
    }
    parts.into_iter().flat_map(|p| p.rows).collect()
}

impl Part {
    /// Rows with equal arguments belong together. What limits trust in that.
    fn group(&mut self) -> Option<String> {
        let called = &self.rows[..self.arguments.len()];
        let inputs: Vec<_> = called
            .iter()
            .zip(&self.arguments)
            .map(|(row, own)| {
                (
                    &row.observation.inputs,
                    arguments::shown(own, &self.parameters),
                )
            })
            .collect();
        match arguments::groups(&inputs) {
            Ok(groups) => {
                for (row, group) in self.rows.iter_mut().zip(groups) {
                    row.observation.group = format!("{} {group}", self.prefix);
                }
                self.lost()
            }
            Err(different) => (1 < different && different < called.len()).then(|| {
                format!(
                    "{}: {} invocations have only {different} different arguments, so models are judged on repeats of inputs that they learnt from: errors on unseen inputs are larger",
                    self.prefix,
                    called.len()
                )
            }),
        }
    }
}

impl Part {
    /// Says so if inputs were seen in warm-up alone.
    fn lost(&self) -> Option<String> {
        let of = |status: Status| {
            let rows = self.rows.iter().map(|row| &row.observation);
            let rows = rows.filter(move |row| row.status == status);
            rows.map(|row| row.group.as_str()).collect::<BTreeSet<_>>()
        };
        let (warm, kept) = (of(Status::WarmUp), of(Status::Ok));
        let lost = warm.difference(&kept).count();
        (lost > 0).then(|| {
            format!(
                "{}: {lost} of {} inputs came during warm-up alone, so nothing is learnt from them: let the program go through its inputs twice, or keep all with --warmup 0",
                self.prefix,
                warm.union(&kept).count()
            )
        })
    }
}

/// The rows of one input's runs.
pub(crate) fn part(
    reader: &Reader<'_>,
    case: usize,
    interrupted: bool,
    notes: &mut Vec<String>,
) -> Result<Part, RunnerError> {
    let runs = match reader.runs(case, interrupted) {
        Runs::Unfinished => {
            return Ok(Part {
                rows: Vec::new(),
                ..Part::failed(reader, case, String::new())
            });
        }
        Runs::Failed(why) => return Ok(Part::failed(reader, case, why)),
        Runs::Done(runs) => runs,
    };
    let label = &reader.options.workload.cases[case].label;
    let [first, again] = [0, 1].map(|k| RunId {
        case,
        kind: RunKind::Count(k),
    });
    let trace = reader.trace(first)?;
    let parameters = arguments::parameters(&trace);
    let mut counted = invocations(trace);
    let mut timed = Vec::new();
    for &id in &runs.timing {
        timed.push(invocations(reader.trace(id)?));
    }
    if runs.failure.is_some() {
        cut(&mut counted, &mut timed);
    }
    let times = Times::choose(reader.options, &counted, &timed);
    notes.extend(times.notes.iter().map(|n| format!("{label}: {n}")));
    let second = if runs.counting.contains(&again) {
        let mut second = invocations(reader.trace(again)?);
        if runs.failure.is_some() {
            second.truncate(counted.len());
        }
        Some(second)
    } else {
        None
    };
    let recounted = second.as_ref().and_then(|s| pair(&counted, s));
    if second.is_some() && recounted.is_none() {
        notes.push(format!("{label}: two counting runs made different invocations, so their counts cannot be compared"));
    }
    let warm = warm_up(reader, &counted, &times, label, notes);
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
    let tests = test_labels(&reader.options.tests, &counted);
    let rows = (0..counted.len()).map(|i| {
        // A test is called by its name alone: texts it is given may be those of temporary files.
        let (group, texts) = tests.get(i).map_or_else(
            || {
                let texts = arguments::shown(&counted[i].arguments, &parameters);
                (format!("{prefix} #{}", i + 1), texts)
            },
            |test| (test.clone(), String::new()),
        );
        let label = format!("{group}{texts}");
        let observation = Observation {
            group,
            label,
            status: if i < warm { Status::WarmUp } else { Status::Ok },
            costs: times.costs(i),
            caveats: runs.remarks.clone(),
            ..reader.blank(case)
        };
        let recount = recounted.as_ref().map(|partner| counts(again, partner[i]));
        Row {
            observation,
            counts: Some(counts(first, i)),
            recount,
        }
    });
    let failed = runs.failure.clone().map(|why| reader.failed(case, why));
    Ok(Part {
        rows: rows.chain(failed).collect(),
        arguments: counted.iter().map(|i| i.arguments.clone()).collect(),
        parameters,
        prefix,
    })
}

/// Runs that were ended before their time need not have come equally far: what most of them did is compared.
fn cut(counted: &mut Vec<Invocation>, timed: &mut [Vec<Invocation>]) {
    let mut lengths: Vec<usize> = timed.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    let middle = lengths.get(lengths.len() / 2);
    let common = middle.map_or(counted.len(), |&n| n.min(counted.len()));
    counted.truncate(common);
    for run in timed {
        run.truncate(common);
    }
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
        let stated = slower.map(|s| overhead::sentence(s, None, "an invocation (median)", options));
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
        notes.push(format!("{label}: times did not settle in {all} invocations, so none is left out as warm-up, and the first ones are dearer than the last: let the program repeat its inputs"));
        return 0;
    } else if warm > 0 {
        notes.push(format!(
            "{label}: the first {warm} of {all} invocations are warm-up and left out of fits"
        ));
    }
    warm
}

/// `org.example.SearchTest#finds`, with a number from the second invocation on, and the descriptor where a name is not enough; none where no
/// tests are observed. Invocations are numbered in the order of entry.
fn test_labels(tests: &[MethodScope], counted: &[Invocation]) -> Vec<String> {
    if tests.is_empty() {
        return Vec::new();
    }
    let named = |test: &MethodScope| (test.class.clone(), test.method.clone());
    let mut overloads: BTreeMap<(String, String), usize> = BTreeMap::new();
    for test in tests {
        *overloads.entry(named(test)).or_default() += 1;
    }
    let name = |scope: u32| {
        let Some(test) = tests.get(scope as usize) else {
            return format!("test {scope}");
        };
        let descriptor = test.descriptor.as_deref().unwrap_or_default();
        let descriptor = if overloads[&named(test)] > 1 {
            descriptor
        } else {
            ""
        };
        format!("{}#{}{descriptor}", test.class, test.method)
    };
    let mut order: Vec<usize> = (0..counted.len()).collect();
    order.sort_by_key(|&i| counted[i].sequence);
    let mut times: BTreeMap<u32, u32> = BTreeMap::new();
    let mut labels = vec![String::new(); counted.len()];
    for i in order {
        let scope = counted[i].scope;
        let time = times.entry(scope).or_default();
        *time += 1;
        labels[i] = match *time {
            1 => name(scope),
            more => format!("{} #{more}", name(scope)),
        };
    }
    labels
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
