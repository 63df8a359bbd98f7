//! What each instruction does to the operand stack, in slots (JVMS §6.5): `long` and `double` take two.

use pricetag_classfile::opcode as op;
use pricetag_classfile::{ConstantPool, Instruction, Operand, descriptor};

use crate::cfg::Cfg;
use crate::error::FlowError;

/// The effect of every reachable instruction of a method, by its index; computed once for all analyses.
#[derive(Clone, Debug)]
pub struct Effects(Vec<Effect>);

impl Effects {
    /// Reads them off the code.
    ///
    /// # Errors
    /// If an instruction's constant is not what it has to be.
    pub fn of(cfg: &Cfg, constants: &ConstantPool<'_>) -> Result<Self, FlowError> {
        let mut effects = vec![Effect::default(); cfg.instructions.len()];
        for block in &cfg.blocks {
            for i in block.instructions.clone() {
                effects[i] = effect(&cfg.instructions[i], constants)?;
            }
        }
        Ok(Self(effects))
    }

    /// The effect of the instruction at an index.
    pub(crate) fn at(&self, instruction: usize) -> Effect {
        self.0[instruction]
    }
}

/// Slots popped and pushed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Slots taken off the stack.
    pub pops: u32,
    /// Slots put on it.
    pub pushes: u32,
}

/// The effect of an instruction; those of `dup` and its kin are given as if they popped all they touch.
pub fn effect(
    instruction: &Instruction,
    constants: &ConstantPool<'_>,
) -> Result<Effect, FlowError> {
    let (pops, pushes) = match instruction.opcode {
        op::GETSTATIC..=op::PUTFIELD => field(instruction, constants)?,
        op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => call(instruction, constants)?,
        op::MULTIANEWARRAY => match instruction.operand {
            Operand::MultiNewArray { dimensions, .. } => (u32::from(dimensions), 1),
            _ => return Err(FlowError::Stack { pc: instruction.pc }),
        },
        opcode => {
            let (pops, pushes) = FIXED[usize::from(opcode)];
            (u32::from(pops), u32::from(pushes))
        }
    };
    Ok(Effect { pops, pushes })
}

/// The effects of opcodes that always have the same, by opcode.
const FIXED: [(u8, u8); 256] = {
    let mut table = [(0, 0); 256];
    let mut opcode = 0;
    while opcode < table.len() {
        table[opcode] = fixed(opcode as u8);
        opcode += 1;
    }
    table
};

#[expect(
    clippy::match_same_arms,
    reason = "one row per family of opcodes, in their order"
)]
const fn fixed(opcode: u8) -> (u8, u8) {
    match opcode {
        op::LCONST_0 | op::LCONST_1 | op::DCONST_0 | op::DCONST_1 | op::LDC2_W => (0, 2),
        op::LLOAD | op::DLOAD | op::LLOAD_0..=op::LLOAD_3 | op::DLOAD_0..=op::DLOAD_3 => (0, 2),
        op::ACONST_NULL..=op::ALOAD_3 => (0, 1),
        op::LALOAD | op::DALOAD => (2, 2),
        op::IALOAD..=op::SALOAD => (2, 1),
        op::LSTORE | op::DSTORE | op::LSTORE_0..=op::LSTORE_3 | op::DSTORE_0..=op::DSTORE_3 => {
            (2, 0)
        }
        op::ISTORE..=op::ASTORE_3 => (1, 0),
        op::LASTORE | op::DASTORE => (4, 0),
        op::IASTORE..=op::SASTORE => (3, 0),
        op::POP => (1, 0),
        op::POP2 => (2, 0),
        op::DUP => (1, 2),
        op::DUP_X1 => (2, 3),
        op::DUP_X2 => (3, 4),
        op::DUP2 => (2, 4),
        op::DUP2_X1 => (3, 5),
        op::DUP2_X2 => (4, 6),
        op::SWAP => (2, 2),
        op::INEG | op::FNEG => (1, 1),
        op::LNEG | op::DNEG => (2, 2),
        op::LSHL | op::LSHR | op::LUSHR => (3, 2),
        // Integer, long, float, double in turn; from the shifts on, integer and long in turn.
        op::IADD..=op::DREM if opcode % 2 == 1 => (4, 2),
        op::LAND | op::LOR | op::LXOR => (4, 2),
        op::IADD..=op::LXOR => (2, 1),
        op::I2L | op::I2D | op::F2L | op::F2D => (1, 2),
        op::L2D | op::D2L => (2, 2),
        op::L2I | op::L2F | op::D2I | op::D2F => (2, 1),
        op::I2F | op::F2I | op::I2B..=op::I2S => (1, 1),
        op::LCMP | op::DCMPL | op::DCMPG => (4, 1),
        op::FCMPL | op::FCMPG => (2, 1),
        op::IF_ICMPEQ..=op::IF_ACMPNE => (2, 0),
        op::IFEQ..=op::IFLE | op::IFNULL | op::IFNONNULL => (1, 0),
        op::TABLESWITCH | op::LOOKUPSWITCH => (1, 0),
        op::LRETURN | op::DRETURN => (2, 0),
        op::IRETURN..=op::ARETURN | op::ATHROW => (1, 0),
        op::NEW | op::JSR | op::JSR_W => (0, 1),
        op::NEWARRAY | op::ANEWARRAY | op::ARRAYLENGTH | op::CHECKCAST | op::INSTANCEOF => (1, 1),
        op::MONITORENTER | op::MONITOREXIT => (1, 0),
        _ => (0, 0),
    }
}

fn field(instruction: &Instruction, constants: &ConstantPool<'_>) -> Result<(u32, u32), FlowError> {
    let Operand::Constant(index) = instruction.operand else {
        return Err(FlowError::Stack { pc: instruction.pc });
    };
    let (_, descriptor) = constants.member_name_and_descriptor(index)?;
    let size = if matches!(descriptor, b"J" | b"D") {
        2
    } else {
        1
    };
    Ok(match instruction.opcode {
        op::GETSTATIC => (0, size),
        op::PUTSTATIC => (size, 0),
        op::GETFIELD => (1, size),
        _ => (1 + size, 0),
    })
}

fn call(instruction: &Instruction, constants: &ConstantPool<'_>) -> Result<(u32, u32), FlowError> {
    let bad = || FlowError::Stack { pc: instruction.pc };
    let text = match instruction.operand {
        Operand::Constant(index) | Operand::InvokeInterface { index, .. } => {
            constants.member_name_and_descriptor(index)?.1
        }
        Operand::InvokeDynamic(index) => constants.dynamic_descriptor_bytes(index)?,
        _ => return Err(bad()),
    };
    let (arguments, result) = descriptor::slots_of_call(text).ok_or_else(bad)?;
    let receiver = !matches!(instruction.opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC);
    Ok((arguments + u32::from(receiver), result))
}

/// What `dup` and its kin push, as indices into the slots they popped, the lowest being 0.
pub fn shuffle(opcode: u8) -> &'static [usize] {
    match opcode {
        op::DUP => &[0, 0],
        op::DUP_X1 => &[1, 0, 1],
        op::DUP_X2 => &[2, 0, 1, 2],
        op::DUP2 => &[0, 1, 0, 1],
        op::DUP2_X1 => &[1, 2, 0, 1, 2],
        op::DUP2_X2 => &[2, 3, 0, 1, 2, 3],
        _ => &[1, 0],
    }
}
