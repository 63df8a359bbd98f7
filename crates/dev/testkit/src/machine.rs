//! A Java virtual machine and the options it runs under.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::jvm::{java_tool, run};
use crate::{TestkitError, content};

/// First release in which ZGC is no experiment.
const ZGC_READY: u16 = 15;
/// First release with object headers of 8 bytes that need no unlocking.
const COMPACT_HEADERS: u16 = 25;

/// What stands for the program's name in an option.
pub const PROGRAM: &str = "{program}";
/// The program's own classes are compiled before their first call, and no others, which would take long.
const COMPILED: [&str; 3] = [
    "-Xcomp",
    "-XX:CompileCommand=quiet",
    "-XX:CompileCommand=compileonly,{program}*.*",
];

/// A virtual machine: a `java` program with options that come before the subject's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// What to call it in reports.
    pub name: String,
    /// The program.
    pub java: PathBuf,
    /// Feature release.
    pub feature: u16,
    /// Options, in which [`PROGRAM`] is replaced.
    pub options: Vec<String>,
}

impl Machine {
    /// A machine without options.
    pub fn new(java: PathBuf, feature: u16) -> Self {
        Self {
            name: format!("JDK {feature}"),
            java,
            feature,
            options: Vec::new(),
        }
    }

    /// The one of `JAVA_HOME` or on the path.
    ///
    /// # Errors
    /// If it does not run or does not say its version.
    pub fn system() -> Result<Self, TestkitError> {
        let java = java_tool("java");
        let mut command = Command::new(&java);
        command.args(["-XshowSettings:properties", "-version"]);
        let outcome = run(command, Duration::from_mins(1))?;
        let feature = outcome
            .error
            .lines()
            .find_map(|line| {
                line.trim()
                    .strip_prefix("java.specification.version = ")?
                    .parse()
                    .ok()
            })
            .ok_or_else(|| content(&java, "does not say its version"))?;
        Ok(Self::new(java, feature))
    }

    /// The same machine under further options.
    #[must_use]
    pub fn with(&self, name: &str, options: &[&str]) -> Self {
        let mut machine = self.clone();
        machine.name = format!("{}, {name}", self.name);
        machine
            .options
            .extend(options.iter().map(|&o| o.to_owned()));
        machine
    }

    /// The same machine with each collector, with and without compressed references, with each way to run bytecode, and with what the agent
    /// calls checked: the JVM complains on standard output, which is compared.
    pub fn configurations(&self) -> Vec<Self> {
        let zgc: &[&str] = if self.feature < ZGC_READY {
            &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"]
        } else {
            &["-XX:+UseZGC"]
        };
        let mut all = vec![
            self.with("G1", &["-XX:+UseG1GC"]),
            self.with("ZGC", zgc),
            self.with("Serial", &["-XX:+UseSerialGC"]),
            self.with("Parallel", &["-XX:+UseParallelGC"]),
            self.with(
                "G1, references of 64 bits",
                &["-XX:+UseG1GC", "-XX:-UseCompressedOops"],
            ),
            self.with("interpreter", &["-Xint"]),
            self.with("C1", &["-XX:TieredStopAtLevel=1"]),
            self.with("C2", &["-XX:-TieredCompilation"]),
            self.with("compiled before the first call", &COMPILED),
            // Without `-Xrs` releases before 17 complain of signals that whoever began all this has ignored, as `nohup` does.
            self.with("calls by JNI checked", &["-Xcheck:jni", "-Xrs"]),
        ];
        if self.feature >= COMPACT_HEADERS {
            all.push(self.with("compact headers", &["-XX:+UseCompactObjectHeaders"]));
        }
        all
    }
}
