//! The report of a caught exception, in the stub before its handler:
//!
//! ```text
//!         astore kept
//! from:   aload kept; push class; push handler; invokestatic caught
//! to:     aload kept; goto handler
//! failed: pop; aload kept; goto handler       // whatever was thrown between `from` and `to`
//! ```
//! After a stack overflow the call may overflow, too. Then the exception stays unattributed, and the handler runs as it would have: hence the
//! local, since the stack is lost. The counters are increased before.

use crate::body::{Body, Entry};
use crate::error::MethodError;
use crate::frames::Source;
use crate::runtime::HELPER_CLASS;
use pricetag_classfile::{Label, opcode};

impl Body<'_, '_, '_> {
    /// With the exception on the stack, reports it and leaves it there; nothing unless that is wanted.
    pub(crate) fn report_caught(
        &mut self,
        handler: u16,
        counter: u32,
        target: Label,
    ) -> Result<(), MethodError> {
        let Some(kept) = self.caught else {
            return Ok(());
        };
        self.asm.local(opcode::ASTORE, kept);
        let from = self.asm.here();
        self.asm.local(opcode::ALOAD, kept);
        self.push_class_index()?;
        let constants = &mut self.shared.constants;
        self.asm.int(counter as i32, constants)?;
        // A frame in this call has arrived at the handler.
        let call = self.asm.here();
        self.places.push((call, handler));
        let method = constants.method(HELPER_CLASS, "caught", "(Ljava/lang/Object;II)V")?;
        self.asm.constant(opcode::INVOKESTATIC, method);
        let to = self.asm.here();
        self.asm.local(opcode::ALOAD, kept);
        self.asm.jump(opcode::GOTO, target);
        self.asm.gap();
        let failed = self.asm.here();
        if let Some(frames) = self.frames {
            let number = frames
                .find(handler)
                .ok_or(MethodError::MissingFrame { pc: handler })?;
            self.want(failed, Source::Kept(number));
        }
        self.asm.op(opcode::POP);
        self.asm.local(opcode::ALOAD, kept);
        self.entries.push(Entry {
            start: from,
            end: to,
            handler: failed,
            catch_type: 0,
        });
        Ok(())
    }
}
