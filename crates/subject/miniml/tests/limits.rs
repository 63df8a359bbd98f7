//! What a run may take: memory is counted for all that grows with the program and with its run.

use std::fmt::Write as _;

use pricetag_miniml::{Limits, Mode, Options, Stop, run};

/// Why a program ended early with so many bytes.
fn stop(source: &str, mode: Mode, memory: u64) -> Option<Stop> {
    let limits = Limits {
        memory,
        ..Limits::default()
    };
    let options = Options {
        limits,
        mode,
        ..Options::default()
    };
    run(source, &options).expect("it is in the language").stop
}

/// A program needs more than that, and does with twice as much.
fn check_needs(source: &str, mode: Mode, bytes: u64) {
    assert_eq!(stop(source, mode, bytes), Some(Stop::Memory(bytes)));
    assert_eq!(stop(source, mode, 2 * bytes), None);
}

#[test]
fn a_call_takes_its_frame_and_its_arguments() {
    // A million calls: a frame of three words, an argument and the function.
    let source = "let rec count n = if n = 0 then 0 else 1 + count (n - 1)\nlet x = count 1000000";
    check_needs(source, Mode::Paper, 36_000_000);
    // A handler of five words more for each.
    let source = "let rec count n = if n = 0 then 0 else 1 + (try count (n - 1) with Not_found -> 0)\n\
                  let x = count 1000000";
    check_needs(source, Mode::Paper, 72_000_000);
}

#[test]
fn definitions_that_work_for_many_take_room_for_each() {
    // Every recursive function applies all others: 60,000 pairs of definition and segment.
    let (shared, many) = (120, 500);
    let mut source = String::new();
    for i in 0..shared {
        writeln!(source, "let f{i} x = x + {i}").unwrap();
    }
    for i in 0..many {
        let calls: Vec<String> = (0..shared).map(|j| format!("f{j} n + ")).collect();
        let calls = calls.concat();
        writeln!(
            source,
            "let rec g{i} n = if n = 0 then 0 else {calls}g{i} (n - 1)"
        )
        .unwrap();
    }
    for i in 0..many {
        writeln!(source, "let x{i} = g{i} 2").unwrap();
    }
    check_needs(&source, Mode::Extended, 4_000_000);
}

#[test]
fn many_definitions_are_counted_in_little_room() {
    // Were there room for each pair, 3,000 definitions and 12,000 segments would take 300 MB, walked through after each of 6,000 items.
    let mut source = String::new();
    for i in 0..3000 {
        writeln!(
            source,
            "let rec f{i} n = if n = 0 then 0 else if n = 1 then 1 else 1 + f{i} (n - 1)\nlet x{i} = f{i} 3"
        )
        .unwrap();
    }
    assert_eq!(stop(&source, Mode::Extended, 20_000_000), None);
}

/// The type of each definition is twice the one before: thirty lines would take gigabytes. What annotations say has no variables.
#[test]
fn types_that_double_at_every_line_are_refused() {
    let program = |first: &str| {
        let mut source = format!("let x0 = {first}\n");
        for i in 1..30 {
            writeln!(source, "let x{i} = (x{0}, x{0})", i - 1).unwrap();
        }
        source
    };
    let refused = run(&program("fun z -> z"), &Options::default()).unwrap_err();
    let said = &refused[0].message;
    assert!(said.contains("can double at every definition"), "{said}");
    assert!(run(&program("fun (z : int) -> z"), &Options::default()).is_ok());
}
