//! The head of the page, in plain HTML: what was recorded, and what the picture does not show. It needs no script.

use pricetag_finding::figure::{count, quantity};

use super::{Picture, PictureFacts};
use crate::markup::Markup;

/// Writes everything above the data.
pub(super) fn write(page: &mut Markup, picture: &Picture, facts: &PictureFacts) {
    page.put("<a class=\"skip\" href=\"#at=graph\">Skip to the picture</a>\n<header class=\"bar\"><div class=\"wide\">\n", &[]);
    page.put("<span class=\"mark\" aria-hidden=\"true\"></span><strong>Pricetag</strong>\n<nav aria-label=\"Sections\"><a href=\"#at=summary\">Recording</a><a href=\"#at=graph\">Picture</a><a href=\"#at=measures\">Measures</a></nav>\n", &[]);
    page.put("<button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\"></button>\n</div></header>\n<main class=\"wide\">\n<section id=\"summary\" tabindex=\"-1\">\n", &[]);
    page.put("<h1>{}</h1>\n", &[&facts.title]);
    if !facts.input.is_empty() {
        page.put(
            "<p class=\"command\"><code>{}</code></p>\n",
            &[&facts.input],
        );
    }
    page.put("<p class=\"recorded\">{}</p>\n", &[&recorded(picture)]);
    let notes = notes(picture, facts);
    if !notes.is_empty() {
        page.put("<ul class=\"list notes\">", &[]);
        for note in &notes {
            page.put("<li>{}</li>", &[note]);
        }
        page.put("</ul>\n", &[]);
    }
    page.put("<noscript><p class=\"note\">The picture is drawn by a script, which is switched off.</p></noscript>\n</section>\n", &[]);
    page.put(
        "<section id=\"graph\" tabindex=\"-1\" aria-label=\"Picture\"></section>\n",
        &[],
    );
    page.put(
        "<section id=\"measures\" tabindex=\"-1\"><h2>Measures</h2></section>\n",
        &[],
    );
    page.put(
        "</main>\n<div id=\"tip\" role=\"status\" aria-live=\"polite\" hidden></div>\n",
        &[],
    );
}

fn recorded(picture: &Picture) -> String {
    let plural = |number: u64, noun: &str, many: &str| {
        let noun = if number == 1 { noun } else { many };
        format!("{} {noun}", count(number as f64))
    };
    let invoked = |kinds: &dyn Fn(usize) -> u32| {
        let happened = (0..picture.counts.len()).filter(|&kind| picture.counts[kind] > 0);
        let different: std::collections::BTreeSet<u32> = happened.map(kinds).collect();
        different.len() as u64
    };
    let kinds = &picture.dictionary.kinds;
    let during = picture
        .clock
        .range()
        .map_or_else(String::new, |(from, to)| {
            format!(", in {}", quantity((to - from) as f64, "ns"))
        });
    format!(
        "{} of {} on objects of {}, by {}{during}.",
        plural(picture.at, "call", "calls"),
        plural(invoked(&|kind| kinds[kind].method.0), "method", "methods"),
        plural(invoked(&|kind| kinds[kind].receiver.0), "class", "classes"),
        plural(picture.strands.len() as u64, "thread", "threads"),
    )
}

fn notes(picture: &Picture, facts: &PictureFacts) -> Vec<String> {
    let mut notes = facts.notes.clone();
    let said = facts.analysis["notes"].as_array();
    notes.extend(
        said.into_iter()
            .flatten()
            .filter_map(|note| note.as_str().map(str::to_owned)),
    );
    if picture.strands.len() > picture.lanes as usize {
        notes.push(format!(
            "{} threads with fewer events share the last lane",
            picture.strands.len() + 1 - picture.lanes as usize
        ));
    }
    if picture.clock.range().is_some() {
        notes.push("times are recorded once per block of calls; between two of them, calls are spread evenly".to_owned());
    }
    if picture.untimed > 0 {
        notes.push(format!(
            "no time is known of {} calls: they are missing where time is the axis",
            picture.untimed
        ));
    }
    notes
}
