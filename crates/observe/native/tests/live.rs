//! With the installed compiler: training programs hold their constructs, and a small measurement makes sense.

use std::collections::BTreeSet;

use pricetag_dataset::{InputValue, Measured, Observation, Status};
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
    let collects = |o: &&Observation| {
        let k = o.costs.get(COLLECTIONS).and_then(Measured::value);
        k.is_some_and(|k| k > 0.0)
    };
    let collecting: BTreeSet<&str> = table
        .observations
        .iter()
        .filter(collects)
        .map(|o| &o.group[..])
        .collect();
    let meant = programs
        .iter()
        .map(|p| &p.name[..])
        .filter(|n| n.starts_with("collect_"));
    assert_eq!(collecting, meant.collect::<BTreeSet<_>>());
    for row in &table.observations {
        let value = |name: &str| row.costs.get(name).and_then(Measured::value).unwrap();
        assert!(value(TIME) > 0.0, "{}", row.label);
        if !row.group.starts_with("collect_") {
            assert_eq!(value(COLLECTIONS), 0.0, "{}", row.label);
        }
    }

    // A cons cell is a header and two words, a reference to nothing allocates nothing, and more work takes longer.
    assert_eq!(per_unit(&table.observations, "cons_tail", BYTES), 24.0);
    assert_eq!(per_unit(&table.observations, "loop_only", BYTES), 0.0);
    for name in ["cons_tail", "loop_only", "call_recursive"] {
        let ns = per_unit(&table.observations, name, TIME);
        assert!((0.05..100.0).contains(&ns), "{name}: {ns} ns per unit");
    }
}

/// Growth of the least measurement of a cost from a program's smallest size to its largest, per unit of size.
fn per_unit(rows: &[Observation], program: &str, cost: &str) -> f64 {
    let mut points: Vec<(f64, f64)> = rows
        .iter()
        .filter(|row| row.group == program)
        .map(|row| {
            let Some(InputValue::Number(size)) = row.inputs.get("size") else {
                panic!("{} has no size", row.label);
            };
            let least = row.costs[cost].repeats.iter().copied();
            (*size, least.fold(f64::INFINITY, f64::min))
        })
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (first, last) = (points[0], points[points.len() - 1]);
    (last.1 - first.1) / (last.0 - first.0)
}
