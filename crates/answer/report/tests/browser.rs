//! The page in a real browser: it opens from `file://` without a word on the console, builds its tables, follows its
//! address, and treats hostile names as text. Needs Chromium: without one these tests fail, since a report that no
//! browser has opened is untested.

mod chromium;
#[path = "../examples/synthetic/mod.rs"]
mod synthetic;

use chromium::{HOSTILE, open, open_in, title, with_script};

/// First cell of every row of a table, as text.
fn first_cells(document: &str, table: &str) -> Vec<String> {
    let start = document
        .find(&format!("id=\"{table}\""))
        .expect("the table is there");
    let body = &document[start..start + document[start..].find("</table>").unwrap()];
    body.split("<tr data-row=")
        .skip(1)
        .map(|row| text(&row[row.find("<td").unwrap()..row.find("</td>").unwrap()]))
        .collect()
}

/// Text of markup, entities resolved.
fn text(markup: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in markup.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
        .replace(['▶', '▼'], "")
        .trim()
        .to_owned()
}

#[test]
fn opens_quietly_and_builds_everything() {
    let (document, said) = open(&synthetic::page(60, 240, &[]), "");
    assert!(said.is_empty(), "{said:?}");
    assert_eq!(first_cells(&document, "inputs-table").len(), 10);
    assert_eq!(first_cells(&document, "methods-table").len(), 25);
    assert_eq!(first_cells(&document, "prices-table").len(), 40);
    assert_eq!(first_cells(&document, "rivals-table").len(), 5);
    assert!(
        document.matches("class=\"dot").count() >= 2 * 29,
        "both charts have a dot for every held-out input"
    );
    assert!(document.contains("class=\"band\""));
    for part in [
        "Failed inputs",
        "Running uncounted",
        "9f2c41d0a7be5513",
        "2026-11-18 11:06 UTC",
    ] {
        assert!(document.contains(part), "{part}");
    }
}

#[test]
fn the_address_searches_sorts_and_opens() {
    let page = synthetic::page(60, 240, &[]);
    let (document, said) = open(
        &page,
        "prices.q=tokenizer%20block&prices.sort=bucket&methods.sort=-name&methods.q=ledger&inputs.sort=measured&theme=dark",
    );
    assert!(said.is_empty(), "{said:?}");
    let prices = first_cells(&document, "prices-table");
    assert!(
        prices.len() > 3 && prices.iter().all(|name| name.contains("Tokenizer")),
        "{prices:?}"
    );
    let lower = |names: &[String]| {
        names
            .iter()
            .map(|name| name.to_lowercase())
            .collect::<Vec<_>>()
    };
    assert!(lower(&prices).is_sorted(), "{prices:?}");
    let methods = lower(&first_cells(&document, "methods-table"));
    assert!(
        methods.len() > 1
            && methods.iter().rev().is_sorted()
            && methods.iter().all(|name| name.contains("ledger")),
        "{methods:?}"
    );
    assert!(document.contains("color-scheme: dark"));
    let (document, _) = open(
        &page,
        "methods.open=org.example.invoice.model.Ledger.add(int%5B%5D,%20String)&prices.filter=merged&q=org.example",
    );
    assert!(document.contains("aria-expanded=\"true\"") && document.contains("class=\"code\""));
    let merged = first_cells(&document, "prices-table");
    assert!(
        !merged.is_empty() && merged.iter().all(|name| name.contains("merged")),
        "{merged:?}"
    );
    assert!(
        document.contains("Nothing matches."),
        "`q` goes to every table, and no input has this name"
    );
}

#[test]
fn names_are_never_markup() {
    let long = format!("{}{}", HOSTILE[4], "x".repeat(3000));
    let labels: Vec<&str> = (0..10)
        .map(|i| {
            if i == 9 {
                long.as_str()
            } else {
                HOSTILE[i / 2 % 4]
            }
        })
        .collect();
    let page = synthetic::page(40, 64, &labels);
    assert_eq!(
        page.matches("</script>").count(),
        2,
        "only the page's own scripts end"
    );
    assert!(!page.contains("<img src=x"));
    let (document, said) = open(&page, "inputs.sort=label");
    assert!(said.is_empty(), "{said:?}");
    let shown = first_cells(&document, "inputs-table");
    for name in &HOSTILE[..2] {
        assert!(shown.iter().any(|cell| cell == name), "{name} in {shown:?}");
    }
    assert!(!document.contains("<img src=x"));
}

#[test]
fn same_input_same_bytes() {
    assert!(synthetic::page(20, 64, &[]) == synthetic::page(20, 64, &[]));
}

#[test]
fn twenty_thousand_features_open_quickly() {
    let page = synthetic::page(40, 20_000, &[]);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    let started = std::time::Instant::now();
    let (document, said) = open(&page, "");
    assert!(said.is_empty(), "{said:?}");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert_eq!(
        first_cells(&document, "prices-table").len(),
        40,
        "rows are built when looked at"
    );
}

#[test]
fn the_policy_lets_nothing_else_run() {
    let attack = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><p style=\"color:red\">";
    let page = synthetic::page(20, 12, &[]).replace("</main>", &format!("{attack}</main>"));
    assert!(page.contains("owned"));
    let (document, said) = open(&page, "");
    assert_eq!(title(&document), "Where the time of invoice.jar goes");
    let refused = said
        .iter()
        .filter(|line| line.contains("Content Security Policy"));
    assert!(refused.count() >= 3, "{said:?}");
    // The same page without a policy: the attack would have worked.
    let (start, rest) = page.split_once("<meta http-equiv").unwrap();
    let open_door = format!("{start}{}", rest.split_once('>').unwrap().1);
    assert_eq!(title(&open(&open_door, "").0), "owned");
}

/// A page about a small program whose every foreign text ends in `text`, units and provenance included.
fn page_with(text: &str) -> String {
    let (mut dataset, mut model) = synthetic::parts(20, 12, &[text]);
    let add = |place: &mut String| place.push_str(text);
    add(&mut model.unit);
    add(&mut model.method);
    add(&mut model.text);
    let provenance = &mut model.provenance;
    provenance.subject.iter_mut().for_each(add);
    provenance.options.values_mut().for_each(add);
    provenance.platform.values_mut().for_each(add);
    provenance.platform.insert(text.to_owned(), text.to_owned());
    for price in &mut model.prices {
        price.note = Some(text.to_owned());
        add(&mut price.bucket);
    }
    for found in &mut model.diagnostics {
        add(&mut found.message);
    }
    let meta = &mut dataset.meta;
    meta.cost_units.values_mut().for_each(add);
    meta.subject.iter_mut().for_each(add);
    meta.notes.push(text.to_owned());
    for row in &mut dataset.observations {
        row.caveats.push(text.to_owned());
        row.reason = Some(text.to_owned());
    }
    synthetic::page_of(&dataset, &model, 20, 12, text)
}

/// A script ran through the unit of a cost, which a dataset or a model may name as it likes.
#[test]
fn every_foreign_text_is_text() {
    for attack in [
        "<script>document.title='owned'</script>",
        "\"><img src=x onerror=\"document.title='owned'\">",
        "'><svg onload=document.title='owned'>",
        "</script></style></title><script>document.title='owned'</script><!--",
        "{} {0} {name} ${document.title='owned'}",
        "javascript:document.title='owned'",
    ] {
        let page = page_with(attack);
        // The page's own script and its data: nothing else begins one, nor anything that can hold a handler.
        assert_eq!(page.matches("<script").count(), 2, "{attack}");
        assert!(
            !page.contains("<img src=x") && !page.contains("<svg"),
            "{attack}"
        );
        let (document, said) = open(&page, "");
        assert!(said.is_empty(), "{attack}: {said:?}");
        assert_ne!(title(&document), "owned", "{attack}");
    }
    let page = page_with("\u{202e}gpj.exe\u{1b}[2J");
    assert!(!page.contains(['\u{202e}', '\u{1b}']));
    assert!(!page.contains("\\u001b"), "nor in the data");
}

/// Plays a reader: every step says what it saw, in order, in the title of the page.
const READER: &str = r##"<script>
const seen = [];
const one = (selector) => document.querySelector(selector);
const rows = (id) => document.querySelectorAll(`#${id} tbody tr[data-row]`).length;
const mouse = (node, type, x, y) => node.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, bubbles: true, pointerId: 1 }));
const search = one("#prices-q");
search.value = "parser";
search.dispatchEvent(new Event("input"));
seen.push([...document.querySelectorAll("#prices-table tbody tr[data-row]")].every((row) => /parser/i.test(row.textContent)));
search.value = "";
search.dispatchEvent(new Event("input"));
const head = [...document.querySelectorAll("#prices-table th")].find((th) => th.textContent === "price");
head.firstChild.click();
seen.push(head.getAttribute("aria-sort"));
head.firstChild.click();
seen.push(head.getAttribute("aria-sort"), location.hash);
const before = rows("prices-table");
one("#prices-table + .pager button").click();
seen.push(rows("prices-table") > before);
one("#methods-table .toggle").click();
seen.push(document.querySelectorAll("#methods-table tr.more").length, one("#methods-table .toggle").getAttribute("aria-expanded"));
const svg = one(".chart svg"), reset = one(".chart .tools button:last-child"), tip = one("#tip");
svg.focus();
svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
seen.push(!tip.hidden && tip.textContent.includes("predicted"));
const box = svg.getBoundingClientRect();
const dots = () => one(".chart svg circle.dot").getAttribute("cx");
const first = dots();
svg.setPointerCapture = () => {};
mouse(svg, "pointerdown", box.left + box.width * 0.3, box.top + box.height * 0.3);
mouse(svg, "pointermove", box.left + box.width * 0.6, box.top + box.height * 0.6);
mouse(svg, "pointerup", box.left + box.width * 0.6, box.top + box.height * 0.6);
seen.push(!reset.hidden && dots() !== first);
svg.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
seen.push(reset.hidden && dots() === first);
const against = one(".chart select");
against.value = "3";
against.dispatchEvent(new Event("change"));
seen.push(against.selectedOptions[0].textContent, document.querySelectorAll(".chart")[1].querySelector("svg").textContent.includes("lines"));
const scheme = () => getComputedStyle(document.documentElement).colorScheme, light = scheme();
one("#theme").click();
seen.push(light + " to " + scheme());
document.title = JSON.stringify(seen);
</script>"##;

#[test]
fn a_reader_can_search_sort_page_open_zoom_and_switch() {
    let page = with_script(&synthetic::page(60, 480, &[]), READER);
    let (document, said) = open(&page, "");
    assert!(said.is_empty(), "{said:?}");
    assert_eq!(
        title(&document),
        "[true,\"descending\",\"ascending\",\"#prices.sort=price\",true,1,\"true\",true,true,true,\"input: lines\",true,\
         \"light dark to dark\"]"
    );
}

/// Nothing on the page is wider than a small screen, whatever the names are.
#[test]
fn long_names_do_not_widen_the_page() {
    let long = format!("corpus/{}", "x".repeat(3000));
    let measure =
        "<script>document.title = document.documentElement.scrollWidth <= innerWidth;</script>";
    let page = with_script(
        &synthetic::page(40, 64, &[&long, &long, &long, &long]),
        measure,
    );
    let (document, _) = open(&page, "inputs.sort=-label");
    assert!(document.contains("<title>true</title>"));
}

/// On a telephone the cost of every method is on the screen.
#[test]
fn costs_are_visible_on_a_small_screen() {
    // A window may not be narrower than 500 pixels, what is in it may.
    let measure = "<script>
const table = document.querySelector('#methods-table');
document.querySelector('main').style.width = '400px';
const heads = [...table.querySelectorAll('th')].filter((th) => ['cost', 'wall', 'cpu', 'share'].includes(th.textContent));
document.title = innerWidth <= 560 && heads.length >= 2 && heads.every((th) => th.getBoundingClientRect().right <= 400);
</script>";
    let page = with_script(&synthetic::page(40, 64, &[]), measure);
    let (document, _) = open_in(&page, "", 500);
    assert_eq!(title(&document), "true");
}
