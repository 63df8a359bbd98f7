//! The rows and columns of one fit, and what is computed from them besides the fit itself.

use std::collections::BTreeMap;

use pricetag_cost_model::{Domain, Evaluation, Formula, Provenance};
use pricetag_dataset::{Dataset, FeatureId, FeatureKind};
use pricetag_estimator::{
    Checked, Column, Design, EstimatorError, Split, Table, TableError, evaluate, split_by_group,
    tabulate,
};

use crate::black_box::black_box;
use crate::cross_validation::CrossValidated;
use crate::fit::FitError;
use crate::learner::{Learned, Learner};
use crate::method::Method;
use crate::options::{FitOptions, Level, Weighting};
use crate::suitability::tried;
use crate::world::World;

/// A method further down the list of candidates must have at most this share of the others' error to be taken.
pub(crate) const CLEARLY: f64 = 0.85;

/// A method, what it learnt, and how it predicts training rows that it has not seen.
pub(crate) struct Choice<'a> {
    pub learner: Learner<'a>,
    pub learned: Learned,
    pub unseen: CrossValidated,
}

/// The methods that were tried and the one that is delivered.
pub(crate) struct Contest<'a> {
    pub winner: Choice<'a>,
    /// Every method tried, judged by one cross-validation on the training rows; in order of preference.
    pub standings: Vec<Evaluation>,
    /// Why this one, if there was a choice; and which methods were not tried or gave up, and why.
    pub why: Vec<String>,
}

/// Relative error that a row without a prediction counts as, and that a wild one counts as at most.
const WILD: f64 = 10.0;

/// Mean relative error; a single wild row, or one without a prediction, counts as ten.
pub(crate) fn relative_error(pairs: &[(f64, f64)]) -> f64 {
    let errors: Vec<f64> = pairs
        .iter()
        .filter(|(m, _)| *m > 0.0)
        .map(|(m, p)| {
            let error = (p - m).abs() / m;
            if error.is_finite() {
                error.min(WILD)
            } else {
                WILD
            }
        })
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
    pub world: &'a World<'a>,
    pub table: Table,
    pub design: Checked<Design>,
    pub split: Split,
    /// The options by which `poly` is compared in few terms, where it is.
    pub few: Option<FitOptions>,
}

impl<'a> Study<'a> {
    pub fn new(
        dataset: &'a Dataset,
        options: &'a FitOptions,
        world: &'a World<'a>,
    ) -> Result<Self, FitError> {
        let kinds = options.kinds(dataset);
        let mut table = tabulate(dataset, &options.target, &|k| kinds.contains(&k))?;
        if options.intercept && options.method.takes_intercept() {
            drop_base(dataset, &mut table);
        }
        let design = table.design.clone().check()?;
        let relative = options.method.weighting(options.weighting) != Weighting::Equal;
        check_target(&design, relative)?;
        check_magnitudes(&design, relative)?;
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
        let mut study = Self {
            dataset,
            options,
            world,
            table,
            design,
            split,
            few: None,
        };
        study.few = study.compares_few_terms().then(|| study.in_few_terms());
        Ok(study)
    }

    pub fn learner(&self, method: Method) -> Learner<'_> {
        self.learner_by(method, self.limited(method).unwrap_or(self.options))
    }

    /// The same with options of its own.
    pub fn learner_by<'s>(&'s self, method: Method, options: &'s FitOptions) -> Learner<'s> {
        Learner::new(
            self.dataset,
            &self.table,
            &self.design,
            method,
            options,
            self.world,
        )
    }

    /// What is learnt from all rows, and these, where that is wanted and more than the training rows.
    pub fn refitted(
        &self,
        learner: &Learner,
    ) -> Result<Option<(Learned, Vec<usize>)>, EstimatorError> {
        if !self.options.refit || self.split.test.is_empty() {
            return Ok(None);
        }
        let all: Vec<usize> = (0..self.design.rows()).collect();
        Ok(Some((learner.learn(&all, None)?, all)))
    }

    pub fn judge(&self, learner: &Learner, learned: &Learned, name: &str) -> Option<Evaluation> {
        let test = &self.split.test;
        self.evaluation(name, &self.plausible(learned.predict(learner.design, test)))
    }

    /// Range of the costs learnt from.
    pub fn costs(&self) -> Option<Domain> {
        Domain::of(self.split.train.iter().map(|&r| self.design.target[r]))
    }

    /// Predictions as `pricetag predict` gives them.
    pub fn plausible(&self, predicted: Vec<f64>) -> Vec<f64> {
        let Some(costs) = self.costs() else {
            return predicted;
        };
        predicted.into_iter().map(|p| costs.plausible(p)).collect()
    }

    pub fn evaluation(&self, name: &str, predicted: &[f64]) -> Option<Evaluation> {
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
        out.noise_floor = self.dataset.noise(&self.options.target).map(|n| n.raw);
        Some(out)
    }

    /// Learns by the method asked for, or, for `auto`, by all that suit the dataset, under one cross-validation on the
    /// training rows. Candidates stand in order of preference, prices that say most about the program first; one
    /// further down is taken only when it is clearly better, so that noise does not choose.
    pub fn learn(&self) -> Result<Contest<'_>, FitError> {
        let (candidates, mut why) = match self.options.method {
            Method::Auto => self.candidates(),
            method => (vec![method], Vec::new()),
        };
        let mut standings = Vec::new();
        let mut choices: Vec<(f64, Choice<'_>)> = Vec::new();
        let mut refused = None;
        for &method in &candidates {
            let choice = match self.choice(method) {
                Ok(choice) => choice,
                Err(e) => {
                    why.push(format!("`{}` gave up: {e}", self.title(method)));
                    refused.get_or_insert(e);
                    continue;
                }
            };
            let error = relative_error(&choice.unseen.pairs);
            let lost = choice
                .unseen
                .pairs
                .iter()
                .filter(|p| !p.1.is_finite())
                .count();
            if lost > 0 {
                why.push(format!(
                    "`{}` does not predict {} of {} training rows from the others: each counts as an error of {:.0} %",
                    self.title(method),
                    lost,
                    choice.unseen.pairs.len(),
                    100.0 * WILD
                ));
            }
            let title = self.title(choice.learner.method);
            standings.push(self.standing(&title, &choice.unseen.pairs));
            choices.push((error, choice));
        }
        let nothing = || EstimatorError::Numerical {
            method: "auto",
            reason: "no method applies".into(),
        };
        let errors: Vec<f64> = choices.iter().map(|(error, _)| *error).collect();
        let beaten = |i: usize| errors[i + 1..].iter().any(|e| *e < CLEARLY * errors[i]);
        let first = (0..errors.len()).find(|&i| !beaten(i)).unwrap_or(0);
        let (error, winner) = choices
            .into_iter()
            .nth(first)
            .ok_or_else(|| refused.unwrap_or_else(|| FitError::Estimator(nothing())))?;
        if standings.len() > 1 {
            why.push(format!(
                "of {} methods `{}` was chosen by cross-validation on the training rows (mean relative error {:.1} %): the first in order of preference that none further down beats by more than {:.0} %",
                standings.len(),
                self.title(winner.learner.method),
                100.0 * error,
                100.0 * (1.0 - CLEARLY)
            ));
        }
        Ok(Contest {
            winner,
            standings,
            why,
        })
    }

    /// Methods that suit the dataset, the preferred one first; and why others are not tried.
    fn candidates(&self) -> (Vec<Method>, Vec<String>) {
        let tried = tried(self.options);
        if tried != Method::CANDIDATES {
            return (tried.to_vec(), Vec::new()); // asked for by an option of theirs
        }
        let (rows, columns) = self.size();
        let has_parts = self.learner(Method::Auto).method == Method::Hier;
        let unsuited = |method: Method| match method {
            Method::Hier if !has_parts => {
                Some("the dataset does not say what features consist of".into())
            }
            Method::Sampled => self.no_samples(),
            Method::Hier if self.options.tuning.filter.is_some() => {
                Some("it needs no filter against collinear features and takes none".into())
            }
            _ if method.is_for_tables() && !self.is_foreign() => {
                Some("for tables of other tools".into())
            }
            _ if self.limited(method).is_some() => None,
            _ => method.unsuited(rows, columns),
        };
        let (mut suited, mut others) = (Vec::new(), Vec::new());
        for &method in tried {
            match unsuited(method) {
                None => suited.push(method),
                Some(reason) => others.push(format!("`{method}` ({reason})")),
            }
        }
        let not_tried = (!others.is_empty()).then(|| format!("not tried: {}", others.join(", ")));
        (
            suited,
            not_tried.into_iter().chain(self.why_few()).collect(),
        )
    }

    /// Whether all columns are those of somebody's table, or inputs.
    fn is_foreign(&self) -> bool {
        let kind = |f: &FeatureId| self.dataset.features[f.0 as usize].kind;
        let mut kinds = self.table.features.iter().map(kind);
        kinds.all(|k| matches!(k, FeatureKind::Foreign | FeatureKind::Input))
    }

    pub fn standing(&self, name: &str, pairs: &[(f64, f64)]) -> Evaluation {
        // A row that is predicted wildly, or not at all, counts here as in the choice.
        let counted = pairs.iter().map(|&(measured, predicted)| {
            let near = (predicted - measured).abs() <= WILD * measured.abs();
            let counted = if near {
                predicted
            } else {
                (1.0 + WILD) * measured
            };
            (measured, counted)
        });
        let (measured, predicted): (Vec<f64>, Vec<f64>) = counted.unzip();
        let labels = vec![String::new(); measured.len()];
        let mut out = evaluate(name, self.split.train.len(), &labels, &measured, &predicted);
        out.rows.clear();
        out
    }

    pub fn choice(&self, method: Method) -> Result<Choice<'_>, FitError> {
        let learner = self.learner(method);
        let learned = learner.main().learn(&self.split.train, None)?;
        let rows = &self.split.train;
        if method != Method::Hier || !learner.hierarchy.has_parts() {
            let unseen = self.cross_validate(&learner, &learned, rows);
            return Ok(Choice {
                learner,
                learned,
                unseen,
            });
        }
        let alone = learner.blended(1.0);
        let [own, others] = self.cross_validate_all([&learner, &alone], &learned, rows);
        let choice = Choice {
            learner,
            learned,
            unseen: own,
        };
        self.blend(choice, alone, others)
    }

    /// Other methods on the same split: one that fails is left out.
    pub fn alternatives(&self, chosen: &Learner) -> Vec<Evaluation> {
        let mut out = Vec::new();
        for method in [Method::Hier, Method::Nnls, Method::Wls] {
            let learner = self.learner(method);
            if self.options.intercept && !method.takes_intercept() {
                continue; // with a constant there is no base price in the table
            }
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
        for (name, predicted) in black_box(self.dataset, &self.options.target, &self.split.train) {
            let test: Vec<f64> = self.split.test.iter().map(|&r| predicted[r]).collect();
            out.extend(self.evaluation(name, &test));
        }
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
        let learner = Learner::new(
            self.dataset,
            &table,
            &design,
            Method::Nnls,
            self.options,
            self.world,
        );
        let learned = learner.learn(&self.split.train, None).ok()?;
        self.judge(&learner, &learned, "opcode prices (nnls)")
    }

    pub fn formula(&self, learned: &Learned) -> Formula {
        if let Some(formula) = &learned.formula {
            return formula.clone();
        }
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
        domain(&self.design, rows)
    }

    pub fn provenance(&self) -> Provenance {
        let meta = &self.dataset.meta;
        Provenance {
            platform: meta.platform.clone(),
            subject: meta.subject.clone(),
            scope: meta.scope.clone(),
            dataset: self.dataset.digest(),
            recording: meta.options.clone(),
            options: self.options.describe(),
            seed: self.options.seed,
            pricetag: self.options.pricetag.clone(),
        }
    }
}

/// Range of every column over some rows.
pub(crate) fn domain(design: &Design, rows: &[usize]) -> BTreeMap<String, Domain> {
    let total = design.rows();
    let range = |column: &Column| {
        let values = column.values.select(rows, total).to_dense(rows.len());
        Some((column.name.clone(), Domain::of(values)?))
    };
    design.columns.iter().filter_map(range).collect()
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

/// Numbers whose squares, and sums of these, are numbers.
const SQUARED: std::ops::Range<f64> = 1e-140..1e140;

/// Refuses numbers that cannot be squared.
fn check_magnitudes(design: &Design, relative: bool) -> Result<(), FitError> {
    let refused = |what: String| FitError::Magnitude {
        what,
        remedy: "give the cost in another unit",
    };
    let largest = design.target.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
    let nonzero = design.target.iter().filter(|y| **y != 0.0);
    let least = nonzero.fold(f64::INFINITY, |m, y| m.min(y.abs()));
    if largest >= SQUARED.end || largest > 0.0 && largest < SQUARED.start {
        return Err(refused(format!("the cost reaches {largest:e}")));
    }
    if relative && least < SQUARED.start {
        return Err(refused(format!("a cost is {least:e}")));
    }
    for column in &design.columns {
        let largest = column.values.largest();
        if largest > 0.0 && !SQUARED.contains(&largest) {
            return Err(FitError::Magnitude {
                what: format!("`{}` reaches {largest:e}", column.name),
                remedy: "give it in another unit, or leave it out (--ignore)",
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::{Simulation, simulate};

    /// Of two training rows each is predicted from one, which is too few: both count as failures, and neither vanishes.
    #[test]
    fn rows_that_no_fold_predicts_are_failures() {
        let data = simulate(&Simulation {
            rows: 4,
            blocks: 5,
            ..Simulation::default()
        });
        let options = FitOptions::default();
        let world = World::default();
        let study = Study::new(&data.dataset, &options, &world).unwrap();
        let learner = study.learner(Method::Hier);
        let learned = learner.learn(&study.split.train, None).unwrap();
        let unseen = study.cross_validate(&learner, &learned, &study.split.train);
        let pairs = &unseen.pairs;
        assert_eq!(pairs.len(), 2);
        assert!(pairs.iter().all(|p| p.0 > 0.0 && p.1.is_nan()), "{pairs:?}");
        assert_eq!(relative_error(pairs), WILD);
        let standing = study.standing("hier", pairs);
        assert_eq!((standing.mean_error, standing.median_error), (WILD, WILD));
        assert_eq!(standing.test_rows, 2);
    }

    #[test]
    fn a_wild_row_counts_as_much_as_a_lost_one() {
        assert_eq!(relative_error(&[(1.0, f64::NAN), (1.0, 1.0)]), 5.0);
        assert_eq!(relative_error(&[(1.0, f64::INFINITY), (1.0, 1e9)]), 10.0);
        assert_eq!(relative_error(&[(2.0, 3.0), (0.0, 7.0)]), 0.5);
        assert_eq!(relative_error(&[]), f64::INFINITY);
    }
}
