//! `pricetag import --jar`: a dataset of what an instrumented archive counted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pricetag_archive::{ArchiveError, CountsFile, Program};
use pricetag_dataset::{DATASET_SCHEMA, Dataset, DatasetBuilder, Meta, Observation, Row, Status};
use pricetag_flow::Categories;
use pricetag_probe_plan::PlanStore;
use pricetag_tabulate::{TabulateOptions, Tabulator};

use crate::commands::instrument::failure;
use crate::failure::{Failure, io};
use crate::recording::CATEGORIES;

/// The files of one process; none if its file does not even say whose counts it was to hold.
struct Process {
    label: String,
    files: Vec<CountsFile>,
}

impl Process {
    fn of(path: &Path) -> Self {
        Self {
            label: path.display().to_string(),
            files: Vec::new(),
        }
    }
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
    let mut notes = vec!["counted offline: no costs were measured".to_owned()];
    let processes = processes(counts, &mut notes)?;
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
        notes,
        ..Meta::default()
    });
    let mut left = BTreeSet::new();
    for process in processes {
        let trace = program
            .trace(&process.files)
            .map_err(|e| failure(&e).doing(format!("reading {}", process.label)))?;
        let mut observation = Observation {
            label: process.label.clone(),
            group: process.label,
            status: Status::Ok,
            ..Observation::default()
        };
        let missing = if process.files.is_empty() {
            Some(
                "the file is cut off in its head: there was no room for it, or the JVM was killed as it began to count",
            )
        } else {
            (!trace.complete).then_some("the JVM halted or was killed before it wrote its counts")
        };
        if let Some(reason) = missing {
            observation.status = Status::Failed;
            observation.reason = Some(reason.to_owned());
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

/// Reads the files and sorts them by process, in the order given; each of them once, under however many names it is given.
fn processes(counts: &[PathBuf], notes: &mut Vec<String>) -> Result<Vec<Process>, Failure> {
    let mut processes: Vec<Process> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for path in counts {
        // A pipe has no such path.
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            continue;
        }
        let doing = || format!("reading {}", path.display());
        let bytes = std::fs::read(path).map_err(io("read", path))?;
        let file = match CountsFile::parse(&bytes) {
            Ok(file) => file,
            Err(ArchiveError::CutOff) => {
                processes.push(Process::of(path));
                continue;
            }
            Err(error) => return Err(failure(&error).doing(doing())),
        };
        let at = *known.entry(file.run.clone()).or_insert(processes.len());
        if at == processes.len() {
            processes.push(Process::of(path));
        }
        let files = &mut processes[at].files;
        match files.iter().find(|other| other.file == file.file) {
            None => files.push(file),
            Some(same) if *same == file => notes.push(format!(
                "{} is a copy of another file given: counted once",
                path.display()
            )),
            Some(_) => {
                let why =
                    "it is a copy of another file given, made before that was complete, or after";
                return Err(Failure::new(why)
                    .doing(doing())
                    .advice("give only the later one"));
            }
        }
    }
    Ok(processes)
}
