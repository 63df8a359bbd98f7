//! Sampled profiles, against what the programs are known to do.

mod support;

use std::collections::BTreeMap;
use std::process::Command;

use pricetag_profile::{Accounts, Profile, ProfiledRun, Spread, Within};
use pricetag_testkit::{Compiler, Testbed};
use pricetag_trace::{AgentOptions, Mode, Record, Trace};
use support::Subject;

const SPLIT: &str = r#"
import java.lang.management.ManagementFactory;
import java.util.*;
public class Split {
    static volatile long sink;
    static Object kept;
    static final int MILLION = 1_000_000;

    // The same work in methods of their own.
    static long six(int millions) { long x = 1; for (int i = 0; i < millions * MILLION; i++) x = x * 6364136223846793005L + i; return x; }
    static long three(int millions) { long x = 1; for (int i = 0; i < millions * MILLION; i++) x = x * 6364136223846793005L + i; return x; }
    static long one(int millions) { long x = 1; for (int i = 0; i < millions * MILLION; i++) x = x * 6364136223846793005L + i; return x; }

    static long dive(int depth) { return depth == 0 ? six(300) : 1 + dive(depth - 1); }

    static void allocate(int number) { for (int i = 0; i < number; i++) kept = new byte[1000]; }

    static void inThread(Runnable work, String name) throws Exception {
        Thread thread = new Thread(null, work, name, 64L << 20);
        thread.start();
        thread.join();
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "split" -> { for (int i = 0; i < 10; i++) sink = six(60) + three(30) + one(10); }
            case "deep" -> inThread(() -> sink = dive(20_000), "diver");
            case "threads" -> {
                for (int round = 0; round < 20; round++) {
                    List<Thread> all = new ArrayList<>();
                    for (int i = 0; i < 50; i++) { Thread t = new Thread(() -> sink = three(1)); t.start(); all.add(t); }
                    for (Thread t : all) t.join();
                }
            }
            case "own-handler" -> {
                sun.misc.Signal.handle(new sun.misc.Signal("PROF"), signal -> { });
                sink = six(300);
            }
            case "allocate" -> { allocate(300_000); sink = one(100); }
            case "exit" -> { sink = six(100); System.exit(3); }
            case "throw" -> { sink = six(100); throw new IllegalStateException("as asked"); }
            case "nothing" -> { }
        }
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.println(system.getProcessCpuTime());
    }
}
"#;

/// A sampled run.
struct Sampled {
    status: Option<i32>,
    output: String,
    profile: Profile,
}

impl Sampled {
    fn of(subject: &Subject, what: &str) -> Self {
        Self::by(subject, &["Split", what])
    }

    /// By these words behind the class path.
    fn by(subject: &Subject, words: &[&str]) -> Self {
        let mut options = subject.options(Mode::Sample);
        options.plans = None;
        let (outcome, trace) = subject.trace(&options, words);
        Self {
            status: outcome.status,
            output: outcome.output,
            profile: profile(&trace),
        }
    }

    fn run(&self) -> &ProfiledRun {
        let [run] = &self.profile.runs[..] else {
            panic!("{} runs", self.profile.runs.len())
        };
        run
    }

    /// By name of the method.
    fn methods(&self) -> BTreeMap<&str, Spread> {
        let accounts = Accounts::of(&self.profile, &Within::default());
        let found = accounts.by_method(&self.profile.runs);
        let name =
            |id: pricetag_profile::MethodId| self.profile.methods[id.0 as usize].name.as_str();
        found
            .methods
            .into_iter()
            .map(|(id, spread)| (name(id), spread))
            .collect()
    }

    /// Processor time that the methods of the program have, ns.
    fn of_program(&self) -> f64 {
        self.methods().values().map(Spread::running).sum()
    }
}

fn profile(trace: &Trace) -> Profile {
    let found = trace.records.iter().find_map(|record| match record {
        Record::Sampled(sampled) => Some(sampled.profile.clone()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no profile in\n{trace}"))
}

fn subject() -> Subject {
    Subject::new("Split.java", SPLIT)
}

#[test]
fn time_goes_to_the_methods_that_use_it() {
    let sampled = Sampled::of(&subject(), "split");
    let methods = sampled.methods();
    let whole = sampled.of_program();
    for (name, share) in [("six", 0.6), ("three", 0.3), ("one", 0.1)] {
        let found = methods[name].running() / whole;
        assert!(
            (found - share).abs() < 0.06,
            "{name}: {found} of {whole} ns"
        );
    }
    assert!(
        whole > 0.7 * sampled.run().cpu_ns as f64,
        "{:?}",
        sampled.run()
    );
}

/// A table of objects, to which G1 has to look at every assignment, in code of its own that compiled methods call without leaving.
const STORES: &str = r"
import java.util.*;
public class Stores {
    static int stores(int n) {
        HashMap<Integer, Integer> m = new HashMap<>();
        long x = 1;
        for (int i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
            m.merge((int) (x >>> 44), 1, Integer::sum);
        }
        return m.size();
    }
    public static void main(String[] args) { System.out.println(stores(3_000_000)); }
}
";

#[test]
fn what_a_collector_does_at_assignments_is_no_linking() {
    let subject = Subject::new("Stores.java", STORES);
    let words = [
        "-XX:+UseG1GC",
        "-Xmx1g",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:-DebugNonSafepoints",
        "Stores",
    ];
    let sampled = Sampled::by(&subject, &words);
    assert_eq!(sampled.status, Some(0), "{}", sampled.output);
    let methods = sampled.methods();
    let stores = &methods["stores"];
    // Without telling them apart it was as much again.
    assert!(stores.loading < 0.15 * stores.running(), "{stores:?}");
}

/// What is attributed is what the process used, on any number of threads.
#[test]
fn parts_add_up_to_the_time_of_the_process() {
    let subject = subject();
    for what in ["split", "threads"] {
        let sampled = Sampled::of(&subject, what);
        let run = sampled.run();
        let samples: u64 = run.samples.iter().map(|s| s.cpu_ns).sum();
        let beside: u64 = run.beside.iter().map(|b| b.cpu_ns).sum();
        assert_eq!(samples + beside, run.cpu_ns, "{what}");
        // The program asks the system at its end. In that are the JVM before it is initialised and the sampler itself, which has
        // more to do the more threads there are.
        let told: f64 = sampled.output.trim().parse().unwrap();
        let ratio = run.cpu_ns as f64 / told;
        assert!(
            (0.7..1.03).contains(&ratio),
            "{what}: {} of {told}",
            run.cpu_ns
        );
        assert_eq!(sampled.profile.check(), Ok(()));
        // The JDK numbers its classes for lambdas anew in each run: they are called after what they implement.
        let lambdas = sampled.profile.methods.iter().map(|m| m.class.as_str());
        let mut lambdas = lambdas.filter(|class| class.starts_with("Split$$Lambda"));
        assert!(
            lambdas.all(|class| class == "Split$$Lambda$Runnable"),
            "{what}"
        );
    }
}

/// HotSpot walks no more frames than it is given room for: the innermost ones are known.
#[test]
fn deep_stacks_keep_their_innermost_frames() {
    let sampled = Sampled::of(&subject(), "deep");
    let methods = sampled.methods();
    let six = methods.get("six").map_or(0.0, Spread::running);
    assert!(six > 0.6 * sampled.run().cpu_ns as f64, "{methods:?}");
}

/// A program that handles the signal itself keeps its handler, runs as ever, and the profile says what is missing.
#[test]
fn a_program_with_a_handler_of_its_own_is_left_alone() {
    let sampled = Sampled::of(&subject(), "own-handler");
    assert_eq!(sampled.status, Some(0));
    let notes = sampled.profile.notes.join("; ");
    assert!(notes.contains("SIGPROF"), "{notes}");
}

#[test]
fn allocation_goes_to_the_method_that_allocates() {
    let sampled = Sampled::of(&subject(), "allocate");
    let methods = sampled.methods();
    // 300,000 arrays of 1,000 bytes and a header each.
    let bytes = methods["allocate"].bytes;
    assert!((bytes / 304.8e6 - 1.0).abs() < 0.15, "{bytes}");
    let one = methods.get("one").map_or(0.0, |one| one.bytes);
    assert!(one < 1e6, "{one}");
}

#[test]
fn any_end_leaves_a_whole_profile() {
    let subject = subject();
    for (what, status) in [("exit", 3), ("throw", 1), ("nothing", 0)] {
        let sampled = Sampled::of(&subject, what);
        assert_eq!(sampled.status, Some(status), "{what}");
        let six = sampled.methods().get("six").map_or(0.0, Spread::running);
        assert_eq!(six > 0.0, what != "nothing", "{what}: {:?}", sampled.run());
    }
}

const WAITS: &str = r#"
import java.net.*;
import java.nio.channels.*;
public class Waits {
    static volatile long sink;
    interface Wait { void now() throws Exception; }
    static long work(int millions) { long x = 1; for (int i = 0; i < millions * 1_000_000; i++) x = x * 6364136223846793005L + i; return x; }
    static long before(int millions) { long x = 1; for (int i = 0; i < millions * 1_000_000; i++) x = x * 6364136223846793005L + i; return x; }
    static long after(int millions) { long x = 1; for (int i = 0; i < millions * 1_000_000; i++) x = x * 6364136223846793005L + i; return x; }

    static void at(String what, Wait wait) throws Exception {
        sink = work(3);
        long begun = System.nanoTime();
        try { wait.now(); } catch (SocketTimeoutException expected) { }
        long passed = (System.nanoTime() - begun) / 1_000_000;
        if (passed < 199) System.out.println(what + " came back after " + passed + " ms");
    }

    public static void main(String[] arguments) throws Exception {
        Object lock = new Object();
        at("sleep", () -> Thread.sleep(200));
        at("wait", () -> { synchronized (lock) { lock.wait(200); } });
        at("latch", () -> new java.util.concurrent.CountDownLatch(1).await(200, java.util.concurrent.TimeUnit.MILLISECONDS));
        at("process", () -> new ProcessBuilder("sleep", "0.2").start().waitFor());
        try (ServerSocket server = new ServerSocket(0); Socket client = new Socket("127.0.0.1", server.getLocalPort()); Selector selector = Selector.open()) {
            server.setSoTimeout(200);
            client.setSoTimeout(200);
            at("select", () -> selector.select(200));
            at("read", () -> client.getInputStream().read());
            Socket other = server.accept();
            at("accept", () -> server.accept());
            other.close();
        }
        for (int i = 0; i < 100; i++) { sink = before(5); Thread.sleep(4); sink = after(5); }
    }
}
"#;

/// Signals come while a thread waits, and work after a wait counts as much as work before it.
#[test]
fn waits_are_as_long_as_ever_and_move_no_time() {
    let subject = Subject::new("Waits.java", WAITS);
    let sampled = Sampled::by(&subject, &["Waits"]);
    assert_eq!(sampled.status, Some(0), "{}", sampled.output);
    assert_eq!(sampled.output.trim(), "");
    let methods = sampled.methods();
    let [before, after] = ["before", "after"].map(|name| methods[name].running());
    let share = after / (before + after);
    assert!(
        (0.4..0.6).contains(&share),
        "{before} before, {after} after"
    );
}

const PARTS: &str = r"
public class Parts {
    static volatile long sink;
    static long part(int millions) { long x = 1; for (int i = 0; i < millions * 1_000_000; i++) x = x * 6364136223846793005L + i; return x; }
    static long most(int millions) { long x = 1; for (int i = 0; i < millions * 1_000_000; i++) x = x * 6364136223846793005L + i; return x; }
    public static void main(String[] arguments) { for (int i = 0; i < 10; i++) sink = most(75) + part(25); }
}
";

#[test]
fn every_runtime_is_sampled() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| scratch.path().join(name);
    std::fs::write(at("Parts.java"), PARTS).expect("the source is written");
    let testbed = Testbed::locate();
    Compiler::Javac(11)
        .compile(&testbed, &[at("Parts.java")], &at("classes"))
        .expect("the source compiles");
    let machines = testbed.runtimes().expect("the pinned runtimes");
    assert!(machines.len() >= 4, "{}", machines.len());
    for machine in machines {
        let options = AgentOptions::new(Mode::Sample, at(&machine.name));
        options.write(&at("options")).expect("options");
        let mut java = Command::new(&machine.java);
        let agent = support::agent();
        java.arg(format!(
            "-agentpath:{}={}",
            agent.display(),
            at("options").display()
        ));
        java.arg("-cp").arg(at("classes")).arg("Parts");
        let outcome = support::execute(java);
        assert_eq!(
            outcome.status,
            Some(0),
            "{}: {}",
            machine.name,
            outcome.error
        );
        let sampled = Sampled {
            status: outcome.status,
            output: outcome.output,
            profile: profile(&Trace::read(&options.trace).expect("a trace")),
        };
        let methods = sampled.methods();
        let whole = sampled.of_program();
        for (name, share) in [("most", 0.75), ("part", 0.25)] {
            let found = methods[name].running() / whole;
            assert!(
                (found - share).abs() < 0.08,
                "{}: {name} has {found} of {whole} ns",
                machine.name
            );
        }
        assert!(
            whole > 0.6 * sampled.run().cpu_ns as f64,
            "{}: {:?}",
            machine.name,
            sampled.run()
        );
    }
}
