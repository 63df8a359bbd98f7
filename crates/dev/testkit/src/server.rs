//! An HTTP server under load: `subjects/server`, counted while a client on loopback keeps it busy.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pricetag_trace::{AgentOptions, Mode, Pattern};
use tempfile::TempDir;

use crate::jvm::run;
use crate::{Agent, Compiler, Counts, Machine, Testbed, TestkitError, content, io, repository};

/// How long the server may take to start, and to end when it is told to.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the client was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Requests that succeeded.
    pub good: u64,
    /// Bytes of their answers, together.
    pub bytes: u64,
    /// Requests that were refused, as they should be.
    pub bad: u64,
    /// Successful requests for which a class was loaded.
    pub fresh: u64,
}

/// A server that is being counted, or observed in nothing at all.
#[derive(Debug)]
pub struct Server {
    directory: TempDir,
    child: Child,
    machine: Machine,
}

impl Server {
    /// Starts the server with some threads, or a new one for each request if that is 0; counted if there is an agent.
    ///
    /// # Errors
    /// If it does not compile or start.
    pub fn start(
        machine: &Machine,
        agent: Option<&Agent>,
        threads: u32,
    ) -> Result<Self, TestkitError> {
        let directory = TempDir::new().map_err(io("create", Path::new("a temporary directory")))?;
        let at = |name: &str| directory.path().join(name);
        let sources: Vec<PathBuf> = ["Server", "Client"]
            .iter()
            .map(|name| repository().join(format!("subjects/server/{name}.java")))
            .collect();
        Compiler::Javac(11).compile(&Testbed::locate(), &sources, &at("classes"))?;
        let mut command = Command::new(&machine.java);
        command
            .args(&machine.options)
            // Touched beforehand, so that what grows is not the heap.
            .args(["-Xmx128m", "-Xms128m", "-XX:+AlwaysPreTouch"])
            // Or each answer waits for an acknowledgement that comes 40 ms later.
            .arg("-Dsun.net.httpserver.nodelay=true");
        if let Some(agent) = agent {
            let include = Pattern::new("Server").map_err(|e| content(&at("options"), e))?;
            let options = AgentOptions {
                plans: Some(at("plans")),
                include: vec![include],
                ..AgentOptions::new(Mode::Count, at("trace"))
            };
            options
                .write(&at("options"))
                .map_err(|e| content(&at("options"), e))?;
            command.arg(agent.option(&at("options")));
        }
        command.arg("-cp").arg(at("classes")).arg("Server");
        command.arg(at("port")).arg(threads.to_string());
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(io("start", &machine.java))?;
        let mut server = Self {
            directory,
            child,
            machine: machine.clone(),
        };
        server.wait_until(|server| server.path("port").exists())?;
        Ok(server)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn wait_until(&mut self, done: impl Fn(&mut Self) -> bool) -> Result<(), TestkitError> {
        let start = Instant::now();
        while !done(self) {
            if start.elapsed() > PATIENCE {
                return Err(content(&self.path("port"), "the server takes too long"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Counts so far, of a server that goes on and is counted: asks for a snapshot, reads and removes it.
    ///
    /// # Errors
    /// If none is written in time, or it is no complete trace.
    pub fn snapshot(&self) -> Result<Counts, TestkitError> {
        let file = AgentOptions::snapshot_of(&self.path("trace"), 1);
        let mut ask = Command::new("kill");
        ask.args(["-QUIT", &self.child.id().to_string()]);
        run(ask, PATIENCE)?;
        let start = Instant::now();
        while !file.exists() {
            if start.elapsed() > PATIENCE {
                return Err(content(&file, "the snapshot takes too long"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let counts = Counts::from_trace(&file, &self.path("plans"))?;
        std::fs::remove_file(&file).map_err(io("remove", &file))?;
        Ok(counts)
    }

    /// Memory of the server's process that is in RAM, KiB.
    pub fn resident(&self) -> Option<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).ok()?;
        let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    /// Lets clients send `requests` on each of some connections at once, or for some seconds if that is 0, and then stops the server.
    ///
    /// # Errors
    /// If the client fails.
    pub fn load(&self, threads: u32, requests: u64, seconds: u64) -> Result<Answers, TestkitError> {
        self.load_paced(threads, requests, seconds, Duration::ZERO)
    }

    /// The same, with a pause of each client thread after each request.
    ///
    /// # Errors
    /// If the client fails.
    pub fn load_paced(
        &self,
        threads: u32,
        requests: u64,
        seconds: u64,
        pause: Duration,
    ) -> Result<Answers, TestkitError> {
        let mut client = Command::new(&self.machine.java);
        client.arg("-cp").arg(self.path("classes")).arg("Client");
        client
            .arg(self.path("port"))
            .args([u64::from(threads), requests, seconds].map(|number| number.to_string()))
            .arg(pause.as_millis().to_string());
        let outcome = run(client, Duration::from_secs(seconds) + 5 * PATIENCE)?;
        let numbers: Vec<u64> = outcome
            .output
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        match numbers[..] {
            [good, bytes, bad, fresh] if outcome.status == Some(0) => Ok(Answers {
                good,
                bytes,
                bad,
                fresh,
            }),
            _ => Err(TestkitError::Command {
                command: "the client".to_owned(),
                reason: outcome.output + &outcome.error,
            }),
        }
    }

    /// Waits until the server, which was told to stop, has ended, and reads its counts.
    ///
    /// # Errors
    /// If it does not end in peace or left no complete trace.
    pub fn counts(mut self) -> Result<Counts, TestkitError> {
        self.wait_until(|server| !matches!(server.child.try_wait(), Ok(None)))?;
        match self.child.try_wait() {
            Ok(Some(status)) if status.success() => {}
            other => {
                return Err(content(
                    &self.path("port"),
                    format!("the server ended: {other:?}"),
                ));
            }
        }
        Counts::from_trace(&self.path("trace"), &self.path("plans"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Only the one started here; an error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How often methods of a name were called.
pub fn calls(counts: &Counts, name: &str) -> u64 {
    let methods = counts.methods.iter();
    let found = methods.filter(|(method, _)| method.name == name);
    found.filter_map(|(_, pcs)| pcs.get(&0)).sum()
}

/// What disagrees between the server's counts and the client's answers, by the definition of the two programs.
pub fn disagreements(counts: &Counts, answers: &Answers) -> Vec<String> {
    let calls = |name: &str| calls(counts, name);
    let expected = [
        ("handle", answers.good - answers.fresh),
        ("fresh", answers.fresh),
        ("applyAsInt", answers.fresh),
        ("fail", answers.bad),
        ("stop", 1),
        ("work", answers.good + answers.bad),
        ("digit", answers.bytes),
        ("main", 1),
    ];
    let mut wrong: Vec<String> = expected
        .iter()
        .filter(|&&(name, times)| calls(name) != times)
        .map(|&(name, times)| format!("{name}: counted {}, the client says {times}", calls(name)))
        .collect();
    wrong.extend(counts.inexact.iter().cloned());
    wrong.extend(
        counts
            .imbalances
            .iter()
            .map(|(m, why)| format!("{m}: {why}")),
    );
    wrong
}
