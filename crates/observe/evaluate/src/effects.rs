//! Where a program opens files for writing by the constructors of `java.io`: these are led to a place where everything is lost.
//!
//! A program that opens its output before it works would otherwise have no evaluation at all. Every other way to act ends the
//! evaluation when it is about to happen (`runtime/pricetag/predictor/Guard.java`).

use pricetag_classfile::{ClassFile, Instruction, Operand, opcode};
use pricetag_instrument::insert::{Argument, Insertion, Place};

use crate::runtime::HOOKS;

const PATH: (&str, &str) = ("path", "(Ljava/lang/String;)Ljava/lang/String;");
const FILE: (&str, &str) = ("file", "(Ljava/io/File;)Ljava/io/File;");
const DESCRIPTOR: (&str, &str) = (
    "descriptor",
    "(Ljava/io/FileDescriptor;)Ljava/io/FileDescriptor;",
);
/// Classes whose constructors open a file for writing.
const WRITERS: [&str; 4] = [
    "java/io/FileOutputStream",
    "java/io/FileWriter",
    "java/io/PrintStream",
    "java/io/PrintWriter",
];

/// What takes the place of the file that an instruction opens; none if it opens none.
pub(crate) fn redirection(file: &ClassFile<'_>, instruction: &Instruction) -> Option<Insertion> {
    let (opcode::INVOKESPECIAL, Operand::Constant(index)) =
        (instruction.opcode, &instruction.operand)
    else {
        return None;
    };
    let member = file.constants().member_ref(*index).ok()?;
    if member.name != "<init>" || !WRITERS.contains(&member.owner.as_str()) {
        return None;
    }
    let parameters = member.descriptor.strip_prefix('(')?.strip_suffix(")V")?;
    let kinds = [
        ("Ljava/lang/String;", PATH),
        ("Ljava/io/File;", FILE),
        ("Ljava/io/FileDescriptor;", DESCRIPTOR),
    ];
    let (rest, (name, descriptor)) = kinds
        .iter()
        .find_map(|(kind, hook)| Some((parameters.strip_prefix(kind)?, *hook)))?;
    let argument = match rest {
        "" => Argument::Top,
        "Z" | "Ljava/lang/String;" | "Ljava/nio/charset/Charset;" => Argument::BelowTop,
        _ => return None,
    };
    Some(Insertion {
        place: Place::Before(instruction.pc),
        owner: HOOKS.to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
        argument,
    })
}
