//! Mutated classes and their instrumented twins in one file, for `tests/Verify.java` to define and link.
//!
//! For each pair: the number of the class it was made of, then both class files, each with its length before it; all
//! numbers are four bytes, big-endian.

use std::io::{self, Write};

use pricetag_classfile::ClassFile;
use pricetag_instrument::{Rewritten, Wiring, rewrite};
use pricetag_probe::Wanted;

use crate::bytecode;
use crate::everything;
use crate::mutation::Mutator;

/// What became of the mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Written with their twins.
    pub written: u64,
    /// Not accepted by the class reader, or without code to mutate.
    pub refused: u64,
    /// Without a method that could be counted.
    pub untouched: u64,
}

/// Writes `count` mutants of `classes`, one of each in turn, each beside two twins: with counters alone, and with everything. The classes themselves come first.
///
/// # Errors
/// If `out` cannot be written.
///
/// # Panics
/// If a class that can be read cannot be instrumented.
pub fn write(
    out: &mut impl Write,
    classes: &[Vec<u8>],
    count: usize,
    seed: u64,
) -> io::Result<Tally> {
    let mut mutator = Mutator::new(seed);
    let mut tally = Tally::default();
    for (number, class) in classes.iter().enumerate() {
        one(out, number, class, &mut tally)?;
    }
    for number in (0..classes.len()).cycle().take(count) {
        match bytecode::mutate(&mut mutator, &classes[number]) {
            Some(mutant) => one(out, number, &mutant, &mut tally)?,
            None => tally.refused += 1,
        }
    }
    out.flush()?;
    Ok(tally)
}

fn one(out: &mut impl Write, number: usize, bytes: &[u8], tally: &mut Tally) -> io::Result<()> {
    let Some((twin, changed)) = instrumented(bytes) else {
        tally.refused += 1;
        return Ok(());
    };
    if !changed {
        tally.untouched += 1;
        return Ok(());
    }
    tally.written += 1;
    pair(out, number, bytes, &twin)?;
    match with_everything(bytes) {
        Some(twin) => pair(out, number, bytes, &twin),
        None => Ok(()),
    }
}

/// Writes one pair.
///
/// # Errors
/// If `out` cannot be written.
pub fn pair(out: &mut impl Write, number: usize, before: &[u8], after: &[u8]) -> io::Result<()> {
    out.write_all(&(number as u32).to_be_bytes())?;
    for part in [before, after] {
        out.write_all(&(part.len() as u32).to_be_bytes())?;
        out.write_all(part)?;
    }
    Ok(())
}

/// The class with all counters, and whether any method changed. None if it cannot be read.
///
/// # Panics
/// If a class that can be read cannot be instrumented.
pub fn instrumented(bytes: &[u8]) -> Option<(Vec<u8>, bool)> {
    let wiring = Wiring {
        // Too large for one instruction without a constant.
        class_index: 40_000,
        scopes: &[],
        caught: false,
        ..Wiring::default()
    };
    let rewritten = twin(bytes, Wanted::default(), &wiring)?;
    Some((rewritten.bytes, !rewritten.methods.is_empty()))
}

/// The class with everything that can be recorded at once. None if it cannot be read.
fn with_everything(bytes: &[u8]) -> Option<Vec<u8>> {
    let class = ClassFile::parse(bytes).ok()?;
    let plan = pricetag_probe::plan_with(&class, bytes, everything::wanted());
    let wiring = Wiring {
        class_index: 0,
        scopes: &[],
        caught: true,
        callers: Some(everything::CALLERS),
        calls: true,
        asked: &everything::asked(&plan),
    };
    Some(twin(bytes, everything::wanted(), &wiring)?.bytes)
}

fn twin(bytes: &[u8], wanted: Wanted<'_>, wiring: &Wiring<'_>) -> Option<Rewritten> {
    let class = ClassFile::parse(bytes).ok()?;
    let plan = pricetag_probe::plan_with(&class, bytes, wanted);
    Some(rewrite(bytes, Some(&plan), wiring).expect("a readable class and its plan"))
}
