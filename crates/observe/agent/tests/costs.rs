//! Costs of the process, against what the programs are known to do.

mod support;

use pricetag_trace::{Mode, Record, Trace};
use support::{Subject, execute, process};

const WORK: &str = r#"
import java.util.concurrent.*;
public class Work {
    static Object sink;
    static void sleep(long ms) { try { Thread.sleep(ms); } catch (InterruptedException e) { } }
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "sleep": sleep(150); break;
            case "worker": {
                Thread worker = new Thread(() -> sleep(200));
                worker.start();
                break;
            }
            case "daemon": {
                Thread daemon = new Thread(() -> sleep(60_000));
                daemon.setDaemon(true);
                daemon.start();
                break;
            }
            case "exit": sleep(100); System.exit(3); break;
            case "exit-elsewhere": new Thread(() -> { sleep(150); System.exit(4); }).start(); break;
            case "allocate": {
                Thread worker = new Thread(() -> { for (int i = 0; i < 500_000; i++) sink = new byte[100]; });
                worker.start();
                worker.join();
                break;
            }
            case "collect": for (int i = 0; i < 5; i++) System.gc(); break;
            case "throw": sleep(50); throw new IllegalStateException("as asked");
            case "spin": {
                var threads = java.lang.management.ManagementFactory.getThreadMXBean();
                while (threads.getCurrentThreadCpuTime() < 300_000_000) { }
                break;
            }
            case "threads": for (int i = 0; i < 7; i++) { Thread t = new Thread(() -> { }); t.start(); t.join(); } break;
        }
    }
}
"#;

fn observe(subject: &Subject, what: &str) -> (i32, Trace) {
    let (outcome, trace) = subject.trace(&subject.options(Mode::Time), &["Work", what]);
    (outcome.status.expect("no signal"), trace)
}

const MS: u64 = 1_000_000;

#[test]
fn wall_time_is_that_of_main_and_of_threads_that_outlive_it() {
    let subject = Subject::new("Work.java", WORK);
    let (_, trace) = observe(&subject, "sleep");
    let costs = process(&trace);
    assert_eq!(costs.main_wall_ns, Some(costs.wall_ns));
    assert!((150 * MS..500 * MS).contains(&costs.wall_ns), "{trace}");

    let (_, trace) = observe(&subject, "worker");
    let costs = process(&trace);
    assert!(
        costs.wall_ns >= 199 * MS && costs.main_wall_ns.is_some_and(|main| main < costs.wall_ns),
        "{trace}"
    );

    let (_, trace) = observe(&subject, "daemon");
    assert!(process(&trace).wall_ns < 2000 * MS, "{trace}");
}

#[test]
fn the_vm_may_end_without_main_returning() {
    let subject = Subject::new("Work.java", WORK);
    let (status, trace) = observe(&subject, "exit");
    assert_eq!((status, process(&trace).main_wall_ns), (3, None));
    assert!(process(&trace).wall_ns >= 100 * MS, "{trace}");

    let (status, trace) = observe(&subject, "exit-elsewhere");
    assert_eq!(status, 4);
    let costs = process(&trace);
    assert!(
        costs.wall_ns >= 149 * MS && costs.main_wall_ns.is_some_and(|main| main < 140 * MS),
        "{trace}"
    );

    let (status, trace) = observe(&subject, "throw");
    assert_eq!(status, 1);
    assert!(
        process(&trace)
            .main_wall_ns
            .is_some_and(|main| main >= 50 * MS),
        "{trace}"
    );
}

#[test]
fn processor_time_allocation_collections_and_threads() {
    let subject = Subject::new("Work.java", WORK);
    let (_, trace) = observe(&subject, "spin");
    let costs = process(&trace);
    assert!(
        costs.thread_cpu_ns >= 50 * MS && costs.cpu_ns >= costs.thread_cpu_ns,
        "{trace}"
    );

    let (_, trace) = observe(&subject, "allocate");
    let allocated = process(&trace).allocated_bytes;
    assert!((60_000_000..61_500_000).contains(&allocated), "{trace}");
    assert!(
        process(&trace).heap_used_bytes > 0 && process(&trace).classes_loaded > 0,
        "{trace}"
    );

    let (_, trace) = observe(&subject, "collect");
    let costs = process(&trace);
    assert!(
        costs.collections >= 5 && costs.collection_ns > 0 && costs.collection_ns < costs.wall_ns,
        "{trace}"
    );

    let (_, trace) = observe(&subject, "threads");
    assert_eq!(process(&trace).threads, 7, "{trace}");
}

#[test]
fn main_is_found_in_a_jar_and_in_a_superclass() {
    let subject = Subject::new(
        "Child.java",
        "class Parent { public static void main(String[] a) { System.out.println(\"parent\"); } }\n\
         public class Child extends Parent { }",
    );
    let (outcome, trace) = subject.trace(&subject.options(Mode::Time), &["Child"]);
    assert_eq!(outcome.output, "parent\n");
    assert!(process(&trace).main_wall_ns.is_some(), "{trace}");

    let jar = subject.path("a b.jar");
    let mut command = std::process::Command::new(pricetag_testkit::jvm::java_tool("jar"));
    command
        .arg("cfe")
        .arg(&jar)
        .args(["Child", "-C"])
        .arg(subject.path("classes"))
        .arg(".");
    assert_eq!(execute(command).status, Some(0));
    let jar = jar.display().to_string();
    for mode in [Mode::Time, Mode::Count] {
        let (outcome, trace) = subject.trace(&subject.options(mode), &["-jar", &jar]);
        assert_eq!(outcome.output, "parent\n");
        assert!(process(&trace).main_wall_ns.is_some(), "{trace}");
    }
}

/// A thread that computes for 300 ms takes as much longer as it waits for a processor, however busy the machine is.
#[test]
fn what_is_neither_work_nor_waiting_is_the_queue() {
    let subject = Subject::new("Work.java", WORK);
    let (_, trace) = observe(&subject, "spin");
    let queued = trace.records.iter().find_map(|record| match record {
        Record::Queued(ns) => Some(*ns),
        _ => None,
    });
    let queued = queued.unwrap_or_else(|| panic!("no queue in\n{trace}"));
    let wall = process(&trace).main_wall_ns.expect("main returned");
    let other = wall.abs_diff(300 * MS + queued);
    assert!(other < wall / 10 + 20 * MS, "{queued} of {wall} ns");
    let (_, trace) = observe(&subject, "exit");
    let is_queue = |record: &Record| matches!(record, Record::Queued(_));
    assert!(trace.records.iter().any(is_queue), "{trace}");
}
