//! Patterns over dotted class names, such as `org.example.**`.
//!
//! `*` stands for any characters within one package segment (`$` included, so inner classes match), `**` for any
//! characters at all; `**.` at the beginning or between dots also stands for no package. A pattern without a star names
//! a class with its inner classes, or a package with everything below it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A pattern over dotted class names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    text: String,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Nothing there.
    #[error("a class pattern must not be empty")]
    Empty,
    /// A character that no class name has.
    #[error(
        "class pattern {pattern:?} contains {character:?}; write packages with dots, as in org.example.**"
    )]
    Character {
        /// The pattern.
        pattern: String,
        /// The character.
        character: char,
    },
}

impl Pattern {
    /// Checks a pattern.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let odd = |c: &char| {
            matches!(c, '/' | ';' | '[' | '(' | ')' | '#' | '<' | '>')
                || c.is_whitespace()
                || c.is_control()
        };
        match text.chars().find(odd) {
            Some(character) => Err(PatternError::Character {
                pattern: text.to_owned(),
                character,
            }),
            None => Ok(Self {
                text: text.to_owned(),
            }),
        }
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a dotted class name, such as `java.util.Map$Entry`, matches.
    pub fn matches(&self, class: &str) -> bool {
        if self.text.contains('*') {
            glob(self.text.as_bytes(), class.as_bytes())
        } else {
            class
                .strip_prefix(self.text.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$']))
        }
    }

    /// Whether an internal class name, such as `java/util/Map$Entry`, matches.
    pub fn matches_internal(&self, class: &str) -> bool {
        self.matches(&class.replace('/', "."))
    }
}

/// One state of the automaton a pattern stands for.
#[derive(Clone, Copy)]
enum State {
    /// Exactly this byte.
    Byte(u8),
    /// `*`: any bytes but a dot.
    Segment,
    /// `**`: any bytes.
    Any,
    /// Before `**.`: either the next state or the one behind it.
    Either,
    /// `**.`: any bytes up to and including a dot.
    ThroughDot,
}

fn states(pattern: &[u8]) -> Vec<State> {
    let mut states = Vec::with_capacity(pattern.len() + 1);
    let mut at = 0;
    while at < pattern.len() {
        let stars = pattern[at..]
            .iter()
            .take_while(|&&byte| byte == b'*')
            .count();
        let whole_segment = at == 0 || pattern[at - 1] == b'.';
        match stars {
            0 => states.push(State::Byte(pattern[at])),
            1 => states.push(State::Segment),
            _ if whole_segment && pattern.get(at + stars) == Some(&b'.') => {
                states.extend([State::Either, State::ThroughDot]);
                at += 1;
            }
            _ => states.push(State::Any),
        }
        at += stars.max(1);
    }
    states
}

/// Follows all ways through the automaton at once: O(pattern × name).
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let states = states(pattern);
    let mut here = vec![false; states.len() + 1];
    here[0] = true;
    close(&states, &mut here);
    for &byte in name {
        let mut next = vec![false; states.len() + 1];
        for at in (0..states.len()).filter(|&at| here[at]) {
            match states[at] {
                State::Byte(expected) => next[at + 1] |= expected == byte,
                State::Segment => next[at] |= byte != b'.',
                State::Any => next[at] = true,
                State::Either => {}
                State::ThroughDot => {
                    next[at] = true;
                    next[at + 1] |= byte == b'.';
                }
            }
        }
        close(&states, &mut next);
        here = next;
    }
    here[states.len()]
}

/// Adds the states reachable without a byte.
fn close(states: &[State], here: &mut [bool]) {
    for (at, state) in states.iter().enumerate() {
        if here[at] {
            match state {
                State::Segment | State::Any => here[at + 1] = true,
                State::Either => {
                    here[at + 1] = true;
                    here[at + 2] = true;
                }
                State::Byte(_) | State::ThroughDot => {}
            }
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl TryFrom<String> for Pattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let pattern = Pattern::new(pattern).expect("pattern");
        for class in yes {
            assert!(pattern.matches(class), "{pattern} should match {class}");
            assert!(pattern.matches_internal(&class.replace('.', "/")));
        }
        for class in no {
            assert!(
                !pattern.matches(class),
                "{pattern} should not match {class}"
            );
        }
    }

    #[test]
    fn stars_and_plain_names() {
        check(
            "org.example.**",
            &["org.example.A", "org.example.a.b.C$D"],
            &["org.example", "org.examples.A", "A"],
        );
        check(
            "org.example.*",
            &["org.example.A", "org.example.A$B"],
            &["org.example.a.B"],
        );
        check("org.*.Main", &["org.a.Main"], &["org.a.b.Main", "org.Main"]);
        check(
            "**.Main",
            &["Main", "a.Main", "a.b.Main"],
            &["a.XMain", "a.Main$1"],
        );
        check(
            "a.**.Main",
            &["a.Main", "a.b.Main", "a.b.c.Main"],
            &["b.Main", "ab.Main"],
        );
        check("**", &["A", "a.B"], &[]);
        check("*", &["A", "A$B"], &["a.B"]);
        check("**Test", &["a.FooTest", "Test"], &["a.Tests"]);
        check("*Test*", &["FooTests"], &["a.FooTests"]);
        check("a.***.B", &["a.B", "a.x.y.B"], &["aB"]);
        check(
            "org.example",
            &["org.example", "org.example.A", "org.example.b.C"],
            &["org.examples.A"],
        );
        check(
            "org.example.A",
            &["org.example.A", "org.example.A$1"],
            &["org.example.AB"],
        );
    }

    #[test]
    fn rejects_what_names_no_class() {
        assert_eq!(Pattern::new(""), Err(PatternError::Empty));
        for text in ["a/b", "a b", "a#b", "[I", "a;"] {
            assert!(
                matches!(Pattern::new(text), Err(PatternError::Character { .. })),
                "{text}"
            );
        }
    }
}
