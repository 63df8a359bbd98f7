//! Whom a cost is charged to: prices that sampled runs bear out.
//!
//! A formula may predict a cost well and still say nothing of where it goes, since few runs cannot tell thousands of blocks
//! apart. Samples can. A model keeps the two side by side: its formula predicts, its charges explain.

use serde::{Deserialize, Serialize};

/// What the cost of an observation is charged to; the charges of one observation add up to its whole cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Charges {
    /// Accounts, dearest first.
    pub accounts: Vec<Charge>,
    /// Samples in methods of the program.
    pub samples: u32,
    /// Sampled runs.
    pub runs: u32,
    /// Nominal coverage of the intervals.
    pub level: f64,
}

/// One account: a method of the program, or an activity of the JVM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Charge {
    /// What it is.
    pub kind: ChargeKind,
    /// The method, if it is one.
    pub method: Option<MethodKey>,
    /// Cost in the model's unit per unit of each feature.
    pub terms: Vec<(f64, String)>,
    /// Cost over the sampled observations, in the model's unit.
    pub cost: f64,
    /// Factors from the cost to the ends of its interval, by the sampling alone: 0 … 1 and 1 ….
    pub factors: (f64, f64),
    /// Samples behind it; none where it is measured as a whole.
    pub samples: Option<u32>,
}

/// A method by its names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MethodKey {
    /// Internal name of its class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// What an account stands for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum ChargeKind {
    /// A method of the program with what it calls of the JDK and what the JVM does for it.
    #[default]
    Method,
    /// Compiling bytecode, both compilers.
    Compilation,
    /// Collecting garbage.
    Collection,
    /// Loading and linking classes.
    Loading,
    /// Java code that runs below no method of the program, and the end of the JVM; its start is in no cost.
    Startup,
    /// Other threads of the JVM.
    Jvm,
    /// Threads of native libraries.
    Native,
    /// What samples could not attribute.
    Unknown,
    /// Wall time in which the program did not run: it waited for something, or for a processor.
    Waiting,
}

impl ChargeKind {
    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::Method => "the program's methods",
            Self::Compilation => "JIT compilation",
            Self::Collection => "garbage collection",
            Self::Loading => "class loading and linking",
            Self::Startup => "code outside the program, and the JVM's end",
            Self::Jvm => "other JVM threads",
            Self::Native => "threads of native libraries",
            Self::Unknown => "not attributed by the samples",
            Self::Waiting => "waiting",
        }
    }
}

/// How [`crate::CostModel::unexplained`] begins where the formula is no closer than one cost for all; otherwise it is closer, but perhaps by
/// chance.
pub const NOTHING_EXPLAINS: &str = "nothing here explains the cost";

impl crate::CostModel {
    /// Whether the formula is no better than one cost for all. Where that cannot be told, it may be.
    pub fn explains_nothing(&self) -> bool {
        let why = self.unexplained.as_deref();
        why.is_some_and(|why| why.starts_with(NOTHING_EXPLAINS))
    }

    /// What its prices do not say, where samples have measured it.
    pub fn prices_are_not_shares(&self) -> Option<&'static str> {
        const WHY: &str = "prices predict what an input costs, and one may stand for what runs beside it; where the time goes was measured by samples, and `pricetag explain` says it";
        self.charges.as_ref().map(|_| WHY)
    }
}
