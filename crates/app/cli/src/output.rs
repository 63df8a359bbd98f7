//! Where a command's file goes: to a name, or to standard output, which is called `-`.

use std::path::Path;

use crate::analysis::{check_writable, write_whole};
use crate::console::{Console, print_bytes};
use crate::failure::Failure;

/// What stands for standard output in place of a file.
const STANDARD_OUTPUT: &str = "-";

/// Whether a path means standard output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD_OUTPUT)
}

/// A file to write, or standard output.
#[derive(Clone, Copy)]
pub struct Output<'p>(Option<&'p Path>);

impl<'p> Output<'p> {
    /// The file, or standard output without one. Says early that it cannot be written, or that `what` and an answer in JSON would be mixed there.
    pub fn of(path: Option<&'p Path>, what: &str, console: &Console) -> Result<Self, Failure> {
        match path.filter(|path| !is_standard(path)) {
            Some(file) => {
                check_writable(file)?;
                Ok(Self(Some(file)))
            }
            None if console.json => {
                let why = format!("standard output cannot hold {what} and --json");
                Err(Failure::usage(why).advice("name a file with -o"))
            }
            None => Ok(Self(None)),
        }
    }

    /// The file; none if it is standard output.
    pub fn file(self) -> Option<&'p Path> {
        self.0
    }

    /// Writes a file, whole or not at all; or passes it on.
    pub fn write(self, bytes: &[u8]) -> Result<(), Failure> {
        match self.0 {
            Some(file) => write_whole(file, bytes),
            None => print_bytes(bytes),
        }
    }
}
