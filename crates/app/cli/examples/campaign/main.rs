//! Attacks the built program and counts what it got wrong: damaged files, kills, full disks, script in pages, hostile names.
//!
//! `campaign PROGRAM SUBJECT.class-folder [PART …]`, from `scripts/campaign.sh`. Bounded, seeded, no part of the tests; `docs/robustness.md` has the results. A fault is something wrong
//! *in silence*: other numbers with exit code 0, a crash, a lost file, a script that ran, a name that was left out.

mod damage;
mod disk;
mod kills;
mod names;
mod pages;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a part found.
pub(crate) struct Tally {
    /// What was tried.
    pub(crate) what: &'static str,
    /// How often.
    pub(crate) tried: usize,
    /// How often it was refused, or told.
    pub(crate) told: usize,
    /// What went wrong in silence.
    pub(crate) faults: Vec<String>,
}

impl Tally {
    pub(crate) fn new(what: &'static str) -> Self {
        Self {
            what,
            tried: 0,
            told: 0,
            faults: Vec::new(),
        }
    }

    pub(crate) fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    fn print(&self) {
        println!(
            "| {} | {} | {} | {} |",
            self.what,
            self.tried,
            self.told,
            self.faults.len()
        );
        for fault in self.faults.iter().take(20) {
            eprintln!("  fault: {fault}");
        }
    }
}

/// One kind of attack.
type Part = fn(&Bench) -> Vec<Tally>;

/// Numbers that look random and are the same every time (Knuth's 64-bit generator).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// The program, a scratch folder with a subject in it.
pub(crate) struct Bench {
    pub(crate) program: PathBuf,
    pub(crate) classes: PathBuf,
    pub(crate) dir: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The program with these arguments, not yet started.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.dir.path())
            .env("PRICETAG_CACHE", "none")
            .env("LC_ALL", "C.UTF-8");
        command
    }

    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Output {
        self.command(arguments)
            .output()
            .expect("the program starts")
    }

    /// Runs what must succeed.
    pub(crate) fn must<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Output {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", said(&output));
        output
    }

    /// Makes the files of `in`.
    pub(crate) fn inputs(&self) {
        fs::create_dir(self.path("in")).expect("a folder");
        for n in [20_000, 40_000] {
            fs::write(self.path("in").join(n.to_string()), n.to_string()).expect("an input");
        }
    }

    /// Records the subject on the files of `in` into a folder.
    pub(crate) fn recording<'a>(&self, into: &'a str, more: &[&'a str]) -> Vec<String> {
        let classes = self.classes.to_string_lossy().into_owned();
        let mut words = vec![
            "record",
            "-q",
            "-o",
            into,
            "--inputs",
            "in/*",
            "--repeat",
            "1",
            "--check-determinism",
            "none",
        ];
        words.extend(more);
        words.extend([
            "--",
            "java",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            &classes,
            "Sums",
            "{}",
        ]);
        words.into_iter().map(str::to_owned).collect()
    }
}

/// What a run printed for people.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

/// Whether a run ended as a program that noticed does: no panic, no signal.
pub(crate) fn is_orderly(output: &Output) -> bool {
    output.status.code().is_some_and(|code| code <= 3) && !said(output).contains("panicked")
}

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(program), Some(classes)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: campaign PROGRAM CLASSES [damage|kills|disk|pages|names …]");
        std::process::exit(2);
    };
    let chosen: Vec<PathBuf> = arguments.collect();
    let bench = || Bench {
        program: std::path::absolute(&program).expect("a path"),
        classes: std::path::absolute(&classes).expect("a path"),
        dir: tempfile::tempdir().expect("a folder"),
    };
    let parts: [(&str, Part); 5] = [
        ("damage", damage::run),
        ("disk", disk::run),
        ("names", names::run),
        ("pages", pages::run),
        ("kills", kills::run),
    ];
    println!("| attack | tried | refused or told | wrong in silence |\n|---|---|---|---|");
    let mut faults = 0;
    for (name, run) in parts {
        if chosen.is_empty() || chosen.iter().any(|part| part == Path::new(name)) {
            for tally in run(&bench()) {
                tally.print();
                faults += tally.faults.len();
            }
        }
    }
    std::process::exit(i32::from(faults > 0));
}
