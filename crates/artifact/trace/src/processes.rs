//! What a trace says of processes that the program started: their number, in words that a reader finds again.
//!
//! An agent sees one JVM. What the program lets others do is in no count, so that a program which only starts others looks like one that does nothing.

/// How what is said of them begins.
pub const STARTED: &str = "processes that the program started: ";

/// What to do about them.
pub const REMEDY: &str = "what they execute is not counted. Let the program do that work in its own JVM (JMH: -f 0; Surefire: -DforkCount=0), or record the command that it starts";

/// What is said of so many.
pub fn caveat(processes: u64) -> String {
    format!("{STARTED}{processes}; {REMEDY}")
}

/// How many a caveat tells of; none if it is of something else.
pub fn started(caveat: &str) -> Option<u64> {
    let (number, _) = caveat.strip_prefix(STARTED)?.split_once(';')?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_found_again() {
        assert_eq!(started(&caveat(0)), Some(0));
        assert_eq!(started(&caveat(17)), Some(17));
        assert_eq!(started("processes that ran: 3; none"), None);
        assert_eq!(started(STARTED), None);
    }
}
