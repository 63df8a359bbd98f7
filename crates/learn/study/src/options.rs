//! What the user can choose about a fit.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, FeatureKind};

use crate::method::Method;
use crate::preference::Prefer;
use crate::tuning::Tuning;

/// Which features explain the cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// All features of the program if values of variables are among them or few terms are wanted; else blocks if there are any, methods, opcodes, loops, a foreign table's columns, inputs.
    #[default]
    Auto,
    /// Opcodes and calls that leave the counted code.
    Opcode,
    /// Basic blocks.
    Block,
    /// Method invocations.
    Method,
    /// Calls of methods by calling method.
    Context,
    /// Executions of source lines.
    Line,
    /// Loop iterations.
    Loop,
    /// Branch outcomes.
    Branch,
    /// Changes of the outcomes of branches.
    Transition,
    /// Array reads that leave a cache line.
    Stride,
    /// Entries of exception handlers.
    Exception,
    /// First values of variables.
    Value,
    /// What a program's features are: methods, their calling methods if recorded, loops, branches, their transitions and array reads that leave a cache line if recorded, exceptions, opcodes, calls that leave the counted code and values together.
    Features,
    /// A foreign table's columns.
    Foreign,
    /// What was known before the run.
    Input,
}

impl Level {
    /// Every level with its name.
    pub const NAMES: [(&'static str, Self); 15] = [
        ("auto", Self::Auto),
        ("opcode", Self::Opcode),
        ("block", Self::Block),
        ("method", Self::Method),
        ("context", Self::Context),
        ("line", Self::Line),
        ("loop", Self::Loop),
        ("branch", Self::Branch),
        ("transition", Self::Transition),
        ("stride", Self::Stride),
        ("exception", Self::Exception),
        ("value", Self::Value),
        ("features", Self::Features),
        ("foreign", Self::Foreign),
        ("input", Self::Input),
    ];

    /// The kinds of features of this level; the base price and cold costs belong to every level but foreign ones.
    pub fn kinds(self, dataset: &Dataset) -> Vec<FeatureKind> {
        use FeatureKind as K;
        let has = |kind| {
            dataset
                .features
                .iter()
                .zip(&dataset.columns)
                .any(|(f, c)| f.kind == kind && !c.is_empty())
        };
        match self {
            Self::Auto if has(K::Value) => Self::Features.kinds(dataset),
            Self::Auto => {
                let order = [
                    Self::Block,
                    Self::Method,
                    Self::Opcode,
                    Self::Loop,
                    Self::Branch,
                    Self::Foreign,
                ];
                let first = order
                    .into_iter()
                    .find(|l| l.kinds(dataset).iter().take(1).any(|&k| has(k)));
                first.unwrap_or(Self::Input).kinds(dataset)
            }
            Self::Exception => vec![K::Exception, K::Base, K::Cold],
            Self::Value => vec![K::Value, K::Base],
            Self::Features => {
                vec![
                    K::Method,
                    K::Context,
                    K::Loop,
                    K::Branch,
                    K::Transition,
                    K::Stride,
                    K::Exception,
                    K::Opcode,
                    K::Call,
                    K::Value,
                    K::Foreign,
                    K::Base,
                    K::Cold,
                ]
            }
            Self::Opcode => vec![K::Opcode, K::Call, K::Base, K::Cold],
            Self::Block => vec![
                K::Block,
                K::Transition,
                K::Turn,
                K::Stride,
                K::Base,
                K::Cold,
            ],
            Self::Method => vec![K::Method, K::Base, K::Cold],
            Self::Context => vec![K::Context, K::Base, K::Cold],
            Self::Line => vec![K::Line, K::Base, K::Cold],
            Self::Loop => vec![K::Loop, K::Base, K::Cold],
            Self::Branch => vec![K::Branch, K::Base, K::Cold],
            Self::Transition => vec![K::Transition, K::Base, K::Cold],
            Self::Stride => vec![K::Stride, K::Base, K::Cold],
            Self::Foreign => vec![K::Foreign, K::Base],
            Self::Input => vec![K::Input, K::Base],
        }
    }
}

/// Weights of the squared errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// 1 / max(|y|, 5 % quantile)²: errors count relative to the cost.
    Relative,
    /// 1 / max(|y|, 5 % quantile): errors count relative to the cost's root, as where variance grows with the cost (Poisson).
    Root,
    /// All rows alike.
    Equal,
}

/// Choices for one fit.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent choices")]
pub struct FitOptions {
    /// The cost to explain.
    pub target: String,
    /// How.
    pub method: Method,
    /// By which features.
    pub level: Level,
    /// Kinds of features instead of a level's.
    pub kinds: Option<Vec<FeatureKind>>,
    /// Share of the groups used for learning; the rest judges. 1 uses all and judges none.
    pub train: f64,
    /// Seed of every random choice.
    pub seed: u64,
    /// Weights; by default relative, and equal for `ols`.
    pub weighting: Option<Weighting>,
    /// Whether least squares fits a constant as well.
    pub intercept: bool,
    /// Nominal coverage of prediction intervals.
    pub level_of_intervals: f64,
    /// Whether other methods are fitted for comparison.
    pub alternatives: bool,
    /// Whether the final prices are learnt from all rows, after judging prices learnt from the training rows.
    pub refit: bool,
    /// Whether the error's dependence on the training set and on λ is found out: some thirty fits more.
    pub sensitivity: bool,
    /// What is preferred among features that explain the cost about as well: for `lasso`, `poly` and `greedy`.
    pub prefer: Option<Prefer>,
    /// Choices that only some methods know.
    pub tuning: Tuning,
    /// Version of the program, for the provenance.
    pub pricetag: String,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            target: "wall".into(),
            method: Method::Auto,
            level: Level::Auto,
            kinds: None,
            train: 0.5,
            seed: 1,
            weighting: None,
            intercept: false,
            level_of_intervals: 0.95,
            alternatives: true,
            refit: false,
            sensitivity: false,
            prefer: None,
            tuning: Tuning::default(),
            pricetag: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

impl FitOptions {
    /// Names of the levels, with commas; of kinds of features where these were given.
    fn levels(&self) -> String {
        let Some(kinds) = &self.kinds else {
            return self.level.to_string();
        };
        let names: Vec<String> = kinds
            .iter()
            .filter(|k| !matches!(k, FeatureKind::Base | FeatureKind::Cold))
            .map(|k| format!("{k:?}").to_lowercase())
            .collect();
        names.join(",")
    }

    /// The kinds of features that the cost is to be explained by. In few terms it is by features of the program that can be
    /// read: single blocks are many and alike.
    pub(crate) fn kinds(&self, dataset: &Dataset) -> Vec<FeatureKind> {
        let few = self.level == Level::Auto && self.tuning.is_parsimonious();
        let has_features = || dataset.features.iter().any(|f| is_readable(f.kind));
        match &self.kinds {
            Some(kinds) => kinds.clone(),
            None if few && has_features() => Level::Features.kinds(dataset),
            None => self.level.kinds(dataset),
        }
    }

    /// The options in words, for the provenance.
    pub fn describe(&self) -> BTreeMap<String, String> {
        let weighting = match self.weighting {
            None => "default",
            Some(Weighting::Relative) => "relative",
            Some(Weighting::Root) => "root",
            Some(Weighting::Equal) => "equal",
        };
        let mut out: BTreeMap<String, String> = [
            ("method", self.method.to_string()),
            ("level", self.levels()),
            ("train", self.train.to_string()),
            ("weights", weighting.to_owned()),
            ("intercept", self.intercept.to_string()),
            (
                "prices learnt from",
                if self.refit {
                    "all rows"
                } else {
                    "training rows"
                }
                .to_owned(),
            ),
        ]
        .map(|(k, v)| (k.to_owned(), v))
        .into();
        if let Some(prefer) = self.prefer {
            out.insert("prefer".into(), prefer.to_string());
        }
        out.extend(self.tuning.describe());
        out
    }
}

/// Whether features of a kind are those of a program, fit to be read in a formula.
pub(crate) fn is_readable(kind: FeatureKind) -> bool {
    use FeatureKind as K;
    matches!(
        kind,
        K::Method | K::Context | K::Loop | K::Branch | K::Exception | K::Opcode | K::Value
    )
}

/// A name that is none of those expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is no {what}; expected one of {}", .expected.join(", "))]
pub struct UnknownName {
    /// What was looked for.
    pub what: &'static str,
    /// What was given.
    pub found: String,
    /// What would have been right.
    pub expected: Vec<&'static str>,
}

/// Reading and writing of an enumeration by the table of its names.
macro_rules! named {
    ($type:ty, $what:literal) => {
        impl std::str::FromStr for $type {
            type Err = $crate::options::UnknownName;
            fn from_str(text: &str) -> Result<Self, $crate::options::UnknownName> {
                let found = Self::NAMES
                    .iter()
                    .find(|(name, _)| *name == text)
                    .map(|(_, value)| *value);
                found.ok_or_else(|| $crate::options::UnknownName {
                    what: $what,
                    found: text.to_owned(),
                    expected: Self::NAMES.iter().map(|(name, _)| *name).collect(),
                })
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let name = Self::NAMES
                    .iter()
                    .find(|(_, value)| value == self)
                    .map_or("", |(name, _)| name);
                f.write_str(name)
            }
        }
    };
}

pub(crate) use named;

named!(Level, "level");
