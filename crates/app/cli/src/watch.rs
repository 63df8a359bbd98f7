//! Recording for the commands that need it: arguments to options, runs to a dataset.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pricetag_dataset::{
    Dataset, DatasetBuilder, FeatureKind, Observation, Row as DatasetRow, Status, directory,
};
use pricetag_file::raw;
use pricetag_probe_plan::PlanStore;
use pricetag_runner::{
    Counts, Ended, RecordOptions, Recorded, RunnerError, Timing, Workload, jvm, record, unfinished,
};
use pricetag_tabulate::{NumberlessColumns, TabulateOptions, Tabulated, Tabulator, compare};
use pricetag_trace::{AgentOptions, CallChoice, Listed, Pattern, Trace, processes};

use crate::arguments::{Common, LaunchArgs, SubjectArgs, Switch, TimingArg};
use crate::console::Console;
use crate::failure::{Failure, io};
use crate::interrupt::Attention;
use crate::lists::listed;
use crate::recording::{categories, written};

/// How names of the JDK's own packages begin.
const JDK: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

/// The agent's library.
pub fn find_agent(given: Option<&Path>) -> Result<PathBuf, RunnerError> {
    let executable =
        std::env::current_exe().map_err(RunnerError::io("find", Path::new("this executable")))?;
    let real = executable.canonicalize().unwrap_or(executable);
    jvm::find_agent(given, &real)
}

/// Where rewritten classes are kept beyond a recording; nowhere for `none`, and where the user has no folder for such things.
pub fn cache(given: Option<&Path>) -> Option<PathBuf> {
    let variable = |name| {
        let folder = PathBuf::from(std::env::var_os(name)?);
        folder.is_absolute().then_some(folder)
    };
    match given {
        Some(folder) => (folder != Path::new("none")).then(|| folder.to_owned()),
        None => variable("XDG_CACHE_HOME")
            .or_else(|| Some(variable("HOME")?.join(".cache")))
            .map(|folder| folder.join("pricetag")),
    }
}

/// A variable of this process, of any bytes.
pub fn inherited(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| raw::text(&value))
}

/// The inputs the arguments name.
pub fn workload(
    inputs: Option<&str>,
    table: Option<&Path>,
    cwd: Option<&Path>,
) -> Result<Workload, Failure> {
    let here = std::env::current_dir().map_err(io("find", Path::new("the working directory")))?;
    let workload = match (inputs, table) {
        (Some(pattern), _) => Workload::from_glob(pattern, &here, cwd),
        (None, Some(table)) => Workload::from_table(table, cwd.unwrap_or(&here)),
        (None, None) => Ok(Workload::single()),
    };
    workload.map_err(|e| Failure::from(e).doing("reading the workload"))
}

/// A recording that counts blocks of whole runs and nothing else, in the environment of this process.
pub fn counting(
    command: Vec<String>,
    workload: Workload,
    dir: &Path,
    agent: Option<&Path>,
) -> Result<RecordOptions, Failure> {
    Ok(RecordOptions {
        agent: find_agent(agent)?,
        path: inherited("PATH"),
        java_tool_options: inherited("JAVA_TOOL_OPTIONS"),
        ..RecordOptions::counting(command, workload, dir.to_owned())
    })
}

/// The same, launched as the arguments say.
pub fn launched(
    args: &LaunchArgs,
    command: Vec<String>,
    workload: Workload,
    dir: &Path,
) -> Result<RecordOptions, Failure> {
    Ok(RecordOptions {
        stdin: args.stdin.clone(),
        env: args.env.iter().cloned().collect(),
        cwd: args.cwd.clone(),
        timeout: args.timeout,
        show_output: args.show_output,
        ..counting(command, workload, dir, args.agent.as_deref())?
    })
}

/// What to record, from the arguments.
pub fn options(args: &SubjectArgs, common: &Common, dir: &Path) -> Result<RecordOptions, Failure> {
    Ok(RecordOptions {
        command: args.command.clone(),
        workload: workload(
            args.inputs.as_deref(),
            args.workload.as_deref(),
            args.cwd.as_deref(),
        )?,
        stdin: args.stdin.clone(),
        env: args.env.iter().cloned().collect(),
        cwd: args.cwd.clone(),
        timeout: args.timeout,
        scope: args.scope.clone(),
        tests: Vec::new(),
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        listed: asked_for(args)?,
        count_jdk: args.count_jdk,
        categories: categories(&args.categories)?.to_text(),
        values: first_values(args),
        lengths: args.lengths,
        depths: args.depths,
        transitions: counts_transitions(args),
        strides: asks_for(args, FeatureKind::Stride),
        caught: asks_for(args, FeatureKind::Exception),
        callers: splits_loops(args),
        invocations: splits_invocations(args),
        calls: calls(args)?,
        availability: args.availability,
        repeat: args.repeat,
        shuffle: args.shuffle,
        timing: match args.timing {
            TimingArg::Separate => Timing::Separate,
            TimingArg::Same => Timing::Same,
        },
        jit: args.jit == Switch::On,
        gc: args.gc == Switch::On,
        warmup: args.warmup,
        determinism: args.check_determinism,
        samples: args.samples,
        overhead: args.overhead,
        jobs: common.jobs,
        show_output: args.show_output,
        dir: dir.to_owned(),
        resume: args.resume,
        force: args.force,
        agent: find_agent(args.agent.as_deref())?,
        cache: cache(args.cache.as_deref()),
        cpu: Ended::cpu,
        path: inherited("PATH"),
        java_tool_options: inherited("JAVA_TOOL_OPTIONS"),
    })
}

/// What of the selected classes is counted.
///
/// # Errors
/// If a list cannot be read, or features are asked for that a list of blocks does not give.
pub fn asked_for(args: &SubjectArgs) -> Result<Listed, Failure> {
    let listed = listed(args.methods.as_deref(), args.blocks.as_deref())?;
    let given = |kind: &FeatureKind| OF_BLOCKS.contains(kind) || *kind == FeatureKind::Value;
    let mut kinds = args.features.iter().flat_map(|group| &group.0);
    if args.blocks.is_some() && !kinds.all(given) {
        let why = "--features names what is not counted of listed blocks";
        return Err(Failure::usage(why)
            .advice("with --blocks name blocks, opcodes, transitions, strides and values alone"));
    }
    Ok(listed)
}

/// What is counted of listed blocks.
const OF_BLOCKS: [FeatureKind; 5] = [
    FeatureKind::Block,
    FeatureKind::Opcode,
    FeatureKind::Call,
    FeatureKind::Transition,
    FeatureKind::Stride,
];

/// First values recorded of a variable, unless the user says how many.
const FIRST_VALUES: u16 = 5;

/// How many first values to record; none unless they are asked for by any of their options.
pub fn first_values(args: &SubjectArgs) -> u16 {
    let asked = args.lengths || args.depths || asks_for(args, FeatureKind::Value);
    args.values.unwrap_or(if asked { FIRST_VALUES } else { 0 })
}

/// Whether changes of the outcome of branches are counted: by default where counting does not disturb the times, and nobody has set it a limit
/// or listed blocks.
pub fn counts_transitions(args: &SubjectArgs) -> bool {
    let unlimited = args.overhead.is_none() && args.blocks.is_none();
    let undisturbed = args.timing == TimingArg::Separate && unlimited;
    asks_for(args, FeatureKind::Transition) || (names_none(args) && undisturbed)
}

/// Which invocations are written down, if that is asked for.
fn calls(args: &SubjectArgs) -> Result<Option<CallChoice>, Failure> {
    let asked = args.features.iter().any(|group| group.0.is_empty());
    if args.calls != CallChoice::default() && !asked {
        return Err(Failure::usage(
            "--calls says which invocations are written down, but none are",
        )
        .advice("add `calls` to --features"));
    }
    Ok(asked.then_some(args.calls))
}

/// Whether `--features` leaves the choice of kinds to us.
fn names_none(args: &SubjectArgs) -> bool {
    args.features.iter().all(|group| group.0.is_empty())
}

/// Whether loops are split by calling method: where both are named.
pub fn splits_loops(args: &SubjectArgs) -> bool {
    asks_for(args, FeatureKind::Context) && asks_for(args, FeatureKind::Loop)
}

/// Whether invocations are: where both are named.
pub fn splits_invocations(args: &SubjectArgs) -> bool {
    asks_for(args, FeatureKind::Context) && asks_for(args, FeatureKind::Method)
}

/// Whether `--features` names a kind.
pub fn asks_for(args: &SubjectArgs, kind: FeatureKind) -> bool {
    let mut kinds = args.features.iter().flat_map(|group| &group.0);
    kinds.any(|named| *named == kind)
}

/// Kinds of features chosen by `--features`; everything when none is named.
pub fn kinds(args: &SubjectArgs) -> Option<BTreeSet<FeatureKind>> {
    if names_none(args) {
        return None;
    }
    let chosen = args
        .features
        .iter()
        .flat_map(|group| group.0.iter().copied());
    Some(
        chosen
            .chain([FeatureKind::Base, FeatureKind::Cold])
            .chain((first_values(args) > 0).then_some(FeatureKind::Value))
            .collect(),
    )
}

/// Runs the workload and tabulates what was recorded.
pub fn watch(
    options: &RecordOptions,
    kinds: Option<BTreeSet<FeatureKind>>,
    console: &Console,
) -> Result<(Dataset, Recorded), Failure> {
    let doing = format!("recording `{}`", options.command.join(" "));
    let (cancel, attention) = Attention::of_recording();
    let recorded = record(options, &console.progress(), &cancel);
    drop(attention);
    let recorded = recorded.map_err(|e| Failure::from(e).doing(&doing))?;
    let mut choice = TabulateOptions {
        categories: written(&options.categories)?,
        ..TabulateOptions::default()
    };
    choice.kinds = kinds.unwrap_or(choice.kinds);
    let dataset = tabulate(&recorded, choice, options).map_err(|f| f.doing(&doing))?;
    Ok((dataset, recorded))
}

/// What a recording that was cut short had finished, where it left no dataset itself.
pub fn cut_short(dir: &Path) -> Result<Option<Dataset>, Failure> {
    if directory::exists(dir) {
        return Ok(None);
    }
    let Some((recorded, options)) = unfinished(dir)? else {
        return Ok(None);
    };
    let choice = TabulateOptions {
        categories: written(&options.categories)?,
        ..TabulateOptions::default()
    };
    tabulate(&recorded, choice, &options).map(Some)
}

/// Traces already tabulated, one entry per invocation or one for the whole process.
struct Tables {
    tabulator: Tabulator,
    traces: BTreeMap<PathBuf, Vec<Tabulated>>,
}

impl Tables {
    fn counts(
        &mut self,
        counts: &Counts,
        builder: &mut DatasetBuilder,
    ) -> Result<Tabulated, Failure> {
        let failed = |e: pricetag_tabulate::TabulateError| Failure::new(e.to_string());
        match counts {
            Counts::Process(path) => self
                .tabulator
                .process(&Trace::read(path)?, builder)
                .map_err(failed),
            Counts::Invocation { trace, index } => {
                if !self.traces.contains_key(trace) {
                    let rows = self
                        .tabulator
                        .invocations(&Trace::read(trace)?, builder)
                        .map_err(failed)?;
                    self.traces.insert(trace.clone(), rows);
                }
                let row = self
                    .traces
                    .get_mut(trace)
                    .and_then(|rows| rows.get_mut(*index))
                    .map(std::mem::take);
                row.ok_or_else(|| {
                    Failure::new(format!("{} has no invocation {index}", trace.display()))
                })
            }
        }
    }
}

impl Tables {
    /// When features are final, if the run was looked at while it went on.
    fn availability(
        &mut self,
        counts: &Counts,
        builder: &mut DatasetBuilder,
    ) -> Result<(), Failure> {
        let failed = |e: pricetag_tabulate::TabulateError| Failure::new(e.to_string());
        let end = match counts {
            Counts::Process(end) => end,
            // Once for all invocations of a run.
            Counts::Invocation { trace, index: 0 } => {
                let trace = Trace::read(trace)?;
                let found = self.tabulator.availability_in_invocations(&trace, builder);
                for (feature, when) in found.map_err(failed)?.into_iter().flatten() {
                    builder.available(feature, when.share, when.changes);
                }
                return Ok(());
            }
            Counts::Invocation { .. } => return Ok(()),
        };
        let looks = AgentOptions::progress_files(end).map_err(io("look for snapshots of", end))?;
        if looks.is_empty() {
            return Ok(());
        }
        let looks = looks.iter().map(|file| Trace::read(file));
        let looks: Vec<Trace> = looks.collect::<Result<_, _>>()?;
        let found = self
            .tabulator
            .availability(&looks, &Trace::read(end)?, builder)
            .map_err(failed)?;
        for (feature, when) in found {
            builder.available(feature, when.share, when.changes);
        }
        Ok(())
    }
}

/// How a note begins about what was included in vain.
pub const NO_CLASS: &str = "no class that was loaded and can be counted";

/// Patterns of `--include` that no counted class matches, with what may be the reason.
fn vain(include: &[Pattern], count_jdk: bool, counted: &Tabulator) -> Vec<String> {
    let matches = |p: &Pattern| counted.classes().any(|class| p.matches_internal(class));
    let vain = include.iter().filter(|pattern| !matches(pattern));
    let told = vain.map(|pattern| {
        let what = format!("{NO_CLASS} matches --include {pattern}");
        let jdk = JDK
            .iter()
            .any(|package| pattern.as_str().starts_with(package));
        if jdk && !count_jdk {
            format!("{what}: the JDK's own classes are counted only with --count-jdk")
        } else {
            what
        }
    });
    let told = told.collect();
    if include.is_empty() && counted.classes().next().is_none() {
        return vec![
            "no class of the program was counted: the JDK's own classes and tools are no part of it unless --include names them, such as --include 'com.sun.tools.javac.**'"
                .to_owned(),
        ];
    }
    told
}

fn tabulate(
    recorded: &Recorded,
    choice: TabulateOptions,
    options: &RecordOptions,
) -> Result<Dataset, Failure> {
    let plans = PlanStore::open(&recorded.plans).map_err(|e| Failure::new(e.to_string()))?;
    let mut tables = Tables {
        tabulator: Tabulator::new(plans, choice),
        traces: BTreeMap::new(),
    };
    let mut meta = recorded.meta.clone();
    env!("CARGO_PKG_VERSION").clone_into(&mut meta.pricetag);
    meta.created = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let mut builder = DatasetBuilder::new(meta);
    let (mut left, mut numberless) = (BTreeSet::new(), NumberlessColumns::default());
    let mut started = 0;
    for row in &recorded.rows {
        let Some(counts) = &row.counts else {
            builder.row(DatasetRow {
                observation: row.observation.clone(),
                ..DatasetRow::default()
            });
            continue;
        };
        let table = tables.counts(counts, &mut builder)?;
        let difference = match &row.recount {
            Some(again) => {
                let second = tables.counts(again, &mut builder)?;
                Some(compare(&table, &second, &builder))
            }
            None => None,
        };
        left.extend(table.left.iter().cloned());
        numberless.add(&table);
        let told = table.caveats.iter().filter_map(|c| processes::started(c));
        started = started.max(told.max().unwrap_or(0));
        builder.row(table.into_row(row.observation.clone(), difference));
    }
    builder.meta_mut().left = left.into_iter().collect();
    builder.meta_mut().notes.extend(numberless.note());
    builder.meta_mut().notes.extend(processes_started(started));
    for row in &recorded.rows {
        if let (Some(counts), true) = (&row.counts, options.availability) {
            tables.availability(counts, &mut builder)?;
        }
    }
    if recorded.successes() > 0 {
        let vain = vain(&options.include, options.count_jdk, &tables.tabulator);
        builder.meta_mut().notes.extend(vain);
        let plans: Vec<_> = tables.tabulator.plans().collect();
        let unmatched = options.listed.unmatched(&plans);
        builder.meta_mut().notes.extend(unmatched);
    }
    let mut dataset = builder.finish();
    dataset.profile.clone_from(&recorded.profile);
    Ok(dataset)
}

/// What the dataset says of processes that its program started, the most of a run.
fn processes_started(most: u64) -> Option<String> {
    (most > 0).then(|| processes::caveat(most))
}

/// The reason most observations failed for, and how many did.
pub fn main_reason(observations: &[Observation]) -> Option<(String, usize)> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for observation in observations.iter().filter(|o| o.status == Status::Failed) {
        *reasons
            .entry(observation.reason.as_deref().unwrap_or("unknown"))
            .or_default() += 1;
    }
    let most = reasons
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)))?;
    Some((most.0.to_owned(), most.1))
}
