//! Predicted and measured time of control programs over size, the first collections marked.

use pricetag_finding::{ControlProgram, ControlReport};

use super::axis::Scale;
use super::draw::{Chart, FigureError, Line, chart};

/// Collections that are marked in one figure.
const MARKED: f64 = 5.0;

/// One figure for each program and mode: `(file name without ending, picture)`.
///
/// # Errors
/// If the drawing library refuses, which it has no reason to.
pub fn control_figures(report: &ControlReport) -> Result<Vec<(String, String)>, FigureError> {
    let mut out = Vec::new();
    for (mode, results) in &report.modes {
        for program in &results.programs {
            if let Some(svg) = figure(program, &results.chosen)? {
                out.push((format!("{}-{mode}", program.name), svg));
            }
        }
    }
    Ok(out)
}

fn figure(program: &ControlProgram, estimator: &str) -> Result<Option<String>, FigureError> {
    let points: Vec<(f64, f64)> = program.rows.iter().map(|r| (r.size, r.measured)).collect();
    let predicted: Vec<(f64, f64)> = program
        .rows
        .iter()
        .filter_map(|r| Some((r.size, *r.predicted.get(estimator)?)))
        .collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Ok(None);
    };
    if predicted.is_empty() {
        return Ok(None);
    }
    let top = points
        .iter()
        .chain(&predicted)
        .fold(0.0_f64, |most, p| most.max(p.1));
    let mut lines = vec![Line::plain("predicted", predicted)];
    lines.extend(collections(program, 1.05 * top));
    chart(&Chart {
        x: "size (points: measured)".into(),
        y: format!("{}, ns", program.name),
        x_scale: Scale::linear(first.0, last.0),
        y_scale: Scale::linear(0.0, 1.05 * top),
        points,
        lines,
        coloured: true,
        ..Chart::default()
    })
    .map(Some)
}

/// Upright lines where the next collection begins, halfway between the sizes measured.
fn collections(program: &ControlProgram, top: f64) -> Vec<Line> {
    program
        .rows
        .windows(2)
        .filter(|w| w[0].collections.0 < w[1].collections.0 && w[1].collections.0 <= MARKED)
        .map(|w| {
            let at = f64::midpoint(w[0].size, w[1].size);
            let name = format!("collection {}", w[1].collections.0);
            Line::plain(&name, vec![(at, 0.0), (at, top)])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pricetag_finding::{ControlRow, ModeReport};
    use std::collections::BTreeMap;

    #[test]
    fn a_collection_is_marked_between_its_sizes() {
        let row = |size: f64, collections: f64| ControlRow {
            size,
            measured: size,
            predicted: BTreeMap::from([("nnls".to_owned(), size)]),
            collections: (collections, Some(collections)),
            ..ControlRow::default()
        };
        let program = ControlProgram {
            name: "p".into(),
            rows: vec![row(10.0, 0.0), row(20.0, 1.0), row(30.0, 1.0)],
            ..ControlProgram::default()
        };
        let marks = collections(&program, 9.0);
        assert_eq!(marks.len(), 1);
        assert_eq!(marks[0].points, [(15.0, 0.0), (15.0, 9.0)]);
        let report = ControlReport {
            modes: BTreeMap::from([(
                "paper".to_owned(),
                ModeReport {
                    chosen: "nnls".into(),
                    programs: vec![program],
                    ..ModeReport::default()
                },
            )]),
            ..ControlReport::default()
        };
        let figures = control_figures(&report).unwrap();
        assert_eq!(figures[0].0, "p-paper");
        assert!(figures[0].1.contains("collection 1") && figures[0].1.starts_with("<svg"));
    }
}
