//! `counting_options [JAVA]` prints the JVM options that runs which are only counted get, for scripts that start such runs by themselves.

use std::error::Error;
use std::path::Path;

use pricetag_runner::jvm::{Java, resolve};
use pricetag_runner::supervise::Cancel;

fn main() -> Result<(), Box<dyn Error>> {
    let word = std::env::args().nth(1).unwrap_or_else(|| "java".to_owned());
    let program = resolve(&word, None, std::env::var("PATH").ok().as_deref())?;
    let java = Java::detect(Path::new(&program), &Cancel::default())?;
    println!("{}", java.late_optimising().join(" "));
    Ok(())
}
