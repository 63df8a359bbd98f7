//! Flags of `pricetag slice`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::values::word;

#[derive(Debug, Args)]
pub struct SliceArgs {
    /// What is asked about: `C.m(int) loop 1`, `C.m(int) invocations`, `C.m(int) block 3`, `C.m(int) block 3 taken`, `C.m(int).x at line 12`, or
    /// `C.f at exit`. Parameters, and the method, may be left out where one method fits; a name from a dataset can be copied.
    #[arg(long, short, value_name = "CRITERION")]
    pub criterion: String,
    /// A dataset with blocks of the same program: how much of what ran is in the slice.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub dataset: Option<PathBuf>,
    /// Which exceptions are followed: those that the program throws or a method catches, or every one that an instruction may end in.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = ExceptionsArg::Thrown)]
    pub exceptions: ExceptionsArg,
    /// Follow returns to every caller: larger, and a bound for the slice.
    #[arg(long)]
    pub ignore_contexts: bool,
    /// Most methods whose lines are printed.
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub limit: usize,
    /// The program's command, such as `java -jar app.jar` or `java -cp lib/a.jar:lib/b.jar org.example.Main`. It is not run.
    #[arg(last = true, required = true, value_name = "COMMAND", value_parser = word(), value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

/// Which exceptions a slice follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExceptionsArg {
    /// Those that the program throws, and those that a method has a handler for.
    Thrown,
    /// Every one that an instruction may end in.
    All,
}
