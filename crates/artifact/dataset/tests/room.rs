//! Small files that announce large tables are refused before they take memory. Alone in its program: what is allowed holds for all of it.

use std::io::Write as _;
use std::path::Path;

use pricetag_dataset::table::{Column, Table, Values, allow, read, read_groups, write};
use pricetag_dataset::{DatasetError, ImportOptions, import};

fn table(values: Values) -> Table {
    Table {
        columns: vec![Column {
            name: "a".to_owned(),
            values,
        }],
    }
}

#[test]
fn tables_beyond_what_is_allowed_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.parquet");
    allow(1 << 20);
    let tables = [
        Values::Integers(vec![Some(7); 100_000]),
        Values::Texts(vec![Some("x".repeat(10_000)); 1000]),
        Values::Lists(vec![Some(vec![1.0; 50_000]); 2]),
        Values::Reals(vec![None; 100_000]),
    ];
    for values in tables {
        write(&path, &table(values)).unwrap();
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(size < 100_000, "a small file: {size}");
        let options = ImportOptions {
            target: "a".to_owned(),
            ..ImportOptions::default()
        };
        for error in [
            read(&path).unwrap_err(),
            read_groups(&path, |_| Ok(())).unwrap_err(),
            import(&path, &options).unwrap_err(),
        ] {
            assert!(matches!(error, DatasetError::TooLarge { .. }), "{error}");
            assert!(error.to_string().contains("may take 1 MiB"), "{error}");
        }
    }
    texts_beyond_what_is_allowed(dir.path());
    let small = table(Values::Integers(vec![Some(7); 10_000]));
    write(&path, &small).unwrap();
    assert_eq!(read(&path).unwrap(), small);
}

/// Rows of one number each, as CSV, as ARFF, and packed to less than a hundredth: what is refused is told by what it needs.
fn texts_beyond_what_is_allowed(dir: &Path) {
    let rows = "7\n".repeat(100_000);
    let csv = format!("a\n{rows}");
    let arff = format!("@relation r\n@attribute a numeric\n@data\n{rows}");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(csv.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    assert!(packed.len() < 2000, "{}", packed.len());
    for (name, bytes) in [
        ("t.csv", csv.as_bytes()),
        ("t.arff", arff.as_bytes()),
        ("t.csv.gz", packed.as_slice()),
    ] {
        let path = dir.join(name);
        std::fs::write(&path, bytes).unwrap();
        let options = ImportOptions {
            target: "a".to_owned(),
            ..ImportOptions::default()
        };
        let error = import(&path, &options).unwrap_err();
        assert!(matches!(error, DatasetError::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains("may take 1 MiB"), "{error}");
    }
    let small = dir.join("small.csv");
    std::fs::write(&small, format!("a,b\n{}", "7,1\n8,2\n".repeat(1000))).unwrap();
    let options = ImportOptions {
        target: "a".to_owned(),
        ..ImportOptions::default()
    };
    import(&small, &options).unwrap();
}
