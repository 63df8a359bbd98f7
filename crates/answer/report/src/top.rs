//! The head of the page, in plain HTML: what was run, how good the model is, where the cost goes. It needs no script.

use pricetag_finding::figure::{brief, count, percent, quantity};
use pricetag_finding::{Summary, interval};

use crate::ReportInput;
use crate::figures::figures;
use crate::markup::{Markup, Measure};

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
pub(crate) fn write(page: &mut Markup, input: &ReportInput) {
    page.put("<a class=\"skip\" href=\"#at=summary\">Skip to the summary</a>\n<header class=\"bar\"><div class=\"wide\">\n", &[]);
    page.put("<span class=\"mark\" aria-hidden=\"true\"></span><strong>Pricetag</strong>\n<nav aria-label=\"Sections\">", &[]);
    for (id, name) in SECTIONS {
        page.put("<a href=\"#at={}\">{}</a>", &[&id, &name]);
    }
    page.put("</nav>\n<button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\"></button>\n", &[]);
    page.put(
        "</div></header>\n<main class=\"wide\">\n<section id=\"summary\" tabindex=\"-1\">\n",
        &[],
    );
    page.put("<h1>{}</h1>\n", &[&input.title]);
    let subject = input.summary.subject.join(" ");
    if !subject.is_empty() {
        page.put("<p class=\"command\"><code>{}</code></p>\n", &[&subject]);
    }
    page.put("<div class=\"lead\">\n<div class=\"words\">\n", &[]);
    for sentence in &input.summary.sentences {
        page.put("<p>{}</p>\n", &[sentence]);
    }
    page.put("</div>\n<div class=\"facts\">\n", &[]);
    errors(page, input.summary);
    facts(page, input);
    page.put("</div>\n</div>\n", &[]);
    strip(page, input.summary);
    warnings(page, input.summary);
    page.put("<noscript><p class=\"note\">The charts and tables below are built by a script, which is switched off.</p></noscript>\n</section>\n", &[]);
    for (id, name) in &SECTIONS[1..] {
        page.put(
            "<section id=\"{}\" tabindex=\"-1\"><h2>{}</h2>",
            &[id, name],
        );
        if *id == "figures" {
            pictures(page, input);
        }
        page.put("</section>\n", &[]);
    }
    page.put(
        "</main>\n<div id=\"tip\" role=\"status\" aria-live=\"polite\" hidden></div>\n",
        &[],
    );
}

/// Figures to copy, as pictures that need no script.
fn pictures(page: &mut Markup, input: &ReportInput) {
    let drawn = figures(input.model).unwrap_or_default();
    if drawn.is_empty() {
        page.put("<p class=\"note\">There is nothing to draw: no row was held out and nothing has a price.</p>", &[]);
        return;
    }
    page.put("<p class=\"about\">Pictures to save and pass on; <code>pricetag report --figures</code> writes them as SVG files.", &[]);
    if input.model.sensitivity.is_none() {
        page.put(" <code>pricetag fit --sensitivity</code> adds how the error depends on the training set and on λ.", &[]);
    }
    page.put("</p>\n<div class=\"plots\">\n", &[]);
    for figure in drawn {
        page.picture(&figure.title, &figure.svg);
    }
    page.put("</div>\n", &[]);
}

/// Error of the model between the noise floor and the baseline, as bars on one scale.
fn errors(page: &mut Markup, summary: &Summary) {
    let Some((median, p90)) = summary.error else {
        page.put(
            "<p class=\"note\">The model was not tested on unseen inputs.</p>\n",
            &[],
        );
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
    page.put(
        "<figure class=\"errors\"><figcaption>Median error on unseen inputs</figcaption>\n<p class=\"big\">{}</p>\n",
        &[&percent(median)],
    );
    page.put("<dl>", &[]);
    for (name, value, class) in rows {
        let width = if largest > 0.0 {
            value / largest * 100.0
        } else {
            0.0
        };
        let measure = page.measure(Measure::Width(width));
        page.put(
            "<div class=\"{}\"><dt>{}</dt><dd><i class=\"{}\"></i><b>{}</b></dd></div>",
            &[&class, &name, &measure, &percent(value)],
        );
    }
    page.put(
        "</dl><p class=\"small\">one input in ten is off by more than {}</p></figure>\n",
        &[&percent(p90)],
    );
}

fn facts(page: &mut Markup, input: &ReportInput) {
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
    page.put("<dl class=\"numbers\">", &[]);
    for (name, value) in rows {
        page.put("<div><dt>{}</dt><dd>{}</dd></div>", &[&name, &value]);
    }
    page.put("</dl>\n", &[]);
}

/// One bar over the width of the page, divided among the most expensive methods.
fn strip(page: &mut Markup, summary: &Summary) {
    if summary.top.is_empty() {
        return;
    }
    page.put("<figure class=\"strip\"><figcaption>Where it goes</figcaption><div class=\"parts\" aria-hidden=\"true\">", &[]);
    for (index, item) in summary.top.iter().enumerate() {
        let measure = page.measure(Measure::Grow(item.share.max(0.0)));
        page.put(
            "<i class=\"p{} {}\" title=\"{}: {}\"></i>",
            &[&(index % 8), &measure, &item.name, &percent(item.share)],
        );
    }
    let rest = 1.0 - summary.top.iter().map(|item| item.share).sum::<f64>();
    if rest > 0.0005 {
        let measure = page.measure(Measure::Grow(rest));
        page.put(
            "<i class=\"rest {}\" title=\"everything else: {}\"></i>",
            &[&measure, &percent(rest)],
        );
    }
    page.put("</div><ol>", &[]);
    for (index, item) in summary.top.iter().enumerate() {
        page.put(
            "<li><i class=\"p{}\"></i><span class=\"name\" title=\"{}\">{}</span> <b>{}</b>",
            &[
                &(index % 8),
                &item.name,
                &brief(&item.name),
                &percent(item.share),
            ],
        );
        if let Some(bounds) = item.bounds {
            page.put(" <small>{}</small>", &[&interval(bounds)]);
        }
        page.put("</li>", &[]);
    }
    if rest > 0.0005 {
        page.put(
            "<li><i class=\"rest\"></i><span class=\"name\">everything else</span> <b>{}</b></li>",
            &[&percent(rest)],
        );
    }
    page.put("</ol>", &[]);
    for line in &summary.below {
        page.put("<p class=\"small\">{}</p>", &[line]);
    }
    page.put("</figure>\n", &[]);
}

fn warnings(page: &mut Markup, summary: &Summary) {
    if summary.warnings.is_empty() {
        return;
    }
    page.put("<div class=\"warnings\"><h3>Keep in mind</h3><ul>", &[]);
    for warning in summary.warnings.iter().take(10) {
        page.put("<li>{}</li>", &[warning]);
    }
    if summary.warnings.len() > 10 {
        page.put("<li>{} more below</li>", &[&(summary.warnings.len() - 10)]);
    }
    page.put("</ul></div>\n", &[]);
}
