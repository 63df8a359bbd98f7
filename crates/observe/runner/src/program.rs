//! Which files a subject's program consists of, and what was in them: a recording that is resumed must go on with the same program.
//!
//! Of a `java` command these are its jar, source file or class path, its module path, its agents and files of arguments; of any other command the program itself. A folder counts by the
//! class files in it, a jar by what it holds and by the jars that its manifest names. Limits: what a script starts, files that a program reads, and folders behind links are not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use pricetag_dataset::command::launched;
use pricetag_file::raw;
use pricetag_file::sealed::digest;

use crate::jvm::{Launcher, resolve};
use crate::options::RecordOptions;
use crate::template::has_placeholder;

/// Options whose value is a list of jars and folders.
const PATHS: [&str; 6] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
];
/// What a file that cannot be read counts as.
const UNREADABLE: &str = "unreadable";
/// Bytes of a manifest that are read.
const MANIFEST: u64 = 1 << 20;
/// Digits of a digest that are shown.
const SHOWN: usize = 16;

/// A digest for each file or folder of the program, by the name the command has for it.
pub fn files(options: &RecordOptions) -> BTreeMap<String, String> {
    let base = options.cwd.clone().unwrap_or_default();
    let of = |names: Vec<String>| {
        let named = names.into_iter().filter(|name| !has_placeholder(name));
        let mut states = BTreeMap::new();
        for name in named {
            let path = base.join(raw::name(&name));
            let Some(state) = state(&path) else { continue };
            states.insert(name, state);
            for beside in beside(&path) {
                if let Some(state) = state_of_file(&beside) {
                    let name = beside.strip_prefix(&base).unwrap_or(&beside);
                    states.insert(raw::text(name.as_os_str()), state);
                }
            }
        }
        states
    };
    let Some((word, arguments)) = options.command.split_first() else {
        return BTreeMap::new();
    };
    let Ok(program) = resolve(word, options.cwd.as_deref(), options.path.as_deref()) else {
        return BTreeMap::new();
    };
    match Launcher::of(&program) {
        // The platform says which runtime it is.
        Launcher::Java => of(named(arguments, options)),
        Launcher::JdkTool => BTreeMap::new(),
        Launcher::Other => state(&program)
            .map(|state| (word.clone(), state))
            .into_iter()
            .collect(),
    }
}

/// One digest of all of them.
pub fn of_all(files: &BTreeMap<String, String>) -> String {
    let all = format!("{files:?}");
    digest(all.as_bytes())[..SHOWN].to_owned()
}

/// The names of files and folders in the arguments of `java`.
fn named(arguments: &[String], options: &RecordOptions) -> Vec<String> {
    let found = launched(arguments);
    let words = found.map_or(arguments, |found| found.words);
    let mut names = Vec::new();
    let mut has_path = false;
    let mut path = |list: &str, names: &mut Vec<String>| {
        has_path = true;
        names.extend(
            list.split(':')
                .filter(|entry| !entry.is_empty())
                .map(str::to_owned),
        );
    };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let assigned = word
            .split_once('=')
            .filter(|(name, _)| PATHS.contains(name));
        if PATHS.contains(&word.as_str()) {
            path(rest.next().map_or("", String::as_str), &mut names);
        } else if let Some((_, list)) = assigned {
            path(list, &mut names);
        } else if let Some(agent) = word.strip_prefix("-javaagent:") {
            names.push(agent.split('=').next().unwrap_or(agent).to_owned());
        } else if let Some(file) = word.strip_prefix('@') {
            names.push(file.to_owned());
        }
    }
    match found {
        Some(found) if !found.class || has_ending(Path::new(found.program), "java") => {
            names.push(found.program.to_owned());
        }
        // What is in a file of arguments is not known.
        Some(found) if !has_path && !found.program.starts_with('@') => {
            let set = options.env.get("CLASSPATH").cloned();
            let list = set.unwrap_or_else(|| ".".to_owned());
            names.extend(list.split(':').map(str::to_owned));
        }
        _ => {}
    }
    names
}

/// What is in a file, in the class files of a folder, or in the jars that `FOLDER/*` stands for; none where there is nothing.
fn state(path: &Path) -> Option<String> {
    if let Some(state) = state_of_file(path) {
        return Some(state);
    }
    let (folder, ending) = if path.ends_with("*") {
        (path.parent()?, "jar")
    } else {
        (path, "class")
    };
    if !folder.is_dir() {
        return None;
    }
    let mut found = Vec::new();
    collect(folder, ending, &mut found);
    found.sort();
    let mut all = Vec::new();
    for file in found {
        let name = file.strip_prefix(folder).unwrap_or(&file);
        let held = fs::read(&file).map_or_else(|_| UNREADABLE.to_owned(), |bytes| digest(&bytes));
        all.extend_from_slice(name.as_os_str().as_encoded_bytes());
        all.extend_from_slice(format!("\0{held}\0").as_bytes());
    }
    Some(short(&all))
}

fn state_of_file(path: &Path) -> Option<String> {
    let held = || fs::read(path).map_or_else(|_| UNREADABLE.to_owned(), |bytes| short(&bytes));
    path.is_file().then(held)
}

fn short(bytes: &[u8]) -> String {
    digest(bytes)[..SHOWN].to_owned()
}

/// The jars that a jar's manifest adds to the class path, and those that these add.
fn beside(jar: &Path) -> Vec<PathBuf> {
    let mut found = vec![jar.to_owned()];
    // Jars may name each other, over folders and back.
    let mut seen: BTreeSet<PathBuf> = fs::canonicalize(jar).into_iter().collect();
    let mut at = 0;
    while let Some(jar) = found.get(at).cloned() {
        at += 1;
        let folder = jar.parent().unwrap_or(Path::new(""));
        for entry in class_path(&jar).unwrap_or_default() {
            let path = folder.join(entry);
            if fs::canonicalize(&path).is_ok_and(|p| p.is_file() && seen.insert(p)) {
                found.push(path);
            }
        }
    }
    found.split_off(1)
}

/// The entries of `Class-Path` in a jar's manifest.
fn class_path(jar: &Path) -> Option<Vec<String>> {
    let mut archive = zip::ZipArchive::new(fs::File::open(jar).ok()?).ok()?;
    let entry = archive.by_name("META-INF/MANIFEST.MF").ok()?;
    let mut text = Vec::new();
    entry.take(MANIFEST).read_to_end(&mut text).ok()?;
    // A line that begins with a space goes on with the one before.
    let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
    let text = text.replace("\n ", "");
    let list = text.lines().find_map(|l| l.strip_prefix("Class-Path:"))?;
    Some(list.split_whitespace().map(str::to_owned).collect())
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

/// Adds the files of that ending; folders inside only where classes are looked for.
fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        // Hidden folders are no packages; folders behind links may lead in circles.
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if kind.is_dir() && ending == "class" && !hidden {
            collect(&path, ending, found);
        } else if !kind.is_dir() && has_ending(&path, ending) {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_files_of_a_command_are_found() {
        let options =
            crate::reopen::options_of(Path::new("."), &crate::journal::Manifest::default());
        for (line, names) in [
            (
                "-Xmx1g -cp a.jar:b/:c/* org.x.Main -jar in.jar",
                "a.jar b/ c/*",
            ),
            (
                "--class-path=a.jar -javaagent:t.jar=x=1 org.x.Main",
                "a.jar t.jar",
            ),
            ("-jar lib/app.jar -cp z", "lib/app.jar"),
            ("-p mods -m app/org.x.Main", "mods app/org.x.Main"),
            ("@args Main.java", "args"),
            ("Main.java {}", "Main.java"),
            ("org.x.Main", "."),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(named(&words, &options).join(" "), names, "{line}");
        }
    }

    #[test]
    fn a_changed_class_changes_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let class = dir.path().join("p/A.class");
        fs::create_dir(dir.path().join("p")).unwrap();
        fs::write(&class, "one").unwrap();
        fs::write(dir.path().join("data.txt"), "x").unwrap();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("p/loop")).unwrap();
        let first = state(dir.path()).unwrap();
        fs::write(dir.path().join("data.txt"), "y").unwrap();
        assert_eq!(state(dir.path()).unwrap(), first);
        fs::write(&class, "two").unwrap();
        assert_ne!(state(dir.path()).unwrap(), first);
        assert_eq!(state(&dir.path().join("absent.jar")), None);
    }

    #[test]
    fn jars_that_a_manifest_names_belong_to_the_program() {
        let dir = tempfile::tempdir().unwrap();
        let jar = |name: &str, manifest: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut writer = zip::ZipWriter::new(fs::File::create(&path).unwrap());
            let options = zip::write::SimpleFileOptions::default();
            writer.start_file("META-INF/MANIFEST.MF", options).unwrap();
            writer.write_all(manifest.as_bytes()).unwrap();
            writer.finish().unwrap();
            path
        };
        let app = jar(
            "app.jar",
            "Manifest-Version: 1.0\r\nClass-Path: lib/a\r\n .jar absent.jar\r\n\r\n",
        );
        let a = jar("lib/a.jar", "Class-Path: b.jar ../app.jar\n");
        let b = jar("lib/b.jar", "Main-Class: B\n");
        assert_eq!(beside(&app), [a, b.clone()]);
        assert_eq!(beside(&b), Vec::<PathBuf>::new());
        assert_eq!(beside(&dir.path().join("none")), Vec::<PathBuf>::new());
    }
}
