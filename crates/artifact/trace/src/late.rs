//! What recorder and agent say to each other where the agent is loaded while the JVM runs.

/// What the agent is told, in place of a file of options, when it shall give every class its own code back.
pub const LEAVE: &str = "leave";
/// Property in the trace of an agent that was loaded while the JVM ran.
pub const CAME_LATE: &str = "pricetag.late";
