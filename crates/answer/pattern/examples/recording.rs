//! Writes a recording of a made-up program: `cargo run --release -p pricetag-pattern --example recording -- FILE [EVENTS [THREADS]]`.
//!
//! Each thread has its own part of the program's calls; blocks have as many events as the agent's, and begin some tens of ns per event after each other.

mod invented;

use std::fs::File;
use std::io::{BufWriter, Error};

use invented::{Random, calls, facts};
use pricetag_events::{Place, ThreadId, Writer};

const BLOCK: usize = 8191;
/// Calls that are made up; longer recordings repeat them from random places on.
const MADE: usize = 8_000_000;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.first().ok_or(Error::other("name a file"))?;
    let number = |at: usize, default: u64| {
        let given = arguments.get(at).and_then(|text| text.parse().ok());
        given.unwrap_or(default)
    };
    let (events, threads) = (number(1, 1_000_000), number(2, 1).max(1));
    let mut writer = Writer::new(BufWriter::new(File::create(file)?))?;
    facts(&mut writer);
    let made = calls(MADE.min(events as usize).max(BLOCK));
    let mut random = Random(11);
    for thread in 0..threads {
        writer.thread(ThreadId(thread), &format!("worker-{thread}"))?;
    }
    let mut place = vec![0_usize; threads as usize];
    let mut ns = vec![0_u64; threads as usize];
    let mut left = events;
    while left > 0 {
        let thread = (left / BLOCK as u64 % threads) as usize;
        if random.below(50) == 0 || place[thread] + BLOCK > made.len() {
            place[thread] = random.below((made.len() - BLOCK + 1) as u32) as usize;
        }
        let length = left.min(BLOCK as u64) as usize;
        let from = place[thread];
        let start_ns = Some(ns[thread]);
        let at = Place {
            thread: ThreadId(thread as u64),
            start_ns,
            left_out: 0,
        };
        writer.block(at, &made[from..from + length])?;
        place[thread] += length;
        ns[thread] += length as u64 * u64::from(20 + random.below(60));
        left -= length as u64;
    }
    writer.finish(ns.iter().max().copied())?;
    Ok(())
}
