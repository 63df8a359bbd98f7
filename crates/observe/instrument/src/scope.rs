//! Which methods are scopes, and the code that reports their invocations.

use crate::error::MethodError;
use crate::runtime::HELPER_CLASS;
use crate::{ScopeMethod, ScopeProbe};
use pricetag_classfile::class::{ACC_ABSTRACT, ACC_NATIVE, ACC_STATIC};
use pricetag_classfile::{
    Assembler, ClassFile, ConstantPool, Member, PoolAppender, descriptor, naming, opcode, spelling,
};

fn matches(probe: &ScopeProbe, member: &Member<'_>, constants: &ConstantPool<'_>) -> bool {
    probe.method == member.name(constants)
        && probe
            .descriptor
            .as_ref()
            .is_none_or(|list| spelling::takes(&member.descriptor(constants), list))
}

/// The ids of the scopes that are this method, and those refused with the reason.
pub(crate) fn of_method(
    member: &Member<'_>,
    constants: &ConstantPool<'_>,
    probes: &[ScopeProbe],
) -> (Vec<i32>, Vec<(i32, String)>) {
    let (mut ids, mut refused) = (Vec::new(), Vec::new());
    for probe in probes
        .iter()
        .filter(|probe| matches(probe, member, constants))
    {
        if probe.method.starts_with('<') {
            refused.push((
                probe.id,
                format!("{} is a constructor or static initialiser", probe.method),
            ));
        } else if member.access & (ACC_ABSTRACT | ACC_NATIVE) == 0 {
            ids.push(probe.id);
        } else if probe.descriptor.is_some() {
            refused.push((probe.id, format!("{} is abstract or native", probe.method)));
        }
    }
    (ids, refused)
}

/// A method under the ids of the scopes that it is.
pub(crate) fn described(
    member: &Member<'_>,
    constants: &ConstantPool<'_>,
    ids: &[i32],
) -> Vec<ScopeMethod> {
    let described = |id: &i32| ScopeMethod {
        id: *id,
        method: member.name(constants) + &member.descriptor(constants),
        parameters: member.parameter_names(constants),
    };
    ids.iter().map(described).collect()
}

/// Scopes that no method of the class is.
pub(crate) fn unmatched(class: &ClassFile<'_>, probes: &[ScopeProbe]) -> Vec<(i32, String)> {
    let constants = class.constants();
    let found = |probe: &ScopeProbe| {
        class
            .methods()
            .iter()
            .any(|member| matches(probe, member, constants))
    };
    let missing = probes.iter().filter(|probe| !found(probe));
    missing
        .map(|probe| (probe.id, lacking(class, probe)))
        .collect()
}

/// That a class lacks a method, and what it has instead: the same with other parameters, or other names.
fn lacking(class: &ClassFile<'_>, probe: &ScopeProbe) -> String {
    /// Names that are told.
    const TOLD: usize = 8;
    let constants = class.constants();
    let list = probe.descriptor.as_deref().unwrap_or_default();
    let lacks = format!(
        "class {} has no method {}{list}",
        class.name(),
        probe.method
    );
    let members = class.methods().iter();
    let names = members.map(|member| (member.name(constants), member.descriptor(constants)));
    let (same, others): (Vec<_>, Vec<_>) = names.partition(|(name, _)| *name == probe.method);
    let mut told: Vec<String> = if same.is_empty() {
        others
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| !name.contains(['<', '$']))
            .collect()
    } else {
        same.into_iter()
            .map(|(name, descriptor)| format!("{name}({})", naming::short_parameters(&descriptor)))
            .collect()
    };
    told.sort();
    told.dedup();
    let more = if told.len() > TOLD { ", …" } else { "" };
    told.truncate(TOLD);
    if told.is_empty() {
        return lacks;
    }
    format!("{lacks}; it has {}{more}", told.join(", "))
}

/// Appends code that reports every parameter and the beginning of each scope.
pub(crate) fn enter(
    asm: &mut Assembler,
    constants: &mut PoolAppender<'_, '_>,
    access: u16,
    method_descriptor: &str,
    scopes: &[i32],
) -> Result<(), MethodError> {
    if scopes.is_empty() {
        return Ok(());
    }
    let (parameters, _) = descriptor::split(method_descriptor).ok_or(MethodError::Descriptor)?;
    for id in scopes {
        let mut local = u16::from(access & ACC_STATIC == 0);
        for parameter in &parameters {
            report_parameter(asm, constants, parameter, local)?;
            local = local.saturating_add(descriptor::slots(parameter));
        }
        asm.int(*id, constants)?;
        let index = constants.method(HELPER_CLASS, "enter", "(I)V")?;
        asm.constant(opcode::INVOKESTATIC, index);
    }
    Ok(())
}

fn report_parameter(
    asm: &mut Assembler,
    constants: &mut PoolAppender<'_, '_>,
    parameter: &str,
    local: u16,
) -> Result<(), MethodError> {
    let (load, widen, method, method_descriptor) = match parameter.as_bytes()[0] {
        b'J' => (opcode::LLOAD, None, "argLong", "(J)V"),
        b'D' => (opcode::DLOAD, None, "argDouble", "(D)V"),
        b'F' => (opcode::FLOAD, Some(opcode::F2D), "argDouble", "(D)V"),
        b'L' | b'[' => (opcode::ALOAD, None, "argObject", "(Ljava/lang/Object;)V"),
        _ => (opcode::ILOAD, Some(opcode::I2L), "argLong", "(J)V"),
    };
    asm.local(load, local);
    if let Some(widen) = widen {
        asm.op(widen);
    }
    let index = constants.method(HELPER_CLASS, method, method_descriptor)?;
    asm.constant(opcode::INVOKESTATIC, index);
    Ok(())
}

/// Appends code that reports the end of each scope, the last begun first.
pub(crate) fn exit(
    asm: &mut Assembler,
    constants: &mut PoolAppender<'_, '_>,
    scopes: &[i32],
    threw: bool,
) -> Result<(), MethodError> {
    for id in scopes.iter().rev() {
        asm.int(*id, constants)?;
        asm.op(if threw {
            opcode::ICONST_1
        } else {
            opcode::ICONST_0
        });
        let index = constants.method(HELPER_CLASS, "exit", "(IZ)V")?;
        asm.constant(opcode::INVOKESTATIC, index);
    }
    Ok(())
}
