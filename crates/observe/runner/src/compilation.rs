//! How a JVM compiles the program in runs that are only counted.
//!
//! Counts do not depend on it, times do, but they come from runs of their own (`docs/decisions/021-late-optimising.md`). Compilers see about twice the bytecode there, and
//! in short runs that is most of what counting costs: while runs are short the first compiler does alone, after that the optimising one comes later than usual. Until a counting run of
//! this recording has ended, what earlier recordings of the program found stands for it ([`crate::lengths`]), or where there are none a run that was timed.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::jvm::Java;
use crate::lengths::{Length, Lengths};

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
    before: Option<Lengths>,
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
    /// The first run, which may have rewritten all classes, only as long as there is no other.
    fn length(&self) -> Option<Length> {
        let later = self.longest_of_others.map(Length::Later);
        later.or(self.first.map(Length::First))
    }
}

/// Whether runs of such a length are short.
fn is_short(length: Length) -> bool {
    match length {
        Length::First(wall) => wall <= SHORT_AT_FIRST,
        Length::Later(wall) => wall <= SHORT,
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
            before: None,
            took: Mutex::default(),
        }
    }

    /// The same, going by what is remembered of the program as well. It is looked for only where something follows from it.
    #[must_use]
    pub fn remembering(self, find: impl FnOnce() -> Option<Lengths>) -> Self {
        let before = self.chosen.then(find).flatten();
        Self { before, ..self }
    }

    /// What the next run gets: runs are taken to be no longer than the longest so far, or, while none has ended, than those of earlier recordings.
    pub fn next(&self) -> Compiled {
        if !self.chosen {
            return Compiled::default();
        }
        let for_short_runs = match self.length() {
            Some(length) => is_short(length),
            None => self.was_short().unwrap_or_else(|| self.is_timed_short()),
        };
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
        let took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        let nothing = took.timed.is_none() && took.length().is_none();
        self.chosen && nothing && self.was_short().is_none()
    }

    /// Notes how long a run without counters took.
    pub fn timed(&self, wall: Duration) {
        let mut took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        took.timed = took.timed.max(Some(wall));
    }

    /// Notes how long a counting run took.
    pub fn took(&self, wall: Duration) {
        let mut took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        if took.first.is_none() {
            took.first = Some(wall);
        } else {
            took.longest_of_others = took.longest_of_others.max(Some(wall));
        }
    }

    /// Notes that a run was not over in time: it is long, be it the first.
    pub fn timed_out(&self) {
        let mut took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        took.longest_of_others = Some(Duration::MAX);
    }

    /// Keeps for later recordings what this one has learnt, which ends.
    pub fn remember(&self) {
        if let (Some(before), Some(length)) = (&self.before, self.length()) {
            before.add(length);
        }
    }

    /// Whether all earlier recordings were short, if there were any.
    fn was_short(&self) -> Option<bool> {
        let known = self.before.as_ref().map_or(&[][..], Lengths::known);
        (!known.is_empty()).then(|| known.iter().copied().all(is_short))
    }

    /// Whether runs without counters were timed, and all of them short.
    fn is_timed_short(&self) -> bool {
        let took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        took.timed.is_some_and(|wall| wall <= SHORT)
    }

    /// What this one has found so far.
    fn length(&self) -> Option<Length> {
        let took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        took.length()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use pricetag_probe_plan::ClassHash;

    use super::*;

    fn on(vm: &str) -> Compilation {
        let properties = BTreeMap::from([("java.vm.name".to_owned(), vm.to_owned())]);
        Compilation::of(Some(&Java {
            properties,
            ..Java::default()
        }))
    }

    /// A recording of one program, which remembers.
    fn recording(cache: &Path) -> Compilation {
        let lengths = || Lengths::of(cache, ClassHash(1));
        on("OpenJDK 64-Bit Server VM").remembering(lengths)
    }

    #[test]
    fn the_first_compiler_does_alone_until_a_run_is_long() {
        let compilation = on("OpenJDK 64-Bit Server VM");
        let optimised = compilation.next();
        assert!(!optimised.for_short_runs, "nothing is known yet");
        assert_eq!(optimised.options.len(), 4);
        compilation.took(SHORT_AT_FIRST);
        let short = compilation.next();
        assert!(short.for_short_runs);
        assert_eq!(short.options, ["-XX:TieredStopAtLevel=1"]);
        compilation.took(SHORT);
        assert_eq!(compilation.next(), short);
        compilation.took(SHORT + Duration::from_millis(1));
        compilation.took(Duration::from_millis(20));
        assert_eq!(compilation.next(), optimised);
        let long = on("OpenJDK 64-Bit Server VM");
        long.took(SHORT_AT_FIRST + Duration::from_millis(1));
        assert_eq!(long.next(), optimised);
    }

    #[test]
    fn while_no_run_has_ended_those_of_earlier_recordings_stand_for_them() {
        let cache = tempfile::tempdir().unwrap();
        let recording = || recording(cache.path());
        let short_at_once = || recording().next().for_short_runs;
        assert!(!short_at_once(), "nothing is known");
        recording().remember();
        assert!(!short_at_once(), "nothing was learnt");
        let first = recording();
        first.took(SHORT_AT_FIRST);
        first.remember();
        assert!(short_at_once(), "it had rewritten all classes");

        let second = recording();
        second.took(SHORT_AT_FIRST + Duration::from_millis(1));
        assert!(!second.next().for_short_runs, "what is seen comes first");
        second.took(Duration::from_millis(1));
        assert!(second.next().for_short_runs);
        second.remember();
        assert!(short_at_once(), "the first run is nothing beside others");

        let alone = recording();
        alone.took(SHORT_AT_FIRST);
        alone.remember();
        assert!(short_at_once(), "it may have rewritten all classes, too");
        let long = recording();
        long.took(Duration::from_millis(1));
        long.took(SHORT + Duration::from_millis(1));
        long.remember();
        assert!(!short_at_once(), "one that rewrote none was long");
        for _ in 0..9 {
            let usual = recording();
            usual.took(SHORT);
            usual.remember();
            assert!(!short_at_once(), "it is long sometimes");
        }
        let usual = recording();
        usual.took(SHORT);
        usual.remember();
        assert!(short_at_once(), "it was long once, long ago");
    }

    #[test]
    fn while_nothing_is_known_a_timed_run_tells() {
        let cache = tempfile::tempdir().unwrap();
        let recording = || recording(cache.path());
        let first = recording();
        assert!(first.asks() && !first.next().for_short_runs);
        first.timed(SHORT);
        assert!(!first.asks());
        assert!(first.next().for_short_runs);
        first.remember();
        assert!(recording().asks(), "how long counting takes is not known");
        first.took(SHORT_AT_FIRST + Duration::from_millis(1));
        assert!(!first.next().for_short_runs, "counting is long");
        first.remember();
        let second = recording();
        second.timed(SHORT);
        assert!(
            !second.asks() && !second.next().for_short_runs,
            "it is known"
        );
        let long = on("OpenJDK 64-Bit Server VM");
        long.timed(SHORT + Duration::from_millis(1));
        long.timed(SHORT);
        assert!(!long.next().for_short_runs);
        assert!(!on("Eclipse OpenJ9 VM").asks());
    }

    #[test]
    fn a_run_that_is_not_over_in_time_is_remembered_as_long() {
        let cache = tempfile::tempdir().unwrap();
        let next = || recording(cache.path());
        let recording = next();
        recording.timed_out();
        recording.took(Duration::from_millis(1));
        recording.took(Duration::from_millis(1));
        assert!(!recording.next().for_short_runs);
        recording.remember();
        let next = next();
        assert!(!next.next().for_short_runs);
        assert!(next.before.is_some_and(|before| before.known().len() == 1));
    }

    #[test]
    fn nothing_is_looked_for_from_which_nothing_follows() {
        let never = || -> Option<Lengths> { panic!("it was looked for") };
        for compilation in [on("Eclipse OpenJ9 VM"), Compilation::of(None)] {
            let compilation = compilation.remembering(never);
            compilation.took(Duration::from_millis(1));
            compilation.remember();
        }
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
