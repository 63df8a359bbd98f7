//! The list itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Facts;

/// Version of the file.
pub const PLATFORM_SCHEMA: u32 = 1;
/// What tells it from the other JSON files of Pricetag.
pub const PLATFORM_KIND: &str = "platform-prices";

/// Scatter from which on a list is not worth keeping.
const WORTHLESS: f64 = 0.2;

/// What one platform charges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlatformList {
    /// [`PLATFORM_SCHEMA`].
    pub schema: u32,
    /// [`PLATFORM_KIND`].
    pub kind: String,
    /// The platform, in the words that datasets use: `cpu`, `jvm_version`, `flags`, …; besides `mode`, `collector`, `caches`.
    pub platform: Facts,
    /// Digest of the benchmark programs; lists of different suites share those whose names they share.
    pub suite: String,
    /// How it was measured.
    pub measuring: Measuring,
    /// The benchmarks, in the order of the suite.
    pub benchmarks: Vec<Benchmark>,
    /// Prices of what the benchmarks count, learnt from all of them together.
    pub prices: Vec<ListedPrice>,
    /// How those fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// What to know.
    pub notes: Vec<String>,
    /// Version of the program that wrote it.
    pub pricetag: String,
}

/// How a list was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measuring {
    /// JVMs started.
    pub rounds: u32,
    /// Samples of each benchmark in each of them.
    pub samples: u32,
    /// `thread CPU time`, or what was read instead.
    pub clock: String,
    /// Runnable processes per core before and after.
    pub load: Vec<f64>,
    /// Spread of equal pieces of work, relative to their median, before and after.
    pub unsteadiness: Vec<f64>,
    /// Seconds that it took.
    pub seconds: f64,
    /// Seconds since the Unix epoch.
    pub created: u64,
}

/// One benchmark program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Its name, unique.
    pub name: String,
    /// What it belongs to: `arithmetic`, `calls`, `text`, …
    pub group: String,
    /// Time of one step, ns: median over rounds of medians over samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    /// Standard deviation of the logarithm of that time, from the rounds.
    #[serde(default)]
    pub spread: f64,
    /// Why there is no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What one step executes, by the names that datasets use.
    #[serde(default)]
    pub counts: BTreeMap<String, f64>,
}

/// A price of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListedPrice {
    /// The feature, `+ n more` if the benchmarks cannot tell it from others.
    pub name: String,
    /// All of them; a unit of the bucket has so many of each.
    pub members: Vec<(String, f64)>,
    /// ns per unit; none where the benchmarks do not determine it.
    pub ns: Option<f64>,
    /// What the fit says where that is too uncertain to be a price by itself; in sums over many features it serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    /// Interval at 95 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(f64, f64)>,
    /// Benchmarks that count it.
    pub support: u32,
    /// Why there is no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How prices fit the benchmarks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Benchmarks fitted.
    pub rows: u32,
    /// Features that they count.
    pub features: u32,
    /// Buckets, features that no benchmark tells apart being one.
    pub buckets: u32,
    /// Numerical rank of the counts, rows scaled to time 1.
    pub rank: u32,
    /// Median of |fitted − measured| / measured.
    pub median_error: f64,
    /// 90th percentile of the same.
    pub p90_error: f64,
}

impl PlatformList {
    /// The benchmark of that name, if it has a time.
    pub fn time(&self, name: &str) -> Option<f64> {
        let found = self.benchmarks.iter().find(|b| b.name == name)?;
        found.ns.filter(|ns| *ns > 0.0)
    }

    /// Median scatter of benchmarks from one JVM to the next, as a share.
    pub fn scatter(&self) -> f64 {
        let spreads: Vec<f64> = self
            .benchmarks
            .iter()
            .filter(|b| b.ns.is_some())
            .map(|b| b.spread)
            .collect();
        pricetag_quantity::median(&spreads).unwrap_or(0.0)
    }

    /// Why the list says nothing, if it was measured on a machine too busy for that.
    pub fn worthless(&self) -> Option<String> {
        let scatter = self.scatter();
        (scatter > WORTHLESS).then(|| {
            format!(
                "the machine is too busy: equal benchmarks differ by {:.0} % in the median from one JVM to the next",
                scatter * 100.0
            )
        })
    }

    /// Price of each feature by itself, uncertain ones among them: a bucket's price is spread over its members in proportion, one share
    /// each.
    pub fn by_feature(&self) -> BTreeMap<&str, f64> {
        let mut out = BTreeMap::new();
        for price in &self.prices {
            let Some(ns) = price.ns.or(price.estimate) else {
                continue;
            };
            let shares = price.members.len().max(1) as f64;
            for (member, amount) in &price.members {
                if *amount > 0.0 {
                    out.insert(member.as_str(), ns / shares / amount);
                }
            }
        }
        out
    }

    /// The platform in a few words: CPU, JVM, mode, collector.
    pub fn title(&self) -> String {
        let fact = |name: &str| self.platform.get(name).map_or("?", String::as_str);
        let design = self.platform.contains_key("cpu_family").then(|| {
            format!(
                " (family {}, model {})",
                fact("cpu_family"),
                fact("cpu_model")
            )
        });
        format!(
            "{}{}, JDK {}, {}, {}",
            fact("cpu"),
            design.unwrap_or_default(),
            crate::java_release(&self.platform)
                .map_or_else(|| fact("jvm_version").to_owned(), |n| n.to_string()),
            crate::mode(&self.platform).words(),
            crate::collector(&self.platform).words()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_a_machine_that_is_too_busy_is_worthless() {
        let with = |spread: f64| PlatformList {
            benchmarks: (0..5)
                .map(|i| Benchmark {
                    ns: Some(1.0),
                    spread: spread * f64::from(i) / 2.0,
                    ..Benchmark::default()
                })
                .collect(),
            ..PlatformList::default()
        };
        assert_eq!(with(0.1).worthless(), None);
        let why = with(0.3).worthless().unwrap();
        assert!(why.contains("too busy") && why.contains("30 %"), "{why}");
    }

    #[test]
    fn the_price_of_a_bucket_is_spread_over_its_members() {
        let list = PlatformList {
            prices: vec![ListedPrice {
                members: vec![("a".into(), 1.0), ("b".into(), 4.0)],
                ns: Some(6.0),
                ..ListedPrice::default()
            }],
            ..PlatformList::default()
        };
        // One a and four b, as the benchmarks have them, cost 6 together.
        let prices = list.by_feature();
        assert_eq!(prices["a"] + 4.0 * prices["b"], 6.0);
    }
}
