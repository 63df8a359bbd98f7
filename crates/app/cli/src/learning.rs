//! Fitting for the commands that need it: what takes long says so, and a search can be ended in order.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pricetag_cost_model::CostModel;
use pricetag_dataset::Dataset;
use pricetag_finding::figure::{percent, shorten};
use pricetag_finding::table::printable;
use pricetag_study::{FitError, FitOptions, Method, World, fit_in};

use crate::analysis::{check_search, kinds, options, remember_pace, target};
use crate::arguments::{Common, FitChoices};
use crate::console::{Console, PATIENCE, Shown};
use crate::failure::Failure;
use crate::interrupt::Attention;

/// Learns a model.
pub fn fit(
    dataset: &Dataset,
    choices: &FitChoices,
    common: &Common,
    console: &Console,
) -> Result<CostModel, Failure> {
    let target = target(dataset, choices.target.as_deref());
    if choices.train <= 0.0 {
        let why = "--train 0 % leaves nothing to learn from";
        return Err(Failure::usage(why).advice("give a share between 1 % and 100 %, such as 50%"));
    }
    check_search(choices)?;
    if choices.method == Method::Nls && choices.tuning.formula.is_none() {
        let why = "--method nls fits the parameters of a formula, and there is none";
        return Err(
            Failure::usage(why).advice("give it with --formula, such as --formula 'k*n + c'")
        );
    }
    let mut options = options(target.clone(), choices, common);
    if choices.level.len() > 1 {
        options.kinds = Some(kinds(&choices.level, dataset));
    }
    let outcome = if options.method == Method::Gp {
        search(dataset, &options, choices, console)
    } else {
        let _spinner = console.spinner("learning");
        pricetag_study::fit(dataset, &options)
    };
    let outcome = outcome.map(|mut model| {
        remember_pace(&mut model, choices.pace);
        if let Some(only) = &choices.only {
            let learnt = &mut model.provenance.options;
            learnt.insert("only".to_owned(), only.display().to_string());
        }
        model
    });
    outcome.map_err(|e| {
        Failure::new(e.to_string())
            .doing(format!("learning `{target}`"))
            .advice("`pricetag inspect` shows what the dataset holds")
    })
}

/// A search may take long: it shows where it stands, ends in order on Ctrl-C, keeps to a time limit, and can be stored.
fn search(
    dataset: &Dataset,
    options: &FitOptions,
    choices: &FitChoices,
    console: &Console,
) -> Result<CostModel, FitError> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&interrupt);
    let _attention = Attention::to(move || !set.swap(true, Ordering::SeqCst));
    let begun = Instant::now();
    let clock = move || begun.elapsed();
    let shown = console.shows() == Shown::Drawn;
    let tell = |before: u32, done: u32, all: u32, error: f64, formula: &str| {
        if shown && begun.elapsed() > PATIENCE {
            let which = match before {
                0 => String::new(),
                fold => format!("cross-validation, search {fold}: "),
            };
            let line = format!(
                "{which}generation {done} of {all}, relative error {}: {formula}",
                percent(error)
            );
            eprint!("\r\x1b[K{}", shorten(&printable(&line), 100));
        }
    };
    let world = World {
        interrupt: Some(&interrupt),
        time: choices
            .tuning
            .time
            .map(|span| (span, &clock as &(dyn Fn() -> Duration + Sync))),
        progress: Some(&tell),
        checkpoint: choices.tuning.checkpoint.clone(),
        searches: Cell::default(),
    };
    let model = fit_in(&world, dataset, options);
    if shown && begun.elapsed() > PATIENCE {
        eprint!("\r\x1b[K");
    }
    model
}
