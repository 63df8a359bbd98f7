//! A profile as `stack-methods.parquet`, `stacks.parquet` and `samples.parquet`, and back.
//!
//! | file | row | columns |
//! |---|---|---|
//! | `stack-methods.parquet` | method on a stack | `id`, `class`, `method`, `descriptor`, `own` |
//! | `stacks.parquet` | call path | `id`, `parent`, `method`, `at` (offset in the bytecode) |
//! | `samples.parquet` | weight of a sampled run | `run`, `what`, `key`, `state`, `samples`, `cpu_ns`, `bytes` (`wall_ns` for `run`), `text` |
//!
//! `what` says what `key` is: `run` nothing, `row` an observation, `sample` and `allocated` a call path, `compiled` a method,
//! `beside` nothing; `note` has a text.

use std::collections::HashMap;
use std::path::Path;

use pricetag_profile::{
    Allocated, Beside, Compiled, Method, MethodId, Node, NodeId, Profile, ProfiledRun, Role,
    Sample, State,
};

use super::tables::{Reader, inconsistent, small};
use crate::error::Result;
use crate::model::Observation;
use crate::table::{Table, Values};

pub(super) fn methods(profile: &Profile) -> Table {
    let methods = &profile.methods;
    let mut table = Table::default();
    table.push("id", numbers(0..methods.len() as i64));
    table.push("class", texts(methods.iter().map(|m| &m.class)));
    table.push("method", texts(methods.iter().map(|m| &m.name)));
    table.push("descriptor", texts(methods.iter().map(|m| &m.descriptor)));
    table.push("own", numbers(methods.iter().map(|m| i64::from(m.own))));
    table
}

pub(super) fn nodes(profile: &Profile) -> Table {
    let nodes = &profile.nodes;
    let mut table = Table::default();
    table.push("id", numbers(0..nodes.len() as i64));
    let parents = nodes
        .iter()
        .map(|n| n.parent.map(|parent| i64::from(parent.0)));
    table.push("parent", Values::Integers(parents.collect()));
    table.push(
        "method",
        numbers(nodes.iter().map(|n| i64::from(n.method.0))),
    );
    let places = nodes.iter().map(|n| n.at.map(i64::from));
    table.push("at", Values::Integers(places.collect()));
    table
}

fn numbers(cells: impl Iterator<Item = i64>) -> Values {
    Values::Integers(cells.map(Some).collect())
}

fn texts<'a>(cells: impl Iterator<Item = &'a String>) -> Values {
    Values::Texts(cells.map(|text| Some(text.clone())).collect())
}

/// A row of `samples.parquet`.
#[derive(Default)]
struct Weight {
    run: i64,
    what: &'static str,
    key: Option<i64>,
    state: Option<&'static str>,
    samples: i64,
    cpu_ns: u64,
    bytes: u64,
    text: Option<String>,
}

pub(super) fn samples(profile: &Profile, observations: &[Observation]) -> Table {
    let rows: HashMap<&str, i64> = observations
        .iter()
        .zip(0..)
        .map(|(observation, row)| (observation.label.as_str(), row))
        .collect();
    let mut weights: Vec<Weight> = Vec::new();
    for (run, number) in profile.runs.iter().zip(0..) {
        weights.extend(of_run(run, number, &rows));
    }
    weights.extend(profile.notes.iter().map(|note| Weight {
        what: "note",
        text: Some(note.clone()),
        ..Weight::default()
    }));
    let mut table = Table::default();
    table.push("run", numbers(weights.iter().map(|w| w.run)));
    let what = weights.iter().map(|w| Some(w.what.to_owned()));
    table.push("what", Values::Texts(what.collect()));
    table.push(
        "key",
        Values::Integers(weights.iter().map(|w| w.key).collect()),
    );
    let states = weights.iter().map(|w| w.state.map(str::to_owned));
    table.push("state", Values::Texts(states.collect()));
    table.push("samples", numbers(weights.iter().map(|w| w.samples)));
    table.push("cpu_ns", numbers(weights.iter().map(|w| w.cpu_ns as i64)));
    table.push("bytes", numbers(weights.iter().map(|w| w.bytes as i64)));
    let text = weights.iter().map(|w| w.text.clone());
    table.push("text", Values::Texts(text.collect()));
    table
}

fn of_run(run: &ProfiledRun, number: i64, rows: &HashMap<&str, i64>) -> Vec<Weight> {
    let weight = |what| Weight {
        run: number,
        what,
        ..Weight::default()
    };
    let whole = Weight {
        cpu_ns: run.cpu_ns,
        bytes: run.wall_ns,
        ..weight("run")
    };
    let covered = run.rows.iter().filter_map(|label| rows.get(label.as_str()));
    let covered = covered.map(|&row| Weight {
        key: Some(row),
        ..weight("row")
    });
    let samples = run.samples.iter().map(|sample| Weight {
        key: Some(sample.node.0.into()),
        state: Some(name(&State::NAMES, sample.state)),
        samples: sample.samples.into(),
        cpu_ns: sample.cpu_ns,
        ..weight("sample")
    });
    let allocated = run.allocated.iter().map(|place| Weight {
        key: Some(place.node.0.into()),
        samples: place.samples.into(),
        bytes: place.bytes,
        ..weight("allocated")
    });
    let beside = run.beside.iter().map(|beside| Weight {
        state: Some(name(&Role::NAMES, beside.role)),
        cpu_ns: beside.cpu_ns,
        ..weight("beside")
    });
    let compiled = run.compiled.iter().map(|compiled| Weight {
        key: Some(compiled.method.0.into()),
        state: Some(name(&Role::NAMES, compiled.compiler)),
        cpu_ns: compiled.cpu_ns,
        ..weight("compiled")
    });
    let all = std::iter::once(whole).chain(covered).chain(samples);
    all.chain(allocated).chain(beside).chain(compiled).collect()
}

fn name<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    let found = names.iter().find(|(_, known)| *known == value);
    found.map_or("", |(name, _)| name)
}

fn named<T: Copy>(names: &[(&'static str, T)], text: Option<&str>) -> Option<T> {
    let found = names.iter().find(|(name, _)| Some(*name) == text);
    found.map(|(_, value)| *value)
}

/// The tables of a profile, each with its path.
pub(super) struct Tables<'a> {
    pub(super) methods: (&'a Path, &'a Table),
    pub(super) nodes: (&'a Path, &'a Table),
    pub(super) samples: (&'a Path, &'a Table),
}

pub(super) fn read(tables: &Tables, observations: &[Observation]) -> Result<Profile> {
    let mut profile = Profile {
        methods: read_methods(tables.methods)?,
        nodes: read_nodes(tables.nodes)?,
        ..Profile::default()
    };
    let (path, table) = tables.samples;
    let reader = Reader { path, table };
    let (runs, whats) = (reader.integers("run")?, reader.texts("what")?);
    let (keys, states) = (reader.integers("key")?, reader.texts("state")?);
    let (samples, cpu) = (reader.integers("samples")?, reader.integers("cpu_ns")?);
    let (bytes, texts) = (reader.integers("bytes")?, reader.texts("text")?);
    for row in 0..table.rows() {
        let fail = |what: &str| inconsistent(path, format!("row {row}: {what}"));
        let large = |cell: Option<i64>| {
            let value = cell.and_then(|value| u64::try_from(value).ok());
            value.ok_or_else(|| fail("a weight is missing or negative"))
        };
        let what = whats[row].as_deref().unwrap_or("");
        if what == "note" {
            profile.notes.extend(texts[row].clone());
            continue;
        }
        let run = small(runs[row]).ok_or_else(|| fail("no run"))? as usize;
        let (cpu_ns, bytes) = (large(cpu[row])?, large(bytes[row])?);
        if what == "run" {
            if run != profile.runs.len() {
                return Err(fail("a run stands out of order"));
            }
            profile.runs.push(ProfiledRun {
                cpu_ns,
                wall_ns: bytes,
                ..ProfiledRun::default()
            });
            continue;
        }
        let run = profile
            .runs
            .get_mut(run)
            .ok_or_else(|| fail("an unknown run"))?;
        let key = || small(keys[row]).ok_or_else(|| fail("no key"));
        let role =
            || named(&Role::NAMES, states[row].as_deref()).ok_or_else(|| fail("an unknown role"));
        let samples = small(samples[row]).ok_or_else(|| fail("no number of samples"))?;
        match what {
            "row" => {
                let observation = observations.get(key()? as usize);
                let observation = observation.ok_or_else(|| fail("an unknown observation"))?;
                run.rows.push(observation.label.clone());
            }
            "sample" => run.samples.push(Sample {
                node: NodeId(key()?),
                state: named(&State::NAMES, states[row].as_deref())
                    .ok_or_else(|| fail("an unknown state"))?,
                samples,
                cpu_ns,
            }),
            "allocated" => run.allocated.push(Allocated {
                node: NodeId(key()?),
                samples,
                bytes,
            }),
            "beside" => run.beside.push(Beside {
                role: role()?,
                cpu_ns,
            }),
            "compiled" => run.compiled.push(Compiled {
                method: MethodId(key()?),
                compiler: role()?,
                cpu_ns,
            }),
            other => return Err(fail(&format!("`{other}` is no kind of weight"))),
        }
    }
    profile
        .check()
        .map_err(|reason| inconsistent(path, reason))?;
    Ok(profile)
}

fn read_methods((path, table): (&Path, &Table)) -> Result<Vec<Method>> {
    let reader = Reader { path, table };
    let (classes, names) = (reader.texts("class")?, reader.texts("method")?);
    let (descriptors, own) = (reader.texts("descriptor")?, reader.integers("own")?);
    let text = |cell: &Option<String>| cell.clone().unwrap_or_default();
    let one = |row: usize| Method {
        class: text(&classes[row]),
        name: text(&names[row]),
        descriptor: text(&descriptors[row]),
        own: own[row] == Some(1),
    };
    Ok((0..table.rows()).map(one).collect())
}

fn read_nodes((path, table): (&Path, &Table)) -> Result<Vec<Node>> {
    let reader = Reader { path, table };
    let (parents, methods) = (reader.integers("parent")?, reader.integers("method")?);
    let places = reader.integers("at")?;
    let one = |row: usize| {
        let method = small(methods[row]);
        let method = method.ok_or_else(|| inconsistent(path, format!("row {row}: no method")))?;
        Ok(Node {
            parent: small(parents[row]).map(NodeId),
            method: MethodId(method),
            at: small(places[row]),
        })
    };
    (0..table.rows()).map(one).collect()
}
