//! Recordings that are killed: what was there stays, what was finished is kept, what is resumed gives the same counts.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::{Bench, Dice, Tally, is_orderly, said};

const FRESH: usize = 100;
const FORCED: usize = 100;

pub(crate) fn run(bench: &Bench) -> Vec<Tally> {
    bench.inputs();
    let begun = Instant::now();
    bench.must(&bench.recording("whole", &[]));
    let length = begun.elapsed();
    let counts = counts(bench, "whole").expect("a dataset");
    vec![
        fresh(bench, length, &counts),
        forced(bench, length, &counts),
    ]
}

/// The counts of blocks and methods; times differ.
fn counts(bench: &Bench, dataset: &str) -> Result<Vec<String>, String> {
    let output = bench.run(&["export", dataset, "--format", "csv", "-o", "-"]);
    if !output.status.success() {
        return Err(said(&output));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut rows = text.lines();
    let header = rows.next().unwrap_or_default();
    let blocks = header.matches("Sums.").count();
    let labels = rows.filter_map(|row| row.split(',').next().map(str::to_owned));
    Ok(labels.chain([blocks.to_string()]).collect())
}

/// Starts, waits for a part of the usual length, kills; whether it had ended before.
fn killed(bench: &Bench, words: &[String], after: Duration) -> bool {
    let mut child = bench
        .command(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(after);
    let ended = child.try_wait().ok().flatten().is_some();
    child.kill().ok();
    child.wait().ok();
    ended
}

fn fresh(bench: &Bench, length: Duration, right: &[String]) -> Tally {
    let mut tally = Tally::new("recordings killed, then read and resumed");
    let mut dice = Dice(31);
    for round in 0..FRESH {
        fs::remove_dir_all(bench.path("d")).ok();
        let after = length.mul_f64(dice.below(1000) as f64 / 1000.0);
        killed(bench, &bench.recording("d", &[]), after);
        tally.tried += 1;
        let read = bench.run(&["inspect", "d"]);
        if !is_orderly(&read) {
            tally.fault(format!("round {round}: {}", said(&read)));
        }
        tally.told += usize::from(!read.status.success());
        let begun = bench.path("d/.recording/recording.json").exists()
            || bench.path("d/meta.json").exists();
        let resumed = bench.run(&bench.recording("d", if begun { &["--resume"] } else { &[] }));
        if !resumed.status.success() {
            tally.fault(format!("round {round}, resumed: {}", said(&resumed)));
        } else if counts(bench, "d").as_deref() != Ok(right) {
            tally.fault(format!("round {round}: other rows or blocks"));
        }
    }
    tally
}

fn forced(bench: &Bench, length: Duration, right: &[String]) -> Tally {
    let mut tally = Tally::new("recordings over a dataset killed, and the dataset read");
    let mut dice = Dice(32);
    bench.must(&bench.recording("f", &[]));
    for round in 0..FORCED {
        let after = length.mul_f64(dice.below(1100) as f64 / 1000.0);
        killed(bench, &bench.recording("f", &["--force"]), after);
        tally.tried += 1;
        match counts(bench, "f") {
            Ok(now) if now == right => {}
            Ok(_) => tally.fault(format!("round {round}: other rows or blocks")),
            Err(why) => tally.fault(format!("round {round}: {why}")),
        }
    }
    tally
}
