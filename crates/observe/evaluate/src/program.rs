//! What a `java` command runs: the class files and resources of its class path, in one list.
//!
//! Of entries with one name the first on the class path is taken, as a JVM does; lists of services are joined. Left out are manifests,
//! signatures, indexes, module descriptors and variants for newer Java versions.
//!
//! Limits: programs given as a module or a source file, and argument files, are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};

use pricetag_dataset::command::launched;
use pricetag_evaluator::Subject;
use pricetag_probe_plan::ClassHash;
use zip::ZipArchive;

use crate::error::EvaluateError;

/// Largest entry that is read, bytes.
const LARGEST: u64 = 1 << 30;
const SERVICES: &str = "META-INF/services/";

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
        let (mut options, mut places) = (Vec::new(), None);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-cp" | "-classpath" | "--class-path" => places = rest.next().cloned(),
                "-jar" => {}
                _ => options.push(word.clone()),
            }
        }
        let mut program = Self::default();
        program.subject.arguments = own.to_vec();
        program.subject.options = options;
        if jar {
            program.jar(&folder.join(found.program))?;
        } else {
            found
                .program
                .replace('/', ".")
                .clone_into(&mut program.subject.main);
            let places = places.or(class_path.map(str::to_owned));
            for place in places.as_deref().unwrap_or(".").split(':') {
                program.place(&folder.join(place))?;
            }
        }
        Ok(program)
    }

    /// An executable archive and those that its manifest names.
    fn jar(&mut self, path: &Path) -> Result<(), EvaluateError> {
        let manifest = self.archive(path)?;
        let main = manifest.get("Main-Class");
        let main =
            main.ok_or_else(|| EvaluateError::archive(path, "its manifest names no main class"))?;
        main.trim().clone_into(&mut self.subject.main);
        let beside = path.parent().unwrap_or(Path::new(""));
        let places = manifest.get("Class-Path").map_or("", String::as_str);
        for place in places.split_whitespace() {
            self.place(&beside.join(place))?;
        }
        Ok(())
    }

    fn place(&mut self, path: &Path) -> Result<(), EvaluateError> {
        if path.file_name().is_some_and(|name| name == "*") {
            let folder = path.parent().unwrap_or(Path::new("."));
            let mut jars = listing(folder)?;
            jars.retain(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("jar")));
            return jars.iter().try_for_each(|jar| self.archive(jar).map(drop));
        }
        if path.is_dir() {
            self.subject.class_path.push(path.display().to_string());
            return self.folder(path, "");
        }
        if path.exists() {
            self.archive(path)?;
        }
        // What is not there a JVM does not mind.
        Ok(())
    }

    fn folder(&mut self, path: &Path, prefix: &str) -> Result<(), EvaluateError> {
        for entry in listing(path)? {
            let Some(name) = entry.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            let full = format!("{prefix}{name}");
            if entry.is_dir() {
                self.folder(&entry, &format!("{full}/"))?;
            } else if entry.is_file() {
                let bytes = std::fs::read(&entry).map_err(EvaluateError::io(&entry))?;
                self.add(full, bytes);
            }
        }
        Ok(())
    }

    /// Adds an archive; its manifest.
    fn archive(&mut self, path: &Path) -> Result<BTreeMap<String, String>, EvaluateError> {
        let bytes = std::fs::read(path).map_err(EvaluateError::io(path))?;
        let wrong = |e: zip::result::ZipError| EvaluateError::archive(path, e);
        let mut reader = ZipArchive::new(Cursor::new(bytes)).map_err(wrong)?;
        self.subject.class_path.push(path.display().to_string());
        let mut manifest = BTreeMap::new();
        for index in 0..reader.len() {
            let mut entry = reader.by_index(index).map_err(wrong)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            if name.ends_with('/') || name.starts_with('/') || name.split('/').any(|p| p == "..") {
                continue;
            }
            let mut contents = Vec::new();
            let read = entry.by_ref().take(LARGEST).read_to_end(&mut contents);
            read.map_err(|e| EvaluateError::archive(path, format!("{name}: {e}")))?;
            if name == "META-INF/MANIFEST.MF" {
                manifest = attributes(&String::from_utf8_lossy(&contents));
            }
            self.add(name, contents);
        }
        Ok(manifest)
    }

    fn add(&mut self, name: String, bytes: Vec<u8>) {
        if is_left_out(&name) {
            return;
        }
        if let Some(there) = self.entries.get_mut(&name) {
            if name.starts_with(SERVICES) {
                there.push(b'\n');
                there.extend(bytes);
            }
            return;
        }
        self.entries.insert(name, bytes);
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

/// The main attributes of a manifest, their continued lines joined.
fn attributes(manifest: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let joined = manifest.replace("\r\n", "\n").replace("\n ", "");
    for line in joined.lines().take_while(|line| !line.is_empty()) {
        if let Some((name, value)) = line.split_once(": ") {
            found.insert(name.to_owned(), value.to_owned());
        }
    }
    found
}

/// What is in a folder, in the order of names.
fn listing(folder: &Path) -> Result<Vec<PathBuf>, EvaluateError> {
    let read = std::fs::read_dir(folder).map_err(EvaluateError::io(folder))?;
    let mut paths = Vec::new();
    for entry in read {
        paths.push(entry.map_err(EvaluateError::io(folder))?.path());
    }
    paths.sort();
    Ok(paths)
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

    #[test]
    fn a_manifest_has_continued_lines() {
        let manifest = "Manifest-Version: 1.0\r\nMain-Class: org.exa\r\n mple.Main\r\n\r\nName: x\r\nMain-Class: y\r\n";
        assert_eq!(attributes(manifest)["Main-Class"], "org.example.Main");
    }
}
