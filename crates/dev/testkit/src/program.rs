//! A conformance program: a source file, how to run it, and what its comments say.
//!
//! The comments are described in `subjects/conformance/README.md`.

use std::path::{Path, PathBuf};

use crate::{TestkitError, io};

/// A conformance program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Name of the file without its extension, and of its top-level class.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Options of the virtual machine.
    pub vm_options: Vec<String>,
    /// Exit status of an ordinary run.
    pub exit: i32,
    /// First release of Java whose language and library it uses.
    pub since: u16,
    /// Methods whose counts differ from run to run.
    pub varies: Vec<String>,
    /// Why the trace must say that counts are a snapshot; none if it must not say so.
    pub inexact: Option<String>,
    /// Parts of the names of classes or methods that run uncounted and must be listed.
    pub uncounted: Vec<String>,
    /// What the comments at line ends say.
    pub expectations: Vec<Expectation>,
}

/// What one comment says about its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Source line, from 1.
    pub line: u16,
    /// The method meant, if the comment names one.
    pub method: Option<String>,
    /// Which instructions of the line.
    pub measure: Measure,
    /// How often.
    pub count: Expected,
}

/// How often a line runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// So often, in every run.
    Always(u64),
    /// As often as the run itself says under this name.
    AsSaid(String),
}

/// Which instructions of a line an expectation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The one with the lowest address.
    First,
    /// The first of every entry of the line table, together.
    Total,
}

impl Program {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or a comment is malformed.
    pub fn read(path: &Path) -> Result<Self, TestkitError> {
        let text = std::fs::read_to_string(path).map_err(io("read", path))?;
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Self {
            path: path.to_path_buf(),
            ..Self::parse(&name, &text)?
        })
    }

    /// Reads the programs of a directory whose names end in `extension`, in the order of their names.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn read_all(directory: &Path, extension: &str) -> Result<Vec<Self>, TestkitError> {
        let entries = std::fs::read_dir(directory).map_err(io("list", directory))?;
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|e| e.path()))
            .filter(|path| path.extension().is_some_and(|e| e == extension))
            .collect();
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }

    /// Reads a program's text.
    ///
    /// # Errors
    /// If a comment is malformed.
    pub fn parse(name: &str, text: &str) -> Result<Self, TestkitError> {
        let mut program = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        for (number, line) in (1..).zip(text.lines()) {
            let bad = |reason: String| TestkitError::Comment {
                file: name.to_owned(),
                line: number,
                reason,
            };
            let Some((code, comment)) = line.split_once("// ") else {
                continue;
            };
            if code.trim().is_empty() {
                program.directive(comment).map_err(bad)?;
            } else {
                for expectation in expectations(number as u16, comment).map_err(bad)? {
                    program.expectations.push(expectation);
                }
            }
        }
        Ok(program)
    }

    fn directive(&mut self, comment: &str) -> Result<(), String> {
        let Some((key, value)) = comment.split_once(": ") else {
            return Ok(());
        };
        let words = |separator: fn(char) -> bool| {
            value
                .split(separator)
                .map(str::trim)
                .filter(|w| !w.is_empty())
                .map(str::to_owned)
                .collect()
        };
        match key {
            "args" => self.arguments = words(char::is_whitespace),
            "vm" => self.vm_options = words(char::is_whitespace),
            "exit" => {
                let status = value.trim().parse();
                self.exit = status.map_err(|_| format!("{value:?} is no exit status"))?;
            }
            "since" => {
                let release = value.trim().parse();
                self.since = release.map_err(|_| format!("{value:?} is no release"))?;
            }
            "varies" => self.varies = words(|c| c == ','),
            "inexact" => self.inexact = Some(value.to_owned()),
            "uncounted" => self.uncounted = words(|c| c == ','),
            _ => {}
        }
        Ok(())
    }
}

/// Expectations of one line: `count: 3`, `count name: 3, other: 4`, `total: 5`, `count: =rounds`.
fn expectations(line: u16, comment: &str) -> Result<Vec<Expectation>, String> {
    let (measure, rest) = if let Some(rest) = comment.strip_prefix("count") {
        (Measure::First, rest)
    } else if let Some(rest) = comment.strip_prefix("total") {
        (Measure::Total, rest)
    } else {
        return Ok(Vec::new());
    };
    if !rest.starts_with([':', ' ']) {
        return Ok(Vec::new());
    }
    rest.split(',')
        .map(|part| {
            let (method, count) = part
                .split_once(':')
                .ok_or_else(|| format!("{part:?} has no colon"))?;
            let count = count.trim();
            let expected = match count.strip_prefix('=') {
                Some(name) => Ok(Expected::AsSaid(name.to_owned())),
                None => count.parse().map(Expected::Always),
            };
            Ok(Expectation {
                line,
                method: Some(method.trim())
                    .filter(|m| !m.is_empty())
                    .map(str::to_owned),
                measure,
                count: expected.map_err(|_| format!("{count:?} is no count"))?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_directives_and_expectations() {
        let text = "// since: 17\n// exit: 3\n// vm: -ea -Xss1m\n// varies: a, b\nclass X {\n  f(); // count: 7\n  g(() -> h()); // count main: 1, lambda$main$0: 4\n  i(); // total: 2\n  j(); // counted elsewhere\n  k(); // count: =rounds\n}\n";
        let program = Program::parse("X", text).unwrap();
        assert_eq!((program.exit, program.since), (3, 17));
        assert_eq!(program.vm_options, ["-ea", "-Xss1m"]);
        assert_eq!(program.varies, ["a", "b"]);
        let found: Vec<_> = program
            .expectations
            .iter()
            .map(|e| (e.line, e.method.as_deref(), e.measure, e.count.clone()))
            .collect();
        let expected = [
            (6, None, Measure::First, Expected::Always(7)),
            (7, Some("main"), Measure::First, Expected::Always(1)),
            (
                7,
                Some("lambda$main$0"),
                Measure::First,
                Expected::Always(4),
            ),
            (8, None, Measure::Total, Expected::Always(2)),
            (
                10,
                None,
                Measure::First,
                Expected::AsSaid("rounds".to_owned()),
            ),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn refuses_a_malformed_expectation() {
        assert!(Program::parse("X", "f(); // count: many").is_err());
        assert!(Program::parse("X", "// exit: soon").is_err());
    }
}
