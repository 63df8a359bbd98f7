//! What can be wrong with an archive or with counts.

/// Why an archive cannot be instrumented, or counts cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The bytes are no zip archive, or a damaged one.
    #[error("not a readable jar: {reason}")]
    NotAJar {
        /// What the reader said.
        reason: String,
    },
    /// One entry cannot be read or copied.
    #[error("entry {entry} cannot be {action}: {reason}")]
    Entry {
        /// Its name.
        entry: String,
        /// `read` or `copied`.
        action: &'static str,
        /// Why.
        reason: String,
    },
    /// An entry's name leads out of the archive.
    #[error("entry {entry:?} leads out of the archive")]
    Escapes {
        /// Its name.
        entry: String,
    },
    /// Entries share bytes: no tool makes such an archive by accident.
    #[error("entries of the archive overlap")]
    Overlap,
    /// A class or nested archive larger than any sensible one.
    #[error("entry {entry} has {size} bytes; at most {limit} are read")]
    TooLarge {
        /// Its name.
        entry: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The archive is signed, and its signature would not hold for changed classes.
    #[error("the archive is signed ({signature}); changed classes would be refused")]
    Signed {
        /// Name of a signature file.
        signature: String,
    },
    /// The archive was instrumented before.
    #[error("the archive is instrumented already")]
    Instrumented,
    /// The archive was not made by us, or its part of ours is damaged.
    #[error("the archive has no readable plans: {reason}")]
    NoPlans {
        /// What is missing.
        reason: String,
    },
    /// The file does not hold counts.
    #[error("not a file of counts: {reason}")]
    NotCounts {
        /// What is wrong.
        reason: String,
    },
    /// The file ends before it says whose counts it was to hold.
    #[error("the file of counts is cut off in its head")]
    CutOff,
    /// The counts are another archive's.
    #[error("the counts are of archive {found}, not of {expected}")]
    OtherArchive {
        /// Digest in the counts.
        found: String,
        /// Digest of the archive.
        expected: String,
    },
    /// Our own class cannot be adapted.
    #[error("the class of the counters cannot be written: {reason}")]
    Runtime {
        /// Why.
        reason: String,
    },
}

impl ArchiveError {
    pub(crate) fn zip(error: &zip::result::ZipError) -> Self {
        Self::NotAJar {
            reason: error.to_string(),
        }
    }

    pub(crate) fn entry<E: std::fmt::Display>(
        entry: &str,
        action: &'static str,
    ) -> impl FnOnce(E) -> Self {
        let entry = entry.to_owned();
        move |error| Self::Entry {
            entry,
            action,
            reason: error.to_string(),
        }
    }
}
