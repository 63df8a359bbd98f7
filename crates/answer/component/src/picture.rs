//! A component and its calls as a picture (SVG): provided services on the left of the component, what it requires on the right, by class. A line leads from each
//! provided service to each required one that it calls; its colour says how far the formula holds, its title is the formula.

use std::fmt::Write as _;

use pricetag_services::{Behaviour, Kind, Quality};

use crate::text::named;

const ROW: usize = 34;
const TOP: usize = 64;
const LEFT: usize = 20;
const WIDTH: usize = 330;
const GAP: usize = 220;
/// Characters that fit into a box.
const CHARACTERS: usize = 44;

/// The picture.
pub fn picture(behaviour: &Behaviour) -> String {
    let required = right(behaviour);
    let rows = behaviour.operations.len().max(required.len()).max(1);
    let height = TOP + rows * ROW + 70;
    let width = LEFT * 2 + WIDTH * 2 + GAP;
    let other = LEFT + WIDTH + GAP;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">\n<title>Calls that cross the border of {}</title>\n",
        escaped(&behaviour.component.join(", "))
    );
    let _ = writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"12\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"#eef3fa\" stroke=\"#5b7ba5\"/>\n<text x=\"{}\" y=\"38\" font-weight=\"bold\">{}</text>\n<text x=\"{other}\" y=\"38\" font-weight=\"bold\">required</text>",
        WIDTH + GAP / 3,
        TOP + behaviour.operations.len() * ROW - 8,
        LEFT + 14,
        escaped(&shortened(&behaviour.component.join(", ")))
    );
    for (row, operation) in behaviour.operations.iter().enumerate() {
        let y = TOP + row * ROW;
        for law in &operation.laws {
            let Kind::Calls { service } = law.kind else {
                continue;
            };
            let Some(place) = required.iter().position(|r| *r == Some(service)) else {
                continue;
            };
            let (x, to) = (LEFT + WIDTH - 8, TOP + place * ROW);
            let middle = usize::midpoint(x, other);
            let pass = if law.per_pass { " in each pass" } else { "" };
            let _ = writeln!(
                out,
                "<path d=\"M {x} {} C {middle} {} {middle} {} {other} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"><title>{} calls {}{pass}: {}</title></path>",
                y + 13,
                y + 13,
                to + 13,
                to + 13,
                colour(law.quality),
                escaped(&operation.service.short()),
                escaped(&behaviour.required[service].short()),
                escaped(&law.text)
            );
        }
        bar(
            LEFT + 8,
            y,
            WIDTH - 16,
            &named(&operation.service),
            &mut out,
        );
    }
    for (row, service) in required.iter().enumerate() {
        let y = TOP + row * ROW;
        if let Some(service) = service {
            bar(
                other,
                y,
                WIDTH,
                &named(&behaviour.required[*service]),
                &mut out,
            );
        }
    }
    let y = height - 20;
    let mut x = LEFT;
    for (quality, name) in [
        (Quality::Exact, "exact"),
        (Quality::Usual, "depends on state"),
        (Quality::Approximate, "approximate"),
        (Quality::Unexplained, "unexplained"),
    ] {
        let _ = writeln!(
            out,
            "<line x1=\"{x}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"3\"/><text x=\"{}\" y=\"{y}\">{name}</text>",
            y - 4,
            x + 22,
            y - 4,
            colour(quality),
            x + 28
        );
        x += 50 + 9 * name.len();
    }
    out + "</svg>\n"
}

/// Required services by class, an empty row between classes.
fn right(behaviour: &Behaviour) -> Vec<Option<usize>> {
    let mut rows = Vec::new();
    let mut last = None;
    for (place, service) in behaviour.required.iter().enumerate() {
        if last.is_some_and(|class| class != &service.class) {
            rows.push(None);
        }
        last = Some(&service.class);
        rows.push(Some(place));
    }
    rows
}

fn bar(x: usize, y: usize, width: usize, text: &str, out: &mut String) {
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"26\" rx=\"5\" fill=\"#ffffff\" stroke=\"#8a8a8a\"/><text x=\"{}\" y=\"{}\">{}</text>",
        x + 8,
        y + 18,
        escaped(&shortened(text))
    );
}

fn colour(quality: Quality) -> &'static str {
    match quality {
        Quality::Exact => "#1a7f37",
        Quality::Usual => "#9a6700",
        Quality::Approximate => "#0969da",
        Quality::Unexplained => "#cf222e",
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= CHARACTERS {
        return text.to_owned();
    }
    let begin: String = text.chars().take(CHARACTERS - 1).collect();
    begin + "…"
}

fn escaped(text: &str) -> String {
    crate::xml::escaped(text)
}
