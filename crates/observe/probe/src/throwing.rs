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

use pricetag_classfile::class::ACC_STATIC;
use pricetag_classfile::opcode as op;
use pricetag_classfile::{ClassFile, Code, ConstantPool, Instruction, Operand, pool};
use pricetag_flow::{Cfg, Receivers, sure_repeats, sure_successes};
use pricetag_probe_plan::Pc;

use crate::method::Refusal;

const ACC_FINAL: u16 = 0x0010;

/// What matters of a class.
#[derive(Debug)]
pub struct ClassScope {
    name: String,
    has_super: bool,
    /// Access flags of its own fields by name and descriptor.
    fields: BTreeMap<(String, String), u16>,
}

impl ClassScope {
    /// Reads it off a class file.
    pub fn of(class: &ClassFile<'_>) -> Self {
        let constants = class.constants();
        let fields = class.fields().iter();
        Self {
            name: class.name(),
            has_super: class.super_name().is_some(),
            fields: fields
                .map(|f| ((f.name(constants), f.descriptor(constants)), f.access))
                .collect(),
        }
    }
}

/// What matters of a method besides its code.
#[derive(Clone, Copy, Debug)]
pub struct MethodScope<'a> {
    /// Its class.
    pub class: &'a ClassScope,
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
        let field = constants.member_ref(index)?;
        let owner_is_us = field.owner == self.class.name;
        let own = self
            .class
            .fields
            .get(&(field.name, field.descriptor))
            .filter(|_| owner_is_us);
        let writes = matches!(here.opcode, op::PUTFIELD | op::PUTSTATIC);
        let initialiser = if self.is_static() {
            "<clinit>"
        } else {
            "<init>"
        };
        let refused = |access: u16| writes && access & ACC_FINAL != 0 && self.name != initialiser;
        Ok(match (here.opcode, own) {
            (op::GETSTATIC | op::PUTSTATIC, Some(&access)) => {
                !self.is_static() || access & ACC_STATIC == 0 || refused(access)
            }
            (op::GETSTATIC | op::PUTSTATIC, None) => true,
            (_, Some(&access)) => !this || access & ACC_STATIC != 0 || refused(access),
            (_, None) => !this,
        })
    }
}

/// The throw points of a method.
#[derive(Debug, Default)]
pub struct Throwing {
    /// Instructions at which an exception may leave their block.
    pub points: BTreeSet<Pc>,
    /// Instructions that may throw before a constructor has initialised `this`.
    pub before_init: BTreeSet<Pc>,
    /// The instruction that initialises `this`, if one has to.
    pub initialiser: Option<Pc>,
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
        let reachable = || cfg.blocks.iter().flat_map(|b| b.instructions.clone());
        let is_field = |i: usize| matches!(cfg.instructions[i].opcode, op::GETFIELD | op::PUTFIELD);
        let asked = constructs || (!scope.is_static() && reachable().any(is_field));
        let receivers = asked
            .then(|| Receivers::of(cfg, code, constants, constructs))
            .transpose()?;
        let is_monitor = |i: &Instruction| matches!(i.opcode, op::MONITORENTER | op::MONITOREXIT);
        let mut result = Self {
            returns_may_throw: reachable().any(|i| is_monitor(&cfg.instructions[i])),
            ..Self::default()
        };
        if let Some(receivers) = receivers.as_ref().filter(|_| constructs) {
            result.initialiser = Some(sole_initialiser(cfg, code, receivers)?);
        }
        let succeeds = sure_successes(cfg, constants)?;
        let repeats = sure_repeats(cfg, code.max_locals, constants, !scope.is_static())?;
        for i in reachable().filter(|&i| !succeeds[i] && !repeats[i]) {
            let here = &cfg.instructions[i];
            let this = receivers.as_ref().is_some_and(|r| r.is_field_of_this(i));
            if !may_throw(here, constants, scope, this, result.returns_may_throw)? {
                continue;
            }
            if receivers.as_ref().is_some_and(|r| r.is_before_init(i)) {
                result.before_init.insert(Pc(here.pc));
            } else {
                result.points.insert(Pc(here.pc));
            }
        }
        Ok(result)
    }
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

/// The one instruction that initialises `this`, if all counted code before it runs before it, and all behind it after.
fn sole_initialiser(cfg: &Cfg, code: &Code<'_>, receivers: &Receivers) -> Result<Pc, Refusal> {
    let initialiser = match receivers.initialisers() {
        [] => return Err(Refusal::NeverInitialised),
        [only] => *only,
        [first, second, ..] => {
            return Err(Refusal::InitialisedTwice {
                first: first.0,
                second: second.0,
            });
        }
    };
    for i in cfg.blocks.iter().flat_map(|b| b.instructions.clone()) {
        let pc = cfg.instructions[i].pc;
        if receivers.is_before_init(i) != (pc <= initialiser.0) {
            return Err(Refusal::InitialisedOutOfOrder {
                pc,
                initialiser: initialiser.0,
            });
        }
        let covered = || {
            code.exception_table
                .iter()
                .any(|e| e.start_pc <= pc && pc < e.end_pc)
        };
        if receivers.is_before_init(i) && covered() {
            return Err(Refusal::HandlerBeforeInit { pc });
        }
    }
    Ok(initialiser)
}
