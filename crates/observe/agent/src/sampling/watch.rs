//! Watches: who is sampled, and the handler that fills slots with stacks.
//!
//! A watch belongs to a thread of the program: its timer ([`super::moment`]), and what its handler knows from one moment to
//! the next. The sampler makes watches and starts them; the handler goes on by itself while the thread works. Of a thread that
//! sleeps for long the timer is not started any more, until the sampler sees that it has worked.
//!
//! Watches and slots are allocated beforehand; the handler allocates nothing, takes no lock and cannot panic.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::PERIOD;
use super::moment::{Clocks, Found, Random, Timer};
use super::tree::Frame;
use super::walk::{self, CallFrame, DEPTH, From};
use crate::clock;

/// Threads that can be watched at once.
const WATCHES: usize = 4096;
/// Stacks that can wait for the sampler.
const SLOTS: usize = 128;
/// Mean time from one moment of a running thread to the next, ns.
const MEAN: u64 = PERIOD.as_nanos() as u64;
/// How often the mean is doubled at most while a thread sleeps.
const SLOWEST: u32 = 3;
/// Moments of sleep, one after the other, after which a thread is left alone: half a second.
const PATIENCE: u32 = 64;

const FREE: usize = 0;
const FILLING: usize = 1;
const DONE: usize = 2;

struct Watch {
    /// Whose it is: a new number for each thread. A signal of an earlier one is nobody's.
    turn: AtomicUsize,
    /// Whether its timer runs. If it does, the content is the handler's, else the sampler's.
    running: AtomicBool,
    /// Processor time of its handler, ns.
    handling: AtomicU64,
    content: UnsafeCell<Content>,
}

struct Content {
    thread: i32,
    timer: Option<Timer>,
    random: Random,
    clocks: Clocks,
    /// Whether the sampler started the timer, on its own processor: the signal comes from there, late.
    foreign: bool,
    slower: u32,
    asleep: u32,
}

// SAFETY: the content is one's at a time, as `running` says.
unsafe impl Sync for Watch {}

struct Slot {
    state: AtomicUsize,
    stack: UnsafeCell<Kept>,
}

struct Kept {
    frames: [CallFrame; DEPTH],
    thread: i32,
    count: i32,
    from: From,
    pc: usize,
    used: u64,
    weight: u32,
}

// SAFETY: the stack is the handler's while FILLING, and the sampler's while DONE.
unsafe impl Sync for Slot {}
// SAFETY: ids of methods are numbers to us.
unsafe impl Send for Slot {}

/// What a handler found.
pub struct Stack {
    /// The thread.
    pub thread: i32,
    /// Innermost first; empty where the stack could not be walked.
    pub frames: Vec<Frame>,
    /// Why not: HotSpot's code, 0 and below; −99 for a thread without Java.
    pub count: i32,
    /// From where the JVM was called, if it was.
    pub from: From,
    /// Where the thread was interrupted.
    pub pc: usize,
    /// The thread's processor time without handlers, ns.
    pub used: u64,
    /// How much processor time it stands for, in units that all moments of a thread share.
    pub weight: u32,
}

static WATCH: OnceLock<Box<[Watch]>> = OnceLock::new();
static SLOT: OnceLock<Box<[Slot]>> = OnceLock::new();
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Makes watches and slots, and has the handler called; false if the system does not take it.
pub fn install() -> bool {
    WATCH.get_or_init(|| (0..WATCHES).map(|_| Watch::new()).collect());
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

/// Timers are not started any more; a signal that is still under way is ignored.
pub fn stop() {
    STOPPED.store(true, Ordering::Release);
}

impl Watch {
    fn new() -> Self {
        Self {
            turn: AtomicUsize::new(0),
            running: AtomicBool::new(false),
            handling: AtomicU64::new(0),
            content: UnsafeCell::new(Content {
                thread: 0,
                timer: None,
                random: Random::new(1),
                clocks: Clocks::default(),
                foreign: false,
                slower: 0,
                asleep: 0,
            }),
        }
    }
}

impl Slot {
    fn new() -> Self {
        Self {
            state: AtomicUsize::new(FREE),
            stack: UnsafeCell::new(Kept {
                frames: [CallFrame {
                    at: 0,
                    method: null_mut(),
                }; DEPTH],
                thread: 0,
                count: 0,
                from: From::Compiled,
                pc: 0,
                used: 0,
                weight: 0,
            }),
        }
    }
}

/// A thread's watch, which the sampler holds.
#[derive(Debug)]
pub struct Held(usize);

impl Held {
    /// One for this thread; none if there are no more.
    pub fn new(thread: i32) -> Option<Self> {
        let watches = WATCH.get()?;
        let number = watches.iter().position(|watch| {
            // SAFETY: the content of a watch whose timer does not run is the sampler's.
            let is_free = || unsafe { (*watch.content.get()).timer.is_none() };
            !watch.running.load(Ordering::Acquire) && is_free()
        })?;
        let watch = &watches[number];
        let turn = watch.turn.load(Ordering::Relaxed) + 1;
        let timer = Timer::new(thread, turn * WATCHES + number)?;
        // SAFETY: as above.
        unsafe {
            *watch.content.get() = Content {
                thread,
                timer: Some(timer),
                random: Random::new(thread as u64 ^ clock::monotonic()),
                clocks: Clocks::default(),
                foreign: true,
                slower: 0,
                asleep: 0,
            };
        }
        watch.handling.store(0, Ordering::Relaxed);
        watch.turn.store(turn, Ordering::Release);
        Some(Self(number))
    }

    fn watch(&self) -> Option<&'static Watch> {
        WATCH.get()?.get(self.0)
    }

    /// Starts the timer, if it does not run.
    pub fn start(&self) {
        let Some(watch) = self.watch() else { return };
        if watch.running.load(Ordering::Acquire) || STOPPED.load(Ordering::Acquire) {
            return;
        }
        // SAFETY: the timer does not run, so the content is the sampler's.
        let content = unsafe { &mut *watch.content.get() };
        content.foreign = true;
        content.slower = 0;
        content.asleep = 0;
        watch.running.store(true, Ordering::Release);
        let started = content.timer.is_some_and(|t| t.start(MEAN / 10));
        if !started {
            watch.running.store(false, Ordering::Release);
        }
    }

    /// Processor time of the thread's handler so far, ns.
    pub fn handling(&self) -> u64 {
        self.watch()
            .map_or(0, |watch| watch.handling.load(Ordering::Acquire))
    }

    /// The thread has ended.
    pub fn release(self) {
        let Some(watch) = self.watch() else { return };
        watch.turn.fetch_add(1, Ordering::AcqRel);
        // SAFETY: nobody is left to run the handler.
        if let Some(timer) = unsafe { (*watch.content.get()).timer.take() } {
            timer.delete();
        }
        watch.running.store(false, Ordering::Release);
    }

    /// Sampling has ended. A thread that has not taken its last signal yet keeps its timer, which is not started again.
    pub fn leave(self) {
        if self
            .watch()
            .is_some_and(|watch| !watch.running.load(Ordering::Acquire))
        {
            self.release();
        }
    }
}

/// Stacks that wait to be taken.
pub fn told(mut each: impl FnMut(Stack)) {
    for slot in SLOT.get().into_iter().flatten() {
        if slot.state.load(Ordering::Acquire) != DONE {
            continue;
        }
        // SAFETY: a DONE slot is the sampler's.
        let kept = unsafe { &*slot.stack.get() };
        let count = usize::try_from(kept.count).unwrap_or(0).min(DEPTH);
        let frames = kept.frames[..count].iter();
        each(Stack {
            thread: kept.thread,
            frames: frames
                .map(|frame| Frame::new(frame.method as usize, frame.at))
                .collect(),
            count: kept.count,
            from: kept.from,
            pc: kept.pc,
            used: kept.used,
            weight: kept.weight,
        });
        slot.state.store(FREE, Ordering::Release);
    }
}

unsafe extern "C" fn handler(_: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a live description; a value came with it only if a timer sent it.
    let value = unsafe {
        if (*info).si_code != libc::SI_TIMER {
            return;
        }
        (*info).si_value().sival_ptr as usize
    };
    let Some(watch) = WATCH.get().and_then(|all| all.get(value % WATCHES)) else {
        return;
    };
    if watch.turn.load(Ordering::Acquire) != value / WATCHES {
        return;
    }
    // SAFETY: this thread's errno, put back as it was.
    let errno = unsafe { *libc::__errno_location() };
    let began = clock::thread_cpu();
    // SAFETY: the timer runs, so the content is the handler's.
    let content = unsafe { &mut *watch.content.get() };
    let handling = watch.handling.load(Ordering::Relaxed);
    let goes_on = moment(content, began, handling, context);
    if goes_on && !STOPPED.load(Ordering::Acquire) {
        let delay = content.random.time(MEAN << content.slower);
        content.clocks = Clocks::read(delay);
        let spent = clock::thread_cpu() - began;
        watch.handling.store(handling + spent, Ordering::Release);
        // The last thing: from here on the next signal may come.
        if !content.timer.is_some_and(|timer| timer.start(delay)) {
            watch.running.store(false, Ordering::Release);
        }
    } else {
        let spent = clock::thread_cpu() - began;
        watch.handling.store(handling + spent, Ordering::Release);
        watch.running.store(false, Ordering::Release);
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Tells the stack, if the thread ran; whether the timer is to be started again.
fn moment(content: &mut Content, began: u64, handling: u64, context: *mut c_void) -> bool {
    if std::mem::take(&mut content.foreign) {
        return true;
    }
    let pc = walk::program_counter(context);
    match content.clocks.found(pc, began) {
        Found::Queued => true,
        Found::Waiting => {
            content.slower = (content.slower + 1).min(SLOWEST);
            content.asleep += 1;
            content.asleep < PATIENCE
        }
        Found::Running => {
            let slot = SLOT.get().into_iter().flatten().find(|slot| {
                slot.state
                    .compare_exchange(FREE, FILLING, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            });
            if let Some(slot) = slot {
                // SAFETY: a FILLING slot is this handler's.
                let kept = unsafe { &mut *slot.stack.get() };
                kept.thread = content.thread;
                kept.pc = pc;
                kept.used = began.saturating_sub(handling);
                kept.weight = 1 << content.slower;
                (kept.count, kept.from) = walk::walk(&mut kept.frames, context);
                slot.state.store(DONE, Ordering::Release);
            }
            content.slower = 0;
            content.asleep = 0;
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicI32;
    use std::time::{Duration, Instant};

    use super::super::moment;
    use super::*;

    /// Works on another thread until so many stacks of it were told, and gives the place of each.
    fn places(many: usize, work: impl Fn() + Send + 'static) -> Vec<(usize, u32)> {
        static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _one = ONE_AT_A_TIME.lock();
        assert!(install());
        let number = std::sync::Arc::new(AtomicI32::new(0));
        let ends = std::sync::Arc::new(AtomicBool::new(false));
        let (its_number, its_end) = (number.clone(), ends.clone());
        let thread = std::thread::spawn(move || {
            its_number.store(clock::thread(), Ordering::Release);
            while !its_end.load(Ordering::Acquire) {
                work();
            }
        });
        while number.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        let number = number.load(Ordering::Acquire);
        let held = Held::new(number).unwrap();
        held.start();
        let mut found = Vec::new();
        let end = Instant::now() + Duration::from_mins(1);
        while found.len() < many {
            std::thread::sleep(Duration::from_millis(1));
            told(|stack| {
                if stack.thread == number {
                    found.push((stack.pc, stack.weight));
                }
            });
            assert!(Instant::now() < end, "{} stacks in a minute", found.len());
        }
        ends.store(true, Ordering::Release);
        thread.join().unwrap();
        held.release();
        found
    }

    /// A thread that computes for some microseconds, calls the system for a fifth of one, and so on. Signals from another
    /// processor would meet it at the call in two of five cases on a virtual machine.
    #[test]
    fn a_thread_is_met_at_calls_of_the_system_as_often_as_they_take_time() {
        // SAFETY: takes nothing and cannot fail.
        let call = || unsafe { libc::syscall(libc::SYS_getppid) };
        let compute =
            || (0..4000u64).fold(1u64, |x, i| std::hint::black_box(x.wrapping_mul(3) ^ i));
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
        let share = calling / (calling + computing);
        assert!(share < 0.15, "calls of the system take {share} here");
        let found = places(600, move || {
            std::hint::black_box((compute(), call()));
        });
        let at_call = found
            .iter()
            .filter(|(pc, _)| moment::is_at_call_of_the_system(*pc));
        let met = at_call.count() as f64 / found.len() as f64;
        assert!(met < 2.0 * share + 0.05, "met at {met}, takes {share}");
    }

    /// Works for a while; the second is another function with the same work, so that its place tells which one it was.
    #[inline(never)]
    extern "C" fn one(n: u64) {
        // SAFETY: counts a register down.
        unsafe { std::arch::asm!("2: dec {0}", "jnz 2b", inout(reg) n => _) };
    }

    #[inline(never)]
    extern "C" fn other(n: u64) {
        // SAFETY: as above.
        unsafe { std::arch::asm!("nop", "2: dec {0}", "jnz 2b", inout(reg) n => _) };
    }

    /// Work before a wait and work after it, with others on the processors. The system lets a thread that has just been woken
    /// work undisturbed, so whoever is woken to look at it comes too late for the work after the wait.
    #[test]
    fn work_after_a_wait_is_met_as_often_as_work_before_it() {
        let busy = std::sync::Arc::new(AtomicBool::new(true));
        let others: Vec<_> = (0..std::thread::available_parallelism().unwrap().get())
            .map(|_| {
                let busy = busy.clone();
                std::thread::spawn(move || {
                    while busy.load(Ordering::Acquire) {
                        one(100_000);
                    }
                })
            })
            .collect();
        let found = places(1000, || {
            one(14_000_000);
            std::thread::sleep(Duration::from_millis(4));
            other(14_000_000);
        });
        busy.store(false, Ordering::Release);
        for thread in others {
            thread.join().unwrap();
        }
        let (a, b) = (one as *const () as usize, other as *const () as usize);
        let near = |at: usize| move |pc: &usize| *pc >= at && *pc < at + 200;
        let weight = |at: usize| {
            let there = found.iter().filter(|(pc, _)| near(at)(pc));
            there.map(|(_, weight)| f64::from(*weight)).sum::<f64>()
        };
        let (before, after) = (weight(a), weight(b));
        let share = after / (before + after);
        assert!(
            (0.4..0.6).contains(&share),
            "{before} before, {after} after"
        );
    }
}
