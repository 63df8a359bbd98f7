//! Where classes are kept, as counting runs rewrote them, beyond a recording: `CACHE/classes/AGENT/*.classes`.
//!
//! What an agent rewrites depends on the class, on the options and on the agent, whose bytes name the folder; the first two are the agent's business. Nothing is lost with a file
//! that is gone: its classes are rewritten again. Whoever uses a file marks it as modified then. What is kept is code that will run, so a folder into which others can write is none.

use std::fs::{self, DirBuilder, FileType};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use pricetag_probe_plan::ClassHash;
use rustix::fs::{Access, access};
use rustix::process::geteuid;

/// What is left when a recording begins.
const ROOM: Room = Room {
    // Some twenty thousand classes.
    bytes: 256 << 20,
    // From twice as many on agents keep no more.
    files: 500,
};

/// What may be left.
#[derive(Clone, Copy, Debug)]
struct Room {
    bytes: u64,
    files: usize,
}

/// The folder for what this agent rewrites; none if nothing can be kept there, or by others as well. Files that were not used for longest make room.
pub fn folder(cache: &Path, agent: &Path) -> Option<PathBuf> {
    let classes = std::path::absolute(cache).ok()?.join("classes");
    let agent = ClassHash::of(&fs::read(agent).ok()?);
    make_room(kept(&classes), ROOM);
    ours_alone(classes.join(agent.to_string()))
}

/// A folder, made if need be, into which its user can write and no one else.
fn ours_alone(folder: PathBuf) -> Option<PathBuf> {
    let mut unreadable = DirBuilder::new();
    unreadable
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .ok()?;
    let found = fs::metadata(&folder).ok()?;
    if found.uid() != geteuid().as_raw() || found.mode() & 0o022 != 0 {
        return None;
    }
    access(
        &folder,
        Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK,
    )
    .ok()?;
    Some(folder)
}

/// What agents put there.
fn kept(classes: &Path) -> Vec<PathBuf> {
    let folders = entries(classes, is_folder).into_iter();
    folders
        .flat_map(|folder| entries(&folder, is_file))
        .collect()
}

/// Removes of these files those that were not used for longest until the rest fits, and folders that are empty then.
fn make_room(ours: Vec<PathBuf>, room: Room) {
    let mut files = Vec::new();
    for file in ours {
        if let Ok(found) = file.metadata()
            && let Ok(used) = found.modified()
        {
            files.push((used, file, found.len()));
        }
    }
    files.sort();
    let mut left = Room {
        bytes: files.iter().map(|(.., bytes)| bytes).sum(),
        files: files.len(),
    };
    for (_, file, bytes) in files {
        if left.bytes <= room.bytes && left.files <= room.files {
            break;
        }
        match fs::remove_file(&file) {
            Ok(()) => {}
            // Recordings that begin together make room together.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => continue,
        }
        left.bytes -= bytes;
        left.files -= 1;
        // One that is not empty stays.
        let _ = file.parent().map(fs::remove_dir);
    }
}

/// Of what is in a folder, that which is ours.
fn entries(folder: &Path, ours: fn(&Path, FileType) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let kinds = entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)));
    kinds
        .filter(|(path, kind)| ours(path, *kind))
        .map(|(path, _)| path)
        .collect()
}

fn is_folder(path: &Path, kind: FileType) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    kind.is_dir() && name.is_some_and(is_hash)
}

/// Whether a name is that of a hash.
fn is_hash(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|digit| digit.is_ascii_hexdigit())
}

fn is_file(path: &Path, kind: FileType) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let number = name.and_then(|name| name.strip_suffix(".classes"));
    kind.is_file() && number.is_some_and(|number| number.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::{Duration, SystemTime};

    use super::*;

    /// What is in a folder, whoever put it there.
    fn all(folder: &Path) -> Vec<String> {
        let mut names = Vec::new();
        for path in entries(folder, |_, _| true) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !path.is_symlink() {
                names.extend(all(&path).iter().map(|inner| format!("{name}/{inner}")));
            }
            names.push(name);
        }
        names.sort();
        names
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let cache = tempfile::tempdir().unwrap();
        let classes = cache.path().join("classes");
        let [one, two] = [1, 2].map(|agent| ClassHash(agent).to_string());
        // Folder, name, hours since it was used, of ten bytes each.
        let files = [
            (&one, "1.classes", 50),
            (&one, "2.classes", 2),
            (&two, "1.classes", 30),
            (&two, "2.classes", 1),
        ];
        let left = |bytes, room| {
            for (folder, name, ago) in files {
                let file = classes.join(folder).join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, [0; 10]).unwrap();
                let used = SystemTime::now() - Duration::from_secs(3600 * ago);
                let file = fs::File::options().write(true).open(file);
                file.unwrap().set_modified(used).unwrap();
            }
            make_room(kept(&classes), Room { bytes, files: room });
            all(&classes)
        };
        let named = |folder: &str, file| format!("{folder}/{file}");
        assert_eq!(left(40, 4).len(), 2 + 4);
        let newest = [named(&one, "2.classes"), named(&two, "2.classes")];
        for room in [left(29, 4), left(40, 2)] {
            assert_eq!(
                room,
                [&one, &newest[0], &two, &newest[1]].map(String::clone)
            );
        }
        assert_eq!(left(10, 2), [two.clone(), newest[1].clone()]);
        assert_eq!(left(40, 0), [""; 0]);
    }

    #[test]
    fn a_folder_into_which_others_can_write_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let agent = dir.path().join("agent.so");
        fs::write(&agent, "agent").unwrap();
        let ours = folder(dir.path(), &agent).unwrap();
        let mode = |mode| fs::set_permissions(&ours, Permissions::from_mode(mode)).unwrap();
        assert_eq!(fs::metadata(&ours).unwrap().mode() & 0o777, 0o700);
        for (bits, is_ours) in [(0o755, true), (0o775, false), (0o702, false), (0o700, true)] {
            mode(bits);
            assert_eq!(folder(dir.path(), &agent).is_some(), is_ours, "{bits:o}");
        }
    }

    #[test]
    fn recordings_that_begin_together_make_room_once() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join(ClassHash(1).to_string());
        fs::create_dir(&folder).unwrap();
        for number in 0..1000 {
            fs::write(folder.join(format!("{number:06}.classes")), [0; 10]).unwrap();
        }
        let classes = cache.path();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let room = Room {
                    bytes: 9000,
                    files: 1000,
                };
                scope.spawn(move || make_room(kept(classes), room));
            }
        });
        assert_eq!(all(&folder).len(), 900);
    }

    #[test]
    fn what_others_put_there_stays() {
        let cache = tempfile::tempdir().unwrap();
        let classes = cache.path().join("classes");
        let ours = classes.join(ClassHash(1).to_string());
        let strangers = [
            classes.join("Main.classes"),
            classes.join("empty/deep/1.classes"),
            classes.join("main/1.classes"),
            ours.join("notes.txt"),
            ours.join("main.classes"),
            ours.join("1.classes/notes.txt"),
            cache.path().join("elsewhere/1.classes"),
        ];
        for file in &strangers {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "not ours").unwrap();
        }
        fs::create_dir(classes.join(ClassHash(2).to_string())).unwrap();
        let link = classes.join(ClassHash(3).to_string());
        symlink(cache.path().join("elsewhere"), link).unwrap();
        symlink(&strangers[6], ours.join("2.classes")).unwrap();
        let before = all(cache.path());
        fs::write(ours.join("3.classes"), "ours").unwrap();
        make_room(kept(&classes), Room { bytes: 0, files: 0 });
        assert_eq!(all(cache.path()), before);
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
        assert_eq!(all(&first).len(), 1);
        assert!(folder(&cache, &dir.path().join("none.so")).is_none());
        assert!(folder(&one, &two).is_none(), "no folder can be made there");
    }
}
