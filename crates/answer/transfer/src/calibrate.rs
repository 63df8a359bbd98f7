//! One factor, updated by runs on the other platform.
//!
//! The logarithm of the factor is taken for normal: before, about the route's value with the route's uncertainty; each run there is a measurement of it, with the
//! scatter of single runs. So few runs move an uncertain factor far and a certain one little, and what one more run would leave is known beforehand.

use pricetag_quantity::median;

/// Scatter of single runs where nothing tells it.
const SCATTER: f64 = 0.15;
/// Least that is believed: rerun noise.
const LEAST: f64 = 0.03;

/// The state of a factor's logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// What to add to it.
    pub shift: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The same with one run more.
    pub one_more: f64,
    /// Scatter of single runs.
    pub scatter: f64,
    /// Runs.
    pub runs: usize,
}

/// Updates by log(measured / moved prediction) of runs there. `single` is the scatter of the model's own residuals, if known.
pub fn update(before: f64, residuals: &[f64], single: Option<f64>) -> Update {
    let own = (residuals.len() >= 3).then(|| {
        let middle = median(residuals).unwrap_or(0.0);
        let squares: f64 = residuals.iter().map(|r| (r - middle).powi(2)).sum();
        (squares / (residuals.len() - 1) as f64).sqrt()
    });
    let scatter = own.or(single).unwrap_or(SCATTER).max(LEAST);
    let (prior, run) = (1.0 / before.max(1e-6).powi(2), 1.0 / scatter.powi(2));
    let n = residuals.len() as f64;
    let weight = prior + n * run;
    Update {
        shift: run * residuals.iter().sum::<f64>() / weight,
        deviation: weight.sqrt().recip(),
        one_more: (weight + run).sqrt().recip(),
        scatter,
        runs: residuals.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_update_is_the_posterior_by_definition() {
        // On a fine grid: prior × likelihoods, its mean and standard deviation.
        let (before, residuals, single) = (0.4, [0.5, 0.3], 0.2);
        let density = |x: f64| {
            let prior = -(x / before).powi(2) / 2.0;
            let runs: f64 = residuals
                .iter()
                .map(|r: &f64| -((r - x) / single).powi(2) / 2.0)
                .sum();
            (prior + runs).exp()
        };
        let grid: Vec<f64> = (-40_000..40_000).map(|i| f64::from(i) * 1e-4).collect();
        let all: f64 = grid.iter().map(|x| density(*x)).sum();
        let mean = grid.iter().map(|x| x * density(*x)).sum::<f64>() / all;
        let variance = grid
            .iter()
            .map(|x| (x - mean).powi(2) * density(*x))
            .sum::<f64>()
            / all;
        let found = update(before, &residuals, Some(single));
        assert!((found.shift - mean).abs() < 1e-6, "{found:?} {mean}");
        assert!((found.deviation - variance.sqrt()).abs() < 1e-6);
        assert!(found.one_more < found.deviation);
    }

    #[test]
    fn without_runs_nothing_moves_and_one_run_narrows() {
        let none = update(0.3, &[], Some(0.1));
        assert_eq!((none.shift, none.runs), (0.0, 0));
        assert!((none.deviation - 0.3).abs() < 1e-12);
        let one = update(0.3, &[1.0], Some(0.1));
        assert!((one.deviation - none.one_more).abs() < 1e-12);
        assert!((0.8..1.0).contains(&one.shift), "{one:?}");
    }
}
