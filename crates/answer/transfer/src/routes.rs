//! Which way a prediction is moved, and the move.
//!
//! The rule is that of a study over eleven platforms and nine programs: the interquartile range of the logarithms of the benchmarks' ratios decides. Where it is
//! small one ratio serves; else the benchmarks nearest to the program say more; an interpreter charges nearly the same for each opcode, so there
//! Σ counts × prices serves, too; and where the two execute code in different ways, the best is to run the program here in the way of the other.

use pricetag_finding::{Calibration, Moved, MovedPredictions, Prediction, Predictions};
use pricetag_platform::{Mode, PlatformList, mode};
use pricetag_quantity::{median, quantile};

use crate::calibrate::{Update, update};
use crate::difference::{EVEN, LEAST_SHARED, Shared, check, shared};
use crate::mixture::{Mixture, mixture};
use crate::program::{Program, sum};
use crate::{TransferError, apply};

/// Standard normal quantile of intervals at 95 %, the level of factors.
const Z: f64 = 1.96;
/// Least uncertainty of any route: programs that benchmarks resemble moved this far from them in the study.
const FLOOR: f64 = 0.1;
/// Uncertainty of Σ counts × prices by itself, on interpreters.
const SUM_DEVIATION: f64 = 0.25;
/// The same of the paper's factor, between platforms of one mode and of several.
const PAPER_DEVIATION: (f64, f64) = (0.2, 0.7);

/// A way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The median ratio of all benchmarks.
    Ratio,
    /// The ratio of the benchmarks nearest to the program.
    Mixture,
    /// Σ counts × prices of the other list, with the mixture.
    Sum,
    /// Σ counts × prices of the other list over the factor R that is learnt here.
    Paper,
}

impl Route {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ratio => "ratio",
            Self::Mixture => "mixture",
            Self::Sum => "sum",
            Self::Paper => "paper",
        }
    }
}

/// What is asked.
#[derive(Debug)]
pub struct Ask<'a> {
    /// Predictions here.
    pub predictions: Predictions,
    /// Counts of the same observations; empty if unknown.
    pub program: &'a Program,
    /// The list of the platform where the model was learnt.
    pub here: &'a PlatformList,
    /// The other one.
    pub there: &'a PlatformList,
    /// A route that is wanted.
    pub route: Option<Route>,
    /// The command that the model was learnt from.
    pub command: &'a [String],
    /// Of observations there: prediction here, and what was measured there.
    pub runs: &'a [(f64, f64)],
}

/// Chooses a route by two lists, and says why.
pub fn choose(here: &PlatformList, there: &PlatformList, counted: bool) -> (Route, String) {
    let logs: Vec<f64> = shared(here, there).iter().map(|s| s.log).collect();
    let spread = iqr(&logs);
    let to = mode(&there.platform);
    let differ = mode(&here.platform) != to;
    match (differ, counted) {
        (false, _) if spread < EVEN => (
            Route::Ratio,
            format!("one ratio, since the lists differ evenly (spread {spread:.2}, even is below {EVEN})"),
        ),
        (true, true) if to == Mode::Interpreter => (
            Route::Sum,
            "the prices of its opcodes and the benchmarks nearest to the program, since code is interpreted there and compiled here".to_owned(),
        ),
        (_, true) => (
            Route::Mixture,
            format!("the benchmarks nearest to the program, since the lists differ unevenly (spread {spread:.2}, even is below {EVEN})"),
        ),
        (_, false) => (
            Route::Ratio,
            format!("one ratio, since no counts of opcodes say which benchmarks the program resembles, though the lists differ unevenly (spread {spread:.2})"),
        ),
    }
}

fn iqr(logs: &[f64]) -> f64 {
    match (quantile(logs, 0.75), quantile(logs, 0.25)) {
        (Some(high), Some(low)) => high - low,
        _ => 0.0,
    }
}

/// Factors of single observations, and what is known of them.
#[derive(Default)]
struct Plan {
    factors: Vec<f64>,
    deviation: f64,
    mixture: Option<Mixture>,
}

/// Moves predictions to the other platform.
///
/// # Errors
/// If the lists share too little, are of different architectures, or a wanted route lacks what it needs.
pub fn move_to(ask: Ask<'_>) -> Result<MovedPredictions, TransferError> {
    check(ask.here, ask.there)?;
    let (target, unit) = (&ask.predictions.target, &ask.predictions.unit);
    if unit != "ns" {
        return Err(TransferError::NoTime {
            target: target.clone(),
            unit: unit.clone(),
        });
    }
    let both = shared(ask.here, ask.there);
    if both.len() < LEAST_SHARED && ask.route != Some(Route::Paper) {
        return Err(TransferError::TooFew {
            shared: both.len(),
            least: LEAST_SHARED,
        });
    }
    let prices = (ask.here.by_feature(), ask.there.by_feature());
    let counted = ask.program.rows.len() == ask.predictions.rows.len()
        && ask
            .program
            .rows
            .iter()
            .any(|r| sum(&r.counts, &prices.0) > 0.0 && sum(&r.counts, &prices.1) > 0.0);
    let (route, why) = match ask.route {
        Some(route) => (route, "the route that was asked for".to_owned()),
        None => choose(ask.here, ask.there, counted),
    };
    if route != Route::Ratio && !counted {
        return Err(TransferError::NotCounted {
            route: route.name(),
        });
    }
    let plan = match route {
        Route::Ratio => by_ratio(&ask, &both),
        Route::Mixture => by_mixture(&ask, &both)?,
        Route::Sum => by_sum(&ask, &both)?,
        Route::Paper => by_paper(&ask)?,
    };
    finish(ask, &both, route, why, &plan)
}

fn by_ratio(ask: &Ask<'_>, both: &[Shared<'_>]) -> Plan {
    let logs: Vec<f64> = both.iter().map(|s| s.log).collect();
    let noises: Vec<f64> = both.iter().map(|s| s.noise).collect();
    let factor = median(&logs).unwrap_or(0.0).exp();
    Plan {
        factors: vec![factor; ask.predictions.rows.len()],
        deviation: (iqr(&logs) / 1.349)
            .hypot(median(&noises).unwrap_or(0.0))
            .hypot(FLOOR),
        mixture: None,
    }
}

fn by_mixture(ask: &Ask<'_>, both: &[Shared<'_>]) -> Result<Plan, TransferError> {
    let prices = ask.here.by_feature();
    let total = ask.program.total(&prices);
    let found = mixture(&total, &prices, both).ok_or(TransferError::NotCounted {
        route: Route::Mixture.name(),
    })?;
    Ok(Plan {
        factors: vec![found.log.exp(); ask.predictions.rows.len()],
        deviation: found.deviation.hypot(FLOOR),
        mixture: Some(found),
    })
}

/// The geometric mean of Σ counts × prices there and of the mixture.
fn by_sum(ask: &Ask<'_>, both: &[Shared<'_>]) -> Result<Plan, TransferError> {
    let mixed = by_mixture(ask, both)?;
    let there = ask.there.by_feature();
    let mut apart = Vec::new();
    let rows = ask.predictions.rows.iter().zip(&ask.program.rows);
    let factors = rows
        .zip(&mixed.factors)
        .map(|((prediction, row), by_mixture)| {
            let by_prices = sum(&row.counts, &there) / prediction.value;
            if !by_prices.is_finite() || by_prices <= 0.0 {
                return *by_mixture;
            }
            apart.push((by_prices / by_mixture).ln().abs());
            (by_prices * by_mixture).sqrt()
        })
        .collect();
    // Half of what separates the two is what either may be off.
    let disagreement = median(&apart).unwrap_or(0.0) / 2.0;
    Ok(Plan {
        factors,
        deviation: SUM_DEVIATION.hypot(disagreement),
        ..mixed
    })
}

fn by_paper(ask: &Ask<'_>) -> Result<Plan, TransferError> {
    let learnt = apply(ask.here, ask.program)?;
    let factors: Vec<f64> = learnt.rows.iter().filter_map(|r| r.factor).collect();
    let factor = median(&factors).ok_or(TransferError::NotMeasured)?;
    let there = ask.there.by_feature();
    let rows = ask.predictions.rows.iter().zip(&ask.program.rows);
    let one_mode = mode(&ask.here.platform) == mode(&ask.there.platform);
    Ok(Plan {
        factors: rows
            .map(|(p, row)| sum(&row.counts, &there) / factor / p.value)
            .collect(),
        deviation: if one_mode {
            PAPER_DEVIATION.0
        } else {
            PAPER_DEVIATION.1
        },
        mixture: None,
    })
}

fn finish(
    ask: Ask<'_>,
    both: &[Shared<'_>],
    route: Route,
    why: String,
    plan: &Plan,
) -> Result<MovedPredictions, TransferError> {
    let middle = median(&plan.factors).unwrap_or(1.0);
    let residuals: Vec<f64> = ask
        .runs
        .iter()
        .map(|(predicted, measured)| (measured / (predicted * middle)).ln())
        .filter(|r| r.is_finite())
        .collect();
    if !ask.runs.is_empty() && residuals.is_empty() {
        return Err(TransferError::NothingToCalibrate {
            target: ask.predictions.target,
        });
    }
    let updated = update(plan.deviation, &residuals, scatter(&ask.predictions));
    let widen = |row: &Prediction, factor: f64| moved_row(row, factor, updated.deviation);
    let rows: Vec<Prediction> = ask
        .predictions
        .rows
        .iter()
        .zip(&plan.factors)
        .map(|(row, factor)| widen(row, factor * updated.shift.exp()))
        .collect();
    let half = |deviation: f64| (Z * deviation).exp_m1();
    let moved = Moved {
        here: ask.here.title(),
        there: ask.there.title(),
        route: route.name().to_owned(),
        why,
        factor: middle * updated.shift.exp(),
        uncertainty: updated.deviation,
        resembles: plan
            .mixture
            .as_ref()
            .map(|m| m.shares.clone())
            .unwrap_or_default(),
        covered: plan.mixture.as_ref().map(|m| m.covered),
        calibration: calibration(&updated, plan.deviation),
        one_more: (half(updated.deviation), half(updated.one_more)),
        commands: commands(&ask),
        cautions: cautions(&ask, both, plan.mixture.as_ref()),
    };
    Ok(MovedPredictions {
        predictions: Predictions {
            rows,
            ..ask.predictions
        },
        moved,
    })
}

fn calibration(updated: &Update, before: f64) -> Option<Calibration> {
    (updated.runs > 0).then(|| Calibration {
        runs: updated.runs as u32,
        scale: updated.shift.exp(),
        before,
        scatter: updated.scatter,
    })
}

/// Standard deviation of the logarithm of measured over predicted, by the model's own interval.
fn scatter(predictions: &Predictions) -> Option<f64> {
    let widths: Vec<f64> = predictions
        .rows
        .iter()
        .filter_map(|row| {
            let (low, high) = row.interval.filter(|(low, _)| *low > 0.0)?;
            Some((high / low).ln() / 2.0 / Z)
        })
        .filter(|width| width.is_finite())
        .collect();
    median(&widths)
}

/// A prediction times a factor, its interval widened by the factor's uncertainty: logarithms add in squares.
fn moved_row(row: &Prediction, factor: f64, deviation: f64) -> Prediction {
    let interval = row.interval.map(|(low, high)| {
        let wider = |end: f64| ((end / row.value).ln().hypot(Z * deviation)).exp();
        let high = wider(high) * row.value * factor;
        if low > 0.0 {
            (row.value * factor / wider(low), high)
        } else {
            (low * factor, high)
        }
    });
    Prediction {
        value: row.value * factor,
        interval,
        implausible: row.implausible.map(|v| v * factor),
        // What was measured was measured here.
        measured: None,
        ..row.clone()
    }
}

/// How to run the program here in the other platform's mode.
fn commands(ask: &Ask<'_>) -> Vec<String> {
    let to = mode(&ask.there.platform);
    if mode(&ask.here.platform) == to || !ask.runs.is_empty() {
        return Vec::new();
    }
    let launched = ask
        .command
        .split_first()
        .filter(|(first, _)| first.rsplit('/').next() == Some("java"));
    let none: Vec<String> = Vec::new();
    let (java, rest) = launched.map_or(("java", &none[..]), |(java, rest)| (java.as_str(), rest));
    let name = match to {
        Mode::Interpreter => "interpreted",
        Mode::C1 => "c1",
        Mode::C2 => "compiled",
    };
    let option = to.options();
    let mut kept: Vec<&str> = rest
        .iter()
        .map(String::as_str)
        .filter(|word| *word != "-Xint" && !word.starts_with("-XX:TieredStopAtLevel="))
        .collect();
    let options: Vec<&str> = kept
        .iter()
        .copied()
        .filter(|word| word.starts_with("-X"))
        .collect();
    let options = format!("{java} {option} {}", options.join(" "));
    if launched.is_none() {
        kept.push("[the program]");
    }
    vec![
        format!(
            "pricetag mine -o pricetag-{name} [the same inputs] -- {java} {option} {}",
            kept.join(" ")
        ),
        format!(
            "pricetag platform measure -o pricetag-{name}/platform.json -- {}",
            options.trim_end()
        ),
        format!(
            "pricetag predict pricetag-{name}/model.json --platform [this list] --dataset pricetag-{name}"
        ),
    ]
}

fn cautions(ask: &Ask<'_>, both: &[Shared<'_>], mixture: Option<&Mixture>) -> Vec<String> {
    let mut out = Vec::new();
    let lacking = ask
        .here
        .benchmarks
        .iter()
        .filter(|b| b.ns.is_some())
        .count()
        - both.len();
    if lacking > 0 {
        out.push(format!(
            "{lacking} benchmarks have no time there; the JVM lacks their methods, or its compiler left their work out"
        ));
    }
    if let Some(mixture) = mixture.filter(|m| m.covered < 0.8) {
        out.push(format!(
            "only {:.0} % of the opcodes and calls that the program executes have a price here",
            mixture.covered * 100.0
        ));
    }
    if ask.predictions.target == "wall" {
        out.push("the model explains wall time; lists tell CPU time, so waiting is moved as if it were work".to_owned());
    }
    if ask.predictions.target == "alloc" {
        out.push("bytes do not depend on the machine".to_owned());
    }
    out
}
