//! Compiles Java, instruments it, and runs it with verification of every class.

use pricetag_classfile::ClassFile;
use pricetag_instrument::{Rewritten, ScopeProbe, Wiring, rewrite};
use pricetag_probe_plan::ClassPlan;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Runs a program; its standard output if it succeeds.
pub fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    let text = String::from_utf8_lossy(&stdout).into_owned();
    assert!(
        status.success(),
        "{command:?}: {status}\n{text}\n{}",
        String::from_utf8_lossy(&stderr)
    );
    text
}

/// A directory with the stand-in helper class and one compiled program.
pub struct Workshop {
    pub directory: TempDir,
}

impl Workshop {
    /// Compiles the stand-in, the driver and `sources` (name, text).
    pub fn new(sources: &[(&str, &str)], javac_options: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let workshop = Self { directory };
        let base = workshop.path("base");
        let sources_of_base = workshop.path("base-source/java/lang");
        fs::create_dir_all(&sources_of_base).expect("writable");
        let helper = sources_of_base.join("Pricetag.java");
        fs::write(&helper, include_str!("../java/Pricetag.java")).expect("writable");
        let mut compile = Command::new("javac");
        compile.arg(format!(
            "--patch-module=java.base={}",
            workshop.path("base-source").display()
        ));
        run(compile.arg("-d").arg(&base).arg(&helper));
        let mut compile = Command::new("javac");
        compile
            .arg("-d")
            .arg(workshop.path("plain"))
            .args(javac_options);
        compile.arg(format!("--patch-module=java.base={}", base.display()));
        for (name, text) in sources
            .iter()
            .chain(&[("Driver", include_str!("../java/Driver.java"))])
        {
            let file = workshop.path(&format!("{name}.java"));
            fs::write(&file, text).expect("writable");
            compile.arg(file);
        }
        run(&mut compile);
        workshop
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The class file of a compiled class.
    pub fn class(&self, name: &str) -> Vec<u8> {
        fs::read(self.path("plain").join(name).with_extension("class")).expect("compiled")
    }

    /// Instruments `name` as class 0, or only wires its scopes.
    pub fn instrument(
        &self,
        name: &str,
        counted: bool,
        scopes: &[ScopeProbe],
    ) -> (ClassPlan, Rewritten) {
        let bytes = self.class(name);
        let plan = plan(&bytes);
        let wiring = Wiring {
            class_index: 0,
            scopes,
            caught: false,
            ..Wiring::default()
        };
        let rewritten =
            rewrite(&bytes, counted.then_some(&plan), &wiring).expect("a class just compiled");
        let to = self.path("counted");
        fs::create_dir_all(&to).expect("writable");
        fs::write(to.join(name).with_extension("class"), &rewritten.bytes).expect("writable");
        (plan, rewritten)
    }

    /// The command that runs `main` of the instrumented class; then shows so many counters and all events.
    pub fn java(&self, name: &str, counters: u32) -> Command {
        let class_path =
            std::env::join_paths([self.path("counted"), self.path("plain")]).expect("a class path");
        let mut java = Command::new("java");
        java.arg("-Xverify:all");
        java.arg(format!(
            "--patch-module=java.base={}",
            self.path("base").display()
        ));
        java.arg("-cp")
            .arg(class_path)
            .args(["Driver", name, &counters.to_string()]);
        java
    }

    /// What that command shows.
    pub fn run(&self, name: &str, counters: u32) -> String {
        run(&mut self.java(name, counters))
    }

    /// Runs `main` of the class as compiled.
    pub fn run_plain(&self, name: &str) -> String {
        run(Command::new("java")
            .arg("-cp")
            .arg(self.path("plain"))
            .arg(name))
    }
}

/// The plan of a class.
pub fn plan(bytes: &[u8]) -> ClassPlan {
    pricetag_probe::plan(&ClassFile::parse(bytes).expect("a class"), bytes)
}

/// The counters that a run showed.
pub fn counters(output: &str) -> Vec<u64> {
    let line = output
        .lines()
        .find_map(|line| line.strip_prefix("counters 0"))
        .expect("counters were shown");
    line.split_whitespace()
        .map(|number| number.parse().expect("a number"))
        .collect()
}

/// Writes the class files of an instrumented JDK module below `to`; `(name, methods left)` of every class.
pub fn instrument_all(classes: &[(PathBuf, Vec<u8>)], to: &Path) -> usize {
    let mut left = 0;
    for (number, (path, bytes)) in classes.iter().enumerate() {
        let wiring = Wiring {
            class_index: number as u32,
            scopes: &[],
            caught: false,
            ..Wiring::default()
        };
        let rewritten = rewrite(bytes, Some(&plan(bytes)), &wiring).expect("a class of the JDK");
        left += rewritten.left.len();
        let below_module: PathBuf = path.components().skip(1).collect();
        let file = to.join(below_module);
        fs::create_dir_all(file.parent().expect("a directory")).expect("writable");
        fs::write(file, rewritten.bytes).expect("writable");
    }
    left
}
