//! A component's services: calls that cross its border as they were recorded, and the behaviour learnt from them.
//!
//! Source: Krogmann, Kuperberg & Reussner, *Using Genetic Search for Reverse Engineering of Parametric Behaviour Models for Performance
//! Prediction* (TSE 2010), section 3.2 for what is recorded, 3.4 for the model. Deviations: every value is described the same way, of a parameter as of a
//! result; calls keep their order.
//!
//! [`Recording`] is a folder: `services.json` says what the services are, `calls.jsonl` holds one provided call a line. [`Behaviour`] is one file.

mod behaviour;
mod folder;
mod recording;
mod value;

pub use behaviour::{Behaviour, Kind, Law, Operation, Quality, Rival, SCHEMA};
pub use folder::ServicesError;
pub use recording::{Call, Constant, Recording, Required, Service};
pub use value::Value;
