//! The server of `subjects/server`, to be recorded while it runs.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pricetag_runner::attach::Attached;
use pricetag_runner::supervise::Cancel;
use pricetag_testkit::repository;
use pricetag_trace::{Record, Trace};

use crate::support::Desk;

/// The server's source.
pub fn source() -> PathBuf {
    repository().join("subjects/server/Server.java")
}

/// A process that ends with the test.
pub struct Server(pub Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the server with these JVM options; its port is in `port`.
pub fn serve(desk: &Desk, options: &[&str]) -> Server {
    let mut command = Command::new("java");
    command.args(options).current_dir(desk.path("."));
    serve_by(desk, command)
}

/// Starts the server by a command for a JVM; its port is in `port`.
pub fn serve_by(desk: &Desk, mut command: Command) -> Server {
    compile(desk, &source());
    let _ = std::fs::remove_file(desk.path("port"));
    let child = command
        .arg("-cp")
        .arg(desk.path("classes"))
        .arg("Server")
        .arg(desk.path("port"))
        .arg("4")
        .stdout(Stdio::null())
        .spawn();
    let server = Server(child.expect("java starts"));
    wait_for("port", || desk.path("port").exists());
    server
}

/// Compiles a source into `classes`.
pub fn compile(desk: &Desk, source: &Path) {
    let compiled = Command::new("javac")
        .arg("-d")
        .arg(desk.path("classes"))
        .arg(source)
        .status();
    assert!(compiled.expect("a JDK").success());
}

/// Waits until something is so.
pub fn wait_for(what: &str, is: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_mins(1), "no {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts the server as a recording of one that takes no agent, with more options, says that it has to be started.
pub fn serve_counted(desk: &Desk, more: &str) -> Server {
    let plain = serve(desk, &["-XX:-EnableDynamicAgentLoading"]);
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
pub fn request(desk: &Desk, n: usize) {
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

/// The sum of all counters of a program, once every handler is over: one may be under way for a moment after the client has its answer.
pub fn counted(attached: &Attached) -> u64 {
    let begun = Instant::now();
    loop {
        let file = attached.snapshot(&Cancel::default()).unwrap().unwrap();
        let records = Trace::read(&file).unwrap().records;
        if !records
            .iter()
            .any(|record| matches!(record, Record::OpenFrame(_)))
        {
            let counts = records.into_iter().filter_map(|record| match record {
                Record::Counters(class) => Some(class.counts.into_iter().map(|(_, count)| count)),
                _ => None,
            });
            return counts.flatten().sum();
        }
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "a handler goes on"
        );
    }
}
