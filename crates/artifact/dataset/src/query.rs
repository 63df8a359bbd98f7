//! Questions to a dataset: columns, rows, consistency, identity.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use pricetag_quantity::{low_quantile, median, minimum, relative_spread};
use twox_hash::XxHash3_128;

use crate::error::{DatasetError, Result};
use crate::model::{Dataset, Feature, FeatureId, FeatureKind, Measured, ObservationId, Status};

impl Measured {
    /// Wraps repeats.
    pub fn new(repeats: impl Into<Vec<f64>>) -> Self {
        Self {
            repeats: repeats.into(),
        }
    }

    /// The value to be explained: the median of the repeats; none without any.
    pub fn value(&self) -> Option<f64> {
        median(&self.repeats)
    }

    /// The fastest repeat.
    pub fn minimum(&self) -> Option<f64> {
        minimum(&self.repeats)
    }

    /// The value little disturbed by the machine: the 10 % quantile of the repeats.
    pub fn undisturbed(&self) -> Option<f64> {
        low_quantile(&self.repeats)
    }

    /// Spread between repeats relative to their median (scaled MAD); none for fewer than two repeats.
    pub fn spread(&self) -> Option<f64> {
        if self.repeats.len() < 2 {
            return None;
        }
        relative_spread(&self.repeats)
    }
}

impl FeatureKind {
    /// Every kind, in order.
    pub const ALL: [Self; 17] = [
        Self::Input,
        Self::Block,
        Self::Method,
        Self::Context,
        Self::Opcode,
        Self::Call,
        Self::Line,
        Self::Loop,
        Self::Branch,
        Self::Transition,
        Self::Stride,
        Self::Turn,
        Self::Exception,
        Self::Value,
        Self::Cold,
        Self::Base,
        Self::Foreign,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Block => "block",
            Self::Method => "method",
            Self::Context => "context",
            Self::Opcode => "opcode",
            Self::Call => "call",
            Self::Line => "line",
            Self::Loop => "loop",
            Self::Branch => "branch",
            Self::Transition => "transition",
            Self::Stride => "stride",
            Self::Turn => "turn",
            Self::Exception => "exception",
            Self::Value => "value",
            Self::Cold => "cold",
            Self::Base => "base",
            Self::Foreign => "foreign",
        }
    }

    /// Whether a row without a cell has no value. In columns of other kinds such a row counts 0.
    pub fn may_be_missing(self) -> bool {
        self == Self::Value
    }

    /// Whether a column of this name is a [`FeatureKind::Value`] where nothing else says so: `x#2`, and of a method
    /// `C.m() depth` and `C.m() … per entry of loop 0`. A stranger's `water depth` is none.
    pub fn names_value(name: &str) -> bool {
        let version = name.rsplit_once('#').is_some_and(|(variable, number)| {
            !variable.is_empty() && number.parse::<u16>().is_ok()
        });
        let of_a_method = name
            .split_once('(')
            .is_some_and(|(method, _)| method.contains('.') && !method.contains(' '));
        version || of_a_method && (name.ends_with(" depth") || name.contains(" per entry of loop "))
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Status {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::WarmUp => "warm-up",
        }
    }

    /// The status of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Ok, Self::Failed, Self::WarmUp]
            .into_iter()
            .find(|status| status.name() == name)
    }
}

impl Dataset {
    /// The feature of that name.
    pub fn feature_id(&self, name: &str) -> Option<FeatureId> {
        self.features
            .iter()
            .position(|feature| feature.name == name)
            .map(|index| FeatureId(index as u32))
    }

    /// A feature.
    ///
    /// # Panics
    /// If the identifier is of another dataset.
    pub fn feature(&self, id: FeatureId) -> &Feature {
        &self.features[id.0 as usize]
    }

    /// The non-zero cells of the column of that name.
    pub fn column(&self, name: &str) -> Option<&[(ObservationId, f64)]> {
        self.feature_id(name)
            .and_then(|id| self.columns.get(id.0 as usize))
            .map(Vec::as_slice)
    }

    /// All cells of a column, zeros included, and missing values as zeros; empty for an unknown feature.
    pub fn dense(&self, id: FeatureId) -> Vec<f64> {
        let Some(column) = self.columns.get(id.0 as usize) else {
            return Vec::new();
        };
        let mut cells = vec![0.0; self.observations.len()];
        for (row, value) in column {
            if let Some(cell) = cells.get_mut(row.0 as usize) {
                *cell = *value;
            }
        }
        cells
    }

    /// All cells of a column: zeros where a count is left out, none where a value is missing; empty for an unknown feature.
    pub fn cells(&self, id: FeatureId) -> Vec<Option<f64>> {
        let missing = self.features.get(id.0 as usize);
        if !missing.is_some_and(|f| f.kind.may_be_missing()) {
            return self.dense(id).into_iter().map(Some).collect();
        }
        let mut cells = vec![None; self.observations.len()];
        for (row, value) in &self.columns[id.0 as usize] {
            if let Some(cell) = cells.get_mut(row.0 as usize) {
                *cell = Some(*value);
            }
        }
        cells
    }

    /// Names of the costs that any observation has, with their units.
    pub fn costs(&self) -> BTreeMap<&str, &str> {
        let names = self.observations.iter().flat_map(|row| row.costs.keys());
        names
            .map(|name| {
                let unit = self.meta.cost_units.get(name).map_or("1", String::as_str);
                (name.as_str(), unit)
            })
            .collect()
    }

    /// Rows that may enter a fit of `target`: successful and with a finite value of it.
    ///
    /// # Errors
    /// [`DatasetError::NoSuchCost`] if no observation has the cost at all.
    pub fn usable_rows(&self, target: &str) -> Result<Vec<ObservationId>> {
        let costs = self.costs();
        if !costs.contains_key(target) {
            let available: Vec<&str> = costs.into_keys().collect();
            return Err(DatasetError::NoSuchCost {
                target: target.to_owned(),
                available: if available.is_empty() {
                    "none".to_owned()
                } else {
                    available.join(", ")
                },
            });
        }
        let rows = self.observations.iter().enumerate();
        Ok(rows
            .filter(|(_, row)| row.status == Status::Ok)
            .filter(|(_, row)| {
                let value = row.costs.get(target).and_then(Measured::value);
                value.is_some_and(f64::is_finite)
            })
            .map(|(index, _)| ObservationId(index as u32))
            .collect())
    }

    /// Checks every invariant of the format: parallel columns, ascending finite cells (non-zero but for values), unique names and
    /// labels, parts that exist.
    ///
    /// # Errors
    /// [`DatasetError::Inconsistent`] with the first violation.
    pub fn validate(&self) -> Result<()> {
        self.violation()
            .map_or(Ok(()), |what| Err(DatasetError::Inconsistent(what)))
    }

    fn violation(&self) -> Option<String> {
        if self.columns.len() != self.features.len() {
            return Some(format!(
                "{} columns for {} features",
                self.columns.len(),
                self.features.len()
            ));
        }
        let mut names = HashSet::new();
        if let Some(feature) = self.features.iter().find(|f| !names.insert(&f.name)) {
            return Some(format!("two features named `{}`", feature.name));
        }
        let mut labels = HashSet::new();
        if let Some(row) = self.observations.iter().find(|o| !labels.insert(&o.label)) {
            return Some(format!("two observations labelled `{}`", row.label));
        }
        let mut columns = self.features.iter().zip(&self.columns);
        if let Some(what) =
            columns.find_map(|(feature, column)| self.column_violation(feature, column))
        {
            return Some(what);
        }
        let mut pairs = BTreeSet::new();
        let count = self.features.len() as u32;
        self.parts
            .iter()
            .find(|part| {
                part.whole.0 >= count
                    || part.part.0 >= count
                    || !part.amount.is_finite()
                    || !pairs.insert((part.whole, part.part))
            })
            .map(|part| {
                format!(
                    "part {} of feature {} is unknown, repeated or not finite",
                    part.part.0, part.whole.0
                )
            })
    }

    fn column_violation(
        &self,
        feature: &Feature,
        column: &[(ObservationId, f64)],
    ) -> Option<String> {
        if column.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Some(format!("`{}` has rows out of order", feature.name));
        }
        let rows = self.observations.len() as u32;
        let zero = |value: f64| value == 0.0 && !feature.kind.may_be_missing();
        column
            .iter()
            .find(|(row, value)| row.0 >= rows || !value.is_finite() || zero(*value))
            .map(|(row, value)| format!("`{}` has {value} in row {}", feature.name, row.0))
    }

    /// 32 hexadecimal digits that identify rows, features, counts and costs (not times, notes or platform, nor what
    /// follows from other columns, [`FeatureKind::Turn`]): equal data, equal digest. XXH3-128 over a canonical byte sequence; no defence against forgery.
    pub fn digest(&self) -> String {
        if let Some(stored) = &self.stored_digest {
            return stored.clone();
        }
        let mut whole = Bytes::default();
        for row in &self.observations {
            let mut bytes = Bytes::default();
            bytes.text(&row.label);
            bytes.text(&row.group);
            bytes.text(row.status.name());
            bytes.number(row.costs.len() as u64);
            for (name, cost) in &row.costs {
                bytes.text(name);
                bytes.number(cost.repeats.len() as u64);
                for value in &cost.repeats {
                    bytes.number(value.to_bits());
                }
            }
            whole.hash_of(&bytes);
        }
        let columns = self.features.iter().zip(&self.columns);
        for (feature, column) in columns.filter(|(f, _)| f.kind != FeatureKind::Turn) {
            let mut bytes = Bytes::default();
            bytes.text(&feature.name);
            bytes.text(feature.kind.name());
            for (row, value) in column {
                bytes.number(u64::from(row.0));
                bytes.number(value.to_bits());
            }
            whole.hash_of(&bytes);
        }
        let mut bytes = Bytes::default();
        for part in &self.parts {
            bytes.number(u64::from(part.whole.0));
            bytes.number(u64::from(part.part.0));
            bytes.number(part.amount.to_bits());
        }
        whole.hash_of(&bytes);
        if let Some(profile) = &self.profile {
            // Maps have none in it: equal profiles have equal texts.
            let text = serde_json::to_string(profile).unwrap_or_default();
            whole.text(&text);
        }
        whole.number(self.observations.len() as u64);
        format!("{:032x}", XxHash3_128::oneshot(&whole.0))
    }
}

/// Of the label of a scope's row, `Search#query #17 "red fox"`, what stands before the number, and the number: `Search#query` and `#17`. Texts of its
/// arguments may follow.
pub fn numbered_call(label: &str) -> Option<(&str, &str)> {
    let mut places = label.match_indices(" #");
    places.find_map(|(at, _)| {
        let number = &label[at + 1..];
        let digits = number[1..].bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = number.split_at(1 + digits);
        let whole = digits > 0 && (after.is_empty() || after.starts_with(' '));
        whole.then_some((&label[..at], number))
    })
}

/// What is hashed: numbers little-endian, texts with their length.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn hash_of(&mut self, part: &Self) {
        let hash = XxHash3_128::oneshot(&part.0);
        self.0.extend_from_slice(&hash.to_le_bytes());
    }
}
