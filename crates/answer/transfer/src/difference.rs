//! Where two lists differ: ratios of the benchmarks that both have a time for.

use std::collections::BTreeMap;

use pricetag_finding::{BenchmarkRatio, FINDING_SCHEMA, GroupRatio, PlatformDifference, Ratios};
use pricetag_platform::{Benchmark, PlatformList, mode};
use pricetag_quantity::{median, quantile};

use crate::TransferError;

/// Spread of the lists' ratios below which they differ evenly.
pub(crate) const EVEN: f64 = 0.25;
/// Fewest shared benchmarks that a ratio is made of.
pub(crate) const LEAST_SHARED: usize = 10;
/// Benchmarks shown by themselves.
const EXTREMES: usize = 8;

/// A benchmark of both lists.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'l> {
    /// In the first list.
    pub here: &'l Benchmark,
    /// ns here.
    pub ns: f64,
    /// ns there.
    pub there: f64,
    /// log(there / here).
    pub log: f64,
    /// Standard deviation of that by both lists' scatter.
    pub noise: f64,
}

/// Benchmarks that both lists have a time for, in the order of the first.
pub fn shared<'l>(here: &'l PlatformList, there: &PlatformList) -> Vec<Shared<'l>> {
    let times: BTreeMap<&str, (f64, f64)> = there
        .benchmarks
        .iter()
        .filter_map(|b| Some((b.name.as_str(), (b.ns.filter(|n| *n > 0.0)?, b.spread))))
        .collect();
    here.benchmarks
        .iter()
        .filter_map(|b| {
            let ns = b.ns.filter(|n| *n > 0.0)?;
            let (there, spread) = *times.get(b.name.as_str())?;
            Some(Shared {
                here: b,
                ns,
                there,
                log: (there / ns).ln(),
                noise: b.spread.hypot(spread),
            })
        })
        .collect()
}

/// Median, spread, noise and correlation of pairs of times.
pub(crate) fn ratios(pairs: &[(f64, f64)], noise: f64) -> Option<Ratios> {
    let logs: Vec<f64> = pairs.iter().map(|(a, b)| (b / a).ln()).collect();
    let ratios: Vec<f64> = pairs.iter().map(|(a, b)| b / a).collect();
    Some(Ratios {
        count: pairs.len() as u32,
        median: median(&ratios)?,
        spread: quantile(&logs, 0.75)? - quantile(&logs, 0.25)?,
        noise,
        correlation: correlation(pairs),
    })
}

fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let logs: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (a.ln(), b.ln())).collect();
    let (ma, mb) = logs
        .iter()
        .fold((0.0, 0.0), |m, l| (m.0 + l.0 / n, m.1 + l.1 / n));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in &logs {
        ab += (a - ma) * (b - mb);
        aa += (a - ma).powi(2);
        bb += (b - mb).powi(2);
    }
    let found = ab / (aa * bb).sqrt();
    (pairs.len() > 2 && found.is_finite()).then_some(found)
}

/// Refuses what no ratio can be made of.
pub(crate) fn check(here: &PlatformList, there: &PlatformList) -> Result<(), TransferError> {
    let arch = |list: &PlatformList| list.platform.get("arch").cloned();
    if let (Some(a), Some(b)) = (arch(here), arch(there))
        && a != b
    {
        return Err(TransferError::Architecture { here: a, there: b });
    }
    Ok(())
}

/// Compares two lists.
///
/// # Errors
/// If they are of different architectures, or share too little.
pub fn differ(
    here: &PlatformList,
    there: &PlatformList,
) -> Result<PlatformDifference, TransferError> {
    check(here, there)?;
    let both = shared(here, there);
    let prices = price_ratios(here, there);
    if both.len() < LEAST_SHARED && prices.is_none() {
        return Err(TransferError::TooFew {
            shared: both.len(),
            least: LEAST_SHARED,
        });
    }
    let pairs: Vec<(f64, f64)> = both.iter().map(|s| (s.ns, s.there)).collect();
    let noises: Vec<f64> = both.iter().map(|s| s.noise).collect();
    let benchmarks = ratios(&pairs, 1.349 * median(&noises).unwrap_or(0.0));
    let middle = benchmarks.map_or(0.0, |b| b.median.ln());
    let mut extremes: Vec<BenchmarkRatio> = both.iter().map(one).collect();
    extremes.sort_by(|a, b| {
        let far = |r: &BenchmarkRatio| (r.ratio.ln() - middle).abs();
        far(b).total_cmp(&far(a)).then_with(|| a.name.cmp(&b.name))
    });
    extremes.truncate(EXTREMES);
    Ok(PlatformDifference {
        schema: FINDING_SCHEMA,
        here: here.title(),
        there: there.title(),
        verdict: verdict(here, there, benchmarks.as_ref()),
        benchmarks,
        prices,
        groups: groups(&both),
        extremes,
        missing: missing(here, there),
        program: None,
    })
}

fn one(shared: &Shared<'_>) -> BenchmarkRatio {
    BenchmarkRatio {
        name: shared.here.name.clone(),
        ns: (shared.ns, shared.there),
        ratio: shared.there / shared.ns,
    }
}

fn price_ratios(here: &PlatformList, there: &PlatformList) -> Option<Ratios> {
    let other = there.by_feature();
    let pairs: Vec<(f64, f64)> = here
        .by_feature()
        .into_iter()
        .filter_map(|(name, a)| Some((a, *other.get(name)?)))
        .filter(|(a, b)| *a > 0.0 && *b > 0.0)
        .collect();
    (!pairs.is_empty()).then(|| ratios(&pairs, 0.0)).flatten()
}

fn verdict(here: &PlatformList, there: &PlatformList, ratios: Option<&Ratios>) -> String {
    let Some(ratios) = ratios else {
        return "the lists share no benchmark, only prices".to_owned();
    };
    let modes = (mode(&here.platform), mode(&there.platform));
    let factor = ratios.spread.exp();
    let mut text = if ratios.spread < EVEN {
        format!(
            "they differ evenly: times there are {:.2} times those here, half of the benchmarks within a factor of {factor:.2} of each other",
            ratios.median
        )
    } else {
        format!(
            "they differ unevenly: times there are {:.2} times those here in the median, half of the benchmarks within a factor of {factor:.2} of each other",
            ratios.median
        )
    };
    if ratios.noise >= 0.8 * ratios.spread {
        text.push_str("; the lists' own scatter explains most of that");
    }
    if modes.0 != modes.1 {
        text.push_str("; one is ");
        text.push_str(modes.0.words());
        text.push_str(", the other ");
        text.push_str(modes.1.words());
    }
    text
}

fn groups(both: &[Shared<'_>]) -> Vec<GroupRatio> {
    let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
    for shared in both {
        let ratio = shared.there / shared.ns;
        match groups.iter_mut().find(|(g, _)| *g == shared.here.group) {
            Some((_, ratios)) => ratios.push(ratio),
            None => groups.push((shared.here.group.clone(), vec![ratio])),
        }
    }
    groups
        .into_iter()
        .filter_map(|(group, ratios)| {
            Some(GroupRatio {
                group,
                count: ratios.len() as u32,
                median: median(&ratios)?,
                range: (
                    ratios.iter().copied().fold(f64::INFINITY, f64::min),
                    ratios.iter().copied().fold(0.0, f64::max),
                ),
            })
        })
        .collect()
}

fn missing(here: &PlatformList, there: &PlatformList) -> Vec<String> {
    let one_sided = |from: &PlatformList, other: &PlatformList, side: &str| {
        let lacking = from.benchmarks.iter().filter(|b| b.ns.is_some());
        let lacking = lacking.filter(|b| other.time(&b.name).is_none());
        lacking
            .map(|b| {
                let why = other.benchmarks.iter().find(|o| o.name == b.name);
                match why.and_then(|o| o.refused.as_ref()) {
                    Some(why) => format!("{} ({side}: {why})", b.name),
                    None => format!("{} (not measured {side})", b.name),
                }
            })
            .collect::<Vec<_>>()
    };
    let mut out = one_sided(here, there, "there");
    out.extend(one_sided(there, here, "here"));
    out
}
