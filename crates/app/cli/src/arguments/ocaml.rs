//! Arguments of `pricetag ocaml …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

/// What to do with an OCaml program.
#[derive(Debug, Subcommand)]
pub enum OcamlCommand {
    /// Count how often each construct of a program runs, for each top-level definition and expression.
    Count(OcamlCountArgs),
}

#[derive(Debug, Args)]
pub struct OcamlCountArgs {
    /// The program.
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    pub program: PathBuf,
    /// Constructs that may run before the program is taken to diverge.
    #[arg(long, default_value_t = 10_000_000_000, value_name = "N")]
    pub fuel: u64,
}
