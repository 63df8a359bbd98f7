//! Datasets survive the disk: tables, journals, interrupted saves.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use pricetag_profile::{
    Allocated, Beside, Compiled, Method, MethodId, Node, NodeId, Profile, ProfiledRun, Role,
    Sample, State,
};
use proptest::prelude::*;

use pricetag_dataset::{
    Dataset, DatasetBuilder, DatasetError, Feature, FeatureKind, InputValue, Measured, Meta,
    Observation, Recording, Row, Status, export_csv, open, save,
};

fn feature(name: &str, kind: FeatureKind) -> Feature {
    Feature {
        name: name.to_owned(),
        kind,
        unit: "1".to_owned(),
        ..Feature::default()
    }
}

fn observation(label: &str, wall: &[f64]) -> Observation {
    Observation {
        label: label.to_owned(),
        group: label.to_owned(),
        inputs: BTreeMap::from([
            (
                "size".to_owned(),
                InputValue::Number(wall.len() as f64 * 1.5),
            ),
            ("kind".to_owned(), InputValue::Text("β \"x\"".to_owned())),
        ]),
        costs: BTreeMap::from([("wall".to_owned(), Measured::new(wall))]),
        ..Observation::default()
    }
}

fn meta() -> Meta {
    Meta {
        subject: vec!["java".to_owned(), "{}".to_owned()],
        scope: "main".to_owned(),
        cost_units: BTreeMap::from([("wall".to_owned(), "ns".to_owned())]),
        created: 1_700_000_000,
        ..Meta::default()
    }
}

/// Appends three rows, one of them failed, with a composed block that not every row runs.
fn record(recording: &mut Recording) {
    let builder = recording.builder();
    let iadd = builder.intern(feature("opcode iadd", FeatureKind::Opcode));
    let block = builder.intern(Feature {
        class: Some("A".to_owned()),
        method: Some("f".to_owned()),
        descriptor: Some("(I)V".to_owned()),
        block: Some(3),
        pcs: Some((7, 70_000)),
        lines: Some((1, 2)),
        source_file: Some("A.java".to_owned()),
        text: Some("iadd\nireturn".to_owned()),
        ..feature("A.f(int) block 3 (A.java:1-2)", FeatureKind::Block)
    });
    builder.compose(block, iadd, 2.0);
    let rows = [
        (
            observation("one", &[0.1, 0.2, 0.3]),
            vec![(block, 1e15), (iadd, 2.0)],
            vec![block],
        ),
        (
            Observation {
                status: Status::Failed,
                reason: Some("exit code 3".to_owned()),
                caveats: vec!["trace cut short".to_owned()],
                costs: BTreeMap::new(),
                ..observation("two", &[])
            },
            vec![],
            vec![],
        ),
        (
            observation("three", &[7.0]),
            vec![(iadd, 0.0), (iadd, 4.0)],
            vec![],
        ),
    ];
    for (observation, counts, differing) in rows {
        recording
            .append(Row {
                observation,
                counts,
                differing,
            })
            .unwrap();
    }
}

fn recorded(dir: &Path) -> Dataset {
    let mut recording = Recording::create(dir, meta()).unwrap();
    record(&mut recording);
    recording.finish().unwrap()
}

#[test]
fn what_is_saved_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let dataset = recorded(dir.path());
    assert_eq!(open(dir.path()).unwrap(), dataset);
    assert_eq!(open(dir.path()).unwrap().digest(), dataset.digest());
    assert_eq!(dataset.usable_rows("wall").unwrap().len(), 2);
    assert!(matches!(
        dataset.usable_rows("cpu"),
        Err(DatasetError::NoSuchCost { .. })
    ));
    let block = dataset.feature_id("A.f(int) block 3 (A.java:1-2)").unwrap();
    assert_eq!(dataset.feature(block).nondeterministic, 1);
    assert_eq!(
        dataset.dense(dataset.feature_id("size").unwrap()),
        [4.5, 0.0, 1.5]
    );
    let names: Vec<String> = fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.') || name.contains("journal"))
        .collect();
    assert!(names.is_empty(), "{names:?} left behind");
}

#[test]
fn an_interrupted_recording_is_readable_and_resumes() {
    let dir = tempfile::tempdir().unwrap();
    let whole = recorded(&dir.path().join("whole"));
    let cut = dir.path().join("cut");
    let mut recording = Recording::create(&cut, meta()).unwrap();
    record(&mut recording);
    drop(recording);
    let journal = fs::read(cut.join("runs.journal")).unwrap();
    for length in (0..journal.len()).step_by(5) {
        fs::write(cut.join("runs.journal"), &journal[..length]).unwrap();
        let part = open(&cut).unwrap();
        assert!(part.observations.len() <= 3);
        for (got, wanted) in part.observations.iter().zip(&whole.observations) {
            assert_eq!(got, wanted);
        }
        let resumed = Recording::resume(&cut).unwrap();
        assert_eq!(
            resumed.finished("one").is_some(),
            !part.observations.is_empty()
        );
    }
    let mut again = Recording::resume(&cut).unwrap();
    record(&mut again);
    let again = again.finish().unwrap();
    assert_eq!(again.digest(), whole.digest());
    assert_eq!(again.features, whole.features);
}

#[test]
fn parts_found_later_survive() {
    let dir = tempfile::tempdir().unwrap();
    let mut recording = Recording::create(dir.path(), meta()).unwrap();
    for (label, opcode) in [("one", "opcode a"), ("two", "opcode b")] {
        let builder = recording.builder();
        let block = builder.intern(feature("block", FeatureKind::Block));
        let part = builder.intern(feature(opcode, FeatureKind::Opcode));
        builder.compose(block, part, 1.0);
        let row = Row {
            observation: observation(label, &[1.0]),
            counts: vec![(block, 1.0)],
            ..Row::default()
        };
        recording.append(row).unwrap();
    }
    drop(recording);
    assert_eq!(open(dir.path()).unwrap().parts.len(), 2);
}

#[test]
fn a_finished_dataset_can_be_added_to() {
    let dir = tempfile::tempdir().unwrap();
    recorded(dir.path());
    let mut more = Recording::resume(dir.path()).unwrap();
    assert!(more.finished("two").is_some());
    more.append(Row {
        observation: observation("four", &[1.0]),
        ..Row::default()
    })
    .unwrap();
    drop(more);
    let open_now = open(dir.path()).unwrap();
    assert_eq!(open_now.observations.len(), 4);
    assert_eq!(open_now.meta.subject, meta().subject);
    assert!(matches!(
        Recording::create(dir.path(), meta()),
        Err(DatasetError::NotADataset { .. })
    ));
}

#[test]
fn a_save_cut_short_leaves_the_old_or_the_new_dataset() {
    let dir = tempfile::tempdir().unwrap();
    let old = recorded(dir.path());
    let mut new = old.clone();
    new.observations.truncate(1);
    for column in &mut new.columns {
        column.retain(|cell| cell.0.0 == 0);
    }
    let staging = tempfile::tempdir().unwrap();
    save(&new, staging.path()).unwrap();
    let next = dir.path().join(".next");
    fs::create_dir(&next).unwrap();
    let files = [
        "runs.parquet",
        "counts.parquet",
        "features.parquet",
        "parts.parquet",
        "meta.json",
    ];
    for file in files {
        fs::copy(staging.path().join(file), next.join(file)).unwrap();
        assert_eq!(open(dir.path()).unwrap(), old, "before the commit");
    }
    fs::write(next.join("commit"), "").unwrap();
    for file in files {
        assert_eq!(open(dir.path()).unwrap(), new, "after the commit");
        fs::rename(next.join(file), dir.path().join(file)).unwrap();
    }
    assert_eq!(open(dir.path()).unwrap(), new);
    save(&old, dir.path()).unwrap();
    assert_eq!(open(dir.path()).unwrap(), old);
    assert!(!next.exists());
}

#[test]
fn not_a_dataset() {
    let dir = tempfile::tempdir().unwrap();
    let error = open(&dir.path().join("none")).unwrap_err().to_string();
    assert!(error.contains("no such file or directory"), "{error}");
    let error = open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("neither meta.json"), "{error}");
    recorded(dir.path());
    fs::write(dir.path().join("counts.parquet"), b"PAR1 nonsense PAR1").unwrap();
    let error = open(dir.path()).unwrap_err().to_string();
    assert!(
        error.contains("counts.parquet is not what was written"),
        "{error}"
    );
    fs::write(dir.path().join("meta.json"), "{\"schema\": 99}").unwrap();
    let error = open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("schema 99"), "{error}");
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut recording = Recording::create(dir.path(), meta()).unwrap();
    let error = recording.append(Row {
        observation: observation("bad", &[f64::NAN]),
        ..Row::default()
    });
    assert!(matches!(error, Err(DatasetError::Inconsistent(_))));
}

type NamedBytes = (&'static str, Vec<u8>);

/// The files of a finished dataset, and the journal of an unfinished one.
static FILES: LazyLock<[Vec<NamedBytes>; 2]> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let (whole, cut) = (dir.path().join("whole"), dir.path().join("cut"));
    recorded(&whole);
    record(&mut Recording::create(&cut, meta()).unwrap());
    let tables = [
        "runs.parquet",
        "counts.parquet",
        "features.parquet",
        "parts.parquet",
        "meta.json",
    ];
    let read = |dir: &Path, name| (name, fs::read(dir.join(name)).unwrap());
    [
        tables.into_iter().map(|name| read(&whole, name)).collect(),
        vec![read(&cut, "runs.journal")],
    ]
});

proptest! {
    /// Whatever happens to a file of a dataset, opening it is an error or yields a dataset that holds together.
    #[test]
    fn damaged_datasets(
        which in 0usize..6,
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), 0u8..8), 1..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let files = &FILES[which / 5];
        for (index, (name, bytes)) in files.iter().enumerate() {
            let mut bytes = bytes.clone();
            if index == which % 5 {
                for (at, bit) in &flips {
                    let at = at.index(bytes.len());
                    bytes[at] ^= 1 << bit;
                }
            }
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        if let Ok(dataset) = open(dir.path()) {
            dataset.validate().unwrap();
        }
    }
}

/// Rows of arbitrary texts and numbers over a few features.
fn any_rows() -> impl Strategy<Value = Vec<(Observation, Vec<(u8, f64)>)>> {
    let number = -1e300f64..1e300;
    let input = prop_oneof![
        number.clone().prop_map(InputValue::Number),
        ".{0,5}".prop_map(InputValue::Text),
    ];
    let inputs = proptest::collection::btree_map("[a-z.]{1,3}", input, 0..4);
    let repeats = proptest::collection::vec(number.clone(), 0..4).prop_map(Measured::new);
    let costs = proptest::collection::btree_map("[a-z.]{1,3}", repeats, 0..3);
    let counts = proptest::collection::vec((0u8..6, number), 0..8);
    let row = (".{0,8}", ".{0,4}", inputs, costs, counts);
    let row = row.prop_map(|(label, group, inputs, costs, counts)| {
        let observation = Observation {
            label,
            group,
            inputs,
            costs,
            caveats: vec!["a \"caveat\"\n".to_owned()],
            ..Observation::default()
        };
        (observation, counts)
    });
    proptest::collection::vec(row, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Tables and journal both give back exactly what was recorded.
    #[test]
    fn any_dataset_survives(rows in any_rows()) {
        let dir = tempfile::tempdir().unwrap();
        let mut recording = Recording::create(dir.path(), meta()).unwrap();
        for (observation, counts) in rows {
            let counts = counts.into_iter().map(|(index, value)| {
                let name = format!("f{index}");
                (recording.builder().intern(feature(&name, FeatureKind::Block)), value)
            });
            let counts = counts.collect();
            recording
                .append(Row {
                    observation,
                    counts,
                    differing: vec![],
                })
                .unwrap();
        }
        let journalled = open(dir.path()).unwrap();
        let finished = recording.finish().unwrap();
        prop_assert_eq!(&journalled, &finished);
        prop_assert_eq!(&open(dir.path()).unwrap(), &finished);
    }
}

#[test]
fn inputs_called_like_columns_of_every_table_can_be_exported() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("data");
    let mut recording = Recording::create(&place, meta()).unwrap();
    let row = |label: &str, status: f64| Observation {
        inputs: BTreeMap::from([
            ("label".to_owned(), InputValue::Text("x".to_owned())),
            ("status".to_owned(), InputValue::Number(status)),
            ("wall".to_owned(), InputValue::Number(status + 1.0)),
        ]),
        ..observation(label, &[5.0])
    };
    for (label, status) in [("a", 7.0), ("b", 8.0)] {
        let row = Row {
            observation: row(label, status),
            ..Row::default()
        };
        recording.append(row).unwrap();
    }
    recording.finish().unwrap();
    let table = dir.path().join("table.csv");
    export_csv(&open(&place).unwrap(), &table).unwrap();
    assert_eq!(
        fs::read_to_string(&table).unwrap(),
        "label,group,status,wall,input label,input status,input wall\n\
         a,a,ok,5,x,7,8\nb,b,ok,5,x,8,9\n"
    );
}

#[test]
fn inputs_called_alike_stay_apart_whatever_was_measured() {
    let names = [
        "label",
        "input label",
        "input input label",
        "cpu",
        "input size",
        "n",
    ];
    let built = |costs: &[&str]| {
        let mut builder = DatasetBuilder::new(Meta::default());
        let inputs = names.iter().zip(1_u8..);
        let measured = costs
            .iter()
            .map(|c| ((*c).to_owned(), Measured::new(vec![5.0])));
        builder.row(Row {
            observation: Observation {
                label: "a".to_owned(),
                inputs: inputs
                    .map(|(name, n)| ((*name).to_owned(), InputValue::Number(f64::from(n))))
                    .collect(),
                costs: measured.collect(),
                ..Observation::default()
            },
            ..Row::default()
        });
        builder.finish()
    };
    let (with, without) = (built(&["wall", "cpu"]), built(&[]));
    let cells = |dataset: &Dataset| -> BTreeMap<String, f64> {
        let names = dataset.features.iter().map(|f| f.name.clone());
        names
            .map(|name| (name.clone(), dataset.column(&name).unwrap()[0].1))
            .collect()
    };
    let expected = [
        ("input cpu", 4.0),
        ("input input input label", 3.0),
        ("input input label", 2.0),
        ("input label", 1.0),
        ("input size", 5.0),
        ("n", 6.0),
    ];
    let expected: BTreeMap<String, f64> = expected.map(|(n, v)| (n.to_owned(), v)).into();
    assert_eq!(cells(&with), expected);
    assert_eq!(cells(&without), expected);
    // Built upon, the columns stay what they are.
    let again = DatasetBuilder::from_dataset(with.clone()).finish();
    assert_eq!(cells(&again), expected);
}

/// A method of the program that calls the JDK, seen in one run over two rows.
fn profile() -> Profile {
    let method = |class: &str, own| Method {
        class: class.into(),
        name: "f".into(),
        descriptor: "(I)V".into(),
        own,
    };
    let node = |parent: Option<u32>, method, at| Node {
        parent: parent.map(NodeId),
        method: MethodId(method),
        at,
    };
    Profile {
        methods: vec![method("a/A", true), method("java/util/List", false)],
        nodes: vec![node(None, 0, Some(7)), node(Some(0), 1, None)],
        runs: vec![ProfiledRun {
            rows: vec!["a".into(), "c".into()],
            samples: State::NAMES
                .iter()
                .zip([0, 1, 0, 1])
                .map(|((_, state), node)| Sample {
                    node: NodeId(node),
                    state: *state,
                    samples: 3,
                    cpu_ns: 1_500_000,
                })
                .collect(),
            allocated: vec![Allocated {
                node: NodeId(1),
                samples: 2,
                bytes: 1 << 40,
            }],
            beside: Role::NAMES
                .iter()
                .map(|(_, role)| Beside {
                    role: *role,
                    cpu_ns: 17,
                })
                .collect(),
            compiled: vec![Compiled {
                method: MethodId(0),
                compiler: Role::C2,
                cpu_ns: 9,
            }],
            cpu_ns: 6_000_136,
            wall_ns: 7_000_000,
        }],
        notes: vec!["a stack could not be walked".into()],
    }
}

#[test]
fn a_profile_comes_back_and_its_loss_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut dataset = recorded(dir.path());
    let without = dataset.digest();
    let mut profile = profile();
    profile.runs[0].rows = dataset
        .observations
        .iter()
        .map(|o| o.label.clone())
        .collect();
    dataset.profile = Some(profile);
    save(&dataset, dir.path()).unwrap();
    assert_eq!(open(dir.path()).unwrap(), dataset);
    assert_ne!(dataset.digest(), without);
    let other = {
        let mut other = dataset.clone();
        other.profile.as_mut().unwrap().runs[0].samples[0].cpu_ns += 1;
        other.digest()
    };
    assert_ne!(dataset.digest(), other);
    for file in ["samples.parquet", "stacks.parquet", "stack-methods.parquet"] {
        let path = dir.path().join(file);
        let kept = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(open(dir.path()).is_err(), "without {file}");
        fs::write(&path, &kept[..kept.len() / 2]).unwrap();
        assert!(open(dir.path()).is_err(), "with half of {file}");
        fs::write(&path, kept).unwrap();
    }
    // Saved again without a profile, nothing of it stays.
    dataset.profile = None;
    save(&dataset, dir.path()).unwrap();
    assert_eq!(open(dir.path()).unwrap(), dataset);
    assert!(!dir.path().join("samples.parquet").exists());
}
