//! No count is lost or counted twice, however many threads there are.

use std::collections::BTreeMap;
use std::path::Path;

use pricetag_testkit::suite::in_full;
use pricetag_testkit::{Agent, Compiler, Counts, Launch, Machine, Program, Testbed, repository};
use pricetag_trace::{Record, Scope, Trace};

/// A subject of `subjects/threads`, compiled for any release from 11 on.
fn subject(name: &str, argument: &str) -> (Program, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = repository().join(format!("subjects/threads/{name}.java"));
    let mut program = Program::read(&path).expect("the source is there");
    program.arguments = argument.split_whitespace().map(str::to_owned).collect();
    Compiler::Javac(11)
        .compile(&Testbed::locate(), &[path], directory.path())
        .expect("the source compiles");
    (program, directory)
}

#[test]
fn sixteen_threads_in_one_method_lose_no_call() {
    let calls: u64 = if in_full() {
        1_000_000_000
    } else {
        160_000_000
    };
    hammered(calls, 16);
}

/// More threads than there are slots for (decision 004).
#[test]
fn a_hundred_and_fifty_threads_in_one_method_lose_no_call() {
    hammered(30_000_000, 150);
}

fn hammered(calls: u64, threads: u64) {
    let counts = counted("Hammer", &format!("{calls} {threads}"));
    let of = |name: &str| method(&counts, name);
    assert_eq!(of("step")[&0], calls, "calls");
    // iload; iconst_1; iand; ifne; iconst_1; goto; iconst_2; ireturn: one of two ways each time.
    assert_eq!((of("step")[&6], of("step")[&10]), (calls / 2, calls / 2));
    assert_eq!(of("step")[&11], calls, "returns");
    assert_eq!(of("hammer")[&0], threads);
}

/// What is counted of a subject that runs to its end.
fn counted(name: &str, argument: &str) -> Counts {
    let (program, classes) = subject(name, argument);
    let machine = Machine::system().expect("there is a JDK");
    let agent = Agent::locate().expect("the agent builds");
    let launch = Launch::new(&program, &machine, classes.path().as_os_str());
    let (outcome, counts) = agent.count(&launch).expect("it runs");
    assert_eq!((outcome.status, outcome.error.as_str()), (Some(0), ""));
    assert_eq!(counts.inexact, [""; 0]);
    counts
}

/// The instructions of a method by address.
fn method<'c>(counts: &'c Counts, name: &str) -> &'c BTreeMap<u16, u64> {
    let mut methods = counts.methods.iter();
    let found = methods.find(|(method, _)| method.name == name);
    found.expect("the method is counted").1
}

/// Counters of `Observed$Work`: in total, and summed over invocations, of which there are so many.
type Sums = (BTreeMap<u32, u64>, BTreeMap<u32, u64>, u64);

fn sums(trace: &Path) -> Sums {
    let trace = Trace::read(trace).expect("a trace");
    assert_eq!(trace.incomplete_reason(), None);
    let mut work = None;
    for record in &trace.records {
        if let Record::Class(class) = record
            && class.name == "Observed$Work"
        {
            work = Some(class.hash);
        }
    }
    let (mut totals, mut summed, mut invocations) = (BTreeMap::new(), BTreeMap::new(), 0);
    for record in &trace.records {
        match record {
            Record::Counters(counters) if Some(counters.hash) == work => {
                for &(index, count) in &counters.counts {
                    *totals.entry(index).or_default() += count;
                }
            }
            Record::Invocation(invocation) => {
                invocations += 1;
                let counters = invocation.counters.iter();
                for class in counters.filter(|class| Some(class.hash) == work) {
                    for &(index, count) in &class.counts {
                        *summed.entry(index).or_default() += count;
                    }
                }
            }
            _ => {}
        }
    }
    (totals, summed, invocations)
}

fn invocations_add_up(machine: &Machine, argument: &str) {
    let (program, classes) = subject("Observed", argument);
    let agent = Agent::locate().expect("the agent builds");
    let launch = Launch::new(&program, machine, classes.path().as_os_str());
    let scope: Scope = "Observed$Work#invoke".parse().expect("a scope");
    let (outcome, (totals, summed, invocations)) = agent
        .observe(&launch, &[scope], |trace, _| Ok(sums(trace)))
        .expect("it runs");
    assert_eq!((outcome.status, outcome.error.as_str()), (Some(0), ""));
    assert_eq!(invocations, 64 * 30, "outermost invocations");
    assert!(totals.len() > 8, "{totals:?}");
    assert_eq!(summed, totals);
}

#[test]
fn observed_invocations_on_64_threads_add_up_to_the_totals() {
    invocations_add_up(&Machine::system().expect("there is a JDK"), "");
}

#[test]
fn observed_invocations_on_64_virtual_threads_add_up_to_the_totals() {
    for machine in Testbed::locate().runtimes().expect("pinned runtimes") {
        if machine.feature >= 21 {
            invocations_add_up(&machine, "virtual");
        }
    }
}

#[test]
fn a_loop_that_turns_as_often_as_an_int_steps_loses_no_turn() {
    let counts = counted("LongLoops", &i32::MIN.to_string());
    let most = |name: &str| {
        let instructions = method(&counts, name).values();
        *instructions.max().expect("it has instructions")
    };
    // The comparison: once more than it succeeds.
    assert_eq!(most("up"), 1 << 32);
    assert_eq!(most("around"), 1 << 32);
}

/// Counters live on the heap: where it is full, calls go on, and what was not counted is named.
#[test]
fn a_class_that_begins_to_run_when_the_heap_is_full_is_named() {
    let (program, classes) = subject("Starved", "");
    let mut machines = vec![Machine::system().expect("there is a JDK")];
    if in_full() {
        machines.extend(Testbed::locate().runtimes().expect("pinned runtimes"));
    }
    for machine in machines {
        let machine = machine.with("a small heap", &["-XX:+UseSerialGC", "-Xmx8m"]);
        let agent = Agent::locate().expect("the agent builds");
        let launch = Launch::new(&program, &machine, classes.path().as_os_str());
        let (outcome, counts) = agent.count(&launch).expect("it runs");
        assert_eq!(outcome.status, Some(0), "{}", outcome.error);
        assert_eq!(outcome.output, "1000 early, 1000 late, sum 1998000\n");
        let named = "Starved$Late: a thread found no memory for its counters";
        assert_eq!(counts.inexact, [named], "{}", machine.name);
        // What ran while there was no memory is lost, what came later is not.
        assert_eq!(method(&counts, "twice")[&0], 1000, "{}", machine.name);
        assert_eq!(method(&counts, "main")[&0], 1);
        assert_eq!(method(&counts, "full")[&0], 1);
    }
}
