//! Classes that are kept beyond a recording: later ones take them, count the same, and need none of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::support::{Desk, Ran, classes, ran};

const INPUTS: [(&str, &str); 3] = [("a", "8"), ("b", "13"), ("c", "40")];

/// Every file below a folder, with its length.
fn files(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert(entry.path(), entry.metadata().unwrap().len());
        }
    }
    found
}

/// The kept classes, with their lengths.
fn kept_classes(cache: &Path) -> BTreeMap<PathBuf, u64> {
    files(&cache.join("classes"))
}

/// `line` on the subject over its inputs, with classes kept there.
fn watch(desk: &Desk, line: &str, cache: Option<&Path>) -> Ran {
    let mut command = desk.command(line);
    if let Some(cache) = cache {
        command.env("PRICETAG_CACHE", cache);
    }
    command.args(["--inputs", "in/*", "--", "java", "-cp"]);
    command.arg(classes()).args(["Parts", "{}"]);
    let ran = ran(command);
    assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    ran
}

/// What a recording counted, to the byte.
fn counts(desk: &Desk, data: &str) -> [Vec<u8>; 2] {
    ["counts", "features"]
        .map(|table| fs::read(desk.path(data).join(format!("{table}.parquet"))).unwrap())
}

#[test]
fn another_recording_takes_the_classes_of_the_first() {
    let desk = Desk::new(&INPUTS);
    let record = |data: &str, cache: Option<&Path>| {
        watch(&desk, &format!("record -o {data} --repeat 1"), cache);
        counts(&desk, data)
    };
    let expected = record("without", None);
    let cache = desk.path("cache");
    assert!(!cache.exists());

    assert_eq!(record("first", Some(&cache)), expected);
    let kept = kept_classes(&cache);
    assert!(!kept.is_empty());
    let mut all = files(&cache).into_keys();
    assert!(
        all.all(|file| kept.contains_key(&file)),
        "{:?}",
        files(&cache)
    );
    assert_eq!(record("second", Some(&cache)), expected);
    assert_eq!(kept_classes(&cache), kept, "nothing was rewritten");
    // A directory of its own has everything that is needed to read it.
    fs::rename(&cache, desk.path("gone")).unwrap();
    let read = desk.run("fit second --method nnls");
    assert_eq!(read.code, 0, "{}", read.stderr);
    let plans = |data: &str| files(&desk.path(data).join("plans")).into_values();
    assert_eq!(
        plans("second").sum::<u64>(),
        plans("without").sum::<u64>(),
        "each plan once"
    );
    fs::rename(desk.path("gone"), &cache).unwrap();

    // Other counters are another matter.
    let valued = "record -o valued --repeat 1 --features blocks,values";
    watch(&desk, valued, Some(&cache));
    assert!(kept_classes(&cache).len() > kept.len());
}

#[test]
fn what_is_wrong_with_a_cache_costs_time_alone() {
    let desk = Desk::new(&INPUTS);
    let record = |data: &str, cache: &Path| {
        let line = format!("record -o {data} --repeat 1 --force");
        watch(&desk, &line, Some(cache));
        counts(&desk, data)
    };
    let cache = desk.path("cache");
    let expected = record("first", &cache);
    for (file, length) in files(&cache) {
        let mut bytes = fs::read(&file).unwrap();
        bytes[length as usize / 2] ^= 1;
        fs::write(&file, &bytes[..length as usize - 3]).unwrap();
    }
    assert_eq!(record("damaged", &cache), expected);
    let mended = kept_classes(&cache);
    assert_eq!(record("mended", &cache), expected);
    assert_eq!(kept_classes(&cache), mended);

    let taken = desk.path("file");
    fs::write(&taken, "no directory").unwrap();
    assert_eq!(record("nowhere", &taken), expected);
    assert_eq!(fs::read(&taken).unwrap(), b"no directory");
    let notes = desk.json("inspect nowhere --json")["notes"].to_string();
    assert!(notes.contains("kept for this recording alone"), "{notes}");
}

#[test]
fn a_prediction_takes_what_is_kept_of_the_recording() {
    let desk = Desk::new(&INPUTS);
    let cache = desk.path("cache");
    watch(&desk, "mine -o data --method nnls --repeat 1", Some(&cache));
    let kept = kept_classes(&cache);
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30);
    for file in kept.keys() {
        let opened = fs::File::options().write(true).open(file).unwrap();
        opened.set_modified(past).unwrap();
    }
    let line = "predict data/model.json --json";
    let predicted = watch(&desk, line, Some(&cache));
    assert_eq!(kept_classes(&cache), kept);
    let mut used = kept.keys().map(|file| fs::metadata(file)?.modified());
    assert!(used.any(|used| used.unwrap() > past), "none was used");
    let known = desk.json(&format!("{line} --dataset data"));
    let values = |answer: &serde_json::Value| -> Vec<serde_json::Value> {
        let rows = answer["rows"].as_array().unwrap().iter();
        rows.map(|row| row["value"].clone()).collect()
    };
    assert_eq!(values(&predicted.json()), values(&known));
    assert_eq!(values(&known).len(), INPUTS.len());
}

/// Without being told, where programs keep such things for their user.
#[test]
fn classes_are_kept_in_the_cache_of_the_user() {
    let desk = Desk::new(&INPUTS);
    for (data, variable, folder) in [
        ("one", "XDG_CACHE_HOME", "caches/pricetag"),
        ("two", "HOME", "home/.cache/pricetag"),
    ] {
        let home = folder.split('/').next().unwrap();
        fs::create_dir(desk.path(home)).unwrap();
        let mut command = desk.command(&format!("record -o {data} --repeat 1 --inputs in/*"));
        command
            .env_remove("PRICETAG_CACHE")
            .env_remove("XDG_CACHE_HOME")
            .env(variable, desk.path(home))
            .args(["--", "java", "-cp"])
            .arg(classes())
            .args(["Parts", "{}"]);
        let ran = ran(command);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!files(&desk.path(folder)).is_empty(), "{variable}");
    }
}
