//! Costs that drift along the run are told of, where rows are in the order of their runs.

#[allow(dead_code, reason = "shared with tests that read more of it")]
mod simulation;

use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_dataset::Dataset;
use pricetag_study::{FitOptions, Method, fit};
use simulation::{Dice, Simulation, simulate};

const ROWS: usize = 480;

/// A recording of a scope whose costs are multiplied by a factor for each row.
fn recorded(factor: impl Fn(usize) -> f64) -> Dataset {
    let mut data = simulate(&Simulation {
        rows: ROWS,
        blocks: 12,
        noise: 0.03,
        ..Simulation::default()
    })
    .dataset;
    data.meta.scope = "Driver#compress".into();
    data.meta.options.insert("repeat".into(), "3".into());
    for (i, row) in data.observations.iter_mut().enumerate() {
        row.label = format!("Driver#compress #{}", i + 1);
        for cost in row.costs.values_mut() {
            cost.repeats.iter_mut().for_each(|r| *r *= factor(i));
        }
    }
    data
}

fn warnings(dataset: &Dataset, train: f64) -> Vec<Diagnostic> {
    let options = FitOptions {
        method: Method::Nnls,
        train,
        alternatives: false,
        ..FitOptions::default()
    };
    let model = fit(dataset, &options).unwrap();
    let mut found = model.diagnostics;
    found.retain(|d| d.message.contains("drift"));
    found
}

fn step(i: usize) -> f64 {
    if i < 300 { 1.0 } else { 1.2 }
}

#[test]
fn a_step_in_the_costs_is_a_warning() {
    // From the rows that judge and from those that are learnt from, or from the latter alone.
    for train in [0.3, 1.0] {
        let found = warnings(&recorded(step), train);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].severity, Severity::Warning);
        let said = &found[0].message;
        assert!(
            said.starts_with("costs drift along the run: ")
                && said.contains(" % below prediction up to `Driver#compress #")
                && said.contains(" % above from `Driver#compress #"),
            "{said}"
        );
        let number = said.rsplit_once('#').unwrap().1.trim_end_matches("` on");
        assert!(
            number.parse::<usize>().unwrap().abs_diff(301) <= 4,
            "{said}"
        );
        let advice = found[0].advice.as_ref().unwrap();
        assert!(advice.contains("--warmup N"), "{advice}");
    }
}

#[test]
fn a_program_that_is_run_anew_for_each_input_needs_no_warm_up() {
    let mut data = recorded(step);
    data.meta.scope = "main".into();
    let advice = warnings(&data, 0.5).remove(0).advice.unwrap();
    assert!(advice.contains("quieter") && !advice.contains("warm"));
}

#[test]
fn even_costs_and_rows_in_no_known_order_are_no_warning() {
    assert_eq!(warnings(&recorded(|_| 1.0), 0.5), []);
    let mut imported = recorded(step);
    imported.meta.options.clear();
    assert_eq!(warnings(&imported, 0.5), []);
}

#[test]
fn what_rows_of_one_group_share_is_no_drift() {
    const GROUP: usize = 12;
    let mut dice = Dice::new(3);
    let factors: Vec<f64> = (0..ROWS / GROUP)
        .map(|_| (0.2 * dice.normal()).exp())
        .collect();
    let mut data = recorded(|i| factors[i / GROUP]);
    assert!(!warnings(&data, 0.5).is_empty());
    for (i, row) in data.observations.iter_mut().enumerate() {
        row.group = format!("input {}", i / GROUP);
    }
    assert_eq!(warnings(&data, 0.5), []);
}
