//! `pricetag predict --platform`: the lists it needs, and the move.

use std::path::{Path, PathBuf};

use pricetag_cost_model::CostModel;
use pricetag_dataset::Dataset;
use pricetag_dataset::command::launched;
use pricetag_finding::{MovedPredictions, Predictions};
use pricetag_platform::{Facts, PlatformList, same_platform};
use pricetag_predict::predict_dataset;
use pricetag_transfer::{Ask, Program, TransferError, move_to};

use super::{of_transfer, open_list};
use crate::analysis::{as_learnt, open_dataset};
use crate::arguments::MoveArgs;
use crate::failure::Failure;
use crate::recording::check_categories;

/// The list beside a model.
const BESIDE: &str = "platform.json";

/// Moves predictions of a model to the platform that the arguments name.
pub fn moved(
    args: &MoveArgs,
    there: &Path,
    file: &Path,
    model: &CostModel,
    predictions: Predictions,
    dataset: Option<&Dataset>,
) -> Result<MovedPredictions, Failure> {
    let doing = format!("predicting for the platform of {}", there.display());
    let refused = |e: &TransferError| of_transfer(e).doing(doing.clone());
    let list = open_list(there)?;
    let here = here(args, there, file, model)?;
    same_platform(&learnt_on(model), &here.platform)
        .map_err(|why| refused(&TransferError::NotHere { why }))?;
    let program = dataset.map_or_else(Program::default, |dataset| {
        Program::of(dataset, Some(&model.target))
    });
    let runs = match &args.calibrate {
        Some(dir) => runs(dir, model)?,
        None => Vec::new(),
    };
    if args.calibrate.is_some() && runs.is_empty() {
        return Err(refused(&TransferError::NothingToCalibrate {
            target: model.target.clone(),
        }));
    }
    let ask = Ask {
        predictions,
        program: &program,
        here: &here,
        there: &list,
        route: args.route.route(),
        command: &model.provenance.subject,
        runs: &runs,
    };
    move_to(ask).map_err(|e| refused(&e))
}

/// What the model predicts here for runs there, and what those took.
fn runs(dir: &Path, model: &CostModel) -> Result<Vec<(f64, f64)>, Failure> {
    let doing = format!("calibrating by {}", dir.display());
    let dataset = open_dataset(dir)?;
    check_categories(model, &dataset)?;
    let predicted = predict_dataset(model, &as_learnt(model, dataset))
        .map_err(|e| Failure::from(e).doing(doing))?;
    let pairs = predicted.rows.iter().filter_map(|row| {
        let measured = row.measured.filter(|m| *m > 0.0)?;
        (row.value > 0.0).then_some((row.value, measured))
    });
    Ok(pairs.collect())
}

/// The platform that a model was learnt on. What the recording added to the options stands among the facts, the program's own in its command, and wins.
fn learnt_on(model: &CostModel) -> Facts {
    let mut facts = model.provenance.platform.clone();
    let own = options(&model.provenance.subject);
    let flags = facts.entry("flags".to_owned()).or_default();
    for option in own {
        flags.push(' ');
        flags.push_str(option);
    }
    facts
}

/// Options that a `java` command gives to the JVM, without class paths.
fn options(command: &[String]) -> Vec<&str> {
    let Some((java, rest)) = command.split_first() else {
        return Vec::new();
    };
    if java.rsplit('/').next() != Some("java") {
        return Vec::new();
    }
    let words = launched(rest).map_or(rest, |found| found.words);
    let words = words.iter().map(String::as_str);
    words.filter(|w| w.starts_with("-X")).collect()
}

/// The list of the platform that a model was learnt on.
fn here(
    args: &MoveArgs,
    there: &Path,
    file: &Path,
    model: &CostModel,
) -> Result<PlatformList, Failure> {
    if let Some(path) = &args.here {
        return open_list(path);
    }
    let beside = folder(file).join(BESIDE);
    if beside.is_file() {
        return open_list(&beside);
    }
    let facts = learnt_on(model);
    let fits = neighbours(there).into_iter().find_map(|path| {
        let list = PlatformList::load(&path).ok()?;
        same_platform(&facts, &list.platform)
            .is_ok()
            .then_some(list)
    });
    fits.ok_or_else(|| {
        let java = model.provenance.subject.first().map_or("java", String::as_str);
        let options = options(&model.provenance.subject);
        let words = format!("{java} {}", options.join(" "));
        Failure::new(format!(
            "there is no price list of the platform where the model was learnt: none beside the model ({}), and no list beside {} fits",
            beside.display(),
            there.display()
        ))
        .advice(format!(
            "`pricetag platform measure -o {} -- {}`, where the model was learnt; or name a list with --here",
            beside.display(),
            words.trim()
        ))
    })
}

/// Other JSON files in the folder of a list, by name.
fn neighbours(list: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder(list))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "json") && path != list)
        .collect();
    found.sort();
    found
}

fn folder(file: &Path) -> &Path {
    file.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
