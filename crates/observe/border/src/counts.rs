//! What each provided call executed, from a recording of its methods as scopes.
//!
//! Both recordings list the invocations of a method in the order in which they ended. They belong together if there are equally many in each run; else the program does
//! not repeat itself, or calls the method within itself, and nothing is said about it.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, FeatureKind, Status};
use pricetag_services::{Recording, Service};
use pricetag_trace::MethodScope;

/// The provided services as scopes.
pub fn scopes(recording: &Recording) -> Vec<MethodScope> {
    let provided = recording.provided.iter();
    provided
        .map(|service| MethodScope {
            class: service.class.clone(),
            method: service.method.clone(),
            descriptor: Some(service.descriptor.clone()),
            all_threads: false,
        })
        .collect()
}

/// Adds instructions by category, and times, to the calls of one input, of which the dataset is.
pub fn add(recording: &mut Recording, run: usize, dataset: &Dataset, scopes: &[MethodScope]) {
    let rows = by_service(dataset, scopes);
    for (place, service) in recording.provided.iter().enumerate() {
        let calls: Vec<usize> = (0..recording.calls.len())
            .filter(|&c| recording.calls[c].service == place && recording.calls[c].run == run)
            .collect();
        let none = Vec::new();
        let rows = rows.get(&place).unwrap_or(&none);
        if rows.len() != calls.len() {
            recording.notes.push(format!(
                "{}, {}: {} calls entered, but {} were counted when the program ran again, so nothing is known of what they execute",
                recording.inputs[run],
                name(service),
                calls.len(),
                rows.len()
            ));
            continue;
        }
        for (&call, &row) in calls.iter().zip(rows) {
            let call = &mut recording.calls[call];
            call.executed = executed(dataset, row);
            let wall = dataset.observations[row].costs.get("wall");
            let mut times = wall.map(|wall| wall.repeats.clone()).unwrap_or_default();
            times.sort_by(f64::total_cmp);
            call.time = times.get(times.len() / 2).copied();
        }
    }
}

fn name(service: &Service) -> String {
    format!("{}{}", service.short(), service.descriptor)
}

/// Rows of each scope, in order. A row's label is the scope's name, and from the second on a number.
fn by_service(dataset: &Dataset, scopes: &[MethodScope]) -> BTreeMap<usize, Vec<usize>> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (place, scope) in scopes.iter().enumerate() {
        let twin = scopes
            .iter()
            .filter(|other| other.class == scope.class && other.method == scope.method)
            .count();
        let descriptor = scope.descriptor.as_deref().filter(|_| twin > 1);
        let label = format!(
            "{}#{}{}",
            scope.class,
            scope.method,
            descriptor.unwrap_or_default()
        );
        places.insert(label, place);
    }
    let mut rows: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (row, observation) in dataset.observations.iter().enumerate() {
        let label = observation.label.split(" #").next().unwrap_or_default();
        if observation.status != Status::Failed
            && let Some(&place) = places.get(label)
        {
            rows.entry(place).or_default().push(row);
        }
    }
    rows
}

fn executed(dataset: &Dataset, row: usize) -> BTreeMap<String, f64> {
    let columns = dataset.features.iter().zip(&dataset.columns);
    let opcodes = columns.filter(|(feature, _)| feature.kind == FeatureKind::Opcode);
    let counts = opcodes.filter_map(|(feature, column)| {
        let at = column.binary_search_by_key(&(row as u32), |(id, _)| id.0);
        let (_, count) = column[at.ok()?];
        Some((feature.name.clone(), count))
    });
    counts.collect()
}
