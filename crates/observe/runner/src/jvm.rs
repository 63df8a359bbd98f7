//! Finding the subject's JVM, and putting the agent into its command line.
//!
//! Three kinds of commands are known by the name of the program: the `java` launcher takes JVM options directly, the
//! JDK's tools (`javac`, `jar`, …) take them as `-J…`, anything else is given `JAVA_TOOL_OPTIONS` and must start a JVM.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pricetag_file::raw;

use crate::error::RunnerError;
use crate::failure::not_started;
use crate::supervise::{Cancel, Ending, Launch, run};

/// The oldest Java the agent supports.
pub const OLDEST_JAVA: u32 = 11;

/// Tools of the JDK that pass `-J` options to their JVM.
const JDK_TOOLS: &[&str] = &[
    "jar",
    "jarsigner",
    "javac",
    "javadoc",
    "javap",
    "jdeps",
    "jdeprscan",
    "jimage",
    "jlink",
    "jmod",
    "jpackage",
    "jshell",
    "keytool",
    "rmiregistry",
    "serialver",
    "jwebserver",
];

/// How the subject's JVM is told about the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// `java`: options go directly behind it.
    Java,
    /// A tool of the JDK: options go behind it, each with `-J` before it.
    JdkTool,
    /// Something that starts a JVM: options go into `JAVA_TOOL_OPTIONS`.
    Other,
}

/// A Java runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Java {
    /// Its launcher.
    pub path: PathBuf,
    /// Feature release: 11, 17, …
    pub feature: u32,
    /// Its properties: `java.version`, `java.vm.name`, `java.home`, ….
    pub properties: BTreeMap<String, String>,
}

/// The program behind the first word of a command.
pub fn resolve(
    program: &str,
    cwd: Option<&Path>,
    path: Option<&str>,
) -> Result<PathBuf, RunnerError> {
    let missing = |searched: Option<&str>| RunnerError::ProgramNotFound {
        program: program.to_owned(),
        searched: searched.map(str::to_owned),
    };
    if program.contains('/') {
        let named = PathBuf::from(raw::name(program));
        let full = cwd.map_or_else(|| named.clone(), |c| c.join(&named));
        return if is_executable(&full) {
            std::path::absolute(&full).map_err(RunnerError::io("find", &full))
        } else {
            Err(missing(None))
        };
    }
    let path = path.unwrap_or("/usr/local/bin:/usr/bin:/bin");
    std::env::split_paths(&raw::name(path))
        .map(|dir| dir.join(raw::name(program)))
        .find(|p| is_executable(p))
        .ok_or_else(|| missing(Some(path)))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

impl Launcher {
    /// Judges by the program's name.
    pub fn of(program: &Path) -> Self {
        let name = program
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        match name {
            "java" => Self::Java,
            _ if JDK_TOOLS.contains(&name) => Self::JdkTool,
            _ => Self::Other,
        }
    }

    /// Adds JVM options to a command. The user's own come later and win.
    pub fn add_options(self, options: &[String], launch: &mut Launch, inherited: Option<&str>) {
        match self {
            Self::Java => {
                launch.args.splice(0..0, options.iter().cloned());
            }
            Self::JdkTool => {
                launch
                    .args
                    .splice(0..0, options.iter().map(|o| format!("-J{o}")));
            }
            Self::Other => {
                let given = launch
                    .env
                    .get("JAVA_TOOL_OPTIONS")
                    .map(String::as_str)
                    .or(inherited);
                let all: Vec<String> = options
                    .iter()
                    .map(|o| quote(o))
                    .chain(given.map(str::to_owned))
                    .collect();
                launch
                    .env
                    .insert("JAVA_TOOL_OPTIONS".to_owned(), all.join(" "));
            }
        }
    }
}

/// `JAVA_TOOL_OPTIONS` is split at white space; quotes protect it.
fn quote(option: &str) -> String {
    if option.contains('"') {
        format!("'{option}'")
    } else if option.contains(|c: char| c.is_whitespace() || c == '\'') {
        format!("\"{option}\"")
    } else {
        option.to_owned()
    }
}

impl Java {
    /// Asks a `java` launcher what it is.
    pub fn detect(java: &Path, cancel: &Cancel) -> Result<Self, RunnerError> {
        let shown = java.display().to_string();
        let args = ["-XshowSettings:properties", "-version"]
            .map(str::to_owned)
            .to_vec();
        let launch = Launch {
            program: java.to_owned(),
            args,
            ..Launch::default()
        };
        let ended = run(&launch, Some(Duration::from_mins(1)), false, cancel)?;
        let said = format!("{}\n{}", ended.stderr.text(), ended.stdout.text());
        if ended.ending == Ending::Cancelled {
            return Err(RunnerError::Interrupted);
        }
        if ended.ending != Ending::Exit(0) {
            return Err(RunnerError::JavaBroken {
                java: shown,
                why: not_started(&ended.stderr.text(), &ended.stdout.text())
                    .unwrap_or_else(|| ended.stderr.last_lines(3)),
            });
        }
        let properties = parse_properties(&said);
        let version = properties.get("java.version").cloned().unwrap_or_default();
        let feature = feature_release(&version).ok_or_else(|| RunnerError::JavaBroken {
            java: shown.clone(),
            why: "it does not tell its version".to_owned(),
        })?;
        if feature < OLDEST_JAVA {
            return Err(RunnerError::JavaTooOld {
                java: shown,
                found: version,
                needed: OLDEST_JAVA,
            });
        }
        Ok(Self {
            path: java.to_owned(),
            feature,
            properties,
        })
    }

    /// Whether this JVM accepts these options.
    pub fn accepts(&self, options: &[String], cancel: &Cancel) -> bool {
        let args = options
            .iter()
            .cloned()
            .chain(["-version".to_owned()])
            .collect();
        let launch = Launch {
            program: self.path.clone(),
            args,
            ..Launch::default()
        };
        run(&launch, Some(Duration::from_mins(1)), false, cancel)
            .is_ok_and(|e| e.ending == Ending::Exit(0))
    }

    /// Whether it is a HotSpot JVM with the optimising compiler.
    pub fn optimises(&self) -> bool {
        let name = self.properties.get("java.vm.name");
        name.is_some_and(|name| name.contains("Server VM"))
    }

    /// Options that switch garbage collection off: Epsilon where it exists, else a young generation so large that
    /// `memory` bytes fit.
    pub fn without_collector(&self, memory: u64, cancel: &Cancel) -> Vec<String> {
        let epsilon = ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"]
            .map(str::to_owned)
            .to_vec();
        if self.accepts(&epsilon, cancel) {
            return epsilon;
        }
        let heap = (memory / 10 * 8) >> 20;
        vec![
            format!("-Xms{heap}m"),
            format!("-Xmx{heap}m"),
            format!("-Xmn{}m", heap / 10 * 9),
        ]
    }
}

/// `    name = value` lines of `-XshowSettings:properties`.
fn parse_properties(text: &str) -> BTreeMap<String, String> {
    let pairs = text
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once(" = "));
    pairs
        .map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned()))
        .collect()
}

/// `1.8.0_292` → 8, `17.0.15` → 17, `21-ea` → 21.
fn feature_release(version: &str) -> Option<u32> {
    let digits = version.strip_prefix("1.").unwrap_or(version);
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// The agent's library: `given` (`PRICETAG_AGENT`), else beside the executable.
pub fn find_agent(given: Option<&Path>, executable: &Path) -> Result<PathBuf, RunnerError> {
    const NAME: &str = "libpricetag_agent.so";
    let looked: Vec<PathBuf> = match given {
        Some(path) => vec![path.to_owned()],
        None => executable
            .ancestors()
            .skip(1)
            .take(2)
            .flat_map(|dir| [dir.join(NAME), dir.join("lib").join(NAME)])
            .collect(),
    };
    let found = looked.iter().find(|p| p.is_file());
    match found {
        Some(path) => std::path::absolute(path).map_err(RunnerError::io("find", path)),
        None => Err(RunnerError::AgentMissing { looked }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_old_and_new_are_understood() {
        let of = |v| feature_release(v);
        assert_eq!(
            (
                of("1.8.0_292"),
                of("11.0.2"),
                of("17"),
                of("22-ea"),
                of("x")
            ),
            (Some(8), Some(11), Some(17), Some(22), None)
        );
    }

    #[test]
    fn options_go_where_the_program_takes_them() {
        let options = vec!["-agentpath:/a b=c".to_owned(), "-Xint".to_owned()];
        let command = Launch {
            program: "/usr/bin/java".into(),
            args: vec!["-jar".to_owned()],
            ..Launch::default()
        };
        let mut java = command.clone();
        Launcher::of(Path::new("/usr/bin/java")).add_options(&options, &mut java, None);
        assert_eq!(java.args, ["-agentpath:/a b=c", "-Xint", "-jar"]);
        let mut javac = command.clone();
        Launcher::of(Path::new("/x/javac")).add_options(&options, &mut javac, None);
        assert_eq!(javac.args, ["-J-agentpath:/a b=c", "-J-Xint", "-jar"]);
        let mut other = command;
        Launcher::of(Path::new("gradlew")).add_options(&options, &mut other, Some("-Xmx1g"));
        assert_eq!(
            other.env["JAVA_TOOL_OPTIONS"],
            "\"-agentpath:/a b=c\" -Xint -Xmx1g"
        );
    }

    #[test]
    fn a_missing_program_names_where_it_was_looked_for() {
        let error = resolve("no-such-java", None, Some("/nowhere"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("no-such-java") && error.contains("/nowhere"),
            "{error}"
        );
        assert!(resolve("/no/such/java", None, None).is_err());
        assert_eq!(
            resolve("sh", None, Some("/nowhere:/bin")).unwrap(),
            Path::new("/bin/sh")
        );
    }

    #[test]
    fn an_old_or_broken_java_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let fake = |name: &str, body: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            // Another test may fork while this file is open for writing: the kernel then says "text file busy".
            loop {
                match Java::detect(&path, &Cancel::default()) {
                    Err(RunnerError::Io { source, .. })
                        if source.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
                    result => return result,
                }
            }
        };
        assert!(matches!(
            fake("java8", "echo '    java.version = 1.8.0_292' >&2"),
            Err(RunnerError::JavaTooOld { .. })
        ));
        assert!(
            matches!(fake("broken", "echo no JVM here >&2; exit 1"), Err(RunnerError::JavaBroken { why, .. }) if why == "no JVM here")
        );
        assert!(matches!(
            fake("mute", "true"),
            Err(RunnerError::JavaBroken { .. })
        ));
        assert_eq!(
            fake("java21", "echo '    java.version = 21.0.1' >&2")
                .unwrap()
                .feature,
            21
        );
    }

    #[test]
    fn the_agent_is_found_beside_the_executable() {
        let dir = tempfile::tempdir().unwrap();
        let exe = dir.path().join("pricetag");
        assert!(matches!(
            find_agent(None, &exe),
            Err(RunnerError::AgentMissing { .. })
        ));
        let lib = dir.path().join("libpricetag_agent.so");
        std::fs::write(&lib, "").unwrap();
        assert_eq!(find_agent(None, &exe).unwrap(), lib);
        assert!(find_agent(Some(Path::new("/no/agent.so")), &exe).is_err());
    }
}
