//! What one recording of a suite counted: of each benchmark its totals, its methods and their blocks.
//!
//! Blocks are told apart by number and described by a digest of their instructions, so that a later build can be aligned with this one without
//! its bytecode ([`mod@crate::explain`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use pricetag_compare::{callees, content};
use pricetag_dataset::{
    Dataset, Feature, FeatureKind, InputValue, Measured, Observation, Status, numbered_call,
};
use pricetag_file::sealed::digest;
use pricetag_trace::{MethodName, processes};

use crate::agents::{self, Surroundings};
use crate::baseline::{Block, Code, Executed, Java};
use crate::circumstances::Circumstances;

/// Digits of a digest that are kept.
pub(crate) const DIGITS: usize = 12;
/// What a note says where allocation was not measured without counters.
const COUNTED_TIMES: &str = "times come from the counting run";
/// The cost that is allocation.
const ALLOCATION: &str = "alloc";

/// What ran: platform and program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The JVM.
    pub java: Java,
    /// Its options.
    pub flags: String,
    /// Digest of the program's files, where they are known.
    pub program: String,
    /// The command.
    pub command: Vec<String>,
    /// Agents beside our own, by their files.
    pub agents: BTreeSet<String>,
    /// Where it ran.
    pub circumstances: Circumstances,
}

/// One recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// What ran.
    pub identity: Identity,
    /// Methods that ran.
    pub methods: BTreeMap<MethodName, Code>,
    /// Benchmarks that succeeded.
    pub benchmarks: BTreeMap<String, Counts>,
    /// Those that did not, and why.
    pub failed: BTreeMap<String, String>,
    /// Classes and methods that run uncounted.
    pub uncounted: BTreeSet<String>,
}

/// What one benchmark executed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Instructions.
    pub instructions: u64,
    /// Invocations of counted methods, and calls that leave the counted code.
    pub calls: u64,
    /// Bytes allocated, where runs without counters say.
    pub bytes: Option<u64>,
    /// By method.
    pub methods: BTreeMap<MethodName, Executed>,
    /// Calls that leave the counted code, by what they call.
    pub leaving: BTreeMap<String, u64>,
    /// Numbers known before the run, such as the size of its file.
    pub inputs: BTreeMap<String, f64>,
    /// What limits trust in the counts.
    pub caveats: Vec<String>,
    /// Digest of the file that is its input, if one is.
    pub content: Option<String>,
}

impl Executed {
    /// Instructions of the blocks that were entered.
    pub fn instructions(&self, code: &Code) -> u64 {
        let blocks = self.blocks.iter().zip(&code.blocks);
        blocks.map(|(ran, block)| ran * u64::from(block.size)).sum()
    }
}

impl Counts {
    /// Processes that the benchmark's JVM started.
    pub fn started(&self) -> u64 {
        started(&self.caveats)
    }

    /// Digest of all that was executed: equal for equal executions of equal code.
    pub fn digest(&self, code: &BTreeMap<MethodName, Code>) -> String {
        let mut text = format!("{} {}\n", self.instructions, self.calls);
        for (name, ran) in self
            .methods
            .iter()
            .filter(|(_, ran)| ran.calls > 0 || ran.blocks.iter().any(|&n| n > 0))
        {
            let _ = write!(text, "{name} {}", ran.calls);
            let blocks = code.get(name).map_or(&[][..], |code| &code.blocks);
            for (block, ran) in blocks.iter().zip(&ran.blocks).filter(|(_, ran)| **ran > 0) {
                let _ = write!(text, " {} {ran}", block.code);
            }
            text.push('\n');
        }
        for (callee, times) in &self.leaving {
            let _ = writeln!(text, "{callee} {times}");
        }
        short(&text)
    }
}

/// Processes that caveats tell of.
pub(crate) fn started(caveats: &[String]) -> u64 {
    let told = caveats.iter().filter_map(|text| processes::started(text));
    told.max().unwrap_or(0)
}

/// The first digits of a text's digest.
pub(crate) fn short(text: &str) -> String {
    digest(text.as_bytes())[..DIGITS].to_owned()
}

/// Larger files are told by their size alone.
const LARGEST: u64 = 64 << 20;

impl Counted {
    /// Notes the contents of the files in this folder that benchmarks are called after.
    pub fn read_inputs(&mut self, folder: &Path) {
        for (name, counts) in &mut self.benchmarks {
            let path = folder.join(name);
            let small = std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= LARGEST);
            let bytes = small.then(|| std::fs::read(&path).ok()).flatten();
            counts.content = bytes.map(|bytes| digest(&bytes)[..DIGITS].to_owned());
        }
    }

    /// Of a dataset of counts.
    pub fn of(dataset: &Dataset) -> Self {
        let platform = |name: &str| dataset.meta.platform.get(name).cloned();
        let option = |name: &str| dataset.meta.options.get(name).cloned();
        let mut counted = Self {
            identity: Identity {
                java: Java::of(
                    &platform("java").unwrap_or_default(),
                    &platform("jvm").unwrap_or_default(),
                ),
                flags: platform("flags").unwrap_or_default(),
                program: option("program").unwrap_or_default(),
                command: dataset.meta.subject.clone(),
                agents: agents::of(&dataset.meta.subject, &Surroundings::default()),
                circumstances: Circumstances::here(None),
            },
            uncounted: dataset.meta.left.iter().cloned().collect(),
            ..Self::default()
        };
        let plain = !dataset
            .meta
            .notes
            .iter()
            .any(|note| note.contains(COUNTED_TIMES));
        let mut rows: Vec<Option<(String, Counts)>> = Vec::new();
        for observation in &dataset.observations {
            if observation.status == Status::Failed {
                let reason = observation.reason.clone().unwrap_or_default();
                counted.failed.insert(observation.label.clone(), reason);
                rows.push(None);
                continue;
            }
            let bytes = observation.costs.get(ALLOCATION);
            let bytes = bytes.and_then(Measured::value);
            let counts = Counts {
                bytes: bytes.filter(|_| plain).map(|bytes| bytes.round() as u64),
                inputs: numbers(observation),
                caveats: observation.caveats.clone(),
                ..Counts::default()
            };
            // What texts an invocation is given may differ from run to run, as names of temporary files do.
            let name = match numbered_call(&observation.label) {
                Some((method, number)) if dataset.meta.scope != "main" => {
                    format!("{method} {number}")
                }
                _ => observation.label.clone(),
            };
            rows.push(Some((name, counts)));
        }
        let places = counted.describe(dataset);
        for (column, feature) in dataset.features.iter().enumerate() {
            for (row, value) in &dataset.columns[column] {
                let Some(Some((_, counts))) = rows.get_mut(row.0 as usize) else {
                    continue;
                };
                let value = value.round() as u64;
                match feature.kind {
                    FeatureKind::Opcode => counts.instructions += value,
                    FeatureKind::Call => {
                        counts.calls += value;
                        *counts.leaving.entry(feature.name.clone()).or_default() += value;
                    }
                    FeatureKind::Method => {
                        counts.calls += value;
                        if let Some(name) = method_of(feature) {
                            counts.methods.entry(name).or_default().calls += value;
                        }
                    }
                    FeatureKind::Block => {
                        let (Some(name), Some(&(at, all))) =
                            (method_of(feature), places.get(&column))
                        else {
                            continue;
                        };
                        let ran = counts.methods.entry(name).or_default();
                        ran.blocks.resize(all, 0);
                        ran.blocks[at] += value;
                    }
                    _ => {}
                }
            }
        }
        for (label, mut counts) in rows.into_iter().flatten() {
            for (name, ran) in &mut counts.methods {
                let blocks = counted
                    .methods
                    .get(name)
                    .map_or(0, |code| code.blocks.len());
                ran.blocks.resize(blocks, 0);
            }
            counted.benchmarks.insert(label, counts);
        }
        counted
    }

    /// Notes the code of all methods; of each column of a block says which of how many blocks of its method it is.
    fn describe(&mut self, dataset: &Dataset) -> BTreeMap<usize, (usize, usize)> {
        let mut columns: BTreeMap<MethodName, BTreeMap<u32, usize>> = BTreeMap::new();
        for (column, feature) in dataset.features.iter().enumerate() {
            let Some(name) = method_of(feature) else {
                continue;
            };
            match feature.kind {
                FeatureKind::Method => {
                    columns.entry(name).or_default();
                }
                FeatureKind::Block => {
                    let number = feature.block.unwrap_or_default();
                    columns.entry(name).or_default().insert(number, column);
                }
                _ => {}
            }
        }
        let mut places = BTreeMap::new();
        for (name, blocks) in columns {
            let code = self.methods.entry(name).or_default();
            let all = blocks.len();
            for (at, (number, column)) in blocks.into_iter().enumerate() {
                places.insert(column, (at, all));
                let feature = &dataset.features[column];
                code.file = code.file.take().or_else(|| feature.source_file.clone());
                code.blocks.push(block(number, feature));
            }
        }
        places
    }

    /// Instructions of a method over all benchmarks.
    pub fn instructions_of(&self, name: &MethodName) -> u64 {
        let Some(code) = self.methods.get(name) else {
            return 0;
        };
        let ran = self
            .benchmarks
            .values()
            .filter_map(|counts| counts.methods.get(name));
        ran.map(|ran| ran.instructions(code)).sum()
    }
}

fn numbers(observation: &Observation) -> BTreeMap<String, f64> {
    let inputs = observation.inputs.iter();
    let numbers = inputs.filter_map(|(name, value)| match value {
        InputValue::Number(number) => Some((name.clone(), *number)),
        InputValue::Text(_) => None,
    });
    numbers.collect()
}

fn block(number: u32, feature: &Feature) -> Block {
    let bare = content(feature.text.as_deref().unwrap_or_default());
    Block {
        number,
        lines: feature.lines,
        size: bare.lines().count().max(1) as u32,
        code: short(&bare),
        calls: callees(&bare).map(str::to_owned).collect(),
    }
}

fn method_of(feature: &Feature) -> Option<MethodName> {
    matches!(feature.kind, FeatureKind::Block | FeatureKind::Method).then_some(())?;
    Some(MethodName {
        class: feature.class.clone()?,
        name: feature.method.clone()?,
        descriptor: feature.descriptor.clone().unwrap_or_default(),
    })
}
