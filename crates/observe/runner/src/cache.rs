//! Where classes are kept, as counting runs rewrote them, beyond a recording: `CACHE/classes/AGENT/*.classes`.
//!
//! What an agent rewrites depends on the class, on the options and on the agent, whose bytes name the folder; the first two are the agent's business. Nothing is lost with a file
//! that is gone: its classes are rewritten again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pricetag_probe_plan::ClassHash;

/// What all of it may take: some fifteen thousand classes.
const ROOM: u64 = 256 << 20;

/// The folder for what this agent rewrites; none if it cannot be made. Whatever was not used for longest makes room.
pub fn folder(cache: &Path, agent: &Path) -> Option<PathBuf> {
    let classes = std::path::absolute(cache).ok()?.join("classes");
    let agent = ClassHash::of(&fs::read(agent).ok()?);
    make_room(&classes, ROOM);
    let folder = classes.join(agent.to_string());
    fs::create_dir_all(&folder).ok()?;
    Some(folder)
}

/// Removes files until the rest takes no more than so many bytes, and folders in which there is none.
fn make_room(classes: &Path, room: u64) {
    let mut files = Vec::new();
    let folders = entries(classes);
    for file in folders.iter().flat_map(|folder| entries(folder)) {
        if let Ok(found) = file.metadata()
            && found.is_file()
        {
            let written = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let used = found.accessed().unwrap_or(written).max(written);
            files.push((used, written, file, found.len()));
        }
    }
    files.sort();
    let mut taken: u64 = files.iter().map(|(.., length)| length).sum();
    for (.., file, length) in files {
        if taken <= room {
            break;
        }
        if fs::remove_file(file).is_ok() {
            taken -= length;
        }
    }
    for folder in folders {
        // One that is not empty stays.
        let _ = fs::remove_dir(folder);
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let cache = tempfile::tempdir().unwrap();
        let classes = cache.path().join("classes");
        let now = SystemTime::now();
        // Folder, name, bytes, hours since it was written and read.
        let files = [
            ("old", "1.classes", 10, 50, 50),
            ("old", "2.classes", 10, 40, 2),
            ("new", "1.classes", 10, 30, 30),
            ("new", "2.classes", 10, 1, 1),
        ];
        for (folder, name, length, written, read) in files {
            let folder = classes.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), vec![0; length]).unwrap();
            let ago = |hours: u64| now - Duration::from_secs(3600 * hours);
            let times = fs::FileTimes::new();
            let times = times.set_modified(ago(written)).set_accessed(ago(read));
            let file = fs::File::options()
                .write(true)
                .open(folder.join(name))
                .unwrap();
            file.set_times(times).unwrap();
        }
        let left = || {
            let mut left: Vec<String> = entries(&classes)
                .iter()
                .flat_map(|folder| entries(folder))
                .map(|file| {
                    file.strip_prefix(&classes)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned()
                })
                .collect();
            left.sort();
            left
        };
        make_room(&classes, 40);
        assert_eq!(left().len(), 4);
        make_room(&classes, 29);
        assert_eq!(left(), ["new/2.classes", "old/2.classes"]);
        make_room(&classes, 10);
        assert_eq!(left(), ["new/2.classes"]);
        assert!(!classes.join("old").exists());
        make_room(&classes, 0);
        assert_eq!(entries(&classes), Vec::<PathBuf>::new());
    }

    #[test]
    fn another_agent_has_another_folder() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two] = ["one.so", "two.so"].map(|name| {
            fs::write(dir.path().join(name), name).unwrap();
            dir.path().join(name)
        });
        let cache = dir.path().join("cache");
        let first = folder(&cache, &one).unwrap();
        assert!(first.is_dir() && first.starts_with(&cache));
        fs::write(first.join("000001.classes"), "kept").unwrap();
        assert_ne!(folder(&cache, &two).unwrap(), first);
        assert_eq!(folder(&cache, &one).unwrap(), first);
        assert_eq!(entries(&first).len(), 1);
        assert!(folder(&cache, &dir.path().join("none.so")).is_none());
        assert!(folder(&one, &two).is_none(), "no folder can be made there");
    }
}
