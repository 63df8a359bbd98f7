//! Plans in a directory: what was stored is found, whoever stored it and whatever became of its neighbours.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use pricetag_probe_plan::*;
use proptest::prelude::*;

fn plan(hash: u128) -> ClassPlan {
    ClassPlan {
        version: PLAN_VERSION,
        hash: ClassHash(hash),
        name: format!("C{hash}"),
        super_name: None,
        interfaces: Vec::new(),
        source_file: None,
        access: 0x21,
        major: 61,
        bytes: 5,
        counters: 0,
        methods: Vec::new(),
        values: None,
        transitions: None,
        strides: None,
    }
}

fn store(directory: &Path) -> PlanStore {
    PlanStore::open(directory).unwrap()
}

const RECORD: Envelope = Envelope {
    magic: *b"RECORD\0\x01",
    version: 1,
};

/// A directory of something else.
fn records(directory: &Path) -> Pack {
    Pack::open(directory, RECORD, &["records"]).unwrap()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn a_store_gives_back_what_it_was_given() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().join("deep/plans");
    let (first, second) = (store(&directory), store(&directory));
    assert!(first.load(ClassHash(1)).unwrap().is_none());
    assert!(files(&directory).is_empty(), "nothing is stored yet");
    for hash in [1, u128::MAX, 2, 1] {
        first.store(&plan(hash)).unwrap();
    }
    let stored = |hash| plan(hash).to_bytes().unwrap();
    let [file] = &files(&directory)[..] else {
        panic!("a writer has one file")
    };
    let expected = [stored(1), stored(u128::MAX), stored(2)].concat();
    assert_eq!(fs::read(file).unwrap(), expected, "nothing twice");

    for reader in [&first, &store(&directory)] {
        for hash in [1, u128::MAX, 2] {
            assert_eq!(reader.load(ClassHash(hash)).unwrap(), Some(plan(hash)));
            assert_eq!(reader.bytes(ClassHash(hash)), Some(stored(hash)));
        }
        assert_eq!(
            reader.hashes(),
            [ClassHash(1), ClassHash(2), ClassHash(u128::MAX)]
        );
    }
    // Who opened before looks again for what was written, and no more than that.
    assert!(second.load(ClassHash(2)).unwrap().is_none());
    assert_eq!(second.written(ClassHash(2)).unwrap(), Some(plan(2)));
    assert!(second.written(ClassHash(3)).unwrap().is_none());
    first.store(&plan(3)).unwrap();
    assert_eq!(second.written(ClassHash(3)).unwrap(), Some(plan(3)));
}

#[test]
fn the_plan_that_was_stored_last_counts() {
    let directory = tempfile::tempdir().unwrap();
    let named = |name: &str| ClassPlan {
        name: name.into(),
        ..plan(1)
    };
    let (first, second) = (store(directory.path()), store(directory.path()));
    first.store(&named("A")).unwrap();
    second.store(&named("B")).unwrap();
    let found = |store: &PlanStore| store.load(ClassHash(1)).unwrap().unwrap().name;
    assert_eq!(found(&store(directory.path())), "B");
    second.store(&named("C")).unwrap();
    second.store(&named("B")).unwrap();
    for reader in [&second, &store(directory.path())] {
        assert_eq!(found(reader), "B");
    }
}

#[test]
fn a_file_per_class_as_of_earlier_versions_reads_the_same() {
    let directory = tempfile::tempdir().unwrap();
    for hash in [1, 2] {
        let path = directory.path().join(format!("{}.plan", ClassHash(hash)));
        fs::write(path, plan(hash).to_bytes().unwrap()).unwrap();
    }
    fs::write(directory.path().join("notes.txt"), "not ours").unwrap();
    let store = store(directory.path());
    assert_eq!(store.hashes(), [1, 2].map(ClassHash));
    assert_eq!(store.written(ClassHash(2)).unwrap(), Some(plan(2)));
}

#[test]
fn a_plan_is_newer_than_one_in_a_file_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let hash = ClassHash(u128::MAX);
    let named = |name: &str| ClassPlan {
        name: name.into(),
        ..plan(hash.0)
    };
    let path = directory.path().join(format!("{hash}.plan"));
    fs::write(path, named("old").to_bytes().unwrap()).unwrap();
    store(directory.path()).store(&named("new")).unwrap();
    let found = store(directory.path()).load(hash).unwrap();
    assert_eq!(found, Some(named("new")));
}

#[test]
fn a_file_that_ends_within_a_plan_loses_that_one_alone() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (plan(1).to_bytes().unwrap(), plan(2).to_bytes().unwrap());
    let whole = [one.clone(), two].concat();
    let path = directory.path().join("1.plans");
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let torn = store(directory.path());
        if length >= one.len() {
            assert_eq!(torn.load(ClassHash(1)).unwrap(), Some(plan(1)));
        }
        let lost = torn.written(ClassHash(2));
        if length == 0 || length == one.len() {
            assert!(matches!(lost, Ok(None)), "{lost:?}");
            continue;
        }
        let message = lost.unwrap_err().to_string();
        let from = if length < one.len() { 0 } else { one.len() };
        let named = format!("1.plans, from byte {from}: ");
        assert!(message.contains(&named), "{message}");
        // Who is at it goes on.
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&whole[length..]).unwrap();
        assert_eq!(torn.written(ClassHash(2)).unwrap(), Some(plan(2)));
    }
}

#[test]
fn whatever_is_altered_all_other_plans_are_read() {
    let directory = tempfile::tempdir().unwrap();
    // Lengths differ.
    let plans = [1, 20, 300, 4000].map(plan);
    let whole = plans.each_ref().map(|plan| plan.to_bytes().unwrap());
    let path = directory.path().join("1.plans");
    let bytes = whole.concat();
    for (at, bit) in (0..bytes.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut altered = bytes.clone();
        altered[at] ^= 1 << bit;
        fs::write(&path, &altered).unwrap();
        let reader = store(directory.path());
        let mut begins = 0;
        for (plan, stored) in plans.iter().zip(&whole) {
            let hit = (begins..begins + stored.len()).contains(&at);
            begins += stored.len();
            match reader.load(plan.hash) {
                Ok(Some(found)) => assert!(!hit && found == *plan, "{}, byte {at}", plan.name),
                _ => assert!(hit, "{} is lost by bit {bit} of byte {at}", plan.name),
            }
        }
        // A plan that is made again is found from now on.
        reader.store(&plans[1]).unwrap();
        let reader = store(directory.path());
        assert_eq!(
            reader.written(plans[1].hash).unwrap().as_ref(),
            Some(&plans[1])
        );
        for file in files(directory.path()) {
            fs::remove_file(file).unwrap();
        }
    }
}

#[test]
fn no_byte_can_change_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let kept = store(folder.path());
    (1..=3).for_each(|hash| kept.store(&plan(hash)).unwrap());
    drop(kept);
    let file = &files(folder.path())[0];
    let whole = fs::read(file).unwrap();
    store(folder.path()).check().unwrap();
    let record = whole.len() / 3;
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(file, bytes).unwrap();
        // A length that reaches beyond the file looks like one that was cut short there.
        let is_length = (12..16).contains(&(at % record));
        assert!(
            store(folder.path()).check().is_err() || is_length,
            "byte {at}"
        );
    }
    fs::write(file, &whole[..whole.len() - 5]).unwrap();
    store(folder.path()).check().unwrap();
}

#[test]
fn what_is_torn_and_gone_on_with_loses_one_plan() {
    let directory = tempfile::tempdir().unwrap();
    let whole = [1, 2, 3].map(|hash| plan(hash).to_bytes().unwrap());
    let path = directory.path().join("1.plans");
    let length = whole[1].len();
    for (kept, garbage) in [(5, 0), (length - 1, 0), (0, 300_000), (40, 65_536)] {
        let garbage = vec![0; garbage];
        let bytes = [&whole[0], &whole[1][..kept], &garbage, &whole[2]].concat();
        fs::write(&path, bytes).unwrap();
        let reader = store(directory.path());
        for hash in [1, 3] {
            let found = reader.load(ClassHash(hash)).unwrap();
            assert_eq!(found, Some(plan(hash)), "{kept} of {length}");
        }
        assert!(reader.load(ClassHash(2)).is_err(), "{kept} of {length}");
    }
}

#[test]
fn a_tail_that_was_taken_back_is_forgotten() {
    let directory = tempfile::tempdir().unwrap();
    let stored = plan(1).to_bytes().unwrap();
    let path = directory.path().join("1.plans");
    fs::write(&path, [&stored[..], &stored[..20]].concat()).unwrap();
    let reader = store(directory.path());
    assert!(reader.load(ClassHash(2)).is_err());
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(stored.len() as u64).unwrap();
    assert!(reader.written(ClassHash(2)).unwrap().is_none());
    assert_eq!(reader.written(ClassHash(1)).unwrap(), Some(plan(1)));
}

#[test]
fn a_file_that_was_replaced_gives_no_other_plan() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    store(directory).store(&plan(1)).unwrap();
    let reader = store(directory);
    fs::remove_file(&files(directory)[0]).unwrap();
    store(directory).store(&plan(2)).unwrap();
    assert!(reader.load(ClassHash(1)).unwrap().is_none());
}

#[test]
fn what_is_no_file_is_no_obstacle() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name| directory.path().join(name);
    fs::create_dir(path("5.plans")).unwrap();
    for (name, target) in [("6.plans", "nowhere"), ("7.plans", "7.plans")] {
        symlink(target, path(name)).unwrap();
    }
    let pipe = Command::new("mkfifo").arg(path("8.plans")).status();
    assert!(pipe.unwrap().success());
    let (said, told) = mpsc::channel();
    let plans = directory.path().to_owned();
    // Who opens a pipe waits until somebody writes.
    std::thread::spawn(move || {
        store(&plans).store(&plan(1)).unwrap();
        let found = store(&plans).load(ClassHash(1)).unwrap();
        said.send(found).unwrap();
    });
    let found = told.recv_timeout(Duration::from_mins(1));
    assert_eq!(found, Ok(Some(plan(1))));
    assert!(path("000001.plans").is_file());
}

#[test]
fn a_file_that_is_long_is_followed_by_another() {
    let directory = tempfile::tempdir().unwrap();
    let open = || records(directory.path());
    let pack = open();
    let sealed = |key: u8| {
        let key = u128::from(key);
        (key, RECORD.seal(&(0u32, key, vec![1u8; 9 << 20])).unwrap())
    };
    for key in 1..=5 {
        let (key, bytes) = sealed(key);
        pack.add(key, &bytes).unwrap();
    }
    assert_eq!((pack.files(), open().files()), (3, 3));
    for key in 1..=5 {
        let (key, bytes) = sealed(key);
        let found = open().read(key, |bytes| Ok(bytes.to_vec())).unwrap();
        assert!(found == Some(bytes), "{key}");
    }
}

#[test]
fn what_is_used_is_noted_where_that_is_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let open = || records(directory.path());
    let sealed = |key: u128| RECORD.seal(&(0u32, key)).unwrap();
    for key in [1, 2] {
        open().add(key, &sealed(key)).unwrap();
    }
    let paths = files(directory.path());
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30);
    let modified = || {
        let times = paths.iter().map(|path| fs::metadata(path)?.modified());
        times.collect::<Result<Vec<_>, _>>().unwrap()
    };
    for path in &paths {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.set_modified(past).unwrap();
    }
    let read = |pack: &Pack| pack.read(2, |bytes| Ok(bytes.to_vec())).unwrap();
    assert_eq!(read(&open()), Some(sealed(2)));
    assert_eq!(modified(), [past, past]);
    assert_eq!(read(&open().noting_use()), Some(sealed(2)));
    let [first, second] = modified()[..] else {
        panic!("a file each")
    };
    assert!(first == past && second > past);
}

#[test]
fn a_damaged_file_is_an_error_and_an_old_one_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("1.plans");
    fs::write(&path, b"garbage").unwrap();
    let message = store(directory.path()).load(ClassHash(1)).unwrap_err();
    let message = message.to_string();
    assert!(
        message.contains("1.plans") && message.contains("7 bytes"),
        "{message}"
    );

    let mut old = plan(1).to_bytes().unwrap();
    old[8] = 0;
    let beside = [old, plan(2).to_bytes().unwrap()].concat();
    fs::write(&path, beside).unwrap();
    let store = store(directory.path());
    assert!(store.load(ClassHash(1)).unwrap().is_none());
    assert_eq!(store.load(ClassHash(2)).unwrap(), Some(plan(2)));
    // Where the agent has just written it, it is no plan to be made again, but an agent of another version.
    let message = store.written(ClassHash(1)).unwrap_err().to_string();
    assert!(
        message.contains("version 0") && message.contains("built with this program"),
        "{message}"
    );
    // Damage is told before age.
    fs::write(directory.path().join("2.plans"), b"garbage").unwrap();
    let beside = PlanStore::open(directory.path()).unwrap();
    for hash in [1, 3] {
        let message = beside.written(ClassHash(hash)).unwrap_err().to_string();
        assert!(message.contains("2.plans"), "{message}");
    }
    assert_eq!(beside.load(ClassHash(2)).unwrap(), Some(plan(2)));
}

#[test]
fn who_cannot_write_says_so_and_finds_what_there_was() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("plans");
    let store = store(&folder);
    fs::remove_dir(&folder).unwrap();
    let message = store.store(&plan(1)).unwrap_err().to_string();
    assert!(
        message.starts_with("cannot create ") && message.contains("No such file"),
        "{message}"
    );
    assert_eq!(store.bytes(ClassHash(1)), None);
    fs::create_dir(&folder).unwrap();
    store.store(&plan(1)).unwrap();
    assert_eq!(store.load(ClassHash(1)).unwrap(), Some(plan(1)));
}

#[test]
fn many_writers_do_not_disturb_readers() {
    let directory = tempfile::tempdir().unwrap();
    let shared = store(directory.path());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (own, shared) = (store(directory.path()), &shared);
            scope.spawn(move || {
                for k in 0..50 {
                    let hash = thread * 50 + k;
                    if k % 2 == 0 { &own } else { shared }
                        .store(&plan(hash))
                        .unwrap();
                    assert_eq!(shared.written(ClassHash(hash)).unwrap(), Some(plan(hash)));
                }
            });
        }
    });
    assert_eq!(store(directory.path()).hashes().len(), 200);
    assert_eq!(files(directory.path()).len(), 5);
}

proptest! {
    #[test]
    fn foreign_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..200), begins in 0..3, length in 0u32..100) {
        if begins > 0 && bytes.len() >= 16 {
            bytes[..8].copy_from_slice(&MAGIC);
            bytes[8..12].copy_from_slice(&PLAN_VERSION.to_le_bytes());
        }
        if begins > 1 && bytes.len() >= 16 {
            bytes[12..16].copy_from_slice(&length.to_le_bytes());
        }
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("1.plans"), &bytes).unwrap();
        let store = store(directory.path());
        for hash in store.hashes().into_iter().chain([ClassHash(1)]) {
            prop_assert!(!matches!(store.written(hash), Ok(Some(_))));
        }
    }
}
