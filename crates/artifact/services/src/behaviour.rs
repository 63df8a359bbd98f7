//! The learnt behaviour: per provided service formulas for calls that leave, their parameters, instructions and time.

use pricetag_cost_model::Formula;
use serde::{Deserialize, Serialize};

use crate::recording::Service;

/// Version of the forms.
pub const SCHEMA: u32 = 1;

/// What a component does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Behaviour {
    /// Version of this form.
    pub schema: u32,
    /// The patterns that name the component.
    pub component: Vec<String>,
    /// Services that it offers.
    pub operations: Vec<Operation>,
    /// Services that it needs.
    pub required: Vec<Service>,
    /// What limits trust in it.
    pub notes: Vec<String>,
}

/// What one provided service does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// The service.
    pub service: Service,
    /// Calls learnt from.
    pub learnt_from: usize,
    /// Calls kept aside to check.
    pub checked_on: usize,
    /// Calls that ended in an exception; they are learnt from like others.
    pub threw: usize,
    /// Required services in the order of their first calls.
    pub order: Vec<usize>,
    /// Most passes of a call.
    pub passes: usize,
    /// The formulas.
    pub laws: Vec<Law>,
}

/// What a formula is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "of")]
pub enum Kind {
    /// Calls of a required service, by its place in [`Behaviour::required`].
    Calls {
        /// The service.
        service: usize,
    },
    /// A number that describes a parameter of a required service.
    Parameter {
        /// The service.
        service: usize,
        /// Which parameter, from 0.
        parameter: usize,
        /// What of it: nothing for a number itself, `.size`, ….
        part: String,
    },
    /// A number that describes the result.
    Result {
        /// What of it.
        part: String,
    },
    /// Instructions of a category.
    Executed {
        /// The category.
        category: String,
    },
    /// Time in nanoseconds.
    Time,
    /// Passes: rounds of required calls, each in the same order.
    Passes,
}

/// How far a formula holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quality {
    /// On every call, those that it was not learnt from among them.
    Exact,
    /// On most calls exactly; what decides the others does not cross the border: the component's state.
    Usual,
    /// Roughly.
    Approximate,
    /// Nothing that crosses the border explains it: the mean.
    Unexplained,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Law {
    /// What it is about.
    pub kind: Kind,
    /// Whether it holds for each pass instead of for the whole call; `pass` in it is the number of the pass, from 0.
    pub per_pass: bool,
    /// The formula, over names as `files.size`, `Hash.hash.data.size` or `Hash.hash.result`.
    pub formula: Formula,
    /// The same to read.
    pub text: String,
    /// How far it holds.
    pub quality: Quality,
    /// The method that found it.
    pub method: String,
    /// Rows learnt from: provided calls, or required calls for their parameters.
    pub rows: usize,
    /// Rows kept aside.
    pub checked: usize,
    /// Of the rows kept aside, those on which it is exact.
    pub held: usize,
    /// Mean absolute error on rows kept aside, over the mean of their absolute values; none where all are 0 and wrong.
    pub error: Option<f64>,
    /// The same on the rows learnt from.
    pub fitted: Option<f64>,
    /// Of the rows of which it foretells anything but 0, the share on which it is exact: where the rest depends on state, the long-run probability.
    pub probability: f64,
    /// What other methods reached on the same rows.
    pub rivals: Vec<Rival>,
}

/// Another method on the same rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// Its name.
    pub method: String,
    /// Its error, as [`Law::error`].
    pub error: Option<f64>,
    /// Its error, as [`Law::fitted`].
    pub fitted: Option<f64>,
}
