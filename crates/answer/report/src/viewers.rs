//! A part of a sequence of invocations for other viewers: speedscope, Perfetto and Chrome, flame graphs.
//!
//! A recording has the entries of methods, not their returns: neither how long a call lasted nor what called it is known. So nothing is nested
//! here. A call begins where it stands in the file, one unit after the other, and ends where the next one begins: the viewers' time is the number of the call. Formats:
//! speedscope's file format (evented profiles), the Trace Event Format (Google, "Complete Events" and "Metadata Events"), and collapsed
//! stacks (Gregg 2011), whose stack is the thread and the method.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use pricetag_classfile::naming;
use pricetag_events::{Dictionary, MethodId, Symbol, ThreadId};
use serde_json::{Value, json};

/// For whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// speedscope's JSON.
    Speedscope,
    /// Trace events as JSON, for Perfetto and `chrome://tracing`.
    Chrome,
    /// A line per thread and method, with its calls.
    Collapsed,
}

impl Viewer {
    /// Whether it wants every call.
    pub fn wants_calls(self) -> bool {
        self != Self::Collapsed
    }
}

/// Calls in a row of one thread, by their numbers in the file.
#[derive(Debug)]
struct Row {
    at: u64,
    events: Vec<Symbol>,
}

/// A part of a sequence that is being gathered.
#[derive(Debug)]
pub struct Excerpt {
    viewer: Viewer,
    window: Range<u64>,
    at: u64,
    threads: BTreeMap<ThreadId, Vec<Row>>,
    counts: BTreeMap<(ThreadId, Symbol), u64>,
}

impl Excerpt {
    /// Calls `window` of the file, from 0.
    pub fn new(viewer: Viewer, window: Range<u64>) -> Self {
        Self {
            viewer,
            window,
            at: 0,
            threads: BTreeMap::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Takes the next block of the file; false if what follows is of no interest.
    pub fn block(&mut self, thread: ThreadId, events: &[Symbol]) -> bool {
        let begin = self.at;
        self.at += events.len() as u64;
        let from = self.window.start.max(begin);
        let to = self.window.end.min(self.at);
        if from < to {
            let inside = events.get((from - begin) as usize..(to - begin) as usize);
            let inside = inside.unwrap_or_default();
            if self.viewer.wants_calls() {
                self.threads.entry(thread).or_default().push(Row {
                    at: from,
                    events: inside.to_vec(),
                });
            } else {
                let mut sums: BTreeMap<Symbol, u64> = BTreeMap::new();
                for &event in inside {
                    *sums.entry(event).or_default() += 1;
                }
                for (kind, sum) in sums {
                    *self.counts.entry((thread, kind)).or_default() += sum;
                }
            }
        }
        self.at < self.window.end
    }

    /// Calls that were taken.
    pub fn calls(&self) -> u64 {
        let rows = self.threads.values().flatten();
        rows.map(|row| row.events.len() as u64).sum::<u64>() + self.counts.values().sum::<u64>()
    }

    /// Writes the file; `name` is what the viewer shows as its name.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write(
        &self,
        dictionary: &Dictionary,
        name: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self.viewer {
            Viewer::Speedscope => self.speedscope(dictionary, name, out),
            Viewer::Chrome => self.chrome(dictionary, name, out),
            Viewer::Collapsed => self.collapsed(dictionary, out),
        }
    }

    fn speedscope(
        &self,
        dictionary: &Dictionary,
        name: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut numbers: BTreeMap<MethodId, usize> = BTreeMap::new();
        let rows = self.threads.values().flatten();
        for event in rows.flat_map(|row| &row.events) {
            numbers.entry(method(dictionary, *event)).or_insert(0);
        }
        let mut frames = Vec::new();
        for (id, number) in &mut numbers {
            *number = frames.len();
            frames.push(json!({ "name": shown(dictionary, *id), "file": class(dictionary, *id) }));
        }
        write!(
            out,
            "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"pricetag {}\",\"name\":{},\"activeProfileIndex\":0,\"shared\":{{\"frames\":{}}},\"profiles\":[",
            env!("CARGO_PKG_VERSION"),
            Value::from(name),
            Value::from(frames),
        )?;
        for (place, (thread, rows)) in self.threads.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            let first = rows.first().map_or(0, |row| row.at);
            let last = rows
                .last()
                .map_or(0, |row| row.at + row.events.len() as u64);
            write!(
                out,
                "{comma}{{\"type\":\"evented\",\"name\":{},\"unit\":\"none\",\"startValue\":{first},\"endValue\":{last},\"events\":[",
                Value::from(thread_name(dictionary, *thread)),
            )?;
            let calls = rows.iter().flat_map(|row| (row.at..).zip(&row.events));
            for (number, (at, event)) in calls.enumerate() {
                let comma = if number > 0 { "," } else { "" };
                let frame = numbers[&method(dictionary, *event)];
                let end = at + 1;
                write!(
                    out,
                    "{comma}\n{{\"type\":\"O\",\"frame\":{frame},\"at\":{at}}},{{\"type\":\"C\",\"frame\":{frame},\"at\":{end}}}"
                )?;
            }
            write!(out, "]}}")?;
        }
        writeln!(out, "]}}")
    }

    fn chrome(&self, dictionary: &Dictionary, name: &str, out: &mut impl Write) -> io::Result<()> {
        let about = json!({
            "exporter": format!("pricetag {}", env!("CARGO_PKG_VERSION")),
            "recording": name,
            "time": "one microsecond is one call, in the order of the recording; returns are not recorded, so nothing is nested",
        });
        write!(out, "{{\"otherData\":{about},\"traceEvents\":[")?;
        let process = json!({ "name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": { "name": name } });
        write!(out, "\n{process}")?;
        for (number, (thread, rows)) in (1..).zip(&self.threads) {
            // Viewers have room for 32 bits, a recording for more.
            let number: u32 = number;
            let named = json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": number, "args": { "name": thread_name(dictionary, *thread) } });
            write!(out, ",\n{named}")?;
            let mut words: BTreeMap<Symbol, (String, String)> = BTreeMap::new();
            for (at, event) in rows.iter().flat_map(|row| (row.at..).zip(&row.events)) {
                let (name, receiver) = words.entry(*event).or_insert_with(|| {
                    let receiver = dictionary.kinds.get(event.index()).map(|k| k.receiver);
                    let receiver = receiver.map(|id| naming::class(&dictionary.class_name(id)));
                    (
                        Value::from(shown(dictionary, method(dictionary, *event))).to_string(),
                        Value::from(receiver).to_string(),
                    )
                });
                write!(
                    out,
                    ",\n{{\"name\":{name},\"cat\":\"call\",\"ph\":\"X\",\"ts\":{at},\"dur\":1,\"pid\":1,\"tid\":{number},\"args\":{{\"call\":{at},\"receiver\":{receiver}}}}}"
                )?;
            }
        }
        writeln!(out, "\n]}}")
    }

    fn collapsed(&self, dictionary: &Dictionary, out: &mut impl Write) -> io::Result<()> {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for (&(thread, event), count) in &self.counts {
            let id = method(dictionary, event);
            let stack =
                [thread_name(dictionary, thread), shown(dictionary, id)].map(|name| frame(&name));
            *sums.entry(stack.join(";")).or_default() += count;
        }
        for (stack, count) in sums {
            writeln!(out, "{stack} {count}")?;
        }
        Ok(())
    }
}

fn method(dictionary: &Dictionary, event: Symbol) -> MethodId {
    let kind = dictionary.kinds.get(event.index());
    kind.map_or(MethodId(u32::MAX), |kind| kind.method)
}

fn shown(dictionary: &Dictionary, id: MethodId) -> String {
    match dictionary.methods.get(id.index()) {
        Some(found) => {
            let owner = dictionary.class_name(found.class);
            naming::method(&owner, &found.name, &found.descriptor)
        }
        None => dictionary.method_name(id),
    }
}

fn class(dictionary: &Dictionary, id: MethodId) -> String {
    let found = dictionary.methods.get(id.index());
    found.map_or_else(String::new, |found| {
        naming::class(&dictionary.class_name(found.class))
    })
}

fn thread_name(dictionary: &Dictionary, thread: ThreadId) -> String {
    let name = dictionary.threads.get(&thread).filter(|n| !n.is_empty());
    name.cloned()
        .unwrap_or_else(|| format!("thread {}", thread.0))
}

/// A name that is one frame of one line: what stands between frames, and ends lines, is set aside.
pub(crate) fn frame(name: &str) -> String {
    let harmless = |c: char| if c == ';' || c.is_control() { '_' } else { c };
    name.chars().map(harmless).collect()
}
