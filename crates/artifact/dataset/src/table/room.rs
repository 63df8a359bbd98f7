//! How much memory a table may take: a file of some hundred bytes can announce billions of cells.
//!
//! What is announced is added up before anything is decoded: levels by the headers of pages, which are read without decompressing them. Texts are counted as they are
//! decoded, for a dictionary may hold a long one for a million rows. Limits: what the decoder itself needs for one page, 2 GB at most, is not counted.
//! Of CSV and ARFF the file, unpacked, and each cell are counted as they are read.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use super::read::{Decoded, guarded};
use crate::error::{DatasetError, Result};

/// What the user has allowed, bytes; 0 if nothing was said.
static ALLOWED: AtomicU64 = AtomicU64::new(0);
/// What any table may take, bytes.
const ALWAYS: u64 = 2 << 30;
/// What a table may take for each byte of its file.
const PER_BYTE: u64 = 100;
/// What a cell takes at most while it is decoded and held: number, presence, two levels.
const CELL: u64 = 32;

/// Allows tables this many bytes of memory, in this whole process; by default 2 GiB, or a hundred times the size of the file if that is more.
pub fn allow(bytes: u64) {
    ALLOWED.store(bytes.max(1), Ordering::Relaxed);
}

/// What a cell of a table of texts takes at least: its place, and where it lies.
const TEXT_CELL: u64 = 56;

/// What is left for a table.
pub(crate) struct Room<'a> {
    path: &'a Path,
    allowed: u64,
    taken: Cell<u64>,
}

impl<'a> Room<'a> {
    pub(crate) fn of(path: &'a Path) -> Self {
        let file = std::fs::metadata(path).map_or(0, |file| file.len());
        let allowed = match ALLOWED.load(Ordering::Relaxed) {
            0 => ALWAYS.max(file.saturating_mul(PER_BYTE)),
            bytes => bytes,
        };
        Self {
            path,
            allowed,
            taken: Cell::new(0),
        }
    }

    /// How much there is in all.
    pub(crate) fn allowed(&self) -> u64 {
        self.allowed
    }

    /// Takes room for bytes as they are read.
    pub(crate) fn take_bytes(&self, bytes: u64) -> Result<()> {
        self.take(bytes).map_err(|_| self.error())
    }

    /// Takes room for a cell of a table of texts.
    pub(crate) fn take_cell(&self, text: &str) -> Result<()> {
        self.take_bytes(TEXT_CELL + text.len() as u64)
    }

    /// Takes room for what the pages of a row group announce.
    pub(super) fn take_group(
        &self,
        reader: &SerializedFileReader<std::fs::File>,
        group: usize,
    ) -> Result<()> {
        let cells = guarded(self.path, || {
            let group = reader.get_row_group(group)?;
            let columns = (0..group.num_columns()).map(|column| levels(&*group, column));
            columns.sum::<Decoded<u64>>()
        })?;
        self.take(cells.saturating_mul(CELL))
            .map_err(|_| self.error())
    }

    /// Gives back what earlier row groups took, where they are not held.
    pub(super) fn clear(&self) {
        self.taken.set(0);
    }

    /// Takes room for a text.
    pub(super) fn take(&self, bytes: u64) -> Decoded<()> {
        self.taken.set(self.taken.get().saturating_add(bytes));
        if self.taken.get() > self.allowed {
            return Err(ParquetError::General(FULL.to_owned()));
        }
        Ok(())
    }

    /// What an error of decoding is.
    pub(super) fn judge(&self, error: DatasetError) -> DatasetError {
        match &error {
            DatasetError::NotParquet { reason, .. } if reason.ends_with(FULL) => self.error(),
            _ => error,
        }
    }

    fn error(&self) -> DatasetError {
        DatasetError::TooLarge {
            path: self.path.to_path_buf(),
            needs: self.taken.get(),
            allowed: self.allowed,
        }
    }
}

/// Said to the decoder, and recognised.
const FULL: &str = "no room for the table";

/// Values, and places of missing ones, that a column chunk announces: by its pages, or by its own count if that is larger.
fn levels(group: &dyn RowGroupReader, column: usize) -> Decoded<u64> {
    let announced = group.metadata().column(column).num_values().max(0) as u64;
    let mut pages = group.get_column_page_reader(column)?;
    let mut levels: u64 = 0;
    while let Some(page) = pages.peek_next_page()? {
        levels = levels.saturating_add(page.num_levels.or(page.num_rows).unwrap_or(0) as u64);
        pages.skip_next_page()?;
    }
    Ok(levels.max(announced))
}
