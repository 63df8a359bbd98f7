//! One planted cost: what was measured, and what the answers say.
//!
//! The truth comes from the ledger of the very runs that were mined: the sum of all spins by the threads' own clock. An answer is a share, seen
//! in the sampled runs, of the time of the timed runs; so shares are held against the sampled runs' ledger, and milliseconds
//! against the timed runs'. The difference of times with and without rounds stands beside it; it is the noise of two runs, and holds what
//! a longer run lets the JIT compile.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Failure;
use crate::choice::Planted;

/// Figures of one planted cost; times in milliseconds over all inputs, shares 0 … 1.
#[derive(Debug, Serialize, Deserialize)]
pub struct Line {
    pub program: String,
    /// Which of the sizes.
    pub size: usize,
    pub place: String,
    pub class: String,
    pub count: f64,
    /// By the ledger of the timed runs.
    pub planted_ms: f64,
    pub executions: f64,
    pub on_ms: f64,
    pub off_ms: f64,
    /// Of as many JVMs that do nothing.
    pub start_ms: f64,
    /// By the ledger of the sampled runs, of their time after the start of the JVM.
    pub planted_share: f64,
    pub answered_ms: f64,
    pub base_ms: f64,
    pub method_ms: f64,
    pub block_ms: f64,
    /// By method, less what it had before.
    pub method_share: f64,
    pub block_share: f64,
    /// Which method of the others changed most, and by how many points of the time without the spin.
    pub other: String,
    pub other_points: f64,
    /// How activities of the JVM changed, likewise.
    pub activities: BTreeMap<String, f64>,
}

impl Line {
    pub fn error(&self) -> f64 {
        self.method_ms / self.planted_ms - 1.0
    }

    /// By shares of the program's time instead of milliseconds.
    pub fn share_error(&self) -> f64 {
        self.method_share / self.planted_share - 1.0
    }

    pub fn block_error(&self) -> f64 {
        self.block_ms / self.planted_ms - 1.0
    }
}

/// An answer: nanoseconds by method, block (with its number) or activity, and all of them.
struct Answer {
    costs: BTreeMap<String, f64>,
    activities: BTreeMap<String, f64>,
    total: f64,
}

impl Answer {
    fn read(path: &Path) -> Result<Self, Failure> {
        let explained: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let (mut costs, mut activities) = (BTreeMap::new(), BTreeMap::new());
        for item in explained["items"].as_array().into_iter().flatten() {
            let cost = item["cost"].as_f64().unwrap_or(0.0);
            let place = &item["place"];
            let name = item["name"].as_str().unwrap_or_default();
            if let (Some(class), Some(method)) = (place["class"].as_str(), place["method"].as_str())
            {
                let descriptor = place["descriptor"].as_str().unwrap_or_default();
                let key = key(class, method, descriptor, place["block"].as_u64());
                *costs.entry(key).or_default() += cost;
            } else {
                *activities.entry(name.to_owned()).or_default() += cost;
            }
        }
        let total = explained["measured"].as_f64().ok_or("no measured total")?;
        Ok(Self {
            costs,
            activities,
            total,
        })
    }

    fn cost(&self, name: &str) -> f64 {
        self.costs.get(name).copied().unwrap_or(0.0)
    }
}

fn key(class: &str, method: &str, descriptor: &str, block: Option<u64>) -> String {
    let block = block.map_or_else(String::new, |block| format!(" block {block}"));
    format!("{class}.{method}{descriptor}{block}")
}

/// The figures as one line of JSON.
pub fn line(program: &str, place: &Planted, size: usize, folder: &Path) -> Result<String, Failure> {
    let times = Times::read(&folder.join("times"))?;
    let ledger = folder.join("ledger");
    let timed = Spent::read(&ledger, "-time-")?;
    let sampled = Spent::read(&ledger, "-sample")?;
    if sampled.runs == 0.0 || timed.runs == 0.0 {
        return Err(format!("{}: no mined runs", ledger.display()).into());
    }
    // One run of each input.
    let once = sampled.runs / timed.runs;
    let read = |name: &str| Answer::read(&folder.join(name));
    let (base, with) = (read("base-methods.json")?, read("methods.json")?);
    let (base_blocks, blocks) = (read("base-blocks.json")?, read("blocks.json")?);
    let method = key(&place.class, &place.method, &place.descriptor, None);
    let block = key(
        &place.class,
        &place.method,
        &place.descriptor,
        Some(u64::from(place.block)),
    );
    let found = with.cost(&method) - base.cost(&method);
    let at_block = blocks.cost(&block) - base_blocks.cost(&block);
    // Everything else, over everything else: what grew beside the spin.
    let (rest, base_rest) = (with.total - found, base.total);
    let change = |now: f64, before: f64| 100.0 * (now / rest - before / base_rest);
    let names = with.costs.keys().chain(base.costs.keys());
    let (other, other_points) = names
        .filter(|name| **name != method)
        .map(|name| (name.clone(), change(with.cost(name), base.cost(name))))
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .unwrap_or_default();
    let cost = |of: &Answer, name: &str| of.activities.get(name).copied().unwrap_or(0.0);
    let activities = with
        .activities
        .keys()
        .map(|name| (name.clone(), change(cost(&with, name), cost(&base, name))))
        .collect();
    let (on, start) = (times.sum("on"), times.sum("start"));
    let line = Line {
        program: program.to_owned(),
        size,
        place: place.name.clone(),
        class: place.class.clone(),
        count: place.count,
        planted_ms: once * timed.spinning / 1e6,
        executions: once * timed.executions,
        on_ms: 1e3 * on,
        off_ms: 1e3 * times.sum("off"),
        start_ms: 1e3 * start,
        planted_share: sampled.spinning / (sampled.cpu - 1e9 * start),
        answered_ms: with.total / 1e6,
        base_ms: base.total / 1e6,
        method_ms: found / 1e6,
        block_ms: at_block / 1e6,
        method_share: found / with.total,
        block_share: at_block / with.total,
        other,
        other_points,
        activities,
    };
    Ok(serde_json::to_string(&line)?)
}

/// What one kind of runs spent, by their ledgers, nanoseconds.
#[derive(Clone, Copy, Default)]
struct Spent {
    runs: f64,
    spinning: f64,
    executions: f64,
    /// All of the process.
    cpu: f64,
}

impl Spent {
    /// `RUN NANOSECONDS EXECUTIONS CPU` a line; the runs of this kind are added up.
    fn read(path: &Path, kind: &str) -> Result<Self, Failure> {
        let mut spent = Self::default();
        for line in std::fs::read_to_string(path)?.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [run, spinning, executions, cpu] = words[..] else {
                return Err(format!("{}: {line}", path.display()).into());
            };
            if run.contains(kind) {
                spent.runs += 1.0;
                spent.spinning += spinning.parse::<f64>()?;
                spent.executions += executions.parse::<f64>()?;
                spent.cpu += cpu.parse::<f64>()?;
            }
        }
        Ok(spent)
    }
}

/// What runs with and without the spin took, outside Pricetag.
#[derive(Default)]
struct Times {
    /// Seconds, by `on`, `off` or `start` and input.
    runs: BTreeMap<(String, String), Vec<f64>>,
}

impl Times {
    fn read(path: &Path) -> Result<Self, Failure> {
        let mut times = Self::default();
        for line in std::fs::read_to_string(path)?.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [kind, input, user, system] = words[..] else {
                return Err(format!("{}: {line}", path.display()).into());
            };
            times
                .runs
                .entry((kind.to_owned(), input.to_owned()))
                .or_default()
                .push(user.parse::<f64>()? + system.parse::<f64>()?);
        }
        Ok(times)
    }

    /// Medians of all inputs, added up.
    fn sum(&self, wanted: &str) -> f64 {
        let runs = self.runs.iter().filter(|((kind, _), _)| kind == wanted);
        runs.map(|(_, times)| median(times.clone())).sum()
    }
}

/// The median; 0 of nothing.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}
