//! What is asked for: a count, a branch, a variable, a field, in the words that features are called by.
//!
//! | criterion | what is asked |
//! |---|---|
//! | `C.m(int) loop 1` | how often the loop's header is passed |
//! | `C.m(int) invocations` | how often the method is invoked |
//! | `C.m(int) block 3` | how often the block runs |
//! | `C.m(int) block 3 taken` | where the branch at its end goes (also `not taken`, `case 1`, `default`) |
//! | `C.m(int).x at line 12` | the variable's value where the line reads or sets it |
//! | `C.f at exit` | the field's last value |
//!
//! What follows a loop's number (`at block 3 (C.java:6)`) is not looked at, so that a feature's name can be copied. The parameters may be left
//! out, and the method, too, as long as one method fits.

use pricetag_classfile::naming;
use pricetag_classfile::spelling::Spelling;
use pricetag_flow::FlowError;
use pricetag_probe_plan::BlockId;

use crate::analysis::Analysis;
use crate::method::MethodDependence;
use crate::program::MethodId;
use crate::system::{Location, Vertex};

/// Vertices to slice from.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// The criterion in full.
    pub shown: String,
    /// Where the slice starts.
    pub seeds: Vec<Vertex>,
}

/// Why a criterion names nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CriterionError {
    /// It has none of the forms.
    #[error("{text:?} is no criterion")]
    Form {
        /// What was given.
        text: String,
    },
    /// Nothing has the name.
    #[error("nothing that the program can reach is called {name:?}{but}")]
    Unknown {
        /// The name.
        name: String,
        /// Whether there is something that is not reached.
        but: &'static str,
    },
    /// Several methods fit.
    #[error("{name:?} may be any of {}", found.join("; "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The methods.
        found: Vec<String>,
    },
    /// The method has no such part.
    #[error("{method} has {what}")]
    Part {
        /// The method.
        method: String,
        /// What it has instead.
        what: String,
    },
    /// The method cannot be analysed.
    #[error("{method}: {why}")]
    Flow {
        /// The method.
        method: String,
        /// Why.
        why: FlowError,
    },
}

/// A criterion, taken apart.
enum Asked<'t> {
    Loop(usize),
    Invocations,
    Block(usize),
    Branch(usize),
    Variable(&'t str, u16),
}

impl Analysis<'_> {
    /// Finds what a text asks for.
    ///
    /// # Errors
    /// If it has none of the forms, or names nothing or several things.
    pub fn criterion(&self, text: &str) -> Result<Criterion, CriterionError> {
        let text = text.trim();
        if let Some(field) = text.strip_suffix(" at exit") {
            return self.field(field);
        }
        let form = || CriterionError::Form {
            text: text.to_owned(),
        };
        let number = |rest: &str| -> Result<usize, CriterionError> {
            let digits = rest.split_whitespace().next().unwrap_or_default();
            digits.parse().map_err(|_| form())
        };
        let (name, asked) = if let Some((name, rest)) = text.split_once(" loop ") {
            (name, Asked::Loop(number(rest)?))
        } else if let Some((name, rest)) = text.split_once(" block ") {
            let block = number(rest)?;
            let words: Vec<&str> = rest.split_whitespace().skip(1).collect();
            match words.first() {
                Some(&("taken" | "not" | "case" | "default")) => (name, Asked::Branch(block)),
                None => (name, Asked::Block(block)),
                Some(word) if word.starts_with('(') => (name, Asked::Block(block)),
                Some(_) => return Err(form()),
            }
        } else if let Some((name, _)) = text.split_once(" invocations") {
            (name, Asked::Invocations)
        } else if let Some((place, line)) = text.split_once(" at line ") {
            let (name, variable) = place.rsplit_once('.').ok_or_else(form)?;
            (name, Asked::Variable(variable, number(line)? as u16))
        } else {
            return Err(form());
        };
        let fits: Vec<MethodId> = self.candidates(name)?;
        let several = fits.len() > 1;
        let mut found = Vec::new();
        let mut refused = None;
        for method in fits {
            match self.part(method, &asked) {
                Ok(criterion) => found.push(criterion),
                Err(e) => refused = refused.or(Some(e)),
            }
        }
        match (found.len(), refused) {
            (1, _) => Ok(found.remove(0)),
            (0, Some(_)) if several => Err(CriterionError::Part {
                method: name.to_owned(),
                what: "no method with such a part".to_owned(),
            }),
            (0, Some(e)) => Err(e),
            _ => Err(CriterionError::Ambiguous {
                name: name.to_owned(),
                found: found.into_iter().map(|c| c.shown).collect(),
            }),
        }
    }

    /// The reached methods that a name may mean.
    fn candidates(&self, name: &str) -> Result<Vec<MethodId>, CriterionError> {
        let spelling = Spelling::of(name);
        let mut found = Vec::new();
        let mut unreached = false;
        for (id, method) in self.program.methods() {
            let internal = &self.program.class(method.class).name;
            let fits = spelling.is_some_and(|spelling| {
                let (file, member) = self.program.member(id);
                let constants = file.constants();
                spelling.means(
                    internal,
                    &member.name(constants),
                    &member.descriptor(constants),
                )
            });
            if !fits && naming::class(internal) != name && self.program.shown(id) != name {
                continue;
            }
            if self.system.layout(id).is_some() {
                found.push(id);
            } else {
                unreached = true;
            }
        }
        if found.is_empty() {
            return Err(CriterionError::Unknown {
                name: name.to_owned(),
                but: if unreached {
                    ", but there is code of that name"
                } else {
                    ""
                },
            });
        }
        Ok(found)
    }

    fn part(&self, method: MethodId, asked: &Asked<'_>) -> Result<Criterion, CriterionError> {
        let shown = self.program.shown(method);
        let Some(layout) = self.system.layout(method) else {
            unreachable!("candidates have a layout")
        };
        let flow = |why: FlowError| CriterionError::Flow {
            method: shown.clone(),
            why,
        };
        let found = self.dependence(method).map_err(flow)?;
        let lacks = |what: String| CriterionError::Part {
            method: shown.clone(),
            what,
        };
        let blocks = found.cfg().blocks.len();
        let decide = |block: BlockId| {
            let own = found.decide(block).iter().map(|&b| layout.decides(b));
            own.chain([layout.entry()]).collect::<Vec<_>>()
        };
        let (what, seeds) = match *asked {
            Asked::Invocations => ("invocations".to_owned(), vec![layout.entry()]),
            Asked::Loop(number) => {
                let loops = found.cfg().loops();
                let Some(chosen) = loops.get(number) else {
                    return Err(lacks(format!("{} loops, numbered from 0", loops.len())));
                };
                (
                    format!("loop {number} at block {}", chosen.header.0),
                    decide(chosen.header),
                )
            }
            Asked::Block(block) if block < blocks => {
                (format!("block {block}"), decide(BlockId(block as u32)))
            }
            Asked::Branch(block) if block < blocks => {
                let last = found.cfg().blocks[block].instructions.end - 1;
                (
                    format!("the branch of block {block}"),
                    vec![layout.instruction(last as u32)],
                )
            }
            Asked::Block(_) | Asked::Branch(_) => {
                return Err(lacks(format!("{blocks} blocks, numbered from 0")));
            }
            Asked::Variable(name, line) => {
                let uses = self.uses(method, &found, name, line).map_err(flow)?;
                if uses.is_empty() {
                    return Err(lacks(format!(
                        "no instruction on line {line} that reads or sets a variable {name} (or no debug tables)"
                    )));
                }
                let seeds = uses.iter().map(|&i| layout.instruction(i as u32)).collect();
                (format!("{name} at line {line}"), seeds)
            }
        };
        Ok(Criterion {
            shown: format!("{shown} {what}"),
            seeds,
        })
    }

    /// Instructions on a line that read or set a variable.
    fn uses(
        &self,
        method: MethodId,
        found: &MethodDependence,
        name: &str,
        line: u16,
    ) -> Result<Vec<usize>, FlowError> {
        let (file, member) = self.program.member(method);
        let Some(code) = member.code(file.constants())? else {
            return Ok(Vec::new());
        };
        let lines = code.line_numbers(file.constants())?;
        let variables = code.local_variables(file.constants())?;
        let mut uses = Vec::new();
        for (i, here) in found.cfg().instructions.iter().enumerate() {
            let after = lines.partition_point(|&(pc, _)| pc <= here.pc);
            let on_line = after.checked_sub(1).is_some_and(|at| lines[at].1 == line);
            let read = crate::values::read_local(here);
            let slot = read.or(here.stored_local().map(|s| s.0));
            // A variable begins behind the instruction that first sets it.
            let names = variables.iter().any(|v| {
                Some(v.slot) == slot
                    && v.name == name
                    && u32::from(v.start) <= here.end()
                    && here.pc < v.start.saturating_add(v.length)
            });
            if on_line && names && found.is_reachable(i) {
                uses.push(i);
            }
        }
        Ok(uses)
    }

    fn field(&self, text: &str) -> Result<Criterion, CriterionError> {
        let form = || CriterionError::Form {
            text: text.to_owned(),
        };
        let (class, field) = text.rsplit_once('.').ok_or_else(form)?;
        let found = self
            .system
            .locations
            .iter()
            .find_map(|(location, &vertex)| match location {
                Location::Field(owner, name, _)
                    if name == field && naming::class(owner) == class =>
                {
                    Some(vertex)
                }
                _ => None,
            });
        let seeds = vec![found.ok_or_else(|| CriterionError::Unknown {
            name: text.to_owned(),
            but: "",
        })?];
        Ok(Criterion {
            shown: format!("{text} at exit"),
            seeds,
        })
    }
}
