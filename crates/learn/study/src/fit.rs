//! The one entry point: dataset in, cost model out.
//!
//! Reads as a table of contents: tabulate, check, split, diagnose, learn, judge, look for drift, compare, make intervals and prices.

use pricetag_cost_model::{CostModel, MODEL_SCHEMA};
use pricetag_dataset::Dataset;
use pricetag_estimator::{DesignError, Diagnosis, EstimatorError, TableError};

use crate::charges::charges;
use crate::interval::{cover, interval};
use crate::notes;
use crate::options::FitOptions;
use crate::plain;
use crate::preference::preferred;
use crate::prices::price_list;
use crate::study::{Choice, Contest, Study};
use crate::suitability::{check_method, check_preference};
use crate::terms::terms;
use crate::world::World;

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// The dataset yields no design.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A value is not fit to be used.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The estimator gave up.
    #[error(transparent)]
    Estimator(#[from] EstimatorError),
    /// Counts do not explain anything.
    #[error(
        "all {features} features are constant over the {rows} training observations; record inputs of different size and kind, or train on more of them"
    )]
    NothingVaries {
        /// Columns.
        features: usize,
        /// Rows.
        rows: usize,
    },
    /// An option is out of range.
    #[error("{name} = {value} is out of range: {expected}")]
    Option {
        /// Which.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// A number has no square that is a number.
    #[error("{what}, which cannot be squared; {remedy}")]
    Magnitude {
        /// What reaches which number.
        what: String,
        /// What would help.
        remedy: &'static str,
    },
    /// Options, or an option and the dataset, do not go together.
    #[error("{option}: {reason}")]
    Unsuitable {
        /// The option as the user writes it.
        option: &'static str,
        /// Why it cannot be followed, and what would help.
        reason: String,
    },
}

/// Learns a cost model from a dataset.
pub fn fit(dataset: &Dataset, options: &FitOptions) -> Result<CostModel, FitError> {
    fit_in(&World::default(), dataset, options)
}

/// Learns a cost model from a dataset, with a clock, an interruption and a place for what a long search has reached.
pub fn fit_in(
    world: &World,
    dataset: &Dataset,
    options: &FitOptions,
) -> Result<CostModel, FitError> {
    check_options(options)?;
    check_method(options)?;
    check_preference(dataset, options)?;
    let study = Study::new(dataset, options, world)?;
    let training = study.learner(options.method).rows(&study.split.train)?;
    let diagnosis = if options.intercept {
        Diagnosis::beside_constant(&training)
    } else {
        Diagnosis::of(&training)
    };
    if diagnosis.support.iter().all(|s| s.varying == 0) {
        return Err(FitError::NothingVaries {
            features: diagnosis.columns,
            rows: study.split.train.len(),
        });
    }
    let Contest {
        winner,
        mut standings,
        mut why,
    } = study.learn()?;
    let Choice {
        learner,
        learned,
        unseen,
    } = winner;
    let title = study.title(learner.method);
    let mut evaluation = study.judge(&learner, &learned, &title);
    let mut interval = interval(&unseen.pairs, options.level_of_intervals);
    if let (Some(interval), Some(evaluation)) = (&mut interval, &mut evaluation) {
        interval.coverage = cover(interval, &mut evaluation.rows);
        interval.scatter = study.scatter(interval.level);
    }
    let drift = study.drift(&unseen, evaluation.as_ref());
    let least = study.least_error(&learner);
    let mut alternatives: Vec<_> = least.iter().filter_map(|l| l.evaluation.clone()).collect();
    if options.alternatives {
        alternatives.extend(study.alternatives(&learner));
    }
    let few = study.few_terms(&learner, &learned);
    alternatives.extend(few.evaluation);
    why.extend(few.why_not);
    let (constant, inputs) = study.plain();
    let baseline = inputs.as_ref().and_then(|inputs| {
        study.judge_plain(inputs, &format!("inputs only: {}", inputs.formula.text()))
    });
    let unexplained = study.unexplained(&unseen, evaluation.as_ref(), &constant, &title);
    let plainer = if study.is_open() {
        // Where no samples say where the cost goes, only a formula of counts can.
        let in_code = dataset.features.iter().any(|f| f.class.is_some());
        let explained = dataset.profile.is_some() || !in_code;
        let judged = evaluation.as_ref().zip(baseline.as_ref());
        let judged = judged.filter(|_| explained);
        Study::plainer(&unseen, judged, &constant, inputs.as_ref())
    } else {
        None
    };
    if standings.len() > 1 {
        let plain = [Some(&constant), inputs.as_ref()].into_iter().flatten();
        standings.extend(plain.map(|plain| study.standing_of(plain, &unseen)));
    }
    let sensitivity = options.sensitivity.then(|| study.sensitivity(&learner));
    let (learned, rows, folds) = match study.refitted(&learner)? {
        Some((learned, rows)) => {
            let folds = study.cross_validate(&learner, &learned, &rows).folds;
            (learned, rows, folds)
        }
        None => (learned, study.split.train.clone(), unseen.folds),
    };
    let mut diagnostics = study.notes(&learner, &diagnosis, &learned);
    diagnostics.extend(why.into_iter().map(notes::note));
    diagnostics.extend(drift);
    let formula = study.formula(&learned);
    let preferred = options
        .prefer
        .and(least.as_ref())
        .map(|l| preferred(dataset, &formula, &l.formula));
    let mut model = CostModel {
        schema: MODEL_SCHEMA,
        target: options.target.clone(),
        unit: dataset
            .meta
            .cost_units
            .get(&options.target)
            .cloned()
            .unwrap_or_else(|| "1".into()),
        method: title,
        text: formula.text(),
        formula: formula.clone(),
        prices: price_list(&learner, &learned, &rows, Some(&folds)),
        charges: charges(
            dataset,
            &options.target,
            &study.table.observations,
            options.level_of_intervals,
        ),
        terms: if learner.method.prices() {
            Vec::new()
        } else {
            terms(&formula, &study.design, &rows)
        },
        concise: few.concise,
        screening: Some(study.screening(&diagnosis, &formula)),
        preferred,
        interval,
        domain: study.domain(&rows),
        evaluation,
        baseline,
        alternatives,
        standings: if standings.len() > 1 {
            standings
        } else {
            Vec::new()
        },
        sensitivity,
        summary: learned.summary,
        costs: study.costs(),
        unexplained,
        diagnostics: Vec::new(),
        provenance: study.provenance(),
    };
    if let Some((plain, why)) = plainer {
        diagnostics.push(notes::note(why));
        model = study.delivered(model, plain, &constant);
    }
    if let Some(evaluation) = &model.evaluation {
        diagnostics.extend(Study::verdict(
            evaluation,
            &model.alternatives,
            model.baseline.as_ref(),
            model.interval.as_ref(),
        ));
    }
    diagnostics.sort_by_key(|d| std::cmp::Reverse(d.severity));
    let nothing = model.unexplained.clone().map(plain::warning);
    model.diagnostics = nothing.into_iter().chain(diagnostics).collect();
    model
        .alternatives
        .extend(study.judge_plain(&constant, "a constant"));
    Ok(model)
}

/// Whether numbers are in range.
pub(crate) fn check_options(options: &FitOptions) -> Result<(), FitError> {
    if !(options.train > 0.0 && options.train <= 1.0) {
        return Err(FitError::Option {
            name: "train",
            value: options.train,
            expected: "more than 0, at most 1",
        });
    }
    let level = options.level_of_intervals;
    if !(level > 0.0 && level < 1.0) {
        return Err(FitError::Option {
            name: "level",
            value: level,
            expected: "between 0 and 1",
        });
    }
    Ok(())
}
