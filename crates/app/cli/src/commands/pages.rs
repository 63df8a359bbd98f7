//! `pricetag completions` and `pricetag man`: generated from the definition of the command line.

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::arguments::Cli;
use crate::console::{Console, print_bytes};
use crate::failure::{Failure, io};

pub fn completions(shell: clap_complete::Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pricetag", &mut script);
    print_bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(output: Option<&Path>, console: &Console) -> Result<ExitCode, Failure> {
    if let Some(dir) = output {
        std::fs::create_dir_all(dir).map_err(io("create", dir))?;
        clap_mangen::generate_to(Cli::command(), dir).map_err(io("write into", dir))?;
        console.say(&format!("manual pages written to {}", dir.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    let command = Cli::command();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(io("write", Path::new("standard output")))?;
    print_bytes(&page)?;
    Ok(ExitCode::SUCCESS)
}
