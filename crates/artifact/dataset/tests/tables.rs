//! Tables as other tools write them: every format through one reader, categories, booleans, holes.

use std::io::Write as _;

use pricetag_dataset::table::{Table, Values, write};
use pricetag_dataset::{
    Dataset, DatasetError, FeatureKind, ImportOptions, InputValue, Missing, Status, import,
};

/// A file of that name, imported.
fn read(name: &str, bytes: &[u8], missing: Option<Missing>) -> Result<Dataset, DatasetError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let options = ImportOptions {
        target: "y".to_owned(),
        missing,
        ..ImportOptions::default()
    };
    import(&path, &options)
}

fn csv(text: &str, missing: Option<Missing>) -> Dataset {
    read("t.csv", text.as_bytes(), missing).unwrap()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

/// Names with dense columns.
fn columns(dataset: &Dataset) -> Vec<(&str, Vec<f64>)> {
    let named = dataset.features.iter().map(|f| {
        let id = dataset.feature_id(&f.name).unwrap();
        (f.name.as_str(), dataset.dense(id))
    });
    named.collect()
}

#[test]
fn every_format_gives_the_same_dataset() {
    let plain = "a,b,y\n4,1,42\n0.5,0,7\n-3,2,9\n";
    let expected = csv(plain, None);
    assert_eq!(
        columns(&expected),
        [("a", vec![4.0, 0.5, -3.0]), ("b", vec![1.0, 0.0, 2.0])]
    );
    let arff = "% of Weka\n@RELATION 't t'\n@attribute a NUMERIC\n@Attribute 'b' {1, 0, 2}\n@attribute \"y\" real\n\n@data\n4,1,42\n0.5, 0, 7\n% aside\n-3,2,'9'\n";
    let gnuplot = "# measured on Monday\n#a,b,y\n4,1,42\n0.5,0,7\n-3,2,9\n";
    let mut parquet = Table::default();
    parquet.push("a", Values::Reals(vec![Some(4.0), Some(0.5), Some(-3.0)]));
    parquet.push("b", Values::Integers(vec![Some(1), Some(0), Some(2)]));
    parquet.push("y", Values::Integers(vec![Some(42), Some(7), Some(9)]));
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("t"), &parquet).unwrap();
    let parquet = std::fs::read(dir.path().join("t")).unwrap();
    for (name, bytes) in [
        ("t.csv", plain.replace(',', ";").into_bytes()),
        (
            "t.tsv",
            format!("\u{feff}{}", plain.replace(',', "\t")).into_bytes(),
        ),
        ("t.csv", plain.replace('\n', "\r\n").into_bytes()),
        ("t.csv", plain.replace('\n', "\r").into_bytes()),
        ("t.csv.gz", gzip(plain)),
        ("t", gzip(&plain.replace(',', ";"))),
        ("t.csv", plain.replace("a,b", "\"a\",\"b\"").into_bytes()),
        (
            "t.csv",
            format!("# a; remark\n\n{plain}# an \"end\n").into_bytes(),
        ),
        ("t.dat", gnuplot.as_bytes().to_vec()),
        ("t.arff", arff.as_bytes().to_vec()),
        ("t", arff.as_bytes().to_vec()),
        ("t.arff.gz", gzip(arff)),
        ("t.bin", parquet),
    ] {
        let found = read(name, &bytes, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(columns(&found), columns(&expected), "{name}: {text}");
        for (a, b) in found.observations.iter().zip(&expected.observations) {
            assert_eq!(a.costs, b.costs, "{name}");
        }
    }
}

#[test]
fn comments_are_counted_and_rows_that_look_like_them_stay() {
    let dataset = csv("# by hand\nid,a,y\n#1,5,2\n#2,6,3\n# end\n", None);
    assert_eq!(dataset.observations.len(), 2);
    let notes = &dataset.meta.notes;
    assert!(
        notes
            .iter()
            .any(|n| n == "2 lines begin with # and are passed over as comments"),
        "{notes:?}"
    );
}

#[test]
fn what_is_broken_is_refused_with_its_line() {
    let sparse = "@relation r\n@attribute y real\n@data\n{0 1}\n";
    let open = "@relation r\n@attribute y real\n@data\n1\n'2\n";
    let half = gzip("a,y\n1,2\n3,4\n");
    for (name, bytes, parts) in [
        ("t.arff", sparse.as_bytes(), ["line 4", "sparse"]),
        ("t.arff", open.as_bytes(), ["line 5", "quote"]),
        ("t.arff", b"@relation r\nhello\n", ["line 2", "@attribute"]),
        (
            "t.arff",
            b"@attribute y real\n@data\n1,2\n",
            ["line 3", "2 fields"],
        ),
        (
            "t.csv.gz",
            &half[..half.len() - 9],
            ["gzip", "damaged or cut short"],
        ),
        ("t.csv", b"a;y\n1;2\n\"3;4\n", ["line 3", "never closed"]),
        (
            "t.csv",
            b"a,y\n\"1\"\"\",2\n3,\"4\n5,6\n",
            ["line 3", "never closed"],
        ),
    ] {
        let error = read(name, bytes, None).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
    // A quote within a field opens nothing.
    assert_eq!(
        csv("a,y\n5\" disk,2\n3\" disk,4\n", None)
            .observations
            .len(),
        2
    );
}

#[test]
fn booleans_are_zero_and_one_and_texts_have_a_column_for_each_level() {
    let text = "n,cache,algo,id,y\n1,True,quick,u1,5\n2,FALSE,heap,u2,6\n3,true,quick,u3,7\n4,False,heap,u4,8\n5,true,merge,u5,9\n6,true,merge,u6,9\n";
    let dataset = csv(text, None);
    assert_eq!(
        columns(&dataset),
        [
            ("n", vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            ("cache", vec![1.0, 0.0, 1.0, 0.0, 1.0, 1.0]),
            ("algo=heap", vec![0.0, 1.0, 0.0, 1.0, 0.0, 0.0]),
            ("algo=merge", vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0]),
            ("algo=quick", vec![1.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ]
    );
    assert!(
        dataset
            .features
            .iter()
            .all(|f| f.kind == FeatureKind::Foreign)
    );
    assert_eq!(
        dataset.meta.notes,
        [
            "`algo` is text: a category of 3 levels (heap, merge, quick)",
            "`id` is text that has 6 different values in 6 rows and is left out: it tells rows apart, it is no category",
        ]
    );
    assert_eq!(
        dataset.observations[2].inputs["id"],
        InputValue::Text("u3".to_owned())
    );
}

/// Twenty rows of `a` and `b`; some have holes.
fn holed(holes_of_a: usize, choice: Option<Missing>) -> Dataset {
    let row = |i: usize| {
        let a = if i < holes_of_a {
            "NA".to_owned()
        } else {
            i.to_string()
        };
        format!("{a},{},{}\n", 2 * i, 10 + i)
    };
    let text: String = (0..20).map(row).collect();
    csv(&format!("a,b,y\n{text}"), choice)
}

#[test]
fn few_rows_with_holes_are_left_out_else_the_columns_are() {
    let failed = |d: &Dataset| {
        d.observations
            .iter()
            .filter(|o| o.status == Status::Failed)
            .count()
    };
    let two = holed(2, None);
    assert_eq!((failed(&two), two.features.len()), (2, 2));
    assert_eq!(
        two.observations[1].reason.as_deref(),
        Some("`a` is missing (line 3)")
    );
    assert!(
        two.meta.notes[0]
            .starts_with("2 of 20 rows have no value of `a` and are left out (--missing rows)")
    );
    let three = holed(3, None);
    assert_eq!((failed(&three), three.features.len()), (0, 1));
    assert!(
        three.meta.notes[0]
            .starts_with("1 of 2 columns are left out, as 3 of 20 rows have no value of `a`")
    );
    let asked = holed(3, Some(Missing::Rows));
    assert_eq!((failed(&asked), asked.features.len()), (3, 2));
    let asked = holed(1, Some(Missing::Columns));
    assert_eq!((failed(&asked), asked.features.len()), (0, 1));
    // A column without any value is no reason to drop rows.
    let empty = holed(20, None);
    assert_eq!((failed(&empty), empty.features.len()), (0, 1));
    assert!(empty.meta.notes[0].starts_with("`a` has no values"));
}

#[test]
fn a_hole_is_filled_with_the_median_and_told() {
    let filled = holed(3, Some(Missing::Impute));
    let found = columns(&filled);
    assert_eq!(
        found.iter().map(|c| c.0).collect::<Vec<_>>(),
        ["a", "a is missing", "b"]
    );
    // 3 … 19: the median is 11.
    assert_eq!(found[0].1[..4], [11.0, 11.0, 11.0, 3.0]);
    assert_eq!(found[1].1.iter().sum::<f64>(), 3.0);
    assert_eq!(filled.meta.options["imputed a"], "11");
    assert!(filled.observations.iter().all(|o| o.status == Status::Ok));
    // A row without a target is left out, whatever else it lacks.
    let dataset = csv(
        "a,k,y\n1,p,\n,p,2\n3,,3\n5,q,4\n5,q,6\n",
        Some(Missing::Impute),
    );
    let names: Vec<&str> = dataset.features.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["a", "a is missing", "k=p", "k=q", "k is missing"]);
    assert_eq!(dataset.meta.options["imputed a"], "5");
}

#[test]
fn rows_that_all_have_holes_are_refused_with_advice() {
    let error = read("t.csv", b"a,b,y\n1,,2\n,1,3\n", Some(Missing::Rows)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("every row lacks a value of `a` or `b`"),
        "{text}"
    );
    assert!(text.contains("--missing columns"), "{text}");
}
