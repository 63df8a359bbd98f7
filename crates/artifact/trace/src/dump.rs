//! A trace as text, one line per record and one indented line per list, for people and for tests.

use std::fmt::{self, Display, Formatter};

use crate::called::{ByCaller, Called};
use crate::caught::{Arrivals, Caught};
use crate::look::Look;
use crate::reader::Trace;
use crate::record::{
    Argument, ClassCounters, Invocation, OpenFrameRecord, ProcessCosts, Record, Sampled, Start,
};
use crate::values::{Given, ValuePlace, Values, VariableValues};

/// Shows at most this many counters of one class in a line.
const SHOWN_COUNTERS: usize = 16;

impl Display for Trace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for record in &self.records {
            writeln!(f, "{record}")?;
        }
        match self.incomplete_reason() {
            Some(reason) => writeln!(f, "incomplete: {reason}"),
            None => Ok(()),
        }
    }
}

impl Display for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(start) => write_start(f, start),
            Self::Class(class) => write!(
                f,
                "class {} {} loaders={}",
                class.hash, class.name, class.loaders
            ),
            Self::Left(left) => {
                let dot = if left.method.is_some() { "." } else { "" };
                write!(
                    f,
                    "left {}{dot}{}: {}",
                    left.class,
                    left.method.as_deref().unwrap_or(""),
                    left.reason
                )
            }
            Self::Counters(counters) => write!(f, "counters {counters}"),
            Self::OpenFrame(frame) => write_frame(f, "open", frame),
            Self::Standing(standing) => {
                write!(f, "standing invocation={}", standing.invocation)?;
                for frame in &standing.before {
                    write_frame(f, "\n  before", frame)?;
                }
                for frame in &standing.after {
                    write_frame(f, "\n  after", frame)?;
                }
                Ok(())
            }
            Self::Inexact(reason) => write!(f, "inexact {reason}"),
            Self::Invocation(invocation) => write_invocation(f, invocation),
            Self::Process(costs) => write_process(f, costs),
            Self::Queued(ns) => write!(f, "queued {ns}ns"),
            Self::End => f.write_str("end"),
            Self::BlockTime(time) => write!(
                f,
                "block {} method={} block={} executions={} sum={}ns min={}ns max={}ns first={}ns",
                time.hash,
                time.method,
                time.block.0,
                time.executions,
                time.sum_ns,
                time.min_ns,
                time.max_ns,
                time.first_ns
            ),
            Self::Values(values) => write_values(f, values),
            Self::Variable(variable) => {
                write!(f, "variable {}", variable.number)?;
                write_place(f, &variable.place)
            }
            Self::Given(given) => write_given(f, given),
            Self::Look(look) => write_look(f, look),
            Self::ByCaller(by) => write_by_caller(f, by),
            Self::Caught(caught) => write_caught(f, caught),
            Self::Sampled(sampled) => write_sampled(f, sampled),
            Self::Parameters(method) => {
                write!(
                    f,
                    "parameters scope={} {}.{}:",
                    method.scope, method.class, method.method
                )?;
                for name in &method.names {
                    write!(f, " {}", name.as_deref().unwrap_or("?").escape_debug())?;
                }
                Ok(())
            }
        }
    }
}

fn write_frame(f: &mut Formatter<'_>, when: &str, frame: &OpenFrameRecord) -> fmt::Result {
    let running = if frame.running { " running" } else { "" };
    write!(
        f,
        "{when} {} method={} pc={}{running}",
        frame.hash, frame.method, frame.pc.0
    )
}

fn write_sampled(f: &mut Formatter<'_>, sampled: &Sampled) -> fmt::Result {
    let profile = &sampled.profile;
    write!(
        f,
        "sampled methods={} nodes={} compiler-ticks={}",
        profile.methods.len(),
        profile.nodes.len(),
        sampled.compiling.len()
    )?;
    for run in &profile.runs {
        write!(f, " cpu={}ns", run.cpu_ns)?;
        for beside in &run.beside {
            write!(f, "\n  beside {:?} {}ns", beside.role, beside.cpu_ns)?;
        }
        for sample in &run.samples {
            let method = profile
                .nodes
                .get(sample.node.0 as usize)
                .map(|n| n.method.0 as usize);
            let method = method.and_then(|method| profile.methods.get(method));
            let (class, name) = method.map_or(("?", "?"), |m| (m.class.as_str(), m.name.as_str()));
            write!(
                f,
                "\n  {class}.{name} node={} {:?} samples={} {}ns",
                sample.node.0, sample.state, sample.samples, sample.cpu_ns
            )?;
        }
    }
    for note in &profile.notes {
        write!(f, "\n  note {note}")?;
    }
    Ok(())
}

fn write_values(f: &mut Formatter<'_>, values: &Values) -> fmt::Result {
    f.write_str("values")?;
    if let Some(sequence) = values.invocation {
        write!(f, " invocation={sequence}")?;
    }
    write_variables(f, &values.variables)
}

fn write_variables(f: &mut Formatter<'_>, variables: &[VariableValues]) -> fmt::Result {
    for variable in variables {
        write!(f, "\n ")?;
        write_place(f, &variable.place)?;
        for version in &variable.versions {
            write!(f, " {}/{}", version.mean, version.threads)?;
            for (threads, what) in [
                (version.unusable.nan, "nan"),
                (version.unusable.infinite, "inf"),
                (version.unusable.minus_infinite, "-inf"),
            ] {
                if threads > 0 {
                    write!(f, "+{threads}{what}")?;
                }
            }
        }
    }
    Ok(())
}

fn write_place(f: &mut Formatter<'_>, place: &ValuePlace) -> fmt::Result {
    match place {
        ValuePlace::Local { hash, variable } => write!(f, " {hash} {}", variable.0),
        ValuePlace::Depth { hash, method } => write!(f, " {hash} depth of method {method}"),
        ValuePlace::Field { class, name, .. } => write!(f, " {class}.{name}"),
    }
}

fn write_given(f: &mut Formatter<'_>, given: &Given) -> fmt::Result {
    write!(f, "given invocation={}", given.invocation)?;
    for (number, value) in &given.values {
        write!(f, " {number}={value}")?;
    }
    Ok(())
}

fn write_caught(f: &mut Formatter<'_>, caught: &Caught) -> fmt::Result {
    f.write_str("caught")?;
    if let Some(sequence) = caught.invocation {
        write!(f, " invocation={sequence}")?;
    }
    write_arrivals(f, &caught.arrivals)
}

fn write_arrivals(f: &mut Formatter<'_>, arrivals: &[Arrivals]) -> fmt::Result {
    for here in arrivals {
        let (hash, handler) = (here.hash, here.handler.0);
        write!(
            f,
            "\n  {hash} {handler} {} {}",
            here.class.escape_debug(),
            here.count
        )?;
    }
    Ok(())
}

fn write_by_caller(f: &mut Formatter<'_>, by: &ByCaller) -> fmt::Result {
    f.write_str("by caller")?;
    if let Some(sequence) = by.invocation {
        write!(f, " invocation={sequence}")?;
    }
    write_called(f, &by.called)
}

fn write_called(f: &mut Formatter<'_>, called: &[Called]) -> fmt::Result {
    for here in called {
        write!(f, "\n  {} called", here.hash)?;
        if let Some(caller) = here.caller {
            write!(f, " by {} method={}", caller.hash, caller.method)?;
        }
        for (number, passes) in &here.passes {
            write!(f, " {number}:{passes}")?;
        }
    }
    Ok(())
}

fn write_look(f: &mut Formatter<'_>, look: &Look) -> fmt::Result {
    write!(
        f,
        "look invocation={} classes={}",
        look.invocation, look.classes_loaded
    )?;
    for counters in &look.counters {
        write!(f, "\n  {counters}")?;
    }
    for frame in &look.open {
        write!(
            f,
            "\n  open {} method={} pc={}",
            frame.hash, frame.method, frame.pc.0
        )?;
    }
    write_variables(f, &look.values)?;
    write_arrivals(f, look.caught.as_deref().unwrap_or_default())?;
    write_called(f, look.called.as_deref().unwrap_or_default())
}

fn write_start(f: &mut Formatter<'_>, start: &Start) -> fmt::Result {
    write!(f, "start version={} pid={}", start.version, start.pid)?;
    for (name, value) in &start.properties {
        write!(f, "\n  {name}={}", value.escape_debug())?;
    }
    for line in start.options.lines() {
        write!(f, "\n  option {line}")?;
    }
    Ok(())
}

fn write_invocation(f: &mut Formatter<'_>, call: &Invocation) -> fmt::Result {
    write!(
        f,
        "invocation scope={} sequence={} thread={} arguments=(",
        call.scope, call.sequence, call.thread
    )?;
    for (index, argument) in call.arguments.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        write!(f, "{comma}{argument}")?;
    }
    write!(
        f,
        ") start={}ns wall={}ns cpu={}ns allocated={}B collections={} classes={}",
        call.start_ns,
        call.wall_ns,
        call.cpu_ns,
        call.allocated_bytes,
        call.collections,
        call.classes_loaded
    )?;
    if call.threw {
        f.write_str(" threw")?;
    }
    for counters in &call.counters {
        write!(f, "\n  {counters}")?;
    }
    Ok(())
}

fn write_process(f: &mut Formatter<'_>, costs: &ProcessCosts) -> fmt::Result {
    write!(f, "process wall={}ns", costs.wall_ns)?;
    if let Some(main) = costs.main_wall_ns {
        write!(f, " main={main}ns")?;
    }
    write!(
        f,
        " cpu={}ns threads-cpu={}ns allocated={}B heap={}B collections={} collecting={}ns classes={} threads={}",
        costs.cpu_ns,
        costs.thread_cpu_ns,
        costs.allocated_bytes,
        costs.heap_used_bytes,
        costs.collections,
        costs.collection_ns,
        costs.classes_loaded,
        costs.threads
    )
}

impl Display for ClassCounters {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.hash)?;
        for (counter, count) in self.counts.iter().take(SHOWN_COUNTERS) {
            write!(f, " {counter}={count}")?;
        }
        match self.counts.len().checked_sub(SHOWN_COUNTERS) {
            Some(more) if more > 0 => write!(f, " + {more} more"),
            _ => Ok(()),
        }
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Real(value) => write!(f, "{value:?}"),
            Self::Size(size) => write!(f, "#{size}"),
            Self::Null => f.write_str("null"),
            Self::Opaque => f.write_str("?"),
            Self::Text { length, beginning } => write!(f, "#{length} {beginning:?}"),
            Self::Path(name) => write!(f, "path {name:?}"),
        }
    }
}
