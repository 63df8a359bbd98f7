//! What a benchmark may cost more: `1%`, `bytes=2%`, `calls:Slow*=5%`, `instructions=1000`.
//!
//! A limit is hard (beyond it the gate fails) or soft (beyond it the gate warns). Of several that fit, the last decides, so what is special
//! stands behind what is general. Without any nothing may be added.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::figure::Metric;

/// How much more than the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A share of the baseline, 0.01 for 1 %.
    Share(f64),
    /// So many more.
    Count(u64),
}

impl Amount {
    /// The most that is allowed where the baseline has so many at most.
    pub fn above(self, baseline: u64) -> u64 {
        match self {
            // What is allowed is whole counts: 1 % of 150 is one more.
            Self::Share(share) => baseline.saturating_add((baseline as f64 * share).floor() as u64),
            Self::Count(more) => baseline.saturating_add(more),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(share) => write!(f, "{}%", trimmed(share * 100.0)),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}

/// Without the noise of a product.
fn trimmed(percent: f64) -> f64 {
    (percent * 1e9).round() / 1e9
}

/// An allowance for some metrics of some benchmarks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Limit {
    /// All, if none is named.
    pub metric: Option<Metric>,
    /// Benchmarks by a pattern in which `*` stands for anything; all, if none is given.
    pub benchmarks: Option<String>,
    /// How much more.
    pub amount: Amount,
}

/// Why a text is no limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no limit: {why}; write 1%, bytes=2%, calls:NAME*=5%, or a number of counts such as instructions=1000"
)]
pub struct LimitError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |why| LimitError {
            text: text.to_owned(),
            why,
        };
        // A benchmark's name may have an equals sign in it.
        let (which, amount) = match text.rsplit_once('=') {
            Some(("", _)) => return Err(error("nothing stands before the equals sign")),
            Some((which, amount)) => (which, amount),
            None => ("", text),
        };
        let (metric, benchmarks) = match which.split_once(':') {
            Some((metric, benchmarks)) => (metric, Some(benchmarks.to_owned())),
            None => (which, None),
        };
        let metric = match metric {
            "" | "*" => None,
            name => Some(
                Metric::ALL
                    .into_iter()
                    .find(|metric| metric.name() == name)
                    .ok_or_else(|| error("the metrics are instructions, calls and bytes"))?,
            ),
        };
        let amount = amount.trim();
        let amount = match amount.strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent
                    .trim()
                    .parse()
                    .map_err(|_| error("the percentage is no number"))?;
                if !(percent.is_finite() && percent >= 0.0) {
                    return Err(error("a percentage is 0 or more"));
                }
                Amount::Share(percent / 100.0)
            }
            None => Amount::Count(
                amount
                    .parse()
                    .map_err(|_| error("the amount is neither a percentage nor a whole number"))?,
            ),
        };
        Ok(Self {
            metric,
            benchmarks,
            amount,
        })
    }
}

impl TryFrom<String> for Limit {
    type Error = LimitError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Limit> for String {
    fn from(limit: Limit) -> Self {
        limit.to_string()
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metric = self.metric.map_or("*", Metric::name);
        match (&self.benchmarks, self.metric) {
            (Some(benchmarks), _) => write!(f, "{metric}:{benchmarks}={}", self.amount),
            (None, Some(_)) => write!(f, "{metric}={}", self.amount),
            (None, None) => write!(f, "{}", self.amount),
        }
    }
}

impl Limit {
    fn fits(&self, metric: Metric, benchmark: &str) -> bool {
        let pattern = self.benchmarks.as_deref();
        self.metric.is_none_or(|own| own == metric)
            && pattern.is_none_or(|pattern| matches(pattern, benchmark))
    }
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Hard and soft limits of a suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Beyond these the gate fails.
    pub allow: Vec<Limit>,
    /// Beyond these it warns.
    pub warn: Vec<Limit>,
}

impl Limits {
    /// The amount beyond which the gate fails.
    pub fn hard(&self, metric: Metric, benchmark: &str) -> Amount {
        find(&self.allow, metric, benchmark).unwrap_or(Amount::Share(0.0))
    }

    /// The amount beyond which it warns, if there is one.
    pub fn soft(&self, metric: Metric, benchmark: &str) -> Option<Amount> {
        find(&self.warn, metric, benchmark)
    }

    /// Those whose pattern fits none of these benchmarks, as they are written.
    pub fn unused<'b>(
        &self,
        benchmarks: &(impl Iterator<Item = &'b String> + Clone),
    ) -> Vec<String> {
        let all = self.allow.iter().chain(&self.warn);
        let unused = all.filter(|limit| {
            let pattern = limit.benchmarks.as_deref();
            pattern.is_some_and(|pattern| !benchmarks.clone().any(|name| matches(pattern, name)))
        });
        unused.map(ToString::to_string).collect()
    }

    /// These, and behind them others, which win.
    #[must_use]
    pub fn then(mut self, allow: &[Limit], warn: &[Limit]) -> Self {
        self.allow.extend_from_slice(allow);
        self.warn.extend_from_slice(warn);
        self
    }
}

fn find(limits: &[Limit], metric: Metric, benchmark: &str) -> Option<Amount> {
    let fitting = limits.iter().rfind(|limit| limit.fits(metric, benchmark));
    fitting.map(|limit| limit.amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_fit_nothing_are_told() {
        let limit = |text: &str| text.parse::<Limit>().unwrap();
        let limits = Limits {
            allow: vec![limit("5%"), limit("instructions:in/fbi*=0%")],
            warn: vec![limit("calls:in/f*=1%")],
        };
        let benchmarks = ["in/fib.js".to_owned()];
        assert_eq!(
            limits.unused(&benchmarks.iter()),
            ["instructions:in/fbi*=0%"]
        );
        assert!("=1%".parse::<Limit>().is_err());
    }

    fn limit(text: &str) -> Limit {
        text.parse().unwrap()
    }

    #[test]
    fn limits_are_read_and_written_alike() {
        for text in [
            "1%",
            "bytes=0.5%",
            "calls:A#b*=5%",
            "*:x=y=7",
            "12",
            "33.3%",
        ] {
            assert_eq!(limit(text).to_string(), text);
        }
        assert_eq!(limit("*=3%").to_string(), "3%");
        for (text, why) in [
            ("", "neither a percentage"),
            ("x%", "no number"),
            ("-1%", "0 or more"),
            ("inf%", "0 or more"),
            ("time=1%", "instructions, calls and bytes"),
            ("1.5", "neither a percentage"),
        ] {
            let error = text.parse::<Limit>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn the_last_limit_that_fits_decides() {
        let limits = Limits {
            allow: ["1%", "bytes=5%", "*:Slow*=100", "bytes:Slow*Map=7%"]
                .map(limit)
                .to_vec(),
            warn: Vec::new(),
        };
        let hard = |metric, name| limits.hard(metric, name);
        assert_eq!(hard(Metric::Calls, "Fast"), Amount::Share(0.01));
        assert_eq!(hard(Metric::Bytes, "Fast"), Amount::Share(0.05));
        assert_eq!(hard(Metric::Bytes, "SlowList"), Amount::Count(100));
        assert_eq!(hard(Metric::Bytes, "SlowTreeMap"), Amount::Share(0.07));
        assert_eq!(
            Limits::default().hard(Metric::Calls, "x"),
            Amount::Share(0.0)
        );
        assert_eq!(Amount::Share(0.01).above(150), 151);
        assert_eq!(Amount::Share(0.01).above(99), 99);
        assert_eq!(Amount::Count(5).above(u64::MAX), u64::MAX);
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, fits) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*a", "a", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
