//! A moment that neither the program nor the system's scheduler chose.
//!
//! Each thread has a timer of its own, which the handler of its signal starts anew on the processor that the thread runs on.
//! The interrupt of that timer comes when it is due, whoever has the processor. A thread that runs then takes the signal at
//! once. One that sleeps, or waits for a processor, takes it later and elsewhere, and does not count ([`Clocks::found`]).
//!
//! Times between moments are those of a Poisson process, which forgets: how long a thread has slept or waited for a processor
//! says nothing of when its moment comes. While a thread sleeps its timer runs slower, so that few of its calls are interrupted;
//! a moment stands for more the slower its timer ran (Horvitz and Thompson 1952: by the inverse of the chance).
//!
//! The system's calls are made directly: they are safe in handlers of signals, and the library's own are not everywhere.

use std::ptr::null_mut;

use crate::clock;

/// A signal that comes this long after its timer was due found the thread without a processor, ns.
const LATE: u64 = 150_000;
/// One that comes so soon did not have to wake it, ns.
const AWAKE: u64 = 10_000;
/// The shortest time to a moment, ns: zero would be never.
const LEAST: u64 = 1_000;

/// A timer that sends a thread SIGPROF, once each time it is started.
#[derive(Clone, Copy, Debug)]
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

    /// Starts it on the processor that the caller runs on; false if the system does not.
    pub fn start(self, delay: u64) -> bool {
        let once = libc::itimerspec {
            it_interval: libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: libc::timespec {
                tv_sec: (delay / 1_000_000_000) as i64,
                tv_nsec: (delay % 1_000_000_000) as i64,
            },
        };
        // SAFETY: the time is a live local.
        unsafe {
            libc::syscall(
                libc::SYS_timer_settime,
                self.0,
                0,
                &raw const once,
                null_mut::<libc::itimerspec>(),
            ) == 0
        }
    }

    /// The timer is not needed any more.
    pub fn delete(self) {
        // SAFETY: takes a number.
        unsafe { libc::syscall(libc::SYS_timer_delete, self.0) };
    }
}

/// Times between the events of a Poisson process.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// Any number but zero begins a sequence.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next time, ns, of this mean.
    pub fn time(&mut self, mean: u64) -> u64 {
        (-self.share().ln() * mean as f64) as u64 + LEAST
    }

    /// Above 0, and 1 at most.
    fn share(&mut self) -> f64 {
        // Marsaglia's xorshift (2003).
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) + 1) as f64 / (1u64 << 53) as f64
    }
}

/// How a signal found its thread when its timer was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It ran, and stands where it was.
    Running,
    /// It waited for something.
    Waiting,
    /// Others had the processor.
    Queued,
}

/// What is known of a thread when its timer is started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    /// The time, ns.
    monotonic: u64,
    /// The thread's processor time, ns.
    used: u64,
    /// How often it has given the processor away.
    given: i64,
    /// When the timer is due, ns.
    due: u64,
}

impl Clocks {
    /// Now, for a timer that is due after this time, ns.
    pub fn read(delay: u64) -> Self {
        let monotonic = clock::monotonic();
        Self {
            monotonic,
            used: clock::thread_cpu(),
            given: given(),
            due: monotonic + delay,
        }
    }

    /// How the signal found its thread, which stands at `pc`, and whose processor time is `used`.
    ///
    /// A thread that waits stands at a call of the system and has given the processor away since. One that runs a call of the
    /// system may have done so before; it does not have to be woken.
    pub fn found(self, pc: usize, used: u64) -> Found {
        let now = clock::monotonic();
        let late = now.saturating_sub(self.due);
        let (passed, used) = (now - self.monotonic, used.saturating_sub(self.used));
        let waits = is_at_call_of_the_system(pc) && given() != self.given;
        if waits && (late > AWAKE || used < passed / 2) {
            Found::Waiting
        } else if late > LATE && used < passed - passed / 16 {
            Found::Queued
        } else {
            // In time, or late because the system's timers are: it had the processor all along.
            Found::Running
        }
    }
}

/// How often the calling thread has given the processor away (`getrusage(2)`, voluntary context switches).
fn given() -> i64 {
    // SAFETY: numbers alone; zeros are a value of it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the out-pointer is a live local.
    unsafe { libc::syscall(libc::SYS_getrusage, libc::RUSAGE_THREAD, &raw mut usage) };
    usage.ru_nvcsw
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_a_poisson_process() {
        let mut random = Random::new(7);
        let times: Vec<f64> = (0..100_000)
            .map(|_| random.time(1_000_000) as f64)
            .collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        assert!((mean / 1e6 - 1.0).abs() < 0.02, "{mean}");
        // Half of them are shorter than the mean times the logarithm of two.
        let short = times.iter().filter(|t| **t < 1e6 * 2f64.ln()).count();
        assert!(short.abs_diff(50_000) < 1_000, "{short}");
    }
}
