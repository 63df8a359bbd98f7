//! The head of the page, in plain HTML: what was run, how good the model is, where the cost goes. It needs no script.

use std::fmt::Write as _;

use pricetag_finding::Summary;
use pricetag_finding::figure::{count, percent, quantity};

use crate::ReportInput;
use crate::escape::{html, svg_address};
use crate::figures::figures;

/// Sections of the page: id and heading.
const SECTIONS: [(&str, &str); 8] = [
    ("summary", "Summary"),
    ("accuracy", "Accuracy"),
    ("methods", "Where it goes"),
    ("prices", "Prices"),
    ("rivals", "Methods compared"),
    ("figures", "Figures"),
    ("doubts", "Doubts"),
    ("provenance", "Provenance"),
];

/// Writes everything above the data.
pub(crate) fn write(page: &mut String, input: &ReportInput) {
    page.push_str("<a class=\"skip\" href=\"#at=summary\">Skip to the summary</a>\n<header class=\"bar\"><div class=\"wide\">\n");
    page.push_str("<span class=\"mark\" aria-hidden=\"true\"></span><strong>Pricetag</strong>\n<nav aria-label=\"Sections\">");
    for (id, name) in SECTIONS {
        let _ = write!(page, "<a href=\"#at={id}\">{name}</a>");
    }
    page.push_str("</nav>\n<button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\"></button>\n");
    page.push_str(
        "</div></header>\n<main class=\"wide\">\n<section id=\"summary\" tabindex=\"-1\">\n",
    );
    let _ = writeln!(page, "<h1>{}</h1>", html(input.title));
    let subject = input.summary.subject.join(" ");
    if !subject.is_empty() {
        let _ = writeln!(
            page,
            "<p class=\"command\"><code>{}</code></p>",
            html(&subject)
        );
    }
    page.push_str("<div class=\"lead\">\n<div class=\"words\">\n");
    for sentence in &input.summary.sentences {
        let _ = writeln!(page, "<p>{}</p>", html(sentence));
    }
    page.push_str("</div>\n<div class=\"facts\">\n");
    errors(page, input.summary);
    facts(page, input);
    page.push_str("</div>\n</div>\n");
    strip(page, input.summary);
    warnings(page, input.summary);
    page.push_str("<noscript><p class=\"note\">The charts and tables below are built by a script, which is switched off.</p></noscript>\n</section>\n");
    for (id, name) in &SECTIONS[1..] {
        let _ = write!(page, "<section id=\"{id}\" tabindex=\"-1\"><h2>{name}</h2>");
        if *id == "figures" {
            pictures(page, input);
        }
        page.push_str("</section>\n");
    }
    page.push_str("</main>\n<div id=\"tip\" role=\"status\" aria-live=\"polite\" hidden></div>\n");
}

/// Figures to copy, as pictures that need no script.
fn pictures(page: &mut String, input: &ReportInput) {
    let drawn = figures(input.model).unwrap_or_default();
    if drawn.is_empty() {
        page.push_str("<p class=\"note\">There is nothing to draw: no row was held out and nothing has a price.</p>");
        return;
    }
    page.push_str("<p class=\"about\">Pictures to save and pass on; <code>pricetag report --figures</code> writes them as SVG files.");
    if input.model.sensitivity.is_none() {
        page.push_str(" <code>pricetag fit --sensitivity</code> adds how the error depends on the training set and on λ.");
    }
    page.push_str("</p>\n<div class=\"plots\">\n");
    for figure in drawn {
        let title = html(&figure.title);
        let _ = writeln!(
            page,
            "<figure><img alt=\"{title}\" src=\"{}\" loading=\"lazy\"><figcaption>{title}</figcaption></figure>",
            svg_address(&figure.svg)
        );
    }
    page.push_str("</div>\n");
}

/// Error of the model between the noise floor and the baseline, as bars on one scale.
fn errors(page: &mut String, summary: &Summary) {
    let Some((median, p90)) = summary.error else {
        page.push_str("<p class=\"note\">The model was not tested on unseen inputs.</p>\n");
        return;
    };
    let mut rows = vec![("this model", median, "own")];
    if let Some(noise) = summary.noise {
        rows.insert(0, ("measurement noise", noise, "floor"));
    }
    if let Some((baseline, _)) = summary.baseline {
        rows.push(("input size alone", baseline, "base"));
    }
    let largest = rows.iter().map(|row| row.1).fold(0.0, f64::max);
    let _ = writeln!(
        page,
        "<figure class=\"errors\"><figcaption>Median error on unseen inputs</figcaption>\n<p class=\"big\">{}</p>",
        percent(median)
    );
    page.push_str("<dl>");
    for (name, value, class) in rows {
        let width = if largest > 0.0 {
            value / largest * 100.0
        } else {
            0.0
        };
        let _ = write!(
            page,
            "<div class=\"{class}\"><dt>{name}</dt><dd><i style=\"width:{width:.1}%\"></i><b>{}</b></dd></div>",
            percent(value)
        );
    }
    let _ = writeln!(
        page,
        "</dl><p class=\"small\">one input in ten is off by more than {}</p></figure>",
        percent(p90)
    );
}

fn facts(page: &mut String, input: &ReportInput) {
    let summary = input.summary;
    let mut rows = vec![
        ("observations", count(f64::from(summary.observations))),
        ("failed", count(f64::from(summary.failed))),
        ("features", count(f64::from(summary.features))),
        ("prices", count(f64::from(summary.priced))),
    ];
    if summary.unpriced > 0 {
        rows.push(("without a price", count(f64::from(summary.unpriced))));
    }
    if let Some((_, buckets)) = summary.inseparable {
        rows.push(("merged buckets", count(f64::from(buckets))));
    }
    if let Some((level, Some(coverage))) = summary.coverage {
        rows.push((
            "interval coverage",
            format!("{} of {}", percent(coverage), percent(level)),
        ));
    }
    rows.push((
        "total predicted",
        quantity(input.explanation.predicted, &summary.unit),
    ));
    page.push_str("<dl class=\"numbers\">");
    for (name, value) in rows {
        let _ = write!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    page.push_str("</dl>\n");
}

/// One bar over the width of the page, divided among the most expensive methods.
fn strip(page: &mut String, summary: &Summary) {
    if summary.top.is_empty() {
        return;
    }
    page.push_str("<figure class=\"strip\"><figcaption>Where it goes</figcaption><div class=\"parts\" aria-hidden=\"true\">");
    for (index, item) in summary.top.iter().enumerate() {
        let _ = write!(
            page,
            "<i class=\"p{}\" style=\"flex-grow:{:.4}\" title=\"{}: {}\"></i>",
            index % 8,
            item.share.max(0.0),
            html(&item.name),
            percent(item.share)
        );
    }
    let rest = 1.0 - summary.top.iter().map(|item| item.share).sum::<f64>();
    if rest > 0.0005 {
        let _ = write!(
            page,
            "<i class=\"rest\" style=\"flex-grow:{rest:.4}\" title=\"everything else: {}\"></i>",
            percent(rest)
        );
    }
    page.push_str("</div><ol>");
    for (index, item) in summary.top.iter().enumerate() {
        let _ = write!(
            page,
            "<li><i class=\"p{}\"></i><span class=\"name\" title=\"{name}\">{name}</span> <b>{}</b></li>",
            index % 8,
            percent(item.share),
            name = html(&item.name)
        );
    }
    if rest > 0.0005 {
        let _ = write!(
            page,
            "<li><i class=\"rest\"></i><span class=\"name\">everything else</span> <b>{}</b></li>",
            percent(rest)
        );
    }
    page.push_str("</ol></figure>\n");
}

fn warnings(page: &mut String, summary: &Summary) {
    if summary.warnings.is_empty() {
        return;
    }
    page.push_str("<div class=\"warnings\"><h3>Keep in mind</h3><ul>");
    for warning in summary.warnings.iter().take(10) {
        let _ = write!(page, "<li>{}</li>", html(warning));
    }
    if summary.warnings.len() > 10 {
        let _ = write!(page, "<li>{} more below</li>", summary.warnings.len() - 10);
    }
    page.push_str("</ul></div>\n");
}
