//! The end of the run: everything that is not in the trace yet goes there.

use std::sync::atomic::Ordering;

use jvmti_bindings::sys::jvmti::JVMTI_EVENT_BREAKPOINT;
use pricetag_trace::{ClassCounters, ClassLoaded, Mode, OpenFrameRecord, Record};

use crate::beforehand;
use crate::callers;
use crate::calls;
use crate::chunks::Totals;
use crate::frames;
use crate::jvm::Jni;
use crate::processes;
use crate::sampling;
use crate::session::{Session, lock};
use crate::snapshot;
use crate::values;

/// `VMDeath`, on whatever thread ends the VM.
pub fn vm_death(session: &'static Session, jni: Jni) {
    match session.options.mode {
        Mode::Step => {
            let _ = session.jvmti.notify(JVMTI_EVENT_BREAKPOINT, false);
            if let Err(error) = std::fs::write(&session.options.trace, session.steps.text()) {
                eprintln!(
                    "pricetag: cannot write {}: {error}",
                    session.options.trace.display()
                );
            }
        }
        Mode::Time => {
            process(session, jni);
            finish(session);
            session.dying.store(true, Ordering::Release);
            beforehand::rewrite_loaded(session, jni);
        }
        Mode::Sample => {
            session.dying.store(true, Ordering::Release);
            sampling::end(session, jni);
            finish(session);
        }
        Mode::Blocks => {
            session.dying.store(true, Ordering::Release);
            session.block_times.dump(session);
            finish(session);
        }
        Mode::Count => {
            process(session, jni);
            counters(session, jni);
            finish(session);
            if session.reuse.is_some() {
                // Classes that wait to be kept are kept before the process ends.
                let _ = session.worker.run(|| ());
            }
        }
    }
}

fn process(session: &Session, jni: Jni) {
    match session.costs.total(session, jni) {
        Some(costs) => {
            session.record(&Record::Process(costs));
            if let Some(ns) = session.costs.queued() {
                session.record(&Record::Queued(ns));
            }
        }
        None if session.main_class.found() => {}
        None => session.left(
            "?",
            Some("main".to_owned()),
            "the main method was not found, so the process was not timed",
        ),
    }
}

fn counters(session: &Session, jni: Jni) {
    snapshot::none_more(session);
    let stopped = frames::stop_others(session, jni);
    session.dying.store(true, Ordering::Release);
    let open = frames::open_frames(session, jni, &stopped);
    let caught = session.caught.record(session, None);
    let totals = session.chunks.close(session, jni);
    calls::end(session, jni);
    if let Some(unseen) = frames::unseen(session, jni, &stopped, &totals.live) {
        session.inexact(unseen);
    }
    for record in records(session, &totals, open, caught) {
        session.record(&record);
    }
    stopped.go_on_to_the_end();
}

/// Classes, counters and open frames as records, and what was caught before these were read.
pub fn records(
    session: &Session,
    totals: &Totals,
    open: Vec<OpenFrameRecord>,
    caught: Option<Record>,
) -> Vec<Record> {
    let caveat = lock(&session.under_way).clone();
    let mut records: Vec<Record> = caveat.map(Record::Inexact).into_iter().collect();
    let mut depths = Vec::new();
    for (index, class, loaders) in session.classes.all() {
        records.push(Record::Class(ClassLoaded {
            hash: class.hash,
            name: class.name.clone(),
            loaders,
        }));
        let counts: Vec<(u32, u64)> = totals
            .counters
            .get(&index)
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .take(class.counters)
            .zip(0u32..)
            .filter_map(|(&count, counter)| (count > 0).then_some((counter, count)))
            .collect();
        if let (Some(chunk), false) = (totals.counters.get(&index), session.scopes.any()) {
            depths.extend(values::depths(&class, |at| {
                chunk.get(at).copied().unwrap_or(0)
            }));
        }
        if !counts.is_empty() {
            records.push(Record::Counters(ClassCounters {
                hash: class.hash,
                counts,
            }));
        }
    }
    records.extend(open.into_iter().map(Record::OpenFrame));
    if !session.scopes.any() {
        records.extend(session.values.record(depths));
    }
    records.extend(caught);
    records.extend(callers::record(session, totals));
    records
}

fn finish(session: &Session) {
    for (class, scope) in session.scopes.unseen() {
        session.left(
            &class,
            Some(scope),
            "not observed: its class was not loaded",
        );
    }
    let caveats = [
        session.scopes.together.caveat(),
        session.scopes.caveat(),
        processes::caveat(),
    ];
    for caveat in caveats.into_iter().flatten() {
        session.inexact(caveat);
    }
    session.record(&Record::End);
    session.flush();
}
