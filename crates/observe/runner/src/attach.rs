//! Snapshots of a JVM that is running already.
//!
//! An agent that was loaded when the JVM started is found by the trace it keeps open, whose first record says what it was asked to do. Into a JVM without
//! one it is loaded now, where the JVM allows that. Snapshots, and the agent itself, are requested as `jcmd PID JVMTI.data_dump` and
//! `jcmd PID JVMTI.agent_load` would, over the JVM's own attach socket, so no JDK is needed: the file `.attach_pidPID` in
//! the JVM's working directory and SIGQUIT make it listen on `/tmp/.java_pidPID` (the protocol of HotSpot's
//! `attachListener_posix.cpp`; JDK 9 and later, version 1 of the protocol).
//!
//! Limits: Linux; the JVM's user or root; not a JVM with `-XX:+DisableAttachMechanism`, and none with `-XX:-EnableDynamicAgentLoading` that has no agent
//! yet.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pricetag_trace::{
    AgentOptions, CAME_LATE, LEAVE, Mode, OptionsError, Record, Start, Trace, TraceReader,
};
use rustix::process::{Pid, Signal, kill_process};

use crate::supervise::Cancel;

/// The agent's library, as it appears in a JVM's memory map.
const LIBRARY: &str = "libpricetag_agent.so";
/// How long the JVM may take to listen, and to write a snapshot.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it may take to answer: while classes are rewritten, some hundred a second.
const ANSWER: Duration = Duration::from_mins(10);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// SIGQUIT in the mask of caught signals.
const CATCHES_QUIT: u64 = 1 << 2;

/// Why a running JVM cannot be observed.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// There is no such process, or it is another user's.
    #[error("cannot look at process {pid}: {source}")]
    Process {
        /// Which.
        pid: u32,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The process is no JVM.
    #[error("process {pid} is no Java virtual machine")]
    NotJava {
        /// Which.
        pid: u32,
    },
    /// There is no agent in the JVM.
    #[error("the JVM of process {pid} runs without Pricetag's agent")]
    NotLoaded {
        /// Which.
        pid: u32,
    },
    /// The agent cannot be loaded now.
    #[error("Pricetag's agent cannot be loaded into the running JVM of process {pid}: {why}")]
    NotTaken {
        /// Which.
        pid: u32,
        /// What the JVM says.
        why: String,
    },
    /// Somebody else has a late agent count.
    #[error("another recording of process {pid} is under way")]
    Busy {
        /// Which.
        pid: u32,
    },
    /// The agent is there for something else.
    #[error("Pricetag's agent in process {pid} does not count: {why}")]
    NotCounting {
        /// Which.
        pid: u32,
        /// Its mode, or what is wrong with its options.
        why: String,
    },
    /// The JVM does not listen.
    #[error("the JVM of process {pid} does not accept requests: {why}")]
    Silent {
        /// Which.
        pid: u32,
        /// What happened.
        why: String,
    },
    /// No snapshot came, or a damaged one.
    #[error("no snapshot from process {pid}: {why}")]
    NoSnapshot {
        /// Which.
        pid: u32,
        /// What is wrong.
        why: String,
    },
}

/// A JVM with our agent in it.
#[derive(Debug)]
pub struct Attached {
    pid: u32,
    /// What its agent was asked to do; the trace is the one it writes.
    pub options: AgentOptions,
    /// The command that started it.
    pub command: Vec<String>,
    /// Whether the agent was loaded while it ran.
    late: bool,
    /// Its trace, locked for as long as a late agent counts for this recording.
    held: Option<File>,
}

impl Attached {
    /// Finds the agent in a process.
    ///
    /// # Errors
    /// If there is none that counts.
    pub fn find(pid: u32) -> Result<Self, AttachError> {
        let maps = fs::read_to_string(proc(pid, "maps"))
            .map_err(|source| AttachError::Process { pid, source })?;
        if !maps.contains("/libjvm.so") {
            return Err(AttachError::NotJava { pid });
        }
        if library(pid).is_none() {
            return Err(AttachError::NotLoaded { pid });
        }
        let wrong = |why: String| AttachError::NotCounting { pid, why };
        let start = start_of(pid).ok_or_else(|| wrong("its trace was not found".to_owned()))?;
        let options: AgentOptions = start
            .options
            .parse()
            .map_err(|e: OptionsError| wrong(e.to_string()))?;
        if options.mode != Mode::Count {
            return Err(wrong(format!("its mode is {}", options.mode)));
        }
        if !options.trace.exists() {
            let trace = options.trace.display();
            return Err(wrong(format!("{trace}, its trace, is gone")));
        }
        Ok(Self {
            pid,
            options,
            command: words(pid, "cmdline"),
            late: start.properties.iter().any(|(name, _)| name == CAME_LATE),
            held: None,
        })
    }

    /// Loads the agent into a JVM that runs without, or has the one that was loaded so for an earlier recording count again. `folder` is to hold its
    /// options, its trace and plans, but for trace and plans of the earlier recording.
    ///
    /// # Errors
    /// If the JVM refuses it, or the agent does.
    pub fn load(
        pid: u32,
        agent: &Path,
        folder: &Path,
        options: &AgentOptions,
    ) -> Result<Self, AttachError> {
        let refused = |why: String| AttachError::NotTaken { pid, why };
        if let Some(why) = options.too_late_for() {
            return Err(refused(why.to_owned()));
        }
        let mut earlier = match Self::find(pid) {
            Ok(attached) => Some(attached),
            Err(AttachError::NotLoaded { .. }) => None,
            Err(error) => return Err(error),
        };
        if let Some(earlier) = &mut earlier {
            earlier.hold()?;
            if !earlier.options.has_counters_of(options) {
                return Err(refused(
                    "an earlier recording of it chose other kinds of features, another scope or another list of blocks or methods".to_owned(),
                ));
            }
        }
        let file = write_options(folder, options, earlier.as_ref().map(|e| &e.options))
            .map_err(|e| refused(format!("{}: {e}", folder.display())))?;
        for path in [agent, &file] {
            let inside = path.strip_prefix("/").unwrap_or(path);
            if !proc(pid, "root").join(inside).exists() {
                let path = path.display();
                return Err(refused(format!(
                    "it has a file system of its own, without {path}"
                )));
            }
        }
        if earlier.is_none() {
            // Of an earlier process with the same id.
            fs::remove_file(folder.join(format!("{}.trace", inner_pid(pid)))).ok();
        }
        // Another copy would be an agent of its own.
        let agent = library(pid).unwrap_or_else(|| agent.to_owned());
        let (agent, file) = (agent.display().to_string(), file.display().to_string());
        // The first time it is there, the second time it begins.
        for _ in 0..if earlier.is_some() { 1 } else { 2 } {
            let Answer { done, said } = ask(pid, &["load", &agent, "true", &file])?;
            if !done || said.lines().all(|line| line != LOADED) {
                return Err(refused(match said.trim() {
                    REFUSED => "the agent says why on its standard error".to_owned(),
                    said => said.replace('\n', " "),
                }));
            }
        }
        if let Some(earlier) = earlier {
            return Ok(earlier);
        }
        let mut loaded = Self::find(pid)?;
        loaded.hold()?;
        Ok(loaded)
    }

    /// Sees to it that one recording at a time has a late agent count.
    fn hold(&mut self) -> Result<(), AttachError> {
        let pid = self.pid;
        let taken = |why: String| AttachError::NotTaken { pid, why };
        let trace = File::open(&self.options.trace).map_err(|e| taken(e.to_string()))?;
        trace.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => AttachError::Busy { pid },
            TryLockError::Error(error) => taken(error.to_string()),
        })?;
        self.held = Some(trace);
        Ok(())
    }

    /// Whether the agent was loaded while the JVM ran.
    pub fn came_late(&self) -> bool {
        self.late
    }

    /// Has an agent that came late give every class its own code back.
    ///
    /// # Errors
    /// If the JVM does not answer.
    pub fn leave(&self) -> Result<(), AttachError> {
        let pid = self.pid;
        let agent = library(pid).ok_or(AttachError::NotLoaded { pid })?;
        let agent = agent.display().to_string();
        ask(pid, &["load", &agent, "true", LEAVE]).map(|_| ())
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Has a snapshot written and waits for it; none if cancelled.
    ///
    /// # Errors
    /// If the JVM does not answer or leaves no whole snapshot.
    pub fn snapshot(&self, cancel: &Cancel) -> Result<Option<PathBuf>, AttachError> {
        let failed = |why: String| AttachError::NoSnapshot { pid: self.pid, why };
        let next = (1..)
            .map(|number| AgentOptions::snapshot_of(&self.options.trace, number))
            .skip_while(|file| file.exists());
        let file = next.into_iter().next().unwrap_or_default();
        let Answer { done, said } = ask(self.pid, &["jcmd", "JVMTI.data_dump", "", ""])?;
        if !done {
            return Err(failed(said.trim().replace('\n', " ")));
        }
        let begun = Instant::now();
        while !file.exists() {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            if begun.elapsed() > PATIENCE {
                let shown = file.display();
                return Err(failed(format!(
                    "{shown} did not appear within {} s",
                    PATIENCE.as_secs()
                )));
            }
            std::thread::sleep(LOOK);
        }
        let trace = Trace::read(&file).map_err(|e| failed(e.to_string()))?;
        match trace.incomplete_reason() {
            Some(why) => Err(failed(why)),
            None => Ok(Some(file)),
        }
    }
}

/// What the JVM says when it loaded an agent, and when the agent did not want to be.
const LOADED: &str = "return code: 0";
const REFUSED: &str = "return code: -1";

/// What a JVM answers.
struct Answer {
    done: bool,
    said: String,
}

/// Asks a JVM to carry out a command with three arguments.
fn ask(pid: u32, words: &[&str; 4]) -> Result<Answer, AttachError> {
    let silent = |why: String| AttachError::Silent { pid, why };
    let mut socket = listen(pid)?;
    let mut exchange = || -> std::io::Result<String> {
        socket.set_read_timeout(Some(ANSWER))?;
        socket.write_all(format!("1\0{}\0", words.join("\0")).as_bytes())?;
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    let answer = exchange().map_err(|e| silent(e.to_string()))?;
    let (code, said) = answer
        .split_once('\n')
        .ok_or_else(|| silent(answer.trim().to_owned()))?;
    Ok(Answer {
        done: code == "0",
        said: said.to_owned(),
    })
}

/// A connection to a JVM, which is made to listen if it does not yet.
fn listen(pid: u32) -> Result<UnixStream, AttachError> {
    let inner = inner_pid(pid);
    let socket = proc(pid, "root").join(format!("tmp/.java_pid{inner}"));
    let silent = |why: String| AttachError::Silent { pid, why };
    if !socket.exists() {
        // A JVM with -Xrs does not catch the signal, which would end it.
        if !catches_quit(pid) {
            return Err(silent("it listens to no signal (-Xrs)".to_owned()));
        }
        let trigger = proc(pid, "cwd").join(format!(".attach_pid{inner}"));
        fs::write(&trigger, "").map_err(|e| silent(format!("{}: {e}", trigger.display())))?;
        let asked = wake(pid, &socket);
        fs::remove_file(&trigger).ok();
        asked?;
    }
    UnixStream::connect(&socket).map_err(|e| silent(format!("{}: {e}", socket.display())))
}

fn wake(pid: u32, socket: &Path) -> Result<(), AttachError> {
    let silent = |why: String| AttachError::Silent { pid, why };
    let target = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let target = target.ok_or_else(|| silent("no such process".to_owned()))?;
    kill_process(target, Signal::QUIT).map_err(|e| silent(e.to_string()))?;
    let begun = Instant::now();
    while !socket.exists() {
        if begun.elapsed() > PATIENCE {
            return Err(silent(
                "it does not listen (-XX:+DisableAttachMechanism?)".to_owned(),
            ));
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

fn catches_quit(pid: u32) -> bool {
    let status = fs::read_to_string(proc(pid, "status")).unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & CATCHES_QUIT != 0)
}

/// JVM options that load the agent for [`Attached`], having written its options into `folder`.
///
/// # Errors
/// If the folder cannot be written.
pub fn prepare(agent: &Path, folder: &Path, options: &AgentOptions) -> std::io::Result<String> {
    let file = write_options(folder, options, None)?;
    let option = format!("-agentpath:{}={}", agent.display(), file.display());
    Ok(format!("{} -XX:-DontCompileHugeMethods", quoted(&option)))
}

/// Writes the agent's options into `folder`, where its trace and plans will be, too, unless an earlier recording has some.
fn write_options(
    folder: &Path,
    options: &AgentOptions,
    earlier: Option<&AgentOptions>,
) -> std::io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let folder = std::path::absolute(folder)?;
    let file = folder.join("options");
    let new = || (folder.join("%p.trace"), Some(folder.join("plans")));
    let (trace, plans) = earlier.map_or_else(new, |o| (o.trace.clone(), o.plans.clone()));
    let options = AgentOptions {
        trace,
        plans,
        ..options.clone()
    };
    fs::write(&file, options.to_text())?;
    Ok(file)
}

/// For a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=:/.,+%@".contains(c);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn proc(pid: u32, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{name}"))
}

/// The agent's library in a process.
fn library(pid: u32) -> Option<PathBuf> {
    let maps = fs::read_to_string(proc(pid, "maps")).ok()?;
    let line = maps.lines().find(|line| line.ends_with(LIBRARY))?;
    Some(line[line.find('/')?..].into())
}

/// The id the process knows itself by: another one inside a container.
fn inner_pid(pid: u32) -> u32 {
    let status = fs::read_to_string(proc(pid, "status")).unwrap_or_default();
    let ids = status.lines().find_map(|l| l.strip_prefix("NSpid:"));
    ids.and_then(|ids| ids.split_whitespace().last()?.parse().ok())
        .unwrap_or(pid)
}

/// The zero-terminated words of a file in `/proc`.
fn words(pid: u32, name: &str) -> Vec<String> {
    let bytes = fs::read(proc(pid, name)).unwrap_or_default();
    bytes
        .split(|&byte| byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// The first record of the trace that the agent in a process keeps open.
fn start_of(pid: u32) -> Option<Start> {
    let files = fs::read_dir(proc(pid, "fd")).ok()?.flatten();
    let inner = inner_pid(pid);
    files.map(|file| file.path()).find_map(|file| {
        // Anything else might wait for a writer.
        if !fs::metadata(&file).is_ok_and(|about| about.is_file()) {
            return None;
        }
        match TraceReader::open(&file).ok()?.next_record() {
            Ok(Some(Record::Start(start))) if start.pid == inner => Some(start),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_are_no_jvm_are_left_in_peace() {
        let error = Attached::find(std::process::id()).unwrap_err();
        assert!(matches!(error, AttachError::NotJava { .. }), "{error}");
        let error = Attached::find(u32::MAX).unwrap_err();
        assert!(matches!(error, AttachError::Process { .. }), "{error}");
    }

    #[test]
    fn the_line_to_paste_names_options_beside_which_the_trace_will_be() {
        let dir = tempfile::tempdir().unwrap();
        let options = AgentOptions::new(Mode::Count, "x");
        let folder = dir.path().join("a b");
        let line = prepare(Path::new("/l/libpricetag_agent.so"), &folder, &options).unwrap();
        let (option, flag) = line.rsplit_once(' ').unwrap();
        assert_eq!(flag, "-XX:-DontCompileHugeMethods");
        let word = option.trim_matches('\'');
        let file = word.strip_prefix("-agentpath:/l/libpricetag_agent.so=");
        let read = AgentOptions::read(Path::new(file.unwrap())).unwrap();
        assert_eq!(read.trace, folder.join("%p.trace"));
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
