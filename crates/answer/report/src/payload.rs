//! The data of the page, compact: rows are arrays, names are numbers of a string table, figures have six digits.
//!
//! Disassembly is by far the largest part; it is included for the most expensive blocks up to [`TEXT_BUDGET`] bytes.
//! Residuals can be drawn against the inputs and the [`COLUMNS`] features with the largest share of the cost.

use std::collections::{BTreeMap, HashMap};

use pricetag_cost_model::{CostModel, Evaluation, Price};
use pricetag_dataset::{Dataset, InputValue, ObservationId};
use pricetag_finding::{CostItem, Inspection, Listing, Spread};
use serde_json::{Value, json};

use crate::ReportInput;
use crate::strings::{Strings, maybe, number};

/// Bytes of disassembly in one page.
pub const TEXT_BUDGET: usize = 3_000_000;
/// Features that residuals can be drawn against, beside the inputs.
pub const COLUMNS: usize = 30;
/// Entries of a list of failures or doubts; more are counted.
const LIST_LIMIT: usize = 500;

/// Builds the data of a page.
pub fn payload(input: &ReportInput) -> Value {
    let mut strings = Strings::default();
    let points = points(input.model);
    let columns = columns(input.model, input.dataset);
    let prices: Vec<Value> = input
        .model
        .prices
        .iter()
        .map(|row| price(row, &mut strings))
        .collect();
    let (methods, blocks) = methods(input, &mut strings);
    json!({
        "target": input.model.target,
        "unit": input.model.unit,
        "method": input.model.method,
        "formula": input.model.text,
        "whole": number(input.explanation.whole()),
        "measured": input.explanation.measured.is_some(),
        "observations": input.explanation.observations,
        "points": points,
        "columns": columns,
        "interval": input.model.interval.as_ref().map(|interval| json!({
            "level": number(interval.level),
            "lower": number(interval.lower),
            "upper": number(interval.upper),
            "coverage": maybe(interval.coverage),
            "method": interval.method,
        })),
        "evaluations": evaluations(input.model),
        "prices": prices,
        "pricesAreNotShares": input.model.prices_are_not_shares(),
        "methods": methods,
        "blocks": blocks,
        "listings": input.explanation.listings.iter().map(|row| listing(row, &mut strings)).collect::<Vec<_>>(),
        "notes": input.explanation.notes,
        "doubts": doubts(input.inspection, input.model),
        "summaryTable": input.model.summary.as_ref()
            .filter(|summary| summary.coefficients.len() <= 200)
            .map(pricetag_cost_model::LinearSummary::text),
        "provenance": provenance(input),
        "strings": strings.into_json(),
    })
}

/// `[label, measured, predicted, lower, upper]` of every held-out row.
fn points(model: &CostModel) -> Vec<Value> {
    let rows = model
        .evaluation
        .as_ref()
        .map_or(&[][..], |evaluation| &evaluation.rows);
    rows.iter()
        .map(|row| {
            let (low, high) = row
                .interval
                .map_or((Value::Null, Value::Null), |(a, b)| (number(a), number(b)));
            json!([
                row.label,
                number(row.measured),
                number(row.predicted),
                low,
                high
            ])
        })
        .collect()
}

/// `{name, values}` of what residuals can be drawn against, values parallel to the points.
fn columns(model: &CostModel, dataset: &Dataset) -> Vec<Value> {
    let Some(evaluation) = &model.evaluation else {
        return Vec::new();
    };
    let by_label: HashMap<&str, usize> = dataset
        .observations
        .iter()
        .enumerate()
        .map(|(row, observation)| (observation.label.as_str(), row))
        .collect();
    let rows: Vec<Option<usize>> = evaluation
        .rows
        .iter()
        .map(|row| by_label.get(row.label.as_str()).copied())
        .collect();
    let mut inputs: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (position, row) in rows.iter().enumerate() {
        for (name, value) in row
            .iter()
            .flat_map(|&row| &dataset.observations[row].inputs)
        {
            if let InputValue::Number(value) = value {
                inputs
                    .entry(name)
                    .or_insert_with(|| vec![Value::Null; rows.len()])[position] = number(*value);
            }
        }
    }
    let mut found: Vec<Value> = inputs
        .into_iter()
        .map(|(name, values)| json!({"name": name, "values": values, "input": true}))
        .collect();
    let ids: HashMap<&str, usize> = dataset
        .features
        .iter()
        .enumerate()
        .map(|(index, feature)| (feature.name.as_str(), index))
        .collect();
    let mut prices: Vec<&Price> = model
        .prices
        .iter()
        .filter(|price| price.price.is_some())
        .collect();
    prices.sort_by(|a, b| {
        b.share
            .total_cmp(&a.share)
            .then_with(|| a.bucket.cmp(&b.bucket))
    });
    for name in prices
        .iter()
        .filter_map(|price| price.members.first())
        .take(COLUMNS)
    {
        let Some(column) = ids
            .get(name.as_str())
            .and_then(|&id| dataset.columns.get(id))
        else {
            continue;
        };
        let value = |row: &Option<usize>| {
            let id = ObservationId((*row)? as u32);
            Some(
                column
                    .binary_search_by_key(&id, |entry| entry.0)
                    .map_or(0.0, |at| column[at].1),
            )
        };
        let values: Vec<Value> = rows.iter().map(|row| maybe(value(row))).collect();
        found.push(json!({"name": name, "values": values}));
    }
    found
}

/// The model, its rivals and the baseline, each once.
fn evaluations(model: &CostModel) -> Vec<Value> {
    let row = |evaluation: &Evaluation, role: &str| {
        json!({
            "name": evaluation.name,
            "role": role,
            "train": evaluation.train_rows,
            "test": evaluation.test_rows,
            "median": number(evaluation.median_error),
            "p90": number(evaluation.p90_error),
            "mean": number(evaluation.mean_error),
            "signed": number(evaluation.median_signed_error),
            "under": number(evaluation.under_rate),
            "noise": maybe(evaluation.noise_floor),
        })
    };
    let own = model.evaluation.as_ref();
    let rivals = model
        .alternatives
        .iter()
        .filter(|rival| own.is_none_or(|own| own.name != rival.name));
    own.map(|evaluation| row(evaluation, "model"))
        .into_iter()
        .chain(rivals.map(|evaluation| row(evaluation, "alternative")))
        .chain(
            model
                .baseline
                .iter()
                .map(|evaluation| row(evaluation, "baseline")),
        )
        .collect()
}

/// `[bucket, members, ratios, price, lower, upper, prior, evidence, support, share, note]`; a single member with the
/// bucket's own name is left out.
fn price(row: &Price, strings: &mut Strings) -> Value {
    let alone = row.members.len() == 1 && row.members[0] == row.bucket;
    let members: Vec<Value> = if alone {
        Vec::new()
    } else {
        row.members.iter().map(|name| strings.id(name)).collect()
    };
    let ratios: Vec<Value> = if alone {
        Vec::new()
    } else {
        row.ratios.iter().map(|ratio| number(*ratio)).collect()
    };
    json!([
        strings.id(&row.bucket),
        members,
        ratios,
        maybe(row.price),
        maybe(row.bounds.map(|ends| ends.0)),
        maybe(row.bounds.map(|ends| ends.1)),
        maybe(row.prior),
        maybe(row.evidence),
        row.support,
        number(row.share),
        strings.maybe(row.note.as_deref()),
    ])
}

/// Methods with the numbers of their blocks and what samples say of them, and all blocks; things without a method stand alone.
fn methods(input: &ReportInput, strings: &mut Strings) -> (Vec<Value>, Vec<Value>) {
    let explanation = input.explanation;
    let by_method = input.methods.items.iter();
    let by_method: HashMap<&str, &CostItem> = by_method.map(|i| (i.name.as_str(), i)).collect();
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, item) in explanation.items.iter().enumerate() {
        let name = match &item.place {
            Some(place) if place.method.is_some() => place.method_name(),
            _ => item.name.clone(),
        };
        groups.entry(name).or_default().push(index);
    }
    let listings: HashMap<&str, usize> = explanation
        .listings
        .iter()
        .enumerate()
        .map(|(index, listing)| (listing.title.as_str(), index))
        .collect();
    let mut rows: Vec<(f64, String, Vec<usize>)> = groups
        .into_iter()
        .map(|(name, members)| {
            (
                members
                    .iter()
                    .map(|&index| explanation.items[index].cost)
                    .sum(),
                name,
                members,
            )
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut budget = TEXT_BUDGET;
    let blocks = explanation
        .items
        .iter()
        .map(|item| block(item, &mut budget, strings))
        .collect();
    let methods = rows
        .into_iter()
        .map(|(cost, name, mut members)| {
            members.sort_by_key(|&index| {
                let place = explanation.items[index].place.as_ref();
                (
                    place.and_then(|place| place.pcs),
                    place.and_then(|place| place.block),
                    index,
                )
            });
            let first = explanation.items[members[0]]
                .place
                .as_ref()
                .filter(|place| place.method.is_some());
            json!([
                strings.id(&name),
                number(cost),
                members,
                listings.get(name.as_str()),
                first.is_some(),
                by_method
                    .get(name.as_str())
                    .map_or(Value::Null, |item| sampled(item))
            ])
        })
        .collect();
    (methods, blocks)
}

/// `[lower, upper, own, callees, caused, inclusive]`, shares of the whole; null where nothing was sampled, or too little for a rank.
fn sampled(item: &CostItem) -> Value {
    let Some((low, high)) = item.share_bounds else {
        return Value::Null;
    };
    let spread = item.spread.filter(|_| !item.unranked);
    let of = |part: fn(&Spread) -> f64| maybe(spread.as_ref().map(part));
    json!([
        number(low),
        number(high),
        of(|s| s.own + s.interpreted),
        of(|s| s.called + s.runtime),
        of(Spread::caused),
        of(|s| s.inclusive),
    ])
}

/// `[name, kind, block, pcs, lines, count, cost, price, lower, upper, prior, evidence, support, split from, variation,
/// risk, text, notes]`.
fn block(item: &CostItem, budget: &mut usize, strings: &mut Strings) -> Value {
    let place = item.place.as_ref();
    let text = item.text.as_deref().filter(|text| text.len() <= *budget);
    *budget -= text.map_or(0, str::len);
    json!([
        strings.id(&item.name),
        strings.id(&item.kind),
        place.and_then(|place| place.block),
        place.and_then(|place| place.pcs),
        place.and_then(|place| place.lines),
        number(item.count),
        number(item.cost),
        maybe(item.price),
        maybe(item.price_bounds.map(|ends| ends.0)),
        maybe(item.price_bounds.map(|ends| ends.1)),
        maybe(item.prior),
        maybe(item.evidence),
        item.support,
        strings.maybe(item.split_from.as_deref()),
        maybe(item.control.as_ref().map(|control| control.variation)),
        if item.is_risk() {
            strings.id(&item.risk_text())
        } else {
            Value::Null
        },
        strings.maybe(text),
        item.notes
            .iter()
            .map(|note| strings.id(note))
            .collect::<Vec<_>>(),
    ])
}

/// `{title, path, lines: [[number, text, count, cost], …]}`.
fn listing(row: &Listing, strings: &mut Strings) -> Value {
    let lines: Vec<Value> = row
        .lines
        .iter()
        .map(|line| {
            json!([
                line.number,
                strings.id(&line.text),
                maybe(line.count),
                maybe(line.cost)
            ])
        })
        .collect();
    json!({"title": row.title, "path": row.path, "lines": lines})
}

/// Everything that limits trust.
fn doubts(inspection: &Inspection, model: &CostModel) -> Value {
    let cut =
        |rows: Vec<Value>, all: usize| json!({"rows": rows, "more": all - all.min(LIST_LIMIT)});
    let mut diagnostics: Vec<_> = model.diagnostics.iter().collect();
    diagnostics.sort_by_key(|found| std::cmp::Reverse(found.severity));
    json!({
        "failed": cut(
            inspection.failed.iter().take(LIST_LIMIT).map(|row| json!([row.label, row.reason])).collect(),
            inspection.failed.len(),
        ),
        "uncertain": cut(
            inspection.uncertain.iter().take(LIST_LIMIT).map(|row| json!([row.label, row.caveats.join("; ")])).collect(),
            inspection.uncertain.len(),
        ),
        "nondeterministic": cut(
            inspection.nondeterministic.iter().take(LIST_LIMIT).map(|row| json!([row.feature, row.observations])).collect(),
            inspection.nondeterministic.len(),
        ),
        "uncounted": cut(
            inspection.uncounted.iter().take(LIST_LIMIT).map(|row| json!(row)).collect(),
            inspection.uncounted.len(),
        ),
        "diagnostics": diagnostics.iter().take(LIST_LIMIT)
            .map(|found| json!([found.severity, found.message, found.advice])).collect::<Vec<_>>(),
        "design": inspection.design.as_ref().map(|design| json!({
            "rows": design.rows,
            "columns": design.columns,
            "buckets": design.buckets,
            "rank": design.rank,
            "condition": maybe(design.condition),
            "empty": design.empty,
            "constant": design.constant,
            "merged": design.merged.len(),
        })),
        "advice": inspection.advice.iter().take(LIST_LIMIT).collect::<Vec<_>>(),
        "notes": inspection.notes.iter().take(LIST_LIMIT).collect::<Vec<_>>(),
        "costs": inspection.costs.iter().map(|cost| json!({
            "name": cost.name,
            "unit": cost.unit,
            "observations": cost.observations,
            "range": cost.range.map(|(low, middle, high)| [number(low), number(middle), number(high)]),
            "repeats": cost.repeats,
            "noise": maybe(cost.noise),
        })).collect::<Vec<_>>(),
    })
}

/// `[[group, [[key, value], …]], …]`.
fn provenance(input: &ReportInput) -> Value {
    let (model, meta) = (&input.model.provenance, &input.dataset.meta);
    let pairs = |map: &BTreeMap<String, String>| {
        map.iter()
            .map(|(key, value)| json!([key, value]))
            .collect::<Vec<_>>()
    };
    let platform = if model.platform.is_empty() {
        &meta.platform
    } else {
        &model.platform
    };
    let subject = if meta.subject.is_empty() {
        &model.subject
    } else {
        &meta.subject
    };
    json!([
        [
            "Run",
            [
                ["subject", subject.join(" ")],
                [
                    "scope",
                    if meta.scope.is_empty() {
                        &model.scope
                    } else {
                        &meta.scope
                    }
                ],
                ["dataset", model.dataset],
                ["recorded", meta.created],
                ["seed", model.seed.to_string()],
                [
                    "pricetag",
                    if model.pricetag.is_empty() {
                        &meta.pricetag
                    } else {
                        &model.pricetag
                    }
                ],
            ]
        ],
        ["Platform", pairs(platform)],
        ["Recording options", pairs(&meta.options)],
        ["Fit options", pairs(&model.options)],
    ])
}
