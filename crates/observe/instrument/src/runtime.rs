//! What instrumented code needs at run time: the class `java/lang/Pricetag`, and five fields of `java/lang/Thread` unless that is loaded already.

mod called;
mod local;
mod passes;
mod take;

pub(crate) use called::{ASKED, ASKED_OF, CALLED};
pub use called::{
    ASKED_BIT, METHOD_BITS, NATIVE_BIT, NUMBERS_FIELD, RECEIVER_BITS, RECEIVER_SHIFT,
    RECEIVERS_FIELD,
};
pub use local::KEEP_METHOD;
pub use passes::{Pair, Pairs};

use crate::error::RewriteError;
use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{Assembler, ClassFile, ClassFileError, Label, PoolAppender, opcode};

/// Internal name of the class instrumented code calls.
pub const HELPER_CLASS: &str = "java/lang/Pricetag";
/// Field of `java.lang.Thread` of type `long[][]`: the thread's chunks by class index.
pub const THREAD_CHUNKS_FIELD: &str = "$pricetag";
/// Field of `java.lang.Thread` of type `int`: the agent's number of the thread.
pub const THREAD_INDEX_FIELD: &str = "$pricetagThread";
/// Field of `java.lang.Thread` of type `int`: the thread's place in the rows of `ROWS_FIELD`; 0 if it has none.
pub const THREAD_SLOT_FIELD: &str = "$pricetagSlot";
/// Field of `java.lang.Thread` of type `long[]`: the thread's cell, whose element is the number of its innermost active counted method, if loops are counted by
/// those; 0 is nobody's, a negative one that of a constructor that may have been left.
pub const THREAD_CELL_FIELD: &str = "$pricetagCell";
/// Field of `java.lang.Thread` of type `long[]`: what the thread has invoked lately, if that is recorded; element 0 is where the next word goes.
pub const THREAD_CALLS_FIELD: &str = "$pricetagCalls";

/// Field of the helper: the thread whose chunks are in [`SHARED_FIELD`].
pub const OWNER_FIELD: &str = "owner";
/// Field of the helper: the owner's chunks by class index.
pub const SHARED_FIELD: &str = "shared";
/// Field of the helper: by class index a row, a `long[][]` with the chunks of the threads that have a slot.
pub const ROWS_FIELD: &str = "rows";
/// Field of the helper of type `long[]`: under which class index the passes of a class's loops for a caller are, see [`Pairs`].
pub const PAIRS_FIELD: &str = "pairs";
/// Length of a row, a power of two; place 0 stays empty.
pub const SLOTS: u32 = 64;
/// Field of the helper: calls of it until the next epoch.
const LEFT_FIELD: &str = "left";
/// Field of the helper: the thread whose calls are counted, with [`Ticks::Watched`].
const WATCHED_FIELD: &str = "watched";
/// Length of the arrays in `SHARED_FIELD` and `ROWS_FIELD`; classes with higher indices are looked up on the thread.
pub const SHARED_CLASSES: u32 = 1 << 15;
/// Type of the fields [`SHARED_FIELD`] and [`ROWS_FIELD`]. Were it `long[][]`, the annotation `Stable` would hold for the counters themselves, too, and the
/// compilers would take them for constants.
pub const SHARED_TYPE: &str = "[Ljava/lang/Object;";
/// Type of the fields [`OWNER_FIELD`] and [`WATCHED_FIELD`].
const OWNER_TYPE: &str = "Ljava/lang/Thread;";

const THREAD: &str = "java/lang/Thread";
const ACC_PUBLIC: u16 = 0x0001;
const ACC_STATIC: u16 = 0x0008;
const ACC_FINAL: u16 = 0x0010;
const ACC_SUPER: u16 = 0x0020;
const ACC_TRANSIENT: u16 = 0x0080;
const ACC_NATIVE: u16 = 0x0100;
/// The last class-file version that knows no frames.
const VERSION: u16 = 49;

/// Method of the helper, without arguments, that calls every native method once, so that the JVM looks for all of them then.
const LINK_METHOD: &str = "link";
/// Integers that the helper's `link` passes to natives: no class, scope or element has this number.
pub const NOWHERE: i32 = i32::MIN;

/// Native methods of the helper class, with their descriptors.
const NATIVES: [(&str, &str); 14] = [
    ("slow", "(I)[J"),
    ("argLong", "(J)V"),
    ("argDouble", "(D)V"),
    ("argObject", "(Ljava/lang/Object;)V"),
    ("enter", "(I)V"),
    ("exit", "(IZ)V"),
    ("mark", "(II)V"),
    ("epoch", "()I"),
    ("taken", "(JIII)V"),
    ("takenLength", "(Ljava/lang/Object;III)V"),
    ("caught", "(Ljava/lang/Object;II)V"),
    ("slowPasses", "(II)[J"),
    ("slowCalls", "()[J"),
    ("slowReceiver", "(Ljava/lang/Object;)I"),
];

/// The class file of `java/lang/Pricetag` for programs of which no values are taken.
///
/// `chunk(int)` returns the current thread's chunk of a class, by way of the native `slow(int)` if there is none yet.
///
/// # Panics
///
/// Never: the class is small and always the same.
pub fn helper_class() -> Vec<u8> {
    helper_class_with(HelperOptions::default())
}

/// What the helper class does beside handing out chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HelperOptions {
    /// Where it finds those of a thread.
    pub keeping: Keeping,
    /// How many first values of every variable it takes.
    pub values: u16,
    /// Whether it counts calls of itself, and calls the native `epoch` after as many as that returned before.
    pub ticks: Option<Ticks>,
}

/// What holds a thread's chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// The fields that [`add_thread_fields`] adds to `java.lang.Thread`.
    #[default]
    Fields,
    /// A `ThreadLocal` of the helper: for a JVM whose `java.lang.Thread` is loaded.
    ThreadLocal,
}

/// Which calls of the helper it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticks {
    /// Those of all threads together.
    All,
    /// Those of the thread that the helper's field `watched` holds.
    Watched,
}

/// The class file of `java/lang/Pricetag` with more to do.
///
/// # Panics
///
/// Never: the class is small and always the same but for a number.
pub fn helper_class_with(options: HelperOptions) -> Vec<u8> {
    build_helper(options).expect("the helper class is within every limit of the format")
}

/// A method of the helper that has code.
pub(crate) struct HelperMethod {
    pub name: &'static str,
    pub descriptor: &'static str,
    pub stack: u16,
    pub locals: u16,
    pub code: Vec<u8>,
    /// Whether the compilers shall always inline it.
    pub inline: bool,
}

fn build_helper(options: HelperOptions) -> Result<Vec<u8>, ClassFileError> {
    let mut pool = PoolAppender::empty();
    let (this, parent) = (pool.class(HELPER_CLASS)?, pool.class("java/lang/Object")?);
    let mut body = Vec::new();
    let access = ACC_PUBLIC | ACC_FINAL | ACC_SUPER;
    put(&mut body, &[access, this, parent, 0]);
    let plain = [
        (LEFT_FIELD, "I"),
        (PAIRS_FIELD, "[J"),
        (WATCHED_FIELD, OWNER_TYPE),
        (RECEIVERS_FIELD, SHARED_TYPE),
        (NUMBERS_FIELD, "[I"),
    ];
    let stable = [
        (OWNER_FIELD, OWNER_TYPE),
        (SHARED_FIELD, SHARED_TYPE),
        (ROWS_FIELD, SHARED_TYPE),
        (local::FIELD, local::TYPE),
    ];
    put(&mut body, &[(plain.len() + stable.len()) as u16]);
    for (name, descriptor) in plain {
        let (name, descriptor) = (pool.utf8(name)?, pool.utf8(descriptor)?);
        put(&mut body, &[ACC_STATIC, name, descriptor, 0]);
    }
    for (name, descriptor) in stable {
        let (name, descriptor) = (pool.utf8(name)?, pool.utf8(descriptor)?);
        put(&mut body, &[ACC_STATIC, name, descriptor, 1]);
        annotate(&mut pool, &mut body, "Stable")?;
    }
    let fetch = |name, code, inline| HelperMethod {
        name,
        descriptor: "(I)[J",
        stack: 3,
        locals: 3,
        code,
        inline,
    };
    let ticks = options.ticks.is_some();
    let mut methods = Vec::new();
    // Not forced but for the first: the first-tier compiler would put them into every method, where they hardly ever run.
    match options.keeping {
        Keeping::Fields => {
            methods.push(fetch(
                "chunk",
                chunk_code(&mut pool, ticks, "slotted")?,
                true,
            ));
            methods.push(fetch("slotted", slotted_code(&mut pool)?, false));
            methods.push(fetch("others", others_code(&mut pool)?, false));
            methods.extend(passes::methods(&mut pool)?);
            methods.extend(called::methods(&mut pool)?);
        }
        Keeping::ThreadLocal => {
            methods.push(fetch(
                "chunk",
                chunk_code(&mut pool, ticks, "others")?,
                true,
            ));
            methods.push(fetch("others", local::others_code(&mut pool)?, false));
            methods.extend(local::methods(&mut pool)?);
        }
    }
    methods.extend(take::methods(&mut pool, options)?);
    methods.push(HelperMethod {
        name: LINK_METHOD,
        descriptor: "()V",
        stack: 6,
        locals: 0,
        code: link_code(&mut pool)?,
        inline: false,
    });
    put(&mut body, &[(NATIVES.len() + methods.len()) as u16]);
    for method in methods {
        let (name, descriptor) = (pool.utf8(method.name)?, pool.utf8(method.descriptor)?);
        let attributes = 1 + u16::from(method.inline);
        let access = ACC_PUBLIC | ACC_STATIC;
        put(
            &mut body,
            &[access, name, descriptor, attributes, pool.utf8("Code")?],
        );
        body.extend((method.code.len() as u32 + 12).to_be_bytes());
        put(&mut body, &[method.stack, method.locals]);
        body.extend((method.code.len() as u32).to_be_bytes());
        body.extend(method.code);
        put(&mut body, &[0, 0]);
        if method.inline {
            annotate(&mut pool, &mut body, "ForceInline")?;
        }
    }
    for (name, descriptor) in NATIVES {
        let (name, descriptor) = (pool.utf8(name)?, pool.utf8(descriptor)?);
        put(
            &mut body,
            &[ACC_PUBLIC | ACC_STATIC | ACC_NATIVE, name, descriptor, 0],
        );
    }
    put(&mut body, &[0]);
    let mut class = 0xCAFE_BABE_u32.to_be_bytes().to_vec();
    put(&mut class, &[0, VERSION, pool.count()]);
    class.extend(pool.added());
    class.extend(body);
    Ok(class)
}

/// Calls each native method with arguments that mean nothing, and forgets what it returns.
fn link_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    let mut asm = Assembler::default();
    for (name, descriptor) in NATIVES {
        let (arguments, returned) = descriptor[1..].split_once(')').unwrap_or_default();
        for kind in arguments.replace("Ljava/lang/Object;", "L").chars() {
            match kind {
                'J' => asm.op(opcode::LCONST_0),
                'D' => asm.op(opcode::DCONST_0),
                'L' => asm.op(opcode::ACONST_NULL),
                'Z' => asm.op(opcode::ICONST_0),
                _ => asm.int(NOWHERE, pool)?,
            }
        }
        let method = pool.method(HELPER_CLASS, name, descriptor)?;
        asm.constant(opcode::INVOKESTATIC, method);
        if returned != "V" {
            asm.op(opcode::POP);
        }
    }
    asm.op(opcode::RETURN);
    Ok(asm.finish()?.code)
}

fn put(to: &mut Vec<u8>, numbers: &[u16]) {
    to.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
}

/// Appends an attribute with an annotation of HotSpot's, under its names in JDK 9 and later and in JDK 8. Other JVMs ignore it.
fn annotate(
    pool: &mut PoolAppender<'_, '_>,
    to: &mut Vec<u8>,
    annotation: &str,
) -> Result<(), ClassFileError> {
    put(to, &[pool.utf8("RuntimeVisibleAnnotations")?]);
    to.extend(10_u32.to_be_bytes());
    put(to, &[2]);
    for package in ["jdk/internal/vm/annotation", "java/lang/invoke"] {
        put(to, &[pool.utf8(&format!("L{package}/{annotation};"))?, 0]);
    }
    Ok(())
}

/// The argument of every fetch: the number of the class.
const CLASS: u16 = 0;

/// `if (local != null) return local;`, else on to `otherwise`.
fn return_if_present(asm: &mut Assembler, local: u16, otherwise: Label) {
    asm.local(opcode::ALOAD, local);
    asm.jump(opcode::IFNULL, otherwise);
    asm.local(opcode::ALOAD, local);
    asm.op(opcode::ARETURN);
}

/// `otherwise: return next(CLASS);`, the end of a fetch.
fn hand_on(
    mut asm: Assembler,
    otherwise: Label,
    next: &str,
    pool: &mut PoolAppender<'_, '_>,
) -> Result<Vec<u8>, ClassFileError> {
    asm.bind(otherwise);
    asm.local(opcode::ILOAD, CLASS);
    asm.constant(
        opcode::INVOKESTATIC,
        pool.method(HELPER_CLASS, next, "(I)[J")?,
    );
    asm.op(opcode::ARETURN);
    Ok(asm.finish()?.code)
}

/// `if (Thread.currentThread() == owner) { long[] c = (long[]) shared[i]; if (c != null) return c; } return next(i);`
fn chunk_code(
    pool: &mut PoolAppender<'_, '_>,
    ticks: bool,
    next: &str,
) -> Result<Vec<u8>, ClassFileError> {
    const CHUNK: u16 = 1;
    let mut asm = Assembler::default();
    let others = asm.label();
    if ticks {
        asm.constant(
            opcode::INVOKESTATIC,
            pool.method(HELPER_CLASS, "tick", "()V")?,
        );
    }
    asm.constant(
        opcode::INVOKESTATIC,
        pool.method(THREAD, "currentThread", "()Ljava/lang/Thread;")?,
    );
    asm.constant(
        opcode::GETSTATIC,
        pool.field(HELPER_CLASS, OWNER_FIELD, OWNER_TYPE)?,
    );
    asm.jump(opcode::IF_ACMPNE, others);
    asm.constant(
        opcode::GETSTATIC,
        pool.field(HELPER_CLASS, SHARED_FIELD, SHARED_TYPE)?,
    );
    asm.local(opcode::ILOAD, CLASS);
    asm.op(opcode::AALOAD);
    asm.constant(opcode::CHECKCAST, pool.class("[J")?);
    asm.local(opcode::ASTORE, CHUNK);
    return_if_present(&mut asm, CHUNK, others);
    hand_on(asm, others, next, pool)
}

/// `if (rows != null) { long[][] row = (long[][]) rows[i]; if (row != null) {
/// long[] c = row[currentThread().$pricetagSlot & 63]; if (c != null) return c; } } return others(i);`: in compiled code the row is a constant.
fn slotted_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    const FOUND: u16 = 1;
    let mut asm = Assembler::default();
    let others = asm.label();
    let rows = pool.field(HELPER_CLASS, ROWS_FIELD, SHARED_TYPE)?;
    asm.constant(opcode::GETSTATIC, rows);
    asm.jump(opcode::IFNULL, others);
    asm.constant(opcode::GETSTATIC, rows);
    asm.local(opcode::ILOAD, CLASS);
    asm.op(opcode::AALOAD);
    asm.constant(opcode::CHECKCAST, pool.class("[[J")?);
    asm.local(opcode::ASTORE, FOUND);
    asm.local(opcode::ALOAD, FOUND);
    asm.jump(opcode::IFNULL, others);
    asm.local(opcode::ALOAD, FOUND);
    asm.constant(
        opcode::INVOKESTATIC,
        pool.method(THREAD, "currentThread", "()Ljava/lang/Thread;")?,
    );
    asm.constant(
        opcode::GETFIELD,
        pool.field(THREAD, THREAD_SLOT_FIELD, "I")?,
    );
    asm.int(SLOTS as i32 - 1, pool)?;
    asm.op(opcode::IAND);
    asm.op(opcode::AALOAD);
    asm.local(opcode::ASTORE, FOUND);
    return_if_present(&mut asm, FOUND, others);
    hand_on(asm, others, "others", pool)
}

/// `Thread t = currentThread(); if (t != null) { long[][] a = t.$pricetag; if (a != null && i < a.length) { long[] c = a[i];
/// if (c != null) return c; } } return slow(i);`
fn others_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    const ARRAY: u16 = 1;
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
    from_array(asm, slow, pool)
}

/// The local in which a fetch has found the thread's `long[][]`.
const FOUND: u16 = 2;

/// `if (a != null && i < a.length) { long[] c = a[i]; if (c != null) return c; } slow: return slow(i);` with `a` on the stack, the end of a fetch.
fn from_array(
    mut asm: Assembler,
    slow: Label,
    pool: &mut PoolAppender<'_, '_>,
) -> Result<Vec<u8>, ClassFileError> {
    asm.local(opcode::ASTORE, FOUND);
    asm.local(opcode::ALOAD, FOUND);
    asm.jump(opcode::IFNULL, slow);
    asm.local(opcode::ILOAD, CLASS);
    asm.local(opcode::ALOAD, FOUND);
    asm.op(opcode::ARRAYLENGTH);
    asm.jump(opcode::IF_ICMPGE, slow);
    asm.local(opcode::ALOAD, FOUND);
    asm.local(opcode::ILOAD, CLASS);
    asm.op(opcode::AALOAD);
    asm.local(opcode::ASTORE, FOUND);
    return_if_present(&mut asm, FOUND, slow);
    hand_on(asm, slow, "slow", pool)
}

/// Adds the public transient fields [`THREAD_CHUNKS_FIELD`], [`THREAD_INDEX_FIELD`], [`THREAD_SLOT_FIELD`], [`THREAD_CELL_FIELD`] and [`THREAD_CALLS_FIELD`] to the class file
/// of `java.lang.Thread`.
pub fn add_thread_fields(java_lang_thread: &[u8]) -> Result<Vec<u8>, RewriteError> {
    let class = ClassFile::parse(java_lang_thread)?;
    let names: Vec<String> = class
        .fields()
        .iter()
        .map(|field| field.name(class.constants()))
        .collect();
    let mut pool = PoolAppender::new(class.constants());
    let mut fields = Vec::new();
    let added = [
        (THREAD_CHUNKS_FIELD, "[[J"),
        (THREAD_INDEX_FIELD, "I"),
        (THREAD_SLOT_FIELD, "I"),
        (THREAD_CELL_FIELD, "[J"),
        (THREAD_CALLS_FIELD, "[J"),
    ];
    for (field, descriptor) in added {
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
        value: names.len() + added.len(),
        limit,
    };
    let count = u16::try_from(names.len() + added.len()).map_err(|_| full)?;
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
