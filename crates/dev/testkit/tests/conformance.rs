//! The conformance suite: counts derived from probes equal what single-stepping sees, instruction by instruction, and what
//! the comments of each program say, whichever compiler made the classes. `PRICETAG_CONFORMANCE=Part` restricts it to programs whose
//! name contains `Part`. Java at release 17 is checked in full, at other releases in a sample, unless `PRICETAG_EXACTNESS=full`.

use std::collections::BTreeSet;

use pricetag_testkit::suite::in_full;
use pricetag_testkit::{Agent, Compiler, Machine, Report, Suite, Testbed};

fn part() -> String {
    std::env::var("PRICETAG_CONFORMANCE").unwrap_or_default()
}

/// Runs a compiler's programs on the machine on the path, or on the pinned one of release 21 if that is too old; a sample is every
/// fourth program from an offset on.
fn check(compiler: Compiler, least: usize, sample: Option<usize>) -> Report {
    let testbed = Testbed::locate();
    let mut suite = Suite::compile(compiler, &testbed, &part()).expect("the programs compile");
    let mut least = if part().is_empty() { least } else { 0 };
    if let (Some(offset), false, "") = (sample, in_full(), part().as_str()) {
        suite.sample(offset);
        least /= 4;
    }
    let agent = Agent::locate().expect("the agent builds");
    let mut machine = Machine::system().expect("there is a JDK");
    if machine.feature < compiler.release() {
        machine = testbed
            .runtime(compiler.release())
            .expect("the pinned runtime");
    }
    let report = suite.check_all(&agent, &machine);
    report.assert_agreement(&compiler.name(), least);
    report
}

#[test]
fn java_at_release_17() {
    check(Compiler::Javac(17), 86, None);
}

#[test]
fn java_at_release_8() {
    check(Compiler::Javac(8), 70, Some(0));
}

#[test]
fn java_at_release_11() {
    check(Compiler::Javac(11), 80, Some(1));
}

#[test]
fn java_at_release_21() {
    check(Compiler::Javac21, 89, Some(2));
}

#[test]
fn java_by_the_eclipse_compiler() {
    check(Compiler::Eclipse, 86, Some(3));
}

#[test]
fn java_by_the_groovy_compiler() {
    check(Compiler::GroovyOfJava, 48, Some(0));
}

#[test]
fn kotlin() {
    check(Compiler::Kotlin, 9, None);
}

#[test]
fn scala() {
    check(Compiler::Scala, 7, None);
}

#[test]
fn groovy() {
    check(Compiler::Groovy, 5, None);
}

/// Number of opcodes a class file may hold: 0 (`nop`) to 201 (`jsr_w`).
const OPCODES: u8 = 202;

#[test]
fn generated_bytecode_covers_every_opcode() {
    let report = check(Compiler::Bytecode, 14, None);
    if !part().is_empty() {
        return;
    }
    let all: BTreeSet<u8> = (0..OPCODES).collect();
    let verdicts = || report.verdicts.values();
    let executed: BTreeSet<u8> = verdicts().flat_map(|v| &v.executed).copied().collect();
    let compared: BTreeSet<u8> = verdicts().flat_map(|v| &v.compared).copied().collect();
    let missing = |seen: &BTreeSet<u8>| -> Vec<&str> {
        let opcodes = all.difference(seen);
        opcodes
            .map(|&o| pricetag_classfile::opcode::mnemonic(o))
            .collect()
    };
    assert_eq!(missing(&executed), [""; 0], "not executed");
    assert_eq!(missing(&compared), [""; 0], "not compared");
}

#[test]
fn counted_classes_are_unloaded_and_their_counts_stay() {
    let suite = Suite::compile(Compiler::Javac(17), &Testbed::locate(), "ClassUnloading")
        .expect("the program compiles");
    let agent = Agent::locate().expect("the agent builds");
    let log = tempfile::NamedTempFile::new().expect("a temporary file");
    let option = format!("-Xlog:class+unload=info:file={}", log.path().display());
    let machine = Machine::system()
        .expect("there is a JDK")
        .with("log", &[&option]);
    let launch = suite.launch(&machine, &suite.programs[0]);
    let (outcome, counts) = agent.count(&launch).expect("it runs");
    assert_eq!(outcome.status, Some(0), "{}", outcome.error);
    let unloaded = std::fs::read_to_string(log.path()).expect("the log");
    let unloaded = unloaded.matches("ClassUnloading$Worker").count();
    assert!(unloaded > 0, "no class was unloaded");
    let worker = counts.methods.iter().find(|(m, _)| m.name == "applyAsInt");
    assert_eq!(worker.expect("it is counted").1[&0], 60);
}
