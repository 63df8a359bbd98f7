//! Locks between processes, on what is there anyway. They go with the process, however that ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::error::RunnerError;

/// A lock on a file or a folder.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// Takes a lock.
    ///
    /// # Errors
    /// If another process has it, if there is nothing to be locked, or if the file system has no locks.
    pub fn on(path: &Path) -> Result<Self, TryLockError> {
        let handle = File::open(path).map_err(TryLockError::Error)?;
        handle.try_lock()?;
        Ok(Self(handle))
    }

    /// Takes a dataset's directory for one recording; none where its file system has no locks.
    ///
    /// # Errors
    /// If another process records into it.
    pub fn on_dataset(dir: &Path) -> Result<Option<Self>, RunnerError> {
        match Self::on(dir) {
            Ok(lock) => Ok(Some(lock)),
            Err(TryLockError::Error(_)) => Ok(None),
            Err(TryLockError::WouldBlock) => Err(RunnerError::BeingRecorded {
                dir: dir.to_owned(),
            }),
        }
    }
}

impl Drop for Lock {
    /// Closing is not enough: a child that was just forked has the handle until it becomes another program.
    fn drop(&mut self) {
        self.0.unlock().ok();
    }
}
