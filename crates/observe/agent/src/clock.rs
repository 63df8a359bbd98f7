//! Wall and CPU clocks of this process, in nanoseconds.

use std::time::Instant;

/// CPU time of all threads of the process, the JVM's own included.
pub fn process_cpu() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The clock that never goes back, by which the JVM stamps its log.
pub fn monotonic() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// CPU time of the current thread.
pub fn thread_cpu() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// How long a thread of this process has waited for a processor since it began; none where the system does not tell (`proc(5)`, `schedstat`).
pub fn queued(thread: i32) -> Option<u64> {
    let told = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    told.split_whitespace().nth(1)?.parse().ok()
}

/// The system's number of the calling thread.
pub fn thread() -> i32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// Nanoseconds since an instant.
pub fn since(start: Instant) -> u64 {
    nanos(Instant::now(), start)
}

/// Nanoseconds from one instant to a later one.
pub fn nanos(later: Instant, earlier: Instant) -> u64 {
    u64::try_from(later.saturating_duration_since(earlier).as_nanos()).unwrap_or(u64::MAX)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the out-pointer is a live local.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    if result != 0 {
        return 0;
    }
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}
