//! Stacks of two builds for the viewers of others: collapsed lines, speedscope, pprof.
//!
//! - **Collapsed**: a stack, its weight before and after, as `difffolded.pl` writes and `flamegraph.pl` reads (Gregg 2014, "Differential Flame Graphs").
//! - **speedscope** (file format 0.0.1, sampled profiles) knows no differences. So the file has four profiles: before, after, what is more, what is less.
//! - **pprof** (`profile.proto`) has three values for each stack: before, after, change. It is not compressed, which the tool takes, too.
//!
//! Limits: weights are whole numbers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::viewers::frame;

/// For whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line for each stack.
    Collapsed,
    /// speedscope's JSON.
    Speedscope,
    /// pprof's protocol buffer.
    Pprof,
}

/// What is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Executed instructions.
    Instructions,
    /// Microseconds of processor time.
    Microseconds,
}

impl Weight {
    /// As speedscope calls it.
    fn unit(self) -> &'static str {
        match self {
            Self::Instructions => "none",
            Self::Microseconds => "microseconds",
        }
    }

    /// Kind and unit, as pprof calls them.
    fn measured(self) -> (&'static str, &'static str) {
        match self {
            Self::Instructions => ("instructions", "count"),
            Self::Microseconds => ("cpu", "microseconds"),
        }
    }
}

/// A stack and its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// From the outermost frame on.
    pub frames: Vec<String>,
    /// Before and after.
    pub weights: [u64; 2],
}

/// The file; `name` is what a viewer shows as its name.
pub fn write(stacks: &[Stack], form: Form, weight: Weight, name: &str) -> Vec<u8> {
    match form {
        Form::Collapsed => collapsed(stacks).into_bytes(),
        Form::Speedscope => format!("{}\n", speedscope(stacks, weight, name)).into_bytes(),
        Form::Pprof => pprof(stacks, weight, name),
    }
}

fn collapsed(stacks: &[Stack]) -> String {
    let lines = stacks.iter().map(|stack| {
        let frames: Vec<String> = stack.frames.iter().map(|name| frame(name)).collect();
        let [before, after] = stack.weights;
        format!("{} {before} {after}\n", frames.join(";"))
    });
    lines.collect()
}

/// Numbers of frames, in the order of their first use.
fn numbered(stacks: &[Stack]) -> (Vec<&str>, BTreeMap<&str, usize>) {
    let (mut names, mut numbers) = (Vec::new(), BTreeMap::new());
    for frame in stacks.iter().flat_map(|stack| &stack.frames) {
        numbers.entry(frame.as_str()).or_insert_with(|| {
            names.push(frame.as_str());
            names.len() - 1
        });
    }
    (names, numbers)
}

fn speedscope(stacks: &[Stack], weight: Weight, name: &str) -> Value {
    let (names, numbers) = numbered(stacks);
    let profile = |title: &str, weigh: &dyn Fn([u64; 2]) -> u64| {
        let heavy: Vec<(&Stack, u64)> = stacks
            .iter()
            .map(|stack| (stack, weigh(stack.weights)))
            .filter(|(_, weight)| *weight > 0)
            .collect();
        let total: u64 = heavy.iter().map(|(_, weight)| weight).sum();
        let samples: Vec<Vec<usize>> = heavy
            .iter()
            .map(|(stack, _)| stack.frames.iter().map(|f| numbers[f.as_str()]).collect())
            .collect();
        let weights: Vec<u64> = heavy.iter().map(|(_, weight)| *weight).collect();
        json!({
            "type": "sampled", "name": title, "unit": weight.unit(), "startValue": 0, "endValue": total,
            "samples": samples, "weights": weights,
        })
    };
    let frames: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": format!("pricetag {}", env!("CARGO_PKG_VERSION")),
        "name": name,
        "activeProfileIndex": 2,
        "shared": { "frames": frames },
        "profiles": [
            profile("before", &|[before, _]| before),
            profile("after", &|[_, after]| after),
            profile("more than before", &|[before, after]| after.saturating_sub(before)),
            profile("less than before", &|[before, after]| before.saturating_sub(after)),
        ],
    })
}

/// The texts of a profile, by number; the first is empty.
struct Texts {
    numbers: BTreeMap<String, u64>,
    all: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let number = self.all.len() as u64;
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// Fields of `profile.proto`: `Profile` 1 `sample_type`, 2 sample, 4 location, 5 function, 6 `string_table`, 13 comment, 14 `default_sample_type`; `ValueType` 1 type, 2 unit;
/// `Sample` 1 `location_id` (leaf first), 2 value; `Location` 1 id, 4 line; `Line` 1 `function_id`; `Function` 1 id, 2 name.
fn pprof(stacks: &[Stack], weight: Weight, name: &str) -> Vec<u8> {
    let mut texts = Texts {
        numbers: BTreeMap::from([(String::new(), 0)]),
        all: vec![String::new()],
    };
    let (names, numbers) = numbered(stacks);
    let mut profile = Message::default();
    let (kind, unit) = weight.measured();
    for what in ["before", "after", "change"] {
        let mut value = Message::default();
        value.number(1, texts.number(&format!("{kind}_{what}")));
        value.number(2, texts.number(unit));
        profile.message(1, &value);
    }
    for stack in stacks {
        let [before, after] = stack.weights.map(|weight| weight as i64);
        let mut sample = Message::default();
        let locations = stack
            .frames
            .iter()
            .rev()
            .map(|f| numbers[f.as_str()] as u64 + 1);
        sample.numbers(1, locations);
        sample.numbers(2, [before, after, after - before].map(|value| value as u64));
        profile.message(2, &sample);
    }
    for (id, name) in (1..).zip(names) {
        let mut line = Message::default();
        line.number(1, id);
        let mut location = Message::default();
        location.number(1, id);
        location.message(4, &line);
        profile.message(4, &location);
        let mut function = Message::default();
        function.number(1, id);
        function.number(2, texts.number(name));
        profile.message(5, &function);
    }
    let comment = texts.number(&format!(
        "{name}, by pricetag {}",
        env!("CARGO_PKG_VERSION")
    ));
    let shown_first = texts.number(&format!("{kind}_change"));
    for text in &texts.all {
        profile.bytes(6, text.as_bytes());
    }
    profile.number(13, comment);
    profile.number(14, shown_first);
    profile.0
}

/// A message of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn numbers(&mut self, field: u64, values: impl IntoIterator<Item = u64>) {
        let mut packed = Self::default();
        values.into_iter().for_each(|value| packed.varint(value));
        self.message(field, &packed);
    }

    fn message(&mut self, field: u64, message: &Self) {
        self.bytes(field, &message.0);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}
