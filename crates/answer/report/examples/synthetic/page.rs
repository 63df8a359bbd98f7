//! The page about an invented program, with sources invented for it.

use pricetag_cost_model::CostModel;
use pricetag_dataset::Dataset;
use pricetag_explain::{ExplainOptions, explain, inspect, listings, summarize};
use pricetag_finding::{Explanation, Grouping};
use pricetag_report::{ReportInput, render};

use super::design;

/// The page about them.
pub fn page_of(
    dataset: &Dataset,
    model: &CostModel,
    rows: usize,
    blocks: usize,
    title: &str,
) -> String {
    let by = |by| {
        explain(
            model,
            dataset,
            ExplainOptions {
                by,
                ..ExplainOptions::default()
            },
        )
        .expect("rows succeeded")
    };
    let mut explanation = by(Grouping::Block);
    explanation.listings = source(&explanation, dataset);
    let inspection = inspect(
        dataset,
        Some(design(model, rows, blocks)),
        vec!["Add inputs with many fields but few rules: they would separate 41 features of RuleEngine.".to_owned()],
    );
    let summary = summarize(model, &inspection, &by(Grouping::Method));
    render(&ReportInput {
        title,
        model,
        dataset,
        explanation: &explanation,
        methods: &explanation,
        inspection: &inspection,
        summary: &summary,
    })
}

fn source(explanation: &Explanation, dataset: &Dataset) -> Vec<pricetag_finding::Listing> {
    let text = |path: &str| {
        let class = path
            .rsplit('/')
            .next()
            .unwrap_or(path)
            .trim_end_matches(".java");
        let body = |line: u32| match line % 6 {
            0 => format!("    int step{line}(int[] cells, int from) {{"),
            1 => "        int sum = 0;".to_owned(),
            2 => "        for (int i = from; i < cells.length; i++) {".to_owned(),
            3 => "            sum += weigh(cells[i], limit);".to_owned(),
            4 => "        }".to_owned(),
            _ => "        return sum; }".to_owned(),
        };
        (class != "Money").then(|| (1..9000).map(body).collect::<Vec<_>>().join("\n"))
    };
    listings(explanation, dataset, 12, &mut |path| text(path)).expect("an explanation by block")
}
