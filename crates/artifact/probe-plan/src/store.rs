//! Plans in a directory, one file per class hash: `plans/0123….plan`.
//!
//! Written to a temporary name in the same directory and renamed, so that a reader sees a whole plan or none. Two
//! writers of the same class write the same bytes; whichever renames last wins harmlessly.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::codec::CodecError;
use crate::plan::{ClassHash, ClassPlan};

static UNIQUE: AtomicU64 = AtomicU64::new(0);

/// A directory of plans.
#[derive(Clone, Debug)]
pub struct PlanStore {
    directory: PathBuf,
}

/// Why a plan could not be stored or loaded.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused.
    #[error("cannot {action} probe plan {}: {source}", path.display())]
    Io {
        /// "read", "write", …
        action: &'static str,
        /// Of which file.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// The file is no readable plan.
    #[error("{}: {source}", path.display())]
    Codec {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: CodecError,
    },
    /// The plan in the file is for another class.
    #[error("{} holds the plan of class {found}, not of {expected}", path.display())]
    OtherClass {
        /// Which file.
        path: PathBuf,
        /// Hash in the plan.
        found: ClassHash,
        /// Hash in the file's name.
        expected: ClassHash,
    },
}

impl PlanStore {
    /// Opens the directory, creating it if need be.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let directory = directory.into();
        fs::create_dir_all(&directory).map_err(io_error("create the directory of", &directory))?;
        Ok(Self { directory })
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a class's plan, whether it exists or not.
    pub fn path(&self, hash: ClassHash) -> PathBuf {
        self.directory.join(format!("{hash}.plan"))
    }

    /// Stores a plan under its class hash.
    ///
    /// # Errors
    /// If the file cannot be written whole.
    pub fn store(&self, plan: &ClassPlan) -> Result<(), StoreError> {
        let path = self.path(plan.hash);
        let bytes = plan.to_bytes().map_err(|source| StoreError::Codec {
            path: path.clone(),
            source,
        })?;
        write_whole(&path, &bytes).map_err(io_error("write", &path))
    }

    /// Loads the plan of a class; none if there is none of this version.
    ///
    /// # Errors
    /// If a plan is there but cannot be read, is damaged, or is another class's.
    pub fn load(&self, hash: ClassHash) -> Result<Option<ClassPlan>, StoreError> {
        match self.written(hash) {
            Err(StoreError::Codec {
                source: CodecError::Version { .. },
                ..
            }) => Ok(None),
            found => found,
        }
    }

    /// Loads the plan that an agent has just counted a class by; none if there is none.
    ///
    /// # Errors
    /// As [`PlanStore::load`], and if the plan is of another version: then the agent is, too.
    pub fn written(&self, hash: ClassHash) -> Result<Option<ClassPlan>, StoreError> {
        let path = self.path(hash);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(io_error("read", &path)(e)),
        };
        match ClassPlan::from_bytes(&bytes) {
            Ok(plan) if plan.hash == hash => Ok(Some(plan)),
            Ok(plan) => Err(StoreError::OtherClass {
                path,
                found: plan.hash,
                expected: hash,
            }),
            Err(source) => Err(StoreError::Codec { path, source }),
        }
    }

    /// Hashes of all stored plans, ascending; files with other names are ignored.
    ///
    /// # Errors
    /// If the directory cannot be listed.
    pub fn hashes(&self) -> Result<Vec<ClassHash>, StoreError> {
        let list = || -> io::Result<Vec<ClassHash>> {
            let mut hashes = Vec::new();
            for entry in fs::read_dir(&self.directory)? {
                let name = entry?.file_name();
                let digits = name
                    .to_str()
                    .and_then(|n| n.strip_suffix(".plan"))
                    .filter(|d| d.len() == 32);
                hashes.extend(
                    digits
                        .and_then(|d| u128::from_str_radix(d, 16).ok())
                        .map(ClassHash),
                );
            }
            hashes.sort_unstable();
            Ok(hashes)
        };
        list().map_err(io_error("list the directory of", &self.directory))
    }
}

/// Writes a file under another name in the same directory and renames it, so that a reader sees a whole file or none.
///
/// # Errors
/// What the file system says; the file is as it was then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    let number = UNIQUE.fetch_add(1, Ordering::Relaxed);
    name.push(format!("-{}-{number}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

fn io_error<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> StoreError + 'a {
    move |source| StoreError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
