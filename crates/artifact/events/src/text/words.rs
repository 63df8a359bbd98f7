//! Names as words without blanks.

use std::fmt::Write as _;

/// A name as one word.
pub(super) fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_whitespace() || c.is_control() || matches!(c, '%' | ',' | '#' | '*') {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(out, "%{byte:02x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A word as a name, or none if what follows a `%` is no code.
pub(super) fn unescape(word: &str) -> Option<String> {
    let mut out = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let (code, tail) = rest.split_at_checked(2)?;
            let code = std::str::from_utf8(code).ok()?;
            out.push(u8::from_str_radix(code, 16).ok()?);
            rest = tail;
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

/// The words of a line without its comment.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    let line = line.split('#').next().unwrap_or_default();
    line.split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["a/b/C$1", "a b", "100%", "é,#\n", ""] {
            assert_eq!(unescape(&escape(name)).as_deref(), Some(name));
            assert!(!escape(name).contains([' ', '#', ',', '\n']));
        }
        assert_eq!(unescape("%2"), None);
        assert_eq!(unescape("%zz"), None);
        assert_eq!(words("a  b # c").collect::<Vec<_>>(), ["a", "b"]);
    }
}
