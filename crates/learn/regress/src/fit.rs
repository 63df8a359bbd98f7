//! The one entry point: dataset in, cost model out.
//!
//! Reads as a table of contents: tabulate, check, split, diagnose, learn, judge, compare, make intervals and prices.

use std::collections::BTreeMap;

use pricetag_cost_model::{
    CostModel, Diagnostic, Domain, Evaluation, Formula, Interval, MODEL_SCHEMA, Provenance,
    Severity,
};
use pricetag_dataset::{Dataset, FeatureKind, Status};
use pricetag_estimator::{
    Checked, Design, DesignError, Diagnosis, EstimatorError, Split, Table, TableError, evaluate,
    folds_by_group, noise_floor, split_by_group, tabulate,
};

use crate::baseline::baseline;
use crate::interval::{cover, interval};
use crate::learner::{Learned, Learner};
use crate::options::{FitOptions, Level, Method, Weighting};
use crate::prices::price_list;

/// Folds behind the prediction intervals.
const FOLDS: usize = 10;

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
}

/// Learns a cost model from a dataset.
pub fn fit(dataset: &Dataset, options: &FitOptions) -> Result<CostModel, FitError> {
    check_options(options)?;
    let study = Study::new(dataset, options)?;
    let learner = study.learner(options.method);
    let diagnosis = Diagnosis::of(&learner.design.subset(&study.split.train)?);
    if diagnosis.support.iter().all(|s| s.varying == 0) {
        return Err(FitError::NothingVaries {
            features: diagnosis.columns,
            rows: study.split.train.len(),
        });
    }
    let learned = learner.learn(&study.split.train, None)?;
    let mut evaluation = study.judge(&learner, &learned, learner.method.to_string());
    let mut interval = study.interval(&learner, &learned, &study.split.train)?;
    if let (Some(interval), Some(evaluation)) = (&mut interval, &mut evaluation) {
        interval.coverage = cover(interval, &mut evaluation.rows);
    }
    let alternatives = if options.alternatives {
        study.alternatives(&learner)
    } else {
        Vec::new()
    };
    let baseline = study.baseline();
    let (learned, rows) = if options.refit && !study.split.test.is_empty() {
        let all: Vec<usize> = (0..study.design.rows()).collect();
        (learner.learn(&all, None)?, all)
    } else {
        (learned, study.split.train.clone())
    };
    let mut diagnostics = study.notes(&learner, &diagnosis, &learned);
    if let Some(evaluation) = &evaluation {
        diagnostics.extend(study.verdict(
            evaluation,
            &alternatives,
            baseline.as_ref(),
            interval.as_ref(),
        ));
    }
    diagnostics.sort_by_key(|d| std::cmp::Reverse(d.severity));
    let formula = study.formula(&learned);
    Ok(CostModel {
        schema: MODEL_SCHEMA,
        target: options.target.clone(),
        unit: dataset
            .meta
            .cost_units
            .get(&options.target)
            .cloned()
            .unwrap_or_else(|| "1".into()),
        method: learner.method.to_string(),
        text: formula.text(),
        formula,
        prices: price_list(&learner, &learned, &rows),
        interval,
        domain: study.domain(&rows),
        evaluation,
        baseline,
        alternatives,
        summary: learned.summary,
        diagnostics,
        provenance: study.provenance(),
    })
}

fn check_options(options: &FitOptions) -> Result<(), FitError> {
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

/// The rows and columns of one fit.
struct Study<'a> {
    dataset: &'a Dataset,
    options: &'a FitOptions,
    table: Table,
    design: Checked<Design>,
    split: Split,
}

impl<'a> Study<'a> {
    fn new(dataset: &'a Dataset, options: &'a FitOptions) -> Result<Self, FitError> {
        let kinds = options
            .kinds
            .clone()
            .unwrap_or_else(|| options.level.kinds(dataset));
        let mut table = tabulate(dataset, &options.target, &|k| kinds.contains(&k))?;
        if options.intercept && matches!(options.method, Method::Ols | Method::Wls) {
            drop_base(dataset, &mut table);
        }
        let design = table.design.clone().check()?;
        let relative = !(options.weighting == Some(Weighting::Equal)
            || options.method == Method::Ols && options.weighting.is_none());
        check_target(&design, relative)?;
        let rows = design.rows();
        if rows < 2 {
            return Err(TableError::TooFew {
                target: options.target.clone(),
                rows,
                needed: 2,
            }
            .into());
        }
        let mut split = split_by_group(&design.groups, options.train, options.seed);
        if split.train.len() < 2 {
            // One row teaches nothing: take a second group over.
            let wanted = 2.0 / rows as f64;
            split = split_by_group(
                &design.groups,
                wanted.max(options.train).min(1.0),
                options.seed,
            );
            if split.train.len() < 2 {
                split = Split {
                    train: (0..rows).collect(),
                    test: Vec::new(),
                };
            }
        }
        Ok(Self {
            dataset,
            options,
            table,
            design,
            split,
        })
    }

    fn learner(&self, method: Method) -> Learner<'_> {
        Learner::new(
            self.dataset,
            &self.table,
            &self.design,
            method,
            self.options,
        )
    }

    fn judge(&self, learner: &Learner, learned: &Learned, name: String) -> Option<Evaluation> {
        let test = &self.split.test;
        self.evaluation(name, learned.predict(learner.design, test))
    }

    fn evaluation(&self, name: String, predicted: Vec<f64>) -> Option<Evaluation> {
        let test = &self.split.test;
        if test.is_empty() {
            return None;
        }
        let labels: Vec<String> = test
            .iter()
            .map(|&r| self.design.labels[r].clone())
            .collect();
        let measured: Vec<f64> = test.iter().map(|&r| self.design.target[r]).collect();
        let mut out = evaluate(
            &name,
            self.split.train.len(),
            &labels,
            &measured,
            &predicted,
        );
        out.noise_floor = noise_floor(test.iter().filter_map(|&r| {
            self.dataset.observations[self.table.observations[r]]
                .costs
                .get(&self.options.target)
        }));
        Some(out)
    }

    fn interval(
        &self,
        learner: &Learner,
        learned: &Learned,
        rows: &[usize],
    ) -> Result<Option<Interval>, FitError> {
        let groups: Vec<String> = rows
            .iter()
            .map(|&r| self.design.groups[r].clone())
            .collect();
        let mut pairs = Vec::with_capacity(rows.len());
        for fold in folds_by_group(&groups, FOLDS, self.options.seed) {
            let train: Vec<usize> = fold.train.iter().map(|&i| rows[i]).collect();
            let test: Vec<usize> = fold.test.iter().map(|&i| rows[i]).collect();
            let Ok(part) = learner.learn(&train, learned.shrinkage.as_ref()) else {
                continue;
            };
            let predicted = part.predict(learner.design, &test);
            pairs.extend(
                test.iter()
                    .zip(predicted)
                    .map(|(&r, p)| (self.design.target[r], p)),
            );
        }
        Ok(interval(&pairs, self.options.level_of_intervals))
    }

    /// Other methods on the same split: one that fails is left out.
    fn alternatives(&self, chosen: &Learner) -> Vec<Evaluation> {
        let mut out = Vec::new();
        for method in [Method::Hier, Method::Nnls, Method::Wls] {
            let learner = self.learner(method);
            if method == chosen.method || method == Method::Hier && !learner.hierarchy.has_parts() {
                continue;
            }
            if method == Method::Wls && self.table.design.columns.len() > self.split.train.len() {
                continue; // hopeless, and slow to find out
            }
            if let Ok(learned) = learner.learn(&self.split.train, None) {
                out.extend(self.judge(&learner, &learned, method.to_string()));
            }
        }
        out.extend(self.opcode_prices());
        out
    }

    fn opcode_prices(&self) -> Option<Evaluation> {
        let kinds = Level::Opcode.kinds(self.dataset);
        let has = self
            .dataset
            .features
            .iter()
            .any(|f| f.kind == FeatureKind::Opcode);
        if !has
            || self
                .table
                .features
                .iter()
                .any(|f| self.dataset.features[f.0 as usize].kind == FeatureKind::Opcode)
        {
            return None;
        }
        let table = tabulate(self.dataset, &self.options.target, &|k| kinds.contains(&k)).ok()?;
        let design = table.design.clone().check().ok()?;
        let learner = Learner::new(self.dataset, &table, &design, Method::Nnls, self.options);
        let learned = learner.learn(&self.split.train, None).ok()?;
        self.judge(&learner, &learned, "opcode prices (nnls)".into())
    }

    fn baseline(&self) -> Option<Evaluation> {
        let found = baseline(
            self.dataset,
            &self.options.target,
            &self.split.train,
            self.options.seed,
        )?;
        let predicted = self
            .split
            .test
            .iter()
            .map(|&r| found.predicted[r])
            .collect();
        self.evaluation(format!("inputs only: {}", found.formula.text()), predicted)
    }

    fn formula(&self, learned: &Learned) -> Formula {
        let terms = self
            .design
            .columns
            .iter()
            .zip(&learned.prices)
            .filter(|(_, p)| **p != 0.0)
            .map(|(c, p)| (*p, c.name.clone()))
            .collect();
        Formula::Linear {
            intercept: learned.intercept,
            terms,
        }
    }

    fn domain(&self, rows: &[usize]) -> BTreeMap<String, Domain> {
        let total = self.design.rows();
        self.design
            .columns
            .iter()
            .map(|column| {
                let values = column.values.select(rows, total).to_dense(rows.len());
                let min = values.iter().copied().fold(f64::INFINITY, f64::min);
                let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                (column.name.clone(), Domain { min, max })
            })
            .collect()
    }

    fn notes(
        &self,
        learner: &Learner,
        diagnosis: &Diagnosis,
        learned: &Learned,
    ) -> Vec<Diagnostic> {
        let mut out = diagnosis.messages.clone();
        let hierarchical = learner.method == Method::Hier;
        for message in &mut out {
            // With a hierarchy more features than observations is the normal case.
            if hierarchical && message.severity == Severity::Warning {
                message.severity = Severity::Note;
                message.advice = None;
            }
        }
        out.extend(learned.notes.clone());
        let failed = self
            .dataset
            .observations
            .iter()
            .filter(|o| o.status == Status::Failed)
            .count();
        let doubtful = self
            .table
            .observations
            .iter()
            .filter(|&&o| !self.dataset.observations[o].caveats.is_empty())
            .count();
        let unstable = self
            .table
            .features
            .iter()
            .filter(|f| self.dataset.features[f.0 as usize].nondeterministic > 0)
            .count();
        for (count, text) in [
            (failed, "failed observations were left out"),
            (
                self.table.unmeasured,
                "observations without this cost were left out",
            ),
            (doubtful, "observations have caveats about their counts"),
            (
                unstable,
                "features counted differently in two runs of the same input",
            ),
            (
                learned.empty.len(),
                "features occur only in rows that were not learnt from",
            ),
        ] {
            if count > 0 {
                out.push(note(format!("{count} {text}")));
            }
        }
        let negative = learned
            .coefficients
            .iter()
            .filter(|c| c.estimate.is_some_and(|e| e < 0.0))
            .count();
        if negative > 0 {
            out.push(Diagnostic {
                severity: Severity::Warning,
                message: format!("{negative} coefficients are negative and are no prices"),
                advice: Some("Use --method nnls or hier for prices.".into()),
            });
        }
        let rows = if self.options.refit {
            "all"
        } else {
            "the training"
        };
        out.push(note(format!(
            "prices are learnt from {rows} rows: {} of {}",
            if self.options.refit {
                self.design.rows()
            } else {
                self.split.train.len()
            },
            self.design.rows()
        )));
        out
    }

    /// Where the evaluation says that the model should not be trusted.
    fn verdict(
        &self,
        own: &Evaluation,
        others: &[Evaluation],
        baseline: Option<&Evaluation>,
        interval: Option<&Interval>,
    ) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        let mut warn = |message: String, advice: &str| {
            out.push(Diagnostic {
                severity: Severity::Warning,
                message,
                advice: Some(advice.into()),
            });
        };
        let percent = |e: f64| format!("{:.1} %", 100.0 * e);
        for other in others
            .iter()
            .filter(|o| o.median_error < 0.8 * own.median_error)
        {
            warn(
                format!(
                    "`{}` predicts better: median relative error {} against {}",
                    other.name,
                    percent(other.median_error),
                    percent(own.median_error)
                ),
                "Compare the methods on another split (--seed) and take the better one.",
            );
        }
        if let Some(b) = baseline.filter(|b| b.median_error < own.median_error) {
            warn(
                format!(
                    "the inputs alone predict better: median relative error {} against {}",
                    percent(b.median_error),
                    percent(own.median_error)
                ),
                "The counts miss what the time depends on; add inputs, repeats, or other features.",
            );
        }
        if let Some((interval, coverage)) = interval.and_then(|i| i.coverage.map(|c| (i, c))) {
            let n = f64::from(own.test_rows);
            let slack = 3.0 * (interval.level * (1.0 - interval.level) / n).sqrt();
            if coverage < interval.level - slack {
                warn(
                    format!(
                        "the {} intervals cover only {} of the test rows",
                        percent(interval.level),
                        percent(coverage)
                    ),
                    "Training and test inputs differ in kind; train on a wider selection.",
                );
            }
        }
        out
    }

    fn provenance(&self) -> Provenance {
        let meta = &self.dataset.meta;
        Provenance {
            platform: meta.platform.clone(),
            subject: meta.subject.clone(),
            scope: meta.scope.clone(),
            dataset: self.dataset.digest(),
            options: self.options.describe(),
            seed: self.options.seed,
            pricetag: self.options.pricetag.clone(),
        }
    }
}

fn note(message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Note,
        message,
        advice: None,
    }
}

/// With an intercept the base column would be its twin.
fn drop_base(dataset: &Dataset, table: &mut Table) {
    let keep: Vec<bool> = table
        .features
        .iter()
        .map(|f| dataset.features[f.0 as usize].kind != FeatureKind::Base)
        .collect();
    if keep.iter().any(|k| *k) {
        let mut flags = keep.iter();
        table
            .design
            .columns
            .retain(|_| *flags.next().unwrap_or(&true));
        let mut flags = keep.iter();
        table.features.retain(|_| *flags.next().unwrap_or(&true));
    }
}

fn check_target(design: &Design, relative: bool) -> Result<(), FitError> {
    if !relative {
        return Ok(());
    }
    let problem = match design.target.iter().position(|y| *y < 0.0) {
        Some(row) => format!(
            "the cost of `{}` is negative ({})",
            design.labels[row], design.target[row]
        ),
        None if design.target.iter().all(|y| *y == 0.0) => {
            "the cost is zero in every observation".to_owned()
        }
        None => return Ok(()),
    };
    Err(TableError::NotPositive { problem }.into())
}
