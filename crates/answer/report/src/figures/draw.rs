//! Drawing by `plotters` into SVG text.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Scale;

const SIZE: (u32, u32) = (760, 440);
const SQUARE: (u32, u32) = (560, 520);
const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(31, 41, 55);
const POINT: RGBColor = RGBColor(37, 99, 168);
const GRID: RGBColor = RGBColor(226, 230, 236);
/// Colours that also differ in lightness, for readers who tell few colours apart.
const COLOURS: [RGBColor; 12] = [
    RGBColor(37, 99, 168),
    RGBColor(200, 85, 20),
    RGBColor(28, 128, 84),
    RGBColor(136, 58, 140),
    RGBColor(176, 132, 0),
    RGBColor(190, 30, 60),
    RGBColor(0, 140, 160),
    RGBColor(90, 90, 90),
    RGBColor(120, 170, 220),
    RGBColor(240, 160, 110),
    RGBColor(120, 190, 150),
    RGBColor(200, 150, 205),
];

/// The drawing library refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("drawing a figure: {0}")]
pub struct FigureError(String);

fn refused(error: impl std::fmt::Display) -> FigureError {
    FigureError(error.to_string())
}

/// A line through points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

impl Line {
    pub fn plain(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.to_owned(),
            points,
        }
    }
}

/// Points and lines over two axes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub x: String,
    pub y: String,
    pub x_scale: Scale,
    pub y_scale: Scale,
    pub points: Vec<(f64, f64)>,
    pub lines: Vec<Line>,
    /// Each line has its own colour and stands in a legend.
    pub coloured: bool,
    /// Both axes are equally long.
    pub square: bool,
}

/// A value with its interval.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub name: String,
    pub value: f64,
    pub ends: Option<(f64, f64)>,
}

/// Draws points and lines.
pub(crate) fn chart(chart: &Chart) -> Result<String, FigureError> {
    let mut svg = String::new();
    {
        let size = if chart.square { SQUARE } else { SIZE };
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw_chart(chart, &area)?;
        area.present().map_err(refused)?;
    }
    Ok(svg)
}

fn draw_chart(chart: &Chart, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), FigureError> {
    area.fill(&WHITE).map_err(refused)?;
    let ((left, right), (bottom, top)) = (chart.x_scale.ends(), chart.y_scale.ends());
    let mut axes = ChartBuilder::on(area)
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(76)
        .build_cartesian_2d(left..right, bottom..top)
        .map_err(refused)?;
    axes.configure_mesh()
        .x_desc(chart.x.as_str())
        .y_desc(chart.y.as_str())
        .axis_desc_style((FONT, 14).into_font().color(&INK))
        .label_style((FONT, 12).into_font().color(&INK))
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .x_labels(8)
        .y_labels(8)
        .x_label_formatter(&|p| chart.x_scale.label(*p))
        .y_label_formatter(&|p| chart.y_scale.label(*p))
        .draw()
        .map_err(refused)?;
    let place = |(x, y): (f64, f64)| {
        (
            chart.x_scale.position(x).clamp(left, right),
            chart.y_scale.position(y).clamp(bottom, top),
        )
    };
    for (index, line) in chart.lines.iter().enumerate() {
        let colour = if chart.coloured {
            COLOURS[index % COLOURS.len()]
        } else {
            INK
        };
        let series = LineSeries::new(
            line.points.iter().copied().map(place),
            colour.stroke_width(2),
        );
        let drawn = axes.draw_series(series).map_err(refused)?;
        if chart.coloured {
            drawn.label(shortened(&line.name)).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2))
            });
        }
    }
    let dots = chart.points.iter().copied().map(place);
    axes.draw_series(dots.map(|at| Circle::new(at, 3, POINT.mix(0.55).filled())))
        .map_err(refused)?;
    if chart.coloured {
        axes.configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .label_font((FONT, 11).into_font().color(&INK))
            .background_style(WHITE.mix(0.85))
            .border_style(GRID)
            .draw()
            .map_err(refused)?;
    }
    Ok(())
}

/// Draws one value a row, with its interval.
pub(crate) fn intervals(bars: &[Bar], title: &str) -> Result<String, FigureError> {
    let mut svg = String::new();
    let rows = bars.len();
    {
        let height = 90 + 22 * rows as u32;
        let area = SVGBackend::with_string(&mut svg, (SIZE.0, height)).into_drawing_area();
        draw_intervals(bars, title, &area)?;
        area.present().map_err(refused)?;
    }
    Ok(svg)
}

fn draw_intervals(
    bars: &[Bar],
    title: &str,
    area: &DrawingArea<SVGBackend<'_>, Shift>,
) -> Result<(), FigureError> {
    area.fill(&WHITE).map_err(refused)?;
    let positive = bars
        .iter()
        .flat_map(|bar| {
            [
                Some(bar.value),
                bar.ends.map(|e| e.0),
                bar.ends.map(|e| e.1),
            ]
        })
        .flatten()
        .filter(|v| *v > 0.0);
    let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    // Every value has its place; a lower end of an interval at or near zero has none on a logarithmic axis.
    let values = bars.iter().map(|bar| bar.value).filter(|v| *v > 0.0);
    let least = values.fold(f64::INFINITY, f64::min);
    let scale = Scale::spanning(low.max(0.1 * least), high);
    let (left, right) = scale.ends();
    let rows = bars.len() as f64;
    let mut axes = ChartBuilder::on(area)
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(290)
        .build_cartesian_2d(left..right, -0.5..rows - 0.5)
        .map_err(refused)?;
    axes.configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .x_desc(title)
        .axis_desc_style((FONT, 14).into_font().color(&INK))
        .label_style((FONT, 12).into_font().color(&INK))
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .x_labels(7)
        .x_label_formatter(&|p| scale.label(*p))
        .draw()
        .map_err(refused)?;
    let place = |value: f64| {
        scale
            .position(value.max(f64::MIN_POSITIVE))
            .clamp(left, right)
    };
    let names = (FONT, 12)
        .into_font()
        .color(&INK)
        .pos(Pos::new(HPos::Right, VPos::Center));
    for (index, bar) in bars.iter().enumerate() {
        let y = rows - 1.0 - index as f64;
        if let Some((from, to)) = bar.ends {
            let whisker = PathElement::new([(place(from), y), (place(to), y)], INK.stroke_width(1));
            axes.draw_series([whisker]).map_err(refused)?;
        }
        axes.draw_series([Circle::new((place(bar.value), y), 4, POINT.filled())])
            .map_err(refused)?;
        let at = axes.backend_coord(&(left, y));
        area.draw(&Text::new(
            shortened(&bar.name),
            (at.0 - 8, at.1),
            names.clone(),
        ))
        .map_err(refused)?;
    }
    Ok(())
}

/// Names are as long as there is room; the end tells more than the beginning.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 44;
    let length = name.chars().count();
    if length <= LONGEST {
        return name.to_owned();
    }
    let tail: String = name.chars().skip(length - LONGEST + 1).collect();
    format!("…{tail}")
}
