//! Recordings on disk: resumed, replaced, damaged.
use pricetag_dataset::Observation;

use super::*;

fn manifest() -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA,
        command: vec!["java".to_owned()],
        options: BTreeMap::from([("jit".to_owned(), "on".to_owned())]),
        protocol: BTreeMap::new(),
        environment: None,
        platform: BTreeMap::new(),
        program: BTreeMap::from([("a.jar".to_owned(), "1".to_owned())]),
        replaces: false,
        cases: vec![Case {
            label: "a".to_owned(),
            ..Case::default()
        }],
    }
}

fn note(id: RunId, bytes: u64) -> RunNote {
    RunNote {
        id,
        label: "a".to_owned(),
        failure: None,
        trace_bytes: Some(bytes),
        process_ns: 1,
        remarks: vec![],
        retry: false,
    }
}

#[test]
fn only_whole_runs_count_as_finished() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let journal = Journal::open(&data, &manifest(), false, false).unwrap();
    let id = RunId {
        case: 0,
        kind: RunKind::Time(1),
    };
    assert_eq!(journal.finished(id, "a"), None);
    fs::write(journal.trace(id), "12345").unwrap();
    journal.finish(&note(id, 5)).unwrap();
    assert_eq!(journal.finished(id, "a"), Some(note(id, 5)));
    assert_eq!(journal.finished(id, "other"), None);
    fs::write(journal.trace(id), "1234").unwrap();
    assert_eq!(journal.finished(id, "a"), None, "a shortened trace");
    fs::write(journal.trace(id), "12345").unwrap();
    let path = journal.note_path(id);
    let half = fs::read(&path).unwrap();
    fs::write(&path, &half[..half.len() / 2]).unwrap();
    assert_eq!(journal.finished(id, "a"), None, "half a note");
    let looks = || AgentOptions::progress_files(&journal.trace(id)).unwrap();
    fs::write(AgentOptions::progress_of(&journal.trace(id), 3), "1").unwrap();
    assert_eq!(looks().len(), 1);
    journal.clear(id).unwrap();
    assert_eq!(looks().len(), 0, "looks of an interrupted run");
}

#[test]
fn resuming_something_else_says_what_differs() {
    let dir = tempfile::tempdir().unwrap();
    let refuse = |m: &Manifest| {
        Journal::open(dir.path(), m, true, false)
            .unwrap_err()
            .to_string()
    };
    assert!(refuse(&manifest()).contains("no unfinished recording"));
    Journal::open(dir.path(), &manifest(), false, false).unwrap();
    Journal::open(dir.path(), &manifest(), true, false).unwrap();
    let mut other = manifest();
    other.options.insert("jit".to_owned(), "off".to_owned());
    let text = refuse(&other);
    assert!(
        text.contains("`jit`") && text.contains("`on`") && text.contains("`off`"),
        "{text}"
    );
    let mut other = manifest();
    other.program.insert("a.jar".to_owned(), "2".to_owned());
    let text = refuse(&other);
    assert!(text.contains("the program's file `a.jar`"), "{text}");
    let mut other = manifest();
    other.cases[0].label = "b".to_owned();
    assert!(refuse(&other).contains("`a`"));
    let mut other = manifest();
    let bytes = InputValue::Number(7.0);
    other.cases[0].inputs.insert("file.bytes".to_owned(), bytes);
    let text = refuse(&other);
    let parts = ["file.bytes of input `a`", "with nothing", "now it is `7`"];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    let mut other = manifest();
    other.environment = Some("1".to_owned());
    assert!(refuse(&other).contains("what --env sets differs"));
    let mut other = manifest();
    other.command.push("-x".to_owned());
    assert!(refuse(&other).contains("java -x"));
}

#[test]
fn nothing_is_overwritten_unasked() {
    let dir = tempfile::tempdir().unwrap();
    let open = |force| Journal::open(dir.path(), &manifest(), false, force);
    drop(open(false).unwrap());
    let journal = open(false).expect("nothing is finished yet");
    let meanwhile = open(true).unwrap_err().to_string();
    assert!(meanwhile.contains("being recorded into"), "{meanwhile}");
    let id = RunId {
        case: 0,
        kind: RunKind::Count(0),
    };
    journal.finish(&note(id, 1)).unwrap();
    drop(journal);
    assert!(open(false).unwrap_err().to_string().contains("unfinished"));
    open(true).unwrap().close().unwrap();
    fs::write(dir.path().join("meta.json"), "{}").unwrap();
    assert!(open(false).unwrap_err().to_string().contains("dataset"));
    fs::write(dir.path().join("thesis.tex"), "").unwrap();
    assert!(open(true).unwrap_err().to_string().contains("thesis.tex"));
}

#[test]
fn a_folder_of_the_users_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("plans").join("house.txt");
    fs::create_dir(dir.path().join("plans")).unwrap();
    fs::write(&kept, "").unwrap();
    for force in [false, true] {
        let refused = Journal::open(dir.path(), &manifest(), false, force).unwrap_err();
        assert!(refused.to_string().contains("`plans`"), "{refused}");
    }
    assert!(kept.exists());
}

/// A dataset that was there is there until the new one is whole.
#[test]
fn what_is_replaced_stays_until_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let row = |status| Observation {
        label: "old".to_owned(),
        status,
        ..Observation::default()
    };
    let dataset = |status| Dataset {
        observations: vec![row(status)],
        ..Dataset::default()
    };
    let save = |status| pricetag_dataset::save(&dataset(status), dir.path()).unwrap();
    save(Status::Ok);
    let plans = dir.path().join("plans");
    fs::create_dir(&plans).unwrap();
    fs::write(plans.join("000001.plans"), "old").unwrap();
    let open = |resume, force| Journal::open(dir.path(), &manifest(), resume, force);
    assert!(
        open(false, false)
            .unwrap_err()
            .to_string()
            .contains("dataset")
    );
    let journal = open(false, true).unwrap();
    assert!(journal.replaces() && plans.join("000001.plans").exists());
    fs::write(journal.plans().join("000001.plans"), "new").unwrap();
    // As if it had been killed here.
    drop(journal);
    assert_eq!(
        pricetag_dataset::open(dir.path())
            .unwrap()
            .observations
            .len(),
        1
    );
    let journal = open(true, false).unwrap();
    assert!(journal.replaces());
    journal.close().unwrap();
    assert_eq!(
        fs::read_to_string(plans.join("000001.plans")).unwrap(),
        "new"
    );
    // Where nothing has succeeded there is nothing to keep.
    save(Status::Failed);
    assert!(!open(false, false).unwrap().replaces());
    assert!(!plans.join("000001.plans").exists());
}

#[test]
fn failed_runs_are_not_in_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Journal::open(dir.path(), &manifest(), false, false);
    let id = RunId {
        case: 0,
        kind: RunKind::Count(0),
    };
    let failed = RunNote {
        failure: Some("exit code 1".to_owned()),
        ..note(id, 1)
    };
    open().unwrap().finish(&failed).unwrap();
    open().unwrap().finish(&note(id, 1)).unwrap();
    assert!(open().unwrap_err().to_string().contains("unfinished"));
}

#[test]
fn damage_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::open(dir.path(), &manifest(), false, false).unwrap();
    let id = RunId {
        case: 0,
        kind: RunKind::Count(0),
    };
    fs::write(journal.trace(id), "12345").unwrap();
    journal.finish(&note(id, 5)).unwrap();
    assert!(journal.finished(id, "a").is_some());
    let path = journal.note_path(id);
    let text = fs::read_to_string(&path).unwrap();
    let other = text.replace("\"process_ns\": ", "\"process_ns\": 9");
    assert_ne!(text, other);
    fs::write(&path, other).unwrap();
    assert!(journal.finished(id, "a").is_none());
    let path = journal.manifest_path();
    let text = fs::read_to_string(&path).unwrap();
    for damaged in [
        text.replace("\"on\"", "\"off\""),
        text[..20].to_owned(),
        String::new(),
    ] {
        fs::write(&path, damaged).unwrap();
        let error = Journal::find(dir.path()).unwrap_err().to_string();
        assert!(
            error.contains("recording.json") && error.contains("cannot be read"),
            "{error}"
        );
    }
    fs::remove_file(&path).unwrap();
    assert!(Journal::find(dir.path()).unwrap().is_none());
}
