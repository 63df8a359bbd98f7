//! Per-thread counters.
//!
//! Every thread owns one `long[]` per class (its *chunk*), in a `long[][]` that it keeps ([`crate::keeping`]): on a field of its `Thread` object, unless the agent came late;
//! compiled code finds it there without a call (`docs/decisions/001-exact-counting.md`). The first thread that counts owns the
//! helper's `shared` array, whose elements the compilers take for constants (decision 004); the next few have a *slot*, under which their
//! chunk of a class is in a row that is such a constant; every other thread has an array of its own. Owned array and rows only repeat what
//! is in the threads' `long[][]`. A slot is never given to a second thread. The agent makes chunks on first use,
//! keeps a global reference to each live thread's `long[][]`, and adds a thread's chunks to the totals when it ends.
//!
//! A thread that is suspended inside the agent runs on until its next call into the JVM. So what is counted where changes
//! under one lock, under which the JVM is never called: the end of the run finds every thread either live or in the totals, and
//! from then on nothing moves and no handle it reads is deleted.
//!
//! No two threads write to one chunk, except to the spare one, which stands in when the heap has no room; its counts are
//! worthless and the trace says so.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::calls;
use crate::classes::ClassIndex;
use crate::compact::Compact;
use crate::jvm::{Global, Jni, jobject};
use crate::runtime::Runtime;
use crate::session::{Session, lock};
use crate::threads;
use pricetag_instrument::{SHARED_CLASSES, SLOTS};

/// Elements behind those of a chunk that are never used, a cache line of them: collectors that copy put the chunks of a class side by side, and threads that wrote
/// to one line would wait for each other.
const APART: usize = 8;

/// Counters of every class on one thread.
pub type Snapshot = BTreeMap<ClassIndex, Vec<i64>>;

/// The counters of all threads.
#[derive(Debug, Default)]
pub struct Chunks {
    serials: AtomicI32,
    slots: AtomicI32,
    /// Whether a thread has tried to own the helper's shared array.
    claimed: AtomicBool,
    /// The serial number of the thread that owns it, and the array.
    owned: OnceLock<(i32, Global)>,
    ledger: Mutex<Ledger>,
    spare: Mutex<Option<(Global, usize)>>,
    starved: Mutex<BTreeSet<ClassIndex>>,
}

/// Which counts lie where.
#[derive(Debug, Default)]
struct Ledger {
    /// The `long[][]` of every live thread, by its serial number.
    live: BTreeMap<i32, Global>,
    /// What ended threads counted.
    totals: BTreeMap<ClassIndex, Vec<u64>>,
    /// Whether the run is over: threads that end now are in `live` for good.
    closed: bool,
    /// Snapshots that are being read: until they are done no handle they may use is deleted.
    readers: u32,
    /// Handles that wait for that.
    retired: Vec<Global>,
}

/// Totals over all threads, and the serial numbers of those that were live.
#[derive(Debug, Default)]
pub struct Totals {
    /// Counters of every class.
    pub counters: BTreeMap<ClassIndex, Vec<u64>>,
    /// Threads that had not ended.
    pub live: Vec<i32>,
}

impl Chunks {
    /// Makes sure that the spare chunk has at least as many counters; false when there is no memory.
    pub fn reserve(&self, jni: Jni, counters: usize) -> bool {
        if lock(&self.spare).is_some_and(|(_, length)| length >= counters) {
            return true;
        }
        let length = counters.next_power_of_two().max(4096);
        let Some(array) = jni.new_long_array(length) else {
            jni.clear_exception();
            return false;
        };
        let Some(global) = jni.global(array) else {
            return false;
        };
        jni.delete_local(array);
        // The former spare chunk stays alive: a frame may hold it, and there are at most twenty of them.
        let mut spare = lock(&self.spare);
        if spare.is_none_or(|(_, present)| present < length) {
            *spare = Some((global, length));
        }
        true
    }

    /// The chunk of a class on the current thread, made if there is none: what `java.lang.Pricetag.slow` returns.
    pub fn slow(&self, session: &Session, jni: Jni, class: ClassIndex) -> jobject {
        if let Some(chunk) = self.chunk(session, jni, class) {
            chunk
        } else {
            if jni.exception_pending() {
                jni.clear_exception();
            }
            if lock(&self.starved).insert(class) {
                let name = session
                    .classes
                    .get(class)
                    .map_or_else(|| "?".to_owned(), |class| class.name.clone());
                session.inexact(format!("{name}: a thread found no memory for its counters"));
            }
            self.spare()
        }
    }

    /// The spare chunk; null before a class is counted.
    pub fn spare(&self) -> jobject {
        lock(&self.spare).map_or(null_mut(), |(global, _)| global.0)
    }

    fn chunk(&self, session: &Session, jni: Jni, class: ClassIndex) -> Option<jobject> {
        let runtime = session.runtime.get()?;
        let counted = session.classes.get(class)?;
        let thread = session.jvmti.current_thread()?;
        let outer = self.outer(session, runtime, jni, thread, class.0 as usize)?;
        let present = jni.element(outer, class.0 as usize);
        if !present.is_null() {
            // The program has emptied its thread locals, ours among them.
            runtime.keeper?.keep(jni, thread, outer);
            return Some(present);
        }
        let chunk = jni.new_long_array(counted.chunk + APART)?;
        jni.set_element(outer, class.0 as usize, chunk);
        if class.0 < SHARED_CLASSES && counted.caller.is_none() {
            self.repeat(session, runtime, jni, thread, (class.0 as usize, chunk));
        }
        Some(chunk)
    }

    /// Puts a new chunk of the current thread where compiled code finds it sooner, if the thread is one of those for which there is such a
    /// place.
    fn repeat(
        &self,
        session: &Session,
        runtime: &Runtime,
        jni: Jni,
        thread: jobject,
        (class, chunk): (usize, jobject),
    ) {
        let Some(keeper) = runtime.keeper else { return };
        if let Some((owner, shared)) = self.owned.get()
            && keeper.serial(session.jvmti, jni, thread) == *owner
        {
            jni.set_element(shared.0, class, chunk);
            return;
        }
        let Some(slot) = runtime.thread_slot else {
            return;
        };
        let slot = usize::try_from(jni.int_field(thread, slot)).unwrap_or(0);
        let Some(helper) = runtime.helper.filter(|_| slot > 0) else {
            return;
        };
        let mut row = jni.element(helper.rows.0, class);
        if row.is_null() {
            // Should another thread make one too, both go on to be found where compiled code knows the one, and all in `$pricetag`.
            let Some(new) = jni.new_object_array(SLOTS as usize, runtime.long_array.0) else {
                jni.clear_exception();
                return;
            };
            jni.set_element(helper.rows.0, class, new);
            row = new;
        }
        jni.set_element(row, slot, chunk);
        jni.delete_local(row);
    }

    /// Gives the current thread a slot, if there is one left; virtual threads are too many.
    fn take_slot(&self, session: &Session, runtime: &Runtime, jni: Jni, thread: jobject) {
        let virtual_thread = threads::is_virtual(session, jni);
        let Some(field) = runtime.thread_slot.filter(|_| !virtual_thread) else {
            return;
        };
        let next = |taken: i32| Some(taken + 1).filter(|&slot| slot < SLOTS as i32);
        if let Ok(taken) = self
            .slots
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
        {
            jni.set_int_field(thread, field, taken + 1);
        }
    }

    /// Makes the current thread the owner of the helper's shared array, if it is the first; whether it is.
    fn own(&self, runtime: &Runtime, jni: Jni, thread: jobject, serial: i32) -> bool {
        let Some(helper) = runtime.helper else {
            return false;
        };
        if self.claimed.swap(true, Ordering::AcqRel) {
            return false;
        }
        let shared = jni.new_object_array(SHARED_CLASSES as usize, runtime.object.0);
        let Some(global) = shared.and_then(|shared| jni.global(shared)) else {
            jni.clear_exception();
            return false;
        };
        let _ = self.owned.set((serial, global));
        // Only this thread finds itself in `owner`; the array is there before.
        jni.set_static_object_field(helper.class.0, helper.shared, global.0);
        jni.set_static_object_field(helper.class.0, helper.owner, thread);
        true
    }

    /// The current thread's `long[][]`, long enough for an index.
    fn outer(
        &self,
        session: &Session,
        runtime: &Runtime,
        jni: Jni,
        thread: jobject,
        index: usize,
    ) -> Option<jobject> {
        let keeper = runtime.keeper?;
        let mut serial = keeper.serial(session.jvmti, jni, thread);
        let old = self.array_of(serial);
        let old_length = if old.is_null() {
            0
        } else {
            jni.array_length(old)
        };
        if old_length > index {
            return Some(old);
        }
        let length = (session.classes.len().max(index + 1) + 16).next_multiple_of(64);
        let outer = jni.new_object_array(length, runtime.long_array.0)?;
        for at in 0..old_length {
            let chunk = jni.element(old, at);
            if !chunk.is_null() {
                jni.set_element(outer, at, chunk);
                jni.delete_local(chunk);
            }
        }
        let global = jni.global(outer)?;
        if serial == 0 {
            serial = self.serials.fetch_add(1, Ordering::Relaxed) + 1;
            keeper.set_serial(session.jvmti, jni, thread, serial);
        }
        // Registered before the thread can count in it, so that no count is ever out of sight.
        let (former, closed) = {
            let mut ledger = lock(&self.ledger);
            (ledger.live.insert(serial, global), ledger.closed)
        };
        // Without memory for that it asks again next time.
        keeper.keep(jni, thread, outer);
        if old.is_null() && !self.own(runtime, jni, thread, serial) {
            self.take_slot(session, runtime, jni, thread);
        }
        if let (Some(former), false) = (former, closed) {
            self.retire(jni, former);
        }
        Some(outer)
    }

    /// The `long[][]` of a live thread, null if it has none; it stays as long as the thread itself does not replace it.
    fn array_of(&self, serial: i32) -> jobject {
        let array = lock(&self.ledger).live.get(&serial).copied();
        array.map_or(null_mut(), |global| global.0)
    }

    /// The current thread's `long[][]`, null if it has none.
    fn own_array(&self, session: &Session, jni: Jni) -> Option<jobject> {
        let keeper = session.runtime.get()?.keeper?;
        let thread = session.jvmti.current_thread()?;
        let serial = keeper.serial(session.jvmti, jni, thread);
        jni.delete_local(thread);
        Some(self.array_of(serial))
    }

    /// Adds the chunks of a thread that ends to the totals.
    pub fn thread_end(&self, session: &Session, jni: Jni, thread: jobject) {
        let Some(keeper) = session.runtime.get().and_then(|runtime| runtime.keeper) else {
            return;
        };
        let serial = keeper.serial(session.jvmti, jni, thread);
        let outer = {
            let ledger = lock(&self.ledger);
            match ledger.live.get(&serial) {
                Some(&outer) if !ledger.closed => outer,
                _ => return,
            }
        };
        calls::thread_end(session, jni, serial);
        let counts = read(session, jni, outer.0);
        {
            let mut ledger = lock(&self.ledger);
            if ledger.closed {
                return; // the dump reads this thread's chunks itself
            }
            add(session, &mut ledger.totals, counts);
            ledger.live.remove(&serial);
        }
        session.values.thread_end(serial);
        self.retire(jni, outer);
    }

    /// The current thread's counters.
    pub fn snapshot(session: &Session, jni: Jni) -> Option<Snapshot> {
        let outer = session.chunks.own_array(session, jni)?;
        Some(if outer.is_null() {
            Snapshot::new()
        } else {
            read(session, jni, outer)
        })
    }

    /// The current thread's counters when an invocation begins. On request notes on the thread that no values were taken, so that the first ones are taken again.
    pub fn begin(session: &Session, jni: Jni, forget_values: bool) -> Option<Compact> {
        let mut compact = Compact::default();
        walk(session, jni, |class, array, counters, chunk| {
            compact.push(class, &chunk[..counters]);
            let taken = &mut chunk[counters..];
            if forget_values && taken.iter().any(|&n| n != 0) {
                taken.fill(0);
                jni.write_longs_at(array, counters, taken);
            }
        })?;
        compact.shrink();
        Some(compact)
    }

    /// Notes for all threads that no values were taken, and that nothing was deeper than not at all, so that both begin anew. How many frames of recursive methods
    /// are open stays, since other threads may be in the middle of them. They must be stopped.
    pub fn forget_values(&self, session: &Session, jni: Jni) {
        let live = {
            let mut ledger = lock(&self.ledger);
            for (class, total) in &mut ledger.totals {
                let counters = session
                    .classes
                    .get(*class)
                    .map_or(0, |class| class.counters);
                total.iter_mut().skip(counters).for_each(|most| *most = 0);
            }
            ledger.readers += 1;
            ledger.live.clone()
        };
        for outer in live.values() {
            walk_array(session, jni, outer.0, |class, array, counters, chunk| {
                let known = session.classes.get(class);
                let depths = known.as_ref().map_or(&[][..], |class| &class.depths);
                let open = depths
                    .iter()
                    .map(|(_, most)| most - 1)
                    .filter(|at| *at < chunk.len());
                let open: Vec<(usize, i64)> = open.map(|at| (at, chunk[at])).collect();
                chunk[counters..].fill(0);
                for (at, frames) in open {
                    chunk[at] = frames;
                }
                jni.write_longs_at(array, counters, &chunk[counters..]);
            });
        }
        self.done_reading(jni);
    }

    /// The current thread's chunks when an invocation ends.
    pub fn end(session: &Session, jni: Jni) -> Option<Compact> {
        let mut compact = Compact::default();
        walk(session, jni, |class, _, _, chunk| {
            compact.push(class, chunk);
        })?;
        compact.shrink();
        Some(compact)
    }

    /// Sets the current thread's counters back; classes that had none then, in case, are returned.
    pub fn restore(session: &Session, jni: Jni, before: &Snapshot) -> Vec<ClassIndex> {
        let mut new = Vec::new();
        let _ = walk(session, jni, |class, array, _, chunk| {
            if let Some(values) = before.get(&class) {
                jni.write_longs(array, values);
                return;
            }
            chunk.fill(0);
            jni.write_longs(array, chunk);
            let known = session.classes.get(class);
            let passes = known.is_some_and(|class| class.caller.is_some());
            new.extend((!passes).then_some(class));
        });
        new
    }

    /// Deletes a handle that no thread counts through any more, once no snapshot may be reading it.
    fn retire(&self, jni: Jni, handle: Global) {
        {
            let mut ledger = lock(&self.ledger);
            if ledger.readers > 0 {
                ledger.retired.push(handle);
                return;
            }
        }
        jni.delete_global(handle);
    }

    /// Totals over all threads, ended and live, while counting goes on.
    pub fn peek(&self, session: &Session, jni: Jni) -> Totals {
        let (live, mut counters) = {
            let mut ledger = lock(&self.ledger);
            ledger.readers += 1;
            (ledger.live.clone(), ledger.totals.clone())
        };
        for outer in live.values() {
            add(session, &mut counters, read(session, jni, outer.0));
        }
        self.done_reading(jni);
        Totals {
            counters,
            live: live.into_keys().collect(),
        }
    }

    /// Ends a reading of live threads' chunks: once it was the last, what threads have given up meanwhile is deleted.
    fn done_reading(&self, jni: Jni) {
        let retired = {
            let mut ledger = lock(&self.ledger);
            ledger.readers -= 1;
            if ledger.readers == 0 {
                std::mem::take(&mut ledger.retired)
            } else {
                Vec::new()
            }
        };
        for handle in retired {
            jni.delete_global(handle);
        }
    }

    /// Ends the counting: totals over all threads, ended and live.
    pub fn close(&self, session: &Session, jni: Jni) -> Totals {
        let (live, mut counters) = {
            let mut ledger = lock(&self.ledger);
            ledger.closed = true;
            (ledger.live.clone(), std::mem::take(&mut ledger.totals))
        };
        for outer in live.values() {
            add(session, &mut counters, read(session, jni, outer.0));
        }
        Totals {
            counters,
            live: live.into_keys().collect(),
        }
    }
}

/// Goes through the chunks of the current thread, with the class, the array, how many of its elements are counters, and all of these.
fn walk(
    session: &Session,
    jni: Jni,
    action: impl FnMut(ClassIndex, jobject, usize, &mut [i64]),
) -> Option<()> {
    let outer = session.chunks.own_array(session, jni)?;
    walk_array(session, jni, outer, action);
    Some(())
}

/// Goes through the chunks in a thread's `long[][]`, if it has one.
fn walk_array(
    session: &Session,
    jni: Jni,
    outer: jobject,
    mut action: impl FnMut(ClassIndex, jobject, usize, &mut [i64]),
) {
    let classes = if outer.is_null() {
        0
    } else {
        jni.array_length(outer).min(session.classes.len())
    };
    let mut buffer = Vec::new();
    for index in 0..classes {
        let chunk = jni.element(outer, index);
        if chunk.is_null() {
            continue;
        }
        let class = ClassIndex(index as u32);
        let known = session.classes.get(class);
        let length = known.as_ref().map_or(0, |class| class.chunk);
        let length = length.min(jni.array_length(chunk));
        let counters = known.map_or(0, |class| class.counters).min(length);
        buffer.clear();
        buffer.resize(length, 0);
        jni.read_longs(chunk, &mut buffer);
        action(class, chunk, counters, &mut buffer);
        jni.delete_local(chunk);
    }
}

/// Reads every chunk of a thread.
fn read(session: &Session, jni: Jni, outer: jobject) -> Snapshot {
    let mut counts = Snapshot::new();
    walk_array(session, jni, outer, |class, _, _, chunk| {
        counts.insert(class, chunk.to_vec());
    });
    counts
}

/// Adds counters; of what lies behind them, depths of recursion among others, the largest is kept.
fn add(session: &Session, totals: &mut BTreeMap<ClassIndex, Vec<u64>>, counts: Snapshot) {
    for (class, counts) in counts {
        let known = session.classes.get(class);
        let counters = known.map_or(counts.len(), |class| class.counters.min(counts.len()));
        let total = totals.entry(class).or_insert_with(|| vec![0; counts.len()]);
        let (total, most) = total.split_at_mut(counters);
        for (total, count) in total.iter_mut().zip(&counts) {
            *total = total.wrapping_add(*count as u64);
        }
        for (most, count) in most.iter_mut().zip(&counts[counters..]) {
            *most = (*most).max(u64::try_from(*count).unwrap_or(0));
        }
    }
}
