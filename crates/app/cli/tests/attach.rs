//! `record --attach` on the server of `subjects/server`: what was counted between two snapshots is what the client was answered meanwhile.

#[allow(dead_code, reason = "the subject is one of its own")]
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pricetag_dataset::{FeatureKind, open};
use support::{Desk, Ran, ran};

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the server with these JVM options; its port is in `port`.
fn serve(desk: &Desk, options: &[&str]) -> Server {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../subjects/server/Server.java");
    let compiled = Command::new("javac")
        .arg("-d")
        .arg(desk.path("classes"))
        .arg(source)
        .status();
    assert!(compiled.expect("a JDK").success());
    let _ = std::fs::remove_file(desk.path("port"));
    let child = Command::new("java")
        .args(options)
        .arg("-cp")
        .arg(desk.path("classes"))
        .args(["Server", "port", "4"])
        .current_dir(desk.path("."))
        .stdout(Stdio::null())
        .spawn();
    let server = Server(child.expect("java starts"));
    let begun = Instant::now();
    while !desk.path("port").exists() {
        assert!(begun.elapsed() < Duration::from_mins(1), "no server");
        std::thread::sleep(Duration::from_millis(10));
    }
    server
}

/// Starts the server as a recording of one without the agent, with more options, says that it has to be started.
fn serve_counted(desk: &Desk, more: &str) -> Server {
    let plain = serve(desk, &[]);
    let refused = desk.run(&format!(
        "record --attach {} -o data --include Server {more}",
        plain.0.id()
    ));
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    let line = refused
        .stderr
        .split_once("`java ")
        .and_then(|(_, rest)| rest.split_once(" …`"))
        .unwrap_or_else(|| panic!("{}", refused.stderr))
        .0;
    drop(plain);
    serve(desk, &line.split(' ').collect::<Vec<_>>())
}

/// One answered request for `n` digits.
fn request(desk: &Desk, n: usize) {
    let port = std::fs::read_to_string(desk.path("port")).unwrap();
    let mut socket = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    write!(
        socket,
        "GET /work?n={n} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

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
fn a_jvm_without_the_agent_is_told_how_to_start_and_then_counted_in_intervals() {
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
    const BLOCK: &str = "Server.digit(int) block 0 (Server.java:41)";
    let desk = Desk::new(&[]);
    std::fs::write(desk.path("few"), BLOCK).unwrap();
    let server = serve_counted(&desk, "--blocks few");
    observed(&desk, &server, 10);
    let dataset = open(&desk.path("data")).unwrap();
    let blocks = dataset.features.iter().zip(&dataset.columns);
    let blocks = blocks.filter(|(f, _)| f.kind == FeatureKind::Block);
    let counted: Vec<(&str, f64)> = blocks
        .map(|(f, column)| (f.name.as_str(), column.iter().map(|cell| cell.1).sum()))
        .collect();
    assert_eq!(counted, [(BLOCK, 300.0)]);
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
