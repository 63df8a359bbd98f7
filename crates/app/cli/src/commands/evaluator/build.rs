//! `pricetag evaluator build`: dataset → formula of cheap features → jar that predicts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use pricetag_dataset::Dataset;
use pricetag_evaluate::stops::Stopping;
use pricetag_evaluate::survey::Candidates;
use pricetag_evaluate::{EvaluateError, Graph, Program, Reached};
use pricetag_evaluator::{Evaluator, Point, curve_text};
use pricetag_finding::figure::percent;
use pricetag_study::FitOptions;
use pricetag_study::affordable::{Affordable, best_within, curve};

use super::assemble::{Assembled, Workshop};
use super::shown;
use super::survey::survey;
use crate::analysis::{check_writable, open_dataset, paced, plans_of, target, write_whole};
use crate::arguments::{Common, EvaluatorBuildArgs};
use crate::console::Console;
use crate::failure::{EXCEEDED, Failure, io};

/// Rejected features that are told without `--verbose`.
const TOLD: usize = 5;
/// Models whose features are tried to be had for less.
const ROUNDS: usize = 3;
/// A median error above which a predictor tells next to nothing.
const USELESS: f64 = 0.5;
/// Only for an error that is smaller by this factor is it tried.
const CLEARLY: f64 = 0.9;

/// Refuses programs whose input a predictor would not see.
fn given_otherwise(dataset: &Dataset) -> Result<(), Failure> {
    let recorded = |option: &str| {
        let value = dataset.meta.options.get(option)?;
        (!value.is_empty()).then(|| value.clone())
    };
    for (option, what) in [
        ("stdin", "reads its standard input"),
        ("cwd", "ran in a folder of its own"),
    ] {
        if let Some(value) = recorded(option) {
            let why = format!(
                "the program {what} (`--{option} {value}`), and a predictor is asked by arguments alone"
            );
            return Err(
                Failure::new(why).advice("record it with the input's path among the arguments")
            );
        }
    }
    Ok(())
}

pub fn run(
    args: &EvaluatorBuildArgs,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if args.output.is_file() && !args.force {
        let why = format!("{} exists", shown(&args.output));
        return Err(Failure::new(why).advice("use --force to replace it, or another -o"));
    }
    check_writable(&args.output)?;
    let dataset = paced(open_dataset(&args.dataset)?, args.pace);
    given_otherwise(&dataset)?;
    let program = program(args, &dataset)?;
    let spinner = console.spinner("reading the code");
    let graph = Graph::of(&program);
    let reached = Reached::by(&dataset, &graph);
    let main_class = program.subject.main.replace('.', "/");
    let main = graph.find(&main_class, "main", "([Ljava/lang/String;)V");
    let main = main.ok_or_else(|| {
        let why = format!("class {} has no main(String[])", program.subject.main);
        Failure::new(why).doing("reading the recorded program")
    })?;
    let stopping = Stopping::new(&graph, main, reached.methods().clone());
    let candidates = Candidates::of(&dataset, &graph, &stopping);
    drop(spinner);
    let asked = (args.survey as usize, args.time_limit);
    let surveyed = survey(&dataset, &program, (&graph, &candidates), asked, console)?;
    let workshop = Workshop {
        dataset: &dataset,
        program: &program,
        graph: &graph,
        main,
        stopping: &stopping,
        reached: &reached,
        candidates: &candidates,
        surveyed: &surveyed,
        budget: args.budget,
        console,
    };
    let assembled = choose(args, common, &workshop)?;
    write_whole(&args.output, &assembled.finished()?)?;
    let evaluator = &assembled.evaluator;
    console.result(evaluator, || text(evaluator, args, console))?;
    Ok(ExitCode::SUCCESS)
}

/// The recorded program, which must not have changed.
fn program(args: &EvaluatorBuildArgs, dataset: &Dataset) -> Result<Program, Failure> {
    if dataset.meta.scope != "main" {
        let why = format!(
            "the observations are of scope `{}`, and a predictor predicts whole runs",
            dataset.meta.scope
        );
        return Err(Failure::new(why).advice("record the program without --scope"));
    }
    let doing = |e: EvaluateError| {
        Failure::new(e.to_string())
            .doing("reading the recorded program")
            .advice("work in the folder where it was recorded, or record it as it is now")
    };
    let here = std::env::current_dir().map_err(io("find", Path::new(".")))?;
    let class_path = std::env::var("CLASSPATH").ok();
    let program =
        Program::of(&dataset.meta.subject, &here, class_path.as_deref()).map_err(doing)?;
    let plans = plans_of(&args.dataset)?;
    let recorded: BTreeSet<_> = plans
        .map(|plans| plans.hashes())
        .into_iter()
        .flatten()
        .collect();
    let counted = dataset.features.iter().filter_map(|f| f.class.as_deref());
    program.check(counted.collect(), &recorded).map_err(doing)?;
    Ok(program)
}

/// The predictor of the best model within the budget: select, build, measure, reprice, select again.
fn choose(
    args: &EvaluatorBuildArgs,
    common: &Common,
    workshop: &Workshop<'_, '_>,
) -> Result<Assembled, Failure> {
    // Who allows a whole run allows what measuring it adds.
    let budget = if args.budget < 1.0 {
        args.budget
    } else {
        f64::INFINITY
    };
    let target = target(workshop.dataset, args.target.as_deref());
    let options = FitOptions {
        target: target.clone(),
        method: args.method,
        train: args.train,
        seed: common.seed,
        pricetag: env!("CARGO_PKG_VERSION").to_owned(),
        ..FitOptions::default()
    };
    let mut shares: BTreeMap<String, f64> = workshop.surveyed.shares.clone();
    let mut all = Vec::new();
    let mut cut: Option<(usize, Assembled)> = None;
    for round in 0..=ROUNDS {
        let spinner = workshop.console.spinner("learning");
        let models = curve(workshop.dataset, &options, &shares, args.budget)
            .map_err(|e| Failure::new(e.to_string()).doing(format!("learning `{target}`")))?;
        drop(spinner);
        let best = best_within(&models, budget).map(|i| models[i].error());
        let wished = best_within(&models, 1.0).filter(|&i| models[i].share > budget);
        let first = all.len();
        all.extend(models);
        let Some(wished) = wished.map(|i| first + i).filter(|_| round < ROUNDS) else {
            break;
        };
        if best.is_some_and(|best| all[wished].error() > CLEARLY * best) {
            break;
        }
        let tried = workshop.cut(&all[wished].model)?;
        let used: Vec<String> = names(&all[wished]);
        if let Some(assembled) = tried.filter(|a| a.evaluator.share <= budget) {
            all[wished].share = assembled.evaluator.share;
            cut = Some((wished, assembled));
            break;
        }
        // As dear as that, and not offered again within the budget or without it.
        for name in used {
            if shares.get(&name).is_some_and(|share| *share > budget) {
                shares.remove(&name);
            }
        }
    }
    let chosen = match cut {
        Some(cut) => Some(cut),
        None => measured(&mut all, budget, workshop)?,
    };
    let points = points(&all, chosen.as_ref().map(|(index, _)| *index));
    let Some((_, mut assembled)) = chosen else {
        let why = format!(
            "no model's features are known within {} of a run:\n{}",
            percent(args.budget),
            curve_text(&points)
        );
        return Err(over(why, "allow more with --budget"));
    };
    if let Some(doubt) = doubt(&assembled.evaluator) {
        let why = format!(
            "what is known within {} of a run predicts nothing:\n{}\n{doubt}",
            percent(args.budget),
            curve_text(&points)
        );
        return Err(over(why, "a larger --budget may do, as the curve shows"));
    }
    assembled.evaluator.curve = points;
    Ok(assembled)
}

/// The budget is exceeded.
fn over(why: String, advice: &str) -> Failure {
    Failure {
        code: EXCEEDED,
        ..Failure::new(why).advice(advice)
    }
}

/// The best model whose predictor costs no more than the budget when it is built and measured. What a value costs is known from one run of
/// the program with all counters; a predictor has costs of its own, too.
fn measured(
    models: &mut [Affordable],
    budget: f64,
    workshop: &Workshop<'_, '_>,
) -> Result<Option<(usize, Assembled)>, Failure> {
    while let Some(best) = best_within(models, budget) {
        let tried = workshop.plain(&models[best].model)?;
        let share = tried.evaluator.share;
        if tried.evaluator.validation.is_none() || share <= budget {
            return Ok(Some((best, tried)));
        }
        let used = names(&models[best]);
        for model in models.iter_mut().filter(|m| names(m) == used) {
            model.share = share;
        }
    }
    Ok(None)
}

fn names(affordable: &Affordable) -> Vec<String> {
    let names = affordable.model.formula.features().into_iter();
    names.map(str::to_owned).collect()
}

/// What a build found, for people.
fn text(evaluator: &Evaluator, args: &EvaluatorBuildArgs, console: &Console) -> String {
    let mut text = curve_text(&evaluator.curve);
    let model = &evaluator.model;
    let _ = writeln!(text, "\n{} ≈ {}", model.target, model.text);
    for feature in &evaluator.features {
        let share = percent(feature.share);
        let _ = writeln!(text, "  {}: final after {share} of a run", feature.name);
    }
    if let Some(validation) = &evaluator.validation {
        let share = percent(evaluator.share);
        let without = match evaluator.emptied.len() {
            0 => String::new(),
            n => format!(" without {n} methods that the values do not need"),
        };
        let _ = writeln!(
            text,
            "an evaluation takes {share} of a run{without}: {}",
            validation.to_text()
        );
    }
    if !evaluator.assumed.is_empty() {
        let (n, first) = (evaluator.assumed.len(), &evaluator.assumed[0]);
        let _ = writeln!(
            text,
            "assumed: {n} methods that no training run entered, such as {first}, are not called back when counting has ended"
        );
    }
    if evaluator.redirected > 0 {
        let n = evaluator.redirected;
        let _ = writeln!(
            text,
            "what the program would write to files is lost, in {n} places"
        );
    }
    let rejected = evaluator.rejected.len();
    if rejected > 0 {
        let _ = writeln!(
            text,
            "{rejected} features are final at the end of a run only:"
        );
        let told = if console.verbose { rejected } else { TOLD };
        for (name, why) in evaluator.rejected.iter().take(told) {
            let _ = writeln!(text, "  {name}: {why}");
        }
    }
    if let Some(why) = &model.unexplained {
        let _ = writeln!(text, "\n{why}");
    }
    let name = shown(&args.output);
    let arguments = evaluator.subject.arguments.join(" ");
    let _ = writeln!(text, "\njava -jar {name} {arguments}");
    let _ = writeln!(text, "pricetag evaluator check {name} --inputs 'OTHER/*'");
    text
}

/// What speaks against using a predictor at all.
fn doubt(evaluator: &Evaluator) -> Option<String> {
    let model = &evaluator.model;
    if let Some(why) = model
        .unexplained
        .as_ref()
        .filter(|_| model.explains_nothing())
    {
        return Some(format!("{why}: this predictor is of little use"));
    }
    if model.formula.features().is_empty() {
        let why = "the formula is one number: every input gets the same answer";
        return Some(why.to_owned());
    }
    let error = model.evaluation.as_ref()?.median_error;
    (error > USELESS).then(|| {
        let error = percent(error);
        format!("off by {error} in the median on rows kept aside: this predictor is of little use")
    })
}

/// The curve, and which of its points was built.
fn points(models: &[Affordable], chosen: Option<usize>) -> Vec<Point> {
    let points = models.iter().enumerate().map(|(number, affordable)| {
        let evaluation = affordable.model.evaluation.as_ref();
        Point {
            offered_up_to: affordable.up_to,
            offered: affordable.offered,
            share: affordable.share,
            used: affordable.used,
            median_error: evaluation.map(|e| e.median_error),
            p90_error: evaluation.map(|e| e.p90_error),
            rows: evaluation.map_or(0, |e| e.test_rows),
            chosen: chosen == Some(number),
        }
    });
    let mut points: Vec<Point> = points.collect();
    points.sort_by(|a, b| a.share.total_cmp(&b.share));
    points
}
