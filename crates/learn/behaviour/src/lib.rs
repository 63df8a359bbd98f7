//! Learns a component's behaviour from recorded calls: how often each required service is called, with what, what is executed.
//!
//! Source: Krogmann, Kuperberg & Reussner (TSE 2010), sections 3.3 and 4.1. Deviations:
//!
//! - Before genetic programming, laws of simple shapes are tried that hold exactly ([`shapes`]): what programs decide is mostly exact, and where it is, a
//!   search need not guess.
//! - The paper looks at uploads of one file to learn about one of many. Here required calls are cut into *passes*, rounds in the same order ([`rows`]); a law that
//!   is not exact per call is sought per pass.
//! - A third of the calls is kept aside. A law is exact only if it holds on these, too.

mod judge;
pub mod rows;
pub mod shapes;

use std::collections::BTreeSet;

use pricetag_services::{Behaviour, Kind, Law, Operation, Recording, SCHEMA};
use rayon::prelude::*;

use judge::judged;
use rows::{Names, Table, Tables};

/// How to learn.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Generations of genetic programming after the first.
    pub generations: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// Constants that are offered beside those of the code.
    pub constants: Vec<f64>,
    /// Whether numbers in the component's code are offered.
    pub mined: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            generations: 100,
            seed: 1,
            constants: Vec::new(),
            mined: true,
        }
    }
}

/// What is to be learnt: the same about the whole call, and per pass where there is more than one.
struct Task {
    operation: usize,
    kind: Kind,
    whole: Option<Table>,
    pass: Option<Table>,
}

/// Learns from every provided service that was called.
pub fn learn(recording: &Recording, options: &Options) -> Behaviour {
    let names = Names::of(recording);
    let mut constants = options.constants.clone();
    if options.mined {
        constants.extend(recording.constants.iter().map(|c| c.value));
    }
    let mut operations = Vec::new();
    let mut tasks = Vec::new();
    for (place, service) in recording.provided.iter().enumerate() {
        let tables = Tables::of(recording, &names, place);
        let calls = tables.calls();
        if calls == 0 {
            continue;
        }
        let number = operations.len();
        operations.push(Operation {
            service: service.clone(),
            learnt_from: calls - tables.aside(),
            checked_on: tables.aside(),
            threw: tables.threw(),
            order: tables.order().to_vec(),
            passes: tables.passes(),
            laws: Vec::new(),
        });
        tasks.extend(wanted(&tables, number));
    }
    let laws: Vec<(usize, Vec<Law>)> = tasks
        .into_par_iter()
        .map(|task| (task.operation, task.learn(&constants, options)))
        .collect();
    for (operation, laws) in laws {
        operations[operation].laws.extend(laws);
    }
    for operation in &mut operations {
        let of_calls = |law: &Law| law.per_pass && matches!(law.kind, Kind::Calls { .. });
        let per_pass = operation.laws.iter().any(of_calls);
        operation
            .laws
            .retain(|law| per_pass || law.kind != Kind::Passes);
    }
    Behaviour {
        schema: SCHEMA,
        component: recording.component.clone(),
        operations,
        required: recording.required.clone(),
        notes: recording.notes.clone(),
    }
}

/// Everything to learn about one provided service.
fn wanted(tables: &Tables<'_>, operation: usize) -> Vec<Task> {
    let several = tables.passes() > 1;
    let task = |kind: Kind, whole, pass| Task {
        operation,
        kind,
        whole,
        pass,
    };
    let mut tasks = Vec::new();
    if several {
        tasks.push(task(Kind::Passes, Some(tables.pass_counts()), None));
    }
    for &service in tables.order() {
        let pass = several.then(|| tables.in_pass(service));
        let whole = Some(tables.in_call(service));
        tasks.push(task(Kind::Calls { service }, whole, pass));
        for (parameter, part) in tables.parts(service) {
            let kind = Kind::Parameter {
                service,
                parameter,
                part: part.clone(),
            };
            let pass = tables.parameter(service, parameter, &part);
            tasks.push(task(kind, None, Some(pass)));
        }
    }
    for part in tables.result_parts() {
        let whole = tables.result(&part);
        tasks.push(task(Kind::Result { part }, Some(whole), None));
    }
    for category in tables.categories() {
        let whole = tables.executed(&category);
        tasks.push(task(Kind::Executed { category }, Some(whole), None));
    }
    if let Some(whole) = tables.time() {
        tasks.push(task(Kind::Time, Some(whole), None));
    }
    tasks
}

impl Task {
    fn learn(self, constants: &[f64], options: &Options) -> Vec<Law> {
        let tables: Vec<(bool, Table)> = self
            .whole
            .map(|table| (false, table))
            .into_iter()
            .chain(self.pass.map(|table| (true, table)))
            .collect();
        // What is certain of the whole call needs no passes, nor genetic programming.
        let mut best: Option<Law> = None;
        for search in [false, true] {
            for (per_pass, table) in &tables {
                let law = judged(&self.kind, *per_pass, table, constants, options, search);
                let Some(law) = law else { continue };
                if best.as_ref().is_none_or(|best| better(&law, best)) {
                    best = Some(law);
                }
            }
            if best.is_some() {
                break;
            }
        }
        best.into_iter().collect()
    }
}

/// Whether a law says more than another: by how far it holds, then by its error.
fn better(law: &Law, than: &Law) -> bool {
    let error = |law: &Law| law.error.unwrap_or(f64::INFINITY);
    law.quality < than.quality || law.quality == than.quality && error(law) < error(than)
}

/// Names of services that are short and differ.
pub(crate) fn distinct(names: Vec<String>, full: impl Fn(usize) -> String) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<String> = names
        .iter()
        .filter(|name| !seen.insert((*name).clone()))
        .cloned()
        .collect();
    let all = names.into_iter().enumerate();
    all.map(|(place, name)| {
        if twice.contains(&name) {
            full(place)
        } else {
            name
        }
    })
    .collect()
}
