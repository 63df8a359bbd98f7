//! How long a program's counting runs took, beyond a recording: `CACHE/lengths/PROGRAM`, a few lines of text.
//!
//! How a run is best compiled depends on its length ([`crate::compilation`]), and nobody knows it before the first run of a recording has ended, which may be the only one. So each
//! recording leaves the longest of its runs to later ones. PROGRAM is a hash of what tells programs apart, not of their own arguments: a prediction for another input is to find it.
//! Limits: a program whose arguments make it short or long is as long as it was at its longest lately; of variables that the user has set, only `JAVA_TOOL_OPTIONS` tells programs apart. What is damaged, or cannot be kept, is as good as nothing.

use std::fs::{File, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pricetag_dataset::command::launched;
use pricetag_probe_plan::ClassHash;
use pricetag_trace::{AgentOptions, Mode};

use crate::cache::{Room, entries, is_hash, make_room, ours_alone};
use crate::jvm::{Java, Launcher};
use crate::options::RecordOptions;
use crate::template::has_placeholder;

/// Recordings of a program that are remembered, so that one that was disturbed is forgotten some day.
const RECORDINGS: usize = 10;
/// What is left when a recording begins: programs, of some hundred bytes each.
const ROOM: Room = Room {
    bytes: u64::MAX,
    files: 1000,
};
/// The first line of a file.
const HEAD: &str = "pricetag lengths 1";
/// No file of ours is longer.
const LONGEST_FILE: u64 = 1000;

/// What a recording says about the length of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// That of a first run that may have rewritten all classes; there was no other.
    First(Duration),
    /// That of the longest run by which nothing, or little, was rewritten.
    Later(Duration),
}

/// What is remembered of one program.
#[derive(Debug)]
pub struct Lengths {
    file: PathBuf,
    known: Vec<Length>,
}

impl Lengths {
    /// What is remembered of a program; none where nothing can be kept, or others can write. Programs that were not recorded for longest make room.
    pub fn of(cache: &Path, program: ClassHash) -> Option<Self> {
        let folder = ours_alone(std::path::absolute(cache).ok()?.join("lengths"))?;
        let file = folder.join(program.to_string());
        let known = read(&file);
        make_room(entries(&folder, is_ours), ROOM);
        Some(Self { file, known })
    }

    /// What was known when this recording began, newest last.
    pub fn known(&self) -> &[Length] {
        &self.known
    }

    /// Remembers what one more recording has found. If that cannot be, nothing is lost but time.
    pub fn add(&self, length: Length) {
        // Others may have ended meanwhile.
        let mut all = read(&self.file);
        all.push(length);
        let newest = &all[all.len().saturating_sub(RECORDINGS)..];
        let _ = pricetag_file::write(&self.file, to_text(newest).as_bytes());
    }
}

/// By what a program is found: its JVM, what it is started with up to its own arguments, where that depends on the working directory, and which code is counted. Of the features,
/// some of which a prediction leaves out, only whether there are values, and what is split by calling method. None if the working directory is gone.
pub fn key(
    options: &RecordOptions,
    program: &Path,
    launcher: Launcher,
    java: Option<&Java>,
    flags: &[String],
) -> Option<ClassHash> {
    let property = |name| java.and_then(|java| java.properties.get(name));
    let jvm = ["java.version", "java.vm.name", "java.vm.version"].map(property);
    let (words, anywhere) = told_apart_by(launcher, options.command.get(1..).unwrap_or_default());
    let here = options.cwd.as_deref().unwrap_or(Path::new("."));
    let here = (!anywhere)
        .then(|| std::path::absolute(here))
        .transpose()
        .ok()?;
    let given = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"].map(|name| options.env.get(name));
    let inherited = &options.java_tool_options;
    let counted = AgentOptions {
        include: options.include.clone(),
        exclude: options.exclude.clone(),
        scopes: vec![options.scope.clone()],
        count_jdk: options.count_jdk,
        keep: options.listed.clone(),
        values: options.values.min(1),
        callers: options.callers || options.invocations,
        ..AgentOptions::new(Mode::Count, PathBuf::new())
    };
    // Quoted, so that no two lists read the same.
    let started = (program, jvm, words, here, given, inherited, flags);
    let all = format!("{started:?}\n{}", counted.to_text());
    Some(ClassHash::of(all.as_bytes()))
}

/// The words of a command that tell programs apart, and whether these are the same program in every folder.
fn told_apart_by(launcher: Launcher, arguments: &[String]) -> (Vec<&str>, bool) {
    let words = arguments.iter().map(String::as_str);
    match launcher {
        Launcher::Java => match launched(arguments) {
            // What is in a file of arguments is not known.
            Some(found) if !found.words.iter().any(|word| word.starts_with('@')) => (
                words.take(found.words.len()).collect(),
                !found.class && found.program.starts_with('/'),
            ),
            _ => (
                words.take_while(|word| !has_placeholder(word)).collect(),
                false,
            ),
        },
        // Its own arguments say what it works on, wherever that is.
        Launcher::JdkTool => (words.filter(|word| word.starts_with("-J")).collect(), true),
        Launcher::Other => (Vec::new(), false),
    }
}

/// Of files in the folder, those that recordings left, and those that they were writing when they died.
fn is_ours(path: &Path, kind: FileType) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let ours = |name: &str| match name.split_once('.') {
        Some((program, writer)) => is_hash(program) && writer.parse::<u32>().is_ok(),
        None => is_hash(name),
    };
    kind.is_file() && name.is_some_and(ours)
}

fn read(file: &Path) -> Vec<Length> {
    let mut text = String::new();
    let opened = File::open(file).map(|file| file.take(LONGEST_FILE));
    match opened.and_then(|mut file| file.read_to_string(&mut text)) {
        Ok(_) => from_text(&text).unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

/// A line for each recording, of the kind of run and its length in ns.
fn to_text(lengths: &[Length]) -> String {
    let ns = |wall: Duration| u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
    let lines = lengths.iter().map(|length| match length {
        Length::First(wall) => format!("first {}\n", ns(*wall)),
        Length::Later(wall) => format!("later {}\n", ns(*wall)),
    });
    std::iter::once(format!("{HEAD}\n")).chain(lines).collect()
}

/// None if any of it is not as it was written.
fn from_text(text: &str) -> Option<Vec<Length>> {
    let mut lines = text.strip_suffix('\n')?.split('\n');
    if lines.next()? != HEAD {
        return None;
    }
    let lengths = lines.map(|line| {
        let (kind, ns) = line.split_once(' ')?;
        let wall = Duration::from_nanos(ns.parse().ok()?);
        match kind {
            "first" => Some(Length::First(wall)),
            "later" => Some(Length::Later(wall)),
            _ => None,
        }
    });
    lengths.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::MetadataExt;
    use std::time::SystemTime;

    use pricetag_trace::Listed;

    use std::fs;

    use super::*;
    use crate::journal::{MANIFEST_SCHEMA, Manifest};
    use crate::reopen::options_of;

    const PROGRAM: ClassHash = ClassHash(7);

    fn later(ms: u64) -> Length {
        Length::Later(Duration::from_millis(ms))
    }

    fn known(cache: &Path) -> Vec<Length> {
        Lengths::of(cache, PROGRAM).unwrap().known().to_vec()
    }

    #[test]
    fn the_last_ten_recordings_are_remembered() {
        let cache = tempfile::tempdir().unwrap();
        assert_eq!(known(cache.path()), []);
        let first = Length::First(Duration::from_nanos(2_500_000_001));
        Lengths::of(cache.path(), PROGRAM).unwrap().add(first);
        let lengths = Lengths::of(cache.path(), PROGRAM).unwrap();
        for ms in 1..10 {
            lengths.add(later(ms));
        }
        let all: Vec<Length> = [first].into_iter().chain((1..10).map(later)).collect();
        assert_eq!(known(cache.path()), all);
        lengths.add(Length::Later(Duration::MAX));
        let newest = known(cache.path());
        assert_eq!(newest[..9], all[1..]);
        let Length::Later(longest) = newest[9] else {
            panic!("{newest:?}");
        };
        assert!(longest > Duration::from_hours(1));
        let others = Lengths::of(cache.path(), ClassHash(8)).unwrap();
        assert_eq!(others.known(), []);
        let folder = cache.path().join("lengths");
        assert_eq!(
            entries(&folder, |_, _| true),
            [folder.join(PROGRAM.to_string())]
        );
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn what_is_damaged_is_as_good_as_nothing() {
        let cache = tempfile::tempdir().unwrap();
        let lengths = Lengths::of(cache.path(), PROGRAM).unwrap();
        lengths.add(later(1834));
        lengths.add(later(12));
        let file = cache.path().join("lengths").join(PROGRAM.to_string());
        let whole = fs::read(&file).unwrap();
        let line = b"later 12000000\n".len();
        for length in (0..whole.len()).filter(|&length| length + line != whole.len()) {
            fs::write(&file, &whole[..length]).unwrap();
            let left = known(cache.path());
            assert!(left.is_empty(), "cut at {length}: {left:?}");
        }
        for nonsense in [
            &b"\xff\xfe"[..],
            b"pricetag lengths 2\nlater 5\n",
            b"pricetag lengths 1\nlatest 5\n",
            b"pricetag lengths 1\nlater -5\n",
            b"pricetag lengths 1\nlater 99999999999999999999\n",
            b"pricetag lengths 1\nlater 5\n\n",
            &[b'0'; 5000],
        ] {
            fs::write(&file, nonsense).unwrap();
            assert_eq!(known(cache.path()), []);
        }
        lengths.add(later(3));
        assert_eq!(known(cache.path()), [later(3)]);
    }

    #[test]
    fn where_nothing_can_be_kept_nothing_is_lost() {
        let cache = tempfile::tempdir().unwrap();
        let taken = cache.path().join("file");
        fs::write(&taken, "no folder").unwrap();
        assert!(Lengths::of(&taken, PROGRAM).is_none());
        let lengths = Lengths::of(cache.path(), PROGRAM).unwrap();
        fs::remove_dir(cache.path().join("lengths")).unwrap();
        lengths.add(later(1));
        assert_eq!(known(cache.path()), []);
        let file = cache.path().join("lengths").join(PROGRAM.to_string());
        fs::create_dir(&file).unwrap();
        lengths.add(later(1));
        assert_eq!(known(cache.path()), []);
        let left = entries(&cache.path().join("lengths"), |_, _| true);
        assert_eq!(left, [file], "nothing half written");
    }

    #[test]
    fn programs_that_were_not_recorded_for_longest_make_room_and_strangers_stay() {
        let cache = tempfile::tempdir().unwrap();
        let folder = ours_alone(cache.path().join("lengths")).unwrap();
        let put = |name: &str, ago: u64| {
            let file = File::create(folder.join(name)).unwrap();
            let used = SystemTime::now() - Duration::from_secs(3600 * ago);
            file.set_modified(used).unwrap();
        };
        let of = |program: u128| ClassHash(program).to_string();
        let died = format!("{}.4711", of(5));
        let strangers = ["notes.txt", &of(1)[1..], &format!("{}.old", of(1))];
        for name in strangers {
            put(name, 9999);
        }
        put(&died, 5000);
        for program in 0..1001 {
            put(&of(program), 2000 - program as u64);
        }
        Lengths::of(cache.path(), PROGRAM).unwrap();
        let left = entries(&folder, |_, _| true);
        assert_eq!(left.len(), 1000 + strangers.len());
        for gone in [&died, &of(0)] {
            assert!(!left.contains(&folder.join(gone)), "{gone}");
        }
        for stays in strangers.iter().copied().chain([of(1).as_str()]) {
            assert!(left.contains(&folder.join(stays)), "{stays}");
        }
    }

    /// The key of a command, by a JVM of that version.
    fn key_on(version: &str, line: &str, change: impl Fn(&mut RecordOptions)) -> ClassHash {
        let manifest = Manifest {
            schema: MANIFEST_SCHEMA,
            command: line.split(' ').map(str::to_owned).collect(),
            options: BTreeMap::new(),
            protocol: BTreeMap::new(),
            environment: None,
            platform: BTreeMap::new(),
            cases: Vec::new(),
            ..Manifest::default()
        };
        let mut options = options_of(Path::new("data"), &manifest);
        change(&mut options);
        let program = Path::new("/jdk/bin").join(&options.command[0]);
        let properties = [("java.version".to_owned(), version.to_owned())];
        let java = Java {
            properties: BTreeMap::from(properties),
            ..Java::default()
        };
        let launcher = Launcher::of(&program);
        key(&options, &program, launcher, Some(&java), &[]).unwrap()
    }

    fn of(line: &str) -> ClassHash {
        key_on("17", line, |_| {})
    }

    #[test]
    fn inputs_are_of_one_program_others_are_not() {
        for (line, same) in [
            ("java -cp a Main {}", "java -cp a Main in/b --fast"),
            ("java -jar a.jar {} -v", "java -jar a.jar -cp x Other"),
            ("java -m a/b.Main {}", "java -m a/b.Main"),
            ("java @all {}", "java @all {size} x"),
            ("javac -d out {}", "javac A.java B.java"),
            ("./run.sh {}", "./run.sh A"),
        ] {
            assert_eq!(of(line), of(same), "{line}");
        }
        let all = [
            "java -cp a Main {}",
            "java -cp b Main {}",
            "java -cp a Other {}",
            "java -Xint -cp a Main {}",
            "java -Xmx1g -cp a Main {}",
            "java -jar Main {}",
            "java -jar a.jar {}",
            "java -jar b.jar {}",
            "java -m Main {}",
            "java @one {}",
            "java @two Main {}",
            "java @two Other {}",
            "javac {}",
            "javac -J-Xint {}",
            "javap {}",
            "run.sh {}",
        ];
        for (at, line) in all.iter().enumerate() {
            for other in &all[..at] {
                assert_ne!(of(line), of(other), "{line}; {other}");
            }
        }
        assert_ne!(of(all[0]), key_on("21", all[0], |_| {}));
    }

    #[test]
    fn where_a_program_is_and_what_is_counted_of_it_tell_it_apart() {
        let elsewhere = |options: &mut RecordOptions| options.cwd = Some("/elsewhere".into());
        for (line, moves) in [
            ("java -jar a.jar {}", true),
            ("java -cp /a Main {}", true),
            ("run.sh {}", true),
            ("java -jar /a.jar {}", false),
            ("javac {}", false),
        ] {
            let moved = key_on("17", line, elsewhere);
            assert_eq!(of(line) != moved, moves, "{line}");
        }
        let line = "java -jar a.jar {}";
        let with = |change: fn(&mut RecordOptions)| key_on("17", line, change) != of(line);
        assert!(with(|o| o.count_jdk = true));
        assert!(with(|o| o.include = vec!["java.**".parse().unwrap()]));
        assert!(with(|o| o.exclude = vec!["a.**".parse().unwrap()]));
        assert!(with(|o| o.scope = "A#b".parse().unwrap()));
        let listed = |o: &mut RecordOptions| {
            let method = "A.b()V".parse().unwrap();
            o.listed = Listed::of([method], []).unwrap();
        };
        assert!(with(listed));
        assert!(with(|o| o.values = 1));
        assert!(with(|o| o.invocations = true));
        assert!(with(|o| o.java_tool_options = Some("-Xint".to_owned())));
        let tool_options = |o: &mut RecordOptions| {
            let given = ("JAVA_TOOL_OPTIONS".to_owned(), "-Xint".to_owned());
            o.env.extend([given]);
        };
        assert!(with(tool_options));
        assert!(!with(|o| {
            o.transitions = true;
            o.strides = true;
            o.repeat = 9;
            o.stdin = Some("{}".to_owned());
        }));
    }
}
