//! Damaged datasets and models: flipped bits, cut ends, tables of another dataset, missing ones.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Bench, Dice, Tally, is_orderly, said};

const FILES: [&str; 5] = [
    "runs.parquet",
    "counts.parquet",
    "features.parquet",
    "parts.parquet",
    "meta.json",
];
/// Folder of the plans of a recorded dataset's classes.
const PLANS: &str = "plans";
const FLIPS: usize = 1700;
/// In a recorded dataset.
const RECORDED: usize = 600;
const CUTS: usize = 200;
const MODELS: usize = 500;

pub(crate) fn run(bench: &Bench) -> Vec<Tally> {
    for (name, seed) in [("a.csv", 1), ("b.csv", 2)] {
        fs::write(bench.path(name), table(seed)).expect("a table");
        let stem = &name[..1];
        bench.must(&[
            "import", name, "--target", "time", "--unit", "ns", "-o", stem,
        ]);
    }
    bench.must(&["fit", "a", "--method", "ols", "-o", "m.json"]);
    vec![datasets(bench), recorded(bench), models(bench)]
}

/// A cost of three counts, with some noise.
fn table(seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = "label,n,m,k,time\n".to_owned();
    for row in 0..40 {
        let [n, m, k] = [1000, 300, 70].map(|end| dice.below(end) + 1);
        let time = 31 * n + 7 * m + 900 * k + dice.below(40);
        let _ = writeln!(text, "row {row},{n},{m},{k},{time}");
    }
    text
}

fn copy(from: &Path, to: &Path) {
    fs::remove_dir_all(to).ok();
    fs::create_dir(to).expect("a folder");
    for file in FILES {
        fs::copy(from.join(file), to.join(file)).expect("a copy");
    }
}

/// What a reader sees of the dataset `d`: all cells, and the account of it.
fn seen(bench: &Bench) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    for words in [
        &["export", "d", "--format", "csv", "-o", "-"][..],
        &["inspect", "d", "--json"],
    ] {
        let output = bench.run(words);
        if !is_orderly(&output) {
            return Err(format!("crashed: {}", said(&output)));
        }
        if !output.status.success() {
            return Err(String::new());
        }
        all.extend(output.stdout);
    }
    Ok(all)
}

/// Whether a reader of the dataset `d`, which is damaged so, says so or sees what is right.
fn judge(bench: &Bench, tally: &mut Tally, right: &[u8], what: &str) {
    tally.tried += 1;
    match seen(bench) {
        Err(crash) if !crash.is_empty() => tally.fault(format!("{what}: {crash}")),
        Err(_) => tally.told += 1,
        Ok(now) if now == right => {}
        // Counts do not need plans; that these are damaged is told.
        Ok(now) if String::from_utf8_lossy(&now).contains("what is damaged") => tally.told += 1,
        Ok(_) => tally.fault(format!("{what}: other data, exit code 0")),
    }
}

fn datasets(bench: &Bench) -> Tally {
    let mut tally = Tally::new("datasets: bits flipped, ends cut, tables swapped or missing");
    let (whole, damaged) = (bench.path("a"), bench.path("d"));
    copy(&whole, &damaged);
    let right = seen(bench).expect("an undamaged dataset is read");
    let mut judge = |what: String| judge(bench, &mut tally, &right, &what);
    let mut dice = Dice(11);
    for _ in 0..FLIPS {
        let file = FILES[dice.below(FILES.len())];
        let mut bytes = fs::read(whole.join(file)).expect("a table");
        let (at, bit) = (dice.below(bytes.len()), dice.below(8));
        bytes[at] ^= 1 << bit;
        fs::write(damaged.join(file), bytes).expect("a table");
        judge(format!("{file}, bit {bit} of byte {at}"));
        fs::copy(whole.join(file), damaged.join(file)).expect("a copy");
    }
    for _ in 0..CUTS {
        let file = FILES[dice.below(FILES.len())];
        let bytes = fs::read(whole.join(file)).expect("a table");
        let end = dice.below(bytes.len());
        fs::write(damaged.join(file), &bytes[..end]).expect("a table");
        judge(format!("{file}, cut to {end} bytes"));
        fs::copy(whole.join(file), damaged.join(file)).expect("a copy");
    }
    for mask in 1..(1_usize << FILES.len()) - 1 {
        let chosen: Vec<&str> = (0..FILES.len())
            .filter(|bit| mask >> bit & 1 == 1)
            .map(|bit| FILES[bit])
            .collect();
        for file in &chosen {
            fs::copy(bench.path("b").join(file), damaged.join(file)).expect("a copy");
        }
        // Tables may be the same in both: then this is one of the two, whole.
        let is = |other: &Path| {
            FILES
                .iter()
                .all(|file| fs::read(damaged.join(file)).ok() == fs::read(other.join(file)).ok())
        };
        if !is(&whole) && !is(&bench.path("b")) {
            judge(format!("{} of another dataset", chosen.join(", ")));
        }
        copy(&whole, &damaged);
    }
    for file in FILES {
        fs::remove_file(damaged.join(file)).expect("a file");
        judge(format!("{file} missing"));
        copy(&whole, &damaged);
    }
    tally
}

/// A dataset of a program, with samples and plans.
fn recorded(bench: &Bench) -> Tally {
    let mut tally =
        Tally::new("recorded datasets with samples and plans: bits flipped, files missing");
    bench.inputs();
    let words = bench.recording("d", &["--samples", "all", "--force"]);
    bench.must(&words);
    let folder = bench.path("d");
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder");
        let paths = entries.map(|entry| entry.expect("a file").path());
        paths.filter(|path| path.is_file()).collect()
    };
    let mut all = files(&folder);
    all.extend(files(&folder.join(PLANS)));
    let right = seen(bench).expect("an undamaged dataset is read");
    let mut judge = |what: String| judge(bench, &mut tally, &right, &what);
    let mut dice = Dice(13);
    for _ in 0..RECORDED {
        let file = &all[dice.below(all.len())];
        let whole = fs::read(file).expect("a file");
        let (at, bit) = (dice.below(whole.len()), dice.below(8));
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        fs::write(file, bytes).expect("a file");
        judge(format!("{}, bit {bit} of byte {at}", file.display()));
        fs::write(file, whole).expect("a file");
    }
    for file in &all {
        let whole = fs::read(file).expect("a file");
        fs::remove_file(file).expect("a file");
        judge(format!("{} missing", file.display()));
        fs::write(file, whole).expect("a file");
    }
    tally
}

fn models(bench: &Bench) -> Tally {
    let mut tally = Tally::new("models: bits flipped");
    let whole = fs::read(bench.path("m.json")).expect("a model");
    let predict = || bench.run(&["predict", "d.json", "--dataset", "a", "--json"]);
    fs::write(bench.path("d.json"), &whole).expect("a model");
    let right = predict().stdout;
    let mut dice = Dice(12);
    for _ in 0..MODELS {
        let mut bytes = whole.clone();
        let (at, bit) = (dice.below(bytes.len()), dice.below(8));
        bytes[at] ^= 1 << bit;
        fs::write(bench.path("d.json"), bytes).expect("a model");
        tally.tried += 1;
        let output = predict();
        if !is_orderly(&output) {
            tally.fault(format!("bit {bit} of byte {at}: {}", said(&output)));
        } else if !output.status.success() {
            tally.told += 1;
        } else if output.stdout != right {
            tally.fault(format!(
                "bit {bit} of byte {at}: other predictions, exit code 0"
            ));
        }
    }
    tally
}
