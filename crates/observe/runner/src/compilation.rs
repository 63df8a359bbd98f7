//! How a JVM compiles the program in runs that are only counted.
//!
//! Counts do not depend on it, times do, but they come from runs of their own (`docs/decisions/021-late-optimising.md`). Compilers see about twice the bytecode there, and
//! in short runs that is most of what counting costs: while runs are short the first compiler does alone, after that the optimising one comes later than usual.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::jvm::Java;

/// Runs up to this long, from start to end of the process, are short.
const SHORT: Duration = Duration::from_secs(3);
/// No run has ended yet.
const NONE: u64 = u64::MAX;

/// Which options the next counting run gets.
#[derive(Debug)]
pub struct Compilation {
    choices: Option<Choices>,
    /// The longest run so far, ms.
    longest: AtomicU64,
}

/// The options there are.
#[derive(Debug)]
struct Choices {
    first_tier: Vec<String>,
    late_optimising: Vec<String>,
}

/// What a run got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// JVM options.
    pub options: Vec<String>,
    /// Whether a long run would take much longer with them than without.
    pub for_short_runs: bool,
}

impl Compilation {
    /// Compilation for a JVM; none that is special without one, or one that has no optimising compiler.
    pub fn of(java: Option<&Java>) -> Self {
        let java = java.filter(|java| java.optimises());
        Self {
            choices: java.map(|_| Choices {
                first_tier: Java::first_tier(),
                late_optimising: Java::late_optimising(),
            }),
            longest: AtomicU64::new(NONE),
        }
    }

    /// What the next run gets: runs are taken to be about as long as the longest so far.
    pub fn next(&self) -> Compiled {
        let longest = self.longest.load(Ordering::Relaxed);
        let Some(choices) = &self.choices else {
            return Compiled::default();
        };
        let for_short_runs = longest != NONE && Duration::from_millis(longest) <= SHORT;
        let options = if for_short_runs {
            &choices.first_tier
        } else {
            &choices.late_optimising
        };
        Compiled {
            options: options.clone(),
            for_short_runs,
        }
    }

    /// Notes how long a run took.
    pub fn took(&self, wall: Duration) {
        let ms = u64::try_from(wall.as_millis()).unwrap_or(NONE - 1);
        let longest = |before| Some(if before == NONE { ms } else { ms.max(before) });
        let _ = self
            .longest
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, longest);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn on(vm: &str) -> Compilation {
        let properties = BTreeMap::from([("java.vm.name".to_owned(), vm.to_owned())]);
        Compilation::of(Some(&Java {
            properties,
            ..Java::default()
        }))
    }

    #[test]
    fn the_first_compiler_does_alone_until_a_run_is_long() {
        let compilation = on("OpenJDK 64-Bit Server VM");
        let optimised = compilation.next();
        assert!(!optimised.for_short_runs, "nothing is known yet");
        assert_eq!(optimised.options.len(), 4);
        compilation.took(Duration::from_millis(900));
        compilation.took(Duration::from_millis(20));
        let short = compilation.next();
        assert!(short.for_short_runs);
        assert_eq!(short.options, ["-XX:TieredStopAtLevel=1"]);
        compilation.took(SHORT + Duration::from_millis(1));
        compilation.took(Duration::from_millis(20));
        assert_eq!(compilation.next(), optimised);
    }

    #[test]
    fn only_a_jvm_with_the_optimising_compiler_is_told_how_to_use_it() {
        let others = ["OpenJDK 64-Bit Client VM", "Eclipse OpenJ9 VM"].map(on);
        for compilation in others.iter().chain([&Compilation::of(None)]) {
            assert_eq!(compilation.next(), Compiled::default());
            compilation.took(Duration::from_millis(1));
            assert_eq!(compilation.next(), Compiled::default());
        }
    }
}
