//! Which instructions may throw, as far as it can be proved that the others do not.
//!
//! No throw points are instructions that cannot throw short of a broken class path or an asynchronous exception:
//! - loads, stores, arithmetic other than integer division, jumps, `ldc` of numbers and strings;
//! - integer division by a constant other than 0, and accesses by a constant index to an array that the same block has
//!   made with a constant length (array initialisers), see [`pricetag_flow::operands`];
//! - `getfield` and `putfield` on `this` (unless they name a field that the class declares as static, or write a final
//!   one outside a constructor);
//! - `getstatic` and `putstatic` of a field that the class itself declares, in its static methods: those run only
//!   once the class is initialised, or by the thread that initialises it. An instance method may also run on an
//!   object that leaked from a failed initialiser, where the access throws `NoClassDefFoundError`;
//! - what repeats a check that has succeeded on every way to it, see [`pricetag_flow::repeats`];
//! - returns, except in methods with `monitorenter` or `monitorexit`.
//!
//! In a constructor nothing is a throw point before `this` is initialised: there every instruction that may throw ends
//! its block instead.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pricetag_classfile::class::ACC_STATIC;
use pricetag_classfile::opcode as op;
use pricetag_classfile::pool::encode_modified_utf8;
use pricetag_classfile::{ClassFile, Code, ConstantPool, Instruction, Operand, pool};
use pricetag_flow::operands::may_be_sure;
use pricetag_flow::{Cfg, Effects, Receivers, may_repeat, sure_repeats, sure_successes};
use pricetag_probe_plan::{Pc, Uninitialised};

use crate::method::Refusal;

const ACC_FINAL: u16 = 0x0010;

/// What matters of a class.
#[derive(Debug)]
pub struct ClassScope<'a> {
    name: Vec<u8>,
    has_super: bool,
    /// Access flags of its own fields by name and descriptor.
    fields: BTreeMap<(&'a [u8], &'a [u8]), u16>,
}

impl<'a> ClassScope<'a> {
    /// Reads it off a class file.
    pub fn of(class: &ClassFile<'a>) -> Self {
        let text = |index| class.constants().utf8_bytes(index).unwrap_or_default();
        let fields = class.fields().iter();
        Self {
            name: encode_modified_utf8(&class.name()).into_owned(),
            has_super: class.super_name().is_some(),
            fields: fields
                .map(|f| ((text(f.name_index), text(f.descriptor_index)), f.access))
                .collect(),
        }
    }

    /// Access flags of the field at an index of the constant pool if the class itself declares it. An inherited one may be an interface's, which is initialised when the
    /// field is first used.
    pub(crate) fn own_field(
        &self,
        index: u16,
        constants: &ConstantPool<'_>,
    ) -> Result<Option<u16>, Refusal> {
        let field = constants.member_name_and_descriptor(index)?;
        let owner_is_us = constants.member_owner_bytes(index)? == self.name;
        let own = if owner_is_us {
            self.fields.get(&field)
        } else {
            None
        };
        Ok(own.copied())
    }
}

/// What matters of a method besides its code.
#[derive(Clone, Copy, Debug)]
pub struct MethodScope<'a> {
    /// Its class.
    pub class: &'a ClassScope<'a>,
    /// Its name.
    pub name: &'a str,
    /// Its access flags.
    pub access: u16,
}

impl MethodScope<'_> {
    fn is_static(&self) -> bool {
        self.access & ACC_STATIC != 0
    }

    fn is_constructor(&self) -> bool {
        self.name == "<init>" && !self.is_static()
    }

    /// Own fields are looked up in the class file; an inherited one is as the class path has it.
    fn field_may_throw(
        &self,
        here: &Instruction,
        constants: &ConstantPool<'_>,
        this: bool,
    ) -> Result<bool, Refusal> {
        let Operand::Constant(index) = here.operand else {
            return Ok(true);
        };
        let own = self.class.own_field(index, constants)?;
        let writes = matches!(here.opcode, op::PUTFIELD | op::PUTSTATIC);
        let initialiser = if self.is_static() {
            "<clinit>"
        } else {
            "<init>"
        };
        let refused = |access: u16| writes && access & ACC_FINAL != 0 && self.name != initialiser;
        Ok(match (here.opcode, own) {
            (op::GETSTATIC | op::PUTSTATIC, Some(access)) => {
                !self.is_static() || access & ACC_STATIC == 0 || refused(access)
            }
            (op::GETSTATIC | op::PUTSTATIC, None) => true,
            (_, Some(access)) => !this || access & ACC_STATIC != 0 || refused(access),
            (_, None) => !this,
        })
    }
}

/// The throw points of a method.
#[derive(Debug, Default)]
pub struct Throwing {
    /// Instructions at which an exception may leave their block, ascending.
    pub points: Vec<Pc>,
    /// Instructions that may throw before a constructor has initialised `this`, ascending.
    pub before_init: Vec<Pc>,
    /// Where `this` is not initialised yet.
    pub uninitialised: Uninitialised,
    /// Whether returns are throw points.
    pub returns_may_throw: bool,
}

impl Throwing {
    /// Finds them.
    pub(crate) fn of(
        cfg: &Cfg,
        code: &Code<'_>,
        constants: &ConstantPool<'_>,
        scope: &MethodScope<'_>,
    ) -> Result<Self, Refusal> {
        let constructs = scope.is_constructor() && scope.class.has_super;
        let any = |wanted: fn(u8) -> bool| {
            let opcodes = |r: &Range<usize>| &cfg.instructions[r.clone()];
            let mut blocks = cfg.blocks.iter().map(|b| opcodes(&b.instructions));
            blocks.any(|here| here.iter().any(|i| wanted(i.opcode)))
        };
        let fields = || any(|opcode| matches!(opcode, op::GETFIELD | op::PUTFIELD));
        let asked = constructs || (!scope.is_static() && fields());
        let mut effects = None;
        let mut receivers = None;
        if asked {
            let effects = effects.insert(Effects::of(cfg, constants)?);
            let found = Receivers::of(cfg, code, effects, constants, constructs)?;
            receivers = Some(found);
        }
        let receivers = receivers.as_ref();
        let mut result = Self {
            returns_may_throw: any(|i| matches!(i, op::MONITORENTER | op::MONITOREXIT)),
            ..Self::default()
        };
        if let Some(receivers) = receivers.filter(|_| constructs) {
            result.uninitialised = uninitialised(cfg, receivers);
        }
        let mut throwing = Vec::new();
        for i in cfg.blocks.iter().flat_map(|b| b.instructions.clone()) {
            let here = &cfg.instructions[i];
            if never_throws(here.opcode) {
                continue;
            }
            let this = receivers.is_some_and(|r| r.is_field_of_this(i));
            if may_throw(here, constants, scope, this, result.returns_may_throw)? {
                throwing.push(i);
            }
        }
        remove_sure(cfg, code, constants, effects, scope, &mut throwing)?;
        for i in throwing {
            let pc = Pc(cfg.instructions[i].pc);
            if receivers.is_some_and(|r| r.is_before_init(i)) {
                result.before_init.push(pc);
            } else {
                result.points.push(pc);
            }
        }
        Ok(result)
    }

    /// Makes throw points of reachable instructions whose values are taken: the call that takes them may overflow the stack. None is
    /// taken before a constructor has initialised `this`.
    pub(crate) fn add_assignments(&mut self, cfg: &Cfg, assigning: &BTreeSet<Pc>) {
        if assigning.is_empty() {
            return;
        }
        let reachable = cfg.blocks.iter().flat_map(|b| b.instructions.clone());
        let pcs = reachable.map(|i| Pc(cfg.instructions[i].pc));
        let taken = pcs.filter(|pc| assigning.contains(pc) && !self.uninitialised.contains(*pc));
        self.points.extend(taken);
        self.points.sort_unstable();
        self.points.dedup();
    }
}

/// Removes from `throwing`, indices of instructions, those that surely succeed; each analysis only if one of them may profit.
fn remove_sure(
    cfg: &Cfg,
    code: &Code<'_>,
    constants: &ConstantPool<'_>,
    effects: Option<Effects>,
    scope: &MethodScope<'_>,
    throwing: &mut Vec<usize>,
) -> Result<(), Refusal> {
    let may_succeed = |&i: &usize| may_be_sure(cfg.instructions[i].opcode);
    let succeeding = throwing.iter().any(may_succeed);
    if !succeeding && !may_repeat(cfg, throwing) {
        return Ok(());
    }
    let effects = effects.map_or_else(|| Effects::of(cfg, constants), Ok)?;
    if succeeding {
        let sure = sure_successes(cfg, &effects, constants);
        throwing.retain(|&i| !sure[i]);
    }
    if may_repeat(cfg, throwing) {
        let instance = !scope.is_static();
        let sure = sure_repeats(cfg, &effects, code.max_locals, constants, instance);
        throwing.retain(|&i| !sure[i]);
    }
    Ok(())
}

/// Loads of locals and small constants, stores, stack operations, jumps: most instructions.
const fn never_throws(opcode: u8) -> bool {
    matches!(opcode, op::NOP..=op::SIPUSH | op::ILOAD..=op::ALOAD_3 | op::ISTORE..=op::ASTORE_3 | op::POP..=op::SWAP | op::IINC..=op::GOTO)
}

fn may_throw(
    here: &Instruction,
    constants: &ConstantPool<'_>,
    scope: &MethodScope<'_>,
    field_of_this: bool,
    returns_may_throw: bool,
) -> Result<bool, Refusal> {
    Ok(match here.opcode {
        op::GETSTATIC..=op::PUTFIELD => scope.field_may_throw(here, constants, field_of_this)?,
        op::LDC | op::LDC_W | op::LDC2_W => match here.operand {
            Operand::Constant(index) => !matches!(
                constants.tag(index),
                Some(pool::tag::INTEGER..=pool::tag::DOUBLE | pool::tag::STRING)
            ),
            _ => true,
        },
        op::IALOAD..=op::SALOAD
        | op::IASTORE..=op::SASTORE
        | op::IDIV
        | op::LDIV
        | op::IREM
        | op::LREM
        | op::INVOKEVIRTUAL..=op::MONITOREXIT
        | op::MULTIANEWARRAY => true,
        op::IRETURN..=op::RETURN => returns_may_throw,
        _ => false,
    })
}

/// Where `this` is not initialised when an instruction begins; with what is never reached, since the JVM verifies that too.
fn uninitialised(cfg: &Cfg, receivers: &Receivers) -> Uninitialised {
    let mut initialised = vec![false; cfg.instructions.len()];
    for i in cfg.blocks.iter().flat_map(|b| b.instructions.clone()) {
        initialised[i] = !receivers.is_before_init(i);
    }
    let instructions = cfg.instructions.iter().zip(initialised);
    let before = instructions.filter(|(_, initialised)| !initialised);
    Uninitialised::of(before.map(|(here, _)| (Pc(here.pc), here.end())))
}
