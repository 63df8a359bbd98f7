//! How far something is, drawn on standard error by a thread of its own: what goes on may say nothing for minutes.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pricetag_runner::Progress;

use super::{Console, tell};

/// What takes longer shows where it stands.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// A run that takes longer is told, once, with what can be done.
const LONG: Duration = Duration::from_mins(1);
/// Between two looks at the clock.
const TICK: Duration = Duration::from_millis(200);

/// Where nothing is drawn, a line says so often where it stands.
const LINES: Duration = Duration::from_secs(10);

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Not at all.
    Nothing,
    /// As a bar on a terminal.
    Drawn,
    /// As a line now and then, where there is no terminal.
    Lines,
}

/// Runs that go on: label, begin, and whether their length was told.
type Running = Vec<(String, Instant, bool)>;

/// A bar, and the thread that draws it where anything is drawn.
struct Display {
    bar: ProgressBar,
    running: Arc<Mutex<Running>>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Display {
    fn new(bar: ProgressBar, shown: Shown) -> Self {
        let running = Arc::new(Mutex::new(Running::new()));
        let drawing = (shown != Shown::Nothing).then(|| {
            let (end, ended) = channel();
            let (bar, running) = (bar.clone(), Arc::clone(&running));
            let draw = move || {
                let begun = Instant::now();
                let mut told = begun;
                while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    let now = Instant::now();
                    if shown == Shown::Lines {
                        if now.duration_since(told) >= LINES {
                            told = now;
                            tell(&line(&bar));
                        }
                    } else if now.duration_since(begun) >= PATIENCE {
                        if bar.is_hidden() {
                            bar.set_draw_target(ProgressDrawTarget::stderr());
                        }
                        bar.tick();
                    }
                    for line in overdue(&mut locked(&running), now) {
                        bar.suspend(|| tell(&line));
                    }
                }
            };
            (end, std::thread::spawn(draw))
        });
        Self {
            bar,
            running,
            drawing,
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.drawing.take() {
            end.send(()).ok();
            thread.join().ok();
        }
        self.bar.finish_and_clear();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Steps from which on they say how long the others will take.
const ENOUGH: u64 = 5;

/// Where a bar stands, as a line.
fn line(bar: &ProgressBar) -> String {
    let (message, elapsed) = (bar.message(), bar.elapsed().as_secs());
    match bar.length() {
        Some(all) if bar.position() >= ENOUGH => format!(
            "{message}: {} of {all}, {elapsed} s elapsed, about {} s left",
            bar.position(),
            bar.eta().as_secs()
        ),
        Some(all) => format!(
            "{message}: {} of {all}, {elapsed} s elapsed",
            bar.position()
        ),
        None => format!("{message}: {elapsed} s elapsed"),
    }
}

/// Says which runs have become long.
fn overdue(running: &mut Running, now: Instant) -> Vec<String> {
    let long = |run: &&mut (String, Instant, bool)| !run.2 && now.duration_since(run.1) >= LONG;
    let long = running.iter_mut().filter(long);
    long.map(|(label, _, told)| {
        *told = true;
        let seconds = LONG.as_secs();
        format!("{label} still runs after {seconds} s; --timeout ends such runs, Ctrl-C keeps finished ones")
    })
    .collect()
}

/// Elapsed time, share and remaining time of a recording.
pub struct Bar {
    console: Console,
    display: Mutex<Option<Display>>,
}

impl Bar {
    pub(super) fn new(console: Console) -> Self {
        Self {
            console,
            display: Mutex::new(None),
        }
    }

    fn with(&self, act: impl FnOnce(&Display)) {
        if let Some(display) = &*locked(&self.display) {
            act(display);
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
        *locked(&self.display) = Some(Display::new(bar, self.console.shows()));
    }

    fn started(&self, label: &str) {
        self.with(|display| {
            locked(&display.running).push((label.to_owned(), Instant::now(), false));
        });
    }

    fn step(&self, label: &str, failure: Option<&str>) {
        self.with(|display| {
            let mut running = locked(&display.running);
            if let Some(ended) = running.iter().position(|run| run.0 == label) {
                running.remove(ended);
            }
            drop(running);
            display.bar.inc(1);
            if self.console.verbose && !label.is_empty() {
                let line = failure.map_or_else(
                    || format!("{label}: done"),
                    |why| format!("{label}: failed: {why}"),
                );
                display.bar.suspend(|| tell(&line));
            }
        });
    }

    fn found(&self, what: &str) {
        if self.console.verbose {
            self.with(|display| display.bar.suspend(|| tell(what)));
        }
    }

    fn end(&self) {
        locked(&self.display).take();
    }
}

/// Shows that something goes on whose end is not known.
pub struct Spinner {
    _display: Display,
}

impl Spinner {
    pub(super) fn new(console: Console, what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Self {
            _display: Display::new(bar, console.shows()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_where_a_bar_stands() {
        let bar = ProgressBar::with_draw_target(Some(40), ProgressDrawTarget::hidden());
        bar.set_message("counting");
        assert_eq!(line(&bar), "counting: 0 of 40, 0 s elapsed");
        bar.inc(10);
        assert!(line(&bar).starts_with("counting: 10 of 40, 0 s elapsed, about "));
        let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        spinner.set_message("learning");
        assert_eq!(line(&spinner), "learning: 0 s elapsed");
    }

    #[test]
    fn a_long_run_is_told_once() {
        let begun = Instant::now();
        let mut running = vec![
            ("in/a".to_owned(), begun, false),
            ("in/b".to_owned(), begun + LONG, false),
        ];
        assert!(overdue(&mut running, begun + LONG / 2).is_empty());
        let told = overdue(&mut running, begun + LONG);
        assert_eq!(
            told,
            ["in/a still runs after 60 s; --timeout ends such runs, Ctrl-C keeps finished ones"]
        );
        assert!(overdue(&mut running, begun + LONG + TICK).is_empty());
        assert_eq!(overdue(&mut running, begun + 2 * LONG).len(), 1);
    }
}
