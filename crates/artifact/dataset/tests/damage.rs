//! What is not as it was written is refused, or said: flipped bits, tables of another dataset, missing ones, lines of a journal.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pricetag_dataset::{
    Dataset, DatasetError, Feature, FeatureKind, InputValue, Measured, Meta, Observation,
    Recording, Row, open, save,
};

/// Rows whose block runs `scale` times as often as the row's number.
fn record(dir: &Path, scale: f64) -> Recording {
    let meta = Meta {
        subject: vec!["java".to_owned(), "{}".to_owned()],
        cost_units: BTreeMap::from([("wall".to_owned(), "ns".to_owned())]),
        ..Meta::default()
    };
    let mut recording = Recording::create(dir, meta).unwrap();
    let feature = |name: &str, kind| Feature {
        name: name.to_owned(),
        kind,
        unit: "1".to_owned(),
        ..Feature::default()
    };
    let block = recording
        .builder()
        .intern(feature("A.f() block 0", FeatureKind::Block));
    let add = recording
        .builder()
        .intern(feature("opcode iadd", FeatureKind::Opcode));
    recording.builder().compose(block, add, 2.0);
    for row in 1..=4 {
        let times = f64::from(row) * scale;
        let observation = Observation {
            label: format!("row {row}"),
            group: format!("row {row}"),
            inputs: BTreeMap::from([("size".to_owned(), InputValue::Number(times))]),
            costs: BTreeMap::from([("wall".to_owned(), Measured::new([times * 3.0, times * 3.1]))]),
            ..Observation::default()
        };
        let counts = vec![(block, times), (add, 2.0 * times)];
        recording
            .append(Row {
                observation,
                counts,
                ..Row::default()
            })
            .unwrap();
    }
    recording
}

fn saved(dir: &Path, scale: f64) -> Dataset {
    record(dir, scale).finish().unwrap()
}

const TABLES: [&str; 4] = [
    "runs.parquet",
    "counts.parquet",
    "features.parquet",
    "parts.parquet",
];

#[test]
fn a_flipped_bit_is_never_another_number() {
    let dir = tempfile::tempdir().unwrap();
    let whole = saved(dir.path(), 1.0);
    let mut harmless = 0;
    for file in TABLES.iter().chain(&["meta.json"]) {
        let path = dir.path().join(file);
        let bytes = fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, damaged).unwrap();
            if let Ok(read) = open(dir.path()) {
                assert_eq!(read, whole, "{file}, byte {at}");
                assert_eq!(*file, "meta.json", "byte {at}");
                harmless += 1;
            }
        }
        fs::write(&path, bytes).unwrap();
    }
    assert!(harmless < 40, "white space of meta.json alone: {harmless}");
    assert_eq!(open(dir.path()).unwrap(), whole);
}

#[test]
fn tables_of_another_dataset_and_missing_ones_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (dir.path().join("one"), dir.path().join("other"));
    let whole = saved(&one, 1.0);
    saved(&other, 5.0);
    for file in TABLES {
        let own = fs::read(one.join(file)).unwrap();
        if file != "features.parquet" && file != "parts.parquet" {
            fs::copy(other.join(file), one.join(file)).unwrap();
            let error = open(&one).unwrap_err();
            assert!(matches!(error, DatasetError::Changed { .. }), "{error}");
            assert!(error.to_string().contains(file), "{error}");
        }
        fs::remove_file(one.join(file)).unwrap();
        let error = open(&one).unwrap_err().to_string();
        assert!(
            error.contains(&format!("{file} is damaged: it is missing")),
            "{error}"
        );
        fs::write(one.join(file), own).unwrap();
    }
    fs::copy(other.join("meta.json"), one.join("meta.json")).unwrap();
    assert!(open(&one).is_err());
    save(&whole, &one).unwrap();
    assert_eq!(open(&one).unwrap(), whole);
}

/// Version 0.1 wrote one digest, of what the tables mean, and nobody compared it.
#[test]
fn datasets_of_version_0_1_are_read_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let whole = saved(dir.path(), 1.0);
    let path = dir.path().join("meta.json");
    let mut meta: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for member in ["files", "sealed", "seal"] {
        assert!(meta.remove(member).is_some(), "{member}");
    }
    let write = |meta: &serde_json::Map<String, serde_json::Value>| {
        fs::write(&path, serde_json::to_string(meta).unwrap()).unwrap();
    };
    write(&meta);
    assert_eq!(open(dir.path()).unwrap(), whole);
    let other = tempfile::tempdir().unwrap();
    saved(other.path(), 5.0);
    let counts = fs::read(dir.path().join("counts.parquet")).unwrap();
    fs::copy(
        other.path().join("counts.parquet"),
        dir.path().join("counts.parquet"),
    )
    .unwrap();
    assert!(matches!(
        open(dir.path()),
        Err(DatasetError::Changed { .. })
    ));
    fs::write(dir.path().join("counts.parquet"), counts).unwrap();
    meta.remove("digest");
    write(&meta);
    let notes = open(dir.path()).unwrap().meta.notes;
    assert!(notes[0].contains("no digest"), "{notes:?}");
}

#[test]
fn lines_that_a_journal_loses_are_told() {
    let dir = tempfile::tempdir().unwrap();
    drop(record(dir.path(), 1.0));
    let path = dir.path().join("runs.journal");
    let bytes = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').collect();
    for (line, end) in ends.iter().enumerate() {
        let mut damaged = bytes.clone();
        damaged[end - 3] ^= 4;
        fs::write(&path, damaged).unwrap();
        let notes = open(dir.path()).unwrap().meta.notes;
        let told = format!("line {}: {} lines", line + 1, ends.len() - line);
        assert!(
            notes.last().is_some_and(|note| note.contains(&told)),
            "{told}: {notes:?}"
        );
    }
    // Of an unfinished line at the end, which a crash leaves, nothing is said.
    fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    let read = open(dir.path()).unwrap();
    assert!(read.meta.notes.is_empty() && read.observations.len() == 3);
}
