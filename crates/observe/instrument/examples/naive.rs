//! The yardstick of the overhead benchmark: one counter per basic block in one shared array, and nothing clever.
//!
//! `naive IN OUT` instruments every class file below `IN`, writes the result below `OUT` and prints how many counters there are.
//! At the head of each block stands `getstatic NaiveCounters.COUNTERS; index; dup2; laload; lconst_1; ladd; lastore`, as anybody would
//! write it first. Blocks begin at the method's start, at jump targets, behind jumps and at handlers. It shares no decision with
//! the probe plan: no plan is read, no edge is left out, and counts are lost when threads race.

use pricetag_classfile::assemble::Keys;
use pricetag_classfile::frame::{self, FrameWriter};
use pricetag_classfile::instruction::{Instruction, Operand};
use pricetag_classfile::relocate::{self, NOWHERE, Relocation};
use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{
    Assembled, Assembler, ClassFile, ClassFileError, Code, ExceptionEntry, Label, Member,
    PoolAppender, VerificationType, opcode,
};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

const HELPER: &str = "NaiveCounters";
/// Index of an attribute's name, and its contents.
type NamedContents = (u16, Vec<u8>);

/// Words of operand stack that a counter takes.
const COUNTER_STACK: u16 = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [from, to] = arguments.as_slice() else {
        return Err("usage: naive IN OUT".into());
    };
    let mut files = Vec::new();
    find(from, &mut files)?;
    let (mut counters, mut left) = (0, 0);
    for file in &files {
        let bytes = fs::read(file)?;
        let rewritten = rewrite(&bytes, &mut counters, &mut left)
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

fn rewrite(bytes: &[u8], counters: &mut i32, left: &mut u32) -> Result<Vec<u8>, ClassFileError> {
    let class = ClassFile::parse(bytes)?;
    let mut constants = PoolAppender::new(class.constants());
    let mut edits = Vec::new();
    for member in class.methods() {
        if let Some(code) = member.code(class.constants())? {
            match method(&class, member, &code, &mut constants, counters) {
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
    let array = constants.field(HELPER, "COUNTERS", "[J")?;
    let leaders = leaders(code, &instructions);
    let mut asm = Assembler::new(2 * instructions.len() + 1, code.bytes.len() * 3);
    let first = *counters;
    for (index, instruction) in instructions.iter().enumerate() {
        bind(&mut asm, 2 * index);
        if leaders.contains(&u32::from(instruction.pc)) {
            asm.constant(opcode::GETSTATIC, array);
            asm.int(*counters, constants)?;
            asm.increment_long();
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
    attribute(class, member, code, &instructions, &assembled?, constants)
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
    out.extend(code.max_locals.to_be_bytes());
    out.extend((assembled.code.len() as u32).to_be_bytes());
    out.extend(&assembled.code);
    out.extend((code.exception_table.len() as u16).to_be_bytes());
    for entry in &code.exception_table {
        out.extend(moved(*entry, &relocation));
    }
    let stack_map = stack_map(
        class,
        member,
        code,
        instructions,
        assembled,
        &relocation,
        constants,
    )?;
    relocate::code_attributes(code, class.constants(), &relocation, stack_map, &mut out)?;
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

fn stack_map(
    class: &ClassFile<'_>,
    member: &Member<'_>,
    code: &Code<'_>,
    instructions: &[Instruction],
    assembled: &Assembled,
    relocation: &Relocation,
    constants: &mut PoolAppender<'_, '_>,
) -> Result<Option<NamedContents>, Box<dyn Error>> {
    let pool = class.constants();
    if code.attributes.find(pool, "StackMapTable").is_none() {
        return Ok(None);
    }
    let initial = frame::initial_locals(
        member.access,
        &member.name(pool),
        &member.descriptor(pool),
        &class.name(),
        |name| constants.class(name),
    )?
    .ok_or("no descriptor")?;
    let frames = code.frames(pool, &initial)?;
    let mut wanted: Vec<(u32, u16)> = frames
        .iter()
        .map(|frame| (relocation.arrivals[usize::from(frame.pc)], frame.pc))
        .collect();
    for (at, target) in assembled.islands() {
        let original = &instructions[target.index() / 2];
        wanted.push((*at, original.pc));
    }
    wanted.sort_unstable();
    let mut writer = FrameWriter::new(initial);
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
        writer.push(at as u16, &relocated(frame.locals), &relocated(frame.stack));
    }
    let name = constants.utf8("StackMapTable")?;
    Ok(writer.finish().map(|contents| (name, contents)))
}
