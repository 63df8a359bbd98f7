//! Opcode categories: which kind of work an opcode does, as an editable table.
//!
//! Two tables come with Pricetag: [`Categories::lata`], six buckets as in the paper, and [`Categories::fine`], one category
//! per mechanism. A user's own table is a TOML file of the same format; opcodes it does not mention are in [`OTHER`].
//! Which one a dataset was made with is kept as text ([`Categories::to_text`]), so that a model can be asked in its own terms.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use pricetag_classfile::opcode;
use serde::Deserialize;
use toml::Spanned;

/// The category of opcodes that a table does not mention.
pub const OTHER: &str = "other";

/// What is wrong with a table.
#[derive(Debug, thiserror::Error)]
pub enum CategoryError {
    /// The file cannot be read.
    #[error("cannot read opcode categories {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is no TOML, or not of the format.
    #[error("{origin}: {source}")]
    Syntax {
        /// File or table name.
        origin: String,
        /// What the TOML reader says, with line and column.
        source: Box<toml::de::Error>,
    },
    /// No such opcode.
    #[error("{origin}:{line}: category {category} names the opcode {mnemonic:?}, which does not exist{}", meant(*.suggestion))]
    UnknownOpcode {
        /// File or table name.
        origin: String,
        /// Line, from 1.
        line: usize,
        /// In which category.
        category: String,
        /// What it says.
        mnemonic: String,
        /// A similar one that exists.
        suggestion: Option<&'static str>,
    },
    /// A category that could not name a column.
    #[error("{origin}:{line}: {name:?} cannot name a category")]
    BadName {
        /// File or table name.
        origin: String,
        /// Line, from 1.
        line: usize,
        /// What it says.
        name: String,
    },
    /// An opcode in two categories, or twice in one.
    #[error(
        "{origin}:{line}: the opcode {mnemonic} is in category {second}, but already in {first} (line {first_line})"
    )]
    Twice {
        /// File or table name.
        origin: String,
        /// Line of the second mention, from 1.
        line: usize,
        /// The opcode.
        mnemonic: &'static str,
        /// Category of the first mention.
        first: String,
        /// Line of the first mention.
        first_line: usize,
        /// Category of the second mention.
        second: String,
    },
}

impl CategoryError {
    /// What to try.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Read { .. } => "give `lata`, `fine` or the path of a TOML table",
            Self::Syntax { .. } => {
                "a table is the line [categories] and below it lines such as ADD = [\"iadd\", \"ladd\"]"
            }
            Self::UnknownOpcode { .. } => {
                "use the mnemonics of the JVM specification, such as iadd or if_icmplt"
            }
            Self::BadName { .. } => "give it a name without line breaks",
            Self::Twice { .. } => "leave the opcode in one category",
        }
    }
}

fn meant(suggestion: Option<&str>) -> String {
    suggestion
        .map(|s| format!(" (is {s} meant?)"))
        .unwrap_or_default()
}

/// A partition of the opcodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    names: Vec<String>,
    /// Index into `names` for each opcode.
    of: [u16; 256],
}

/// The file, with the place of every name in it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    categories: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
}

impl Categories {
    /// Lata's six buckets: `ADD`, `SUB`, `MUL`, `DIV`, `CALLS`, `LDSTCOND`.
    pub fn lata() -> Self {
        Self::shipped("lata.toml", include_str!("../tables/lata.toml"))
    }

    /// One category per mechanism.
    pub fn fine() -> Self {
        Self::shipped("fine.toml", include_str!("../tables/fine.toml"))
    }

    fn shipped(origin: &str, text: &str) -> Self {
        Self::parse(text, origin).expect("shipped table")
    }

    /// The table that comes with Pricetag under this name: `lata` or `fine`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "lata" => Some(Self::lata()),
            "fine" => Some(Self::fine()),
            _ => None,
        }
    }

    /// The name of a table that comes with Pricetag; any other in the format of its file, every opcode mentioned.
    pub fn to_text(&self) -> String {
        let known = ["lata", "fine"];
        if let Some(name) = known
            .into_iter()
            .find(|n| Self::named(n).as_ref() == Some(self))
        {
            return name.to_owned();
        }
        let mut text = "[categories]\n".to_owned();
        for (index, name) in self.names.iter().enumerate() {
            let members = all_opcodes().filter(|(o, _)| self.index_of(*o) == Some(index));
            let members: Vec<String> = members.map(|(_, m)| format!("\"{m}\"")).collect();
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\"{name}\" = [{}]", members.join(", "));
        }
        text
    }

    /// Reads what [`Categories::to_text`] wrote.
    ///
    /// # Errors
    /// If it is neither a name nor a table.
    pub fn from_text(text: &str) -> Result<Self, CategoryError> {
        Self::named(text).map_or_else(|| Self::parse(text, "opcode categories"), Ok)
    }

    /// Loads a user's table.
    ///
    /// # Errors
    /// If the file cannot be read or is not a table.
    pub fn load(path: &Path) -> Result<Self, CategoryError> {
        let text = std::fs::read_to_string(path).map_err(|source| CategoryError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads a table; `origin` is named in errors.
    ///
    /// # Errors
    /// If it is not a table: malformed TOML, an unknown opcode, an opcode mentioned twice.
    pub fn parse(text: &str, origin: &str) -> Result<Self, CategoryError> {
        let syntax = |source| CategoryError::Syntax {
            origin: origin.to_owned(),
            source: Box::new(source),
        };
        let table: Table = toml::from_str(text).map_err(syntax)?;
        let mut entries: Vec<_> = table.categories.into_iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let line_of = |at: usize| text[..at].matches('\n').count() + 1;
        if let Some((name, _)) = entries.iter().find(|(name, _)| !is_name(name.get_ref())) {
            return Err(CategoryError::BadName {
                origin: origin.to_owned(),
                line: line_of(name.span().start),
                name: name.get_ref().clone(),
            });
        }
        let mut names = Vec::new();
        let mut mentioned: Vec<Option<(u16, usize)>> = vec![None; 256];
        for (name, mnemonics) in entries {
            let category = names.len() as u16;
            names.push(name.into_inner());
            for mnemonic in mnemonics {
                let line = line_of(mnemonic.span().start);
                let mnemonic = mnemonic.into_inner();
                let Some(opcode) = opcode_of(&mnemonic) else {
                    let category = names[usize::from(category)].clone();
                    let suggestion = similar(&mnemonic);
                    return Err(CategoryError::UnknownOpcode {
                        origin: origin.to_owned(),
                        line,
                        category,
                        mnemonic,
                        suggestion,
                    });
                };
                if let Some((first, first_line)) = mentioned[usize::from(opcode)] {
                    return Err(CategoryError::Twice {
                        origin: origin.to_owned(),
                        line,
                        mnemonic: opcode::mnemonic(opcode),
                        first: names[usize::from(first)].clone(),
                        first_line,
                        second: names[usize::from(category)].clone(),
                    });
                }
                mentioned[usize::from(opcode)] = Some((category, line));
            }
        }
        Ok(Self::complete(names, &mentioned))
    }

    /// Puts what is not mentioned into [`OTHER`], which exists only if an opcode needs it.
    fn complete(mut names: Vec<String>, mentioned: &[Option<(u16, usize)>]) -> Self {
        let known = names.iter().position(|n| n == OTHER);
        let other = known.unwrap_or(names.len()) as u16;
        if known.is_none() && all_opcodes().any(|(o, _)| mentioned[usize::from(o)].is_none()) {
            names.push(OTHER.to_owned());
        }
        let mut of = [other; 256];
        for (slot, mention) in of.iter_mut().zip(mentioned) {
            if let Some((category, _)) = mention {
                *slot = *category;
            }
        }
        Self { names, of }
    }

    /// The categories' names, in order of the table; `other` last if any opcode is in it.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The position in [`Categories::names`] of an opcode's category; none for numbers that are no opcode of a complete
    /// table.
    pub fn index_of(&self, opcode: u8) -> Option<usize> {
        Some(usize::from(self.of[usize::from(opcode)])).filter(|&i| i < self.names.len())
    }

    /// The category of an opcode.
    pub fn of(&self, opcode: u8) -> &str {
        self.index_of(opcode).map_or(OTHER, |i| &self.names[i])
    }

    /// Sums a histogram of opcodes per category, parallel to [`Categories::names`].
    pub fn sum(&self, opcodes: &[u64; 256]) -> Vec<u64> {
        let mut sums = vec![0; self.names.len()];
        for (opcode, count) in (0..=255u8).zip(opcodes) {
            if let Some(i) = self.index_of(opcode) {
                sums[i] += count;
            }
        }
        sums
    }
}

/// Whether a column could be named so.
fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && !name.chars().any(char::is_control)
}

/// Every opcode with its mnemonic, without the prefix `wide`, which never is an instruction's own opcode.
fn all_opcodes() -> impl Iterator<Item = (u8, &'static str)> {
    (0..=opcode::JSR_W)
        .filter(|&o| o != opcode::WIDE)
        .map(|o| (o, opcode::mnemonic(o)))
}

fn opcode_of(mnemonic: &str) -> Option<u8> {
    all_opcodes().find(|(_, m)| *m == mnemonic).map(|(o, _)| o)
}

/// The mnemonic with the longest common start, the nearest length and the most common letters, in this order; none if
/// less than half of what was written is a common start.
fn similar(mnemonic: &str) -> Option<&'static str> {
    let lower = mnemonic.to_lowercase();
    let common = |m: &str| {
        m.bytes()
            .zip(lower.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let letters = |m: &str| m.chars().filter(|c| lower.contains(*c)).count();
    let length = |m: &str| std::cmp::Reverse(m.len().abs_diff(lower.len()));
    let score = |m: &str| (common(m), length(m), letters(m));
    let (_, best) = all_opcodes().max_by_key(|(_, m)| score(m))?;
    (common(best) * 2 >= lower.len() && common(best) > 0).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_tables_map_every_opcode() {
        for table in [Categories::lata(), Categories::fine()] {
            assert!(!table.names().iter().any(|n| n == OTHER));
            for (opcode, mnemonic) in all_opcodes() {
                assert_ne!(table.of(opcode), OTHER, "{mnemonic}");
            }
            // The number of opcodes in JVMS table 6.5, without `wide`.
            assert_eq!(all_opcodes().count(), 201);
            assert_eq!(table.sum(&[1; 256]).iter().sum::<u64>(), 201);
        }
        assert_eq!(
            Categories::lata().names(),
            ["ADD", "SUB", "MUL", "DIV", "CALLS", "LDSTCOND"]
        );
        assert_eq!(Categories::lata().of(opcode::IINC), "LDSTCOND");
        assert_eq!(Categories::fine().of(opcode::LREM), "long_div");
    }

    fn message(text: &str) -> String {
        Categories::parse(text, "my.toml").unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        assert_eq!(
            message("[categories]\na = [\n  \"iadd\",\n  \"ifqe\"]\n"),
            "my.toml:4: category a names the opcode \"ifqe\", which does not exist (is ifeq meant?)"
        );
        assert_eq!(
            message("[categories]\na = [\"iadd\"]\nb = [\"ladd\",\n\"iadd\"]\n"),
            "my.toml:4: the opcode iadd is in category b, but already in a (line 2)"
        );
        assert!(
            message("[categories]\na = 3\n").contains("line 2"),
            "{}",
            message("[categories]\na = 3\n")
        );
        assert!(message("categories = [").contains("my.toml: TOML parse error"));
        assert!(message("[category]\n").contains("unknown field"));
        assert!(message("").contains("missing field `categories`"));
    }

    #[test]
    fn what_is_not_mentioned_is_other() {
        let table =
            Categories::parse("[categories]\nz = [\"iadd\"]\na = [\"isub\"]\n", "t").unwrap();
        assert_eq!(table.names(), ["z", "a", "other"]);
        assert_eq!(table.of(opcode::IADD), "z");
        assert_eq!(table.of(opcode::GOTO), "other");
        let all =
            Categories::parse("[categories]\nother = [\"iadd\"]\nb = [\"isub\"]\n", "t").unwrap();
        assert_eq!(all.names(), ["other", "b"]);
        assert_eq!(all.of(opcode::GOTO), "other");
    }

    #[test]
    fn a_table_survives_being_written_down() {
        assert_eq!(Categories::lata().to_text(), "lata");
        let own = "[categories]\n'a \"quoted\\name' = [\"iadd\"]\nother = [\"isub\"]\nz = []\n";
        for table in [
            Categories::lata(),
            Categories::fine(),
            Categories::parse(own, "t").unwrap(),
        ] {
            assert_eq!(Categories::from_text(&table.to_text()).unwrap(), table);
        }
        assert!(Categories::from_text("coarse").is_err());
        assert_eq!(
            message("[categories]\na = []\n\"b\\n\" = []\n"),
            "my.toml:3: \"b\\n\" cannot name a category"
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("none.toml");
        assert!(
            Categories::load(&path)
                .unwrap_err()
                .to_string()
                .contains("none.toml")
        );
        std::fs::write(&path, "[categories]\nx = [\"nop\"]\n").unwrap();
        assert_eq!(Categories::load(&path).unwrap().of(0), "x");
    }
}
