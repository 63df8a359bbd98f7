//! The picture of calls in a real browser: what is read back are pixels and words, and what they should be follows from the sequence alone.

mod chromium;

use std::io::Read;
use std::ops::Range;

use chromium::{HOSTILE, open, open_in, title, with_script};
use pricetag_events::Reader;
use pricetag_events::text::import;
use pricetag_pattern::{Finder, Settings, analyse};
use pricetag_report::picture::{Budget, Clock, Picture, PictureFacts, PictureMark};

const FACTS: &str = "class p/Base\nclass p/A extends p/Base\nclass q/B\nmethod p/Base f(I)V bytes 9\nmethod p/A g()V\nmethod q/B h()V\n\
    event 0 p/A p/Base f(I)V\nevent 1 p/A p/A g()V\nevent 2 q/B q/B h()V\nevent 3 p/Base p/Base f(I)V\n";

/// A page about two texts.
fn page(facts: &str, dynamic: &str) -> String {
    page_with(
        facts,
        dynamic,
        None,
        Budget::default(),
        PictureFacts::default(),
    )
}

fn page_with(
    facts: &str,
    dynamic: &str,
    window: Option<Range<u64>>,
    budget: Budget,
    about: PictureFacts,
) -> String {
    let file = import(facts, dynamic.as_bytes()).unwrap();
    let open = || Ok::<&[u8], std::io::Error>(&file);
    let found = analyse(open, Settings::default()).unwrap();
    let scanned = Clock::scan(file.as_slice()).unwrap();
    let kinds = scanned.2.kinds.len();
    let shapes: Vec<_> = found
        .recurrent
        .iter()
        .map(|one| one.shape.as_ref())
        .collect();
    let marks = shapes.iter().map(|shape| PictureMark {
        kinds: shape
            .map(pricetag_pattern::Shape::kinds)
            .unwrap_or_default(),
    });
    let mut finder = Finder::new(shapes.iter().copied(), kinds);
    let mut picture = Picture::new(scanned, marks.collect(), window, budget);
    let mut events = Vec::new();
    for block in Reader::new(open().unwrap().by_ref()).unwrap() {
        block.decode(&mut events).unwrap();
        picture.block(block.place, block.first, &events);
        finder.block(block.place.thread, block.first, &events, &mut |one| {
            picture.mark(one.shape, one.thread, &one.events);
        });
    }
    finder.finish(&mut |one| picture.mark(one.shape, one.thread, &one.events));
    picture.finish(&PictureFacts {
        title: "What p calls".to_owned(),
        analysis: serde_json::to_value(&found).unwrap(),
        ..about
    })
}

/// What every script may use: `ink(share, row, lane)` is the colour at a place of the picture, `kind(…)` what it means, and `drawn()` waits for the next picture.
const EYES: &str = r#"
const one = (selector) => document.querySelector(selector), glass = one(".glass"), paper = one(".paper");
const plot = () => JSON.parse(glass.dataset.plot);
const spot = (share, row, lane = 0) => { const p = plot(), [top, height] = p.lanes[lane]; return [p.left + share * p.width, top + (row + 0.5) / p.rows * height]; };
const ink = (share, row, lane = 0) => { const [x, y] = spot(share, row, lane), { ratio } = plot(); return [...paper.getContext("2d").getImageData(Math.floor(x * ratio), Math.floor(y * ratio), 1, 1).data].slice(0, 3); };
const kind = (share, row, lane = 0) => { const [r, g, b] = ink(share, row, lane), back = Math.max(r, g, b) - Math.min(r, g, b) < 9 && (r > 248 || r < 32); return back ? "." : r > b + 40 ? "hot" : b > r + 30 ? "cold" : "pale"; };
const map = (shares, lane = 0) => Array.from({ length: plot().rows }, (_, row) => shares.map((share) => kind(share, row, lane)).join(" ")).join("|");
const pause = (ms = 60) => new Promise((go) => setTimeout(go, ms));
const mouse = (type, x, y, more) => { const box = glass.getBoundingClientRect(); glass.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, button: 0, bubbles: true, pointerId: 1, ...more })); };
glass.setPointerCapture = () => {};
const click = async (share, row, lane) => { const [x, y] = spot(share, row, lane); mouse("pointerdown", x, y); mouse("pointerup", x, y); await pause(); };
const key = async (name) => { glass.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true })); await pause(); };
const range = () => glass.dataset.from + ".." + glass.dataset.to;
const seen = [];
"#;

/// Runs a script in a page; gives what it put into `seen`, and what the console said is nothing.
fn seen(page: &str, fragment: &str, script: &str) -> Vec<String> {
    let script = format!(
        "<script>try {{ {EYES} {script} document.title = JSON.stringify(seen.map(String)); }} catch (e) {{ document.title = JSON.stringify([\"failed: \" + e]); }}</script>"
    );
    let (document, mut said) = open(&with_script(page, &script), fragment);
    // That is about our reading pixels.
    said.retain(|line| !line.contains("willReadFrequently"));
    assert!(said.is_empty(), "{said:?}");
    let told = title(&document)
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    serde_json::from_str(&told).unwrap_or_else(|e| panic!("{e}: {told}"))
}

/// Rows are methods by first use: f, then h. First half f, second half h, at the end both.
#[test]
fn density_stands_where_calls_are() {
    let dynamic = format!("0*400000 2*400000 {}", "0 2 ".repeat(100_000));
    let page = page(FACTS, &dynamic);
    let script = "seen.push(glass.dataset.mode, glass.dataset.calls, map([0.1, 0.35, 0.45, 0.75, 0.85, 0.95]));";
    for theme in ["light", "dark"] {
        let told = seen(&page, &format!("theme={theme}"), script);
        assert_eq!(
            told,
            [
                "density",
                "1000000",
                "cold cold . . cold cold|. . cold cold cold cold"
            ],
            "{theme}"
        );
    }
    // Counted call by call, in the part that is small enough.
    let told = seen(&page, "from=799000&to=801000", script);
    assert_eq!(
        told,
        [
            "counted",
            "2000",
            ". . . cold cold cold|cold cold cold cold cold cold"
        ]
    );
    // Rows by the class of the receiver, in the order of packages: Base is never a receiver.
    let told = seen(
        &page,
        "part=0&order=package&rows=b",
        "seen.push(plot().rows, map([0.1, 0.5])); one('.tools input[type=search]').value = ''; one('.tools input[type=search]').dispatchEvent(new Event('input')); await pause(); seen.push(plot().rows, map([0.1, 0.5]));",
    );
    assert_eq!(told, ["1", ". cold", "2", "cold .|. cold"]);
}

/// Each call is a mark, a click names it, its neighbours are those of the sequence, and keys step along.
#[test]
fn single_calls_are_marks_with_neighbours() {
    let mut dynamic = "0 1 2 3 ".repeat(3000);
    dynamic.push_str("2 2 1 0 ");
    let page = page(FACTS, &dynamic);
    // Ten calls from 11,996 on: f on A, g, h, f on Base, h, h, g, f; a mark begins where its place does.
    let script = "
const places = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => (i + 0.08) / 8);
seen.push(glass.dataset.mode, range(), map(places));
await click(5.08 / 8, 2);
const lines = () => [...document.querySelectorAll('#point li')].map((li) => li.value + ' ' + li.textContent);
seen.push(one('#point').dataset.event, one('#point .named').textContent, lines().join('; '), location.hash.includes('call=12001'));
await key('p');
await key('p');
seen.push(one('#point').dataset.event, one('#point dl').textContent);
await key('Escape');
seen.push(document.querySelectorAll('#point li').length);
";
    let told = seen(&page, "from=11996&to=12004", script);
    assert_eq!(
        told[..3],
        [
            "calls",
            "11996..12004",
            "cold . . cold . . . cold|. cold . . . . cold .|. . cold . cold cold . ."
        ]
    );
    assert_eq!(told[3..5], ["12001", "q.B.h()"]);
    assert_eq!(
        told[5],
        "-8 p.A.g(); -7 q.B.h(); -6 p.Base.f(int); -5 p.Base.f(int) on p.A; -4 p.A.g(); -3 q.B.h(); -2 p.Base.f(int); -1 q.B.h(); \
         0 q.B.h(); 1 p.A.g(); 2 p.Base.f(int) on p.A"
    );
    assert_eq!(told[6..8], ["true", "11999"]);
    assert!(
        told[8].contains("Receiverp.Base") && told[8].contains("Call11,999"),
        "{}",
        told[8]
    );
    assert_eq!(told[9], "0");
}

#[test]
fn a_range_is_typed_dragged_and_stepped() {
    let page = page(FACTS, "0*500000 2*500000");
    let script = "
const [from, to] = document.querySelectorAll('input.end');
from.value = '100k'; to.value = '0.3M'; to.dispatchEvent(new Event('change'));
await pause();
seen.push(range(), location.hash);
const [x0, y] = spot(0.25, 0), [x1] = spot(0.75, 0);
mouse('pointerdown', x0, y); mouse('pointermove', (x0 + x1) / 2, y); mouse('pointerup', x1, y);
await pause();
const [a, b] = range().split('..').map(Number);
seen.push(Math.abs(a - 150000) < 300 && Math.abs(b - 250000) < 300);
await key('Backspace');
seen.push(range());
await key('ArrowRight'); seen.push(range());
await key('+'); seen.push(range());
await key('-'); await key('ArrowLeft'); seen.push(range());
await key('Home'); seen.push(range(), from.value, to.value);
from.value = 'nonsense'; from.dispatchEvent(new Event('change'));
await pause();
seen.push(range(), from.value);
from.value = '999,999'; to.value = '5M'; from.dispatchEvent(new Event('change')); to.dispatchEvent(new Event('change'));
await pause();
seen.push(range());
";
    let told = seen(&page, "", script);
    assert_eq!(
        told,
        [
            "100000..300000",
            "#from=100000&to=300000",
            "true",
            "100000..300000",
            "150000..350000",
            "200000..300000",
            "100000..300000",
            "0..1000000",
            "0",
            "1,000,000",
            "0..1000000",
            "0",
            "999996..1000000",
        ]
    );
}

/// Two threads, of which the second one calls h alone; both know when.
#[test]
fn threads_have_lanes_and_time_is_an_axis() {
    let dynamic = "thread 1 main\nat 0\n0*50000\nthread 2 worker\nat 500000\n2*50000\nthread 1\nat 500000\n1*50000\nend 1000000\n";
    let page = page(FACTS, dynamic);
    let script = "seen.push(plot().lanes.length, map([0.2, 0.45, 0.55, 0.8], 0), map([0.2, 0.45, 0.55, 0.8], 1));";
    // By number: f of main, then h of worker, then g of main. Rows: f, h, g.
    let told = seen(&page, "", script);
    assert_eq!(
        told,
        [
            "2",
            "cold . . .|. . . .|. . . cold",
            ". . . .|. cold cold .|. . . ."
        ]
    );
    // By time the last two stand above each other.
    let told = seen(&page, "x=time", script);
    assert_eq!(
        told,
        [
            "2",
            "cold cold . .|. . . .|. . cold cold",
            ". . . .|. . cold cold|. . . ."
        ]
    );
    let told = seen(
        &page,
        "x=time&lanes=one",
        "seen.push(plot().lanes.length, map([0.2, 0.8])); await click(0.8, 1); seen.push(one('#point .named').textContent, one('#point dl').textContent);",
    );
    assert_eq!(told[..3], ["1", "cold .|. cold|. cold", "q.B.h()"]);
    assert!(
        told[3].contains("of worker") && told[3].contains("about 800"),
        "{}",
        told[3]
    );
}

/// The loop of f and g is lit where it stands, h never is.
#[test]
fn a_chosen_sequence_lights_up() {
    let dynamic = format!(
        "{} 2*40000 {}",
        "0 1 ".repeat(20_000),
        "0 1 ".repeat(10_000)
    );
    let page = page(FACTS, &dynamic);
    let script = "
const button = [...document.querySelectorAll('#sequences button')].find((b) => b.textContent.includes('Base.f on A, A.g'));
seen.push(map([0.2, 0.5, 0.9]), button.textContent.includes('stands 2 times'));
button.click();
await pause();
seen.push(map([0.2, 0.5, 0.9]), button.getAttribute('aria-pressed'), location.hash.includes('pattern='));
button.click();
await pause();
seen.push(map([0.2, 0.5, 0.9]));
";
    let plain = "cold . cold|cold . cold|. cold .";
    let lit = "hot . hot|hot . hot|. pale .";
    assert_eq!(
        seen(&page, "", script),
        [plain, "true", lit, "true", "true", plain]
    );
    // And call by call at its edge: 39,996 to 40,004.
    let near = "
document.querySelectorAll('#sequences button').forEach((b) => { if (b.textContent.includes('Base.f on A, A.g')) b.click(); });
await pause();
seen.push(glass.dataset.mode, map([0, 1, 2, 3, 4, 5].map((i) => (i + 0.08) / 8)));
";
    assert_eq!(
        seen(&page, "from=39996&to=40004", near),
        ["calls", "hot . hot . . .|. hot . hot . .|. . . . pale pale"]
    );
    // In density, too.
    let coarse = page_with(
        FACTS,
        &dynamic,
        None,
        Budget {
            calls: 0,
            ..Budget::default()
        },
        PictureFacts::default(),
    );
    let told = seen(&coarse, "from=50000&to=100000", script);
    assert_eq!(told[2], ". . hot|. . hot|pale pale .");
}

/// A page that is too small for all calls says so, and how to get those of a part.
#[test]
fn what_is_not_in_the_page_is_told() {
    let dynamic = "0 1 2 ".repeat(200_000);
    let small = Budget {
        calls: 1,
        entries: 4000,
    };
    let page = page_with(
        FACTS,
        &dynamic,
        Some(300_000..400_000),
        small,
        PictureFacts::default(),
    );
    let script = "
seen.push(glass.dataset.mode, one('.reading').textContent);
await click(0.5, 1);
seen.push(one('#point').textContent);
";
    let told = seen(&page, "from=100000&to=100300", script);
    assert_eq!(told[0], "density");
    assert!(
        told[1].contains(
            "Finer detail is not in this page: single calls are those from 300,000 to 332,768"
        ) && told[1].contains("--window 100000..100300"),
        "{}",
        told[1]
    );
    assert!(
        told[2].contains("calls of it between") && told[2].contains("not in the page"),
        "{}",
        told[2]
    );
    let told = seen(
        &page,
        "from=310000&to=310012",
        "seen.push(glass.dataset.mode, glass.dataset.calls);",
    );
    assert_eq!(told, ["calls", "12"]);
}

#[test]
fn nothing_is_drawn_of_nothing() {
    for dynamic in ["", "thread 5 idle\nleft-out 7\n"] {
        let told = seen(
            &page(FACTS, dynamic),
            "",
            "seen.push(glass.dataset.mode, one('.recorded').textContent);",
        );
        assert_eq!(told[0], "none");
        assert!(told[1].starts_with("0 calls of 0 methods"), "{}", told[1]);
    }
    let told = seen(
        &page(FACTS, "2"),
        "",
        "seen.push(glass.dataset.mode, map([0.003]));",
    );
    assert_eq!(told, ["calls", "cold"]);
}

/// What was left out is a dashed line, and no neighbour.
#[test]
fn gaps_are_shown() {
    let page = page(FACTS, "0 1\nleft-out 5\n2 0");
    let script = "
await click(2.4 / 4, 2);
seen.push([...document.querySelectorAll('#point li')].map((li) => li.textContent).join('; '));
const pen = paper.getContext('2d'), { ratio } = plot(), [x] = spot(0.5, 0), [, top] = spot(0, 0);
let heat = 0;
for (let y = 10; y < 400; y++) { const [r, g, b] = pen.getImageData(Math.round(x * ratio), y * ratio, 1, 1).data; if (r > b + 60) heat++; }
seen.push(heat > 50);
";
    assert_eq!(
        seen(&page, "", script),
        ["5 calls left out; q.B.h(); p.Base.f(int) on p.A", "true"]
    );
}

/// Classes, methods and threads may be called anything; the page's own scripts are all that runs.
#[test]
fn names_are_never_markup() {
    let coded = |name: &str| {
        name.bytes()
            .map(|b| {
                if b.is_ascii_alphanumeric() {
                    char::from(b).to_string()
                } else {
                    format!("%{b:02x}")
                }
            })
            .collect::<String>()
    };
    for attack in HOSTILE.into_iter().chain([
        "\"><img src=x onerror=\"document.title='owned'\">",
        "{} ${document.title='owned'}",
    ]) {
        let name = coded(attack);
        let facts = format!("class {name}\nmethod {name} {name}\nevent 0 {name} {name} {name}\n");
        let about = PictureFacts {
            title: attack.to_owned(),
            input: attack.to_owned(),
            notes: vec![attack.to_owned()],
            ..PictureFacts::default()
        };
        let dynamic = format!("thread 1 {name}\n0*300\nthread 2 {name}\n0*300\n");
        let page = page_with(&facts, &dynamic, None, Budget::default(), about);
        let scripts = page.matches("<script").count();
        assert_eq!(
            scripts,
            2 + page
                .matches("<script type=\"application/octet-stream\"")
                .count(),
            "{attack}"
        );
        assert_eq!(page.matches("</script>").count(), scripts, "{attack}");
        assert!(!page.contains("<img src=x"), "{attack}");
        let (document, said) = open(&page, "call=3&pattern=1");
        assert!(said.is_empty(), "{attack}: {said:?}");
        assert_ne!(title(&document), "owned");
        assert!(!document.contains("<img src=x"), "{attack}");
    }
}

#[test]
fn same_input_same_bytes() {
    let dynamic = "0 1 2 ".repeat(20_000);
    assert!(page(FACTS, &dynamic) == page(FACTS, &dynamic));
}

/// On a telephone the picture is as wide as the screen, and long names widen nothing.
#[test]
fn it_fits_a_small_screen() {
    let long = "x".repeat(3000);
    let facts = format!("class {long}\nmethod {long} {long}\nevent 0 {long} {long} {long}\n");
    let measure = "<script>document.title = document.documentElement.scrollWidth <= innerWidth && document.querySelector('.paper').getBoundingClientRect().width > 400;</script>";
    let (document, _) = open_in(&with_script(&page(&facts, "0*900"), measure), "call=3", 500);
    assert_eq!(title(&document), "true");
}
