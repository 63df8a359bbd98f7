//! Tables of recorded calls: rows are provided calls, passes or required calls; columns are numbers that are known before the cell to be explained is.
//!
//! A *pass* is a round of required calls in the usual order: a new one begins where a call comes that stands before or at the last one's place in it. So the
//! calls that an upload of three files makes are three passes. In a pass, `files[pass].size` is about the file of that number.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pricetag_services::{Call, Recording, Required, Service, Value};

use crate::distinct;

/// Parts of parameters and results that formulas are learnt for.
const LEARNT: [&str; 3] = ["", ".size", ".sizes"];

/// The sum over all categories.
const ALL: &str = "instructions";

/// How services and parameters are called in formulas.
#[derive(Clone, Debug)]
pub struct Names {
    required: Vec<String>,
    parameters: Vec<Vec<String>>,
}

impl Names {
    /// Short names that differ.
    pub fn of(recording: &Recording) -> Self {
        let short = recording.required.iter().map(Service::short).collect();
        let full = |place: usize| {
            let service = &recording.required[place];
            format!("{}.{}", service.class, service.method)
        };
        let required = distinct(short, full);
        // Overloaded ones still share it.
        let required = distinct(required, |place| {
            full(place) + &recording.required[place].descriptor
        });
        let lists = recording.provided.iter();
        Self {
            required,
            parameters: lists.map(|s| s.parameters.clone()).collect(),
        }
    }
}

/// Columns by name, over rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names and values, those that are preferred first.
    pub columns: Vec<(String, Vec<f64>)>,
    /// What is to be explained.
    pub target: Vec<f64>,
    /// Whether a row is kept aside to check.
    pub aside: Vec<bool>,
}

/// One row before all are known.
type Known = BTreeMap<String, f64>;

/// The tables of one provided service.
pub struct Tables<'r> {
    names: &'r Names,
    parameters: &'r [String],
    calls: Vec<&'r Call>,
    order: Vec<usize>,
    passes: Vec<Vec<Range<usize>>>,
}

impl<'r> Tables<'r> {
    /// Of the provided service at this place.
    pub fn of(recording: &'r Recording, names: &'r Names, service: usize) -> Self {
        let calls: Vec<&Call> = recording
            .calls
            .iter()
            .filter(|call| call.service == service && call.further == 0)
            .collect();
        let order = order(&calls);
        let ranks: BTreeMap<usize, usize> =
            order.iter().enumerate().map(|(r, s)| (*s, r)).collect();
        let passes = calls.iter().map(|call| passes(call, &ranks)).collect();
        Self {
            names,
            parameters: &names.parameters[service],
            calls,
            order,
            passes,
        }
    }

    /// Calls that can be learnt from.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// How many of them are kept aside.
    pub fn aside(&self) -> usize {
        (0..self.calls.len()).filter(|&c| self.is_aside(c)).count()
    }

    /// How many ended in an exception.
    pub fn threw(&self) -> usize {
        self.calls.iter().filter(|call| call.threw).count()
    }

    /// Required services in their usual order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Most passes of a call.
    pub fn passes(&self) -> usize {
        self.passes.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// A third, spread so that no regular pattern of inputs meets it; none of less than six.
    fn is_aside(&self, call: usize) -> bool {
        let spread = (call as u32).wrapping_mul(2_654_435_761) >> 16;
        self.calls.len() >= 6 && spread.is_multiple_of(3)
    }

    /// What is known when a call begins.
    fn begun(&self, call: &Call) -> Known {
        let mut known = Known::new();
        for (index, value) in call.arguments.iter().enumerate() {
            value.features(&self.parameter_name(index), &mut |name, number| {
                known.insert(name, number);
            });
        }
        known
    }

    fn parameter_name(&self, index: usize) -> String {
        let given = self.parameters.get(index);
        given.cloned().unwrap_or_else(|| format!("p{index}"))
    }

    /// What is known when a pass begins.
    fn begun_pass(&self, call: &Call, pass: usize) -> Known {
        let mut known = self.begun(call);
        known.insert("pass".to_owned(), pass as f64);
        for (index, value) in call.arguments.iter().enumerate() {
            if let Some(element) = value.element(pass) {
                let name = format!("{}[pass]", self.parameter_name(index));
                element.features(&name, &mut |name, number| {
                    known.insert(name, number);
                });
            }
        }
        known
    }

    /// Adds what a required call tells.
    fn add(&self, required: &Required, known: &mut Known) {
        let name = &self.names.required[required.service];
        *known.entry(format!("{name}.calls")).or_default() += 1.0;
        let mut tell = |name: String, number: f64| *known.entry(name).or_default() += number;
        for (index, value) in required.arguments.iter().enumerate() {
            value.features(&format!("{name}.p{index}"), &mut tell);
        }
        if let Some(result) = &required.result {
            result.features(&format!("{name}.result"), &mut tell);
        }
    }

    fn rank(&self, service: usize) -> usize {
        let place = self.order.iter().position(|s| *s == service);
        place.unwrap_or(self.order.len())
    }

    /// What is known of a whole call by the time that a service is called, as sums over the calls of those before it; of all for none.
    fn by_call(&self, call: &Call, before: Option<usize>) -> Known {
        let mut known = self.begun(call);
        let rank = before.map_or(usize::MAX, |service| self.rank(service));
        for required in &call.required {
            if self.rank(required.service) < rank {
                self.add(required, &mut known);
            }
        }
        known
    }

    /// Calls of a service: rows are provided calls.
    pub fn in_call(&self, service: usize) -> Table {
        let rows = self.calls.iter().enumerate().map(|(index, call)| {
            let calls = call.required.iter().filter(|r| r.service == service);
            let known = self.by_call(call, Some(service));
            (known, calls.count() as f64, self.is_aside(index))
        });
        table(&rows.collect::<Vec<_>>())
    }

    /// Passes of a call: rows are provided calls.
    pub fn pass_counts(&self) -> Table {
        let rows = self.calls.iter().enumerate().map(|(index, call)| {
            let passes = self.passes[index].len() as f64;
            (self.begun(call), passes, self.is_aside(index))
        });
        table(&rows.collect::<Vec<_>>())
    }

    /// Whether a service is called in a pass: rows are passes.
    pub fn in_pass(&self, service: usize) -> Table {
        let mut rows = Vec::new();
        for (index, call) in self.calls.iter().enumerate() {
            for (pass, range) in self.passes[index].iter().enumerate() {
                let mut known = self.begun_pass(call, pass);
                let mut called = 0.0;
                for required in &call.required[range.clone()] {
                    if required.service == service {
                        called = 1.0;
                    } else if self.rank(required.service) < self.rank(service) {
                        self.add(required, &mut known);
                    }
                }
                rows.push((known, called, self.is_aside(index)));
            }
        }
        table(&rows)
    }

    /// Parts of a service's parameters that formulas are learnt for.
    pub fn parts(&self, service: usize) -> Vec<(usize, String)> {
        let all = self.calls.iter().flat_map(|call| &call.required);
        let mut parts = BTreeSet::new();
        for required in all.filter(|required| required.service == service) {
            for (index, value) in required.arguments.iter().enumerate() {
                parts.extend(learnt(value).into_iter().map(|part| (index, part)));
            }
        }
        parts.into_iter().collect()
    }

    /// A part of a parameter: rows are calls of the service.
    pub fn parameter(&self, service: usize, parameter: usize, part: &str) -> Table {
        let mut rows = Vec::new();
        for (index, call) in self.calls.iter().enumerate() {
            for (pass, range) in self.passes[index].iter().enumerate() {
                let mut known = self.begun_pass(call, pass);
                for required in &call.required[range.clone()] {
                    if required.service == service
                        && let Some(value) = required.arguments.get(parameter)
                        && let Some(number) = part_of(value, part)
                    {
                        rows.push((known.clone(), number, self.is_aside(index)));
                    }
                    self.add(required, &mut known);
                }
            }
        }
        table(&rows)
    }

    /// Parts of the result.
    pub fn result_parts(&self) -> Vec<String> {
        let results = self.calls.iter().filter_map(|call| call.result.as_ref());
        let parts: BTreeSet<String> = results.flat_map(learnt).collect();
        parts.into_iter().collect()
    }

    /// A part of the result: rows are provided calls that have it.
    pub fn result(&self, part: &str) -> Table {
        let rows = self.calls.iter().enumerate().filter_map(|(index, call)| {
            let number = part_of(call.result.as_ref()?, part)?;
            Some((self.by_call(call, None), number, self.is_aside(index)))
        });
        table(&rows.collect::<Vec<_>>())
    }

    /// Categories of instructions that were counted.
    pub fn categories(&self) -> Vec<String> {
        let all = self.calls.iter().flat_map(|call| call.executed.keys());
        let all: BTreeSet<&String> = all.collect();
        let sum = (!all.is_empty()).then(|| ALL.to_owned());
        sum.into_iter().chain(all.into_iter().cloned()).collect()
    }

    /// Instructions of a category: rows are provided calls that were counted.
    pub fn executed(&self, category: &str) -> Table {
        let counted = self.calls.iter().enumerate();
        let counted = counted.filter(|(_, call)| !call.executed.is_empty());
        let rows = counted.map(|(index, call)| {
            let number = if category == ALL {
                call.executed.values().sum()
            } else {
                call.executed.get(category).copied().unwrap_or(0.0)
            };
            (self.by_call(call, None), number, self.is_aside(index))
        });
        table(&rows.collect::<Vec<_>>())
    }

    /// Time: rows are provided calls that were timed.
    pub fn time(&self) -> Option<Table> {
        let rows = self.calls.iter().enumerate().filter_map(|(index, call)| {
            Some((self.by_call(call, None), call.time?, self.is_aside(index)))
        });
        let rows: Vec<_> = rows.collect();
        (!rows.is_empty()).then(|| table(&rows))
    }
}

fn learnt(value: &Value) -> Vec<String> {
    let mut parts = Vec::new();
    value.features("", &mut |name, _| {
        if LEARNT.contains(&name.as_str()) {
            parts.push(name);
        }
    });
    parts
}

fn part_of(value: &Value, part: &str) -> Option<f64> {
    let mut found = None;
    value.features("", &mut |name, number| {
        if name == part {
            found = Some(number);
        }
    });
    found
}

/// Services by which precede which in more calls; short calls tell more, since in them little is repeated.
fn order(calls: &[&Call]) -> Vec<usize> {
    let mut votes: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut all = BTreeSet::new();
    for call in calls {
        let mut first: Vec<usize> = Vec::new();
        for required in &call.required {
            if !first.contains(&required.service) {
                first.push(required.service);
            }
        }
        all.extend(first.iter().copied());
        let weight = 1.0 / (call.required.len().max(1) as f64).powi(2);
        for (place, a) in first.iter().enumerate() {
            for b in &first[place + 1..] {
                *votes.entry((*a, *b)).or_default() += weight;
            }
        }
    }
    let vote = |a: usize, b: usize| votes.get(&(a, b)).copied().unwrap_or(0.0);
    let wins = |a: usize| all.iter().filter(|&&b| vote(a, b) > vote(b, a)).count();
    let mut order: Vec<usize> = all.iter().copied().collect();
    order.sort_by_key(|&service| (std::cmp::Reverse(wins(service)), service));
    order
}

fn passes(call: &Call, ranks: &BTreeMap<usize, usize>) -> Vec<Range<usize>> {
    let mut passes = Vec::new();
    let (mut start, mut last) = (0, None);
    for (index, required) in call.required.iter().enumerate() {
        let rank = ranks.get(&required.service).copied();
        if last.is_some() && rank <= last {
            passes.push(start..index);
            start = index;
        }
        last = rank;
    }
    if start < call.required.len() {
        passes.push(start..call.required.len());
    }
    passes
}

/// How early a column is tried: sizes and numbers of parameters first, then of elements, then what required calls tell, sums and counts of values last.
fn preference(name: &str) -> (u8, bool, usize) {
    let detail = [".sum", ".least", ".largest", ".kinds", ".count("];
    let tail = detail.iter().any(|part| name.contains(part));
    let element = name.contains("[pass]");
    let stage = if name == "pass" {
        2
    } else if element {
        0
    } else if name.contains(".result") || name.contains(".calls") || name.matches('.').count() > 1 {
        3
    } else {
        1
    };
    (stage, tail, name.len())
}

fn table(rows: &[(Known, f64, bool)]) -> Table {
    let names: BTreeSet<&String> = rows.iter().flat_map(|(known, _, _)| known.keys()).collect();
    let mut names: Vec<&String> = names.into_iter().collect();
    names.sort_by_key(|name| (preference(name), (*name).clone()));
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    for name in names {
        let values: Vec<f64> = rows
            .iter()
            .map(|(known, _, _)| known.get(name).copied().unwrap_or(0.0))
            .collect();
        let varies = values.windows(2).any(|pair| pair[0] != pair[1]);
        if varies && columns.iter().all(|(_, other)| *other != values) {
            columns.push((name.clone(), values));
        }
    }
    Table {
        columns,
        target: rows.iter().map(|row| row.1).collect(),
        aside: rows.iter().map(|row| row.2).collect(),
    }
}
