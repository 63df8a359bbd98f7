//! The thread that writes invocations to the file.
//!
//! Words become events: the class of the receiver and the method get their numbers in the file when they first occur, with what is known of them: from its plan where
//! the class is counted, from the JVM where it is only a receiver's.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::BufWriter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pricetag_events::{
    Class, ClassId, Edge, Flag, Flags, Kind, Mark, Method, MethodId, Part, Place, Symbol, ThreadId,
    Writer,
};
use pricetag_instrument::{METHOD_BITS, NATIVE_BIT, RECEIVER_SHIFT};
use pricetag_probe_plan::{ClassPlan, MethodPlan};

use super::asked::{is_asked, receiver_of};
use super::marks;
use crate::classes::ClassIndex;
use crate::session::{Session, lock};
use crate::worker;

/// Batches that wait to be written, at most: some MB.
const QUEUE: usize = 64;
/// How long the end waits for what is on the way: far more than writing a full queue takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a thread hands over.
#[derive(Debug)]
pub struct Batch {
    /// The thread.
    pub serial: i32,
    /// When its first word was written, about, ns since the start.
    pub since_ns: u64,
    /// What it invoked.
    pub words: Vec<i64>,
}

enum Message {
    Batch(Batch),
    Ended(i32),
    Finish(u64),
}

/// The way to the thread that writes.
#[derive(Debug, Default)]
pub struct Writing {
    queue: OnceLock<SyncSender<Message>>,
    /// Threads of the program that have a batch in their hands, or wait for room in the queue.
    on_the_way: AtomicUsize,
    thread: Mutex<Option<JoinHandle<Option<String>>>>,
}

impl Writing {
    /// Makes the file and starts the thread.
    pub fn begin(&self, session: &'static Session) -> Result<(), String> {
        let wanted = session.options.calls.as_ref().ok_or("no file was named")?;
        let file = File::create(&wanted.file).map_err(|e| e.to_string())?;
        let to = Writer::new(BufWriter::new(file)).map_err(|e| e.to_string())?;
        let (queue, messages) = sync_channel(QUEUE);
        let thread = worker::spawn("pricetag-calls", move || write(session, to, &messages));
        *lock(&self.thread) = Some(thread.map_err(|e| e.to_string())?);
        let _ = self.queue.set(queue);
        Ok(())
    }

    /// Whether it has begun.
    pub fn is_on(&self) -> bool {
        self.queue.get().is_some()
    }

    /// Hands over; waits while the queue is full.
    pub fn send(&self, batch: Batch) {
        if !batch.words.is_empty() {
            self.tell(Message::Batch(batch));
        }
    }

    /// Runs an action that hands over; the file is not ended before it is done.
    pub fn on_the_way(&self, action: impl FnOnce()) {
        self.on_the_way.fetch_add(1, Ordering::SeqCst);
        action();
        self.on_the_way.fetch_sub(1, Ordering::SeqCst);
    }

    /// A thread has handed over everything.
    pub fn thread_ended(&self, serial: i32) {
        self.tell(Message::Ended(serial));
    }

    fn tell(&self, message: Message) {
        if let Some(queue) = self.queue.get() {
            // If the thread failed, it says so at the end.
            let _ = queue.send(message);
        }
    }

    /// Ends the file, ns since the start; what the reader must know.
    pub fn end(&self, now_ns: u64) -> Option<String> {
        let begun = Instant::now();
        while self.on_the_way.load(Ordering::SeqCst) > 0 {
            if begun.elapsed() > PATIENCE {
                return Some(
                    "a thread did not hand over what it had invoked: some invocations are missing"
                        .to_owned(),
                );
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.tell(Message::Finish(now_ns));
        let thread = lock(&self.thread).take()?;
        match thread.join() {
            Ok(failed) => failed,
            Err(_) => Some("the writer of invocations failed: some are missing".to_owned()),
        }
    }
}

/// Writes until the end; why that failed, if it did. Who hands over goes on all the same.
fn write(
    session: &'static Session,
    to: Writer<BufWriter<File>>,
    messages: &Receiver<Message>,
) -> Option<String> {
    let mut failed = None;
    let mut known = Known::new(session, to);
    for message in messages {
        let done = match message {
            _ if failed.is_some() && !matches!(message, Message::Finish(_)) => continue,
            Message::Batch(batch) => known.batch(&batch),
            Message::Ended(serial) => {
                known.ended(serial);
                Ok(())
            }
            Message::Finish(_) if failed.is_some() => break,
            Message::Finish(now_ns) => {
                let ended = known.finish(now_ns);
                failed = ended.err().map(|error| error.to_string());
                break;
            }
        };
        failed = done.err().map(|error| error.to_string());
    }
    failed.map(|why| format!("invocations could not be written: {why}"))
}

/// A counted class of which methods occurred.
struct CountedClass {
    id: ClassId,
    plan: Option<ClassPlan>,
    methods: HashMap<u16, MethodId>,
}

/// What has a number in the file.
struct Known {
    session: &'static Session,
    to: Writer<BufWriter<File>>,
    /// By class index.
    counted: HashMap<u32, CountedClass>,
    classes: HashMap<String, ClassId>,
    /// Methods that no plan counts, by class, name and descriptor.
    others: HashMap<(String, String, String), (ClassId, MethodId)>,
    /// By word.
    symbols: HashMap<i64, Symbol>,
    /// Symbols that were looked up lately, by a few bits of the word.
    recent: Vec<(i64, Symbol)>,
    events: Vec<Symbol>,
    /// By thread.
    so_far: HashMap<i32, SoFar>,
}

/// How far a thread is.
#[derive(Default)]
struct SoFar {
    /// Events that the window numbers.
    position: u64,
    /// Events left out since the last that was written.
    left_out: u64,
    /// Calls of a scope that go on.
    open: BTreeSet<u64>,
}

/// Words that are looked up without hashing, a power of two.
const RECENT: usize = 1 << 12;

impl Known {
    fn new(session: &'static Session, to: Writer<BufWriter<File>>) -> Self {
        Self {
            session,
            to,
            counted: HashMap::new(),
            classes: HashMap::new(),
            others: HashMap::new(),
            symbols: HashMap::new(),
            recent: vec![(-1, Symbol(0)); RECENT],
            events: Vec::new(),
            so_far: HashMap::new(),
        }
    }

    /// Writes what a thread handed over: its events together, across calls of a scope and gaps; and then the marks of these calls.
    fn batch(&mut self, batch: &Batch) -> std::io::Result<()> {
        let session = self.session;
        let window = session.options.calls.as_ref().map(|c| c.which.window);
        let window = window.unwrap_or_default();
        let scoped = session.scopes.by_thread();
        let mut so_far = self.so_far.remove(&batch.serial).unwrap_or_default();
        let thread = ThreadId(batch.serial as u64);
        let mut at = self.to.next_event(thread).saturating_add(so_far.left_out);
        let mut words = batch.words.as_slice();
        let (mut marks, mut kept_words) = (Vec::new(), Vec::new());
        let mut parts: Vec<Part> = Vec::new();
        while let Some((&first, behind)) = words.split_first() {
            if let Some((call, edge)) = marks::read(first).filter(|_| scoped) {
                match edge {
                    Edge::Begins => so_far.open.insert(call),
                    Edge::Ends | Edge::GivenUp => so_far.open.remove(&call),
                };
                marks.push(Mark {
                    thread,
                    call,
                    edge,
                    at,
                });
                words = behind;
                continue;
            }
            let next = || words.iter().position(|&word| marks::is_mark(word));
            let before = scoped.then(next).flatten().unwrap_or(words.len());
            let (kept, run) = if scoped && so_far.open.is_empty() {
                (false, before)
            } else {
                let (kept, run) = window.at(so_far.position);
                let run = usize::try_from(run).unwrap_or(usize::MAX).min(before);
                so_far.position += run as u64;
                (kept, run)
            };
            let (now, later) = words.split_at(run);
            if kept {
                let left_out = std::mem::take(&mut so_far.left_out);
                match parts.last_mut().filter(|_| left_out == 0) {
                    Some(part) => part.events += run as u32,
                    None => parts.push(Part {
                        left_out,
                        events: run as u32,
                    }),
                }
                kept_words.extend_from_slice(now);
            } else {
                so_far.left_out += run as u64;
            }
            at += run as u64;
            words = later;
        }
        if !kept_words.is_empty() {
            self.write(thread, batch.since_ns, &parts, &kept_words)?;
        }
        self.to.marks(thread, &marks)?;
        self.so_far.insert(batch.serial, so_far);
        Ok(())
    }

    fn write(
        &mut self,
        thread: ThreadId,
        since_ns: u64,
        parts: &[Part],
        words: &[i64],
    ) -> std::io::Result<()> {
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        for &word in words {
            let slot = (word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
            let recent = self.recent[slot as usize % RECENT];
            let symbol = if recent.0 == word {
                recent.1
            } else {
                let symbol = self.symbol(word)?;
                self.recent[slot as usize % RECENT] = (word, symbol);
                symbol
            };
            events.push(symbol);
        }
        let written = self.to.parts(thread, Some(since_ns), parts, &events);
        self.events = events;
        written
    }

    fn symbol(&mut self, word: i64) -> std::io::Result<Symbol> {
        if let Some(symbol) = self.symbols.get(&word) {
            return Ok(*symbol);
        }
        let (class, method) = if is_asked(word) {
            let outside = self.session.calls.asked.outside(word).ok_or_else(gone)?;
            let name = (&*outside.name, &*outside.descriptor);
            self.other(&outside.class, name, outside.access, outside.bytes)?
        } else if word >> NATIVE_BIT & 1 != 0 {
            let number = word as u32 as usize;
            let native = self.session.calls.natives.method(number).ok_or_else(gone)?;
            let name = (&*native.name, &*native.descriptor);
            self.other(&native.class, name, native.access, None)?
        } else {
            let index = (word >> METHOD_BITS) as u32 & ((1 << (RECEIVER_SHIFT - METHOD_BITS)) - 1);
            self.method(index, word as u16)?
        };
        let receiver = match self.session.calls.receivers.name(receiver_of(word)) {
            Some(name) => self.class(&name)?,
            None => class,
        };
        let symbol = self.to.kind(Kind { receiver, method })?;
        self.symbols.insert(word, symbol);
        Ok(symbol)
    }

    /// The numbers of a counted method and of its class.
    fn method(&mut self, index: u32, method: u16) -> std::io::Result<(ClassId, MethodId)> {
        if !self.counted.contains_key(&index) {
            let counted = self.session.classes.get(ClassIndex(index));
            let plans = self.session.plans().ok();
            let plan = counted
                .as_ref()
                .and_then(|counted| plans?.load(counted.hash).ok().flatten());
            let name = counted.map_or_else(|| format!("?{index}"), |counted| counted.name.clone());
            let id = self.class(&name)?;
            let class = CountedClass {
                id,
                plan,
                methods: HashMap::new(),
            };
            self.counted.insert(index, class);
        }
        let class = self.counted.get_mut(&index).ok_or_else(gone)?;
        if let Some(id) = class.methods.get(&method) {
            return Ok((class.id, *id));
        }
        let plan = class.plan.as_ref();
        let planned = plan.and_then(|plan| plan.methods.get(usize::from(method)));
        let id = self.to.method(&described(class.id, planned, method))?;
        class.methods.insert(method, id);
        Ok((class.id, id))
    }

    /// The numbers of a method that no plan counts, and of its class.
    fn other(
        &mut self,
        class: &str,
        (name, descriptor): (&str, &str),
        access: i32,
        bytes: Option<u32>,
    ) -> std::io::Result<(ClassId, MethodId)> {
        let key = (class.to_owned(), name.to_owned(), descriptor.to_owned());
        if let Some(known) = self.others.get(&key) {
            return Ok(*known);
        }
        let class = self.class(class)?;
        let id = self.to.method(&Method {
            class,
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            flags: flags(access as u16, name),
            bytes,
            instructions: None,
        })?;
        self.others.insert(key, (class, id));
        Ok((class, id))
    }

    /// The number of a class by name; what it extends gets one before it does.
    fn class(&mut self, name: &str) -> std::io::Result<ClassId> {
        if let Some(id) = self.classes.get(name) {
            return Ok(*id);
        }
        let session = self.session;
        let counted = session.classes.named(name).into_iter().next();
        let plans = session.plans().ok();
        let plan = counted.and_then(|(_, counted)| plans?.load(counted.hash).ok().flatten());
        let described = session.calls.receivers.named(name).unwrap_or_default();
        // Guards against a hierarchy that bites its tail, which no JVM has.
        let superclass = described
            .superclass
            .or_else(|| plan.as_ref().and_then(|plan| plan.super_name.clone()));
        let interfaces = match &plan {
            Some(plan) if described.interfaces.is_empty() => plan.interfaces.clone(),
            _ => described.interfaces,
        };
        let superclass = superclass.filter(|above| above != name);
        let superclass = superclass.map(|above| self.class(&above)).transpose()?;
        let interfaces = interfaces
            .iter()
            .filter(|above| *above != name)
            .map(|above| self.class(above))
            .collect::<std::io::Result<Vec<_>>>()?;
        let id = self.to.class(&Class {
            name: name.to_owned(),
            interface: described.interface
                || plan
                    .as_ref()
                    .is_some_and(|plan| plan.access & ACC_INTERFACE != 0),
            superclass,
            interfaces,
            bytes: plan.as_ref().map(|plan| plan.bytes),
        })?;
        self.classes.insert(name.to_owned(), id);
        Ok(id)
    }

    fn ended(&mut self, serial: i32) {
        // A thread that comes later has another number; what was left out of this one is told at the end.
        if self.so_far.get(&serial).is_some_and(|of| of.left_out == 0) {
            self.so_far.remove(&serial);
            self.to.thread_ended(ThreadId(serial as u64));
        }
    }

    fn finish(mut self, now_ns: u64) -> std::io::Result<()> {
        let mut left: Vec<(i32, u64)> = self
            .so_far
            .iter()
            .map(|(serial, of)| (*serial, of.left_out))
            .collect();
        left.sort_unstable();
        for (serial, left_out) in left.into_iter().filter(|(_, left)| *left > 0) {
            let place = Place {
                thread: ThreadId(serial as u64),
                start_ns: None,
                left_out,
            };
            self.to.block(place, &[])?;
        }
        self.to.finish(Some(now_ns)).map(|_| ())
    }
}

const ACC_INTERFACE: u16 = 0x0200;
const ACC_STATIC: u16 = 0x0008;
const ACC_BRIDGE: u16 = 0x0040;
const ACC_NATIVE: u16 = 0x0100;
const ACC_SYNTHETIC: u16 = 0x1000;

/// What the file says of a method.
fn described(class: ClassId, plan: Option<&MethodPlan>, number: u16) -> Method {
    let Some(plan) = plan else {
        return Method {
            class,
            name: format!("method {number}"),
            ..Method::default()
        };
    };
    let instructions = plan.blocks.iter().map(|block| block.instructions.len());
    Method {
        class,
        name: plan.name.clone(),
        descriptor: plan.descriptor.clone(),
        flags: flags(plan.access, &plan.name),
        bytes: Some(plan.code_bytes),
        instructions: Some(instructions.sum::<usize>() as u32),
    }
}

/// What access flags and name of a method say.
fn flags(access: u16, name: &str) -> Flags {
    let mut flags = Flags::default();
    for (bit, flag) in [
        (ACC_STATIC, Flag::Static),
        (ACC_NATIVE, Flag::Native),
        (ACC_BRIDGE, Flag::Bridge),
        (ACC_SYNTHETIC, Flag::Synthetic),
    ] {
        if access & bit != 0 {
            flags = flags.with(flag);
        }
    }
    if name == "<init>" {
        flags = flags.with(Flag::Constructor);
    }
    flags
}

fn gone() -> std::io::Error {
    std::io::Error::other("a class that was just entered is gone")
}
