//! The whole way: source in, counts of every top-level item out.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::code::{Chain, Code, Segment};
use crate::compile::Mode;
use crate::construct::Construct;
use crate::core::Program;
use crate::diagnostic::{Diagnostic, Lines};
use crate::machine::{Bounds, Entries, Machine, Stop};
use crate::show::Printer;
use crate::syntax::Span;

/// How far a run may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Constructs that may run.
    pub fuel: u64,
    /// Bytes of heap and stack.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 10_000_000_000,
            memory: 2 << 30,
        }
    }
}

/// What is counted, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How far the run may go.
    pub limits: Limits,
    /// Which constructs are counted.
    pub mode: Mode,
    /// Bytes of the minor heap whose collections are simulated.
    pub minor_heap: u64,
    /// Whether values are printed.
    pub values: bool,
    /// The name of the file, which `Match_failure` carries.
    pub file: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            mode: Mode::Paper,
            minor_heap: 2_097_152,
            values: false,
            file: "//toplevel//".to_owned(),
        }
    }
}

/// A recursive definition with what runs in it, other functions that it calls included: its time is that of the largest alternative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Region {
    /// All operations as if none waited for another (throughput), then those on each dependent chain (latency).
    pub alternatives: Vec<BTreeMap<String, u64>>,
}

/// A top-level item and what ran in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Where it stands.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
    /// The names it defines; none for an expression.
    pub names: Vec<String>,
    /// Types of what it defines or computes.
    pub types: Vec<String>,
    /// Values of what it defines or computes, as the toplevel prints them; none unless asked for, or if it did not end.
    pub values: Vec<String>,
    /// How often each construct ran; those that did not are left out.
    pub counts: BTreeMap<String, u64>,
    /// Where the time may go in each recursive definition that ran, and outside of them; extended mode only.
    pub regions: Vec<Region>,
    /// Bytes allocated in the minor heap.
    pub bytes: u64,
    /// Minor collections, from an empty minor heap on.
    pub collections: u64,
    /// Words that these collections found alive.
    pub promoted: u64,
    /// The blocks that these words are in.
    pub promoted_blocks: u64,
    /// Calls that these collections found on the stack.
    pub frames: u64,
    /// Words allocated by earlier items that the first of these collections found alive; constants count as such.
    pub live: u64,
    /// Bytes of the stack that its calls take natively where they are deepest, about; 0 if there are less than some 16,000. Extended mode only.
    pub stack: u64,
}

/// What a program did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// One row for each item that was begun, in order.
    pub rows: Vec<Row>,
    /// What was printed.
    pub output: Vec<u8>,
    /// Why it ended early, in the last row's item.
    pub stop: Option<Stop>,
}

impl Run {
    /// Counts of the whole program; in paper mode with `base`, once.
    #[must_use]
    pub fn totals(&self, mode: Mode) -> BTreeMap<String, u64> {
        let mut totals = BTreeMap::new();
        if mode == Mode::Paper {
            totals.insert(Construct::Base.name().to_owned(), 1);
        }
        for (name, n) in self.rows.iter().flat_map(|r| &r.counts) {
            *totals.entry(name.clone()).or_insert(0) += n;
        }
        totals
    }
}

pub(crate) fn analyse(source: &str) -> Result<Program, Vec<Diagnostic>> {
    let (items, errors) = crate::parse::parse(source, false);
    let result = if errors.is_empty() {
        let (library, _) = crate::parse::parse(include_str!("library.ml"), true);
        crate::infer::program(&library, &items)
    } else {
        Err(errors)
    };
    result.map_err(|mut errors| {
        errors.iter_mut().for_each(|e| e.place(source));
        errors.sort_by_key(|e| e.span);
        errors
    })
}

/// Stack for a program nested as deeply as the parser allows: the caller's may be too small for that. Only what is used becomes memory.
const STACK: usize = 1 << 30;

/// Does something on a stack of its own.
pub(crate) fn with_room<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let joined = thread
            .spawn_scoped(scope, act)
            .map(std::thread::ScopedJoinHandle::join);
        match joined {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => panic!("no thread could be started: {error}"),
        }
    })
}

/// The signature of a program, in the words of `ocamlc -i`.
///
/// # Panics
/// If the system has no thread to give.
pub fn signature(source: &str) -> Result<String, Vec<Diagnostic>> {
    with_room(|| analyse(source).map(|p| p.signature))
}

/// Runs a program and counts, in paper mode.
///
/// # Panics
/// If the system has no thread to give.
pub fn count(source: &str, limits: Limits) -> Result<Run, Vec<Diagnostic>> {
    run(
        source,
        &Options {
            limits,
            ..Options::default()
        },
    )
}

/// Runs a program and counts.
///
/// # Panics
/// If the system has no thread to give.
pub fn run(source: &str, options: &Options) -> Result<Run, Vec<Diagnostic>> {
    with_room(|| counted(source, options))
}

fn counted(source: &str, options: &Options) -> Result<Run, Vec<Diagnostic>> {
    let mut program = analyse(source)?;
    let code = crate::compile::compile(&program, options.mode);
    let names = program.exceptions.iter().map(|(name, _)| name.clone());
    let lines = Lines::new(&options.file, source);
    let bounds = Bounds {
        fuel: options.limits.fuel,
        memory: options.limits.memory,
        minor_heap: options.minor_heap,
        native: options.mode == Mode::Extended,
    };
    let mut machine = Machine::new(&code, program.globals, names.collect(), bounds, &lines);
    let (mut rows, mut stop) = (Vec::new(), None);
    for (item, entry) in program.items.iter().zip(&code.entries) {
        let Some(entry) = entry else { continue };
        stop = machine.run(*entry).err();
        let regions = regions(&code, &mut machine, bounds.native);
        let totals = totals(&regions);
        let converts = totals.contains_key(Construct::ConvertFloat.name());
        if !item.library {
            let allocation = machine.allocation;
            let mut values = Vec::new();
            if options.values && stop.is_none() {
                for shown in &item.shown {
                    let (value, heap) = machine.global(shown.global);
                    let mut printer = Printer {
                        heap,
                        types: &mut program.types,
                        exceptions: &program.exceptions,
                    };
                    values.push(printer.text(value, shown.ty));
                }
            }
            rows.push(Row {
                span: item.span,
                line: lines.of(item.span.start).0,
                names: item.shown.iter().filter_map(|s| s.name.clone()).collect(),
                types: item.shown.iter().map(|s| s.type_text.clone()).collect(),
                values,
                counts: totals,
                regions: regions
                    .into_iter()
                    .filter(|_| options.mode == Mode::Extended)
                    .map(|tally| tally.region(converts))
                    .collect(),
                bytes: allocation.bytes(),
                collections: allocation.collections,
                promoted: allocation.promoted,
                promoted_blocks: allocation.promoted_blocks,
                frames: allocation.frames,
                live: allocation.live,
                stack: machine.deepest,
            });
        }
        if stop.is_some() {
            break;
        }
    }
    // A program that ends itself has not failed.
    if stop == Some(Stop::Exit(0)) {
        stop = None;
    }
    if let (Some(Stop::Exception(text)), Some(value)) = (&mut stop, machine.uncaught) {
        let heap = machine.global(0).1;
        *text = Printer {
            heap,
            types: &mut program.types,
            exceptions: &program.exceptions,
        }
        .exception(value);
    }
    Ok(Run {
        rows,
        output: machine.output,
        stop,
    })
}

/// Branches without order that a processor may foresee for no reason but having seen the same call before: measured calls are repeated. Some know the
/// first number, some the second; prices tell which.
const BY_HEART: [u64; 2] = [2500, 25_000];

/// Places of returns without order that it knows by heart.
const PLACES_BY_HEART: u64 = 50;

/// Instructions in a row from which on a chain has its full length: what a processor works on at a time. When a loop is shorter, the next
/// begins before it has ended.
const WINDOW: f64 = 384.0;

/// Charges of one recursive definition, on the way down or on the way back.
#[derive(Default)]
struct Tally {
    plain: BTreeMap<Construct, u64>,
    chains: BTreeMap<Chain, BTreeMap<Construct, u64>>,
    entries: Entries,
    /// Words written to new blocks.
    words: u64,
}

impl Tally {
    /// A segment ran so many times.
    fn add(&mut self, segment: &Segment, times: u64) {
        self.words += segment.bytes / 8 * times;
        for (construct, n) in &segment.charges {
            *self.plain.entry(*construct).or_default() += n * times;
        }
        for (chain, construct, n) in &segment.chains {
            let chain = self.chains.entry(*chain).or_default();
            *chain.entry(*construct).or_default() += n * times;
        }
    }

    /// Whether conversions put floats in a line anywhere in the item.
    fn region(self, converts: bool) -> Region {
        let mut work: BTreeMap<Construct, u64> = BTreeMap::new();
        for (construct, n) in self.plain {
            *work.entry(construct.throughput()).or_default() += n;
        }
        let instructions: u64 = work.iter().map(|(c, n)| c.instructions() * n).sum();
        let in_a_row = instructions as f64 / self.entries.first.max(1) as f64;
        let share = (in_a_row / WINDOW).min(1.0);
        // Nothing overlaps with a way or a place that was not foreseen.
        let missed = MISSED.map(|c| Some((c.name().to_owned(), work.remove(&c)?)));
        let jumps = work.get(&Construct::TailSelf).copied().unwrap_or(0);
        let line = converts.then(|| floats_in_line(&work, &self.chains));
        let busy = busy(&work);
        let mut alternatives = vec![named(work)];
        alternatives.extend(line.into_iter().flatten().chain(busy).map(named));
        for (construct, n) in [(Construct::Store, self.words), (Construct::Iterate, jumps)] {
            if n > 0 {
                alternatives.push(named(BTreeMap::from([(construct, n)])));
            }
        }
        alternatives.extend(self.chains.into_values().map(|mut chain| {
            for n in chain.values_mut() {
                *n = (*n as f64 * share).round() as u64;
            }
            named(chain)
        }));
        for alternative in &mut alternatives {
            alternative.extend(missed.iter().flatten().cloned());
        }
        Region { alternatives }
    }
}

/// Charges of what was not foreseen, or waits for what was called before: added to each alternative.
const MISSED: [Construct; 4] = [
    Construct::Mispredict,
    Construct::MispredictMore,
    Construct::MispredictReturn,
    Construct::ClosureChain,
];

type Charges = BTreeMap<Construct, u64>;

/// A conversion from an integer leaves half of its register as it was (`cvtsi2sd`), so it may wait for whatever was computed there before: where
/// there is one, all operations on floats form a line. Where it is outside, a loop's chains wait for those of the call before.
fn floats_in_line(work: &Charges, chains: &BTreeMap<Chain, Charges>) -> Vec<Charges> {
    if work.contains_key(&Construct::ConvertFloat) {
        let latencies = work.iter().filter_map(|(c, n)| Some((c.latency()?, *n)));
        return vec![summed(
            latencies.filter_map(|(c, n)| Some((c.in_line()?, n))),
        )];
    }
    let floats = chains.values();
    let floats = floats.filter(|chain| chain.keys().any(|c| c.in_line().is_some()));
    floats
        .map(|chain| {
            let chain = chain.iter();
            summed(chain.map(|(c, n)| (c.in_line().unwrap_or(*c), *n)))
        })
        .collect()
}

fn summed(charges: impl Iterator<Item = (Construct, u64)>) -> Charges {
    let mut sums = Charges::new();
    for (construct, n) in charges {
        *sums.entry(construct).or_default() += n;
    }
    sums
}

/// How long the units are busy that do one operation at a time: others overlap with them.
fn busy(work: &Charges) -> Vec<Charges> {
    let units = work.iter().filter_map(|(c, n)| Some((c.busy()?, *n)));
    let units = summed(units).into_iter();
    units.map(|unit| Charges::from([unit])).collect()
}

fn named(counts: BTreeMap<Construct, u64>) -> BTreeMap<String, u64> {
    let counts = counts.into_iter();
    counts.map(|(c, n)| (c.name().to_owned(), n)).collect()
}

/// The share of an item's unforeseen branches in each band. Where collections run, nothing stays known by heart: the collector's own branches take the
/// predictor's room.
fn bands(all: u64, collects: bool) -> [(Construct, f64); 2] {
    let known = if collects { [0, 0] } else { BY_HEART };
    let [some, many] = known.map(|known| all.saturating_sub(known) as f64);
    let of = |n: f64| n / all.max(1) as f64;
    [
        (Construct::Mispredict, of(some - many)),
        (Construct::MispredictMore, of(many)),
    ]
}

/// Charges of all segments since the last call, by recursive definition and direction.
fn regions(code: &Code, machine: &mut Machine, native: bool) -> Vec<Tally> {
    let mut ran = std::mem::take(&mut machine.begun);
    ran.push(0);
    ran.sort_unstable();
    let all: u64 = ran
        .iter()
        .map(|r| machine.missed[*r as usize].branches)
        .sum();
    let collects = machine.allocation.collections > 0;
    let bands = bands(all, collects);
    let all: u64 = ran
        .iter()
        .map(|r| machine.missed[*r as usize].returns)
        .sum();
    let known = if collects { 0 } else { PLACES_BY_HEART };
    let places = all.saturating_sub(known) as f64 / all.max(1) as f64;
    let counts = machine.counts.take();
    let mut counts = counts.chunk_by(|a, b| a.0 == b.0).peekable();
    let mut out = Vec::new();
    for region in ran {
        let mut ways = [Tally::default(), Tally::default()];
        let own = counts.next_if(|c| c[0].0 == region);
        for (_, segment, times) in own.unwrap_or_default() {
            let segment = &code.segments[*segment as usize];
            ways[usize::from(segment.returning)].add(segment, *times);
        }
        let missed = std::mem::take(&mut machine.missed[region as usize]);
        for (construct, share) in bands {
            let missed = (missed.branches as f64 * share).round() as u64;
            if missed > 0 {
                ways[0].plain.insert(construct, missed);
            }
        }
        if missed.closures > 0 {
            let chain = Construct::ClosureChain;
            ways[0].plain.insert(chain, missed.closures);
        }
        let [values, texts] = if native {
            [Construct::ComparedWord, Construct::ComparedText]
        } else {
            [Construct::PolyWord, Construct::StringWord]
        };
        for (construct, n) in [
            (Construct::CopiedWord, missed.copied),
            (Construct::AllocatedWord, missed.allocated),
            (values, missed.compared.values),
            (texts, missed.compared.texts),
        ] {
            if n > 0 {
                ways[0].plain.insert(construct, n);
            }
        }
        let returns = (missed.returns as f64 * places).round() as u64;
        if returns > 0 {
            let back = usize::from(!ways[1].plain.is_empty());
            ways[back]
                .plain
                .extend([(Construct::MispredictReturn, returns)]);
        }
        let entries = std::mem::take(&mut machine.entries[region as usize]);
        for mut way in ways {
            way.entries = entries;
            if !way.plain.is_empty() {
                out.push(way);
            }
        }
    }
    out
}

/// Charges of all recursive definitions together.
fn totals(regions: &[Tally]) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for (construct, n) in regions.iter().flat_map(|r| &r.plain) {
        *totals.entry(construct.name().to_owned()).or_insert(0) += n;
    }
    totals
}
