//! The helper's methods by which methods know who called them, and those with loops find the passes that belong to their caller.
//!
//! ```text
//! static long[] cell() {
//!     long[] cell = currentThread().$pricetagCell;
//!     return cell != null ? cell : (currentThread().$pricetagCell = new long[1]);
//! }
//! static long[] passes(int class) {
//!     int caller = (int) cell()[0];
//!     if (pairs != null && caller >= 0) {
//!         long key = (long) class << CALLER_BITS | caller;
//!         for (int at = class * CLASS_FACTOR + caller * CALLER_FACTOR; ; at++) {
//!             long pair = pairs[(at ^ at >>> FOLD) & pairs.length - 1];        // folded once, before the loop
//!             if (pair == 0) break;
//!             if (pair >>> INDEX_BITS == key) return others((int) pair & (1 << INDEX_BITS) - 1);
//!         }
//!     }
//!     return slowPasses(caller, class);
//! }
//! ```
//! `pairs` is a hash table with linear probing, for all threads: under which class index the passes of a class for a caller are. The native `slowPasses` fills it. A
//! pair is one element, so that a thread finds all of it or nothing; who finds nothing asks the native, and so does who finds a caller that may be gone.

use super::{
    HELPER_CLASS, HelperMethod, PAIRS_FIELD, THREAD, THREAD_CELL_FIELD, return_if_present,
};
use pricetag_classfile::{Assembler, ClassFileError, PoolAppender, opcode};

const CALLER_BITS: u32 = 22;
const CLASS_BITS: u32 = 21;
const INDEX_BITS: u32 = 64 - CALLER_BITS - CLASS_BITS;
const CLASS_FACTOR: i32 = 0x2545_F491;
const CALLER_FACTOR: i32 = 0x1B87_3593;
const FOLD: i32 = 15;

/// A class and a calling method, as an element of the table holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    class: i32,
    caller: i32,
}

impl Pair {
    /// None if one of the numbers is too large for the table.
    pub fn new(class: u32, caller: u32) -> Option<Self> {
        (class >> CLASS_BITS == 0 && caller >> CALLER_BITS == 0).then_some(Self {
            class: class as i32,
            caller: caller as i32,
        })
    }

    /// The pair of an element.
    fn of(element: i64) -> Self {
        let key = element as u64 >> INDEX_BITS;
        Self {
            class: (key >> CALLER_BITS) as i32,
            caller: (key & ((1 << CALLER_BITS) - 1)) as i32,
        }
    }

    /// The element that says under which index the passes are; none if that is 0 or too large.
    pub fn element(self, index: u32) -> Option<i64> {
        let key = i64::from(self.class) << CALLER_BITS | i64::from(self.caller);
        (index > 0 && index >> INDEX_BITS == 0).then_some(key << INDEX_BITS | i64::from(index))
    }

    /// Where it stands in a table, whose length is a power of two with room left: where it is, or else where it may be put.
    fn place(self, table: &[i64]) -> usize {
        let hash = self.class.wrapping_mul(CLASS_FACTOR);
        let hash = hash.wrapping_add(self.caller.wrapping_mul(CALLER_FACTOR)) as u32;
        let first = (hash ^ hash >> FOLD) as usize;
        let mut places = (0..table.len()).map(|step| first.wrapping_add(step) & (table.len() - 1));
        let fits = |at: &usize| table[*at] == 0 || Self::of(table[*at]) == self;
        places.find(fits).unwrap_or(0)
    }
}

/// The table of pairs, as the helper's should be.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    elements: Vec<i64>,
    filled: usize,
}

impl Pairs {
    /// Length of the first table.
    const FIRST: usize = 1 << 10;

    /// The elements; their number is a power of two.
    pub fn elements(&self) -> &[i64] {
        &self.elements
    }

    /// Puts a pair with its index into the table, which grows so that it stays half empty: where it is. None if the numbers are too large.
    pub fn put(&mut self, pair: Pair, index: u32) -> Option<usize> {
        let element = pair.element(index)?;
        if 2 * (self.filled + 1) > self.elements.len() {
            let length = (2 * self.elements.len()).max(Self::FIRST);
            let old = std::mem::replace(&mut self.elements, vec![0; length]);
            for element in old.into_iter().filter(|element| *element != 0) {
                let place = Pair::of(element).place(&self.elements);
                self.elements[place] = element;
            }
        }
        let place = pair.place(&self.elements);
        self.filled += usize::from(self.elements[place] == 0);
        self.elements[place] = element;
        Some(place)
    }
}

/// Both of them.
pub(super) fn methods(
    pool: &mut PoolAppender<'_, '_>,
) -> Result<[HelperMethod; 2], ClassFileError> {
    let method = |name, descriptor, code| HelperMethod {
        name,
        descriptor,
        stack: 5,
        locals: 8,
        code,
        inline: false,
    };
    Ok([
        method("cell", "()[J", cell_code(pool)?),
        method("passes", "(I)[J", passes_code(pool)?),
    ])
}

fn cell_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    const CELL: u16 = 0;
    const LONG: u8 = 11;
    let mut asm = Assembler::default();
    let none = asm.label();
    let current = pool.method(THREAD, "currentThread", "()Ljava/lang/Thread;")?;
    let field = pool.field(THREAD, THREAD_CELL_FIELD, "[J")?;
    asm.constant(opcode::INVOKESTATIC, current);
    asm.constant(opcode::GETFIELD, field);
    asm.local(opcode::ASTORE, CELL);
    return_if_present(&mut asm, CELL, none);
    asm.bind(none);
    asm.op(opcode::ICONST_1);
    asm.raw(&[opcode::NEWARRAY, LONG]);
    asm.local(opcode::ASTORE, CELL);
    asm.constant(opcode::INVOKESTATIC, current);
    asm.local(opcode::ALOAD, CELL);
    asm.constant(opcode::PUTFIELD, field);
    asm.local(opcode::ALOAD, CELL);
    asm.op(opcode::ARETURN);
    Ok(asm.finish()?.code)
}

fn passes_code(pool: &mut PoolAppender<'_, '_>) -> Result<Vec<u8>, ClassFileError> {
    const CLASS: u16 = 0;
    const CALLER: u16 = 1;
    const TABLE: u16 = 2;
    const AT: u16 = 3;
    const KEY: u16 = 4;
    const PAIR: u16 = 6;
    let mut asm = Assembler::default();
    let (unknown, next, other) = (asm.label(), asm.label(), asm.label());
    let cell = pool.method(HELPER_CLASS, "cell", "()[J")?;
    asm.constant(opcode::INVOKESTATIC, cell);
    asm.raw(&[opcode::ICONST_0, opcode::LALOAD, opcode::L2I]);
    asm.local(opcode::ISTORE, CALLER);
    asm.constant(
        opcode::GETSTATIC,
        pool.field(HELPER_CLASS, PAIRS_FIELD, "[J")?,
    );
    asm.local(opcode::ASTORE, TABLE);
    asm.local(opcode::ALOAD, TABLE);
    asm.jump(opcode::IFNULL, unknown);
    asm.local(opcode::ILOAD, CALLER);
    asm.jump(opcode::IFLT, unknown);
    asm.local(opcode::ILOAD, CLASS);
    asm.op(opcode::I2L);
    asm.int(CALLER_BITS as i32, pool)?;
    asm.op(opcode::LSHL);
    asm.local(opcode::ILOAD, CALLER);
    asm.raw(&[opcode::I2L, opcode::LOR]);
    asm.local(opcode::LSTORE, KEY);
    asm.local(opcode::ILOAD, CLASS);
    asm.int(CLASS_FACTOR, pool)?;
    asm.op(opcode::IMUL);
    asm.local(opcode::ILOAD, CALLER);
    asm.int(CALLER_FACTOR, pool)?;
    asm.raw(&[opcode::IMUL, opcode::IADD, opcode::DUP]);
    asm.int(FOLD, pool)?;
    asm.raw(&[opcode::IUSHR, opcode::IXOR]);
    asm.local(opcode::ISTORE, AT);
    asm.bind(next);
    asm.local(opcode::ALOAD, TABLE);
    asm.local(opcode::ILOAD, AT);
    asm.local(opcode::ALOAD, TABLE);
    asm.raw(&[opcode::ARRAYLENGTH, opcode::ICONST_1, opcode::ISUB]);
    asm.raw(&[opcode::IAND, opcode::LALOAD]);
    asm.local(opcode::LSTORE, PAIR);
    asm.local(opcode::LLOAD, PAIR);
    asm.raw(&[opcode::LCONST_0, opcode::LCMP]);
    asm.jump(opcode::IFEQ, unknown);
    asm.local(opcode::LLOAD, PAIR);
    asm.int(INDEX_BITS as i32, pool)?;
    asm.op(opcode::LUSHR);
    asm.local(opcode::LLOAD, KEY);
    asm.op(opcode::LCMP);
    asm.jump(opcode::IFNE, other);
    asm.local(opcode::LLOAD, PAIR);
    asm.op(opcode::L2I);
    asm.int((1 << INDEX_BITS) - 1, pool)?;
    asm.op(opcode::IAND);
    let others = pool.method(HELPER_CLASS, "others", "(I)[J")?;
    asm.constant(opcode::INVOKESTATIC, others);
    asm.op(opcode::ARETURN);
    asm.bind(other);
    asm.local(opcode::ILOAD, AT);
    asm.raw(&[opcode::ICONST_1, opcode::IADD]);
    asm.local(opcode::ISTORE, AT);
    asm.jump(opcode::GOTO, next);
    asm.bind(unknown);
    asm.local(opcode::ILOAD, CALLER);
    asm.local(opcode::ILOAD, CLASS);
    let native = pool.method(HELPER_CLASS, "slowPasses", "(II)[J")?;
    asm.constant(opcode::INVOKESTATIC, native);
    asm.op(opcode::ARETURN);
    Ok(asm.finish()?.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_found_where_it_was_put() {
        let mut table = Pairs::default();
        let pairs =
            (0..64).flat_map(|class| (0..64).map(move |caller| (class << 15, caller << 16)));
        let pairs: Vec<Pair> = pairs
            .map(|(class, caller)| Pair::new(class, caller).expect("small numbers"))
            .collect();
        for round in 0..2 {
            for (index, pair) in (1..).zip(&pairs) {
                let place = table.put(*pair, index).expect("small numbers");
                assert_eq!(Pair::of(table.elements()[place]), *pair, "round {round}");
            }
            assert_eq!(table.filled, pairs.len());
        }
        assert!(
            table.elements().len().is_power_of_two() && table.elements().len() >= 2 * pairs.len()
        );
        for (index, pair) in (1..).zip(&pairs) {
            let found = table.elements()[pair.place(table.elements())];
            assert_eq!(found & ((1 << INDEX_BITS) - 1), index);
        }
    }

    #[test]
    fn numbers_that_do_not_fit_have_no_place() {
        assert!(Pair::new((1 << CLASS_BITS) - 1, (1 << CALLER_BITS) - 1).is_some());
        assert_eq!(Pair::new(1 << CLASS_BITS, 0), None);
        assert_eq!(Pair::new(0, 1 << CALLER_BITS), None);
        let pair = Pair::new(0, 0).expect("small numbers");
        assert_eq!(
            (pair.element(0), pair.element(1 << INDEX_BITS)),
            (None, None)
        );
    }
}
