//! How many events a second are written, read and analysed: a table of programs and questions.
//!
//! `cargo run --release -p pricetag-pattern --example analysis_speed -- [EVENTS]`, 50 million by default. Programs are made up: a loop of three calls, loops within loops, a
//! tree of calls with loops and branches chosen at random (what a real program looks like most), and noise.

mod invented;

use invented::{Random, calls, facts};
use pricetag_events::{Dictionary, Extent, Place, Reader, Symbol, ThreadId, Writer};
use pricetag_pattern::{Analysis, Parts, Settings};

/// Makes a sequence.
type Make = fn(usize) -> Vec<Symbol>;

const BLOCK: usize = 1 << 16;

fn nested(events: usize) -> Vec<Symbol> {
    let mut out = Vec::with_capacity(events + 100);
    let mut turn = 0;
    while out.len() < events {
        out.push(Symbol(0));
        for _ in 0..3 + turn % 4 {
            out.push(Symbol(1));
            for _ in 0..2 + turn % 7 {
                out.extend([2, 3, 4].map(Symbol));
            }
        }
        turn += 1;
    }
    out.truncate(events);
    out
}

fn noise(events: usize) -> Vec<Symbol> {
    let mut random = Random(3);
    (0..events).map(|_| Symbol(random.below(1000))).collect()
}

/// Processor time of this thread, ns, so that a busy machine does not matter; Linux alone tells.
fn processor_ns() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let used = told
        .split_whitespace()
        .next()
        .and_then(|ns| ns.parse().ok());
    used.unwrap_or_default()
}

fn million(events: usize, start: u64) -> f64 {
    events as f64 * 1e3 / (processor_ns() - start) as f64
}

fn analysis(
    dictionary: &Dictionary,
    extent: &Extent,
    events: &[Symbol],
    settings: Settings,
) -> f64 {
    let start = processor_ns();
    let mut analysis =
        Analysis::new(dictionary.clone(), extent.clone(), settings).expect("a hierarchy");
    let mut first = 0;
    for block in events.chunks(BLOCK) {
        let place = Place::default();
        analysis.block(place, first, block).expect("known kinds");
        first += block.len() as u64;
    }
    let found = analysis.finish();
    assert_eq!(found.recorded.events, events.len() as u64);
    million(events.len(), start)
}

fn main() {
    let events = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(50_000_000);
    println!("{events} events; million events a second of processor time\n");
    println!(
        "{:<10}{:>12}{:>10}{:>10}{:>10}{:>13}{:>10}{:>10}{:>12}{:>10}",
        "program",
        "bytes/event",
        "written",
        "read",
        "locality",
        "consecutive",
        "loop-64",
        "no recur.",
        "recurrent",
        "all"
    );
    let programs: [(&str, Make); 4] = [
        ("loop", |n| (0..n).map(|i| Symbol(i as u32 % 3)).collect()),
        ("nested", nested),
        ("calls", calls),
        ("noise", noise),
    ];
    let asked = |loops, neighbours, recurrent, longest_loop| Settings {
        parts: Parts {
            loops,
            neighbours,
            recurrent,
        },
        longest_loop,
        ..Settings::default()
    };
    for (name, make) in programs {
        let sequence = make(events);
        let mut writer = Writer::new(Vec::new()).expect("memory");
        facts(&mut writer);
        let start = processor_ns();
        for block in sequence.chunks(BLOCK) {
            let place = Place {
                thread: ThreadId(0),
                ..Place::default()
            };
            writer.block(place, block).expect("memory");
        }
        let file = writer.finish(None).expect("memory");
        let written = million(events, start);
        let (extent, dictionary) = Extent::scan(file.as_slice()).expect("what was just written");
        let start = processor_ns();
        let (mut decoded, mut block_events) = (0, Vec::new());
        for block in Reader::new(file.as_slice()).expect("what was just written") {
            block
                .decode(&mut block_events)
                .expect("what was just written");
            decoded += block_events.len();
        }
        assert_eq!(decoded, events);
        let read = million(events, start);
        print!(
            "{name:<10}{:>12.3}{written:>10.0}{read:>10.0}",
            extent.packed_bytes as f64 / events as f64
        );
        let columns = [
            (asked(false, false, false, 1), 10),
            (asked(true, false, false, 1), 13),
            (asked(true, false, false, 64), 10),
            (asked(true, true, false, 64), 10),
            (asked(false, false, true, 1), 12),
            (asked(true, true, true, 64), 10),
        ];
        for (settings, width) in columns {
            let speed = analysis(&dictionary, &extent, &sequence, settings);
            print!("{speed:>width$.0}");
        }
        println!();
    }
}
