//! Explains a cost by a model's charges, where samples bear them out.
//!
//! Shares are those of the accounts; the total is the measured one, or what the accounts charge where some observation was
//! not measured. How much of a method's cost is its own code, and what it caused elsewhere, stands in the profile.

use std::collections::{BTreeMap, HashMap};

use pricetag_cost_model::{Charge, ChargeKind, Charges, CostModel, MethodKey};
use pricetag_dataset::{Dataset, Feature, FeatureKind};
use pricetag_finding::{CostItem, Explanation, FINDING_SCHEMA, Grouping, Place, ranked};

use crate::attribution::Columns;
use crate::control::Variation;
use crate::explain::{ExplainError, ExplainOptions, costs, measured};
use crate::group::{Key, keys, place};
use crate::profiled;

/// Explains the observations of a dataset by charges.
pub(crate) fn explain(
    model: &CostModel,
    charges: &Charges,
    dataset: &Dataset,
    options: ExplainOptions,
) -> Result<Explanation, ExplainError> {
    let columns = Columns::of(dataset);
    let rows = columns.observations.len();
    if rows == 0 {
        return Err(ExplainError::NoObservations(dataset.observations.len()));
    }
    let measured = measured(model, dataset, &columns.observations);
    let mut charged = vec![0.0; rows];
    let values = values(charges, &columns);
    for (price, feature) in charges.accounts.iter().flat_map(|account| &account.terms) {
        for (row, value) in &values[feature.as_str()] {
            charged[*row as usize] += price * value;
        }
    }
    let total: f64 = charged.iter().sum();
    if total <= 0.0 {
        return Err(ExplainError::NothingCharged);
    }
    let known: Option<f64> = measured.iter().copied().sum();
    let all = costs(&measured, &charged);
    let builder = Builder {
        dataset,
        variation: Variation::of(&all, dataset, &columns, options.risk),
        by: options.by,
        scale: known.unwrap_or(total) / total,
        total,
        values,
        columns,
    };
    let mut items = builder.items(charges);
    // The samples are of processor time: they say nothing of how bytes are spread.
    if options.by == Grouping::Method && matches!(model.target.as_str(), "cpu" | "wall") {
        let waiting = items
            .iter()
            .find(|item| item.name == ChargeKind::Waiting.title());
        let ran = 1.0 - waiting.map_or(0.0, |item| item.share);
        profiled::spread(dataset, ran, &mut items);
    }
    if options.by == Grouping::Method {
        profiled::tell_apart(&mut items);
    }
    items.sort_by(|a, b| b.cost.total_cmp(&a.cost).then_with(|| a.name.cmp(&b.name)));
    ranked(&mut items);
    Ok(Explanation {
        schema: FINDING_SCHEMA,
        target: model.target.clone(),
        unit: model.unit.clone(),
        by: options.by,
        observations: rows as u32,
        predicted: predicted(model, dataset).unwrap_or(total),
        measured: known,
        sample: of_a_sample(charges, builder.scale),
        items,
        listings: Vec::new(),
        notes: notes(model, charges, options.by),
    })
}

/// What one invocation of each method of the program costs in an observation, by a model's charges, in the model's unit: the method's cost there divided by how often it
/// was invoked; empty without charges. What the method caused elsewhere, such as compiling it, is not in it.
pub fn prices_of_invocations(
    model: &CostModel,
    dataset: &Dataset,
    row: usize,
) -> BTreeMap<MethodKey, f64> {
    let columns = Columns::of(dataset);
    let Some(charges) = &model.charges else {
        return BTreeMap::new();
    };
    let Some(row) = columns.observations.iter().position(|&at| at == row) else {
        return BTreeMap::new();
    };
    let values = values(charges, &columns);
    let in_row = |values: &[(u32, f64)]| -> f64 {
        let here = values.iter().filter(|(at, _)| *at as usize == row);
        here.map(|(_, value)| value).sum()
    };
    let mut prices: BTreeMap<MethodKey, f64> = BTreeMap::new();
    for account in &charges.accounts {
        for (price, feature) in &account.terms {
            if let Some(method) = &account.method {
                *prices.entry(method.clone()).or_default() +=
                    price * in_row(&values[feature.as_str()]);
            }
        }
    }
    let mut invocations: BTreeMap<MethodKey, f64> = BTreeMap::new();
    for feature in &dataset.features {
        if let Some(method) = invoked(feature) {
            invocations.insert(method, in_row(&columns.values(&feature.name)));
        }
    }
    prices.retain(|method, price| {
        let times = invocations.get(method).copied().unwrap_or(0.0);
        *price /= times;
        times > 0.0
    });
    prices
}

/// The method whose invocations a feature counts, if it does.
fn invoked(feature: &Feature) -> Option<MethodKey> {
    let is_one = feature.kind == FeatureKind::Method && feature.name.ends_with(" invocations");
    let class = feature.class.as_ref().filter(|_| is_one)?;
    Some(MethodKey {
        class: class.replace('.', "/"),
        name: feature.method.clone()?,
        descriptor: feature.descriptor.clone()?,
    })
}

/// Values of every feature that is charged, by name.
fn values<'a>(charges: &'a Charges, columns: &Columns) -> HashMap<&'a str, Vec<(u32, f64)>> {
    let terms = charges.accounts.iter().flat_map(|account| &account.terms);
    let mut found: HashMap<&str, Vec<(u32, f64)>> = HashMap::new();
    for (_, feature) in terms {
        found
            .entry(feature)
            .or_insert_with(|| columns.values(feature));
    }
    found
}

/// What the model's formula predicts for all observations.
fn predicted(model: &CostModel, dataset: &Dataset) -> Option<f64> {
    let found = crate::attribution::attribute(model, dataset, true).ok()?;
    let sum: f64 = found.predicted.iter().sum();
    sum.is_finite().then_some(sum)
}

fn of_a_sample(charges: &Charges, scale: f64) -> Option<f64> {
    let methods = charges.accounts.iter();
    let methods = methods.filter(|account| account.kind == ChargeKind::Method);
    let all: f64 = methods.map(|account| account.cost).sum();
    (charges.samples > 0).then(|| scale * all / f64::from(charges.samples))
}

fn notes(model: &CostModel, charges: &Charges, by: Grouping) -> Vec<String> {
    let mut notes = vec![format!(
        "shares come from {} samples in methods of the program, taken in {} runs without counters",
        charges.samples, charges.runs
    )];
    let waits = |account: &Charge| account.kind == ChargeKind::Waiting;
    if model.target == "wall" {
        let how = if charges.accounts.iter().any(waits) {
            "waiting is what the clocks of wall time and processor time differ by; samples divide the rest"
        } else {
            "samples measure processor time: wall time is divided as processor time is, waiting included"
        };
        notes.push(how.to_owned());
    }
    if by != Grouping::Method {
        notes.push(
            "inside a method, samples stand at the next place that the JIT's tables are certain of (calls, ends of loops): lines and blocks beside each other may have each other's time, and intervals do not say so".to_owned(),
        );
    }
    if by == Grouping::Line {
        notes.push(
            "the cost of a block that spans several lines is divided among them by their instructions".to_owned(),
        );
    }
    notes
}

struct Builder<'a> {
    dataset: &'a Dataset,
    columns: Columns<'a>,
    variation: Variation<'a>,
    values: HashMap<&'a str, Vec<(u32, f64)>>,
    by: Grouping,
    /// From charged to shown costs.
    scale: f64,
    /// What all accounts charge.
    total: f64,
}

/// One line while it is summed up.
#[derive(Default)]
struct Line {
    rows: BTreeMap<u32, f64>,
    /// Cost times the factors of its accounts.
    low: f64,
    high: f64,
    samples: Option<u32>,
    features: Vec<String>,
    kind: ChargeKind,
}

impl Builder<'_> {
    fn items(&self, charges: &Charges) -> Vec<CostItem> {
        let mut lines: BTreeMap<Key, Line> = BTreeMap::new();
        for account in &charges.accounts {
            for (price, feature) in &account.terms {
                let keys = self.keys(account, feature);
                for (key, part) in keys {
                    let portion = price * self.scale * part;
                    let line = lines.entry(key).or_default();
                    line.kind = account.kind;
                    line.features.push(feature.clone());
                    for &(row, value) in &self.values[feature.as_str()] {
                        *line.rows.entry(row).or_default() += portion * value;
                        line.low += portion * value * account.factors.0;
                        line.high += portion * value * account.factors.1;
                    }
                    // The samples of a method bear on all its blocks together.
                    line.samples = line.samples.max(account.samples);
                }
            }
        }
        lines
            .into_iter()
            .map(|(key, line)| self.item(key, &line))
            .collect()
    }

    fn feature(&self, name: &str) -> Option<&Feature> {
        let id = self.columns.ids.get(name)?;
        self.dataset.features.get(id.0 as usize)
    }

    fn keys(&self, account: &Charge, feature: &str) -> Vec<(Key, f64)> {
        let Some(method) = &account.method else {
            let name = account.kind.title().to_owned();
            return vec![(Key { name, place: None }, 1.0)];
        };
        let found = self.feature(feature);
        if self.by != Grouping::Method && found.and_then(place).is_some() {
            return keys(feature, found, self.by);
        }
        let source_file = found.and_then(|feature| feature.source_file.clone());
        vec![(method_key(method, source_file), 1.0)]
    }

    fn item(&self, key: Key, line: &Line) -> CostItem {
        let mut rows = vec![0.0; self.columns.observations.len()];
        for (&row, &cost) in &line.rows {
            rows[row as usize] = cost;
        }
        let cost: f64 = rows.iter().sum();
        let whole = self.total * self.scale;
        let share = cost / whole;
        let mut item = CostItem {
            name: key.name,
            kind: kind(line.kind).to_owned(),
            cost,
            share,
            // Waiting is read from clocks: the luck of sampling has no part in it.
            share_bounds: (line.kind != ChargeKind::Waiting).then_some((
                (line.low / whole).min(share),
                (line.high / whole).min(1.0).max(share),
            )),
            samples: line.samples,
            control: self.variation.control(&rows, key.place.is_some()),
            place: key.place,
            ..CostItem::default()
        };
        if line.kind == ChargeKind::Method {
            self.count(&mut item, line);
        }
        item
    }

    /// Executions and support: invocations of a method, else the most executed block; a block's price and text.
    fn count(&self, item: &mut CostItem, line: &Line) {
        let entry = |feature: &&Feature| self.by == Grouping::Method && feature.block == Some(0);
        let features: Vec<&Feature> = line
            .features
            .iter()
            .filter_map(|n| self.feature(n))
            .collect();
        let counted: Vec<&Feature> = match features.iter().copied().find(|f| entry(f)) {
            Some(entry) => vec![entry],
            None => features.clone(),
        };
        for feature in counted {
            if let Some(values) = self.values.get(feature.name.as_str()) {
                let total: f64 = values.iter().map(|(_, value)| value).sum();
                item.count = item.count.max(total);
                item.support = item.support.max(values.len() as u32);
            }
        }
        if let ([feature], true) = (&features[..], self.by == Grouping::Block) {
            item.price = (item.count > 0.0).then(|| item.cost / item.count);
            let factors = item
                .share_bounds
                .map(|(low, high)| (low / item.share, high / item.share));
            item.price_bounds = item.price.zip(factors).map(|(p, (l, h))| (p * l, p * h));
            item.text.clone_from(&feature.text);
        }
    }
}

fn method_key(method: &MethodKey, source_file: Option<String>) -> Key {
    let place = Place {
        class: method.class.clone(),
        method: Some(method.name.clone()),
        descriptor: Some(method.descriptor.clone()),
        source_file,
        ..Place::default()
    };
    Key {
        name: place.method_name(),
        place: Some(place),
    }
}

fn kind(kind: ChargeKind) -> &'static str {
    match kind {
        ChargeKind::Method => "method",
        _ => "activity",
    }
}
