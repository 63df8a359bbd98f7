//! Values of options as text.

use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use pricetag_cost_model::Formula;
use pricetag_dataset::{FeatureKind, Missing};
use pricetag_file::raw;
use pricetag_study::{Filter, Lambda, Level, Method, Parsimony, Prefer, Signs};
use pricetag_trace::Pattern;

/// A name in `--features`; `calls`, which is recorded beside features, stands for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureGroup(pub Vec<FeatureKind>);

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if key.is_empty() {
        Err("the name is empty".to_owned())
    } else {
        Ok((key.to_owned(), value.to_owned()))
    }
}

/// A word for the subject, of any bytes.
pub fn word() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|word| raw::text(&word))
}

/// The same of a variable and its value.
pub fn variable() -> impl TypedValueParser<Value = (String, String)> {
    OsStringValueParser::new().try_map(|pair| key_value(&raw::text(&pair)))
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

/// `500M`, `8G`, `1.5 GiB`; bytes without unit.
pub fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let shift = match text[split..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        unit => return Err(format!("`{unit}` is none of K, M, G, T")),
    };
    let number = text[..split].trim().parse::<f64>();
    let size = number.map_err(|_| format!("`{text}` is no size"))? * (1_u64 << shift) as f64;
    if (1.0..1e18).contains(&size) {
        Ok(size as u64)
    } else {
        Err("must be a byte at least".to_owned())
    }
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

/// Values recorded of a variable: 1 … 1000.
pub fn versions(text: &str) -> Result<u16, String> {
    match text.trim().parse() {
        Ok(0) => {
            Err("to record no values leave --values out, and `values` out of --features".to_owned())
        }
        Ok(number @ 1..=1000) => Ok(number),
        _ => Err("expected a number from 1 to 1000".to_owned()),
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

pub fn prefer(text: &str) -> Result<Prefer, String> {
    text.parse()
        .map_err(|e: pricetag_study::UnknownName| e.to_string())
}

pub fn parsimony(text: &str) -> Result<Parsimony, String> {
    text.parse()
        .map_err(|e: pricetag_study::UnknownName| e.to_string())
}

pub fn signs(text: &str) -> Result<Signs, String> {
    text.parse()
        .map_err(|e: pricetag_study::UnknownName| e.to_string())
}

/// `min`, `1se` or a number.
pub fn lambda(text: &str) -> Result<Lambda, String> {
    match text {
        "min" => Ok(Lambda::Minimum),
        "1se" => Ok(Lambda::OneStandardError),
        _ => match text.parse() {
            Ok(value) if value >= 0.0 => Ok(Lambda::Value(value)),
            _ => Err("expected `min`, `1se` or a number ≥ 0".to_owned()),
        },
    }
}

pub fn formula(text: &str) -> Result<Formula, String> {
    Formula::parse(text).map_err(|e| e.to_string())
}

fn number(text: &str) -> Result<f64, String> {
    let value: f64 = text
        .trim()
        .parse()
        .map_err(|_| format!("`{text}` is no number"))?;
    if value.is_nan() {
        return Err("NaN is no value".to_owned());
    }
    Ok(value)
}

/// `k1=1`.
pub fn assignment(text: &str) -> Result<(String, f64), String> {
    let (name, value) = key_value(text)?;
    Ok((name, number(&value)?))
}

/// `k1=0..10`, `k1=0..` or `k1=..10`.
pub fn range(text: &str) -> Result<(String, (f64, f64)), String> {
    let (name, ends) = key_value(text)?;
    let (low, high) = ends.split_once("..").ok_or("expected NAME=LOW..HIGH")?;
    let end = |text: &str, open: f64| {
        if text.trim().is_empty() {
            Ok(open)
        } else {
            number(text)
        }
    };
    let (low, high) = (end(low, f64::NEG_INFINITY)?, end(high, f64::INFINITY)?);
    if low > high {
        return Err(format!("{low} is above {high}"));
    }
    Ok((name, (low, high)))
}

/// `correlation`, `correlation=0.3`, `vif`, `vif=10`.
pub fn filter(text: &str) -> Result<Filter, String> {
    let (name, most) = match text.split_once('=') {
        Some((name, most)) => (name, Some(number(most)?)),
        None => (text, None),
    };
    match name {
        "correlation" => {
            let most = most.unwrap_or(0.3);
            if (0.0..=1.0).contains(&most) {
                Ok(Filter::Correlation(most))
            } else {
                Err("a correlation lies between 0 and 1".to_owned())
            }
        }
        "vif" => {
            let most = most.unwrap_or(10.0);
            if most >= 1.0 {
                Ok(Filter::Inflation(most))
            } else {
                Err("a variance inflation is at least 1".to_owned())
            }
        }
        _ => Err(format!("`{name}` is neither `correlation` nor `vif`")),
    }
}

pub fn missing(text: &str) -> Result<Missing, String> {
    let named = Missing::NAMES.iter().find(|(name, _)| *name == text);
    let names = Missing::NAMES.map(|(name, _)| name).join(", ");
    named
        .map(|(_, choice)| *choice)
        .ok_or_else(|| format!("expected one of {names}"))
}

pub fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [one] => Ok(*one),
        b"\\t" | b"tab" => Ok(b'\t'),
        _ => Err("expected one character, or `tab`".to_owned()),
    }
}

/// What is recorded on request: kinds of features, or every invocation.
pub fn recorded(text: &str) -> Result<FeatureGroup, String> {
    match text.trim() {
        "calls" => Ok(FeatureGroup(Vec::new())),
        _ => feature_kinds(text).map_err(|error| format!("{error}, calls")),
    }
}

pub fn feature_kinds(text: &str) -> Result<FeatureGroup, String> {
    let kinds = match text.trim() {
        "opcodes" => vec![FeatureKind::Opcode, FeatureKind::Call],
        "blocks" => vec![FeatureKind::Block],
        "methods" => vec![FeatureKind::Method],
        "context" => vec![FeatureKind::Context],
        "lines" => vec![FeatureKind::Line],
        "loops" => vec![FeatureKind::Loop],
        "branches" => vec![FeatureKind::Branch],
        "transitions" => vec![FeatureKind::Transition],
        "strides" => vec![FeatureKind::Stride],
        "exceptions" => vec![FeatureKind::Exception],
        "values" => vec![FeatureKind::Value],
        _ => {
            return Err(format!(
                "`{text}` is none of opcodes, blocks, methods, context, lines, loops, branches, transitions, strides, exceptions, values"
            ));
        }
    };
    Ok(FeatureGroup(kinds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_values_are_had_by_leaving_them_out() {
        assert_eq!((versions("1"), versions("1000")), (Ok(1), Ok(1000)));
        let none = versions("0").unwrap_err();
        assert!(none.contains("`values` out of --features"), "{none}");
        for wrong in ["1001", "-1", "many", "70000"] {
            assert_eq!(
                versions(wrong),
                Err("expected a number from 1 to 1000".to_owned())
            );
        }
    }

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

    #[test]
    fn what_methods_are_told_is_read() {
        assert_eq!(lambda("1se"), Ok(Lambda::OneStandardError));
        assert_eq!(lambda("0.5"), Ok(Lambda::Value(0.5)));
        assert!(lambda("-1").is_err() && lambda("most").is_err());
        assert_eq!(assignment("k1=-2e3"), Ok(("k1".to_owned(), -2e3)));
        assert!(assignment("k1").is_err() && assignment("k1=x").is_err());
        assert_eq!(range("k=0..10"), Ok(("k".to_owned(), (0.0, 10.0))));
        assert_eq!(
            range("k=..1"),
            Ok(("k".to_owned(), (f64::NEG_INFINITY, 1.0)))
        );
        assert!(range("k=2..1").is_err() && range("k=2").is_err());
        assert_eq!(filter("correlation"), Ok(Filter::Correlation(0.3)));
        assert_eq!(filter("vif=5"), Ok(Filter::Inflation(5.0)));
        assert!(filter("correlation=2").is_err() && filter("ridge").is_err());
    }
}
