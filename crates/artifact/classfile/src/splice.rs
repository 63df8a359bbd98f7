//! Replaces parts of a class file and copies the rest.

use std::ops::Range;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go; may be empty.
    pub range: Range<usize>,
    /// The bytes that come.
    pub bytes: Vec<u8>,
}

/// Applies edits that are ascending and do not overlap; one that does, or lies outside `bytes`, is not applied.
pub fn splice(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let grown: usize = edits.iter().map(|edit| edit.bytes.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + grown);
    let mut done = 0;
    for edit in edits {
        if let Some(kept) = bytes
            .get(done..edit.range.start)
            .filter(|_| edit.range.end <= bytes.len())
        {
            out.extend_from_slice(kept);
            out.extend_from_slice(&edit.bytes);
            done = edit.range.end.max(edit.range.start);
        }
    }
    out.extend_from_slice(&bytes[done..]);
    out
}
