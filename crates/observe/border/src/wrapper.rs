//! The code of one wrapper: tells the border that a call begins, with each parameter, makes the call, and tells how it ended.
//!
//! ```text
//!     token = Border.enter(id, receiver)   or   leave(id, receiver)
//!     Border.argument(parameter, token)    for each
//! start:
//!     the call
//! end:
//!     Border.returned(result, token)
//!     return
//! handler of everything from start to end:
//!     Border.threw(failure, token), throw it on
//! ```

use pricetag_classfile::class::ACC_STATIC;
use pricetag_classfile::frame::{FrameWriter, initial_locals};
use pricetag_classfile::{
    Assembler, ClassFileError, PoolAppender, VerificationType, descriptor, opcode,
};

const BORDER: &str = "pricetag/border/Border";
const THROWABLE: &str = "java/lang/Throwable";
/// Words of the operand stack beyond the parameters: a result of two words, twice, and a token.
const WORDS: u16 = 6;

/// Which way a call crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Enters,
    Leaves,
}

/// What a wrapper does.
pub(crate) struct Wrapper<'w> {
    /// Its flags; static ones have no receiver of their own.
    pub access: u16,
    /// Its descriptor.
    pub descriptor: &'w str,
    /// The class that it stands in.
    pub class: &'w str,
    pub way: Way,
    /// Number of the method or place.
    pub id: i32,
    /// Whether the first local is the receiver of the call.
    pub receiver: bool,
    /// The call: its opcode, and the constant of the method.
    pub invoke: (u8, u16),
}

/// The `Code` attribute of a wrapper, with name and length.
pub(crate) fn code(
    wrapper: &Wrapper<'_>,
    constants: &mut PoolAppender<'_, '_>,
) -> Result<Vec<u8>, ClassFileError> {
    let odd = ClassFileError::Malformed {
        offset: 0,
        what: "a method's descriptor",
    };
    let (parameters, result) = descriptor::split(wrapper.descriptor).ok_or(odd)?;
    let own = u16::from(wrapper.access & ACC_STATIC == 0);
    let token = own
        + parameters
            .iter()
            .map(|parameter| descriptor::slots(parameter))
            .sum::<u16>();
    let mut asm = Assembler::default();
    asm.int(wrapper.id, constants)?;
    if wrapper.receiver {
        asm.local(opcode::ALOAD, 0);
    } else {
        asm.op(opcode::ACONST_NULL);
    }
    let mut call = |asm: &mut Assembler, name: &str, descriptor: &str| {
        let index = constants.method(BORDER, name, descriptor)?;
        asm.constant(opcode::INVOKESTATIC, index);
        Ok::<_, ClassFileError>(())
    };
    let begin = match wrapper.way {
        Way::Enters => "enter",
        Way::Leaves => "leave",
    };
    call(&mut asm, begin, "(ILjava/lang/Object;)I")?;
    asm.local(opcode::ISTORE, token);
    // The receiver of a call that leaves is a parameter of its wrapper, and none of the service.
    let told = usize::from(wrapper.way == Way::Leaves && wrapper.receiver && own == 0);
    let mut local = own;
    for (index, parameter) in parameters.iter().enumerate() {
        if index >= told {
            let (load, widened, kind) = kinds(parameter);
            asm.local(load, local);
            asm.raw(widened);
            asm.local(opcode::ILOAD, token);
            call(&mut asm, "argument", &format!("({kind}I)V"))?;
        }
        local += descriptor::slots(parameter);
    }
    let start = asm.here();
    if own == 1 {
        asm.local(opcode::ALOAD, 0);
    }
    let mut local = own;
    for parameter in &parameters {
        asm.local(kinds(parameter).0, local);
        local += descriptor::slots(parameter);
    }
    let (how, method) = wrapper.invoke;
    asm.constant(how, method);
    if how == opcode::INVOKEINTERFACE {
        asm.raw(&[token as u8, 0]);
    }
    let end = asm.here();
    if result == "V" {
        asm.local(opcode::ILOAD, token);
        call(&mut asm, "returned", "(I)V")?;
        asm.op(opcode::RETURN);
    } else {
        let (load, widened, kind) = kinds(result);
        asm.op(if descriptor::slots(result) == 2 {
            opcode::DUP2
        } else {
            opcode::DUP
        });
        asm.raw(widened);
        asm.local(opcode::ILOAD, token);
        call(&mut asm, "returned", &format!("({kind}I)V"))?;
        // `iload` … `aload` and `ireturn` … `areturn` are in the same order.
        asm.op(opcode::IRETURN + (load - opcode::ILOAD));
    }
    let handler = asm.here();
    asm.op(opcode::DUP);
    asm.local(opcode::ILOAD, token);
    call(&mut asm, "threw", "(Ljava/lang/Throwable;I)V")?;
    asm.op(opcode::ATHROW);
    let assembled = asm.finish()?;
    let at = |label| assembled.offset(label) as u16;

    let throwable = constants.class(THROWABLE)?;
    let initial = initial_locals(
        wrapper.access,
        "wrapper",
        wrapper.descriptor,
        wrapper.class,
        |name| constants.class(name),
    )?
    .unwrap_or_default();
    let mut locals = initial.clone();
    locals.push(VerificationType::Integer);
    let mut frames = FrameWriter::new(Some(initial), 1);
    frames.push(at(handler), &locals, &[VerificationType::Object(throwable)]);

    let mut body = Vec::new();
    body.extend((token + WORDS).to_be_bytes());
    body.extend((token + 1).to_be_bytes());
    body.extend((assembled.code.len() as u32).to_be_bytes());
    body.extend(&assembled.code);
    body.extend(1_u16.to_be_bytes());
    for number in [at(start), at(end), at(handler), 0] {
        body.extend(number.to_be_bytes());
    }
    body.extend(1_u16.to_be_bytes());
    body.extend(attribute(
        constants.utf8("StackMapTable")?,
        &frames.finish().unwrap_or_default(),
    ));
    Ok(attribute(constants.utf8("Code")?, &body))
}

/// An attribute with its name and length.
pub(crate) fn attribute(name: u16, contents: &[u8]) -> Vec<u8> {
    let mut out = name.to_be_bytes().to_vec();
    out.extend((contents.len() as u32).to_be_bytes());
    out.extend(contents);
    out
}

/// How a value of a type is loaded, what widens it, and as what it is told.
fn kinds(field: &str) -> (u8, &'static [u8], &'static str) {
    match field.as_bytes().first() {
        Some(b'J') => (opcode::LLOAD, &[], "J"),
        Some(b'D') => (opcode::DLOAD, &[], "D"),
        Some(b'F') => (opcode::FLOAD, &[opcode::F2D], "D"),
        Some(b'L' | b'[') => (opcode::ALOAD, &[], "Ljava/lang/Object;"),
        _ => (opcode::ILOAD, &[opcode::I2L], "J"),
    }
}
