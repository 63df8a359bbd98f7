//! The subject made ready: its program, its JVM, the agent, the options every run gets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pricetag_file::raw;
use pricetag_trace::{AgentOptions, Calls, Mode, Region};

use crate::cache;
use crate::compilation::{Compilation, Compiled};
use crate::error::RunnerError;
use crate::journal::{Journal, RunId, RunKind};
use crate::jvm::{Java, Launcher, resolve};
use crate::options::{RecordOptions, Timing};
use crate::platform;
use crate::sampling;
use crate::supervise::{Cancel, Launch};
use crate::template::expand;
use crate::workload::Case;

/// Of classes that it does not verify, as the JDK's, HotSpot drops what a verifier needs and rewriting, too: methods with jumps could not be
/// counted.
const STACK_MAPS: [&str; 2] = [
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+BytecodeVerificationLocal",
];

/// HotSpot compiles no method over 8,000 bytes without this, and probes may push one over.
pub(crate) const HUGE_METHODS: &str = "-XX:-DontCompileHugeMethods";

/// What all runs of a recording share.
#[derive(Debug)]
pub struct Subject<'a> {
    /// What to record.
    pub options: &'a RecordOptions,
    /// The program behind the command's first word.
    pub program: PathBuf,
    /// How its JVM takes options.
    pub launcher: Launcher,
    /// Its runtime, where it could be asked.
    pub java: Option<Java>,
    /// Why the JVM that a script most likely starts cannot be used.
    pub doubt: Option<RunnerError>,
    /// JVM options of counting and timing runs alike.
    pub flags: Vec<String>,
    /// How runs that are only counted are compiled.
    pub compilation: Compilation,
    /// Where classes are kept as counting runs rewrite them, if that outlives the recording.
    pub rewritten: Option<PathBuf>,
    /// Methods and loops that are not counted, for the overhead budget.
    pub skip: BTreeSet<Region>,
    /// Methods and loops in which no values are taken.
    pub skip_values: BTreeSet<Region>,
}

impl<'a> Subject<'a> {
    /// Finds program and JVM. Fails when there is no usable one.
    pub fn prepare(options: &'a RecordOptions, cancel: &Cancel) -> Result<Self, RunnerError> {
        let bad = |option, why| Err(RunnerError::BadOption { option, why });
        if let Some(cwd) = options.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            let what = if cwd.exists() {
                "is no folder"
            } else {
                "does not exist"
            };
            return bad("--cwd", format!("{} {what}", cwd.display()));
        }
        // The agent is told by lines of text where to write.
        if absolute(&options.dir)?
            .to_str()
            .is_none_or(|dir| dir.contains(['\n', '\r']))
        {
            let dir = options.dir.display();
            return bad(
                "-o",
                format!("{dir} has a name that is not UTF-8, or of several lines"),
            );
        }
        let word = options.command.first().ok_or(RunnerError::NoCommand)?;
        let path = options.path.as_deref();
        let program = resolve(word, options.cwd.as_deref(), path)?;
        let launcher = Launcher::of(&program);
        let mut doubt = None;
        let java = match launcher {
            Launcher::Java => Some(Java::detect(&program, cancel)?),
            // A JDK's tools live beside its `java`; a script uses whatever it likes, most likely the one on PATH.
            Launcher::JdkTool => Some(Java::detect(
                &sibling_java(&program).map_or_else(|| resolve("java", None, path), Ok)?,
                cancel,
            )?),
            Launcher::Other => match resolve("java", None, path) {
                Ok(found) => match Java::detect(&found, cancel) {
                    Ok(java) => Some(java),
                    Err(error) => {
                        doubt = Some(error);
                        None
                    }
                },
                Err(_) => None,
            },
        };
        let mut flags = Vec::new();
        if !options.jit {
            flags.push("-Xint".to_owned());
        }
        if !options.gc {
            let memory = platform::memory_bytes().unwrap_or(4 << 30);
            match &java {
                Some(java) => flags.extend(java.without_collector(memory, cancel)),
                None => flags.extend(
                    ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"].map(str::to_owned),
                ),
            }
        }
        let counted_alone = options.jit && counts_alone(options.timing, options.overhead);
        // Of a recording that goes on, earlier runs are in its journal.
        let cache = options.cache.as_deref().filter(|_| !options.resume);
        let compilation = Compilation::of(java.as_ref().filter(|_| counted_alone));
        Ok(Self {
            options,
            program,
            launcher,
            java,
            doubt,
            flags,
            compilation,
            // What another version has begun goes on by its plans, which are nothing for others.
            rewritten: cache.and_then(|cache| cache::folder(cache, &options.agent)),
            skip: BTreeSet::new(),
            skip_values: BTreeSet::new(),
        })
    }

    /// How the agent got into a subject that is not started by a Java launcher.
    pub(crate) fn launcher_note(&self) -> Option<String> {
        let program = self.options.command.first()?;
        (self.launcher == Launcher::Other).then(|| {
            let doubt = self.doubt.as_ref().map(|why| format!("; the one on PATH could not be used: {why}"));
            format!("`{program}` is no Java launcher: the agent was loaded through JAVA_TOOL_OPTIONS, into the first JVM it starts{}", doubt.unwrap_or_default())
        })
    }

    /// Where classes should be kept, if they cannot be.
    pub(crate) fn cache_note(&self) -> Option<String> {
        let cache = self.options.cache.as_ref()?;
        (self.rewritten.is_none() && !self.options.resume).then(|| {
            format!("rewritten classes are kept for this recording alone: into {} nothing can be written, or others can write as well (--cache DIR|none)", cache.display())
        })
    }

    /// The platform's description.
    pub fn platform(&self) -> BTreeMap<String, String> {
        platform::describe(self.java.as_ref(), &self.flags)
    }

    /// The process of one run, which is compiled so.
    pub fn launch(
        &self,
        journal: &Journal,
        id: RunId,
        case: &Case,
        compiled: Compiled,
    ) -> Result<Launch, RunnerError> {
        let agent_options = self.agent_options(journal, id)?;
        let (file, crash_log) = (journal.options(id), journal.crash_log(id));
        let agent = Some((&agent_options, file.as_path()));
        if id.kind == RunKind::Sample {
            let log = sampling::compilation_log(&journal.compilations(id));
            let optimises = self.java.as_ref().is_some_and(Java::optimises);
            let places = sampling::PLACES.iter().filter(|_| optimises);
            let further: Vec<&str> = log
                .iter()
                .map(String::as_str)
                .chain(places.copied())
                .collect();
            return self.launch_with(agent, &crash_log, case, &further);
        }
        self.launch_with(agent, &crash_log, case, compiled.options)
    }

    /// The process of a run, with these further options of the JVM: without the agent, or with these options for it, which are written to a file.
    pub fn launch_with(
        &self,
        agent: Option<(&AgentOptions, &Path)>,
        crash_log: &Path,
        case: &Case,
        further: &[&str],
    ) -> Result<Launch, RunnerError> {
        let options = self.options;
        let fill = |template: &String| expand(template, &case.bindings);
        let cwd = options.cwd.clone();
        let stdin = options
            .stdin
            .as_ref()
            .map(fill)
            .transpose()?
            .map(|file| match &cwd {
                Some(dir) => dir.join(raw::name(&file)),
                None => PathBuf::from(raw::name(&file)),
            });
        let mut launch = Launch {
            program: self.program.clone(),
            name: options.command.first().cloned(),
            args: options
                .command
                .iter()
                .skip(1)
                .map(fill)
                .collect::<Result<_, _>>()?,
            env: options
                .env
                .iter()
                .map(|(k, v)| Ok((k.clone(), fill(v)?)))
                .collect::<Result<_, RunnerError>>()?,
            cwd,
            stdin,
        };
        let mut flags = Vec::new();
        if let Some((agent_options, file)) = agent {
            let file = absolute(file)?;
            let text = agent_options.to_text();
            std::fs::write(&file, text).map_err(RunnerError::io("write", &file))?;
            let [agent, file] = [&options.agent, &file].map(|path| raw::text(path.as_os_str()));
            flags.push(format!("-agentpath:{agent}={file}"));
            // What is timed keeps the limit that the program has by itself.
            if !matches!(agent_options.mode, Mode::Time | Mode::Sample) {
                flags.push(HUGE_METHODS.to_owned());
                if options.count_jdk {
                    flags.extend(STACK_MAPS.map(str::to_owned));
                }
            }
        }
        let log = raw::text(absolute(crash_log)?.as_os_str());
        flags.push(format!("-XX:ErrorFile={log}"));
        flags.extend(self.flags.iter().cloned());
        flags.extend(further.iter().copied().map(str::to_owned));
        self.launcher
            .add_options(&flags, &mut launch, options.java_tool_options.as_deref());
        Ok(launch)
    }

    fn agent_options(&self, journal: &Journal, id: RunId) -> Result<AgentOptions, RunnerError> {
        let mode = match id.kind {
            RunKind::Count(_) => Mode::Count,
            RunKind::Time(_) => Mode::Time,
            RunKind::Sample => Mode::Sample,
        };
        let options = self.agent_options_at(mode, &journal.trace(id), &journal.plans())?;
        Ok(AgentOptions {
            rewritten: (mode == Mode::Count || self.rewrites_beforehand())
                .then(|| {
                    let beyond = self.rewritten.clone();
                    beyond.map_or_else(|| absolute(&journal.rewritten()), Ok)
                })
                .transpose()?,
            progress: id.kind == RunKind::Count(0) && self.options.looks_at(id.case),
            calls: self
                .options
                .calls
                .filter(|_| id.kind == RunKind::Count(0))
                .map(|which| absolute(&journal.calls(id)).map(|file| Calls { file, which }))
                .transpose()?,
            ..options
        })
    }

    /// Whether a timed run, when it is over, rewrites the classes that it has loaded: it goes ahead of all that are counted, and there is time for that.
    fn rewrites_beforehand(&self) -> bool {
        /// More than a run after which the agent does so, and what it does, take.
        const ENOUGH: Duration = Duration::from_secs(20);
        let in_time = self.options.timeout.is_none_or(|limit| limit >= ENOUGH);
        self.compilation.asks() && in_time
    }

    /// The agent's options for a run that leaves its trace and plans here.
    pub fn agent_options_at(
        &self,
        mode: Mode,
        trace: &Path,
        plans: &Path,
    ) -> Result<AgentOptions, RunnerError> {
        Ok(AgentOptions {
            plans: Some(absolute(plans)?),
            include: self.options.include.clone(),
            exclude: self.options.exclude.clone(),
            scopes: self.options.scopes(),
            count_jdk: self.options.count_jdk,
            keep: self.options.listed.clone(),
            skip: self.skip.clone(),
            skip_values: self.skip_values.clone(),
            values: self.options.values,
            lengths: self.options.lengths,
            depths: self.options.depths,
            transitions: self.options.transitions,
            strides: self.options.strides,
            caught: self.options.caught,
            callers: self.options.callers,
            invocations: self.options.invocations,
            ..AgentOptions::new(mode, absolute(trace)?)
        })
    }
}

/// Whether nothing but counts is wanted of a counting run. Under a budget its times are, too: it is to hold without options that make counting cheaper.
fn counts_alone(timing: Timing, budget: Option<f64>) -> bool {
    timing != Timing::Same && budget.is_none()
}

/// `java` beside a tool of the JDK, behind symbolic links.
fn sibling_java(tool: &Path) -> Option<PathBuf> {
    let real = tool.canonicalize().ok()?;
    Some(real.parent()?.join("java")).filter(|p| p.is_file())
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf, RunnerError> {
    std::path::absolute(path).map_err(RunnerError::io("find", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_whose_times_are_wanted_is_more_than_counted() {
        assert!(counts_alone(Timing::Separate, None) && counts_alone(Timing::Never, None));
        assert!(!counts_alone(Timing::Same, None));
        assert!(!counts_alone(Timing::Separate, Some(0.05)));
    }
}
