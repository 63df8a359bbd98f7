//! Words that the program allocates in native code, item by item (frozen by `oracle/allocation.sh`), against ours in extended mode.

mod pieces;

use std::fmt::Write;

use std::path::Path;

use pieces::pieces;
use pricetag_miniml::{Mode, Options, run};

/// Items that differ. Small functions of the standard library are inlined even with `-inline 0`, since they were compiled without it;
/// `String.concat` is one copy there; a partial application to known functions may be static; closures over a matched cell hold one word more.
const KNOWN: [(&str, usize); 5] = [
    ("wrapping", 0),
    ("library pieces", 1),
    ("strings", 2),
    ("composition", 2),
    ("streams as functions", 4),
];

#[test]
fn words_are_those_of_native_code() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let options = Options {
        mode: Mode::Extended,
        ..Options::default()
    };
    let (mut items, mut wrong) = (0, String::new());
    for entry in std::fs::read_dir(&corpus).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "words") {
            continue;
        }
        let frozen = std::fs::read_to_string(&path).expect("words");
        let sources = std::fs::read_to_string(path.with_extension("ml")).expect("programs");
        let frozen: std::collections::BTreeMap<_, _> = pieces(&frozen).into_iter().collect();
        for (name, source) in pieces(&sources) {
            let (Some(words), Ok(run)) = (frozen.get(&name), run(&source, &options)) else {
                continue;
            };
            // The library's printing allocates for itself.
            if source.contains("print_") || source.contains("module ") {
                continue;
            }
            let native: Vec<u64> = words.lines().filter_map(|l| l.parse().ok()).collect();
            let ours: Vec<u64> = run.rows.iter().map(|r| r.bytes / 8).collect();
            for (i, (n, o)) in native.iter().zip(&ours).enumerate() {
                items += 1;
                if n != o && !KNOWN.contains(&(&*name, i)) {
                    writeln!(
                        wrong,
                        "{}: {name}, item {i}: {n} words natively, {o} here",
                        path.display()
                    )
                    .expect("memory");
                }
            }
        }
    }
    assert!(items >= 250, "{items} items");
    assert!(
        wrong.is_empty(),
        "{} of {items}\n{wrong}",
        wrong.lines().count()
    );
}
