//! Findings to one self-contained HTML page.
//!
//! [`render`] writes one file that needs no network and works from `file://`: style, script and data are inside it, and
//! a content security policy forbids it to load anything, or to run anything but its own script. What a reader must know stands in plain HTML and needs no
//! script; tables and charts are built by the script from data that [`payload`] makes compact, and only as many rows as
//! are looked at, so that tens of thousands of features open quickly.
//!
//! Invariants: the same input gives the same bytes (no clock, no map order); no text of a subject reaches the page other
//! than as text, through `markup`.

pub mod change;
pub mod component;
pub mod differential;
pub mod figures;
mod markup;
pub mod payload;
pub mod picture;
mod strings;
mod top;
pub mod viewers;

use markup::Markup;

pub use markup::is_page;
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
    /// Its explanation by method: intervals and what methods caused, where stacks were sampled.
    pub methods: &'a Explanation,
    /// What is in the dataset.
    pub inspection: &'a Inspection,
    /// The account of the run in sentences.
    pub summary: &'a Summary,
}

const STYLE: &str = include_str!("page/style.css");
const SCRIPTS: [&str; 8] = [
    include_str!("page/figure.js"),
    include_str!("page/dom.js"),
    include_str!("page/frame.js"),
    include_str!("page/table.js"),
    include_str!("page/chart.js"),
    include_str!("page/observations.js"),
    include_str!("page/prices.js"),
    include_str!("page/main.js"),
];

/// Renders the page.
pub fn render(input: &ReportInput) -> String {
    let mut markup = Markup::default();
    top::write(&mut markup, input);
    let script = format!("\n\"use strict\";\n(() => {{\n{}}})();\n", SCRIPTS.concat());
    markup.page(input.title, &[STYLE], payload::payload(input), &[], &script)
}
