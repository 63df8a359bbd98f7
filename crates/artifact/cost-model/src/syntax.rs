//! What is wrong with a formula's text, and where: the message names the place and points at it.

use std::fmt;

use crate::parse::MAX_DEPTH;
use crate::text::FUNCTIONS;

/// A text that is not a formula, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct SyntaxError {
    /// The whole text.
    pub text: String,
    /// Characters before the place.
    pub position: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a formula's text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// A character without meaning.
    #[error("{0:?} means nothing in a formula{hint}", hint = hint(*.0))]
    Character(char),
    /// Digits that are no number, or one beyond the range of 64-bit floats.
    #[error("`{0}` is not a number that can be represented")]
    Number(String),
    /// A backquote that is not closed.
    #[error("the name in backquotes does not end")]
    OpenQuote,
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand here.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A function nobody knows.
    #[error("there is no function `{0}`; there are {functions}", functions = FUNCTIONS.join(", "))]
    Function(String),
    /// Too few or too many arguments.
    #[error("`{function}` takes {expected}, {found} given")]
    Arguments {
        /// The function.
        function: String,
        /// How many it takes.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// `a < b < c`.
    #[error("comparisons do not chain; use parentheses or `if`")]
    Chained,
    /// More than [`MAX_DEPTH`] levels.
    #[error("more than {MAX_DEPTH} levels of nesting")]
    Depth,
}

fn hint(c: char) -> &'static str {
    match c {
        '=' => "; equality is `==`",
        '…' => "; this is a shortened text, use the exact one",
        '[' | ']' | '{' | '}' | '"' | '\'' => "; put unusual names in backquotes",
        _ => "",
    }
}

impl SyntaxError {
    /// An error at a byte offset.
    pub(crate) fn new(text: &str, at: usize, problem: Problem) -> Self {
        Self {
            text: text.to_owned(),
            position: text[..at].chars().count(),
            problem,
        }
    }
}

/// Characters of a long text shown on either side of the place.
const CONTEXT: usize = 60;

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.position.saturating_sub(CONTEXT);
        let shown: String = self
            .text
            .chars()
            .skip(from)
            .take(2 * CONTEXT)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        write!(
            f,
            "{} at position {}\n  {shown}\n  {:>width$}",
            self.problem,
            self.position + 1,
            '^',
            width = self.position - from + 1
        )
    }
}
