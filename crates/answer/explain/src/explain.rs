//! Sums attributed costs by method, block, line or bucket.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pricetag_cost_model::{CostModel, FormulaError, Price};
use pricetag_dataset::{Dataset, Feature, FeatureKind};
use pricetag_finding::{CostItem, Explanation, FINDING_SCHEMA, Grouping};

use crate::attribution::{Attribution, Columns, attribute, divided_by_model, split_weights};
use crate::charged;
use crate::control::Variation;
use crate::free;
use crate::group::{Key, keys, kind_name};

/// What to explain and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplainOptions {
    /// What to group costs by.
    pub by: Grouping,
    /// Share of the cost's variation from which code is flagged as controlled by the input.
    pub risk: f64,
}

impl Default for ExplainOptions {
    fn default() -> Self {
        Self {
            by: Grouping::Method,
            risk: 0.1,
        }
    }
}

/// Why there is no explanation.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// No observation succeeded.
    #[error("none of the {0} observations succeeded, so there is no cost to explain")]
    NoObservations(usize),
    /// Nothing that the charges know was counted.
    #[error("nothing that the model charges was counted in these observations")]
    NothingCharged,
    /// The formula could not be evaluated.
    #[error("explaining the model: {0}")]
    Formula(#[from] FormulaError),
    /// A listing was asked of an explanation that has no blocks.
    #[error("listings need an explanation by block, this one is by {0}")]
    NotByBlock(&'static str),
}

/// What a model calls the guess that all inputs cost the same.
pub(crate) const A_CONSTANT: &str = "a constant";

/// Explains where a model's predictions for the successful observations of a dataset come from.
pub fn explain(
    model: &CostModel,
    dataset: &Dataset,
    mut options: ExplainOptions,
) -> Result<Explanation, ExplainError> {
    if sizes_tell_nothing(model) {
        options.risk = f64::INFINITY;
    }
    if let (Some(charges), true) = (&model.charges, options.by != Grouping::Bucket) {
        return charged::explain(model, charges, dataset, options);
    }
    let attribution = attribute(model, dataset, options.by == Grouping::Bucket)?;
    if attribution.observations.is_empty() {
        return Err(ExplainError::NoObservations(dataset.observations.len()));
    }
    let columns = Columns::of(dataset);
    let measured = measured(model, dataset, &attribution.observations);
    let all = costs(&measured, &attribution.predicted);
    let builder = Builder {
        dataset,
        variation: Variation::of(&all, dataset, &columns, options.risk),
        prices: prices(
            model,
            dataset,
            &columns,
            &attribution.coefficients,
            options.by,
        ),
        invocations: invocations(dataset),
        predicted: attribution.predicted.iter().sum(),
        attribution: &attribution,
        columns,
        by: options.by,
    };
    let doubt = model
        .prices_are_not_shares()
        .filter(|_| options.by == Grouping::Bucket);
    let free = (options.by != Grouping::Bucket)
        .then(|| free::note(dataset, &builder.columns, &attribution))
        .flatten();
    let mut items: Vec<CostItem> = builder
        .groups()
        .into_iter()
        .map(|(key, features)| builder.item(key, &features))
        .collect();
    items.sort_by(|a, b| b.cost.total_cmp(&a.cost).then_with(|| a.name.cmp(&b.name)));
    Ok(Explanation {
        schema: FINDING_SCHEMA,
        target: model.target.clone(),
        unit: model.unit.clone(),
        by: options.by,
        observations: attribution.observations.len() as u32,
        predicted: builder.predicted,
        measured: measured.iter().copied().sum(),
        sample: None,
        items,
        listings: Vec::new(),
        notes: [
            Vec::from_iter(unsampled(model, dataset)),
            notes(&attribution, options.by),
            doubt.map(str::to_owned).into_iter().collect(),
            Vec::from_iter(free),
        ]
        .concat(),
    })
}

/// Whether formulas of what is known before a run are no closer than one cost for all: then nobody can choose a cost by it.
fn sizes_tell_nothing(model: &CostModel) -> bool {
    let constant = model.alternatives.iter().find(|a| a.name == A_CONSTANT);
    let both = model.baseline.as_ref().zip(constant);
    both.is_some_and(|(sizes, constant)| sizes.median_error >= constant.median_error)
}

/// What an account of a program's code cannot know without samples.
pub(crate) const UNSAMPLED: &str = "no stacks were sampled: shares are estimated from counts and times alone, and may be far off for single methods";

/// The same where there are samples, but of other costs.
pub(crate) const NOT_OF_THIS: &str = "samples say nothing of this cost: shares are estimated from counts and measurements alone, and may be far off for single methods";

fn unsampled(model: &CostModel, dataset: &Dataset) -> Option<String> {
    let mut features = dataset.features.iter();
    let of_code = features.any(|feature| feature.kind == FeatureKind::Block);
    let why = if dataset.profile.is_some() {
        NOT_OF_THIS
    } else {
        UNSAMPLED
    };
    (of_code && model.charges.is_none()).then(|| why.to_owned())
}

/// A price as one line of the explanation shows it.
#[derive(Clone, Copy)]
struct UnitPrice<'a> {
    price: &'a Price,
    /// Unit price of the line over the price of the bucket.
    scale: f64,
}

/// A feature's share of a line of the explanation.
type Portion<'a> = (&'a str, f64);

struct Builder<'a> {
    dataset: &'a Dataset,
    columns: Columns<'a>,
    attribution: &'a Attribution,
    variation: Variation<'a>,
    prices: HashMap<&'a str, UnitPrice<'a>>,
    /// Feature that counts the invocations of a method, by method.
    invocations: BTreeMap<(&'a str, &'a str, &'a str), &'a str>,
    predicted: f64,
    by: Grouping,
}

impl<'a> Builder<'a> {
    fn feature(&self, name: &str) -> Option<&'a Feature> {
        let id = self.columns.ids.get(name)?;
        self.dataset.features.get(id.0 as usize)
    }

    /// Features by line of the explanation, with the portion that is there.
    fn groups(&self) -> BTreeMap<Key, Vec<Portion<'a>>> {
        let mut groups: BTreeMap<Key, Vec<Portion<'a>>> = BTreeMap::new();
        for name in self.attribution.costs.keys() {
            let keys = keys(name, self.feature(name), self.by);
            for (key, portion) in keys {
                groups.entry(key).or_default().push((name, portion));
            }
        }
        groups
    }

    fn item(&self, key: Key, features: &[Portion]) -> CostItem {
        let mut rows = vec![0.0; self.attribution.observations.len()];
        let mut evidence = (0.0, 0.0);
        for (name, portion) in features {
            let mut sum = 0.0;
            for &(row, cost) in &self.attribution.costs[*name] {
                rows[row as usize] += cost * portion;
                sum += cost * portion;
            }
            if let Some(weight) = self.prices.get(name).and_then(|unit| unit.price.evidence) {
                evidence = (evidence.0 + weight * sum.abs(), evidence.1 + sum.abs());
            }
        }
        let cost: f64 = rows.iter().sum();
        let in_code = key.place.is_some();
        let mut item = CostItem {
            count: 0.0,
            cost,
            share: if self.predicted == 0.0 {
                0.0
            } else {
                cost / self.predicted
            },
            evidence: (evidence.1 > 0.0).then(|| evidence.0 / evidence.1),
            kind: self.kind(features),
            control: self.variation.control(&rows, in_code),
            name: key.name,
            place: key.place,
            ..CostItem::default()
        };
        self.count(&mut item, features);
        if let [(name, _)] = features
            && self.by != Grouping::Line
        {
            self.describe(&mut item, name);
        } else if features
            .iter()
            .any(|(name, _)| self.attribution.split.contains_key(*name))
        {
            item.notes
                .push("contains shares of merged buckets".to_owned());
        }
        item
    }

    /// Fills in executions and support: invocations of a method, else its most executed member.
    fn count(&self, item: &mut CostItem, features: &[Portion]) {
        let invocations = item
            .place
            .as_ref()
            .filter(|_| self.by == Grouping::Method)
            .and_then(|place| {
                let method = (
                    place.class.as_str(),
                    place.method.as_deref()?,
                    place.descriptor.as_deref()?,
                );
                self.invocations.get(&method).copied()
            });
        let names: Vec<&str> = match invocations {
            Some(name) => vec![name],
            None => features.iter().map(|(name, _)| *name).collect(),
        };
        for name in names {
            let values = self.columns.values(self.representative(name));
            let total: f64 = values.iter().map(|(_, value)| value).sum();
            item.count = item.count.max(total);
            item.support = item.support.max(values.len() as u32);
        }
    }

    /// The feature whose values stand for a bucket's: that with a ratio of one, else the first.
    fn representative<'n>(&'n self, name: &'n str) -> &'n str {
        match self.prices.get(name) {
            Some(unit) if self.by == Grouping::Bucket => {
                let one = unit
                    .price
                    .ratios
                    .iter()
                    .position(|ratio| *ratio == 1.0)
                    .unwrap_or(0);
                unit.price.members.get(one).map_or(name, String::as_str)
            }
            _ => name,
        }
    }

    /// Adds what is known of a line that is one feature or bucket.
    fn describe(&self, item: &mut CostItem, name: &str) {
        if let Some(unit) = self.prices.get(name) {
            let scaled = |value: f64| value * unit.scale;
            item.price = unit.price.price.map(scaled);
            item.price_bounds = unit
                .price
                .bounds
                .map(|(low, high)| (scaled(low), scaled(high)));
            item.prior = unit.price.prior.map(scaled);
            item.notes.extend(unit.price.note.clone());
            if self.by == Grouping::Bucket {
                item.support = unit
                    .price
                    .support
                    .min(self.attribution.observations.len() as u32)
                    .max(item.support);
            }
        }
        if let Some(bucket) = self.attribution.split.get(name) {
            item.split_from = Some(bucket.clone());
            item.notes.push(format!(
                "share of the merged bucket `{bucket}`: the observations do not say how its cost divides"
            ));
        }
        if let Some(feature) = self.feature(name) {
            item.text.clone_from(&feature.text);
            if feature.nondeterministic > 0 {
                let times = feature.nondeterministic;
                item.notes.push(format!(
                    "count differs between two runs of one input in {times} observations"
                ));
            }
        }
    }

    fn kind(&self, features: &[Portion]) -> String {
        let kinds: BTreeSet<&str> = features
            .iter()
            .map(|(name, _)| {
                self.feature(name)
                    .map_or("constant", |feature| kind_name(feature.kind))
            })
            .collect();
        match kinds.first() {
            Some(kind) if kinds.len() == 1 => {
                let bucket = self.by == Grouping::Bucket
                    && features.iter().any(|(name, _)| {
                        self.prices
                            .get(name)
                            .is_some_and(|p| p.price.members.len() > 1)
                    });
                if bucket {
                    "bucket".to_owned()
                } else {
                    (*kind).to_owned()
                }
            }
            _ => "mixed".to_owned(),
        }
    }
}

/// Price of every bucket, or of every feature that takes part in one.
fn prices<'a>(
    model: &'a CostModel,
    dataset: &Dataset,
    columns: &Columns,
    coefficients: &BTreeMap<String, f64>,
    by: Grouping,
) -> HashMap<&'a str, UnitPrice<'a>> {
    let mut found = HashMap::new();
    for price in &model.prices {
        if by == Grouping::Bucket {
            found.insert(price.bucket.as_str(), UnitPrice { price, scale: 1.0 });
            continue;
        }
        if price.members.len() > 1 && divided_by_model(price, dataset, columns, coefficients) {
            for member in &price.members {
                let own = coefficients.get(member).copied().unwrap_or(0.0);
                if let Some(whole) = price.price.filter(|whole| *whole > 0.0) {
                    found.insert(
                        member.as_str(),
                        UnitPrice {
                            price,
                            scale: own / whole,
                        },
                    );
                }
            }
            continue;
        }
        for (member, weight) in split_weights(&price.members, &price.ratios, dataset, columns) {
            let position = price.members.iter().position(|name| name == member);
            let ratio = position
                .and_then(|index| price.ratios.get(index))
                .copied()
                .unwrap_or(1.0);
            if ratio != 0.0 {
                found.insert(
                    member,
                    UnitPrice {
                        price,
                        scale: weight / ratio.abs(),
                    },
                );
            }
        }
    }
    found
}

fn invocations(dataset: &Dataset) -> BTreeMap<(&str, &str, &str), &str> {
    let mut found = BTreeMap::new();
    for wanted in [FeatureKind::Block, FeatureKind::Method] {
        for feature in dataset
            .features
            .iter()
            .filter(|feature| feature.kind == wanted)
        {
            let entry = wanted == FeatureKind::Method || feature.block == Some(0);
            if let (true, Some(class), Some(method), Some(descriptor)) =
                (entry, &feature.class, &feature.method, &feature.descriptor)
            {
                found.insert(
                    (class.as_str(), method.as_str(), descriptor.as_str()),
                    feature.name.as_str(),
                );
            }
        }
    }
    found
}

/// Measured cost of each of these observations, where there is one.
pub(crate) fn measured(model: &CostModel, dataset: &Dataset, rows: &[usize]) -> Vec<Option<f64>> {
    let cost = |&row: &usize| dataset.observations[row].costs.get(&model.target);
    let value = |row| cost(row).and_then(|cost| crate::inspect::median(&cost.repeats));
    rows.iter().map(value).collect()
}

/// The cost of each observation: measured where it is, else as the parts add up to.
pub(crate) fn costs(measured: &[Option<f64>], parts: &[f64]) -> Vec<f64> {
    let both = measured.iter().zip(parts);
    both.map(|(measured, parts)| measured.unwrap_or(*parts))
        .collect()
}

fn notes(attribution: &Attribution, by: Grouping) -> Vec<String> {
    let mut notes = Vec::new();
    if !attribution.split.is_empty() {
        let buckets: BTreeSet<&String> = attribution.split.values().collect();
        notes.push(format!(
            "{} lines share {} merged buckets; how a bucket's cost divides among its members is an assumption, \
             because these observations cannot tell the members apart",
            attribution.split.len(),
            buckets.len()
        ));
    }
    if attribution.interactions {
        notes.push(
            "terms of the formula with several features are divided equally among them".to_owned(),
        );
    }
    if attribution.composed {
        notes.push(
            "costs of opcodes and calls are handed to the blocks that executed them".to_owned(),
        );
    }
    if by == Grouping::Line {
        notes.push(
            "the cost of a block that spans several lines is divided among them by their instructions".to_owned(),
        );
    }
    notes
}
