//! What allocated bytes depend on beside the program: how many processors the JVM has, its options, and where the program lies.
//!
//! With one processor HotSpot chooses another collector, and collectors differ in what they allocate themselves. Texts with the path of the
//! working directory grow with it. So bytes beyond the limit say nothing of the program where one of these differs.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::baseline::Baseline;
use crate::counted::Identity;
use crate::verdict::Row;

/// Where a suite ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circumstances {
    /// Processors that the JVM may use: one, or several.
    pub processors: String,
    /// Letters of the working directory's path.
    pub path: usize,
}

impl Circumstances {
    /// Those of this process, whose programs run in a folder.
    pub fn here(folder: Option<&Path>) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let own = || std::env::current_dir().unwrap_or_default();
        let folder = match folder {
            Some(folder) => own().join(folder),
            None => own(),
        };
        Self {
            processors: if processors > 1 { "several" } else { "one" }.to_owned(),
            path: folder.as_os_str().len(),
        }
    }
}

/// Options of the JVM in a command: the words with `-X` before the program.
fn options(command: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    let mut words = command.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-jar" | "-m" | "--module" => break,
            // Their value is a word of its own.
            "-cp" | "-classpath" | "--class-path" | "-p" | "--module-path" | "--add-modules" => {
                words.next();
            }
            _ if word.starts_with("-X") => found.push(word),
            _ if word.starts_with(['-', '@']) => {}
            _ => break,
        }
    }
    found
}

/// Why bytes that are beyond their limit cannot be judged.
pub(crate) fn bytes_elsewhere(
    baseline: &Baseline,
    here: &Identity,
    failed: &[&Row],
) -> Option<String> {
    let before = baseline.circumstances.as_ref()?;
    let now = &here.circumstances;
    let mut differ = Vec::new();
    if before.processors != now.processors {
        differ.push(format!(
            "of processors the JVM has {} and had {}, so it may choose another collector",
            now.processors, before.processors
        ));
    }
    let (old, new) = (options(&baseline.command), options(&here.command));
    if old != new {
        let told = |options: &[&str]| match options {
            [] => "none".to_owned(),
            some => some.join(" "),
        };
        differ.push(format!(
            "its options are {} and were {}",
            told(&new),
            told(&old)
        ));
    }
    if before.path != now.path {
        differ.push(format!(
            "the path of the working directory has {} letters and had {}",
            now.path, before.path
        ));
    }
    let first = failed.first()?;
    (!differ.is_empty()).then(|| {
        format!(
            "bytes are beyond what is allowed, in `{}` first, but they were recorded elsewhere: {}; check where it was recorded, or allow for it (`--allow bytes=5%`)",
            first.benchmark,
            differ.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_before_the_program() {
        let of = |line: &str| {
            let command: Vec<String> = line.split(' ').map(str::to_owned).collect();
            options(&command).join(" ")
        };
        assert_eq!(
            of("java -Xmx64m -cp lib/a.jar:b.jar -XX:+UseZGC org.shop.Main -Xfast"),
            "-Xmx64m -XX:+UseZGC"
        );
        assert_eq!(of("java -jar app.jar {}"), "");
    }

    #[test]
    fn bytes_that_were_measured_elsewhere_say_so() {
        let at = |processors: &str, path: usize| Circumstances {
            processors: processors.to_owned(),
            path,
        };
        let baseline = Baseline {
            circumstances: Some(at("several", 10)),
            ..Baseline::default()
        };
        let row = Row {
            benchmark: "b".to_owned(),
            metric: crate::Metric::Bytes,
            before: crate::Figure::Exact(1),
            after: crate::Figure::Exact(2),
            level: crate::Level::Failed,
            most: 1,
            limit: "0%".to_owned(),
        };
        let told = |circumstances: Circumstances, rows: &[&Row]| {
            let here = Identity {
                circumstances,
                ..Identity::default()
            };
            bytes_elsewhere(&baseline, &here, rows)
        };
        assert_eq!(told(at("several", 10), &[&row]), None);
        assert_eq!(told(at("one", 10), &[]), None);
        assert!(told(at("one", 10), &[&row]).unwrap().contains("collector"));
        let path = told(at("several", 99), &[&row]).unwrap();
        assert!(path.contains("99 letters and had 10"), "{path}");
    }
}
