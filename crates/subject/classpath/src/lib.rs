//! The classes and resources of a Java command: folders and jars of a class path, in their order.
//!
//! Of files with one name the first on the path is taken, as a JVM does; lists of services are joined.
//!
//! Limits: of a multi-release jar the classes for the oldest release are taken; archives inside archives are not opened; the JDK's own classes
//! are not read.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

/// Largest file in a jar that is read, bytes.
const LARGEST: u64 = 1 << 30;
/// Deepest folder.
const DEEPEST: usize = 64;
const SERVICES: &str = "META-INF/services/";
const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// What is on a class path.
#[derive(Clone, Debug, Default)]
pub struct ClassPath {
    /// By name in an archive.
    files: BTreeMap<String, Vec<u8>>,
    /// The folders and jars that were read, in order.
    places: Vec<PathBuf>,
    /// What the first jar's manifest calls its main class, dotted.
    main: Option<String>,
    /// What was left out, and why.
    notes: Vec<String>,
}

/// Why a class path cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ClassPathError {
    /// A file of it cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no jar.
    #[error("{} is no jar: {source}", path.display())]
    Zip {
        /// The file.
        path: PathBuf,
        /// Why.
        source: zip::result::ZipError,
    },
}

/// Which files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// Classes and lists of services.
    Code,
    /// Resources, too.
    All,
}

/// The entries of the class path that a `java` command uses. `words` are the launcher's arguments up to the program, `jar` is the program if it
/// is a jar, `variable` is what `CLASSPATH` holds.
pub fn entries(words: &[String], jar: Option<&str>, variable: Option<&str>) -> Vec<PathBuf> {
    if let Some(jar) = jar {
        // The class path is then ignored.
        return vec![PathBuf::from(jar)];
    }
    let mut path = variable.unwrap_or(".").to_owned();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-cp" | "-classpath" | "--class-path" => {
                path = words.next().cloned().unwrap_or_default();
            }
            _ => {
                if let Some(own) = word.strip_prefix("--class-path=") {
                    own.clone_into(&mut path);
                }
            }
        }
    }
    let parts = path.split(':');
    parts
        .map(|part| PathBuf::from(if part.is_empty() { "." } else { part }))
        .collect()
}

impl ClassPath {
    /// Of class files in memory, by internal name; for tests and tools.
    pub fn of_classes(classes: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let files = classes.into_iter();
        Self {
            files: files
                .map(|(name, bytes)| (format!("{name}.class"), bytes))
                .collect(),
            ..Self::default()
        }
    }

    /// Reads the entries of a class path, and what manifests add to it. An entry `dir/*` is all jars of a folder; one that does not exist
    /// is left out, as the JVM does.
    ///
    /// # Errors
    /// If an entry exists and cannot be read.
    pub fn read(entries: &[PathBuf], files: Files) -> Result<Self, ClassPathError> {
        let mut path = Self::default();
        let mut pending: Vec<PathBuf> = entries.iter().rev().cloned().collect();
        let mut seen = Vec::new();
        while let Some(entry) = pending.pop() {
            if seen.contains(&entry) {
                continue;
            }
            if entry.file_name().is_some_and(|name| name == "*") {
                let folder = entry.parent().unwrap_or(Path::new("."));
                let jars = children(folder).unwrap_or_default();
                let is_jar =
                    |p: &PathBuf| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("jar"));
                pending.extend(jars.into_iter().rev().filter(is_jar));
            } else if entry.is_dir() {
                path.places.push(entry.clone());
                path.folder(&entry, "", 0, files)?;
            } else if entry.is_file() {
                path.places.push(entry.clone());
                let added = path.jar(&entry, files)?;
                pending.extend(added.into_iter().rev());
            } else {
                path.notes
                    .push(format!("{} does not exist", entry.display()));
            }
            seen.push(entry);
        }
        Ok(path)
    }

    /// The classes by internal name, but for descriptors of modules and variants for newer releases.
    pub fn classes(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().filter_map(|(file, bytes)| {
            let name = file.strip_suffix(".class")?;
            let ordinary = !name.starts_with("META-INF/") && !name.ends_with("module-info");
            ordinary.then_some((name, &**bytes))
        })
    }

    /// Internal names of the classes that lists of services name: they are made by name, not by code.
    pub fn services(&self) -> impl Iterator<Item = String> {
        let lists = self.files.iter();
        let lists = lists.filter(|(name, _)| name.starts_with(SERVICES));
        lists.flat_map(|(_, list)| {
            let list = String::from_utf8_lossy(list).into_owned();
            let named = list.lines().map(|line| {
                let name = line.split('#').next().unwrap_or_default();
                name.trim().replace('.', "/")
            });
            let named: Vec<String> = named.filter(|name| !name.is_empty()).collect();
            named
        })
    }

    /// All files by their name in an archive.
    pub fn into_files(self) -> BTreeMap<String, Vec<u8>> {
        self.files
    }

    /// The folders and jars that were read, in order.
    pub fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// The main class that the first jar with one names, dotted.
    pub fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }

    /// What was left out, and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn folder(
        &mut self,
        at: &Path,
        prefix: &str,
        depth: usize,
        files: Files,
    ) -> Result<(), ClassPathError> {
        for child in children(at)? {
            let Some(name) = child.file_name().and_then(|name| name.to_str()) else {
                self.notes
                    .push(format!("{} has a name that is no UTF-8", child.display()));
                continue;
            };
            let name = format!("{prefix}{name}");
            if child.is_dir() {
                if depth < DEEPEST {
                    self.folder(&child, &format!("{name}/"), depth + 1, files)?;
                } else {
                    self.notes
                        .push(format!("{} lies too deep", child.display()));
                }
            } else if child.is_file() && is_wanted(&name, files) {
                let content = fs::read(&child).map_err(io(&child))?;
                self.add(name, content);
            }
        }
        Ok(())
    }

    /// Reads a jar; what its manifest adds to the class path.
    fn jar(&mut self, path: &Path, files: Files) -> Result<Vec<PathBuf>, ClassPathError> {
        let bytes = fs::read(path).map_err(io(path))?;
        let zip = |source: zip::result::ZipError| ClassPathError::Zip {
            path: path.to_owned(),
            source,
        };
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(zip)?;
        let mut added = Vec::new();
        for index in 0..archive.len() {
            let entry = archive.by_index(index).map_err(zip)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let outside = name.starts_with('/') || name.split('/').any(|part| part == "..");
            if name.ends_with('/') || outside || !is_wanted(&name, files) {
                continue;
            }
            if entry.size() > LARGEST {
                self.notes
                    .push(format!("{}: {name} is too large", path.display()));
                continue;
            }
            let mut content = Vec::new();
            entry
                .take(LARGEST)
                .read_to_end(&mut content)
                .map_err(io(path))?;
            if name == MANIFEST {
                let attributes = attributes(&String::from_utf8_lossy(&content));
                if self.main.is_none() {
                    let main = attributes.get("Main-Class");
                    self.main = main.map(|main| main.trim().to_owned());
                }
                let folder = path.parent().unwrap_or(Path::new("."));
                let more = attributes.get("Class-Path").map_or("", String::as_str);
                added.extend(more.split_whitespace().map(|entry| folder.join(entry)));
            } else {
                self.add(name, content);
            }
        }
        Ok(added)
    }

    fn add(&mut self, name: String, content: Vec<u8>) {
        match self.files.get_mut(&name) {
            None => {
                self.files.insert(name, content);
            }
            Some(list) if name.starts_with(SERVICES) => {
                list.push(b'\n');
                list.extend(content);
            }
            Some(_) => {}
        }
    }
}

fn is_wanted(name: &str, files: Files) -> bool {
    let code = Path::new(name).extension().is_some_and(|e| e == "class");
    files == Files::All || code || name.starts_with(SERVICES) || name == MANIFEST
}

/// The main attributes of a manifest, their continued lines joined.
fn attributes(manifest: &str) -> BTreeMap<String, String> {
    let joined = manifest.replace("\r\n", "\n").replace("\n ", "");
    let main = joined.lines().take_while(|line| !line.is_empty());
    main.filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// What is in a folder, in the order of names.
fn children(folder: &Path) -> Result<Vec<PathBuf>, ClassPathError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(io(folder))? {
        found.push(entry.map_err(io(folder))?.path());
    }
    found.sort();
    Ok(found)
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> ClassPathError {
    let path = path.to_owned();
    move |source| ClassPathError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_launcher_says_where_classes_are() {
        let of = |line: &str, jar, variable| entries(&words(line), jar, variable);
        assert_eq!(
            of("-Xint -cp a:b.jar: Main", None, Some("c")),
            ["a", "b.jar", "."].map(PathBuf::from)
        );
        assert_eq!(
            of("--class-path=d Main", None, None),
            ["d"].map(PathBuf::from)
        );
        assert_eq!(of("Main", None, Some("c:d")), ["c", "d"].map(PathBuf::from));
        assert_eq!(of("Main", None, None), ["."].map(PathBuf::from));
        assert_eq!(
            of("-cp a -jar x.jar", Some("x.jar"), None),
            ["x.jar"].map(PathBuf::from)
        );
    }

    #[test]
    fn the_first_of_a_name_is_taken_and_services_are_joined() {
        let dir = tempfile::tempdir().unwrap();
        for (place, text) in [("a", "org.One # one"), ("b", "org.Two\n\n")] {
            let services = dir.path().join(place).join(SERVICES);
            fs::create_dir_all(&services).unwrap();
            fs::write(dir.path().join(place).join("X.class"), text).unwrap();
            fs::write(dir.path().join(place).join("module-info.class"), text).unwrap();
            fs::write(dir.path().join(place).join("x.txt"), text).unwrap();
            fs::write(services.join("S"), text).unwrap();
        }
        let path = ["a", "nowhere", "b"].map(|place| dir.path().join(place));
        let code = ClassPath::read(&path, Files::Code).unwrap();
        let classes: Vec<_> = code.classes().collect();
        assert_eq!(classes, [("X", &b"org.One # one"[..])]);
        assert_eq!(
            code.services().collect::<Vec<_>>(),
            ["org/One", "org/Two"].map(str::to_owned)
        );
        assert_eq!(code.places().len(), 2);
        assert!(code.notes()[0].ends_with("nowhere does not exist"));
        assert!(!code.into_files().contains_key("x.txt"));
        let all = ClassPath::read(&path, Files::All).unwrap().into_files();
        assert_eq!(all["x.txt"], b"org.One # one");
        assert_eq!(all[&format!("{SERVICES}S")], b"org.One # one\norg.Two\n\n");
    }

    #[test]
    fn a_manifest_has_continued_lines() {
        let manifest = "Manifest-Version: 1.0\r\nMain-Class: org.exa\r\n mple.Main\r\n\r\nName: x\r\nMain-Class: y\r\n";
        assert_eq!(attributes(manifest)["Main-Class"], "org.example.Main");
    }

    #[test]
    fn what_is_no_jar_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x.jar");
        fs::write(&file, "no archive").unwrap();
        let error = ClassPath::read(&[file], Files::Code).unwrap_err();
        assert!(error.to_string().contains("x.jar is no jar"), "{error}");
    }
}
