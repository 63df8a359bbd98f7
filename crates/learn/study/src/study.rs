//! The rows and columns of one fit, and what is computed from them besides the fit itself.

use std::collections::BTreeMap;

use pricetag_cost_model::{Domain, Evaluation, Formula, Provenance};
use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_estimator::{
    Checked, Design, Split, Table, TableError, evaluate, folds_by_group, noise_floor,
    split_by_group, tabulate,
};

use crate::baseline::baseline;
use crate::fit::FitError;
use crate::learner::{Learned, Learner};
use crate::options::{FitOptions, Level, Method, Weighting};

/// Folds behind the prediction intervals.
const FOLDS: usize = 10;
/// The simpler method must have at most this share of the other's error to be taken.
const CLEARLY: f64 = 0.85;

/// A method, what it learnt, and how it predicts training rows that it has not seen.
pub(crate) struct Choice<'a> {
    pub learner: Learner<'a>,
    pub learned: Learned,
    pub pairs: Vec<(f64, f64)>,
    /// Why this method, if there was a choice.
    pub why: Option<String>,
}

/// Mean relative error; a single wild row counts as ten.
fn relative_error(pairs: &[(f64, f64)]) -> f64 {
    let errors: Vec<f64> = pairs
        .iter()
        .filter(|(m, _)| *m > 0.0)
        .map(|(m, p)| ((p - m).abs() / m).min(10.0))
        .collect();
    if errors.is_empty() {
        f64::INFINITY
    } else {
        errors.iter().sum::<f64>() / errors.len() as f64
    }
}

/// The rows and columns of one fit.
pub(crate) struct Study<'a> {
    pub dataset: &'a Dataset,
    pub options: &'a FitOptions,
    pub table: Table,
    pub design: Checked<Design>,
    pub split: Split,
}

impl<'a> Study<'a> {
    pub fn new(dataset: &'a Dataset, options: &'a FitOptions) -> Result<Self, FitError> {
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

    pub fn learner(&self, method: Method) -> Learner<'_> {
        Learner::new(
            self.dataset,
            &self.table,
            &self.design,
            method,
            self.options,
        )
    }

    pub fn judge(&self, learner: &Learner, learned: &Learned, name: &str) -> Option<Evaluation> {
        let test = &self.split.test;
        self.evaluation(name, &learned.predict(learner.design, test))
    }

    fn evaluation(&self, name: &str, predicted: &[f64]) -> Option<Evaluation> {
        let test = &self.split.test;
        if test.is_empty() {
            return None;
        }
        let labels: Vec<String> = test
            .iter()
            .map(|&r| self.design.labels[r].clone())
            .collect();
        let measured: Vec<f64> = test.iter().map(|&r| self.design.target[r]).collect();
        let mut out = evaluate(name, self.split.train.len(), &labels, &measured, predicted);
        out.noise_floor = noise_floor(test.iter().filter_map(|&r| {
            self.dataset.observations[self.table.observations[r]]
                .costs
                .get(&self.options.target)
        }));
        Some(out)
    }

    /// (measured, predicted) of training rows by models that did not see their group.
    pub fn cross_validate(&self, learner: &Learner, learned: &Learned) -> Vec<(f64, f64)> {
        let rows = &self.split.train;
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
        pairs
    }

    /// Learns by the method asked for. `auto` tries hierarchical prices and plain NNLS where both apply and takes the
    /// latter only when cross-validation on the training rows is clearly for it.
    pub fn learn(&self) -> Result<Choice<'_>, FitError> {
        let first = self.choice(self.options.method)?;
        if self.options.method != Method::Auto || first.learner.method != Method::Hier {
            return Ok(first);
        }
        let Ok(mut second) = self.choice(Method::Nnls) else {
            return Ok(first);
        };
        let (a, b) = (relative_error(&first.pairs), relative_error(&second.pairs));
        if b < CLEARLY * a {
            second.why = Some(format!(
                "nnls was chosen over hier: mean relative error {:.1} % against {:.1} % in cross-validation",
                100.0 * b,
                100.0 * a
            ));
            return Ok(second);
        }
        Ok(first)
    }

    fn choice(&self, method: Method) -> Result<Choice<'_>, FitError> {
        let learner = self.learner(method);
        let learned = learner.learn(&self.split.train, None)?;
        let pairs = self.cross_validate(&learner, &learned);
        Ok(Choice {
            learner,
            learned,
            pairs,
            why: None,
        })
    }

    /// Other methods on the same split: one that fails is left out.
    pub fn alternatives(&self, chosen: &Learner) -> Vec<Evaluation> {
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
                out.extend(self.judge(&learner, &learned, &method.to_string()));
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
        self.judge(&learner, &learned, "opcode prices (nnls)")
    }

    pub fn baseline(&self) -> Option<Evaluation> {
        let found = baseline(
            self.dataset,
            &self.options.target,
            &self.split.train,
            self.options.seed,
        )?;
        let predicted: Vec<f64> = self
            .split
            .test
            .iter()
            .map(|&r| found.predicted[r])
            .collect();
        self.evaluation(
            &format!("inputs only: {}", found.formula.text()),
            &predicted,
        )
    }

    pub fn formula(&self, learned: &Learned) -> Formula {
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

    pub fn domain(&self, rows: &[usize]) -> BTreeMap<String, Domain> {
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

    pub fn provenance(&self) -> Provenance {
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
