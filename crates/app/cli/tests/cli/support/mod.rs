//! A directory with a compiled subject and inputs, and the program under test run in it.

pub mod typed;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

/// The compiled subjects, made once per test binary.
pub fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("subjects-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects");
        let status = Command::new("javac")
            .arg("-g")
            .arg("-d")
            .arg(&dir)
            .args(
                [
                    "Chores.java",
                    "Early.java",
                    "Naps.java",
                    "Parts.java",
                    "Sums.java",
                    "Uploads.java",
                ]
                .map(|name| sources.join(name)),
            )
            .status();
        assert!(
            status
                .expect("these tests need a JDK: `javac` is not on PATH")
                .success()
        );
        dir
    })
}

/// The program under test.
pub fn program() -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_pricetag"));
    let agent = program.with_file_name("libpricetag_agent.so");
    assert!(
        agent.is_file(),
        "these tests need the agent: `cargo build -p pricetag-agent` first ({} is missing)",
        agent.display()
    );
    program
}

/// A working directory.
pub struct Desk {
    dir: tempfile::TempDir,
}

/// What a run of the program left.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Desk {
    /// With these inputs in `in/`.
    pub fn new(inputs: &[(&str, &str)]) -> Self {
        let desk = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir(desk.path("in")).unwrap();
        for (name, text) in inputs {
            std::fs::write(desk.path("in").join(name), text).unwrap();
        }
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Compiles Java sources, with all that debuggers want to know, into a folder.
    pub fn compile<P: AsRef<OsStr>>(&self, into: &str, sources: &[P]) {
        let mut javac = Command::new(pricetag_testkit::jvm::java_tool("javac"));
        javac.arg("-g").arg("-d").arg(self.path(into)).args(sources);
        assert!(javac.status().expect("a JDK").success());
    }

    /// The same of one class, whose source is given.
    pub fn class(&self, into: &str, name: &str, source: &str) {
        let file = self.path(&format!("{name}.java"));
        std::fs::write(&file, source).unwrap();
        self.compile(into, &[file]);
    }

    /// The program in this directory, without the caller's settings and caches.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(program());
        command
            .args(line.split_whitespace())
            .current_dir(self.dir.path());
        for (name, _) in
            std::env::vars().filter(|(n, _)| n.starts_with("PRICETAG_") || n == "JAVA_TOOL_OPTIONS")
        {
            command.env_remove(name);
        }
        command.env("PRICETAG_CACHE", "none");
        command
    }

    /// Arguments before `--`, then the subject over its inputs.
    pub fn subject(&self, line: &str) -> Command {
        let mut command = self.command(line);
        command
            .arg("--")
            .arg("java")
            .arg("-Xmx64m")
            .arg("-cp")
            .arg(classes())
            .arg("Sums");
        command
    }

    pub fn run(&self, line: &str) -> Ran {
        ran(self.command(line))
    }

    /// The subject with `{}`.
    pub fn watch(&self, line: &str) -> Ran {
        let mut command = self.subject(line);
        command.arg("{}");
        ran(command)
    }

    pub fn json(&self, line: &str) -> Value {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        ran.json()
    }
}

pub fn ran(mut command: Command) -> Ran {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    Ran {
        code: status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

impl Ran {
    pub fn json(&self) -> Value {
        let value: Value =
            serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}", self.stdout));
        assert!(value["schema"].is_u64(), "no schema in {}", self.stdout);
        value
    }
}
