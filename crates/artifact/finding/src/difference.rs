//! What one build executes and costs more or less than another. How it is told is in `text`.

mod text;

pub use text::Told;

use serde::{Deserialize, Serialize};

use crate::explanation::Place;

/// Two builds, held against each other over the inputs that both ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// Inputs that succeeded in both.
    pub inputs: u32,
    /// Inputs of the first alone.
    pub only_before: Vec<String>,
    /// Inputs of the second alone.
    pub only_after: Vec<String>,
    /// Differences of the JVM, its flags, the machine, the program's files and the command.
    pub settings: Vec<SettingChange>,
    /// Executed instructions of all counted code.
    pub instructions: Change,
    /// Measured costs, sums over the inputs.
    pub costs: Vec<CostChange>,
    /// Methods that execute something else in some input, the largest difference in instructions first.
    pub changed: Vec<MethodChange>,
    /// Likewise of methods whose counts differ between two runs of one input: not the change alone made that.
    pub varying: Vec<MethodChange>,
    /// Methods with other code that runs as often in every input and is as long.
    pub rewritten: Vec<String>,
    /// Methods that execute exactly what they did.
    pub same: u32,
    /// Calls that leave the counted code, where their number changed.
    pub calls: Vec<(String, Change)>,
    /// The cost that the prices are of.
    pub target: Option<String>,
    /// Its base unit.
    pub unit: Option<String>,
    /// Inputs that were counted twice, before and after, where that is known: of others it is not known which counts repeat.
    pub recounted: [Option<u32>; 2],
}

/// A number before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// In the first build.
    pub before: f64,
    /// In the second.
    pub after: f64,
}

/// A fact about how they were recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChange {
    /// Its name in the dataset.
    pub name: String,
    /// Empty if it was not there.
    pub before: String,
    /// Likewise.
    pub after: String,
}

/// A measured cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostChange {
    /// `cpu`, `wall`, `alloc`, ….
    pub name: String,
    /// Its base unit.
    pub unit: String,
    /// Sum of the inputs' medians.
    pub before: f64,
    /// Likewise.
    pub after: f64,
    /// Geometric mean of the inputs' ratios.
    pub ratio: Option<f64>,
    /// Its 95 % interval over the inputs.
    pub ratio_bounds: Option<(f64, f64)>,
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodChange {
    /// As it is called now; of a vanished one, as it was called.
    pub name: String,
    /// What it was called, if that is not the same.
    pub was: Option<String>,
    /// Where it is.
    pub place: Option<Place>,
    /// `changed`, `new` or `gone`.
    pub kind: String,
    /// How often it was called.
    pub invocations: Change,
    /// Inputs in which its instructions differ in number.
    pub differing: u32,
    /// Instructions of the blocks that were entered.
    pub instructions: Change,
    /// What the difference is worth.
    pub worth: Option<Priced>,
    /// Whether it grows another way with the input.
    pub growth: Option<GrowthChange>,
    /// Its blocks that ran more or less often, the largest difference first.
    pub blocks: Vec<BlockChange>,
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockChange {
    /// Its number, in the second build if it is there.
    pub block: u32,
    /// First and last source line, likewise.
    pub lines: Option<(u32, u32)>,
    /// `same` code, `changed`, `new` or `gone`.
    pub kind: String,
    /// How often it was entered.
    pub executions: Change,
    /// Its instructions times that.
    pub instructions: Change,
}

/// A cost with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Priced {
    /// In the unit of the whole.
    pub cost: f64,
    /// By the interval of the method's share; none if it has none.
    pub bounds: Option<(f64, f64)>,
}

/// How a count grows with an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowthChange {
    /// The input.
    pub input: String,
    /// Exponent before.
    pub before: f64,
    /// And after.
    pub after: f64,
}

impl Change {
    /// After less before.
    pub fn delta(&self) -> f64 {
        self.after - self.before
    }
}

impl Difference {
    /// Whether both executed the same, as far as their counts repeat.
    pub fn is_same(&self) -> bool {
        self.changed.is_empty() && self.rewritten.is_empty()
    }
}
