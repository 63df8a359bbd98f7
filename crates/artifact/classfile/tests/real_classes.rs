//! The JDK's own classes: read like another reader does, and written back to the same bytes.

use pricetag_classfile::assemble::Keys;
use pricetag_classfile::frame::{FrameWriter, initial_locals};
use pricetag_classfile::{
    Assembler, ClassFile, Code, Instruction, Operand, PoolAppender, opcode, text,
};
use std::collections::BTreeMap;
use std::process::Command;

const SAMPLE: &str = "/java.base/java/(util|io|text)/[A-Z].*";

/// Takes code apart and assembles it again from labels.
fn reassemble(code: &Code<'_>, instructions: &[Instruction]) -> Vec<u8> {
    let mut asm = Assembler::new(code.bytes.len(), code.bytes.len(), 0);
    let label = |asm: &Assembler, pc: u32| asm.numbered(pc as usize).expect("one label per byte");
    for instruction in instructions {
        let here = label(&asm, u32::from(instruction.pc));
        asm.bind(here);
        match &instruction.operand {
            Operand::Branch(target) => {
                let target = label(&asm, *target);
                asm.jump(instruction.opcode, target);
            }
            Operand::TableSwitch {
                default,
                low,
                targets,
            } => {
                let targets = targets.iter().map(|pc| label(&asm, *pc)).collect();
                let default = label(&asm, *default);
                asm.switch(Keys::From(*low), default, targets);
            }
            Operand::LookupSwitch { default, pairs } => {
                let targets = pairs.iter().map(|pair| label(&asm, pair.1)).collect();
                let default = label(&asm, *default);
                asm.switch(
                    Keys::Each(pairs.iter().map(|pair| pair.0).collect()),
                    default,
                    targets,
                );
            }
            _ => asm.raw(&code.bytes[usize::from(instruction.pc)..instruction.end() as usize]),
        }
    }
    asm.finish().expect("as long as before").code
}

#[test]
fn code_and_frames_survive_being_taken_apart() {
    let (mut methods, mut tables) = (0, 0);
    for (path, bytes) in pricetag_testkit::jdk::classes(SAMPLE) {
        let class = ClassFile::parse(&bytes).expect("a class of the JDK");
        let pool = class.constants();
        let mut appender = PoolAppender::new(pool);
        for method in class.methods() {
            let Some(code) = method.code(pool).expect("code") else {
                continue;
            };
            let instructions = code.instructions().expect("instructions");
            let (name, descriptor) = (method.name(pool), method.descriptor(pool));
            assert_eq!(
                reassemble(&code, &instructions),
                code.bytes,
                "{} {name}",
                path.display()
            );
            methods += 1;
            let initial = initial_locals(method.access, &name, &descriptor, &class.name(), |c| {
                appender.class(c)
            })
            .expect("room in the pool")
            .expect("a descriptor");
            let frames = code.frames(pool, &initial).expect("frames");
            let mut writer = FrameWriter::new(Some(initial), 0);
            for frame in frames.iter() {
                writer.push(frame.pc, frame.locals, frame.stack);
            }
            let original = code
                .attributes
                .find(pool, "StackMapTable")
                .map(|a| a.bytes.to_vec());
            assert_eq!(writer.finish(), original, "{} {name}", path.display());
            tables += usize::from(!frames.is_empty());
        }
    }
    assert!(
        methods > 5000 && tables > 2000,
        "{methods} methods, {tables} with frames"
    );
}

#[test]
fn reads_like_cafebabe() {
    for (path, bytes) in pricetag_testkit::jdk::classes("/java.base/java/util/[A-M].*") {
        let ours = ClassFile::parse(&bytes).expect("ours");
        let pool = ours.constants();
        let theirs = cafebabe::parse_class(&bytes).expect("theirs");
        assert_eq!(ours.major(), theirs.major_version);
        assert_eq!(ours.name(), *theirs.this_class);
        assert_eq!(
            ours.super_name(),
            theirs.super_class.as_ref().map(ToString::to_string)
        );
        let interfaces: Vec<String> = theirs.interfaces.iter().map(ToString::to_string).collect();
        assert_eq!(ours.interfaces(), interfaces);
        assert_eq!(ours.fields().len(), theirs.fields.len());
        assert_eq!(ours.methods().len(), theirs.methods.len());
        for (our, their) in ours.methods().iter().zip(&theirs.methods) {
            assert_eq!(our.name(pool), *their.name);
            assert_eq!(our.descriptor(pool), their.descriptor.to_string());
            let code = our.code(pool).expect("code");
            let their_code = their.attributes.iter().find_map(|a| match &a.data {
                cafebabe::attributes::AttributeData::Code(code) => Some(code),
                _ => None,
            });
            assert_eq!(code.is_some(), their_code.is_some());
            let (Some(code), Some(their_code)) = (code, their_code) else {
                continue;
            };
            assert_eq!(code.max_locals, their_code.max_locals);
            assert_eq!(code.exception_table.len(), their_code.exception_table.len());
            let starts: Vec<usize> = code
                .instructions()
                .expect("instructions")
                .iter()
                .map(|i| usize::from(i.pc))
                .collect();
            let their_bytecode = their_code.bytecode.as_ref().expect("bytecode");
            let their_starts: Vec<usize> =
                their_bytecode.opcodes.iter().map(|(pc, _)| *pc).collect();
            assert_eq!(starts, their_starts, "{} {}", path.display(), their.name);
        }
    }
}

/// `javap`'s view of a class: for each method in order, `(pc, mnemonic)` of every instruction.
fn javap(class: &str) -> Vec<Vec<(u16, String)>> {
    let output = Command::new("javap")
        .args(["-c", "-p", class])
        .output()
        .expect("javap runs");
    let mut methods = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if line.trim() == "Code:" {
            methods.push(Vec::new());
        }
        let Some((pc, rest)) = line.trim().split_once(": ") else {
            continue;
        };
        let word = rest.split_whitespace().next().unwrap_or_default();
        // Cases of a switch look like `12: 40`.
        if let (Ok(pc), Some(method)) = (pc.parse(), methods.last_mut())
            && !word.starts_with(|c: char| c.is_ascii_digit())
        {
            method.push((pc, word.to_owned()));
        }
    }
    methods
}

#[test]
fn names_instructions_like_javap() {
    let mut seen = BTreeMap::new();
    for (path, bytes) in pricetag_testkit::jdk::classes(
        "/java.base/java/util/(HashMap|Formatter|Base64.Decoder|Scanner).class",
    ) {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let class = ClassFile::parse(&bytes).expect("a class of the JDK");
        let mut ours = Vec::new();
        for method in class.methods() {
            let Some(code) = method.code(class.constants()).expect("code") else {
                continue;
            };
            let instructions = code.instructions().expect("instructions");
            for instruction in &instructions {
                *seen.entry(instruction.opcode).or_insert(0) += 1;
            }
            let with_prefix = |i: &Instruction| {
                let suffix = if i.wide { "_w" } else { "" };
                (i.pc, format!("{}{suffix}", opcode::mnemonic(i.opcode)))
            };
            ours.push(instructions.iter().map(with_prefix).collect::<Vec<_>>());
        }
        assert_eq!(ours, javap(&format!("java.util.{name}")), "{name}");
    }
    assert!(seen.len() > 90, "{} opcodes seen", seen.len());
}

#[test]
fn shows_names_instead_of_indexes() {
    let (_, bytes) =
        pricetag_testkit::jdk::classes("/java.base/java/util/Collections.EmptyList.class")
            .remove(0);
    let class = ClassFile::parse(&bytes).expect("a class of the JDK");
    let get = class
        .methods()
        .iter()
        .find(|m| m.name(class.constants()) == "get")
        .expect("get");
    let shown = text::method(&class, get).expect("text");
    assert!(
        shown.contains("new java/lang/IndexOutOfBoundsException"),
        "{shown}"
    );
    assert!(
        shown.contains("ldc \"Index: \"")
            || shown.contains("invokedynamic #0:makeConcatWithConstants"),
        "{shown}"
    );
}
