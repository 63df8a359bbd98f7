//! Methods that are to be counted, or are not, by their exact names.
//!
//! Names are those of class files: internal class names and descriptors, so that one text means one method. Class and
//! method names cannot hold a dot, descriptors begin at the only parenthesis that compilers make.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a method that is named in [`crate::AgentOptions::skip`] is not counted, as plans and traces state it.
pub const REMOVED: &str = "removed for the overhead budget";

/// Why a method is not counted that is missing in [`crate::AgentOptions::keep`], as plans state it.
pub const UNLISTED: &str = "not on the list of methods to count";

/// One method of one class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct MethodName {
    /// Internal name of the class: `org/example/Search`.
    pub class: String,
    /// Name of the method.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// Why a text names no method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no method; write package/Class.method(I)V")]
pub struct MethodNameError(String);

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.class, self.name, self.descriptor)
    }
}

impl From<MethodName> for String {
    fn from(method: MethodName) -> Self {
        method.to_string()
    }
}

impl TryFrom<String> for MethodName {
    type Error = MethodNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl FromStr for MethodName {
    type Err = MethodNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || MethodNameError(text.to_owned());
        let (class, rest) = text.split_once('.').ok_or_else(error)?;
        let (name, descriptor) = rest.split_at(rest.find('(').ok_or_else(error)?);
        if class.is_empty() || name.is_empty() || !descriptor.contains(')') {
            return Err(error());
        }
        Ok(Self {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentOptions, Mode};

    #[test]
    fn names_of_other_languages_survive_the_options_file() {
        let texts = [
            "a/b/C$D.<init>(Ljava/lang/String;[[I)V",
            "Main.a name with blanks()V",
            "a/Ops.$plus$eq(J)La/Ops;",
        ];
        let mut options = AgentOptions::new(Mode::Time, "t");
        options.keep = std::iter::once("a/B.c()V".parse().expect("a method")).collect();
        options.skip = texts.iter().map(|text| text.parse().expect(text)).collect();
        assert_eq!(options.skip.len(), 3);
        let again: AgentOptions = options.to_text().parse().expect("options");
        assert_eq!(again, options);
        for method in &options.skip {
            assert!(texts.contains(&method.to_string().as_str()));
        }
    }

    #[test]
    fn what_is_no_method() {
        for text in ["", "C", "C.m", ".m()V", "C.()V", "C.m(I"] {
            assert!(text.parse::<MethodName>().is_err(), "{text}");
        }
    }
}
