//! Snapshots of a JVM that is running already.
//!
//! An agent that was loaded when the JVM started is found by the trace it keeps open, whose first record says what it was asked to do. Into a JVM without
//! one it is loaded now, where the JVM allows that. Snapshots, and the agent itself, are requested as `jcmd PID JVMTI.data_dump` and
//! `jcmd PID JVMTI.agent_load` would, over the JVM's own attach socket, so no JDK is needed.
//!
//! Once counters may be in a program, whatever fails has them taken out again, or says that they stay.
//!
//! Limits: Linux; the JVM's user or root; not a JVM with `-XX:+DisableAttachMechanism`, and none with `-XX:-EnableDynamicAgentLoading` that has no agent
//! yet.

mod process;
mod socket;

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pricetag_trace::{AgentOptions, CAME_LATE, LEAVE, Mode, OptionsError, Trace};

use crate::lock::Lock;
use crate::subject::HUGE_METHODS;
use crate::supervise::Cancel;
use process::{Library, User, command, inner_pid, proc, start_of};
use socket::{Answer, ask};

/// How long the JVM may take to listen, to write a snapshot, and to answer where not much hangs on it.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it may take to answer: while classes are rewritten, some hundred a second.
const ANSWER: Duration = Duration::from_mins(10);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// How long a JVM that does not answer any more may take to be gone.
const END: Duration = Duration::from_secs(2);

/// Why a running JVM cannot be observed.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// There is no such process, or it is another user's.
    #[error("cannot look at process {pid}: {source}")]
    Process {
        /// Which.
        pid: u32,
        /// The system's reason.
        source: io::Error,
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
    /// There is one, but it writes no trace that could be found: it did not begin, or is of another version.
    #[error("the agent in process {pid} records nothing: its trace was not found")]
    NoTrace {
        /// Which.
        pid: u32,
    },
    /// The trace that it writes was removed.
    #[error("the agent in process {pid} records to {}, which is gone", trace.display())]
    TraceGone {
        /// Which.
        pid: u32,
        /// The trace.
        trace: PathBuf,
    },
    /// Its library was replaced: loaded again by its name, another agent would come beside it.
    #[error("the agent in process {pid} is of another installation of Pricetag: {} was replaced since it was loaded", library.display())]
    Replaced {
        /// Which.
        pid: u32,
        /// The library.
        library: PathBuf,
    },
    /// The JVM's user cannot reach what the agent needs.
    #[error("user {user}, who runs process {pid}, has no access to {}", path.display())]
    Barred {
        /// Which.
        pid: u32,
        /// The user's number.
        user: u32,
        /// The first folder on the way that they may not enter, or the file they may not read.
        path: PathBuf,
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
    /// The JVM listens, but is busy or stopped.
    #[error("the JVM of process {pid} did not answer within {} s", patience.as_secs_f64())]
    Slow {
        /// Which.
        pid: u32,
        /// How long it was given.
        patience: Duration,
    },
    /// Counters could not be taken out.
    #[error("counters stay in process {pid} and slow it down: {why}")]
    Staying {
        /// Which.
        pid: u32,
        /// What hinders, and how they are got rid of.
        why: String,
    },
    /// Something failed, and counters stay besides.
    #[error("{error}; {staying}")]
    Unfinished {
        /// What failed.
        error: Box<Self>,
        /// Why they stay.
        staying: Box<Self>,
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
    /// The lock that a recording has for as long as a late agent counts for it.
    _held: Option<Lock>,
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
        if Library::of(pid).is_none() {
            return Err(AttachError::NotLoaded { pid });
        }
        let wrong = |why: String| AttachError::NotCounting { pid, why };
        let start = start_of(pid).ok_or(AttachError::NoTrace { pid })?;
        let options: AgentOptions = start
            .options
            .parse()
            .map_err(|e: OptionsError| wrong(e.to_string()))?;
        if options.mode != Mode::Count {
            return Err(wrong(format!("its mode is {}", options.mode)));
        }
        if !options.trace.exists() {
            let trace = options.trace;
            return Err(AttachError::TraceGone { pid, trace });
        }
        Ok(Self {
            pid,
            options,
            command: command(pid),
            late: start.properties.iter().any(|(name, _)| name == CAME_LATE),
            _held: None,
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
        let held = hold(pid)?;
        let earlier = match Self::find(pid) {
            Ok(attached) => Some(attached),
            // One that could not begin is asked again.
            Err(AttachError::NotLoaded { .. } | AttachError::NoTrace { .. }) => None,
            Err(error) => return Err(error),
        };
        // Another copy would be an agent of its own.
        let agent = match Library::of(pid) {
            Some(Library {
                path: library,
                replaced: true,
            }) => return Err(AttachError::Replaced { pid, library }),
            Some(library) => library.path,
            None => agent.to_owned(),
        };
        if let Some(earlier) = &earlier
            && !earlier.options.has_counters_of(options)
        {
            return Err(refused(
                "an earlier recording of it chose other kinds of features, another scope or another list of blocks or methods".to_owned(),
            ));
        }
        let user = User::other_than_root(pid);
        let file = write_options(folder, options, earlier.as_ref(), user.as_ref())
            .map_err(|e| refused(format!("{}: {e}", folder.display())))?;
        for path in [&agent, &file] {
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
        let bring = || {
            let [agent_name, file_name] = [&agent, &file].map(|path| path.display().to_string());
            let answer = ask(pid, &["load", &agent_name, "true", &file_name], ANSWER)?;
            let Some(why) = answer.refusal() else {
                return Ok(());
            };
            let barred = user.as_ref().and_then(|user| {
                let path = [&agent, &file]
                    .into_iter()
                    .find_map(|path| user.barred_by(path))?;
                let user = user.id;
                Some(AttachError::Barred { pid, user, path })
            });
            Err(barred.unwrap_or_else(|| refused(why)))
        };
        let begun = if let Some(earlier) = earlier {
            bring().map(|()| earlier)
        } else {
            // The first time it is there, the second time it begins.
            bring()?;
            bring().and_then(|()| Self::find(pid))
        };
        let begun = begun.map_err(|error| without_counters(pid, error))?;
        Ok(Self {
            _held: Some(held),
            ..begun
        })
    }

    /// Whether the agent was loaded while the JVM ran.
    pub fn came_late(&self) -> bool {
        self.late
    }

    /// Has an agent that came late give every class its own code back; a JVM that has ended needs nothing more.
    ///
    /// # Errors
    /// If the JVM does not answer, or the agent cannot be asked any more.
    pub fn leave(&self) -> Result<(), AttachError> {
        take_out(self.pid, ANSWER)
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
        let Answer { done, said } = ask(self.pid, &["jcmd", "JVMTI.data_dump", "", ""], ANSWER)?;
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
        let wrong = match Trace::read(&file) {
            Ok(trace) => trace.incomplete_reason(),
            Err(error) => Some(error.to_string()),
        };
        match wrong {
            Some(why) => {
                fs::remove_file(&file).ok();
                Err(failed(why))
            }
            None => Ok(Some(file)),
        }
    }
}

/// Sees to it that one recording at a time has a late agent count in a process, from before it is loaded. The lock is on a file that is the process's own, and goes with
/// the one or the other.
fn hold(pid: u32) -> Result<Lock, AttachError> {
    Lock::on(&proc(pid, "stat")).map_err(|error| match error {
        TryLockError::WouldBlock => AttachError::Busy { pid },
        TryLockError::Error(error) => AttachError::NotTaken {
            pid,
            why: error.to_string(),
        },
    })
}

/// Has the agent give every class its own code back.
fn take_out(pid: u32, patience: Duration) -> Result<(), AttachError> {
    let Some(Library { path, replaced }) = Library::of(pid) else {
        return Ok(());
    };
    let agent = path.display().to_string();
    let staying = |why: String| Err(AttachError::Staying { pid, why });
    if replaced {
        return staying(format!(
            "{agent} was replaced since it was loaded, so that they stay until the program ends"
        ));
    }
    let why = match ask(pid, &["load", &agent, "true", LEAVE], patience) {
        Ok(answer) => answer.refusal(),
        Err(_) if ends(pid) => None,
        // The request waits for it.
        Err(error @ AttachError::Slow { .. }) => {
            return staying(format!("{error}; it takes them out as soon as it can"));
        }
        Err(error) => Some(error.to_string()),
    };
    why.map_or(Ok(()), |why| {
        staying(format!("{why}; the next recording takes them out"))
    })
}

/// Whether a JVM that did not answer is about to be gone.
fn ends(pid: u32) -> bool {
    let begun = Instant::now();
    while Library::of(pid).is_some() {
        if begun.elapsed() > END {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}

/// What failed, once the counters that may be there by then are taken out.
fn without_counters(pid: u32, error: AttachError) -> AttachError {
    match take_out(pid, PATIENCE) {
        Ok(()) => error,
        Err(staying) => AttachError::Unfinished {
            error: Box::new(error),
            staying: Box::new(staying),
        },
    }
}

/// JVM options that load the agent for [`Attached`] into a program that is started again, having written its options into `folder`. `pid` is the program as it runs
/// now, by whose user.
///
/// # Errors
/// If the folder cannot be written.
pub fn prepare(
    pid: u32,
    agent: &Path,
    folder: &Path,
    options: &AgentOptions,
) -> io::Result<String> {
    let user = User::other_than_root(pid);
    let file = write_options(folder, options, None, user.as_ref())?;
    let option = format!("-agentpath:{}={}", agent.display(), file.display());
    Ok(format!("{} {HUGE_METHODS}", quoted(&option)))
}

/// Writes the agent's options into `folder`, where its trace and plans will be, too, unless an earlier recording has some. All of it belongs to `user`, if there is one: the agent
/// is who writes there.
fn write_options(
    folder: &Path,
    options: &AgentOptions,
    earlier: Option<&Attached>,
    user: Option<&User>,
) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let folder = std::path::absolute(folder)?;
    let (file, own_plans) = (folder.join("options"), folder.join("plans"));
    let new = || (folder.join("%p.trace"), Some(own_plans.clone()));
    let of = |earlier: &Attached| {
        let options = earlier.options.clone();
        (options.trace, options.plans)
    };
    let (trace, plans) = earlier.map_or_else(new, of);
    let options = AgentOptions {
        trace,
        plans,
        ..options.clone()
    };
    // Never through a link that another user may have put into a folder of theirs.
    match fs::remove_file(&file) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut written = File::create_new(&file)?;
    written.write_all(options.to_text().as_bytes())?;
    if let Some(user) = user {
        user.own(&written)?;
        user.own_folder(&folder)?;
        if own_plans.exists() {
            user.own_folder(&own_plans)?;
        }
    }
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
        let line = prepare(
            std::process::id(),
            Path::new("/l/libpricetag_agent.so"),
            &folder,
            &options,
        )
        .unwrap();
        let (option, flag) = line.rsplit_once(' ').unwrap();
        assert_eq!(flag, "-XX:-DontCompileHugeMethods");
        let word = option.trim_matches('\'');
        let file = word.strip_prefix("-agentpath:/l/libpricetag_agent.so=");
        let read = AgentOptions::read(Path::new(file.unwrap())).unwrap();
        assert_eq!(read.trace, folder.join("%p.trace"));
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
