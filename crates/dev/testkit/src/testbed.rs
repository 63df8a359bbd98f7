//! Pinned compilers, agents and Java runtimes, as `scripts/fetch-testbed.sh` leaves them in `.cache/testbed`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{Machine, TestkitError, content, repository};

/// Feature releases of the pinned runtimes.
pub const RELEASES: [u16; 4] = [11, 17, 21, 25];

/// The folder with everything that was fetched.
#[derive(Clone, Debug)]
pub struct Testbed {
    directory: PathBuf,
}

impl Testbed {
    /// The folder `PRICETAG_TESTBED` names, or else `.cache/testbed` in the repository.
    pub fn locate() -> Self {
        let directory = std::env::var_os("PRICETAG_TESTBED")
            .map_or_else(|| repository().join(".cache/testbed"), PathBuf::from);
        Self { directory }
    }

    /// A fetched file.
    ///
    /// # Errors
    /// If it has not been fetched.
    pub fn file(&self, name: &str) -> Result<PathBuf, TestkitError> {
        let path = self.directory.join(name);
        if path.exists() {
            Ok(path)
        } else {
            Err(content(
                &path,
                "not there: run scripts/fetch-testbed.sh once",
            ))
        }
    }

    /// Fetched files.
    ///
    /// # Errors
    /// If one has not been fetched.
    pub fn files(&self, names: &[&str]) -> Result<Vec<PathBuf>, TestkitError> {
        names.iter().map(|name| self.file(name)).collect()
    }

    /// The pinned runtime of a feature release.
    ///
    /// # Errors
    /// If it has not been fetched.
    pub fn runtime(&self, release: u16) -> Result<Machine, TestkitError> {
        let home = self.file(&format!("runtime-{release}"))?;
        Ok(Machine::new(home.join("bin/java"), release))
    }

    /// All pinned runtimes; on systems they do not exist for, the Java on the path alone.
    ///
    /// # Errors
    /// If one has not been fetched although it exists for this system.
    pub fn runtimes(&self) -> Result<Vec<Machine>, TestkitError> {
        if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            RELEASES.iter().map(|&r| self.runtime(r)).collect()
        } else {
            Ok(vec![Machine::system()?])
        }
    }
}

/// A class path.
///
/// # Errors
/// If a path contains the separator.
pub fn class_path<P: AsRef<Path>>(paths: &[P]) -> Result<OsString, TestkitError> {
    std::env::join_paths(paths.iter().map(AsRef::as_ref))
        .map_err(|error| content(Path::new("class path"), error))
}
