//! Agents that a subject's JVM loads beside our own: what they put into classes is counted as well, so that a check without them, or with others, is of other code.
//!
//! A JVM takes agents from the options before the program, from argument files among them (`@FILE`), from environment variables and from files of options
//! (`-XX:VMOptionsFile`). An agent is known by its file's name without its version. Limits: an agent that is attached later, or named in a jar's manifest
//! (`Launcher-Agent-Class`), is not known; of a command that is no `java`, only what is in the environment and behind `-J`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pricetag_dataset::command::launched;

use crate::baseline::Baseline;
use crate::counted::Identity;

/// How options that load an agent begin.
const LOADING: [&str; 3] = ["-javaagent:", "-agentpath:", "-agentlib:"];

/// Names a file with options.
const OPTIONS_FILE: &str = "-XX:VMOptionsFile=";

/// The debugger, which puts nothing into classes.
const DEBUGGER: [&str; 2] = ["jdwp", "libjdwp.so"];

/// Environment variables from which every JVM takes options.
const VARIABLES: [&str; 2] = ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"];

/// One from which the `java` launcher does.
const OF_LAUNCHER: &str = "JDK_JAVA_OPTIONS";

/// What a command's options depend on beside its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The working directory; the present one without.
    pub cwd: Option<PathBuf>,
    /// Variables by name.
    pub environment: Vec<(String, String)>,
}

impl Surroundings {
    /// Those of this process, which its subjects inherit.
    pub fn here(cwd: Option<PathBuf>) -> Self {
        let names = VARIABLES.into_iter().chain([OF_LAUNCHER]);
        let environment =
            names.filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
        Self {
            cwd,
            environment: environment.collect(),
        }
    }

    fn variable(&self, name: &str) -> Vec<String> {
        let found = self.environment.iter().find(|(known, _)| known == name);
        found.map_or_else(Vec::new, |(_, text)| words(text))
    }

    /// Words of a file; none of one that is not there, of which the JVM complains itself.
    fn file(&self, name: &str) -> Vec<String> {
        let path = self.cwd.as_deref().unwrap_or(Path::new("")).join(name);
        std::fs::read_to_string(path).map_or_else(|_| Vec::new(), |text| words(&text))
    }

    /// Argument files among the words of `java` stand for what is in them.
    fn opened(&self, all: &[String]) -> Vec<String> {
        let open = |word: &String| match word.strip_prefix('@') {
            Some(file) if !file.starts_with('@') => self.file(file),
            _ => vec![word.clone()],
        };
        all.iter().flat_map(open).collect()
    }
}

/// The agents of a command, by their files without versions: `jacocoagent.jar`.
pub fn of(command: &[String], around: &Surroundings) -> BTreeSet<String> {
    let mut options: Vec<String> = VARIABLES.iter().flat_map(|v| around.variable(v)).collect();
    if let Some((program, rest)) = command.split_first() {
        if Path::new(program).file_name().is_some_and(|n| n == "java") {
            let given = around.opened(&around.variable(OF_LAUNCHER));
            options.extend(given);
            let rest = around.opened(rest);
            let own = launched(&rest).map_or(&rest[..], |found| found.words);
            options.extend_from_slice(own);
        } else {
            let own = rest.iter().filter_map(|word| word.strip_prefix("-J"));
            options.extend(own.map(str::to_owned));
        }
    }
    let files = options.iter().filter_map(|o| o.strip_prefix(OPTIONS_FILE));
    let more: Vec<String> = files.flat_map(|file| around.file(file)).collect();
    options.extend(more);
    options.iter().filter_map(|option| agent(option)).collect()
}

/// The agent that an option loads.
fn agent(option: &str) -> Option<String> {
    let agent = LOADING.iter().find_map(|o| option.strip_prefix(o))?;
    let file = agent.split_once('=').map_or(agent, |(file, _)| file);
    let file = file.rsplit('/').next().unwrap_or(file);
    (!DEBUGGER.contains(&file)).then(|| without_version(file))
}

/// `jacoco.agent-0.8.11-runtime.jar` is `jacoco.agent-runtime.jar`.
fn without_version(file: &str) -> String {
    let (stem, end) = match file.rsplit_once('.') {
        Some((stem, end)) if ["jar", "so"].contains(&end) => (stem, format!(".{end}")),
        _ => (file, String::new()),
    };
    let is_version =
        |part: &&str| part.starts_with(|c: char| c.is_ascii_digit()) || *part == "SNAPSHOT";
    let parts: Vec<&str> = stem.split('-').filter(|part| !is_version(part)).collect();
    format!("{}{end}", parts.join("-"))
}

/// Splits at white space; quotes protect it, and `#` at the beginning of a word makes the rest of its line a comment.
fn words(text: &str) -> Vec<String> {
    let (mut all, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => word.get_or_insert_default().push(c),
            '"' | '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            '#' if word.is_none() => {
                letters.by_ref().find(|&c| c == '\n');
            }
            c if c.is_whitespace() => all.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    all
}

/// Agents that are here and not in the baseline, or the other way round.
pub(crate) fn other(baseline: &Baseline, here: &Identity) -> Option<String> {
    // Older files have the command alone: what it does not say is not known of them.
    let (recorded, here) = if let Some(recorded) = &baseline.agents {
        (recorded.clone(), here.agents.clone())
    } else {
        let bare = Surroundings::default();
        (of(&baseline.command, &bare), of(&here.command, &bare))
    };
    let named = |of: Vec<&String>| of.into_iter().cloned().collect::<Vec<_>>().join(" and ");
    let fresh: Vec<&String> = here.difference(&recorded).collect();
    let gone: Vec<&String> = recorded.difference(&here).collect();
    let mut told = Vec::new();
    if !fresh.is_empty() {
        told.push(format!(
            "{}, was not there when the baseline was recorded",
            named(fresh)
        ));
    }
    if !gone.is_empty() {
        told.push(format!(
            "{}, was there when the baseline was recorded, and is not now",
            named(gone)
        ));
    }
    (!told.is_empty()).then(|| {
        format!(
            "another agent, {}: what it puts into classes is counted as well. Check with the agents of the baseline, such as in a job without coverage",
            told.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn found(line: &str) -> String {
        let found = of(&split(line), &Surroundings::default());
        found.into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_options_of_the_jvm_load_agents() {
        assert_eq!(found("java -javaagent:x/a.jar=b=c -jar a.jar"), "a.jar");
        // What stands behind the program is its own.
        assert_eq!(found("java -jar a.jar -javaagent:x/a.jar"), "");
        assert_eq!(found("java -cp c Main -agentlib:hprof"), "");
        assert_eq!(found("/jdk/bin/javac -J-javaagent:a.jar -d x"), "a.jar");
        assert_eq!(found("mvn test -javaagent:a.jar"), "");
        assert_eq!(found(""), "");
    }

    #[test]
    fn a_debugger_is_no_agent_and_versions_do_not_count() {
        let debugged = "java -agentlib:jdwp=transport=dt_socket,server=y Main";
        assert_eq!(found(debugged), "");
        assert_eq!(found("java -agentpath:/jdk/lib/libjdwp.so=x Main"), "");
        for (file, name) in [
            ("jacocoagent-0.8.11.jar", "jacocoagent.jar"),
            (
                "org.jacoco.agent-0.8.12-runtime.jar",
                "org.jacoco.agent-runtime.jar",
            ),
            ("byte-buddy-agent-1.14.jar", "byte-buddy-agent.jar"),
            ("a-2-SNAPSHOT.jar", "a.jar"),
            ("libasync-2.9.so", "libasync.so"),
            ("plain.jar", "plain.jar"),
        ] {
            assert_eq!(found(&format!("java -javaagent:lib/{file} Main")), name);
        }
    }

    #[test]
    fn environment_and_files_of_options_load_agents() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "args",
            "# -javaagent:none.jar\n-Xmx1g\n\"-javaagent:my lib/one.jar\"\n",
        );
        write("vm", "-javaagent:two.jar\n");
        let around = |variable: &str, text: &str| Surroundings {
            cwd: Some(folder.path().to_owned()),
            environment: vec![(variable.to_owned(), text.to_owned())],
        };
        let of = |line: &str, around: &Surroundings| {
            let found = of(&split(line), around);
            found.into_iter().collect::<Vec<_>>().join(" ")
        };
        let bare = around("", "");
        assert_eq!(of("java @args Main @vm", &bare), "one.jar");
        assert_eq!(of("java -XX:VMOptionsFile=vm Main", &bare), "two.jar");
        for variable in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"] {
            let given = around(variable, "-Xint -javaagent:'a b/three.jar'=x");
            assert_eq!(of("java Main", &given), "three.jar", "{variable}");
        }
        // The last is read by `java` alone.
        let given = around("JDK_JAVA_OPTIONS", "-javaagent:three.jar");
        assert_eq!(of("mvn test", &given), "");
    }

    #[test]
    fn agents_are_told_apart_by_their_files() {
        let told = |recorded: &str, here: &str| {
            let baseline = Baseline {
                command: split(recorded),
                ..Baseline::default()
            };
            let now = Identity {
                command: split(here),
                ..Identity::default()
            };
            other(&baseline, &now)
        };
        let bare = "java -jar a.jar";
        let covered = "java -javaagent:tools/jacocoagent.jar=destfile=a.exec -jar a.jar";
        assert_eq!(told(bare, bare), None);
        assert_eq!(
            told(
                covered,
                "java -javaagent:lib/jacocoagent-0.8.jar -jar b.jar"
            ),
            None
        );
        let fresh = told(bare, covered).unwrap();
        assert!(fresh.contains("jacocoagent.jar, was not there"), "{fresh}");
        let gone = told(covered, bare).unwrap();
        assert!(gone.contains("jacocoagent.jar, was there"), "{gone}");
        let both = told(covered, "java -javaagent:other.jar -jar a.jar").unwrap();
        assert!(
            both.contains("other.jar, was not there")
                && both.contains("jacocoagent.jar, was there"),
            "{both}"
        );
    }
}
