//! Keeps the server of `subjects/server` busy for a while and watches its memory: `soak SECONDS [plain] [MILLISECONDS]`.
//!
//! Prints the server's resident memory over time, counted (or not, with `plain`), and at the end whether the counts agree with what the
//! client was answered. With a last number, each of the 16 client threads pauses that long after each request. Grows nothing, and no count is missing, is what it is to show.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pricetag_testkit::server::{Server, disagreements};
use pricetag_testkit::{Agent, Machine, TestkitError};

/// Lines printed over the whole time.
const READINGS: u64 = 30;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(seconds) = arguments.first().and_then(|text| text.parse().ok()) else {
        eprintln!("soak SECONDS [plain] [MILLISECONDS]");
        return ExitCode::from(2);
    };
    let counted = !arguments.iter().any(|word| word == "plain");
    let pause = arguments[1..].iter().find_map(|word| word.parse().ok());
    match soak(
        seconds,
        counted,
        pause.map_or(Duration::ZERO, Duration::from_millis),
    ) {
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

fn soak(seconds: u64, counted: bool, pause: Duration) -> Result<Vec<String>, TestkitError> {
    let machine = Machine::system()?;
    let agent = if counted {
        Some(Agent::locate()?)
    } else {
        None
    };
    let server = Server::start(&machine, agent.as_ref(), 16)?;
    let done = AtomicBool::new(false);
    let answers = std::thread::scope(|scope| {
        scope.spawn(|| watch(&server, seconds, &done));
        let answers = server.load_paced(16, 0, seconds, pause);
        done.store(true, Ordering::Release);
        answers
    })?;
    println!("{answers:?}");
    if !counted {
        return Ok(Vec::new());
    }
    let wrong = disagreements(&server.counts()?, &answers);
    println!("{} disagreements between counts and answers", wrong.len());
    Ok(wrong)
}

fn watch(server: &Server, seconds: u64, done: &AtomicBool) {
    let start = Instant::now();
    let pause = Duration::from_secs(seconds.div_ceil(READINGS).max(1));
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
