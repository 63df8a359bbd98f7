//! What executes more or less than in the baseline: both as datasets for [`pricetag_compare`], which aligns and prices them.
//!
//! A listed method is compared block by block in every benchmark. Of a smaller one the baseline has the sum over all benchmarks alone: it
//! stands on both sides as one block, in a row of its own. Blocks are aligned by their digests, since the baseline has no bytecode.
//! Limits: what was in the baseline's tail and is notable now is told as new, with the words that say so.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_compare::{Side, compare};
use pricetag_dataset::{
    Dataset, DatasetBuilder, Feature, FeatureId, FeatureKind, InputValue, Meta, Observation, Row,
    Status,
};
use pricetag_finding::{Change, CostItem, Difference, Explanation, Grouping, Place, SettingChange};
use pricetag_trace::MethodName;

use crate::baseline::{Baseline, Block, Code, Price};
use crate::counted::Counted;
use crate::suite::Suite;

/// The row of methods of which only sums are known.
const SUMS: &str = "(smaller methods)";
/// What a method is that the baseline does not name.
const NEW: &str = "new, or in the baseline's tail";

/// A dataset of counts while it is built.
struct Table {
    builder: DatasetBuilder,
    rows: BTreeMap<String, Vec<(FeatureId, f64)>>,
}

/// Code of a method, its name, and whether its counts repeat.
#[derive(Clone, Copy)]
struct Described<'a> {
    name: &'a MethodName,
    code: &'a Code,
    varies: bool,
}

impl Table {
    fn new() -> Self {
        Self {
            builder: DatasetBuilder::new(Meta::default()),
            rows: BTreeMap::new(),
        }
    }

    /// Adds what a method executed in a benchmark.
    fn add(&mut self, row: &str, of: Described, calls: u64, blocks: impl Iterator<Item = f64>) {
        let place = |kind| Feature {
            kind,
            unit: "1".to_owned(),
            class: Some(of.name.class.clone()),
            method: Some(of.name.name.clone()),
            descriptor: Some(of.name.descriptor.clone()),
            source_file: of.code.file.clone(),
            nondeterministic: u32::from(of.varies),
            ..Feature::default()
        };
        let mut cells = Vec::new();
        let invocations = Feature {
            name: format!("{} invocations", of.name),
            ..place(FeatureKind::Method)
        };
        cells.push((self.builder.intern(invocations), calls as f64));
        for (block, executions) in of.code.blocks.iter().zip(blocks) {
            let feature = Feature {
                name: format!("{} block {}", of.name, block.number),
                block: Some(block.number),
                lines: block.lines,
                text: Some(stand_in(block)),
                ..place(FeatureKind::Block)
            };
            cells.push((self.builder.intern(feature), executions));
        }
        self.rows.entry(row.to_owned()).or_default().extend(cells);
    }

    fn finish(mut self, rows: &BTreeSet<&str>, baseline: &Baseline) -> Dataset {
        for row in rows {
            let observation = Observation {
                label: (*row).to_owned(),
                group: (*row).to_owned(),
                inputs: inputs(baseline, row),
                status: Status::Ok,
                ..Observation::default()
            };
            self.builder.row(Row {
                observation,
                counts: self.rows.remove(*row).unwrap_or_default(),
                differing: Vec::new(),
            });
        }
        self.builder.finish()
    }
}

/// What is known of a benchmark before it runs, on both sides: growth is told by it.
fn inputs(baseline: &Baseline, row: &str) -> BTreeMap<String, InputValue> {
    let known = baseline
        .benchmarks
        .get(row)
        .map(|benchmark| &benchmark.inputs);
    let numbers = known.into_iter().flatten();
    numbers
        .map(|(name, number)| (name.clone(), InputValue::Number(*number)))
        .collect()
}

/// Text of a block as its digest tells it: as many lines, the same for the same code, and its calls.
fn stand_in(block: &Block) -> String {
    let mut lines: Vec<String> = vec![format!("#{}", block.code)];
    lines.extend(block.calls.iter().map(|callee| format!("invoke {callee}")));
    lines.resize((block.size as usize).max(1), ".".to_owned());
    lines.join("\n")
}

/// A method of which only the sum is known, as one block. The baseline does not say its source.
fn whole(size: u32, code: &str, source: Option<&Code>) -> Code {
    let lines = source.into_iter().flat_map(|code| &code.blocks);
    let lines = lines.filter_map(|block| block.lines);
    Code {
        file: source.and_then(|code| code.file.clone()),
        blocks: vec![Block {
            number: 0,
            lines: lines.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))),
            size: size.max(1),
            code: code.to_owned(),
            calls: Vec::new(),
        }],
    }
}

/// What executes more or less; none where nothing can be held against the baseline.
pub(crate) fn difference(baseline: &Baseline, suite: &Suite) -> Option<Difference> {
    let now = suite.first()?;
    let common: BTreeSet<&str> = baseline
        .benchmarks
        .keys()
        .filter(|name| now.benchmarks.contains_key(*name))
        .map(String::as_str)
        .collect();
    // Sums are over all benchmarks; and of code that only a missing one runs, its own counts alone would tell that it is still there.
    if common.len() < baseline.benchmarks.len() {
        return None;
    }
    let mut rows = common.clone();
    rows.extend((!baseline.others.is_empty()).then_some(SUMS));
    let before = recorded(baseline, &rows);
    let (after, whole) = counted(baseline, suite, now, &rows);
    let explanation = priced(baseline, &before);
    let mut found = compare(
        Side {
            dataset: &before,
            explanation: explanation.as_ref(),
        },
        Side {
            dataset: &after,
            explanation: None,
        },
    )
    .ok()?;
    let counts = || common.iter().map(|name| &now.benchmarks[*name]);
    let recorded = common.iter().map(|name| &baseline.benchmarks[*name]);
    found.inputs = common.len() as u32;
    found.instructions = Change {
        before: recorded.map(|b| b.instructions.middle()).sum(),
        after: counts().map(|c| c.instructions as f64).sum(),
    };
    found.calls = leaving(baseline, now, &common);
    found.settings = settings(baseline, now);
    found.recounted = [None, None];
    for method in &mut found.changed {
        // Blocks that stand for whole methods are none.
        if method
            .place
            .as_ref()
            .and_then(method_at)
            .is_some_and(|name| baseline.others.contains_key(&name) || whole.contains(&name))
        {
            let lines = method.blocks.iter().find_map(|block| block.lines);
            if let Some(place) = &mut method.place {
                place.lines = place.lines.or(lines);
            }
            method.blocks.clear();
        }
        if method.kind == "new" && baseline.tail.methods > 0 {
            NEW.clone_into(&mut method.kind);
        }
    }
    Some(found)
}

fn recorded(baseline: &Baseline, rows: &BTreeSet<&str>) -> Dataset {
    let mut table = Table::new();
    for (name, method) in &baseline.methods {
        let of = Described {
            name,
            code: &method.code,
            varies: method.varies,
        };
        for (benchmark, ran) in &method.ran {
            table.add(
                benchmark,
                of,
                ran.calls,
                ran.blocks.iter().map(|&n| n as f64),
            );
        }
    }
    for (name, other) in &baseline.others {
        let code = whole(other.size, &other.code, None);
        let of = Described {
            name,
            code: &code,
            varies: other.varies,
        };
        let executions = other.instructions as f64 / f64::from(other.size.max(1));
        table.add(SUMS, of, other.calls, std::iter::once(executions));
    }
    table.finish(rows, baseline)
}

/// What was counted now, and the methods that are told as one block.
fn counted(
    baseline: &Baseline,
    suite: &Suite,
    now: &Counted,
    rows: &BTreeSet<&str>,
) -> (Dataset, BTreeSet<MethodName>) {
    let mut table = Table::new();
    let mut in_one = BTreeSet::new();
    let all: u64 = now.benchmarks.values().map(|c| c.instructions).sum();
    // Below this a method that the baseline does not name may have been there.
    let notable = baseline.setup.share / 100.0 * crate::suite::NAMED * all as f64;
    let by_code: BTreeMap<&str, &MethodName> = baseline
        .others
        .iter()
        .map(|(name, o)| (o.code.as_str(), name))
        .collect();
    for (name, code) in &now.methods {
        // What is not judged may vary as it likes.
        let varies = suite.varies_in(name, |benchmark| rows.contains(benchmark));
        let of = Described { name, code, varies };
        let summed = baseline.others.contains_key(name) && !baseline.methods.contains_key(name);
        let unknown = !baseline.others.contains_key(name) && !baseline.methods.contains_key(name);
        if unknown && (now.instructions_of(name) as f64) < notable {
            continue;
        }
        // A smaller method that was renamed.
        let renamed = unknown
            && by_code
                .get(code.digest().as_str())
                .is_some_and(|old| !now.methods.contains_key(*old));
        let ran = now
            .benchmarks
            .iter()
            .filter(|(row, _)| rows.contains(row.as_str()));
        let ran = ran.filter_map(|(row, counts)| Some((row, counts.methods.get(name)?)));
        if summed || renamed {
            in_one.insert(name.clone());
            let (mut calls, mut instructions) = (0, 0);
            for (_, ran) in ran {
                calls += ran.calls;
                instructions += ran.instructions(code);
            }
            let size = code.size();
            let code = whole(size, &code.digest(), Some(code));
            let of = Described {
                name,
                code: &code,
                varies,
            };
            let executions = instructions as f64 / f64::from(size.max(1));
            table.add(SUMS, of, calls, std::iter::once(executions));
        } else {
            for (row, ran) in ran {
                table.add(row, of, ran.calls, ran.blocks.iter().map(|&n| n as f64));
            }
        }
    }
    (table.finish(rows, baseline), in_one)
}

/// The prices of the baseline as an explanation of what it executed.
fn priced(baseline: &Baseline, before: &Dataset) -> Option<Explanation> {
    let prices = baseline.prices.as_ref()?;
    let mut items = Vec::new();
    for (column, feature) in before.features.iter().enumerate() {
        let (FeatureKind::Block, Some(name)) = (feature.kind, name_of(feature)) else {
            continue;
        };
        let listed = baseline.methods.get(&name).and_then(|method| method.price);
        let other = || baseline.others.get(&name).and_then(|other| other.price);
        let Some(price) = listed.or_else(other) else {
            continue;
        };
        let size = feature.text.as_deref().unwrap_or_default().lines().count();
        let executions: f64 = before.columns[column].iter().map(|(_, n)| n).sum();
        let instructions = executions * size.max(1) as f64;
        let cost = price.cost * instructions;
        items.push(CostItem {
            name: feature.name.clone(),
            place: Some(Place {
                class: name.class.clone(),
                method: Some(name.name.clone()),
                descriptor: Some(name.descriptor.clone()),
                block: feature.block,
                ..Place::default()
            }),
            count: executions,
            cost,
            // Only its ratio to the bounds counts.
            share: price.cost,
            share_bounds: price.bounds,
            ..CostItem::default()
        });
    }
    Some(Explanation {
        target: prices.target.clone(),
        unit: prices.unit.clone(),
        by: Grouping::Block,
        items,
        ..Explanation::default()
    })
}

/// Cost, instructions, and ends of the cost where all parts have them.
type Sum = (f64, f64, Option<(f64, f64)>);

/// Costs of an instruction by method, of an explanation by block of what was counted.
pub fn prices(explanation: &Explanation, dataset: &Dataset) -> BTreeMap<MethodName, Price> {
    let mut executed: BTreeMap<(MethodName, u32), f64> = BTreeMap::new();
    for (column, feature) in dataset.features.iter().enumerate() {
        if let (FeatureKind::Block, Some(name), Some(block)) =
            (feature.kind, name_of(feature), feature.block)
        {
            let size = feature.text.as_deref().unwrap_or_default().lines().count();
            let executions: f64 = dataset.columns[column].iter().map(|(_, n)| n).sum();
            *executed.entry((name, block)).or_default() += executions * size.max(1) as f64;
        }
    }
    let mut sums: BTreeMap<MethodName, Sum> = BTreeMap::new();
    for item in &explanation.items {
        let Some(place) = &item.place else { continue };
        let (Some(name), Some(block)) = (method_at(place), place.block) else {
            continue;
        };
        let Some(instructions) = executed.get(&(name.clone(), block)) else {
            continue;
        };
        let bounds = item.share_bounds.filter(|_| item.share > 0.0);
        let bounds =
            bounds.map(|(low, high)| (item.cost * low / item.share, item.cost * high / item.share));
        let sum = sums.entry(name).or_insert((0.0, 0.0, Some((0.0, 0.0))));
        sum.0 += item.cost;
        sum.1 += instructions;
        // Blocks of a method share its samples: their errors add up.
        sum.2 = sum.2.zip(bounds).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
    }
    let sums = sums.into_iter().filter(|(_, sum)| sum.1 > 0.0);
    sums.map(|(name, (cost, instructions, bounds))| {
        let price = Price {
            cost: cost / instructions,
            bounds: bounds.map(|(low, high)| (low / instructions, high / instructions)),
        };
        (name, price)
    })
    .collect()
}

fn method_at(place: &Place) -> Option<MethodName> {
    Some(MethodName {
        class: place.class.clone(),
        name: place.method.clone()?,
        descriptor: place.descriptor.clone().unwrap_or_default(),
    })
}

fn name_of(feature: &Feature) -> Option<MethodName> {
    Some(MethodName {
        class: feature.class.clone()?,
        name: feature.method.clone()?,
        descriptor: feature.descriptor.clone().unwrap_or_default(),
    })
}

/// Calls that leave the counted code, where their number changed; the largest change first.
fn leaving(baseline: &Baseline, now: &Counted, common: &BTreeSet<&str>) -> Vec<(String, Change)> {
    let mut after: BTreeMap<&String, u64> = BTreeMap::new();
    for (name, counts) in &now.benchmarks {
        if common.contains(name.as_str()) {
            for (callee, times) in &counts.leaving {
                *after.entry(callee).or_default() += times;
            }
        }
    }
    let names: BTreeSet<&String> = baseline
        .leaving
        .keys()
        .chain(after.keys().copied())
        .collect();
    let changes = names.into_iter().map(|name| {
        let change = Change {
            before: baseline.leaving.get(name).copied().unwrap_or(0) as f64,
            after: after.get(name).copied().unwrap_or(0) as f64,
        };
        (name.clone(), change)
    });
    let mut changes: Vec<(String, Change)> = changes.filter(|(_, c)| c.delta() != 0.0).collect();
    changes.sort_by(|a, b| {
        let size = |change: &Change| change.delta().abs();
        size(&b.1)
            .total_cmp(&size(&a.1))
            .then_with(|| a.0.cmp(&b.0))
    });
    changes
}

fn settings(baseline: &Baseline, now: &Counted) -> Vec<SettingChange> {
    let here = &now.identity;
    let facts = [
        (
            "command",
            baseline.command.join(" "),
            here.command.join(" "),
        ),
        ("program", baseline.program.clone(), here.program.clone()),
        (
            "java",
            baseline.java.version.clone(),
            here.java.version.clone(),
        ),
        ("jvm", baseline.java.vm.clone(), here.java.vm.clone()),
        ("flags", baseline.flags.clone(), here.flags.clone()),
    ];
    let facts = facts
        .into_iter()
        .filter(|(_, before, after)| before != after);
    facts
        .map(|(name, before, after)| SettingChange {
            name: name.to_owned(),
            before,
            after,
        })
        .collect()
}
