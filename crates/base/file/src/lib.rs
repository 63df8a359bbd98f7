//! Files that are written whole or not at all.
//!
//! What is new is written beside its place, into a file that did not exist before, has a name that nobody can foresee and follows
//! no link ([`tempfile`]), and is renamed into place when it is complete. So an error or a crash leaves the old file, and nobody
//! who may write into the same folder (`/tmp`) can lead the writing elsewhere. Devices and pipes, such as `/dev/stdout`, are written to: a rename
//! would replace them.
//!
//! Limits: a link that stands at the place itself is replaced, not followed; a process that is killed leaves its unfinished file, whose name
//! begins with a dot and ends in `.part`.

pub mod raw;
pub mod sealed;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Writes a file whole or not at all, and forces it to the disk.
///
/// # Errors
/// If it cannot be written; what was there is then untouched.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_special(path) {
        return fs::write(path, bytes);
    }
    let mut staged = beside(path)?;
    staged.write_all(bytes)?;
    settle(staged, path)
}

/// The same for writers that want a name: `write` is given the name of an empty file beside `path`, or `path` itself where that is a device or pipe.
///
/// # Errors
/// What `write` says, or what `failed` makes of the system's reason; what was there is then untouched.
pub fn replace<T, E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    if is_special(path) {
        return write(path);
    }
    let staged = beside(path).map_err(&failed)?;
    let written = write(staged.path())?;
    settle(staged, path).map_err(&failed)?;
    Ok(written)
}

/// Says early that a file cannot be written, before hours of work. Nothing is changed.
///
/// # Errors
/// If it is a folder, or nothing can be written in its place.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_special(path) {
        return fs::OpenOptions::new().write(true).open(path).map(drop);
    }
    beside(path).map(drop)
}

/// A device or pipe, or one of the system's names for an open file.
fn is_special(path: &Path) -> bool {
    path.starts_with("/dev")
        || path.starts_with("/proc")
        || fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// A new file in the same folder, with the permissions that a new file gets.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut prefix = std::ffi::OsString::from(".");
    // A long name leaves room for what is added.
    if name.len() <= 200 {
        prefix.push(name);
    }
    prefix.push(".");
    // With the permissions of any new file: `tempfile`'s own are for the user alone.
    Builder::new()
        .prefix(&prefix)
        .suffix(".part")
        .rand_bytes(12)
        .make_in(folder, |path| File::create_new(path))
}

fn settle(staged: NamedTempFile, path: &Path) -> io::Result<()> {
    // By name: it may have been written by name.
    File::open(staged.path())?.sync_all()?;
    staged
        .persist(path)
        .map(drop)
        .map_err(|failed| failed.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        write(&path, b"old").unwrap();
        let failed = replace(
            &path,
            |e| e,
            |staged| -> io::Result<()> {
                fs::write(staged, b"half")?;
                Err(io::ErrorKind::StorageFull.into())
            },
        );
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["a"]);
        replace(&path, |e| e, |staged| fs::write(staged, b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        check_writable(&path).unwrap();
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn no_planted_link_is_followed() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let victim = dir.path().join("victim");
        fs::write(&victim, b"precious").unwrap();
        let path = dir.path().join("r.html");
        // Names that earlier versions used, and the place itself.
        for name in [".r.html.part", "r.html.part", "r.html.partial", "r.html"] {
            symlink(&victim, dir.path().join(name)).unwrap();
        }
        write(&path, b"report").unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        fs::write(dir.path().join("plain"), b"").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&dir.path().join("plain")));
    }

    #[test]
    fn reasons_are_the_systems() {
        let missing = Path::new("no such folder/file");
        let why = check_writable(missing).unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::NotFound);
        assert!(!why.to_string().contains("part"), "{why}");
        let dir = tempfile::tempdir().unwrap();
        let why = check_writable(dir.path()).unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::IsADirectory);
    }
}
