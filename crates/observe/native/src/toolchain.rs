//! The installed OCaml native compiler: found, checked, described.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use pricetag_runner::platform;

use crate::error::NativeError;

/// Flags of every compilation. `-inline 0` as in the paper: only functions not larger than their call are still inlined.
pub const FLAGS: [&str; 2] = ["-inline", "0"];

/// A native compiler that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ocaml {
    /// The program.
    pub ocamlopt: String,
    /// What it says its version is.
    pub version: String,
    /// The architecture it compiles for, such as `amd64`.
    pub architecture: String,
    /// Whether it was built with flambda.
    pub flambda: bool,
}

impl Ocaml {
    /// Asks the program what it is.
    pub fn find(ocamlopt: &str) -> Result<Self, NativeError> {
        let output = Command::new(ocamlopt)
            .arg("-config")
            .stdin(Stdio::null())
            .output()
            .map_err(|source| NativeError::NoCompiler {
                program: ocamlopt.to_owned(),
                source,
            })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let fact = |name: &str| {
            text.lines()
                .find_map(|l| l.strip_prefix(name)?.strip_prefix(": "))
                .map(|v| v.trim().to_owned())
        };
        let version = fact("version").unwrap_or_else(|| "of no known version".to_owned());
        if !supported(&version) {
            return Err(NativeError::Version {
                program: ocamlopt.to_owned(),
                found: version,
            });
        }
        Ok(Self {
            ocamlopt: ocamlopt.to_owned(),
            version,
            architecture: fact("architecture").unwrap_or_default(),
            flambda: fact("flambda").as_deref() == Some("true"),
        })
    }

    /// Machine, system and compiler, by name.
    pub fn platform(&self) -> BTreeMap<String, String> {
        let mut facts = machine();
        facts.insert("ocaml".into(), self.version.clone());
        facts.insert("ocaml_arch".into(), self.architecture.clone());
        facts.insert("flambda".into(), self.flambda.to_string());
        facts
    }

    /// The platform here, with or without a compiler.
    pub fn here(ocamlopt: &str) -> BTreeMap<String, String> {
        Self::find(ocamlopt).map_or_else(|_| machine(), |ocaml| ocaml.platform())
    }

    /// Runs the compiler in a folder; its words if it fails.
    pub(crate) fn run(&self, folder: &Path, arguments: &[String]) -> Result<(), NativeError> {
        let command = || format!("{} {}", self.ocamlopt, arguments.join(" "));
        let output = Command::new(&self.ocamlopt)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|source| NativeError::NoCompiler {
                program: self.ocamlopt.clone(),
                source,
            })?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let reason: Vec<&str> = said.lines().filter(|l| !l.trim().is_empty()).collect();
        Err(NativeError::Compile {
            command: command(),
            reason: reason[..reason.len().min(12)].join("\n"),
        })
    }
}

/// Machine and system. Processors of different designs may bear the same name, so their numbers are told, too.
fn machine() -> BTreeMap<String, String> {
    let mut facts = platform::describe(None, &FLAGS.map(str::to_owned));
    facts.extend(platform::design());
    facts
}

/// Whether a version is one of 4.13 to 5.x.
fn supported(version: &str) -> bool {
    let mut numbers = version
        .split(['.', '+', '~'])
        .map_while(|n| n.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(4), Some(minor)) => minor >= 13,
        (Some(5), Some(_)) => true,
        _ => false,
    }
}

/// A folder among the system's temporary files, of a name that nobody can foresee, for this user alone; it is removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Result<Self, NativeError> {
        let place = std::env::temp_dir();
        tempfile::Builder::new()
            .prefix("pricetag-ocaml-")
            .tempdir_in(&place)
            .map(Self)
            .map_err(NativeError::io("create a folder in", &place))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_4_13_to_5_are_supported() {
        for (version, yes) in [
            ("4.13.0", true),
            ("4.14.2", true),
            ("5.0.0~rc1", true),
            ("5.3.0+dev", true),
            ("4.12.1", false),
            ("4.02", false),
            ("6.0.0", false),
            ("of no known version", false),
            ("", false),
        ] {
            assert_eq!(supported(version), yes, "{version}");
        }
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let error = Ocaml::find("/nowhere/ocamlopt").unwrap_err().to_string();
        assert!(
            error.contains("/nowhere/ocamlopt") && error.contains("install OCaml"),
            "{error}"
        );
    }

    #[test]
    fn another_version_is_refused() {
        let error = Ocaml::find("true").unwrap_err().to_string();
        assert!(error.contains("4.13 to 5.x"), "{error}");
    }
}
