//! Reading a baseline: what is no baseline is refused with what it is and what to do.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::baseline::{Baseline, FORMAT, SCHEMA};
use crate::counted::short;
use crate::layout::lay_out;

/// How lines begin that Git leaves where it could not merge.
const MERGE_MARKERS: [&str; 3] = ["<<<<<<< ", ">>>>>>> ", "||||||| "];

/// Why a file is no baseline of this program.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The system said no.
    #[error("cannot {action} the baseline {path}: {source}")]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Git did not merge it.
    #[error("the baseline {path} has a merge that is not finished: line {line} is `{text}`")]
    Merge {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// It is not JSON, or has not the members of a baseline.
    #[error("{path} is not a baseline of pricetag gate: {why}")]
    NoBaseline {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A later program wrote it.
    #[error(
        "the baseline {path} has version {found}, and this program reads versions up to {SCHEMA}: pricetag {by} wrote it"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// Who wrote it.
        by: String,
    },
}

impl BaselineError {
    /// What to try.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Io { action: "read", .. } => {
                "check the path, or make one with `pricetag gate record -o FILE -- COMMAND`"
            }
            Self::Io { .. } => "choose a place that you may write to and that has room",
            Self::Merge { .. } => {
                "take the file of one side (git checkout --ours FILE), then `pricetag gate accept` what was merged"
            }
            Self::NoBaseline { .. } => {
                "restore it from version control, or make one with `pricetag gate record -o FILE -- COMMAND`"
            }
            Self::Newer { .. } => {
                "use that version of pricetag, or record the baseline again with this one"
            }
        }
    }
}

/// Reads a baseline.
///
/// # Errors
/// If it cannot be read, is none, is of a later version, or Git left marks of a merge in it.
pub fn load(path: &Path) -> Result<Baseline, BaselineError> {
    let text = std::fs::read_to_string(path).map_err(|source| BaselineError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    parse(&text, path)
}

fn parse(text: &str, path: &Path) -> Result<Baseline, BaselineError> {
    let no = |why: String| BaselineError::NoBaseline {
        path: path.to_owned(),
        why,
    };
    let marked = text.lines().enumerate();
    let mut marked = marked.filter(|(_, line)| MERGE_MARKERS.iter().any(|m| line.starts_with(m)));
    if let Some((line, text)) = marked.next() {
        return Err(BaselineError::Merge {
            path: path.to_owned(),
            line: line + 1,
            text: text.to_owned(),
        });
    }
    let value: Value =
        serde_json::from_str(text).map_err(|e| no(format!("it is not JSON, {e}")))?;
    if value["format"] != FORMAT {
        return Err(no(format!("its member `format` is not \"{FORMAT}\"")));
    }
    let schema = value["schema"].as_u64();
    let schema = schema.ok_or_else(|| no("its member `schema` is no number".to_owned()))?;
    if schema > u64::from(SCHEMA) {
        return Err(BaselineError::Newer {
            path: path.to_owned(),
            found: schema,
            by: value["pricetag"].as_str().unwrap_or("unknown").to_owned(),
        });
    }
    let mut baseline: Baseline = serde_json::from_str(text).map_err(|e| no(e.to_string()))?;
    check(&baseline).map_err(no)?;
    baseline.changed = baseline.seal != seal(value);
    Ok(baseline)
}

/// Digest of a baseline's members, whatever version wrote them.
fn seal(mut value: Value) -> String {
    if let Some(members) = value.as_object_mut() {
        members.remove("seal");
        members.remove("limits");
    }
    short(&lay_out(&value))
}

/// Whether its parts fit together, as they may not after a merge.
fn check(baseline: &Baseline) -> Result<(), String> {
    if baseline.benchmarks.is_empty() {
        return Err("it has no benchmarks".to_owned());
    }
    for (name, method) in &baseline.methods {
        for (benchmark, ran) in &method.ran {
            if !baseline.benchmarks.contains_key(benchmark) {
                return Err(format!(
                    "{name} ran in `{benchmark}`, which is no benchmark of it"
                ));
            }
            if ran.blocks.len() != method.code.blocks.len() {
                return Err(format!(
                    "{name} has {} blocks, but counts of {} in `{benchmark}`",
                    method.code.blocks.len(),
                    ran.blocks.len()
                ));
            }
        }
    }
    Ok(())
}

impl Baseline {
    /// The file's text.
    pub fn to_text(&self) -> String {
        serde_json::to_value(self).map_or_else(|_| String::new(), |value| lay_out(&value))
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), BaselineError> {
        let value = serde_json::to_value(self).unwrap_or_default();
        let sealed = Self {
            seal: seal(value),
            ..self.clone()
        };
        let text = sealed.to_text();
        pricetag_file::write(path, text.as_bytes()).map_err(|source| BaselineError::Io {
            action: "write",
            path: path.to_owned(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::baseline::{Benchmark, Executed, Method};
    use crate::figure::Figure;

    fn baseline() -> Baseline {
        let mut baseline = Baseline {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            pricetag: "0.2.0".to_owned(),
            ..Baseline::default()
        };
        let benchmark = Benchmark {
            instructions: Figure::Exact(5),
            calls: Figure::of(&[1, 2]).unwrap(),
            bytes: None,
            digest: None,
            inputs: BTreeMap::new(),
            content: None,
            caveats: Vec::new(),
        };
        baseline.benchmarks.insert("run".to_owned(), benchmark);
        let ran = Executed {
            calls: 1,
            blocks: Vec::new(),
        };
        let method = Method {
            ran: [("run".to_owned(), ran)].into(),
            ..Method::default()
        };
        baseline
            .methods
            .insert("p/A.f(I)V".parse().unwrap(), method);
        baseline
    }

    #[test]
    fn what_is_written_is_read() {
        let baseline = baseline();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.json");
        baseline.save(&path).unwrap();
        let read = load(&path).unwrap();
        assert_eq!(read.to_text(), std::fs::read_to_string(&path).unwrap());
        let bare = Baseline {
            seal: String::new(),
            ..read
        };
        assert_eq!(bare, baseline);
        // Without its seal it may be anybody's.
        assert!(parse(&bare.to_text(), &path).unwrap().changed);
    }

    #[test]
    fn what_is_no_baseline_is_told() {
        let good = baseline().to_text();
        for (text, part) in [
            (String::new(), "not JSON"),
            ("{}".to_owned(), "`format`"),
            (
                good.replace("\"schema\": 1", "\"schema\": 2"),
                "has version 2",
            ),
            (
                good.replace("\"schema\": 1", "\"schema\": null"),
                "`schema`",
            ),
            (format!("<<<<<<< HEAD\n{good}"), "line 1 is `<<<<<<< HEAD`"),
            (
                good.replace("\"run\": {\"blocks\"", "\"other\": {\"blocks\""),
                "no benchmark of it",
            ),
            (
                good.replace(
                    "\"blocks\": [], \"calls\": 1",
                    "\"blocks\": [3], \"calls\": 1",
                ),
                "0 blocks, but counts of 1",
            ),
            (good[..good.len() / 2].to_owned(), "not JSON"),
        ] {
            let error = parse(&text, Path::new("b.json")).unwrap_err();
            assert!(error.to_string().contains(part), "{part}: {error}");
            assert!(!error.advice().is_empty());
        }
    }
}
