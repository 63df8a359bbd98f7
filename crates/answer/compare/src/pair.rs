//! A method before and after: what it executes more or less, where, and what that is worth.

use std::collections::BTreeSet;

use pricetag_finding::{BlockChange, Change, GrowthChange, MethodChange, Priced};

use crate::align;
use crate::code::{Block, Method};
use crate::counts::Counts;
use crate::growth::{DIFFERENT, Sizes};
use crate::rates::{Rate, Rates};

#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) old: Option<&'a Method>,
    pub(crate) new: Option<&'a Method>,
    /// Names of the counted methods of both sides.
    pub(crate) counted: &'a BTreeSet<String>,
}

/// A block that changed.
struct Changed {
    change: BlockChange,
    /// Its numbers.
    old: Option<u32>,
    new: Option<u32>,
    /// Whether it is new or other code whose calls have no price (see [`Pair::unpriced`]).
    unpriced: bool,
}

impl Changed {
    fn is_other_code(&self) -> bool {
        matches!(self.change.kind.as_str(), "new" | "changed")
    }
}

impl Pair<'_> {
    fn sides(&self) -> [Option<&Method>; 2] {
        [self.old, self.new]
    }

    /// Whether its counts differ between two runs of one input, too.
    pub(crate) fn varies(&self) -> bool {
        self.sides().into_iter().flatten().any(|m| m.varies)
    }

    /// Whether it is there on both sides with other code.
    pub(crate) fn is_rewritten(&self) -> bool {
        matches!(self.sides(), [Some(old), Some(new)] if old.content() != new.content())
    }

    /// How it is called now.
    pub(crate) fn name(&self) -> String {
        let shown = self.new.or(self.old);
        shown.map_or_else(String::new, |m| m.place.method_name())
    }

    /// How it changed; none if it executes the same in every input.
    pub(crate) fn change(
        &self,
        counts: &[Counts; 2],
        rates: &[Rates; 2],
        sizes: Option<&Sizes>,
    ) -> Option<MethodChange> {
        let changes = self.blocks(counts);
        if changes.is_empty() {
            return None;
        }
        let shown = self.new.or(self.old)?;
        let name = self.name();
        let by_row = [0, 1].map(|side| self.instructions(side, &counts[side]));
        let differing = by_row[0].iter().zip(&by_row[1]).filter(|(a, b)| a != b);
        let [before, after] = by_row.each_ref().map(|rows| rows.iter().sum());
        let invocations = [0, 1].map(|side| {
            let method = self.sides()[side]?;
            let entry = method.blocks.iter().find(|b| b.number == 0);
            let column = method.invocations.or(entry.map(|b| b.column))?;
            Some(counts[side].sum(column))
        });
        Some(MethodChange {
            was: self
                .old
                .map(|m| m.place.method_name())
                .filter(|was| *was != name),
            name,
            place: Some(shown.place.clone()),
            kind: match (self.old, self.new) {
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "gone",
                _ => "new",
            }
            .to_owned(),
            invocations: Change {
                before: invocations[0].unwrap_or(0.0),
                after: invocations[1].unwrap_or(0.0),
            },
            differing: differing.count() as u32,
            instructions: Change { before, after },
            worth: self.worth(&changes, rates),
            growth: sizes.and_then(|sizes| growth(sizes, &by_row)),
            blocks: changes.into_iter().map(|changed| changed.change).collect(),
        })
    }

    /// Instructions in each input.
    fn instructions(&self, side: usize, counts: &Counts) -> Vec<f64> {
        let mut sums = vec![0.0; counts.rows];
        for block in self.sides()[side].iter().flat_map(|m| &m.blocks) {
            for (sum, n) in sums.iter_mut().zip(counts.column(block.column)) {
                *sum += n * block.instructions;
            }
        }
        sums
    }

    /// What the differences of the blocks are worth; none if that cannot be told of one of them.
    fn worth(&self, changes: &[Changed], rates: &[Rates; 2]) -> Option<Priced> {
        let nothing = Rate::default().times(0.0);
        let mut worths = changes.iter().map(|changed| self.worth_of(changed, rates));
        worths.try_fold(nothing, |sum, worth| Some(together(sum, worth?)))
    }

    /// Old code is worth what its instructions cost before. New code is worth as much as the method's others, unless its calls have no price:
    /// then only the new build's prices tell.
    fn worth_of(&self, changed: &Changed, rates: &[Rates; 2]) -> Option<Priced> {
        let Change { before, after } = changed.change.instructions;
        let [old, new] = [(0, changed.old), (1, changed.new)]
            .map(|(side, number)| rates[side].block(&self.sides()[side]?.key, number?));
        if changed.unpriced {
            let gone = changed.old.map_or(Some(Rate::default()), |_| old);
            return Some(together(new?.times(after), gone?.times(-before)));
        }
        let others = || rates[0].method(&self.old?.key);
        let rate = old.or_else(others).or(new)?;
        Some(rate.times(after - before))
    }

    /// Whether a block calls what is not counted and the method did not call before, or calls nothing of the kind where the method did. What a call
    /// costs that leaves the counted code is in the prices of the method that makes it; what is counted has prices of its own.
    fn unpriced(&self, block: &Block) -> bool {
        let before: BTreeSet<&str> = self
            .old
            .iter()
            .flat_map(|method| method.blocks.iter().flat_map(Block::callees))
            .collect();
        let leaves = |callee: &&str| !self.counted.contains(*callee);
        let mut leaving = block.callees().filter(leaves).peekable();
        if leaving.peek().is_none() {
            return before.iter().any(leaves);
        }
        leaving.any(|callee| !before.contains(callee))
    }

    /// Blocks that ran more or less often in some input, and new or vanished ones that ran, with their numbers on both sides; the largest
    /// difference first.
    fn blocks(&self, counts: &[Counts; 2]) -> Vec<Changed> {
        let none: &[Block] = &[];
        let [old, new] = self.sides().map(|m| m.map_or(none, |m| &m.blocks[..]));
        let mut changes = Vec::new();
        for (i, j) in align::blocks(old, new) {
            let before = i.map(|i| Ran::of(&old[i], &counts[0]));
            let after = j.map(|j| Ran::of(&new[j], &counts[1]));
            let found = changed(before.as_ref(), after.as_ref());
            changes.extend(found.map(|found| Changed {
                unpriced: j.is_some_and(|j| found.is_other_code() && self.unpriced(&new[j])),
                ..found
            }));
        }
        changes.sort_by(|a, b| {
            let size = |c: &Changed| c.change.instructions.delta().abs();
            let number = |c: &Changed| c.change.block;
            size(b).total_cmp(&size(a)).then(number(a).cmp(&number(b)))
        });
        changes
    }
}

/// A block of one side.
struct Ran<'a> {
    block: &'a Block,
    /// Its executions in each input.
    rows: Vec<f64>,
    executions: f64,
    instructions: f64,
}

impl<'a> Ran<'a> {
    fn of(block: &'a Block, counts: &Counts) -> Self {
        let rows = counts.column(block.column);
        let executions = rows.iter().sum();
        Self {
            block,
            rows,
            executions,
            instructions: executions * block.instructions,
        }
    }
}

/// How a block changed, with its numbers on both sides; none if it executes the same in every input.
fn changed(before: Option<&Ran>, after: Option<&Ran>) -> Option<Changed> {
    let (kind, differs) = match (before, after) {
        (Some(a), Some(b)) if a.block.content == b.block.content => ("same", a.rows != b.rows),
        (Some(a), Some(b)) => {
            let differs = a.rows != b.rows || a.instructions != b.instructions;
            ("changed", differs)
        }
        (Some(one), None) => ("gone", one.executions > 0.0),
        (None, Some(one)) => ("new", one.executions > 0.0),
        (None, None) => return None,
    };
    let block = after.or(before)?.block;
    let change = BlockChange {
        block: block.number,
        lines: block.lines,
        kind: kind.to_owned(),
        executions: Change {
            before: before.map_or(0.0, |ran| ran.executions),
            after: after.map_or(0.0, |ran| ran.executions),
        },
        instructions: Change {
            before: before.map_or(0.0, |ran| ran.instructions),
            after: after.map_or(0.0, |ran| ran.instructions),
        },
    };
    let [old, new] = [before, after].map(|ran| ran.map(|ran| ran.block.number));
    differs.then_some(Changed {
        change,
        old,
        new,
        unpriced: false,
    })
}

fn together(one: Priced, other: Priced) -> Priced {
    let bounds = one.bounds.zip(other.bounds);
    Priced {
        cost: one.cost + other.cost,
        bounds: bounds.map(|(a, b)| (a.0 + b.0, a.1 + b.1)),
    }
}

fn growth(sizes: &Sizes, by_row: &[Vec<f64>; 2]) -> Option<GrowthChange> {
    let [before, after] = by_row.each_ref().map(|rows| sizes.exponent(rows));
    let (before, after) = (before?, after?);
    ((before - after).abs() >= DIFFERENT).then(|| GrowthChange {
        input: sizes.input.clone(),
        before,
        after,
    })
}
