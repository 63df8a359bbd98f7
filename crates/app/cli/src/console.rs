//! What is printed: data on standard output, prose and progress on standard error.
//!
//! Names of files, classes and columns, and what a subject said, are foreign text: whatever is printed goes through here, where it is kept from driving the terminal.

mod display;

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};

use pricetag_finding::table::{is_harmful, printable_lines};
use serde::Serialize;

use crate::arguments::{Color, Common};
use crate::failure::Failure;

pub use display::{Bar, PATIENCE, Shown, Spinner};

/// Columns where nothing says how many there are.
const UNLIMITED: usize = 100_000;

/// Printing as the common options want it.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent choices")]
pub struct Console {
    /// Whether results are JSON.
    pub json: bool,
    /// Whether prose is left out.
    pub quiet: bool,
    /// Whether there is more prose.
    pub verbose: bool,
    /// Whether standard error is coloured.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Console {
    /// From the options and the terminal.
    pub fn new(common: &Common) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let color = match common.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => !no_color && std::io::stderr().is_terminal(),
        };
        Self {
            json: common.json,
            quiet: common.quiet,
            verbose: common.verbose,
            color,
            width: width(),
        }
    }

    /// Prints a result: `value` as JSON, or `text`.
    pub fn result<T: Serialize>(
        &self,
        value: &T,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string_pretty(value)
                .map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
            print_json(&json)
        } else {
            print(&text())
        }
    }

    /// Prose.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            tell(text);
        }
    }

    /// How progress is shown.
    pub fn shows(&self) -> Shown {
        match (self.quiet, std::io::stderr().is_terminal()) {
            (true, _) => Shown::Nothing,
            (_, true) => Shown::Drawn,
            _ => Shown::Lines,
        }
    }

    /// A progress bar.
    pub fn progress(&self) -> Bar {
        Bar::new(*self)
    }

    /// Turns, with the time so far, until it is dropped.
    pub fn spinner(&self, what: &'static str) -> Spinner {
        Spinner::new(*self, what)
    }
}

/// Writes prose to standard error. Where that is gone there is nobody to tell.
pub fn tell(text: &str) {
    writeln!(std::io::stderr(), "{}", printable_lines(text)).ok();
}

/// Writes an answer to standard output; a reader that has left is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(printable_lines(text).as_bytes())
}

/// Writes JSON to standard output, with what could drive a terminal as the escapes that mean the same.
pub fn print_json(json: &str) -> Result<(), Failure> {
    let mut text = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        if c != '\n' && is_harmful(c) {
            // All of them are in the basic plane.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text.push('\n');
    print_bytes(text.as_bytes())
}

/// Writes data as they are.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::new(format!(
            "cannot write to standard output: {e}"
        ))),
        _ => Ok(()),
    }
}

/// Columns of the terminal; where there is none, those that `COLUMNS` says. Else there is no end to them: names in a pipe or a file are whole.
fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(std::io::stdout())
        .map(|size| usize::from(size.ws_col))
        .ok();
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    columns
        .filter(|&c| c > 0)
        .or_else(told)
        .filter(|&c| c >= 40)
        .unwrap_or(UNLIMITED)
}
