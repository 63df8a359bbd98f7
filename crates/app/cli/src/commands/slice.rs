//! `pricetag slice`: what a count, a branch, a variable or a field depends on.

use std::fmt::Write as _;
use std::process::ExitCode;

use pricetag_classpath::{ClassPath, Files, entries};
use pricetag_dataset::command::launched;
use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_dependence::analysis::{BlockCount, Executed};
use pricetag_dependence::{
    Analysis, AnalysisError, Contexts, Criterion, CriterionError, Exceptions, Slice, SlicedMethod,
};
use serde_json::{Value, json};

use crate::analysis::open_dataset;
use crate::arguments::{ExceptionsArg, SliceArgs};
use crate::console::Console;
use crate::failure::Failure;

/// Notes that are shown without `--verbose`.
const NOTES: usize = 8;
/// Ranges of lines that are shown of one method.
const RANGES: usize = 12;

pub fn run(args: &SliceArgs, console: &Console) -> Result<ExitCode, Failure> {
    let doing = format!("slicing {}", args.criterion);
    let (path, main) = class_path(&args.command).map_err(|f| f.doing(&doing))?;
    let exceptions = match args.exceptions {
        ExceptionsArg::Thrown => Exceptions::Caught,
        ExceptionsArg::All => Exceptions::All,
    };
    let contexts = if args.ignore_contexts {
        Contexts::Ignored
    } else {
        Contexts::Matched
    };
    let (analysis, criterion, slice) = {
        let _turns = console.spinner("following dependences");
        let analysis =
            Analysis::of(&path, &main, exceptions).map_err(|e| nothing(&e).doing(&doing))?;
        let criterion = analysis
            .criterion(&args.criterion)
            .map_err(|e| unclear(&e).doing(&doing))?;
        let slice = analysis.slice(&criterion, contexts);
        (analysis, criterion, slice)
    };
    let executed = match &args.dataset {
        Some(path) => {
            let executed = analysis.executed(&slice, &block_counts(&open_dataset(path)?));
            if executed.is_none() {
                console.say("note: the dataset has no block of the program; record with `--features blocks`");
            }
            executed
        }
        None => None,
    };
    console.result(&answer(&criterion, &slice, &analysis, executed), || {
        text(&criterion, &slice, executed, args.limit)
    })?;
    let shown = if console.verbose { usize::MAX } else { NOTES };
    for note in analysis.notes.iter().take(shown) {
        console.say(&format!("note: {note}"));
    }
    if analysis.notes.len() > shown {
        console.say(&format!(
            "note: … {} more; --verbose lists them",
            analysis.notes.len() - shown
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The classes that a command runs, and its main class.
fn class_path(command: &[String]) -> Result<(ClassPath, String), Failure> {
    let no_java = || {
        Failure::usage("the command is no `java` command with a class or a jar")
            .advice("give it like `-- java -jar app.jar` or `-- java -cp app.jar org.example.Main`")
    };
    let (_, arguments) = command.split_first().ok_or_else(no_java)?;
    let launched = launched(arguments).ok_or_else(no_java)?;
    if launched
        .words
        .iter()
        .any(|w| w == "-m" || w.starts_with("--module"))
    {
        return Err(Failure::usage("modules are not read")
            .advice("give the same jars with -cp and the main class"));
    }
    let variable = std::env::var("CLASSPATH").ok();
    let jar = (!launched.class).then_some(launched.program);
    let path = ClassPath::read(
        &entries(launched.words, jar, variable.as_deref()),
        Files::Code,
    )
    .map_err(|e| Failure::new(e.to_string()).advice("give a class path of folders and jars"))?;
    if path.classes().next().is_none() {
        return Err(Failure::new("there is no class on the class path")
            .advice("check the paths behind -cp or -jar"));
    }
    let main = match jar {
        None => launched.program.to_owned(),
        Some(jar) => path.main().map(str::to_owned).ok_or_else(|| {
            Failure::new(format!("the manifest of {jar} names no main class"))
                .advice("give it with -cp, and the main class")
        })?,
    };
    Ok((path, main))
}

fn nothing(error: &AnalysisError) -> Failure {
    Failure::new(error.to_string()).advice("check the main class and the class path")
}

fn unclear(error: &CriterionError) -> Failure {
    let advice = match error {
        CriterionError::Form { .. } => {
            "say `C.m(int) loop 1`, `C.m(int) invocations`, `C.m(int) block 3 taken`, `C.m(int).x at line 12` or `C.f at exit`"
        }
        CriterionError::Unknown { .. } => {
            "give the name as `pricetag inspect` shows it; the class path must hold it, and calls from main must reach it"
        }
        CriterionError::Ambiguous { .. } => "give the method with its parameters",
        CriterionError::Part { .. } => "number it as `pricetag inspect` does",
        CriterionError::Flow { .. } => "choose another method",
    };
    Failure::usage(error.to_string()).advice(advice)
}

/// How often each block of the program ran, all observations together.
fn block_counts(dataset: &Dataset) -> Vec<BlockCount> {
    let columns = dataset.features.iter().zip(&dataset.columns);
    let blocks = columns.filter(|(feature, _)| feature.kind == FeatureKind::Block);
    let counts = blocks.filter_map(|(feature, column)| {
        Some(BlockCount {
            class: feature.class.clone()?,
            method: feature.method.clone()?,
            descriptor: feature.descriptor.clone()?,
            pcs: feature.pcs?,
            count: column.iter().map(|(_, value)| value).sum(),
        })
    });
    counts.collect()
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / (whole.max(1)) as f64
}

/// Lines as `3-5, 9`; of many, the first.
fn ranges(lines: &[u16]) -> String {
    let runs = lines.chunk_by(|a, b| b - a <= 1);
    let more = if runs.clone().nth(RANGES).is_some() {
        ", …"
    } else {
        ""
    };
    let shown = runs.take(RANGES).map(|run| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    });
    shown.collect::<Vec<_>>().join(", ") + more
}

fn place(method: &SlicedMethod) -> String {
    match (&method.file, method.lines.is_empty()) {
        (Some(file), false) => format!(" ({file}:{})", ranges(&method.lines)),
        _ => String::new(),
    }
}

fn answer(
    criterion: &Criterion,
    slice: &Slice,
    analysis: &Analysis<'_>,
    executed: Option<Executed>,
) -> Value {
    let methods: Vec<Value> = slice
        .methods
        .iter()
        .map(|m| {
            json!({
                "method": m.shown, "file": m.file, "lines": m.lines, "offsets": m.kept,
                "instructions": m.kept.len(), "of_instructions": m.instructions,
            })
        })
        .collect();
    json!({
        "schema": 1,
        "criterion": criterion.shown,
        "methods": slice.methods.len(),
        "of_methods": slice.reached_methods,
        "instructions": slice.instructions(),
        "of_instructions": slice.reached_instructions,
        "executed": executed.map(|e| json!({ "instructions": e.kept, "of_instructions": e.whole })),
        "slice": methods,
        "unknown_calls": slice.unknown,
        "notes": analysis.notes,
    })
}

fn text(criterion: &Criterion, slice: &Slice, executed: Option<Executed>, most: usize) -> String {
    let mut out = String::new();
    let (kept, whole) = (slice.instructions(), slice.reached_instructions);
    let (methods, reached) = (slice.methods.len(), slice.reached_methods);
    let _ = writeln!(out, "slice of {}\n", criterion.shown);
    let _ = writeln!(
        out,
        "  {methods} of {reached} methods ({:.1} %)",
        share(methods, reached)
    );
    let _ = writeln!(
        out,
        "  {kept} of {whole} instructions ({:.1} %)",
        share(kept, whole)
    );
    if let Some(executed) = executed {
        let part = 100.0 * executed.kept / executed.whole;
        let _ = writeln!(
            out,
            "  {part:.1} % of the instructions that ran in the dataset"
        );
    }
    out.push('\n');
    // The largest first; in JSON they are all there, by name.
    let mut listed: Vec<&SlicedMethod> = slice.methods.iter().collect();
    listed.sort_by_key(|m| std::cmp::Reverse(m.kept.len()));
    for method in listed.iter().take(most) {
        let size = format!("{}/{}", method.kept.len(), method.instructions);
        let _ = writeln!(out, "{size:>11}  {}{}", method.shown, place(method));
    }
    if listed.len() > most {
        let _ = writeln!(
            out,
            "             … {} more; --limit N or --json lists them",
            listed.len() - most
        );
    }
    if !slice.unknown.is_empty() {
        let calls: usize = slice.unknown.values().sum();
        let _ = writeln!(
            out,
            "\n{calls} calls in it go to {} methods that no model describes; they are taken to do everything:",
            slice.unknown.len()
        );
        let mut unknown: Vec<_> = slice.unknown.iter().collect();
        unknown.sort_by_key(|(_, calls)| std::cmp::Reverse(**calls));
        for (name, calls) in unknown.iter().take(most) {
            let _ = writeln!(out, "{calls:>11}  {name}");
        }
    }
    out
}
