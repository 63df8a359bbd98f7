//! Mutated classes and their instrumented twins, for `Verify.java`: `mutants OUT COUNT SEED CLASS...`.
//!
//! OUT holds, for each mutant that the reader accepts and the rewriter changes: the number of the class it was made of
//! and both class files, each length as four bytes before it, big-endian. The first of all is that of the unchanged
//! class.

use std::io::Write;

use pricetag_classfile::ClassFile;
use pricetag_fuzzing::bytecode;
use pricetag_fuzzing::mutation::Mutator;
use pricetag_instrument::{Wiring, rewrite};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, count, seed, classes @ ..] = &arguments[..] else {
        return Err("mutants OUT COUNT SEED CLASS...".into());
    };
    let classes = classes
        .iter()
        .map(std::fs::read)
        .collect::<Result<Vec<_>, _>>()?;
    if classes.is_empty() {
        return Err("no classes".into());
    }
    let mut mutator = Mutator::new(seed.parse()?);
    let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
    let (mut written, mut refused, mut untouched) = (0, 0, 0);
    for (number, class) in classes.iter().enumerate() {
        put(&mut file, number, class)?;
    }
    for number in (0..classes.len()).cycle().take(count.parse()?) {
        let Some(mutant) = bytecode::mutate(&mut mutator, &classes[number]) else {
            refused += 1;
            continue;
        };
        match put(&mut file, number, &mutant)? {
            Put::Written => written += 1,
            Put::Refused => refused += 1,
            Put::Untouched => untouched += 1,
        }
    }
    file.flush()?;
    println!(
        "{written} mutants written, {refused} refused by the reader, {untouched} with nothing to count"
    );
    Ok(())
}

enum Put {
    Written,
    Refused,
    Untouched,
}

fn put(file: &mut impl Write, number: usize, bytes: &[u8]) -> Result<Put, Failure> {
    let Ok(class) = ClassFile::parse(bytes) else {
        return Ok(Put::Refused);
    };
    let plan = pricetag_probe::plan(&class, bytes);
    let wiring = Wiring {
        class_index: 40_000,
        scopes: &[],
    };
    let rewritten = rewrite(bytes, Some(&plan), &wiring)?;
    if rewritten.methods.is_empty() {
        return Ok(Put::Untouched);
    }
    file.write_all(&(number as u32).to_be_bytes())?;
    for part in [bytes, &rewritten.bytes] {
        file.write_all(&(part.len() as u32).to_be_bytes())?;
        file.write_all(part)?;
    }
    Ok(Put::Written)
}
