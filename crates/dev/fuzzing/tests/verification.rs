//! Whatever mutated class the JVM's verifier accepts, it accepts instrumented.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pricetag_fuzzing::{pairs, seeds};

/// Mutants of our own classes; the example `mutants` makes more, of any.
const MUTANTS: usize = 1500;

/// Defines and links all pairs of a file in a JVM; companions of the classes come from `folder`.
fn verify(pairs: &Path, folder: &Path, work: &Path) -> Output {
    Command::new("java")
        .arg("-Xverify:all")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/Verify.java"))
        .args([pairs, folder])
        .current_dir(work)
        .output()
        .expect("java runs")
}

fn subjects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../observe/probe/tests/subjects")
}

#[test]
fn what_verified_before_verifies_after() {
    let work = tempfile::tempdir().expect("a directory");
    let path = work.path().join("pairs");
    let mut file = std::fs::File::create(&path).expect("writable");
    let classes = seeds::of("rewriter", &[]);
    let tally = pairs::write(&mut file, &classes, MUTANTS, 3).expect("writable");
    let output = verify(&path, &subjects(), work.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let accepted = text
        .split(" pairs, ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|n| n.parse().ok());
    let accepted: u64 = accepted.unwrap_or_else(|| panic!("no summary in {text}"));
    assert!(tally.written > 1000 && accepted > 200, "{tally:?}, {text}");
}

/// The check itself can fail.
#[test]
fn a_broken_twin_is_reported() {
    let work = tempfile::tempdir().expect("a directory");
    let path = work.path().join("pairs");
    let mut file = std::fs::File::create(&path).expect("writable");
    let class = seeds::of("rewriter", &[]).remove(0);
    let (mut broken, _) = pairs::instrumented(&class).expect("our own class");
    let parsed = pricetag_classfile::ClassFile::parse(&class).expect("our own class");
    let code = pricetag_classfile::ClassFile::parse(&broken).expect("still a class");
    let body = code.methods()[1]
        .code(code.constants())
        .expect("readable")
        .expect("code")
        .range
        .0;
    assert_eq!(parsed.methods().len(), code.methods().len());
    // Room on the operand stack for an exception, which frames have there, but not for a counter.
    broken[body + 6..body + 8].copy_from_slice(&[0, 1]);
    pairs::pair(&mut file, 0, &class, &broken).expect("writable");
    let output = verify(&path, &subjects(), work.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        !output.status.success() && text.contains("1 verified before, 1 of them not after"),
        "{text}"
    );
    assert!(text.contains("VerifyError"), "{text}");
}
