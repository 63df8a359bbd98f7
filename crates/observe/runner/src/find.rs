//! Files that a pattern names: `*`, `?`, `[…]` within a name, `**` for any folders.
//!
//! Names need not be UTF-8 ([`pricetag_file::raw`]). `**` enters no folder behind a symbolic link, as in ripgrep and Bash: such links may lead in circles, and their number of ways grows
//! without bound. A link that the pattern itself goes through is followed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glob::{Pattern, PatternError};
use pricetag_file::raw;

/// Why files cannot be found.
#[derive(Debug)]
pub enum FindError {
    /// It is no pattern.
    Pattern(PatternError),
    /// A folder cannot be read.
    Folder(PathBuf, io::Error),
}

enum Step {
    Name(PathBuf),
    Any(Pattern),
    Deep,
}

/// Plain files, and links to them, that match `pattern` from `base`; in no particular order, each once.
pub fn files(pattern: &str, base: &Path) -> Result<Vec<PathBuf>, FindError> {
    let steps: Vec<Step> = pattern
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| {
            if part == "**" {
                return Ok(Step::Deep);
            }
            // Also refuses what is none.
            let parsed = Pattern::new(part).map_err(FindError::Pattern)?;
            let plain = !part.contains(['*', '?', '[']);
            Ok(if plain {
                Step::Name(raw::name(part).into())
            } else {
                Step::Any(parsed)
            })
        })
        .collect::<Result<_, _>>()?;
    let start = if pattern.starts_with('/') {
        Path::new("/")
    } else {
        base
    };
    let mut found = Vec::new();
    walk(start, &steps, &mut found)?;
    found.sort();
    found.dedup();
    Ok(found)
}

/// How many folders match: they are no inputs, but somebody may have meant them.
pub fn folders(pattern: &str, base: &Path) -> usize {
    let matches = glob::glob(&base.join(pattern).to_string_lossy());
    matches
        .into_iter()
        .flatten()
        .filter(|found| found.as_ref().is_ok_and(|path| path.is_dir()))
        .count()
}

fn walk(at: &Path, steps: &[Step], found: &mut Vec<PathBuf>) -> Result<(), FindError> {
    let Some((step, rest)) = steps.split_first() else {
        if at.is_file() {
            found.push(at.to_owned());
        }
        return Ok(());
    };
    match step {
        Step::Name(name) => walk(&at.join(name), rest, found),
        Step::Any(pattern) => {
            for (path, _) in entries(at)? {
                let name = raw::text(path.file_name().unwrap_or_default());
                if pattern.matches(&name) {
                    walk(&path, rest, found)?;
                }
            }
            Ok(())
        }
        Step::Deep => {
            // Every file below, where nothing follows.
            let (all, rest) = if rest.is_empty() {
                (true, &[][..])
            } else {
                (false, rest)
            };
            if !all {
                walk(at, rest, found)?;
            }
            for (path, is_folder) in entries(at)? {
                if is_folder {
                    walk(&path, steps, found)?;
                } else if all {
                    walk(&path, &[], found)?;
                }
            }
            Ok(())
        }
    }
}

/// What is in a folder, and whether that is a folder itself and no link to one. Nothing is in what is no folder.
fn entries(at: &Path) -> Result<Vec<(PathBuf, bool)>, FindError> {
    let failed = |error| FindError::Folder(at.to_owned(), error);
    if !at.is_dir() {
        return Ok(Vec::new());
    }
    let read = fs::read_dir(at).map_err(failed)?;
    read.map(|entry| {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        Ok((entry.path(), kind.is_dir()))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    use super::*;

    fn named(pattern: &str, base: &Path) -> Vec<String> {
        let found = files(pattern, base).unwrap();
        let short = |path: &PathBuf| raw::text(path.strip_prefix(base).unwrap().as_os_str());
        found.iter().map(short).collect()
    }

    #[test]
    fn patterns_name_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        for name in [
            "x.txt",
            "a/y.txt",
            "a/b/z.txt",
            "a/b/z.md",
            "a/[odd] (1), 2.txt",
            "-v",
            ".hidden",
        ] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        for (pattern, all) in [
            ("*.txt", "x.txt"),
            ("a/*.txt", "a/[odd] (1), 2.txt|a/y.txt"),
            ("**/*.txt", "a/[odd] (1), 2.txt|a/b/z.txt|a/y.txt|x.txt"),
            ("a/**", "a/[odd] (1), 2.txt|a/b/z.md|a/b/z.txt|a/y.txt"),
            ("a/**/z.*", "a/b/z.md|a/b/z.txt"),
            ("**/b/*", "a/b/z.md|a/b/z.txt"),
            ("a/[[]odd] (1), 2.txt", "a/[odd] (1), 2.txt"),
            ("./x.t?t", "x.txt"),
            ("-*", "-v"),
            ("a", ""),
            ("none/*", ""),
        ] {
            assert_eq!(named(pattern, dir.path()).join("|"), all, "{pattern}");
        }
        let absolute = format!("{}/*.txt", Pattern::escape(dir.path().to_str().unwrap()));
        assert_eq!(files(&absolute, Path::new("/nowhere")).unwrap().len(), 1);
        assert!(matches!(
            files("a[", dir.path()),
            Err(FindError::Pattern(_))
        ));
    }

    /// Two links to their own folder have 2^40 ways before the system refuses one.
    #[test]
    fn links_in_circles_end() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::write(dir.path().join("a/in"), "").unwrap();
        for link in ["a/one", "a/two"] {
            symlink(dir.path(), dir.path().join(link)).unwrap();
        }
        symlink(dir.path().join("a/in"), dir.path().join("file")).unwrap();
        assert_eq!(named("**", dir.path()), ["a/in", "file"]);
        assert_eq!(named("a/one/a/in", dir.path()), ["a/one/a/in"]);
    }

    #[test]
    fn names_that_are_no_text_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let name = OsStr::from_bytes(b"bad\xff.txt");
        fs::write(dir.path().join(name), "").unwrap();
        assert_eq!(named("*.txt", dir.path()), ["bad\u{f7ff}.txt"]);
        assert_eq!(
            files("bad\u{f7ff}.txt", dir.path()).unwrap()[0],
            dir.path().join(name)
        );
    }
}
