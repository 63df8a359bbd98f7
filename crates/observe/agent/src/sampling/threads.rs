//! The process's threads as the system knows them: who they are, and what processor time they have used.

use pricetag_profile::Role;

/// Whose a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// It may run Java.
    Program,
    /// The JVM's, and what it does.
    Jvm(Role),
    /// The agent's.
    Agent,
}

/// Ids of all threads of this process.
pub fn all() -> Vec<i32> {
    let entries = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}

/// Whose a thread is, by the name it goes by with the system: at most fifteen characters.
pub fn whose(thread: i32) -> Whose {
    let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm"));
    name.map_or(Whose::Program, |name| by_name(name.trim_end()))
}

fn by_name(name: &str) -> Whose {
    const COLLECTOR: [&str; 10] = [
        "GC Thread",
        "G1 ",
        "ParGC",
        "ZGC",
        "ZDriver",
        "ZWorker",
        "XGC",
        "Shenandoah",
        "CMS",
        "VM Thread",
    ];
    const JVM: [&str; 10] = [
        "VM Periodic",
        "Signal Dispatch",
        "Monitor Deflat",
        "Notification",
        "Sweeper",
        "Attach Listener",
        "StrDedup",
        "Common-Cleaner",
        "JFR",
        "ZStat",
    ];
    let begins = |list: &[&str]| list.iter().any(|begin| name.starts_with(begin));
    // The service thread delivers the events of compiled code that sampling asks for, and has little else to do.
    if name.starts_with("pricetag") || name == "Service Thread" {
        Whose::Agent
    } else if name.starts_with("C1 Comp") {
        Whose::Jvm(Role::C1)
    } else if name.starts_with("C2 Comp") || name.starts_with("JVMCI") {
        Whose::Jvm(Role::C2)
    } else if begins(&COLLECTOR) && name != "VM Thread" {
        Whose::Jvm(Role::Collector)
    } else if begins(&JVM) || name == "VM Thread" {
        Whose::Jvm(Role::Jvm)
    } else {
        Whose::Program
    }
}

/// Processor time that a thread of this process has used, ns; none if it is gone.
pub fn used(thread: i32) -> Option<u64> {
    // The clock of a thread, as the kernel numbers them: the thread's id inverted, and "scheduler's time of one thread".
    let clock = (!thread << 3) | 6;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the out-pointer is a live local.
    let known = unsafe { libc::clock_gettime(clock, &raw mut time) } == 0;
    known.then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_of_the_jvm_is_known_by_its_name() {
        for (name, whose) in [
            ("C1 CompilerThre", Whose::Jvm(Role::C1)),
            ("C2 CompilerThre", Whose::Jvm(Role::C2)),
            ("GC Thread#1", Whose::Jvm(Role::Collector)),
            ("G1 Conc#0", Whose::Jvm(Role::Collector)),
            ("VM Thread", Whose::Jvm(Role::Jvm)),
            ("VM Periodic Tas", Whose::Jvm(Role::Jvm)),
            ("pricetag sample", Whose::Agent),
            ("Service Thread", Whose::Agent),
            ("java", Whose::Program),
            ("main", Whose::Program),
            ("Finalizer", Whose::Program),
        ] {
            assert_eq!(by_name(name), whose, "{name}");
        }
    }

    #[test]
    fn a_thread_s_clock_is_its_own() {
        let me = crate::clock::thread();
        assert!(all().contains(&me));
        let before = used(me).unwrap();
        let mut x = 1u64;
        while crate::clock::thread_cpu() < before + 2_000_000 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        let after = used(me).unwrap();
        assert!(after >= before + 2_000_000);
        assert!(after <= crate::clock::thread_cpu());
        // Larger than any id, and small enough for the encoding of clocks.
        assert_eq!(used(1 << 27), None);
    }
}
