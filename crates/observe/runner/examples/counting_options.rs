//! `counting_options [JAVA]` prints the JVM options that long runs which are only counted get, `counting_options JAVA MILLISECONDS` those of runs of which the longest so
//! far took that long; for scripts that start such runs by themselves.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use pricetag_runner::compilation::Compilation;
use pricetag_runner::jvm::{Java, resolve};
use pricetag_runner::supervise::Cancel;

fn main() -> Result<(), Box<dyn Error>> {
    let word = std::env::args().nth(1).unwrap_or_else(|| "java".to_owned());
    let program = resolve(&word, None, std::env::var("PATH").ok().as_deref())?;
    let java = Java::detect(Path::new(&program), &Cancel::default())?;
    let compilation = Compilation::of(Some(&java));
    if let Some(longest) = std::env::args().nth(2) {
        compilation.took(Duration::from_millis(longest.parse()?));
    }
    println!("{}", compilation.next().options.join(" "));
    Ok(())
}
