//! What the functions of a program cost at most, or at least, as polynomials in the sizes of their arguments.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// Bounds of the functions of one program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramBounds {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// The program.
    pub program: String,
    /// Estimator of the prices; none where nothing is priced.
    pub estimator: Option<String>,
    /// What to know before trusting them.
    pub warnings: Vec<String>,
    /// In the order of the program.
    pub functions: Vec<FunctionBounds>,
}

/// Bounds of one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionBounds {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_text: String,
    /// Its line.
    pub line: u32,
    /// One for each cost and side that was asked for.
    pub bounds: Vec<CostBound>,
    /// About the time with collections, by the paper's rule: no bound. None where nothing is allocated, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collecting: Option<String>,
    /// Where the time comes from: constructs and called functions, how often each at most, and what it costs each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explained: Vec<BoundPart>,
}

/// A construct or a called function in the bound of a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundPart {
    /// The construct, or `calls of f`.
    pub name: String,
    /// How often, at most, in the same sizes; a bound by itself. Empty if it has none.
    pub times: String,
    /// Why it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<String>,
    /// Nanoseconds each; none of calls, whose constructs are told.
    pub price: Option<f64>,
}

/// A bound of one cost, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostBound {
    /// `time`, `bytes`, a construct, `calls of f`.
    pub cost: String,
    /// `ns`, `bytes`, …
    pub unit: String,
    /// `upper` or `lower`.
    pub side: String,
    /// The polynomial as text, rounded to the safe side.
    pub text: Option<String>,
    /// Of a time: the same as it is measured, by the interval of the price list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredBound>,
    /// The sizes it is in: name and meaning.
    pub sizes: Vec<(String, String)>,
    /// Exact factors with the powers of the sizes.
    pub terms: Vec<BoundTerm>,
    /// Its degree.
    pub degree: Option<u32>,
    /// Whether what is inside of data was taken to be as large as the largest.
    pub widened: bool,
    /// Whether it is for numbers that are not negative alone.
    pub natural: bool,
    /// Constraints of the linear program.
    pub constraints: usize,
    /// Unknowns of the linear program.
    pub unknowns: usize,
    /// How long the analysis took, search of the degree and check included.
    pub milliseconds: f64,
    /// Why there is none.
    pub none: Option<String>,
}

/// A bound of what is measured, which errs by as much as the price list does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredBound {
    /// How often it holds, as a share, for the worst input of a size.
    pub level: f64,
    /// What the bound of the model is multiplied by.
    pub factor: f64,
    /// The polynomial as text, rounded to the safe side.
    pub text: String,
}

/// A term of a bound.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundTerm {
    /// An exact fraction, such as `11277/1000`.
    pub factor: String,
    /// Names of sizes with their powers.
    pub powers: Vec<(String, u32)>,
}

impl ProgramBounds {
    /// As a person reads it.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing into a string cannot fail.
        for (i, function) in self.functions.iter().enumerate() {
            if i > 0 {
                out.push('\n');
            }
            writeln!(
                out,
                "{} : {}   (line {})",
                function.name, function.type_text, function.line
            )
            .ok();
            let mut sizes: Vec<&(String, String)> = Vec::new();
            let wide = function
                .bounds
                .iter()
                .map(|b| b.cost.chars().count())
                .max()
                .unwrap_or(0);
            for bound in &function.bounds {
                let sign = if bound.side == "upper" { '≤' } else { '≥' };
                match (&bound.text, &bound.none) {
                    (Some(text), _) => {
                        writeln!(out, "  {:<wide$} {sign} {text} {}", bound.cost, bound.unit).ok();
                        if let Some(measured) = &bound.measured {
                            writeln!(
                                out,
                                "  {:<wide$} {sign} {} {}, as measured, in {:.0} % of cases",
                                "",
                                measured.text,
                                bound.unit,
                                100.0 * measured.level
                            )
                            .ok();
                        }
                        sizes.extend(
                            bound
                                .sizes
                                .iter()
                                .filter(|s| !sizes.contains(s))
                                .collect::<Vec<_>>(),
                        );
                    }
                    (None, Some(why)) => {
                        writeln!(
                            out,
                            "  {:<wide$} no {} bound: {why}",
                            bound.cost, bound.side
                        )
                        .ok();
                    }
                    (None, None) => {}
                }
            }
            if let Some(text) = &function.collecting {
                writeln!(out, "  with collections about {text} ns").ok();
            }
            for (name, meaning) in sizes {
                writeln!(out, "  {name} = {meaning}").ok();
            }
            let wide = function.explained.iter().map(|p| p.name.chars().count());
            let wide = wide.max().unwrap_or(0);
            for part in &function.explained {
                let each = part.price.map(|p| format!(", {p:.3} ns each"));
                let times = match &part.none {
                    None => format!("{} times", part.times),
                    Some(why) => format!("no bound by itself: {why}"),
                };
                let each = each.unwrap_or_default();
                writeln!(out, "    {:<wide$}  {times}{each}", part.name).ok();
            }
            let found: Vec<&CostBound> = function
                .bounds
                .iter()
                .filter(|b| b.text.is_some())
                .collect();
            if !found.is_empty() {
                let time: f64 = function.bounds.iter().map(|b| b.milliseconds).sum();
                let constraints: usize = found.iter().map(|b| b.constraints).sum();
                if found.iter().any(|b| b.natural) {
                    writeln!(out, "  where numbers are not negative").ok();
                }
                let wide = if found.iter().any(|b| b.widened) {
                    "; all inner values as large as the largest"
                } else {
                    ""
                };
                writeln!(
                    out,
                    "  checked: {constraints} constraints, {time:.0} ms{wide}"
                )
                .ok();
            }
        }
        for warning in &self.warnings {
            writeln!(out, "\nnote: {warning}").ok();
        }
        out
    }
}

/// Two functions held against each other by their bounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundComparison {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// Both, as given.
    pub names: [String; 2],
    /// Their upper bounds of the time.
    pub bounds: [CostBound; 2],
    /// Calls of both by prediction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predicted: Vec<PredictedPair>,
    /// Ranges of the size, all sizes being equal: from, to (none without end), and which is faster (0 or 1, none if they are alike).
    pub ranges: Vec<(u64, Option<u64>, Option<usize>)>,
    /// Whether one has no larger factor than the other in any term: what holds then for all sizes, alike or not.
    pub termwise: Option<usize>,
    /// What to know before trusting it.
    pub warnings: Vec<String>,
}

/// What the same call of both costs by prediction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictedPair {
    /// The call, and what `n` is in it.
    pub call: String,
    /// Nanoseconds of both, collections included; none if a construct has no price.
    pub times: [Option<f64>; 2],
}

impl PredictedPair {
    /// Which is faster.
    pub fn faster(&self) -> Option<usize> {
        let [Some(a), Some(b)] = self.times else {
            return None;
        };
        (a != b).then_some(usize::from(a > b))
    }
}

impl BoundComparison {
    /// As a person reads it.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let wide = self
            .names
            .iter()
            .map(|n| n.chars().count())
            .max()
            .unwrap_or(0);
        for (name, bound) in self.names.iter().zip(&self.bounds) {
            match (&bound.text, &bound.none) {
                (None, Some(why)) => writeln!(out, "{name:<wide$} no bound: {why}").ok(),
                (text, _) => {
                    let text = text.as_deref().unwrap_or("?");
                    writeln!(out, "{name:<wide$} ≤ {text} {}", bound.unit).ok()
                }
            };
        }
        for (name, meaning) in self.bounds.iter().flat_map(|b| &b.sizes) {
            let line = format!("  {name} = {meaning}\n");
            if !out.contains(&line) {
                out.push_str(&line);
            }
        }
        out.push('\n');
        for (from, to, faster) in &self.ranges {
            let sizes = match to {
                Some(to) if to == from => format!("at size {from}"),
                Some(to) => format!("at sizes {from} to {to}"),
                None if *from == 0 => "at all sizes".to_owned(),
                None => format!("from size {from} on"),
            };
            match faster {
                Some(which) => writeln!(
                    out,
                    "{sizes} {} is faster, by the bounds",
                    self.names[*which]
                )
                .ok(),
                None => writeln!(out, "{sizes} both have the same bound").ok(),
            };
        }
        for pair in &self.predicted {
            let [a, b] = pair
                .times
                .map(|t| t.map_or("no price".into(), |t| crate::figure::quantity(t, "ns")));
            let faster = pair.faster().map_or_else(
                || "neither is faster".to_owned(),
                |which| format!("{} is faster", self.names[which]),
            );
            writeln!(out, "{}: {a} and {b}; {faster}, by prediction", pair.call).ok();
        }
        if self.termwise.is_none() && self.bounds.iter().any(|b| b.sizes.len() > 1) {
            writeln!(
                out,
                "(all sizes being equal: it may be otherwise when they differ)"
            )
            .ok();
        }
        for warning in &self.warnings {
            writeln!(out, "\nnote: {warning}").ok();
        }
        out
    }
}
