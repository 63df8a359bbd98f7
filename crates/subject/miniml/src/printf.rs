//! What a conversion of `Printf` makes of a value, as C's `printf` does; `%S`, `%C`, `%B` and `%F` as OCaml's.

use crate::machine::{Heap, Word, word};
use crate::show;

/// Flags, width and precision of a conversion.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "C has as many flags")]
struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    other: bool,
    width: usize,
    precision: Option<usize>,
}

/// The text of a value by a conversion, as `%5.2f`.
pub(crate) fn format(spec: &[u8], value: Word, heap: &Heap) -> Vec<u8> {
    let kind = spec.last().copied().unwrap_or(b'd');
    let spec = read(&spec[1..spec.len() - 1]);
    match kind {
        b's' => pad(&spec, heap.bytes(value), false),
        b'S' => {
            let mut text = String::from("\"");
            let bytes = heap.bytes(value);
            bytes
                .into_iter()
                .for_each(|b| show::escape(b, b'"', &mut text));
            text.push('"');
            pad(&spec, text.into_bytes(), false)
        }
        b'c' => vec![word(value) as u8],
        b'C' => {
            let mut text = String::from("'");
            show::escape(word(value) as u8, b'\'', &mut text);
            text.push('\'');
            text.into_bytes()
        }
        b'b' | b'B' => {
            let text = if word(value) == 0 { "false" } else { "true" };
            pad(&spec, text.into(), false)
        }
        b'x' | b'X' | b'o' | b'u' => {
            let n = (word(value) as u64) << 1 >> 1;
            let (prefix, digits) = match kind {
                b'x' => ("0x", format!("{n:x}")),
                b'X' => ("0X", format!("{n:X}")),
                b'o' => ("0", format!("{n:o}")),
                _ => ("", n.to_string()),
            };
            let prefix = if spec.other && n != 0 { prefix } else { "" };
            number(&spec, prefix, digits, spec.precision)
        }
        b'f' | b'e' | b'E' | b'g' | b'G' | b'F' => float(&spec, kind, heap.as_float(value)),
        _ => {
            let n = word(value);
            let digits = n.unsigned_abs().to_string();
            number(&spec, sign(&spec, n < 0), digits, spec.precision)
        }
    }
}

fn read(text: &[u8]) -> Spec {
    let mut spec = Spec::default();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'-' => spec.left = true,
            b'0' => spec.zero = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.other = true,
            _ => break,
        }
        at += 1;
    }
    let digits = |from: usize| {
        let rest = &text[from.min(text.len())..];
        let end = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = rest[..end]
            .iter()
            .fold(0usize, |n, b| (n * 10 + usize::from(b - b'0')).min(1 << 20));
        (number, from + end)
    };
    (spec.width, at) = digits(at);
    if text.get(at) == Some(&b'.') {
        spec.precision = Some(digits(at + 1).0);
    }
    spec
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

/// Digits with what stands before them; zeros come between.
fn number(spec: &Spec, before: &str, digits: String, precision: Option<usize>) -> Vec<u8> {
    let mut digits = digits;
    if let Some(precision) = precision {
        while digits.len() < precision {
            digits.insert(0, '0');
        }
    }
    if spec.zero && !spec.left && precision.is_none() {
        while digits.len() + before.len() < spec.width {
            digits.insert(0, '0');
        }
    }
    pad(spec, format!("{before}{digits}").into_bytes(), false)
}

fn pad(spec: &Spec, mut text: Vec<u8>, zeros: bool) -> Vec<u8> {
    let missing = spec.width.saturating_sub(text.len());
    if spec.left {
        text.extend(std::iter::repeat_n(b' ', missing));
        return text;
    }
    let mut padded = vec![if zeros { b'0' } else { b' ' }; missing];
    padded.append(&mut text);
    padded
}

fn float(spec: &Spec, kind: u8, x: f64) -> Vec<u8> {
    if kind == b'F' {
        let text = match spec.precision {
            Some(precision) => show::digits_of(x, precision.max(1)),
            None => show::digits_of(x, 12),
        };
        let text = match x {
            _ if x.is_infinite() => if x > 0.0 { "infinity" } else { "neg_infinity" }.to_owned(),
            _ => text,
        };
        return pad(spec, text.into_bytes(), false);
    }
    let before = sign(spec, x.is_sign_negative() && !x.is_nan());
    let magnitude = x.abs();
    if !x.is_finite() {
        let text = if x.is_nan() { "nan" } else { "inf" };
        return pad(spec, format!("{before}{text}").into_bytes(), false);
    }
    let precision = spec.precision.unwrap_or(6);
    let text = match kind {
        b'f' => format!("{magnitude:.precision$}"),
        b'e' | b'E' => scientific(magnitude, precision),
        _ => {
            let text = show::digits_of(magnitude, precision.max(1));
            text.trim_end_matches('.').to_owned()
        }
    };
    let text = if matches!(kind, b'E' | b'G') {
        text.to_uppercase()
    } else {
        text
    };
    number(spec, before, text, None)
}

/// As C's `%e`.
fn scientific(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}
