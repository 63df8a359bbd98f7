//! Methods and loops that are left out on request: the others count as before, and the plan says what is missing.

mod support;

use std::collections::BTreeMap;

use pricetag_probe_plan::{BlockId, MethodOutcome};
use pricetag_trace::{AgentOptions, Listed, Mode, REMOVED, Record, Trace};
use support::{Subject, counted_classes};

const CALLS: &str = r"
public class Calls {
    static int hot(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
    static int hot(long n) { return (int) n; }
    static int cool(int n) { return n > 2 ? hot(n) : hot(3L); }
    public static void main(String[] args) {
        int s = 0;
        for (int i = 0; i < 50; i++) s += cool(i);
        System.out.println(s);
    }
}
";

/// Invocations of each counted method, and what was left with the reason.
fn counted(options: &AgentOptions, trace: &Trace) -> (BTreeMap<String, u64>, Vec<String>) {
    let plans = options.plans.as_deref().expect("plans");
    let (mut calls, mut left) = (BTreeMap::new(), Vec::new());
    for (plan, values) in counted_classes(trace, plans) {
        for method in &plan.methods {
            if method.outcome == MethodOutcome::Counted {
                let counts = method.derive(&values, &[]).expect("balanced");
                let name = format!("{}{}", method.name, method.descriptor);
                calls.insert(name, method.invocations(&counts).expect("known"));
            }
        }
    }
    for record in &trace.records {
        if let Record::Left(gone) = record
            && gone.reason == REMOVED
        {
            let method = gone.method.as_deref().unwrap_or("");
            left.push(format!("{}.{method}", gone.class));
        }
    }
    (calls, left)
}

#[test]
fn skipped_methods_are_absent_and_the_others_exact() {
    let subject = Subject::new("Calls.java", CALLS);
    let mut options = subject.options(Mode::Count);
    let all = counted(&options, &subject.trace(&options, &["Calls"]).1);
    assert_eq!(all.0["cool(I)I"], 50);
    assert_eq!((all.0["hot(I)I"], all.0["hot(J)I"]), (47, 3));
    assert!(all.1.is_empty());
    // The plan of the run before is in the directory and must not be used.
    options.skip = std::iter::once("Calls.hot(I)I".parse().expect("a method")).collect();
    let without = |options: &AgentOptions| {
        std::fs::remove_file(&options.trace).expect("the former trace");
        let (outcome, trace) = subject.trace(options, &["Calls"]);
        assert_eq!(outcome.output, "19608\n", "{outcome:?}");
        counted(options, &trace)
    };
    let some = without(&options);
    let mut expected = all.0.clone();
    expected.remove("hot(I)I");
    assert_eq!(some.0, expected);
    assert_eq!(some.1, ["Calls.hot(I)I"]);
    // Only what is on the list, of any class; what is not is no news.
    options.skip.clear();
    let listed = ["Calls.hot(J)I", "Calls.cool(I)I", "Other.hot(I)I"];
    options.keep = Listed::Methods(listed.map(|m| m.parse().expect("a method")).into());
    let some = without(&options);
    let names: Vec<&str> = some.0.keys().map(String::as_str).collect();
    assert_eq!(names, ["cool(I)I", "hot(J)I"]);
    assert!(some.0.iter().all(|(name, count)| all.0[name] == *count));
    assert!(some.1.is_empty());
    options.keep = Listed::Everything;
    // And the other way round.
    options.skip.clear();
    assert_eq!(without(&options), all);
    // Without its loop a method's invocations are known. The plan of the run before must not be used, nor this one by the next.
    let plans = options.plans.clone().expect("plans");
    let removed = |options: &AgentOptions| -> Vec<u16> {
        let trace = Trace::read(&options.trace).expect("a trace");
        let counted = counted_classes(&trace, &plans);
        let methods = counted.iter().flat_map(|(plan, _)| &plan.methods);
        let headers = methods.flat_map(|m| m.removed_loops.iter().map(|l| m.loop_header(*l).0));
        headers.collect()
    };
    let headers = [4, 5, 700].map(|pc| format!("Calls.hot(I)I@{pc}").parse().expect("a loop"));
    options.skip = headers.into();
    assert_eq!(without(&options), all);
    assert_eq!(removed(&options), [4]);
    options.skip.clear();
    assert_eq!(without(&options), all);
    assert_eq!(removed(&options), [0; 0]);
    // The same holds of a list of blocks: the loop's body alone, then what is around it, then everything.
    for number in [2, 3] {
        let name = format!("Calls.hot(int) block {number} (Calls.java:3)");
        options.keep = Listed::Blocks([name.parse().expect("a block")].into());
        std::fs::remove_file(&options.trace).expect("the former trace");
        subject.trace(&options, &["Calls"]);
        let trace = Trace::read(&options.trace).expect("a trace");
        let counted = counted_classes(&trace, &plans);
        let [(plan, counters)] = &counted[..] else {
            panic!("{counted:?}")
        };
        let methods = plan.methods.iter();
        let methods = methods.filter(|m| m.outcome == MethodOutcome::Counted);
        let [hot] = &methods.collect::<Vec<_>>()[..] else {
            panic!("{plan}")
        };
        assert_eq!(hot.listed_blocks, Some(vec![BlockId(number)]));
        assert_eq!(hot.edges.iter().filter(|e| e.counter.is_some()).count(), 1);
        let counts = hot.derive(counters, &[]).expect("balanced");
        // `hot` is called with 3 to 49.
        let expected = if number == 2 { (3..50).sum() } else { 47 };
        assert_eq!(counts.blocks[number as usize], Some(expected));
    }
    options.keep = Listed::Everything;
    assert_eq!(without(&options), all);
}
