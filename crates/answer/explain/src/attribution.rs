//! Hands the value of every term of a formula, in every observation, to the features it names.
//!
//! Deviations and limits, all of them noted in the explanation: a term with several features (an interaction) is divided
//! equally among them; a merged bucket is divided as the formula has it, or, where that has one term for the whole bucket,
//! by the members' ratios, among blocks alone if there are any, since loops, branches and invocations happen in blocks; the cost of a feature without a place in code, such as an
//! opcode, is handed on to the blocks that contain it, in proportion to how often they executed it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pricetag_cost_model::{CostModel, Formula, FormulaError, Price};
use pricetag_dataset::{Dataset, FeatureId, FeatureKind, InputValue, Status};

/// Name of the part of the cost that no feature carries.
pub const INTERCEPT: &str = "(constant of the formula)";

/// Cost of each feature in each observation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribution {
    /// Indices of the observations, those that succeeded.
    pub observations: Vec<usize>,
    /// Predicted cost of each observation, parallel to `observations`.
    pub predicted: Vec<f64>,
    /// `(position in observations, cost)` of each feature, in any order, positions may repeat.
    pub costs: BTreeMap<String, Vec<(u32, f64)>>,
    /// Bucket that a feature's cost was divided from, and how many members shared it.
    pub split: BTreeMap<String, String>,
    /// Coefficient of each feature in the linear terms of the formula.
    pub coefficients: BTreeMap<String, f64>,
    /// Whether some term had several features.
    pub interactions: bool,
    /// Whether some cost was handed from parts to blocks.
    pub composed: bool,
}

/// Values of a dataset by feature name.
pub(crate) struct Columns<'a> {
    dataset: &'a Dataset,
    pub(crate) ids: HashMap<&'a str, FeatureId>,
    /// Position among successful observations, by observation.
    positions: Vec<Option<u32>>,
    pub(crate) observations: Vec<usize>,
}

impl<'a> Columns<'a> {
    pub(crate) fn of(dataset: &'a Dataset) -> Self {
        let observations: Vec<usize> = (0..dataset.observations.len())
            .filter(|&row| dataset.observations[row].status == Status::Ok)
            .collect();
        let mut positions = vec![None; dataset.observations.len()];
        for (position, &row) in observations.iter().enumerate() {
            positions[row] = Some(position as u32);
        }
        let ids = dataset
            .features
            .iter()
            .enumerate()
            .map(|(index, feature)| (feature.name.as_str(), FeatureId(index as u32)))
            .collect();
        Self {
            dataset,
            ids,
            positions,
            observations,
        }
    }

    /// Non-zero values by position. Names that are neither a column nor an input have none.
    pub(crate) fn values(&self, name: &str) -> Vec<(u32, f64)> {
        if let Some(id) = self.ids.get(name) {
            return self.column(*id);
        }
        let inputs = |&row: &usize| match self.dataset.observations[row].inputs.get(name) {
            Some(InputValue::Number(value)) => *value,
            Some(InputValue::Text(_)) => 0.0,
            None => self.category(row, name),
        };
        (0u32..)
            .zip(self.observations.iter().map(inputs))
            .filter(|(_, value)| *value != 0.0)
            .collect()
    }

    pub(crate) fn column(&self, id: FeatureId) -> Vec<(u32, f64)> {
        self.dataset
            .columns
            .get(id.0 as usize)
            .map_or_else(Vec::new, |column| {
                column
                    .iter()
                    .filter_map(|(row, value)| {
                        Some((
                            self.positions.get(row.0 as usize).copied().flatten()?,
                            *value,
                        ))
                    })
                    .collect()
            })
    }

    /// 1 where a name `column=text` is true of an observation's inputs.
    fn category(&self, row: usize, name: &str) -> f64 {
        let inputs = &self.dataset.observations[row].inputs;
        let holds = name.split_once('=').is_some_and(|(column, text)| {
            inputs.get(column) == Some(&InputValue::Text(text.to_owned()))
        });
        f64::from(u8::from(holds))
    }
}

/// Attributes a model's predictions over the successful observations of a dataset. With `merge`, costs of merged buckets
/// stay together under the bucket's name, and costs of parts stay with the parts.
pub fn attribute(
    model: &CostModel,
    dataset: &Dataset,
    merge: bool,
) -> Result<Attribution, FormulaError> {
    let columns = Columns::of(dataset);
    let mut result = Attribution {
        predicted: vec![0.0; columns.observations.len()],
        observations: columns.observations.clone(),
        ..Attribution::default()
    };
    let mut terms = Vec::new();
    flatten(&model.formula, &mut terms);
    for term in terms {
        add_term(&term, &columns, &mut result)?;
    }
    for entries in result.costs.values() {
        for &(position, cost) in entries {
            result.predicted[position as usize] += cost;
        }
    }
    if merge {
        merge_buckets(model, &mut result);
    } else {
        split_buckets(model, dataset, &columns, &mut result);
        hand_to_blocks(dataset, &columns, &mut result);
    }
    Ok(result)
}

/// One term of a sum.
enum Term<'a> {
    Constant(f64),
    Linear(f64, &'a str),
    Other(&'a Formula),
}

fn flatten<'a>(formula: &'a Formula, terms: &mut Vec<Term<'a>>) {
    match formula {
        Formula::Constant(value) => terms.push(Term::Constant(*value)),
        Formula::Feature(name) => terms.push(Term::Linear(1.0, name)),
        Formula::Linear {
            intercept,
            terms: linear,
        } => {
            terms.push(Term::Constant(*intercept));
            terms.extend(
                linear
                    .iter()
                    .map(|(coefficient, name)| Term::Linear(*coefficient, name)),
            );
        }
        Formula::Sum(parts) => parts.iter().for_each(|part| flatten(part, terms)),
        other => terms.push(Term::Other(other)),
    }
}

fn add_term(term: &Term, columns: &Columns, result: &mut Attribution) -> Result<(), FormulaError> {
    let rows = columns.observations.len() as u32;
    match term {
        Term::Constant(0.0) | Term::Linear(0.0, _) => {}
        Term::Constant(value) => {
            result
                .costs
                .entry(INTERCEPT.to_owned())
                .or_default()
                .extend((0..rows).map(|row| (row, *value)));
        }
        Term::Linear(coefficient, name) => {
            *result.coefficients.entry((*name).to_owned()).or_default() += coefficient;
            let costs = columns
                .values(name)
                .into_iter()
                .map(|(row, value)| (row, coefficient * value));
            result
                .costs
                .entry((*name).to_owned())
                .or_default()
                .extend(costs);
        }
        Term::Other(formula) => {
            let names: BTreeSet<&str> = formula.features().into_iter().collect();
            result.interactions |= names.len() > 1;
            let values: BTreeMap<&str, HashMap<u32, f64>> = names
                .iter()
                .map(|name| (*name, columns.values(name).into_iter().collect()))
                .collect();
            for row in 0..rows {
                let lookup = |name: &str| {
                    values
                        .get(name)
                        .map(|column| column.get(&row).copied().unwrap_or(0.0))
                };
                let cost = formula.evaluate(&lookup)?;
                if cost == 0.0 || !cost.is_finite() {
                    continue;
                }
                if names.is_empty() {
                    result
                        .costs
                        .entry(INTERCEPT.to_owned())
                        .or_default()
                        .push((row, cost));
                }
                for name in &names {
                    let entry = (row, cost / names.len() as f64);
                    result
                        .costs
                        .entry((*name).to_owned())
                        .or_default()
                        .push(entry);
                }
            }
        }
    }
    Ok(())
}

fn merge_buckets(model: &CostModel, result: &mut Attribution) {
    for price in &model.prices {
        for member in &price.members {
            if *member != price.bucket
                && let Some(entries) = result.costs.remove(member)
            {
                result
                    .costs
                    .entry(price.bucket.clone())
                    .or_default()
                    .extend(entries);
            }
        }
    }
}

/// Divides each merged bucket's cost among its members by their ratios.
fn split_buckets(
    model: &CostModel,
    dataset: &Dataset,
    columns: &Columns,
    result: &mut Attribution,
) {
    for price in model.prices.iter().filter(|price| price.members.len() > 1) {
        if divided_by_model(price, dataset, columns, &result.coefficients) {
            for member in price
                .members
                .iter()
                .filter(|name| result.costs.contains_key(*name))
            {
                result.split.insert(member.clone(), price.bucket.clone());
            }
            continue;
        }
        let mut entries = Vec::new();
        for member in &price.members {
            entries.extend(result.costs.remove(member).unwrap_or_default());
        }
        if entries.is_empty() {
            continue;
        }
        let weights = split_weights(&price.members, &price.ratios, dataset, columns);
        for (member, weight) in &weights {
            let share = entries.iter().map(|&(row, cost)| (row, cost * weight));
            result
                .costs
                .entry((*member).to_owned())
                .or_default()
                .extend(share);
            if weights.len() > 1 {
                result
                    .split
                    .insert((*member).to_owned(), price.bucket.clone());
            }
        }
    }
}

/// Whether the formula itself says what each member of a merged bucket costs: it has terms for several of them, or its
/// only term is the base price or a cold count, which must not be handed to the blocks that happen to run with it.
pub(crate) fn divided_by_model(
    price: &Price,
    dataset: &Dataset,
    columns: &Columns,
    coefficients: &BTreeMap<String, f64>,
) -> bool {
    let priced: Vec<&String> = price
        .members
        .iter()
        .filter(|name| coefficients.get(*name).is_some_and(|c| *c != 0.0))
        .collect();
    match priced[..] {
        [only] => columns.ids.get(only.as_str()).is_some_and(|id| {
            matches!(
                dataset.features[id.0 as usize].kind,
                FeatureKind::Base | FeatureKind::Cold
            )
        }),
        _ => priced.len() > 1,
    }
}

/// Weight of each member that takes part of a bucket's cost; they add up to one.
pub(crate) fn split_weights<'m>(
    members: &'m [String],
    ratios: &[f64],
    dataset: &Dataset,
    columns: &Columns,
) -> Vec<(&'m str, f64)> {
    let is_block = |name: &str| {
        columns
            .ids
            .get(name)
            .is_some_and(|id| dataset.features[id.0 as usize].kind == FeatureKind::Block)
    };
    let blocks = members.iter().any(|name| is_block(name));
    let mut weights: Vec<(&str, f64)> = members
        .iter()
        .zip(ratios.iter().copied().chain(std::iter::repeat(1.0)))
        .filter(|(name, _)| !blocks || is_block(name))
        .map(|(name, ratio)| (name.as_str(), ratio.abs()))
        .collect();
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let equal = 1.0 / weights.len() as f64;
    for (_, weight) in &mut weights {
        *weight = if total > 0.0 { *weight / total } else { equal };
    }
    weights
}

/// Hands costs of features without a place in code to the blocks that contain them.
fn hand_to_blocks(dataset: &Dataset, columns: &Columns, result: &mut Attribution) {
    let mut wholes: BTreeMap<FeatureId, Vec<(FeatureId, f64)>> = BTreeMap::new();
    for part in &dataset.parts {
        let feature = |id: FeatureId| dataset.features.get(id.0 as usize);
        let (Some(whole), Some(piece)) = (feature(part.whole), feature(part.part)) else {
            continue;
        };
        if whole.kind == FeatureKind::Block
            && piece.class.is_none()
            && result.costs.contains_key(&piece.name)
        {
            wholes
                .entry(part.part)
                .or_default()
                .push((part.whole, part.amount));
        }
    }
    for (part, wholes) in wholes {
        let name = &dataset.features[part.0 as usize].name;
        let mut executed: HashMap<u32, f64> = HashMap::new();
        let counts: Vec<(FeatureId, Vec<(u32, f64)>)> = wholes
            .iter()
            .map(|(whole, amount)| {
                let mut column = columns.column(*whole);
                for (row, value) in &mut column {
                    *value *= amount;
                    *executed.entry(*row).or_default() += *value;
                }
                (*whole, column)
            })
            .collect();
        let mut cost: HashMap<u32, f64> = HashMap::new();
        for (row, value) in result.costs.remove(name).unwrap_or_default() {
            *cost.entry(row).or_default() += value;
        }
        for (whole, column) in counts {
            let entries = result
                .costs
                .entry(dataset.features[whole.0 as usize].name.clone())
                .or_default();
            for (row, value) in column {
                let total = executed[&row];
                if let Some(cost) = cost.get(&row).filter(|_| total > 0.0) {
                    entries.push((row, cost * value / total));
                    result.composed = true;
                }
            }
        }
        let mut rest: Vec<(u32, f64)> = cost
            .into_iter()
            .filter(|(row, _)| executed.get(row).is_none_or(|total| *total <= 0.0))
            .collect();
        rest.sort_by_key(|(row, _)| *row);
        if !rest.is_empty() {
            result.costs.insert(name.clone(), rest);
        }
    }
}
