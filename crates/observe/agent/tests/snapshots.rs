//! Counts of a program that goes on: what a data dump writes, held against what the program says it has done.

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use pricetag_probe_plan::OpenFrame;
use pricetag_testkit::jvm::java_tool;
use pricetag_trace::{AgentOptions, LEAVE, Mode, Record, Trace};
use support::{Subject, agent, counted_classes, invocations, process};

/// Works off as many steps as each line asks for, on three threads, then says so; a fourth thread never stops.
const STEPS: &str = r#"
import java.util.concurrent.*;
public class Steps {
    static volatile long sink;
    static void step(int n) { if (n % 3 == 0) sink += n; }
    static void ended(int n) { sink -= n; }
    static void busy() { while (true) sink++; }
    public static void main(String[] args) throws Exception {
        Thread spinner = new Thread(Steps::busy);
        spinner.setDaemon(true);
        spinner.start();
        ExecutorService pool = Executors.newFixedThreadPool(3);
        java.util.Scanner in = new java.util.Scanner(System.in);
        while (in.hasNextInt()) {
            int n = in.nextInt();
            Future<?>[] all = new Future<?>[3];
            for (int t = 0; t < 3; t++) all[t] = pool.submit(() -> { for (int i = 0; i < n; i++) step(i); });
            Thread shortLived = new Thread(() -> ended(n));
            shortLived.start();
            shortLived.join();
            for (Future<?> one : all) one.get();
            System.out.println("done");
        }
        System.exit(0);
    }
}
"#;

struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
    options: AgentOptions,
}

impl Running {
    fn start(subject: &Subject) -> Self {
        let options = subject.options(Mode::Count);
        let command = subject.observed(&options, &["Steps"]);
        Self::by(command, options)
    }

    fn by(mut command: Command, options: AgentOptions) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("java starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self {
            child,
            output,
            options,
        }
    }

    fn work(&mut self, steps: u32) {
        let input = self.child.stdin.as_mut().expect("a pipe");
        writeln!(input, "{steps}").expect("asked");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("answered");
        assert_eq!(line, "done\n");
    }

    fn dump(&self) {
        self.ask(&["JVMTI.data_dump"]);
    }

    fn ask(&self, what: &[&str]) {
        let asked = Command::new(java_tool("jcmd"))
            .arg(self.child.id().to_string())
            .args(what)
            .stdout(Stdio::null())
            .status();
        assert!(asked.expect("jcmd runs").success());
    }

    fn snapshot(&self, number: u32) -> Trace {
        self.dump();
        let file = AgentOptions::snapshot_of(&self.options.trace, number);
        wait_for(&file);
        let trace = Trace::read(&file).expect("a trace");
        assert!(trace.complete, "{:?}", trace.incomplete_reason());
        trace
    }

    fn plans(&self) -> PathBuf {
        self.options.plans.clone().expect("plans")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait_for(file: &Path) {
    let start = Instant::now();
    while !file.exists() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "no {}",
            file.display()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Invocations of each method whose counts are consistent.
fn calls(trace: &Trace, plans: &Path) -> BTreeMap<String, u64> {
    let mut calls = BTreeMap::new();
    for (plan, values) in counted_classes(trace, plans) {
        for (index, method) in plan.methods.iter().enumerate() {
            let open: Vec<OpenFrame> = trace
                .records
                .iter()
                .filter_map(|record| match record {
                    Record::OpenFrame(f)
                        if f.hash == plan.hash && usize::from(f.method) == index =>
                    {
                        Some(OpenFrame {
                            pc: f.pc,
                            frames: 1,
                        })
                    }
                    _ => None,
                })
                .collect();
            if let Ok(counts) = method.derive(&values, &open) {
                calls.insert(
                    method.name.clone(),
                    method.invocations(&counts).expect("known"),
                );
            }
        }
    }
    calls
}

fn property(trace: &Trace, name: &str) -> u64 {
    let Some(Record::Start(start)) = trace.records.first() else {
        panic!("no start")
    };
    let found = start.properties.iter().find(|(known, _)| known == name);
    found.expect(name).1.parse().expect("a number")
}

#[test]
fn snapshots_of_a_running_program_are_exact_for_what_is_not_running() {
    let subject = Subject::new("Steps.java", STEPS);
    let mut running = Running::start(&subject);
    let mut steps = 0;
    let mut before = None;
    for round in 1..=3 {
        running.work(10_000 * round);
        steps += 3 * u64::from(10_000 * round);
        let trace = running.snapshot(round);
        let calls = calls(&trace, &running.plans());
        assert_eq!(calls["step"], steps, "round {round}");
        assert_eq!(calls["ended"], u64::from(round), "threads that have ended");
        assert_eq!(calls["main"], 1, "a frame that is open and waits");
        let spinning = trace
            .records
            .iter()
            .filter(|record| matches!(record, Record::OpenFrame(frame) if frame.running));
        assert!(spinning.count() >= 1, "the spinning thread is marked");
        let costs = process(&trace).clone();
        if let Some((wall, cpu)) = before {
            assert!(costs.wall_ns > wall && costs.cpu_ns > cpu, "{costs:?}");
        }
        before = Some((costs.wall_ns, costs.cpu_ns));
        let pause = property(&trace, "pricetag.snapshot.pause_ns");
        assert!(pause < 2_000_000_000, "{pause} ns");
    }
    // The program goes on, and its own trace is as complete as ever.
    drop(running.child.stdin.take());
    assert!(running.child.wait().expect("ended").success());
    let trace = Trace::read(&running.options.trace).expect("a trace");
    assert!(trace.complete);
    assert_eq!(calls(&trace, &running.plans())["step"], steps);
}

#[test]
fn the_end_waits_for_a_snapshot_and_loses_nothing() {
    let subject = Subject::new("Steps.java", STEPS);
    let mut running = Running::start(&subject);
    running.work(1000);
    running.snapshot(1);
    // The JVM listens now: the request takes no time, and the program ends while it is served.
    let mut socket = UnixStream::connect(format!("/tmp/.java_pid{}", running.child.id()));
    let socket = socket.as_mut().expect("the JVM listens");
    socket
        .write_all(b"1\0jcmd\0JVMTI.data_dump\0\0\0")
        .expect("asked");
    drop(running.child.stdin.take());
    assert!(running.child.wait().expect("ended").success());
    let second = AgentOptions::snapshot_of(&running.options.trace, 2);
    if second.exists() {
        assert!(Trace::read(&second).expect("a trace").complete);
    }
    let trace = Trace::read(&running.options.trace).expect("a trace");
    assert!(trace.complete);
    assert_eq!(calls(&trace, &running.plans())["step"], 3000);
}

/// The class is not counted: what the agent put into it is the reports of the scope alone.
#[test]
fn an_agent_that_leaves_takes_its_scopes_along() {
    let subject = Subject::new("Steps.java", STEPS);
    let options = AgentOptions {
        scopes: vec!["Steps#ended".parse().expect("a scope")],
        include: vec!["other.**".parse().expect("a pattern")],
        ..subject.options(Mode::Count)
    };
    let file = subject.path("late");
    options.write(&file).expect("the options are written");
    let (file, library) = (file.display().to_string(), agent().display().to_string());
    let mut running = Running::by(subject.java(&["Steps"]), options);
    running.work(1);
    let load = |running: &Running, with: &str| {
        running.ask(&["JVMTI.agent_load", &library, with]);
    };
    load(&running, &file);
    load(&running, &file);
    (0..3).for_each(|_| running.work(1));
    load(&running, LEAVE);
    (0..3).for_each(|_| running.work(1));
    drop(running.child.stdin.take());
    assert!(running.child.wait().expect("ended").success());
    let trace = Trace::read(&running.options.trace).expect("a trace");
    assert_eq!(invocations(&trace).len(), 3, "{trace}");
}
