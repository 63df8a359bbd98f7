//! A fixed number of seeded executions of every target, and the mutations themselves.

use pricetag_classfile::ClassFile;
use pricetag_fuzzing::mutation::Mutator;
use pricetag_fuzzing::{TARGETS, bytecode, campaign, seeds};

/// Executions of each target; a few seconds in all.
const EXECUTIONS: u64 = 1500;

#[test]
fn every_target_holds() {
    for (target, seed) in TARGETS.iter().zip(1..) {
        // Each of these writes a file or goes on with a search.
        let slow = ["csv", "parquet", "checkpoint"].contains(&target.name);
        let executions = if slow { EXECUTIONS / 5 } else { EXECUTIONS };
        let seeds = seeds::of(target.name, &[]);
        assert!(!seeds.is_empty());
        if let Err(failure) = campaign::run(*target, &seeds, seed, executions) {
            panic!(
                "{} fails in execution {}: {}\n{:02x?}",
                failure.target, failure.execution, failure.message, failure.bytes
            );
        }
    }
}

/// Seeds are read in whole, so that mutations begin inside the readers.
#[test]
fn seeds_are_accepted() {
    for bytes in seeds::of("class_reader", &[]) {
        let class = ClassFile::parse(&bytes).expect("a class");
        assert!(!class.methods().is_empty());
    }
    let traces = seeds::of("trace", &[]);
    let trace = pricetag_trace::Trace::from_bytes(&traces[0], std::path::Path::new("seed"))
        .expect("a trace");
    assert_eq!((trace.records.len(), trace.damage), (9, None));
    for bytes in seeds::of("formula", &[]) {
        let text = String::from_utf8(bytes).expect("text");
        pricetag_cost_model::Formula::parse(&text).expect("a formula");
    }
    let model = String::from_utf8(seeds::of("model", &[]).remove(0)).expect("text");
    pricetag_cost_model::CostModel::from_json(&model).expect("a model");
    for bytes in seeds::of("agent_options", &[]) {
        let text = String::from_utf8(bytes).expect("text");
        text.parse::<pricetag_trace::AgentOptions>()
            .expect("options");
    }
}

#[test]
fn a_failure_is_found_and_reported() {
    let broken = pricetag_fuzzing::Target {
        name: "broken",
        check: |bytes| assert!(!bytes.contains(&0x7f), "a seven and an f"),
    };
    let failure = campaign::run(broken, &[vec![1, 2, 3, 4]], 1, 10_000)
        .expect_err("some mutation has that byte");
    assert!(failure.bytes.contains(&0x7f) && failure.message.contains("a seven and an f"));
    let again = campaign::run(broken, &[vec![1, 2, 3, 4]], 1, 10_000).expect_err("the same seed");
    assert_eq!(failure, again);
}

#[test]
fn mutants_are_mostly_classes() {
    let mut mutator = Mutator::new(7);
    let seeds = seeds::of("class_reader", &[]);
    let (mut readable, mut changed) = (0, 0);
    for number in 0..300 {
        let seed = &seeds[number % seeds.len()];
        let mutant = bytecode::mutate(&mut mutator, seed);
        if let Some(bytes) = mutant {
            readable += usize::from(ClassFile::parse(&bytes).is_ok());
            changed += usize::from(bytes != *seed);
        }
    }
    assert!(
        readable > 200 && changed > 200,
        "{readable} readable, {changed} changed of 300"
    );
}
