//! What Linux tells of another process: what it has mapped and open, what it calls itself, who runs it.

use std::fs::{self, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use pricetag_dataset::secrets::without_secrets;
use pricetag_trace::{Record, Start, TraceReader};
use rustix::fs::{Mode, OFlags};
use rustix::process::geteuid;

/// The agent's library, as it appears in a JVM's memory map.
const LIBRARY: &str = "/libpricetag_agent.so";
/// What stands behind the name of a mapped file that was removed, or that another one has taken the place of.
const DELETED: &str = " (deleted)";
/// SIGQUIT in the mask of caught signals.
const CATCHES_QUIT: u64 = 1 << 2;

/// A file of a process in `/proc`.
pub fn proc(pid: u32, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{name}"))
}

/// The agent's library in a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// The name that it was loaded by.
    pub path: PathBuf,
    /// Whether what has that name now, if anything, is another file.
    pub replaced: bool,
}

impl Library {
    /// None if the agent is not there, or the process is not.
    pub fn of(pid: u32) -> Option<Self> {
        Self::among(&fs::read_to_string(proc(pid, "maps")).ok()?)
    }

    fn among(maps: &str) -> Option<Self> {
        maps.lines().find_map(|line| {
            let whole = line.strip_suffix(DELETED);
            let file = whole.unwrap_or(line);
            let from = file.find('/').filter(|_| file.ends_with(LIBRARY))?;
            Some(Self {
                path: file[from..].into(),
                replaced: whole.is_some(),
            })
        })
    }
}

/// Who runs a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The user's number.
    pub id: u32,
    /// The numbers of their groups, that of new files first.
    groups: Vec<u32>,
}

impl User {
    /// Who runs a process, if it is root that asks and somebody else that runs it: what that process is to read and write has to be made theirs.
    pub fn other_than_root(pid: u32) -> Option<Self> {
        let status = fs::read_to_string(proc(pid, "status")).ok()?;
        Self::in_status(&status).filter(|user| geteuid().is_root() && user.id != 0)
    }

    fn in_status(status: &str) -> Option<Self> {
        let numbers = |key: &str| -> Option<Vec<u32>> {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().map(|n| n.parse().ok()).collect()
        };
        // The real one, the effective one, the saved one, that of the file system.
        let effective = |ids: Vec<u32>| ids.get(1).copied();
        let mut groups = vec![effective(numbers("Gid:")?)?];
        groups.extend(numbers("Groups:").unwrap_or_default());
        Some(Self {
            id: effective(numbers("Uid:")?)?,
            groups,
        })
    }

    /// Makes an open file theirs.
    pub fn own(&self, file: impl AsFd) -> io::Result<()> {
        fchown(file, Some(self.id), self.groups.first().copied())
    }

    /// Makes a folder theirs; a link is refused, since it might lead to what is none of theirs.
    pub fn own_folder(&self, folder: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.own(rustix::fs::open(folder, flags, Mode::empty())?)
    }

    /// What keeps them from reading a file: a folder above it, or the file itself. Limits: permission bits alone are looked at.
    pub fn barred_by(&self, file: &Path) -> Option<PathBuf> {
        const ENTER: u32 = 1;
        const READ: u32 = 4;
        let way: Vec<&Path> = file.ancestors().collect();
        let barred = way.into_iter().rev().find(|&path| {
            let wanted = if path == file { READ } else { ENTER };
            fs::metadata(path).is_ok_and(|about| !self.may(&about, wanted))
        });
        barred.map(Path::to_owned)
    }

    fn may(&self, about: &Metadata, wanted: u32) -> bool {
        let digit = if about.uid() == self.id {
            about.mode() >> 6
        } else if self.groups.contains(&about.gid()) {
            about.mode() >> 3
        } else {
            about.mode()
        };
        self.id == 0 || digit & wanted == wanted
    }
}

/// Whether a process catches SIGQUIT, which ends it otherwise.
pub fn catches_quit(pid: u32) -> bool {
    let status = fs::read_to_string(proc(pid, "status")).unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & CATCHES_QUIT != 0)
}

/// Whether a process is gone, or dead and not yet taken note of by its parent.
pub fn has_ended(pid: u32) -> bool {
    let status = fs::read_to_string(proc(pid, "status")).unwrap_or_default();
    let state = status.lines().find_map(|l| l.strip_prefix("State:"));
    state.is_none_or(|state| state.trim().starts_with(['Z', 'X']))
}

/// The id the process knows itself by: another one inside a container.
pub fn inner_pid(pid: u32) -> u32 {
    let status = fs::read_to_string(proc(pid, "status")).unwrap_or_default();
    let ids = status.lines().find_map(|l| l.strip_prefix("NSpid:"));
    ids.and_then(|ids| ids.split_whitespace().last()?.parse().ok())
        .unwrap_or(pid)
}

/// The command that started a process, as it may be kept.
pub fn command(pid: u32) -> Vec<String> {
    let bytes = fs::read(proc(pid, "cmdline")).unwrap_or_default();
    let words: Vec<String> = bytes
        .split(|&byte| byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    without_secrets(&words)
}

/// The first record of the trace that the agent in a process keeps open.
pub fn start_of(pid: u32) -> Option<Start> {
    let files = fs::read_dir(proc(pid, "fd")).ok()?.flatten();
    let inner = inner_pid(pid);
    files.map(|file| file.path()).find_map(|file| {
        // Anything else might wait for a writer.
        if !fs::metadata(&file).is_ok_and(|about| about.is_file()) {
            return None;
        }
        match TraceReader::open(&file).ok()?.next_record() {
            Ok(Some(Record::Start(start))) if start.pid == inner => Some(start),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_library_whose_file_was_replaced_is_still_the_agent() {
        let maps = |file: &str| format!("7f00-7f01 r-xp 00000000 08:01 12 {file}\n");
        let found = |file: &str| Library::among(&(maps("/lib/libjvm.so") + &maps(file)));
        let library = |path: &str, replaced| {
            let path = path.into();
            Some(Library { path, replaced })
        };
        let agent = "/opt/a b/libpricetag_agent.so";
        assert_eq!(found(agent), library(agent, false));
        let replaced = format!("{agent} (deleted)");
        assert_eq!(found(&replaced), library(agent, true));
        assert_eq!(found("/opt/libpricetag_agent.so.bak"), None);
    }

    #[test]
    fn what_a_user_may_not_enter_or_read_is_named() {
        let status =
            "Name:\tjava\nUid:\t1\t4001\t4001\t4001\nGid:\t1\t4002\t1\t1\nGroups:\t4003 \n";
        let user = User::in_status(status).unwrap();
        assert_eq!((user.id, &user.groups[..]), (4001, &[4002, 4003][..]));
        let dir = tempfile::tempdir().unwrap();
        let (folder, file) = (dir.path().join("data"), dir.path().join("data/options"));
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "").unwrap();
        let permit = |path: &Path, mode| {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        };
        permit(dir.path(), 0o755);
        permit(&folder, 0o750);
        assert_eq!(user.barred_by(&file).as_ref(), Some(&folder));
        permit(&folder, 0o751);
        permit(&file, 0o640);
        assert_eq!(user.barred_by(&file).as_ref(), Some(&file));
        permit(&file, 0o644);
        assert_eq!(user.barred_by(&file), None);
        let theirs = User {
            id: fs::metadata(&file).unwrap().uid(),
            groups: Vec::new(),
        };
        permit(&file, 0o600);
        assert_eq!(theirs.barred_by(&file), None);
    }
}
