//! How the error depends on what was learnt from and on λ: two short tables; the model and the report's figures have all
//! points.

use pricetag_cost_model::{LambdaPoint, Sensitivity, SizePoint};
use pricetag_finding::figure::percent;
use pricetag_finding::table::{Align, render};
use pricetag_quantity::median;

/// Lines of the table of λ, the one with the least error aside.
const LINES: usize = 8;

pub fn text(found: &Sensitivity, width: usize) -> String {
    let mut text = String::new();
    if !found.training.is_empty() {
        text.push_str(&training(&found.training, width));
        text.push('\n');
    }
    if !found.lambda.is_empty() {
        text.push_str(&lambda(&found.lambda, width));
        text.push('\n');
    }
    text
}

/// A line per share: the median over its splits.
fn training(points: &[SizePoint], width: usize) -> String {
    let header = [
        ("learnt from", Align::Right),
        ("rows", Align::Right),
        ("splits", Align::Right),
        ("median error", Align::Right),
    ];
    let mut rows = Vec::new();
    for of_share in points.chunk_by(|a, b| a.fraction == b.fraction) {
        let middle = |value: fn(&SizePoint) -> f64| {
            let values: Vec<f64> = of_share.iter().map(value).collect();
            median(&values).unwrap_or(f64::NAN)
        };
        rows.push(vec![
            percent(of_share[0].fraction),
            format!("{:.0}", middle(|p| f64::from(p.train_rows))),
            of_share.len().to_string(),
            percent(middle(|p| p.median_error)),
        ]);
    }
    render(&header, &rows, 0, width)
}

/// Every so many points of the path, its ends and the least error.
fn lambda(points: &[LambdaPoint], width: usize) -> String {
    let header = [
        ("λ of a lasso", Align::Right),
        ("features", Align::Right),
        ("median error", Align::Right),
        ("", Align::Left),
    ];
    let finite = (0..points.len()).filter(|&i| points[i].median_error.is_finite());
    let least = finite.min_by(|&a, &b| {
        let error = |i: usize| points[i].median_error;
        error(a).total_cmp(&error(b)).then(a.cmp(&b))
    });
    let last = points.len() - 1;
    let mut shown: Vec<usize> = (0..LINES).map(|line| line * last / (LINES - 1)).collect();
    shown.extend(least);
    shown.sort_unstable();
    shown.dedup();
    let rows: Vec<Vec<String>> = shown
        .into_iter()
        .map(|i| {
            let mark = if Some(i) == least { "least" } else { "" };
            vec![
                format!("{:.2e}", points[i].lambda),
                points[i].features.to_string(),
                percent(points[i].median_error),
                mark.to_owned(),
            ]
        })
        .collect();
    render(&header, &rows, 0, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_share(fraction: f64, errors: [f64; 3]) -> Vec<SizePoint> {
        let point = |error: f64| SizePoint {
            fraction,
            train_rows: (100.0 * fraction) as u32,
            median_error: error,
            mean_error: 9.0,
        };
        errors.map(point).to_vec()
    }

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn a_line_per_share_and_few_per_path_with_the_least_error_marked() {
        let point = |i: u32| LambdaPoint {
            lambda: 0.5_f64.powi(i as i32),
            features: i,
            median_error: 0.1 + 0.01 * (f64::from(i) - 37.0).abs(),
            mean_error: 9.0,
        };
        let found = Sensitivity {
            training: [of_share(0.1, [0.3, 0.1, 0.2]), of_share(0.5, [0.05; 3])].concat(),
            lambda: (0..60).map(point).collect(),
            path: Vec::new(),
        };
        let text = text(&found, 100);
        let lines: Vec<Vec<&str>> = text.lines().map(words).collect();
        assert!(lines.contains(&words("10.0 % 10 3 20.0 %")), "{text}");
        assert!(lines.contains(&words("50.0 % 50 3 5.0 %")), "{text}");
        assert!(lines.contains(&words("1.00e0 0 47.0 %")), "{text}");
        assert!(lines.contains(&words("7.28e-12 37 10.0 % least")), "{text}");
        assert!(lines.contains(&words("1.73e-18 59 32.0 %")), "{text}");
        assert_eq!(lines.len(), 3 + 1 + LINES + 2 + 1, "{text}");
    }
}
