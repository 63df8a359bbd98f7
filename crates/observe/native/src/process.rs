//! A process with a limit of time: a program that ends at its smallest size may not end at a larger one.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take over all its sizes; those that come along take some tenths of a second.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Between two looks at whether a process has ended.
const TICK: Duration = Duration::from_millis(2);

/// A process that is over.
#[derive(Debug)]
pub(crate) struct Over {
    /// What it said, and how it ended.
    pub output: Output,
    /// Whether it had to be ended.
    pub late: bool,
}

/// Runs a command to its end, or ends it after a while; what it said until then is kept.
pub(crate) fn within(limit: Duration, command: &mut Command) -> std::io::Result<Over> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let read = |from: Option<&mut dyn Read>| {
        let mut bytes = vec![];
        from.map_or(Ok(0), |f| f.read_to_end(&mut bytes))?;
        Ok::<_, std::io::Error>(bytes)
    };
    std::thread::scope(|scope| {
        let out = scope.spawn(|| read(out.as_mut().map(|f| f as &mut dyn Read)));
        let err = scope.spawn(|| read(err.as_mut().map(|f| f as &mut dyn Read)));
        let begun = Instant::now();
        let (status, late) = loop {
            if let Some(status) = child.try_wait()? {
                break (status, false);
            }
            if begun.elapsed() > limit {
                child.kill()?;
                break (child.wait()?, true);
            }
            std::thread::sleep(TICK);
        };
        let joined = |reader: std::thread::ScopedJoinHandle<std::io::Result<Vec<u8>>>| {
            let stopped = || std::io::Error::other("a reader of its output stopped");
            reader.join().unwrap_or_else(|_| Err(stopped()))
        };
        let (stdout, stderr) = (joined(out)?, joined(err)?);
        let output = Output {
            status,
            stdout,
            stderr,
        };
        Ok(Over { output, late })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_ended() {
        let shell = |script: &str, limit: u64| {
            let mut command = Command::new("sh");
            within(Duration::from_millis(limit), command.args(["-c", script])).unwrap()
        };
        let over = shell("echo first; while :; do :; done", 500);
        assert!(over.late);
        assert_eq!(over.output.stdout, b"first\n");
        let Over { output, late } = shell("echo out; echo err >&2; exit 3", 60_000);
        assert!(!late);
        assert_eq!(
            (&output.stdout[..], &output.stderr[..], output.status.code()),
            (&b"out\n"[..], &b"err\n"[..], Some(3))
        );
    }
}
