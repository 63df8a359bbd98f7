//! A verdict for services that keep series: Bencher's metric format, and the list that github-action-benchmark reads.
//!
//! Sources: the schema of the *Bencher Metric Format*, an object of benchmarks, each an object of measures with `value`, `lower_value` and
//! `upper_value`; the readme of *github-action-benchmark*, tool `customSmallerIsBetter`, a list of `name`, `unit`, `value`, `range` and `extra`.

use serde_json::{Map, Value, json};

use super::change;
use crate::figure::Figure;
use crate::verdict::{Level, Verdict};

/// In Bencher's form.
pub fn bencher(verdict: &Verdict) -> Value {
    let mut benchmarks = Map::new();
    for row in &verdict.rows {
        let measures = benchmarks
            .entry(row.benchmark.clone())
            .or_insert_with(|| Value::Object(Map::new()));
        let measure = match &row.after {
            Figure::Exact(count) => json!({ "value": count }),
            Figure::Wavering { low, high, .. } => json!({
                "value": row.after.middle(), "lower_value": low, "upper_value": high
            }),
        };
        measures[row.metric.name()] = measure;
    }
    Value::Object(benchmarks)
}

/// In the form of github-action-benchmark, smaller is better.
pub fn benchmark_action(verdict: &Verdict) -> Value {
    let entries = verdict.rows.iter().map(|row| {
        let unit = row.metric.name();
        let mut entry = json!({
            "name": format!("{} {unit}", row.benchmark),
            "unit": unit,
            "value": row.after.middle(),
        });
        if let Figure::Wavering { low, high, .. } = &row.after {
            entry["range"] = json!(format!("± {}", (high - low).div_ceil(2)));
        }
        if row.level != Level::Same {
            let told = format!("{} since the baseline: {}", change(row), row.level.told());
            entry["extra"] = json!(told);
        }
        entry
    });
    Value::Array(entries.collect())
}
