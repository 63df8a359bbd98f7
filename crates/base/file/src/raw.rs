//! Names, arguments and other bytes that are not UTF-8, as text that gives back their bytes.
//!
//! Systems take any bytes as a name; labels, tables and JSON hold text. A byte that is part of no character becomes one of 128 characters for private use, U+F780 to U+F7FF
//! (as in the encoding OPTU-16); such a character itself becomes three of them, so that nothing is mistaken.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// The character of byte 0.
const FIRST: u32 = 0xf700;

/// The text of a name.
pub fn text(name: &OsStr) -> String {
    text_of(name.as_bytes())
}

/// The text of any bytes.
pub fn text_of(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if byte(c).is_some() {
                let mut bytes = [0; 4];
                out.extend(c.encode_utf8(&mut bytes).bytes().map(stand_in));
            } else {
                out.push(c);
            }
        }
        out.extend(chunk.invalid().iter().copied().map(stand_in));
    }
    out
}

/// The name that a text is of.
pub fn name(text: &str) -> OsString {
    OsString::from_vec(bytes(text))
}

/// The bytes that a text is of.
pub fn bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        if let Some(byte) = byte(c) {
            out.push(byte);
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    out
}

/// The byte, 128 or more, that a character stands for.
pub fn byte(c: char) -> Option<u8> {
    let byte = u32::from(c).checked_sub(FIRST)?;
    u8::try_from(byte).ok().filter(|byte| *byte >= 0x80)
}

fn stand_in(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        let names: [&[u8]; 7] = [
            b"plain",
            "é 漢 🦀".as_bytes(),
            b"bad\xff",
            b"\xc3(",
            b"\xf0\x9f",
            "\u{f7ff}\u{f780}\u{f77f}".as_bytes(),
            b"",
        ];
        for bytes in names {
            let text = text(OsStr::from_bytes(bytes));
            assert_eq!(name(&text).as_bytes(), bytes, "{text:?}");
        }
        assert_eq!(text(OsStr::new("é 漢")), "é 漢");
        assert_eq!(text(OsStr::from_bytes(b"a\xff")), "a\u{f7ff}");
        let all: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        assert_eq!(name(&text(OsStr::from_bytes(&all))).as_bytes(), all);
    }
}
