//! Classes that an earlier run rewrote count as if they had been rewritten again.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pricetag_trace::{AgentOptions, Mode};
use support::{Subject, counted_classes};

const LOADS: &str = r"
public class Loads {
    public static void main(String[] names) throws Exception {
        long sum = 0;
        for (String name : names) sum += ((Loads.Work) Class.forName(name).getDeclaredConstructor().newInstance()).work(names.length);
        System.out.println(sum);
    }
    interface Work { long work(int n); }
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
    public long work(int n) { return n <= 0 ? open() : 1 + work(n - 1); }
    long open() { Runtime.getRuntime().addShutdownHook(new Thread(() -> { })); return 5; }
}
";

/// Where a run leaves what.
struct Folders {
    plans: PathBuf,
    rewritten: Option<PathBuf>,
}

/// Counters by class, read with the plans in `read`.
fn counts(
    subject: &Subject,
    folders: &Folders,
    read: &Path,
    names: &[&str],
) -> BTreeMap<String, Vec<u64>> {
    let options = AgentOptions {
        plans: Some(folders.plans.clone()),
        rewritten: folders.rewritten.clone(),
        ..subject.options(Mode::Count)
    };
    let arguments: Vec<&str> = ["Loads"].iter().chain(names).copied().collect();
    let (outcome, trace) = subject.trace(&options, &arguments);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let counted = counted_classes(&trace, read).into_iter();
    let counts: BTreeMap<_, _> = counted
        .map(|(plan, counters)| (plan.name, counters))
        .collect();
    assert_eq!(counts.len(), 4, "{counts:?}");
    counts
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("readable").path())
        .collect()
}

#[test]
fn a_kept_class_counts_under_whatever_number() {
    let subject = Subject::new("Loads.java", LOADS);
    let fresh = Folders {
        plans: subject.path("fresh"),
        rewritten: None,
    };
    let kept = Folders {
        plans: subject.path("plans"),
        rewritten: Some(subject.path("rewritten")),
    };
    let (forth, back) = (
        ["First", "Second", "Third"],
        ["Third", "First", "Second", "First"],
    );
    let expected = [&forth[..], &back].map(|names| counts(&subject, &fresh, &fresh.plans, names));
    assert_ne!(expected[0], expected[1]);

    assert_eq!(counts(&subject, &kept, &fresh.plans, &forth), expected[0]);
    let folder = subject.path("rewritten");
    assert_eq!(
        files(&folder).len(),
        4,
        "all but the main class, which has a probe for its arguments"
    );

    // Whoever reads a plan to rewrite by it replaces one that is damaged.
    for plan in files(&kept.plans) {
        fs::write(plan, "damaged").expect("written");
    }
    assert_eq!(counts(&subject, &kept, &fresh.plans, &back), expected[1]);
    let damaged = |plan: &PathBuf| fs::read(plan).expect("readable") == b"damaged";
    assert_eq!(
        files(&kept.plans)
            .iter()
            .filter(|plan| damaged(plan))
            .count(),
        4
    );

    // Without its plan a class is rewritten, which makes one.
    for plan in files(&kept.plans) {
        fs::remove_file(plan).expect("removed");
    }
    assert_eq!(counts(&subject, &kept, &kept.plans, &back), expected[1]);

    // So is one whose file is damaged; that is replaced.
    for file in files(&folder) {
        let mut bytes = fs::read(&file).expect("readable");
        bytes.truncate(bytes.len() / 2);
        fs::write(file, bytes).expect("written");
    }
    let before: Vec<u64> = files(&folder)
        .iter()
        .map(|file| file.metadata().expect("there").len())
        .collect();
    assert_eq!(counts(&subject, &kept, &kept.plans, &forth), expected[0]);
    let after: Vec<u64> = files(&folder)
        .iter()
        .map(|file| file.metadata().expect("there").len())
        .collect();
    assert!(
        before.iter().sum::<u64>() < after.iter().sum(),
        "{before:?} {after:?}"
    );
}

#[test]
fn runs_with_other_counters_keep_apart() {
    let subject = Subject::new("Loads.java", LOADS);
    let all = AgentOptions {
        rewritten: Some(subject.path("rewritten")),
        ..subject.options(Mode::Count)
    };
    let skipped = AgentOptions {
        skip: std::iter::once("First.work(I)J".parse().expect("a method")).collect(),
        ..all.clone()
    };
    let valued = AgentOptions {
        values: 3,
        ..all.clone()
    };
    for options in [&all, &skipped, &valued, &all, &skipped] {
        let _ = fs::remove_file(&options.trace);
        let (_, trace) = subject.trace(options, &["Loads", "First"]);
        let left = trace.to_string().contains("left First.work(I)J");
        assert_eq!(left, !options.skip.is_empty(), "{trace}");
    }
    assert_eq!(
        files(&subject.path("rewritten")).len(),
        3 * 2,
        "First and the interface"
    );
}
