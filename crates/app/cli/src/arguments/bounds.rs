//! Arguments of `pricetag ocaml bound` and `pricetag ocaml compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// Which side of the cost a bound is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SideArg {
    /// Never exceeded.
    Upper,
    /// Never undercut.
    Lower,
    /// One of each; where they are the same, that is the cost.
    Both,
}

#[derive(Debug, Args)]
pub struct OcamlBoundArgs {
    /// The price list.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub list: PathBuf,
    /// The program.
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    pub program: PathBuf,
    /// Functions to bound, by name; by default all that the program defines at top level.
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// Largest degree that is tried.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=9))]
    pub degree: u32,
    /// What is bounded: `time`, `bytes`, a construct such as `FunApp`, or `calls:NAME`, how often a function is called; by default time and bytes.
    #[arg(long, value_name = "COST")]
    pub metric: Vec<String>,
    /// Which side.
    #[arg(long, value_enum, default_value_t = SideArg::Upper)]
    pub side: SideArg,
    /// Show which constructs and called functions the bound of the time comes from.
    #[arg(long)]
    pub explain: bool,
    /// Estimator whose prices are used; by default the one that paper mode was chosen with.
    #[arg(long, value_name = "NAME")]
    pub estimator: Option<String>,
}

#[derive(Debug, Args)]
pub struct OcamlCompareArgs {
    /// The price list.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub list: PathBuf,
    /// A function as `PROGRAM:NAME`.
    #[arg(value_name = "PROGRAM:NAME")]
    pub first: String,
    /// Another one that takes the same arguments.
    #[arg(value_name = "PROGRAM:NAME")]
    pub second: String,
    /// Compare by prediction, too: a call in which `f` stands for either, such as 'f [5; 3; 1]'. May be given several times.
    #[arg(long, value_name = "EXPRESSION")]
    pub call: Vec<String>,
    /// Numbers that `n` stands for in these expressions, one after the other.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', requires = "call")]
    pub sizes: Vec<u64>,
    /// Largest degree that is tried.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=9))]
    pub degree: u32,
    /// Estimator whose prices are used; by default the one that paper mode was chosen with.
    #[arg(long, value_name = "NAME")]
    pub estimator: Option<String>,
}
