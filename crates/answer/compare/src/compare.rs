//! Counts of two builds, subtracted and priced.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_dataset::{Dataset, FeatureKind, Status};
use pricetag_finding::{
    BlockChange, Change, Difference, Explanation, FINDING_SCHEMA, GrowthChange, MethodChange,
    Priced, SettingChange,
};

use crate::align;
use crate::code::{Block, Key, Method, methods};
use crate::cost;
use crate::growth::{DIFFERENT, Sizes};

/// One build: what it executed and, if it is known, where its cost goes.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Counts and costs.
    pub dataset: &'a Dataset,
    /// By method.
    pub explanation: Option<&'a Explanation>,
}

/// Why two datasets cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// No input succeeded in both.
    #[error("no input of one is an input of the other: {before} and {after}, for example")]
    NothingInCommon {
        /// An input of the first.
        before: String,
        /// An input of the second.
        after: String,
    },
    /// One has no counts of blocks or methods.
    #[error("{0} has no counts of blocks")]
    NotCounted(&'static str),
}

/// Platform facts and options that change what a program executes or costs, if they differ.
const SETTINGS: [&str; 10] = [
    "java",
    "jvm",
    "jvm_version",
    "flags",
    "cpu",
    "arch",
    "os",
    "jit",
    "gc",
    "program",
];

/// What the second build executes and costs more or less than the first.
///
/// # Errors
/// If they have no inputs in common, or one was not counted.
pub fn compare(before: Side, after: Side) -> Result<Difference, CompareError> {
    let (common, [only_before, only_after]) = common(before.dataset, after.dataset)?;
    let [old, new] = [before, after].map(|side| methods(side.dataset));
    for (side, found) in [("the first dataset", &old), ("the second dataset", &new)] {
        if found.iter().all(|m| m.blocks.is_empty()) {
            return Err(CompareError::NotCounted(side));
        }
    }
    let counts = [
        Counts::of(before.dataset, common.iter().map(|rows| rows.0)),
        Counts::of(after.dataset, common.iter().map(|rows| rows.1)),
    ];
    let rates = [before, after].map(|side| Rates::of(side));
    let rows: Vec<usize> = common.iter().map(|rows| rows.0).collect();
    let sizes = Sizes::of(before.dataset, &rows);
    let aligned = align::methods(&old, &new);
    let both = aligned
        .pairs
        .iter()
        .map(|&(i, j)| (Some(&old[i]), Some(&new[j])));
    let gone = aligned.gone.iter().map(|&i| (Some(&old[i]), None));
    let fresh = aligned.new.iter().map(|&j| (None, Some(&new[j])));
    let (mut changed, mut varying, mut same) = (Vec::new(), Vec::new(), 0);
    for (old, new) in both.chain(gone).chain(fresh) {
        let pair = Pair { old, new };
        let change = pair.change(&counts, &rates, sizes.as_ref());
        if change.blocks.is_empty() && change.instructions.delta() == 0.0 {
            same += 1;
        } else if pair.varies() {
            varying.push(change);
        } else {
            changed.push(change);
        }
    }
    let weight = |m: &MethodChange| m.worth.as_ref().map_or(0.0, |worth| worth.cost.abs());
    for list in [&mut changed, &mut varying] {
        list.sort_by(|a: &MethodChange, b| {
            let by_worth = weight(b).total_cmp(&weight(a));
            let size = |m: &MethodChange| m.instructions.delta().abs();
            by_worth
                .then(size(b).total_cmp(&size(a)))
                .then_with(|| a.name.cmp(&b.name))
        });
    }
    let total = |side: usize| counts[side].executed();
    Ok(Difference {
        schema: FINDING_SCHEMA,
        inputs: common.len() as u32,
        only_before,
        only_after,
        settings: settings(before.dataset, after.dataset),
        instructions: Change {
            before: total(0),
            after: total(1),
        },
        costs: cost::changes(before.dataset, after.dataset, &common),
        changed,
        varying,
        same,
        calls: calls(before.dataset, after.dataset, &counts),
        target: before
            .explanation
            .or(after.explanation)
            .map(|e| e.target.clone()),
        unit: before
            .explanation
            .or(after.explanation)
            .map(|e| e.unit.clone()),
    })
}

/// Pairs of rows of the inputs that succeeded in both, and the inputs of one side alone.
#[allow(clippy::type_complexity)]
fn common(
    before: &Dataset,
    after: &Dataset,
) -> Result<(Vec<(usize, usize)>, [Vec<String>; 2]), CompareError> {
    let labels = |dataset: &Dataset| -> BTreeMap<String, usize> {
        let rows = dataset.observations.iter().enumerate();
        let ok = rows.filter(|(_, o)| o.status == Status::Ok);
        ok.map(|(row, o)| (o.label.clone(), row)).collect()
    };
    let [mut old, mut new] = [before, after].map(labels);
    // The same files may lie in other folders.
    if !old.keys().any(|label| new.contains_key(label)) {
        let names = |of: &BTreeMap<String, usize>| -> Option<BTreeMap<String, usize>> {
            let named = of
                .iter()
                .map(|(label, row)| (label.rsplit('/').next().unwrap_or(label).to_owned(), *row));
            let named: BTreeMap<String, usize> = named.collect();
            (named.len() == of.len()).then_some(named)
        };
        if let (Some(a), Some(b)) = (names(&old), names(&new)) {
            (old, new) = (a, b);
        }
    }
    let both: Vec<(usize, usize)> = old
        .iter()
        .filter_map(|(label, row)| Some((*row, *new.get(label)?)))
        .collect();
    let alone = |of: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>| -> Vec<String> {
        of.keys()
            .filter(|label| !other.contains_key(*label))
            .cloned()
            .collect()
    };
    if both.is_empty() {
        let some = |of: &BTreeMap<String, usize>| {
            of.keys()
                .next()
                .cloned()
                .unwrap_or_else(|| "none that succeeded".to_owned())
        };
        return Err(CompareError::NothingInCommon {
            before: some(&old),
            after: some(&new),
        });
    }
    let only = [alone(&old, &new), alone(&new, &old)];
    Ok((both, only))
}

/// Counts of the rows that are compared.
struct Counts<'d> {
    dataset: &'d Dataset,
    /// Position of each row that is compared.
    positions: Vec<Option<usize>>,
    rows: usize,
}

impl<'d> Counts<'d> {
    fn of(dataset: &'d Dataset, rows: impl Iterator<Item = usize>) -> Self {
        let mut positions = vec![None; dataset.observations.len()];
        let mut count = 0;
        for row in rows {
            positions[row] = Some(count);
            count += 1;
        }
        Self {
            dataset,
            positions,
            rows: count,
        }
    }

    /// By row, in their order.
    fn column(&self, column: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.rows];
        for (row, value) in &self.dataset.columns[column] {
            if let Some(at) = self.positions[row.0 as usize] {
                values[at] += value;
            }
        }
        values
    }

    fn sum(&self, column: usize) -> f64 {
        self.column(column).iter().sum()
    }

    /// All instructions of counted code, where they were counted; those of blocks that were entered, where not.
    fn executed(&self) -> f64 {
        let features = self.dataset.features.iter().enumerate();
        let opcodes = features.filter(|(_, f)| f.kind == FeatureKind::Opcode);
        let columns: Vec<usize> = opcodes.map(|(column, _)| column).collect();
        if columns.is_empty() {
            let blocks = methods(self.dataset);
            let blocks = blocks.iter().flat_map(|m| &m.blocks);
            return blocks.map(|b| b.instructions * self.sum(b.column)).sum();
        }
        columns.into_iter().map(|column| self.sum(column)).sum()
    }
}

/// What an instruction of each method costs, with its interval, by class, method and descriptor.
struct Rates(BTreeMap<Key, (f64, (f64, f64))>);

impl Rates {
    fn of(side: Side) -> Self {
        let Some(explanation) = side.explanation else {
            return Self(BTreeMap::new());
        };
        let dataset = side.dataset;
        let ok = (0..dataset.observations.len())
            .filter(|&row| dataset.observations[row].status == Status::Ok);
        let counts = Counts::of(dataset, ok);
        let executed: BTreeMap<Key, f64> = methods(dataset)
            .into_iter()
            .map(|method| {
                let blocks = method.blocks.iter();
                let sum = blocks.map(|b| b.instructions * counts.sum(b.column)).sum();
                (method.key, sum)
            })
            .collect();
        let rate = |item: &pricetag_finding::CostItem| {
            let place = item.place.as_ref()?;
            let key = (
                place.class.clone(),
                place.method.clone()?,
                place.descriptor.clone().unwrap_or_default(),
            );
            let instructions = executed.get(&key).filter(|n| **n > 0.0)?;
            let of = |cost: f64| cost / instructions;
            let (low, high) = item.share_bounds.filter(|_| item.share > 0.0).map_or(
                (0.0, f64::INFINITY),
                |(low, high)| {
                    (
                        of(item.cost * low / item.share),
                        of(item.cost * high / item.share),
                    )
                },
            );
            Some((key, (of(item.cost), (low, high))))
        };
        Self(explanation.items.iter().filter_map(rate).collect())
    }
}

/// A method before and after.
#[derive(Clone, Copy)]
struct Pair<'a> {
    old: Option<&'a Method>,
    new: Option<&'a Method>,
}

impl Pair<'_> {
    fn sides(&self) -> [Option<&Method>; 2] {
        [self.old, self.new]
    }

    fn varies(&self) -> bool {
        self.sides().into_iter().flatten().any(|m| m.varies)
    }

    fn change(
        &self,
        counts: &[Counts; 2],
        rates: &[Rates; 2],
        sizes: Option<&Sizes>,
    ) -> MethodChange {
        let rows = |side: usize| -> Vec<f64> {
            let mut sums = vec![0.0; counts[side].rows];
            for block in self.sides()[side].iter().flat_map(|m| &m.blocks) {
                for (sum, n) in sums.iter_mut().zip(counts[side].column(block.column)) {
                    *sum += n * block.instructions;
                }
            }
            sums
        };
        let by_row = [rows(0), rows(1)];
        let [before, after] = by_row.each_ref().map(|rows| rows.iter().sum());
        let instructions = Change { before, after };
        let invocations = |side: usize| {
            let method = self.sides()[side]?;
            let entry = method
                .blocks
                .iter()
                .find(|b| b.number == 0)
                .map(|b| b.column);
            Some(counts[side].sum(method.invocations.or(entry)?))
        };
        let calls = [invocations(0), invocations(1)];
        let shown = self.new.or(self.old);
        let name = |m: &Method| m.place.method_name();
        let was = self
            .old
            .map(name)
            .filter(|was| shown.map(name).as_ref() != Some(was));
        let growth = sizes.and_then(|sizes| {
            let [before, after] = by_row.each_ref().map(|rows| sizes.exponent(rows));
            let (before, after) = (before?, after?);
            ((before - after).abs() >= DIFFERENT).then(|| GrowthChange {
                input: sizes.input.clone(),
                before,
                after,
            })
        });
        MethodChange {
            name: shown.map(name).unwrap_or_default(),
            was,
            place: shown.map(|m| m.place.clone()),
            kind: match (self.old, self.new) {
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "gone",
                _ => "new",
            }
            .to_owned(),
            invocations: Change {
                before: calls[0].unwrap_or(0.0),
                after: calls[1].unwrap_or(0.0),
            },
            instructions,
            worth: self.worth(&instructions, rates),
            growth,
            blocks: self.blocks(counts),
        }
    }

    /// What the difference is worth by what an instruction of the method cost before, or costs after where there is no before.
    fn worth(&self, instructions: &Change, rates: &[Rates; 2]) -> Option<Priced> {
        let mut rate = self.sides().into_iter().zip(rates);
        let found = |(method, rates): (Option<&Method>, &Rates)| rates.0.get(&method?.key).copied();
        let (rate, (low, high)) = rate.find_map(found)?;
        let delta = instructions.delta();
        let ends = (delta * low, delta * high);
        let bounds = (ends.0.min(ends.1), ends.0.max(ends.1));
        Some(Priced {
            cost: delta * rate,
            bounds: (bounds.0.is_finite() && bounds.1.is_finite()).then_some(bounds),
        })
    }

    /// Blocks that ran more or less often, and new or vanished ones that ran; the largest difference first.
    fn blocks(&self, counts: &[Counts; 2]) -> Vec<BlockChange> {
        let none: &[Block] = &[];
        let [old, new] = self.sides().map(|m| m.map_or(none, |m| &m.blocks[..]));
        let change = |(i, j): (Option<usize>, Option<usize>)| {
            let [before, after] =
                [(old, i, 0), (new, j, 1)].map(|(blocks, at, side): (&[Block], _, usize)| {
                    at.map(|at: usize| (&blocks[at], counts[side].sum(blocks[at].column)))
                });
            let block = after.or(before)?.0;
            let of = |side: Option<(&Block, f64)>| side.map_or(0.0, |found| found.1);
            let lengths = [before, after]
                .map(|side| side.map_or(0.0, |found| found.0.instructions * found.1));
            let change = BlockChange {
                block: block.number,
                lines: block.lines,
                kind: match (before, after) {
                    (Some(_), None) => "gone",
                    (None, Some(_)) => "new",
                    (Some((a, _)), Some((b, _))) if a.content != b.content => "changed",
                    _ => "same",
                }
                .to_owned(),
                executions: Change {
                    before: of(before),
                    after: of(after),
                },
                instructions: Change {
                    before: lengths[0],
                    after: lengths[1],
                },
            };
            let differs = change.executions.delta() != 0.0 || change.instructions.delta() != 0.0;
            differs.then_some(change)
        };
        let mut changes: Vec<BlockChange> = align::blocks(old, new)
            .into_iter()
            .filter_map(change)
            .collect();
        changes.sort_by(|a, b| {
            let size = |c: &BlockChange| c.instructions.delta().abs();
            size(b).total_cmp(&size(a)).then(a.block.cmp(&b.block))
        });
        changes
    }
}

/// Calls that leave the counted code, where their numbers differ.
fn calls(before: &Dataset, after: &Dataset, counts: &[Counts; 2]) -> Vec<(String, Change)> {
    let of = |dataset: &Dataset, counts: &Counts| -> BTreeMap<String, f64> {
        let features = dataset.features.iter().enumerate();
        let calls = features.filter(|(_, f)| f.kind == FeatureKind::Call);
        calls
            .map(|(column, f)| (f.name.clone(), counts.sum(column)))
            .collect()
    };
    let [old, new] = [(before, &counts[0]), (after, &counts[1])].map(|(d, c)| of(d, c));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let count = |of: &BTreeMap<String, f64>, name: &String| of.get(name).copied().unwrap_or(0.0);
    let mut found: Vec<(String, Change)> = names
        .into_iter()
        .map(|name| {
            (
                name.clone(),
                Change {
                    before: count(&old, name),
                    after: count(&new, name),
                },
            )
        })
        .filter(|(_, change)| change.delta() != 0.0)
        .collect();
    found.sort_by(|a, b| {
        b.1.delta()
            .abs()
            .total_cmp(&a.1.delta().abs())
            .then_with(|| a.0.cmp(&b.0))
    });
    found
}

fn settings(before: &Dataset, after: &Dataset) -> Vec<SettingChange> {
    let all = |dataset: &Dataset| -> BTreeMap<String, String> {
        let facts = dataset.meta.platform.iter().chain(&dataset.meta.options);
        let told = facts.filter(|(name, _)| SETTINGS.contains(&name.as_str()));
        let mut found: BTreeMap<String, String> =
            told.map(|(n, v)| (n.clone(), v.clone())).collect();
        found.insert("command".to_owned(), dataset.meta.subject.join(" "));
        found
    };
    let [old, new] = [before, after].map(all);
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value =
        |of: &BTreeMap<String, String>, name: &String| of.get(name).cloned().unwrap_or_default();
    names
        .into_iter()
        .map(|name| SettingChange {
            name: name.clone(),
            before: value(&old, name),
            after: value(&new, name),
        })
        .filter(|change| change.before != change.after)
        .collect()
}
