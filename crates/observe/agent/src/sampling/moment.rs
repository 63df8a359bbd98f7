//! A moment that the program did not choose.
//!
//! A signal from another thread arrives late: the processor has to be told, some microseconds on a machine of one's own and
//! a hundred in a virtual one. A thread that enters the kernel meanwhile takes the signal when it comes back, so that calls
//! of the system would seem to take many times what they take. An interrupt of the thread's own processor has no such
//! delay. So the first signal only starts a timer on that processor, and the timer's signal is where the stack is told.
//!
//! The system's calls are made directly: they are safe in handlers of signals, and the library's own are not everywhere.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::clock;

/// The shortest delay, and what is added to it at most, ns: long enough to be anywhere in the program by then, and so short
/// that few threads fall asleep meanwhile.
const DELAY: (u64, u64) = (10_000, 140_000);

/// A timer that sends a thread SIGPROF, once.
#[derive(Clone, Copy)]
pub struct Timer(i32);

/// What the system reads of a `sigevent` for signals to one thread.
#[repr(C)]
struct Event {
    value: usize,
    signal: i32,
    notify: i32,
    thread: i32,
    rest: [i32; 11],
}

impl Timer {
    /// One for this thread, whose signal carries this value; none where the system has no more.
    pub fn new(thread: i32, value: usize) -> Option<Self> {
        let event = Event {
            value,
            signal: libc::SIGPROF,
            notify: libc::SIGEV_THREAD_ID,
            thread,
            rest: [0; 11],
        };
        let mut number = 0i32;
        // SAFETY: both pointers are live locals of the sizes that the system reads and writes.
        let made = unsafe {
            libc::syscall(
                libc::SYS_timer_create,
                libc::CLOCK_MONOTONIC,
                &raw const event,
                &raw mut number,
            )
        };
        (made == 0).then_some(Self(number))
    }

    /// Starts it on the processor that the caller runs on.
    pub fn start(self) -> bool {
        let now = clock::monotonic();
        // The clock's last digits are as good as random here; the factor is that of Fibonacci hashing (Knuth 1973, 6.4).
        let delay = DELAY.0 + (now.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % DELAY.1;
        let once = libc::itimerspec {
            it_interval: libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: libc::timespec {
                tv_sec: 0,
                tv_nsec: delay as i64,
            },
        };
        // SAFETY: the time is a live local.
        unsafe {
            libc::syscall(
                libc::SYS_timer_settime,
                self.0,
                0,
                &raw const once,
                null_mut::<c_void>(),
            ) == 0
        }
    }

    /// The timer is not needed any more.
    pub fn delete(self) {
        // SAFETY: takes a number.
        unsafe { libc::syscall(libc::SYS_timer_delete, self.0) };
    }
}

/// Two clocks at one moment of a thread.
#[derive(Clone, Copy, Default)]
pub struct Clocks {
    /// The time, ns.
    monotonic: u64,
    /// The thread's processor time, ns.
    used: u64,
}

impl Clocks {
    /// Now.
    pub fn read() -> Self {
        Self {
            monotonic: clock::monotonic(),
            used: clock::thread_cpu(),
        }
    }

    /// Processor time that the thread has used since, ns.
    pub fn used_since(self) -> u64 {
        clock::thread_cpu() - self.used
    }

    /// Whether the thread has waited since then in the call of the system that it stands at: then its stack would tell what
    /// it waits for, and not what it has done. A thread that waited for a processor stands anywhere.
    pub fn waited(self, pc: usize) -> bool {
        let now = Self::read();
        let (passed, used) = (now.monotonic - self.monotonic, now.used - self.used);
        used < passed / 2 && is_at_call_of_the_system(pc)
    }
}

/// Whether the instruction here, or the one before, calls the system: one that a signal interrupted is begun anew.
pub fn is_at_call_of_the_system(pc: usize) -> bool {
    const SYSCALL: [u8; 2] = [0x0f, 0x05];
    const PAGE: usize = 4096;
    // What lies on another page may not be there.
    let is = |at: usize| {
        // SAFETY: the thread runs code of this page.
        at / PAGE == pc / PAGE
            && (at + 1) / PAGE == pc / PAGE
            && unsafe { *(at as *const [u8; 2]) } == SYSCALL
    };
    is(pc) || is(pc.wrapping_sub(2))
}
