//! Invocations of chosen methods as observations.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use pricetag_probe_plan::PlanStore;
use pricetag_trace::{Argument, Invocation, Mode, Record, Scope};
use support::{Subject, invocations};

const CALLS: &str = r#"
import java.util.*;
import java.util.concurrent.*;
public class Calls {
    static Object sink;
    static Object one() { return new int[1]; }
    static void many(int n) { for (int i = 0; i < n; i++) sink = new byte[100]; }
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    int values(long a, double b, float c, char d, boolean e, String f, int[] g, List<?> h, Map<?, ?> i, Object j, Calls k) { return 1; }
    static class Mine extends ArrayList<Integer> { @Override public int size() { System.out.println("asked"); return 9; } }
    static class Odd implements Comparable<Odd> { public int compareTo(Odd o) { System.out.println("asked"); return 0; } }
    static void wrapped(List<?> a, Collection<?> b, Set<?> c, Set<?> d, Set<?> e, Collection<?> f, Map<?, ?> g, Set<?> h) { }
    static class Own extends java.io.File { Own() { super("own"); } @Override public String getPath() { System.out.println("asked"); return ""; } }
    static void paths(java.io.File a, java.nio.file.Path b, java.nio.file.Path c, java.io.File d) { }
    static int loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 == 0 ? 2 : 1; return s; }
    static int down(int n) { return n == 0 ? 0 : down(n - 1) + 1; }
    static volatile boolean spinning;
    static void around() { spin(); }
    static void spin() { while (true) spinning = true; }
    static int fail(int n) { if (n > 1) throw new IllegalArgumentException(); return n; }
    static int outer(int n) { int s = loop(n); try { s += fail(n); } catch (IllegalArgumentException e) { s--; } return s; }
    static void hand(ExecutorService pool, int n) throws Exception { pool.submit(() -> many(n)).get(); }
    static void meet(CountDownLatch here, CountDownLatch there, int n) throws Exception { here.countDown(); there.await(); loop(n); }
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "hand": {
                ExecutorService pool = Executors.newFixedThreadPool(1);
                for (int n : new int[] {1, 0, 500_000, 0}) hand(pool, n);
                pool.shutdown();
                break;
            }
            case "meet": {
                CountDownLatch first = new CountDownLatch(1), second = new CountDownLatch(1), never = new CountDownLatch(0);
                Thread other = new Thread(() -> { try { first.await(); meet(second, never, 9); } catch (Exception e) { throw new Error(e); } });
                other.start();
                meet(first, second, 5);
                other.join();
                meet(never, never, 3);
                break;
            }
            case "allocate": {
                for (int i = 0; i < 3; i++) sink = one();
                Thread worker = new Thread(() -> many(500_000));
                worker.start();
                worker.join();
                break;
            }
            case "list": { List<Object> l = new ArrayList<>(); for (int i = 0; i < 5; i++) l.add("x".repeat(77)); break; }
            case "overflow":
                for (int i = 0; i < 12; i++) try { down(i % 2 == 0 ? 5 : 10_000_000); } catch (StackOverflowError e) { }
                break;
            case "end":
                for (int t = 0; t < 3; t++) { Thread thread = new Thread(() -> { while (true) loop(9); }); thread.setDaemon(true); thread.start(); }
                Thread.sleep(200);
                System.exit(0);
            case "suspend": {
                Thread spinner = new Thread(Calls::around);
                spinner.setDaemon(true);
                spinner.start();
                while (!spinning) Thread.onSpinWait();
                spinner.suspend();
                System.exit(0);
            }
            case "recurse": for (int i = 3; i < 6; i++) fib(i); break;
            case "values": new Calls().values(-5L, 2.5, 0.5f, 'a', true, "four", new int[7], List.of(1, 2), Map.of(1, 2), null, new Calls()); break;
            case "wrapped": {
                TreeSet<Odd> odd = new TreeSet<>(Set.of(new Odd()));
                SortedSet<Odd> view = odd.tailSet(new Odd());
                System.out.println("now");
                wrapped(Collections.unmodifiableList(new Mine()), Collections.synchronizedCollection(new Mine()), view, odd,
                    EnumSet.of(Thread.State.NEW), new Mine(), new HashMap<>(Map.of(1, 2)), new HashMap<>(Map.of(1, 2)).keySet());
                System.out.println("done");
                break;
            }
            case "paths": paths(new java.io.File("in/a.txt"), java.nio.file.Path.of("b", "c.txt"), java.nio.file.Path.of("d".repeat(99)), new Own()); break;
            case "fail": for (int i = 0; i < 3; i++) outer(i); break;
            case "threads": {
                Thread[] threads = new Thread[8];
                for (int t = 0; t < threads.length; t++) {
                    final int base = 100 * t;
                    threads[t] = new Thread(() -> { for (int i = 0; i < 50; i++) outer(base + i); });
                    threads[t].start();
                }
                for (Thread t : threads) t.join();
                break;
            }
        }
    }
}
"#;

fn observe(subject: &Subject, mode: Mode, scopes: &[&str], what: &str) -> Vec<Invocation> {
    let mut options = subject.options(mode);
    options.scopes = scopes
        .iter()
        .map(|scope| scope.parse::<Scope>().expect("a scope"))
        .collect();
    // Interpreted: compiled code that takes over a running loop allocates some bytes of its own.
    let (outcome, trace) = subject.trace(&options, &["-Xint", "Calls", what]);
    assert_eq!((outcome.status, outcome.error.as_str()), (Some(0), ""));
    invocations(&trace).into_iter().cloned().collect()
}

/// How often each method of `Calls` was entered during an invocation, from its counters.
fn entries(subject: &Subject, invocation: &Invocation, method: &str) -> u64 {
    let store = PlanStore::open(subject.path("plans")).expect("plans");
    let mut entries = 0;
    for counters in &invocation.counters {
        let plan = store
            .load(counters.hash)
            .expect("a sound plan")
            .expect("a plan");
        let mut values = vec![0; plan.counters as usize];
        for &(index, count) in &counters.counts {
            values[index as usize] = count;
        }
        for planned in &plan.methods {
            let counts = planned
                .derive(&values, &[])
                .expect("an invocation's counters balance");
            if planned.name == method {
                entries += counts.blocks.first().copied().flatten().unwrap_or(0);
            }
        }
    }
    entries
}

#[test]
fn allocation_is_exact_to_the_byte() {
    let subject = Subject::new("Calls.java", CALLS);
    let calls = observe(
        &subject,
        Mode::Time,
        &["Calls#one", "main", "Calls#many(I)V"],
        "allocate",
    );
    let allocated: Vec<(u32, u64)> = calls
        .iter()
        .map(|call| (call.scope, call.allocated_bytes))
        .collect();
    assert_eq!(allocated, [(0, 24), (0, 24), (0, 24), (2, 60_000_000)]);
    assert_ne!(calls[0].thread, calls[3].thread);
}

#[test]
fn only_the_outermost_invocation_counts() {
    let subject = Subject::new("Calls.java", CALLS);
    let timed = observe(&subject, Mode::Time, &["Calls#fib"], "recurse");
    let arguments: Vec<_> = timed.iter().map(|call| call.arguments.clone()).collect();
    assert_eq!(arguments, [3, 4, 5].map(|n| vec![Argument::Integer(n)]));
    assert!(
        timed
            .iter()
            .all(|call| call.counters.is_empty() && call.wall_ns > 0)
    );
    let counted = observe(&subject, Mode::Count, &["Calls#fib"], "recurse");
    let entered: Vec<u64> = counted
        .iter()
        .map(|call| entries(&subject, call, "fib"))
        .collect();
    assert_eq!(entered, [5, 9, 15]);
}

#[test]
fn arguments_by_value_or_size() {
    let subject = Subject::new("Calls.java", CALLS);
    let calls = observe(&subject, Mode::Time, &["Calls#values"], "values");
    assert_eq!(calls.len(), 1);
    assert_eq!(
        calls[0].arguments,
        [
            Argument::Integer(-5),
            Argument::Real(2.5),
            Argument::Real(0.5),
            Argument::Integer(97),
            Argument::Integer(1),
            Argument::Text {
                length: 4,
                beginning: "four".to_owned(),
            },
            Argument::Size(7),
            Argument::Size(2),
            Argument::Size(1),
            Argument::Null,
            Argument::Opaque,
        ]
    );
}

#[test]
fn files_and_paths_have_names_and_their_methods_are_not_asked() {
    let subject = Subject::new("Calls.java", CALLS);
    let mut options = subject.options(Mode::Time);
    options.scopes = vec!["Calls#paths".parse::<Scope>().expect("a scope")];
    let (outcome, trace) = subject.trace(&options, &["Calls", "paths"]);
    assert_eq!((outcome.status, outcome.output.as_str()), (Some(0), ""));
    let path = |name: &str| Argument::Path(name.to_owned());
    assert_eq!(
        invocations(&trace)[0].arguments,
        [
            path("in/a.txt"),
            path("b/c.txt"),
            path(&"d".repeat(Argument::SHOWN)),
            Argument::Opaque,
        ]
    );
}

#[test]
fn parameters_are_named_as_in_the_debug_tables() {
    let subject = Subject::new("Calls.java", CALLS);
    let mut options = subject.options(Mode::Time);
    options.scopes = vec!["Calls#values".parse::<Scope>().expect("a scope")];
    let (_, trace) = subject.trace(&options, &["Calls", "values"]);
    let found: Vec<_> = trace
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Parameters(method) => Some(method),
            _ => None,
        })
        .collect();
    let [method] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((method.scope, method.class.as_str()), (0, "Calls"));
    let names: Vec<&str> = method.names.iter().flatten().map(String::as_str).collect();
    assert_eq!(names.concat(), "abcdefghijk");
}

#[test]
fn collections_of_the_subject_are_not_asked_even_through_wrappers() {
    let subject = Subject::new("Calls.java", CALLS);
    let mut options = subject.options(Mode::Time);
    options.scopes = vec!["Calls#wrapped".parse::<Scope>().expect("a scope")];
    let (outcome, trace) = subject.trace(&options, &["Calls", "wrapped"]);
    assert!(outcome.output.ends_with("now\ndone\n"), "{outcome:?}");
    let opaque = Argument::Opaque;
    assert_eq!(
        invocations(&trace)[0].arguments,
        [
            opaque.clone(),
            opaque.clone(),
            opaque.clone(),
            Argument::Size(1),
            Argument::Size(1),
            opaque.clone(),
            Argument::Size(1),
            opaque,
        ]
    );
}

#[test]
fn an_exception_ends_an_invocation() {
    let subject = Subject::new("Calls.java", CALLS);
    for mode in [Mode::Time, Mode::Count] {
        let calls = observe(&subject, mode, &["Calls#fail", "Calls#outer"], "fail");
        let seen: Vec<(u32, bool)> = calls.iter().map(|call| (call.scope, call.threw)).collect();
        assert_eq!(
            seen,
            [
                (1, false),
                (0, false),
                (1, false),
                (0, false),
                (1, false),
                (0, true)
            ],
            "{mode}"
        );
        if mode == Mode::Count {
            assert!(
                calls
                    .iter()
                    .all(|call| entries(&subject, call, "fail") == 1)
            );
            let loops: Vec<u64> = calls
                .iter()
                .map(|call| entries(&subject, call, "loop"))
                .collect();
            assert_eq!(loops, [1, 0, 1, 0, 1, 0]);
        }
    }
}

#[test]
fn threads_do_not_disturb_each_other() {
    let subject = Subject::new("Calls.java", CALLS);
    let calls = observe(&subject, Mode::Count, &["Calls#outer"], "threads");
    assert_eq!(calls.len(), 400);
    assert_eq!(
        calls
            .iter()
            .map(|call| call.thread)
            .collect::<BTreeSet<_>>()
            .len(),
        8
    );
    let sequences: BTreeSet<u64> = calls.iter().map(|call| call.sequence).collect();
    assert_eq!(sequences, (0..400).collect());
    for call in &calls {
        assert!(
            entries(&subject, call, "loop") == 1 && entries(&subject, call, "outer") == 1,
            "{call:?}"
        );
    }
}

#[test]
fn a_scope_that_does_not_exist_is_listed() {
    let subject = Subject::new("Calls.java", CALLS);
    let mut options = subject.options(Mode::Time);
    options.scopes = vec!["Calls#nothing".parse().expect("a scope")];
    let (_, trace) = subject.trace(&options, &["Calls", "recurse"]);
    let text = trace.to_string();
    assert!(
        text.contains("left Calls.Calls#nothing: not observed: class Calls has no method nothing"),
        "{text}"
    );
}

#[test]
fn methods_of_the_jdk_are_observed_when_asked() {
    let subject = Subject::new("Calls.java", CALLS);
    let mut options = subject.options(Mode::Time);
    options.scopes = [
        "java.util.ArrayList#add(Ljava/lang/Object;)Z",
        "Absent#method",
    ]
    .map(|s| s.parse().expect("a scope"))
    .to_vec();
    let (outcome, trace) = subject.trace(&options, &["Calls", "list"]);
    assert_eq!((outcome.status, outcome.error.as_str()), (Some(0), ""));
    let strings = invocations(&trace)
        .iter()
        .filter(|call| {
            let text = Argument::Text {
                length: 77,
                beginning: "x".repeat(Argument::SHOWN),
            };
            call.arguments == [text]
        })
        .count();
    assert_eq!(strings, 5, "{trace}");
    assert!(
        trace
            .to_string()
            .contains("left Absent.Absent#method: not observed: its class was not loaded"),
        "{trace}"
    );
}

/// Bytes of the array that `many` makes in each pass: a header of 16 and 100, rounded up.
const ARRAY: u64 = 120;

#[test]
fn costs_of_all_threads() {
    let subject = Subject::new("Calls.java", CALLS);
    for mode in [Mode::Time, Mode::Count] {
        let own = observe(&subject, mode, &["Calls#hand"], "hand");
        let all = observe(&subject, mode, &["Calls#hand+threads"], "hand");
        assert_eq!((own.len(), all.len()), (4, 4));
        assert!(own[2].allocated_bytes < 10_000, "{mode}: {:?}", own[2]);
        // All threads are also those of the runtime: some 10 KB more were seen at times in the invocation of so many bytes, and the worker may go on towards waiting.
        let more = all[2].allocated_bytes.abs_diff(all[3].allocated_bytes);
        assert!(
            more.abs_diff(500_000 * ARRAY) < 100_000,
            "{mode}: {more} bytes"
        );
        assert!(
            all[2].cpu_ns > 10 * all[3].cpu_ns && all[2].cpu_ns > 5 * own[2].cpu_ns,
            "{mode}: {all:?}, alone {own:?}"
        );
    }
}

#[test]
fn one_observation_of_all_threads_at_a_time() {
    let subject = Subject::new("Calls.java", CALLS);
    let mut options = subject.options(Mode::Count);
    options.scopes = vec!["Calls#meet+threads".parse().expect("a scope")];
    let (outcome, trace) = subject.trace(&options, &["Calls", "meet"]);
    assert_eq!((outcome.status, outcome.error.as_str()), (Some(0), ""));
    let calls: Vec<Invocation> = invocations(&trace).into_iter().cloned().collect();
    let last: Vec<_> = calls
        .iter()
        .map(|call| call.arguments.last().cloned())
        .collect();
    assert_eq!(last, [5, 3].map(|n| Some(Argument::Integer(n))));
    assert_eq!(entries(&subject, &calls[1], "loop"), 1);
    let told = trace.records.iter().any(|record| {
        matches!(record, Record::Inexact(why) if why.starts_with("1 invocations began while another was observed"))
    });
    assert!(told, "{trace}");
}

#[test]
fn a_scope_is_observed_again_after_the_stack_has_overflowed_in_it() {
    let subject = Subject::new("Calls.java", CALLS);
    for mode in [Mode::Time, Mode::Count] {
        let mut options = subject.options(mode);
        options.scopes = vec!["Calls#down".parse().expect("a scope")];
        let (outcome, trace) = subject.trace(&options, &["-Xss512k", "Calls", "overflow"]);
        assert_eq!((outcome.status, outcome.error.as_str()), (Some(0), ""));
        let calls = invocations(&trace);
        let with = |n: i64| {
            let argument = [Argument::Integer(n)];
            let calls = calls.iter().filter(move |call| call.arguments == argument);
            calls.count()
        };
        assert_eq!(with(5), 6, "{mode}: {trace}");
        assert_eq!(calls.len(), 6 + with(10_000_000), "{mode}: {trace}");
        let lost = 6 - with(10_000_000);
        let said = trace.records.iter().any(|record| {
            matches!(record, Record::Inexact(why) if *why == format!("at least {lost} invocations have no row: their ends were not reported, as when the stack is full"))
        });
        assert_eq!(said, lost > 0, "{mode}: {trace}");
    }
}

#[test]
fn the_end_may_come_while_threads_are_stopped() {
    let subject = Subject::new("Calls.java", CALLS);
    let mut options = subject.options(Mode::Count);
    options.scopes = vec!["Calls#loop+threads".parse().expect("a scope")];
    for _ in 0..3 {
        let _ = std::fs::remove_file(&options.trace);
        let (outcome, trace) = subject.trace(&options, &["Calls", "end"]);
        assert_eq!((outcome.status, outcome.error.as_str()), (Some(0), ""));
        let calls = invocations(&trace);
        assert!(!calls.is_empty());
        for call in calls {
            let mut counts = call.counters.iter().flat_map(|class| &class.counts);
            assert!(counts.all(|(_, count)| *count < 1 << 40), "{call:?}");
        }
    }
}

/// Suspended by the program itself, as a debugger would, where JVMs still offer that.
#[test]
fn a_thread_that_is_suspended_already_stands_still() {
    let subject = Subject::new("Calls.java", CALLS);
    let (outcome, trace) = subject.trace(&subject.options(Mode::Count), &["Calls", "suspend"]);
    if outcome.error.contains("UnsupportedOperationException") {
        return;
    }
    let store = PlanStore::open(subject.path("plans")).expect("plans");
    let mut running = BTreeMap::new();
    for record in &trace.records {
        if let Record::OpenFrame(frame) = record {
            let plan = store.load(frame.hash).expect("sound").expect("a plan");
            let name = plan.methods[usize::from(frame.method)].name.clone();
            running.insert(name, frame.running);
        }
    }
    assert_eq!((running["spin"], running["around"]), (true, false));
}
