//! Disks that are full: every command that writes, at many sizes of what may be written (`ulimit -f`).

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::{Bench, Tally, is_orderly, said};

const POINTS: usize = 16;

pub(crate) fn run(bench: &Bench) -> Vec<Tally> {
    let mut tally = Tally::new("full disks");
    let mut rows = "n,time\n".to_owned();
    for row in 1..3000 {
        let _ = writeln!(rows, "{row},{}", row * 31 + row % 7);
    }
    fs::write(bench.path("t.csv"), rows).expect("a table");
    let import = ["import", "t.csv", "--target", "time", "--force", "-o", "a"];
    bench.must(&import);
    bench.must(&["fit", "a", "--method", "ols", "-o", "m.json"]);
    bench.must(&["export", "a", "--format", "csv", "-o", "e.csv"]);
    bench.must(&["report", "m.json", "--dataset", "a", "-o", "r.html"]);
    let commands: [(&[&str], &str); 4] = [
        (&import, "a/runs.parquet"),
        (&["fit", "a", "--method", "ols", "-o", "m.json"], "m.json"),
        (&["export", "a", "--format", "csv", "-o", "e.csv"], "e.csv"),
        (
            &["report", "m.json", "--dataset", "a", "-o", "r.html"],
            "r.html",
        ),
    ];
    for (words, file) in commands {
        let path = bench.path(file);
        let (before, size) = (
            fs::read(&path).expect("a file"),
            fs::metadata(&path).expect("a file").len() / 1024,
        );
        for point in 0..POINTS as u64 {
            let blocks = point * (size + 4) / POINTS as u64;
            let output = Command::new("bash")
                .args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")])
                .arg(&bench.program)
                .args(words)
                .current_dir(bench.dir.path())
                .output()
                .expect("bash starts");
            tally.tried += 1;
            let what = format!("{} with {blocks} KiB", words[0]);
            let names = fs::read_dir(bench.dir.path()).expect("a folder");
            let left = names
                .flatten()
                .any(|entry| entry.file_name().to_string_lossy().ends_with(".part"));
            if !is_orderly(&output) {
                tally.fault(format!("{what}: {:?} {}", output.status, said(&output)));
            } else if left {
                tally.fault(format!("{what}: leaves an unfinished file"));
            } else if !output.status.success() {
                if fs::read(&path).ok().as_ref() != Some(&before) {
                    tally.fault(format!("{what}: what was there is gone"));
                } else if said(&output).contains("space") {
                    tally.told += 1;
                } else {
                    tally.fault(format!("{what}: does not say why: {}", said(&output)));
                }
            }
        }
    }
    vec![tally]
}
