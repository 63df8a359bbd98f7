//! The class files of a program: folders and jars of a class path, in their order.
//!
//! Limits: of a multi-release jar the classes for the oldest release are taken; archives inside archives are not opened; the JDK's own classes
//! are not read ([`crate::models`] stands for them).

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

/// Largest class file or list that is read, bytes.
const LARGEST: u64 = 1 << 26;
/// Deepest folder of classes.
const DEEPEST: usize = 64;

/// The class files on a class path.
#[derive(Clone, Debug, Default)]
pub struct ClassPath {
    /// By internal name; the first on the path wins.
    classes: BTreeMap<String, Vec<u8>>,
    /// Classes that `META-INF/services` names: made by name, not by code.
    services: Vec<String>,
    /// What the first jar's manifest calls its main class, dotted.
    main: Option<String>,
    /// What could not be read, and why.
    notes: Vec<String>,
}

/// Why a class path cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ClassPathError {
    /// A file of it cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no jar.
    #[error("{}: {source}", path.display())]
    Zip {
        /// The file.
        path: PathBuf,
        /// Why.
        source: zip::result::ZipError,
    },
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
    let parts = path.split(if cfg!(windows) { ';' } else { ':' });
    parts
        .map(|part| PathBuf::from(if part.is_empty() { "." } else { part }))
        .collect()
}

impl ClassPath {
    /// Of class files in memory, for tests and tools.
    pub fn of_classes(classes: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        Self {
            classes: classes.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Reads the entries of a class path, and what manifests add to it. An entry `dir/*` is all jars of a folder; one that does not exist
    /// is left out, as the JVM does.
    ///
    /// # Errors
    /// If an entry exists and cannot be read.
    pub fn read(entries: &[PathBuf]) -> Result<Self, ClassPathError> {
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
                let is_jar = |p: &PathBuf| p.extension().is_some_and(|e| e == "jar" || e == "JAR");
                pending.extend(jars.into_iter().rev().filter(is_jar));
            } else if entry.is_dir() {
                path.folder(&entry, &entry, 0)?;
            } else if entry.is_file() {
                let added = path.jar(&entry)?;
                pending.extend(added.into_iter().rev());
            } else {
                path.notes
                    .push(format!("{} does not exist", entry.display()));
            }
            seen.push(entry);
        }
        Ok(path)
    }

    /// The classes by internal name.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = (&str, &[u8])> {
        self.classes
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// Internal names of the classes that services name.
    pub fn services(&self) -> &[String] {
        &self.services
    }

    /// The main class that the first jar with one names, dotted.
    pub fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }

    /// What was left out, and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn folder(&mut self, root: &Path, at: &Path, depth: usize) -> Result<(), ClassPathError> {
        for child in children(at)? {
            if child.is_dir() {
                if depth < DEEPEST {
                    self.folder(root, &child, depth + 1)?;
                }
            } else if child.extension().is_some_and(|e| e == "class")
                && let Ok(relative) = child.strip_prefix(root)
            {
                let bytes = fs::read(&child).map_err(io(&child))?;
                self.class(&relative.to_string_lossy(), bytes);
            }
        }
        Ok(())
    }

    fn class(&mut self, entry: &str, bytes: Vec<u8>) {
        if let Some(name) = entry.strip_suffix(".class")
            && !name.ends_with("module-info")
            && !name.starts_with("META-INF/")
        {
            self.classes.entry(name.to_owned()).or_insert(bytes);
        }
    }

    /// Reads a jar; what its manifest adds to the class path.
    fn jar(&mut self, path: &Path) -> Result<Vec<PathBuf>, ClassPathError> {
        let bytes = fs::read(path).map_err(io(path))?;
        let zip = |source: zip::result::ZipError| ClassPathError::Zip {
            path: path.to_owned(),
            source,
        };
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(zip)?;
        let mut added = Vec::new();
        for index in 0..archive.len() {
            let entry = archive.by_index(index).map_err(zip)?;
            let name = entry.name().map_err(zip)?.into_owned();
            let service = name.starts_with("META-INF/services/");
            let manifest = name == "META-INF/MANIFEST.MF";
            let class = name.strip_suffix(".class").is_some();
            if !(class || service || manifest) {
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
            if manifest {
                let lines = manifest_lines(&String::from_utf8_lossy(&content));
                let value = |key: &str| {
                    lines
                        .iter()
                        .find_map(|l| l.strip_prefix(key))
                        .map(str::trim)
                };
                if self.main.is_none() {
                    self.main = value("Main-Class:").map(str::to_owned);
                }
                let folder = path.parent().unwrap_or(Path::new("."));
                let more = value("Class-Path:").unwrap_or_default();
                added.extend(more.split_whitespace().map(|entry| folder.join(entry)));
            } else if service {
                for line in String::from_utf8_lossy(&content).lines() {
                    let named = line.split('#').next().unwrap_or_default().trim();
                    if !named.is_empty() {
                        self.services.push(named.replace('.', "/"));
                    }
                }
            } else {
                self.class(&name, content);
            }
        }
        Ok(added)
    }
}

/// The lines of a manifest, those that go on put together.
fn manifest_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix(' '), lines.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(rest),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, ClassPathError> {
    let listing = fs::read_dir(folder).map_err(io(folder))?;
    let mut found: Vec<PathBuf> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    found.sort();
    Ok(found)
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> ClassPathError {
    let path = path.to_owned();
    move |source| ClassPathError::Io { path, source }
}
