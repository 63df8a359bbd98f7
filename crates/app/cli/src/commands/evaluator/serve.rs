//! `pricetag evaluator serve`: answers to lines, at once, by JVMs that wait.
//!
//! Each input has a JVM of its own, since a program leaves traces in its classes. It is started before the input is known and has done what
//! needs none: so an answer takes as long as its evaluation.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use pricetag_evaluator::{Answer, Evaluator};

use super::ask::evaluator;
use super::shown;
use crate::arguments::EvaluatorServeArgs;
use crate::console::Console;
use crate::failure::{Failure, io};

pub fn run(args: &EvaluatorServeArgs, console: &Console) -> Result<ExitCode, Failure> {
    let evaluator = evaluator(&args.predictor)?;
    let here = std::env::current_dir().map_err(io("find", Path::new(".")))?;
    let mut waiting = Waiting {
        jar: here.join(&args.predictor),
        options: &evaluator,
        ready: VecDeque::new(),
    };
    waiting.fill(args.waiting as usize)?;
    console.say(&format!(
        "{} waits for lines: an input each, or a JSON array of the program's arguments",
        shown(&args.predictor)
    ));
    let standard = Path::new("standard input");
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(io("read", standard))?;
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let answer = match words(line) {
            Ok(words) => waiting.answer(&words)?,
            Err(why) => unknown(format!("the line is no input: {why}")),
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")
            .and_then(|()| out.flush())
            .map_err(io("write", Path::new("standard output")))?;
        drop(out);
        waiting.fill(args.waiting as usize)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The program's arguments.
fn words(line: &str) -> Result<Vec<String>, String> {
    if line.starts_with('[') {
        return serde_json::from_str(line).map_err(|e| e.to_string());
    }
    Ok(vec![line.to_owned()])
}

fn unknown(why: String) -> String {
    serde_json::to_string(&Answer::unknown(why)).unwrap_or_default()
}

/// JVMs that have been started and wait for an input.
struct Waiting<'e> {
    jar: PathBuf,
    options: &'e Evaluator,
    ready: VecDeque<Waiter>,
}

struct Waiter {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Waiting<'_> {
    /// Starts as many as are missing.
    fn fill(&mut self, wanted: usize) -> Result<(), Failure> {
        while self.ready.len() < wanted {
            let mut child = Command::new("java")
                .args(&self.options.subject.options)
                .args(["-Dpricetag.waits=true", "-jar"])
                .arg(&self.jar)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .map_err(io("start", Path::new("java")))?;
            if let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) {
                let from = BufReader::new(from);
                self.ready.push_back(Waiter { child, to, from });
            }
        }
        Ok(())
    }

    /// What the one that has waited longest answers: a line of JSON.
    fn answer(&mut self, words: &[String]) -> Result<String, Failure> {
        self.fill(1)?;
        let Some(mut waiter) = self.ready.pop_front() else {
            return Ok(unknown("no JVM could be started".to_owned()));
        };
        let coded: Vec<String> = words.iter().map(|word| coded(word)).collect();
        let asked = writeln!(waiter.to, "{}", coded.join(" ")).and_then(|()| waiter.to.flush());
        let mut answer = String::new();
        let told = asked.and_then(|()| waiter.from.read_line(&mut answer));
        let ended = waiter
            .child
            .wait()
            .map_err(io("wait for", Path::new("java")))?;
        Ok(match told {
            Ok(length) if length > 0 => answer.trim_end().to_owned(),
            _ => unknown(format!("its JVM ended without an answer ({ended})")),
        })
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // One that was not asked waits still.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// An argument as it stands in addresses: without blanks and ends of lines.
fn coded(word: &str) -> String {
    let mut out = String::new();
    for byte in word.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_./".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_input_or_all_arguments() {
        assert_eq!(words("a b.txt").unwrap(), ["a b.txt"]);
        assert_eq!(words(r#"["-n", "é 1"]"#).unwrap(), ["-n", "é 1"]);
        assert!(words("[1]").is_err());
        assert_eq!(coded("a b+é%\n/x"), "a%20b%2B%C3%A9%25%0A/x");
    }
}
