//! Why a run failed, in one line, from how the child ended and what it left behind.

use std::path::Path;

use crate::supervise::{Ended, Ending};

/// The reason of a failed run; none when it succeeded.
///
/// `crash_log` is where the JVM was told to write its crash report.
pub fn reason(ended: &Ended, crash_log: &Path) -> Option<String> {
    let stderr = ended.stderr.text();
    let exhausted = |text: &str| text.contains("java.lang.OutOfMemoryError");
    let out_of_memory = exhausted(&stderr);
    let said = last_words(ended);
    match ended.ending {
        Ending::Exit(0) => None,
        Ending::Cancelled => Some("interrupted by the user".to_owned()),
        Ending::TimedOut(limit) => Some(format!(
            "did not end within {} s and was killed",
            limit.as_secs_f64()
        )),
        _ if crash_log.exists() => Some(format!("the JVM crashed{}", problem(crash_log))),
        // With `-XX:+ExitOnOutOfMemoryError` the JVM says so on standard output.
        Ending::Exit(code) if out_of_memory || (code == 3 && exhausted(&ended.stdout.text())) => {
            Some(format!("out of memory (exit code {code}){said}"))
        }
        Ending::Exit(137) => Some(format!(
            "killed by somebody, or by the system since memory ran out (exit code 137){said}"
        )),
        Ending::Exit(code) => Some(format!("exit code {code}{said}")),
        Ending::Signal(9) => Some(format!(
            "killed by signal 9 (SIGKILL): by somebody, or by the system since memory ran out{said}"
        )),
        Ending::Signal(number) => Some(format!(
            "killed by signal {number}{}{said}",
            signal_name(number)
        )),
    }
}

/// What a counted run that failed may lack and a plain one has; none if it failed for other reasons.
pub fn too_little_room(ended: &Ended) -> Option<&'static str> {
    let (stderr, stdout) = (ended.stderr.text(), ended.stdout.text());
    let said = |words: &str| stderr.contains(words) || stdout.contains(words);
    // One that is thrown while another is handled is told by its name alone.
    if said("java.lang.OutOfMemoryError: Java heap space")
        || said("OutOfMemoryError thrown from the UncaughtExceptionHandler")
        || said("java.lang.OutOfMemoryError: GC overhead limit exceeded")
    {
        Some(
            "if it has enough uncounted: counters take heap, 8 bytes each in every thread; allow more with -Xmx",
        )
    } else if said("java.lang.StackOverflowError") {
        Some("if it has enough uncounted: counted frames are larger; allow more stack with -Xss")
    } else {
        None
    }
}

/// Why the agent let the program run unobserved, in its own words; none if it did not.
pub fn unobserved(stderr: &str) -> Option<&str> {
    stderr.lines().find_map(|line| {
        line.trim_end()
            .strip_prefix("pricetag: ")?
            .strip_suffix("; the program runs unobserved")
    })
}

/// Why a JVM did not start, in its own words; none if it does not say that it did not. What stands in its way comes before, on standard error or, of
/// HotSpot's initialisation, on standard output.
pub fn not_started(stderr: &str, stdout: &str) -> Option<String> {
    const NO_VM: [&str; 3] = [
        "Error: Could not create the Java Virtual Machine.",
        "Error: A fatal exception has occurred",
        "Picked up ",
    ];
    let noise =
        |line: &&str| line.trim().is_empty() || NO_VM.iter().any(|noise| line.starts_with(noise));
    let begins = |line: &&str| line.starts_with("Error occurred during initialization of ");
    for text in [stderr, stdout] {
        let after: Vec<&str> = text.lines().skip_while(|line| !begins(line)).collect();
        if let Some(head) = after.first() {
            let rest = after[1..]
                .iter()
                .copied()
                .filter(|line| !noise(line))
                .take(2);
            let rest: Vec<&str> = rest.map(str::trim).collect();
            return Some(format!("{head}: {}", rest.join("; ")));
        }
    }
    let refused = stderr.lines().any(|line| line.starts_with(NO_VM[0]));
    let causes = stderr.lines().filter(|line| !noise(line)).take(2);
    refused.then(|| causes.map(str::trim).collect::<Vec<_>>().join("; "))
}

/// Where the program said what went wrong: why its JVM did not start, the first exception line, else the last line. A class that cannot be loaded has its cause.
fn last_words(ended: &Ended) -> String {
    let text = ended.stderr.text();
    if let Some(why) = not_started(&text, &ended.stdout.text()) {
        return format!(": {why}");
    }
    if let Some(found) = text.lines().position(|l| l.starts_with("Error: ")) {
        let lines: Vec<&str> = text.lines().skip(found).map(str::trim).collect();
        let cause = lines[1..].iter().find(|l| l.starts_with("Caused by: "));
        let cause = cause.map(|cause| format!("; {cause}")).unwrap_or_default();
        return format!(": {}{cause}", lines[0]);
    }
    let exception = text.lines().find(|l| l.starts_with("Exception in thread"));
    // Frames of a stack say where, not what.
    let is_frame =
        |l: &&str| l.starts_with("at ") || (l.starts_with("... ") && l.ends_with(" more"));
    let mut lines = text.lines().rev().map(str::trim);
    let last = lines.find(|l| !l.is_empty() && !is_frame(l));
    let line: String = exception
        .or(last)
        .unwrap_or_default()
        .trim()
        .chars()
        .take(300)
        .collect();
    if line.is_empty() {
        String::new()
    } else {
        format!(": {line}")
    }
}

fn signal_name(number: i32) -> &'static str {
    match number {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// The line of a HotSpot crash report that names the problematic frame or the signal.
fn problem(log: &Path) -> String {
    let Ok(bytes) = std::fs::read(log) else {
        return String::new();
    };
    let text = String::from_utf8_lossy(&bytes);
    // Further down, signals are listed that have nothing to do with it.
    let head = text
        .lines()
        .take_while(|l| l.is_empty() || l.starts_with('#'));
    let mut lines = head.map(|l| l.trim_start_matches('#').trim());
    let memory = lines.clone().find(|l| l.contains("insufficient memory"));
    if let Some(memory) = memory {
        let detail = lines.find(|l| l.contains("failed to"));
        return format!(": {memory} {}", detail.unwrap_or_default());
    }
    let signal = lines
        .by_ref()
        .find(|l| l.starts_with("SIG") || l.contains("Internal Error"));
    let frame = lines
        .skip_while(|l| !l.starts_with("Problematic frame"))
        .nth(1);
    let parts: Vec<&str> = [signal, frame].into_iter().flatten().collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(": {}", parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervise::{Cancel, Launch, run};
    use std::time::Duration;

    fn why(script: &str, log: &Path) -> Option<String> {
        let launch = Launch {
            program: "/bin/sh".into(),
            args: vec!["-c".to_owned(), script.to_owned()],
            ..Launch::default()
        };
        reason(
            &run(
                &launch,
                Some(Duration::from_millis(1500)),
                false,
                &Cancel::default(),
            )
            .unwrap(),
            log,
        )
    }

    #[test]
    fn a_jvm_that_does_not_start_says_why() {
        // JDK 17 with -Xmx1000g -XX:+AlwaysPreTouch, with -Xmxfoo, and with -XX:+Nonsense.
        let out = "Error occurred during initialization of VM\nCould not reserve enough space for 1048576000KB object heap\n";
        let told = not_started("", out).unwrap();
        assert!(
            told.ends_with("VM: Could not reserve enough space for 1048576000KB object heap"),
            "{told}"
        );
        let create = "Error: Could not create the Java Virtual Machine.\nError: A fatal exception has occurred. Program will exit.\n";
        let said = format!(
            "Picked up JAVA_TOOL_OPTIONS: -Dx=1\nInvalid maximum heap size: -Xmxfoo\n{create}"
        );
        assert_eq!(
            not_started(&said, "").unwrap(),
            "Invalid maximum heap size: -Xmxfoo"
        );
        let said = format!("Unrecognized VM option 'Nonsense'\n{create}");
        assert_eq!(
            not_started(&said, "").unwrap(),
            "Unrecognized VM option 'Nonsense'"
        );
        assert_eq!(
            not_started("Exception in thread \"main\" x.Y\n", "done\n"),
            None
        );
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("hs_err");
        let text = "#\n# There is insufficient memory for the Java Runtime Environment to continue.\n# Native memory allocation (mmap) failed to map 9 bytes.\n#\n\nSIGSEGV: crash_handler in libjvm.so\n";
        std::fs::write(&log, text).unwrap();
        assert_eq!(
            problem(&log),
            ": There is insufficient memory for the Java Runtime Environment to continue. Native memory allocation (mmap) failed to map 9 bytes."
        );
        let script = "echo 'Error: Could not find or load main class A' >&2; echo 'Caused by: java.lang.ClassNotFoundException: A' >&2; exit 1";
        let why = why(script, &dir.path().join("none")).unwrap();
        assert_eq!(
            why,
            "exit code 1: Error: Could not find or load main class A; Caused by: java.lang.ClassNotFoundException: A"
        );
    }

    #[test]
    fn every_kind_of_failure_has_its_reason() {
        let none = Path::new("/nonexistent");
        assert_eq!(why("echo fine >&2", none), None);
        assert_eq!(
            why("echo 'bad thing' >&2; exit 4", none).unwrap(),
            "exit code 4: bad thing"
        );
        let thrown = "echo 'Exception in thread \"main\" X: y' >&2; echo '\tat A.b' >&2; exit 1";
        assert_eq!(
            why(thrown, none).unwrap(),
            "exit code 1: Exception in thread \"main\" X: y"
        );
        assert!(
            why(
                "echo 'java.lang.OutOfMemoryError: Java heap space' >&2; exit 1",
                none
            )
            .unwrap()
            .starts_with("out of memory")
        );
        assert_eq!(why("exit 3", none).unwrap(), "exit code 3");
        let said = "echo 'Terminating due to java.lang.OutOfMemoryError: Java heap space'; exit 3";
        assert!(why(said, none).unwrap().starts_with("out of memory"));
        assert!(why("exit 137", none).unwrap().contains("by somebody, or"));
        assert_eq!(
            why("kill -ABRT $$", none).unwrap(),
            "killed by signal 6 (SIGABRT)"
        );
        assert!(why("sleep 60", none).unwrap().contains("1.5 s"));
    }

    #[test]
    fn what_counting_may_lack_is_named() {
        let lacks = |script: &str| {
            let launch = Launch {
                program: "/bin/sh".into(),
                args: vec!["-c".to_owned(), script.to_owned()],
                ..Launch::default()
            };
            let ended = run(&launch, None, false, &Cancel::default()).unwrap();
            too_little_room(&ended)
        };
        let heap = "echo 'java.lang.OutOfMemoryError: Java heap space' >&2; exit 1";
        assert!(lacks(heap).unwrap().contains("-Xmx"));
        let handled = "echo 'Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler in thread \"main\"' >&2; exit 1";
        assert!(lacks(handled).unwrap().contains("-Xmx"));
        let stack = "echo 'Exception in thread \"main\" java.lang.StackOverflowError' >&2; exit 1";
        assert!(lacks(stack).unwrap().contains("-Xss"));
        assert_eq!(lacks("exit 1"), None);
    }

    #[test]
    fn the_agents_own_words_are_found() {
        let said = "warming up\npricetag: cannot read a: no; the program runs unobserved\nout\n";
        assert_eq!(unobserved(said), Some("cannot read a: no"));
        assert_eq!(unobserved("pricetag: all is well\n"), None);
    }

    #[test]
    fn a_crash_report_tells_signal_and_frame() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("hs_err.log");
        std::fs::write(
            &log,
            "#\n#  SIGSEGV (0xb) at pc=0x1\n#\n# Problematic frame:\n# C  [libc.so+0x1]\n",
        )
        .unwrap();
        let text = why("exit 134", &log).unwrap();
        assert_eq!(
            text,
            "the JVM crashed: SIGSEGV (0xb) at pc=0x1; C  [libc.so+0x1]"
        );
    }
}
