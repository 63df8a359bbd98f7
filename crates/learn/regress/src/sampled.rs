//! What accounts cost, from samples that fell on them and from how much of each kind of work they did.
//!
//! Every account expects as many samples as its work is worth at prices that hold for all (non-negative least squares,
//! weighted as negative binomial counts). It departs from that by a factor whose distribution has two parts: most
//! accounts cost about what their work does, some cost something else altogether, such as those that wait in a library.
//! These may cost anything: their part is a gamma distribution about the usual cost of an account, others about ten times that, a hundred
//! times and so on, each as likely as a fourth of the one before. One alone would draw every dear account towards the usual cost.
//! Given the samples, the factor's posterior is a mixture of gamma distributions; their parameters maximise the
//! marginal likelihood of all samples over a grid (empirical Bayes, Robbins 1956; the gamma–Poisson model of Fay & Herriot
//! 1979 with a heavier tail). An account with many samples is what its samples say, one with few what its work says. What all
//! accounts with few samples have together is what was sampled of them.

use faer::Mat;
use statrs::function::gamma::ln_gamma;

use crate::nnls::nnls;

/// Samples by account, and the work of each account by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    /// Samples of each account, ≥ 0; fractions may come from weighting.
    pub samples: Vec<f64>,
    /// Units of each kind of work of each account: `work[account][kind]`.
    pub work: Vec<Vec<f64>>,
}

/// Posterior of the accounts' samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    /// Samples per unit of each kind of work.
    pub weights: Vec<f64>,
    /// Samples that each account's work is worth at these.
    pub expected: Vec<f64>,
    /// Posterior mean of the samples that each account would get in the long run.
    pub mean: Vec<f64>,
    /// Its standard deviation.
    pub deviation: Vec<f64>,
}

/// Samples from which on an account is known by its own.
const FEW: f64 = 10.0;
/// Share of the accounts of one decade that are in the next.
const TAIL: f64 = 0.25;
/// Rounds of reweighting after which weights of work stand.
const ROUNDS: usize = 8;
/// Smallest price of a unit of work against that of the first fit's mean: no work is free.
const FLOOR: f64 = 0.02;

/// Shapes of the usual accounts' factor, of the unusual ones', and shares of the usual.
const USUAL: [f64; 5] = [0.5, 1.0, 2.0, 5.0, 15.0];
const UNUSUAL: [f64; 3] = [0.1, 0.3, 1.0];
const SHARES: [f64; 4] = [0.5, 0.7, 0.9, 0.98];

/// The posterior of the accounts' samples given all of them.
///
/// # Panics
/// If `work` has another length than `samples`, or its rows differ in length.
pub fn rates(sampled: &Sampled) -> Rates {
    let n = sampled.samples.len();
    assert_eq!(n, sampled.work.len(), "one row of work per account");
    let kinds = sampled.work.first().map_or(0, Vec::len);
    let total: f64 = sampled.samples.iter().sum();
    if n == 0 || total <= 0.0 {
        return Rates {
            weights: vec![0.0; kinds],
            expected: vec![0.0; n],
            mean: vec![0.0; n],
            deviation: vec![0.0; n],
        };
    }
    let typical = total / n as f64;
    let most = sampled.samples.iter().copied().fold(typical, f64::max);
    let mut prior = Prior {
        usual: 1.0,
        unusual: 0.3,
        share: 0.9,
        typical,
        decades: (most / typical).log10().ceil() as usize,
    };
    let mut weights = weights(sampled, &vec![total / n as f64; n], prior.usual);
    let mut expected = worth(sampled, &weights);
    for round in 0..ROUNDS {
        weights = self::weights(sampled, &expected, prior.usual);
        expected = worth(sampled, &weights);
        // The weights settle before the shapes are worth choosing.
        if round + 1 >= ROUNDS / 2 {
            prior = prior.best(&sampled.samples, &expected);
        }
    }
    let posterior = sampled.samples.iter().zip(&expected);
    let (mut mean, mut deviation): (Vec<f64>, Vec<f64>) =
        posterior.map(|(&s, &mu)| prior.posterior(s, mu)).unzip();
    let few = |account: &usize| sampled.samples[*account] < FEW;
    let seen: f64 = (0..n).filter(few).map(|i| sampled.samples[i]).sum();
    let expects: f64 = (0..n).filter(few).map(|i| mean[i]).sum();
    let more = (seen + 0.5) / (expects + 0.5);
    for account in (0..n).filter(few) {
        mean[account] *= more;
        deviation[account] *= more;
    }
    Rates {
        weights,
        expected,
        mean,
        deviation,
    }
}

/// Samples per unit of work by least squares, each account weighted by its expected variance μ + μ²/a.
fn weights(sampled: &Sampled, expected: &[f64], shape: f64) -> Vec<f64> {
    let kinds = sampled.work.first().map_or(0, Vec::len);
    let rows = sampled.samples.len();
    let floor = expected.iter().sum::<f64>() / rows as f64 * 1e-3;
    let roots: Vec<f64> = expected
        .iter()
        .map(|mu| {
            let mu = mu.max(floor);
            (mu + mu * mu / shape).sqrt().recip()
        })
        .collect();
    let columns = Mat::from_fn(rows, kinds, |i, k| sampled.work[i][k] * roots[i]);
    let target: Vec<f64> = sampled
        .samples
        .iter()
        .zip(&roots)
        .map(|(s, root)| s * root)
        .collect();
    let mut found = nnls(&columns, &target).x;
    let all: f64 = sampled.samples.iter().sum();
    for (k, weight) in found.iter_mut().enumerate() {
        let units: f64 = sampled.work.iter().map(|work| work[k]).sum();
        if units > 0.0 {
            *weight = weight.max(FLOOR * all / units);
        }
    }
    found
}

fn worth(sampled: &Sampled, weights: &[f64]) -> Vec<f64> {
    let one = |work: &Vec<f64>| work.iter().zip(weights).map(|(units, w)| units * w).sum();
    sampled.work.iter().map(one).collect()
}

/// How accounts depart from what their work is worth.
#[derive(Clone, Copy, Debug)]
struct Prior {
    /// Shape of the usual accounts' gamma distribution, whose mean is what their work is worth.
    usual: f64,
    /// Shape of the unusual ones', whose mean is `typical`.
    unusual: f64,
    /// Share of the usual.
    share: f64,
    /// Mean samples of an account.
    typical: f64,
    /// Decades above that in which unusual ones may be.
    decades: usize,
}

impl Prior {
    /// That of the grid under which the samples are most likely.
    fn best(self, samples: &[f64], expected: &[f64]) -> Self {
        let mut best = (f64::NEG_INFINITY, self);
        for usual in USUAL {
            for unusual in UNUSUAL {
                for share in SHARES {
                    let prior = Self {
                        usual,
                        unusual,
                        share,
                        ..self
                    };
                    let each = samples.iter().zip(expected);
                    let likelihood = each.map(|(&s, &mu)| prior.likelihood(s, mu)).sum();
                    if likelihood > best.0 {
                        best = (likelihood, prior);
                    }
                }
            }
        }
        best.1
    }

    /// Shape and mean of each part, and the logarithm of its share: the usual accounts' first.
    fn parts(&self, mu: f64) -> impl Iterator<Item = (f64, f64, f64)> {
        let (typical, shape) = (self.typical, self.unusual);
        // The shares of the decades add up to one.
        let all = (1.0 - TAIL.powi(self.decades as i32 + 1)) / (1.0 - TAIL);
        let share = 1.0 - self.share;
        let unusual = (0..=self.decades as i32).map(move |decade| {
            let part = share * TAIL.powi(decade) / all;
            (shape, typical * 10f64.powi(decade), part.ln())
        });
        std::iter::once((self.usual, mu, self.share.ln())).chain(unusual)
    }

    fn likelihood(&self, samples: f64, mu: f64) -> f64 {
        let likely = |(shape, mean, share)| share + negative_binomial(samples, shape, mean);
        let most = self.parts(mu).map(likely).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.parts(mu).map(|part| (likely(part) - most).exp()).sum();
        most + sum.ln()
    }

    /// Mean and standard deviation of the samples to be expected in the long run.
    fn posterior(&self, samples: f64, mu: f64) -> (f64, f64) {
        let all = self.likelihood(samples, mu);
        let (mut mean, mut square) = (0.0, 0.0);
        for (shape, middle, share) in self.parts(mu) {
            let weight = (share + negative_binomial(samples, shape, middle) - all).exp();
            let (shape, rate) = (shape + samples, shape / middle.max(1e-12) + 1.0);
            mean += weight * shape / rate;
            square += weight * shape * (shape + 1.0) / (rate * rate);
        }
        (mean, (square - mean * mean).max(0.0).sqrt())
    }
}

/// Logarithm of the probability of so many samples, if their rate is gamma distributed with this shape and mean.
fn negative_binomial(samples: f64, shape: f64, mean: f64) -> f64 {
    let mean = mean.max(1e-12);
    ln_gamma(samples + shape) - ln_gamma(shape) - ln_gamma(samples + 1.0)
        + shape * (shape / (shape + mean)).ln()
        + samples * (mean / (shape + mean)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the sum of the two densities over a fine grid of rates.
    #[test]
    fn the_posterior_is_that_of_direct_integration() {
        let prior = Prior {
            usual: 2.0,
            unusual: 0.3,
            share: 0.8,
            typical: 5.0,
            decades: 1,
        };
        let density = |t: f64, shape: f64, mean: f64| {
            (shape * (shape / mean).ln() + (shape - 1.0) * t.ln()
                - shape * t / mean
                - ln_gamma(shape))
            .exp()
        };
        for (samples, mu) in [(0.0, 0.5), (1.0, 0.02), (7.0, 3.0), (40.0, 2.0)] {
            let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
            // Steps on a logarithmic scale, since the unusual part has a pole at nothing.
            for i in 0..400_000 {
                let t = (-40.0 + 46.0 * f64::from(i) / 400_000.0_f64).exp();
                let unusual = 0.8 * density(t, 0.3, 5.0) + 0.2 * density(t, 0.3, 50.0);
                let prior = 0.8 * density(t, 2.0, mu) + 0.2 * unusual;
                let weight = prior * (samples * t.ln() - t).exp() * t;
                sum += weight;
                first += weight * t;
                second += weight * t * t;
            }
            let mean = first / sum;
            let deviation = (second / sum - mean * mean).sqrt();
            let found = prior.posterior(samples, mu);
            assert!((found.0 / mean - 1.0).abs() < 1e-4, "{found:?} {mean}");
            assert!(
                (found.1 / deviation - 1.0).abs() < 1e-3,
                "{found:?} {deviation}"
            );
        }
    }

    #[test]
    fn many_samples_stand_and_few_lean_on_the_work() {
        // Two kinds of work at 0.01 and 0.5 samples a unit; account 3 is ten times as dear as its work, account 4 has none yet.
        let mut work: Vec<Vec<f64>> = (1..40)
            .map(|i| vec![1000.0 * f64::from(i % 7 + 1), 10.0 * f64::from(i % 5)])
            .collect();
        let mut samples: Vec<f64> = work
            .iter()
            .map(|w| (0.01 * w[0] + 0.5 * w[1]).round())
            .collect();
        samples[3] *= 10.0;
        work[4] = vec![20.0, 0.0];
        samples[4] = 0.0;
        let found = rates(&Sampled {
            samples: samples.clone(),
            work,
        });
        assert!(
            (found.weights[0] - 0.01).abs() < 0.003,
            "{:?}",
            found.weights
        );
        assert!((found.mean[3] / samples[3] - 1.0).abs() < 0.05);
        assert!(
            found.mean[4] < 1.0 && found.mean[4] > 0.0,
            "{}",
            found.mean[4]
        );
        let relative = found.deviation[3] / found.mean[3];
        assert!((relative * samples[3].sqrt() - 1.0).abs() < 0.2);
    }

    #[test]
    fn one_dear_account_among_many_cheap_ones_is_what_its_samples_say() {
        // A thousand methods run once in a cold JVM, and one takes most of the time.
        let mut samples = vec![0.0; 1000];
        for (i, s) in samples.iter_mut().enumerate().step_by(10) {
            *s = f64::from(i as u32 % 3);
        }
        let cold: f64 = samples.iter().sum();
        samples.push(400.0);
        let work = vec![vec![10.0]; samples.len()];
        let found = rates(&Sampled {
            samples: samples.clone(),
            work,
        });
        let dear = found.mean[1000];
        assert!((dear / 400.0 - 1.0).abs() < 0.02, "{dear}");
        let others: f64 = found.mean[..1000].iter().sum();
        assert!((others / cold - 1.0).abs() < 0.02, "{others} {cold}");
    }

    #[test]
    fn without_samples_there_is_nothing_to_say() {
        let found = rates(&Sampled {
            samples: vec![0.0, 0.0],
            work: vec![vec![1.0], vec![2.0]],
        });
        assert_eq!(found.mean, [0.0, 0.0]);
        assert!(rates(&Sampled::default()).mean.is_empty());
    }
}
