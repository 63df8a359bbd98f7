//! The locals and the operand stack that probes add to a method.

use crate::callers::Callers;
use crate::method::{Probes, Shared};
use crate::placement::Placement;
use pricetag_classfile::{ClassFileError, Code, VerificationType};

/// Words of operand stack that a counter takes.
const COUNTER_STACK: u16 = 6;
/// Words of operand stack that noting the depth of a constructor takes.
const DEPTH_STACK: u16 = 7;
/// Words of operand stack that counting a stride takes.
const STRIDE_STACK: u16 = 8;

/// Behind the method's own locals come, in this order, those that are live everywhere, and so in every frame: chunk, position, cell and passes of callers. Then those that are live within one probe: caught exception, cache line, arguments of a call.
pub(crate) struct Slots {
    /// The chunk of counters.
    pub chunk: u16,
    /// Where the last instruction that might have thrown stands.
    pub position: Option<u16>,
    pub callers: Callers,
    pub caught: Option<u16>,
    pub line: Option<u16>,
    /// Where arguments are put while what lies below them is looked at.
    pub aside: u16,
    /// Whether there are counters at all.
    counted: bool,
    locals: u16,
    stack: u16,
}

impl Slots {
    /// What probes need in a method with `own` locals, of which some put so many words aside.
    pub(crate) fn of(
        probes: &Probes<'_>,
        placement: Option<&Placement>,
        own: u16,
        words_aside: u16,
    ) -> Self {
        let mut locals = 0;
        let mut next = |count: u16| {
            let local = own.saturating_add(locals);
            locals += count;
            local
        };
        let counted = placement.is_some();
        let has_positions = placement.is_some_and(|placement| placement.has_positions);
        let handles = placement.is_some_and(|placement| !placement.handlers.is_empty());
        let chunk = next(u16::from(counted));
        let position = has_positions.then(|| next(1));
        let callers = Callers::of(probes, has_positions, next(0));
        next(callers.slots());
        let caught = (probes.caught && handles).then(|| next(1));
        let line = (counted && !probes.strides.is_empty()).then(|| next(1));
        let aside = next(if counted { words_aside } else { 0 });
        let constructs = probes
            .counted
            .is_some_and(|plan| !plan.uninitialised.is_empty());
        let stack = match (line, probes.depth) {
            (Some(_), _) => STRIDE_STACK,
            (None, Some(_)) if constructs => DEPTH_STACK,
            (None, _) => COUNTER_STACK,
        };
        Self {
            chunk,
            position,
            callers,
            caught,
            line,
            aside,
            counted,
            locals,
            stack,
        }
    }

    /// Operand stack and locals of the new code.
    ///
    /// # Errors
    /// If either is beyond what a class file can say.
    pub(crate) fn limits(&self, code: &Code<'_>) -> Result<(u16, u16), ClassFileError> {
        let sum = |what, value: u16, more: u16| {
            value.checked_add(more).ok_or(ClassFileError::Limit {
                what,
                value: usize::from(value) + usize::from(more),
                limit: usize::from(u16::MAX),
            })
        };
        // A handler's stack holds the exception, even in a method that needs no stack of its own.
        let stack = code.max_stack.max(1);
        let stack = sum("a method's operand stack", stack, self.stack)?;
        let locals = sum("a method's locals", code.max_locals, self.locals)?;
        Ok((stack, locals))
    }

    /// The types of the locals that are in every frame.
    ///
    /// # Errors
    /// If the constant pool has no room for them.
    pub(crate) fn types(
        &self,
        shared: &mut Shared<'_, '_>,
    ) -> Result<Vec<VerificationType>, ClassFileError> {
        let mut types = Vec::new();
        if self.counted {
            types.push(VerificationType::Object(shared.runtime()?.long_array));
            types.extend(self.position.map(|_| VerificationType::Integer));
            types.extend(self.callers.types(shared)?);
        }
        Ok(types)
    }
}
