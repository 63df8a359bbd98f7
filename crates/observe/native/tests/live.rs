//! With the installed compiler: training programs hold their constructs, and a small measurement makes sense.

use pricetag_dataset::{Measured, Status};
use pricetag_native::measure::{BYTES, COLLECTIONS, TIME};
use pricetag_native::{Effort, Measuring, Ocaml, Program, measure, training};
use pricetag_runner::Silent;

fn ocaml() -> Ocaml {
    Ocaml::find("ocamlopt").expect("OCaml is installed: scripts/setup.sh")
}

fn measuring<'a>(ocaml: &'a Ocaml, programs: &'a [Program]) -> Measuring<'a> {
    Measuring {
        ocaml,
        programs,
        effort: Effort::Fast,
        keep: None,
        resume: false,
        progress: &Silent,
        now: 0,
    }
}

#[test]
fn every_training_program_is_what_it_says() {
    let ocaml = ocaml();
    let programs = training::programs();
    let table = measure(&measuring(&ocaml, &programs)).unwrap();
    let refused: Vec<String> = table
        .observations
        .iter()
        .filter(|o| o.status != Status::Ok)
        .map(|o| format!("{}: {}", o.label, o.reason.clone().unwrap_or_default()))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    let collect = |o: &&pricetag_dataset::Observation| {
        let k = o.costs.get(COLLECTIONS).and_then(Measured::value);
        k.is_some_and(|k| k > 0.0)
    };
    assert!(table.observations.iter().filter(collect).count() >= 9);
    for row in &table.observations {
        let value = |name: &str| row.costs.get(name).and_then(Measured::value).unwrap();
        assert!(value(TIME) >= 0.0 && value(BYTES) >= 0.0, "{}", row.label);
        if !row.group.starts_with("collect_") {
            assert_eq!(value(COLLECTIONS), 0.0, "{}", row.label);
        }
    }
}
