//! Constructs per second in both modes: `cargo run --release -p pricetag-miniml --example counting_speed [PROGRAM.ml …]`, of the programs in `subjects/ocaml/speed`
//! unless others are named; with `ocamlc` on the path, beside the same program under `ocamlrun`.

use std::process::Command;
use std::time::Instant;

use pricetag_miniml::{Mode, Options, run};

/// What is measured unless programs are named.
const SPEED: [&str; 4] = ["fib", "insertion_sort", "search_tree", "lists"];

/// Runs of which the fastest counts.
const RUNS: usize = 5;

fn fastest(mut act: impl FnMut()) -> f64 {
    let seconds = (0..RUNS).map(|_| {
        let start = Instant::now();
        act();
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

fn bytecode(path: &str) -> Option<f64> {
    let program = std::env::temp_dir().join(format!("speed-{}.byte", std::process::id()));
    let copy = program.with_extension("ml");
    std::fs::copy(path, &copy).ok()?;
    let compiled = Command::new("ocamlc")
        .arg("-w")
        .arg("-a")
        .arg("-o")
        .arg(&program)
        .arg(&copy)
        .status();
    if !compiled.is_ok_and(|s| s.success()) {
        return None;
    }
    let seconds = fastest(|| {
        let _ = Command::new(&program).output();
    });
    for extension in ["ml", "cmi", "cmo", "byte"] {
        let _ = std::fs::remove_file(program.with_extension(extension));
    }
    Some(seconds)
}

fn main() {
    let mut programs: Vec<String> = std::env::args().skip(1).collect();
    if programs.is_empty() {
        programs = SPEED
            .map(|name| {
                format!(
                    "{}/../../../subjects/ocaml/speed/{name}.ml",
                    env!("CARGO_MANIFEST_DIR")
                )
            })
            .into();
    }
    for path in programs {
        let name = path.rsplit('/').next().unwrap_or(&path);
        let source = std::fs::read_to_string(&path).expect("a program");
        for mode in [Mode::Paper, Mode::Extended] {
            let options = Options {
                mode,
                ..Options::default()
            };
            let mut constructs = 0;
            let seconds = fastest(|| {
                let run = run(&source, &options).expect("it is in the language");
                constructs = run.rows.iter().flat_map(|r| r.counts.values()).sum::<u64>();
            });
            let rate = constructs as f64 / seconds / 1e6;
            println!(
                "{name}: {mode:?}: {constructs} constructs in {seconds:.3} s: {rate:.1} million per second"
            );
        }
        if let Some(seconds) = bytecode(&path) {
            println!("{name}: ocamlrun: {seconds:.3} s");
        }
    }
}
