//! Observations: outermost invocations of chosen methods on each thread.
//!
//! Instrumented code reports the arguments, then `enter(id)`, later `exit(id, threw)`, always on the invoking thread. Only the
//! outermost invocation of a scope on a thread is observed; scopes may nest in one another. Where a scope is of all threads (`together.rs`), there is one
//! observation at a time. The last clock read on entry and
//! the first on exit is the wall clock, so that the agent's own work stays outside; CPU time and allocation are read
//! around that.
//!
//! Where the stack is full the call of `exit` itself may fail. That invocation has no row, and the trace says so; the scope is observed again once an `enter` looks as
//! if it had to be the outermost, and no other frame of the scope is on the stack.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pricetag_events::Edge;
use pricetag_instrument::ScopeProbe;
use pricetag_trace::{
    AgentOptions, Argument, Called, ClassCounters, Invocation, MethodScope, Mode, Record, Scope,
};

use crate::callers;
use crate::calls;
use crate::caught;
use crate::chunks::Chunks;
use crate::clock;
use crate::compact::Compact;
use crate::costs::classes_loaded;
use crate::frames;
use crate::jvm::Jni;
use crate::looks;
use crate::session::{Session, lock};
use crate::threads::{self, Active, Threads};
use crate::together::{self, Moment, Together};
use crate::values::{self, Own};

/// Id of `main` in the instrumented code; other ids are indices into the options' scopes.
pub const MAIN: i32 = -1;

/// So many threads at once work out what an invocation counted.
const TURNS: usize = 8;
/// Counters for which room is made at least. The C library keeps what a thread frees below 1 KiB for that thread, seven pieces of every size: a piece per class would
/// stay behind on every thread that was ever observed.
const UNCACHED: usize = 72;

/// The methods to observe.
#[derive(Debug)]
pub struct Scopes {
    targets: Vec<(i32, MethodScope)>,
    /// Classes among the targets that have been loaded.
    seen: Mutex<BTreeSet<String>>,
    sequence: AtomicU64,
    /// What is going on on each thread.
    pub threads: Threads,
    /// Whether an observation is what all threads do.
    all_threads: bool,
    /// The one that is.
    pub together: Together,
    /// Held by threads that work out what an invocation counted.
    turns: [Mutex<()>; TURNS],
    /// Observations whose end was not reported.
    lost: AtomicU64,
}

impl Scopes {
    /// The methods among the scopes of the options.
    pub fn new(options: &AgentOptions) -> Self {
        let methods = options
            .scopes
            .iter()
            .enumerate()
            .filter_map(|(index, scope)| match scope {
                // Timing blocks, the scopes say which; their invocations are no observations.
                Scope::Method(method) if options.mode != Mode::Blocks => {
                    Some((index as i32, method.clone()))
                }
                Scope::Method(_) | Scope::Main => None,
            });
        let targets: Vec<(i32, MethodScope)> = methods.collect();
        Self {
            all_threads: targets.iter().any(|(_, method)| method.all_threads),
            together: Together::default(),
            targets,
            seen: Mutex::default(),
            sequence: AtomicU64::new(0),
            threads: Threads::default(),
            turns: Default::default(),
            lost: AtomicU64::new(0),
        }
    }

    /// Whether any method is observed.
    pub fn any(&self) -> bool {
        !self.targets.is_empty()
    }

    /// Whether methods are observed, each invocation on its thread alone.
    pub fn by_thread(&self) -> bool {
        self.any() && !self.all_threads
    }

    /// Whether every class with scopes has been loaded.
    pub fn all_seen(&self) -> bool {
        let seen = lock(&self.seen);
        self.targets
            .iter()
            .all(|(_, method)| seen.iter().any(|class| same_class(&method.class, class)))
    }

    /// Whether a class has scopes.
    pub fn concerns(&self, class: &str) -> bool {
        self.targets
            .iter()
            .any(|(_, method)| same_class(&method.class, class))
    }

    /// What to wire in a class.
    pub fn probes(&self, class: &str) -> Vec<ScopeProbe> {
        if self.concerns(class) {
            lock(&self.seen).insert(class.to_owned());
        }
        let here = self
            .targets
            .iter()
            .filter(|(_, method)| same_class(&method.class, class));
        here.map(|(id, method)| ScopeProbe {
            id: *id,
            method: method.method.clone(),
            descriptor: method.descriptor.clone(),
        })
        .collect()
    }

    /// Scopes whose class was never loaded, as a user names them, with that class.
    pub fn unseen(&self) -> Vec<(String, String)> {
        let seen = lock(&self.seen);
        let missing = self
            .targets
            .iter()
            .filter(|(_, method)| !seen.iter().any(|class| same_class(&method.class, class)));
        missing
            .map(|(_, method)| (method.class.replace('.', "/"), method.to_string()))
            .collect()
    }

    /// Says how many observations have no end.
    pub fn caveat(&self) -> Option<String> {
        let lost = self.lost.load(Ordering::Relaxed);
        (lost > 0).then(|| {
            format!(
                "at least {lost} invocations have no row: their ends were not reported, as when the stack is full"
            )
        })
    }

    /// How a user names a scope.
    pub fn label(&self, id: i32) -> String {
        let target = self.targets.iter().find(|(target, _)| *target == id);
        target.map_or_else(|| "main".to_owned(), |(_, method)| method.to_string())
    }
}

/// Whether a dotted and an internal name denote the same class.
fn same_class(dotted: &str, internal: &str) -> bool {
    dotted.len() == internal.len()
        && dotted
            .bytes()
            .zip(internal.bytes())
            .all(|(a, b)| a == b || (a == b'.' && b == b'/'))
}

/// An argument of the invocation that is about to be entered.
pub fn argument(session: &Session, jni: Jni, argument: Argument) {
    threads::with(session, jni, |thread| thread.arguments.push(argument));
}

/// Drops the arguments reported so far.
pub fn forget_arguments(session: &Session, jni: Jni) {
    threads::with(session, jni, |thread| thread.arguments.clear());
}

/// An invocation begins.
pub fn enter(session: &Session, jni: Jni, scope: i32) {
    let place = std::ptr::from_ref(&scope).addr();
    let (arguments, first, seems) = threads::with(session, jni, |thread| {
        let nest = thread.nests.entry(scope).or_default();
        let seems = nest.begin(place);
        (
            std::mem::take(&mut thread.arguments),
            nest.depth == 1,
            seems,
        )
    });
    if !seems || !(first || begins_anew(session, jni, scope, place)) {
        return;
    }
    if session.is_resting() {
        return;
    }
    if scope == MAIN {
        session.costs.main_entered(session, jni);
        return;
    }
    if session.scopes.all_threads {
        if !session.scopes.together.begin() {
            return;
        }
    } else {
        threads::announce(session, jni);
    }
    let began = match (session.counting(), session.scopes.all_threads) {
        (true, true) => Some(together::before(session, jni)),
        (true, false) => Chunks::begin(session, jni, session.options.values > 0).map(alone),
        (false, _) => None,
    };
    let mut active = Active {
        scope,
        sequence: session.scopes.sequence.fetch_add(1, Ordering::Relaxed),
        arguments,
        began,
        values: Own::default(),
        caught: caught::Own::new(),
        looks: None,
        collections: session.costs.collections(),
        classes: classes_loaded(session, jni),
        allocated: 0,
        cpu: 0,
        start: Instant::now(),
    };
    calls::mark(jni, active.sequence, Edge::Begins);
    (active.cpu, active.allocated) = usage(session, jni, Side::Entry);
    active.looks = looks::begin(session, jni, active.sequence);
    active.values = Own::new(active.looks.is_some());
    threads::with(session, jni, |thread| {
        thread.active.reserve(1);
        active.start = Instant::now();
        thread.active.push(active);
    });
}

/// Whether an invocation that seems to be the outermost is, although another one has not ended: that one's frame is gone.
fn begins_anew(session: &Session, jni: Jni, scope: i32, place: usize) -> bool {
    let mut targets = session.scopes.targets.iter();
    let Some((_, target)) = targets.find(|(id, _)| *id == scope) else {
        return false;
    };
    let active = frames::count(session, jni, |class, method, descriptor| {
        same_class(&target.class, class) && target.method == method && target.takes(descriptor)
    });
    if active == 0 {
        return false;
    }
    let gone: Vec<Active> = threads::with(session, jni, |thread| {
        thread
            .nests
            .entry(scope)
            .or_default()
            .correct(active, place);
        let gone = |other: &mut Active| active == 1 && other.scope == scope;
        thread.active.extract_if(.., gone).collect()
    });
    for active in &gone {
        calls::mark(jni, active.sequence, Edge::GivenUp);
    }
    abandon(session, jni, gone);
    active == 1
}

/// An invocation ends.
pub fn exit(session: &Session, jni: Jni, scope: i32, threw: bool) {
    let end = Instant::now();
    let outermost = threads::with(session, jni, |thread| {
        let nest = thread.nests.entry(scope).or_default();
        nest.end(threw)
    });
    if !outermost {
        return;
    }
    if scope == MAIN {
        session.costs.main_left(session, jni);
        return;
    }
    let (cpu, allocated) = usage(session, jni, Side::Exit);
    let finished = threads::with(session, jni, |thread| {
        let (active, within) = thread.end(scope)?;
        let serial = *thread
            .serial
            .get_or_insert_with(|| session.scopes.threads.next_serial());
        Some((active, serial, within))
    });
    let Some((mut active, thread, within)) = finished else {
        return;
    };
    for active in &within {
        calls::mark(jni, active.sequence, Edge::GivenUp);
    }
    // Part of it ran in the code as it was: it has no row, and its mark says so.
    let resting = session.is_resting();
    let edge = if resting { Edge::GivenUp } else { Edge::Ends };
    calls::mark(jni, active.sequence, edge);
    abandon(session, jni, within);
    if resting {
        abandon(session, jni, [active]);
        return;
    }
    let looks = active.looks.take();
    for look in looks.map_or_else(Vec::new, |l| looks::end(session, jni, l)) {
        session.record(&Record::Look(look));
    }
    let (ended, told) = match (session.counting(), session.scopes.all_threads) {
        (true, true) => {
            let (moment, told) = together::after(session, jni, active.sequence);
            (Some(moment), told)
        }
        (true, false) => (Chunks::end(session, jni).map(alone), Vec::new()),
        (false, _) => (None, Vec::new()),
    };
    let collections = session.costs.collections();
    let classes = classes_loaded(session, jni);
    // From here to the end the JVM is not called. What is worked out takes several times the room of what it is worked out from, so only a few threads
    // at once do it.
    let turns = &session.scopes.turns;
    let _turn = lock(&turns[active.sequence as usize % turns.len()]);
    for record in told {
        session.record(&record);
    }
    if session.scopes.by_thread() {
        own_records(session, &mut active, ended.as_ref());
    }
    let changed = match active.began.zip(ended) {
        Some((began, ended)) => {
            let changed = changes(session, &began.counters, &ended.counters);
            let standing = together::standing(active.sequence, began.standing, ended.standing);
            if let Some(standing) = standing {
                session.record(&standing);
            }
            changed
        }
        None => Changes::default(),
    };
    if session.options.by_caller() && session.counting() {
        session.record(&callers::sorted(Some(active.sequence), changed.called));
    }
    session.record(&Record::Invocation(Invocation {
        scope: u32::try_from(scope).unwrap_or(u32::MAX),
        sequence: active.sequence,
        thread,
        arguments: active.arguments,
        start_ns: clock::nanos(active.start, session.started),
        wall_ns: clock::nanos(end, active.start),
        cpu_ns: cpu.saturating_sub(active.cpu),
        allocated_bytes: allocated.saturating_sub(active.allocated),
        collections: collections.saturating_sub(active.collections),
        threw,
        counters: changed.counters,
        classes_loaded: u32::try_from(classes.saturating_sub(active.classes)).unwrap_or(u32::MAX),
    }));
    session.flush_when_due();
    if session.scopes.all_threads {
        session.scopes.together.end();
    }
}

/// A thread ends, and with it what errors have kept from ending.
pub fn thread_end(session: &Session, jni: Jni) {
    let active = threads::leave(session, jni).map(|thread| thread.active);
    abandon(session, jni, active.into_iter().flatten());
}

/// Gives up observations whose ends were not reported, or are not wanted. Others may be looked into now, and be of all threads.
fn abandon(session: &Session, jni: Jni, observations: impl IntoIterator<Item = Active>) {
    for active in observations {
        session.scopes.lost.fetch_add(1, Ordering::Relaxed);
        if active.looks.is_some() {
            looks::release(session, jni);
        }
        if session.scopes.all_threads {
            session.scopes.together.end();
        }
    }
}

/// What one thread counted, which needs no other threads' frames.
fn alone(counters: Compact) -> Moment {
    Moment {
        counters,
        standing: Vec::new(),
    }
}

/// Records values and caught exceptions of an invocation on its thread.
fn own_records(session: &Session, active: &mut Active, ended: Option<&Moment>) {
    if session.options.values > 0 {
        let depths = ended.map_or_else(Vec::new, |now| values::depths_of(session, &now.counters));
        let own = std::mem::take(&mut active.values);
        for values in values::records_of(active.sequence, own, depths) {
            session.record(&values);
        }
    }
    if session.options.caught && session.counting() {
        let caught = &session.caught;
        session.record(&caught.record_of(session, active.sequence, &active.caught));
    }
}

/// On which side of the observed code something is read.
#[derive(Clone, Copy)]
enum Side {
    Entry,
    Exit,
}

/// CPU time and allocation so far of the current thread, or of all if they are observed; its own next to the observed code. Those of a virtual thread are not
/// known by itself.
fn usage(session: &Session, jni: Jni, side: Side) -> (u64, u64) {
    let own = || {
        let runtime = session.runtime.get();
        let allocated = runtime.and_then(|runtime| runtime.allocated(jni));
        (clock::thread_cpu(), allocated.unwrap_or(0))
    };
    match (
        threads::is_virtual(session, jni),
        session.scopes.all_threads,
    ) {
        (true, true) => session.costs.of_others(session, jni),
        (true, false) => (0, 0),
        (false, false) => own(),
        (false, true) => {
            let others = || session.costs.of_others(session, jni);
            let (one, other) = match side {
                Side::Entry => (others(), own()),
                Side::Exit => (own(), others()),
            };
            (one.0 + other.0, one.1 + other.1)
        }
    }
}

/// What differs between what one thread had counted at two times.
#[derive(Debug, Default)]
pub struct Changes {
    /// Counters, ascending by class.
    pub counters: Vec<ClassCounters>,
    /// Passes of loops by calling method.
    pub called: Vec<Called>,
}

/// What differs between what one thread had counted at two times.
pub fn changes(session: &Session, before: &Compact, after: &Compact) -> Changes {
    let mut changed = Changes::default();
    let (mut before, mut after) = (before.read(), after.read());
    let (mut then, mut now, mut since) = (Vec::new(), Vec::new(), Vec::new());
    let mut earlier = before.next(&mut then);
    while let Some(class) = after.next(&mut now) {
        while earlier.is_some_and(|earlier| earlier < class) {
            earlier = before.next(&mut then);
        }
        let Some(known) = session.classes.get(class) else {
            continue;
        };
        let then = if earlier == Some(class) { &*then } else { &[] };
        since.clear();
        let counters = now[..known.counters.min(now.len())].iter().enumerate();
        since.extend(counters.map(|(index, now)| {
            let then = then.get(index).copied().unwrap_or(0);
            now.wrapping_sub(then) as u64
        }));
        if known.caller.is_some() {
            changed
                .called
                .extend(session.callers.called(&known, &since));
            continue;
        }
        let nonzero = since.iter().filter(|&&count| count != 0).count();
        if nonzero > 0 {
            let mut counts = Vec::with_capacity(nonzero.max(UNCACHED));
            counts.extend(
                (0..)
                    .zip(since.iter().copied())
                    .filter(|(_, count)| *count != 0),
            );
            changed.counters.push(ClassCounters {
                hash: known.hash,
                counts,
            });
        }
    }
    changed.counters.sort_by_key(|counters| counters.hash);
    changed
}

#[cfg(test)]
mod tests {
    use super::same_class;

    #[test]
    fn dotted_and_internal_names() {
        assert!(same_class("a.b.C$D", "a/b/C$D"));
        assert!(same_class("C", "C"));
        assert!(!same_class("a.b.C", "a/b/D"));
        assert!(!same_class("a.b.C", "a/b/C$D"));
    }
}
