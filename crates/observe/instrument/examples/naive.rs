//! The yardstick of the overhead benchmark: one counter per basic block, and nothing clever.
//!
//! `naive [--variant VARIANT] IN OUT` instruments every class file below `IN`, writes the result below `OUT` and prints how many counters
//! there are. Blocks begin at the method's start, at jump targets, behind jumps and at handlers. It shares no decision with the probe plan: no plan is
//! read, no edge is left out. The variants (the alternatives of `docs/decisions/001-exact-counting.md`) differ in where a counter lives:
//! - `shared`, the default: `getstatic NaiveCounters.COUNTERS; index; dup2; laload; lconst_1; ladd; lastore` at the head of each block, as
//!   anybody would write it first; counts are lost when threads race;
//! - `atomic`: `getstatic NaiveCounters.ATOMIC; index; invokevirtual AtomicLongArray.getAndIncrement; pop2`;
//! - `threadlocal`: each call of a method fetches its thread's array from a `ThreadLocal` into a new local variable first.

use pricetag_classfile::assemble::Keys;
use pricetag_classfile::frame::{self, FrameWriter};
use pricetag_classfile::instruction::{Instruction, Operand};
use pricetag_classfile::relocate::{self, NOWHERE, Relocation};
use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{
    Assembled, Assembler, ClassFile, ClassFileError, Code, ExceptionEntry, Frames, Label, Member,
    PoolAppender, VerificationType, opcode,
};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

const HELPER: &str = "NaiveCounters";
const ATOMIC: &str = "java/util/concurrent/atomic/AtomicLongArray";

/// Where counters live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// In one static array.
    Shared,
    /// In one array of atomics.
    Atomic,
    /// In an array per thread.
    ThreadLocal,
}

impl Variant {
    fn named(name: &str) -> Option<Self> {
        match name {
            "shared" => Some(Self::Shared),
            "atomic" => Some(Self::Atomic),
            "threadlocal" => Some(Self::ThreadLocal),
            _ => None,
        }
    }

    /// The local variable with the thread's array, behind those of the method.
    fn array(self, code: &Code<'_>) -> Option<u16> {
        (self == Self::ThreadLocal).then_some(code.max_locals)
    }
}

/// Index of an attribute's name, and its contents.
type NamedContents = (u16, Vec<u8>);

/// Words of operand stack that a counter takes.
const COUNTER_STACK: u16 = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: naive [--variant shared|atomic|threadlocal] IN OUT";
    let mut arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let mut variant = Variant::Shared;
    if arguments
        .first()
        .is_some_and(|first| first.as_os_str() == "--variant")
    {
        let name = arguments.get(1).and_then(|name| name.to_str());
        variant = name.and_then(Variant::named).ok_or(usage)?;
        arguments.drain(..2);
    }
    let [from, to] = arguments.as_slice() else {
        return Err(usage.into());
    };
    let mut files = Vec::new();
    find(from, &mut files)?;
    let (mut counters, mut left) = (0, 0);
    for file in &files {
        let bytes = fs::read(file)?;
        let rewritten = rewrite(&bytes, variant, &mut counters, &mut left)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let path = to.join(file.strip_prefix(from)?);
        fs::create_dir_all(path.parent().ok_or("no parent")?)?;
        fs::write(path, rewritten)?;
    }
    eprintln!(
        "{} classes, {counters} counters, {left} methods left",
        files.len()
    );
    println!("{counters}");
    Ok(())
}

fn find(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            find(&entry, files)?;
        } else if entry.extension().is_some_and(|kind| kind == "class") {
            files.push(entry);
        }
    }
    Ok(())
}

fn rewrite(
    bytes: &[u8],
    variant: Variant,
    counters: &mut i32,
    left: &mut u32,
) -> Result<Vec<u8>, ClassFileError> {
    let class = ClassFile::parse(bytes)?;
    let mut constants = PoolAppender::new(class.constants());
    let mut edits = Vec::new();
    for member in class.methods() {
        if let Some(code) = member.code(class.constants())? {
            match method(&class, member, &code, variant, &mut constants, counters) {
                Ok(edit) => edits.push(edit),
                Err(_) => *left += 1,
            }
        }
    }
    let mut all = constants.edits();
    all.extend(edits);
    Ok(splice(class.bytes(), &all))
}

/// The new `Code` attribute of a method.
fn method(
    class: &ClassFile<'_>,
    member: &Member<'_>,
    code: &Code<'_>,
    variant: Variant,
    constants: &mut PoolAppender<'_, '_>,
    counters: &mut i32,
) -> Result<Edit, Box<dyn Error>> {
    let instructions = code.instructions()?;
    if instructions
        .iter()
        .any(|instruction| opcode::is_subroutine(instruction.opcode))
    {
        return Err("subroutines".into());
    }
    let array = variant.array(code);
    let leaders = leaders(code, &instructions);
    let mut asm = Assembler::new(2 * instructions.len() + 1, code.bytes.len() * 3, 0);
    let first = *counters;
    if let Some(local) = array {
        let fetch = constants.method(HELPER, "local", "()[J")?;
        asm.constant(opcode::INVOKESTATIC, fetch);
        asm.local(opcode::ASTORE, local);
    }
    for (index, instruction) in instructions.iter().enumerate() {
        bind(&mut asm, 2 * index);
        if leaders.contains(&u32::from(instruction.pc)) {
            count(&mut asm, variant, array, *counters, constants)?;
            *counters += 1;
        }
        bind(&mut asm, 2 * index + 1);
        copy(&mut asm, code, &instructions, instruction);
        if !opcode::falls_through(instruction.opcode) {
            asm.gap();
        }
    }
    bind(&mut asm, 2 * instructions.len());
    let assembled = asm.finish();
    if assembled.is_err() {
        *counters = first;
    }
    attribute(
        class,
        member,
        code,
        &instructions,
        &assembled?,
        array,
        constants,
    )
}

/// Appends the update of a counter.
fn count(
    asm: &mut Assembler,
    variant: Variant,
    array: Option<u16>,
    counter: i32,
    constants: &mut PoolAppender<'_, '_>,
) -> Result<(), ClassFileError> {
    if variant == Variant::Atomic {
        let atomic = format!("L{ATOMIC};");
        asm.constant(
            opcode::GETSTATIC,
            constants.field(HELPER, "ATOMIC", &atomic)?,
        );
        asm.int(counter, constants)?;
        let add = constants.method(ATOMIC, "getAndIncrement", "(I)J")?;
        asm.constant(opcode::INVOKEVIRTUAL, add);
        asm.op(opcode::POP2);
        return Ok(());
    }
    match array {
        Some(local) => asm.local(opcode::ALOAD, local),
        None => asm.constant(
            opcode::GETSTATIC,
            constants.field(HELPER, "COUNTERS", "[J")?,
        ),
    }
    asm.int(counter, constants)?;
    asm.increment_long();
    Ok(())
}

fn bind(asm: &mut Assembler, number: usize) {
    if let Some(label) = asm.numbered(number) {
        asm.bind(label);
    }
}

/// Where blocks begin.
fn leaders(code: &Code<'_>, instructions: &[Instruction]) -> BTreeSet<u32> {
    let mut leaders = BTreeSet::from([0]);
    for instruction in instructions {
        leaders.extend(instruction.targets());
        let jumps = instruction.targets().next().is_some();
        if jumps || !opcode::falls_through(instruction.opcode) {
            leaders.insert(instruction.end());
        }
    }
    leaders.extend(
        code.exception_table
            .iter()
            .map(|entry| u32::from(entry.handler_pc)),
    );
    leaders
}

/// The label in front of the instruction at `pc`, or of the end.
fn arrival(asm: &Assembler, instructions: &[Instruction], pc: u32) -> Label {
    let index = instructions.partition_point(|i| u32::from(i.pc) < pc);
    asm.numbered(2 * index)
        .unwrap_or_else(|| unreachable!("two labels were made per instruction"))
}

fn copy(asm: &mut Assembler, code: &Code<'_>, all: &[Instruction], instruction: &Instruction) {
    match &instruction.operand {
        Operand::Branch(pc) => {
            let target = arrival(asm, all, *pc);
            asm.jump(instruction.opcode, target);
        }
        Operand::TableSwitch {
            default,
            low,
            targets,
        } => {
            let cases = targets.iter().map(|pc| arrival(asm, all, *pc)).collect();
            let default = arrival(asm, all, *default);
            asm.switch(Keys::From(*low), default, cases);
        }
        Operand::LookupSwitch { default, pairs } => {
            let cases = pairs.iter().map(|pair| arrival(asm, all, pair.1)).collect();
            let default = arrival(asm, all, *default);
            let keys = pairs.iter().map(|pair| pair.0).collect();
            asm.switch(Keys::Each(keys), default, cases);
        }
        _ => asm.raw(&code.bytes[usize::from(instruction.pc)..instruction.end() as usize]),
    }
}

fn attribute(
    class: &ClassFile<'_>,
    member: &Member<'_>,
    code: &Code<'_>,
    instructions: &[Instruction],
    assembled: &Assembled,
    array: Option<u16>,
    constants: &mut PoolAppender<'_, '_>,
) -> Result<Edit, Box<dyn Error>> {
    let mut arrivals = vec![NOWHERE; code.bytes.len() + 1];
    let mut itself = arrivals.clone();
    for (index, instruction) in instructions.iter().enumerate() {
        arrivals[usize::from(instruction.pc)] = assembled.numbered(2 * index);
        itself[usize::from(instruction.pc)] = assembled.numbered(2 * index + 1);
    }
    arrivals[code.bytes.len()] = assembled.numbered(2 * instructions.len());
    itself[code.bytes.len()] = arrivals[code.bytes.len()];
    let relocation = Relocation {
        arrivals,
        instructions: itself,
        exceptions: (0..code.exception_table.len() as u16).collect(),
    };
    let mut out = Vec::with_capacity(assembled.code.len() * 2);
    out.extend(code.name_index.to_be_bytes());
    out.extend([0; 4]);
    out.extend((code.max_stack + COUNTER_STACK).to_be_bytes());
    let locals = code.max_locals + u16::from(array.is_some());
    out.extend(locals.to_be_bytes());
    out.extend((assembled.code.len() as u32).to_be_bytes());
    out.extend(&assembled.code);
    out.extend((code.exception_table.len() as u16).to_be_bytes());
    for entry in &code.exception_table {
        out.extend(moved(*entry, &relocation));
    }
    let pool = class.constants();
    let stack_map = if code.attributes.find(pool, "StackMapTable").is_some() {
        let initial = frame::initial_locals(
            member.access,
            &member.name(pool),
            &member.descriptor(pool),
            &class.name(),
            |name| constants.class(name),
        )?
        .ok_or("no descriptor")?;
        let frames = code.frames(pool, &initial)?;
        stack_map(
            initial,
            &frames,
            instructions,
            assembled,
            &relocation,
            array,
            constants,
        )?
    } else {
        None
    };
    relocate::code_attributes(code, pool, &relocation, stack_map, &mut out)?;
    let length = (out.len() - 6) as u32;
    out[2..6].copy_from_slice(&length.to_be_bytes());
    Ok(Edit {
        range: code.range.0..code.range.1,
        bytes: out,
    })
}

/// An exception table entry, with islands left inside its range: their `goto_w` throws nothing.
fn moved(entry: ExceptionEntry, relocation: &Relocation) -> Vec<u8> {
    let to = |pc: u16| relocation.arrivals[usize::from(pc)] as u16;
    [
        to(entry.start_pc),
        to(entry.end_pc),
        to(entry.handler_pc),
        entry.catch_type,
    ]
    .iter()
    .flat_map(|number| number.to_be_bytes())
    .collect()
}

/// The frames of the changed code, for code that has a table of them.
fn stack_map(
    initial: Vec<VerificationType>,
    frames: &Frames,
    instructions: &[Instruction],
    assembled: &Assembled,
    relocation: &Relocation,
    array: Option<u16>,
    constants: &mut PoolAppender<'_, '_>,
) -> Result<Option<NamedContents>, Box<dyn Error>> {
    let mut wanted: Vec<(u32, u16)> = frames
        .iter()
        .map(|frame| (relocation.arrivals[usize::from(frame.pc)], frame.pc))
        .collect();
    for (at, target) in assembled.islands() {
        let original = &instructions[target.index() / 2];
        wanted.push((*at, original.pc));
    }
    wanted.sort_unstable();
    let mut writer = FrameWriter::new(Some(initial), 0);
    for (at, pc) in wanted {
        let number = frames.find(pc).ok_or("a jump to a place without a frame")?;
        let frame = frames.get(number).ok_or("no such frame")?;
        let relocated = |types: &[VerificationType]| -> Vec<VerificationType> {
            let news = |kind: &VerificationType| match *kind {
                VerificationType::Uninitialized(pc) => {
                    VerificationType::Uninitialized(relocation.instructions[usize::from(pc)] as u16)
                }
                other => other,
            };
            types.iter().map(news).collect()
        };
        let mut locals = relocated(frame.locals);
        if let Some(local) = array {
            let used: u16 = locals.iter().map(|kind| kind.slots()).sum();
            locals.extend((used..local).map(|_| VerificationType::Top));
            locals.push(VerificationType::Object(constants.class("[J")?));
        }
        writer.push(at as u16, &locals, &relocated(frame.stack));
    }
    let name = constants.utf8("StackMapTable")?;
    Ok(writer.finish().map(|contents| (name, contents)))
}
