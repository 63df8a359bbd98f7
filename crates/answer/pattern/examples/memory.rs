//! How much memory an analysis takes: the peak of the process after 10⁶, 10⁷, … events of a made-up program, which are made while they are read and never held.
//!
//! `cargo run --release -p pricetag-pattern --example memory -- [EVENTS]`, 10⁹ by default. Linux alone tells (`VmHWM`).

mod invented;

use invented::{calls, facts};
use pricetag_events::{Extent, Place, Reader, Symbol, ThreadId, Writer};
use pricetag_pattern::{Analysis, Settings};

const BLOCK: usize = 1 << 16;
/// Calls that come again and again, each time from another place on.
const PERIOD: usize = 5_000_011;

/// Peak of memory so far, MB.
fn peak() -> f64 {
    let told = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}

fn main() {
    let most: u64 = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000_000_000);
    let mut writer = Writer::new(Vec::new()).expect("memory can be written to");
    facts(&mut writer);
    let file = writer.finish(None).expect("memory can be written to");
    let mut reader = Reader::new(file.as_slice()).expect("what was just written");
    reader.by_ref().for_each(drop);
    let dictionary = reader.into_dictionary();
    let period: Vec<Symbol> = calls(PERIOD);
    println!("{:>14}{:>12}{:>14}", "events", "peak, MB", "seconds");
    println!("{:>14}{:>12.0}", 0, peak());
    let mut events = 1_000_000;
    while events <= most {
        let begun = std::time::Instant::now();
        let mut extent = Extent::default();
        extent.events(ThreadId::default(), events, 0);
        let mut analysis =
            Analysis::new(dictionary.clone(), extent, Settings::default()).expect("a hierarchy");
        let (mut first, mut at, mut block) = (0, 0, Vec::with_capacity(BLOCK));
        while first < events {
            let wanted = BLOCK.min((events - first) as usize);
            block.clear();
            while block.len() < wanted {
                let run = (wanted - block.len()).min(period.len() - at);
                block.extend_from_slice(&period[at..at + run]);
                at = (at + run) % period.len();
            }
            analysis
                .block(Place::default(), first, &block)
                .expect("known kinds");
            first += wanted as u64;
        }
        assert_eq!(analysis.finish().recorded.events, events);
        let seconds = begun.elapsed().as_secs_f64();
        println!("{events:>14}{:>12.0}{seconds:>14.0}", peak());
        events *= 10;
    }
}
