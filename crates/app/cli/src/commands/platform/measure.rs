//! `pricetag platform measure`: benchmarks timed, then counted, then priced.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_flow::Categories;
use pricetag_platform::{
    Benchmark, Facts, Measuring, Mode, PLATFORM_KIND, PLATFORM_SCHEMA, PlatformList, collector,
    mode,
};
use pricetag_platform_measure::{
    Effort, Launch, MeasureError, RUN, SUITE, Suite, Timings, caches, measure, script,
};
use pricetag_runner::check::quietness;
use pricetag_runner::jvm::{Java, resolve};
use pricetag_runner::{Cancel, RecordOptions, Workload, platform};
use pricetag_semantics::platform_prices;
use pricetag_trace::Pattern;
use serde_json::json;

use super::of_list;
use crate::arguments::{Common, PlatformMeasureArgs};
use crate::console::Console;
use crate::failure::{Failure, io};
use crate::scratch::Scratch;
use crate::watch::{counting, watch};

/// What benchmarks and programs have in common; arguments of a call are no counts.
const STEPS: [FeatureKind; 2] = [FeatureKind::Opcode, FeatureKind::Call];
/// Digits that a list keeps.
const DIGITS: i32 = 4;
/// Least executions per step that are kept: what is done once before a thousand steps is none of their work.
const LEAST: f64 = 0.005;

pub fn run(
    args: &PlatformMeasureArgs,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let doing = "measuring this platform";
    pricetag_file::check_writable(&args.output).map_err(io("write", &args.output))?;
    let (java, flags) = jvm(&args.command)?;
    let scratch = Scratch::new()?;
    let suite = Suite::shipped().map_err(|e| failed(&e))?;
    suite.write(scratch.path()).map_err(|e| failed(&e))?;
    let mut facts = platform::describe(Some(&java), &flags);
    facts.remove("java_home");
    let launch = Launch {
        java: java.path.clone(),
        interpreted: mode(&facts) == Mode::Interpreter,
        flags,
        folder: scratch.path().to_owned(),
    };
    let effort = if args.fast {
        Effort::FAST
    } else {
        Effort::FULL
    };
    let (begun, before) = (Instant::now(), quietness());
    let timings = timed(&suite, &launch, effort, console).map_err(|f| f.doing(doing))?;
    let after = quietness();
    console.say("counting what the benchmarks execute");
    let counts = counted(&suite, &launch, args.agent.as_deref(), common, console)
        .map_err(|f| f.doing("counting the benchmarks"))?;
    let measuring = Measuring {
        rounds: effort.rounds,
        samples: effort.samples,
        clock: "CPU time of the thread; median over JVMs of medians over samples".to_owned(),
        load: [&before, &after]
            .iter()
            .filter_map(|q| q.load_per_core)
            .map(short)
            .collect(),
        unsteadiness: [before.spread, after.spread].map(short).to_vec(),
        seconds: begun.elapsed().as_secs_f64().round(),
        created: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
    };
    complete(&mut facts);
    let list = list(&suite, facts, measuring, &timings, &counts);
    if let Some(why) = list.worthless() {
        return Err(Failure::new(why)
            .doing(doing)
            .advice("end other programs and measure again; nothing was written"));
    }
    list.save(&args.output)
        .map_err(|e| of_list(&e).doing(doing))?;
    tell(&list, &args.output, console)?;
    Ok(ExitCode::SUCCESS)
}

fn failed(error: &MeasureError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.advice() {
        Some(advice) => failure.advice(advice),
        None => failure,
    }
}

/// The JVM of a command that consists of it and its options.
fn jvm(command: &[String]) -> Result<(Java, Vec<String>), Failure> {
    let (program, flags) = match command.split_first() {
        Some((first, rest)) if !first.starts_with('-') => (first.as_str(), rest),
        _ => ("java", command),
    };
    if let Some(odd) = flags.iter().find(|f| !f.starts_with('-')) {
        return Err(Failure::usage(format!(
            "`{odd}` is no option of the JVM: benchmarks are run, and no program"
        ))
        .advice("give `java` and its options alone, such as `-- java -Xint`"));
    }
    let path = std::env::var("PATH").ok();
    let java = resolve(program, None, path.as_deref())
        .and_then(|path| Java::detect(&path, &Cancel::default()))?;
    Ok((java, flags.to_vec()))
}

/// What follows from the facts, in words, and what the machine says of its caches.
fn complete(facts: &mut Facts) {
    let (mode, collector) = (mode(facts).words(), collector(facts).words());
    facts.insert("mode".to_owned(), mode.to_owned());
    facts.insert("collector".to_owned(), collector.to_owned());
    facts.extend(platform::design());
    if let Some(caches) = caches() {
        facts.insert("caches".to_owned(), caches);
    }
}

fn timed(
    suite: &Suite,
    launch: &Launch,
    effort: Effort,
    console: &Console,
) -> Result<Timings, Failure> {
    let _turning = console.spinner("timing benchmarks");
    let mut tenth = 0;
    let mut tell = |done: f64| {
        let now = (done * 10.0) as u32;
        if console.verbose && now > tenth {
            tenth = now;
            console.say(&format!("{} % of the benchmarks are timed", now * 10));
        }
        true
    };
    measure(suite, launch, effort, &mut tell).map_err(|e| failed(&e))
}

/// Counts of one step of each benchmark that ran to its end.
fn counted(
    suite: &Suite,
    launch: &Launch,
    agent: Option<&Path>,
    common: &Common,
    console: &Console,
) -> Result<Vec<BTreeMap<String, f64>>, Failure> {
    let input = launch.folder.join("script.txt");
    std::fs::write(&input, script(suite)).map_err(io("write", &input))?;
    let text = |path: &PathBuf| path.display().to_string();
    let mut command = vec![text(&launch.java)];
    command.extend(launch.flags.iter().cloned());
    command.extend(["-cp".to_owned(), text(&launch.folder), SUITE.to_owned()]);
    let pattern = Pattern::new("Pricetag*").map_err(|e| Failure::new(e.to_string()))?;
    let scope = format!("{SUITE}#{RUN}");
    let dir = launch.folder.join("counts");
    let options = RecordOptions {
        stdin: Some(text(&input)),
        scope: scope
            .parse()
            .map_err(|_| Failure::new(format!("{scope} is no scope")))?,
        include: vec![pattern],
        categories: Categories::fine().to_text(),
        warmup: Some(0),
        jobs: common.jobs,
        force: true,
        ..counting(command, Workload::single(), &dir, agent)?
    };
    let quiet = Console {
        quiet: true,
        ..*console
    };
    let (dataset, _) = watch(&options, Some(STEPS.into()), &quiet)?;
    let rows = dataset.observations.len();
    if rows != suite.programs.len() {
        return Err(Failure::new(format!(
            "{rows} of {} benchmarks were counted",
            suite.programs.len()
        )));
    }
    Ok(per_step(suite, &dataset))
}

fn per_step(suite: &Suite, dataset: &Dataset) -> Vec<BTreeMap<String, f64>> {
    let mut out = vec![BTreeMap::new(); suite.programs.len()];
    let columns = dataset.features.iter().zip(&dataset.columns);
    for (feature, column) in columns.filter(|(f, _)| STEPS.contains(&f.kind)) {
        for (row, count) in column {
            let at = row.0 as usize;
            let steps = f64::from(suite.programs[at].steps);
            let count = count / steps;
            if count >= LEAST {
                out[at].insert(feature.name.clone(), rounded(count));
            }
        }
    }
    for (counts, program) in out.iter_mut().zip(&suite.programs) {
        for (what, amount) in &program.sizes {
            counts.insert(what.clone(), f64::from(*amount));
        }
    }
    out
}

fn list(
    suite: &Suite,
    platform: Facts,
    measuring: Measuring,
    timings: &Timings,
    counts: &[BTreeMap<String, f64>],
) -> PlatformList {
    let programs = suite.programs.iter().zip(&timings.programs).zip(counts);
    let benchmarks: Vec<Benchmark> = programs
        .map(|((program, timed), counts)| Benchmark {
            name: program.name.clone(),
            group: program.group.clone(),
            ns: timed.ns.map(rounded),
            spread: short(timed.spread.max(0.0)),
            refused: timed.refused.clone(),
            counts: counts.clone(),
        })
        .collect();
    let (mut prices, fit) = match platform_prices(&benchmarks) {
        Some((prices, fit)) => (prices, Some(fit)),
        None => (Vec::new(), None),
    };
    for price in &mut prices {
        price.ns = price.ns.map(rounded);
        price.estimate = price.estimate.map(rounded);
        price.bounds = price
            .bounds
            .map(|(low, high)| (rounded(low), rounded(high)));
        for (_, ratio) in &mut price.members {
            *ratio = rounded(*ratio);
        }
    }
    PlatformList {
        schema: PLATFORM_SCHEMA,
        kind: PLATFORM_KIND.to_owned(),
        platform,
        suite: suite.digest(),
        measuring,
        benchmarks,
        prices,
        fit,
        notes: vec![
            "times are of one thread; collectors and compilers run on others".to_owned(),
            "a list says what small programs cost when they are warm".to_owned(),
        ],
        pricetag: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// As many digits as a list keeps.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10_f64.powi(DIGITS - 1 - value.abs().log10().floor() as i32);
    let rounded = (value * scale).round() / scale;
    // Written as 0.3 and not as 0.30000000000000004.
    format!("{rounded:.12}").parse().unwrap_or(rounded)
}

fn short(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn tell(list: &PlatformList, output: &Path, console: &Console) -> Result<(), Failure> {
    let timed = list.benchmarks.iter().filter(|b| b.ns.is_some()).count();
    let refused: Vec<&Benchmark> = list
        .benchmarks
        .iter()
        .filter(|b| b.refused.is_some())
        .collect();
    let priced = list.prices.iter().filter(|p| p.ns.is_some()).count();
    if console.json {
        let done = json!({ "schema": 1, "list": output.display().to_string(), "benchmarks": timed, "refused": refused.len(), "prices": priced, "seconds": list.measuring.seconds });
        return console.result(&done, String::new);
    }
    console.say(&format!(
        "{}\n{timed} benchmarks timed in {:.0} s and {priced} prices learnt, written to {}",
        list.title(),
        list.measuring.seconds,
        output.display()
    ));
    if let Some(fit) = &list.fit {
        console.say(&format!(
            "{} features in {} buckets of rank {}; prices explain the benchmarks within {:.0} % in the median, {:.0} % in nine of ten",
            fit.features,
            fit.buckets,
            fit.rank,
            fit.median_error * 100.0,
            fit.p90_error * 100.0
        ));
    }
    for benchmark in refused {
        let why = benchmark.refused.as_deref().unwrap_or_default();
        console.say(&format!("no time for `{}`: {why}", benchmark.name));
    }
    if let Some(load) = list.measuring.load.iter().copied().reduce(f64::max)
        && load > pricetag_runner::assemble::BUSY
    {
        console.say(&format!(
            "warning: {load:.1} processes per core wanted to run: times scatter by {:.1} % in the median",
            list.scatter() * 100.0
        ));
    }
    Ok(())
}
