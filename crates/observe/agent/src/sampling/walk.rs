//! Walking the stack of an interrupted thread, by HotSpot's `AsyncGetCallTrace`.
//!
//! The sampler arms a slot and sends its number with the signal. The handler starts a timer ([`super::moment`]); at the
//! timer's signal it fills the slot and hands it back. Slots are allocated beforehand; the handler allocates nothing, takes no
//! lock and cannot panic.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use jvmti_bindings::sys::jni::{JNI_OK, JNI_VERSION_1_6, JNIEnv, JavaVM};

use super::moment::{Clocks, Timer};
use super::tree::Frame;
use super::{anchor, code, threads};
use crate::clock;
use crate::jvm::{Jni, Jvmti};
use crate::snapshot;

/// Innermost frames that are told of a stack.
pub const DEPTH: usize = 1024;
/// Stacks that can be under way at once.
pub const SLOTS: usize = 64;

const FREE: usize = 0;
/// The thread was sent a signal.
const ARMED: usize = 1;
/// It has taken the signal, and its timer runs.
const TIMED: usize = 2;
const FILLING: usize = 3;
const DONE: usize = 4;
/// It waited when the timer was over.
const WAITED: usize = 5;
/// Bits of a state; above them stands the turn.
const STATE: usize = 3;

/// A frame as HotSpot writes it (`forte.cpp`).
#[repr(C)]
#[derive(Clone, Copy)]
struct CallFrame {
    /// Offset in the bytecode; negative for native methods.
    at: i32,
    method: *mut c_void,
}

#[repr(C)]
struct CallTrace {
    env: *mut JNIEnv,
    /// Frames, or why there are none.
    frames: i32,
    list: *mut CallFrame,
}

type Walk = unsafe extern "C" fn(*mut CallTrace, i32, *mut c_void);

struct Slot {
    /// The state, and how often the slot was armed: a signal of an earlier turn is nobody's. One word holds both, so that a
    /// late signal cannot meet its own turn and a later one's state.
    now: AtomicUsize,
    content: UnsafeCell<Content>,
}

impl Slot {
    fn new() -> Self {
        Self {
            now: AtomicUsize::new(FREE),
            content: UnsafeCell::new(Content {
                frames: [CallFrame {
                    at: 0,
                    method: null_mut(),
                }; DEPTH],
                count: 0,
                from: From::Compiled,
                pc: 0,
                timer: None,
                first: Clocks::default(),
                first_ns: 0,
                began: 0,
                ended: 0,
            }),
        }
    }

    fn state(&self) -> usize {
        self.now.load(Ordering::Acquire) & ((1 << STATE) - 1)
    }

    fn turn(&self) -> usize {
        self.now.load(Ordering::Acquire) >> STATE
    }

    /// Its next state in this turn; for who has the slot alone.
    fn set(&self, turn: usize, state: usize) {
        self.now.store((turn << STATE) | state, Ordering::Release);
    }

    /// Goes from one state to the next, if it is this turn's and no one else was faster.
    fn moves(&self, turn: usize, from: usize, to: usize) -> bool {
        let (from, to) = ((turn << STATE) | from, (turn << STATE) | to);
        self.now
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }
}

struct Content {
    frames: [CallFrame; DEPTH],
    count: i32,
    /// From where the JVM was called, if it was.
    from: From,
    pc: usize,
    /// None where the stack is to be told at the first signal.
    timer: Option<Timer>,
    /// When that came, and what it cost, ns.
    first: Clocks,
    first_ns: u64,
    /// The thread's clock when the last handler began and ended, ns.
    began: u64,
    ended: u64,
}

// SAFETY: `content` is touched by the handler while FILLING, and by the sampler between DONE or WAITED and ARMED.
unsafe impl Sync for Slot {}
// SAFETY: ids of methods are numbers to us.
unsafe impl Send for Slot {}

/// What a handler found.
pub struct Stack {
    /// Innermost first; empty where the stack could not be walked.
    pub frames: Vec<Frame>,
    /// Why not: HotSpot's code, 0 and below; −99 for a thread without Java.
    pub count: i32,
    /// From where the JVM was called, if it was.
    pub from: From,
    /// Where the thread was interrupted.
    pub pc: usize,
    /// The thread's clock when it was interrupted, ns.
    pub began: u64,
    /// The same when the handler was done.
    pub ended: u64,
    /// What it cost to be asked before, ns.
    pub first_ns: u64,
}

/// What became of a question.
pub enum Answer {
    /// The thread told its stack.
    Told(Stack),
    /// It fell asleep meanwhile; what it cost to be asked, ns.
    Waited(u64),
}

/// From where a thread called the JVM, if that is where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The interpreter.
    Interpreter,
    /// Compiled code, or it is not known.
    Compiled,
    /// Compiled code that did not leave Java for it: nothing is linked so.
    Within,
}

/// When a thread shall tell its stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At a moment that it did not choose.
    Later,
    /// As soon as it takes the signal.
    AtOnce,
}

/// No thread of Java.
pub const NO_JAVA: i32 = -99;
/// Why nothing is sampled in another vendor's JVM.
const NONE: &str = "this JVM has no AsyncGetCallTrace: stacks are not sampled";
/// HotSpot finds no frame of Java where a thread runs Java (`ticks_unknown_Java`).
const UNKNOWN_JAVA: i32 = -5;
/// It finds one, but not the way on (`ticks_not_walkable_Java`).
const NOT_WALKABLE_JAVA: i32 = -6;
/// Bytes of a stub's own frame at most: tables of ciphers and digests lie there.
const LARGEST_STUB_FRAME: i64 = 8192;
/// It finds none, or not the way on, where a thread runs code of the JVM (`ticks_unknown_not_Java`, `ticks_not_walkable_not_Java`).
const UNKNOWN_NOT_JAVA: i32 = -3;
const NOT_WALKABLE: i32 = -4;

static SLOT: OnceLock<Box<[Slot]>> = OnceLock::new();
static WALK: AtomicUsize = AtomicUsize::new(0);
static VM: AtomicPtr<JavaVM> = AtomicPtr::new(null_mut());

/// Finds HotSpot's function and installs the handler.
///
/// # Errors
/// Why stacks cannot be walked in this JVM.
pub fn prepare(jvmti: Jvmti, jni: Jni) -> Result<(), &'static str> {
    let vm = snapshot::vm().ok_or("the JVM is not known")?;
    VM.store(vm, Ordering::Release);
    // SAFETY: `vm` is the JVM's, whose table lives as long as it.
    let inside = unsafe { (**vm).GetEnv as *const c_void };
    let library = Library::around(inside).ok_or(NONE)?;
    let walk = library.symbol(c"AsyncGetCallTrace").ok_or(NONE)?;
    anchor::prepare(jvmti, jni, &|name| library.symbol(name));
    WALK.store(walk as usize, Ordering::Release);
    install()
        .then_some(())
        .ok_or("the system takes no handler of SIGPROF: stacks are not sampled")
}

/// The JVM's library, as the loader has it.
struct Library(*mut c_void);

impl Library {
    /// The one that holds this address; where it lies is noted.
    fn around(inside: *const c_void) -> Option<Self> {
        let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: the out-pointer is a live local; the fields are read only if it was filled.
        let info = unsafe {
            if libc::dladdr(inside, info.as_mut_ptr()) == 0 {
                return None;
            }
            info.assume_init()
        };
        map_library(info.dli_fbase as usize);
        // SAFETY: the loader's name of a loaded library; it is not loaded again.
        let library = unsafe { libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!library.is_null()).then_some(Self(library))
    }

    fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the library is open.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: opened by us; the JVM keeps it loaded.
        unsafe { libc::dlclose(self.0) };
    }
}

/// Notes the segments of the library that is loaded here.
fn map_library(base: usize) {
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, base: *mut c_void) -> i32 {
        // SAFETY: the system passes a live description, with as many headers as it says.
        unsafe {
            if (*info).dlpi_addr as usize != base as usize {
                return 0;
            }
            let headers =
                std::slice::from_raw_parts((*info).dlpi_phdr, usize::from((*info).dlpi_phnum));
            for header in headers
                .iter()
                .filter(|header| header.p_type == libc::PT_LOAD)
            {
                code::library(
                    base as usize + header.p_vaddr as usize,
                    header.p_memsz as usize,
                );
            }
        }
        1
    }
    // SAFETY: the callback reads what it is given.
    unsafe { libc::dl_iterate_phdr(Some(each), base as *mut c_void) };
}

/// Makes the slots, and has the handler called.
fn install() -> bool {
    SLOT.get_or_init(|| (0..SLOTS).map(|_| Slot::new()).collect());
    // SAFETY: all fields are set; the handler has the signature that SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigfillset(&raw mut action.sa_mask);
        // HotSpot reads some memory at a venture, and its handlers of these two see it through; blocked, they would end the
        // process.
        libc::sigdelset(&raw mut action.sa_mask, libc::SIGSEGV);
        libc::sigdelset(&raw mut action.sa_mask, libc::SIGBUS);
        libc::sigaction(libc::SIGPROF, &raw const action, null_mut()) == 0
    }
}

/// Whether the handler is still ours: a program may have put its own in its place.
pub fn is_installed() -> bool {
    // SAFETY: the out-pointer is a live local.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGPROF, null(), &raw mut action) == 0
            && action.sa_sigaction == handler as *const () as usize
    }
}

/// No more signals are wanted; one that is still under way is ignored.
pub fn finish() {
    WALK.store(0, Ordering::Release);
}

unsafe extern "C" fn handler(_: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a live description; a value came with it only if we sent it, or a timer did.
    let (expected, value) = unsafe {
        let expected = match (*info).si_code {
            libc::SI_QUEUE => ARMED,
            libc::SI_TIMER => TIMED,
            _ => return,
        };
        (expected, (*info).si_value().sival_ptr as usize)
    };
    let Some(slot) = SLOT.get().and_then(|slots| slots.get(value % SLOTS)) else {
        return;
    };
    let turn = value / SLOTS;
    if !slot.moves(turn, expected, FILLING) {
        return;
    }
    // SAFETY: this thread's errno, put back as it was.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the slot is this handler's until it has another state.
    let content = unsafe { &mut *slot.content.get() };
    let state = if expected == ARMED {
        asked(content, context)
    } else {
        timed(content, context)
    };
    slot.set(turn, state);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// The first signal: the timer is started, or the stack told where there is none.
fn asked(content: &mut Content, context: *mut c_void) -> usize {
    content.first_ns = 0;
    let Some(timer) = content.timer else {
        return fill(content, context);
    };
    content.first = Clocks::read();
    if !timer.start() {
        return fill(content, context);
    }
    content.first_ns = content.first.used_since();
    TIMED
}

/// The timer's signal.
fn timed(content: &mut Content, context: *mut c_void) -> usize {
    if content.first.waited(program_counter(context)) {
        return WAITED;
    }
    fill(content, context)
}

fn fill(content: &mut Content, context: *mut c_void) -> usize {
    content.began = clock::thread_cpu();
    content.pc = program_counter(context);
    (content.count, content.from) = walk(content, context);
    content.ended = clock::thread_cpu();
    DONE
}

/// Where the thread was interrupted.
fn program_counter(context: *mut c_void) -> usize {
    // SAFETY: with SA_SIGINFO the system passes the interrupted context.
    unsafe {
        let context = &*context.cast::<libc::ucontext_t>();
        context.uc_mcontext.gregs[libc::REG_RIP as usize] as usize
    }
}

/// How many frames there are, or why there are none; and from where the thread had called the JVM, if it had.
fn walk(content: &mut Content, context: *mut c_void) -> (i32, From) {
    let (walk, vm) = (WALK.load(Ordering::Acquire), VM.load(Ordering::Acquire));
    if walk == 0 || vm.is_null() {
        return (NO_JAVA, From::Compiled);
    }
    let mut env: *mut c_void = null_mut();
    // SAFETY: `vm` is the JVM's; HotSpot's function reads the current thread and no more.
    if unsafe { ((**vm).GetEnv)(vm, &raw mut env, JNI_VERSION_1_6) } != JNI_OK {
        return (NO_JAVA, From::Compiled);
    }
    let mut trace = CallTrace {
        env: env.cast(),
        frames: 0,
        list: content.frames.as_mut_ptr(),
    };
    // SAFETY: HotSpot's function of this signature, made for handlers of signals; the list has DEPTH frames.
    let mut ask = || unsafe {
        let walk: Walk = std::mem::transmute::<usize, Walk>(walk);
        walk(&raw mut trace, DEPTH as i32, context);
        trace.frames
    };
    // SAFETY: the environment is the current thread's, and this is a handler.
    let from = if unsafe { anchor::is_noted(env) } {
        From::Compiled
    } else {
        From::Within
    };
    match ask() {
        code @ (UNKNOWN_JAVA | NOT_WALKABLE_JAVA) => (from_callers(context, code, ask), from),
        code @ (UNKNOWN_NOT_JAVA | NOT_WALKABLE) => {
            // SAFETY: as above.
            match unsafe { anchor::completed(env, ask) } {
                Some((frames, true)) => (frames, From::Interpreter),
                Some((frames, false)) => (frames, from),
                None => (code, from),
            }
        }
        frames => (frames, from),
    }
}

/// Asks once more as if the thread had returned already, where HotSpot cannot tell where it stands:
/// - at the entry of compiled code and in stubs between two methods the frame is not built yet, or no more, and the caller's
///   address lies on top of the stack;
/// - stubs that take the place of a method, for ciphers, checksums and comparisons of arrays, keep their caller's frame pointer
///   below that address, and their own points to it.
fn from_callers(context: *mut c_void, code: i32, mut ask: impl FnMut() -> i32) -> i32 {
    const FRAME: usize = libc::REG_RBP as usize;
    // SAFETY: with SA_SIGINFO the system passes the interrupted context.
    let registers = || unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let kept = *registers();
    let (top, frame) = (kept[libc::REG_RSP as usize], kept[FRAME]);
    // Elsewhere the register may hold anything.
    let is_near = code::is_stub(kept[libc::REG_RIP as usize] as usize)
        && top <= frame
        && frame - top < LARGEST_STUB_FRAME;
    let returned = [
        (top % 8 == 0).then_some((top, kept[FRAME])),
        // SAFETY: the frame of a function that runs is memory of the thread's stack.
        (frame % 8 == 0 && is_near).then(|| (frame + 8, unsafe { *(frame as *const i64) })),
    ];
    for (at, frame) in returned.into_iter().flatten() {
        // SAFETY: as above.
        registers()[libc::REG_RIP as usize] = unsafe { *(at as *const i64) };
        registers()[libc::REG_RSP as usize] = at + 8;
        registers()[FRAME] = frame;
        let frames = ask();
        *registers() = kept;
        if frames > 0 {
            return frames;
        }
    }
    code
}

/// Sends a thread the signal that makes it tell its stack; the slot in which it will, if there is a free one and a thread.
pub fn ask(thread: i32, when: When) -> Option<usize> {
    let slots = SLOT.get()?;
    let number = slots.iter().position(|slot| slot.state() == FREE)?;
    let slot = &slots[number];
    let turn = slot.turn() + 1;
    let value = turn * SLOTS + number;
    // SAFETY: a FREE slot is the sampler's.
    let content = unsafe { &mut *slot.content.get() };
    content.timer = match when {
        When::Later => Timer::new(thread, value),
        When::AtOnce => None,
    };
    slot.set(turn, ARMED);
    if threads::signal(thread, value) {
        return Some(number);
    }
    free(slot);
    None
}

/// The slot is nobody's again.
fn free(slot: &Slot) {
    // SAFETY: the caller has seen to it that no handler has the slot.
    if let Some(timer) = unsafe { (*slot.content.get()).timer.take() } {
        timer.delete();
    }
    slot.set(slot.turn(), FREE);
}

/// What a slot holds, if its handler is done; the slot is free again.
pub fn answer(number: usize) -> Option<Answer> {
    let slot = SLOT.get()?.get(number)?;
    let answer = match slot.state() {
        DONE => Answer::Told(told(slot)),
        // SAFETY: a WAITED slot is the sampler's.
        WAITED => Answer::Waited(unsafe { (*slot.content.get()).first_ns }),
        _ => return None,
    };
    free(slot);
    Some(answer)
}

fn told(slot: &Slot) -> Stack {
    // SAFETY: a DONE slot is the sampler's.
    let content = unsafe { &*slot.content.get() };
    let count = usize::try_from(content.count).unwrap_or(0).min(DEPTH);
    let frames = content.frames[..count].iter();
    Stack {
        frames: frames
            .map(|frame| Frame::new(frame.method as usize, frame.at))
            .collect(),
        count: content.count,
        from: content.from,
        pc: content.pc,
        began: content.began,
        ended: content.ended,
        first_ns: content.first_ns,
    }
}

/// Gives up on a thread that does not answer; false if it is just doing so.
pub fn give_up(number: usize) -> bool {
    let Some(slot) = SLOT.get().and_then(|slots| slots.get(number)) else {
        return true;
    };
    // The state that no handler looks for; it is freed below.
    let turn = slot.turn();
    if slot.moves(turn, ARMED, WAITED) || slot.moves(turn, TIMED, WAITED) {
        free(slot);
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicI32};
    use std::time::{Duration, Instant};

    use super::super::moment;
    use super::*;

    /// A thread that computes for some microseconds, calls the system for a fifth of one, and so on. Signals that are taken
    /// as soon as they arrive meet it at the call in two of five cases on a virtual machine.
    #[test]
    fn a_thread_is_met_at_calls_of_the_system_as_often_as_they_take_time() {
        static THREAD: AtomicI32 = AtomicI32::new(0);
        static STOP: AtomicBool = AtomicBool::new(false);
        assert!(install());
        // SAFETY: takes nothing and cannot fail.
        let call = || unsafe { libc::syscall(libc::SYS_getppid) };
        let compute =
            || (0..4000u64).fold(1u64, |x, i| std::hint::black_box(x.wrapping_mul(3) ^ i));
        let thread = std::thread::spawn(move || {
            let timed = |work: &dyn Fn()| {
                let before = clock::thread_cpu();
                (0..20_000).for_each(|_| work());
                (clock::thread_cpu() - before) as f64
            };
            let calling = timed(&|| {
                std::hint::black_box(call());
            });
            let computing = timed(&|| {
                std::hint::black_box(compute());
            });
            THREAD.store(clock::thread(), Ordering::Release);
            while !STOP.load(Ordering::Acquire) {
                std::hint::black_box((compute(), call()));
            }
            calling / (calling + computing)
        });
        while THREAD.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        let (mut at_call, mut told) = (0, 0);
        let end = Instant::now() + Duration::from_mins(1);
        while told < 600 {
            let slot = ask(THREAD.load(Ordering::Acquire), When::Later).unwrap();
            let answer = loop {
                std::thread::sleep(Duration::from_micros(100));
                if let Some(answer) = answer(slot) {
                    break answer;
                }
                assert!(Instant::now() < end, "{told} stacks in a minute");
            };
            if let Answer::Told(stack) = answer {
                assert_eq!(stack.count, NO_JAVA);
                told += 1;
                at_call += i32::from(moment::is_at_call_of_the_system(stack.pc));
            }
        }
        STOP.store(true, Ordering::Release);
        let share = thread.join().unwrap();
        let met = f64::from(at_call) / f64::from(told);
        assert!(share < 0.15, "calls of the system take {share} here");
        assert!(met < 2.0 * share + 0.05, "met at {met}, takes {share}");
    }
}
