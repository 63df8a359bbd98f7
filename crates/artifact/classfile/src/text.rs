//! Bytecode as text, in the manner of `javap -c` but with names instead of constant indexes.

use crate::ClassFileError;
use crate::class::{ClassFile, Member};
use crate::code::Code;
use crate::instruction::{Instruction, Operand};
use crate::opcode;
use crate::pool::{Constant, ConstantPool, MemberRef};
use std::fmt::Write;

/// One instruction: `aload_0`, `invokevirtual java/lang/String.length()I`, `if_icmpge 20`.
///
/// Constants that cannot be resolved are shown by index, `#7`.
pub fn instruction(instruction: &Instruction, constants: &ConstantPool<'_>) -> String {
    let mnemonic = opcode::mnemonic(instruction.opcode);
    match &instruction.operand {
        Operand::None => mnemonic.to_owned(),
        Operand::Local(local) => format!("{mnemonic} {local}"),
        Operand::Iinc { local, delta } => format!("{mnemonic} {local} {delta:+}"),
        Operand::Immediate(number) => format!("{mnemonic} {number}"),
        Operand::Constant(index)
        | Operand::InvokeDynamic(index)
        | Operand::InvokeInterface { index, .. } => {
            format!("{mnemonic} {}", constant(*index, constants))
        }
        Operand::Branch(target) => format!("{mnemonic} {target}"),
        Operand::TableSwitch {
            default,
            low,
            targets,
        } => {
            let pairs = targets
                .iter()
                .enumerate()
                .map(|(i, target)| (i64::from(*low) + i as i64, *target));
            format!("{mnemonic} {}", cases(pairs, *default))
        }
        Operand::LookupSwitch { default, pairs } => {
            let pairs = pairs
                .iter()
                .map(|(value, target)| (i64::from(*value), *target));
            format!("{mnemonic} {}", cases(pairs, *default))
        }
        Operand::NewArray(kind) => format!("{mnemonic} {}", element_type(*kind)),
        Operand::MultiNewArray { index, dimensions } => {
            format!("{mnemonic} {} {dimensions}", constant(*index, constants))
        }
    }
}

fn cases(pairs: impl Iterator<Item = (i64, u32)>, default: u32) -> String {
    let mut text = String::from("{");
    for (value, target) in pairs {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{value}: {target}, ");
    }
    let _ = write!(text, "default: {default}}}");
    text
}

fn element_type(kind: u8) -> &'static str {
    const NAMES: [&str; 8] = [
        "boolean", "char", "float", "double", "byte", "short", "int", "long",
    ];
    usize::from(kind)
        .checked_sub(4)
        .and_then(|i| NAMES.get(i))
        .copied()
        .unwrap_or("unknown")
}

fn member(member: &MemberRef) -> String {
    let separator = if member.descriptor.starts_with('(') {
        ""
    } else {
        ":"
    };
    format!(
        "{}.{}{separator}{}",
        member.owner, member.name, member.descriptor
    )
}

fn constant(index: u16, constants: &ConstantPool<'_>) -> String {
    if let Ok(reference) = constants.member_ref(index) {
        return member(&reference);
    }
    if let Ok(name) = constants.class_name(index) {
        return name;
    }
    match constants.loadable(index) {
        Ok(Constant::Integer(number)) => number.to_string(),
        Ok(Constant::Long(number)) => format!("{number}L"),
        Ok(Constant::Float(number)) => format!("{number:?}f"),
        Ok(Constant::Double(number)) => format!("{number:?}d"),
        Ok(Constant::String(text)) => format!("{text:?}"),
        Ok(Constant::MethodType(text)) => text,
        Ok(Constant::MethodHandle(kind, reference)) => {
            format!("handle {kind} {}", member(&reference))
        }
        Ok(Constant::Class(name)) => name,
        Ok(Constant::Dynamic(dynamic)) => format!(
            "#{}:{}:{}",
            dynamic.bootstrap, dynamic.name, dynamic.descriptor
        ),
        Err(_) => match constants.invoke_dynamic(index) {
            Ok(dynamic) => format!(
                "#{}:{}{}",
                dynamic.bootstrap, dynamic.name, dynamic.descriptor
            ),
            Err(_) => format!("#{index}"),
        },
    }
}

/// The code of a method: one instruction per line, offsets in front, the exception table behind.
pub fn code(code: &Code<'_>, constants: &ConstantPool<'_>) -> Result<String, ClassFileError> {
    let mut text = String::new();
    for decoded in code.instructions()? {
        let _ = writeln!(
            text,
            "{:5}: {}",
            decoded.pc,
            instruction(&decoded, constants)
        );
    }
    for entry in &code.exception_table {
        let caught = if entry.catch_type == 0 {
            "any".to_owned()
        } else {
            constant(entry.catch_type, constants)
        };
        let _ = writeln!(
            text,
            "  try {}..{} catch {caught} -> {}",
            entry.start_pc, entry.end_pc, entry.handler_pc
        );
    }
    Ok(text)
}

/// A method: its name, and its code if it has any.
pub fn method(class: &ClassFile<'_>, method: &Member<'_>) -> Result<String, ClassFileError> {
    let constants = class.constants();
    let mut text = format!(
        "{}{}\n",
        method.name(constants),
        method.descriptor(constants)
    );
    if let Some(body) = method.code(constants)? {
        text.push_str(&code(&body, constants)?);
    }
    Ok(text)
}
