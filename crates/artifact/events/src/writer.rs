//! Writing a file as the run goes on.
//!
//! Facts are held back until a block needs them, so that they compress together. Each frame is handed over in one call, so that what
//! a crash leaves is whole frames and at most one that is cut. Nothing here panics, logs or asks for a lock.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::block::Place;
use crate::coding::{self, number};
use crate::facts::{Class, ClassId, Kind, Method, MethodId, Symbol, ThreadId};
use crate::frame::{self, BLOCK, END, FACTS, HEAD, MAGIC, MARKS, PARTS, VERSION};
use crate::parts::{self, Part};
use crate::records;
use crate::scoped::{self, Mark};

/// Events of a block at most.
pub const LONGEST_BLOCK: usize = 1 << 20;

/// Facts that are written even if no block needs them, bytes.
const MANY_FACTS: usize = 1 << 18;

/// Marks of a frame at most.
const MANY_MARKS: usize = 1 << 16;

/// zstd's level: higher ones gain little on coded events.
const LEVEL: i32 = 1;

/// Pairs that are looked up without hashing, a power of two.
const RECENT: usize = 1 << 12;

/// No pair: a method's number never gets that high.
const NONE: (Kind, Symbol) = (
    Kind {
        receiver: ClassId(u32::MAX),
        method: MethodId(u32::MAX),
    },
    Symbol(0),
);

/// Writes events.
pub struct Writer<W: Write> {
    sink: W,
    packer: zstd::bulk::Compressor<'static>,
    facts: Vec<u8>,
    classes: u32,
    methods: u32,
    kinds: HashMap<Kind, Symbol>,
    recent: Vec<(Kind, Symbol)>,
    next: HashMap<ThreadId, u64>,
    frame: Vec<u8>,
    coded: Vec<u8>,
    missed: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// If the sink cannot be written to.
    pub fn new(mut sink: W) -> io::Result<Self> {
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        sink.write_all(&head)?;
        Ok(Self {
            sink,
            packer: zstd::bulk::Compressor::new(LEVEL)?,
            facts: Vec::new(),
            classes: 0,
            methods: 0,
            kinds: HashMap::new(),
            recent: vec![NONE; RECENT],
            next: HashMap::new(),
            frame: Vec::new(),
            coded: Vec::new(),
            missed: Vec::new(),
        })
    }

    /// Declares a class. Its superclass and interfaces may be declared later, by the numbers that they will get.
    ///
    /// # Errors
    /// If the sink cannot be written to.
    pub fn class(&mut self, class: &Class) -> io::Result<ClassId> {
        let id = ClassId(self.classes);
        records::class(&mut self.facts, class);
        self.classes = next_number(self.classes)?;
        self.settle()?;
        Ok(id)
    }

    /// Declares a method.
    ///
    /// # Errors
    /// If its class is not declared, or the sink cannot be written to.
    pub fn method(&mut self, method: &Method) -> io::Result<MethodId> {
        if method.class.0 >= self.classes {
            return Err(undeclared("the class of a method"));
        }
        let id = MethodId(self.methods);
        records::method(&mut self.facts, method);
        self.methods = next_number(self.methods)?;
        self.settle()?;
        Ok(id)
    }

    /// The symbol of a pair, declared at its first use. Some nanoseconds for pairs seen lately.
    ///
    /// # Errors
    /// If its class or method is not declared.
    pub fn kind(&mut self, kind: Kind) -> io::Result<Symbol> {
        let mixed = u64::from(kind.receiver.0) << 32 | u64::from(kind.method.0);
        let slot = (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize & (RECENT - 1);
        if let Some((known, symbol)) = self.recent.get(slot)
            && *known == kind
        {
            return Ok(*symbol);
        }
        if kind.receiver.0 >= self.classes || kind.method.0 >= self.methods {
            return Err(undeclared("the class or the method of an invocation"));
        }
        let fresh = Symbol(self.kinds.len() as u32);
        let symbol = *self.kinds.entry(kind).or_insert(fresh);
        if symbol == fresh {
            records::kind(&mut self.facts, kind);
        }
        if let Some(place) = self.recent.get_mut(slot) {
            *place = (kind, symbol);
        }
        Ok(symbol)
    }

    /// Names a thread.
    ///
    /// # Errors
    /// If the sink cannot be written to.
    pub fn thread(&mut self, thread: ThreadId, name: &str) -> io::Result<()> {
        records::thread(&mut self.facts, thread, name);
        self.settle()
    }

    /// Forgets a thread that has ended: what the writer keeps of it is the number of its next event.
    pub fn thread_ended(&mut self, thread: ThreadId) {
        self.next.remove(&thread);
    }

    /// Writes the next events of a thread; more than [`LONGEST_BLOCK`] become several blocks, of which the first has the start.
    ///
    /// # Errors
    /// If a symbol is not declared, or the sink cannot be written to, or the thread has more than 2⁶⁴ events.
    pub fn block(&mut self, place: Place, events: &[Symbol]) -> io::Result<()> {
        self.declared(events)?;
        self.write_facts()?;
        let mut place = place;
        if events.is_empty() && place.left_out > 0 {
            return self.one_block(place, events);
        }
        for events in events.chunks(LONGEST_BLOCK) {
            self.one_block(place, events)?;
            (place.left_out, place.start_ns) = (0, None);
        }
        Ok(())
    }

    /// Writes events of a thread that have gaps between them: together they are coded once, and read as a block for each part.
    ///
    /// # Errors
    /// As of [`Writer::block`]; if the parts are not of these events, or there are more than [`LONGEST_BLOCK`] in several parts.
    pub fn parts(
        &mut self,
        thread: ThreadId,
        start_ns: Option<u64>,
        parts: &[Part],
        events: &[Symbol],
    ) -> io::Result<()> {
        let sum: u64 = parts.iter().map(|part| u64::from(part.events)).sum();
        if sum != events.len() as u64 || parts.iter().any(|part| part.events == 0) {
            return Err(undeclared("how events are parted"));
        }
        let [first, _, ..] = parts else {
            let left_out = parts.first().map_or(0, |part| part.left_out);
            let place = Place {
                thread,
                start_ns,
                left_out,
            };
            return self.block(place, events);
        };
        if events.len() > LONGEST_BLOCK {
            return Err(io::Error::other("more events than a frame takes"));
        }
        self.declared(events)?;
        self.write_facts()?;
        let gaps = parts.iter().skip(1).map(|part| part.left_out);
        let rest = gaps.fold(sum, u64::saturating_add);
        let place = Place {
            thread,
            start_ns,
            left_out: first.left_out,
        };
        let from = self.numbered(place, rest)? - first.left_out;
        self.coded.clear();
        parts::encode(parts, &mut self.coded);
        coding::encode(events, &mut self.coded, &mut self.missed);
        self.frame.clear();
        self.frame.resize(HEAD, 0);
        let start = start_ns.map_or(0, |ns| ns.saturating_add(1));
        let unpacked = self.coded.len() as u64;
        for value in [thread.0, start, from, sum, parts.len() as u64, unpacked] {
            number(&mut self.frame, value);
        }
        pack(&mut self.packer, &self.coded, &mut self.frame)?;
        self.hand_over(PARTS)
    }

    /// Refuses events that are not declared.
    fn declared(&self, events: &[Symbol]) -> io::Result<()> {
        let largest = events.iter().map(|e| e.0).max();
        if largest.is_some_and(|largest| largest as usize >= self.kinds.len()) {
            return Err(undeclared("a kind of invocation"));
        }
        Ok(())
    }

    /// The number of the first of so many events, behind what was left out.
    fn numbered(&mut self, place: Place, events: u64) -> io::Result<u64> {
        let next = self.next.entry(place.thread).or_default();
        let first = next.checked_add(place.left_out);
        let end = first.and_then(|first| first.checked_add(events));
        let (Some(first), Some(end)) = (first, end) else {
            return Err(io::Error::other("more events than can be numbered"));
        };
        *next = end;
        Ok(first)
    }

    /// Number of a thread's next event, as far as it was written.
    pub fn next_event(&self, thread: ThreadId) -> u64 {
        self.next.get(&thread).copied().unwrap_or_default()
    }

    /// Marks where calls of a scope begin or end on a thread, in order. They come behind the blocks with those events, so that no call is whole before its events are
    /// there.
    ///
    /// # Errors
    /// If the sink cannot be written to.
    pub fn marks(&mut self, thread: ThreadId, marks: &[Mark]) -> io::Result<()> {
        for marks in marks.chunks(MANY_MARKS) {
            self.coded.clear();
            scoped::encode(marks, &mut self.coded);
            self.frame.clear();
            self.frame.resize(HEAD, 0);
            for value in [thread.0, marks.len() as u64, self.coded.len() as u64] {
                number(&mut self.frame, value);
            }
            pack(&mut self.packer, &self.coded, &mut self.frame)?;
            self.hand_over(MARKS)?;
        }
        Ok(())
    }

    fn one_block(&mut self, place: Place, events: &[Symbol]) -> io::Result<()> {
        let first = self.numbered(place, events.len() as u64)?;
        self.coded.clear();
        coding::encode(events, &mut self.coded, &mut self.missed);
        self.frame.clear();
        self.frame.resize(HEAD, 0);
        let start = place.start_ns.map_or(0, |ns| ns.saturating_add(1));
        let count = events.len() as u64;
        let unpacked = self.coded.len() as u64;
        for value in [
            place.thread.0,
            start,
            first,
            place.left_out,
            count,
            unpacked,
        ] {
            number(&mut self.frame, value);
        }
        pack(&mut self.packer, &self.coded, &mut self.frame)?;
        self.hand_over(BLOCK)
    }

    /// Writes what is held back, and flushes the sink.
    ///
    /// # Errors
    /// If the sink cannot be written to.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_facts()?;
        self.sink.flush()
    }

    /// Ends the file; `end_ns` is when the run ended, by the clock of the blocks.
    ///
    /// # Errors
    /// If the sink cannot be written to.
    pub fn finish(mut self, end_ns: Option<u64>) -> io::Result<W> {
        self.write_facts()?;
        self.frame.clear();
        self.frame.resize(HEAD, 0);
        number(&mut self.frame, end_ns.map_or(0, |ns| ns.saturating_add(1)));
        self.hand_over(END)?;
        self.sink.flush()?;
        Ok(self.sink)
    }

    fn settle(&mut self) -> io::Result<()> {
        if self.facts.len() >= MANY_FACTS {
            self.write_facts()?;
        }
        Ok(())
    }

    fn write_facts(&mut self) -> io::Result<()> {
        if self.facts.is_empty() {
            return Ok(());
        }
        self.frame.clear();
        self.frame.resize(HEAD, 0);
        number(&mut self.frame, self.facts.len() as u64);
        pack(&mut self.packer, &self.facts, &mut self.frame)?;
        self.facts.clear();
        self.hand_over(FACTS)
    }

    fn hand_over(&mut self, kind: u8) -> io::Result<()> {
        frame::seal(kind, &mut self.frame);
        self.sink.write_all(&self.frame)
    }
}

/// Appends `bytes`, compressed, to `out`.
fn pack(
    packer: &mut zstd::bulk::Compressor<'static>,
    bytes: &[u8],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let begin = out.len();
    out.resize(begin + zstd::zstd_safe::compress_bound(bytes.len()), 0);
    let room = out.get_mut(begin..).unwrap_or_default();
    let length = packer.compress_to_buffer(bytes, room)?;
    out.truncate(begin + length);
    Ok(())
}

fn next_number(number: u32) -> io::Result<u32> {
    // The highest number stands for none.
    let next = number.checked_add(1).filter(|&next| next < u32::MAX);
    next.ok_or_else(|| io::Error::other("more classes or methods than can be numbered"))
}

fn undeclared(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{what} is not declared"),
    )
}
