//! The committed file: what a suite executed when it was recorded.
//!
//! One fact stands on a line and the order is fixed, so that a change of the suite is a change of a few lines ([`crate::layout`]). Methods that
//! execute a notable share of some benchmark are listed with their blocks, smaller ones with their sums over all benchmarks, the smallest as one
//! sum. A benchmark's digest covers them all.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_trace::MethodName;
use serde::{Deserialize, Serialize};

use crate::circumstances::Circumstances;
use crate::figure::{Figure, Metric};
use crate::limits::Limits;

/// Version of the file.
pub const SCHEMA: u32 = 1;
/// What the file is.
pub const FORMAT: &str = "pricetag gate baseline";

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// `pricetag gate baseline`, which says what the file is.
    pub format: String,
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of the program that wrote it.
    pub pricetag: String,
    /// Name of the suite.
    pub suite: String,
    /// Day of the recording, `2026-11-28`.
    pub recorded: String,
    /// The command that was run.
    pub command: Vec<String>,
    /// The JVM.
    pub java: Java,
    /// Its options.
    pub flags: String,
    /// Agents that were loaded, by their files ([`crate::agents`]); none in older files, whose command says some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<BTreeSet<String>>,
    /// Where it was recorded; older files do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<Circumstances>,
    /// Whether started processes were noticed: older programs did not, so that files of theirs say of none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub processes: bool,
    /// Digest of the program's files, where they are known.
    pub program: String,
    /// How the suite is run; checks run it likewise.
    pub setup: Setup,
    /// What may be added.
    pub limits: Limits,
    /// What the prices are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Priced>,
    /// Benchmarks by name.
    pub benchmarks: BTreeMap<String, Benchmark>,
    /// Benchmarks that are left out, and why.
    #[serde(default)]
    pub left_out: BTreeMap<String, String>,
    /// Code of the methods that execute a notable share of some benchmark, and what they executed.
    pub methods: BTreeMap<MethodName, Method>,
    /// Smaller methods, over all benchmarks.
    pub others: BTreeMap<MethodName, Other>,
    /// All that are smaller still.
    pub tail: Tail,
    /// Calls that leave the counted code, over all benchmarks.
    pub leaving: BTreeMap<String, u64>,
    /// Classes and methods that run uncounted.
    pub uncounted: BTreeSet<String>,
    /// Changes that were accepted, the oldest first.
    pub history: Vec<History>,
    /// Digest of all of it but the limits, which people may change.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub seal: String,
    /// Whether it was read and is not what was written.
    #[serde(skip)]
    pub changed: bool,
}

/// A JVM.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Java {
    /// Feature release; 0 if it could not be asked.
    pub major: u32,
    /// Its version.
    pub version: String,
    /// Its name.
    pub vm: String,
}

impl Java {
    /// Of a version such as `17.0.2` or `1.8.0_392`.
    pub fn of(version: &str, vm: &str) -> Self {
        let mut numbers = version
            .split(|c: char| !c.is_ascii_digit())
            .map(|n| n.parse().unwrap_or(0));
        let major = match (numbers.next(), numbers.next()) {
            (Some(1), Some(old)) => old,
            (Some(major), _) => major,
            (None, _) => 0,
        };
        Self {
            major,
            version: version.to_owned(),
            vm: vm.to_owned(),
        }
    }
}

/// How the suite is run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// What a benchmark is: `main`, or a method whose invocations are.
    pub scope: String,
    /// Folder or jar of the tests, each a benchmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<String>,
    /// Pattern of the inputs, each a benchmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// Table of inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// What is fed on standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Classes to count.
    pub include: Vec<String>,
    /// Classes not to count.
    pub exclude: Vec<String>,
    /// Whether included classes of the JDK are counted.
    pub count_jdk: bool,
    /// Whether allocated bytes are measured.
    pub bytes: bool,
    /// Whether programs are taken that do next to nothing beside starting processes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub starts_others: bool,
    /// Runs of a recording.
    pub runs: u32,
    /// Share of a benchmark's instructions from which on a method is listed, in percent.
    pub share: f64,
}

/// What prices are of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Priced {
    /// The cost.
    pub target: String,
    /// Its unit.
    pub unit: String,
    /// The model's file.
    pub model: String,
}

/// A benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Instructions of the counted classes.
    pub instructions: Figure,
    /// Invocations of counted methods, and calls that leave the counted code.
    pub calls: Figure,
    /// Bytes allocated without counters, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Figure>,
    /// Digest of all executions; none if they do not repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Numbers known before the run, such as the size of its file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, f64>,
    /// Digest of the file that is its input, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// What limits trust in the counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<String>,
}

impl Benchmark {
    /// One of its figures.
    pub fn figure(&self, metric: Metric) -> Option<&Figure> {
        match metric {
            Metric::Instructions => Some(&self.instructions),
            Metric::Calls => Some(&self.calls),
            Metric::Bytes => self.bytes.as_ref(),
        }
    }
}

/// The blocks of a method that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// Source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// By number.
    pub blocks: Vec<Block>,
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its number in the method.
    pub number: u32,
    /// First and last source line.
    pub lines: Option<(u32, u32)>,
    /// Instructions.
    pub size: u32,
    /// Digest of its instructions.
    pub code: String,
    /// What it calls, by name: as often as it stands there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

/// A listed method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Whether its counts differed between runs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub varies: bool,
    /// Cost of an instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Its blocks.
    #[serde(flatten)]
    pub code: Code,
    /// By benchmark: invocations, and executions of each block.
    pub ran: BTreeMap<String, Executed>,
}

/// What a method executed in a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// Invocations.
    pub calls: u64,
    /// Executions of each block of its [`Code`].
    pub blocks: Vec<u64>,
}

/// A smaller method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// Invocations.
    pub calls: u64,
    /// Instructions of the blocks that were entered.
    pub instructions: u64,
    /// Instructions of its code that ran.
    pub size: u32,
    /// Digest of that code.
    pub code: String,
    /// Whether its counts differed between runs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub varies: bool,
    /// Cost of an instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// Cost of an instruction of a method, in the unit of the prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Estimate.
    pub cost: f64,
    /// Ends of its interval, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(f64, f64)>,
}

/// The smallest methods together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    /// How many.
    pub methods: u64,
    /// Their instructions.
    pub instructions: u64,
    /// Digest of their names, code and counts.
    pub digest: String,
}

/// A change that was accepted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Day.
    pub accepted: String,
    /// Why.
    pub reason: String,
    /// What changed.
    pub changes: Vec<Entry>,
}

/// A figure that changed; none of a benchmark that was not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The benchmark.
    pub benchmark: String,
    /// The metric's name.
    pub metric: String,
    /// Count, or mean of what does not repeat.
    pub before: Option<f64>,
    /// Likewise.
    pub after: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}
