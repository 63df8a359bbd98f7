//! Calls put into methods at chosen places, and methods emptied: for programs that are to compute something other than counts.
//!
//! A call takes at most a number, or what is on top of the stack, and gives back what it took; so locals, operand stack and frames
//! stay as they were. A call on the taken side of a branch stands behind the body, as a trampoline. An emptied method returns zero,
//! `false` or `null` at once; it needs no frames.
//!
//! Limits: a method with monitors takes no calls on the taken side of branches, since behind the body nothing would release them;
//! constructors are not emptied, since they must call their superclass's.

use std::collections::BTreeMap;

use pricetag_classfile::splice::Edit;
use pricetag_classfile::{ClassFile, Label, opcode};

use crate::body::Body;
use crate::error::{MethodError, RewriteError};
use crate::method::{self, Changed, Probes, Shared};
use crate::{Edits, Rewritten, RewrittenMethod};

/// Where a call is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Where the method is entered; jumps to its first instruction do not pass it.
    Entry,
    /// In front of the instruction at this offset; jumps to it pass the call.
    Before(u16),
    /// On the side of the conditional branch at this offset on which it goes on behind it.
    NotTaken(u16),
    /// On the other side.
    Taken(u16),
}

/// What a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Number(i32),
    /// What is on top of the stack, which what it returns takes the place of.
    Top,
    /// What is below a value of one word on top of the stack, likewise.
    BelowTop,
}

/// A call of a static method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// Where.
    pub place: Place,
    /// Internal name of the method's class.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Its descriptor: `(I)V` for a number, else from a type of one word to the same.
    pub descriptor: String,
    /// What it takes.
    pub argument: Argument,
}

/// What becomes of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Calls are put in, those of one place in their order.
    Calls(Vec<Insertion>),
    /// It returns at once.
    Emptied,
}

/// A side of a branch that leads through calls.
pub(crate) struct Side<'b> {
    label: Label,
    target: u16,
    calls: Vec<&'b Insertion>,
}

/// Changes methods of a class, by their index. A method that cannot be changed stays as it was and is told.
///
/// # Errors
/// If the class cannot be read.
pub fn change(class: &[u8], changes: &BTreeMap<u16, Change>) -> Result<Rewritten, RewriteError> {
    let class = ClassFile::parse(class)?;
    let mut shared = Shared::new(&class, 0);
    let mut outcome = Rewritten::default();
    let mut edits = Edits::default();
    for (&index, change) in changes {
        let changed = match change {
            Change::Calls(insertions) => {
                let probes = Probes {
                    insertions,
                    ..Probes::default()
                };
                method::rewrite(&mut shared, usize::from(index), probes)
            }
            Change::Emptied => empty(&class, usize::from(index)),
        };
        match changed {
            Ok(changed) => outcome.methods.push(RewrittenMethod {
                index,
                pcs: edits.add(changed),
            }),
            Err(error) => outcome.left.push((index, error.to_string())),
        }
    }
    (outcome.bytes, outcome.class_index_at) = edits.apply(&shared);
    Ok(outcome)
}

/// A method that returns zero, `false` or `null`.
fn empty(class: &ClassFile<'_>, index: usize) -> Result<Changed, MethodError> {
    let pool = class.constants();
    let member = class.methods().get(index).ok_or(MethodError::NoCode)?;
    let code = member.code(pool)?.ok_or(MethodError::NoCode)?;
    if member.name(pool).starts_with('<') {
        return Err(MethodError::Plan {
            pc: 0,
            what: "a constructor or initialiser cannot be emptied",
        });
    }
    let descriptor = member.descriptor(pool);
    let returned = descriptor.rsplit_once(')').map(|(_, r)| r);
    let instructions: &[u8] = match returned.and_then(|r| r.bytes().next()) {
        Some(b'V') => &[opcode::RETURN],
        Some(b'J') => &[opcode::LCONST_0, opcode::LRETURN],
        Some(b'F') => &[opcode::FCONST_0, opcode::FRETURN],
        Some(b'D') => &[opcode::DCONST_0, opcode::DRETURN],
        Some(b'L' | b'[') => &[opcode::ACONST_NULL, opcode::ARETURN],
        Some(_) => &[opcode::ICONST_0, opcode::IRETURN],
        None => return Err(MethodError::Descriptor),
    };
    let mut attribute = code.name_index.to_be_bytes().to_vec();
    attribute.extend((12 + instructions.len() as u32).to_be_bytes());
    attribute.extend(2_u16.to_be_bytes());
    attribute.extend(code.max_locals.to_be_bytes());
    attribute.extend((instructions.len() as u32).to_be_bytes());
    attribute.extend(instructions);
    attribute.extend([0; 4]);
    Ok(Changed {
        code: Edit {
            range: code.range.0..code.range.1,
            bytes: attribute,
        },
        pcs: Vec::new(),
        class_index_at: Vec::new(),
    })
}

impl<'b> Body<'b, '_, '_> {
    /// Appends the calls of a place.
    pub(crate) fn insert(&mut self, place: Place) -> Result<(), MethodError> {
        let insertions: &'b [Insertion] = self.insertions;
        for insertion in insertions.iter().filter(|i| i.place == place) {
            self.call(insertion)?;
        }
        Ok(())
    }

    fn call(&mut self, insertion: &Insertion) -> Result<(), MethodError> {
        let constants = &mut self.shared.constants;
        let method = constants.method(&insertion.owner, &insertion.name, &insertion.descriptor)?;
        if let Argument::Number(number) = insertion.argument {
            self.asm.int(number, constants)?;
        }
        let below = insertion.argument == Argument::BelowTop;
        if below {
            self.asm.op(opcode::SWAP);
        }
        self.asm.constant(opcode::INVOKESTATIC, method);
        if below {
            self.asm.op(opcode::SWAP);
        }
        Ok(())
    }

    /// Where the branch at an offset goes instead of to `target`, if there is a call on the way.
    pub(crate) fn side(&mut self, branch: u16, target: u32) -> Option<Label> {
        let insertions: &'b [Insertion] = self.insertions;
        let on_side = insertions
            .iter()
            .filter(|i| i.place == Place::Taken(branch));
        let calls: Vec<&Insertion> = on_side.collect();
        if calls.is_empty() || self.monitors.is_some() {
            return None;
        }
        let label = self.asm.label();
        self.sides.push(Side {
            label,
            target: target as u16,
            calls,
        });
        Some(label)
    }

    /// Appends what stands on the taken sides of branches.
    pub(crate) fn sides(&mut self) -> Result<(), MethodError> {
        for side in std::mem::take(&mut self.sides) {
            self.asm.bind(side.label);
            self.want_copy(side.label, side.target)?;
            for call in side.calls {
                self.call(call)?;
            }
            let target = self.arrival_at(u32::from(side.target));
            self.asm.jump(opcode::GOTO, target);
            self.asm.gap();
        }
        Ok(())
    }
}
