//! `record --attach` on the server of `subjects/server`: what was counted between two snapshots is what the client was answered meanwhile.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::attach_server::{Server, counted, request, serve, serve_counted, source};

use crate::support::{Desk, Ran, ran};
use pricetag_dataset::{Dataset, FeatureKind, open};
use pricetag_runner::attach::Attached;
use pricetag_testkit::Testbed;
use pricetag_trace::{AgentOptions, Mode};

/// A recording of six seconds, in the middle of which requests for 30 digits are answered.
fn observed(desk: &Desk, server: &Server, requests: u32) -> Ran {
    let recording = desk.command(&format!(
        "record --attach {} -o data --every 2 --for 6 --json",
        server.0.id()
    ));
    let outcome = std::thread::scope(|scope| {
        let recording = scope.spawn(|| ran(recording));
        // All answered in the six seconds that are observed, whatever the interval.
        std::thread::sleep(Duration::from_millis(2500));
        (0..requests).for_each(|_| request(desk, 30));
        recording.join().unwrap()
    });
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    outcome
}

#[test]
fn a_jvm_that_takes_no_agent_is_told_how_to_start_and_then_counted_in_intervals() {
    let desk = Desk::new(&[]);
    let server = serve_counted(&desk, "");
    (0..5).for_each(|_| request(&desk, 7));
    let outcome = observed(&desk, &server, 20);
    assert_eq!(outcome.json()["intervals"], 3);
    let dataset = open(&desk.path("data")).unwrap();
    let total = |name: &str| {
        let found = dataset
            .features
            .iter()
            .zip(&dataset.columns)
            .find(|(f, _)| f.method.as_deref() == Some(name) && f.kind == FeatureKind::Method);
        let (_, column) = found.unwrap_or_else(|| panic!("{name} in {:?}", dataset.features));
        column.iter().map(|(_, value)| value).sum::<f64>()
    };
    assert_eq!(total("work"), 20.0, "the five before do not count");
    assert_eq!(total("digit"), 600.0);
    for observation in &dataset.observations {
        let wall = observation.costs["wall"].repeats[0];
        assert!((1e9..10e9).contains(&wall), "{observation:?}");
    }
    assert!(dataset.meta.notes[0].contains("stood still"));
    request(&desk, 3);
    let left = std::fs::read_dir(desk.path("data/.agent"))
        .unwrap()
        .flatten();
    let snapshots = left.filter(|e| e.file_name().to_string_lossy().contains("snapshot"));
    assert_eq!(snapshots.count(), 0);
}

#[test]
fn of_a_running_jvm_the_blocks_of_a_list_are_counted() {
    let source = std::fs::read_to_string(source()).unwrap();
    let line = (1..)
        .zip(source.lines())
        .find(|(_, line)| line.contains("'0' + i % 10"));
    let block = format!(
        "Server.digit(int) block 0 (Server.java:{})",
        line.unwrap().0
    );
    let desk = Desk::new(&[]);
    std::fs::write(desk.path("few"), &block).unwrap();
    let server = serve_counted(&desk, "--blocks few");
    observed(&desk, &server, 10);
    let dataset = open(&desk.path("data")).unwrap();
    let blocks = dataset.features.iter().zip(&dataset.columns);
    let blocks = blocks.filter(|(f, _)| f.kind == FeatureKind::Block);
    let counted: Vec<(&str, f64)> = blocks
        .map(|(f, column)| (f.name.as_str(), column.iter().map(|cell| cell.1).sum()))
        .collect();
    assert_eq!(counted, [(block.as_str(), 300.0)]);
}

#[test]
fn what_is_no_jvm_is_refused() {
    let desk = Desk::new(&[]);
    let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
    let ran = desk.run(&format!("record --attach {} -o data", sleeper.id()));
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("no Java virtual machine"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        desk.run("record -o data").code,
        2,
        "neither process nor command"
    );
    assert_eq!(desk.run("record -o data --every 3 -- java").code, 2);
    for ignored in [
        "--values 3",
        "--lengths",
        "--availability",
        "--features values",
    ] {
        let ran = desk.run(&format!("record --attach 1 -o data {ignored}"));
        assert_eq!(ran.code, 2, "{ignored}");
        assert!(ran.stderr.contains("running program"), "{}", ran.stderr);
    }
}

/// Starts a JVM on the program of `subjects/late` and waits until it is ready.
fn start_late(desk: &Desk, java: &Path) -> Server {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../subjects/late/Late.java");
    let compiled = Command::new("javac")
        .args(["--release", "11", "-d"])
        .arg(desk.path("classes"))
        .arg(source)
        .status();
    assert!(compiled.expect("a JDK").success());
    for signal in ["ready", "go", "done", "end"] {
        let _ = std::fs::remove_file(desk.path(signal));
    }
    let child = Command::new(java)
        .args(["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp"])
        .arg(desk.path("classes"))
        .args(["Late", "wipe"])
        .current_dir(desk.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let program = Server(child.expect("java starts"));
    wait_for(desk, "ready");
    program
}

fn wait_for(desk: &Desk, file: &str) {
    let begun = Instant::now();
    while !desk.path(file).exists() {
        assert!(begun.elapsed() < Duration::from_mins(1), "no {file}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The sum of a feature of some kind and method over all observations.
fn total(dataset: &Dataset, kind: FeatureKind, method: &str) -> Option<f64> {
    let features = dataset.features.iter().zip(&dataset.columns);
    let mut found = features.filter(|(f, _)| f.method.as_deref() == Some(method) && f.kind == kind);
    let (_, column) = found.next()?;
    Some(column.iter().map(|(_, value)| value).sum())
}

#[test]
fn a_jvm_that_runs_without_the_agent_is_counted_from_then_on() {
    let runtimes = Testbed::locate().runtimes();
    for machine in runtimes.expect("the JDKs of the conformance suite") {
        let desk = Desk::new(&[]);
        let program = start_late(&desk, &machine.java);
        let line = format!(
            "record --attach {} -o data --include Late* --every 1 --for 60 --json",
            program.0.id()
        );
        let recording = desk.command(&line);
        let ran = std::thread::scope(|scope| {
            let recording = scope.spawn(|| ran(recording));
            // The first snapshot is there: the agent counts.
            wait_for_snapshots(&desk, 1);
            std::fs::write(desk.path("go"), "").unwrap();
            wait_for(&desk, "done");
            // The next one may have begun before.
            wait_for_snapshots(&desk, snapshots(&desk).0 + 2);
            std::fs::write(desk.path("end"), "").unwrap();
            recording.join().unwrap()
        });
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let dataset = open(&desk.path("data")).unwrap();
        // Sixteen threads, 500 virtual ones twice.
        let virtuals = if machine.feature >= 21 { 1000.0 } else { 0.0 };
        let phases = 16.0 + virtuals;
        for (method, expected) in [
            ("hammer", 16.0 * 200_000.0 + 1000.0 + 100.0 * virtuals),
            ("phase", phases),
            ("fall", 100.0 * phases),
            ("deep", 51.0 * phases),
            ("add", phases),
            ("wipe", 800.0),
            ("run", 1.0),
        ] {
            let counted = total(&dataset, FeatureKind::Method, method);
            assert_eq!(counted, Some(expected), "{method} on {}", machine.name);
        }
        let main = total(&dataset, FeatureKind::Method, "main");
        assert_eq!(main, None, "it had begun before");
        let notes = dataset.meta.notes.join("\n");
        assert!(notes.contains("Late.await, Late.main"), "{notes}");
    }
}

/// Files in the agent's folder that are snapshots: the number of the last one, of those taken, and how many are there.
fn snapshots(desk: &Desk) -> (usize, usize) {
    let files = std::fs::read_dir(desk.path("data/.agent"));
    let files = files.into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let taken = names.filter_map(|name| name.split_once(".taken-")?.1.parse().ok());
    taken.fold((0, 0), |(last, there), number: usize| {
        (last.max(number), there + 1)
    })
}

fn wait_for_snapshots(desk: &Desk, last: usize) {
    let begun = Instant::now();
    while snapshots(desk).0 < last {
        assert!(begun.elapsed() < Duration::from_mins(1), "{last} snapshots");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn snapshots_stay_for_as_long_as_an_interval_needs_them() {
    let desk = Desk::new(&[]);
    let server = serve_counted(&desk, "");
    let recording = desk.command(&format!(
        "record --attach {} -o data --every 0.3 --for 9",
        server.0.id()
    ));
    let ran = std::thread::scope(|scope| {
        let recording = scope.spawn(|| ran(recording));
        wait_for_snapshots(&desk, 10);
        (0..5).for_each(|_| request(&desk, 30));
        let (last, there) = snapshots(&desk);
        assert!(there < last.div_ceil(2), "{there} of {last}");
        recording.join().unwrap()
    });
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(snapshots(&desk), (0, 0));
    let dataset = open(&desk.path("data")).unwrap();
    let intervals = dataset.observations.len();
    assert!((10..=30).contains(&intervals), "{intervals}");
    let work = total(&dataset, FeatureKind::Method, "work");
    assert_eq!(work, Some(5.0));
}

#[test]
fn after_a_recording_a_program_runs_as_before_and_can_be_recorded_again() {
    let desk = Desk::new(&[]);
    let server = serve(&desk, &[]);
    let pid = server.0.id();
    let agent = pricetag_runner::jvm::find_agent(None, Path::new(env!("CARGO_BIN_EXE_pricetag")));
    let agent = agent.unwrap();
    let options = |include: &str| AgentOptions {
        include: vec![include.parse().unwrap()],
        ..AgentOptions::new(Mode::Count, "%p.trace")
    };
    let load = |include| Attached::load(pid, &agent, &desk.path("agent"), &options(include));
    let attached = load("Server").unwrap();
    (0..10).for_each(|_| request(&desk, 30));
    let first = counted(&attached);
    assert!(first > 300, "{first}");
    attached.leave().unwrap();
    (0..10).for_each(|_| request(&desk, 30));
    assert_eq!(counted(&attached), 0, "no class is counted");
    drop(attached);
    let again = load("Server").unwrap();
    assert_eq!(counted(&again), first, "while it was away nothing was");
    (0..10).for_each(|_| request(&desk, 30));
    assert_eq!(counted(&again), 2 * first);
    again.leave().unwrap();
    drop(again);
    // Another choice of classes.
    let other = load("no.such.Thing").unwrap();
    (0..10).for_each(|_| request(&desk, 30));
    assert_eq!(counted(&other), 0);
    other.leave().unwrap();
    drop(other);
    let turns = AgentOptions {
        transitions: true,
        ..options("Server")
    };
    let refused = Attached::load(pid, &agent, &desk.path("agent"), &turns).unwrap_err();
    assert!(refused.to_string().contains("other kinds"), "{refused}");
    // A recorder that was killed leaves the counters in; the next one counts what it was asked to.
    let killed = load("no.such.Thing").unwrap();
    let meanwhile = load("Server").unwrap_err();
    assert!(meanwhile.to_string().contains("under way"), "{meanwhile}");
    drop(killed);
    let next = load("Server").unwrap();
    assert_eq!(counted(&next), 2 * first);
    next.leave().unwrap();
}

#[test]
fn calls_under_way_are_those_of_this_recording() {
    let desk = Desk::new(&[]);
    let program = start_late(&desk, Path::new("java"));
    let notes = |name: &str| {
        let ran = desk.run(&format!(
            "record --attach {} -o {name} --include Late* --every 0.2 --for 0.4",
            program.0.id()
        ));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        open(&desk.path(name)).unwrap().meta.notes.join("\n")
    };
    let under_way =
        "2 calls were under way when counting began and are not counted: Late.await, Late.main";
    assert!(notes("first").contains(under_way));
    std::fs::write(desk.path("go"), "").unwrap();
    wait_for(&desk, "done");
    // It waits again, by another call.
    let second = notes("second");
    assert_eq!(second.matches(under_way).count(), 1, "{second}");
}

#[test]
fn what_needs_the_agent_from_the_start_says_so() {
    let desk = Desk::new(&[]);
    let server = serve(&desk, &[]);
    for more in [
        "--count-jdk --include java.util.**",
        "--features loops,context",
    ] {
        let ran = desk.run(&format!("record --attach {} -o data {more}", server.0.id()));
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("from the start"), "{}", ran.stderr);
        assert!(ran.stderr.contains("`java -agentpath:"), "{}", ran.stderr);
    }
}
