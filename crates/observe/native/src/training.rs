//! Training programs: small loops, each about one construct, and compositions that tell constructs apart.
//!
//! After Das and Hoffmann (TACAS 2017, section 3). Every program repeats its construct four times an iteration or varies it against others, so that no
//! two constructs stay in proportion; sizes are 1,000 to 20,000, up to 300,000 where the collector shall run, and 3 to 60 for what a run costs before its first construct. Operations come in two forms: each waiting for the one before
//! (latency), and independent of each other (throughput), since a processor's prices differ two- to threefold between them.
//! Each program says what must be in its machine code.

mod beside;
mod calls;
mod collecting;
mod composed;
mod operations;
mod runtime;

use crate::assembly::Expectation;
use crate::program::{Program, spaced};

/// Sizes of a training program.
const SIZES: (u32, u32, u32) = (1000, 20_000, 20);

/// All training programs, in a fixed order.
///
/// # Panics
/// If a program of this crate is malformed, which its tests rule out.
pub fn programs() -> Vec<Program> {
    let mut out = operations::programs();
    out.extend(calls::programs());
    out.extend(runtime::programs());
    out.extend(few(&out));
    out.extend(composed::programs());
    out.extend(beside::programs());
    out.extend(collecting::programs());
    out
}

/// Programs that are also run a few times only: what a run costs before its first construct.
const FEW: [&str; 8] = [
    "nothing",
    "loop_only",
    "loop_five",
    "call_recursive",
    "call_one",
    "match_list",
    "tuple_two",
    "cons_tail",
];

/// How the programs at small sizes are called before their name.
const FEW_PREFIX: &str = "few_";

/// The program that a training program is, whatever its sizes.
pub(crate) fn family(name: &str) -> &str {
    name.strip_prefix(FEW_PREFIX)
        .filter(|of| FEW.contains(of))
        .unwrap_or(name)
}

/// The same programs at sizes from 3 to 60.
fn few(all: &[Program]) -> Vec<Program> {
    all.iter()
        .filter(|p| FEW.contains(&p.name.as_str()))
        .map(|p| Program {
            name: format!("{FEW_PREFIX}{}", p.name),
            sizes: spaced(3, 60, SIZES.2),
            ..p.clone()
        })
        .collect()
}

/// Whether a program is about what paper mode has no rules for: how much the runtime copies is not counted there.
pub(crate) fn outside_of_paper(program: &Program) -> bool {
    matches!(&*program.family, "primitive" | "Assign")
}

/// A program of this crate.
fn program(name: &str, construct: &str, source: String, asm: &[&str]) -> Program {
    Program {
        name: name.to_owned(),
        what: format!("trains {construct}"),
        family: construct.to_owned(),
        pair: None,
        sizes: spaced(SIZES.0, SIZES.1, SIZES.2),
        expectations: asm
            .iter()
            .map(|text| {
                Expectation::parse(text).unwrap_or_else(|| panic!("an expectation: {text}"))
            })
            .collect(),
        source,
        before: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Mode, count_program};
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn names_are_unique_and_plain() {
        let mut names = BTreeSet::new();
        for p in programs() {
            assert!(
                p.name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
                "{}",
                p.name
            );
            assert!(names.insert(p.name.clone()), "{} twice", p.name);
            assert!(
                !p.expectations.is_empty() || p.family == "base",
                "{}",
                p.name
            );
        }
    }

    /// So does everything that the runtime does by what it is given, and every assignment.
    #[test]
    fn what_the_runtime_does_is_trained() {
        let mut most: BTreeMap<String, f64> = BTreeMap::new();
        for p in runtime::programs() {
            for row in count_program(&p, &[1000], Mode::Extended, None).unwrap() {
                for (name, n) in row.counts {
                    let most = most.entry(name).or_default();
                    *most = most.max(n);
                }
            }
        }
        for construct in [
            "compare-poly",
            "compared-word",
            "compare-string",
            "compared-text",
            "call-primitive",
            "copied-word",
            "call-array",
            "call-format",
            "call-hash",
            "call-number",
            "call-decimal",
            "float-call",
            "allocated-word",
            "set-int",
            "set-float",
            "set-pointer",
        ] {
            assert!(
                most.get(construct).is_some_and(|n| *n >= 1000.0),
                "{construct}: {most:?}"
            );
        }
    }

    /// Every construct of the paper grows with the size of some training program.
    #[test]
    fn every_construct_of_the_paper_is_trained() {
        let mut grows: BTreeMap<String, f64> = BTreeMap::new();
        for p in programs() {
            let rows = count_program(&p, &[1000, 2000], Mode::Paper, None).unwrap();
            for (name, n) in &rows[1].counts {
                let before = rows[0].counts.get(name).copied().unwrap_or(0.0);
                let most = grows.entry(name.clone()).or_default();
                *most = most.max(n - before);
            }
        }
        let lacking: Vec<&str> = pricetag_miniml::Construct::ALL
            .iter()
            .filter(|c| c.is_of_paper())
            .map(|c| c.name())
            .filter(|c| *c != "base" && grows.get(*c).is_none_or(|g| *g < 900.0))
            .collect();
        assert!(lacking.is_empty(), "{lacking:?}");
    }
}
