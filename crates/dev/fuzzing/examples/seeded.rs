//! Many executions of one target without nightly: `campaign TARGET EXECUTIONS SEED CORPUS`.
//!
//! Reads the seeds of `CORPUS/TARGET`, runs, prints how many executions a second there were, and writes failing bytes to
//! `failure-TARGET`.

use std::path::PathBuf;
use std::time::Instant;

use pricetag_fuzzing::{TARGETS, campaign};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, executions, seed, corpus] = &arguments[..] else {
        return Err("campaign TARGET EXECUTIONS SEED CORPUS".into());
    };
    let target = TARGETS
        .iter()
        .find(|t| t.name == name)
        .ok_or("no such target")?;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(PathBuf::from(corpus).join(name))?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    let seeds = paths
        .iter()
        .map(std::fs::read)
        .collect::<Result<Vec<_>, _>>()?;
    if seeds.is_empty() {
        return Err("no seeds".into());
    }
    let executions: u64 = executions.parse()?;
    let start = Instant::now();
    let result = campaign::run(*target, &seeds, seed.parse()?, executions);
    let done = result
        .as_ref()
        .map_or_else(|failure| failure.execution + 1, |()| executions);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name}: {done} executions in {seconds:.0} s ({:.0} a second)",
        done as f64 / seconds
    );
    result.map_err(|failure| {
        let path = format!("failure-{name}");
        match std::fs::write(&path, &failure.bytes) {
            Ok(()) => format!("{}; the bytes are in {path}", failure.message).into(),
            Err(error) => error.into(),
        }
    })
}
