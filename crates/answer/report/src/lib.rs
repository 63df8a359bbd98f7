//! Findings to one self-contained HTML page.
//!
//! [`render`] writes one file that needs no network and works from `file://`: style, script and data are inside it, and
//! a content security policy forbids it to load anything. What a reader must know stands in plain HTML and needs no
//! script; tables and charts are built by the script from data that [`payload`] makes compact, and only as many rows as
//! are looked at, so that tens of thousands of features open quickly.
//!
//! Invariants: the same input gives the same bytes (no clock, no map order); no text of a subject reaches the page other
//! than through [`escape`].

pub mod escape;
pub mod figures;
pub mod payload;
mod strings;
mod top;

use pricetag_cost_model::CostModel;
use pricetag_dataset::Dataset;
use pricetag_finding::{Explanation, Inspection, Summary};

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// The model.
    pub model: &'a CostModel,
    /// The observations it explains.
    pub dataset: &'a Dataset,
    /// Its explanation by block, with listings if there are any.
    pub explanation: &'a Explanation,
    /// What is in the dataset.
    pub inspection: &'a Inspection,
    /// The account of the run in sentences.
    pub summary: &'a Summary,
}

const STYLE: &str = include_str!("page/style.css");
const SCRIPTS: [&str; 7] = [
    include_str!("page/figure.js"),
    include_str!("page/dom.js"),
    include_str!("page/table.js"),
    include_str!("page/chart.js"),
    include_str!("page/observations.js"),
    include_str!("page/prices.js"),
    include_str!("page/main.js"),
];

/// Renders the page.
pub fn render(input: &ReportInput) -> String {
    let data = payload::payload(input);
    let mut page = String::with_capacity(1 << 20);
    page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n",
    );
    page.push_str("<link rel=\"icon\" href=\"data:,\">\n<title>");
    page.push_str(&escape::html(input.title));
    page.push_str("</title>\n<style>\n");
    page.push_str(STYLE);
    page.push_str("</style>\n</head>\n<body>\n");
    top::write(&mut page, input);
    page.push_str("<script type=\"application/json\" id=\"data\">");
    page.push_str(&escape::json_in_script(&data.to_string()));
    page.push_str("</script>\n<script>\n\"use strict\";\n(() => {\n");
    for script in SCRIPTS {
        page.push_str(script);
    }
    page.push_str("})();\n</script>\n</body>\n</html>\n");
    page
}
