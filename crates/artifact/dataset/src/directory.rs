//! A dataset as a directory of Parquet files and `meta.json`.
//!
//! | file | row | columns |
//! |---|---|---|
//! | `runs.parquet` | observation | `id`, `label`, `status`, `reason`, `group`, `caveats` (JSON list), `input.NAME` (number), `category.NAME` (text), per cost `cost.NAME` (median), `spread.NAME` (relative, scaled MAD), `repeats.NAME` (list) |
//! | `counts.parquet` | non-zero count | `run`, `feature`, `value`, ordered by feature and run |
//! | `features.parquet` | feature | `id`, `name`, `kind`, `unit`, `class`, `method`, `descriptor`, `block`, `pc_start`, `pc_end`, `line_first`, `line_last`, `code_lines`, `source_file`, `text`, `nondeterministic` |
//! | `parts.parquet` | term of a composition | `whole`, `part`, `amount` |
//! | `stack-methods.parquet`, `stacks.parquet`, `samples.parquet` | | what sampled runs say, if there were any: see `directory/profile.rs` |
//! | `meta.json` | | provenance, sizes, digest |
//!
//! **Crashes.** New tables are written completely into `.next/`; a file `commit` there makes them valid; then each is
//! renamed into place. A reader takes a file from a committed `.next/` first, so that it never mixes two generations.
//!
//! **Damage.** `meta.json` has a digest of each table's bytes and one of itself ([`pricetag_file::sealed`]); whoever reads compares them. So no flipped bit, no
//! table of another dataset and no missing one is taken for data. Datasets of 0.1 have one digest, of what the tables mean without inputs, units and places: it
//! is computed anew and compared; where there is none, a note says so.
//!
//! Observations of an unfinished recording are in the journal ([`crate::journal`]), which is removed last.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pricetag_file::sealed::{self, Seal};
use serde::{Deserialize, Serialize};

use crate::builder::DatasetBuilder;
use crate::error::{DatasetError, Result};
use crate::journal;
use crate::model::{DATASET_SCHEMA, Dataset, Meta, Observation};
use crate::table;
use pricetag_profile::Profile;

mod profile;
mod rows;
mod tables;

const META: &str = "meta.json";
const RUNS: &str = "runs.parquet";
const COUNTS: &str = "counts.parquet";
const FEATURES: &str = "features.parquet";
const PARTS: &str = "parts.parquet";
const METHODS: &str = "stack-methods.parquet";
const STACKS: &str = "stacks.parquet";
const SAMPLES: &str = "samples.parquet";
/// The files of a dataset.
pub const FILES: [&str; 8] = [
    RUNS, COUNTS, FEATURES, PARTS, METHODS, STACKS, SAMPLES, META,
];
/// Those that a dataset without sampled runs does not have.
const OF_PROFILE: [&str; 3] = [METHODS, STACKS, SAMPLES];
const NEXT: &str = ".next";
const COMMIT: &str = "commit";
/// Says that the new tables have no samples, so that those of the tables before go.
const UNSAMPLED: &str = "unsampled";

#[derive(Serialize, Deserialize)]
struct MetaFile {
    #[serde(flatten)]
    meta: Meta,
    /// Rows, features and identity of the data, for people and scripts.
    #[serde(default)]
    observations: usize,
    #[serde(default)]
    features: usize,
    #[serde(default)]
    digest: String,
    /// Digest of each table, by the name of its file.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// Whether `dir` holds a dataset or the journal of one.
pub fn exists(dir: &Path) -> bool {
    locate(dir, META).exists() || journal::path(dir).exists()
}

/// Writes `dataset` into `dir`, which is created if need be; a dataset there is replaced as a whole, and a journal
/// there is removed, since its observations are expected to be in `dataset`.
///
/// # Errors
/// If the dataset is inconsistent or the directory cannot be written; the old dataset is then untouched.
pub fn save(dataset: &Dataset, dir: &Path) -> Result<()> {
    dataset.validate()?;
    let next = dir.join(NEXT);
    finish_commit(dir)?;
    if next.exists() {
        fs::remove_dir_all(&next).map_err(DatasetError::io("remove", &next))?;
    }
    let fresh = !dir.exists();
    stage(dataset, &next).inspect_err(|_| {
        // Nothing half-written stays, least of all on a full disk.
        if !next.join(COMMIT).exists() {
            fs::remove_dir_all(&next).ok();
        }
        if fresh {
            fs::remove_dir(dir).ok();
        }
    })?;
    finish_commit(dir)?;
    journal::remove(dir)
}

/// Writes all files of a dataset into a folder, and marks it as complete.
fn stage(dataset: &Dataset, next: &Path) -> Result<()> {
    fs::create_dir_all(next).map_err(DatasetError::io("create", next))?;
    table::write(&next.join(RUNS), &rows::to_table(&dataset.observations))?;
    tables::write_counts(&next.join(COUNTS), dataset)?;
    table::write(&next.join(FEATURES), &tables::features(&dataset.features))?;
    table::write(&next.join(PARTS), &tables::parts(&dataset.parts))?;
    if let Some(profile) = &dataset.profile {
        table::write(&next.join(METHODS), &profile::methods(profile))?;
        table::write(&next.join(STACKS), &profile::nodes(profile))?;
        let samples = profile::samples(profile, &dataset.observations);
        table::write(&next.join(SAMPLES), &samples)?;
    } else {
        write_file(&next.join(UNSAMPLED), "")?;
    }
    let meta = MetaFile {
        meta: Meta {
            schema: DATASET_SCHEMA,
            ..dataset.meta.clone()
        },
        observations: dataset.observations.len(),
        features: dataset.features.len(),
        digest: dataset.digest(),
        files: tables_in(next)?,
    };
    let text = serde_json::to_string_pretty(&meta)
        .map_err(|error| DatasetError::Inconsistent(format!("provenance: {error}")))?;
    write_file(&next.join(META), &sealed::seal(&text))?;
    write_file(&next.join(COMMIT), "")?;
    sync_directory(next)
}

/// The digests of the tables that a folder has.
fn tables_in(folder: &Path) -> Result<BTreeMap<String, String>> {
    let tables = FILES.iter().filter(|&&file| file != META);
    let there = tables.map(|file| (file, folder.join(file)));
    there
        .filter(|(_, path)| path.exists())
        .map(|(file, path)| Ok(((*file).to_owned(), digest_of(&path)?)))
        .collect()
}

fn digest_of(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(DatasetError::io("read", path))?;
    Ok(sealed::digest(&bytes))
}

/// Reads a dataset, together with the finished observations of an interrupted recording.
///
/// # Errors
/// If there is no dataset, or its files are damaged or of another version.
pub fn open(dir: &Path) -> Result<Dataset> {
    let tables = locate(dir, META).exists();
    if journal::path(dir).exists() {
        let stored = if tables {
            Some(open_tables(dir)?)
        } else {
            None
        };
        let mut stored = stored.unwrap_or_default();
        let profile = stored.profile.take();
        let mut builder = DatasetBuilder::from_dataset(stored);
        journal::fold(dir, &mut builder)?;
        let mut dataset = builder.finish();
        dataset.profile = profile;
        dataset.validate()?;
        return Ok(dataset);
    }
    if tables {
        return open_tables(dir);
    }
    let reason = if dir.is_dir() {
        "it has neither meta.json nor a recording in progress"
    } else if dir.exists() {
        "it is a file"
    } else {
        "there is no such file or directory"
    };
    Err(DatasetError::NotADataset {
        path: dir.to_path_buf(),
        reason: reason.to_owned(),
    })
}

/// Completes a save that was interrupted after its commit; whether there are tables now.
pub(crate) fn settle(dir: &Path) -> Result<bool> {
    finish_commit(dir)?;
    Ok(dir.join(META).exists())
}

/// Reads and checks the tables without a journal. One that is replaced meanwhile is read again.
pub(crate) fn open_tables(dir: &Path) -> Result<Dataset> {
    let meta = |dir| fs::read(locate(dir, META)).ok();
    let mut before = meta(dir);
    loop {
        let read = read_tables(dir);
        let now = meta(dir);
        if read.is_ok() || before == now {
            return read;
        }
        before = now;
    }
}

fn read_tables(dir: &Path) -> Result<Dataset> {
    let path = locate(dir, META);
    let text = fs::read_to_string(&path).map_err(DatasetError::io("read", &path))?;
    let damaged = |reason: String| DatasetError::Damaged {
        path: path.clone(),
        reason,
    };
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    let found = value.get("schema").and_then(serde_json::Value::as_u64);
    if found != Some(u64::from(DATASET_SCHEMA)) {
        return Err(DatasetError::Schema {
            path: path.clone(),
            found: found.unwrap_or(0) as u32,
            expected: DATASET_SCHEMA,
        });
    }
    let file: MetaFile =
        serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
    let seal = sealed::check(&text);
    match seal {
        Seal::Broken => return Err(changed(&path)),
        Seal::Whole => check_files(dir, &file.files)?,
        Seal::Absent => {}
    }
    let runs = locate(dir, RUNS);
    let observations = rows::from_table(&runs, &table::read(&runs)?)?;
    let described = locate(dir, FEATURES);
    let features = tables::read_features(&described, &table::read(&described)?)?;
    let columns = tables::read_counts(&locate(dir, COUNTS), features.len(), observations.len())?;
    let composed = locate(dir, PARTS);
    let parts = if composed.exists() {
        tables::read_parts(&composed, &table::read(&composed)?)?
    } else {
        Vec::new()
    };
    let profile = read_profile(dir, &observations)?;
    let mut dataset = Dataset {
        meta: file.meta,
        profile,
        observations,
        features,
        columns,
        parts,
        ..Dataset::default()
    };
    dataset.validate()?;
    if seal == Seal::Absent {
        if file.digest.is_empty() {
            dataset.meta.notes.push(UNCHECKED.to_owned());
        } else if file.digest != dataset.digest() {
            return Err(changed(dir));
        }
    }
    Ok(dataset)
}

fn read_profile(dir: &Path, observations: &[Observation]) -> Result<Option<Profile>> {
    let [methods, stacks, samples] = OF_PROFILE.map(|file| locate(dir, file));
    let next = dir.join(NEXT);
    let unsampled = next.join(COMMIT).exists() && next.join(UNSAMPLED).exists();
    if unsampled || !samples.exists() {
        return Ok(None);
    }
    let tables = [&methods, &stacks, &samples].map(|path| table::read(path));
    let [of_methods, of_stacks, of_samples] = tables;
    let (of_methods, of_stacks, of_samples) = (of_methods?, of_stacks?, of_samples?);
    let tables = profile::Tables {
        methods: (&methods, &of_methods),
        nodes: (&stacks, &of_stacks),
        samples: (&samples, &of_samples),
    };
    profile::read(&tables, observations).map(Some)
}

/// Said of a dataset of an earlier version that has no digest.
const UNCHECKED: &str = "the dataset has no digest: whether it is as it was written cannot be told";

fn changed(path: &Path) -> DatasetError {
    DatasetError::Changed {
        path: path.to_path_buf(),
    }
}

/// Compares the tables with the digests that were written with them.
fn check_files(dir: &Path, written: &BTreeMap<String, String>) -> Result<()> {
    for file in FILES.iter().filter(|&&file| file != META) {
        let path = locate(dir, file);
        let there = path.exists().then(|| digest_of(&path)).transpose()?;
        if there.as_ref() != written.get(*file) {
            return Err(match there {
                Some(_) => changed(&path),
                None => DatasetError::Damaged {
                    path,
                    reason: "it is missing".to_owned(),
                },
            });
        }
    }
    Ok(())
}

/// The current place of a file: a committed `.next/` before the directory itself.
fn locate(dir: &Path, file: &str) -> PathBuf {
    let next = dir.join(NEXT);
    let staged = next.join(file);
    if next.join(COMMIT).exists() && staged.exists() {
        staged
    } else {
        dir.join(file)
    }
}

/// Moves the files of a committed `.next/` into place, if there is one.
fn finish_commit(dir: &Path) -> Result<()> {
    let next = dir.join(NEXT);
    if !next.join(COMMIT).exists() {
        return Ok(());
    }
    let unsampled = next.join(UNSAMPLED).exists();
    for file in FILES {
        let staged = next.join(file);
        let place = dir.join(file);
        if staged.exists() {
            fs::rename(&staged, &place).map_err(DatasetError::io("replace", &staged))?;
        } else if OF_PROFILE.contains(&file) && unsampled && place.exists() {
            fs::remove_file(&place).map_err(DatasetError::io("remove", &place))?;
        }
    }
    sync_directory(dir)?;
    fs::remove_dir_all(&next).map_err(DatasetError::io("remove", &next))
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(DatasetError::io("write", path))?;
    let file = fs::File::open(path).map_err(DatasetError::io("read", path))?;
    file.sync_all().map_err(DatasetError::io("write", path))
}

/// Forces renames to disk where the system can; elsewhere they are durable by themselves.
fn sync_directory(dir: &Path) -> Result<()> {
    if cfg!(unix) {
        let handle = fs::File::open(dir).map_err(DatasetError::io("read", dir))?;
        handle.sync_all().map_err(DatasetError::io("write", dir))?;
    }
    Ok(())
}
