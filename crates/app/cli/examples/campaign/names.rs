//! Names as systems take them: any bytes but `/` and zero, in columns, tables, folders and inputs.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use crate::{Bench, Dice, Tally, is_orderly, said};

const NAMES: usize = 300;
/// Of these, as inputs of a recording.
const INPUTS: usize = 40;
const PIECES: [&[u8]; 22] = [
    b"a",
    b" ",
    b"  ",
    b"-",
    b"--help",
    b"(",
    b")",
    b",",
    b";",
    b"'",
    b"\"",
    b"*",
    b"{}",
    b"{x}",
    b"\\",
    b"$(id)",
    b"\x1b[31m",
    b"\n",
    b"\xff",
    b"\xc3\x28",
    "🦀".as_bytes(),
    "\u{202e}gpj".as_bytes(),
];

fn hostile() -> Vec<OsString> {
    let mut dice = Dice(21);
    let mut names = std::collections::BTreeSet::new();
    while names.len() < NAMES {
        let bytes: Vec<u8> = (0..=dice.below(5))
            .flat_map(|_| PIECES[dice.below(PIECES.len())])
            .copied()
            .collect();
        names.insert(OsStr::from_bytes(&bytes).to_owned());
    }
    names.into_iter().collect()
}

pub(crate) fn run(bench: &Bench) -> Vec<Tally> {
    let names = hostile();
    vec![files(bench, &names), inputs(bench, &names)]
}

/// Whether what is printed could drive a terminal.
fn drives(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.contains(['\u{1b}', '\u{202e}', '\u{9b}'])
}

fn files(bench: &Bench, names: &[OsString]) -> Tally {
    let mut tally = Tally::new("names of tables, columns, datasets and models");
    for name in names {
        tally.tried += 1;
        let mut table = OsString::from("./t-");
        table.push(name);
        table.push(".csv");
        let column = String::from_utf8_lossy(name.as_bytes()).replace('"', "\"\"");
        let mut text = format!("\"{column}\",x,time\n");
        for row in 1..30 {
            let _ = writeln!(text, "{row},{},{}", row * row % 17, row * 31 + row % 3);
        }
        fs::write(bench.path(&table), text).expect("a table");
        let mut folder = OsString::from("./d-");
        folder.push(name);
        let mut model = OsString::from("./m-");
        model.push(name);
        let word = |text: &str| OsString::from(text);
        let runs = [
            vec![
                word("import"),
                table.clone(),
                word("--target"),
                word("time"),
                word("-o"),
                folder.clone(),
            ],
            vec![word("inspect"), folder.clone()],
            vec![
                word("fit"),
                folder.clone(),
                word("--method"),
                word("ols"),
                word("-o"),
                model.clone(),
            ],
            vec![word("explain"), model, word("--dataset"), folder.clone()],
        ];
        let mut told = false;
        for words in runs {
            let output = bench.run(&words);
            let what = format!("{}, {}", name.display(), words[0].display());
            if !is_orderly(&output) {
                tally.fault(format!("{what}: {}", said(&output)));
            } else if drives(&output.stdout) || drives(&output.stderr) {
                tally.fault(format!("{what}: drives the terminal"));
            } else if !output.status.success() {
                // A line of its own is no name of a column.
                told = true;
                if said(&output).is_empty() {
                    tally.fault(format!("{what}: fails without a word"));
                }
            }
        }
        tally.told += usize::from(told);
    }
    tally
}

fn inputs(bench: &Bench, names: &[OsString]) -> Tally {
    let mut tally = Tally::new("names of inputs, in a recording");
    fs::create_dir(bench.path("in")).expect("a folder");
    let chosen: Vec<&OsString> = names.iter().step_by(names.len() / INPUTS).collect();
    for name in &chosen {
        fs::write(bench.path("in").join(name), "5000").expect("an input");
    }
    let words = bench.recording("rec", &["--timeout", "60"]);
    let output = bench.run(&words);
    tally.tried = chosen.len();
    if !output.status.success() {
        tally.fault(said(&output));
    }
    let inspected = bench.run(&["inspect", "rec", "--json"]);
    let account: serde_json::Value = serde_json::from_slice(&inspected.stdout).unwrap_or_default();
    // A JVM opens no file whose name is no text: that is told, and nothing is left out.
    let failed = account["failed"].as_array().map_or(&[][..], Vec::as_slice);
    let count = |status: &str| account["observations"][status].as_u64().unwrap_or(0) as usize;
    let texts = chosen.iter().filter(|name| name.to_str().is_some()).count();
    tally.told = failed.len();
    if count("ok") != texts || count("ok") + failed.len() != chosen.len() {
        let reasons: Vec<String> = failed.iter().take(5).map(ToString::to_string).collect();
        let ok = count("ok");
        tally.fault(format!(
            "{ok} of {} inputs were measured, {texts} of them with names that are text: {}",
            chosen.len(),
            reasons.join("; ")
        ));
    }
    tally
}
