//! `counting_options [JAVA [timed=MILLISECONDS] [MILLISECONDS ...]]` prints the JVM options that a run gets which is only counted, after a timing run and counting runs that took so long;
//! for scripts that start such runs by themselves.

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
    for took in std::env::args().skip(2) {
        let duration = |text: &str| text.parse().map(Duration::from_millis);
        match took.strip_prefix("timed=") {
            Some(timed) => compilation.timed(duration(timed)?),
            None => compilation.counted(duration(&took)?),
        }
    }
    println!("{}", compilation.next().options.join(" "));
    Ok(())
}
