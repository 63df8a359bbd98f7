//! The targets: each takes arbitrary bytes and panics if a property does not hold.

mod artifacts;
mod classes;
mod events;
mod ocaml;
#[cfg(feature = "learn")]
mod tables;

pub use artifacts::{agent_options, formula, model, plan, trace};
pub use classes::{class_reader, rewriter};
pub use events::events;
pub use ocaml::ocaml;
#[cfg(feature = "learn")]
pub use tables::{checkpoint, csv, parquet};

/// A property of arbitrary bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of the fuzz target and of its corpus.
    pub name: &'static str,
    /// Panics if the property does not hold.
    pub check: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    target("class_reader", class_reader),
    target("rewriter", rewriter),
    target("trace", trace),
    target("events", events),
    target("plan", plan),
    target("agent_options", agent_options),
    target("formula", formula),
    target("model", model),
    target("ocaml", ocaml),
    #[cfg(feature = "learn")]
    target("csv", csv),
    #[cfg(feature = "learn")]
    target("parquet", parquet),
    #[cfg(feature = "learn")]
    target("checkpoint", checkpoint),
];

const fn target(name: &'static str, check: fn(&[u8])) -> Target {
    Target { name, check }
}
