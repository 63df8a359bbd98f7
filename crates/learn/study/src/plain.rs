//! What needs no method: one cost for all, and what the inputs tell alone. Every method is held against both.
//!
//! They are judged as the methods are, by relative errors on the same folds of the training rows. The one cost is the
//! median of the costs learnt from, each weighing as its error counts: that constant has the least mean relative error,
//! so a method does not beat it by weighing errors alone.

use pricetag_cost_model::{
    CostModel, Diagnostic, Domain, Evaluation, Formula, NOTHING_EXPLAINS, Severity,
};
use pricetag_dataset::InputValue;
use pricetag_estimator::{folds_by_group, relative_weights};
use pricetag_quantity::human;

use crate::baseline::{Baseline, baseline};
use crate::cross_validation::{CrossValidated, FOLDS};
use crate::inputs::known_before;
use crate::interval::{cover, interval};
use crate::study::{CLEARLY, Study, relative_error};
use crate::terms::terms;

/// A row that is missed by its whole cost counts as missed altogether: where errors are compared row by row a wild one is
/// no worse.
const MISSED: f64 = 1.0;
/// Costs below this share of the largest are none.
const NOTHING: f64 = 1e-6;
/// Standard errors by which a difference of errors is beyond chance.
const SURE: f64 = 2.0;
/// Rows below which nothing is said about chance.
const FEW: usize = 6;

/// A formula that no method has found, with its predictions of every row.
pub(crate) struct Plain {
    /// `constant` or `inputs`.
    pub name: &'static str,
    pub formula: Formula,
    /// Learnt from the training rows.
    predicted: Vec<f64>,
    /// By row, what training rows without the row's fold say; NaN for other rows.
    unseen: Vec<f64>,
}

impl Plain {
    /// (measured, predicted) of the rows that a cross-validation predicted, in its order.
    fn pairs(&self, rows: &CrossValidated) -> Vec<(f64, f64)> {
        let measured = rows.pairs.iter().map(|pair| pair.0);
        let predicted = rows.rows.iter().map(|&row| self.unseen[row]);
        measured.zip(predicted).collect()
    }
}

/// The cost that is least off, relatively and on average; 0 of none.
fn one_for_all(costs: &[f64]) -> f64 {
    let weights = relative_weights(costs);
    let mut sorted: Vec<(f64, f64)> = costs
        .iter()
        .copied()
        .zip(weights.iter().map(|w| w.sqrt()))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * sorted.iter().map(|(_, w)| w).sum::<f64>();
    let mut sum = 0.0;
    for (cost, weight) in &sorted {
        sum += weight;
        if sum >= half {
            return *cost;
        }
    }
    sorted.last().map_or(0.0, |last| last.0)
}

/// Error of each row, wild ones limited. What is nothing beside the largest cost is no error where nothing was measured.
fn errors(pairs: &[(f64, f64)]) -> impl Iterator<Item = f64> {
    let largest = pairs
        .iter()
        .fold(f64::MIN_POSITIVE, |most, pair| most.max(pair.0.abs()));
    let error = move |&(m, p): &(f64, f64)| {
        let error = (p - m).abs() / m.abs().max(NOTHING * largest);
        if error.is_finite() {
            error.min(MISSED)
        } else {
            MISSED
        }
    };
    pairs.iter().map(error)
}

/// Whether the first is closer than the second by more than chance makes it; both of the same rows.
fn is_surely_closer(first: &[(f64, f64)], second: &[(f64, f64)]) -> bool {
    let gains: Vec<f64> = errors(second)
        .zip(errors(first))
        .map(|(s, f)| s - f)
        .collect();
    let count = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / count;
    let variance = gains.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / (count - 1.0);
    mean > 0.0 && mean > SURE * (variance / count).sqrt()
}

impl Study<'_> {
    /// The constant, and what the inputs tell alone if there are any.
    pub fn plain(&self) -> (Plain, Option<Plain>) {
        let train = &self.split.train;
        let costs =
            |rows: &[usize]| -> Vec<f64> { rows.iter().map(|&r| self.design.target[r]).collect() };
        let groups: Vec<String> = train
            .iter()
            .map(|&r| self.design.groups[r].clone())
            .collect();
        let mut unseen = vec![f64::NAN; self.design.rows()];
        for fold in folds_by_group(&groups, FOLDS, self.options.seed) {
            let rows: Vec<usize> = fold.train.iter().map(|&i| train[i]).collect();
            let cost = one_for_all(&costs(&rows));
            for &i in &fold.test {
                unseen[train[i]] = cost;
            }
        }
        let cost = one_for_all(&costs(train));
        let constant = Plain {
            name: "constant",
            formula: Formula::Constant(cost),
            predicted: vec![cost; self.design.rows()],
            unseen,
        };
        (constant, self.inputs_alone(train))
    }

    fn inputs_alone(&self, train: &[usize]) -> Option<Plain> {
        let options = self.options;
        let Baseline {
            formula,
            predicted,
            unseen,
        } = baseline(self.dataset, &options.target, train, options.seed)?;
        (predicted.len() == self.design.rows()).then_some(Plain {
            name: "inputs",
            formula,
            predicted,
            unseen,
        })
    }

    /// On the rows held out.
    pub fn judge_plain(&self, plain: &Plain, name: &str) -> Option<Evaluation> {
        let test = &self.split.test;
        let predicted: Vec<f64> = test.iter().map(|&r| plain.predicted[r]).collect();
        self.evaluation(name, &predicted)
    }

    /// On the training rows, as the methods are compared.
    pub fn standing_of(&self, plain: &Plain, rows: &CrossValidated) -> Evaluation {
        self.standing(plain.name, &plain.pairs(rows))
    }

    /// Which of both is delivered instead of the method that was chosen: the constant unless the method predicts training
    /// rows from the others clearly better, or beyond chance; else the inputs alone if they predict clearly better, and beyond chance, or
    /// clearly better on the rows held out as well (`judged`: the method's errors there, and the inputs').
    pub fn plainer<'p>(
        unseen: &CrossValidated,
        judged: Option<(&Evaluation, &Evaluation)>,
        constant: &'p Plain,
        inputs: Option<&'p Plain>,
    ) -> Option<(&'p Plain, String)> {
        let error = relative_error(&unseen.pairs);
        let of = |plain: &Plain| relative_error(&plain.pairs(unseen));
        let enough = unseen.rows.len() >= FEW;
        // Few rows seldom show more than chance would: those held out are asked as well.
        let held_out = judged.is_some_and(|(own, inputs)| {
            let rows = unseen.rows.len() + own.rows.len();
            rows >= FEW && inputs.mean_error < CLEARLY * own.mean_error
        });
        let least = error.min(of(constant));
        let surely =
            |inputs: &Plain| enough && is_surely_closer(&inputs.pairs(unseen), &unseen.pairs);
        let from_inputs =
            inputs.filter(|inputs| of(inputs) < CLEARLY * least && (surely(inputs) || held_out));
        let told = |e: f64| format!("{:.1} %", 100.0 * e);
        if let Some(inputs) = from_inputs {
            // A row that has decided is no judge any more.
            let chosen_by = if surely(inputs) {
                ""
            } else {
                "; the rows held out had a say, so their error flatters this model"
            };
            let why = format!(
                "the inputs alone are delivered: in the cross-validation on the training rows they are off by {} on average, what is counted by {}{chosen_by}; --method says by what to explain the cost nonetheless",
                told(of(inputs)),
                told(error)
            );
            return Some((inputs, why));
        }
        let beats = error < CLEARLY * of(constant)
            || is_surely_closer(&unseen.pairs, &constant.pairs(unseen));
        (enough && !beats).then(|| {
            let why = format!(
                "a constant is delivered: in the cross-validation on the training rows it is off by {} on average, the best method by {}; --method says by what to explain the cost nonetheless",
                told(of(constant)),
                told(error)
            );
            (constant, why)
        })
    }

    /// What is wrong with a model that a constant predicts as well as, on all rows that a model had not seen, or that is better perhaps by
    /// chance; none if it beats the constant by more than chance.
    pub fn unexplained(
        &self,
        unseen: &CrossValidated,
        judged: Option<&Evaluation>,
        constant: &Plain,
        name: &str,
    ) -> Option<String> {
        let mut own = unseen.pairs.clone();
        let mut plain = constant.pairs(unseen);
        if let Some(judged) = judged {
            own.extend(judged.rows.iter().map(|row| (row.measured, row.predicted)));
            let test = self.split.test.iter();
            plain.extend(test.map(|&r| (self.design.target[r], constant.predicted[r])));
        }
        if own.len() < FEW || is_surely_closer(&own, &plain) {
            return None;
        }
        let mean = |pairs: &[(f64, f64)]| 100.0 * errors(pairs).sum::<f64>() / pairs.len() as f64;
        let Formula::Constant(cost) = constant.formula else {
            return None;
        };
        let units = &self.dataset.meta.cost_units;
        let unit = units.get(&self.options.target).map_or("1", String::as_str);
        let (own_error, plain_error) = (mean(&own), mean(&plain));
        // Closer, but perhaps by chance, is no proof that nothing explains it.
        let claim = if own_error < plain_error {
            "it cannot be told whether anything here explains the cost, for which more inputs are needed"
        } else {
            NOTHING_EXPLAINS
        };
        Some(format!(
            "{claim}: on {} rows kept aside one cost for all ({}) is off by {plain_error:.1} % on average, `{name}` by {own_error:.1} %",
            own.len(),
            human(cost, unit),
        ))
    }

    /// The model with a formula that no method has found in the place of its own, which stays as an alternative.
    pub fn delivered(&self, model: CostModel, plain: &Plain, constant: &Plain) -> CostModel {
        let options = self.options;
        let (rows, formula) = if options.refit {
            let all: Vec<usize> = (0..self.design.rows()).collect();
            let formula = match plain.name {
                "constant" => Formula::Constant(one_for_all(&self.design.target)),
                _ => self
                    .inputs_alone(&all)
                    .map_or_else(|| plain.formula.clone(), |found| found.formula),
            };
            (all, formula)
        } else {
            (self.split.train.clone(), plain.formula.clone())
        };
        let train = self.split.train.iter();
        let unseen = CrossValidated {
            rows: self.split.train.clone(),
            pairs: train
                .map(|&r| (self.design.target[r], plain.unseen[r]))
                .collect(),
            ..CrossValidated::default()
        };
        let mut evaluation = self.judge_plain(plain, plain.name);
        let unexplained = match plain.name {
            "constant" => model.unexplained,
            name => self.unexplained(&unseen, evaluation.as_ref(), constant, name),
        };
        let mut interval = interval(&unseen.pairs, options.level_of_intervals);
        if let (Some(interval), Some(evaluation)) = (&mut interval, &mut evaluation) {
            interval.coverage = cover(interval, &mut evaluation.rows);
            interval.scatter = self.scatter(interval.level);
        }
        let (shares, domain) = match known_before(self.dataset, &options.target) {
            Some(table) if plain.name == "inputs" => {
                let mut domain = crate::study::domain(&table.design, &rows);
                self.add_levels(&rows, &mut domain);
                (terms(&formula, &table.design, &rows), domain)
            }
            _ => (terms(&formula, &self.design, &rows), model.domain),
        };
        let own = model.evaluation.map(|mut evaluation| {
            evaluation.name = model.method;
            evaluation
        });
        CostModel {
            method: plain.name.to_owned(),
            text: formula.text(),
            formula,
            prices: Vec::new(),
            terms: shares,
            concise: None,
            screening: model.screening.map(|mut found| {
                found.selected = 0;
                found
            }),
            preferred: None,
            interval,
            domain,
            evaluation,
            unexplained,
            alternatives: own.into_iter().chain(model.alternatives).collect(),
            summary: None,
            ..model
        }
    }

    /// Every level of a category that was seen, also the one without a column.
    fn add_levels(&self, rows: &[usize], domain: &mut std::collections::BTreeMap<String, Domain>) {
        for &row in rows {
            let observation = &self.dataset.observations[self.table.observations[row]];
            for (name, value) in &observation.inputs {
                if let InputValue::Text(text) = value {
                    let seen = Domain { min: 0.0, max: 1.0 };
                    domain.entry(format!("{name}={text}")).or_insert(seen);
                }
            }
        }
    }
}

/// The warning that stands before everything else.
pub(crate) fn warning(message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        message,
        advice: Some(
            "Add observations, or features that the cost depends on; what the model says of single features is noise."
                .into(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_has_the_least_relative_error() {
        let costs: Vec<f64> = (5..=40).map(|i| f64::from(i * i)).collect();
        let error = |c: f64| costs.iter().map(|y| (c - y).abs() / y).sum::<f64>();
        let found = one_for_all(&costs);
        let best = (1..=16_000).map(|i| error(f64::from(i) / 10.0));
        let best = best.fold(f64::INFINITY, f64::min);
        assert!(error(found) <= 1.01 * best, "{found}");
        // The median, 506.5, is half as much off again.
        assert!(error(506.5) > 1.4 * best && found < 250.0, "{found}");
        assert_eq!(one_for_all(&[7.0]), 7.0);
    }

    #[test]
    fn a_difference_is_sure_when_it_exceeds_two_standard_errors() {
        let rows = |errors: &[f64]| -> Vec<(f64, f64)> {
            errors.iter().map(|e| (10.0, 10.0 * (1.0 + e))).collect()
        };
        let constant = rows(&[0.5, 0.3, 0.4, 0.6, 0.5, 0.4]);
        assert!(is_surely_closer(&rows(&[0.1; 6]), &constant));
        // Gains 0.1, −0.1, … of mean 0.
        assert!(!is_surely_closer(
            &rows(&[0.4, 0.4, 0.3, 0.7, 0.4, 0.5]),
            &constant
        ));
        assert!(!is_surely_closer(&constant, &constant));
        // One wild row of many does not spoil the others.
        let wild = [&rows(&[0.02; 19])[..], &[(10.0, 1e9)]].concat();
        assert!(is_surely_closer(&wild, &rows(&[0.45; 20])));
    }
}
