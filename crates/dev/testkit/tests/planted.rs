//! Calls planted before every single instruction of real classes: the JVM's verifier accepts them, and the programs do what they did.

use std::path::Path;
use std::process::{Command, Output};

use pricetag_classfile::ClassFile;
use pricetag_testkit::planted::plant;

/// Switches, handlers, monitors, objects under construction, lambdas.
const PROGRAMS: [&str; 8] = [
    "Conditions",
    "ConstructorArguments",
    "FinallyNested",
    "Lambdas",
    "NestedMonitors",
    "Rethrow",
    "SwitchForms",
    "SwitchStrings",
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

fn compiled(sources: &[String], to: &Path) {
    let subjects = root().join("subjects");
    let paths = sources.iter().map(|name| subjects.join(name));
    let status = Command::new("javac")
        .arg("-g")
        .arg("-d")
        .arg(to)
        .args(paths)
        .status();
    assert!(status.expect("javac is on PATH").success());
}

fn run(classes: &Path, program: &str) -> Output {
    Command::new("java")
        .args(["-Xverify:all", "-cp"])
        .arg(classes)
        .arg(program)
        .env_remove("JAVA_TOOL_OPTIONS")
        .output()
        .unwrap()
}

/// A class with a call before every instruction of every method, and how many those are.
fn full(original: &[u8]) -> (Vec<u8>, usize) {
    let class = ClassFile::parse(original).unwrap();
    let pool = class.constants();
    let (mut bytes, mut calls) = (original.to_vec(), 0);
    for member in class.methods() {
        let Some(code) = member.code(pool).unwrap() else {
            continue;
        };
        let (name, descriptor) = (member.name(pool), member.descriptor(pool));
        // From the end, so that what comes next is still where it was.
        for instruction in code.instructions().unwrap().iter().rev() {
            bytes = plant(&bytes, &name, &descriptor, u32::from(instruction.pc)).unwrap();
            calls += 1;
        }
    }
    (bytes, calls)
}

#[test]
fn classes_full_of_calls_verify_and_do_what_they_did() {
    let [before, after] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let sources: Vec<String> = PROGRAMS
        .map(|name| format!("conformance/{name}.java"))
        .to_vec();
    compiled(&sources, before.path());
    compiled(&["attribution/PlantedSpin.java".to_owned()], after.path());
    let mut planted = 0;
    for entry in std::fs::read_dir(before.path()).unwrap() {
        let path = entry.unwrap().path();
        let (bytes, calls) = full(&std::fs::read(&path).unwrap());
        std::fs::write(after.path().join(path.file_name().unwrap()), bytes).unwrap();
        planted += calls;
    }
    assert!(planted > 1000, "{planted} calls");
    for program in PROGRAMS {
        let (was, is) = (run(before.path(), program), run(after.path(), program));
        let errors = String::from_utf8_lossy(&is.stderr);
        assert_eq!(was.status.code(), is.status.code(), "{program}: {errors}");
        assert!(!errors.contains("VerifyError"), "{program}: {errors}");
        assert_eq!(was.stdout, is.stdout, "{program}");
    }
}

#[test]
fn places_that_are_none_are_refused() {
    let before = tempfile::tempdir().unwrap();
    compiled(&["attribution/PlantedSpin.java".to_owned()], before.path());
    let class = std::fs::read(before.path().join("PlantedSpin.class")).unwrap();
    for (method, pc, why) in [
        ("spin", 1, "no instruction begins there"),
        ("absent", 0, "there is no such method"),
    ] {
        let error = plant(&class, method, "()V", pc).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    assert!(plant(&class[..40], "spin", "()V", 0).is_err());
}
