//! The helper's methods by which a thread writes down what it invokes.
//!
//! ```text
//! static void called(Object receiver, int class, int method) {              // of a static method or a constructor: null
//!     long[] log = null; int at = 0;
//!     if (currentThread() != null && (log = currentThread().$pricetagCalls) != null) at = (int) log[0];
//!     if (log == null || at >= log.length) {
//!         log = slowCalls();                                                 // hands over what is in it, or makes one
//!         if (log == null) return;
//!         at = (int) log[0];
//!     }
//!     long word = (long) class << METHOD_BITS | method;
//!     if (receiver != null) word |= (long) number(receiver.getClass()) << RECEIVER_SHIFT;
//!     log[at] = word; log[0] = at + 1;
//! }
//! static void asked(Object receiver, int target) {                          // about to call: nothing of null, on which no method is invoked
//!     if (receiver != null) … as above, with the word ASKED_BIT | target
//! }
//! static void asked(int target) { … }                                       // of a static method or a constructor
//! static int number(Object of) {
//!     for (int at = System.identityHashCode(of); ; at++) {
//!         Object found = receivers[at & receivers.length - 1];
//!         if (found == of) return numbers[at & receivers.length - 1];
//!         if (found == null) return slowReceiver(of);
//!     }
//! }
//! ```
//! A thread's log is written by that thread alone; element 0 is where the next word goes, and is written last. `receivers` is a hash table with linear probing that the
//! native `slowReceiver` fills, a number before its class, and never to more than three quarters.

use super::{HELPER_CLASS, HelperMethod, THREAD, THREAD_CALLS_FIELD};
use pricetag_classfile::{Assembler, ClassFileError, PoolAppender, opcode};

/// Bits of a word that say which method of its class was invoked.
pub const METHOD_BITS: u32 = 16;
/// Bits of a word above which the receiver's class stands; 0 is the class that declares the method.
pub const RECEIVER_SHIFT: u32 = 40;
/// Bits of the receiver's number.
pub const RECEIVER_BITS: u32 = 20;
/// Bit of a word that is no invocation of a counted method but a call that a counted method is about to make: the low half is the number of what it names.
pub const ASKED_BIT: u32 = 62;
/// Bit of a word that is an invocation of a native method of the program's: the low half is its number.
pub const NATIVE_BIT: u32 = 61;
/// Field of the helper: classes of receivers, each where its hash says.
pub const RECEIVERS_FIELD: &str = "receivers";
/// Field of the helper: their numbers.
pub const NUMBERS_FIELD: &str = "numbers";
/// Descriptor of `called`.
pub(crate) const CALLED: &str = "(Ljava/lang/Object;II)V";
/// Descriptor of `asked` with a receiver.
pub(crate) const ASKED_OF: &str = "(Ljava/lang/Object;I)V";
/// Descriptor of `asked` without one.
pub(crate) const ASKED: &str = "(I)V";

/// What a word says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// This method was invoked.
    Called,
    /// A method is about to be called on an object.
    AskedOf,
    /// A method is about to be called that takes none, or whose class is known.
    Asked,
}

/// All of them.
pub(super) fn methods(
    pool: &mut PoolAppender<'_, '_>,
) -> Result<[HelperMethod; 4], ClassFileError> {
    let mut writes = |name, descriptor, says| {
        Ok::<_, ClassFileError>(HelperMethod {
            name,
            descriptor,
            stack: 6,
            locals: 7,
            code: code_of(says, pool)?,
            inline: false,
        })
    };
    Ok([
        writes("called", CALLED, Says::Called)?,
        writes("asked", ASKED_OF, Says::AskedOf)?,
        writes("asked", ASKED, Says::Asked)?,
        HelperMethod {
            name: "number",
            descriptor: "(Ljava/lang/Object;)I",
            stack: 4,
            locals: 3,
            code: number_code(pool)?,
            inline: false,
        },
    ])
}

fn code_of(says: Says, pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    const RECEIVER: u16 = 0;
    const CLASS: u16 = 1;
    const METHOD: u16 = 2;
    const LOG: u16 = 3;
    const AT: u16 = 4;
    const WORD: u16 = 5;
    let target = u16::from(says == Says::AskedOf);
    let thread = pool.method(THREAD, "currentThread", "()Ljava/lang/Thread;")?;
    let field = pool.field(THREAD, THREAD_CALLS_FIELD, "[J")?;
    let slow = pool.method(HELPER_CLASS, "slowCalls", "()[J")?;
    let mut asm = Assembler::default();
    let (full, ready, store, end) = (asm.label(), asm.label(), asm.label(), asm.label());
    let next_free = |asm: &mut Assembler| {
        asm.local(opcode::ALOAD, LOG);
        asm.raw(&[opcode::ICONST_0, opcode::LALOAD, opcode::L2I]);
        asm.local(opcode::ISTORE, AT);
    };
    if says == Says::AskedOf {
        asm.local(opcode::ALOAD, RECEIVER);
        asm.jump(opcode::IFNULL, end);
    }
    asm.constant(opcode::INVOKESTATIC, thread);
    asm.jump(opcode::IFNULL, full);
    asm.constant(opcode::INVOKESTATIC, thread);
    asm.constant(opcode::GETFIELD, field);
    asm.local(opcode::ASTORE, LOG);
    asm.local(opcode::ALOAD, LOG);
    asm.jump(opcode::IFNULL, full);
    next_free(&mut asm);
    asm.local(opcode::ILOAD, AT);
    asm.local(opcode::ALOAD, LOG);
    asm.op(opcode::ARRAYLENGTH);
    asm.jump(opcode::IF_ICMPLT, ready);
    asm.bind(full);
    asm.constant(opcode::INVOKESTATIC, slow);
    asm.local(opcode::ASTORE, LOG);
    asm.local(opcode::ALOAD, LOG);
    asm.jump(opcode::IFNULL, end);
    next_free(&mut asm);
    asm.bind(ready);
    if says == Says::Called {
        asm.local(opcode::ILOAD, CLASS);
        asm.op(opcode::I2L);
        asm.int(METHOD_BITS as i32, pool)?;
        asm.op(opcode::LSHL);
        asm.local(opcode::ILOAD, METHOD);
    } else {
        asm.op(opcode::LCONST_1);
        asm.int(ASKED_BIT as i32, pool)?;
        asm.op(opcode::LSHL);
        asm.local(opcode::ILOAD, target);
    }
    asm.raw(&[opcode::I2L, opcode::LOR]);
    asm.local(opcode::LSTORE, WORD);
    if says == Says::Called {
        asm.local(opcode::ALOAD, RECEIVER);
        asm.jump(opcode::IFNULL, store);
    }
    if says != Says::Asked {
        asm.local(opcode::LLOAD, WORD);
        asm.local(opcode::ALOAD, RECEIVER);
        let class = pool.method("java/lang/Object", "getClass", "()Ljava/lang/Class;")?;
        asm.constant(opcode::INVOKEVIRTUAL, class);
        let number = pool.method(HELPER_CLASS, "number", "(Ljava/lang/Object;)I")?;
        asm.constant(opcode::INVOKESTATIC, number);
        asm.op(opcode::I2L);
        asm.int(RECEIVER_SHIFT as i32, pool)?;
        asm.raw(&[opcode::LSHL, opcode::LOR]);
        asm.local(opcode::LSTORE, WORD);
    }
    asm.bind(store);
    asm.local(opcode::ALOAD, LOG);
    asm.local(opcode::ILOAD, AT);
    asm.local(opcode::LLOAD, WORD);
    asm.op(opcode::LASTORE);
    asm.local(opcode::ALOAD, LOG);
    asm.op(opcode::ICONST_0);
    asm.local(opcode::ILOAD, AT);
    asm.raw(&[opcode::ICONST_1, opcode::IADD, opcode::I2L, opcode::LASTORE]);
    asm.bind(end);
    asm.op(opcode::RETURN);
    Ok(asm.finish()?.code)
}

fn number_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    const OF: u16 = 0;
    const AT: u16 = 1;
    const FOUND: u16 = 2;
    let receivers = pool.field(HELPER_CLASS, RECEIVERS_FIELD, "[Ljava/lang/Object;")?;
    let mut asm = Assembler::default();
    let (again, other, slow) = (asm.label(), asm.label(), asm.label());
    let place = |asm: &mut Assembler| {
        asm.local(opcode::ILOAD, AT);
        asm.constant(opcode::GETSTATIC, receivers);
        asm.raw(&[
            opcode::ARRAYLENGTH,
            opcode::ICONST_1,
            opcode::ISUB,
            opcode::IAND,
        ]);
    };
    asm.local(opcode::ALOAD, OF);
    let hash = pool.method(
        "java/lang/System",
        "identityHashCode",
        "(Ljava/lang/Object;)I",
    )?;
    asm.constant(opcode::INVOKESTATIC, hash);
    asm.local(opcode::ISTORE, AT);
    asm.bind(again);
    asm.constant(opcode::GETSTATIC, receivers);
    place(&mut asm);
    asm.op(opcode::AALOAD);
    asm.local(opcode::ASTORE, FOUND);
    asm.local(opcode::ALOAD, FOUND);
    asm.jump(opcode::IFNULL, slow);
    asm.local(opcode::ALOAD, FOUND);
    asm.local(opcode::ALOAD, OF);
    asm.jump(opcode::IF_ACMPNE, other);
    asm.constant(
        opcode::GETSTATIC,
        pool.field(HELPER_CLASS, NUMBERS_FIELD, "[I")?,
    );
    place(&mut asm);
    asm.raw(&[opcode::IALOAD, opcode::IRETURN]);
    asm.bind(other);
    asm.raw(&[opcode::IINC, AT as u8, 1]);
    asm.jump(opcode::GOTO, again);
    asm.bind(slow);
    asm.local(opcode::ALOAD, OF);
    asm.constant(
        opcode::INVOKESTATIC,
        pool.method(HELPER_CLASS, "slowReceiver", "(Ljava/lang/Object;)I")?,
    );
    asm.op(opcode::IRETURN);
    Ok(asm.finish()?.code)
}
