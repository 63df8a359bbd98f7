//! Real class files: those of the JDK that is on the path.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The class files of the JDK whose path in the image matches `regex`, in order of their paths.
///
/// # Panics
/// If there is no JDK with `jimage`, or no class matches: a missing tool fails the test that needs it.
pub fn classes(regex: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let home = Command::new("java")
        .args(["-XshowSettings:properties", "-version"])
        .output()
        .expect("java runs");
    let settings = String::from_utf8_lossy(&home.stderr).into_owned();
    let home = settings
        .lines()
        .find_map(|line| line.trim().strip_prefix("java.home = "))
        .expect("java.home is shown");
    let image = Path::new(home).join("lib/modules");
    let extracted = Command::new(Path::new(home).join("bin/jimage"))
        .arg("extract")
        .arg("--dir")
        .arg(directory.path())
        .arg("--include")
        .arg(format!("regex:{regex}"))
        .arg(image)
        .status()
        .expect("jimage runs");
    assert!(extracted.success());
    let mut found = Vec::new();
    find(directory.path(), &mut found);
    assert!(!found.is_empty(), "no class matches {regex}");
    let root = directory.path();
    found
        .into_iter()
        .map(|path| {
            (
                path.strip_prefix(root).expect("below").to_owned(),
                fs::read(&path).expect("readable"),
            )
        })
        .collect()
}

fn find(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .expect("readable")
        .map(|e| e.expect("readable").path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            find(&entry, found);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            found.push(entry);
        }
    }
}
