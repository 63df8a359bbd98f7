//! A price list held against control programs: every estimator, every mode, every size.

use std::collections::BTreeMap;

use pricetag_cost_model::region::collect;
use pricetag_cost_model::{Found, PriceList};
use pricetag_dataset::{
    Dataset, FeatureId, FeatureKind, InputValue, Measured, Observation, Status,
};
use pricetag_finding::{
    ControlProgram, ControlReport, ControlRow, Errors, FINDING_SCHEMA, ModeReport, Ranking,
};

use crate::PredictError;
use crate::calls::{Call, Pricing, predict_call};

/// What is known about a control program besides its measurements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Its name, the group of its rows.
    pub name: String,
    /// What kind of program it is.
    pub family: String,
    /// Programs of one pair compute the same.
    pub pair: Option<String>,
}

/// Times that differ by less are not ranked.
const APART: f64 = 1.1;

/// Predicts every row of the tables, one table for each mode, and compares.
pub fn hold_against(
    list: &PriceList,
    tables: &BTreeMap<String, Dataset>,
    controls: &[Control],
) -> Result<ControlReport, PredictError> {
    let mut report = ControlReport {
        schema: FINDING_SCHEMA,
        ..ControlReport::default()
    };
    for (mode, table) in tables {
        report.platform.clone_from(&table.meta.platform);
        report
            .modes
            .insert(mode.clone(), mode_report(list, mode, table, controls)?);
    }
    Ok(report)
}

fn mode_report(
    list: &PriceList,
    mode: &str,
    table: &Dataset,
    controls: &[Control],
) -> Result<ModeReport, PredictError> {
    let chosen = Pricing::of(list, mode, None)?;
    let prices = &list.modes[mode];
    let pricings = prices
        .time
        .keys()
        .map(|name| Ok((name.as_str(), Pricing::of(list, mode, Some(name))?)))
        .collect::<Result<Vec<_>, PredictError>>()?;
    let calls = calls(table);
    let mut programs = Vec::new();
    for control in controls {
        let rows: Vec<(&Observation, &Call)> = table
            .observations
            .iter()
            .zip(&calls)
            .filter(|(o, _)| o.group == control.name && o.status == Status::Ok)
            .collect();
        if !rows.is_empty() {
            programs.push(program(control, &rows, &pricings, &chosen));
        }
    }
    let estimators: Vec<&str> = pricings.iter().map(|p| p.0).collect();
    Ok(ModeReport {
        chosen: prices.chosen.clone(),
        overall: means(&programs, &estimators, &|_| true),
        quiet: means(&programs, &estimators, &|r| r.collections.0 == 0.0),
        collecting: means(&programs, &estimators, &|r| r.collections.0 > 0.0),
        coverage: covered(&programs, &|_| true),
        coverage_by_collections: (
            covered(&programs, &|r| r.collections.0 == 0.0),
            covered(&programs, &|r| r.collections.0 > 0.0),
        ),
        level: chosen.time.interval.as_ref().map(|i| i.level),
        rankings: rankings(controls, &programs, &prices.chosen),
        programs,
    })
}

fn number(row: &Observation, input: &str) -> Option<f64> {
    match row.inputs.get(input) {
        Some(InputValue::Number(n)) => Some(*n),
        _ => None,
    }
}

/// Counts of every row.
fn calls(table: &Dataset) -> Vec<Call> {
    let mut calls: Vec<Call> = table
        .observations
        .iter()
        .map(|o| Call {
            label: o.label.clone(),
            found: number(o, "promoted").map(|promoted| Found {
                promoted,
                blocks: number(o, "blocks").unwrap_or(0.0),
                frames: number(o, "frames").unwrap_or(0.0),
                live: number(o, "live").unwrap_or(0.0),
            }),
            ..Call::default()
        })
        .collect();
    for (index, feature) in table.features.iter().enumerate() {
        if feature.kind != FeatureKind::Input {
            let dense = table.dense(FeatureId(index as u32));
            for (call, value) in calls.iter_mut().zip(dense) {
                if !collect(&mut call.regions, &feature.name, value) {
                    call.counts.insert(feature.name.clone(), value);
                }
            }
        }
    }
    calls
}

fn program(
    control: &Control,
    rows: &[(&Observation, &Call)],
    pricings: &[(&str, Pricing)],
    chosen: &Pricing,
) -> ControlProgram {
    let mut out = ControlProgram {
        name: control.name.clone(),
        family: control.family.clone(),
        ..ControlProgram::default()
    };
    for (observation, call) in rows {
        let cost = |name: &str| {
            observation
                .costs
                .get(name)
                .and_then(Measured::value)
                .unwrap_or(0.0)
        };
        let answer = predict_call(chosen, call);
        out.unpriced.extend(answer.unpriced.clone());
        let row = ControlRow {
            size: match observation.inputs.get("size") {
                Some(InputValue::Number(size)) => *size,
                _ => 0.0,
            },
            measured: cost("ns"),
            predicted: pricings
                .iter()
                .filter_map(|(name, p)| Some(((*name).to_owned(), predict_call(p, call).time?)))
                .collect(),
            interval: answer.interval,
            bytes: (cost("bytes"), answer.bytes),
            collections: (cost("collections"), answer.collections),
            major: cost("major_collections"),
            may_finish_major: answer.major,
        };
        out.rows.push(row);
    }
    out.unpriced.sort();
    out.unpriced.dedup();
    for (name, _) in pricings {
        if let Some(errors) = errors(&out.rows, name, &|_| true) {
            out.errors.insert((*name).to_owned(), errors);
        }
    }
    out.bytes = out.rows.iter().fold(0.0, |most: f64, r| {
        let (measured, predicted) = r.bytes;
        let error = predicted.map(|p| (p - measured).abs() / measured.max(FLOOR));
        most.max(error.unwrap_or(0.0))
    });
    out.exact = out.rows.iter().filter(|r| r.is_exact()).count() as u32;
    out
}

/// Errors of the bytes of programs that allocate less are relative to this: what reading the counters may cost.
const FLOOR: f64 = 1000.0;

fn errors(
    rows: &[ControlRow],
    estimator: &str,
    pick: &dyn Fn(&ControlRow) -> bool,
) -> Option<Errors> {
    let pairs: Vec<(f64, f64)> = rows
        .iter()
        .filter(|r| pick(r))
        .filter_map(|r| Some((*r.predicted.get(estimator)?, r.measured)))
        .collect();
    Errors::of(&pairs)
}

fn means(
    programs: &[ControlProgram],
    estimators: &[&str],
    pick: &dyn Fn(&ControlRow) -> bool,
) -> BTreeMap<String, Errors> {
    estimators
        .iter()
        .filter_map(|name| {
            let each: Vec<Errors> = programs
                .iter()
                .filter_map(|p| errors(&p.rows, name, pick))
                .collect();
            Some(((*name).to_owned(), Errors::mean(&each)?))
        })
        .collect()
}

/// The share of rows inside their intervals, of those picked that have one.
fn covered(programs: &[ControlProgram], pick: &dyn Fn(&ControlRow) -> bool) -> Option<f64> {
    let rows = programs.iter().flat_map(|p| &p.rows).filter(|r| pick(r));
    let with: Vec<(f64, (f64, f64))> = rows
        .filter_map(|r| Some((r.measured, r.interval?)))
        .collect();
    let inside = with
        .iter()
        .filter(|(m, (low, high))| low <= m && m <= high)
        .count();
    (!with.is_empty()).then(|| inside as f64 / with.len() as f64)
}

/// Every two programs of a pair, at the sizes both have.
fn rankings(controls: &[Control], programs: &[ControlProgram], estimator: &str) -> Vec<Ranking> {
    let mut out = Vec::new();
    for (i, a) in controls.iter().enumerate() {
        for b in &controls[i + 1..] {
            let Some(pair) = a.pair.as_ref().filter(|p| b.pair.as_ref() == Some(*p)) else {
                continue;
            };
            let find = |c: &Control| programs.iter().find(|p| p.name == c.name);
            if let (Some(one), Some(two)) = (find(a), find(b)) {
                let (apart, right) = ranked(one, two, estimator);
                out.push(Ranking {
                    pair: pair.clone(),
                    programs: (a.name.clone(), b.name.clone()),
                    apart,
                    right,
                });
            }
        }
    }
    out
}

fn ranked(one: &ControlProgram, two: &ControlProgram, estimator: &str) -> (u32, u32) {
    let (mut apart, mut right) = (0, 0);
    for a in &one.rows {
        let Some(b) = two.rows.iter().find(|b| b.size == a.size) else {
            continue;
        };
        let ratio = a.measured / b.measured;
        if (1.0 / APART..=APART).contains(&ratio) {
            continue;
        }
        let (Some(pa), Some(pb)) = (a.predicted.get(estimator), b.predicted.get(estimator)) else {
            continue;
        };
        apart += 1;
        right += u32::from(pa != pb && (pa > pb) == (ratio > 1.0));
    }
    (apart, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_predictions_rank_nothing() {
        let of = |measured: f64, predicted: f64| ControlProgram {
            rows: vec![ControlRow {
                measured,
                predicted: BTreeMap::from([("lr".to_owned(), predicted)]),
                ..ControlRow::default()
            }],
            ..ControlProgram::default()
        };
        for (one, two, apart, right) in [
            ((1.0, 3.0), (2.0, 4.0), 1, 1),
            ((1.0, 4.0), (2.0, 3.0), 1, 0),
            ((1.0, 3.0), (2.0, 3.0), 1, 0),
            ((2.0, 3.0), (1.0, 3.0), 1, 0),
            ((1.0, 3.0), (1.05, 4.0), 0, 0),
        ] {
            let found = ranked(&of(one.0, one.1), &of(two.0, two.1), "lr");
            assert_eq!(found, (apart, right), "{one:?} {two:?}");
        }
    }
}
