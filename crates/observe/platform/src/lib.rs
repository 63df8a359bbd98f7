//! Benchmark programs that tell platforms apart: generated as class files, run in a JVM, timed.
//!
//! After Krogmann, Kuperberg and Reussner (2010), section 3.5. Deviations: helper instructions are not subtracted but counted, so each program is a row of
//! equations; programs warm up until they are stable, so that what the compilers make of them is priced; what the compilers leave out is found and refused.
//! Limits: HotSpot's warm-up; one thread; time of the thread alone, so a collector's own threads are not charged.

mod assembly;
mod machine;
mod measure;
mod suite;

use std::path::PathBuf;

pub use assembly::ClassWriter;
pub use machine::caches;
pub use measure::{Effort, Launch, Timed, Timings, measure, script};
pub use suite::{Program, RUN, SUITE, Suite};

/// Why a platform could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A table of the suite is wrong.
    #[error("assembling `{method}`: `{instruction}`: {why}")]
    Assembly {
        /// Method or header.
        method: String,
        /// What stands there.
        instruction: String,
        /// Why it does not assemble.
        why: String,
    },
    /// A class file has no room.
    #[error(transparent)]
    Class(#[from] pricetag_classfile::ClassFileError),
    /// The file system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The JVM ended.
    #[error("the JVM ended while `{during}` ran{}", after(.said))]
    Ended {
        /// A benchmark, or `it started`.
        during: String,
        /// Its last words.
        said: String,
    },
    /// The JVM hangs.
    #[error("the JVM gave no answer for {seconds} s while `{during}` ran")]
    Hangs {
        /// A benchmark.
        during: String,
        /// How long.
        seconds: u64,
    },
    /// Nothing has a time.
    #[error("no benchmark could be timed; the first was refused because {first}")]
    Nothing {
        /// Why the first was.
        first: String,
    },
    /// The user said so.
    #[error("interrupted")]
    Interrupted,
}

impl MeasureError {
    /// What to try.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Ended { .. } => Some(
                "run `java FLAGS -version` by hand; the benchmarks need a JVM of version 8 or newer and some 200 MB of heap",
            ),
            Self::Hangs { .. } => Some("is the machine overloaded, or the JVM stopped?"),
            Self::Io { .. } => Some("is there room in the temporary folder?"),
            _ => None,
        }
    }
}

fn after(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(": {text}")
    }
}
