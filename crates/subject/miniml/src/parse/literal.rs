//! The values of literals.

use pricetag_file::raw;

use super::{Diagnostic, Parsed, Span};

/// A 63-bit integer; a minus sign was read before, so that the least integer can be written.
pub(super) fn int(text: &str, negative: bool, span: Span) -> Parsed<i64> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0o" | "0O") => (8, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ => (10, digits.as_str()),
    };
    let magnitude = u64::from_str_radix(digits, radix).ok();
    // Other bases write bit patterns: all 63 bits may be set.
    // The least integer may lack its sign, as in OCaml, whose lexer reads every number as a negative one.
    let limit = if radix == 10 {
        1u64 << 62
    } else {
        (1 << 63) - 1
    };
    match magnitude {
        Some(m) if m <= limit => {
            let value = if negative {
                (m as i64).wrapping_neg()
            } else {
                m as i64
            };
            Ok(value << 1 >> 1)
        }
        _ => Err(
            Diagnostic::new(span, format!("`{text}` does not fit into 63 bits"))
                .advice("integers lie between -4611686018427387904 and 4611686018427387903"),
        ),
    }
}

pub(super) fn float(text: &str, span: Span) -> Parsed<f64> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    digits
        .parse()
        .map_err(|_| Diagnostic::new(span, format!("`{text}` is no number")))
}

/// The byte of `'c'`; the text holds the quotes.
pub(super) fn char(text: &str, span: Span) -> Parsed<u8> {
    let bytes = unescape(&text[1..text.len() - 1], span)?;
    match bytes[..] {
        [byte] => Ok(byte),
        _ => Err(Diagnostic::new(span, "a character is one byte").advice("write a string instead")),
    }
}

/// The bytes of a string; the text holds the quotes.
pub(super) fn string(text: &str, span: Span) -> Parsed<Vec<u8>> {
    unescape(&text[1..text.len() - 1], span)
}

fn unescape(text: &str, span: Span) -> Parsed<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let bytes = raw::bytes(text);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let escape = bytes.get(at).copied().unwrap_or(0);
        at += 1;
        let digits = |from: usize, n: usize, radix: u32| {
            let digits = std::str::from_utf8(bytes.get(from..from + n)?).ok()?;
            u32::from_str_radix(digits, radix)
                .ok()
                .and_then(|v| u8::try_from(v).ok())
        };
        let value = match escape {
            b'n' => Some(b'\n'),
            b't' => Some(b'\t'),
            b'r' => Some(b'\r'),
            b'b' => Some(8),
            b'\\' | b'"' | b'\'' | b' ' => Some(escape),
            b'\n' => {
                while matches!(bytes.get(at), Some(b' ' | b'\t')) {
                    at += 1;
                }
                continue;
            }
            b'x' => {
                at += 2;
                digits(at - 2, 2, 16)
            }
            b'0'..=b'9' => {
                at += 2;
                digits(at - 3, 3, 10)
            }
            _ => None,
        };
        out.push(value.ok_or_else(|| {
            Diagnostic::new(
                span,
                "a backslash here is followed by nothing it can escape",
            )
            .advice(r#"write one of \n \t \r \b \\ \" \' \ddd \xhh"#)
        })?);
    }
    Ok(out)
}
