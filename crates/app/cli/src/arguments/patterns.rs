//! Flags of `pricetag patterns`.

use std::num::NonZeroU32;
use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use pricetag_report::viewers::Viewer;

#[derive(Debug, Args)]
pub struct PatternsArgs {
    /// A dataset that was recorded with `--features calls`, a file of events, a folder that holds such files, or the folder or one of the two files static.txt and dynamic.txt.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// The model whose prices say what sequences cost; the dataset's own by default. Sequences are then ranked by time.
    #[arg(long, value_name = "MODEL", value_hint = ValueHint::FilePath, conflicts_with = "export")]
    pub model: Option<PathBuf>,
    /// N: size of the window of locality, events; by default the number of classes for classes, of methods for methods. With --export, A..B: the
    /// calls to write, by their numbers in the recording; by default all.
    #[arg(long, value_name = "N|A..B", value_parser = window)]
    pub window: Option<WindowArg>,
    /// Look for loops of up to so many calls.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub max_loop: u8,
    /// Tell each thread by itself, too.
    #[arg(long)]
    pub per_thread: bool,
    /// Tell so many slices of time, too.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub slices: u16,
    /// Write the calls for another viewer instead. Returns are not recorded, so calls stand one after the other and nothing is nested.
    #[arg(long, value_enum, value_name = "VIEWER", requires = "output")]
    pub export: Option<ViewerArg>,
    /// The file to write with --export; `-` for standard output. With `text`, the folder for static.txt and dynamic.txt.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "export")]
    pub output: Option<PathBuf>,
    /// The run to write with --export, by its input or its number from 1; the first one by default.
    #[arg(long, value_name = "RUN", requires = "export")]
    pub run: Option<String>,
}

/// A viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewerArg {
    /// speedscope.
    Speedscope,
    /// Perfetto, and the tracing page of Chrome.
    Chrome,
    /// Flame graphs: a line per thread and method, with the number of its calls.
    Collapsed,
    /// Two text files, static.txt and dynamic.txt, which `patterns` reads, too. They say nothing of where calls of a scope begin and end.
    Text,
}

impl ViewerArg {
    /// The viewer; none if it is text for anybody.
    pub fn viewer(self) -> Option<Viewer> {
        match self {
            Self::Speedscope => Some(Viewer::Speedscope),
            Self::Chrome => Some(Viewer::Chrome),
            Self::Collapsed => Some(Viewer::Collapsed),
            Self::Text => None,
        }
    }
}

/// What `--window` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowArg {
    /// So many events.
    Size(NonZeroU32),
    /// These calls.
    Part(Range<u64>),
}

fn window(text: &str) -> Result<WindowArg, String> {
    if text.contains("..") {
        return part(text).map(WindowArg::Part);
    }
    text.trim().parse().map(WindowArg::Size).map_err(|_| {
        format!("`{text}` is neither a number of events from 1 on, nor a part such as 2M..3M")
    })
}

/// `1000..2000`, `1.5M..2M`: numbers of calls, from 0; the last one is not in it.
pub fn part(text: &str) -> Result<Range<u64>, String> {
    let (from, to) = text
        .split_once("..")
        .ok_or_else(|| format!("`{text}` is no part such as 2M..3M"))?;
    let range = position(from)?..position(to)?;
    if range.is_empty() {
        return Err(format!(
            "`{text}` has no calls: the second number must be above the first"
        ));
    }
    Ok(range)
}

fn position(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (digits, scale) = match text.as_bytes().last().map(u8::to_ascii_lowercase) {
        Some(b'k') => (&text[..text.len() - 1], 1e3),
        Some(b'm') => (&text[..text.len() - 1], 1e6),
        Some(b'g') => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    if let (Ok(whole), true) = (digits.parse::<u64>(), scale == 1.0) {
        return Ok(whole);
    }
    let value = digits.parse::<f64>().map(|value| value * scale);
    match value {
        Ok(value) if (0.0..9e15).contains(&value) => Ok(value.round() as u64),
        _ => Err(format!(
            "`{text}` is no number of a call, such as 1500 or 2.5M"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_sizes_are_told_apart() {
        assert_eq!(
            window("1.5M..2M"),
            Ok(WindowArg::Part(1_500_000..2_000_000))
        );
        assert_eq!(window("0..7"), Ok(WindowArg::Part(0..7)));
        assert!(matches!(window("12"), Ok(WindowArg::Size(_))));
        for wrong in [
            "0", "-1", "7..7", "9..8", "a..b", "..", "1..", "1e300..2", "M..k",
        ] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }
}
