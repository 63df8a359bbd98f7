//! Values of options as text.

use std::time::Duration;

use pricetag_dataset::FeatureKind;
use pricetag_study::{Level, Method};
use pricetag_trace::Pattern;

/// A name in `--features`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureGroup(pub Vec<FeatureKind>);

pub fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if key.is_empty() {
        Err("the name is empty".to_owned())
    } else {
        Ok((key.to_owned(), value.to_owned()))
    }
}

/// `30`, `1.5s`, `500ms`, `10m`, `2h`; seconds without unit.
pub fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let scale = match text[split..].trim() {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        unit => return Err(format!("`{unit}` is none of ms, s, m, h")),
    };
    let value: f64 = text[..split]
        .trim()
        .parse()
        .map_err(|_| format!("`{text}` is no time"))?;
    Duration::try_from_secs_f64(value * scale)
        .ok()
        .filter(|d| !d.is_zero())
        .ok_or_else(|| "must be longer than nothing".to_owned())
}

/// `10%`, `10 %` or `0.1`; within 0 … 1.
pub fn fraction(text: &str) -> Result<f64, String> {
    let (number, scale) = text
        .trim()
        .strip_suffix('%')
        .map_or((text.trim(), 1.0), |n| (n.trim(), 100.0));
    let value: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is neither a percentage nor a fraction"))?;
    let value = value / scale;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err("must lie between 0 and 1, or 0 % and 100 %".to_owned())
    }
}

pub fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::new(text).map_err(|e| e.to_string())
}

pub fn level(text: &str) -> Result<Level, String> {
    text.parse()
        .map_err(|e: pricetag_study::UnknownName| e.to_string())
}

pub fn method(text: &str) -> Result<Method, String> {
    text.parse()
        .map_err(|e: pricetag_study::UnknownName| e.to_string())
}

pub fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [one] => Ok(*one),
        b"\\t" | b"tab" => Ok(b'\t'),
        _ => Err("expected one character, or `tab`".to_owned()),
    }
}

pub fn feature_kinds(text: &str) -> Result<FeatureGroup, String> {
    let kinds = match text.trim() {
        "opcodes" => vec![FeatureKind::Opcode, FeatureKind::Call],
        "blocks" => vec![FeatureKind::Block],
        "methods" => vec![FeatureKind::Method],
        "loops" => vec![FeatureKind::Loop],
        "branches" => vec![FeatureKind::Branch],
        "exceptions" => vec![FeatureKind::Exception],
        "values" | "calls" => return Err(format!("`{text}` cannot be recorded by this version")),
        _ => {
            return Err(format!(
                "`{text}` is none of opcodes, blocks, methods, loops, branches, exceptions"
            ));
        }
    };
    Ok(FeatureGroup(kinds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_percentages_are_read() {
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5 m"), Ok(Duration::from_secs(90)));
        assert!(
            duration("0").is_err()
                && duration("-1").is_err()
                && duration("3 days").is_err()
                && duration("nan").is_err()
        );
        assert_eq!(
            (fraction("10%"), fraction("10 %"), fraction("0.1")),
            (Ok(0.1), Ok(0.1), Ok(0.1))
        );
        assert!(fraction("110%").is_err() && fraction("x").is_err() && fraction("nan").is_err());
    }
}
