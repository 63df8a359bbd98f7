//! Chunks in a `ThreadLocal`, where no field can be added to `java.lang.Thread` any more.

use super::{HELPER_CLASS, HelperMethod, from_array};
use pricetag_classfile::{Assembler, ClassFileError, PoolAppender, opcode};

/// Field of the helper: the `ThreadLocal` with the thread's `long[][]`.
pub(super) const FIELD: &str = "local";
/// Its type.
pub(super) const TYPE: &str = "Ljava/lang/ThreadLocal;";
/// Method of the helper that makes a `long[][]` the current thread's.
pub const KEEP_METHOD: &str = "keep";

const THREAD_LOCAL: &str = "java/lang/ThreadLocal";

/// The initialiser of the helper, and [`KEEP_METHOD`].
pub(super) fn methods(
    pool: &mut PoolAppender<'_, '_>,
) -> Result<Vec<HelperMethod>, ClassFileError> {
    let method = |name, descriptor, locals, code| HelperMethod {
        name,
        descriptor,
        stack: 2,
        locals,
        code,
        inline: false,
    };
    Ok(vec![
        method("<clinit>", "()V", 0, initialiser_code(pool)?),
        method(KEEP_METHOD, "([[J)V", 1, keep_code(pool)?),
    ])
}

/// `local = new ThreadLocal();`
fn initialiser_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    let mut asm = Assembler::default();
    asm.constant(opcode::NEW, pool.class(THREAD_LOCAL)?);
    asm.op(opcode::DUP);
    asm.constant(
        opcode::INVOKESPECIAL,
        pool.method(THREAD_LOCAL, "<init>", "()V")?,
    );
    asm.constant(opcode::PUTSTATIC, pool.field(HELPER_CLASS, FIELD, TYPE)?);
    asm.op(opcode::RETURN);
    Ok(asm.finish()?.code)
}

/// `local.set(array);`
fn keep_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    const ARRAY: u16 = 0;
    let mut asm = Assembler::default();
    asm.constant(opcode::GETSTATIC, pool.field(HELPER_CLASS, FIELD, TYPE)?);
    asm.local(opcode::ALOAD, ARRAY);
    asm.constant(
        opcode::INVOKEVIRTUAL,
        pool.method(THREAD_LOCAL, "set", "(Ljava/lang/Object;)V")?,
    );
    asm.op(opcode::RETURN);
    Ok(asm.finish()?.code)
}

/// `long[][] a = (long[][]) local.get();` and what [`from_array`] does.
pub(super) fn others_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    let mut asm = Assembler::default();
    let slow = asm.label();
    asm.constant(opcode::GETSTATIC, pool.field(HELPER_CLASS, FIELD, TYPE)?);
    asm.constant(
        opcode::INVOKEVIRTUAL,
        pool.method(THREAD_LOCAL, "get", "()Ljava/lang/Object;")?,
    );
    asm.constant(opcode::CHECKCAST, pool.class("[[J")?);
    from_array(asm, slow, pool)
}
