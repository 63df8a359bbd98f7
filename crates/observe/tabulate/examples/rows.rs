//! Prints the row of a counting run: `cargo run --example rows -- PLANS TRACE [SECOND_TRACE]`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use pricetag_dataset::{DatasetBuilder, Observation};
use pricetag_probe_plan::PlanStore;
use pricetag_tabulate::{TabulateOptions, Tabulator, compare};
use pricetag_trace::Trace;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [plans, trace, more @ ..] = arguments.as_slice() else {
        return Err("usage: rows PLANS TRACE [SECOND_TRACE]".into());
    };
    let mut tabulator = Tabulator::new(PlanStore::open(plans)?, TabulateOptions::default());
    let mut builder = DatasetBuilder::default();
    let begun = Instant::now();
    let row = tabulator.process(&Trace::read(Path::new(trace))?, &mut builder)?;
    let first = begun.elapsed();
    let mut difference = None;
    if let Some(second) = more.first() {
        let begun = Instant::now();
        let again = tabulator.process(&Trace::read(Path::new(second))?, &mut builder)?;
        eprintln!("second run tabulated in {:?}", begun.elapsed());
        difference = Some(compare(&row, &again, &builder));
    }
    let left = row.left.clone();
    builder.row(row.into_row(Observation::default(), difference));
    let dataset = builder.finish();
    for (feature, column) in dataset.features.iter().zip(&dataset.columns) {
        let value = column.first().map_or(0.0, |cell| cell.1);
        println!("{value}\t{}\t{}", feature.kind.name(), feature.name);
    }
    for text in dataset.observations[0].caveats.iter().chain(&left) {
        eprintln!("{text}");
    }
    let (features, parts) = (dataset.features.len(), dataset.parts.len());
    eprintln!("{features} features, {parts} parts, first run tabulated in {first:?}");
    Ok(())
}
