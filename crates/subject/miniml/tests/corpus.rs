//! Programs held against OCaml itself: what it accepts, principal types, every value, what is printed. Its answers are frozen by
//! `corpus/make.sh`; with OCaml installed, they are asked for again. What tree-sitter accepts is frozen by `corpus/make.py`.

#![allow(clippy::format_push_string, reason = "texts are built once")]

mod pieces;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pieces::pieces;
use pricetag_miniml::{Mode, Options, Stop, run, signature};

/// What OCaml says of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Answer {
    verdict: String,
    output: String,
    shown: String,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// Words; weak variables have no numbers, since those of OCaml go on from program to program.
fn words(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = words.split("'_weak");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("'_weak");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

/// Whether a name is that of a value in a module.
fn is_inner(name: &str) -> bool {
    name.contains('.') && name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// A name as it is defined: operators in parentheses.
fn shown(name: &str) -> String {
    let word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.ends_with(|c: char| c.is_ascii_alphanumeric() || "_'".contains(c));
    if word && name != "mod" {
        name.to_owned()
    } else {
        format!("( {name} )")
    }
}

fn answers(text: &str) -> BTreeMap<String, Answer> {
    let answer = |text: &str| {
        let (output, rest) = text.rsplit_once("\n== ").expect("a verdict");
        let (verdict, shown) = rest.split_once('\n').unwrap_or((rest, ""));
        Answer {
            verdict: verdict.trim().to_owned(),
            output: output.to_owned(),
            shown: words(shown),
        }
    };
    pieces(text)
        .into_iter()
        .map(|(name, text)| (name, answer(&text)))
        .collect()
}

/// Files of programs with their frozen answers.
fn files() -> Vec<(PathBuf, String, BTreeMap<String, Answer>)> {
    let mut files = vec![];
    for entry in std::fs::read_dir(corpus()).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|e| e == "ml") {
            let text = std::fs::read_to_string(&path).expect("programs");
            let frozen = std::fs::read_to_string(path.with_extension("expected")).expect("answers");
            files.push((path, text, answers(&frozen)));
        }
    }
    files.sort();
    files
}

/// What we say of a program, in the same words.
fn ours(source: &str, options: &Options) -> Answer {
    let Ok(run) = run(source, options) else {
        return Answer {
            verdict: "refused".to_owned(),
            ..Answer::default()
        };
    };
    let mut text = String::new();
    let complete = run.rows.len() - usize::from(run.stop.is_some());
    for row in &run.rows[..complete] {
        if row.names.is_empty() && row.values.len() == 1 {
            text.push_str(&format!("- : {} = {} ", row.types[0], row.values[0]));
        }
        for ((name, ty), value) in row.names.iter().zip(&row.types).zip(&row.values) {
            if !is_inner(name) {
                text.push_str(&format!("val {} : {ty} = {value} ", shown(name)));
            }
        }
    }
    if let Some(Stop::Exception(exception)) = &run.stop {
        text.push_str(&format!("Exception: {exception}."));
    }
    Answer {
        verdict: "ok".to_owned(),
        output: String::from_utf8_lossy(&run.output).into_owned(),
        shown: words(&text),
    }
}

fn compare(options: &Options) -> (usize, Vec<String>) {
    let (mut programs, mut wrong) = (0, vec![]);
    for (path, text, answers) in files() {
        let file = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for (name, source) in pieces(&text) {
            programs += 1;
            let expected = &answers[&name];
            let found = ours(&source, options);
            let agree = match &*expected.verdict {
                "ok" if file == "outside" => found.verdict == "refused",
                "ok" => found == *expected,
                _ => found.verdict == "refused",
            };
            if !agree {
                wrong.push(format!(
                    "{file}: {name}\n  OCaml: {expected:?}\n  here:  {found:?}"
                ));
            }
        }
    }
    (programs, wrong)
}

#[test]
fn values_and_verdicts_are_those_of_ocaml() {
    let options = Options {
        values: true,
        ..Options::default()
    };
    let (programs, wrong) = compare(&options);
    assert!(
        wrong.is_empty(),
        "{} of {programs} programs:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A minor heap of a few words makes a collection, with its dead variables forgotten, come between any two steps.
#[test]
fn values_survive_any_number_of_collections() {
    for minor_heap in [16, 200] {
        let options = Options {
            values: true,
            minor_heap,
            mode: Mode::Extended,
            ..Options::default()
        };
        let (programs, wrong) = compare(&options);
        assert!(
            wrong.is_empty(),
            "{} of {programs} programs:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}

/// Programs of which OCaml names a module or its signature where we write it out, or keeps `nonrec`.
const WRITTEN_OUT: [&str; 5] = [
    "nonrec",
    "module alias",
    "maps and sets",
    "signatures",
    "functors",
];

#[test]
fn types_are_those_of_ocaml() {
    let mut programs = 0;
    for (path, text, _) in files() {
        if path.file_stem().is_some_and(|s| s == "outside") {
            continue;
        }
        let frozen = std::fs::read_to_string(path.with_extension("types")).expect("types");
        let types: BTreeMap<_, _> = pieces(&frozen).into_iter().collect();
        for (name, source) in pieces(&text) {
            let expected = types.get(&name).map(|t| words(t));
            let found = signature(&source).ok().map(|s| words(&s));
            if WRITTEN_OUT.contains(&&*name) {
                assert_eq!(found.is_some(), expected.is_some(), "{name}");
                continue;
            }
            assert_eq!(found, expected, "{}: {name}", path.display());
            programs += 1;
        }
    }
    assert!(programs >= 100);
}

/// What OCaml has and the language has not is refused at its place.
#[test]
fn what_is_outside_is_refused_at_its_place() {
    let text = std::fs::read_to_string(corpus().join("outside.ml")).expect("programs");
    let mut advised = 0;
    let all = pieces(&text);
    for (name, source) in &all {
        let errors = signature(source).expect_err(name);
        let first = &errors[0];
        assert!(
            first.line >= 1 && first.line as usize <= source.lines().count() + 1,
            "{name}"
        );
        advised += usize::from(first.advice.is_some());
    }
    assert!(advised * 10 >= all.len() * 6, "{advised} of {}", all.len());
}

/// Where the second parser is known to differ from OCaml's: OCaml warns of the escape and takes it, and sees that the comment has no end.
const SECOND_PARSER_DIFFERS: [&str; 2] = ["unknown escape", "unclosed comment"];

/// tree-sitter's grammar of OCaml, an independent parser (`corpus/make.py`), accepts what OCaml's own parser accepts, and what we do.
#[test]
fn a_second_parser_accepts_the_same_programs() {
    let mut programs = 0;
    for (path, text, answers) in files() {
        let trees = std::fs::read_to_string(path.with_extension("trees")).expect("verdicts");
        let trees: BTreeMap<&str, bool> = trees
            .lines()
            .filter_map(|l| {
                let (verdict, name) = l.split_once(' ')?;
                matches!(verdict, "accepts" | "rejects").then_some((name, verdict == "accepts"))
            })
            .collect();
        for (name, source) in pieces(&text) {
            programs += 1;
            let ocaml = answers[&name].verdict != "syntax";
            let second = trees[&*name];
            let known = SECOND_PARSER_DIFFERS.contains(&&*name);
            assert_eq!(ocaml == second, !known, "{}: {name}", path.display());
            if signature(&source).is_ok() {
                assert!(second, "{}: {name}", path.display());
            }
        }
    }
    assert!(programs >= 300, "{programs}");
}

/// The frozen answers are those of the OCaml that set-up installed, if it has the version they were frozen with.
#[test]
fn frozen_answers_are_those_of_the_installed_ocaml() {
    let version = std::process::Command::new("ocamlc")
        .arg("-version")
        .output()
        .expect("ocamlc is there: `make setup` installs it");
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let frozen = std::fs::read_to_string(corpus().join("version")).expect("a version");
    if version != frozen.trim() {
        return;
    }
    let work = std::env::temp_dir().join(format!("pricetag-corpus-{}", std::process::id()));
    std::fs::create_dir_all(&work).expect("a directory");
    std::fs::copy(
        corpus().join("../oracle/toplevel.ml"),
        work.join("toplevel.ml"),
    )
    .expect("the oracle");
    let built = std::process::Command::new("ocamlc")
        .args([
            "-w",
            "-a",
            "-I",
            "+compiler-libs",
            "-linkall",
            "ocamlcommon.cma",
            "ocamlbytecomp.cma",
        ])
        .args(["ocamltoplevel.cma", "toplevel.ml", "-o", "toplevel"])
        .current_dir(&work)
        .status()
        .expect("ocamlc runs");
    assert!(
        built.success(),
        "the oracle needs OCaml's compiler-libs: `make setup` installs them"
    );
    for (path, _, expected) in files() {
        let answer = std::process::Command::new(work.join("toplevel"))
            .arg(&path)
            .output()
            .expect("it runs");
        assert_eq!(
            answers(&String::from_utf8_lossy(&answer.stdout)),
            expected,
            "{}",
            path.display()
        );
    }
    std::fs::remove_dir_all(&work).expect("the directory");
}
