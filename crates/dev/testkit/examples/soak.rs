//! Keeps the server of `subjects/server` busy for a while and watches its memory: `soak SECONDS [plain] [churn] [MILLISECONDS]`.
//!
//! Prints the server's resident memory over time, counted (or not, with `plain`), and at the end whether the counts agree with what the
//! client was answered. With `churn` each request has a thread of its own, and the counts are asked for every ten seconds while the server
//! goes on. With a last number, each of the 16 client threads pauses that long after each request. Grows nothing, and no count is missing,
//! is what it is to show.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pricetag_testkit::server::{Server, calls, disagreements};
use pricetag_testkit::{Agent, Machine, TestkitError};

/// Lines printed over the whole time.
const READINGS: u64 = 30;
/// Time between snapshots.
const PAUSE: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(seconds) = arguments.first().and_then(|text| text.parse().ok()) else {
        eprintln!("soak SECONDS [plain] [churn] [MILLISECONDS]");
        return ExitCode::from(2);
    };
    let asked = |word: &str| arguments.iter().any(|argument| argument == word);
    let pause = arguments[1..].iter().find_map(|word| word.parse().ok());
    let soak = Soak {
        seconds,
        counted: !asked("plain"),
        churn: asked("churn"),
        pause: pause.map_or(Duration::ZERO, Duration::from_millis),
    };
    match soak.run() {
        Ok(wrong) if wrong.is_empty() => ExitCode::SUCCESS,
        Ok(wrong) => {
            println!("{}", wrong.join("\n"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

struct Soak {
    seconds: u64,
    counted: bool,
    churn: bool,
    pause: Duration,
}

impl Soak {
    /// What went wrong.
    fn run(&self) -> Result<Vec<String>, TestkitError> {
        let machine = Machine::system()?;
        let agent = if self.counted {
            Some(Agent::locate()?)
        } else {
            None
        };
        let threads = if self.churn { 0 } else { 16 };
        let server = Server::start(&machine, agent.as_ref(), threads)?;
        let done = AtomicBool::new(false);
        let (answers, mut wrong) = std::thread::scope(|scope| {
            scope.spawn(|| self.watch(&server, &done));
            let looking = scope.spawn(|| self.look(&server, &done));
            let answers = server.load_paced(16, 0, self.seconds, self.pause);
            done.store(true, Ordering::Release);
            let wrong = looking.join().unwrap_or_else(|_| vec!["a panic".into()]);
            answers.map(|answers| (answers, wrong))
        })?;
        println!("{answers:?}");
        if self.counted {
            wrong.extend(disagreements(&server.counts()?, &answers));
            println!("{} disagreements between counts and answers", wrong.len());
        }
        Ok(wrong)
    }

    fn watch(&self, server: &Server, done: &AtomicBool) {
        let start = Instant::now();
        let pause = Duration::from_secs(self.seconds.div_ceil(READINGS).max(1));
        while !done.load(Ordering::Acquire) {
            if let Some(kib) = server.resident() {
                println!(
                    "{:>6} s  {:>7.1} MiB",
                    start.elapsed().as_secs(),
                    kib as f64 / 1024.0
                );
            }
            std::thread::sleep(pause);
        }
    }

    /// Asks for the counts again and again: they only grow. The last time is well before the client tells the server to stop.
    fn look(&self, server: &Server, done: &AtomicBool) -> Vec<String> {
        let (mut wrong, mut before, mut looks) = (Vec::new(), 0, 0);
        let start = Instant::now();
        let end = Duration::from_secs(self.seconds).saturating_sub(PAUSE);
        while self.counted && self.churn && start.elapsed() + PAUSE < end {
            std::thread::sleep(PAUSE);
            if done.load(Ordering::Acquire) {
                break;
            }
            match server.snapshot() {
                Ok(counts) => {
                    let now = calls(&counts, "work");
                    if now <= before {
                        wrong.push(format!("{now} requests after {before}"));
                    }
                    (before, looks) = (now, looks + 1);
                }
                Err(error) => wrong.push(error.to_string()),
            }
        }
        if looks > 0 {
            println!("{looks} snapshots, the last after {before} requests");
        }
        wrong
    }
}
