//! What a `java` command runs: the class files and resources of its class path, in one list.
//!
//! Of entries with one name the first on the class path is taken, as a JVM does; lists of services are joined. Left out are manifests,
//! signatures, indexes, module descriptors and variants for newer Java versions.
//!
//! Limits: programs given as a module or a source file, and argument files, are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pricetag_classpath::{ClassPath, Files, entries};
use pricetag_dataset::command::launched;
use pricetag_evaluator::Subject;
use pricetag_probe_plan::ClassHash;

use crate::error::EvaluateError;

/// A program with everything on its class path.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// How it is run.
    pub subject: Subject,
    /// Contents by name in the archive.
    pub entries: BTreeMap<String, Vec<u8>>,
}

impl Program {
    /// Reads what a command runs, seen from a folder. `class_path` is the environment's.
    ///
    /// # Errors
    /// If the command is none of `java`, or something on its class path cannot be read.
    pub fn of(
        command: &[String],
        folder: &Path,
        class_path: Option<&str>,
    ) -> Result<Self, EvaluateError> {
        let refuse = |reason| EvaluateError::Command {
            command: command.join(" "),
            reason,
        };
        let arguments = command.get(1..).unwrap_or_default();
        let found = launched(arguments).ok_or_else(|| refuse("names no program"))?;
        let own = &arguments[found.words.len()..];
        let words = &found.words[..found.words.len() - 1];
        let jar = words.iter().any(|word| word == "-jar");
        if !found.class && !jar {
            return Err(refuse("runs a module, which is not supported yet"));
        }
        if found.class
            && Path::new(found.program)
                .extension()
                .is_some_and(|e| e == "java")
        {
            return Err(refuse("runs a source file: compile it first"));
        }
        if words.iter().any(|word| word.starts_with('@')) {
            return Err(refuse("has an argument file, which is not supported yet"));
        }
        let jar = jar.then_some(found.program);
        let places = entries(words, jar, class_path).into_iter();
        let places: Vec<PathBuf> = places.map(|place| folder.join(place)).collect();
        if let Some(missing) = places
            .first()
            .filter(|place| jar.is_some() && !place.exists())
        {
            return Err(EvaluateError::archive(missing, "it does not exist"));
        }
        let path = ClassPath::read(&places, Files::All)?;
        let main = match jar {
            None => found.program.replace('/', "."),
            Some(_) => path.main().map(str::to_owned).ok_or_else(|| {
                EvaluateError::archive(&places[0], "its manifest names no main class")
            })?,
        };
        let subject = Subject {
            main,
            arguments: own.to_vec(),
            options: options(words),
            class_path: path
                .places()
                .iter()
                .map(|place| place.display().to_string())
                .collect(),
        };
        let mut entries = path.into_files();
        entries.retain(|name, _| !is_left_out(name));
        Ok(Self { subject, entries })
    }

    /// Refuses classes that are not those that were recorded. Classes that are not on the class path are not looked at.
    ///
    /// # Errors
    /// The first that is another.
    pub fn check(
        &self,
        counted: BTreeSet<&str>,
        recorded: &BTreeSet<ClassHash>,
    ) -> Result<(), EvaluateError> {
        for class in counted {
            let bytes = self.entries.get(&format!("{class}.class"));
            if bytes.is_some_and(|bytes| !recorded.contains(&ClassHash::of(bytes))) {
                return Err(EvaluateError::Changed {
                    class: class.replace('/', "."),
                });
            }
        }
        Ok(())
    }

    /// The class files, by internal name.
    pub fn classes(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let classes = self.entries.iter();
        classes.filter_map(|(name, bytes)| Some((name.strip_suffix(".class")?, &**bytes)))
    }
}

/// What means nothing in the new archive, or would be wrong there.
fn is_left_out(name: &str) -> bool {
    let Some(inside) = name.strip_prefix("META-INF/") else {
        return name == "module-info.class";
    };
    let signature = [".SF", ".RSA", ".DSA", ".EC"];
    inside == "MANIFEST.MF"
        || inside == "INDEX.LIST"
        || inside.starts_with("versions/")
        || signature
            .iter()
            .any(|end| inside.to_ascii_uppercase().ends_with(end))
}

/// The options of the JVM among the words of the launcher, without the class path.
fn options(words: &[String]) -> Vec<String> {
    let mut options = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-cp" | "-classpath" | "--class-path" => drop(words.next()),
            "-jar" => {}
            _ if word.starts_with("--class-path=") => {}
            _ => options.push(word.clone()),
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_first_of_a_name_is_taken_and_services_are_joined() {
        let dir = tempfile::tempdir().unwrap();
        for (place, text) in [("a", "one"), ("b", "two")] {
            let services = dir.path().join(place).join("META-INF/services");
            std::fs::create_dir_all(&services).unwrap();
            std::fs::write(dir.path().join(place).join("x.txt"), text).unwrap();
            std::fs::write(services.join("S"), text).unwrap();
        }
        let line = "java -Xmx1g -cp a:nowhere:b org.x.Main -q {}";
        let program = Program::of(&command(line), dir.path(), None).unwrap();
        assert_eq!(program.subject.main, "org.x.Main");
        assert_eq!(program.subject.arguments, ["-q", "{}"]);
        assert_eq!(program.subject.options, ["-Xmx1g"]);
        assert_eq!(program.entries["x.txt"], b"one");
        assert_eq!(program.entries["META-INF/services/S"], b"one\ntwo");
    }

    #[test]
    fn what_cannot_be_packed_is_refused() {
        let here = Path::new(".");
        for (line, word) in [
            ("java -version", "names no program"),
            ("java -m a/b.Main", "module"),
            ("java Main.java", "source file"),
            ("java -jar nothing.jar", "nothing.jar"),
        ] {
            let error = Program::of(&command(line), here, None).unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
