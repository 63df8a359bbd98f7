//! Prices of what benchmark programs count, out of one fit over all of them.
//!
//! min Σ Huber((log Σ Mₖⱼ·e^θⱼ − log τₖ)/0.3) + Σ ((θⱼ − μⱼ)/1.5)²/2, by damped Gauss-Newton steps: times differ by orders of magnitude, so errors are relative; prices are
//! positive by construction; what the benchmarks hardly determine stays near a guess μ, and is then given no price. Helper instructions need not be subtracted
//! (Krogmann et al. 2010, section 3.5): they are counted. What stands in fixed proportion in all benchmarks is one bucket. Least squares without
//! negative coefficients on relative errors was biased low, since many prices are far from additive. Limits: intervals are those of the curvature at the optimum.

use std::collections::{BTreeMap, BTreeSet};

use faer::linalg::solvers::{DenseSolveCore, Solve};
use faer::{Mat, Side};
use pricetag_estimator::{Bucket, Column, Design, Diagnosis, Values};
use pricetag_platform::{Benchmark, Fit, ListedPrice};
use pricetag_quantity::{median, quantile};

/// Standard deviations of log times about the model, and of log prices about the guess.
const MISFIT: f64 = 0.3;
const GUESS: f64 = 1.5;
/// Standard deviation above which a price is not determined.
const UNDETERMINED: f64 = 1.2;
/// Largest part of a guess: a call or a size carries this much of what its benchmark takes.
const OWN: f64 = 0.5;
const STEPS: usize = 200;
const Z: f64 = 1.96;

/// Prices with how they fit; none of less than two benchmarks with times and counts.
pub fn platform_prices(benchmarks: &[Benchmark]) -> Option<(Vec<ListedPrice>, Fit)> {
    let rows: Vec<(f64, &BTreeMap<String, f64>)> = benchmarks
        .iter()
        .filter_map(|b| Some((b.ns.filter(|n| *n > 0.0)?, &b.counts)))
        .filter(|(_, counts)| counts.values().any(|c| *c > 0.0))
        .collect();
    if rows.len() < 2 {
        return None;
    }
    let names: BTreeSet<&str> = rows
        .iter()
        .flat_map(|(_, counts)| counts.iter())
        .filter(|(_, count)| **count > 0.0)
        .map(|(name, _)| name.as_str())
        .collect();
    let columns = names.iter().map(|name| Column {
        name: (*name).to_owned(),
        values: Values::Dense(
            rows.iter()
                .map(|(ns, counts)| counts.get(*name).copied().unwrap_or(0.0) / ns)
                .collect(),
        ),
    });
    let design = Design::new(columns.collect(), vec![1.0; rows.len()])
        .check()
        .ok()?;
    let diagnosis = Diagnosis::of(&design);
    let buckets = &diagnosis.buckets.buckets;
    let matrix: Vec<Vec<f64>> = {
        let dense: Vec<Vec<f64>> = buckets
            .iter()
            .map(|b| design.columns[b.members[0]].values.to_dense(rows.len()))
            .collect();
        (0..rows.len())
            .map(|k| dense.iter().map(|column| column[k]).collect())
            .collect()
    };
    let guess = guesses(&matrix, buckets, &design);
    let (logs, deviations) = solve(&matrix, &guess)?;
    let prices = buckets
        .iter()
        .enumerate()
        .map(|(j, bucket)| price(bucket, &design, &matrix, j, logs[j], deviations[j]))
        .collect();
    let errors: Vec<f64> = matrix
        .iter()
        .map(|row| (fitted(row, &logs) - 1.0).abs())
        .collect();
    let fit = Fit {
        rows: rows.len() as u32,
        features: names.len() as u32,
        buckets: buckets.len() as u32,
        rank: diagnosis.rank as u32,
        median_error: median(&errors)?,
        p90_error: quantile(&errors, 0.9)?,
    };
    Some((prices, fit))
}

fn price(
    bucket: &Bucket,
    design: &Design,
    matrix: &[Vec<f64>],
    j: usize,
    log: f64,
    deviation: f64,
) -> ListedPrice {
    let determined = deviation < UNDETERMINED;
    let name = |at: usize| design.columns[at].name.clone();
    ListedPrice {
        name: bucket.name(design),
        members: bucket
            .members
            .iter()
            .zip(&bucket.ratios)
            .map(|(at, ratio)| (name(*at), *ratio))
            .collect(),
        ns: determined.then(|| log.exp()),
        estimate: (!determined).then(|| log.exp()),
        bounds: determined.then(|| ((log - Z * deviation).exp(), (log + Z * deviation).exp())),
        support: matrix.iter().filter(|row| row[j] > 0.0).count() as u32,
        note: (!determined).then(|| {
            "the benchmarks do not determine it: other features explain their times".to_owned()
        }),
    }
}

/// Σ counts × prices over the time.
fn fitted(row: &[f64], logs: &[f64]) -> f64 {
    row.iter().zip(logs).map(|(m, l)| m * l.exp()).sum()
}

/// Opcodes cost what they cost in the median program; a call or a size carries half of the least that contains it.
fn guesses(matrix: &[Vec<f64>], buckets: &[Bucket], design: &Design) -> Vec<f64> {
    let is_opcode = |b: &Bucket| design.columns[b.members[0]].name.starts_with("opcode ");
    let per_opcode: Vec<f64> = matrix
        .iter()
        .filter_map(|row| {
            let opcodes: f64 = row
                .iter()
                .zip(buckets)
                .filter(|(_, b)| is_opcode(b))
                .map(|(m, _)| m)
                .sum();
            (opcodes > 0.0).then(|| opcodes.recip())
        })
        .collect();
    let opcode = quantile(&per_opcode, 0.25).unwrap_or(1.0);
    buckets
        .iter()
        .enumerate()
        .map(|(j, bucket)| {
            if is_opcode(bucket) {
                return opcode.ln();
            }
            let most = matrix.iter().map(|row| row[j]).fold(0.0, f64::max);
            (OWN / most).ln()
        })
        .collect()
}

/// The optimum, and standard deviations there.
fn solve(matrix: &[Vec<f64>], guess: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut logs = guess.to_vec();
    let mut damping = 1e-3;
    let mut loss = objective(matrix, &logs, guess);
    for _ in 0..STEPS {
        let (hessian, gradient) = expand(matrix, &logs, guess);
        let n = logs.len();
        let damped = Mat::from_fn(n, n, |i, j| {
            hessian[(i, j)] * if i == j { 1.0 + damping } else { 1.0 }
        });
        let factor = damped.llt(Side::Lower).ok()?;
        let step = factor.solve(Mat::from_fn(n, 1, |i, _| -gradient[i]));
        let next: Vec<f64> = (0..n)
            .map(|i| logs[i] + step[(i, 0)].clamp(-1.0, 1.0))
            .collect();
        let found = objective(matrix, &next, guess);
        if found < loss {
            let gained = loss - found;
            (logs, loss, damping) = (next, found, damping / 3.0);
            if gained < 1e-10 * (1.0 + loss) {
                break;
            }
        } else {
            damping *= 4.0;
            if damping > 1e8 {
                break;
            }
        }
    }
    let (hessian, _) = expand(matrix, &logs, guess);
    let inverse = hessian.llt(Side::Lower).ok()?.inverse();
    let deviations = (0..logs.len()).map(|i| inverse[(i, i)].sqrt()).collect();
    Some((logs, deviations))
}

fn objective(matrix: &[Vec<f64>], logs: &[f64], guess: &[f64]) -> f64 {
    let misfit: f64 = matrix
        .iter()
        .map(|row| {
            let r = (fitted(row, logs).ln() / MISFIT).abs();
            if r <= 1.0 { r * r / 2.0 } else { r - 0.5 }
        })
        .sum();
    let far: f64 = logs
        .iter()
        .zip(guess)
        .map(|(l, g)| ((l - g) / GUESS).powi(2) / 2.0)
        .sum();
    misfit + far
}

/// Gauss-Newton approximation of the second derivatives, and the first.
fn expand(matrix: &[Vec<f64>], logs: &[f64], guess: &[f64]) -> (Mat<f64>, Vec<f64>) {
    let n = logs.len();
    let mut hessian = Mat::<f64>::zeros(n, n);
    let mut gradient = vec![0.0; n];
    for i in 0..n {
        hessian[(i, i)] = GUESS.powi(-2);
        gradient[i] = (logs[i] - guess[i]) / GUESS.powi(2);
    }
    for row in matrix {
        let all = fitted(row, logs);
        let r = all.ln() / MISFIT;
        let weight = if r.abs() <= 1.0 { 1.0 } else { r.abs().recip() };
        let parts: Vec<(usize, f64)> = row
            .iter()
            .enumerate()
            .filter(|(_, m)| **m > 0.0)
            .map(|(j, m)| (j, m * logs[j].exp() / all / MISFIT))
            .collect();
        for (i, a) in &parts {
            gradient[*i] += weight * r * a;
            for (j, b) in &parts {
                hessian[(*i, *j)] += weight * a * b;
            }
        }
    }
    (hessian, gradient)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn benchmark(ns: f64, counts: &[(&str, f64)]) -> Benchmark {
        Benchmark {
            ns: Some(ns),
            counts: counts.iter().map(|(n, c)| ((*n).to_owned(), *c)).collect(),
            ..Benchmark::default()
        }
    }

    /// Twenty programs of planted prices, one of which was measured so many times too long.
    fn planted(wrong: f64) -> Vec<Benchmark> {
        let mut out = Vec::new();
        for k in 0..20_u32 {
            let a = f64::from(k % 5 + 1) * 10.0;
            let b = f64::from(k % 3) * 20.0;
            let c = f64::from(k % 7) * 3.0;
            let ns = 0.5 * a + 4.0 * b + 25.0 * c;
            let disturbed = if k == 7 { wrong } else { 1.0 };
            let counts = [
                ("opcode add", a),
                ("opcode div", b),
                ("call f", c),
                ("opcode push", 2.0 * c),
            ];
            out.push(benchmark(ns * disturbed, &counts));
        }
        out
    }

    #[test]
    fn planted_prices_come_back_in_their_intervals_though_one_time_is_wrong() {
        // The guess pulls a little where programs are few. A hundred times too long is no worse than three times: an outlier has a bounded pull.
        for (wrong, most) in [(1.0, 0.1), (3.0, 0.15), (100.0, 0.15)] {
            let (prices, _) = platform_prices(&planted(wrong)).unwrap();
            for (name, expected) in [("opcode add", 0.5), ("opcode div", 4.0)] {
                let price = prices.iter().find(|p| p.name == name).unwrap();
                let off = price.ns.unwrap() / expected - 1.0;
                assert!(off.abs() < most, "{wrong}: {price:?}");
                let (low, high) = price.bounds.unwrap();
                assert!(low < expected && expected < high, "{price:?}");
            }
        }
        let (prices, fit) = platform_prices(&planted(1.0)).unwrap();
        let find = |name: &str| {
            prices
                .iter()
                .find(|p| p.members.iter().any(|m| m.0 == name))
        };
        // The call and the push stand in fixed proportion: one bucket.
        let bucket = find("call f").unwrap();
        assert_eq!(bucket.members.len(), 2, "{bucket:?}");
        let per_call =
            bucket.ns.unwrap() / bucket.members.iter().find(|m| m.0 == "call f").unwrap().1;
        assert!((per_call / 25.0 - 1.0).abs() < 0.05, "{bucket:?}");
        assert_eq!(
            (fit.rows, fit.features, fit.buckets, fit.rank),
            (20, 4, 3, 3)
        );
        assert!(fit.median_error < 0.02, "{fit:?}");
    }

    #[test]
    fn what_hides_behind_others_has_no_price() {
        let mut programs = planted(1.0);
        programs.push(benchmark(
            1000.0,
            &[("opcode add", 2000.0), ("opcode rare", 1.0)],
        ));
        let (prices, _) = platform_prices(&programs).unwrap();
        let rare = prices.iter().find(|p| p.name == "opcode rare").unwrap();
        assert!(
            rare.ns.is_none() && rare.note.is_some() && rare.support == 1,
            "{rare:?}"
        );
    }

    #[test]
    fn the_derivatives_are_those_of_the_objective() {
        let matrix = vec![vec![1.0, 0.5], vec![0.2, 2.0], vec![3.0, 0.0]];
        let (guess, at) = ([0.1, -0.2], [-0.3, 0.2]);
        let (_, gradient) = expand(&matrix, &at, &guess);
        for i in 0..2 {
            let by = |h: f64| {
                let mut moved = at;
                moved[i] += h;
                objective(&matrix, &moved, &guess)
            };
            let slope = (by(1e-6) - by(-1e-6)) / 2e-6;
            assert!((slope - gradient[i]).abs() < 1e-6, "{slope} {gradient:?}");
        }
    }

    #[test]
    fn nothing_is_learnt_from_nothing() {
        assert!(platform_prices(&[]).is_none());
        assert!(platform_prices(&[benchmark(1.0, &[])]).is_none());
    }
}
