//! What was recorded: services, calls in their order, and what each provided call executed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Value;

/// The calls that crossed a component's border.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Version of this form.
    pub schema: u32,
    /// The patterns that name the component.
    pub component: Vec<String>,
    /// The command that was run.
    pub command: Vec<String>,
    /// Inputs that it was run on.
    pub inputs: Vec<String>,
    /// Services that were called from outside.
    pub provided: Vec<Service>,
    /// Services that were called outside.
    pub required: Vec<Service>,
    /// Classes of the component that were loaded.
    pub classes: Vec<String>,
    /// Numbers in the component's code.
    pub constants: Vec<Constant>,
    /// What limits trust in it.
    pub notes: Vec<String>,
    /// Provided calls in the order in which they ended, run by run.
    #[serde(skip)]
    pub calls: Vec<Call>,
}

/// A method that is called across the border.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Service {
    /// The class, with dots, whose method runs.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The class or interface that the callers name, where it is another one.
    pub interface: Option<String>,
    /// What its parameters are called, as far as the class file says so, else `p0`, `p1`, ….
    pub parameters: Vec<String>,
}

impl Service {
    /// The class without its package, and the method.
    pub fn short(&self) -> String {
        let class = self.class.rsplit('.').next().unwrap_or(&self.class);
        format!("{class}.{}", self.method)
    }
}

/// A number that stands in the component's code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    /// The number.
    pub value: f64,
    /// Whether something is compared with it.
    pub compared: bool,
    /// Methods in which it stands, the first few.
    pub places: Vec<String>,
}

/// A provided call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Which service was called, by its place in [`Recording::provided`].
    pub service: usize,
    /// Which input it belongs to, by its place in [`Recording::inputs`].
    pub run: usize,
    /// The thread, numbered in order of first crossings.
    pub thread: u64,
    /// Number of the call in its run, in the order in which calls began.
    pub number: u64,
    /// Number of the provided call that it was made within, by way of a required one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
    /// Its parameters.
    pub arguments: Vec<Value>,
    /// Its result; none for `void`, or if it threw.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "present")]
    pub result: Option<Value>,
    /// Whether it ended in an exception.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub threw: bool,
    /// Required calls, in order.
    pub required: Vec<Required>,
    /// Further ones that were not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub further: u64,
    /// Instructions that the component's own code executed, by category, if they were counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub executed: BTreeMap<String, f64>,
    /// Time from a run without counters, in nanoseconds, with what it calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// A required call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Required {
    /// Which service was called, by its place in [`Recording::required`].
    pub service: usize,
    /// Its parameters.
    pub arguments: Vec<Value>,
    /// Its result; none for `void`, or if it threw.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "present")]
    pub result: Option<Value>,
    /// Whether it ended in an exception.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub threw: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A result that is `null` is there; one that is left out is not.
mod present {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::Value;

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub fn serialize<S: Serializer>(
        value: &Option<Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().unwrap_or(&Value::Null).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Value>, D::Error> {
        Value::deserialize(deserializer).map(Some)
    }
}
