//! A made-up program: a tree of calls with loops, and branches chosen at random.

use std::io::Write;

use pricetag_events::{Class, ClassId, Kind, Method, Symbol, Writer};

/// Numbers that are the same each time.
pub struct Random(pub u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: u32) -> u32 {
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

/// A tree of calls with loops and branches.
pub fn calls(events: usize) -> Vec<Symbol> {
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

/// Classes, methods and kinds for [`calls`].
pub fn facts<W: Write>(writer: &mut Writer<W>) {
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
