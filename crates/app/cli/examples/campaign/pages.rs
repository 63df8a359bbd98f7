//! Script in pages: text that would run if any of it became markup, in a browser that says whether it did.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::{Bench, Tally, is_orderly, said};

const WRAPPERS: [&str; 10] = [
    "@",
    "\">@",
    "'>@",
    "</script>@",
    "</title>@",
    "</style>@",
    "-->@",
    "</textarea>@",
    "]]>@",
    "{} {{@}}",
];
const SCRIPTS: [&str; 10] = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<svg onload=document.title='owned'>",
    "<svg><script>document.title='owned'</script></svg>",
    "<iframe srcdoc=\"<script>parent.document.title='owned'</script>\"></iframe>",
    "<body onload=document.title='owned'>",
    "<details open ontoggle=document.title='owned'>",
    "<a href=\"javascript:document.title='owned'\" autofocus onfocus=document.title='owned'>x</a>",
    "<style>@import 'javascript:1'; *{background:url(x)}</style><marquee onstart=document.title='owned'>",
    "<base href=http://localhost:1/><script src=x.js></script><meta http-equiv=refresh content=0;url=x>",
];

pub(crate) fn run(bench: &Bench) -> Vec<Tally> {
    let mut tally = Tally::new("script in units, labels and columns, looked at by Chromium");
    for (index, (wrapper, script)) in WRAPPERS
        .iter()
        .flat_map(|w| SCRIPTS.iter().map(move |s| (w, s)))
        .enumerate()
    {
        tally.tried += 1;
        let attack = wrapper.replace('@', script);
        // As one word: it may begin with a dash.
        let unit = format!("--unit={attack}");
        let quoted = attack.replace('"', "\"\"");
        let mut text = format!("label,\"n {quoted}\",time\n");
        for row in 1..20 {
            let _ = writeln!(text, "\"{row} {quoted}\",{row},{}", row * 31 + row % 3);
        }
        fs::write(bench.path("t.csv"), text).expect("a table");
        let model = [
            "fit", "t.csv", "--target", "time", "--label", "label", &unit, "--method", "ols", "-o",
            "m.json",
        ];
        bench.must(&model);
        let report = [
            "report",
            "m.json",
            "--dataset",
            "t.csv",
            "--label",
            "label",
            &unit,
            "-o",
            "r.html",
        ];
        let output = bench.run(&report);
        if !output.status.success() {
            if is_orderly(&output) {
                tally.told += 1;
            } else {
                tally.fault(said(&output));
            }
            continue;
        }
        let page = fs::read_to_string(bench.path("r.html")).expect("a report");
        if page.contains("unsafe") || !page.contains("script-src 'sha256-") {
            tally.fault(format!(
                "{index}: the policy allows more than the page's own script"
            ));
        }
        let (document, console) = open(bench);
        if !document.contains("data-ready=\"yes\"") {
            tally.fault(format!("{index}: the page's own script did not run"));
        } else if document.contains("<title>owned") || !console.is_empty() {
            tally.fault(format!("{index}: {attack}: {console}"));
        }
    }
    vec![tally]
}

/// The document as scripts left it, and what the console said.
fn open(bench: &Bench) -> (String, String) {
    let browser = std::env::var_os("PRICETAG_CHROMIUM").unwrap_or_else(|| "chromium".into());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!(
            "--user-data-dir={}",
            bench.path("profile").display()
        ))
        .arg(format!("file://{}", bench.path("r.html").display()))
        .output()
        .expect("Chromium starts");
    let console = said(&output);
    let spoken: Vec<&str> = console
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        spoken.join("; "),
    )
}
