//! Methods that are left uncounted on request, though their classes are counted.

use std::collections::BTreeSet;

use pricetag_probe_plan::{ClassPlan, MethodOutcome};
use pricetag_trace::{AgentOptions, REMOVED};

/// Those of one class: name and descriptor.
#[derive(Debug)]
pub struct Skipped<'a>(BTreeSet<(&'a str, &'a str)>);

impl<'a> Skipped<'a> {
    /// The skipped methods of a class, given its internal name.
    pub fn of(options: &'a AgentOptions, class: &str) -> Self {
        let methods = options.skip.iter().filter(|method| method.class == class);
        Self(
            methods
                .map(|method| (method.name.as_str(), method.descriptor.as_str()))
                .collect(),
        )
    }

    /// Why a method is left; none if it is to be counted.
    pub fn reason(&self, name: &str, descriptor: &str) -> Option<String> {
        self.0
            .contains(&(name, descriptor))
            .then(|| REMOVED.to_owned())
    }

    /// Whether a stored plan leaves out just these methods. Plans are stored by class, and other runs may skip others.
    pub fn agrees(&self, plan: &ClassPlan) -> bool {
        plan.methods.iter().all(|method| {
            let left = method.outcome == MethodOutcome::Left(REMOVED.to_owned());
            let wanted = method.outcome != MethodOutcome::NoCode
                && self.reason(&method.name, &method.descriptor).is_some();
            left == wanted
        })
    }
}
