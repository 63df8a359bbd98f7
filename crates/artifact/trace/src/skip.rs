//! Methods that are to be counted, or are not, and their loops, by their exact names.
//!
//! Names are those of class files: internal class names and descriptors, so that one text means one method. Class and
//! method names cannot hold a dot, descriptors begin at the only parenthesis that compilers make. A loop is named by the offset of its header's first
//! instruction; a descriptor cannot end in `@` and a number, since class names in it end in a semicolon.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a method or loop that is named in [`crate::AgentOptions::skip`] is not counted, as plans and traces state it.
pub const REMOVED: &str = "removed for the overhead budget";

/// Why a method is not counted of which [`crate::AgentOptions::keep`] names nothing, as plans state it.
pub const UNLISTED: &str = "not on the list of what to count";

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
        // Names may have parentheses of their own; in a descriptor, the last pair, something must follow.
        let first = rest.find('(').ok_or_else(error)?;
        let last = rest.rfind('(').filter(|&last| is_descriptor(&rest[last..]));
        let (name, descriptor) = rest.split_at(last.unwrap_or(first));
        let (_, result) = descriptor.split_once(')').ok_or_else(error)?;
        // Names of features go on behind a blank.
        if class.is_empty() || name.is_empty() || result.starts_with(' ') {
            return Err(error());
        }
        Ok(Self {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
        })
    }
}

/// Whether a text can be the descriptor of a method: what follows its parentheses is one type.
fn is_descriptor(text: &str) -> bool {
    let result = text.split_once(')').map_or("", |(_, result)| result);
    let element = result.trim_start_matches('[');
    match element.strip_prefix('L') {
        Some(class) => class.ends_with(';') && class.matches(';').count() == 1,
        None => element.len() == 1 && "VZBCSIJFD".contains(element),
    }
}

/// Part of a method whose probes are removed together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Region {
    /// The method.
    pub method: MethodName,
    /// Where the header of the loop begins that is meant, in bytes from the beginning of the code; none for the whole method.
    pub header: Option<u16>,
}

impl From<MethodName> for Region {
    fn from(method: MethodName) -> Self {
        let header = None;
        Self { method, header }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.method.fmt(f)?;
        self.header.map_or(Ok(()), |pc| write!(f, "@{pc}"))
    }
}

impl From<Region> for String {
    fn from(region: Region) -> Self {
        region.to_string()
    }
}

impl TryFrom<String> for Region {
    type Error = MethodNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl FromStr for Region {
    type Err = MethodNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let of_loop = text.rsplit_once('@').and_then(|(method, pc)| {
            let digits = pc.bytes().all(|b| b.is_ascii_digit());
            Some((method, pc.parse().ok().filter(|_| digits)?))
        });
        let (method, header) = of_loop.map_or((text, None), |(method, pc)| (method, Some(pc)));
        let method = method.parse()?;
        Ok(Self { method, header })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{AgentOptions, Listed, Mode};

    #[test]
    fn names_of_other_languages_survive_the_options_file() {
        let texts = [
            "a/b/C$D.<init>(Ljava/lang/String;[[I)V",
            "Main.a name with blanks()V",
            "a/Ops.$plus$eq(J)La/Ops;",
            "a/Ops.loops(J)La/Ops;@12",
            "a/Ops.loops(J)La/At@1;",
        ];
        let mut options = AgentOptions::new(Mode::Time, "t");
        let kept = "a/B.c()V".parse().expect("a method");
        options.keep = Listed::Methods(BTreeSet::from([kept]));
        options.skip = texts.iter().map(|text| text.parse().expect(text)).collect();
        assert_eq!(options.skip.len(), 5);
        options.skip_values.clone_from(&options.skip);
        let again: AgentOptions = options.to_text().parse().expect("options");
        assert_eq!(again, options);
        for region in &options.skip {
            assert!(texts.contains(&region.to_string().as_str()));
            assert_eq!(region.header.is_some(), region.to_string().ends_with("@12"));
        }
    }

    #[test]
    fn what_is_no_method() {
        for text in ["", "C", "C.m", ".m()V", "C.()V", "C.m(I", "C.m() block 1"] {
            assert!(text.parse::<MethodName>().is_err(), "{text}");
            assert!(format!("{text}@7").parse::<Region>().is_err(), "{text}");
        }
    }
}
