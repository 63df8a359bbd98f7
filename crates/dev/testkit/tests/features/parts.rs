//! More values in an invocation than the agent keeps of it, on several threads at once.

use std::fmt::Write;

use pricetag_testkit::Compiler;

use crate::{cell, compiled, rows};

/// Fields, each given seven values.
const FIELDS: usize = 120;

/// Of one half of the fields, another class assigns all but the first two values.
#[test]
fn invocations_with_more_values_than_are_kept_have_all_of_them() {
    let mut source =
        String::from("class Parts {\nstatic class Other {\nstatic void more(int base, int r) {\n");
    for i in 0..FIELDS / 2 {
        writeln!(source, "Parts.v{i} = base + {} + r;", 10 * i).expect("a line");
    }
    source += "}\n}\nstatic void own(int base, int r) {\n";
    for i in FIELDS / 2..FIELDS {
        writeln!(source, "v{i} = base + {} + r;", 10 * i).expect("a line");
    }
    source += "}\nstatic void both(int base, int r) {\n";
    for i in 0..FIELDS / 2 {
        writeln!(source, "v{i} = base + {} + r;", 10 * i).expect("a line");
    }
    source += "}\nstatic volatile int ";
    let names: Vec<String> = (0..FIELDS).map(|i| format!("v{i}")).collect();
    source += &names.join(", ");
    source += ";
        static void serve(int id) {
            for (int r = 0; r < 7; r++) {
                own(10000 * id, r);
                if (r < 2) both(10000 * id, r); else Other.more(10000 * id, r);
            }
        }
        public static void main(String[] args) throws Exception {
            Thread[] threads = new Thread[4];
            for (int t = 0; t < 4; t++) {
                int first = 10 * t;
                threads[t] = new Thread(() -> { for (int id = first; id < first + 10; id++) serve(id); });
                threads[t].start();
            }
            for (Thread thread : threads) thread.join();
        }
    }";
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().join("Parts.java");
    std::fs::write(&path, source).expect("a source");
    let scope = "Parts#serve".parse().expect("a scope");
    let (_, dataset) = rows(&compiled(path, "", Compiler::Javac(11)), Some(scope), 5);
    let mut ids = Vec::new();
    for row in 0..dataset.observations.len() {
        let base = cell(&dataset, row, "Parts.v0#1").expect("a value");
        for i in 0..FIELDS {
            for n in 0..5 {
                let value = base + (10 * i + n) as f64;
                let name = format!("Parts.v{i}#{}", n + 1);
                assert_eq!(cell(&dataset, row, &name), Some(value), "[{row}] {name}");
            }
            assert_eq!(cell(&dataset, row, &format!("Parts.v{i}#6")), None);
        }
        ids.push(base as usize / 10000);
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..40).collect::<Vec<_>>());
}
