//! A recording in progress: an append-only journal of checksummed JSON lines, `runs.journal`.
//!
//! Each line is eight hexadecimal digits (CRC-32 of the rest), a space, and one entry. Features and their parts are
//! written once, before the first row that uses them; a row is on disk before [`Recording::append`] returns. Reading
//! stops at the first damaged line. A crash leaves an unfinished one at the end, which is nobody's loss; of whole lines that are left out a note says how many.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::builder::{DatasetBuilder, Row};
use crate::directory;
use crate::error::{DatasetError, Result};
use crate::model::{
    DATASET_SCHEMA, Dataset, Feature, FeatureId, InputValue, Meta, Observation, Part,
};

/// Where the journal of a dataset stands.
pub(crate) fn path(dir: &Path) -> PathBuf {
    dir.join("runs.journal")
}

/// Removes the journal, if there is one.
pub(crate) fn remove(dir: &Path) -> Result<()> {
    let path = path(dir);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(DatasetError::io("remove", &path)(error))
        }
        _ => Ok(()),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Entry {
    Meta(Box<Meta>),
    /// Numbered from 0 in the order of the journal.
    Feature(Box<Feature>),
    Part(Part),
    Row {
        observation: Box<Observation>,
        counts: Vec<(u32, f64)>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        differing: Vec<u32>,
    },
}

/// What a journal holds besides rows: which of the builder's features it knows by which number.
#[derive(Default)]
struct Known {
    numbers: BTreeMap<FeatureId, u32>,
    parts: BTreeMap<(FeatureId, FeatureId), f64>,
    bytes: u64,
    /// Lines up to there.
    lines: u64,
    /// Whole lines behind that, which are not read.
    lost: u64,
}

/// Adds the journal's features and rows to `builder`; a damaged end is left out.
pub(crate) fn fold(dir: &Path, builder: &mut DatasetBuilder) -> Result<()> {
    let known = replay(dir, builder)?;
    if known.lost > 0 {
        let (line, lost) = (known.lines + 1, known.lost);
        builder.meta_mut().notes.push(format!(
            "runs.journal is damaged in line {line}: {lost} lines, from there on, are left out; record with --resume to make up for them"
        ));
    }
    Ok(())
}

fn replay(dir: &Path, builder: &mut DatasetBuilder) -> Result<Known> {
    let path = path(dir);
    let file = File::open(&path).map_err(DatasetError::io("read", &path))?;
    let mut reader = BufReader::new(file);
    let mut known = Known::default();
    let mut features: Vec<FeatureId> = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line);
        let read = read.map_err(DatasetError::io("read", &path))?;
        let applied =
            parse(&line).is_some_and(|entry| apply(entry, builder, &mut features, &mut known));
        if !applied {
            known.lost = u64::from(line.ends_with(b"\n")) + whole_lines(&mut reader, &path)?;
            return Ok(known);
        }
        known.bytes += read as u64;
        known.lines += 1;
    }
}

/// How many lines that have an end are left.
fn whole_lines(reader: &mut impl BufRead, path: &Path) -> Result<u64> {
    let mut lines = 0;
    loop {
        let chunk = reader.fill_buf().map_err(DatasetError::io("read", path))?;
        let length = chunk.len();
        if length == 0 {
            return Ok(lines);
        }
        lines += chunk
            .iter()
            .map(|&byte| u64::from(byte == b'\n'))
            .sum::<u64>();
        reader.consume(length);
    }
}

/// The entry of a complete, undamaged line.
fn parse(line: &[u8]) -> Option<Entry> {
    let line = line.strip_suffix(b"\n")?;
    let (sum, rest) = line.split_at_checked(8)?;
    let json = rest.strip_prefix(b" ")?;
    let sum = u32::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    if sum != crc32fast::hash(json) {
        return None;
    }
    serde_json::from_slice(json).ok()
}

fn apply(
    entry: Entry,
    builder: &mut DatasetBuilder,
    features: &mut Vec<FeatureId>,
    known: &mut Known,
) -> bool {
    match entry {
        Entry::Meta(meta) => *builder.meta_mut() = *meta,
        Entry::Feature(feature) => {
            let id = builder.intern(*feature);
            known.numbers.insert(id, features.len() as u32);
            features.push(id);
        }
        Entry::Part(part) => {
            let ids = (
                features.get(part.whole.0 as usize),
                features.get(part.part.0 as usize),
            );
            let (Some(whole), Some(component)) = ids else {
                return false;
            };
            builder.compose(*whole, *component, part.amount);
            known.parts.insert((*whole, *component), part.amount);
        }
        Entry::Row {
            observation,
            counts,
            differing,
        } => {
            let id = |number: u32| features.get(number as usize).copied();
            let counts: Option<Vec<(FeatureId, f64)>> = counts
                .into_iter()
                .map(|(number, value)| Some((id(number)?, value)))
                .collect();
            let differing: Option<Vec<FeatureId>> = differing.into_iter().map(id).collect();
            let (Some(counts), Some(differing)) = (counts, differing) else {
                return false;
            };
            builder.row(Row {
                observation: *observation,
                counts,
                differing,
            });
        }
    }
    true
}

/// A dataset being recorded: every appended observation survives a crash.
pub struct Recording {
    dir: PathBuf,
    builder: DatasetBuilder,
    journal: File,
    numbers: BTreeMap<FeatureId, u32>,
    /// Parts the journal knows; a block may turn out to have more of them in a later run.
    parts: BTreeMap<(FeatureId, FeatureId), f64>,
}

impl Recording {
    /// Starts a dataset in `dir`, which is created if need be.
    ///
    /// # Errors
    /// If `dir` already has a dataset or cannot be written.
    pub fn create(dir: &Path, meta: Meta) -> Result<Self> {
        if directory::exists(dir) {
            return Err(DatasetError::NotADataset {
                path: dir.to_path_buf(),
                reason: "it already holds one; resume it, remove it, or choose another directory"
                    .to_owned(),
            });
        }
        fs::create_dir_all(dir).map_err(DatasetError::io("create", dir))?;
        Self::start(dir, meta)
    }

    /// Continues an interrupted recording, or adds to a finished one.
    ///
    /// # Errors
    /// If what is there cannot be read or written.
    pub fn resume(dir: &Path) -> Result<Self> {
        let mut builder = DatasetBuilder::default();
        if directory::settle(dir)? {
            builder = DatasetBuilder::from_dataset(directory::open_tables(dir)?);
        }
        let path = path(dir);
        if !path.exists() {
            let meta = builder.meta().clone();
            let fresh = Self::start(dir, meta)?;
            return Ok(Self { builder, ..fresh });
        }
        let known = replay(dir, &mut builder)?;
        let mut journal = OpenOptions::new()
            .write(true)
            .open(&path)
            .map_err(DatasetError::io("write", &path))?;
        journal
            .set_len(known.bytes)
            .and_then(|()| journal.seek(SeekFrom::End(0)))
            .map_err(DatasetError::io("write", &path))?;
        Ok(Self {
            dir: dir.to_path_buf(),
            builder,
            journal,
            numbers: known.numbers,
            parts: known.parts,
        })
    }

    fn start(dir: &Path, meta: Meta) -> Result<Self> {
        let path = path(dir);
        let journal = File::create(&path).map_err(DatasetError::io("create", &path))?;
        let meta = Meta {
            schema: DATASET_SCHEMA,
            ..meta
        };
        let mut recording = Self {
            dir: dir.to_path_buf(),
            builder: DatasetBuilder::new(meta.clone()),
            journal,
            numbers: BTreeMap::new(),
            parts: BTreeMap::new(),
        };
        recording.put(&[Entry::Meta(Box::new(meta))])?;
        Ok(recording)
    }

    /// The dataset so far; features are interned here before their counts are appended.
    pub fn builder(&mut self) -> &mut DatasetBuilder {
        &mut self.builder
    }

    /// The finished observation of that label, from this or an interrupted recording.
    pub fn finished(&self, label: &str) -> Option<&Observation> {
        self.builder.observation(label)
    }

    /// The first number of a row that is not finite, and what it is of.
    fn not_finite(&self, row: &Row) -> Option<(String, f64)> {
        let costs = row.observation.costs.iter().flat_map(|(name, cost)| {
            let of = cost.repeats.iter();
            of.map(move |value| (format!("cost `{name}`"), *value))
        });
        let inputs = row.observation.inputs.iter();
        let inputs = inputs.filter_map(|(name, value)| match value {
            InputValue::Number(number) => Some((format!("input `{name}`"), *number)),
            InputValue::Text(_) => None,
        });
        let counts = row.counts.iter().map(|(feature, value)| {
            let feature = self.builder.features().get(feature.0 as usize);
            let name = feature.map_or("?", |feature| &feature.name);
            (format!("column `{name}`"), *value)
        });
        let mut all = costs.chain(inputs).chain(counts);
        all.find(|(_, value)| !value.is_finite())
    }

    /// Adds a finished observation and forces it to disk.
    ///
    /// # Errors
    /// If a number is not finite or the journal cannot be written.
    pub fn append(&mut self, row: Row) -> Result<()> {
        if let Some((what, value)) = self.not_finite(&row) {
            return Err(DatasetError::Inconsistent(format!(
                "observation `{}`, {what}: {value} is not a finite number",
                row.observation.label
            )));
        }
        let mut entries = Vec::new();
        let used = row.counts.iter().map(|(feature, _)| *feature);
        for feature in used.chain(row.differing.iter().copied()) {
            self.introduce(feature, &mut entries);
        }
        entries.push(Entry::Row {
            observation: Box::new(row.observation.clone()),
            counts: row
                .counts
                .iter()
                .map(|(feature, value)| (self.numbers[feature], *value))
                .collect(),
            differing: row.differing.iter().map(|f| self.numbers[f]).collect(),
        });
        self.put(&entries)?;
        self.builder.row(row);
        Ok(())
    }

    /// Announces a feature, and what it consists of as far as the journal does not know it.
    fn introduce(&mut self, feature: FeatureId, entries: &mut Vec<Entry>) {
        let number = self.number(feature, entries);
        let parts: Vec<Part> = self.builder.parts_of(feature).collect();
        for part in parts {
            let known = self.parts.insert((feature, part.part), part.amount);
            if known == Some(part.amount) {
                continue;
            }
            let component = self.number(part.part, entries);
            entries.push(Entry::Part(Part {
                whole: FeatureId(number),
                part: FeatureId(component),
                amount: part.amount,
            }));
        }
    }

    fn number(&mut self, feature: FeatureId, entries: &mut Vec<Entry>) -> u32 {
        if let Some(number) = self.numbers.get(&feature) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(feature, number);
        let described = self.builder.features()[feature.0 as usize].clone();
        entries.push(Entry::Feature(Box::new(described)));
        number
    }

    fn put(&mut self, entries: &[Entry]) -> Result<()> {
        let mut text = Vec::new();
        for entry in entries {
            let json = serde_json::to_string(entry)
                .map_err(|error| DatasetError::Inconsistent(error.to_string()))?;
            let sum = crc32fast::hash(json.as_bytes());
            text.extend_from_slice(format!("{sum:08x} {json}\n").as_bytes());
        }
        let written = self
            .journal
            .write_all(&text)
            .and_then(|()| self.journal.sync_data());
        written.map_err(DatasetError::io("write", &path(&self.dir)))
    }

    /// The dataset, of which only the journal is on disk.
    pub fn into_dataset(self) -> Dataset {
        self.builder.finish()
    }

    /// Writes the dataset and removes the journal.
    ///
    /// # Errors
    /// If the directory cannot be written; the journal then remains.
    pub fn finish(self) -> Result<Dataset> {
        let dataset = self.builder.finish();
        directory::save(&dataset, &self.dir)?;
        Ok(dataset)
    }
}
