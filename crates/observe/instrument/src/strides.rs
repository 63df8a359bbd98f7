//! Probes that count strides: array reads from another cache line than the same instruction's last.
//!
//! With the array and the index on the stack:
//! ```text
//! line = (index * size + header) / 64              the index copied
//! chunk[counter] += chunk[last] != line            without a branch: the sign of d | -d, where d is the difference of the bits
//! chunk[last] = line
//! ```
//! No call and no jump, so nothing is thrown that was not before, and no frame is needed. A negative index gives some line, then
//! the read throws: the attempt counts.

use pricetag_classfile::opcode;
use pricetag_probe_plan::{HEADER, LINE, element_size};

use crate::body::Body;
use crate::error::MethodError;

impl Body<'_, '_, '_> {
    /// Appends the probe before an array read whose strides are counted.
    pub(crate) fn count_stride(&mut self, index: usize) -> Result<(), MethodError> {
        let instruction = &self.instructions[index];
        let pc = instruction.pc;
        let found = self.strides.binary_search_by_key(&pc, |s| s.pc.0);
        let (Ok(at), Some(line)) = (found, self.line) else {
            return Ok(());
        };
        let stride = self.strides[at];
        let what = "plan has a stride where no array is read";
        let size = element_size(instruction.opcode).ok_or(MethodError::Plan { pc, what })?;
        self.asm.op(opcode::DUP);
        self.int(HEADER >> size)?;
        self.asm.op(opcode::IADD);
        self.int((LINE >> size).ilog2())?;
        self.asm.op(opcode::ISHR);
        self.asm.local(opcode::ISTORE, line);
        self.cell(stride.counter.0)?;
        self.asm.raw(&[opcode::DUP2, opcode::LALOAD]);
        self.cell(stride.last.0)?;
        self.asm.op(opcode::LALOAD);
        self.asm.local(opcode::ILOAD, line);
        self.asm.raw(&[opcode::I2L, opcode::LXOR]);
        self.asm.raw(&[opcode::DUP2, opcode::LNEG, opcode::LOR]);
        self.int(63)?;
        self.asm
            .raw(&[opcode::LUSHR, opcode::LADD, opcode::LASTORE]);
        self.cell(stride.last.0)?;
        self.asm.local(opcode::ILOAD, line);
        self.asm.raw(&[opcode::I2L, opcode::LASTORE]);
        Ok(())
    }

    /// Pushes the chunk and the index of one of its elements.
    fn cell(&mut self, element: u32) -> Result<(), MethodError> {
        self.asm.local(opcode::ALOAD, self.chunk);
        self.int(element)
    }

    fn int(&mut self, value: u32) -> Result<(), MethodError> {
        Ok(self.asm.int(value as i32, &mut self.shared.constants)?)
    }
}
