//! Figures for papers and reports, as SVG: predicted against measured, residuals, prices with intervals, and, where the
//! model knows them, the lasso's path and what the error depends on (Mantis 2010, figures 6 and 9).
//!
//! Invariants: the same model gives the same bytes; a figure without data is left out, never drawn empty.

mod axis;
mod controls;
mod draw;
mod predictor;

use pricetag_cost_model::{Charge, Charges, CostModel, Evaluation, Sensitivity};
use pricetag_finding::figure::brief;
use pricetag_finding::{Place, RANKED};

use axis::Scale;
pub use controls::control_figures;
pub use draw::FigureError;
use draw::{Bar, Chart, Line, chart, intervals};
pub use predictor::predictor_figures;

/// Prices in one figure.
const PRICES: usize = 20;

/// One figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// File name without ending, such as `predicted`.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub title: String,
    /// The picture.
    pub svg: String,
}

/// Draws every figure the model has data for.
///
/// # Errors
/// If the drawing library refuses, which it has no reason to.
pub fn figures(model: &CostModel) -> Result<Vec<Figure>, FigureError> {
    let mut out = Vec::new();
    if let Some(evaluation) = model.evaluation.as_ref().filter(|e| !e.rows.is_empty()) {
        out.extend(predicted(model, evaluation)?);
        out.extend(residuals(model, evaluation)?);
    }
    out.extend(match &model.charges {
        Some(charges) => shares(charges)?,
        None => prices(model)?,
    });
    if let Some(sensitivity) = &model.sensitivity {
        out.extend(training(sensitivity)?);
        out.extend(lambda(sensitivity)?);
        out.extend(path(model, sensitivity)?);
    }
    Ok(out)
}

fn axis_title(model: &CostModel, what: &str) -> String {
    match model.unit.as_str() {
        "1" | "" => format!("{what} {}", model.target),
        unit => format!("{what} {} ({unit})", model.target),
    }
}

fn predicted(model: &CostModel, evaluation: &Evaluation) -> Result<Option<Figure>, FigureError> {
    let points: Vec<(f64, f64)> = evaluation
        .rows
        .iter()
        .map(|row| (row.measured, row.predicted))
        .filter(|(m, p)| *m > 0.0 && *p > 0.0 && p.is_finite())
        .collect();
    let ends = points
        .iter()
        .flat_map(|(m, p)| [*m, *p])
        .fold((f64::INFINITY, 0.0_f64), |(low, high), v| {
            (low.min(v), high.max(v))
        });
    if points.is_empty() {
        return Ok(None);
    }
    let svg = chart(&Chart {
        x: axis_title(model, "measured"),
        y: axis_title(model, "predicted"),
        x_scale: Scale::spanning(ends.0, ends.1),
        y_scale: Scale::spanning(ends.0, ends.1),
        square: true,
        lines: vec![Line::plain(
            "predicted = measured",
            vec![(ends.0, ends.0), (ends.1, ends.1)],
        )],
        points,
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name: "predicted",
        title: format!(
            "Predicted against measured, {} unseen rows",
            evaluation.rows.len()
        ),
        svg,
    }))
}

fn residuals(model: &CostModel, evaluation: &Evaluation) -> Result<Option<Figure>, FigureError> {
    let points: Vec<(f64, f64)> = evaluation
        .rows
        .iter()
        .filter(|row| row.measured > 0.0 && row.predicted.is_finite())
        .map(|row| {
            let error = 100.0 * (row.predicted - row.measured) / row.measured;
            (row.measured, error.clamp(-200.0, 200.0))
        })
        .collect();
    if points.is_empty() {
        return Ok(None);
    }
    let (low, high) = extent(points.iter().map(|p| p.0));
    let most = points.iter().fold(1.0_f64, |m, p| m.max(p.1.abs()));
    let svg = chart(&Chart {
        x: axis_title(model, "measured"),
        y: "(predicted − measured) / measured, %".into(),
        x_scale: Scale::spanning(low, high),
        y_scale: Scale::linear(-1.05 * most, 1.05 * most),
        lines: vec![Line::plain("", vec![(low, 0.0), (high, 0.0)])],
        points,
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name: "residuals",
        title: "Relative residuals of unseen rows".into(),
        svg,
    }))
}

/// Where the cost goes, by sampled runs: methods and what the JVM does beside them.
fn shares(charges: &Charges) -> Result<Option<Figure>, FigureError> {
    let all: f64 = charges.accounts.iter().map(|account| account.cost).sum();
    // What samples cannot rank has no line of its own, as in the tables.
    let is_ranked = |(low, high): (f64, f64)| low > 0.0 && high <= RANKED * low;
    let accounts = charges.accounts.iter();
    let known = accounts.filter(|account| account.cost > 0.0 && is_ranked(account.factors));
    let bars: Vec<Bar> = known
        .take(PRICES)
        .map(|account| {
            let share = 100.0 * account.cost / all;
            Bar {
                name: account_name(account),
                value: share,
                ends: Some((share * account.factors.0, share * account.factors.1)),
            }
        })
        .collect();
    if bars.is_empty() {
        return Ok(None);
    }
    let level = 100.0 * charges.level;
    Ok(Some(Figure {
        name: "shares",
        title: format!(
            "Where the cost goes: the {} largest shares, measured by {} samples, with {level:.0} % intervals",
            bars.len(),
            charges.samples
        ),
        svg: intervals(&bars, "share of the cost (%)")?,
    }))
}

fn account_name(account: &Charge) -> String {
    account.method.as_ref().map_or_else(
        || account.kind.title().to_owned(),
        |method| {
            let place = Place {
                class: method.class.clone(),
                method: Some(method.name.clone()),
                descriptor: Some(method.descriptor.clone()),
                ..Place::default()
            };
            brief(&place.method_name())
        },
    )
}

fn prices(model: &CostModel) -> Result<Option<Figure>, FigureError> {
    let bars: Vec<Bar> = model
        .prices
        .iter()
        .filter_map(|p| {
            let value = p.price.filter(|v| *v > 0.0)?;
            Some(Bar {
                name: brief(&p.bucket),
                value,
                ends: p.bounds,
            })
        })
        .take(PRICES)
        .collect();
    if bars.is_empty() {
        return Ok(None);
    }
    let unit = if model.unit == "1" {
        String::new()
    } else {
        format!(" ({})", model.unit)
    };
    Ok(Some(Figure {
        name: "prices",
        title: format!(
            "Prices with their intervals, the {} that carry most of the cost",
            bars.len()
        ),
        svg: intervals(&bars, &format!("price per unit{unit}"))?,
    }))
}

/// Median error of the splits of each share, both in percent.
fn medians(sensitivity: &Sensitivity) -> Vec<(f64, f64)> {
    let finite: Vec<_> = sensitivity
        .training
        .iter()
        .filter(|p| p.median_error.is_finite())
        .collect();
    finite
        .chunk_by(|a, b| a.fraction == b.fraction)
        .map(|split| {
            let mut errors: Vec<f64> = split.iter().map(|p| 100.0 * p.median_error).collect();
            errors.sort_by(f64::total_cmp);
            (100.0 * split[0].fraction, errors[errors.len() / 2])
        })
        .collect()
}

fn training(sensitivity: &Sensitivity) -> Result<Option<Figure>, FigureError> {
    let points: Vec<(f64, f64)> = sensitivity
        .training
        .iter()
        .map(|p| (100.0 * p.fraction, 100.0 * p.median_error))
        .filter(|p| p.1.is_finite())
        .collect();
    if points.len() < 2 {
        return Ok(None);
    }
    let medians = medians(sensitivity);
    let (low, high) = extent(points.iter().map(|p| p.0));
    let most = points.iter().fold(0.0_f64, |m, p| m.max(p.1));
    let svg = chart(&Chart {
        x: "rows learnt from, %".into(),
        y: "median error on the others, %".into(),
        x_scale: Scale::spanning(low, high),
        y_scale: Scale::linear(0.0, 1.05 * most.min(200.0)),
        lines: vec![Line::plain("median of the splits", medians)],
        points,
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name: "training-size",
        title: "Error and the size of the training set".into(),
        svg,
    }))
}

fn lambda(sensitivity: &Sensitivity) -> Result<Option<Figure>, FigureError> {
    let line: Vec<(f64, f64)> = sensitivity
        .lambda
        .iter()
        .map(|p| (p.lambda, 100.0 * p.median_error))
        .filter(|p| p.0 > 0.0 && p.1.is_finite())
        .collect();
    if line.len() < 2 {
        return Ok(None);
    }
    let (low, high) = extent(line.iter().map(|p| p.0));
    let most = line.iter().fold(0.0_f64, |m, p| m.max(p.1));
    let svg = chart(&Chart {
        x: "λ".into(),
        y: "median error on unseen rows, %".into(),
        x_scale: Scale::spanning(low, high),
        y_scale: Scale::linear(0.0, 1.05 * most.min(200.0)),
        lines: vec![Line::plain("lasso", line)],
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name: "lambda",
        title: "Error of the linear lasso and λ".into(),
        svg,
    }))
}

/// Several models' errors against the share learnt from, the median of its splits each.
///
/// # Errors
/// If the drawing library refuses, which it has no reason to.
pub fn by_training_size(models: &[(&str, &CostModel)]) -> Result<Option<Figure>, FigureError> {
    let lines = models.iter().filter_map(|(name, model)| {
        let points = medians(model.sensitivity.as_ref()?);
        (points.len() > 1).then(|| Line::plain(name, points))
    });
    comparison(
        lines.collect(),
        "training-size",
        ("rows learnt from, %", "median error on the others, %"),
        "Error and the size of the training set",
    )
}

/// Several models' linear lassos: errors against λ as a share of the largest λ of each.
///
/// # Errors
/// If the drawing library refuses, which it has no reason to.
pub fn by_lambda(models: &[(&str, &CostModel)]) -> Result<Option<Figure>, FigureError> {
    let lines = models.iter().filter_map(|(name, model)| {
        let points = &model.sensitivity.as_ref()?.lambda;
        let largest = points.iter().fold(0.0_f64, |m, p| m.max(p.lambda));
        let points: Vec<(f64, f64)> = points
            .iter()
            .map(|p| (100.0 * p.lambda / largest, 100.0 * p.median_error))
            .filter(|p| p.0 > 0.0 && p.1.is_finite())
            .collect();
        (points.len() > 1).then(|| Line::plain(name, points))
    });
    comparison(
        lines.collect(),
        "lambda",
        ("λ, % of the largest", "median error on unseen rows, %"),
        "Error of the linear lasso and λ",
    )
}

/// Lines in one chart; errors above 50 % are cut off.
fn comparison(
    lines: Vec<Line>,
    name: &'static str,
    (x, y): (&str, &str),
    title: &str,
) -> Result<Option<Figure>, FigureError> {
    if lines.is_empty() {
        return Ok(None);
    }
    let all = || lines.iter().flat_map(|l| &l.points);
    let (low, high) = extent(all().map(|p| p.0));
    let most = all().fold(0.0_f64, |m, p| m.max(p.1));
    let svg = chart(&Chart {
        x: x.into(),
        y: y.into(),
        x_scale: Scale::spanning(low, high),
        y_scale: Scale::linear(0.0, 1.05 * most.min(50.0)),
        lines,
        coloured: true,
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name,
        title: title.into(),
        svg,
    }))
}

fn path(model: &CostModel, sensitivity: &Sensitivity) -> Result<Option<Figure>, FigureError> {
    let lines: Vec<Line> = sensitivity
        .path
        .iter()
        .map(|line| {
            let points = line.points.iter().copied().filter(|p| p.0 > 0.0).collect();
            Line::plain(&brief(&line.feature), points)
        })
        .filter(|line| line.points.len() > 1)
        .collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let all = || lines.iter().flat_map(|l| &l.points);
    let (low, high) = extent(all().map(|p| p.0));
    let (bottom, top) = extent(all().map(|p| p.1).chain([0.0]));
    let margin = 0.05 * (top - bottom);
    let svg = chart(&Chart {
        x: "λ".into(),
        y: axis_title(model, "coefficient × largest value of the feature:"),
        x_scale: Scale::spanning(low, high),
        y_scale: Scale::linear(bottom - margin, top + margin),
        lines,
        coloured: true,
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name: "path",
        title: "Path of the lasso: the features with the largest effects".into(),
        svg,
    }))
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}

#[cfg(test)]
mod tests {
    use pricetag_cost_model::{ChargeKind, MethodKey};

    use super::*;

    /// Horizontal positions of the dots of a figure.
    fn dots(svg: &str) -> Vec<f64> {
        let circles = svg.split("<circle cx=\"").skip(1);
        circles
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect()
    }

    #[test]
    fn prices_far_apart_have_places_of_their_own() {
        let bar = |exponent: i32| Bar {
            name: format!("A.m() block {exponent}"),
            value: 10_f64.powi(exponent),
            ends: Some((0.0, 10_f64.powi(exponent + 1))),
        };
        let bars: Vec<Bar> = (0..10).map(bar).collect();
        let dots = dots(&intervals(&bars, "price").unwrap());
        assert_eq!(dots.len(), 10);
        assert!(
            dots.windows(2).all(|pair| pair[1] > pair[0] + 20.0),
            "{dots:?}"
        );
    }

    #[test]
    fn shares_that_samples_know_are_drawn() {
        let account = |name: &str, cost, factors| Charge {
            kind: ChargeKind::Method,
            method: Some(MethodKey {
                class: "a/B".into(),
                name: name.into(),
                descriptor: "(I)V".into(),
            }),
            cost,
            factors,
            ..Charge::default()
        };
        let charges = Charges {
            accounts: vec![
                account("hot", 60.0, (0.9, 1.1)),
                account("warm", 39.0, (0.8, 1.2)),
                account("unknown", 1.0, (0.0, 8.0)),
            ],
            ..Charges::default()
        };
        let figure = shares(&charges).unwrap().unwrap();
        assert_eq!(figure.name, "shares");
        assert_eq!(dots(&figure.svg).len(), 2);
        assert!(figure.svg.contains("B.hot(int)") && !figure.svg.contains("unknown"));
    }
}
