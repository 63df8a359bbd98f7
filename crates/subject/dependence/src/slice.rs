//! Slices: what a vertex depends on, by calling context.
//!
//! Summary edges say which arguments of a call its outcome depends on. With them a slice first goes up to callers and past calls, and then
//! down into what was called, never up again. From a location of the heap it starts anew at every write.
//!
//! Source: Reps, Horwitz, Sagiv & Rosay 1994, "Speeding up slicing", §4 (summary edges); Horwitz, Reps & Binkley 1990, §4 (two passes).

use std::collections::HashMap;

use crate::calls::CallGraph;
use crate::program::MethodId;
use crate::system::{Kind, System, Vertex};

/// Which arguments a call's outcome and exception depend on through what it calls.
#[derive(Clone, Debug, Default)]
pub struct Summaries(HashMap<Vertex, Vec<Vertex>>);

impl Summaries {
    /// Finds them.
    pub fn of(system: &System, graph: &CallGraph) -> Self {
        let mut parameters: HashMap<Vertex, (MethodId, u32)> = HashMap::new();
        let mut work = Vec::new();
        // Which of what a method hands back depends on a vertex: 1 what it returns, 2 what it throws.
        let mut paths = vec![0u8; system.vertices() as usize];
        for (index, layout) in system.layouts.iter().enumerate() {
            let Some(layout) = layout else {
                continue;
            };
            for parameter in 0..layout.parameters {
                let method = MethodId(index as u32);
                parameters.insert(layout.parameter(parameter), (method, parameter));
            }
            for (vertex, bit) in [(layout.returned(), 1), (layout.thrown(), 2)] {
                paths[vertex as usize] |= bit;
                work.push((vertex, bit));
            }
        }
        let mut found = Self::default();
        while let Some((vertex, bit)) = work.pop() {
            let mut reach = |to: Vertex, bits: u8, work: &mut Vec<(Vertex, u8)>| {
                for bit in [1, 2] {
                    if bits & bit & !paths[to as usize] != 0 {
                        paths[to as usize] |= bit;
                        work.push((to, bit));
                    }
                }
            };
            for &(to, kind) in system.edges(vertex) {
                if kind == Kind::Local {
                    reach(to, bit, &mut work);
                }
            }
            for &to in found.of_vertex(vertex) {
                reach(to, bit, &mut work);
            }
            let Some(&(method, parameter)) = parameters.get(&vertex) else {
                continue;
            };
            for &caller in &system.callers[method.0 as usize] {
                let Some(argument) = System::argument(graph, caller, parameter) else {
                    continue;
                };
                let out = if bit == 1 {
                    caller.site.outcome()
                } else {
                    caller.site.thrown()
                };
                let known = found.0.entry(out).or_default();
                if known.contains(&argument) {
                    continue;
                }
                known.push(argument);
                let bits = paths[out as usize];
                for bit in [1, 2] {
                    if bits & bit & !paths[argument as usize] != 0 {
                        paths[argument as usize] |= bit;
                        work.push((argument, bit));
                    }
                }
            }
        }
        found
    }

    /// Arguments that a vertex depends on through a call.
    pub fn of_vertex(&self, vertex: Vertex) -> &[Vertex] {
        self.0.get(&vertex).map_or(&[], Vec::as_slice)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

/// Whether a slice regards calling contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contexts {
    /// It does.
    #[default]
    Matched,
    /// It follows every edge: larger, and a bound for the other.
    Ignored,
}

/// All that some vertices depend on, themselves included, by vertex.
pub fn slice(
    system: &System,
    summaries: &Summaries,
    seeds: &[Vertex],
    contexts: Contexts,
) -> Vec<bool> {
    const FIRST: u8 = 1;
    const SECOND: u8 = 2;
    let mut seen = vec![0u8; system.vertices() as usize];
    let mut work: Vec<(Vertex, u8)> = Vec::new();
    let visit = |vertex: Vertex, pass: u8, seen: &mut Vec<u8>, work: &mut Vec<(Vertex, u8)>| {
        // What the first pass reaches, the second need not.
        let known = seen[vertex as usize];
        if known & FIRST == 0 && known & pass == 0 {
            seen[vertex as usize] |= pass;
            work.push((vertex, pass));
        }
    };
    for &seed in seeds {
        visit(seed, FIRST, &mut seen, &mut work);
    }
    while let Some((vertex, pass)) = work.pop() {
        for &(to, kind) in system.edges(vertex) {
            let next = match (kind, pass) {
                _ if contexts == Contexts::Ignored => FIRST,
                (Kind::Local, pass) => pass,
                (Kind::Heap, _) | (Kind::Up, FIRST) => FIRST,
                (Kind::Down, _) => SECOND,
                (Kind::Up, _) => continue,
            };
            visit(to, next, &mut seen, &mut work);
        }
        for &to in summaries.of_vertex(vertex) {
            visit(to, pass, &mut seen, &mut work);
        }
    }
    seen.into_iter().map(|s| s != 0).collect()
}
