//! Foreign tables: what is taken, and how what is not taken is named.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use pricetag_dataset::table::{Table, Values, write};
use pricetag_dataset::{
    Dataset, DatasetError, FeatureKind, ImportOptions, InputValue, Measured, Status, export_csv,
    export_lata_csv, export_parquet, import,
};

struct Place {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

fn file(name: &str, bytes: &[u8]) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    Place { _dir: dir, path }
}

fn target(name: &str) -> ImportOptions {
    ImportOptions {
        target: name.to_owned(),
        ..ImportOptions::default()
    }
}

fn csv(text: &str) -> Result<Dataset, DatasetError> {
    import(&file("t.csv", text.as_bytes()).path, &target("time"))
}

fn refusal(text: &str) -> String {
    csv(text).expect_err("a refusal").to_string()
}

#[test]
fn numbers_become_features_and_texts_categories() {
    let options = ImportOptions {
        inputs: BTreeSet::from(["n".to_owned()]),
        group: Some("g".to_owned()),
        label: Some("id".to_owned()),
        unit: Some("ns".to_owned()),
        ..target("time")
    };
    let text = "\u{feff}id,time,n,calls,lang,g\r\na,5,1,0,\"C, or so\",x\r\nb,7,2,3,java,x\r\n";
    let dataset = import(&file("t.csv", text.as_bytes()).path, &options).unwrap();
    let names: Vec<_> = dataset
        .features
        .iter()
        .map(|f| (f.name.as_str(), f.kind))
        .collect();
    assert_eq!(
        names,
        [("n", FeatureKind::Input), ("calls", FeatureKind::Foreign)]
    );
    assert_eq!(dataset.observations[0].label, "a");
    assert_eq!(dataset.observations[1].group, "x");
    assert_eq!(
        dataset.observations[0].inputs["lang"],
        InputValue::Text("C, or so".to_owned())
    );
    assert_eq!(dataset.observations[1].costs["time"], Measured::new([7.0]));
    assert_eq!(dataset.meta.cost_units["time"], "ns");
    assert_eq!(
        dataset.dense(dataset.feature_id("calls").unwrap()),
        [0.0, 3.0]
    );
}

#[test]
fn semicolons_and_tabs_are_found() {
    assert_eq!(csv("time;a\n1;2\n").unwrap().features.len(), 1);
    assert_eq!(csv("time\ta\n1\t2\n").unwrap().features.len(), 1);
}

#[test]
fn a_missing_target_is_a_failed_observation() {
    let dataset = csv("time,a\n1,2\nNA,3\n").unwrap();
    assert_eq!(dataset.observations[1].status, Status::Failed);
    assert_eq!(
        dataset.observations[1].reason.as_deref(),
        Some("`time` is missing (line 3)")
    );
    assert_eq!(dataset.usable_rows("time").unwrap().len(), 1);
}

#[test]
fn a_strangers_column_is_no_value_whatever_it_is_called() {
    for name in ["water depth", "sales (m) depth", "cost per entry of loop 3"] {
        let dataset = csv(&format!("time,{name}\n1,2\n2,\n3,3\n")).unwrap();
        assert_eq!(dataset.features[0].kind, FeatureKind::Foreign);
        assert_eq!(dataset.observations[1].status, Status::Failed);
        let note = &dataset.meta.notes[0];
        assert!(
            note.starts_with(&format!("1 of 3 rows have no value of `{name}`")),
            "{note}"
        );
    }
    for name in [
        "C.m(int) depth",
        "a.B.m() loop 1 at block 3 per entry of loop 0",
        "x#2",
    ] {
        let dataset = csv(&format!("time,{name}\n1,2\n2,\n3,3\n")).unwrap();
        assert_eq!(dataset.features[0].kind, FeatureKind::Value);
    }
}

#[test]
fn an_empty_cell_of_a_value_is_no_value_and_not_zero() {
    let dataset = csv("time,n,C.x#1,C.x#2\n1,2,0,\n2,3,5,0\n3,4,6,\n").unwrap();
    let kind = |name| dataset.feature(dataset.feature_id(name).unwrap()).kind;
    assert_eq!(kind("C.x#1"), FeatureKind::Foreign);
    assert_eq!(kind("C.x#2"), FeatureKind::Value);
    let cells = |name| dataset.cells(dataset.feature_id(name).unwrap());
    assert_eq!(cells("C.x#2"), [None, Some(0.0), None]);
    assert_eq!(cells("C.x#1"), [Some(0.0), Some(5.0), Some(6.0)]);
    assert_eq!(dataset.meta.notes.len(), 1);
    assert!(dataset.meta.notes[0].starts_with("`C.x#2` is empty in 2 of 3 rows"));
}

#[test]
fn refusals_name_the_place() {
    for (text, parts) in [
        ("", ["t.csv", "empty"]),
        ("time,a\n", ["t.csv", "no rows"]),
        ("a,b\n1,2\n", ["no column `time`", "columns are: a, b"]),
        ("time,a,a\n1,2,3\n", ["columns 2 and 3", "`a`"]),
        (
            "time,a\n1,2\n1,2,3\n",
            ["line 3", "3 fields where the header has 2"],
        ),
        ("time,a\n1,2\n\"1\n\",2\n1\n", ["line 5", "1 fields"]),
        (
            "time,a\r\n1,2\r\n3,4\r\n5,x\r\n6,7\r\n",
            ["line 4, column `a`", "`x`"],
        ),
        (
            "time,a\n1,2\n2,3\n3,x7\n",
            ["line 4, column `a`", "`x7` is not a number"],
        ),
        (
            "time,a,k\n1,2,x\n2,3,\"y\n3,4,z\n",
            ["line 3", "a quote is opened here and never closed"],
        ),
        (
            "time,a\n1,2\n2,NaN\n3,3\n",
            ["line 3, column `a`", "not a finite number"],
        ),
        (
            "time,a\n1,2\n2,-inf\n3,NaN\n4,NA\n5,inf\n6,-Infinity\n",
            [
                "line 3, column `a`: `-inf` is not a finite number",
                "the column has 1 not a number, 1 infinite, 2 negative infinite, 1 missing of 6 values",
            ],
        ),
        (
            "time,a\n1,2\ninf,1\n3,3\n",
            ["line 3, column `time`", "not a finite number"],
        ),
        (
            "time,a\n1,2\n2,1e999\n",
            ["line 3, column `a`", "not a finite number"],
        ),
        (
            "time;a\n1;2\n2;3\n3;4,5\n",
            ["line 4, column `a`", "decimal point"],
        ),
        (
            "time,a\nfast,2\nslow,3\n",
            ["column `time`", "a cost must be one"],
        ),
        ("time,,a\n1,2,3\n", ["line 1", "column 2 has no name"]),
    ] {
        let error = refusal(text);
        for part in parts {
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}

#[test]
fn text_that_is_not_utf8_is_named() {
    let place = file("t.csv", b"time,a\n1,\xff\n");
    let error = import(&place.path, &target("time"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 2") && error.contains("not UTF-8"),
        "{error}"
    );
    let place = file("t.csv", b"\xff\xfet\0");
    let error = import(&place.path, &target("time"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("UTF-16"), "{error}");
}

#[test]
fn a_parquet_file_that_is_not() {
    let place = file("t.parquet", b"time,a\n1,2\n");
    let error = import(&place.path, &target("time")).unwrap_err();
    assert!(matches!(error, DatasetError::NotParquet { .. }), "{error}");
}

fn small_table() -> Table {
    let mut table = Table::default();
    table.push("time", Values::Reals(vec![Some(1.5e6), None, Some(3e6)]));
    table.push("a", Values::Integers(vec![Some(1), Some(2), Some(0)]));
    table.push(
        "k",
        Values::Texts(vec![Some("x".into()), None, Some("y".into())]),
    );
    table
}

#[test]
fn parquet_in() {
    let place = file("t.parquet", b"");
    write(&place.path, &small_table()).unwrap();
    let dataset = import(&place.path, &target("time")).unwrap();
    assert_eq!(dataset.observations[1].status, Status::Failed);
    assert_eq!(
        dataset.dense(dataset.feature_id("a").unwrap()),
        [1.0, 2.0, 0.0]
    );
    assert!(!dataset.observations[1].inputs.contains_key("k"));
}

#[test]
fn exports_come_back() {
    let place = file("t.parquet", b"");
    write(&place.path, &small_table()).unwrap();
    let dataset = import(&place.path, &target("time")).unwrap();
    let again = ImportOptions {
        label: Some("label".to_owned()),
        group: Some("group".to_owned()),
        ignore: BTreeSet::from(["status".to_owned()]),
        ..target("time")
    };
    for (name, export) in [
        ("o.csv", export_csv as fn(&Dataset, &std::path::Path) -> _),
        ("o.parquet", export_parquet),
    ] {
        let out = place.path.with_file_name(name);
        export(&dataset, &out).unwrap();
        let back = import(&out, &again).unwrap();
        assert_eq!(back.columns, dataset.columns);
        assert_eq!(back.features, dataset.features);
        for (a, b) in back.observations.iter().zip(&dataset.observations) {
            assert_eq!(
                (&a.costs, &a.inputs, a.status),
                (&b.costs, &b.inputs, b.status)
            );
        }
    }
}

#[test]
fn an_exported_recording_comes_back_by_its_target_alone() {
    let text = "label,group,status,cpu,main_wall,wall,n,C.m() block 0\n\
        a,a,failed,,,,1,0\nb,b,warm-up,3,9,9,2,4\nc,g,ok,3,,5,3,5\nd,g,ok,2,4,4,4,6\n";
    let place = file("t.csv", text.as_bytes());
    let dataset = import(&place.path, &target("wall")).unwrap();
    let names: Vec<&str> = dataset.features.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["n", "C.m() block 0"]);
    let rows = &dataset.observations;
    let states: Vec<_> = rows
        .iter()
        .map(|row| (row.label.as_str(), row.group.as_str(), row.status))
        .collect();
    assert_eq!(
        states,
        [
            ("a", "a", Status::Failed),
            ("b", "b", Status::WarmUp),
            ("c", "g", Status::Ok),
            ("d", "g", Status::Ok)
        ]
    );
    assert_eq!(dataset.usable_rows("wall").unwrap().len(), 2);
    assert_eq!(rows[3].costs["cpu"], Measured::new(vec![2.0]));
    assert!(!rows[2].costs.contains_key("main_wall"));
    // Statuses of somebody else's make a category.
    let theirs = text.replace("warm-up", "pending");
    let refused = import(&file("t.csv", theirs.as_bytes()).path, &target("wall"));
    let theirs = refused.unwrap();
    assert!(theirs.feature_id("cpu").is_some() && theirs.observations[1].label == "row 2");
}

#[test]
fn numbers_in_other_notations_are_refused_and_texts_are_noted() {
    for cell in ["1,5", "1.234,5", "12 000", "-3,25"] {
        let text = refusal(&format!("time;a;b\n1;{cell};2\n2;{cell};3\n"));
        assert!(
            text.contains(cell) && text.contains("decimal point"),
            "{text}"
        );
    }
    let dataset = csv("time;a;version\n1;x,5;1.2.3\n2;y;17.0.150\n").unwrap();
    assert!(dataset.features.is_empty());
    assert_eq!(
        dataset.meta.notes,
        ["a", "version"].map(|name| format!(
            "`{name}` is text that has 2 different values in 2 rows and is left out: it tells rows apart, it is no category"
        ))
    );
}

#[test]
fn latas_matrix_has_exec_time_first_and_in_ms() {
    let place = file("t.parquet", b"");
    write(&place.path, &small_table()).unwrap();
    let options = ImportOptions {
        unit: Some("ns".to_owned()),
        ..target("time")
    };
    let dataset = import(&place.path, &options).unwrap();
    let out = place.path.with_file_name("lata.csv");
    export_lata_csv(&dataset, "time", FeatureKind::Foreign, &out).unwrap();
    assert_eq!(fs::read_to_string(out).unwrap(), "ExecTime,a\n1.5,1\n3,0\n");
}

#[test]
fn the_text_among_numbers_of_a_cost_is_named_and_not_the_first_number() {
    let text = refusal("a,time\n1,3\n2,abc\n");
    assert!(text.contains("line 3") && text.contains("`abc`"), "{text}");
}

#[test]
fn an_export_to_a_device_does_not_replace_it_and_a_full_disk_leaves_nothing() {
    let dataset = csv("a,time\n1,3\n2,4\n").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let link = |name: &str, device: &str| {
        let path = dir.path().join(name);
        std::os::unix::fs::symlink(device, &path).unwrap();
        path
    };
    let sink = link("sink", "/dev/null");
    export_csv(&dataset, &sink).unwrap();
    export_parquet(&dataset, &sink).unwrap();
    assert!(sink.symlink_metadata().unwrap().is_symlink());
    let full = link("full", "/dev/full");
    assert!(export_csv(&dataset, &full).unwrap_err().is_storage_full());
    assert!(
        export_parquet(&dataset, &full)
            .unwrap_err()
            .is_storage_full()
    );
    // What somebody has laid in the way beside the target is not followed.
    let victim = dir.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    link("out.csv.part", victim.to_str().unwrap());
    export_csv(&dataset, &dir.path().join("out.csv")).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

#[test]
fn latas_matrix_has_the_columns_of_a_foreign_table_or_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("lata.csv");
    let dataset = csv("a,time\n1,3\n2,4\n").unwrap();
    export_lata_csv(&dataset, "time", FeatureKind::Block, &out).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), "ExecTime,a\n3,1\n4,2\n");
    let bare = csv("c,time\nx,3\ny,4\n").unwrap();
    assert!(export_lata_csv(&bare, "time", FeatureKind::Block, &out).is_err());
}
