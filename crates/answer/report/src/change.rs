//! What a change costs, as a page: what is told as text, and beside each method how much more or less it executes. It needs no script.

use pricetag_finding::Difference;
use pricetag_finding::table::Align;
use serde_json::json;

use crate::markup::{Markup, Measure};

/// Renders the page, with at most so many methods.
pub fn page(found: &Difference, title: &str, limit: usize) -> String {
    let told = found.told(limit);
    let mut page = Markup::default();
    page.put(
        "<main class=\"wide\">\n<section>\n<h1>What the change costs</h1>\n",
        &[],
    );
    page.put(
        "<p class=\"command\"><code>{}</code></p>\n<div class=\"words\">\n",
        &[&title],
    );
    for sentence in &told.head {
        page.put("<p>{}</p>\n", &[sentence]);
    }
    page.put("</div>\n", &[]);
    if !told.rows.is_empty() {
        page.put("<div class=\"scroll\"><table><caption>Methods that execute more or less</caption>\n<thead><tr>", &[]);
        for (name, align) in &told.columns {
            page.put(
                "<th class=\"{}\"><span>{}</span></th>",
                &[&class(*align), name],
            );
        }
        page.put(
            "<th><span>less ← instructions → more</span></th></tr></thead>\n<tbody>\n",
            &[],
        );
        let deltas = found
            .changed
            .iter()
            .map(|method| method.instructions.delta());
        let most = deltas.clone().map(f64::abs).fold(0.0, f64::max);
        let mut deltas = deltas.take(limit);
        for row in &told.rows {
            let of_method = !row[0].starts_with("  ");
            page.put(
                "<tr class=\"{}\">",
                &[&if of_method { "method" } else { "part" }],
            );
            for (cell, (_, align)) in row.iter().zip(&told.columns) {
                page.put(
                    "<td class=\"{}\">{}</td>",
                    &[&class(*align), &cell.trim_start()],
                );
            }
            let delta = if of_method { deltas.next() } else { None }.unwrap_or(0.0);
            let width = if most > 0.0 {
                100.0 * delta.abs() / most
            } else {
                0.0
            };
            let [less, more] = [
                width * f64::from(delta < 0.0),
                width * f64::from(delta > 0.0),
            ]
            .map(|width| page.measure(Measure::Width(width)));
            page.put(
                "<td class=\"delta\"><i class=\"less\"><b class=\"{}\"></b></i><i class=\"more\"><b class=\"{}\"></b></i></td></tr>\n",
                &[&less, &more],
            );
        }
        page.put("</tbody></table></div>\n", &[]);
    }
    page.put("<div class=\"words\">\n", &[]);
    for sentence in &told.tail {
        page.put("<p class=\"note\">{}</p>\n", &[sentence]);
    }
    page.put("</div>\n</section>\n</main>\n", &[]);
    page.page("What the change costs", STYLES, json!({}), &[], "")
}

const STYLES: &[&str] = &[crate::STYLE, include_str!("page/change.css")];

fn class(align: Align) -> &'static str {
    match align {
        Align::Left => "name",
        Align::Right => "num",
    }
}
