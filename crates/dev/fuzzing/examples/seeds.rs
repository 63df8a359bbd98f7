//! Writes the seed corpus of every fuzz target: `cargo run --release -p pricetag-fuzzing --example seeds -- fuzz/corpus`.
//!
//! Classes come from the JDK on the path, at most 3,000 bytes each: they are not ours, so they are not committed.

use std::path::PathBuf;

use pricetag_fuzzing::{TARGETS, seeds};

/// Largest class taken, in bytes: small inputs are tried more often.
const LARGEST: usize = 3000;

fn main() -> std::io::Result<()> {
    let to = PathBuf::from(
        std::env::args()
            .nth(1)
            .unwrap_or_else(|| "fuzz/corpus".to_owned()),
    );
    let mut classes = Vec::new();
    for packages in [
        "/java.base/java/util/[A-F].*",
        "/java.base/java/(io|lang/invoke)/[A-D].*",
    ] {
        let found = pricetag_testkit::jdk::classes(packages);
        classes.extend(
            found
                .into_iter()
                .map(|class| class.1)
                .filter(|bytes| bytes.len() <= LARGEST),
        );
    }
    for target in TARGETS {
        let directory = to.join(target.name);
        std::fs::create_dir_all(&directory)?;
        let seeds = seeds::of(target.name, &classes);
        for (number, bytes) in seeds.iter().enumerate() {
            std::fs::write(directory.join(format!("seed-{number:04}")), bytes)?;
        }
        println!("{}: {} seeds", target.name, seeds.len());
    }
    Ok(())
}
