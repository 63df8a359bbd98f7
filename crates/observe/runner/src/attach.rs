//! Snapshots of a JVM that is running already.
//!
//! The agent must have been loaded when the JVM started: counting needs a field in `java.lang.Thread`, and HotSpot adds none to a
//! loaded class. Whether it is there, and what it was asked to do, is read from `/proc`. A snapshot is requested as `jcmd
//! PID JVMTI.data_dump` would, over the JVM's own attach socket, so no JDK is needed: the file `.attach_pidPID` in
//! the JVM's working directory and SIGQUIT make it listen on `/tmp/.java_pidPID` (the protocol of HotSpot's
//! `attachListener_posix.cpp`; JDK 9 and later, version 1 of the protocol).
//!
//! Limits: Linux; the JVM's user or root; not a JVM with `-XX:+DisableAttachMechanism`.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pricetag_trace::{AgentOptions, Mode, Trace};
use rustix::process::{Pid, Signal, kill_process};

use crate::supervise::Cancel;

/// The agent's library, as it appears in a JVM's memory map.
const LIBRARY: &str = "libpricetag_agent.so";
/// How long the JVM may take to listen, and to write a snapshot.
const PATIENCE: Duration = Duration::from_secs(20);
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
    /// The JVM started without the agent.
    #[error(
        "the JVM of process {pid} was started without Pricetag's agent, and it is too late to count: counters need a field in java.lang.Thread, \
         which a JVM adds to no class that is loaded"
    )]
    NotLoaded {
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
        if !maps.contains(LIBRARY) {
            return Err(AttachError::NotLoaded { pid });
        }
        let wrong = |why: String| AttachError::NotCounting { pid, why };
        let file =
            options_file(pid).ok_or_else(|| wrong("its options were not found".to_owned()))?;
        let mut options = AgentOptions::read(&file).map_err(|e| wrong(e.to_string()))?;
        if options.mode != Mode::Count {
            return Err(wrong(format!("its mode is {}", options.mode)));
        }
        options.trace = options.trace_of(inner_pid(pid));
        let command = words(pid, "cmdline");
        Ok(Self {
            pid,
            options,
            command,
        })
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
        self.request("JVMTI.data_dump")?;
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

    /// Has the JVM carry out a diagnostic command.
    fn request(&self, command: &str) -> Result<String, AttachError> {
        let silent = |why: String| AttachError::Silent { pid: self.pid, why };
        let mut socket = self.listen()?;
        let mut exchange = || -> std::io::Result<String> {
            socket.set_read_timeout(Some(PATIENCE))?;
            socket.write_all(format!("1\0jcmd\0{command}\0\0\0").as_bytes())?;
            let mut answer = Vec::new();
            socket.read_to_end(&mut answer)?;
            Ok(String::from_utf8_lossy(&answer).into_owned())
        };
        let answer = exchange().map_err(|e| silent(e.to_string()))?;
        match answer.split_once('\n') {
            Some(("0", said)) => Ok(said.to_owned()),
            _ => Err(silent(answer.trim().replace('\n', " "))),
        }
    }

    /// A connection to the JVM, which is made to listen if it does not yet.
    fn listen(&self) -> Result<UnixStream, AttachError> {
        let inner = inner_pid(self.pid);
        let socket = proc(self.pid, "root").join(format!("tmp/.java_pid{inner}"));
        let silent = |why: String| AttachError::Silent { pid: self.pid, why };
        if !socket.exists() {
            // A JVM with -Xrs does not catch the signal, which would end it.
            if !self.catches_quit() {
                return Err(silent("it listens to no signal (-Xrs)".to_owned()));
            }
            let trigger = proc(self.pid, "cwd").join(format!(".attach_pid{inner}"));
            fs::write(&trigger, "").map_err(|e| silent(format!("{}: {e}", trigger.display())))?;
            let asked = self.wake(&socket);
            fs::remove_file(&trigger).ok();
            asked?;
        }
        UnixStream::connect(&socket).map_err(|e| silent(format!("{}: {e}", socket.display())))
    }

    fn wake(&self, socket: &Path) -> Result<(), AttachError> {
        let silent = |why: String| AttachError::Silent { pid: self.pid, why };
        let target = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
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

    fn catches_quit(&self) -> bool {
        let status = fs::read_to_string(proc(self.pid, "status")).unwrap_or_default();
        let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask & CATCHES_QUIT != 0)
    }
}

/// JVM options that load the agent for [`Attached`], having written its options into `folder`.
///
/// # Errors
/// If the folder cannot be written.
pub fn prepare(agent: &Path, folder: &Path, options: &AgentOptions) -> std::io::Result<String> {
    fs::create_dir_all(folder)?;
    let folder = std::path::absolute(folder)?;
    let file = folder.join("options");
    let options = AgentOptions {
        trace: folder.join("%p.trace"),
        plans: Some(folder.join("plans")),
        ..options.clone()
    };
    fs::write(&file, options.to_text())?;
    let option = format!("-agentpath:{}={}", agent.display(), file.display());
    Ok(format!("{} -XX:-DontCompileHugeMethods", quoted(&option)))
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

/// The agent's options file: named on the command line or in a variable from which JVMs take options.
fn options_file(pid: u32) -> Option<PathBuf> {
    let variables = ["JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", "_JAVA_OPTIONS="];
    let inherited = words(pid, "environ").into_iter().filter_map(|word| {
        let value = variables.iter().find_map(|name| word.strip_prefix(name))?;
        Some(value.to_owned())
    });
    let file = words(pid, "cmdline")
        .into_iter()
        .chain(inherited)
        .find_map(|text| agent_option(&text))?;
    let cwd = proc(pid, "cwd");
    let path = Path::new(OsStr::from_bytes(file.as_bytes()));
    Some(if path.is_absolute() {
        path.to_owned()
    } else {
        cwd.join(path)
    })
}

/// The file behind `-agentpath:…/libpricetag_agent.so=` in one word, or in one of several that are split at blanks.
fn agent_option(text: &str) -> Option<String> {
    let at = text.find("-agentpath:")?;
    let alone = at == 0;
    let rest = &text[at..];
    let file = rest.split_once(&format!("{LIBRARY}="))?.1;
    // A quote before the option protects the blanks in it.
    let end = match text[..at].chars().next_back() {
        Some(quote @ ('"' | '\'')) => file.find(quote),
        _ if alone => None,
        _ => file.find(char::is_whitespace),
    };
    let end = end.or_else(|| (text.contains(" -")).then(|| file.find(" -")).flatten());
    Some(file[..end.unwrap_or(file.len())].trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_file_is_found_in_a_word_or_among_several() {
        let found = |text: &str| agent_option(text);
        let file = |text: &str| Some(text.to_owned());
        assert_eq!(
            found("-agentpath:/o p/libpricetag_agent.so=/d a/options"),
            file("/d a/options")
        );
        assert_eq!(
            found("-Xmx1g -agentpath:/l/libpricetag_agent.so=/d/options -Xint"),
            file("/d/options")
        );
        assert_eq!(
            found("-agentpath:/l/libpricetag_agent.so=/d/options -Xint"),
            file("/d/options")
        );
        assert_eq!(
            found("\"-agentpath:/l/libpricetag_agent.so=/d a/options\" -Xint"),
            file("/d a/options")
        );
        assert_eq!(found("-agentpath:/l/other.so=/d/options"), None);
        assert_eq!(found("-Xmx1g"), None);
    }

    #[test]
    fn processes_that_are_no_jvm_are_left_in_peace() {
        let error = Attached::find(std::process::id()).unwrap_err();
        assert!(matches!(error, AttachError::NotJava { .. }), "{error}");
        let error = Attached::find(u32::MAX).unwrap_err();
        assert!(matches!(error, AttachError::Process { .. }), "{error}");
    }

    #[test]
    fn the_line_to_paste_is_what_find_reads() {
        let dir = tempfile::tempdir().unwrap();
        let options = AgentOptions::new(Mode::Count, "x");
        let folder = dir.path().join("a b");
        let line = prepare(Path::new("/l/libpricetag_agent.so"), &folder, &options).unwrap();
        let (option, flag) = line.rsplit_once(' ').unwrap();
        assert_eq!(flag, "-XX:-DontCompileHugeMethods");
        let word = option.trim_matches('\'');
        let file = agent_option(word).unwrap();
        let read = AgentOptions::read(Path::new(&file)).unwrap();
        assert_eq!(read.trace, folder.join("%p.trace"));
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
