//! What instrumented code needs at run time: the class `java/lang/Pricetag` and two fields of `java/lang/Thread`.

use crate::error::RewriteError;
use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{Assembler, ClassFile, ClassFileError, PoolAppender, opcode};

/// Internal name of the class instrumented code calls.
pub const HELPER_CLASS: &str = "java/lang/Pricetag";
/// Field of `java.lang.Thread` of type `long[][]`: the thread's chunks by class index.
pub const THREAD_CHUNKS_FIELD: &str = "$pricetag";
/// Field of `java.lang.Thread` of type `int`: the agent's number of the thread.
pub const THREAD_INDEX_FIELD: &str = "$pricetagThread";

const THREAD: &str = "java/lang/Thread";
const ACC_PUBLIC: u16 = 0x0001;
const ACC_STATIC: u16 = 0x0008;
const ACC_FINAL: u16 = 0x0010;
const ACC_SUPER: u16 = 0x0020;
const ACC_TRANSIENT: u16 = 0x0080;
const ACC_NATIVE: u16 = 0x0100;
/// The last class-file version that knows no frames.
const VERSION: u16 = 49;

/// Native methods of the helper class, with their descriptors.
const NATIVES: [(&str, &str); 7] = [
    ("slow", "(I)[J"),
    ("argLong", "(J)V"),
    ("argDouble", "(D)V"),
    ("argObject", "(Ljava/lang/Object;)V"),
    ("enter", "(I)V"),
    ("exit", "(IZ)V"),
    ("mark", "(II)V"),
];

/// The class file of `java/lang/Pricetag`.
///
/// `chunk(int)` returns the current thread's chunk of a class, by way of the native `slow(int)` if there is none yet.
///
/// # Panics
///
/// Never: the class is small and always the same.
pub fn helper_class() -> Vec<u8> {
    build_helper().expect("the helper class is within every limit of the format")
}

fn build_helper() -> Result<Vec<u8>, ClassFileError> {
    let mut pool = PoolAppender::empty();
    let (this, parent) = (pool.class(HELPER_CLASS)?, pool.class("java/lang/Object")?);
    let code_name = pool.utf8("Code")?;
    let chunk = chunk_code(&mut pool)?;
    let mut body = Vec::new();
    for number in [
        ACC_PUBLIC | ACC_FINAL | ACC_SUPER,
        this,
        parent,
        0,
        0,
        NATIVES.len() as u16 + 1,
    ] {
        body.extend(number.to_be_bytes());
    }
    for number in [
        ACC_PUBLIC | ACC_STATIC,
        pool.utf8("chunk")?,
        pool.utf8("(I)[J")?,
        1,
        code_name,
    ] {
        body.extend(number.to_be_bytes());
    }
    body.extend((chunk.len() as u32 + 12).to_be_bytes());
    body.extend([0, 2, 0, 3]);
    body.extend((chunk.len() as u32).to_be_bytes());
    body.extend(chunk);
    body.extend([0, 0, 0, 0]);
    for (name, descriptor) in NATIVES {
        for number in [
            ACC_PUBLIC | ACC_STATIC | ACC_NATIVE,
            pool.utf8(name)?,
            pool.utf8(descriptor)?,
            0,
        ] {
            body.extend(number.to_be_bytes());
        }
    }
    body.extend([0, 0]);
    let mut class = 0xCAFE_BABE_u32.to_be_bytes().to_vec();
    for number in [0, VERSION, pool.count()] {
        class.extend(number.to_be_bytes());
    }
    class.extend(pool.added());
    class.extend(body);
    Ok(class)
}

/// `Thread t = currentThread(); if (t != null) { long[][] a = t.$pricetag; if (a != null && i < a.length) { long[] c = a[i];
/// if (c != null) return c; } } return slow(i);`
fn chunk_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    const CLASS: u16 = 0;
    const ARRAY: u16 = 1;
    const CHUNK: u16 = 2;
    let mut asm = Assembler::default();
    let slow = asm.label();
    asm.constant(
        opcode::INVOKESTATIC,
        pool.method(THREAD, "currentThread", "()Ljava/lang/Thread;")?,
    );
    asm.local(opcode::ASTORE, ARRAY);
    asm.local(opcode::ALOAD, ARRAY);
    asm.jump(opcode::IFNULL, slow);
    asm.local(opcode::ALOAD, ARRAY);
    asm.constant(
        opcode::GETFIELD,
        pool.field(THREAD, THREAD_CHUNKS_FIELD, "[[J")?,
    );
    asm.local(opcode::ASTORE, CHUNK);
    asm.local(opcode::ALOAD, CHUNK);
    asm.jump(opcode::IFNULL, slow);
    asm.local(opcode::ILOAD, CLASS);
    asm.local(opcode::ALOAD, CHUNK);
    asm.op(opcode::ARRAYLENGTH);
    asm.jump(opcode::IF_ICMPGE, slow);
    asm.local(opcode::ALOAD, CHUNK);
    asm.local(opcode::ILOAD, CLASS);
    asm.op(opcode::AALOAD);
    asm.local(opcode::ASTORE, CHUNK);
    asm.local(opcode::ALOAD, CHUNK);
    asm.jump(opcode::IFNULL, slow);
    asm.local(opcode::ALOAD, CHUNK);
    asm.op(opcode::ARETURN);
    asm.bind(slow);
    asm.local(opcode::ILOAD, CLASS);
    asm.constant(
        opcode::INVOKESTATIC,
        pool.method(HELPER_CLASS, "slow", "(I)[J")?,
    );
    asm.op(opcode::ARETURN);
    Ok(asm.finish()?.code)
}

/// Adds the public transient fields [`THREAD_CHUNKS_FIELD`] and [`THREAD_INDEX_FIELD`] to the class file of
/// `java.lang.Thread`.
pub fn add_thread_fields(java_lang_thread: &[u8]) -> Result<Vec<u8>, RewriteError> {
    let class = ClassFile::parse(java_lang_thread)?;
    let names: Vec<String> = class
        .fields()
        .iter()
        .map(|field| field.name(class.constants()))
        .collect();
    let mut pool = PoolAppender::new(class.constants());
    let mut fields = Vec::new();
    for (field, descriptor) in [(THREAD_CHUNKS_FIELD, "[[J"), (THREAD_INDEX_FIELD, "I")] {
        if names.iter().any(|name| name == field) {
            return Err(RewriteError::FieldExists {
                class: class.name(),
                field,
            });
        }
        for number in [
            ACC_PUBLIC | ACC_TRANSIENT,
            pool.utf8(field)?,
            pool.utf8(descriptor)?,
            0,
        ] {
            fields.extend(number.to_be_bytes());
        }
    }
    let table = class.field_table();
    let limit = usize::from(u16::MAX);
    let full = ClassFileError::Limit {
        what: "the number of fields",
        value: names.len() + 2,
        limit,
    };
    let count = u16::try_from(names.len() + 2).map_err(|_| full)?;
    let mut edits = pool.edits();
    edits.push(Edit {
        range: table.start..table.start + 2,
        bytes: count.to_be_bytes().to_vec(),
    });
    edits.push(Edit {
        range: table.end..table.end,
        bytes: fields,
    });
    Ok(splice(java_lang_thread, &edits))
}
