//! One method: from its `Code` attribute to a new one.

use crate::AskedSite;
use crate::asked;
use crate::body::{Body, Entry};
use crate::error::MethodError;
use crate::frames::{self, Padding, Source};
use crate::insert::Insertion;
use crate::monitors::Monitors;
use crate::placement;
use crate::runtime::{HELPER_CLASS, SHARED_CLASSES};
use crate::slots::Slots;
use crate::timing::Timing;
use crate::values::Take;
use pricetag_classfile::class::ACC_STATIC;
use pricetag_classfile::instruction::{Instruction, Instructions};
use pricetag_classfile::relocate::{self, NOWHERE, Relocation};
use pricetag_classfile::splice::Edit;
use pricetag_classfile::{
    Assembled, Assembler, ClassFile, ClassFileError, Code, Frames, Label, PoolAppender,
    VerificationType, frame, opcode,
};
use pricetag_probe_plan::{MethodPlan, StridePlan, TransitionPlan};

/// First class-file version whose methods have frames.
const FIRST_WITH_FRAMES: u16 = 50;
/// A changed method.
pub(crate) struct Changed {
    /// Its new `Code` attribute.
    pub code: Edit,
    /// New and original offset of every instruction.
    pub pcs: Vec<(u32, u16)>,
    /// Where in the new attribute the number of the class stands.
    pub class_index_at: Vec<usize>,
}

/// What precedes the instructions in a `Code` attribute: index of its name, length, operand stack, locals, length of the instructions.
const CODE_HEADER: usize = 14;

/// What the methods of a class share.
pub(crate) struct Shared<'c, 'a> {
    pub constants: PoolAppender<'c, 'a>,
    pub class: &'c ClassFile<'a>,
    pub name: String,
    pub class_index: u32,
    runtime: Option<Runtime>,
}

/// Constants that every counted method needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runtime {
    /// The method `Pricetag.chunk`.
    pub chunk: u16,
    /// The class `long[]`.
    pub long_array: u16,
    /// The class `Throwable`.
    pub throwable: u16,
    /// The text `StackMapTable`.
    pub stack_map_table: u16,
}

impl<'c, 'a> Shared<'c, 'a> {
    pub(crate) fn new(class: &'c ClassFile<'a>, class_index: u32) -> Self {
        let constants = PoolAppender::new(class.constants());
        Self {
            constants,
            class,
            name: class.name(),
            class_index,
            runtime: None,
        }
    }

    /// The constants that every counted method needs, appended when first asked for.
    pub(crate) fn runtime(&mut self) -> Result<Runtime, ClassFileError> {
        if let Some(runtime) = self.runtime {
            return Ok(runtime);
        }
        let fetch = if self.class_index < SHARED_CLASSES {
            "chunk"
        } else {
            "others"
        };
        let constants = &mut self.constants;
        let runtime = Runtime {
            chunk: constants.method(HELPER_CLASS, fetch, "(I)[J")?,
            long_array: constants.class("[J")?,
            throwable: constants.class("java/lang/Throwable")?,
            stack_map_table: constants.utf8("StackMapTable")?,
        };
        self.runtime = Some(runtime);
        Ok(runtime)
    }
}

/// What is known of a method before it is rewritten.
pub(crate) struct Original<'a> {
    pub access: u16,
    pub descriptor: String,
    /// Whether it is an instance initialiser, whose `this` is not initialised yet.
    constructor: bool,
    code: Code<'a>,
    instructions: Instructions,
    /// None where it is verified without (`needs_frames`).
    frames: Option<Frames>,
    /// The locals at entry; needed and known only where there are frames.
    initial: Option<Vec<VerificationType>>,
}

impl<'a> Original<'a> {
    /// Whether the object that it is called on is in local 0, and initialised.
    pub(crate) fn has_receiver(&self) -> bool {
        self.access & ACC_STATIC == 0 && !self.constructor
    }

    fn read(shared: &mut Shared<'_, 'a>, index: usize) -> Result<Self, MethodError> {
        let member = shared.class.methods()[index];
        let pool = shared.class.constants();
        let code = member.code(pool)?.ok_or(MethodError::NoCode)?;
        let instructions = code.instructions()?;
        let descriptor = member.descriptor(pool);
        let (mut frames, mut initial) = (None, None);
        let has_map = code.attributes.find(pool, "StackMapTable").is_some();
        if needs_frames(shared.class.major(), has_map, &code, &instructions) {
            if has_map {
                let constants = &mut shared.constants;
                let name = member.name(pool);
                let locals = frame::initial_locals(
                    member.access,
                    &name,
                    &descriptor,
                    &shared.name,
                    |class| constants.class(class),
                )?;
                initial = Some(locals.ok_or(MethodError::Descriptor)?);
            }
            frames = Some(code.frames(pool, initial.as_deref().unwrap_or_default())?);
        }
        Ok(Self {
            access: member.access,
            constructor: member.name(pool) == "<init>",
            descriptor,
            code,
            instructions,
            frames,
            initial,
        })
    }
}

/// Whether a method's new code needs frames. A class of version 50 whose frames are refused is verified as older ones are (JVMS §4.10); so is every one
/// with subroutines, or with jumps and no frames.
fn needs_frames(major: u16, has_map: bool, code: &Code<'_>, instructions: &[Instruction]) -> bool {
    let joins = || !code.exception_table.is_empty() || instructions.iter().any(Instruction::jumps);
    let subroutines = || instructions.iter().any(|i| opcode::is_subroutine(i.opcode));
    match major {
        ..FIRST_WITH_FRAMES => false,
        FIRST_WITH_FRAMES => !subroutines() && (has_map || !joins()),
        _ => true,
    }
}

/// What is put into a method.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Probes<'p> {
    /// The counters of its plan.
    pub counted: Option<&'p MethodPlan>,
    /// Branches whose transitions are counted; only with counters.
    pub transitions: &'p [TransitionPlan],
    /// Array reads whose strides are counted; only with counters.
    pub strides: &'p [StridePlan],
    /// The scopes that it is.
    pub scopes: &'p [i32],
    /// Clock readings around its blocks, and the number of its first block in the class.
    pub timed: Option<(&'p MethodPlan, u32)>,
    /// Where values are taken, by original offset; only with counters.
    pub takes: &'p [(u16, Take)],
    /// Where in the chunk the depth of recursion is noted, if the method is recursive; only with counters.
    pub depth: Option<u32>,
    /// Whether exceptions are reported where they are caught; only with counters.
    pub caught: bool,
    /// The method's number in its class, if its invocations are written down; only with counters.
    pub called: Option<u16>,
    /// Calls that are written down before they are made; only with counters.
    pub asked: &'p [AskedSite],
    /// The method's number, if it is to be known as a caller; only with counters.
    pub caller: Option<u32>,
    /// Number of its first loop in the class, if loops are counted by caller.
    pub first_loop: Option<u32>,
    /// Where its invocations are counted by caller, if they are.
    pub invocation: Option<u32>,
    /// Calls put in without counters.
    pub insertions: &'p [Insertion],
}

/// Rewrites the method at `index`.
pub(crate) fn rewrite(
    shared: &mut Shared<'_, '_>,
    index: usize,
    probes: Probes<'_>,
) -> Result<Changed, MethodError> {
    let (plan, scopes) = (probes.counted, probes.scopes);
    let original = Original::read(shared, index)?;
    let Original {
        code, instructions, ..
    } = &original;
    check(
        code,
        instructions,
        plan.or(probes.timed.map(|timed| timed.0)),
    )?;
    let timing = probes
        .timed
        .map(|timed| Timing::of(timed, instructions))
        .transpose()?;
    let placement = plan
        .map(|plan| placement::place(plan, probes.transitions, instructions))
        .transpose()?;
    let placement = placement.as_ref();
    let aside = asked::words_aside(shared.class.constants(), code, &probes)?;
    let slots = Slots::of(&probes, placement, code.max_locals, aside);
    let limits = slots.limits(code)?;
    let trampolines = placement.map_or(0, |placement| placement.trampolines.len());
    // A jump and the gap behind it; more than two for each trampoline, stub and catch-all is seldom.
    let leaves = |i: &&Instruction| i.jumps() || !opcode::falls_through(i.opcode);
    let aside = trampolines + placement.map_or(0, |placement| placement.handlers.len()) + 1;
    let mut body = Body {
        asm: Assembler::new(
            2 * instructions.len() + 1 + trampolines,
            code.bytes.len() * 3 + 64,
            2 * (instructions.iter().filter(leaves).count() + aside),
        ),
        position: slots.position,
        callers: slots.callers,
        called: probes.called,
        asked: probes.asked,
        aside: slots.aside,
        caught: slots.caught,
        strides: probes.strides,
        line: slots.line,
        chunk: slots.chunk,
        frames: original.frames.as_ref(),
        wanted: Vec::with_capacity(
            original.frames.as_ref().map_or(0, Frames::len) + trampolines + 4,
        ),
        entries: Vec::new(),
        firsts: Vec::new(),
        monitors: Monitors::of(instructions),
        code,
        instructions,
        plan,
        placement,
        scopes,
        takes: probes.takes,
        depth: probes.depth,
        places: Vec::new(),
        numbers: Vec::new(),
        timing,
        begun: Vec::new(),
        insertions: probes.insertions,
        sides: Vec::new(),
        shared,
    };
    body.write(&original)?;
    let Body {
        asm,
        wanted,
        entries,
        firsts,
        places,
        numbers,
        ..
    } = body;
    let assembled = asm.finish()?;
    let (mut attribute, exceptions) = begin(code, limits, &assembled, &entries, &firsts)?;
    let relocation = relocation(&assembled, code, instructions, exceptions);
    let stack_map = stack_map(shared, &original, &slots, &wanted, &assembled, &relocation)?;
    relocate::code_attributes(
        &original.code,
        shared.class.constants(),
        &relocation,
        stack_map,
        &mut attribute,
    )?;
    let length = (attribute.len() - 6) as u32;
    attribute[2..6].copy_from_slice(&length.to_be_bytes());
    let behind_opcode = |label: &Label| CODE_HEADER + assembled.offset(*label) as usize + 1;
    Ok(Changed {
        code: Edit {
            range: code.range.0..code.range.1,
            bytes: attribute,
        },
        pcs: pcs(instructions, &relocation, &places, &assembled),
        class_index_at: numbers.iter().map(behind_opcode).collect(),
    })
}

/// The new attribute up to its own attributes, without its length; and the new index of the first exception entry of each original one.
fn begin(
    code: &Code<'_>,
    (max_stack, max_locals): (u16, u16),
    assembled: &Assembled,
    entries: &[Entry],
    firsts: &[usize],
) -> Result<(Vec<u8>, Vec<u16>), ClassFileError> {
    let mut out = Vec::with_capacity(code.range.1 - code.range.0 + assembled.code.len() * 2);
    out.extend(code.name_index.to_be_bytes());
    out.extend([0; 4]);
    out.extend(max_stack.to_be_bytes());
    out.extend(max_locals.to_be_bytes());
    out.extend((assembled.code.len() as u32).to_be_bytes());
    out.extend(&assembled.code);
    let exceptions = exception_table(assembled, entries, firsts, &mut out)?;
    Ok((out, exceptions))
}

/// New and original offset of every instruction, and of inserted code that belongs to one; ascending.
fn pcs(
    instructions: &[Instruction],
    relocation: &Relocation,
    places: &[(Label, u16)],
    assembled: &Assembled,
) -> Vec<(u32, u16)> {
    let new = |i: &Instruction| (relocation.instructions[usize::from(i.pc)], i.pc);
    let mut pcs: Vec<(u32, u16)> = instructions.iter().map(new).collect();
    if !places.is_empty() {
        let mut places: Vec<(u32, u16)> = places
            .iter()
            .map(|(label, pc)| (assembled.offset(*label), *pc))
            .collect();
        // Nothing was inserted where an instruction stands.
        places.retain(|(at, _)| pcs.binary_search_by_key(at, |(new, _)| *new).is_err());
        pcs.extend(places);
        pcs.sort_unstable();
    }
    pcs
}

/// The new stack map: index of the attribute's name, and its contents.
fn stack_map(
    shared: &mut Shared<'_, '_>,
    original: &Original<'_>,
    slots: &Slots,
    wanted: &[(Label, Source)],
    assembled: &Assembled,
    relocation: &Relocation,
) -> Result<Option<(u16, Vec<u8>)>, MethodError> {
    let Some(frames) = &original.frames else {
        return Ok(None);
    };
    let wanted = resolve(wanted, assembled)?;
    if wanted.is_empty() {
        return Ok(None);
    }
    let runtime = shared.runtime()?;
    let padding = Padding {
        slots: original.code.max_locals,
        added: slots.types(shared)?,
        throwable: runtime.throwable,
    };
    let contents = frames::write(
        wanted,
        frames,
        original.initial.clone(),
        &padding,
        relocation,
    )?;
    Ok(contents.map(|contents| (runtime.stack_map_table, contents)))
}

/// Refuses code that cannot be rewritten whatever the plan says.
fn check(
    code: &Code<'_>,
    instructions: &[Instruction],
    plan: Option<&MethodPlan>,
) -> Result<(), MethodError> {
    if instructions
        .last()
        .is_none_or(|last| opcode::falls_through(last.opcode))
    {
        return Err(MethodError::FallsOff);
    }
    if plan.is_some_and(|plan| plan.code_bytes as usize != code.bytes.len()) {
        return Err(MethodError::Plan {
            pc: 0,
            what: "the plan was made for other code",
        });
    }
    Ok(())
}

/// Writes the exception table with its count; the new index of the first entry of each original one.
fn exception_table(
    assembled: &Assembled,
    entries: &[Entry],
    firsts: &[usize],
    out: &mut Vec<u8>,
) -> Result<Vec<u16>, ClassFileError> {
    let count_at = out.len();
    out.extend([0, 0]);
    let (mut count, mut indexes) = (0_usize, Vec::with_capacity(entries.len()));
    for entry in entries {
        indexes.push(count as u16);
        for (start, end) in assembled.without_islands(entry.start, entry.end) {
            let handler = assembled.offset(entry.handler) as u16;
            for number in [start, end, handler, entry.catch_type] {
                out.extend(number.to_be_bytes());
            }
            count += 1;
        }
    }
    let limit = usize::from(u16::MAX);
    let full = ClassFileError::Limit {
        what: "the length of an exception table",
        value: count,
        limit,
    };
    let count = u16::try_from(count).map_err(|_| full)?;
    out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
    let first = |first: &usize| indexes.get(*first).copied().unwrap_or_default();
    Ok(firsts.iter().map(first).collect())
}

fn relocation(
    assembled: &Assembled,
    code: &Code<'_>,
    instructions: &[Instruction],
    exceptions: Vec<u16>,
) -> Relocation {
    let mut arrivals = vec![NOWHERE; code.bytes.len() + 1];
    let mut itself = arrivals.clone();
    for (index, instruction) in instructions.iter().enumerate() {
        let pc = usize::from(instruction.pc);
        arrivals[pc] = assembled.numbered(2 * index);
        itself[pc] = assembled.numbered(2 * index + 1);
    }
    let end = assembled.numbered(2 * instructions.len());
    arrivals[code.bytes.len()] = end;
    itself[code.bytes.len()] = end;
    Relocation {
        arrivals,
        instructions: itself,
        exceptions,
    }
}

/// Offsets of the frames, those of islands included: an island's frame is that of its target.
fn resolve(
    wanted: &[(Label, Source)],
    assembled: &Assembled,
) -> Result<Vec<(u32, Source)>, MethodError> {
    let mut frames: Vec<(u32, Source)> = wanted
        .iter()
        .map(|(label, source)| (assembled.offset(*label), *source))
        .collect();
    for (pc, target) in assembled.islands() {
        let found = wanted.iter().find(|(label, _)| label == target);
        let (_, source) = found.ok_or(MethodError::Plan {
            pc: *pc as u16,
            what: "far jump to a place without a frame",
        })?;
        frames.push((*pc, *source));
    }
    Ok(frames)
}
