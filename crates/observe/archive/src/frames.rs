//! Where an active frame was, from its line and the method it called.
//!
//! Java shows frames by line. Candidates are the instructions on that line of all methods of that name: the calls that name what the next frame is
//! in; what initialises a class, if that is a class's initialiser; what enters a monitor, if there is no next frame: that may stand at the end of
//! the line before. If just one is left, the frame is known by offset, as an agent would know it; otherwise the trace says that it is not known.

use pricetag_probe_plan::{ClassHash, ClassPlan, MethodOutcome, MethodPlan, Pc};
use pricetag_trace::OpenFrameRecord;

use crate::counts::ActiveFrame;

/// A class with its line tables.
pub(crate) struct Lines<'p> {
    pub plan: &'p ClassPlan,
    /// Per method, `(pc, line)` ascending; empty if it has no table.
    pub tables: Vec<Vec<(u16, u16)>>,
}

/// What is known of a frame.
pub(crate) enum Found {
    /// It is of no counted method.
    Uncounted,
    /// Its call.
    Call(OpenFrameRecord),
    /// Not which call of how many.
    Ambiguous(usize),
}

/// Reads line tables as they are stored.
pub(crate) fn tables(text: &str, methods: usize) -> Vec<Vec<(u16, u16)>> {
    let mut tables = vec![Vec::new(); methods];
    for line in text.lines() {
        let mut words = line.split(' ');
        let index = words.next().and_then(|word| word.parse::<usize>().ok());
        let Some(table) = index.and_then(|index| tables.get_mut(index)) else {
            continue;
        };
        let pair = |word: &str| {
            let (pc, line) = word.split_once(':')?;
            Some((pc.parse().ok()?, line.parse().ok()?))
        };
        table.extend(words.filter_map(pair));
    }
    tables
}

/// `getstatic`, `putstatic`, `invokestatic`, `new`: what initialises a class.
const INITIALISE: [u8; 4] = [0xb2, 0xb3, 0xb8, 0xbb];
const MONITORENTER: u8 = 0xc2;
const ACC_SYNCHRONIZED: u16 = 0x0020;
/// What the JVM calls by itself when it resolves a constant: the frame below may be at an instruction that is no call.
const RESOLUTION: [&str; 7] = [
    "loadClass",
    "loadClassInternal",
    "checkPackageAccess",
    "linkCallSite",
    "linkDynamicConstant",
    "linkMethod",
    "linkMethodHandleConstant",
];

/// An instruction on a frame's line.
struct Candidate<'p> {
    place: OpenFrameRecord,
    opcode: u8,
    /// What it calls.
    calls: Option<&'p str>,
}

/// Finds where a frame is, among the classes of its name that ran; `callee` is the next inner frame.
pub(crate) fn find(
    classes: &[(ClassHash, &Lines<'_>)],
    frame: &ActiveFrame,
    callee: Option<&ActiveFrame>,
    running: bool,
) -> Found {
    let mut methods = Vec::new();
    let mut all = Vec::new();
    for (hash, lines) in classes {
        for (index, method) in lines.plan.methods.iter().enumerate() {
            if method.name == frame.method && method.outcome == MethodOutcome::Counted {
                methods.push(method);
                let table = &lines.tables[index];
                all.extend(candidates(*hash, index as u16, method, table, frame.line));
            }
        }
    }
    if methods.is_empty() {
        return Found::Uncounted;
    }
    let is_call = |candidate: &&Candidate<'_>| candidate.calls.is_some();
    let chosen: Vec<&Candidate<'_>> = match callee.map(|callee| callee.method.as_str()) {
        None if running => all.iter().collect(),
        // It waits for a monitor: in its code, or before it is entered at all.
        None => {
            let waits = |c: &&Candidate<'_>| c.opcode == MONITORENTER;
            let synchronized = |m: &&MethodPlan| m.access & ACC_SYNCHRONIZED != 0;
            let entering = methods.iter().filter(|m| synchronized(m)).count();
            match (all.iter().filter(waits).count(), entering) {
                (0, entering) if entering == methods.len() => return Found::Uncounted,
                (_, 0) => all.iter().filter(waits).collect(),
                (waiting, _) => return Found::Ambiguous(waiting + entering),
            }
        }
        Some("<clinit>") => all
            .iter()
            .filter(|c| INITIALISE.contains(&c.opcode))
            .collect(),
        Some(name) => {
            let named: Vec<_> = all.iter().filter(|c| c.calls == Some(name)).collect();
            if named.is_empty() && RESOLUTION.contains(&name) {
                return Found::Ambiguous(all.len());
            }
            // Lambdas and method handles are called by other names.
            if named.is_empty() {
                all.iter().filter(is_call).collect()
            } else {
                named
            }
        }
    };
    match chosen[..] {
        [one] => Found::Call(OpenFrameRecord {
            running,
            ..one.place.clone()
        }),
        _ => Found::Ambiguous(chosen.len()),
    }
}

/// The instructions of a method that a frame on a line may be at; all if the line is not known.
fn candidates<'p>(
    hash: ClassHash,
    index: u16,
    method: &'p MethodPlan,
    table: &[(u16, u16)],
    line: i32,
) -> Vec<Candidate<'p>> {
    let on_line = |pc: Pc| {
        let own = line_of(table, pc);
        own.is_none_or(|own| line < 0 || i32::from(own) == line)
    };
    let mut found = Vec::new();
    for block in &method.blocks {
        for instruction in &block.instructions {
            // HotSpot's interpreter steps over `monitorenter`, one byte long, before it waits; compiled code does not.
            let passed = instruction.opcode == MONITORENTER && on_line(Pc(instruction.pc.0 + 1));
            if !on_line(instruction.pc) && !passed {
                continue;
            }
            let call = block.calls.iter().find(|call| call.pc == instruction.pc);
            found.push(Candidate {
                place: OpenFrameRecord {
                    hash,
                    method: index,
                    pc: instruction.pc,
                    running: false,
                },
                opcode: instruction.opcode,
                calls: call.map(|call| call.name.as_str()),
            });
        }
    }
    found
}

fn line_of(table: &[(u16, u16)], pc: Pc) -> Option<u16> {
    let behind = table.partition_point(|(start, _)| *start <= pc.0);
    table[..behind].last().map(|(_, line)| *line)
}
