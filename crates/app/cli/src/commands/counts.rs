//! `pricetag import --jar`: a dataset of what an instrumented archive counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pricetag_archive::{CountsFile, Program};
use pricetag_dataset::{DATASET_SCHEMA, Dataset, DatasetBuilder, Meta, Observation, Row, Status};
use pricetag_flow::Categories;
use pricetag_probe_plan::PlanStore;
use pricetag_tabulate::{TabulateOptions, Tabulator};

use crate::commands::instrument::failure;
use crate::failure::{Failure, io};
use crate::recording::CATEGORIES;

/// The files of one process.
struct Process {
    label: String,
    files: Vec<CountsFile>,
}

/// One observation per process: files of one process (an archive that several class loaders loaded) are added up.
pub fn dataset(
    counts: &[PathBuf],
    jar: &Path,
    output: &Path,
    grouped: Categories,
) -> Result<Dataset, Failure> {
    let archive = std::fs::read(jar).map_err(io("read", jar))?;
    let program = Program::read(&archive)
        .map_err(|e| failure(&e).doing(format!("reading {}", jar.display())))?;
    let plans = output.join("plans");
    let stored = |e: pricetag_probe_plan::StoreError| Failure::new(e.to_string());
    let store = PlanStore::open(plans).map_err(stored)?;
    program.store_plans(&store).map_err(stored)?;
    let options = BTreeMap::from([(CATEGORIES.to_owned(), grouped.to_text())]);
    let choice = TabulateOptions {
        categories: grouped,
        ..TabulateOptions::default()
    };
    let mut tabulator = Tabulator::new(store, choice);
    let mut builder = DatasetBuilder::new(Meta {
        schema: DATASET_SCHEMA,
        subject: vec![jar.display().to_string()],
        scope: "main".to_owned(),
        options,
        pricetag: env!("CARGO_PKG_VERSION").to_owned(),
        notes: vec!["counted offline: no costs were measured".to_owned()],
        ..Meta::default()
    });
    let mut left = std::collections::BTreeSet::new();
    for process in processes(counts)? {
        let trace = program
            .trace(&process.files)
            .map_err(|e| failure(&e).doing(format!("reading {}", process.label)))?;
        let mut observation = Observation {
            label: process.label.clone(),
            group: process.label,
            status: Status::Ok,
            ..Observation::default()
        };
        if !trace.complete {
            observation.status = Status::Failed;
            observation.reason =
                Some("the JVM halted or was killed before it wrote its counts".to_owned());
            builder.row(Row {
                observation,
                ..Row::default()
            });
            continue;
        }
        let table = tabulator
            .process(&trace, &mut builder)
            .map_err(|e| Failure::new(e.to_string()))?;
        left.extend(table.left.iter().cloned());
        builder.row(table.into_row(observation, None));
    }
    builder.meta_mut().left = left.into_iter().collect();
    Ok(builder.finish())
}

/// Reads the files and sorts them by process, in the order given.
fn processes(counts: &[PathBuf]) -> Result<Vec<Process>, Failure> {
    let mut processes: Vec<Process> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for path in counts {
        let bytes = std::fs::read(path).map_err(io("read", path))?;
        let file = CountsFile::parse(&bytes)
            .map_err(|e| failure(&e).doing(format!("reading {}", path.display())))?;
        let at = *known.entry(file.run.clone()).or_insert(processes.len());
        if at == processes.len() {
            processes.push(Process {
                label: path.display().to_string(),
                files: Vec::new(),
            });
        }
        processes[at].files.push(file);
    }
    Ok(processes)
}
