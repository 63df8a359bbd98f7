//! Requests to a JVM over its attach socket, as `jcmd` makes them.
//!
//! The file `.attach_pidPID` in the JVM's working directory or in its `/tmp`, and SIGQUIT, make it listen on `/tmp/.java_pidPID` (the protocol of HotSpot's
//! `attachListener_posix.cpp`; JDK 9 and later, version 1 of the protocol). It carries out one request after another, those too whose sender has left.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::process::{catches_quit, has_ended, inner_pid, proc};
use super::{AttachError, LOOK, PATIENCE};

/// What the JVM says when it loaded an agent, and when the agent did not want to be.
const LOADED: &str = "return code: 0";
const REFUSED: &str = "return code: -1";

/// What a JVM answers.
#[derive(Debug)]
pub struct Answer {
    /// Whether it did what it was asked to.
    pub done: bool,
    /// What it says.
    pub said: String,
}

impl Answer {
    /// To a request to load an agent: why it was not loaded; none if it was.
    pub fn refusal(&self) -> Option<String> {
        if self.done && self.said.lines().any(|line| line == LOADED) {
            return None;
        }
        Some(match self.said.trim() {
            REFUSED => "the agent says why on its standard error".to_owned(),
            said => said.replace('\n', " "),
        })
    }
}

/// Asks a JVM to carry out a command with three arguments.
pub fn ask(pid: u32, words: &[&str; 4], patience: Duration) -> Result<Answer, AttachError> {
    let silent = |why: String| AttachError::Silent { pid, why };
    let mut socket = listen(pid)?;
    let mut exchange = || -> io::Result<String> {
        socket.set_read_timeout(Some(patience))?;
        socket.write_all(format!("1\0{}\0", words.join("\0")).as_bytes())?;
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    let answer = exchange().map_err(|error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => AttachError::Slow { pid, patience },
        _ => silent(error.to_string()),
    })?;
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
            if has_ended(pid) {
                let source = io::Error::new(ErrorKind::NotFound, "it has ended");
                return Err(AttachError::Process { pid, source });
            }
            return Err(silent("it listens to no signal (-Xrs)".to_owned()));
        }
        let trigger = trigger(pid, inner).map_err(silent)?;
        let asked = wake(pid, &socket);
        fs::remove_file(&trigger).ok();
        asked?;
    }
    UnixStream::connect(&socket).map_err(|e| silent(format!("{}: {e}", socket.display())))
}

/// Makes the file that tells a JVM to listen, in the first place where it looks that can be written: a service's working directory is often `/`.
fn trigger(pid: u32, inner: u32) -> Result<PathBuf, String> {
    let mut failures = Vec::new();
    for place in ["cwd", "root/tmp"] {
        let file = proc(pid, place).join(format!(".attach_pid{inner}"));
        // Never through a link, which might lead anywhere.
        match File::create_new(&file) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                failures.push(format!("{}: {error}", file.display()));
            }
            _ => return Ok(file),
        }
    }
    Err(failures.join("; "))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    #[test]
    fn where_the_working_directory_takes_no_file_the_trigger_is_in_tmp() {
        let mut sleeper = Command::new("sleep")
            .arg("60")
            .current_dir("/proc")
            .spawn()
            .unwrap();
        let made = trigger(sleeper.id(), sleeper.id());
        let there = format!("/tmp/.attach_pid{}", sleeper.id());
        let found = Path::new(&there).exists();
        fs::remove_file(there).ok();
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert!(found, "{made:?}");
    }

    #[test]
    fn a_jvm_that_does_not_answer_in_time_is_told_from_one_that_does_not_listen() {
        // This process plays the JVM.
        let pid = std::process::id();
        let socket = format!("/tmp/.java_pid{pid}");
        let listener = UnixListener::bind(&socket).unwrap();
        let asked = || ask(pid, &["load", "a", "true", "b"], Duration::from_millis(50));
        let slow = asked().unwrap_err();
        drop(listener);
        let silent = asked().unwrap_err();
        fs::remove_file(&socket).unwrap();
        assert!(matches!(slow, AttachError::Slow { .. }), "{slow}");
        assert!(matches!(silent, AttachError::Silent { .. }), "{silent}");
    }

    #[test]
    fn an_agent_was_loaded_if_the_jvm_says_so() {
        let refusal = |done, said: &str| {
            let said = said.to_owned();
            Answer { done, said }.refusal()
        };
        assert_eq!(refusal(true, "return code: 0\n"), None);
        let unwilling = refusal(true, "return code: -1\n").unwrap();
        assert!(unwilling.contains("standard error"), "{unwilling}");
        let missing = refusal(true, "a.so was not loaded.\nno such file\n");
        assert_eq!(
            missing.as_deref(),
            Some("a.so was not loaded. no such file")
        );
        assert!(refusal(false, "return code: 0\n").is_some());
    }
}
