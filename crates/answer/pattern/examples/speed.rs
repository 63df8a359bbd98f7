//! How many events a second are written, read and analysed: a table of programs and questions.
//!
//! `cargo run --release -p pricetag-pattern --example speed -- [EVENTS]`, 50 million by default. Programs are made up: a loop of three calls, loops within loops, a
//! tree of calls with loops and branches chosen at random (what a real program looks like most), and noise.

use pricetag_events::{
    Class, ClassId, Dictionary, Extent, Kind, Method, Place, Reader, Symbol, ThreadId, Writer,
};
use pricetag_pattern::{Analysis, Parts, Settings};

/// Makes a sequence.
type Make = fn(usize) -> Vec<Symbol>;

const BLOCK: usize = 1 << 16;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 33) * u64::from(bound)) >> 31) as u32
    }
}

/// A made-up method: what it calls.
enum Code {
    Call(u32),
    Loop(u32, Vec<Code>),
    Either(Vec<Code>, Vec<Code>),
}

fn code(random: &mut Random, method: u32, methods: u32, depth: u32) -> Vec<Code> {
    let length = 1 + random.below(4);
    let mut parts = Vec::new();
    for _ in 0..length {
        parts.push(match random.below(6) {
            0 if depth > 0 => Code::Loop(
                2 + random.below(12),
                code(random, method, methods, depth - 1),
            ),
            1 if depth > 0 => {
                let either = code(random, method, methods, depth - 1);
                Code::Either(either, code(random, method, methods, depth - 1))
            }
            // Calls go to later methods, so that programs end.
            _ => Code::Call(method + 1 + random.below((methods - method).clamp(1, 40))),
        });
    }
    parts
}

fn run(
    parts: &[Code],
    program: &[Vec<Code>],
    random: &mut Random,
    out: &mut Vec<Symbol>,
    most: usize,
) {
    for part in parts {
        if out.len() >= most {
            return;
        }
        match part {
            Code::Call(method) => {
                // Some calls have one of two receivers.
                let receiver = u32::from(*method % 5 == 0 && random.below(4) == 0);
                out.push(Symbol(method * 2 + receiver));
                if let Some(body) = program.get(*method as usize) {
                    run(body, program, random, out, most);
                }
            }
            Code::Loop(times, body) => {
                for _ in 0..=random.below(2 * times) {
                    run(body, program, random, out, most);
                }
            }
            Code::Either(a, b) => {
                let chosen = if random.below(5) == 0 { b } else { a };
                run(chosen, program, random, out, most);
            }
        }
    }
}

fn calls(events: usize) -> Vec<Symbol> {
    let methods = 2000;
    let mut random = Random(7);
    let program: Vec<Vec<Code>> = (0..methods)
        .map(|method| {
            if method % 3 == 2 || method > methods - 100 {
                Vec::new()
            } else {
                code(&mut random, method, methods, 2)
            }
        })
        .collect();
    let mut out = Vec::with_capacity(events);
    while out.len() < events {
        let start = random.below(300) as usize;
        run(&program[start], &program, &mut random, &mut out, events);
    }
    out
}

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

fn facts(writer: &mut Writer<Vec<u8>>) {
    for class in 0..500_u32 {
        let class = Class {
            name: format!("p/C{class}"),
            superclass: class.checked_sub(1).map(|c| ClassId(c / 2)),
            ..Class::default()
        };
        writer.class(&class).expect("memory");
    }
    for method in 0..2100_u32 {
        let class = ClassId(method % 500);
        let name = format!("m{method}");
        let method = Method {
            class,
            name,
            bytes: Some(method % 200),
            ..Method::default()
        };
        let method = writer.method(&method).expect("memory");
        for receiver in [class, ClassId((class.0 * 2 + 1) % 500)] {
            writer.kind(Kind { receiver, method }).expect("memory");
        }
    }
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
