//! Rows of named values, and the prediction of each.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pricetag_cost_model::{CostModel, Domain, Formula, Price};
use pricetag_dataset::{Dataset, FeatureKind, InputValue, Status};
use pricetag_finding::{FINDING_SCHEMA, Outside, Prediction, Predictions, Unpredicted};

use crate::PredictError;
use crate::names::{near, with_levels};

/// Relative deviation from a bucket's ratios above which its members count as separated.
const RATIO_TOLERANCE: f64 = 0.1;
/// Distance from its range, in widths of it, beyond which a feature is far off even if the formula does not ask for it; for one
/// that never varied a tenth of its value is.
const FAR: f64 = 1.0;
/// Scope of models that were learnt from a stranger's table: nothing that such a one lacks can be taken for zero.
const TABLE: &str = "table";

/// Named values of one observation. Names without a value are zero if `columns` has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Label of the observation.
    pub label: String,
    /// Values by feature.
    pub values: BTreeMap<String, f64>,
    /// Measured cost, if known.
    pub measured: Option<f64>,
    /// Counted features of the kinds that the model prices, whose values must not be ignored silently.
    pub counted: BTreeSet<String>,
}

/// Predicts every successful observation of a dataset, in its order.
pub fn predict_dataset(model: &CostModel, dataset: &Dataset) -> Result<Predictions, PredictError> {
    let priced: BTreeSet<&str> = needed(&model.formula);
    let kinds: BTreeSet<FeatureKind> = dataset
        .features
        .iter()
        .filter(|feature| {
            priced.contains(feature.name.as_str()) && feature.kind != FeatureKind::Input
        })
        .map(|feature| feature.kind)
        .collect();
    let mut rows: Vec<Row> = dataset
        .observations
        .iter()
        .map(|observation| Row {
            label: observation.label.clone(),
            values: input_values(&observation.inputs),
            measured: observation
                .costs
                .get(&model.target)
                .and_then(|cost| median(&cost.repeats)),
            counted: BTreeSet::new(),
        })
        .collect();
    let mut columns: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| row.values.keys().cloned())
        .collect();
    for (feature, column) in dataset.features.iter().zip(&dataset.columns) {
        columns.insert(feature.name.clone());
        for (row, value) in column {
            if let Some(row) = rows.get_mut(row.0 as usize) {
                row.values.insert(feature.name.clone(), *value);
                // A model that knows only some of the values misses nothing that has a cost.
                if kinds.contains(&feature.kind) && !feature.kind.may_be_missing() {
                    row.counted.insert(feature.name.clone());
                }
            }
        }
    }
    // Where values were recorded, one without a column was given in no row: it is missing, not forgotten.
    if dataset.features.iter().any(|f| f.kind.may_be_missing()) {
        columns.extend(
            priced
                .iter()
                .filter(|name| FeatureKind::names_value(name))
                .map(|name| (*name).to_owned()),
        );
    }
    if dataset.meta.scope != TABLE {
        columns.extend(never_reached(model, &priced, dataset));
    }
    let rows: Vec<Row> = rows
        .into_iter()
        .zip(&dataset.observations)
        .filter(|(_, observation)| observation.status == Status::Ok)
        .map(|(row, _)| row)
        .collect();
    let failed = dataset
        .observations
        .iter()
        .filter(|observation| observation.status == Status::Failed);
    let failed = failed.map(|observation| Unpredicted {
        label: observation.label.clone(),
        reason: observation.reason.clone().unwrap_or_default(),
    });
    Ok(Predictions {
        failed: failed.collect(),
        unknown_program: is_of_another(&priced, dataset),
        ..predict_rows(model, &rows, &columns)?
    })
}

/// Whether the formula asks for code, and the dataset has nothing of any of its classes.
fn is_of_another(priced: &BTreeSet<&str>, dataset: &Dataset) -> bool {
    let class = |name: &str| {
        let (method, _) = name.split_once('(')?;
        Some(method.rsplit_once('.')?.0.to_owned())
    };
    let known: BTreeSet<String> = priced.iter().filter_map(|name| class(name)).collect();
    let counted = dataset.features.iter().filter_map(|f| class(&f.name));
    let counted: BTreeSet<String> = counted.collect();
    !known.is_empty() && known.is_disjoint(&counted)
}

/// Features of code that no run of a recording reached, though every run of the training did. They are zero, not forgotten: the recording counts others of their sort. A row without them
/// is outside of what the training saw, and flagged so.
fn never_reached(model: &CostModel, priced: &BTreeSet<&str>, dataset: &Dataset) -> Vec<String> {
    let counted = dataset.features.iter().filter(|f| !f.kind.may_be_missing());
    let sorts: BTreeSet<String> = counted.filter_map(|f| sort(&f.name)).collect();
    let known = |name: &&&str| model.domain.contains_key(**name);
    let missing = priced.iter().filter(known);
    missing
        .filter(|name| sort(name).is_some_and(|sort| sorts.contains(&sort)))
        .map(|name| (*name).to_owned())
        .collect()
}

/// What is counted at a place in a method, by the words behind it: `block turns` of `A.m(int) block 3 turns (A.java:7)`. None of what is in no method.
fn sort(name: &str) -> Option<String> {
    let (_, behind) = name.split_once(')')?;
    let behind = behind.split(" (").next().unwrap_or_default();
    let words = behind
        .split(' ')
        .filter(|word| !word.is_empty() && word.chars().all(char::is_alphabetic));
    Some(words.collect::<Vec<_>>().join(" ")).filter(|words| !words.is_empty())
}

/// Predicts rows of a table with the given columns.
pub fn predict_rows(
    model: &CostModel,
    rows: &[Row],
    columns: &BTreeSet<String>,
) -> Result<Predictions, PredictError> {
    if rows.is_empty() {
        return Err(PredictError::NoRows);
    }
    let columns = &with_levels(&model.formula, columns);
    let assumed = assumptions(model, columns)?;
    let coefficients = linear_coefficients(&model.formula);
    let needed = needed(&model.formula);
    let predictor = Predictor {
        model,
        assumed,
        coefficients,
        needed,
        columns,
    };
    Ok(Predictions {
        schema: FINDING_SCHEMA,
        target: model.target.clone(),
        unit: model.unit.clone(),
        method: model.method.clone(),
        level: model.interval.as_ref().map(|interval| interval.level),
        assumed: predictor.assumed.keys().cloned().collect(),
        rows: rows
            .iter()
            .map(|row| predictor.predict(row))
            .collect::<Result<_, _>>()?,
        failed: Vec::new(),
        unknown_program: false,
    })
}

struct Predictor<'a> {
    model: &'a CostModel,
    /// Values of the features without a column.
    assumed: BTreeMap<String, f64>,
    /// Coefficient of each feature, if the formula is linear.
    coefficients: Option<HashMap<&'a str, f64>>,
    needed: BTreeSet<&'a str>,
    /// What the table has.
    columns: &'a BTreeSet<String>,
}

impl Predictor<'_> {
    fn predict(&self, row: &Row) -> Result<Prediction, PredictError> {
        let given = self.evaluate(row, &|_, value| value)?;
        let outside = self.outside(row, given)?;
        let outside_share = if outside.is_empty() {
            0.0
        } else {
            let inside = self.evaluate(row, &|name, value| self.clamped(name, value))?;
            share(given - inside, given)
        };
        let costs = self.model.costs.as_ref();
        let value = costs.map_or(given, |costs| costs.plausible(given));
        Ok(Prediction {
            label: row.label.clone(),
            value,
            interval: self
                .model
                .interval
                .as_ref()
                .map(|interval| ends(value * interval.lower, value * interval.upper)),
            implausible: (value != given).then_some(given),
            measured: row.measured,
            outside,
            outside_share,
            unpriced: self.unpriced(row),
            separated: self.separated(row),
        })
    }

    fn value(&self, row: &Row, name: &str) -> f64 {
        row.values
            .get(name)
            .or_else(|| self.assumed.get(name))
            .copied()
            .unwrap_or(0.0)
    }

    fn evaluate(&self, row: &Row, adjust: &dyn Fn(&str, f64) -> f64) -> Result<f64, PredictError> {
        let lookup = |name: &str| Some(adjust(name, self.value(row, name)));
        let value =
            self.model
                .formula
                .evaluate(&lookup)
                .map_err(|source| PredictError::Formula {
                    label: row.label.clone(),
                    source,
                })?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(PredictError::NotFinite {
                label: row.label.clone(),
                value,
            })
        }
    }

    fn clamped(&self, name: &str, value: f64) -> f64 {
        self.model
            .domain
            .get(name)
            .map_or(value, |domain| value.max(domain.min).min(domain.max))
    }

    /// Whether the row says what a feature's value is; one that is zero need not stand in it.
    fn says(&self, row: &Row, name: &str) -> bool {
        row.values.contains_key(name)
            || self.columns.contains(name) && !FeatureKind::names_value(name)
    }

    fn outside(&self, row: &Row, prediction: f64) -> Result<Vec<Outside>, PredictError> {
        let mut found = Vec::new();
        for (name, &Domain { min, max }) in &self.model.domain {
            let name = name.as_str();
            let needed = self.needed.contains(name);
            if !needed && !self.says(row, name) {
                continue;
            }
            let value = self.value(row, name);
            let far = if min < max { FAR } else { RATIO_TOLERANCE };
            if !needed && excess(value, min, max) <= far {
                continue;
            }
            let clamped = self.clamped(name, value);
            if clamped == value {
                continue;
            }
            let change = match &self.coefficients {
                Some(coefficients) => {
                    coefficients.get(name).copied().unwrap_or(0.0) * (value - clamped)
                }
                None => {
                    prediction - self.evaluate(row, &|n, v| if n == name { clamped } else { v })?
                }
            };
            found.push(Outside {
                feature: name.to_owned(),
                value,
                min,
                max,
                excess: excess(value, min, max),
                effect: share(change, prediction),
            });
        }
        found.sort_by(|a, b| {
            b.effect
                .abs()
                .total_cmp(&a.effect.abs())
                .then_with(|| a.feature.cmp(&b.feature))
        });
        Ok(found)
    }

    /// Counted features that no training row had and the formula does not know.
    fn unpriced(&self, row: &Row) -> Vec<String> {
        row.counted
            .iter()
            .filter(|name| !self.needed.contains(name.as_str()))
            .filter(|name| {
                self.model
                    .domain
                    .get(*name)
                    .is_none_or(|domain| domain.min == 0.0 && domain.max == 0.0)
                    && !self
                        .model
                        .prices
                        .iter()
                        .any(|price| price.price.is_some() && price.members.contains(name))
            })
            .cloned()
            .collect()
    }

    /// Merged buckets whose members are not in the proportion they had in training.
    fn separated(&self, row: &Row) -> Vec<String> {
        self.model
            .prices
            .iter()
            .filter(|price| price.members.len() > 1 && price.price.is_some_and(|p| p > 0.0))
            .filter(|price| self.breaks_ratios(row, price))
            .map(|price| price.bucket.clone())
            .collect()
    }

    fn breaks_ratios(&self, row: &Row, price: &Price) -> bool {
        let scaled = price
            .members
            .iter()
            .zip(&price.ratios)
            .filter(|(_, ratio)| **ratio != 0.0)
            .map(|(name, ratio)| self.value(row, name) / ratio);
        let (low, high) = scaled.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        high - low > RATIO_TOLERANCE * high.abs().max(low.abs())
    }
}

/// Values for the features that the table has no column for; see the crate's documentation.
fn assumptions(
    model: &CostModel,
    columns: &BTreeSet<String>,
) -> Result<BTreeMap<String, f64>, PredictError> {
    let foreign = model.provenance.scope == TABLE;
    let mut assumed = BTreeMap::new();
    let mut missing = Vec::new();
    for name in needed(&model.formula) {
        if columns.contains(name) {
            continue;
        }
        match model.domain.get(name) {
            Some(domain) if !foreign && domain.min == domain.max => {
                assumed.insert(name.to_owned(), domain.min);
            }
            Some(domain) if !foreign && domain.min <= 0.0 && domain.max >= 0.0 => {
                assumed.insert(name.to_owned(), 0.0);
            }
            other => missing.push((name, other.copied())),
        }
    }
    match missing.first() {
        None => Ok(assumed),
        Some((first, domain)) => Err(PredictError::MissingFeatures {
            count: missing.len(),
            first: (*first).to_owned(),
            seen: domain.map_or_else(String::new, |d| {
                format!(" ({} … {} in training)", d.min, d.max)
            }),
            near: near(first, columns),
        }),
    }
}

/// Features that the formula may ask for, whatever their values: those with a coefficient of zero are not needed, those of
/// either side of an `if` are.
pub(crate) fn needed(formula: &Formula) -> BTreeSet<&str> {
    match formula {
        Formula::Feature(name) => BTreeSet::from([name.as_str()]),
        Formula::Linear { terms, .. } => terms
            .iter()
            .filter(|(coefficient, _)| *coefficient != 0.0)
            .map(|(_, name)| name.as_str())
            .collect(),
        _ => formula.parts().into_iter().flat_map(needed).collect(),
    }
}

/// Coefficient of every feature, if the formula is a sum of linear parts.
fn linear_coefficients(formula: &Formula) -> Option<HashMap<&str, f64>> {
    fn add<'a>(formula: &'a Formula, sums: &mut HashMap<&'a str, f64>) -> bool {
        match formula {
            Formula::Constant(_) => true,
            Formula::Feature(name) => {
                *sums.entry(name).or_default() += 1.0;
                true
            }
            Formula::Linear { terms, .. } => {
                for (coefficient, name) in terms {
                    *sums.entry(name).or_default() += coefficient;
                }
                true
            }
            Formula::Sum(parts) => parts.iter().all(|part| add(part, sums)),
            _ => false,
        }
    }
    let mut sums = HashMap::new();
    add(formula, &mut sums).then_some(sums)
}

/// Numbers by name; a category `c` with value `v` becomes `c=v` = 1.
fn input_values(inputs: &BTreeMap<String, InputValue>) -> BTreeMap<String, f64> {
    inputs
        .iter()
        .map(|(name, value)| match value {
            InputValue::Number(number) => (name.clone(), *number),
            InputValue::Text(text) => (format!("{name}={text}"), 1.0),
        })
        .collect()
}

/// The ends of an interval, the lower one first.
fn ends(a: f64, b: f64) -> (f64, f64) {
    (a.min(b), a.max(b))
}

fn excess(value: f64, min: f64, max: f64) -> f64 {
    let distance = (value - max).max(min - value).max(0.0);
    let width = if max > min {
        max - min
    } else {
        max.abs().max(min.abs()).max(1.0)
    };
    distance / width
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}
