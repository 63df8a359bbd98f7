//! While one thread alone counts the helper asks no thread who it is; whatever runs counted code beside it, not a count is lost.

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use pricetag_testkit::{Counts, Machine, MethodKey, Testbed};
use pricetag_trace::{AgentOptions, Mode, Pattern};
use support::{agent, execute};

/// How often each of the two threads calls the method.
const CALLS: u64 = 300_000;
/// First release that shows agents every thread which may run a program's code.
const ALL_SHOWN: u16 = 17;

const SECOND: &str = r#"
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.stream.*;

public class Second {
    static final int CALLS = 300_000;
    static final CountDownLatch BEGUN = new CountDownLatch(1), DONE = new CountDownLatch(1);
    static final AtomicBoolean ONCE = new AtomicBoolean();

    static int step(int n) { return n + 1; }

    static void many() { for (int n = 0; n < CALLS; ) n = step(n); }

    /** What a second thread runs, the first time. */
    static void beside() {
        if (!ONCE.compareAndSet(false, true)) return;
        BEGUN.countDown();
        many();
        DONE.countDown();
    }

    static class Finalised {
        @Override protected void finalize() { beside(); }
    }

    public static void main(String[] args) throws Exception {
        many();
        Runnable beside = Second::beside;
        switch (args[0]) {
            case "nobody": return;
            case "thread": new Thread(beside).start(); break;
            case "pool": Executors.newSingleThreadExecutor(r -> { Thread t = new Thread(r); t.setDaemon(true); return t; }).submit(beside); break;
            case "timer": new Timer(true).schedule(new TimerTask() { @Override public void run() { beside(); } }, 1); break;
            case "finalizer": for (int i = 0; i < 10; i++) new Finalised(); break;
            case "cleaner": java.lang.ref.Cleaner.create().register(new Object(), beside); break;
            case "signal":
                sun.misc.Signal.handle(new sun.misc.Signal("WINCH"), signal -> beside());
                sun.misc.Signal.raise(new sun.misc.Signal("WINCH"));
                break;
            case "notification":
                for (Object bean : java.lang.management.ManagementFactory.getGarbageCollectorMXBeans())
                    ((javax.management.NotificationEmitter) bean).addNotificationListener((n, back) -> beside(), null, null);
                break;
            case "parallel":
                Thread main = Thread.currentThread();
                new Thread(() -> IntStream.range(0, 1000).parallel().forEach(i -> { if (Thread.currentThread() != main) beside(); })).start();
                break;
            case "virtual": Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, beside); break;
            case "hook": Runtime.getRuntime().addShutdownHook(new Thread(beside)); many(); return;
            case "end": // by the thread that ends the JVM, when the main thread is gone
                Runtime.getRuntime().addShutdownHook(new Thread() { @Override public void start() { beside(); super.start(); } });
                many();
                return;
            default: throw new IllegalArgumentException(args[0]);
        }
        while (!BEGUN.await(1, TimeUnit.MILLISECONDS)) System.gc();
        many();
        DONE.await();
    }
}
"#;

/// How often `step` was called in a run, and how often the helper was changed.
fn second(machine: &Machine, classes: &Path, kind: &str) -> (u64, usize) {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| scratch.path().join(name);
    let options = AgentOptions {
        plans: Some(at("plans")),
        include: vec!["Second*".parse::<Pattern>().expect("a pattern")],
        ..AgentOptions::new(Mode::Count, at("trace"))
    };
    options.write(&at("options")).expect("options");
    let mut java = Command::new(&machine.java);
    java.arg(format!(
        "-agentpath:{}={}",
        agent().display(),
        at("options").display()
    ));
    java.arg(format!(
        "-Xlog:redefine+class+load=info:file={}",
        at("log").display()
    ));
    java.arg("-cp").arg(classes).args(["Second", kind]);
    let outcome = execute(java);
    assert_eq!(
        (outcome.status, outcome.error.as_str()),
        (Some(0), ""),
        "{kind} on {}",
        machine.name
    );
    let counts = Counts::from_trace(&at("trace"), &at("plans")).expect("counts");
    // Before, listeners ran on a thread that no agent is shown.
    let hidden = usize::from(kind == "notification" && machine.feature < ALL_SHOWN);
    let caveats = &counts.inexact;
    assert_eq!(
        caveats.len(),
        hidden,
        "{kind} on {}: {caveats:?}",
        machine.name
    );
    let step = counts.methods.get(&MethodKey {
        class: "Second".into(),
        name: "step".into(),
        descriptor: "(I)I".into(),
    });
    let log = std::fs::read_to_string(at("log")).expect("the JVM's log");
    let changes = log.matches("redefined name=java.lang.Pricetag").count();
    (step.expect("counted")[&0], changes)
}

#[test]
fn whatever_counts_beside_the_main_thread_loses_nothing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let source = directory.path().join("Second.java");
    std::fs::write(&source, SECOND).expect("the source is written");
    let compiled = Command::new("javac")
        .args(["--release", "11", "-nowarn", "-d"])
        .args([directory.path(), &source])
        .output()
        .expect("a JDK");
    assert!(compiled.status.success(), "{compiled:?}");
    let machines = Testbed::locate().runtimes();
    let machines = machines.expect("the JDKs of the conformance suite");
    let kinds = "thread pool timer finalizer cleaner signal notification parallel hook end virtual";
    let runs = machines.iter().flat_map(|machine| {
        let kinds = std::iter::once("nobody").chain(kinds.split(' '));
        let offered = move |kind: &&str| *kind != "virtual" || machine.feature >= 21;
        kinds.filter(offered).map(move |kind| (machine, kind))
    });
    let runs = Mutex::new(runs);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((machine, kind)) = runs.lock().expect("no panic").next() else {
                        break;
                    };
                    let (calls, changes) = second(machine, directory.path(), kind);
                    let (threads, changed) = match kind {
                        "nobody" => (1, 1),
                        _ => (3, 2),
                    };
                    assert_eq!(calls, threads * CALLS, "{kind} on {}", machine.name);
                    let changed = if machine.feature >= ALL_SHOWN {
                        changed
                    } else {
                        0
                    };
                    assert_eq!(changes, changed, "{kind} on {}", machine.name);
                }
            });
        }
    });
}
