//! Archives made of files, what ran from them, and whether it agrees with the agent.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pricetag_archive::{CountsFile, Options, Outcome, Program, instrument};
use pricetag_probe_plan::PlanStore;
use pricetag_testkit::jvm::{self, java_tool};
use pricetag_testkit::{Agent, Counts, Machine, MethodKey};
use pricetag_trace::{AgentOptions, Mode, TraceWriter};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// A name in an archive and what is there.
pub type Entry = (String, Vec<u8>);

/// An archive of entries; names that begin with `=` are stored without compression.
pub fn archive(entries: &[Entry]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let (name, method) = match name.strip_prefix('=') {
            Some(name) => (name, CompressionMethod::Stored),
            None => (name.as_str(), CompressionMethod::Deflated),
        };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::from_date_and_time(2001, 2, 3, 4, 5, 6).unwrap());
        if name.ends_with('/') {
            writer.add_directory(name, options).unwrap();
        } else {
            writer.start_file(name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

/// An entry that is text.
pub fn file(name: &str, text: &str) -> Entry {
    (name.to_owned(), text.as_bytes().to_vec())
}

/// All files below a directory, as entries below `prefix`, in the order of their names.
pub fn entries(directory: &Path, prefix: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(directory).unwrap().to_str().unwrap();
                found.push((format!("{prefix}{name}"), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The contents and compression of an entry.
pub fn entry(archive: &[u8], name: &str) -> (Vec<u8>, CompressionMethod) {
    let mut reader = ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut entry = reader.by_name(name).unwrap_or_else(|_| panic!("{name}"));
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).unwrap();
    (bytes, entry.compression())
}

/// Runs a tool of the JDK and wants it to succeed.
pub fn tool(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(java_tool(name))
        .args(arguments)
        .output()
        .expect("there is a JDK");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{name} {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compiles sources, given by file name, into `into`.
pub fn compile(sources: &[(&str, &str)], options: &[&str], into: &Path) {
    let scratch = tempfile::tempdir().unwrap();
    let mut arguments = options.to_vec();
    let paths: Vec<String> = sources
        .iter()
        .map(|(name, text)| {
            let path = scratch.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    arguments.extend(["-g", "-proc:none", "-d", into.to_str().unwrap()]);
    arguments.extend(paths.iter().map(String::as_str));
    tool("javac", &arguments);
}

/// An archive, instrumented as it is by default.
pub fn changed(archive: &[u8]) -> Outcome {
    instrument(archive, &Options::default()).expect("it can be instrumented")
}

/// The files of counts that lie at a path and at those numbered after it.
pub fn counts_at(path: &Path) -> Vec<CountsFile> {
    let mut paths = vec![path.to_path_buf()];
    let numbered = |n: u32| {
        let mut name = OsString::from(path);
        name.push(format!(".{n}"));
        PathBuf::from(name)
    };
    paths.extend((1..).map(numbered).take_while(|path| path.exists()));
    let read = |path: &PathBuf| CountsFile::parse(&fs::read(path).expect("counts")).unwrap();
    paths.iter().map(read).collect()
}

/// An instrumented archive, ready to run, with its plans beside it.
pub struct Counting {
    /// The archive.
    pub jar: PathBuf,
    /// What is in it.
    pub program: Program,
    folder: TempDir,
}

impl Counting {
    /// Puts an archive and its plans into a folder.
    pub fn new(instrumented: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("out.jar");
        fs::write(&jar, instrumented).unwrap();
        let program = Program::read(instrumented).expect("an instrumented archive");
        let plans = PlanStore::open(folder.path().join("plans")).unwrap();
        program.store_plans(&plans).unwrap();
        Self {
            jar,
            program,
            folder,
        }
    }

    /// Counts per instruction of what a run wrote; an error if it ended before it had written them.
    pub fn derive(&self, counts: &Path) -> Result<Counts, String> {
        let files = counts_at(counts);
        let trace = self.program.trace(&files).expect("counts of this archive");
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("trace");
        let mut writer = TraceWriter::create(&path).unwrap();
        for record in &trace.records {
            writer.write(record).unwrap();
        }
        writer.flush().unwrap();
        let plans = self.folder.path().join("plans");
        Counts::from_trace(&path, &plans).map_err(|error| error.to_string())
    }
}

/// Instructions that ran, and how often.
pub type Executed = BTreeMap<MethodKey, BTreeMap<u16, u64>>;

/// Counts without what did not run, of which agents know more than archives.
pub fn executed(counts: &Counts) -> Executed {
    let mut executed = counts.methods.clone();
    for instructions in executed.values_mut() {
        instructions.retain(|_, count| *count > 0);
    }
    executed.retain(|_, instructions| !instructions.is_empty());
    executed
}

/// A command line of `java`.
pub struct Line<'a> {
    /// Which.
    pub machine: &'a Machine,
    /// Its arguments, in which `{jar}` stands for an archive, and `{root}` for a folder that it is unpacked to.
    pub arguments: &'a [&'a str],
    /// Beginnings of the names of classes that read the archive, and so have more to do when it is instrumented: they are not compared.
    pub readers: &'a [&'a str],
}

impl Line<'_> {
    /// Runs an archive with one more option.
    pub fn run(&self, archive: &[u8], option: &str) -> jvm::Outcome {
        let folder = tempfile::tempdir().unwrap();
        let (jar, root) = (folder.path().join("it.jar"), folder.path().join("root"));
        fs::write(&jar, archive).unwrap();
        if self.arguments.iter().any(|a| a.contains("{root}")) {
            let mut reader = ZipArchive::new(Cursor::new(archive)).unwrap();
            reader.extract(&root).unwrap();
        }
        let places = [("{jar}", &jar), ("{root}", &root)];
        let mut command = Command::new(&self.machine.java);
        command.arg(option);
        for argument in self.arguments {
            let placed = places
                .iter()
                .fold((*argument).to_owned(), |text, (name, path)| {
                    text.replace(name, path.to_str().unwrap())
                });
            command.arg(placed);
        }
        jvm::run(command, Duration::from_mins(2)).expect("it ends")
    }
}

/// What an archive and its instrumented form agree on.
pub struct Agreement {
    /// What became of the archive.
    pub outcome: Outcome,
    /// What the program printed.
    pub output: String,
    /// How often each instruction ran.
    pub executed: Executed,
}

impl Agreement {
    /// The classes that were compared.
    pub fn classes(&self) -> Vec<&str> {
        let classes: BTreeSet<&str> = self.executed.keys().map(|m| m.class.as_str()).collect();
        classes.into_iter().collect()
    }
}

/// Runs an archive under the agent, and its instrumented form by itself: both print the same and count the same, instruction by
/// instruction, in all classes that `options` selects.
pub fn agrees_with_agent(archive: &[u8], options: &Options, line: &Line<'_>) -> Agreement {
    let what = format!("{:?} on {}", line.arguments, line.machine.name);
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name);
    let asked = AgentOptions {
        plans: Some(path("plans")),
        include: options.include.clone(),
        exclude: options.exclude.clone(),
        keep: options.listed.clone(),
        ..AgentOptions::new(Mode::Count, path("trace"))
    };
    asked.write(&path("options")).unwrap();
    let agent = Agent::locate().expect("the agent builds");
    let under = line.run(archive, &agent.option(&path("options")));
    assert_eq!(under.status, Some(0), "{what}: {}", under.error);
    let agents = Counts::from_trace(&path("trace"), &path("plans")).expect("a whole trace");
    assert_eq!(agents.inexact, [""; 0], "{what}");

    let outcome = instrument(archive, options).expect("it can be instrumented");
    let property = format!("-Dpricetag.counts={}", path("counts").display());
    let alone = line.run(&outcome.bytes, &property);
    let (said, expected) = (&alone.error, &under.output);
    assert_eq!((alone.status, &alone.output), (Some(0), expected), "{said}");
    assert!(!said.contains("pricetag"), "{what}: {said}");
    let offline = Counting::new(&outcome.bytes)
        .derive(&path("counts"))
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(agents.imbalances.is_empty() && offline.imbalances.is_empty());
    let reads = |class: &str| line.readers.iter().any(|reader| class.starts_with(reader));
    for caveat in &offline.inexact {
        assert!(reads(&caveat.replace('.', "/")), "{what}: {caveat}");
    }
    let [agents, offline] = [&agents, &offline].map(|counts| {
        let mut executed = executed(counts);
        executed.retain(|method, _| !reads(&method.class));
        executed
    });
    let differing: Vec<String> = agents
        .keys()
        .chain(offline.keys())
        .filter(|method| agents.get(method) != offline.get(method))
        .map(|method| {
            let (agent, alone) = (agents.get(method), offline.get(method));
            format!("{method}: under the agent {agent:?}, by itself {alone:?}")
        })
        .collect();
    assert_eq!(differing, [""; 0], "{what}");
    Agreement {
        outcome,
        output: alone.output,
        executed: offline,
    }
}
