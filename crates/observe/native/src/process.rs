//! A process with a limit of time: a program that ends at its smallest size may not end at a larger one.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take over all its sizes; those that come along take some tenths of a second.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Between two looks at whether a process has ended.
const TICK: Duration = Duration::from_millis(2);

/// Runs a command to its end; nothing if it has to be ended after a while.
pub(crate) fn within(limit: Duration, command: &mut Command) -> std::io::Result<Option<Output>> {
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
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if begun.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(TICK);
        };
        let joined = |reader: std::thread::ScopedJoinHandle<std::io::Result<Vec<u8>>>| {
            let stopped = || std::io::Error::other("a reader of its output stopped");
            reader.join().unwrap_or_else(|_| Err(stopped()))
        };
        let (stdout, stderr) = (joined(out)?, joined(err)?);
        Ok(status.map(|status| Output {
            status,
            stdout,
            stderr,
        }))
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
        assert_eq!(shell("while :; do :; done", 50), None);
        let ended = shell("echo out; echo err >&2; exit 3", 60_000).unwrap();
        assert_eq!(
            (&ended.stdout[..], &ended.stderr[..], ended.status.code()),
            (&b"out\n"[..], &b"err\n"[..], Some(3))
        );
    }
}
