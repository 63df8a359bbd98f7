//! The whole way: source in, counts of every top-level item out.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::construct::Construct;
use crate::core::Program;
use crate::diagnostic::Diagnostic;
use crate::machine::{Machine, Stop};
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
    /// How often each construct ran; those that did not are left out.
    pub counts: BTreeMap<String, u64>,
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
    with_room(|| counted(source, limits))
}

fn counted(source: &str, limits: Limits) -> Result<Run, Vec<Diagnostic>> {
    let program = analyse(source)?;
    let code = crate::compile::compile(&program);
    let exceptions = program
        .exceptions
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    let mut machine = Machine::new(
        &code,
        program.globals,
        exceptions,
        limits.fuel,
        limits.memory,
    );
    let (mut rows, mut stop) = (Vec::new(), None);
    for (item, entry) in program.items.iter().zip(&code.entries) {
        let Some(entry) = entry else { continue };
        stop = machine.run(*entry).err();
        let totals = totals(&code.segments, &mut machine.counts);
        if !item.library {
            let before = source.get(..item.span.start as usize).unwrap_or("");
            rows.push(Row {
                span: item.span,
                line: before.matches('\n').count() as u32 + 1,
                names: item.shown.iter().filter_map(|s| s.name.clone()).collect(),
                types: item.shown.iter().map(|s| s.type_text.clone()).collect(),
                counts: totals,
            });
        }
        if stop.is_some() {
            break;
        }
    }
    Ok(Run {
        rows,
        output: machine.output,
        stop,
    })
}

/// Charges of all segments since the last call.
fn totals(segments: &[Vec<(Construct, u64)>], counts: &mut [u64]) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for (segment, count) in segments.iter().zip(counts) {
        let times = std::mem::take(count);
        if times > 0 {
            for (construct, n) in segment {
                *totals.entry(construct.name().to_owned()).or_insert(0) += n * times;
            }
        }
    }
    totals
}
