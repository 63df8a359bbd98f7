//! Mutated classes and their instrumented twins, for `tests/Verify.java`: `mutants OUT COUNT SEED CLASS...`.

use pricetag_fuzzing::pairs;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, count, seed, paths @ ..] = &arguments[..] else {
        return Err("mutants OUT COUNT SEED CLASS...".into());
    };
    let classes = paths
        .iter()
        .map(std::fs::read)
        .collect::<Result<Vec<_>, _>>()?;
    let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
    let tally = pairs::write(&mut file, &classes, count.parse()?, seed.parse()?)?;
    println!(
        "{} written, {} refused by the reader, {} with nothing to count",
        tally.written, tally.refused, tally.untouched
    );
    Ok(())
}
