//! What one run of a subject recorded: versioned, checksummed, crash-safe.
//!
//! A trace is a file of framed records. Each frame carries its length and a CRC-32, so a reader uses everything up to
//! the first damaged frame and says that the rest is missing. The last record of a complete trace is [`Record::End`].

pub mod record;

pub use record::*;
