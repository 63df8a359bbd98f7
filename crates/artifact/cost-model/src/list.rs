//! A price list: what the constructs of a language cost on one platform, in time and memory, under several charging rules.
//!
//! After Das and Hoffmann (TACAS 2017): a time per construct, bytes per construct, and a minor heap of a size whose collections take time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pricetag_file::sealed::{self, Seal};
use serde::{Deserialize, Serialize};

use crate::{CostModel, Interval};

/// Facts of a platform that OCaml's prices depend on.
pub const PRICED_BY: [&str; 7] = [
    "cpu",
    "cpu_family",
    "cpu_model",
    "arch",
    "ocaml",
    "flambda",
    "flags",
];

/// Version of a price list.
pub const PRICE_LIST_SCHEMA: u32 = 2;

/// The estimator whose prices are for the longest alternative of each part of a program, see [`crate::region`]; others add up everything.
pub const OVERLAP: &str = "overlap";

/// What a price list says it is.
const KIND: &str = "price-list";

/// Why there is no price list.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The file system said no.
    #[error("cannot {action} the price list {}: {source}", .path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Not JSON, or not as a price list is.
    #[error("not a price list: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It is not what was written.
    #[error("the price list is not what was written: its digest does not fit its contents")]
    Damaged,
    /// Something else.
    #[error("this is {found}, not a price list")]
    Kind {
        /// What it is.
        found: &'static str,
    },
    /// Another version of the format.
    #[error(
        "the price list has schema {found}, this program reads schema {PRICE_LIST_SCHEMA}; learn it again with this version"
    )]
    Schema {
        /// What the file says.
        found: u64,
    },
}

/// Prices of all constructs on one platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceList {
    /// [`PRICE_LIST_SCHEMA`].
    pub schema: u32,
    /// `price-list`, so that it is not taken for a model.
    pub kind: String,
    /// Where it is valid.
    pub platform: BTreeMap<String, String>,
    /// Prices by the charging rules that counts follow: `paper`, `extended`.
    pub modes: BTreeMap<String, ModePrices>,
    /// The garbage collector, if training programs made it run.
    pub collector: Option<Collector>,
    /// Digest of the measurements.
    pub measurements: String,
    /// How they were made.
    pub options: BTreeMap<String, String>,
    /// Notes of the measurement: how quiet the machine was, programs refused.
    pub notes: Vec<String>,
    /// Version of the program.
    pub pricetag: String,
}

/// Prices under one set of charging rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModePrices {
    /// The estimator whose prices are used unless another is asked for.
    pub chosen: String,
    /// Time without collections, by estimator.
    pub time: BTreeMap<String, CostModel>,
    /// Bytes allocated.
    pub bytes: CostModel,
    /// Constructs that occur in training but do not grow with any program's size: they have no price.
    pub unsupported: Vec<String>,
}

/// What the collections of a run find, together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// Words that they promote.
    pub promoted: f64,
    /// The blocks that these are in.
    pub blocks: f64,
    /// Calls on the stack.
    pub frames: f64,
    /// Words that were allocated before the run and are alive at the first of them.
    pub live: f64,
}

/// Minor heaps from which on what was alive has been marked: a major slice follows a collection half a minor heap later.
const MARKING: f64 = 1.5;

/// Minor heaps before which no major collection finishes: two slices at least sweep, each half a minor heap after a collection, and before them one marks.
const FINISHING: f64 = 2.5;

/// Words that must have been promoted for it. A slice sweeps 5/3·p of the major heap, where p is 3·(100 + 80)/(2·80) times the words promoted since the last one, by the
/// words of that heap, and 0.3 at most; the smallest heap has 31 pages of 4,096 words (`major_gc.c`, `config.h`, `space_overhead` at 80).
const SWEEPING: f64 = 0.6 / (3.0 * 180.0 / 160.0) * (31.0 * 4096.0);

impl Found {
    /// Whether a major collection may finish in a run that fills so many minor heaps. Whether it does hangs on how large the major heap was before. One that finishes begins a minor
    /// collection out of turn.
    pub fn may_finish_major(&self, filled: f64) -> bool {
        filled >= FINISHING && self.promoted >= SWEEPING
    }

    /// Words that major slices mark: all that was alive, once, if the run goes on long enough after its first collection. So many minor heaps are filled.
    pub fn marked(&self, filled: f64) -> f64 {
        if filled >= MARKING { self.live } else { 0.0 }
    }
}

/// The minor collector: when it runs, and how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collector {
    /// Bytes of the minor heap, H₀.
    pub heap: f64,
    /// Smallest and largest size that explain every observed number of collections.
    pub heap_bounds: (f64, f64),
    /// Collections as predicted, of all observed: `(exact, all)`.
    pub exact: (u32, u32),
    /// The paper's rule: nanoseconds of one collection, the median over training.
    pub constant: f64,
    /// Nanoseconds of a collection that promotes nothing.
    pub per_collection: f64,
    /// Nanoseconds per word promoted.
    pub per_word: f64,
    /// Nanoseconds per call found on the stack.
    #[serde(default)]
    pub per_frame: f64,
    /// Nanoseconds per block promoted.
    #[serde(default)]
    pub per_block: f64,
    /// Nanoseconds per word that was alive before and is marked.
    #[serde(default)]
    pub per_marked_word: f64,
    /// Factors around the time of collections.
    #[serde(default)]
    pub interval: Option<Interval>,
    /// Observations with collections.
    pub support: u32,
}

impl Collector {
    /// Collections of a program that allocates so many bytes, beginning with an empty heap.
    pub fn collections(&self, bytes: f64) -> f64 {
        if self.heap > 0.0 {
            (bytes / self.heap).floor().max(0.0)
        } else {
            0.0
        }
    }

    /// The time of the collections of a program that allocates so many bytes, given what they find; by the paper's rule when that is not known.
    pub fn time(&self, bytes: f64, found: Option<Found>) -> f64 {
        let collections = self.collections(bytes);
        match found {
            _ if collections == 0.0 => 0.0,
            Some(found) => {
                self.per_collection * collections
                    + self.per_word * found.promoted
                    + self.per_frame * found.frames
                    + self.per_block * found.blocks
                    + self.per_marked_word * found.marked(bytes / self.heap)
            }
            None => self.constant * collections,
        }
    }
}

impl PriceList {
    /// Reads a price list.
    ///
    /// # Errors
    /// If the file cannot be read, is no price list, or is of another schema.
    pub fn load(path: &Path) -> Result<Self, ListError> {
        let text = std::fs::read_to_string(path).map_err(|source| ListError::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        Self::from_json(&text)
    }

    /// Parses a price list.
    ///
    /// # Errors
    /// If it is none, or of another schema.
    pub fn from_json(text: &str) -> Result<Self, ListError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        if value["kind"] != KIND {
            let found = if value["formula"].is_null() {
                "something else"
            } else {
                "a fitted model"
            };
            return Err(ListError::Kind { found });
        }
        let schema = value["schema"].as_u64().unwrap_or(0);
        if schema != u64::from(PRICE_LIST_SCHEMA) {
            return Err(ListError::Schema { found: schema });
        }
        // From the text again, so that an error has its line.
        let list = serde_json::from_str(text)?;
        if sealed::check(text) == Seal::Broken {
            return Err(ListError::Damaged);
        }
        Ok(list)
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), ListError> {
        let text = sealed::seal(&serde_json::to_string_pretty(self)?);
        pricetag_file::write(path, text.as_bytes()).map_err(|source| ListError::Io {
            action: "write",
            path: path.to_owned(),
            source,
        })
    }

    /// What differs between this list's platform and another, of what prices depend on: `(fact, here, there)`.
    pub fn differences(
        &self,
        platform: &BTreeMap<String, String>,
    ) -> Vec<(String, String, String)> {
        PRICED_BY
            .iter()
            .filter_map(|fact| {
                let (here, there) = (self.platform.get(*fact)?, platform.get(*fact)?);
                (here != there).then(|| ((*fact).to_owned(), here.clone(), there.clone()))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_whole_and_their_time_linear() {
        let found = Found {
            promoted: 30.0,
            blocks: 10.0,
            frames: 4.0,
            live: 0.0,
        };
        let c = Collector {
            heap: 1000.0,
            heap_bounds: (999.0, 1001.0),
            exact: (1, 1),
            constant: 50.0,
            per_collection: 10.0,
            per_word: 2.0,
            per_frame: 0.5,
            per_block: 7.0,
            per_marked_word: 3.0,
            interval: None,
            support: 1,
        };
        assert_eq!(
            [0.0, 999.0, 1000.0, 2500.0].map(|b| c.collections(b)),
            [0.0, 0.0, 1.0, 2.0]
        );
        assert_eq!(
            (c.time(2000.0, Some(found)), c.time(2000.0, None)),
            (152.0, 100.0)
        );
        assert_eq!(c.time(999.0, Some(found)), 0.0);
        // Half a minor heap after the first collection what was alive is marked: so many words at 3 ns.
        let alive = Found {
            live: 100.0,
            ..found
        };
        assert_eq!(c.time(1499.0, Some(alive)), 142.0);
        assert_eq!(c.time(1500.0, Some(alive)), 442.0);
        // Of the smallest heap a bit more than a sixth must be promoted before it can be swept.
        let much = Found {
            promoted: 22_574.0,
            ..found
        };
        assert_eq!(
            [(much, 2.5), (much, 2.4), (found, 9.0)].map(|(f, filled)| f.may_finish_major(filled)),
            [true, false, false]
        );
    }

    #[test]
    fn a_model_is_no_price_list() {
        let why = |text: &str| PriceList::from_json(text).unwrap_err().to_string();
        for (text, reason) in [
            (
                r#"{"schema":1}"#,
                "this is something else, not a price list",
            ),
            (
                r#"{"schema":1,"formula":{}}"#,
                "this is a fitted model, not a price list",
            ),
            ("3", "this is something else"),
            (
                r#"{"schema":9,"kind":"price-list"}"#,
                "has schema 9, this program reads schema 2",
            ),
            (
                r#"{"schema":1,"kind":"price-list"}"#,
                "learn it again with this version",
            ),
            (r#"{"schema":2,"kind":"price-list"}"#, "missing field"),
            ("", "not a price list: EOF"),
        ] {
            assert!(why(text).contains(reason), "{text}: {}", why(text));
        }
    }
}
