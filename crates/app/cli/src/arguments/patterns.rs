//! Flags of `pricetag patterns`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueHint};

#[derive(Debug, Args)]
pub struct PatternsArgs {
    /// A dataset that was recorded with `--features calls`, a file of events, a folder that holds such files, or the folder or one of the two files static.txt and dynamic.txt.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// The model whose prices say what sequences cost; the dataset's own by default. Sequences are then ranked by time.
    #[arg(long, value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub model: Option<PathBuf>,
    /// Size of the window of locality, events; by default the number of classes for classes, of methods for methods.
    #[arg(long, value_name = "N")]
    pub window: Option<NonZeroU32>,
    /// Look for loops of up to so many calls.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub max_loop: u8,
    /// Tell each thread by itself, too.
    #[arg(long)]
    pub per_thread: bool,
    /// Tell so many slices of time, too.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub slices: u16,
}
