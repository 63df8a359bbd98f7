//! Frames that are still active when the VM ends.
//!
//! Their methods have entered a block and not left it, so the derivation needs to know where they stand. Other threads are
//! suspended first; a thread that is waiting, blocked or in native code stands at a definite instruction, one that was running
//! bytecode of a counted class may stand anywhere and is marked. The JVM does not list virtual threads: their frames are missed,
//! and the trace says so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use jvmti_bindings::sys::jvmti::{
    JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER as BLOCKED, JVMTI_THREAD_STATE_SUSPENDED,
    JVMTI_THREAD_STATE_WAITING, jvmtiFrameInfo,
};
use pricetag_probe_plan::ClassHash;
use pricetag_trace::OpenFrameRecord;

use crate::classes::{ClassIndex, Counted};
use crate::jvm::{Jni, jmethodID, jobject, jvmtiError};
use crate::session::{Session, lock};

/// What a thread was doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Waiting, or calling us.
    Still,
    /// Waiting to enter a monitor.
    Blocked,
    /// Possibly running bytecode.
    Running,
}

/// Held while the others are stopped: of two threads that stop each other neither would go on.
///
/// It is the one lock under which the JVM is called. Nothing done under it runs Java code, so nobody asks for it twice; who waits for it
/// waits in native code, which is as good as being suspended.
static STOPPING: Mutex<()> = Mutex::new(());

/// Another thread than the current one.
struct Other {
    thread: jobject,
    /// Whether it is suspended.
    held: bool,
    /// Whether that was done here, and not by a debugger, say.
    ours: bool,
}

/// The other threads, suspended as far as they can be. They go on when this is dropped.
pub struct Stopped<'s> {
    session: &'s Session,
    others: Vec<Other>,
    turn: Option<MutexGuard<'static, ()>>,
}

impl Stopped<'_> {
    /// Lets them go on, and nobody stop them any more: that might be the thread that ends the VM, and soon the JVM resumes none.
    pub fn go_on_to_the_end(mut self) {
        std::mem::forget(self.turn.take());
    }
}

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        let jvmti = self.session.jvmti;
        let is_suspended = |other: &Other| {
            let state = jvmti.thread_state(other.thread).unwrap_or(0);
            state & JVMTI_THREAD_STATE_SUSPENDED != 0
        };
        let mut foreign = self.others.iter().filter(|other| other.held && !other.ours);
        let let_go = foreign.any(|other| !is_suspended(other));
        for other in self.others.iter().filter(|other| other.ours) {
            let _ = jvmti.resume(other.thread);
        }
        if let_go {
            self.session.inexact(
                "a thread that another tool had suspended went on while counters were read",
            );
        }
    }
}

/// How often the threads are listed at most.
const PASSES: usize = 256;
/// How many listings without a new thread are enough: one that is suspended inside `Thread.start` may yet bring its child to life.
const QUIET_PASSES: usize = 3;
/// Time between two listings when there was no new thread.
const PAUSE: Duration = Duration::from_millis(1);

/// Suspends every thread but the current one, also those that are born meanwhile.
pub fn stop_others(session: &Session, jni: Jni) -> Stopped<'_> {
    let mut stopped = Stopped {
        session,
        others: Vec::new(),
        turn: Some(lock(&STOPPING)),
    };
    let current = session.jvmti.current_thread();
    let others = &mut stopped.others;
    let mut quiet = 0;
    for _ in 0..PASSES {
        let before = others.len();
        for thread in session.jvmti.threads() {
            let known = others[..before].iter().map(|other| other.thread);
            if current
                .into_iter()
                .chain(known)
                .any(|known| jni.same(known, thread))
            {
                jni.delete_local(thread);
            } else {
                let suspended = session.jvmti.suspend(thread);
                others.push(Other {
                    thread,
                    held: matches!(suspended, Ok(()) | Err(jvmtiError::THREAD_SUSPENDED)),
                    ours: suspended.is_ok(),
                });
            }
        }
        if others.len() > before {
            quiet = 0;
            continue;
        }
        quiet += 1;
        if quiet == QUIET_PASSES {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    stopped
}

/// Says how many of the threads with counters are neither stopped nor the current one; nothing if none is.
pub fn unseen(session: &Session, jni: Jni, stopped: &Stopped<'_>, live: &[i32]) -> Option<String> {
    let keeper = session.runtime.get()?.keeper?;
    let threads = stopped.others.iter().map(|other| other.thread);
    let seen: BTreeSet<i32> = threads
        .chain(session.jvmti.current_thread())
        .map(|thread| keeper.serial(session.jvmti, jni, thread))
        .collect();
    let unseen = live.iter().filter(|serial| !seen.contains(serial)).count();
    (unseen > 0).then(|| {
        format!(
            "{unseen} {} out of sight at the end: {} last counts may be incomplete",
            if unseen == 1 {
                "thread was"
            } else {
                "threads were"
            },
            if unseen == 1 { "its" } else { "their" },
        )
    })
}

/// Counted methods of which an earlier version is active, with the number of its frames: those go on in the code as it was.
pub fn replaced(session: &Session, jni: Jni) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for thread in session.jvmti.threads() {
        for frame in session.jvmti.stack(thread) {
            if session.jvmti.is_obsolete(frame.method)
                && let Some(name) = name_of_counted(session, jni, frame.method)
            {
                *found.entry(name).or_insert(0) += 1;
            }
        }
        jni.delete_local(thread);
    }
    found
}

/// Dotted name of a method of a counted class.
fn name_of_counted(session: &Session, jni: Jni, method: jmethodID) -> Option<String> {
    let class = session.jvmti.declaring_class(method)?;
    let name = session.jvmti.class_name(class);
    jni.delete_local(class);
    let class = name?.plain;
    let (method, _) = session.jvmti.method_name(method)?;
    let counted = !session.classes.named(&class).is_empty();
    counted.then(|| format!("{}.{method}", class.replace('/', ".")))
}

/// The open frames of counted methods on the current thread, but for so many of its oldest frames.
pub fn above(session: &Session, jni: Jni, below: usize) -> Vec<OpenFrameRecord> {
    let (mut methods, mut frames) = (BTreeMap::new(), Vec::new());
    if let Some(current) = session.jvmti.current_thread() {
        let mut stack = session.jvmti.stack(current);
        stack.truncate(stack.len().saturating_sub(below));
        let itself = (Standing::Still, true);
        resolved(session, jni, &stack, itself, &mut methods, &mut frames);
    }
    frames
}

/// How many frames on the current thread's stack are of methods that `fits` says so of, by internal name of the class, name and descriptor.
pub fn count(session: &Session, jni: Jni, fits: impl Fn(&str, &str, &str) -> bool) -> u32 {
    let is_fit = |method| {
        let class = session.jvmti.declaring_class(method)?;
        let name = session.jvmti.class_name(class);
        jni.delete_local(class);
        let (method, descriptor) = session.jvmti.method_name(method)?;
        Some(fits(&name?.plain, &method, &descriptor))
    };
    let Some(current) = session.jvmti.current_thread() else {
        return 0;
    };
    let (mut known, mut found) = (BTreeMap::new(), 0);
    for frame in session.jvmti.stack(current) {
        let fit = known
            .entry(frame.method as usize)
            .or_insert_with(|| is_fit(frame.method).unwrap_or(false));
        found += u32::from(*fit);
    }
    jni.delete_local(current);
    found
}

/// Frames in which the innermost counted method is looked for first.
const NEAR: usize = 16;

/// What `known` says of the innermost active method on the current thread of which it knows something, and whether that is a constructor.
pub fn innermost<T>(
    session: &Session,
    jni: Jni,
    known: impl Fn(ClassHash, u16) -> Option<T>,
) -> Option<(T, bool)> {
    let current = session.jvmti.current_thread()?;
    let near = session.jvmti.top(current, NEAR);
    let found = innermost_of(session, jni, &near, &known);
    let all = || innermost_of(session, jni, &session.jvmti.stack(current), &known);
    let found = found.or_else(all);
    jni.delete_local(current);
    found
}

fn innermost_of<T>(
    session: &Session,
    jni: Jni,
    stack: &[jvmtiFrameInfo],
    known: impl Fn(ClassHash, u16) -> Option<T>,
) -> Option<(T, bool)> {
    stack.iter().find_map(|frame| {
        let (class, index) = resolve(session, jni, frame.method)?;
        let method = &class.methods[usize::from(index)];
        // In its prologue a method is not active yet.
        method.original_call(u32::try_from(frame.location).ok()?)?;
        Some((known(class.hash, index)?, method.name == "<init>"))
    })
}

/// The open frames of counted methods on the current and all other threads.
pub fn open_frames(session: &Session, jni: Jni, others: &Stopped<'_>) -> Vec<OpenFrameRecord> {
    let mut frames = above(session, jni, 0);
    frames.extend(of_others(session, jni, others));
    frames
}

/// The open frames of counted methods on all threads but the current one.
pub fn of_others(session: &Session, jni: Jni, stopped: &Stopped<'_>) -> Vec<OpenFrameRecord> {
    let (mut methods, mut frames) = (BTreeMap::new(), Vec::new());
    for other in &stopped.others {
        let standing = match session.jvmti.thread_state(other.thread).unwrap_or(0) {
            state if state & BLOCKED != 0 => Standing::Blocked,
            state if state & JVMTI_THREAD_STATE_WAITING != 0 => Standing::Still,
            _ => Standing::Running,
        };
        walk(
            session,
            jni,
            (other.thread, standing, other.held),
            &mut methods,
            &mut frames,
        );
    }
    frames
}

/// What is known about a method id: its class and position, if it is counted.
type Methods = BTreeMap<usize, Option<(std::sync::Arc<Counted>, u16)>>;

fn walk(
    session: &Session,
    jni: Jni,
    (thread, standing, held): (jobject, Standing, bool),
    methods: &mut Methods,
    frames: &mut Vec<OpenFrameRecord>,
) {
    let stack = session.jvmti.stack(thread);
    resolved(session, jni, &stack, (standing, held), methods, frames);
}

/// Finds where the frames of counted methods stand, given a thread's frames, what it is doing and whether it is held.
fn resolved(
    session: &Session,
    jni: Jni,
    stack: &[jvmtiFrameInfo],
    (standing, held): (Standing, bool),
    methods: &mut Methods,
    frames: &mut Vec<OpenFrameRecord>,
) {
    for (depth, frame) in stack.iter().enumerate() {
        let method = methods
            .entry(frame.method as usize)
            .or_insert_with(|| resolve(session, jni, frame.method));
        let (Some((class, index)), Ok(pc)) = (method, u32::try_from(frame.location)) else {
            continue;
        };
        let method = &class.methods[usize::from(*index)];
        let pc = match depth {
            0 if standing == Standing::Blocked => method.original_blocked(pc),
            0 => method.original(pc),
            _ => method.original_call(pc),
        };
        // In the prologue nothing is counted yet, in a call of ours at the end everything is: either way the frame does
        // not exist for the derivation.
        let Some(pc) = pc else { continue };
        // A thread that could not be suspended has gone on since its stack was read.
        let running = !held || (depth == 0 && standing == Standing::Running);
        frames.push(OpenFrameRecord {
            hash: class.hash,
            method: *index,
            pc,
            running,
        });
    }
}

fn resolve(
    session: &Session,
    jni: Jni,
    method: jmethodID,
) -> Option<(std::sync::Arc<Counted>, u16)> {
    if session.jvmti.is_obsolete(method) {
        return None;
    }
    let class = session.jvmti.declaring_class(method)?;
    let name = session.jvmti.class_name(class);
    jni.delete_local(class);
    let name = name?.plain;
    let mut candidates = session.classes.named(&name);
    if candidates.len() > 1 {
        let index = prologue_class(&session.jvmti.bytecodes(method)?);
        candidates.retain(|(candidate, _)| Some(*candidate) == index);
        if candidates.is_empty() {
            session.inexact(format!(
                "{name}: an open frame belongs to one of several classes of that name"
            ));
        }
    }
    let (_, counted) = candidates.pop()?;
    let (name, descriptor) = session.jvmti.method_name(method)?;
    let index = counted
        .methods
        .iter()
        .position(|known| known.name == name && known.descriptor == descriptor)?;
    if counted.methods[index].pcs.is_empty() {
        return None;
    }
    let code = session.jvmti.bytecodes(method);
    if code.is_some_and(|code| code.len() != counted.methods[index].code_length) {
        session.inexact(format!(
            "{}.{}: another agent changed the method after this one, so it is not known where its open frames stand",
            counted.name, counted.methods[index].name
        ));
        return None;
    }
    Some((counted, index as u16))
}

/// The class index that a counted method's prologue pushes (a larger one than `sipush` takes is not recognised).
///
/// A scope reports its arguments and `enter` first: the push looked for is the one whose call leaves something to store.
fn prologue_class(code: &[u8]) -> Option<ClassIndex> {
    let (mut at, mut pushed) = (0, None);
    loop {
        let rest = code.get(at..)?;
        let constant = match *rest {
            [opcode @ 0x03..=0x08, ..] => Some(u32::from(opcode - 0x03)),
            [0x10, byte, ..] => Some(u32::from(byte)),
            [0x11, high, low, ..] => Some(u32::from(u16::from_be_bytes([high, low]))),
            _ => None,
        };
        at += match *rest.first()? {
            // Constants but those of the pool, loads without operand, conversions.
            0x01..=0x0f | 0x1a..=0x2d | 0x85..=0x93 => 1,
            0x10 | 0x12 | 0x15..=0x19 => 2,
            0x11 | 0x13 | 0x14 => 3,
            // `wide` load
            0xc4 => 4,
            // `invokestatic`, before any `astore`
            0xb8 => match *rest.get(3..)? {
                [0x3a | 0x4b..=0x4e, ..] | [0xc4, 0x3a, ..] => return pushed.map(ClassIndex),
                _ => 3,
            },
            _ => return None,
        };
        pushed = constant;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_is_found_behind_a_scopes_own_calls() {
        let index = |code: &[u8]| prologue_class(code).map(|index| index.0);
        // sipush 300; invokestatic chunk; astore_2
        let plain = [0x11, 1, 44, 0xb8, 0, 9, 0x4d, 0xb1];
        assert_eq!(index(&plain), Some(300));
        // iload_1; i2l; invokestatic argLong; aload 4; invokestatic argObject; iconst_2; invokestatic enter
        let scope = [
            0x1b, 0x85, 0xb8, 0, 7, 0x19, 4, 0xb8, 0, 8, 0x05, 0xb8, 0, 6,
        ];
        assert_eq!(index(&[&scope[..], &plain].concat()), Some(300));
        // iconst_5; invokestatic chunk; wide astore 256
        assert_eq!(index(&[0x08, 0xb8, 0, 9, 0xc4, 0x3a, 1, 0]), Some(5));
        assert_eq!(index(&scope), None);
        assert_eq!(index(&[0xb1]), None);
    }
}
