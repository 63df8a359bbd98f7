//! The class that keeps the counters of an archive: our compiled source, adapted.
//!
//! The class file is the committed output of `javac --release 8` (a test compiles the source again and compares). Each archive gets a copy in a package
//! of its own, named by the archive's digest: so two instrumented archives do not meet in one class, and in a module the package is the module's own.

use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{ClassFile, ClassFileError};

use crate::error::ArchiveError;

/// The class file.
pub const RUNTIME_CLASS: &[u8] = include_bytes!("../runtime/pricetag/runtime/Counters.class");
/// Its source.
pub const RUNTIME_SOURCE: &str = include_str!("../runtime/pricetag/runtime/Counters.java");

/// Its name in the source.
const NAME: &str = "pricetag/runtime/Counters";
/// Texts that take the numbers of counters.
const SIZES: usize = 8;
/// Longest text of a class file, in bytes.
const LONGEST: usize = u16::MAX as usize;

/// Numbers of counters per class, as the runtime reads them: five bits per character, the lowest first, 64 more in the last character
/// of a number, 32 in the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    text: String,
}

impl Sizes {
    /// Appends a number; false if there is no room.
    pub(crate) fn push(&mut self, mut number: u32) -> bool {
        let mut digits = String::new();
        while number > 31 {
            digits.push(char::from(32 + (number & 31) as u8));
            number >>= 5;
        }
        digits.push(char::from(64 + number as u8));
        let fits = self.text.len() + digits.len() <= SIZES * LONGEST;
        if fits {
            self.text.push_str(&digits);
        }
        fits
    }
}

/// Internal name of an archive's copy.
pub(crate) fn name(digest: &str) -> String {
    format!("{}/Counters", package(digest))
}

/// Internal name of its package.
pub(crate) fn package(digest: &str) -> String {
    format!("pricetag/runtime/x{}", digest.get(..16).unwrap_or(digest))
}

/// The class file of an archive's copy.
pub(crate) fn adapted(digest: &str, sizes: &Sizes) -> Result<Vec<u8>, ArchiveError> {
    let new_name = name(digest);
    let result = replace_texts(RUNTIME_CLASS, 1, |text| {
        if text == "@digest@" {
            return Some(digest.to_owned());
        }
        let number = text.strip_prefix('@').and_then(|t| t.strip_suffix('@'));
        if let Some(number) = number.and_then(|digits| digits.parse::<usize>().ok()) {
            let end = |at: usize| (at * LONGEST).min(sizes.text.len());
            return Some(sizes.text[end(number)..end(number + 1)].to_owned());
        }
        text.contains(NAME).then(|| text.replace(NAME, &new_name))
    });
    result.map_err(|error| ArchiveError::Runtime {
        reason: error.to_string(),
    })
}

/// Replaces texts of a class's constant pool, from an index on.
pub(crate) fn replace_texts(
    bytes: &[u8],
    first: u16,
    replacement: impl Fn(&str) -> Option<String>,
) -> Result<Vec<u8>, ClassFileError> {
    const TEXT: u8 = 1;
    let class = ClassFile::parse(bytes)?;
    let pool = class.constants();
    let mut edits = Vec::new();
    for (index, tag) in pool.tags() {
        if tag != TEXT || index < first {
            continue;
        }
        let old = pool.utf8_bytes(index)?;
        let Some(new) = std::str::from_utf8(old).ok().and_then(&replacement) else {
            continue;
        };
        let length = u16::try_from(new.len()).map_err(|_| ClassFileError::Limit {
            what: "the length of a constant",
            value: new.len(),
            limit: LONGEST,
        })?;
        // A text's place: it is a part of `bytes`, behind its length.
        let start = old.as_ptr() as usize - bytes.as_ptr() as usize;
        let mut text = length.to_be_bytes().to_vec();
        text.extend(new.bytes());
        edits.push(Edit {
            range: start - 2..start + old.len(),
            bytes: text,
        });
    }
    Ok(splice(bytes, &edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_adapted_copy_has_its_own_name_and_sizes() {
        let mut sizes = Sizes::default();
        for number in [0, 1, 31, 32, 1000, 70_000] {
            assert!(sizes.push(number));
        }
        let digest = "0123456789abcdef0123456789abcdef";
        let bytes = adapted(digest, &sizes).expect("it can be adapted");
        let class = ClassFile::parse(&bytes).expect("it is a class");
        assert_eq!(class.name(), "pricetag/runtime/x0123456789abcdef/Counters");
        let pool = class.constants();
        let texts: Vec<String> = pool.tags().filter_map(|(i, _)| pool.utf8(i).ok()).collect();
        assert!(texts.iter().any(|t| t == digest));
        assert!(texts.contains(&sizes.text));
        assert!(
            !texts
                .iter()
                .any(|t| t == "@digest@" || t == "@0@" || t.contains(NAME))
        );
    }

    #[test]
    fn sizes_are_limited() {
        let mut sizes = Sizes::default();
        let mut pushed = 0;
        while sizes.push(u32::MAX) {
            pushed += 1;
        }
        assert_eq!(pushed, SIZES * LONGEST / 7);
        adapted("00000000000000000000000000000000", &sizes).expect("the texts fit");
    }
}
