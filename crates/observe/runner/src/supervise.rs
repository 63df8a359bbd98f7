//! Runs one child process to its end, whatever it does.
//!
//! The child leads its own process group, so that a time-out or Ctrl-C ends its descendants too; those that left the
//! group are found through `/proc`. Its output is drained into bounded buffers, its standard input is empty unless a
//! file is given. When the child is gone but descendants hold its output open, they get a short grace and are killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pricetag_file::raw;
use rustix::process::{Pid, Signal};
use wait4::{ResUse, Wait4};

use crate::capture::{Captured, drain};
use crate::error::RunnerError;

/// How long a child may take to obey SIGTERM before SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long descendants may keep the output open after the child ended.
const LINGER: Duration = Duration::from_millis(500);
/// How often cancellation is looked at.
const TICK: Duration = Duration::from_millis(25);

/// Process groups of the children that run now.
static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Kills every child that runs now, with its descendants: for a process that is about to end without waiting for them.
pub fn kill_all() {
    let groups: Vec<i32> = live().iter().copied().collect();
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        signal(Some(group), &descendants(group), Signal::KILL);
    }
}

fn live() -> MutexGuard<'static, BTreeSet<i32>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a child's group among the live ones.
struct Registered(i32);

impl Registered {
    fn new(group: Pid) -> Self {
        let raw = group.as_raw_nonzero().get();
        live().insert(raw);
        Self(raw)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        live().remove(&self.0);
    }
}

/// Set from a signal handler to end a recording in order.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the end was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A process to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Path of the executable.
    pub program: PathBuf,
    /// What the child sees as its own name; the path if none.
    pub name: Option<String>,
    /// Arguments, as [`raw`] has them.
    pub args: Vec<String>,
    /// Variables set on top of the inherited environment, as [`raw`] has them.
    pub env: BTreeMap<String, String>,
    /// Working directory; inherited if none.
    pub cwd: Option<PathBuf>,
    /// File fed on standard input; empty if none.
    pub stdin: Option<PathBuf>,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Exit code.
    Exit(i32),
    /// Killed by a signal that was not ours.
    Signal(i32),
    /// Killed by us after this time.
    TimedOut(Duration),
    /// Killed by us because the user asked.
    Cancelled,
}

/// A finished child.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How.
    pub ending: Ending,
    /// From start to end, seen from outside.
    pub wall: Duration,
    cpu: Duration,
    /// Standard output, bounded.
    pub stdout: Captured,
    /// Standard error, bounded.
    pub stderr: Captured,
    /// Whether descendants outlived the child and were killed.
    pub leftovers: bool,
}

impl Ended {
    /// User and system time of the child from its start to its end, with all its threads and the processes that it waited for; zero if it could not be waited for.
    pub fn cpu(&self) -> Duration {
        self.cpu
    }
}

/// Runs a child to its end. Fails only if it cannot be started.
pub fn run(
    launch: &Launch,
    timeout: Option<Duration>,
    show: bool,
    cancel: &Cancel,
) -> Result<Ended, RunnerError> {
    let mut child = command(launch)?
        .spawn()
        .map_err(RunnerError::io("start", &launch.program))?;
    let begun = Instant::now();
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let _registered = group.map(Registered::new);
    let streams = [
        Stream::start(
            child.stdout.take(),
            show.then(|| Box::new(std::io::stderr()) as Box<dyn Write + Send>),
        ),
        Stream::start(
            child.stderr.take(),
            show.then(|| Box::new(std::io::stderr()) as Box<dyn Write + Send>),
        ),
    ];
    let (sender, exited) = channel();
    let waiter = thread::spawn(move || sender.send(child.wait4()).ok());
    let (used, cut) = wait(&exited, begun, timeout, cancel, group);
    let wall = begun.elapsed();
    let leftovers = settle(&streams, group, cut.is_some());
    waiter.join().ok();
    let [stdout, stderr] = streams.map(|s| {
        s.captured
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    });
    let ending = cut.unwrap_or_else(|| natural(used.map(|used| used.status)));
    Ok(Ended {
        ending,
        wall,
        cpu: used.map_or(Duration::ZERO, |used| used.rusage.utime + used.rusage.stime),
        stdout,
        stderr,
        leftovers,
    })
}

fn command(launch: &Launch) -> Result<Command, RunnerError> {
    let mut command = Command::new(&launch.program);
    if let Some(name) = &launch.name {
        command.arg0(raw::name(name));
    }
    command
        .args(launch.args.iter().map(|word| raw::name(word)))
        .envs(
            launch
                .env
                .iter()
                .map(|(name, value)| (raw::name(name), raw::name(value))),
        )
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(cwd) = &launch.cwd {
        command.current_dir(cwd);
    }
    let stdin = match &launch.stdin {
        Some(path) => Stdio::from(File::open(path).map_err(RunnerError::io("read", path))?),
        None => Stdio::null(),
    };
    command.stdin(stdin);
    Ok(command)
}

/// Waits for the child, ending it when its time is over or the user says so.
fn wait(
    exited: &Receiver<std::io::Result<ResUse>>,
    begun: Instant,
    timeout: Option<Duration>,
    cancel: &Cancel,
    group: Option<Pid>,
) -> (Option<ResUse>, Option<Ending>) {
    loop {
        match exited.recv_timeout(TICK) {
            Ok(used) => return (used.ok(), None),
            Err(RecvTimeoutError::Disconnected) => return (None, None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let cut = if cancel.is_cancelled() {
            Ending::Cancelled
        } else if let Some(limit) = timeout.filter(|&limit| begun.elapsed() >= limit) {
            Ending::TimedOut(limit)
        } else {
            continue;
        };
        let family = group.map(descendants).unwrap_or_default();
        signal(group, &family, Signal::TERM);
        let used = exited.recv_timeout(GRACE).ok().and_then(Result::ok);
        signal(group, &family, Signal::KILL);
        return (used, Some(cut));
    }
}

/// Waits for the output to close; ends descendants that keep it open. True if there were any.
fn settle(streams: &[Stream; 2], group: Option<Pid>, cut: bool) -> bool {
    let closed = |limit: Duration| {
        let end = Instant::now() + limit;
        while !streams.iter().all(|s| s.reader.is_finished()) {
            if Instant::now() >= end {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
        true
    };
    let in_order = closed(LINGER);
    let family = if in_order {
        Vec::new()
    } else {
        group.map(descendants).unwrap_or_default()
    };
    let alive = group.is_some_and(|g| rustix::process::test_kill_process_group(g).is_ok());
    if alive || !in_order {
        signal(group, &family, Signal::KILL);
        closed(LINGER);
    }
    (alive || !in_order) && !cut
}

fn natural(status: Option<ExitStatus>) -> Ending {
    let Some(status) = status else {
        return Ending::Signal(0);
    };
    status.code().map_or_else(
        || Ending::Signal(status.signal().unwrap_or_default()),
        Ending::Exit,
    )
}

/// Signals a whole group and further processes; those already gone are no error.
fn signal(group: Option<Pid>, others: &[Pid], signal: Signal) {
    if let Some(group) = group {
        rustix::process::kill_process_group(group, signal).ok();
    }
    for &pid in others {
        rustix::process::kill_process(pid, signal).ok();
    }
}

/// All processes below `root`, by parent links in `/proc`.
fn descendants(root: Pid) -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|n| n.parse::<i32>().ok())
        else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        // The name in parentheses may hold anything; the fields behind the last `)` are state and parent.
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse::<i32>().ok());
        children
            .entry(parent.unwrap_or_default())
            .or_default()
            .push(pid);
    }
    let mut found = Vec::new();
    let mut open = vec![root.as_raw_nonzero().get()];
    while let Some(pid) = open.pop() {
        for &child in children.get(&pid).into_iter().flatten() {
            found.extend(Pid::from_raw(child));
            open.push(child);
        }
    }
    found
}

/// A stream being drained by its own thread.
struct Stream {
    captured: Arc<Mutex<Captured>>,
    reader: thread::JoinHandle<()>,
}

impl Stream {
    fn start(
        stream: Option<impl std::io::Read + Send + 'static>,
        echo: Option<Box<dyn Write + Send>>,
    ) -> Self {
        let captured = Arc::new(Mutex::new(Captured::default()));
        let sink = Arc::clone(&captured);
        let reader = thread::spawn(move || {
            if let Some(stream) = stream {
                drain(stream, echo, |bytes| {
                    sink.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(bytes);
                });
            }
        });
        Self { captured, reader }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Launch {
        Launch {
            program: "/bin/sh".into(),
            args: vec!["-c".to_owned(), script.to_owned()],
            ..Launch::default()
        }
    }

    fn go(script: &str, timeout: Option<Duration>) -> Ended {
        run(&sh(script), timeout, false, &Cancel::default()).unwrap()
    }

    #[test]
    fn reports_exit_code_output_and_signal() {
        let ended = go("echo out; echo err >&2; exit 7", None);
        assert_eq!(ended.ending, Ending::Exit(7));
        assert_eq!(
            (ended.stdout.text().as_str(), ended.stderr.text().as_str()),
            ("out\n", "err\n")
        );
        assert_eq!(go("kill -9 $$", None).ending, Ending::Signal(9));
    }

    #[test]
    fn its_cpu_time_is_what_the_shell_says_with_what_it_waited_for() {
        let spin = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done";
        let ended = go(&format!("{spin}; sh -c '{spin}'; times"), None);
        // Two lines of user and system time, the shell's own and its children's: 0m0.041000s 0m0.002000s
        let said = ended.stdout.text();
        let seconds = said.split_whitespace().map(|word| {
            let (minutes, rest) = word.split_once('m').unwrap();
            let rest: f64 = rest.trim_end_matches('s').parse().unwrap();
            60.0 * minutes.parse::<f64>().unwrap() + rest
        });
        let seconds: Vec<f64> = seconds.collect();
        assert_eq!(seconds.len(), 4, "{said}");
        // What is behind `times` is short, whose ticks are of 10 ms.
        let more = ended.cpu().as_secs_f64() - seconds.iter().sum::<f64>();
        assert!(
            seconds[2] > 0.01 && (-0.05..1.0).contains(&more),
            "{said}{more}"
        );
    }

    #[test]
    fn standard_input_is_a_file_or_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in");
        std::fs::write(&path, "hello").unwrap();
        assert_eq!(go("cat", None).stdout.total(), 0);
        let fed = Launch {
            stdin: Some(path),
            ..sh("cat")
        };
        assert_eq!(
            run(&fed, None, false, &Cancel::default())
                .unwrap()
                .stdout
                .text(),
            "hello"
        );
    }

    #[test]
    fn a_gigabyte_of_output_is_drained_in_bounded_memory() {
        let ended = go("head -c 1073741824 /dev/zero", None);
        assert_eq!(ended.ending, Ending::Exit(0));
        assert_eq!(ended.stdout.total(), 1 << 30);
        assert!(ended.stdout.text().len() < 1 << 17);
    }

    #[test]
    fn a_time_out_ends_forked_children_too() {
        let dir = tempfile::tempdir().unwrap();
        let pids = dir.path().join("pids");
        let script = format!(
            "sleep 300 & echo $! >> {0}; setsid sleep 300 & echo $! >> {0}; trap '' TERM; wait; wait",
            pids.display()
        );
        let begun = Instant::now();
        let ended = go(&script, Some(Duration::from_millis(300)));
        assert_eq!(ended.ending, Ending::TimedOut(Duration::from_millis(300)));
        assert!(begun.elapsed() < Duration::from_secs(6));
        for pid in std::fs::read_to_string(pids).unwrap().lines() {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let gone = state
                .rsplit_once(')')
                .is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'));
            assert!(gone, "{pid} still runs: {state}");
        }
    }

    #[test]
    fn a_child_left_behind_does_not_hang_the_recording() {
        let begun = Instant::now();
        let ended = go("sleep 300 & exit 0", Some(Duration::from_secs(20)));
        assert_eq!(ended.ending, Ending::Exit(0));
        assert!(ended.leftovers);
        assert!(begun.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn cancelling_ends_the_child() {
        let cancel = Cancel::default();
        let other = cancel.clone();
        let killer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            other.cancel();
        });
        let ended = run(&sh("sleep 300"), None, false, &cancel).unwrap();
        killer.join().unwrap();
        assert_eq!(ended.ending, Ending::Cancelled);
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let launch = Launch {
            program: "/no/such/program".into(),
            ..Launch::default()
        };
        assert!(matches!(
            run(&launch, None, false, &Cancel::default()),
            Err(RunnerError::Io { .. })
        ));
    }
}
