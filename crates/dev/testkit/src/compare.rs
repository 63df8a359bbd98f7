//! Holds derived counts, the oracle's counts and the comments against each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::classes::belongs;
use crate::{ClassIndex, Counts, Expectation, Expected, Measure, MethodKey, Program};

/// One thing that does not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// An instruction's counts differ.
    Instruction {
        /// Which method.
        method: MethodKey,
        /// Address of the instruction.
        pc: u16,
        /// Its mnemonic.
        mnemonic: &'static str,
        /// Its source line.
        line: Option<u16>,
        /// What the oracle saw.
        stepped: u64,
        /// What the probes yield; none if they know no such instruction.
        derived: Option<u64>,
    },
    /// A comment and a count differ.
    Comment {
        /// Source line.
        line: u16,
        /// What the comment says.
        expected: u64,
        /// What was counted.
        found: u64,
        /// By whom.
        by: &'static str,
    },
    /// Anything else, in words.
    Other(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instruction {
                method,
                pc,
                mnemonic,
                line,
                stepped,
                derived,
            } => {
                let line = line.map_or_else(|| "?".to_owned(), |l| l.to_string());
                let derived = derived.map_or_else(|| "not known".to_owned(), |n| n.to_string());
                write!(
                    f,
                    "{method} {pc} {mnemonic} (line {line}): stepped {stepped}, derived {derived}"
                )
            }
            Self::Comment {
                line,
                expected,
                found,
                by,
            } => {
                write!(f, "line {line}: the comment says {expected}, {by} {found}")
            }
            Self::Other(words) => f.write_str(words),
        }
    }
}

/// The result for one program.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Instructions compared between probes and oracle.
    pub instructions: u64,
    /// Comments checked.
    pub comments: u64,
    /// Opcodes that ran, as the oracle saw it.
    pub executed: BTreeSet<u8>,
    /// Opcodes that ran and were counted, in methods that are compared.
    pub compared: BTreeSet<u8>,
    /// What does not agree.
    pub differences: Vec<Difference>,
}

impl Verdict {
    /// The verdict when there is nothing to compare.
    pub fn failed(reason: impl fmt::Display) -> Self {
        Self {
            differences: vec![Difference::Other(reason.to_string())],
            ..Self::default()
        }
    }
}

/// Compares the counts of one program.
pub fn compare(
    program: &Program,
    classes: &ClassIndex,
    derived: &Counts,
    stepped: &Counts,
) -> Verdict {
    let mut verdict = Verdict::default();
    accounted(program, derived, stepped, &mut verdict);
    executed(classes, stepped, &mut verdict);
    exactness(program, derived, &mut verdict);
    for (method, message) in &derived.imbalances {
        verdict
            .differences
            .push(Difference::Other(format!("{method}: {message}")));
    }
    for (method, counts) in &derived.methods {
        if program.varies.contains(&method.name) {
            continue;
        }
        let nothing = BTreeMap::new();
        let mut stepped = stepped.methods.get(method).unwrap_or(&nothing).clone();
        if let Some(unknown) = derived.unknown.get(method) {
            stepped.retain(|pc, _| !unknown.contains(pc));
        }
        instructions(method, classes, counts, &stepped, &mut verdict);
        for (header, passes) in derived.loops.get(method).into_iter().flatten() {
            if !counts.contains_key(header) {
                continue;
            }
            let stepped = stepped.get(header).copied().unwrap_or(0);
            if stepped != *passes {
                verdict.differences.push(Difference::Other(format!(
                    "{method}: the loop at {header} has {passes} passes, its header was stepped {stepped} times"
                )));
            }
        }
    }
    for expectation in &program.expectations {
        comment(
            program,
            classes,
            expectation,
            stepped,
            "single-stepping counts",
            &mut verdict,
        );
        comment(
            program,
            classes,
            expectation,
            derived,
            "the probes yield",
            &mut verdict,
        );
    }
    verdict
}

fn executed(classes: &ClassIndex, stepped: &Counts, verdict: &mut Verdict) {
    for (method, counts) in &stepped.methods {
        let Some(code) = classes.methods.get(method) else {
            continue;
        };
        let ran = counts.iter().filter(|&(_, &count)| count > 0);
        let opcodes = ran.filter_map(|(&pc, _)| code.code.get(usize::from(pc)));
        verdict.executed.extend(opcodes);
    }
}

/// Every method that ran was counted, or is listed as uncounted with a reason.
fn accounted(program: &Program, derived: &Counts, stepped: &Counts, verdict: &mut Verdict) {
    let mut silent = BTreeSet::new();
    for method in stepped.methods.keys() {
        if derived.methods.contains_key(method) || derived.imbalances.contains_key(method) {
            continue;
        }
        // Classes the runtime makes for lambdas and proxies hold no code of the program.
        if method.class.contains("$$Lambda") || !belongs(&method.class, &program.name) {
            continue;
        }
        let full = format!("{}.{}{}", method.class, method.name, method.descriptor);
        if !derived.listed.contains_key(&full) && !listed_class(derived, &method.class) {
            silent.insert(if derived.classes.contains(&method.class) {
                full
            } else {
                method.class.clone()
            });
        }
    }
    for name in silent {
        verdict.differences.push(Difference::Other(format!(
            "{name} ran uncounted and is not listed"
        )));
    }
    for part in &program.uncounted {
        if !derived
            .listed
            .keys()
            .any(|name| name.contains(part.as_str()))
        {
            verdict.differences.push(Difference::Other(format!(
                "nothing named {part} is listed as uncounted"
            )));
        }
    }
    for (name, reason) in &derived.listed {
        if !program
            .uncounted
            .iter()
            .any(|part| name.contains(part.as_str()))
        {
            verdict.differences.push(Difference::Other(format!(
                "{name} is not counted: {reason}"
            )));
        }
    }
}

/// A hidden class is listed under its name with or without the suffix the runtime adds.
fn listed_class(derived: &Counts, class: &str) -> bool {
    let plain = class.split(['/', '+']).next().unwrap_or(class);
    derived.listed.contains_key(class)
        || (plain != class && derived.listed.keys().any(|name| name.starts_with(plain)))
}

/// The trace marks counts as a snapshot exactly where the program says so.
fn exactness(program: &Program, derived: &Counts, verdict: &mut Verdict) {
    match &program.inexact {
        Some(why) if derived.inexact.is_empty() => {
            verdict.differences.push(Difference::Other(format!(
                "the trace claims to be exact, although {why}"
            )));
        }
        None if !derived.inexact.is_empty() => {
            verdict.differences.push(Difference::Other(format!(
                "inexact: {}",
                derived.inexact.join("; ")
            )));
        }
        _ => {}
    }
}

fn instructions(
    method: &MethodKey,
    classes: &ClassIndex,
    derived: &BTreeMap<u16, u64>,
    stepped: &BTreeMap<u16, u64>,
    verdict: &mut Verdict,
) {
    let code = classes.methods.get(method);
    let addresses: BTreeSet<u16> = derived.keys().chain(stepped.keys()).copied().collect();
    for pc in addresses {
        verdict.instructions += 1;
        let (by_probe, by_step) = (
            derived.get(&pc).copied(),
            stepped.get(&pc).copied().unwrap_or(0),
        );
        if by_probe == Some(by_step) {
            let opcode = code.and_then(|c| c.code.get(usize::from(pc)));
            verdict.compared.extend(opcode.filter(|_| by_step > 0));
        } else {
            verdict.differences.push(Difference::Instruction {
                method: method.clone(),
                pc,
                mnemonic: code.map_or("?", |c| c.mnemonic(pc)),
                line: code.and_then(|c| c.line(pc)),
                stepped: by_step,
                derived: by_probe,
            });
        }
    }
}

fn comment(
    program: &Program,
    classes: &ClassIndex,
    expectation: &Expectation,
    counts: &Counts,
    by: &'static str,
    verdict: &mut Verdict,
) {
    let line = expectation.line;
    let on_line: Vec<_> = classes
        .of_program(&program.name)
        .filter(|(key, code)| {
            code.entries(line).next().is_some()
                && expectation.method.as_ref().is_none_or(|m| *m == key.name)
        })
        .collect();
    let names: Vec<String> = on_line.iter().map(|(key, _)| key.to_string()).collect();
    let problem = match (on_line.len(), expectation.measure) {
        (0, _) => Some("has no code".to_owned()),
        (2.., Measure::First) => Some(format!(
            "belongs to several methods, name one: {}",
            names.join(", ")
        )),
        _ => None,
    };
    if let Some(problem) = problem {
        verdict
            .differences
            .push(Difference::Other(format!("line {line} {problem}")));
        return;
    }
    let mut found = 0;
    for (key, code) in on_line {
        // Methods that are left uncounted have nothing to say, and loops neither.
        if counts.left.contains_key(key) {
            return;
        }
        if let Some(unknown) = counts.unknown.get(key)
            && code.entries(line).any(|pc| unknown.contains(&pc))
        {
            return;
        }
        let count = |pc: u16| {
            counts
                .methods
                .get(key)
                .and_then(|m| m.get(&pc))
                .copied()
                .unwrap_or(0)
        };
        found += match expectation.measure {
            Measure::First => code.entries(line).min().map_or(0, count),
            Measure::Total => code.entries(line).map(count).sum(),
        };
    }
    let expected = match &expectation.count {
        Expected::Always(count) => *count,
        Expected::AsSaid(name) => {
            let Some(&count) = counts.said.get(name) else {
                verdict.differences.push(Difference::Other(format!(
                    "line {line}: the program did not say {name}=N on standard error"
                )));
                return;
            };
            count
        }
    };
    verdict.comments += 1;
    if found != expected {
        verdict.differences.push(Difference::Comment {
            line,
            expected,
            found,
            by,
        });
    }
}
