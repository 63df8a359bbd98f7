//! Debug tables and type annotations move with the instructions, as `javap` sees them; many locals; old classes.

use crate::counts::check_subject_of_version;
use crate::workshop::{Workshop, run};
use pricetag_instrument::RewrittenMethod;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// What `javap` shows of a method's tables: for each table entry, its text and the offsets in it.
#[derive(Debug, Default)]
struct Tables {
    lines: Vec<(String, u16)>,
    variables: Vec<(String, u16, u16)>,
    annotations: Vec<(String, Vec<u16>)>,
}

/// `javap`'s tables of the methods with code, in order.
fn javap(class: &Path) -> Vec<Tables> {
    let shown = run(Command::new("javap").args(["-v", "-p"]).arg(class));
    let mut methods: Vec<Tables> = Vec::new();
    let mut section = "";
    for line in shown.lines().map(str::trim) {
        if line == "Code:" {
            methods.push(Tables::default());
        }
        if line.ends_with(':') || line.starts_with("SourceFile") {
            section = if line.starts_with("LocalVariable") {
                "variables"
            } else {
                ""
            };
            if line.ends_with("TypeAnnotations:") {
                section = "annotations";
            }
            continue;
        }
        let Some(tables) = methods.last_mut() else {
            continue;
        };
        if let Some((line, pc)) = line
            .strip_prefix("line ")
            .and_then(|rest| rest.split_once(": "))
        {
            tables
                .lines
                .push((line.to_owned(), pc.parse().expect("an offset")));
        } else if section == "variables" && line.starts_with(|c: char| c.is_ascii_digit()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words[at].parse::<u16>().expect("a number");
            tables
                .variables
                .push((words[2..].join(" "), number(0), number(0) + number(1)));
        } else if section == "annotations" && line.contains("): ") {
            tables.annotations.push(annotation(line));
        }
    }
    methods
}

/// The text of an annotation without its offsets, and the offsets.
fn annotation(line: &str) -> (String, Vec<u16>) {
    let (mut text, mut offsets) = (String::new(), Vec::new());
    let place = line.split_once("): ").expect("a place").1;
    for word in place
        .split([' ', ',', '{', '}', ';'])
        .filter(|word| !word.is_empty())
    {
        match word.split_once('=') {
            Some(("offset" | "start_pc" | "length", number)) => {
                offsets.push(number.parse().expect("an offset"));
            }
            _ => text.push_str(word),
        }
    }
    (text, offsets)
}

#[test]
fn tables_move_with_the_instructions() {
    let (mut variables, mut sum) = (String::new(), String::from("0"));
    for i in 0..300 {
        let _ = write!(variables, "int v{i} = n + {i}; ");
        let _ = write!(sum, " + v{i} / n");
    }
    let source = include_str!("../java/Annotated.java");
    let source = source.replace("VARIABLES", &variables).replace("SUM", &sum);
    let workshop = Workshop::new(&[("Annotated", &source)], &["-g"]);
    let (plan, rewritten) = workshop.instrument("Annotated", true, &[]);
    assert_eq!(rewritten.left, []);
    assert_eq!(
        workshop.run("Annotated", plan.counters).lines().next(),
        workshop.run_plain("Annotated").lines().next()
    );
    let before = javap(&workshop.path("plain/Annotated.class"));
    let after = javap(&workshop.path("counted/Annotated.class"));
    assert_eq!(before.len(), rewritten.methods.len());
    let mut seen = BTreeMap::new();
    for ((before, after), method) in before.iter().zip(&after).zip(&rewritten.methods) {
        check_lines(before, after, method);
        check_variables(before, after, method);
        check_annotations(before, after, method);
        for (text, _) in &before.annotations {
            *seen
                .entry(text.chars().take(4).collect::<String>())
                .or_insert(0) += 1;
        }
    }
    // LOCAL_VARIABLE, RESOURCE_VARIABLE, INSTANCEOF, CAST, NEW, CONSTRUCTOR_REFERENCE, EXCEPTION_PARAMETER, …
    assert!(seen.len() >= 7, "{seen:?}");
}

/// New offsets at which an original instruction may be said to start: behind the one before, up to itself.
fn start_of(method: &RewrittenMethod, pc: u16) -> std::ops::RangeInclusive<u32> {
    let index = method
        .pcs
        .binary_search_by_key(&pc, |entry| entry.1)
        .expect("an instruction");
    let first = if index == 0 {
        0
    } else {
        method.pcs[index - 1].0 + 1
    };
    first..=method.pcs[index].0
}

fn check_lines(before: &Tables, after: &Tables, method: &RewrittenMethod) {
    assert_eq!(before.lines.len(), after.lines.len());
    for ((line, pc), (moved_line, moved)) in before.lines.iter().zip(&after.lines) {
        assert_eq!(line, moved_line);
        assert!(
            start_of(method, *pc).contains(&u32::from(*moved)),
            "line {line}: {pc} -> {moved}"
        );
    }
}

fn check_variables(before: &Tables, after: &Tables, method: &RewrittenMethod) {
    assert_eq!(before.variables.len(), after.variables.len());
    let last = method.pcs.last().expect("instructions");
    for ((name, start, end), (moved_name, from, to)) in
        before.variables.iter().zip(&after.variables)
    {
        assert_eq!(name, moved_name);
        assert!(
            start_of(method, *start).contains(&u32::from(*from)),
            "{name}: {start} -> {from}"
        );
        let ends_inside = *end <= last.1;
        let fits = if ends_inside {
            start_of(method, *end).contains(&u32::from(*to))
        } else {
            u32::from(*to) > last.0
        };
        assert!(fits, "{name}: end {end} -> {to}");
    }
}

fn check_annotations(before: &Tables, after: &Tables, method: &RewrittenMethod) {
    assert_eq!(before.annotations.len(), after.annotations.len());
    for ((text, offsets), (moved_text, moved)) in before.annotations.iter().zip(&after.annotations)
    {
        assert_eq!(text, moved_text);
        assert_eq!(offsets.len(), moved.len());
        let Some((pc, moved)) = offsets.first().zip(moved.first()) else {
            continue;
        };
        let range = start_of(method, *pc);
        // Variables have a start and a length, instructions an offset.
        let fits = if offsets.len() == 1 {
            *range.end() == u32::from(*moved)
        } else {
            range.contains(&u32::from(*moved))
        };
        assert!(fits, "{text}: {pc} -> {moved}");
    }
}

/// Version 49 knows no frames and is checked by the old verifier, which infers types.
#[test]
fn classes_without_frames_are_counted() {
    check_subject_of_version(&["-XDstringConcat=inline"], Some(49));
}
