//! The dataset in memory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Version of the directory format, written to `meta.json`.
pub const DATASET_SCHEMA: u32 = 1;

/// A column of counts or values; index into [`Dataset::features`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FeatureId(pub u32);

/// A row; index into [`Dataset::observations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObservationId(pub u32);

/// Observations, features, counts and where they come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    /// Provenance.
    pub meta: Meta,
    /// Rows, in the order of the workload.
    pub observations: Vec<Observation>,
    /// Columns; index = [`FeatureId`].
    pub features: Vec<Feature>,
    /// Sparse columns, parallel to `features`: `(row, value)` ascending by row, zeros left out but for values, where
    /// they are not the same as nothing.
    pub columns: Vec<Vec<(ObservationId, f64)>>,
    /// What a feature statically consists of: block → opcodes, called methods, its method. Learners use it as the
    /// prior of a price (a block costs what its parts cost) without knowing what the parts are.
    pub parts: Vec<Part>,
    /// By cost: how unsteady the machine was, once that is evened out ([`Dataset::with_even_pace`]); not stored.
    pub pace: BTreeMap<String, crate::Pace>,
    /// By cost: noise as it was measured, once the pace is evened out ([`Dataset::noise`]); not stored.
    pub noise: BTreeMap<String, crate::Noise>,
    /// Numbers that the counted code compares with, most executed first. Not stored: they are read off the plans when a
    /// search for a formula wants them.
    pub constants: Vec<CodeConstant>,
    /// What sampled runs of the same subject say, if there were any.
    pub profile: Option<pricetag_profile::Profile>,
    /// Digest of what is stored, once times were changed; not stored itself.
    pub stored_digest: Option<String>,
}

/// One term of a feature's composition: one unit of `whole` contains `amount` units of `part`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The composed feature, such as a block.
    pub whole: FeatureId,
    /// A feature it contains, such as an opcode category or a called runtime method.
    pub part: FeatureId,
    /// How many.
    pub amount: f64,
}

/// A number that the program compares with, as in `size > 200000`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeConstant {
    /// The number.
    pub value: f64,
    /// Where it stands, most executed first: `Upload.store(int), line 12`.
    pub places: Vec<String>,
    /// Executions of these comparisons in all observations; of their methods where blocks were not recorded.
    pub executions: f64,
}

/// One execution that yields one row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Unique, stable name: the input file, workload row or invocation.
    pub label: String,
    /// Whether it may enter a fit.
    pub status: Status,
    /// Why it failed, if it did.
    pub reason: Option<String>,
    /// Group for splits and folds: rows of one group never stand on both sides. Defaults to `label`.
    pub group: String,
    /// What was known before the run: workload columns, file sizes, arguments.
    pub inputs: BTreeMap<String, InputValue>,
    /// Measured costs by name (`wall`, `cpu`, `alloc`, …).
    pub costs: BTreeMap<String, Measured>,
    /// Things that limit trust in this row's counts, in words ("counts differ between two runs", …).
    pub caveats: Vec<String>,
}

/// Whether an observation succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Complete.
    #[default]
    Ok,
    /// The subject crashed, hung, exited non-zero, ran out of memory or was killed.
    Failed,
    /// Belongs to the warm-up of a scope and is excluded from fits.
    WarmUp,
}

/// A value known before the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InputValue {
    /// A number; becomes an input feature.
    Number(f64),
    /// A category.
    Text(String),
}

/// Repeated measurements of one cost of one observation, in the cost's base unit (ns, bytes, 1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Each repeat.
    pub repeats: Vec<f64>,
}

/// A named, unit-carrying column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Unique name, fit for people and scripts: `Sorter.sort(int[]) block 3`, `opcode iadd`, `size`.
    pub name: String,
    /// What is counted.
    pub kind: FeatureKind,
    /// Unit of one count, `1` for counts, `byte` for sizes.
    pub unit: String,
    /// Internal class name, when the feature has a place in code.
    pub class: Option<String>,
    /// Method name.
    pub method: Option<String>,
    /// Method descriptor.
    pub descriptor: Option<String>,
    /// Block number in its method.
    pub block: Option<u32>,
    /// Bytecode range `[start, end)` in its method.
    pub pcs: Option<(u32, u32)>,
    /// First and last source line.
    pub lines: Option<(u32, u32)>,
    /// Source lines of which it has instructions, and how many; empty where it has of one line alone, or that is not known.
    pub code_lines: Vec<(u32, u32)>,
    /// Source file name.
    pub source_file: Option<String>,
    /// Disassembled text or other description, possibly several lines.
    pub text: Option<String>,
    /// Observations whose value differed between two counting runs of the same input.
    pub nondeterministic: u32,
    /// Share of a run's executed cost after which the value is final, if that was looked at; an upper bound.
    pub available: Option<f64>,
    /// How often the value was seen to change in a run, if that was looked at; a lower bound.
    pub changes: Option<u32>,
}

/// What a feature counts. `--features` selects by these names.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureKind {
    /// A number known before the run (workload column, file size, argument).
    #[default]
    Input,
    /// Executions of a basic block.
    Block,
    /// Invocations of a method.
    Method,
    /// Calls of a method from one calling method.
    Context,
    /// Executions of instructions of one opcode or opcode category.
    Opcode,
    /// Calls that leave the counted code, per target method.
    Call,
    /// Executions of a source line.
    Line,
    /// Iterations of a loop.
    Loop,
    /// Outcomes of a branch (one side).
    Branch,
    /// Counted changes of a branch's outcome from one execution to the next.
    Transition,
    /// Counted reads of array elements from another cache line than the same instruction's last read.
    Stride,
    /// Half the expected changes of a branch's outcome, worked out from the counts of its sides ([`Dataset::with_turns`]).
    Turn,
    /// Entries of an exception handler.
    Exception,
    /// One of the first values given to a variable. A row without a cell has no such value: it is missing, not 0.
    Value,
    /// Things a cold JVM does once: classes loaded, methods, blocks and bytes first executed, cold executions.
    Cold,
    /// One per observation: the base price of a run.
    Base,
    /// A column of a foreign table.
    Foreign,
}

/// Provenance of a dataset; `meta.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// [`DATASET_SCHEMA`].
    pub schema: u32,
    /// The subject's command with placeholders, or the imported file.
    pub subject: Vec<String>,
    /// `main`, or the scope method `Class#method`.
    pub scope: String,
    /// Unit of each cost column, by name.
    pub cost_units: BTreeMap<String, String>,
    /// The platform: CPU model, cores, OS, JVM name and version, flags.
    pub platform: BTreeMap<String, String>,
    /// Options that shaped the recording.
    pub options: BTreeMap<String, String>,
    /// Version of the program that wrote it.
    pub pricetag: String,
    /// Seconds since the Unix epoch.
    pub created: u64,
    /// Classes, methods and loops that run uncounted, with the reason.
    pub left: Vec<String>,
    /// Notes for the user: overheads measured, warm-up rows excluded, mismatches between runs.
    pub notes: Vec<String>,
}
