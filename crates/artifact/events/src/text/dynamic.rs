//! Dynamic information in and out.

use std::io::{self, BufRead, Write};

use super::words::{escape, unescape, words};
use super::{Static, TextError, Which};
use crate::block::Place;
use crate::facts::{Symbol, ThreadId};

/// Events handed over at once, at most.
const MANY: usize = 1 << 16;

/// Repetitions that one word may ask for.
const LONGEST_REPEAT: u64 = 1 << 40;

/// What dynamic information says, step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'e> {
    /// The name of a thread.
    Thread(ThreadId, String),
    /// Events.
    Events(Place, &'e [Symbol]),
    /// The run ended, ns.
    End(u64),
}

/// Reads dynamic information and hands over what it says; memory does not grow with its length.
///
/// # Errors
/// If a line is not understood or names an event that is not declared, or if `each` fails.
pub fn read_dynamic<E: From<TextError>>(
    facts: &Static,
    text: impl BufRead,
    mut each: impl FnMut(Step<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut place = Place::default();
    let mut events: Vec<Symbol> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let wrong =
            |cause: String, remedy: &str| TextError::new(Which::Dynamic, number, cause, remedy);
        let line =
            line.map_err(|e| wrong(format!("it cannot be read: {e}"), "write text in UTF-8"))?;
        let mut words = words(&line).peekable();
        let Some(&first) = words.peek() else {
            continue;
        };
        if first.starts_with(|c: char| c.is_ascii_digit()) {
            for word in words {
                let (symbol, mut times) = event(facts, word, &wrong)?;
                while times > 0 {
                    let room = MANY.saturating_sub(events.len()) as u64;
                    let now = times.min(room);
                    events.resize(events.len() + now as usize, symbol);
                    times -= now;
                    if events.len() >= MANY {
                        flush(&mut place, &mut events, &mut each)?;
                    }
                }
            }
            continue;
        }
        flush(&mut place, &mut events, &mut each)?;
        let _ = words.next();
        let second = words.next().unwrap_or_default();
        let value: u64 = second.parse().map_err(|_| {
            let cause = format!("{first:?} is followed by {second:?}");
            wrong(cause, "begin lines with a number of an event, or with thread, at, left-out or end and a whole number")
        })?;
        match first {
            "thread" => {
                place = Place {
                    thread: ThreadId(value),
                    ..Place::default()
                };
                let name: Vec<&str> = words.by_ref().collect();
                if !name.is_empty() {
                    let name = name.join(" ");
                    let name = unescape(&name).unwrap_or(name);
                    each(Step::Thread(place.thread, name))?;
                }
            }
            "at" => place.start_ns = Some(value),
            "left-out" => place.left_out = place.left_out.saturating_add(value),
            "end" => each(Step::End(value))?,
            other => {
                let cause = format!("{other:?} begins no line of this file");
                let remedy = "begin with thread, at, left-out, end or the number of an event";
                return Err(wrong(cause, remedy).into());
            }
        }
        if let Some(more) = words.next() {
            let cause = format!("{more:?} follows {first} {value}");
            return Err(wrong(cause, "write it on a line of its own").into());
        }
    }
    flush(&mut place, &mut events, &mut each)
}

fn flush<E>(
    place: &mut Place,
    events: &mut Vec<Symbol>,
    each: &mut impl FnMut(Step<'_>) -> Result<(), E>,
) -> Result<(), E> {
    if events.is_empty() {
        return Ok(());
    }
    each(Step::Events(*place, events))?;
    events.clear();
    (place.start_ns, place.left_out) = (None, 0);
    Ok(())
}

/// An event and how often it is repeated.
fn event(
    facts: &Static,
    word: &str,
    wrong: &impl Fn(String, &str) -> TextError,
) -> Result<(Symbol, u64), TextError> {
    let (number, times) = word.split_once('*').unwrap_or((word, "1"));
    let parsed = number.parse::<u64>().ok().zip(times.parse::<u64>().ok());
    let Some((number, times)) = parsed.filter(|(_, times)| *times <= LONGEST_REPEAT) else {
        let cause = format!("{word:?} is no event");
        return Err(wrong(cause, "write a number of an event, or NUMBER*TIMES"));
    };
    let Some(&symbol) = facts.events.get(&number) else {
        let cause = format!("event {number} is not declared");
        let remedy =
            format!("add a line `event {number} RECEIVER CLASS METHOD` to the static information");
        return Err(wrong(cause, &remedy));
    };
    Ok((symbol, times))
}

/// Writes a step; `last` is the thread of the step before, and is kept up to date.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_step(
    step: &Step<'_>,
    last: &mut Option<ThreadId>,
    out: &mut impl Write,
) -> io::Result<()> {
    match step {
        Step::Thread(thread, name) => {
            *last = Some(*thread);
            writeln!(out, "thread {} {}", thread.0, escape(name))
        }
        Step::End(ns) => writeln!(out, "end {ns}"),
        Step::Events(place, events) => {
            if *last != Some(place.thread) {
                writeln!(out, "thread {}", place.thread.0)?;
                *last = Some(place.thread);
            }
            if let Some(ns) = place.start_ns {
                writeln!(out, "at {ns}")?;
            }
            if place.left_out > 0 {
                writeln!(out, "left-out {}", place.left_out)?;
            }
            write_dynamic(events, out)
        }
    }
}

/// Writes events, twenty words a line.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_dynamic(events: &[Symbol], out: &mut impl Write) -> io::Result<()> {
    let mut column = 0;
    for run in events.chunk_by(|a, b| a == b) {
        let Some(Symbol(symbol)) = run.first() else {
            continue;
        };
        let gap = if column == 0 { "" } else { " " };
        match run.len() {
            1 => write!(out, "{gap}{symbol}")?,
            times => write!(out, "{gap}{symbol}*{times}")?,
        }
        column += 1;
        if column == 20 {
            writeln!(out)?;
            column = 0;
        }
    }
    if column > 0 {
        writeln!(out)?;
    }
    Ok(())
}
