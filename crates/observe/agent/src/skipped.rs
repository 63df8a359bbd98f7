//! Methods that are left uncounted on request, though their classes are counted.

use pricetag_probe_plan::{ClassPlan, MethodOutcome};
use pricetag_trace::{AgentOptions, MethodName, REMOVED, UNLISTED};

/// What was asked for about the methods of one class.
#[derive(Debug)]
pub struct Skipped<'a> {
    /// None when all are to be counted.
    keep: Option<Vec<&'a MethodName>>,
    skip: Vec<&'a MethodName>,
}

impl<'a> Skipped<'a> {
    /// What holds for a class, given its internal name.
    pub fn of(options: &'a AgentOptions, class: &str) -> Self {
        let of_class = |method: &&MethodName| method.class == class;
        Self {
            keep: (!options.keep.is_empty())
                .then(|| options.keep.iter().filter(of_class).collect()),
            skip: options.skip.iter().filter(of_class).collect(),
        }
    }

    /// Why a method is left; none if it is to be counted.
    pub fn reason(&self, name: &str, descriptor: &str) -> Option<&'static str> {
        let is = |method: &&MethodName| method.name == name && method.descriptor == descriptor;
        if self.skip.iter().any(is) {
            return Some(REMOVED);
        }
        let keep = self.keep.as_ref()?;
        (!keep.iter().any(is)).then_some(UNLISTED)
    }

    /// Whether a stored plan leaves out just these methods. Plans are stored by class, and other runs may skip others.
    pub fn agrees(&self, plan: &ClassPlan) -> bool {
        plan.methods.iter().all(|method| {
            let left = match &method.outcome {
                MethodOutcome::NoCode => return true,
                MethodOutcome::Left(reason) => {
                    [REMOVED, UNLISTED].into_iter().find(|r| r == reason)
                }
                MethodOutcome::Counted => None,
            };
            left == self.reason(&method.name, &method.descriptor)
        })
    }
}
