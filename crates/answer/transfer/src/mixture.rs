//! The mixture of benchmarks that a program resembles.
//!
//! A program and a benchmark are points in the space of what their time is made of here: shares of counts × prices by feature. The mixture is the convex combination
//! of benchmarks nearest to the program: min ‖Σ sₖ·uₖ − v‖² + λ‖s‖² with sₖ ≥ 0, Σ sₖ = 1, by projected gradients. Without the constraints mixtures explode on programs
//! unlike any benchmark. λ keeps twins from taking turns.

use std::collections::BTreeMap;

use pricetag_quantity::median;

use crate::difference::Shared;

const RIDGE: f64 = 1e-3;
const STEPS: usize = 4000;
/// Weight of the mixture against the median of all benchmarks, and least standard deviation of the logarithm that is believed.
const TRUST: f64 = 0.7;

/// A mixture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mixture {
    /// Benchmarks with their shares, the largest first.
    pub shares: Vec<(String, f64)>,
    /// log of the ratio that it says.
    pub log: f64,
    /// Standard deviation of that.
    pub deviation: f64,
    /// Share of the program's cost here that has prices, 0 … 1; only what is counted can be looked at.
    pub covered: f64,
}

/// Finds it. None where nothing that the program counts has a price.
pub fn mixture(
    total: &BTreeMap<String, f64>,
    prices: &BTreeMap<&str, f64>,
    both: &[Shared<'_>],
) -> Option<Mixture> {
    let target = shares(total, prices)?;
    let members: Vec<(usize, BTreeMap<&str, f64>)> = both
        .iter()
        .enumerate()
        .filter_map(|(i, b)| Some((i, shares(&b.here.counts, prices)?)))
        .collect();
    let rows: Vec<&str> = {
        let mut names: Vec<&str> = target.keys().copied().collect();
        names.extend(members.iter().flat_map(|(_, m)| m.keys().copied()));
        names.sort_unstable();
        names.dedup();
        names
    };
    let vector = |m: &BTreeMap<&str, f64>| -> Vec<f64> {
        rows.iter()
            .map(|r| m.get(r).copied().unwrap_or(0.0))
            .collect()
    };
    let v = vector(&target);
    let u: Vec<Vec<f64>> = members.iter().map(|(_, m)| vector(m)).collect();
    let weights = nearest(&u, &v)?;
    let logs: Vec<f64> = both.iter().map(|b| b.log).collect();
    let middle = median(&logs)?;
    let weighted = |f: &dyn Fn(usize) -> f64| -> f64 {
        members
            .iter()
            .zip(&weights)
            .map(|((i, _), w)| w * f(*i))
            .sum()
    };
    let own = weighted(&|i| both[i].log);
    let scatter = weighted(&|i| (both[i].log - own).powi(2)).sqrt();
    let noise = weighted(&|i| both[i].noise.powi(2)).sqrt();
    // How far the program stays from all mixtures: 0 inside, up to √2.
    let mut left = v.clone();
    for (column, w) in u.iter().zip(&weights) {
        for (l, c) in left.iter_mut().zip(column) {
            *l -= w * c;
        }
    }
    let far = left.iter().map(|l| l * l).sum::<f64>().sqrt();
    let deviations: Vec<f64> = logs.iter().map(|l| (l - middle).abs()).collect();
    let all = 1.4826 * median(&deviations)?;
    let mut named: Vec<(String, f64)> = members
        .iter()
        .zip(&weights)
        .filter(|(_, w)| **w > 0.005)
        .map(|((i, _), w)| (both[*i].here.name.clone(), *w))
        .collect();
    named.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let log = TRUST * own + (1.0 - TRUST) * middle;
    let parts = [scatter / 2.0_f64.sqrt(), noise, far * all, log - own];
    Some(Mixture {
        shares: named,
        log,
        deviation: parts.iter().map(|p| p * p).sum::<f64>().sqrt(),
        covered: covered(total, prices),
    })
}

/// What of the time each feature carries.
fn shares<'p>(
    counts: &BTreeMap<String, f64>,
    prices: &BTreeMap<&'p str, f64>,
) -> Option<BTreeMap<&'p str, f64>> {
    let costs: BTreeMap<&'p str, f64> = prices
        .iter()
        .filter_map(|(name, price)| Some((*name, counts.get(*name)? * price)))
        .filter(|(_, cost)| *cost > 0.0)
        .collect();
    let all: f64 = costs.values().sum();
    (all > 0.0).then(|| costs.into_iter().map(|(n, c)| (n, c / all)).collect())
}

/// Share of executions that have a price.
fn covered(counts: &BTreeMap<String, f64>, prices: &BTreeMap<&str, f64>) -> f64 {
    let all: f64 = counts.values().sum();
    let priced = counts
        .iter()
        .filter(|(n, _)| prices.contains_key(n.as_str()));
    let priced: f64 = priced.map(|(_, c)| c).sum();
    if all > 0.0 { priced / all } else { 0.0 }
}

/// Shares of the convex combination of columns that is nearest to a vector.
fn nearest(columns: &[Vec<f64>], target: &[f64]) -> Option<Vec<f64>> {
    let n = columns.len();
    if n == 0 {
        return None;
    }
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
    let gram: Vec<Vec<f64>> = columns
        .iter()
        .map(|a| columns.iter().map(|b| dot(a, b)).collect())
        .collect();
    let right: Vec<f64> = columns.iter().map(|a| dot(a, target)).collect();
    // The largest row sum bounds the curvature.
    let bound = gram
        .iter()
        .map(|row| row.iter().map(|g| g.abs()).sum::<f64>())
        .fold(0.0, f64::max)
        + RIDGE;
    let mut s = vec![1.0 / n as f64; n];
    let (mut before, mut momentum) = (s.clone(), 1.0_f64);
    for _ in 0..STEPS {
        // Nesterov's acceleration.
        let next = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
        let ahead: Vec<f64> = s
            .iter()
            .zip(&before)
            .map(|(s, b)| s + (momentum - 1.0) / next * (s - b))
            .collect();
        let moved: Vec<f64> = (0..n)
            .map(|k| ahead[k] - (dot(&gram[k], &ahead) - right[k] + RIDGE * ahead[k]) / bound)
            .collect();
        before = std::mem::replace(&mut s, onto_simplex(&moved));
        momentum = next;
    }
    Some(s)
}

/// The nearest point whose parts are not negative and add up to 1 (Held, Wolfe and Crowder 1974).
fn onto_simplex(point: &[f64]) -> Vec<f64> {
    let mut sorted = point.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (i, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (i + 1) as f64;
        if value - candidate > 0.0 {
            shift = candidate;
        }
    }
    point.iter().map(|p| (p - shift).max(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projection_is_the_nearest_point_of_the_simplex() {
        // By definition: any other point of a fine grid over the simplex is farther.
        let point = [0.9, 0.4, -0.3];
        let found = onto_simplex(&point);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let distance =
            |q: &[f64]| -> f64 { q.iter().zip(&point).map(|(a, b)| (a - b).powi(2)).sum() };
        for i in 0..=50 {
            for j in 0..=(50 - i) {
                let q = [
                    f64::from(i) / 50.0,
                    f64::from(j) / 50.0,
                    f64::from(50 - i - j) / 50.0,
                ];
                assert!(distance(&found) <= distance(&q) + 1e-12, "{q:?}");
            }
        }
    }

    #[test]
    fn a_planted_mixture_is_found() {
        let columns = vec![
            vec![1.0, 0.0, 0.0],
            vec![0.0, 1.0, 0.0],
            vec![0.2, 0.2, 0.6],
            vec![0.5, 0.5, 0.0],
        ];
        let planted = [0.6, 0.0, 0.4, 0.0];
        let target: Vec<f64> = (0..3)
            .map(|r| columns.iter().zip(planted).map(|(c, s)| s * c[r]).sum())
            .collect();
        let found = nearest(&columns, &target).unwrap();
        for (a, b) in found.iter().zip(planted) {
            assert!((a - b).abs() < 0.02, "{found:?}");
        }
    }
}
