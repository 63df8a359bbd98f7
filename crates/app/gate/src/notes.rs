//! What to keep in mind about a check: no reason to fail.

use pricetag_finding::figure::count;
use pricetag_trace::processes::{REMEDY, STARTED};

use crate::baseline::{Baseline, Benchmark};
use crate::counted::{Counted, started};
use crate::figure::{Figure, Metric};
use crate::suite::{Suite, jvms};
use crate::trouble::{NAMES, ran, some};

/// What is no reason to fail, but worth knowing.
pub(crate) fn notes(baseline: &Baseline, suite: &Suite) -> Vec<String> {
    let mut notes = Vec::new();
    let Some(first) = suite.first() else {
        return notes;
    };
    let here = &first.identity;
    if here.java.major == baseline.java.major && here.java != baseline.java {
        notes.push(format!(
            "the baseline was recorded on {} {}, and this is {} {}: the counted classes are the program's own",
            baseline.java.vm, baseline.java.version, here.java.vm, here.java.version
        ));
    }
    if here.flags != baseline.flags {
        notes.push(format!(
            "options of the JVM were `{}` and are `{}`",
            baseline.flags, here.flags
        ));
    }
    notes.extend(other_inputs(baseline, first));
    notes.extend(processes_started(baseline, first));
    let names = ran(baseline, suite);
    let new: Vec<&String> = names
        .iter()
        .filter(|name| !baseline.benchmarks.contains_key(*name))
        .filter(|name| !baseline.left_out.contains_key(*name))
        .collect();
    if !new.is_empty() {
        notes.push(format!(
            "{} benchmarks are not in the baseline and not judged, until `gate accept` takes them in: {}",
            new.len(),
            some(new.into_iter(), NAMES)
        ));
    }
    let unused = baseline.limits.unused(&baseline.benchmarks.keys());
    if !unused.is_empty() {
        notes.push(format!(
            "limits that fit no benchmark of the baseline: {}",
            some(unused.iter(), NAMES)
        ));
    }
    if !baseline.left_out.is_empty() {
        notes.push(format!(
            "left out since the recording: {}",
            some(baseline.left_out.keys(), NAMES)
        ));
    }
    let wavering = baseline
        .benchmarks
        .iter()
        .filter(|(_, b)| !b.instructions.repeats());
    let wavering: Vec<&String> = wavering.map(|(name, _)| name).collect();
    notes.extend(shifted(baseline, suite));
    if !wavering.is_empty() {
        notes.push(format!(
            "instructions did not repeat when the baseline was recorded, so these are compared with an interval: {}",
            some(wavering.into_iter(), NAMES)
        ));
    }
    notes
}

/// Benchmarks whose input has another size, or another number, than in the baseline.
fn other_inputs(baseline: &Baseline, run: &Counted) -> Option<String> {
    let differs = |(name, benchmark): (&String, &Benchmark)| {
        let counts = run.benchmarks.get(name)?;
        let now = &counts.inputs;
        let mut both = benchmark
            .inputs
            .iter()
            .filter_map(|(k, v)| Some((k, v, now.get(k)?)));
        if let Some((input, before, after)) = both.find(|(_, before, after)| before != after) {
            return Some(format!("`{name}` ({input} {before} → {after})"));
        }
        let contents = benchmark.content.as_ref().zip(counts.content.as_ref());
        contents
            .is_some_and(|(before, now)| before != now)
            .then(|| format!("`{name}` (as long, but of other content)"))
    };
    let changed: Vec<String> = baseline.benchmarks.iter().filter_map(differs).collect();
    let told = some(changed.iter(), NAMES);
    (!changed.is_empty()).then(|| {
        format!("the input is another one than in the baseline, and counts with it: {told}")
    })
}

/// Processes that benchmarks started: changes of what these execute are not seen. That a benchmark starts any where it did not is a problem.
fn processes_started(baseline: &Baseline, run: &Counted) -> Option<String> {
    let told = |names: Vec<&String>| {
        let known = names.iter().filter_map(|name| {
            let before = started(&baseline.benchmarks.get(*name)?.caveats);
            Some((before, run.benchmarks.get(*name)?.started()))
        });
        let (before, now) = known.max_by_key(|(_, now)| *now)?;
        let before = match before {
            _ if now == 0 => return None,
            _ if !baseline.processes => " (the baseline is older and does not say)".to_owned(),
            same if same == now => String::new(),
            before => format!(" ({before} in the baseline)"),
        };
        let first = names.first()?;
        Some(match names.len() {
            1 => format!("`{first}` {now}{before}"),
            all => format!("`{first}` and {} more in its JVM {now}{before}", all - 1),
        })
    };
    let jvms = jvms(&baseline.setup, run).into_values();
    let told: Vec<String> = jvms.filter_map(told).collect();
    let some = some(told.iter(), NAMES);
    (!told.is_empty()).then(|| format!("{STARTED}{some}; {REMEDY}"))
}

/// Figures that do not repeat, are above all runs of the baseline, and still where one more run may fall.
fn shifted(baseline: &Baseline, suite: &Suite) -> Option<String> {
    let benchmarks = baseline.benchmarks.iter();
    let figures = benchmarks.flat_map(|(name, b)| {
        let counts = [Metric::Instructions, Metric::Calls].map(|m| (m, b.figure(m)));
        counts
            .into_iter()
            .filter_map(move |(m, figure)| Some((name, m, figure?)))
    });
    let shifted: Vec<String> = figures
        .filter_map(|(name, metric, figure)| {
            let Figure::Wavering { low, high, runs } = figure else {
                return None;
            };
            let least = suite.counts(name, metric).into_iter().min()?;
            let most = runs.iter().copied().max()?;
            let of = |n: u64| count(n as f64);
            (most < least && least <= *high).then(|| {
                format!(
                    "`{name}` {} {} (at most {} before; one more run of that build: {} … {})",
                    metric.name(),
                    of(least),
                    of(most),
                    of(*low),
                    of(*high)
                )
            })
        })
        .collect();
    let told = some(shifted.iter(), NAMES);
    (!shifted.is_empty()).then(|| {
        format!("more than in any run of the baseline, but so few runs cannot tell it from chance: {told}. `gate record --runs 10` narrows the interval")
    })
}
