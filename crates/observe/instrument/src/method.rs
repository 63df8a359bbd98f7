//! One method: from its `Code` attribute to a new one.

use crate::body::{Body, Entry};
use crate::error::MethodError;
use crate::frames::{self, Padding, Source};
use crate::placement::{self, Placement};
use pricetag_classfile::instruction::Instruction;
use pricetag_classfile::relocate::{self, NOWHERE, Relocation};
use pricetag_classfile::splice::Edit;
use pricetag_classfile::{
    Assembled, Assembler, ClassFile, ClassFileError, Code, Label, PoolAppender, VerificationType,
    frame, opcode,
};
use pricetag_probe_plan::MethodPlan;

/// First class-file version whose methods need frames.
const FIRST_WITH_FRAMES: u16 = 50;
/// Words of operand stack that a counter takes.
const COUNTER_STACK: u16 = 6;

/// A changed method: its new `Code` attribute, and new and original offset of every instruction.
pub(crate) type Changed = (Edit, Vec<(u32, u16)>);

/// What the methods of a class share.
pub(crate) struct Shared<'c, 'a> {
    pub constants: PoolAppender<'c, 'a>,
    pub class: &'c ClassFile<'a>,
    pub name: String,
    pub class_index: u32,
}

impl<'c, 'a> Shared<'c, 'a> {
    pub(crate) fn new(class: &'c ClassFile<'a>, class_index: u32) -> Self {
        Self {
            constants: PoolAppender::new(class.constants()),
            class,
            name: class.name(),
            class_index,
        }
    }
}

/// Rewrites the method at `index`.
pub(crate) fn rewrite(
    shared: &mut Shared<'_, '_>,
    index: usize,
    plan: Option<&MethodPlan>,
    scopes: &[i32],
) -> Result<Changed, MethodError> {
    let member = shared.class.methods()[index];
    let pool = shared.class.constants();
    let code = member.code(pool)?.ok_or(MethodError::NoCode)?;
    let instructions = code.instructions()?;
    check(&code, &instructions, plan)?;
    let placement = plan
        .map(|plan| placement::place(plan, &instructions))
        .transpose()?;
    let (name, descriptor) = (member.name(pool), member.descriptor(pool));
    let mut initial = Vec::new();
    let mut original_frames = None;
    if shared.class.major() >= FIRST_WITH_FRAMES {
        let constants = &mut shared.constants;
        let locals =
            frame::initial_locals(member.access, &name, &descriptor, &shared.name, |class| {
                constants.class(class)
            })?;
        initial = locals.ok_or(MethodError::Descriptor)?;
        original_frames = Some(code.frames(pool, &initial)?);
    }
    let added = placement
        .as_ref()
        .map_or(0, |placement| 1 + u16::from(placement.has_positions));
    let limit = usize::from(u16::MAX);
    let max_locals = code.max_locals.checked_add(added);
    let max_stack = code.max_stack.max(1).checked_add(COUNTER_STACK);
    let (Some(max_locals), Some(max_stack)) = (max_locals, max_stack) else {
        return Err(ClassFileError::Limit {
            what: "a method's locals or stack",
            value: limit + 1,
            limit,
        }
        .into());
    };
    let trampolines = placement
        .as_ref()
        .map_or(0, |placement| placement.trampolines.len());
    let mut body = Body {
        asm: Assembler::new(
            2 * instructions.len() + 1 + trampolines,
            code.bytes.len() * 3 + 64,
        ),
        position: placement
            .as_ref()
            .filter(|placement| placement.has_positions)
            .map(|_| code.max_locals + 1),
        chunk: code.max_locals,
        frames: original_frames.as_ref(),
        wanted: Vec::new(),
        entries: Vec::new(),
        firsts: Vec::new(),
        code: &code,
        instructions: &instructions,
        plan,
        placement: placement.as_ref(),
        scopes,
        shared,
    };
    body.write(member.access, &descriptor)?;
    let Body {
        asm,
        wanted,
        entries,
        firsts,
        ..
    } = body;
    let assembled = asm.finish()?;
    let (table, exceptions) = exception_table(&assembled, &entries, &firsts)?;
    let relocation = relocation(&assembled, &code, &instructions, exceptions);
    let mut out = Vec::with_capacity(assembled.code.len() * 2);
    out.extend(code.name_index.to_be_bytes());
    out.extend([0; 4]);
    out.extend(max_stack.to_be_bytes());
    out.extend(max_locals.to_be_bytes());
    out.extend((assembled.code.len() as u32).to_be_bytes());
    out.extend(&assembled.code);
    out.extend(table);
    let stack_map = match &original_frames {
        Some(frames) => {
            let padding = padding(shared, &code, placement.as_ref())?;
            let wanted = resolve(&wanted, &assembled)?;
            frames::write(wanted, frames, initial, &padding, &relocation)?
        }
        None => None,
    };
    let stack_map = match stack_map {
        Some(contents) => Some((shared.constants.utf8("StackMapTable")?, contents)),
        None => None,
    };
    relocate::code_attributes(&code, pool, &relocation, stack_map, &mut out)?;
    let length = (out.len() - 6) as u32;
    out[2..6].copy_from_slice(&length.to_be_bytes());
    let pcs = instructions
        .iter()
        .map(|i| (relocation.instructions[usize::from(i.pc)], i.pc))
        .collect();
    Ok((
        Edit {
            range: code.range.0..code.range.1,
            bytes: out,
        },
        pcs,
    ))
}

/// Refuses code that cannot be rewritten whatever the plan says.
fn check(
    code: &Code<'_>,
    instructions: &[Instruction],
    plan: Option<&MethodPlan>,
) -> Result<(), MethodError> {
    if let Some(subroutine) = instructions
        .iter()
        .find(|i| opcode::is_subroutine(i.opcode))
    {
        return Err(MethodError::Subroutine { pc: subroutine.pc });
    }
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

fn padding(
    shared: &mut Shared<'_, '_>,
    code: &Code<'_>,
    placement: Option<&Placement>,
) -> Result<Padding, ClassFileError> {
    let mut added = Vec::new();
    if let Some(placement) = placement {
        added.push(VerificationType::Object(shared.constants.class("[J")?));
        added.extend(placement.has_positions.then_some(VerificationType::Integer));
    }
    Ok(Padding {
        slots: code.max_locals,
        added,
        throwable: shared.constants.class("java/lang/Throwable")?,
    })
}

/// Writes the exception table with its count; also the new index of the first entry of each original one.
fn exception_table(
    assembled: &Assembled,
    entries: &[Entry],
    firsts: &[usize],
) -> Result<(Vec<u8>, Vec<u16>), ClassFileError> {
    let mut table = vec![0, 0];
    let (mut count, mut indexes) = (0_usize, Vec::with_capacity(entries.len()));
    for entry in entries {
        indexes.push(count as u16);
        for (start, end) in assembled.without_islands(entry.start, entry.end) {
            for number in [
                start,
                end,
                assembled.offset(entry.handler) as u16,
                entry.catch_type,
            ] {
                table.extend(number.to_be_bytes());
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
    table[..2].copy_from_slice(&u16::try_from(count).map_err(|_| full)?.to_be_bytes());
    let exceptions = firsts
        .iter()
        .map(|first| indexes.get(*first).copied().unwrap_or_default())
        .collect();
    Ok((table, exceptions))
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
