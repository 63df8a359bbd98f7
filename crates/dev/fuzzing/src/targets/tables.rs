//! Tables and checkpoints: what strangers hand in.

use std::io::{Seek, SeekFrom, Write};

use pricetag_dataset::{ImportOptions, import};
use pricetag_evolve::{Checkpoint, Control};

use crate::seeds;

/// A text table is imported or refused with a place.
///
/// # Panics
/// If that does not hold.
pub fn csv(bytes: &[u8]) {
    imported(bytes, "y");
}

/// A Parquet file is imported or refused; panics of its decoder are caught by the importer.
///
/// # Panics
/// If that does not hold.
pub fn parquet(bytes: &[u8]) {
    let mut file = b"PAR1".to_vec();
    file.extend(bytes.strip_prefix(b"PAR1").unwrap_or(bytes));
    imported(&file, "time");
}

fn imported(bytes: &[u8], target: &str) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("writable");
    file.seek(SeekFrom::Start(0)).expect("seekable");
    let options = ImportOptions {
        target: target.to_owned(),
        ..ImportOptions::default()
    };
    if let Ok(dataset) = import(file.path(), &options) {
        assert!(
            dataset
                .features
                .iter()
                .all(|feature| feature.name != target),
            "the target is no feature"
        );
    }
}

/// A checkpoint is read or refused; what was read is stored as the same bytes, and a search goes on from it or says why
/// not.
///
/// # Panics
/// If that does not hold.
pub fn checkpoint(bytes: &[u8]) {
    one_checkpoint(bytes);
    let mut forged = b"PTEVOLV1".to_vec();
    forged.extend(twox_hash::XxHash3_128::oneshot(bytes).to_le_bytes());
    forged.extend(bytes);
    one_checkpoint(&forged);
}

fn one_checkpoint(bytes: &[u8]) {
    if let Ok(checkpoint) = Checkpoint::from_bytes(bytes) {
        let _ = checkpoint.generation();
        let stored = checkpoint.to_bytes();
        let again = Checkpoint::from_bytes(&stored).expect("a checkpoint just stored");
        assert_eq!(again.to_bytes(), stored);
        let _ = seeds::search(1).evolve(&seeds::design(), Control::default(), Some(&checkpoint));
    }
}
