//! What calls into code that is not analysed do, by a table.
//!
//! The table is `models.txt`; it says itself what its words mean. Every word is a promise: a model that says less than the code does makes
//! slices too small. What the table does not know is unknown, and does everything.

use std::collections::BTreeSet;

/// The table that comes with Pricetag.
const TABLE: &str = include_str!("models.txt");

/// What a call does.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Model {
    /// Groups of library objects whose state it reads.
    pub reads: BTreeSet<String>,
    /// Groups whose state it changes.
    pub writes: BTreeSet<String>,
    /// Whether it writes elements of arrays among its arguments.
    pub arrays: bool,
    /// Names of the program's methods that it may call; `*` is all.
    pub calls: BTreeSet<String>,
    /// Whether no line of the table fits.
    pub unknown: bool,
}

/// The state of everything outside the process, as a group.
pub const WORLD: &str = "world";
/// All groups, and all names.
pub const ALL: &str = "*";

/// The lines of a table.
#[derive(Clone, Debug)]
pub struct Models {
    lines: Vec<(String, Model)>,
    groups: BTreeSet<String>,
}

/// A line that says nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("models, line {line}: {what}")]
pub struct ModelError {
    /// Its number, from 1.
    pub line: usize,
    /// What is the matter.
    pub what: String,
}

impl Default for Models {
    /// The table that comes with Pricetag.
    fn default() -> Self {
        Self::parse(TABLE).unwrap_or_else(|e| unreachable!("{e}"))
    }
}

impl Models {
    /// Reads a table.
    ///
    /// # Errors
    /// With the first line that has an unknown word.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let mut lines = Vec::new();
        let mut groups = BTreeSet::from([WORLD.to_owned()]);
        for (number, line) in text.lines().enumerate() {
            let bad = |what: String| ModelError {
                line: number + 1,
                what,
            };
            let mut words = line
                .split('#')
                .next()
                .unwrap_or_default()
                .split_whitespace();
            let Some(pattern) = words.next() else {
                continue;
            };
            let mut model = Model::default();
            let mut some = false;
            while let Some(word) = words.next() {
                some = true;
                let mut named = || {
                    words
                        .next()
                        .map(str::to_owned)
                        .ok_or_else(|| bad(format!("{word} what?")))
                };
                match word {
                    "pure" => {}
                    "arrays" => model.arrays = true,
                    WORLD => {
                        model.reads.insert(WORLD.to_owned());
                        model.writes.insert(WORLD.to_owned());
                    }
                    "reads" => drop(model.reads.insert(named()?)),
                    "writes" => drop(model.writes.insert(named()?)),
                    "calls" => model.calls.extend(named()?.split(',').map(str::to_owned)),
                    _ => return Err(bad(format!("{word} is no effect"))),
                }
            }
            if !some {
                return Err(bad(format!("{pattern} has no effect; pure is one")));
            }
            groups.extend(model.reads.iter().chain(&model.writes).cloned());
            lines.push((pattern.to_owned(), model));
        }
        Ok(Self { lines, groups })
    }

    /// Every group of the table.
    pub fn groups(&self) -> &BTreeSet<String> {
        &self.groups
    }

    /// What a call to a method of a class outside does.
    pub fn of(&self, owner: &str, name: &str, descriptor: &str) -> Model {
        // Methods of arrays are Object's.
        let owner = if owner.starts_with('[') {
            "java/lang/Object"
        } else {
            owner
        };
        let whole = format!("{owner}.{name}{descriptor}");
        let fits =
            |pattern: &str| glob(pattern, &whole) || glob(pattern, &format!("{owner}.{name}"));
        match self.lines.iter().find(|(pattern, _)| fits(pattern)) {
            Some((_, model)) => model.clone(),
            None => self.unknown(),
        }
    }

    /// What a call does of which nothing is known.
    pub fn unknown(&self) -> Model {
        Model {
            reads: self.groups.clone(),
            writes: self.groups.clone(),
            arrays: true,
            calls: BTreeSet::from([ALL.to_owned()]),
            unknown: true,
        }
    }
}

/// Whether a text is what a pattern with `*` for any characters stands for.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_wins() {
        let models = Models::default();
        assert_eq!(models.of("java/lang/Math", "abs", "(I)I"), Model::default());
        let random = models.of("java/lang/Math", "random", "()D");
        assert!(random.reads.contains("random"));
        let append = models.of(
            "java/lang/StringBuilder",
            "append",
            "(Ljava/lang/Object;)Ljava/lang/StringBuilder;",
        );
        assert!(append.calls.contains("toString"), "{append:?}");
        let text = models.of(
            "java/lang/StringBuilder",
            "append",
            "(I)Ljava/lang/StringBuilder;",
        );
        assert!(text.calls.is_empty(), "{text:?}");
        assert!(models.of("com/example/Native", "go", "()V").unknown);
    }

    #[test]
    fn a_line_that_says_nothing_is_refused() {
        for bad in ["a.b", "a.b purely", "a.b reads"] {
            assert_eq!(Models::parse(bad).unwrap_err().line, 1, "{bad}");
        }
    }
}
