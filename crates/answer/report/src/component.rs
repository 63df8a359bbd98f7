//! What a component does at its border, as a page: the drawing of its calls, and the formulas of each service. It needs no script.

use serde_json::json;

use crate::markup::Markup;

/// A provided service.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Sentences about it.
    pub words: Vec<String>,
    /// Formulas: what they give, the formula, how far it holds; whether it belongs to the call above.
    pub rows: Vec<([String; 3], bool)>,
}

/// Renders the page. `drawing` is an SVG file.
pub fn page(component: &str, drawing: &str, sections: &[Section], notes: &[String]) -> String {
    let mut page = Markup::default();
    page.put(
        "<main class=\"wide\">\n<section>\n<h1>What {} does at its border</h1>\n",
        &[&component],
    );
    page.put(
        "<div class=\"words\"><p>Services that it offers are on the left, those that it requires on the right. A line is a call; its colour says how far the formula for its number holds.</p></div>\n",
        &[],
    );
    page.put("<p class=\"drawing\">", &[]);
    page.image(
        "the component, the services that it offers and requires, and the calls between them",
        drawing,
    );
    page.put("</p>\n", &[]);
    for section in sections {
        page.put("<h2>{}</h2>\n<div class=\"words\">\n", &[&section.name]);
        for sentence in &section.words {
            page.put("<p>{}</p>\n", &[sentence]);
        }
        page.put("</div>\n", &[]);
        if section.rows.is_empty() {
            continue;
        }
        page.put(
            "<div class=\"scroll\"><table>\n<thead><tr><th class=\"name\"><span>what</span></th><th class=\"name\"><span>formula</span></th><th class=\"name\"><span>holds</span></th></tr></thead>\n<tbody>\n",
            &[],
        );
        for ([what, formula, sure], inner) in &section.rows {
            page.put(
                "<tr class=\"{}\"><td class=\"name\">{}</td><td class=\"name\"><code>{}</code></td><td class=\"name\">{}</td></tr>\n",
                &[&if *inner { "part" } else { "method" }, what, formula, sure],
            );
        }
        page.put("</tbody></table></div>\n", &[]);
    }
    page.put("<div class=\"words\">\n", &[]);
    for note in notes {
        page.put("<p class=\"note\">{}</p>\n", &[note]);
    }
    page.put("</div>\n</section>\n</main>\n", &[]);
    let title = format!("{component} at its border");
    page.page(&title, STYLES, json!({}), &[], "")
}

const STYLES: &[&str] = &[
    crate::STYLE,
    include_str!("page/change.css"),
    include_str!("page/component.css"),
];
