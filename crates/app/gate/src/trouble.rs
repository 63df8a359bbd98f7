//! Why a check cannot be judged.

use std::collections::BTreeSet;

use pricetag_finding::figure::count;
use pricetag_trace::MethodName;
use pricetag_trace::processes;

use crate::agents;
use crate::baseline::{Baseline, Benchmark, Code, Executed, Java};
use crate::counted::Counted;
use crate::figure::{Figure, Metric};
use crate::suite::Suite;

/// Name of the row of a process that has no input.
const PROCESS: &str = "run";
/// Names listed before the rest is counted.
pub(crate) const NAMES: usize = 5;

/// Part of the baseline's instructions below which a benchmark is thought to have stopped early.
const VANISHED: u64 = 10;

/// Whether another run may have no problem: it has if this is another suite, another release of Java, if another agent is loaded or the baseline was edited.
pub(crate) fn may_go_otherwise(baseline: &Baseline, suite: &Suite) -> bool {
    let Some(first) = suite.first() else {
        return false;
    };
    let java = other_java(
        &baseline.java,
        &first.identity.java,
        baseline.setup.count_jdk,
    );
    let names = suite.names();
    let mut benchmarks = baseline.benchmarks.iter();
    java.is_none()
        && !baseline.changed
        && agents::other(baseline, &first.identity).is_none()
        && baseline.benchmarks.keys().any(|name| names.contains(name))
        && !benchmarks.any(|(name, b)| edited(baseline, name, b, suite).is_some())
}

/// Whether a benchmark's digest is of other figures than stand beside it: it covers them, so that somebody changed them by hand.
fn edited(baseline: &Baseline, name: &str, benchmark: &Benchmark, suite: &Suite) -> Option<String> {
    let recorded = benchmark.digest.as_ref()?;
    let run = suite.first()?;
    let counts = run.benchmarks.get(name)?;
    if counts.digest(&run.methods) != *recorded {
        return None;
    }
    let differs = |figure: &Figure, counted: u64| figure.repeats() && figure.low() != counted;
    let lists_other = baseline.methods.iter().any(|(method, listed)| {
        let Some(recorded) = listed.ran.get(name).filter(|_| !listed.varies) else {
            return false;
        };
        let now = counts.methods.get(method).zip(run.methods.get(method));
        now.is_none_or(|(ran, code)| entered(recorded, &listed.code) != entered(ran, code))
    });
    let differ = differs(&benchmark.instructions, counts.instructions)
        || differs(&benchmark.calls, counts.calls)
        || lists_other;
    differ.then(|| {
        format!(
            "`{name}` executes what the baseline's digest says, {} instructions and {} calls, and the baseline says other numbers of it or its methods: they were changed by hand",
            counts.instructions, counts.calls
        )
    })
}

/// Calls of a method, and its blocks that were entered, each with the digest of its code. Numbers of blocks say nothing: they shift with code that never runs.
fn entered<'c>(ran: &Executed, code: &'c Code) -> (u64, Vec<(&'c str, u64)>) {
    let blocks = code.blocks.iter().zip(&ran.blocks);
    let entered = blocks.filter(|(_, times)| **times > 0);
    let entered = entered.map(|(block, n)| (block.code.as_str(), *n));
    (ran.calls, entered.collect())
}

/// What keeps it from judging.
pub(crate) fn problems(baseline: &Baseline, suite: &Suite) -> Vec<String> {
    let mut problems = Vec::new();
    let Some(first) = suite.first() else {
        return vec!["nothing was counted".to_owned()];
    };
    problems.extend(other_java(
        &baseline.java,
        &first.identity.java,
        baseline.setup.count_jdk,
    ));
    problems.extend(agents::other(baseline, &first.identity));
    let launcher = failed_launcher(baseline, suite);
    problems.extend(launcher.map(|why| format!("the launcher of the tests failed: {why}")));
    let names = ran(baseline, suite);
    if names.is_empty() && baseline.setup.tests.is_some() {
        problems.push(
            "no test ran that is counted: has their package another name, or do --include and --exclude of the recording leave all of it out?"
                .to_owned(),
        );
        return problems;
    }
    if !names.is_empty() && !baseline.benchmarks.keys().any(|name| names.contains(name)) {
        problems.push(format!(
            "no benchmark of the baseline ran, {} for example, but {} did: it is of another suite",
            some(baseline.benchmarks.keys(), 1),
            some(names.iter(), 2)
        ));
        return problems;
    }
    for (name, benchmark) in &baseline.benchmarks {
        problems.extend(edited(baseline, name, benchmark, suite));
    }
    if baseline.changed {
        problems.push(
            "the baseline is not what was written: it was changed by hand, or by a merge; restore it, or accept what is counted now"
                .to_owned(),
        );
    }
    let missing: Vec<&String> = baseline
        .benchmarks
        .keys()
        .filter(|name| {
            !suite
                .runs
                .iter()
                .all(|run| run.benchmarks.contains_key(*name))
        })
        .collect();
    for name in &missing {
        if let Some(why) = suite.runs.iter().find_map(|run| run.failed.get(*name)) {
            problems.push(format!("the benchmark `{name}` failed: {why}"));
        }
    }
    let gone: Vec<&String> = missing
        .into_iter()
        .filter(|name| !suite.runs.iter().any(|run| run.failed.contains_key(*name)))
        .collect();
    if !gone.is_empty() {
        problems.push(format!(
            "benchmarks of the baseline did not run: {}",
            some(gone.into_iter(), NAMES)
        ));
    }
    let empty: Vec<&String> = baseline
        .benchmarks
        .keys()
        .filter(|name| {
            let mut counts = suite.of_benchmark(name);
            counts.any(|counts| counts.instructions == 0)
        })
        .collect();
    if !empty.is_empty() {
        problems.push(format!(
            "nothing was counted in {}: none of the classes that are counted executed anything",
            some(empty.into_iter(), NAMES)
        ));
    } else if !baseline.methods.is_empty()
        && !baseline
            .methods
            .keys()
            .any(|name| first.methods.contains_key(name))
        && !moved(baseline, first)
        && problems.is_empty()
    {
        problems.push(format!(
            "none of the {} methods that the baseline lists ran, {} for example: it is of another program",
            baseline.methods.len(),
            some(baseline.methods.keys().map(ToString::to_string).collect::<Vec<_>>().iter(), 1)
        ));
    }
    if problems.is_empty() {
        problems.extend(vanished(baseline, suite));
    }
    problems.extend(less_counted(baseline, suite));
    problems.extend(unmeasured(baseline, suite));
    problems
}

/// Names of the benchmarks that ran or failed. The process that runs tests is none of them.
pub(crate) fn ran(baseline: &Baseline, suite: &Suite) -> BTreeSet<String> {
    let mut names = suite.names();
    if baseline.setup.tests.is_some() {
        names.retain(|name| name != PROCESS);
    }
    names
}

/// Why the process that runs tests failed, if it did.
fn failed_launcher<'s>(baseline: &Baseline, suite: &'s Suite) -> Option<&'s String> {
    baseline.setup.tests.as_ref()?;
    suite.runs.iter().find_map(|run| run.failed.get(PROCESS))
}

/// Whether the program's packages have other names: most of the listed methods ran in classes that are called the same but for them.
fn moved(baseline: &Baseline, now: &Counted) -> bool {
    let bare = |name: &MethodName| {
        let class = name.class.rsplit(['/', '.']).next().unwrap_or_default();
        (class.to_owned(), name.name.clone())
    };
    let ran: BTreeSet<(String, String)> = now.methods.keys().map(bare).collect();
    let found = baseline
        .methods
        .keys()
        .filter(|name| ran.contains(&bare(name)));
    2 * found.count() > baseline.methods.len()
}

/// Figures of the baseline that no run of the check has: what was not seen cannot be said to be as before.
fn unmeasured(baseline: &Baseline, suite: &Suite) -> Vec<String> {
    let ran = |name: &String| {
        suite
            .runs
            .iter()
            .any(|run| run.benchmarks.contains_key(name))
    };
    let missing = Metric::ALL.into_iter().filter_map(|metric| {
        let benchmarks = baseline.benchmarks.iter();
        let of: Vec<&String> = benchmarks
            .filter(|(name, b)| b.figure(metric).is_some() && ran(name))
            .map(|(name, _)| name)
            .filter(|name| suite.counts(name, metric).is_empty())
            .collect();
        (!of.is_empty()).then(|| {
            format!(
                "{} were not measured in {}, and the baseline has them: they are taken from a run without counters, which has to do the same as the counted one",
                metric.name(),
                some(of.into_iter(), NAMES)
            )
        })
    });
    missing.collect()
}

/// Benchmarks that hardly do anything any more: a gain, or a benchmark that stopped early, which nobody could tell from a green gate.
fn vanished(baseline: &Baseline, suite: &Suite) -> Option<String> {
    let benchmarks = baseline.benchmarks.iter();
    let vanished: Vec<&String> = benchmarks
        .filter(|(name, benchmark)| {
            let counts = suite.counts(name, Metric::Instructions);
            let most = counts.into_iter().max();
            most.is_some_and(|most| most.saturating_mul(VANISHED) < benchmark.instructions.low())
        })
        .map(|(name, _)| name)
        .collect();
    (!vanished.is_empty()).then(|| {
        format!(
            "less than a tenth of the baseline's instructions ran in {}: if they still do their work, `gate accept` holds the gain",
            some(vanished.into_iter(), NAMES)
        )
    })
}

fn other_java(recorded: &Java, here: &Java, count_jdk: bool) -> Option<String> {
    if recorded.major != here.major {
        return Some(format!(
            "the baseline is of Java {}, and this is Java {}: compilers and libraries of another release execute other code, so keep a baseline for each",
            told(recorded),
            told(here)
        ));
    }
    (count_jdk && recorded.version != here.version).then(|| {
        format!(
            "the JDK's classes are counted, the baseline's are of {}, and these of {}",
            recorded.version, here.version
        )
    })
}

fn told(java: &Java) -> String {
    if java.major == 0 {
        "of unknown version".to_owned()
    } else {
        java.major.to_string()
    }
}

/// What was counted before and is not any more: fewer instructions would look like a gain.
fn less_counted(baseline: &Baseline, suite: &Suite) -> Vec<String> {
    let mut problems = Vec::new();
    let mut fresh: Option<BTreeSet<&String>> = None;
    for run in &suite.runs {
        let of: BTreeSet<&String> = run.uncounted.difference(&baseline.uncounted).collect();
        fresh = Some(match fresh {
            Some(known) => known.intersection(&of).copied().collect(),
            None => of,
        });
    }
    let fresh = fresh.unwrap_or_default();
    if !fresh.is_empty() {
        problems.push(format!(
            "not counted, other than in the baseline: {}",
            some(fresh.iter().copied(), NAMES)
        ));
    }
    // What holds for a whole JVM is said of each of its benchmarks: it is told once.
    let mut told: Vec<(String, Vec<&String>)> = Vec::new();
    for (name, benchmark) in &baseline.benchmarks {
        let caveat = |run: &Counted| {
            let caveats = &run.benchmarks.get(name)?.caveats;
            let is_fresh = |c: &&String| {
                let known = benchmark.caveats.iter().any(|known| alike(known, c));
                // Older baselines do not say how many processes there were: a note tells them.
                let unknown = !baseline.processes && processes::started(c).is_some();
                !known && !unknown
            };
            caveats.iter().find(is_fresh).cloned()
        };
        let mut caveats = suite.runs.iter().map(caveat);
        if let Some(Some(caveat)) = caveats.next()
            && caveats.all(|caveat| caveat.is_some())
        {
            match told.iter_mut().find(|(known, _)| *known == caveat) {
                Some((_, names)) => names.push(name),
                None => told.push((caveat, vec![name])),
            }
        }
    }
    problems.extend(told.into_iter().map(|(caveat, names)| {
        let names = some(names.into_iter(), NAMES);
        format!("the counts of `{names}` are not whole: {caveat}")
    }));
    problems
}

/// Whether two caveats say the same, whatever their numbers.
fn alike(one: &str, other: &str) -> bool {
    let bare = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    bare(one) == bare(other)
}

/// The first names, and how many there are more.
pub(crate) fn some<'a>(names: impl Iterator<Item = &'a String>, limit: usize) -> String {
    let names: Vec<&String> = names.collect();
    let shown: Vec<&str> = names.iter().take(limit).map(|name| name.as_str()).collect();
    match names.len().saturating_sub(limit) {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), count(more as f64)),
    }
}

#[cfg(test)]
mod tests {
    use pricetag_trace::processes::STARTED;

    use super::*;
    use crate::baseline::{Block, Setup};
    use crate::counted::Counts;
    use crate::limits::Limits;
    use crate::notes::notes;

    #[test]
    fn releases_of_java_are_told_apart() {
        let of = |version| Java::of(version, "vm");
        assert_eq!(of("17.0.2").major, 17);
        assert_eq!(of("1.8.0_392").major, 8);
        assert_eq!(of("21-ea").major, 21);
        assert_eq!(of("").major, 0);
        assert!(other_java(&of("17.0.2"), &of("17.0.9"), false).is_none());
        assert!(other_java(&of("17.0.2"), &of("17.0.9"), true).is_some());
        assert!(other_java(&of("17.0.2"), &of("21.0.1"), false).is_some());
    }

    /// A suite that counted method `A.f()`, of blocks with these numbers, codes and executions, and its baseline.
    fn counted(blocks: &[(u32, &str, u64)], calls: u64) -> Suite {
        let code = blocks.iter().map(|&(number, code, _)| Block {
            number,
            size: 2,
            code: code.to_owned(),
            ..Block::default()
        });
        let code = Code {
            file: None,
            blocks: code.collect(),
        };
        let ran = Executed {
            calls,
            blocks: blocks.iter().map(|block| block.2).collect(),
        };
        let name: MethodName = "p/A.f()V".parse().unwrap();
        let counts = Counts {
            instructions: ran.instructions(&code),
            calls,
            methods: [(name.clone(), ran)].into(),
            ..Counts::default()
        };
        let run = Counted {
            methods: [(name, code)].into(),
            benchmarks: [("b".to_owned(), counts)].into(),
            ..Counted::default()
        };
        Suite::of(vec![run; 2])
    }

    fn recorded(suite: &Suite) -> Baseline {
        let setup = Setup::default();
        let baseline = suite.baseline("s", "", "", setup, Limits::default());
        baseline.unwrap()
    }

    #[test]
    fn new_numbers_of_the_same_blocks_are_no_edit() {
        // A block that never runs came in between: those behind it have other numbers.
        let baseline = recorded(&counted(&[(0, "aa", 5), (1, "bb", 7)], 5));
        let renumbered = counted(&[(0, "aa", 5), (1, "cc", 0), (2, "bb", 7)], 5);
        assert_eq!(problems(&baseline, &renumbered), Vec::<String>::new());
        // Somebody wrote another number of executions into it.
        let mut edited = baseline.clone();
        let listed = edited.methods.values_mut().next().unwrap();
        listed.ran.get_mut("b").unwrap().blocks[1] = 8;
        let told = problems(&edited, &renumbered);
        assert!(told[0].contains("changed by hand"), "{told:?}");
        assert!(!may_go_otherwise(&edited, &renumbered));
        assert!(may_go_otherwise(&baseline, &renumbered));
    }

    #[test]
    fn packages_may_be_renamed() {
        let suite = counted(&[(0, "aa", 5)], 5);
        let baseline = recorded(&suite);
        let under = |name: &str| {
            let name: MethodName = name.parse().unwrap();
            let mut suite = suite.clone();
            for run in &mut suite.runs {
                run.methods = run
                    .methods
                    .values()
                    .map(|c| (name.clone(), c.clone()))
                    .collect();
                for counts in run.benchmarks.values_mut() {
                    let ran = std::mem::take(&mut counts.methods);
                    counts.methods = ran.into_values().map(|r| (name.clone(), r)).collect();
                }
            }
            problems(&baseline, &suite)
        };
        assert_eq!(under("org/shop/A.f()V"), Vec::<String>::new());
        assert!(under("p/Other.f()V")[0].contains("another program"));
        assert!(under("org/shop/A.other()V")[0].contains("another program"));
    }

    #[test]
    fn a_launcher_that_fails_is_no_benchmark() {
        let mut suite = counted(&[(0, "aa", 50_000)], 5);
        let mut baseline = recorded(&suite);
        baseline.setup.tests = Some("classes".to_owned());
        for run in &mut suite.runs {
            run.failed
                .insert(PROCESS.to_owned(), "exit code 1".to_owned());
        }
        let told = problems(&baseline, &suite);
        assert_eq!(told, ["the launcher of the tests failed: exit code 1"]);
        assert!(!notes(&baseline, &suite).iter().any(|n| n.contains(PROCESS)));
        let refused = suite.baseline("s", "", "", baseline.setup, Limits::default());
        assert!(refused.unwrap_err().to_string().contains("launcher"));
    }

    #[test]
    fn no_run_unloads_an_agent() {
        let suite = counted(&[(0, "aa", 5)], 5);
        let mut baseline = recorded(&suite);
        baseline.agents = Some(["jacocoagent.jar".to_owned()].into());
        assert!(problems(&baseline, &suite)[0].contains("another agent, jacocoagent.jar"));
        assert!(!may_go_otherwise(&baseline, &suite));
    }

    /// The suite, with processes that its only benchmark started.
    fn starting(processes: u64) -> Suite {
        let mut suite = counted(&[(0, "aa", 50_000)], 5);
        for run in &mut suite.runs {
            let counts = run.benchmarks.get_mut("b").unwrap();
            counts.caveats.push(processes::caveat(processes));
        }
        suite
    }

    #[test]
    fn a_baseline_from_before_processes_were_noticed_gets_a_note() {
        let mut baseline = recorded(&counted(&[(0, "aa", 50_000)], 5));
        let now = starting(2);
        assert!(problems(&baseline, &now)[0].contains("not whole: processes"));
        baseline.processes = false;
        assert_eq!(problems(&baseline, &now), Vec::<String>::new());
        let told = notes(&baseline, &now);
        let told = told.iter().find(|note| note.starts_with(STARTED)).unwrap();
        assert!(
            told.contains("`b` 2 (the baseline is older and does not say)"),
            "{told}"
        );
        // A file says which it is.
        let text = recorded(&now).to_text();
        assert!(text.contains("\"processes\": true"), "{text}");
    }

    #[test]
    fn what_holds_for_a_jvm_is_told_once() {
        let many = |suite: &Suite| {
            let mut suite = suite.clone();
            for run in &mut suite.runs {
                let counts = run.benchmarks["b"].clone();
                for test in 0..9 {
                    run.benchmarks.insert(format!("C#t{test}"), counts.clone());
                }
            }
            suite
        };
        let mut baseline = recorded(&many(&counted(&[(0, "aa", 50_000)], 5)));
        baseline.setup.tests = Some("classes".to_owned());
        let now = many(&starting(2));
        let told = problems(&baseline, &now);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].contains("C#t0, C#t1, C#t2, C#t3, C#t4 and 5 more"),
            "{told:?}"
        );
        let told = notes(&baseline, &now);
        let told = told.iter().find(|note| note.starts_with(STARTED)).unwrap();
        assert!(
            told.contains("`C#t0` and 9 more in its JVM 2 (0 in the baseline);"),
            "{told}"
        );
        // Benchmarks with a JVM each have processes each.
        baseline.setup.tests = None;
        "main".clone_into(&mut baseline.setup.scope);
        let told = notes(&baseline, &now);
        let told = told.iter().find(|note| note.starts_with(STARTED)).unwrap();
        assert!(told.contains("`C#t1` 2 (0 in the baseline)"), "{told}");
    }
}
