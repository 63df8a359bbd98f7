//! Plants a cost: inserts the call of a static method before one instruction of a class.
//!
//! What is planted, where, and how long it takes is known, so it can be asked whether a profiler finds it (Burchell & Marr 2025,
//! "Divining profiler accuracy: an approach to approximate profiler accuracy through machine code-level slowdown", OOPSLA,
//! 10.1145/3763180; they slow machine code down, we bytecode). No plan of ours is asked: the place is an
//! offset. Inserted before a block's first instruction, the call takes and leaves nothing, so the frame stays what it was.
//!
//! Limit: code with subroutines (class files before Java 6) is refused.

use pricetag_classfile::assemble::Keys;
use pricetag_classfile::frame::{self, FrameWriter};
use pricetag_classfile::instruction::{Instruction, Operand};
use pricetag_classfile::relocate::{self, NOWHERE, Relocation};
use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{
    Assembled, Assembler, ClassFile, ClassFileError, Code, Frames, Label, Member, PoolAppender,
    VerificationType, opcode,
};

/// Class of the method that is called; it takes nothing and returns nothing.
pub const SPIN_CLASS: &str = "PlantedSpin";
/// Its name.
pub const SPIN_METHOD: &str = "spin";

/// Why nothing was planted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlantError {
    /// The class makes no sense, or has no room.
    #[error(transparent)]
    Class(#[from] ClassFileError),
    /// There is no such place, or none where anything can be planted.
    #[error("nothing can be planted at {method} {pc}: {reason}")]
    Place {
        /// Name and descriptor.
        method: String,
        /// Offset of the instruction.
        pc: u32,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// The class with a call of `PlantedSpin.spin()` before the instruction at `pc` of a method.
///
/// # Errors
/// If there is no such instruction, or the class cannot be read or has no room for it.
pub fn plant(class: &[u8], method: &str, descriptor: &str, pc: u32) -> Result<Vec<u8>, PlantError> {
    let class = ClassFile::parse(class)?;
    let pool = class.constants();
    let refused = |reason| PlantError::Place {
        method: format!("{method}{descriptor}"),
        pc,
        reason,
    };
    let named = |m: &&Member<'_>| m.name(pool) == method && m.descriptor(pool) == descriptor;
    let member = class.methods().iter().find(named);
    let member = member.ok_or_else(|| refused("there is no such method"))?;
    let code = member
        .code(pool)?
        .ok_or_else(|| refused("it has no code"))?;
    let instructions = code.instructions()?;
    if instructions.iter().any(|i| opcode::is_subroutine(i.opcode)) {
        return Err(refused("it has subroutines"));
    }
    let found = instructions.iter().position(|i| u32::from(i.pc) == pc);
    let at = found.ok_or_else(|| refused("no instruction begins there"))?;
    let mut constants = PoolAppender::new(pool);
    let spin = constants.method(SPIN_CLASS, SPIN_METHOD, "()V")?;
    let assembled = assemble(&code, &instructions, at, spin)?;
    let moved = Moved::new(&code, &instructions, assembled);
    let frames = if code.attributes.find(pool, "StackMapTable").is_some() {
        let (name, descriptor) = (member.name(pool), member.descriptor(pool));
        let object = |name: &str| constants.class(name);
        let initial =
            frame::initial_locals(member.access, &name, &descriptor, &class.name(), object)?
                .ok_or_else(|| refused("its descriptor is none"))?;
        let frames = code.frames(pool, &initial)?;
        let table = moved.frames(initial, &frames, &instructions);
        let table = table.ok_or_else(|| refused("a jump leads to no frame"))?;
        Some((constants.utf8("StackMapTable")?, table))
    } else {
        None
    };
    let code = moved.attribute(&code, &class, frames)?;
    let mut edits = constants.edits();
    edits.push(code);
    Ok(splice(class.bytes(), &edits))
}

/// The code with the call before instruction number `at`. Label `2 i` is before all that precedes instruction `i`, `2 i + 1` at itself.
fn assemble(
    code: &Code<'_>,
    instructions: &[Instruction],
    at: usize,
    spin: u16,
) -> Result<Assembled, ClassFileError> {
    let mut asm = Assembler::new(0, code.bytes.len() + 3, 0);
    let labels: Vec<Label> = (0..=2 * instructions.len()).map(|_| asm.label()).collect();
    let arrival = |pc: u32| labels[2 * instructions.partition_point(|i| u32::from(i.pc) < pc)];
    for (index, instruction) in instructions.iter().enumerate() {
        asm.bind(labels[2 * index]);
        if index == at {
            asm.constant(opcode::INVOKESTATIC, spin);
        }
        asm.bind(labels[2 * index + 1]);
        match &instruction.operand {
            Operand::Branch(pc) => asm.jump(instruction.opcode, arrival(*pc)),
            Operand::TableSwitch {
                default,
                low,
                targets,
            } => {
                let cases = targets.iter().map(|pc| arrival(*pc)).collect();
                asm.switch(Keys::From(*low), arrival(*default), cases);
            }
            Operand::LookupSwitch { default, pairs } => {
                let cases = pairs.iter().map(|pair| arrival(pair.1)).collect();
                let keys = pairs.iter().map(|pair| pair.0).collect();
                asm.switch(Keys::Each(keys), arrival(*default), cases);
            }
            _ => asm.raw(&code.bytes[usize::from(instruction.pc)..instruction.end() as usize]),
        }
        if !opcode::falls_through(instruction.opcode) {
            asm.gap();
        }
    }
    asm.bind(labels[2 * instructions.len()]);
    asm.finish()
}

/// New code, and where everything went.
struct Moved {
    assembled: Assembled,
    relocation: Relocation,
}

impl Moved {
    fn new(code: &Code<'_>, instructions: &[Instruction], assembled: Assembled) -> Self {
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
        Self {
            assembled,
            relocation,
        }
    }

    fn arrival(&self, pc: u16) -> u16 {
        self.relocation.arrivals[usize::from(pc)] as u16
    }

    /// The frames of the new code; none if a jump leads where there is none.
    fn frames(
        &self,
        initial: Vec<VerificationType>,
        frames: &Frames,
        instructions: &[Instruction],
    ) -> Option<Vec<u8>> {
        let mut wanted: Vec<(u16, u16)> = frames
            .iter()
            .map(|frame| (self.arrival(frame.pc), frame.pc))
            .collect();
        for (at, target) in self.assembled.islands() {
            wanted.push((*at as u16, instructions[target.index() / 2].pc));
        }
        wanted.sort_unstable();
        let moved = |types: &[VerificationType]| -> Vec<VerificationType> {
            let each = |kind: &VerificationType| match *kind {
                VerificationType::Uninitialized(pc) => {
                    let new = self.relocation.instructions[usize::from(pc)];
                    VerificationType::Uninitialized(new as u16)
                }
                other => other,
            };
            types.iter().map(each).collect()
        };
        let mut writer = FrameWriter::new(Some(initial), 0);
        for (at, pc) in wanted {
            let frame = frames.get(frames.find(pc)?)?;
            writer.push(at, &moved(frame.locals), &moved(frame.stack));
        }
        Some(writer.finish().unwrap_or_else(|| vec![0, 0]))
    }

    /// The new `Code` attribute. The call needs no operand stack and no locals.
    fn attribute(
        &self,
        code: &Code<'_>,
        class: &ClassFile<'_>,
        frames: Option<(u16, Vec<u8>)>,
    ) -> Result<Edit, ClassFileError> {
        let mut out = Vec::with_capacity(self.assembled.code.len() * 2);
        out.extend(code.name_index.to_be_bytes());
        out.extend([0; 4]);
        out.extend(code.max_stack.to_be_bytes());
        out.extend(code.max_locals.to_be_bytes());
        out.extend((self.assembled.code.len() as u32).to_be_bytes());
        out.extend(&self.assembled.code);
        out.extend((code.exception_table.len() as u16).to_be_bytes());
        for entry in &code.exception_table {
            for pc in [entry.start_pc, entry.end_pc, entry.handler_pc] {
                out.extend(self.arrival(pc).to_be_bytes());
            }
            out.extend(entry.catch_type.to_be_bytes());
        }
        let pool = class.constants();
        relocate::code_attributes(code, pool, &self.relocation, frames, &mut out)?;
        let length = (out.len() - 6) as u32;
        out[2..6].copy_from_slice(&length.to_be_bytes());
        Ok(Edit {
            range: code.range.0..code.range.1,
            bytes: out,
        })
    }
}
