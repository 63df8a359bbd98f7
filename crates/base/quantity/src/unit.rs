//! Numbers with units, for people: three significant digits and a prefix that keeps the figure short.
//!
//! Base units are `ns`, `byte` and `1`; any other unit is printed as it is named. Bytes use decimal prefixes (SI), as
//! disks and networks do. Trailing zeros are dropped: `5 ms`, `4.2 MB`, `12.3 ms`.

use crate::Interval;

/// Steps of a unit: `(size in base units, symbol)`, ascending.
type Scale = &'static [(f64, &'static str)];

const TIME: Scale = &[
    (1.0, "ns"),
    (1e3, "µs"),
    (1e6, "ms"),
    (1e9, "s"),
    (60e9, "min"),
    (3600e9, "h"),
];
const BYTES: Scale = &[
    (1.0, "B"),
    (1e3, "kB"),
    (1e6, "MB"),
    (1e9, "GB"),
    (1e12, "TB"),
];
const COUNT: Scale = &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")];

/// Digits shown.
const DIGITS: i32 = 3;

fn scale_of(unit: &str) -> Option<Scale> {
    match unit {
        "ns" => Some(TIME),
        "byte" | "bytes" => Some(BYTES),
        "1" | "" => Some(COUNT),
        _ => None,
    }
}

/// `value` (in base units of `unit`) with a fitting prefix and three significant digits: `12.3 ms`, `4.2 MB`, `17 k`.
pub fn human(value: f64, unit: &str) -> String {
    let Some(scale) = scale_of(unit) else {
        return format!("{} {unit}", significant(value));
    };
    if !value.is_finite() {
        return significant(value);
    }
    let (size, symbol) = step_for(value, scale);
    join(&significant(value / size), symbol)
}

/// Both bounds with one common prefix: `1.2–3.4 ms`.
pub fn human_interval(interval: Interval, unit: &str) -> String {
    let (low, high) = (interval.low, interval.high);
    let Some(scale) = scale_of(unit) else {
        return join(&format!("{}–{}", significant(low), significant(high)), unit);
    };
    let largest = if high.is_finite() { high.abs() } else { 0.0 }.max(if low.is_finite() {
        low.abs()
    } else {
        0.0
    });
    let (size, symbol) = step_for(largest, scale);
    join(
        &format!("{}–{}", significant(low / size), significant(high / size)),
        symbol,
    )
}

/// `value` with three significant digits and no unit; integers up to 999 stay whole.
pub fn significant(value: f64) -> String {
    if value.is_nan() {
        return "not a number".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let rounded = round_significant(value);
    let exponent = exponent_of(rounded);
    if !(-4..15).contains(&exponent) {
        return format!("{rounded:e}");
    }
    let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
    let text = format!("{rounded:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn join(number: &str, symbol: &str) -> String {
    if symbol.is_empty() {
        number.to_owned()
    } else {
        format!("{number} {symbol}")
    }
}

/// The largest step not above the rounded value, so that 999.6 ns reads 1 µs; the first step for smaller ones.
/// Seconds are kept up to two minutes and minutes up to two hours, as people do.
fn step_for(value: f64, scale: Scale) -> (f64, &'static str) {
    let magnitude = round_significant(value.abs());
    let from = |step: &(f64, &str)| match step.1 {
        "min" | "h" => 2.0 * step.0,
        _ => step.0,
    };
    *scale
        .iter()
        .rev()
        .find(|step| magnitude >= from(step))
        .unwrap_or(&scale[0])
}

/// Decimal exponent of a finite non-zero value, as printed (the logarithm is off by one near powers of ten).
fn exponent_of(value: f64) -> i32 {
    let text = format!("{value:e}");
    text.rsplit('e')
        .next()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

fn round_significant(value: f64) -> f64 {
    let digits = usize::try_from(DIGITS - 1).unwrap_or(0);
    format!("{value:.digits$e}").parse().unwrap_or(value)
}

/// A count with its noun: `1 row`, `3 rows`; the plural is the noun with an s, or its y as ies.
pub fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (ns, text) in [
            (0.0, "0 ns"),
            (0.349, "0.349 ns"),
            (5.0, "5 ns"),
            (999.4, "999 ns"),
            (999.6, "1 µs"),
            (12_345_678.0, "12.3 ms"),
            (1.5e9, "1.5 s"),
            (119e9, "119 s"),
            (150e9, "2.5 min"),
            (7200e9, "2 h"),
            (-12_345_678.0, "-12.3 ms"),
        ] {
            assert_eq!(human(ns, "ns"), text);
        }
    }

    #[test]
    fn bytes_counts_and_others() {
        assert_eq!(human(4_200_000.0, "byte"), "4.2 MB");
        assert_eq!(human(17.0, "byte"), "17 B");
        assert_eq!(human(17_000.0, "1"), "17 k");
        assert_eq!(human(17.0, "1"), "17");
        assert_eq!(human(17.26, "widget"), "17.3 widget");
        assert_eq!(human(f64::INFINITY, "ns"), "∞");
        assert_eq!(human(f64::NAN, "1"), "not a number");
    }

    #[test]
    fn extremes_keep_three_digits() {
        assert_eq!(significant(0.000_123_44), "0.000123");
        assert_eq!(significant(0.000_012_34), "1.23e-5");
        assert_eq!(significant(1.234e20), "1.23e20");
        assert_eq!(significant(123_456.0), "123000");
    }

    #[test]
    fn intervals_share_a_prefix() {
        let i = Interval {
            low: 900_000.0,
            high: 1_234_567.0,
        };
        assert_eq!(human_interval(i, "ns"), "0.9–1.23 ms");
        let open = Interval {
            low: 2.0,
            high: f64::INFINITY,
        };
        assert_eq!(human_interval(open, "ns"), "2–∞ ns");
    }
}
