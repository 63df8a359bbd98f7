//! The helper's methods that take values.
//!
//! ```text
//! static void value(long v, long[] c, int at, int class) { if ((int) c[at] < LIMIT) take(v, c, at, class); }   // ForceInline
//! static void value(double v, …)                         { … take(Double.doubleToRawLongBits(v), …); }          // ForceInline
//! static void length(Object v, …)                        { … if (v != null) takeLength(v, …); }                 // ForceInline
//! static void take(long v, long[] c, int at, int class)  { taken(v, class, at, (int) c[at]); c[at]++; }
//! static void takeLength(Object v, …)                    { takenLength(v, class, at, (int) c[at]); c[at]++; }
//! static void depth(long[] c, int at)                    { c[at]++; if (c[at] > c[at + 1]) c[at + 1] = c[at]; }  // ForceInline
//! static void tick()                                     { [if (currentThread() == watched)] { int n = left - 1; left = n; if (n <= 0) left = epoch(); } }
//! ```
//! `tick` is called first by `chunk`, `value` and `length` if ticks are wanted. Threads may lose ticks of one another: they only say
//! when it is time to look. The element is written by the thread that owns the chunk alone. It is increased last, so that a stack overflow in the native
//! leaves the value to be taken again.

use super::{
    HELPER_CLASS, HelperMethod, HelperOptions, LEFT_FIELD, OWNER_TYPE, THREAD, Ticks, WATCHED_FIELD,
};
use pricetag_classfile::{Assembler, ClassFileError, PoolAppender, opcode};

/// Slots of the parameters behind the value.
struct Slots {
    chunk: u16,
    element: u16,
    class: u16,
}

impl Slots {
    fn behind(value: u16) -> Self {
        Self {
            chunk: value,
            element: value + 1,
            class: value + 2,
        }
    }

    /// Pushes how many values were taken.
    fn taken(&self, asm: &mut Assembler) {
        asm.local(opcode::ALOAD, self.chunk);
        asm.local(opcode::ILOAD, self.element);
        asm.op(opcode::LALOAD);
        asm.op(opcode::L2I);
    }

    /// Pushes what a native method is told: the value, its class, its place, and how many were taken before.
    fn describe(&self, load: u8, asm: &mut Assembler) {
        asm.local(load, 0);
        asm.local(opcode::ILOAD, self.class);
        asm.local(opcode::ILOAD, self.element);
        self.taken(asm);
    }

    /// `c[at]++`.
    fn increase(&self, asm: &mut Assembler) {
        asm.local(opcode::ALOAD, self.chunk);
        asm.local(opcode::ILOAD, self.element);
        asm.increment_long();
    }
}

/// All of them.
pub(super) fn methods(
    pool: &mut PoolAppender<'_, '_>,
    options: HelperOptions,
) -> Result<Vec<HelperMethod>, ClassFileError> {
    let guard = |name, descriptor, locals, code| HelperMethod {
        name,
        descriptor,
        stack: 6,
        locals,
        code,
        inline: true,
    };
    let (long, object) = ("(J[JII)V", "(Ljava/lang/Object;[JII)V");
    let take = |name, descriptor, locals, code| HelperMethod {
        inline: false,
        ..guard(name, descriptor, locals, code)
    };
    let reals = guarded(pool, options, (opcode::DLOAD, 2), |asm, pool| {
        let bits = pool.method("java/lang/Double", "doubleToRawLongBits", "(D)J")?;
        asm.constant(opcode::INVOKESTATIC, bits);
        pool.method(HELPER_CLASS, "take", long)
    })?;
    let integers = guarded(pool, options, (opcode::LLOAD, 2), |_, pool| {
        pool.method(HELPER_CLASS, "take", long)
    })?;
    let lengths = guarded(pool, options, (opcode::ALOAD, 1), |_, pool| {
        pool.method(HELPER_CLASS, "takeLength", object)
    })?;
    Ok(vec![
        guard("value", long, 5, integers),
        guard("value", "(D[JII)V", 5, reals),
        guard("length", object, 4, lengths),
        guard("depth", "([JI)V", 2, depth_code()?),
        take("tick", "()V", 0, tick_code(pool, options.ticks)?),
        take(
            "take",
            long,
            5,
            take_code(pool, "taken", "(JIII)V", (opcode::LLOAD, 2))?,
        ),
        take(
            "takeLength",
            object,
            4,
            take_code(
                pool,
                "takenLength",
                "(Ljava/lang/Object;III)V",
                (opcode::ALOAD, 1),
            )?,
        ),
    ])
}

/// `if (taken < limit) callee(value, chunk, element, class)`, and nothing for `null`; `callee` may convert the value on the stack first.
fn guarded(
    pool: &mut PoolAppender<'_, '_>,
    options: HelperOptions,
    (load, slots): (u8, u16),
    callee: impl FnOnce(&mut Assembler, &mut PoolAppender<'_, '_>) -> Result<u16, ClassFileError>,
) -> Result<Vec<u8>, ClassFileError> {
    let at = Slots::behind(slots);
    let mut asm = Assembler::default();
    let end = asm.label();
    if options.ticks.is_some() {
        asm.constant(
            opcode::INVOKESTATIC,
            pool.method(HELPER_CLASS, "tick", "()V")?,
        );
    }
    at.taken(&mut asm);
    asm.int(i32::from(options.values), pool)?;
    asm.jump(opcode::IF_ICMPGE, end);
    if load == opcode::ALOAD {
        asm.local(load, 0);
        asm.jump(opcode::IFNULL, end);
    }
    asm.local(load, 0);
    let callee = callee(&mut asm, pool)?;
    asm.local(opcode::ALOAD, at.chunk);
    asm.local(opcode::ILOAD, at.element);
    asm.local(opcode::ILOAD, at.class);
    asm.constant(opcode::INVOKESTATIC, callee);
    asm.bind(end);
    asm.op(opcode::RETURN);
    Ok(asm.finish()?.code)
}

/// `native(value, class, element, taken); taken++`.
fn take_code(
    pool: &mut PoolAppender<'_, '_>,
    native: &str,
    descriptor: &str,
    (load, slots): (u8, u16),
) -> Result<Vec<u8>, ClassFileError> {
    let at = Slots::behind(slots);
    let mut asm = Assembler::default();
    at.describe(load, &mut asm);
    asm.constant(
        opcode::INVOKESTATIC,
        pool.method(HELPER_CLASS, native, descriptor)?,
    );
    at.increase(&mut asm);
    asm.op(opcode::RETURN);
    Ok(asm.finish()?.code)
}

fn tick_code(
    pool: &mut PoolAppender<'_, '_>,
    ticks: Option<Ticks>,
) -> Result<Vec<u8>, ClassFileError> {
    let left = pool.field(HELPER_CLASS, LEFT_FIELD, "I")?;
    let epoch = pool.method(HELPER_CLASS, "epoch", "()I")?;
    let mut asm = Assembler::default();
    let end = asm.label();
    if ticks == Some(Ticks::Watched) {
        let current = pool.method(THREAD, "currentThread", "()Ljava/lang/Thread;")?;
        asm.constant(opcode::INVOKESTATIC, current);
        let watched = pool.field(HELPER_CLASS, WATCHED_FIELD, OWNER_TYPE)?;
        asm.constant(opcode::GETSTATIC, watched);
        asm.jump(opcode::IF_ACMPNE, end);
    }
    asm.constant(opcode::GETSTATIC, left);
    asm.raw(&[opcode::ICONST_1, opcode::ISUB, opcode::DUP]);
    asm.constant(opcode::PUTSTATIC, left);
    asm.jump(opcode::IFGT, end);
    asm.constant(opcode::INVOKESTATIC, epoch);
    asm.constant(opcode::PUTSTATIC, left);
    asm.bind(end);
    asm.op(opcode::RETURN);
    Ok(asm.finish()?.code)
}

fn depth_code() -> Result<Vec<u8>, ClassFileError> {
    let (chunk, at) = (opcode::ALOAD, opcode::ILOAD);
    let mut asm = Assembler::default();
    let end = asm.label();
    let open = |asm: &mut Assembler| {
        asm.local(chunk, 0);
        asm.local(at, 1);
    };
    let most = |asm: &mut Assembler| {
        open(asm);
        asm.raw(&[opcode::ICONST_1, opcode::IADD]);
    };
    open(&mut asm);
    asm.increment_long();
    open(&mut asm);
    asm.op(opcode::LALOAD);
    most(&mut asm);
    asm.raw(&[opcode::LALOAD, opcode::LCMP]);
    asm.jump(opcode::IFLE, end);
    most(&mut asm);
    open(&mut asm);
    asm.raw(&[opcode::LALOAD, opcode::LASTORE]);
    asm.bind(end);
    asm.op(opcode::RETURN);
    Ok(asm.finish()?.code)
}
