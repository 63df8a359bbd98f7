//! What is printed: data on standard output, prose and progress on standard error.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pricetag_runner::Progress;
use serde::Serialize;

use crate::arguments::{Color, Common};
use crate::failure::Failure;

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
            print(&format!("{json}\n"))
        } else {
            print(&text())
        }
    }

    /// Prose.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    /// A progress bar, drawn after two seconds and on a terminal only.
    pub fn progress(&self) -> Bar {
        Bar {
            console: *self,
            state: Mutex::new(None),
        }
    }
}

/// Writes to standard output; a reader that has left is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::new(format!(
            "cannot write to standard output: {e}"
        ))),
        _ => Ok(()),
    }
}

/// Columns of the terminal; 100 where there is none.
fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(std::io::stdout())
        .map(|size| usize::from(size.ws_col))
        .ok();
    columns.filter(|&c| c >= 40).unwrap_or(100)
}

/// Elapsed time, share and remaining time of a recording.
pub struct Bar {
    console: Console,
    state: Mutex<Option<(ProgressBar, Instant)>>,
}

const PATIENCE: Duration = Duration::from_secs(2);

impl Bar {
    fn with(&self, act: impl FnOnce(&ProgressBar, &Instant)) {
        if let Some((bar, begun)) = &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            act(bar, begun);
        }
    }
}

impl Progress for Bar {
    fn begin(&self, runs: u64, what: &str) {
        let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::hidden());
        let style = "{msg} {wide_bar} {pos}/{len}  {elapsed} elapsed, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some((bar, Instant::now()));
    }

    fn step(&self, label: &str, failure: Option<&str>) {
        self.with(|bar, begun| {
            bar.inc(1);
            if self.console.verbose && !label.is_empty() {
                let line = failure.map_or_else(
                    || format!("{label}: done"),
                    |why| format!("{label}: failed: {why}"),
                );
                bar.suspend(|| eprintln!("{line}"));
            }
            let wanted = !self.console.quiet && std::io::stderr().is_terminal();
            if wanted && bar.is_hidden() && begun.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(Duration::from_millis(200));
            }
        });
    }

    fn end(&self) {
        self.with(|bar, _| bar.finish_and_clear());
    }
}
