//! What recorder and agent agree on where the agent is loaded while the JVM runs.

use crate::options::{AgentOptions, Mode};

/// What the agent is told, in place of a file of options, when it shall give every class its own code back.
pub const LEAVE: &str = "leave";
/// Property in the trace of an agent that was loaded while the JVM ran.
pub const CAME_LATE: &str = "pricetag.late";

impl AgentOptions {
    /// Why an agent that comes late cannot do this; nothing if it can.
    pub fn too_late_for(&self) -> Option<&'static str> {
        if self.mode != Mode::Count {
            return Some("only counts can be had of a JVM that is running");
        }
        let from_the_start =
            self.by_caller() || self.count_jdk || self.values > 0 || self.depths || self.caught;
        from_the_start.then_some(
            "loops and invocations by caller, classes of the JDK, values and depths are recorded by an agent that is there from the start",
        )
    }

    /// Whether the counters of a class are those of other options, too: which classes are counted may differ, and where trace, plans and rewritten classes are.
    pub fn has_counters_of(&self, other: &Self) -> bool {
        let other = Self {
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            trace: self.trace.clone(),
            plans: self.plans.clone(),
            rewritten: self.rewritten.clone(),
            ..other.clone()
        };
        *self == other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_classes_have_the_same_counters_and_other_features_have_not() {
        let first = AgentOptions::new(Mode::Count, "a");
        let elsewhere = AgentOptions {
            include: vec!["x.**".parse().unwrap()],
            ..AgentOptions::new(Mode::Count, "b")
        };
        assert!(first.has_counters_of(&elsewhere));
        let strides = AgentOptions {
            strides: true,
            ..elsewhere
        };
        assert!(!first.has_counters_of(&strides));
        assert_eq!(strides.too_late_for(), None);
        let of_jdk = AgentOptions {
            count_jdk: true,
            ..first
        };
        assert!(of_jdk.too_late_for().is_some());
        assert!(AgentOptions::new(Mode::Time, "a").too_late_for().is_some());
    }
}
