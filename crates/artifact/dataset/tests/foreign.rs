//! Parquet files that pyarrow wrote (`data/make.py`), whole and damaged, and arbitrary CSV bytes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pricetag_dataset::table::{Values, read};
use pricetag_dataset::{DatasetError, ImportOptions, import};
use proptest::prelude::*;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn target() -> ImportOptions {
    ImportOptions {
        target: "time".to_owned(),
        ..ImportOptions::default()
    }
}

#[test]
fn every_flat_type_is_read() {
    for name in ["none", "snappy", "zstd", "gzip", "lz4", "v2"] {
        let table = read(&data(&format!("{name}.parquet"))).unwrap();
        let numbers = |column: &str| -> Vec<f64> {
            let cells = table.column(column).unwrap().numbers().unwrap();
            cells.into_iter().map(|c| c.unwrap_or(-999.0)).collect()
        };
        assert_eq!(numbers("time"), [1.5, 2.5, -999.0, 4.5, 5.5], "{name}");
        assert_eq!(numbers("i8"), [1.0, -2.0, 3.0, -4.0, 5.0]);
        assert_eq!(numbers("u32"), [1.0, 2.0, 3.0, 4.0, 4_294_967_295.0]);
        assert_eq!(numbers("u64"), [1.0, 2.0, 3.0, 4.0, 2f64.powi(64)]);
        assert_eq!(numbers("f32"), [0.5, 1.5, 2.5, 3.5, 4.5]);
        assert_eq!(numbers("f16"), [0.5, -1.5, 2.5, 0.0, 65504.0]);
        assert_eq!(numbers("flag"), [1.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(numbers("dec"), [1.25, -2.5, 3.75, 0.0, 99_999_999.99]);
        let texts = |column: &str| match table.column(column) {
            Some(Values::Texts(cells)) => cells
                .iter()
                .map(|c| c.clone().unwrap_or_else(|| "-".into()))
                .collect::<String>(),
            other => panic!("{other:?}"),
        };
        assert_eq!(texts("text"), "ab-ac");
        assert_eq!(texts("dict"), "xyxyx");
    }
}

#[test]
fn unreadable_compression_is_named() {
    let error = read(&data("brotli.parquet")).unwrap_err().to_string();
    assert!(error.to_lowercase().contains("brotli"), "{error}");
}

#[test]
fn columns_that_are_no_numbers_are_refused_or_ignored() {
    let odd = data("odd.parquet");
    let error = import(&odd, &target()).unwrap_err().to_string();
    assert!(error.contains("column `day`: holds dates"), "{error}");
    let table = read(&odd).unwrap();
    let Some(Values::Lists(lists)) = table.column("list") else {
        panic!("no lists")
    };
    assert_eq!(
        lists[..4],
        [Some(vec![1.0]), Some(vec![]), None, Some(vec![2.0, 3.0])]
    );
    assert!(lists[4].as_ref().unwrap()[0].is_nan());
    let options = ImportOptions {
        ignore: BTreeSet::from(["day".to_owned(), "list".to_owned()]),
        ..target()
    };
    let dataset = import(&odd, &options).unwrap();
    assert!(dataset.feature_id("pair.x").is_some());
    assert_eq!(dataset.usable_rows("time").unwrap().len(), 4);
}

#[test]
fn no_rows() {
    let error = import(&data("empty.parquet"), &target()).unwrap_err();
    assert!(matches!(error, DatasetError::Empty { .. }), "{error}");
}

fn import_bytes(name: &str, bytes: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    // Whatever comes is an error or a dataset that holds together.
    if let Ok(dataset) = import(&path, &target()) {
        dataset.validate().unwrap();
    }
}

proptest! {
    #[test]
    fn any_bytes_as_csv(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        import_bytes("t.csv", &bytes);
        let mut with_header = b"time,a\n".to_vec();
        with_header.extend(bytes);
        import_bytes("t.csv", &with_header);
    }

    #[test]
    fn csv_like_bytes(text in "[time,;\"\n\r\t0-9.eNaAinf-]{0,80}") {
        import_bytes("t.csv", format!("time,a\n{text}").as_bytes());
    }

    #[test]
    fn any_bytes_as_parquet(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        import_bytes("t.parquet", &bytes);
        let mut framed = b"PAR1".to_vec();
        framed.extend(bytes);
        framed.extend(b"\x10\0\0\0PAR1");
        import_bytes("t.parquet", &framed);
    }

    #[test]
    fn truncated_parquet(cut in 0usize..5796) {
        let bytes = fs::read(data("none.parquet")).unwrap();
        import_bytes("t.parquet", &bytes[..cut.min(bytes.len())]);
    }

    #[test]
    fn bit_flips_in_parquet(
        which in 0usize..4,
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), 0u8..8), 1..4),
    ) {
        let name = ["none.parquet", "snappy.parquet", "v2.parquet", "odd.parquet"][which];
        let mut bytes = fs::read(data(name)).unwrap();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        import_bytes("t.parquet", &bytes);
    }
}
