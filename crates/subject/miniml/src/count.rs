//! The whole way: source in, counts of every top-level item out.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::code::Segment;
use crate::compile::Mode;
use crate::construct::Construct;
use crate::core::Program;
use crate::diagnostic::{Diagnostic, Lines};
use crate::machine::{Bounds, Machine, Stop};
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
    /// Bytes allocated in the minor heap.
    pub bytes: u64,
    /// Minor collections, from an empty minor heap on.
    pub collections: u64,
    /// Words that these collections found alive.
    pub promoted: u64,
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

fn analyse(source: &str) -> Result<Program, Vec<Diagnostic>> {
    let (library, _) = crate::parse::parse(include_str!("library.ml"), true);
    let (items, errors) = crate::parse::parse(source, false);
    let result = if errors.is_empty() {
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

/// Stack for a program nested as deeply as the parser allows: the caller's may be too small for that.
const STACK: usize = 64 << 20;

/// Does something on a stack of its own.
fn with_room<T: Send>(act: impl FnOnce() -> T + Send) -> T {
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
        let totals = totals(&code.segments, &mut machine.counts);
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
                bytes: allocation.bytes(),
                collections: allocation.collections,
                promoted: allocation.promoted,
            });
        }
        if stop.is_some() {
            break;
        }
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

/// Charges of all segments since the last call.
fn totals(segments: &[Segment], counts: &mut [u64]) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for (segment, count) in segments.iter().zip(counts) {
        let times = std::mem::take(count);
        if times > 0 {
            for (construct, n) in &segment.charges {
                *totals.entry(construct.name().to_owned()).or_insert(0) += n * times;
            }
        }
    }
    totals
}
