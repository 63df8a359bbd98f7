//! Calls that are written down before they are made, so that what leaves the counted code is in the sequence.
//!
//! Before the instruction, with receiver and arguments on the stack:
//! ```text
//! with a receiver                   it is copied from below the arguments; Pricetag.asked(receiver, target)
//! static, and of constructors       Pricetag.asked(target)
//! ```
//! Two words of arguments are turned over on the stack; more are put aside in locals that are live within the probe. No jump, so no frame is needed. The helper may
//! overflow the stack, as the call itself may: then the call is written down or not, and is not made.
//!
//! Limits: `invokedynamic` names no method; it is not written down. A call that fails before its method begins (a class initialiser that throws, a method that is not
//! there) is written down all the same, but for a null receiver.

use pricetag_classfile::instruction::{Instruction, Operand};
use pricetag_classfile::{Code, ConstantPool, descriptor, opcode};

use crate::AskedSite;
use crate::body::Body;
use crate::error::MethodError;
use crate::method::Probes;
use crate::runtime::{ASKED, ASKED_OF, HELPER_CLASS};

/// Words of arguments that are turned over on the stack.
const TURNED: u32 = 2;

/// Those of a method, by its number.
pub(crate) fn of_method(sites: &[AskedSite], method: usize) -> &[AskedSite] {
    let begin = sites.partition_point(|site| usize::from(site.method) < method);
    let end = sites.partition_point(|site| usize::from(site.method) <= method);
    &sites[begin..end]
}

/// The descriptor of what is called on an initialised object; none if there is no such object.
fn on_object(
    instruction: &Instruction,
    constants: &ConstantPool<'_>,
) -> Result<Option<String>, MethodError> {
    let index = match (instruction.opcode, &instruction.operand) {
        (opcode::INVOKESTATIC, _) => return Ok(None),
        (opcode::INVOKEVIRTUAL | opcode::INVOKESPECIAL, Operand::Constant(index))
        | (_, Operand::InvokeInterface { index, .. }) => *index,
        _ => return Err(MethodError::Descriptor),
    };
    let named = constants.member_ref(index)?;
    Ok((named.name != "<init>").then_some(named.descriptor))
}

/// Words of locals that a method needs to put arguments aside.
///
/// # Errors
/// If an instruction that is to be written down is no invocation.
pub(crate) fn words_aside(
    constants: &ConstantPool<'_>,
    code: &Code<'_>,
    probes: &Probes<'_>,
) -> Result<u16, MethodError> {
    if probes.counted.is_none() || probes.asked.is_empty() {
        return Ok(0);
    }
    let mut most = 0;
    for instruction in &code.instructions()? {
        if site(probes.asked, instruction.pc).is_none() {
            continue;
        }
        if let Some(descriptor) = on_object(instruction, constants)? {
            let words = descriptor::slots_of_call(descriptor.as_bytes());
            most = most.max(words.ok_or(MethodError::Descriptor)?.0);
        }
    }
    Ok(if most > TURNED { most as u16 } else { 0 })
}

/// The call at an original offset.
fn site(sites: &[AskedSite], pc: u16) -> Option<&AskedSite> {
    let at = sites.binary_search_by_key(&pc, |site| site.pc).ok()?;
    Some(&sites[at])
}

impl Body<'_, '_, '_> {
    /// Appends the note of a call before it is made.
    pub(crate) fn ask(&mut self, index: usize) -> Result<(), MethodError> {
        let instruction = &self.instructions[index];
        let pc = instruction.pc;
        let Some(target) = site(self.asked, pc).map(|site| site.target) else {
            return Ok(());
        };
        if self.placement.is_none() {
            return Ok(());
        }
        self.places.push((self.asm.here(), pc));
        let mut put_aside = Vec::new();
        let mut signature = ASKED;
        if let Some(descriptor) = on_object(instruction, self.shared.class.constants())? {
            put_aside = self.copy_receiver(&descriptor)?;
            signature = ASKED_OF;
        }
        self.asm.int(target as i32, &mut self.shared.constants)?;
        let constants = &mut self.shared.constants;
        let asked = constants.method(HELPER_CLASS, "asked", signature)?;
        let call = self.asm.here();
        self.places.push((call, pc));
        self.asm.constant(opcode::INVOKESTATIC, asked);
        for (load, local) in put_aside {
            self.asm.local(load, local);
        }
        Ok(())
    }

    /// Copies the receiver to the top of the stack; how the arguments that were put aside come back, the first one first.
    fn copy_receiver(&mut self, descriptor: &str) -> Result<Vec<(u8, u16)>, MethodError> {
        let (parameters, _) = descriptor::split(descriptor).ok_or(MethodError::Descriptor)?;
        let words: u16 = parameters.iter().map(|one| descriptor::slots(one)).sum();
        match words {
            0 => self.asm.op(opcode::DUP),
            1 => self.asm.raw(&[opcode::DUP2, opcode::POP]),
            2 => self
                .asm
                .raw(&[opcode::DUP2_X1, opcode::POP2, opcode::DUP_X2]),
            _ => {
                let mut local = self.aside;
                let mut moves = Vec::with_capacity(parameters.len());
                for parameter in &parameters {
                    let (load, store) = match parameter.as_bytes()[0] {
                        b'J' => (opcode::LLOAD, opcode::LSTORE),
                        b'F' => (opcode::FLOAD, opcode::FSTORE),
                        b'D' => (opcode::DLOAD, opcode::DSTORE),
                        b'L' | b'[' => (opcode::ALOAD, opcode::ASTORE),
                        _ => (opcode::ILOAD, opcode::ISTORE),
                    };
                    moves.push((load, store, local));
                    local = local.saturating_add(descriptor::slots(parameter));
                }
                for (_, store, local) in moves.iter().rev() {
                    self.asm.local(*store, *local);
                }
                self.asm.op(opcode::DUP);
                let back = moves.into_iter().map(|(load, _, local)| (load, local));
                return Ok(back.collect());
            }
        }
        Ok(Vec::new())
    }
}
