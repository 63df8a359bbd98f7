//! Methods that are left uncounted on request, though their classes are counted.

use std::collections::BTreeSet;

use pricetag_probe::Values;
use pricetag_probe_plan::{ClassPlan, MethodOutcome};
use pricetag_trace::{AgentOptions, MethodName, Mode, REMOVED, UNLISTED};

/// What was asked for about the methods of one class.
#[derive(Debug)]
pub struct Skipped<'a> {
    /// None when all are to be counted.
    keep: Option<Vec<&'a MethodName>>,
    skip: Vec<&'a MethodName>,
    /// Counted, but no values are taken in them: name and descriptor.
    without_values: BTreeSet<(&'a str, &'a str)>,
    values: Option<Values>,
    transitions: bool,
    strides: bool,
}

impl<'a> Skipped<'a> {
    /// What holds for a class, given its internal name.
    pub fn of(options: &'a AgentOptions, class: &str) -> Self {
        let of_class = |method: &&MethodName| method.class == class;
        let (lengths, depths) = (options.lengths, options.depths);
        let without_values = options.skip_values.iter().filter(of_class);
        Self {
            keep: (!options.keep.is_empty())
                .then(|| options.keep.iter().filter(of_class).collect()),
            skip: options.skip.iter().filter(of_class).collect(),
            without_values: without_values
                .map(|method| (method.name.as_str(), method.descriptor.as_str()))
                .collect(),
            values: (options.values > 0 && options.mode == Mode::Count)
                .then_some(Values { lengths, depths }),
            transitions: options.transitions && options.mode == Mode::Count,
            strides: options.strides && options.mode == Mode::Count,
        }
    }

    /// Which values are taken.
    pub fn values(&self) -> Option<Values> {
        self.values
    }

    /// Whether changes of the outcome of branches are counted.
    pub fn transitions(&self) -> bool {
        self.transitions
    }

    /// Whether array reads that leave a cache line are counted.
    pub fn strides(&self) -> bool {
        self.strides
    }

    /// Whether no values are taken in a method.
    pub fn no_values(&self, name: &str, descriptor: &str) -> bool {
        self.without_values.contains(&(name, descriptor))
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

    /// Whether a stored plan leaves out just these methods, and counts and takes beside them just what is wanted. Plans are stored by class, and other runs may
    /// want others.
    pub fn agrees(&self, plan: &ClassPlan) -> bool {
        self.agrees_on_methods(plan)
            && self.agrees_on_values(plan)
            && self.transitions == plan.transitions.is_some()
            && self.strides == plan.strides.is_some()
    }

    fn agrees_on_values(&self, plan: &ClassPlan) -> bool {
        let (wanted, planned) = match (self.values, &plan.values) {
            (Some(wanted), Some(planned)) => (wanted, planned),
            (wanted, planned) => return wanted.is_none() && planned.is_none(),
        };
        let removed: BTreeSet<(&str, &str)> = planned
            .removed
            .iter()
            .filter_map(|index| plan.methods.get(usize::from(*index)))
            .map(|method| (method.name.as_str(), method.descriptor.as_str()))
            .collect();
        wanted.lengths == planned.lengths
            && wanted.depths == planned.depths
            && removed == self.without_values
    }

    fn agrees_on_methods(&self, plan: &ClassPlan) -> bool {
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
