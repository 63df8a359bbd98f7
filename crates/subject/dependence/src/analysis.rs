//! A program's slices, from the class path to the answer.

use std::collections::BTreeMap;

use pricetag_classfile::naming;
use pricetag_flow::FlowError;

use crate::build::build;
use crate::calls::{CallGraph, parameter_slots};
use crate::criterion::Criterion;
use crate::method::MethodDependence;
use crate::models::Models;
use crate::program::{MethodId, Program};
use crate::slice::{Contexts, Summaries, slice};
use crate::system::System;
use crate::throwing::{Exceptions, may_throw};
use pricetag_classpath::ClassPath;

/// The dependences of a program.
#[derive(Debug)]
pub struct Analysis<'a> {
    /// Its classes.
    pub program: Program<'a>,
    /// Its calls.
    pub graph: CallGraph,
    /// Its dependences.
    pub system: System,
    /// What calls hand through.
    pub summaries: Summaries,
    /// What was left out, and why.
    pub notes: Vec<String>,
    exceptions: Exceptions,
}

/// Why there is nothing to analyse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// The main class is not there.
    #[error("no class on the class path is called {class}")]
    NoClass {
        /// Its name.
        class: String,
    },
    /// It has no main method.
    #[error("{class} has no method main(String[])")]
    NoMain {
        /// Its name.
        class: String,
    },
}

/// The part of a method that a slice keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlicedMethod {
    /// The method.
    pub method: MethodId,
    /// Its name for people.
    pub shown: String,
    /// Its source file.
    pub file: Option<String>,
    /// Offsets of the instructions in the slice, ascending.
    pub kept: Vec<u16>,
    /// Lines they stand on, ascending.
    pub lines: Vec<u16>,
    /// Instructions of the method that can be reached from its entry.
    pub instructions: usize,
}

/// A slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The methods it keeps something of, by name.
    pub methods: Vec<SlicedMethod>,
    /// Methods that the program can reach, with code.
    pub reached_methods: usize,
    /// Their instructions.
    pub reached_instructions: usize,
    /// Calls into the outside that it keeps of which the table knows nothing, by name, with how many there are.
    pub unknown: BTreeMap<String, usize>,
}

/// How often a block ran.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCount {
    /// Internal name of the class.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Offset of its first instruction, and of the byte behind its last.
    pub pcs: (u32, u32),
    /// Executions.
    pub count: f64,
}

/// Executed instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Executed {
    /// Those in the slice.
    pub kept: f64,
    /// All in blocks that were counted and are known.
    pub whole: f64,
}

impl Slice {
    /// Instructions it keeps.
    pub fn instructions(&self) -> usize {
        self.methods.iter().map(|m| m.kept.len()).sum()
    }
}

impl<'a> Analysis<'a> {
    /// Analyses what can be reached from `main` of a class, given dotted.
    ///
    /// # Errors
    /// If there is no such class or method.
    pub fn of(
        path: &'a ClassPath,
        main: &str,
        exceptions: Exceptions,
    ) -> Result<Self, AnalysisError> {
        let program = Program::of(path);
        let class = || main.to_owned();
        let Some(start) = program.named(&main.replace('.', "/")) else {
            return Err(AnalysisError::NoClass { class: class() });
        };
        let selector = program.known_selector("main", "([Ljava/lang/String;)V");
        let root = selector.and_then(|s| program.resolve(start, s));
        let Some(root) = root else {
            return Err(AnalysisError::NoMain { class: class() });
        };
        let made: Vec<_> = path
            .services()
            .filter_map(|name| program.named(&name))
            .collect();
        let models = Models::default();
        let graph = CallGraph::of(&program, &models, &[root], &made);
        let mut notes = path.notes().to_vec();
        notes.extend(program.broken().iter().chain(&graph.broken).cloned());
        notes.extend(graph.natives.iter().map(|&native| {
            format!(
                "{} is native: it is taken to do everything",
                program.shown(native)
            )
        }));
        let system = build(&program, &graph, exceptions, &mut notes);
        let summaries = Summaries::of(&system, &graph);
        Ok(Self {
            program,
            graph,
            system,
            summaries,
            notes,
            exceptions,
        })
    }

    /// The dependences of one method, as the whole program's graph has them.
    pub(crate) fn dependence(&self, method: MethodId) -> Result<MethodDependence, FlowError> {
        let (file, member) = self.program.member(method);
        let bad = FlowError::Stack { pc: 0 };
        let code = member.code(file.constants())?.ok_or(bad)?;
        let slots = parameter_slots(&self.program, method).iter().sum();
        let all = self.exceptions == Exceptions::All;
        MethodDependence::of_code(&code, file.constants(), slots, &|i, here| {
            (all && may_throw(here.opcode)) || self.graph.raises(method, i)
        })
    }

    /// The slice of a criterion.
    pub fn slice(&self, criterion: &Criterion, contexts: Contexts) -> Slice {
        let kept = slice(&self.system, &self.summaries, &criterion.seeds, contexts);
        let mut answer = Slice::default();
        for (id, _) in self.program.methods() {
            let Some(layout) = self.system.layout(id) else {
                continue;
            };
            let (file, member) = self.program.member(id);
            let Ok(Some(code)) = member.code(file.constants()) else {
                continue;
            };
            let Ok(instructions) = code.instructions() else {
                continue;
            };
            let lines = code.line_numbers(file.constants()).unwrap_or_default();
            let reachable = |i: u32| {
                let entry = layout.entry();
                let depends = self.system.edges(layout.instruction(i));
                depends.iter().any(|(to, _)| *to == entry)
            };
            let size = (0..layout.instructions).filter(|&i| reachable(i)).count();
            answer.reached_methods += 1;
            answer.reached_instructions += size;
            let chosen = (0..layout.instructions).filter(|&i| kept[layout.instruction(i) as usize]);
            let chosen: Vec<u16> = chosen.map(|i| instructions[i as usize].pc).collect();
            if chosen.is_empty() {
                continue;
            }
            let line = |pc: &u16| {
                let after = lines.partition_point(|(start, _)| start <= pc);
                after.checked_sub(1).map(|at| lines[at].1)
            };
            let mut own: Vec<u16> = chosen.iter().filter_map(line).collect();
            own.sort_unstable();
            own.dedup();
            answer.methods.push(SlicedMethod {
                method: id,
                shown: self.program.shown(id),
                file: file.source_file(),
                kept: chosen,
                lines: own,
                instructions: size,
            });
            self.count_unknown(id, &kept, &mut answer.unknown);
        }
        answer.methods.sort_by(|a, b| a.shown.cmp(&b.shown));
        answer
    }

    /// How much of what ran is in a slice; none if none of the blocks is of the program.
    pub fn executed(&self, slice: &Slice, blocks: &[BlockCount]) -> Option<Executed> {
        let kept: BTreeMap<MethodId, &SlicedMethod> =
            slice.methods.iter().map(|m| (m.method, m)).collect();
        let mut sum = Executed {
            kept: 0.0,
            whole: 0.0,
        };
        for block in blocks {
            let class = self.program.named(&block.class);
            let selector = self
                .program
                .known_selector(&block.method, &block.descriptor);
            let Some(id) = class
                .zip(selector)
                .and_then(|(c, s)| self.program.resolve(c, s))
            else {
                continue;
            };
            let (file, member) = self.program.member(id);
            let Ok(Some(code)) = member.code(file.constants()) else {
                continue;
            };
            let Ok(instructions) = code.instructions() else {
                continue;
            };
            let within = |pc: u16| (block.pcs.0..block.pcs.1).contains(&u32::from(pc));
            let size = instructions.iter().filter(|i| within(i.pc)).count();
            let own = kept
                .get(&id)
                .map_or(0, |m| m.kept.iter().filter(|&&pc| within(pc)).count());
            sum.whole += size as f64 * block.count;
            sum.kept += own as f64 * block.count;
        }
        (sum.whole > 0.0).then_some(sum)
    }

    fn count_unknown(&self, id: MethodId, kept: &[bool], unknown: &mut BTreeMap<String, usize>) {
        let (Some(layout), Some(reached)) =
            (self.system.layout(id), &self.graph.reached[id.0 as usize])
        else {
            return;
        };
        for call in &reached.calls {
            let Some(site) = layout.site(call.instruction as u32) else {
                continue;
            };
            let outcome = kept[site.outcome() as usize] || kept[site.thrown() as usize];
            if let Some((member, model)) = call.target.outside.map(|o| &self.graph.outside[o])
                && model.unknown
                && outcome
            {
                let shown = naming::method(&member.owner, &member.name, &member.descriptor);
                *unknown.entry(shown).or_default() += 1;
            }
        }
    }
}
