//! The file of a list: writing, reading, checks. A file of another version, of another kind, or that was changed is told apart.

use std::path::{Path, PathBuf};

use pricetag_file::sealed::{self, Seal};
use serde::Deserialize;
use serde_json::Value;

use crate::{PLATFORM_KIND, PLATFORM_SCHEMA, PlatformList};

/// Why a list could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The file system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Not JSON, or not a list.
    #[error("not a price list of a platform: {0}")]
    Malformed(#[from] serde_json::Error),
    /// JSON of another kind.
    #[error("not a price list of a platform, but {found}")]
    Kind {
        /// What it says to be.
        found: String,
    },
    /// Another version.
    #[error("the list has schema {found}, this program reads schema {PLATFORM_SCHEMA}")]
    Schema {
        /// What the file says.
        found: u64,
    },
    /// It is not what was written.
    #[error("the list is not what was written: its digest does not fit its contents")]
    Damaged,
    /// A number that is no time.
    #[error("the benchmark `{name}` has the time {ns} ns, which is none")]
    NoTime {
        /// Of which benchmark or price.
        name: String,
        /// What it says.
        ns: f64,
    },
}

impl ListError {
    /// What to try.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Io { .. } => "give the file that `pricetag platform measure -o FILE` wrote",
            Self::Malformed(_) | Self::Kind { .. } => {
                "make one with `pricetag platform measure -o FILE`, or of a table with `pricetag platform import`"
            }
            Self::Schema { found } if *found > u64::from(PLATFORM_SCHEMA) => {
                "a newer Pricetag wrote it: update this one, or measure the platform with this one"
            }
            Self::Schema { .. } => "measure the platform again with this version",
            Self::Damaged | Self::NoTime { .. } => {
                "restore the file, or measure the platform again"
            }
        }
    }
}

/// The members of a list, in the order of the file.
const ORDER: [&str; 10] = [
    "schema",
    "kind",
    "pricetag",
    "platform",
    "suite",
    "measuring",
    "notes",
    "fit",
    "prices",
    "benchmarks",
];

#[derive(Deserialize)]
struct Header {
    schema: u64,
    kind: Option<String>,
}

impl PlatformList {
    /// As sealed JSON: one line for each benchmark and price, so that people can read it and files stay small.
    pub fn to_json(&self) -> Result<String, ListError> {
        let Value::Object(members) = serde_json::to_value(self)? else {
            return Ok(String::new());
        };
        let mut parts = Vec::new();
        for name in ORDER {
            let Some(value) = members.get(name) else {
                continue;
            };
            let lines = match value {
                Value::Array(items) if !items.is_empty() => {
                    let lines: Vec<String> = items.iter().map(|i| format!("    {i}")).collect();
                    format!("[\n{}\n  ]", lines.join(",\n"))
                }
                Value::Object(facts) if !facts.is_empty() => {
                    let lines: Vec<String> = facts
                        .iter()
                        .map(|(name, value)| format!("    {}: {value}", Value::from(name.as_str())))
                        .collect();
                    format!("{{\n{}\n  }}", lines.join(",\n"))
                }
                other => other.to_string(),
            };
            parts.push(format!("  \"{name}\": {lines}"));
        }
        Ok(sealed::seal(&format!("{{\n{}\n}}\n", parts.join(",\n"))))
    }

    /// Reads what [`Self::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self, ListError> {
        let header: Header = serde_json::from_str(text)?;
        match header.kind.as_deref() {
            Some(PLATFORM_KIND) => {}
            Some(other) => {
                return Err(ListError::Kind {
                    found: format!("a file of kind `{other}`"),
                });
            }
            None => {
                return Err(ListError::Kind {
                    found: "another JSON file".to_owned(),
                });
            }
        }
        if header.schema != u64::from(PLATFORM_SCHEMA) {
            return Err(ListError::Schema {
                found: header.schema,
            });
        }
        let list: Self = serde_json::from_str(text)?;
        if sealed::check(text) != Seal::Whole {
            return Err(ListError::Damaged);
        }
        let times = list.benchmarks.iter().map(|b| (&b.name, b.ns));
        let prices = list.prices.iter().map(|p| (&p.name, p.ns));
        for (name, ns) in times.chain(prices) {
            if let Some(ns) = ns.filter(|ns| !ns.is_finite() || *ns < 0.0) {
                return Err(ListError::NoTime {
                    name: name.clone(),
                    ns,
                });
            }
        }
        Ok(list)
    }

    /// Writes it whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), ListError> {
        let text = self.to_json()?;
        pricetag_file::write(path, text.as_bytes()).map_err(|source| ListError::Io {
            action: "write",
            path: path.to_owned(),
            source,
        })
    }

    /// Reads it from a file.
    pub fn load(path: &Path) -> Result<Self, ListError> {
        let text = std::fs::read_to_string(path).map_err(|source| ListError::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        Self::from_json(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Benchmark;

    fn list() -> PlatformList {
        PlatformList {
            schema: PLATFORM_SCHEMA,
            kind: PLATFORM_KIND.into(),
            benchmarks: vec![Benchmark {
                name: "int add".into(),
                ns: Some(0.25),
                ..Benchmark::default()
            }],
            ..PlatformList::default()
        }
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let text = list().to_json().unwrap();
        assert_eq!(PlatformList::from_json(&text).unwrap(), list());
    }

    #[test]
    fn damage_versions_and_kinds_are_told_apart() {
        let text = list().to_json().unwrap();
        let error = |from: &str, to: &str| {
            assert!(text.contains(from), "{from} in {text}");
            PlatformList::from_json(&text.replace(from, to)).unwrap_err()
        };
        assert!(matches!(error("0.25", "0.26"), ListError::Damaged));
        let newer = error("\"schema\": 1", "\"schema\": 2");
        assert!(matches!(newer, ListError::Schema { found: 2 }));
        assert!(newer.advice().contains("newer"));
        let kind = error(PLATFORM_KIND, "price-list");
        assert!(matches!(kind, ListError::Kind { .. }), "{kind}");
        assert!(PlatformList::from_json("[]").is_err());
        // A seal that was taken off is damage: every version seals.
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value
            .as_object_mut()
            .unwrap()
            .retain(|k, _| !k.starts_with("seal"));
        let bare = PlatformList::from_json(&value.to_string());
        assert!(matches!(bare, Err(ListError::Damaged)));
    }

    #[test]
    fn a_negative_time_is_refused() {
        let mut odd = list();
        odd.benchmarks[0].ns = Some(-1.0);
        let text = odd.to_json().unwrap();
        let refused = PlatformList::from_json(&text).unwrap_err();
        assert!(matches!(refused, ListError::NoTime { .. }));
    }
}
