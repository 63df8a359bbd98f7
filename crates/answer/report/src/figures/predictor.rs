//! A predictor tried on inputs: how its time and the program's are distributed (Mantis 2010, figure 10), the error that each cost of an
//! evaluation buys, predictions beside measured costs.

use pricetag_evaluator::{AnswerStatus, Check, Point};

use super::axis::Scale;
use super::draw::{Chart, FigureError, Line, chart};
use super::{Figure, extent};

/// Draws what a check and the curve of the predictor have data for.
///
/// # Errors
/// If the drawing library refuses.
pub fn predictor_figures(check: &Check, curve: &[Point]) -> Result<Vec<Figure>, FigureError> {
    let drawn = [distribution(check)?, error_by_cost(curve)?, answers(check)?];
    Ok(drawn.into_iter().flatten().collect())
}

/// Share of the inputs, in per cent, whose time is no longer.
fn distribution(check: &Check) -> Result<Option<Figure>, FigureError> {
    let answered = check.trials.iter().filter(|trial| trial.failed.is_none());
    let pairs = answered.filter_map(|t| Some((t.run_cpu? / 1e6, t.evaluation_cpu / 1e6)));
    let (runs, evaluations): (Vec<f64>, Vec<f64>) =
        pairs.filter(|(run, own)| *run > 0.0 && *own > 0.0).unzip();
    if runs.len() < 2 {
        return Ok(None);
    }
    let (low, high) = extent(runs.iter().chain(&evaluations).copied());
    let inputs = runs.len();
    let svg = chart(&Chart {
        x: "CPU time of a process (ms)".into(),
        y: "inputs that take no longer, %".into(),
        x_scale: Scale::spanning(low, high),
        y_scale: Scale::linear(0.0, 100.0),
        lines: vec![
            Line::plain("the program", steps(runs)),
            Line::plain("the predictor", steps(evaluations)),
        ],
        coloured: true,
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name: "distribution",
        title: format!("Times of the program and of the predictor, {inputs} inputs"),
        svg,
    }))
}

/// The distribution's function: at each time it rises by the share of one input.
fn steps(mut times: Vec<f64>) -> Vec<(f64, f64)> {
    times.sort_by(f64::total_cmp);
    let each = 100.0 / times.len() as f64;
    let step = |(n, time): (usize, f64)| [(time, each * n as f64), (time, each * (n + 1) as f64)];
    times.into_iter().enumerate().flat_map(step).collect()
}

/// Median error by what an evaluation costs.
fn error_by_cost(curve: &[Point]) -> Result<Option<Figure>, FigureError> {
    let known = curve
        .iter()
        .filter_map(|p| Some((100.0 * p.share, 100.0 * p.median_error?)));
    let points: Vec<(f64, f64)> = known.collect();
    if points.len() < 2 {
        return Ok(None);
    }
    let (low, high) = extent(points.iter().map(|p| p.0));
    let most = extent(points.iter().map(|p| p.1)).1;
    let svg = chart(&Chart {
        x: "an evaluation costs, % of a run".into(),
        y: "median error on held-out rows, %".into(),
        x_scale: Scale::linear(low.min(0.0), high.max(1.0)),
        y_scale: Scale::linear(0.0, 1.05 * most),
        lines: vec![Line::plain("", points.clone())],
        points,
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name: "error-by-cost",
        title: "Error against the cost of an evaluation".into(),
        svg,
    }))
}

/// Answers without a flag beside what was measured.
fn answers(check: &Check) -> Result<Option<Figure>, FigureError> {
    let claimed = check
        .trials
        .iter()
        .filter(|t| t.answer.status == AnswerStatus::Ok);
    let pairs = claimed.filter_map(|t| Some((t.measured?, t.answer.value?)));
    let points: Vec<(f64, f64)> = pairs.filter(|(m, p)| *m > 0.0 && *p > 0.0).collect();
    if points.is_empty() {
        return Ok(None);
    }
    let ends = extent(points.iter().flat_map(|(m, p)| [*m, *p]));
    let title = format!(
        "Predicted without running against measured, {} inputs",
        points.len()
    );
    let svg = chart(&Chart {
        x: format!("measured {}", check.target),
        y: format!("predicted {}", check.target),
        x_scale: Scale::spanning(ends.0, ends.1),
        y_scale: Scale::spanning(ends.0, ends.1),
        square: true,
        lines: vec![Line::plain("", vec![(ends.0, ends.0), (ends.1, ends.1)])],
        points,
        ..Chart::default()
    })?;
    Ok(Some(Figure {
        name: "answers",
        title,
        svg,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_rises_at_each_time() {
        let found = steps(vec![20.0, 10.0, 10.0, 40.0]);
        let at = |percent: f64| found.iter().position(|(_, y)| *y == percent).unwrap();
        assert_eq!(
            [50.0, 75.0, 100.0].map(|y| found[at(y)].0),
            [10.0, 20.0, 40.0]
        );
    }

    #[test]
    fn a_curve_is_drawn_where_there_are_two_points() {
        let point = |share: f64, error: f64| Point {
            offered_up_to: share,
            offered: 1,
            share,
            used: 1,
            median_error: Some(error),
            p90_error: None,
            rows: 10,
            chosen: false,
        };
        let check = Check {
            schema: 1,
            target: "cpu".to_owned(),
            trials: Vec::new(),
        };
        let curve = [point(0.0, 0.4), point(0.02, 0.05)];
        let drawn = predictor_figures(&check, &curve).unwrap();
        assert_eq!(
            drawn.iter().map(|f| f.name).collect::<Vec<_>>(),
            ["error-by-cost"]
        );
        assert!(predictor_figures(&check, &curve[..1]).unwrap().is_empty());
    }
}
