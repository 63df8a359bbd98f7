//! The paper's constructs, item by item, against an interpreter of OCaml's own typed tree (`oracle/count.ml`, frozen by `count.sh`).

mod pieces;

use std::collections::BTreeMap;
use std::path::Path;

use pieces::pieces;
use pricetag_miniml::{Options, run};

#[test]
fn paper_counts_are_those_of_another_interpreter() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let (mut programs, mut wrong) = (0, vec![]);
    for entry in std::fs::read_dir(&corpus).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "counts") {
            continue;
        }
        let sources = std::fs::read_to_string(path.with_extension("ml")).expect("programs");
        let sources: BTreeMap<_, _> = pieces(&sources).into_iter().collect();
        let frozen = std::fs::read_to_string(&path).expect("counts");
        for (name, expected) in pieces(&frozen) {
            programs += 1;
            let run = run(&sources[&name], &Options::default()).expect("it is accepted");
            let line = |counts: &BTreeMap<String, u64>| {
                // What a comparison looks at inside of values is none of the paper's, and not in the oracle.
                let counts = counts.iter();
                let counts = counts.filter(|(c, _)| !matches!(&***c, "PolyWord" | "StringWord"));
                let pairs: Vec<String> = counts.map(|(c, n)| format!("{c}={n}")).collect();
                pairs.join(" ")
            };
            for (i, (expected, row)) in expected.lines().zip(&run.rows).enumerate() {
                let found = line(&row.counts);
                if found != expected {
                    wrong.push(format!(
                        "{name}, item {i}\n  oracle: {expected}\n  here:   {found}"
                    ));
                }
            }
        }
    }
    assert!(programs >= 100, "{programs} programs");
    assert!(
        wrong.is_empty(),
        "{} items of {programs} programs:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
