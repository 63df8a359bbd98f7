//! `pricetag predict`: what inputs will cost.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use pricetag_cost_model::CostModel;
use pricetag_dataset::{Dataset, FeatureKind, Observation, Source, Status};
use pricetag_explain::narrow_intervals;
use pricetag_finding::Predictions;
use pricetag_predict::{predict_dataset, predict_table};
use pricetag_runner::{RecordOptions, Workload};
use pricetag_tabulate::TabulateOptions;
use pricetag_trace::Scope;

use crate::analysis::{as_learnt, open_dataset, open_model};
use crate::arguments::{Common, PredictArgs};
use crate::commands::evaluator;
use crate::commands::platform::moving::moved;
use crate::console::Console;
use crate::failure::Failure;
use crate::lists::listed;
use crate::recording::{Recording, check_categories};
use crate::scratch::Scratch;
use crate::watch::{cache, counting, main_reason, watch, workload};

pub fn run(args: &PredictArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    if evaluator::is_predictor(&args.model) {
        if args.moving.platform.is_some() {
            let why = "--platform moves predictions of models, not of predictors";
            return Err(
                Failure::usage(why).advice("give the model.json that the predictor was built from")
            );
        }
        return evaluator::predict(args, common, console);
    }
    let model = open_model(&args.model)?;
    if let Some(why) = narrow_intervals(&model) {
        console.say(&format!("warning: {why}"));
    }
    let mut seen = None;
    let predictions: Predictions = if let Some(dir) = &args.dataset {
        let dataset = open_dataset(dir)?;
        check_categories(&model, &dataset)?;
        let dataset = seen.insert(as_learnt(&model, dataset));
        predict_dataset(&model, dataset)?
    } else if let Some(table) = &args.features {
        let doing = || format!("predicting {}", table.display());
        let source =
            Source::read(table, args.delimiter).map_err(|e| Failure::from(e).doing(doing()))?;
        predict_table(&model, &source)
            .map_err(|e| {
                Failure::from(e)
                    .doing(doing())
                    .advice("`pricetag export` writes a table with all columns; see the model's `domain` for their names")
            })?
    } else {
        let scope = model
            .provenance
            .scope
            .parse::<Scope>()
            .unwrap_or(Scope::Main);
        let needed = Needed::of(model.domain.keys().map(String::as_str), scope);
        let recording = Recording::of(&model);
        console.say("the program runs over the input once, counted; nothing of this run is timed");
        let begun = Instant::now();
        let dataset = seen.insert(counted(args, &needed, &recording, common, console)?);
        let predicted = predict_dataset(&model, dataset)?;
        if uses_no_counts(&model, dataset) {
            console.say("the model is a formula of what is known before the run: the counts of this run only tell whether it is like those that it was learnt from (`pricetag fit DATA --method hier` makes one of counts)");
        }
        console.say(&format!(
            "the answer took {:.1} s, with the run",
            begun.elapsed().as_secs_f64()
        ));
        predicted
    };
    if let Some(there) = &args.moving.platform {
        let (moving, file) = (&args.moving, &args.model);
        let answer = moved(moving, there, file, &model, predictions, seen.as_ref())?;
        console.result(&answer, || answer.to_text(console.width))?;
        return Ok(ExitCode::SUCCESS);
    }
    console.result(&predictions, || predictions.to_text(console.width))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the formula has nothing in it that a run counts.
fn uses_no_counts(model: &CostModel, dataset: &Dataset) -> bool {
    let used: BTreeSet<&str> = model.formula.features().into_iter().collect();
    let mut features = dataset.features.iter();
    !used.is_empty()
        && !features.any(|f| f.kind != FeatureKind::Input && used.contains(f.name.as_str()))
}

/// What has to be recorded to predict by a model.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of a recording"
)]
struct Needed {
    scope: Scope,
    /// How many first values of variables.
    values: u16,
    /// Whether lengths are among them.
    lengths: bool,
    /// Whether depths are, of which the recording says whether they are those of all methods.
    depths: bool,
    /// Whether changes of the outcome of branches are counted.
    transitions: bool,
    /// Whether array reads that leave a cache line are.
    strides: bool,
    /// Whether exceptions are counted by class where they are caught.
    caught: bool,
    /// Whether calls are split by calling method.
    context: bool,
    /// Whether loops are.
    callers: bool,
    /// Whether invocations are.
    invocations: bool,
}

impl Needed {
    /// By the names of the features that a model knows.
    fn of<'n>(names: impl Iterator<Item = &'n str>, scope: Scope) -> Self {
        let mut needed = Self {
            scope,
            values: 0,
            lengths: false,
            depths: false,
            transitions: false,
            strides: false,
            caught: false,
            context: false,
            callers: false,
            invocations: false,
        };
        let names: Vec<&str> = names.collect();
        let any = |infix| names.iter().any(|name| name.contains(infix));
        needed.context = any(" called from ");
        let split = |is: fn(&str) -> bool| {
            let mut split = names.iter().filter_map(|n| n.split_once(" called from "));
            split.any(|(what, _)| is(what))
        };
        needed.callers = split(|what| what.contains(" loop "));
        needed.invocations = split(|what| what.ends_with(" invocations"));
        needed.depths = names.iter().any(|name| name.ends_with(" depth"));
        needed.transitions = any(" transitions");
        needed.strides = any(" strides at ");
        needed.caught = any(" caught ");
        // Depths and passes per entry have no number, but are recorded with values only. A length's name may be followed by what
        // tells variables of one name apart.
        for name in names.into_iter().filter(|n| FeatureKind::names_value(n)) {
            let number = name.rsplit_once('#').and_then(|(_, n)| n.parse().ok());
            needed.values = needed.values.max(number.unwrap_or(1));
            needed.lengths |= [".length", ".size"].iter().any(|what| {
                let behind = name.rsplit_once(what).map(|(_, behind)| behind);
                behind.is_some_and(|b| ["#", " at line ", " ("].iter().any(|s| b.starts_with(s)))
            });
        }
        needed
    }
}

/// Counts the subject's runs without timing them.
fn counted(
    args: &PredictArgs,
    needed: &Needed,
    recording: &Recording<'_>,
    common: &Common,
    console: &Console,
) -> Result<Dataset, Failure> {
    let scratch = Scratch::new()?;
    let options = options(scratch.path(), args, needed, recording, common)?;
    count(&options, needed, console)
}

/// As the model's dataset was recorded, unless the command line says otherwise.
fn options(
    scratch: &Path,
    args: &PredictArgs,
    needed: &Needed,
    recording: &Recording<'_>,
    common: &Common,
) -> Result<RecordOptions, Failure> {
    let inputs = match (&args.inputs, &args.workload) {
        (None, None) => {
            let here = args.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
            let stdin = [recording.stdin(), args.stdin.as_deref()];
            Workload::like(recording.subject, &args.command, stdin, &here)
        }
        (inputs, table) => workload(inputs.as_deref(), table.as_deref(), args.cwd.as_deref())?,
    };
    Ok(RecordOptions {
        stdin: args.stdin.clone(),
        env: args.env.iter().cloned().collect(),
        cwd: args.cwd.clone(),
        timeout: args.timeout,
        scope: needed.scope.clone(),
        include: recording.patterns("include", &args.include)?,
        exclude: recording.patterns("exclude", &args.exclude)?,
        listed: recording.listed(listed(args.methods.as_deref(), args.blocks.as_deref())?)?,
        count_jdk: args.count_jdk || recording.was("count_jdk", "true"),
        categories: recording.categories().to_owned(),
        values: needed.values,
        lengths: needed.lengths,
        depths: needed.depths && recording.was("depths", "true"),
        transitions: needed.transitions,
        strides: needed.strides,
        caught: needed.caught,
        callers: needed.callers,
        invocations: needed.invocations,
        jit: !recording.was("jit", "off"),
        gc: !recording.was("gc", "off"),
        warmup: Some(0),
        jobs: common.jobs,
        force: true,
        cache: cache(args.cache.as_deref()),
        ..counting(args.command.clone(), inputs, scratch, args.agent.as_deref())?
    })
}

fn count(options: &RecordOptions, needed: &Needed, console: &Console) -> Result<Dataset, Failure> {
    let kinds = needed.context.then(|| {
        let mut kinds = TabulateOptions::default().kinds;
        kinds.insert(FeatureKind::Context);
        kinds
    });
    let (dataset, recorded) = watch(options, kinds, console)?;
    if recorded.interrupted {
        return Err(Failure::new("interrupted"));
    }
    let failed = |o: &&Observation| o.status == Status::Failed;
    let failed = dataset.observations.iter().filter(failed).count();
    let reason = main_reason(&dataset.observations);
    if let Some((reason, times)) = reason.filter(|_| failed == dataset.observations.len()) {
        let why = if times == failed {
            format!("all runs failed ({failed}) because: {reason}")
        } else {
            format!("all runs failed ({failed}), most ({times}) because: {reason}")
        };
        return Err(Failure::new(why)
            .doing(format!("counting `{}`", options.command.join(" ")))
            .advice("run the command by hand with one of the inputs"));
    }
    Ok(dataset.with_turns())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_knows_says_what_to_record() {
        for (names, values, lengths) in [
            (&["C.m() invocations", "base price"][..], 0, false),
            (&["C.x#2", "C.m().i#5"], 5, false),
            (&["C.fib(int) depth"], 1, false),
            (&["C.m() loop 1 at block 3 per entry of loop 0"], 1, false),
            (&["C.text.length#3"], 3, true),
            (&["C.m().buf.length at line 5#1"], 1, true),
            (&["C.list.size#2"], 2, true),
            (&["C.m(List).list.size (2)#1"], 1, true),
            (&["C.sizes#1", "C.length(int).size.x#1"], 1, false),
            (&["C.m().buf.length (2)#1", "C.m() depth"], 1, true),
        ] {
            let needed = Needed::of(names.iter().copied(), Scope::Main);
            assert_eq!(
                (needed.values, needed.lengths),
                (values, lengths),
                "{names:?}"
            );
        }
    }

    #[test]
    fn loops_by_caller_are_recorded_for_a_model_that_knows_one() {
        for (name, context, callers) in [
            ("C.m() loop 0 at block 1 (C.java:5)", false, false),
            ("C.m() called from C.n()", true, false),
            (
                "C.m() loop 0 at block 1 called from C.n() (C.java:5)",
                true,
                true,
            ),
        ] {
            let needed = Needed::of([name].into_iter(), Scope::Main);
            let found = (needed.context, needed.callers);
            assert_eq!(found, (context, callers), "{name}");
        }
    }
}
