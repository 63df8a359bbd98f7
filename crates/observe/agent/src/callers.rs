//! Passes of loops by calling method.
//!
//! Every method has a number, under which instrumented code says on its thread that it is the active one (`pricetag_instrument::callers`). A method with loops counts
//! their passes in a chunk for its class and the number it found. Such a chunk has a class index like any other, so it is made, added up, set back and read like any other; here it
//! is kept which index stands for what, and the table in which instrumented code looks that up is filled.
//!
//! The lock is never held while the JVM is called.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use pricetag_instrument::{Pair, Pairs};
use pricetag_probe_plan::ClassHash;
use pricetag_trace::{ByCaller, Called, Caller, Record};

use crate::chunks::Totals;
use crate::classes::{ClassIndex, Counted};
use crate::frames;
use crate::jvm::{Jni, jobject};
use crate::session::{Session, lock};

/// The methods as callers.
#[derive(Debug, Default)]
pub struct Callers {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// Number of the first method of each class.
    first: HashMap<ClassIndex, u32>,
    /// The methods by number, from 1.
    methods: Vec<Caller>,
    /// The numbers of those that say so while they are active.
    numbers: BTreeMap<Caller, u32>,
    /// The index under which passes are counted, by their class and the number of the caller.
    indices: HashMap<(ClassIndex, u32), ClassIndex>,
    pairs: Pairs,
}

impl Callers {
    /// The number of the first method of a class with so many methods; the others follow.
    pub fn number(&self, class: ClassIndex, hash: ClassHash, methods: usize) -> u32 {
        let mut table = lock(&self.table);
        let next = table.methods.len() as u32 + 1;
        let first = *table.first.entry(class).or_insert(next);
        if first == next {
            let all = 0..u16::try_from(methods).unwrap_or(u16::MAX);
            for (number, method) in (first..).zip(all) {
                let caller = Caller { hash, method };
                table.methods.push(caller);
                table.numbers.insert(caller, number);
            }
        }
        first
    }

    /// Notes that a method does not say that it is active.
    pub fn silence(&self, hash: ClassHash, method: u16) {
        lock(&self.table).numbers.remove(&Caller { hash, method });
    }

    /// What a chunk of passes says; none if nothing was counted in it.
    pub fn called(&self, passes: &Counted, counts: &[u64]) -> Option<Called> {
        let number = passes.caller?;
        let nonzero = (0..).zip(counts).filter(|(_, count)| **count > 0);
        let called = Called {
            hash: passes.hash,
            caller: (number as usize)
                .checked_sub(1)
                .and_then(|at| lock(&self.table).methods.get(at).copied()),
            passes: nonzero.map(|(number, count)| (number, *count)).collect(),
        };
        (!called.passes.is_empty()).then_some(called)
    }
}

/// The number of the innermost active counted method, by the stack of the current thread. Says so on the thread, unless the method is a constructor that may not have
/// initialised its object yet.
fn innermost(session: &Session, jni: Jni) -> u32 {
    let known = |caller: Caller| lock(&session.callers.table).numbers.get(&caller).copied();
    let found = frames::innermost(session, jni, |hash, method| known(Caller { hash, method }));
    let (number, constructor) = found.unwrap_or((0, false));
    let field = session
        .runtime
        .get()
        .and_then(|runtime| runtime.thread_cell);
    if let (Some(field), Some(thread), false) = (field, session.jvmti.current_thread(), constructor)
    {
        let cell = jni.object_field(thread, field);
        if !cell.is_null() {
            jni.write_longs(cell, &[i64::from(number)]);
            jni.delete_local(cell);
        }
        jni.delete_local(thread);
    }
    number
}

/// Passes of a class's loops for a caller on the current thread: what `java.lang.Pricetag.slowPasses` returns.
pub fn passes(session: &Session, jni: Jni, class: ClassIndex, caller: i32) -> jobject {
    let caller = u32::try_from(caller).unwrap_or_else(|_| innermost(session, jni));
    let Some(counted) = session.classes.get(class) else {
        return session.chunks.slow(session, jni, class);
    };
    let (index, place) = {
        let mut table = lock(&session.callers.table);
        let Table { indices, pairs, .. } = &mut *table;
        let invocations = session.options.invocations;
        let methods = if invocations {
            counted.methods.len()
        } else {
            0
        };
        let new = || session.classes.add_passes(&counted, methods, caller);
        let index = *indices.entry((class, caller)).or_insert_with(new);
        let place = Pair::new(class.0, caller).and_then(|pair| pairs.put(pair, index.0));
        let place = place.map(|place| (place, pairs.elements()[place], pairs.elements().len()));
        (index, place)
    };
    if let Some(place) = place {
        publish(session, jni, place);
    }
    session.chunks.slow(session, jni, index)
}

/// Writes an element of a table of that length where instrumented code finds it. Should threads overtake one another here, one that does not find its
/// pair comes here again.
fn publish(session: &Session, jni: Jni, (place, element, length): (usize, i64, usize)) {
    let Some(helper) = session.runtime.get().and_then(|runtime| runtime.helper) else {
        return;
    };
    let present = jni.static_object_field(helper.class.0, helper.pairs);
    if !present.is_null() && jni.array_length(present) == length {
        jni.write_longs_at(present, place, &[element]);
    } else {
        let all = lock(&session.callers.table).pairs.elements().to_vec();
        if let Some(array) = jni.new_long_array(all.len()) {
            jni.write_longs(array, &all);
            jni.set_static_object_field(helper.class.0, helper.pairs, array);
            jni.delete_local(array);
        } else {
            jni.clear_exception();
        }
    }
    if !present.is_null() {
        jni.delete_local(present);
    }
}

/// The passes of the whole run so far; none unless they are wanted.
pub fn record(session: &Session, totals: &Totals) -> Option<Record> {
    if !session.options.by_caller() {
        return None;
    }
    let called = totals.counters.iter().filter_map(|(index, counts)| {
        let passes = session.classes.get(*index)?;
        session.callers.called(&passes, counts)
    });
    Some(sorted(None, called.collect()))
}

/// The passes of one invocation, or of the run, as a record.
pub fn sorted(invocation: Option<u64>, mut called: Vec<Called>) -> Record {
    called.sort();
    Record::ByCaller(ByCaller { invocation, called })
}
