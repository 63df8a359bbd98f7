//! What one observation is.

use std::fmt;
use std::str::FromStr;

use pricetag_classfile::spelling::{self, Spelling};
use serde::{Deserialize, Serialize};

/// What one observation is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// The whole process, from the entry of `main`. It is always observed; naming it changes nothing.
    Main,
    /// Every outermost invocation of a method on a thread, or one after another over all threads.
    Method(MethodScope),
}

/// A method named as `package.Class#method` with optional descriptor, and `+threads` behind that where all threads are observed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MethodScope {
    /// Dotted class name; inner classes with `$`.
    pub class: String,
    /// Method name; `<init>` for constructors.
    pub method: String,
    /// Descriptor, or parameters as in Java with their parentheses; all overloads without.
    pub descriptor: Option<String>,
    /// Whether an observation is what all threads do while an invocation lasts, and not the invoking one alone.
    pub all_threads: bool,
}

/// What stands behind a scope that observes all threads.
const ALL_THREADS: &str = "+threads";

/// Why a text is no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no scope; write main, package.Class#method or package.Class#method(int, String), with +threads behind it to observe all threads"
)]
pub struct ScopeError {
    /// The text.
    pub text: String,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main => f.write_str("main"),
            Self::Method(scope) => scope.fmt(f),
        }
    }
}

impl fmt::Display for MethodScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}#{}{}{}",
            self.class,
            self.method,
            self.descriptor.as_deref().unwrap_or(""),
            if self.all_threads { ALL_THREADS } else { "" }
        )
    }
}

impl MethodScope {
    /// Whether a method of this descriptor is meant, if its name is right.
    pub fn takes(&self, descriptor: &str) -> bool {
        let list = self.descriptor.as_deref();
        list.is_none_or(|list| spelling::takes(descriptor, list))
    }
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "main" {
            return Ok(Self::Main);
        }
        text.parse().map(Self::Method)
    }
}

impl FromStr for MethodScope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ScopeError {
            text: text.to_owned(),
        };
        let (named, all_threads) = match text.strip_suffix(ALL_THREADS) {
            Some(named) => (named, true),
            None => (text, false),
        };
        let Spelling {
            class,
            method,
            parameters,
        } = Spelling::of(named).ok_or_else(error)?;
        let odd = |name: &str| {
            name.is_empty() || name.contains(|c: char| c.is_whitespace() || ";[()#".contains(c))
        };
        // Without the sign a name in capitals is that of a class.
        let is_class = !named.contains('#') && method.starts_with(char::is_uppercase);
        if is_class || odd(class) || odd(method) {
            return Err(error());
        }
        let tidy = |list| spelling::tidy(list).ok_or_else(error);
        Ok(Self {
            class: class.replace('/', "."),
            method: method.to_owned(),
            descriptor: parameters.map(tidy).transpose()?,
            all_threads,
        })
    }
}
