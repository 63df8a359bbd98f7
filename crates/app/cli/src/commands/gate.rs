//! `pricetag gate`: a committed baseline of counts, and checks against it.

mod counting;
mod priced;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use pricetag_gate::{
    Baseline, BaselineError, Entry, Figure, History, Level, Limits, Metric, RecordError, Setup,
    Suite, Verdict, check, load, output,
};
use pricetag_trace::processes;
use serde_json::Value;

use crate::arguments::{Common, GateAcceptArgs, GateCheckArgs, GateCommand, GateRecordArgs};
use crate::console::{Console, print};
use crate::failure::{EXCEEDED, Failure, USAGE, io};
use counting::Counting;
use priced::Prices;

pub fn run(command: &GateCommand, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    match command {
        GateCommand::Record(args) => record(args, common, console),
        GateCommand::Check(args) => judge(args, common, console),
        GateCommand::Accept(args) => accept(args, common, console),
        GateCommand::History { baseline } => {
            let baseline = open(baseline)?;
            console.result(&Told::of(&baseline), || output::history(&baseline))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The history as JSON.
#[derive(serde::Serialize)]
struct Told<'b> {
    schema: u32,
    suite: &'b str,
    recorded: &'b str,
    history: &'b [History],
}

impl<'b> Told<'b> {
    fn of(baseline: &'b Baseline) -> Self {
        Self {
            schema: 1,
            suite: &baseline.suite,
            recorded: &baseline.recorded,
            history: &baseline.history,
        }
    }
}

fn open(path: &Path) -> Result<Baseline, Failure> {
    load(path).map_err(|e| of_baseline(&e))
}

fn of_baseline(error: &BaselineError) -> Failure {
    Failure::new(error.to_string()).advice(error.advice())
}

fn of_recording(error: &RecordError) -> Failure {
    Failure {
        code: EXCEEDED,
        ..Failure::new(error.to_string()).advice(error.advice())
    }
}

fn record(args: &GateRecordArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let path = &args.output;
    if path.exists() && !args.force {
        let why = format!("{} is there already", path.display());
        return Err(Failure::usage(why).advice(
            "`pricetag gate accept` takes a change into it and keeps the reason; --force replaces it",
        ));
    }
    pricetag_file::check_writable(path).map_err(io("write", path))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let suite = args.suite.clone().unwrap_or_else(|| name.into_owned());
    let limits = Limits {
        allow: args.limits.allow.clone(),
        warn: args.limits.warn.clone(),
    };
    let counting = Counting {
        setup: counting::setup(args),
        run: &args.run,
        common,
        console,
    };
    let prices = Prices::of(args.prices.as_deref(), console)?;
    let (baseline, remark) = counted(&counting, &suite, limits, &prices)?;
    baseline.save(path).map_err(|e| of_baseline(&e))?;
    tell(&baseline, remark.as_deref(), console);
    console.say(&format!(
        "next: commit {0}, and `pricetag gate check {0} -- COMMAND` on every change",
        path.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// The baseline of this build, and what there is to say of its prices.
fn counted(
    counting: &Counting,
    suite: &str,
    limits: Limits,
    prices: &Prices,
) -> Result<(Baseline, Option<String>), Failure> {
    let mut runs = Vec::new();
    let mut first = None;
    for _ in 0..counting.setup.runs {
        let (dataset, run) = counting.once()?;
        let failed = !run.failed.is_empty();
        runs.push(run);
        first.get_or_insert(dataset);
        // More runs would not make a baseline of it.
        if failed {
            break;
        }
    }
    let mut runs = Suite::of(runs);
    if counting.setup.tests.is_some() {
        runs = runs.without_unsteady();
    }
    let version = env!("CARGO_PKG_VERSION");
    let setup = counting.setup.clone();
    let baseline = runs.baseline(suite, &today(), version, setup, limits);
    let baseline = baseline.map_err(|e| of_recording(&e))?;
    match first {
        Some(dataset) => prices.of_methods(baseline, dataset),
        None => Ok((baseline, None)),
    }
}

/// A benchmark is coarse if so many times its mean is still within what one more run may count.
const COARSE: f64 = 1.5;

/// What was recorded, what of it does not repeat, and what there is to say of its prices.
fn tell(baseline: &Baseline, prices: Option<&str>, console: &Console) {
    let all = baseline.benchmarks.len();
    let wavering = |of: &dyn Fn(&pricetag_gate::Benchmark) -> Option<&Figure>| {
        let figures = baseline.benchmarks.values().filter_map(of);
        figures.filter(|figure| !figure.repeats()).count()
    };
    let unsteady = wavering(&|b| Some(&b.instructions));
    let benchmarks = pricetag_quantity::counted(all, "benchmark");
    let bytes = if baseline.benchmarks.values().any(|b| b.bytes.is_some()) {
        "; bytes have an interval"
    } else {
        ""
    };
    console.say(&format!(
        "{benchmarks} of suite {}: instructions repeat in {}{bytes}",
        baseline.suite,
        all - unsteady,
    ));
    let coarse: Vec<String> = baseline
        .benchmarks
        .iter()
        .filter(|(_, b)| b.instructions.high() as f64 > COARSE * b.instructions.middle())
        .map(|(name, _)| name.clone())
        .collect();
    if !coarse.is_empty() {
        console.say(&format!(
            "warning: instructions of {} scatter so much that half as many more would pass: {}. --runs 10 tells the interval better",
            pricetag_quantity::counted(coarse.len(), "benchmark"),
            coarse.iter().take(5).cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    let caveats = baseline.benchmarks.values().flat_map(|b| &b.caveats);
    let started = caveats.filter_map(|c| processes::started(c)).max();
    if let Some(started) = started.filter(|&n| n > 0) {
        console.say(&format!("warning: {}", processes::caveat(started)));
    }
    for (name, why) in &baseline.left_out {
        console.say(&format!("left out: {name}: {why}"));
    }
    if let Some(prices) = prices {
        console.say(prices);
    }
}

fn judge(args: &GateCheckArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let mut baseline = open(&args.baseline)?;
    let (allow, warn) = (&args.limits.allow, &args.limits.warn);
    baseline.limits = std::mem::take(&mut baseline.limits).then(allow, warn);
    let counting = Counting {
        setup: with_tests(baseline.setup.clone(), args.tests.as_deref())?,
        run: &args.run,
        common,
        console,
    };
    let verdict = verdict(&baseline, &counting)?;
    write(&verdict, args)?;
    if args.annotations {
        print(&output::annotations(&verdict, &args.sources))?;
    }
    console.result(&verdict, || {
        output::text(&verdict, args.limit, console.width)
    })?;
    if verdict.passed {
        return Ok(ExitCode::SUCCESS);
    }
    // What cannot be judged is told with its own remedy, and accepting it would be refused as well.
    if verdict.problems.is_empty() && !console.json && !args.annotations {
        console.say(&format!(
            "if it is worth it: pricetag gate accept {} --reason '…' -- COMMAND",
            args.baseline.display()
        ));
    }
    Ok(ExitCode::from(EXCEEDED))
}

/// How a suite is run, with its tests in another place if one is named.
fn with_tests(mut setup: Setup, tests: Option<&Path>) -> Result<Setup, Failure> {
    if let Some(place) = tests {
        if setup.tests.is_none() {
            let why = "the baseline is not of tests, so --tests has no place in it";
            return Err(Failure::usage(why));
        }
        setup.tests = Some(place.display().to_string());
    }
    Ok(setup)
}

/// Counts until more runs change nothing. What cannot be counted is a verdict, too: it fails.
fn verdict(baseline: &Baseline, counting: &Counting) -> Result<Verdict, Failure> {
    let mut runs = Vec::new();
    loop {
        match counting.once() {
            Ok((_, run)) => runs.push(run),
            // A mistake in the command line is told as one.
            Err(failure) if failure.code == USAGE => return Err(failure),
            Err(failure) => {
                let doing = failure
                    .doing
                    .map_or_else(String::new, |doing| format!("{doing}: "));
                let advice = failure
                    .advice
                    .map_or_else(String::new, |advice| format!("; try: {advice}"));
                let why = format!("{doing}{}{advice}", failure.why);
                return Ok(Verdict::refused(&baseline.suite, why));
            }
        }
        let suite = Suite::of(runs.clone());
        let verdict = check(baseline, &suite);
        if !verdict.wants_another_run(baseline, &suite) {
            return Ok(verdict);
        }
        let why = if verdict.of(Level::Failed).next().is_some() {
            "it is beyond what is allowed"
        } else if verdict.passed {
            "it is below the baseline"
        } else {
            "it cannot be judged"
        };
        counting.console.say(&format!(
            "{why}: counting again, to see whether that repeats"
        ));
    }
}

/// Writes the forms that were asked for.
fn write(verdict: &Verdict, args: &GateCheckArgs) -> Result<(), Failure> {
    let whole = |path: &Path, text: String| {
        pricetag_file::write(path, text.as_bytes()).map_err(io("write", path))
    };
    let json = |value: &Value| format!("{value:#}\n");
    if let Some(path) = &args.junit {
        whole(path, output::junit(verdict))?;
    }
    if let Some(path) = &args.bencher {
        whole(path, json(&output::bencher(verdict)))?;
    }
    if let Some(path) = &args.benchmark_action {
        whole(path, json(&output::benchmark_action(verdict)))?;
    }
    if let Some(path) = &args.markdown {
        // A summary may have something in it already.
        let file = OpenOptions::new().create(true).append(true).open(path);
        let text = output::markdown(verdict, args.limit);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(io("write", path))?;
    }
    Ok(())
}

fn accept(args: &GateAcceptArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    if args.reason.trim().is_empty() {
        return Err(Failure::usage("--reason is empty")
            .advice("say why the change is worth what it costs: it is kept in the file"));
    }
    let old = open(&args.baseline)?;
    let mut setup = with_tests(old.setup.clone(), args.tests.as_deref())?;
    setup.starts_others |= args.starts_others;
    let counting = Counting {
        setup,
        run: &args.run,
        common,
        console,
    };
    let prices = Prices::of(args.prices.as_deref(), console)?;
    let (mut new, remark) = counted(&counting, &old.suite, old.limits.clone(), &prices)?;
    new.history.clone_from(&old.history);
    new.history.push(History {
        accepted: today(),
        reason: args.reason.trim().to_owned(),
        changes: changes(&old, &new),
    });
    if open(&args.baseline)? != old {
        let why = format!(
            "{} was changed while this build was counted",
            args.baseline.display()
        );
        return Err(Failure::new(why)
            .advice("look at what it says now, and accept again if that is needed"));
    }
    new.save(&args.baseline).map_err(|e| of_baseline(&e))?;
    tell(&new, remark.as_deref(), console);
    console.say(&format!(
        "accepted: {} is the baseline now",
        args.baseline.display()
    ));
    let last = Baseline {
        history: new.history.split_off(new.history.len() - 1),
        ..new
    };
    console.result(&Told::of(&last), || output::history(&last))?;
    Ok(ExitCode::SUCCESS)
}

/// Figures that are not what they were: of what does not repeat, those outside the other's interval.
fn changes(old: &Baseline, new: &Baseline) -> Vec<Entry> {
    let names: std::collections::BTreeSet<&String> =
        old.benchmarks.keys().chain(new.benchmarks.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        for metric in Metric::ALL {
            let of = |baseline: &Baseline| baseline.benchmarks.get(name)?.figure(metric).cloned();
            let (before, after) = (of(old), of(new));
            let same = match (&before, &after) {
                (Some(a), Some(b)) => a.low() <= b.high() && b.low() <= a.high(),
                (None, None) => true,
                _ => false,
            };
            if !same {
                changes.push(Entry {
                    benchmark: name.clone(),
                    metric: metric.name().to_owned(),
                    before: before.as_ref().map(Figure::middle),
                    after: after.as_ref().map(Figure::middle),
                });
            }
        }
    }
    changes
}

/// The day, in UTC.
fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    day(now.map_or(0, |d| d.as_secs() / 86400))
}

/// `2026-11-28`, of days since 1970. After Howard Hinnant, "chrono-compatible low-level date algorithms" (2014), `civil_from_days`.
fn day(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_the_dates_of_the_calendar() {
        // date -u -d @SECONDS +%F
        for (seconds, date) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_709_164_800, "2024-02-29"),
            (1_772_323_200, "2026-03-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(seconds / 86400), date);
        }
    }
}
