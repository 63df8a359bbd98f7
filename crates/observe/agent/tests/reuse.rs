//! Classes that an earlier run rewrote count as if they had been rewritten again.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pricetag_probe_plan::PlanStore;
use pricetag_trace::{AgentOptions, Mode, Record, Trace};
use support::{Subject, counted_classes};

const LOADS: &str = r#"
import java.util.function.Supplier;

public class Loads {
    public static void main(String[] names) throws Exception {
        long sum = 0;
        for (String name : names) sum += ((Work) Class.forName(name).getDeclaredConstructor().newInstance()).work(names.length);
        System.out.println(sum);
        Loads.same(0, () -> Loads.same(1, () -> { System.exit(3); return 0L; }));
    }
    interface Work { long work(int n); }
    /** Calls the class `Same`, of which every loader has other bytes. */
    static long same(int which, Supplier<Long> next) {
        try {
            byte[] bytes = Loads.class.getResourceAsStream("Same.class").readAllBytes();
            for (int i = 0; i + 1 < bytes.length; i++) if (bytes[i] == 0x30 && bytes[i + 1] == 0x39) bytes[i + 1] += (byte) which;
            Class<?> same = new ClassLoader() { Class<?> d() { return defineClass("Same", bytes, 0, bytes.length); } }.d();
            java.lang.reflect.Constructor<?> make = same.getDeclaredConstructor(Supplier.class);
            make.setAccessible(true);
            return ((Supplier<Long>) make.newInstance(next)).get();
        } catch (Exception e) { throw new IllegalStateException(e); }
    }
}
class Same implements Supplier<Long> {
    final Supplier<Long> next;
    public Same(Supplier<Long> next) { this.next = next; }
    public Long get() { long sum = 12345; for (int i = 0; i < 5; i++) sum += i; return sum + next.get(); }
}
class First implements Loads.Work { public long work(int n) { long s = 0; for (int i = 0; i < 40 * n; i++) s += i; return s; } }
class Second implements Loads.Work {
    public long work(int n) {
        long s = 0;
        for (int i = 0; i < 30; i++) try { s += i / (i % n); } catch (ArithmeticException e) { s--; }
        return s;
    }
}
class Third implements Loads.Work {
    public long work(int n) { return n <= 0 ? 5 : 1 + work(n - 1); }
}
/** Loads a class where hardly any stack is left. Not counted, since it counts on the stack. */
class Diver implements Loads.Work {
    int depth;
    public long work(int n) { dive(); return 0; }
    void dive() { try { depth++; dive(); } catch (StackOverflowError e) { new Deepest().work(3); } }
}
class Deepest implements Loads.Work { public long work(int n) { return 2 * n; } }
"#;

const FORTH: [&str; 4] = ["First", "Second", "Third", "Diver"];
const BACK: [&str; 5] = ["Third", "First", "Diver", "Second", "First"];
/// Counted classes that need no probes but counters: `Loads$Work`, `First`, `Second`, `Third`, `Deepest`, two of the name `Same`, and the loader's.
const KEPT: usize = 8;

/// What a run says of the counted code.
#[derive(Debug, PartialEq)]
struct Counted {
    counters: BTreeMap<String, Vec<u64>>,
    open: Vec<String>,
    rest: Vec<String>,
}

impl Counted {
    /// Read with the plans in `plans`.
    fn of(trace: &Trace, plans: &Path) -> Self {
        let named = |(plan, counters): (pricetag_probe_plan::ClassPlan, _)| {
            (format!("{} {}", plan.name, plan.hash), counters)
        };
        // How often a class was tried to be loaded before there was stack enough is nobody's promise.
        let fixed = |(name, _): &(String, _)| !name.starts_with("Deepest ");
        let (mut open, mut rest) = (Vec::new(), Vec::new());
        for record in &trace.records {
            match record {
                Record::OpenFrame(frame) => open.push(format!("{frame:?}")),
                Record::Left(_) | Record::Inexact(_) | Record::Values(_) => {
                    rest.push(format!("{record:?}"));
                }
                _ => {}
            }
        }
        open.sort();
        rest.sort();
        let counters = counted_classes(trace, plans).into_iter().map(named);
        Self {
            counters: counters.filter(fixed).collect(),
            open,
            rest,
        }
    }
}

fn options(subject: &Subject, plans: &str, rewritten: Option<&str>) -> AgentOptions {
    AgentOptions {
        plans: Some(subject.path(plans)),
        rewritten: rewritten.map(|folder| subject.path(folder)),
        exclude: vec!["Diver".parse().expect("a pattern")],
        ..subject.options(Mode::Count)
    }
}

fn run(subject: &Subject, options: &AgentOptions, plans: &str, names: &[&str]) -> Counted {
    let _ = fs::remove_file(&options.trace);
    let arguments: Vec<&str> = ["Loads"].iter().chain(names).copied().collect();
    let (outcome, trace) = subject.trace(options, &arguments);
    assert_eq!(outcome.status, Some(3), "{outcome:?}");
    Counted::of(&trace, &subject.path(plans))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("readable").path())
        .collect()
}

const KEPT_CLASS: [u8; 8] = *b"PTCLASS\x01";
const PLAN: [u8; 8] = *b"PTPLAN\0\x01";

/// Where records begin.
fn begins(bytes: &[u8], magic: [u8; 8]) -> Vec<usize> {
    let starts = bytes.windows(8).enumerate().filter(|(_, w)| **w == magic);
    starts.map(|(at, _)| at).collect()
}

/// Number of records in the files of a folder.
fn records(folder: &Path, magic: [u8; 8]) -> usize {
    let all = files(folder).into_iter();
    all.map(|file| begins(&fs::read(file).expect("readable"), magic).len())
        .sum()
}

/// Alters the last byte of every record.
fn damage(folder: &Path, magic: [u8; 8]) {
    for file in files(folder) {
        let mut bytes = fs::read(&file).expect("readable");
        let next = begins(&bytes, magic).into_iter().skip(1);
        let ends: Vec<usize> = next.chain([bytes.len()]).collect();
        for end in ends {
            bytes[end - 1] ^= 1;
        }
        fs::write(file, bytes).expect("written");
    }
}

#[test]
fn a_kept_class_counts_under_whatever_number() {
    let subject = Subject::new("Loads.java", LOADS);
    let (fresh, kept) = (
        options(&subject, "fresh", None),
        options(&subject, "plans", Some("rewritten")),
    );
    let expected = [&FORTH[..], &BACK].map(|names| run(&subject, &fresh, "fresh", names));
    assert_ne!(expected[0].counters, expected[1].counters);
    // A method and its bridge of either.
    let same = |frame: &&String| {
        expected[0].counters.keys().any(|class| {
            class
                .strip_prefix("Same ")
                .is_some_and(|hash| frame.contains(hash))
        })
    };
    assert_eq!(
        expected[0].open.iter().filter(same).count(),
        2 * 2,
        "{:?}",
        expected[0]
    );
    assert!(expected[0].rest.is_empty(), "{:?}", expected[0]);

    assert_eq!(run(&subject, &kept, "fresh", &FORTH), expected[0]);
    let (plans, folder) = (subject.path("plans"), subject.path("rewritten"));
    assert_eq!(files(&folder).len(), 1, "a run writes to one file");
    assert_eq!(records(&folder, KEPT_CLASS), KEPT, "{:?}", expected[0]);

    // Plans that are damaged are made anew, or taken from where they are kept with a class.
    let planned = records(&plans, PLAN);
    damage(&plans, PLAN);
    assert_eq!(run(&subject, &kept, "plans", &BACK), expected[1]);
    assert_eq!(records(&plans, PLAN), planned + planned);

    // Its plan is kept with a class, for a recording that has none yet.
    for plan in files(&plans) {
        fs::remove_file(plan).expect("removed");
    }
    assert_eq!(run(&subject, &kept, "plans", &BACK), expected[1]);
    assert_eq!(records(&plans, PLAN), planned);
    assert_eq!(records(&folder, KEPT_CLASS), KEPT);

    // A recording of fewer classes takes them as well.
    let fewer = |options: &AgentOptions| AgentOptions {
        include: vec!["First".parse().expect("a pattern")],
        ..options.clone()
    };
    let first = run(&subject, &fewer(&fresh), "fresh", &FORTH);
    assert_eq!(first.counters.len(), 1);
    assert_eq!(run(&subject, &fewer(&kept), "plans", &FORTH), first);
    assert_eq!(records(&folder, KEPT_CLASS), KEPT);

    // One that is damaged is rewritten.
    damage(&folder, KEPT_CLASS);
    assert_eq!(run(&subject, &kept, "plans", &FORTH), expected[0]);
    assert_eq!(records(&folder, KEPT_CLASS), KEPT + KEPT);
}

#[test]
fn runs_with_other_counters_keep_apart() {
    let subject = Subject::new("Loads.java", LOADS);
    let skipped = |options: AgentOptions| AgentOptions {
        skip: std::iter::once("First.work(I)J".parse().expect("a method")).collect(),
        ..options
    };
    let valued = |options: AgentOptions| AgentOptions {
        values: 3,
        caught: true,
        ..options
    };
    let kinds: [&dyn Fn(AgentOptions) -> AgentOptions; 3] = [&|options| options, &skipped, &valued];
    for round in 1..=2 {
        for (number, kind) in kinds.iter().enumerate() {
            let [fresh, plans] = ["fresh", "plans"].map(|name| format!("{name}-{number}"));
            let expected = run(
                &subject,
                &kind(options(&subject, &fresh, None)),
                &fresh,
                &FORTH,
            );
            let kept = kind(options(&subject, &plans, Some("rewritten")));
            assert_eq!(run(&subject, &kept, &plans, &FORTH), expected);
            let has = |what| expected.rest.iter().any(|record| record.contains(what));
            assert_eq!(
                (has("Left"), has("Values")),
                (number == 1, number == 2),
                "{expected:?}"
            );
        }
        assert_eq!(
            records(&subject.path("rewritten"), KEPT_CLASS),
            3 * KEPT,
            "round {round}"
        );
    }
}

/// Another version may have begun the recording.
#[test]
fn a_class_counts_by_the_plan_that_is_stored() {
    let subject = Subject::new("Loads.java", LOADS);
    let kept = |plans| options(&subject, plans, Some("rewritten"));
    let of_now = run(&subject, &kept("now"), "now", &FORTH);
    let [now, then] = ["now", "then"]
        .map(|plans| PlanStore::open(subject.path(plans)).expect("a directory of plans"));
    for hash in now.hashes() {
        let mut plan = now.load(hash).expect("readable").expect("a plan");
        let last = plan.counters.saturating_sub(1);
        let edges = plan.methods.iter_mut().flat_map(|method| &mut method.edges);
        for counter in edges.filter_map(|edge| edge.counter.as_mut()) {
            counter.0 = last - counter.0;
        }
        then.store(&plan).expect("written");
    }
    let without = run(&subject, &options(&subject, "then", None), "then", &FORTH);
    assert_ne!(without, of_now, "counters have other numbers");
    assert_eq!(run(&subject, &kept("then"), "then", &FORTH), without);
    // Where there is no plan yet, that of the kept class shows that it was taken: a new one would be as it is now.
    let later = run(&subject, &kept("later"), "later", &FORTH);
    let later_plans = PlanStore::open(subject.path("later")).expect("a directory of plans");
    let hash = now.hashes().into_iter().find(|&hash| {
        let plan = now.load(hash).expect("readable").expect("a plan");
        plan.name == "First"
    });
    let hash = hash.expect("the class was counted");
    assert_eq!(later_plans.bytes(hash), then.bytes(hash));
    assert_ne!(later_plans.bytes(hash), now.bytes(hash));
    let of_first = |counted: &Counted| counted.counters[&format!("First {hash}")].clone();
    assert_eq!(of_first(&later), of_first(&without));
}

/// Programs may make classes that no other run makes, and every run opens all files.
#[test]
fn where_much_is_kept_no_more_is() {
    let subject = Subject::new("Loads.java", LOADS);
    let folder = subject.path("rewritten");
    fs::create_dir(&folder).expect("a folder");
    let kept = |plans| {
        run(
            &subject,
            &options(&subject, plans, Some("rewritten")),
            plans,
            &FORTH,
        );
        records(&folder, KEPT_CLASS)
    };
    for number in 1..1000 {
        fs::write(folder.join(format!("{number}.classes")), "").expect("written");
    }
    assert_eq!(kept("one"), KEPT);
    fs::remove_file(folder.join("001000.classes")).expect("removed");
    fs::write(folder.join("1000.classes"), "").expect("written");
    assert_eq!(kept("two"), 0);
}

/// A run in [`Mode::Time`], after which there are so many records.
fn timed(subject: &Subject, kept: &AgentOptions, arguments: &[&str], status: i32) -> usize {
    let options = AgentOptions {
        mode: Mode::Time,
        ..kept.clone()
    };
    let _ = fs::remove_file(&options.trace);
    let (outcome, trace) = subject.trace(&options, arguments);
    assert_eq!(outcome.status, Some(status), "{outcome:?}");
    assert!(trace.complete);
    assert_eq!(trace.records.last(), Some(&Record::End));
    fs::remove_file(&options.trace).expect("removed");
    records(kept.rewritten.as_deref().expect("a folder"), KEPT_CLASS)
}

#[test]
fn counting_runs_find_what_a_timed_one_rewrote_beforehand() {
    let subject = Subject::new("Loads.java", LOADS);
    let jar = subject.path("loads.jar");
    let packed = Command::new("jar")
        .args(["cf", "loads.jar", "-C", "classes", "."])
        .current_dir(subject.path("."))
        .status();
    assert!(packed.expect("a JDK").success());
    let valued = |options| AgentOptions {
        values: 3,
        transitions: true,
        ..options
    };
    for (number, from_jar) in [(0, false), (1, true)] {
        let [fresh, plans, folder] =
            ["fresh", "plans", "kept"].map(|name| format!("{name}-{number}"));
        let kind = |options| if from_jar { valued(options) } else { options };
        let kept = kind(options(&subject, &plans, Some(&folder)));
        let arguments: Vec<&str> = if from_jar {
            vec!["-cp", jar.to_str().expect("a path"), "Loads"]
        } else {
            vec!["Loads"]
        };
        let arguments: Vec<&str> = arguments.into_iter().chain(FORTH).collect();
        // Not the two of the program's own loader, which would have to be asked; the main class, which is nothing to a counting run.
        let beforehand = KEPT - 2 + 1;
        assert_eq!(timed(&subject, &kept, &arguments, 3), beforehand);
        let expected = run(
            &subject,
            &kind(options(&subject, &fresh, None)),
            &fresh,
            &FORTH,
        );
        assert_eq!(run(&subject, &kept, &plans, &FORTH), expected);
        let found = records(&subject.path(&folder), KEPT_CLASS);
        assert_eq!(found, beforehand + 2, "the others were there");
    }
}

#[test]
fn a_timed_run_rewrites_beforehand_only_what_counting_runs_take() {
    let subject = Subject::new("Loads.java", LOADS);
    let arguments: Vec<&str> = ["Loads"].iter().chain(&FORTH).copied().collect();
    let kept = |folder| options(&subject, "plans", Some(folder));
    let observed = AgentOptions {
        scopes: vec!["First#work".parse().expect("a method")],
        ..kept("observed")
    };
    assert_eq!(timed(&subject, &observed, &arguments, 3), KEPT - 2);
    let chosen = AgentOptions {
        include: vec!["First".parse().expect("a pattern")],
        ..kept("chosen")
    };
    assert_eq!(timed(&subject, &chosen, &arguments, 3), 1);
    let by_caller = AgentOptions {
        callers: true,
        ..kept("by-caller")
    };
    fs::create_dir(subject.path("by-caller")).expect("a folder");
    assert_eq!(timed(&subject, &by_caller, &arguments, 3), 0);
    // Of a collector that has been stopped by then a thread that goes on allocating would wait for ever.
    fs::create_dir(subject.path("stopped")).expect("a folder");
    let under = |collector, folder| {
        let arguments: Vec<&str> = [collector].into_iter().chain(arguments.clone()).collect();
        timed(&subject, &kept(folder), &arguments, 3)
    };
    assert_eq!(under("-XX:+UseZGC", "stopped"), 0);
    for (collector, folder) in [("-XX:+UseG1GC", "g1"), ("-XX:+UseParallelGC", "parallel")] {
        assert_eq!(under(collector, folder), KEPT - 1, "{collector}");
    }
}

#[test]
fn what_the_jdk_loads_for_programs_is_read_as_the_jvm_reads_it() {
    let source = r#"
public class Hours {
    public static void main(String[] none) {
        System.out.println(new java.util.zip.CRC32C().getValue());
        System.out.println(java.sql.Time.valueOf("12:34:56"));
    }
}
"#;
    let subject = Subject::new("Hours.java", source);
    let kept = AgentOptions {
        count_jdk: true,
        include: ["java.sql.Time", "java.util.zip.CRC32C"]
            .map(|class| class.parse().expect("a pattern"))
            .to_vec(),
        exclude: Vec::new(),
        ..options(&subject, "plans", Some("kept"))
    };
    // The other one is the boot loader's. It is loaded first: what is kept beforehand has number 0, and another number makes another record of a class that is not found.
    assert_eq!(timed(&subject, &kept, &["Hours"], 0), 1);
    let (outcome, trace) = subject.trace(&kept, &["Hours"]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let counted = counted_classes(&trace, &subject.path("plans"));
    assert_eq!(counted.len(), 2);
    assert_eq!(records(&subject.path("kept"), KEPT_CLASS), 2);
}
