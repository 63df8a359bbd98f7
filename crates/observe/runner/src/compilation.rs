//! How a JVM compiles the program in runs that are only counted.
//!
//! Counts do not depend on it, times do, but they come from runs of their own (`docs/decisions/021-late-optimising.md`). Compilers see about twice the bytecode there, and
//! in short runs that is most of what counting costs: while runs are short the first compiler does alone, after that the optimising one comes later than usual. Until a counting run of
//! this recording has ended, a run that was timed stands for it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::jvm::Java;

/// Runs up to this long, from start to end of the process, are short.
const SHORT: Duration = Duration::from_secs(2);
/// So is a first run up to this long, which makes plans and rewrites all classes.
const SHORT_AT_FIRST: Duration = Duration::from_secs(3);
/// The first compiler does alone; it is ready soonest.
const FIRST_TIER: [&str; 1] = ["-XX:TieredStopAtLevel=1"];
/// The optimising compiler waits until code ran ten times as often as by the defaults of HotSpot's compilation policy in all of JDK 11 to 25.
const LATE_OPTIMISING: [&str; 4] = [
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
];

/// Which options the next counting run gets.
#[derive(Debug)]
pub struct Compilation {
    /// Whether there is an optimising compiler, and times are not wanted.
    chosen: bool,
    took: Mutex<Took>,
}

/// How long runs took, as far as any have ended.
#[derive(Debug, Default)]
struct Took {
    timed: Option<Duration>,
    first: Option<Duration>,
    longest_of_others: Option<Duration>,
}

impl Took {
    /// Whether counting runs are short, if one has ended. The first, which may have rewritten all classes, tells only as long as there is no other.
    fn counted_short(&self) -> Option<bool> {
        let later = self.longest_of_others.map(|wall| wall <= SHORT);
        later.or(self.first.map(|wall| wall <= SHORT_AT_FIRST))
    }

    /// Whether timed runs are.
    fn timed_short(&self) -> Option<bool> {
        self.timed.map(|wall| wall <= SHORT)
    }
}

/// What a run got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// JVM options.
    pub options: &'static [&'static str],
    /// Whether a long run takes much longer with them than without.
    pub for_short_runs: bool,
}

impl Compilation {
    /// Compilation by a JVM; as always without one, or by one that has no optimising compiler.
    pub fn of(java: Option<&Java>) -> Self {
        Self {
            chosen: java.is_some_and(Java::optimises),
            took: Mutex::default(),
        }
    }

    /// What the next run gets: runs are taken to be no longer than the longest counting run so far, or, while none has ended, than the longest timed one.
    pub fn next(&self) -> Compiled {
        if !self.chosen {
            return Compiled::default();
        }
        let took = self.took();
        let short = took.counted_short().or_else(|| took.timed_short());
        let for_short_runs = short.unwrap_or(false);
        let options: &[_] = if for_short_runs {
            &FIRST_TIER
        } else {
            &LATE_OPTIMISING
        };
        Compiled {
            options,
            for_short_runs,
        }
    }

    /// Whether it is worth knowing how long a run takes before any is counted: nothing else tells, and something follows from it.
    pub fn asks(&self) -> bool {
        let took = self.took();
        self.chosen && took.timed_short().is_none() && took.counted_short().is_none()
    }

    /// Notes how long a run without counters took.
    pub fn timed(&self, wall: Duration) {
        let mut took = self.took();
        took.timed = took.timed.max(Some(wall));
    }

    /// Notes how long a counting run took.
    pub fn counted(&self, wall: Duration) {
        let mut took = self.took();
        if took.first.is_none() {
            took.first = Some(wall);
        } else {
            took.longest_of_others = took.longest_of_others.max(Some(wall));
        }
    }

    /// Notes that a run was not over in time: it is long, be it the first.
    pub fn timed_out(&self) {
        self.took().longest_of_others = Some(Duration::MAX);
    }

    fn took(&self) -> MutexGuard<'_, Took> {
        self.took.lock().unwrap_or_else(PoisonError::into_inner)
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
        compilation.counted(SHORT_AT_FIRST);
        let short = compilation.next();
        assert!(short.for_short_runs);
        assert_eq!(short.options, ["-XX:TieredStopAtLevel=1"]);
        compilation.counted(SHORT);
        assert_eq!(compilation.next(), short);
        compilation.counted(SHORT + Duration::from_millis(1));
        compilation.counted(Duration::from_millis(20));
        assert_eq!(compilation.next(), optimised);
        let long = on("OpenJDK 64-Bit Server VM");
        long.counted(SHORT_AT_FIRST + Duration::from_millis(1));
        assert_eq!(long.next(), optimised);
    }

    #[test]
    fn while_no_counting_run_has_ended_a_timed_one_tells() {
        let first = on("OpenJDK 64-Bit Server VM");
        assert!(first.asks() && !first.next().for_short_runs);
        first.timed(SHORT);
        assert!(!first.asks());
        assert!(first.next().for_short_runs);
        first.counted(SHORT_AT_FIRST + Duration::from_millis(1));
        assert!(!first.next().for_short_runs, "counting is long");
        let long = on("OpenJDK 64-Bit Server VM");
        long.timed(SHORT + Duration::from_millis(1));
        long.timed(SHORT);
        assert!(!long.next().for_short_runs);
        assert!(!on("Eclipse OpenJ9 VM").asks());
    }

    #[test]
    fn a_run_that_is_not_over_in_time_is_long() {
        let compilation = on("OpenJDK 64-Bit Server VM");
        compilation.timed_out();
        compilation.counted(Duration::from_millis(1));
        compilation.counted(Duration::from_millis(1));
        assert!(!compilation.next().for_short_runs);
    }

    #[test]
    fn only_a_jvm_with_the_optimising_compiler_is_told_how_to_use_it() {
        let others = ["OpenJDK 64-Bit Client VM", "Eclipse OpenJ9 VM"].map(on);
        for compilation in others.iter().chain([&Compilation::of(None)]) {
            assert_eq!(compilation.next(), Compiled::default());
            compilation.counted(Duration::from_millis(1));
            assert_eq!(compilation.next(), Compiled::default());
        }
    }
}
