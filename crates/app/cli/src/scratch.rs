//! Folders for what a command needs while it runs: of names nobody can foresee, readable by the user alone, gone when the command ends or is ended.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

use crate::failure::{Failure, io};

static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder of temporary files.
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes one among the system's temporary files.
    pub fn new() -> Result<Self, Failure> {
        let place = std::env::temp_dir();
        let folder = tempfile::Builder::new()
            .prefix("pricetag-")
            .tempdir_in(&place)
            .map_err(io("create a folder in", &place))?;
        open().push(folder.path().to_owned());
        Ok(Self(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        open().retain(|path| path != self.0.path());
    }
}

/// Removes what is still there, when the program ends in the middle.
pub fn remove_all() {
    for path in open().drain(..) {
        std::fs::remove_dir_all(path).ok();
    }
}

fn open() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
