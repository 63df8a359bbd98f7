//! Where the cost goes: by method, block, line or bucket, with what supports each figure.

use std::fmt::Write as _;

use pricetag_classfile::naming;
use pricetag_quantity::counted;
use serde::{Deserialize, Serialize};

use crate::figure::{bounds, brief, count, percent, quantity};
use crate::table::{Align, printable, render};

/// What costs are grouped by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// Methods; features without a place in code stand alone.
    #[default]
    Method,
    /// Basic blocks and other features, one line each.
    Block,
    /// Source lines.
    Line,
    /// Buckets as they are priced.
    Bucket,
}

/// Where the cost of some observations goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// Cost that is explained.
    pub target: String,
    /// Its base unit.
    pub unit: String,
    /// What `items` are.
    pub by: Grouping,
    /// Observations summed over.
    pub observations: u32,
    /// Predicted cost of all of them; the items add up to it.
    pub predicted: f64,
    /// Measured cost of all of them, where every one was measured.
    pub measured: Option<f64>,
    /// What one sample of the program's methods stands for, in the unit; none without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<f64>,
    /// Parts of the cost, most expensive first.
    pub items: Vec<CostItem>,
    /// Annotated source or bytecode of the most expensive methods.
    pub listings: Vec<Listing>,
    /// What to keep in mind when reading the figures.
    pub notes: Vec<String>,
}

/// One part of the cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostItem {
    /// Method, block, line or bucket.
    pub name: String,
    /// What is counted: `block`, `method`, `opcode`, `input`, …; `mixed` for groups of several kinds.
    pub kind: String,
    /// Where it is in the code, if it is in the code.
    pub place: Option<Place>,
    /// Executions over all observations (of the most executed member, for groups).
    pub count: f64,
    /// Predicted cost over all observations.
    pub cost: f64,
    /// Share of the predicted cost, 0 … 1.
    pub share: f64,
    /// Interval of the share, by the samples alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_bounds: Option<(f64, f64)>,
    /// Samples behind it, where it was sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Whether its share is known well enough for a rank of its own: see [`ranked`].
    #[serde(default)]
    pub unranked: bool,
    /// How the cost of a method divides, and what it caused elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// Price of one execution, where the item is priced as one.
    pub price: Option<f64>,
    /// Interval of the price.
    pub price_bounds: Option<(f64, f64)>,
    /// What the price would be from its parts alone.
    pub prior: Option<f64>,
    /// Weight of the observations against the prior, 0 … 1 (mean weighted by cost, for groups).
    pub evidence: Option<f64>,
    /// Observations in which it was executed.
    pub support: u32,
    /// Bucket whose cost was divided among members; the division is by counts alone, not by measurement.
    pub split_from: Option<String>,
    /// What the inputs do to this cost.
    pub control: Option<Control>,
    /// Disassembled text, if there is any.
    pub text: Option<String>,
    /// What to be careful about.
    pub notes: Vec<String>,
}

/// How processor time divides, as shares of the whole cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The method's own compiled code.
    pub own: f64,
    /// Its own code in the interpreter.
    pub interpreted: f64,
    /// Code that it calls and that is not the program's.
    pub called: f64,
    /// The JVM on its behalf: slow paths of allocation, locks and exceptions.
    pub runtime: f64,
    /// Class loading that it set off; part of another line.
    pub loading: f64,
    /// Compilers at work on it; part of another line.
    pub compilation: f64,
    /// Collecting what it allocated; part of another line.
    pub collection: f64,
    /// The method with all that it calls.
    pub inclusive: f64,
}

impl Spread {
    /// What it caused that stands on other lines.
    pub fn caused(&self) -> f64 {
        self.loading + self.compilation + self.collection
    }
}

/// Ends of a share's interval may be this many times apart, if the line is to have a rank.
pub const RANKED: f64 = 3.0;

/// Marks lines of code whose share is not known well enough for a rank. Lines without an interval keep theirs, and what the JVM does, which is
/// told by names that nobody would look for among methods.
pub fn ranked(items: &mut [CostItem]) {
    for item in items {
        let wide = |(low, high): (f64, f64)| low <= 0.0 || high > RANKED * low;
        item.unranked = item.place.is_some() && item.share_bounds.is_some_and(wide);
    }
}

/// A place in code.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Internal class name.
    pub class: String,
    /// Method name.
    pub method: Option<String>,
    /// Method descriptor.
    pub descriptor: Option<String>,
    /// Block number in its method.
    pub block: Option<u32>,
    /// Bytecode range `[start, end)`.
    pub pcs: Option<(u32, u32)>,
    /// First and last source line.
    pub lines: Option<(u32, u32)>,
    /// Lines of which it has instructions, and how many; empty where it has of one line alone, or that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code_lines: Vec<(u32, u32)>,
    /// Source file name.
    pub source_file: Option<String>,
}

/// Lines that one block may spread over; a wider range is damaged debug information.
const MAX_LINES: usize = 500;

/// How far the inputs decide over an item's cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// Share of the variation of the predicted cost over the observations that this item carries; all items' shares add
    /// up to one (a share may be negative, where an item saves what others spend).
    pub variation: f64,
    /// Largest cost of the item in one observation over its median cost.
    pub peak: Option<f64>,
    /// Known input that this item's count follows most closely.
    pub input: Option<String>,
    /// Rank correlation with that input, −1 … 1.
    pub correlation: Option<f64>,
    /// Exponent `e` of count ≈ input^e, where both are positive.
    pub exponent: Option<f64>,
    /// Whether the item decides so much over the cost that whoever chooses the input can exhaust time or memory here.
    pub risk: bool,
}

/// Annotated source or bytecode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// Method or source file.
    pub title: String,
    /// Path of the source file, if it was found; otherwise this is bytecode.
    pub path: Option<String>,
    /// Predicted cost of the whole listing over all observations.
    pub cost: f64,
    /// What one sample stands for: lines of less were hardly seen. None without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<f64>,
    /// Its lines.
    pub lines: Vec<ListingLine>,
}

/// One line of a [`Listing`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListingLine {
    /// Line number in the source file; none for bytecode.
    pub number: Option<u32>,
    /// Text of the line.
    pub text: String,
    /// Executions, if something on the line was counted.
    pub count: Option<f64>,
    /// Cost, if something on the line was priced.
    pub cost: Option<f64>,
    /// Share of the whole predicted cost.
    pub share: Option<f64>,
}

impl Place {
    /// Its lines, and the part of it that is on each: by instructions where they are known, in equal parts otherwise.
    pub fn by_line(&self) -> Vec<(u32, f64)> {
        let all: u32 = self.code_lines.iter().map(|(_, n)| n).sum();
        if all > 0 {
            let part = |&(line, n): &(u32, u32)| (line, f64::from(n) / f64::from(all));
            return self.code_lines.iter().map(part).collect();
        }
        let Some((first, last)) = self.lines else {
            return Vec::new();
        };
        let lines: Vec<u32> = (first..=last.max(first)).take(MAX_LINES).collect();
        let part = 1.0 / lines.len() as f64;
        lines.into_iter().map(|line| (line, part)).collect()
    }

    /// The method as people write it: `org.example.Sorter.sort(int[])`; the class alone where there is no method.
    pub fn method_name(&self) -> String {
        let class = self.class.replace('/', ".");
        match &self.method {
            Some(method) => format!(
                "{class}.{method}({})",
                self.descriptor
                    .as_deref()
                    .map_or_else(String::new, naming::short_parameters)
            ),
            None => class,
        }
    }

    /// Path of the source file relative to a source root: the package's folders and the file's name.
    pub fn source_path(&self) -> Option<String> {
        let file = self.source_file.as_ref()?;
        Some(match self.class.rsplit_once('/') {
            Some((package, _)) => format!("{package}/{file}"),
            None => file.clone(),
        })
    }
}

impl Explanation {
    /// What the shares are shares of, in the explanation's unit: what was measured where that is known of all observations, else what is predicted.
    pub fn whole(&self) -> f64 {
        let shared = self.items.iter().find(|item| item.share > 0.0);
        shared.map_or(self.predicted, |item| item.cost / item.share)
    }

    /// Lays out the `limit` most expensive items, then risks and notes.
    pub fn to_text(&self, limit: usize, width: usize) -> String {
        if self.items.iter().any(|item| item.share_bounds.is_some()) {
            return self.sampled_text(limit, width);
        }
        let shown = &self.items[..limit.min(self.items.len())];
        let priors = shown.iter().any(|item| item.prior.is_some());
        let header = [
            (self.by.noun(), Align::Left),
            ("cost", Align::Right),
            ("share", Align::Right),
            ("count", Align::Right),
            ("price", Align::Right),
            ("interval", Align::Right),
            ("prior", Align::Right),
            ("evidence", Align::Right),
        ];
        let wanted = |column: &str| column != "prior" || priors;
        let columns = header.iter().filter(|(name, _)| wanted(name));
        let header: Vec<(&str, Align)> = columns.copied().collect();
        let rows: Vec<Vec<String>> = shown.iter().map(|item| self.cells(item, priors)).collect();
        let mut text = format!(
            "{} over {}: {} predicted{}\n\n",
            self.target,
            counted(self.observations as usize, "observation"),
            quantity(self.predicted, &self.unit),
            self.measured.map_or_else(String::new, |value| format!(
                ", {} measured",
                quantity(value, &self.unit)
            )),
        );
        text.push_str(&render(&header, &rows, 0, width));
        if self.items.len() > limit {
            let rest: f64 = self.items[limit..].iter().map(|item| item.share).sum();
            let _ = writeln!(text, "{} more: {}", self.items.len() - limit, percent(rest));
        }
        if shown.iter().any(|item| item.split_from.is_some()) {
            text.push_str("* shares a merged bucket\n");
        }
        if priors {
            text.push_str(
                "prior: the price that its parts alone would give it; evidence: how far the observations moved the price from there\n",
            );
        }
        for item in self.items.iter().filter(|item| item.is_risk()).take(limit) {
            let _ = writeln!(text, "! {}", item.risk_text());
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {}", brief(&printable(note)));
        }
        text
    }

    fn cells(&self, item: &CostItem, priors: bool) -> Vec<String> {
        let prior = item.prior.map(|prior| quantity(prior, &self.unit));
        let mut cells = vec![
            format!(
                "{}{}",
                brief(&item.name),
                if item.split_from.is_some() { " *" } else { "" }
            ),
            quantity(item.cost, &self.unit),
            percent(item.share),
            count(item.count),
            item.price
                .map_or_else(|| "–".to_owned(), |price| quantity(price, &self.unit)),
            item.price_bounds
                .map_or_else(String::new, |ends| bounds(ends, &self.unit)),
        ];
        cells.extend(priors.then(|| prior.unwrap_or_default()));
        let evidence = item
            .evidence
            .map(|weight| format!("{:.0} %", weight * 100.0));
        cells.push(evidence.unwrap_or_default());
        cells
    }
}

impl CostItem {
    /// Whether an input can drive the whole cost through this item.
    pub fn is_risk(&self) -> bool {
        self.control.as_ref().is_some_and(|control| control.risk)
    }

    /// Says what an input can do through this item; empty without [`Control`].
    pub fn risk_text(&self) -> String {
        let Some(control) = &self.control else {
            return String::new();
        };
        let mut text = format!(
            "{} carries {} of the variation of the cost",
            brief(&printable(&self.name)),
            percent(control.variation)
        );
        if let Some(input) = &control.input {
            let _ = write!(text, "; it follows {}", printable(input));
            if let Some(exponent) = control.exponent {
                let _ = write!(text, ", growing like its power {exponent:.1}");
            }
        }
        if let Some(peak) = control.peak.filter(|&peak| peak >= 2.0) {
            let _ = write!(text, "; at worst {} times its median", count(peak.round()));
        }
        text
    }
}

impl Grouping {
    /// The word for one item.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Block => "block",
            Self::Line => "line",
            Self::Bucket => "bucket",
        }
    }
}

impl Listing {
    /// Lays the listing out: count, cost and share left of each line.
    pub fn to_text(&self, unit: &str) -> String {
        let mut text = format!(
            "{}\n",
            printable(self.path.as_deref().unwrap_or(&self.title))
        );
        let least = self.sample.unwrap_or(0.0);
        let cost = |cost: f64| {
            if cost > 0.0 && cost < least {
                format!("< {}", quantity(least, unit))
            } else {
                quantity(cost, unit)
            }
        };
        for line in &self.lines {
            let seen = line.cost.is_none_or(|cost| cost <= 0.0 || cost >= least);
            let number = line
                .number
                .map_or_else(String::new, |number| number.to_string());
            let row = format!(
                "{:>10} {:>10} {:>7} {number:>5}  {}",
                line.count.map_or_else(String::new, count),
                line.cost.map_or_else(String::new, cost),
                line.share
                    .filter(|_| seen)
                    .map_or_else(String::new, percent),
                printable(&line.text.replace('\t', "    ")),
            );
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }
}
