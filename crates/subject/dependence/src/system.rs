//! The system dependence graph: the dependence graphs of all reached methods, connected at calls and through the heap.
//!
//! Vertices of a method: its entry, what it returns, what it throws, its parameters, its instructions, φs and copies, and for each call the
//! arguments, the outcome and the exception. Every edge leads from what depends to what it depends on.
//!
//! The heap is one vertex per *location*: a field of a class, the elements of all arrays of one type, the state of a group of library objects.
//! A read depends on the location, and the location on all writes.
//!
//! Source: Horwitz, Reps & Binkley 1990, "Interprocedural slicing using dependence graphs", §3. Deviation: fields are no parameters of
//! methods. What is read through a location is followed from every write without regard to calling context: larger than with heap
//! parameters, and linear in the size of the program.

use std::collections::BTreeMap;

use crate::calls::{CallGraph, LambdaId};
use crate::program::MethodId;

/// A vertex.
pub type Vertex = u32;

/// What a slice may do at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Within a method.
    Local,
    /// From a method to a caller.
    Up,
    /// From a call to what the called method hands back.
    Down,
    /// To anywhere, in whatever calling context.
    Heap,
}

/// What may be written in one method and read in another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// A field: declaring class (internal name), name and descriptor.
    Field(String, String, String),
    /// The elements of arrays of one kind: `I`, `J`, …, `L` for references.
    Elements(char),
    /// The state of a group of library objects.
    Group(String),
    /// Arguments that code outside hands to methods of a name that it calls.
    Calls(String),
    /// What such methods hand back.
    Returns(String),
}

/// Where the vertices of a method are.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Its first vertex, the entry.
    pub base: Vertex,
    /// Its parameters, the receiver included.
    pub parameters: u32,
    /// Its instructions.
    pub instructions: u32,
    /// Its calls: index of the instruction, first vertex, number of arguments.
    pub sites: Vec<(u32, Vertex, u32)>,
    /// One past its last vertex.
    pub end: Vertex,
}

impl Layout {
    /// What control depends on.
    pub fn entry(&self) -> Vertex {
        self.base
    }

    /// What it returns.
    pub fn returned(&self) -> Vertex {
        self.base + 1
    }

    /// The exception it ends in.
    pub fn thrown(&self) -> Vertex {
        self.base + 2
    }

    /// A parameter.
    pub fn parameter(&self, index: u32) -> Vertex {
        self.base + 3 + index
    }

    /// An instruction.
    pub fn instruction(&self, index: u32) -> Vertex {
        self.base + 3 + self.parameters + index
    }

    /// The call at an instruction.
    pub fn site(&self, instruction: u32) -> Option<Site> {
        let found = self
            .sites
            .binary_search_by_key(&instruction, |s| s.0)
            .ok()?;
        let (_, first, arguments) = self.sites[found];
        Some(Site {
            first,
            arguments,
            call: self.instruction(instruction),
        })
    }

    /// The vertex of an instruction as something that control depends on: of a call, its exception.
    pub fn decides(&self, instruction: u32) -> Vertex {
        self.site(instruction)
            .map_or_else(|| self.instruction(instruction), Site::thrown)
    }
}

/// The vertices of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The first argument's.
    first: Vertex,
    /// How many arguments there are, receiver included.
    pub arguments: u32,
    /// The instruction's.
    pub call: Vertex,
}

impl Site {
    /// An argument.
    pub fn argument(self, index: u32) -> Vertex {
        self.first + index
    }

    /// The outcome.
    pub fn outcome(self) -> Vertex {
        self.first + self.arguments
    }

    /// The exception.
    pub fn thrown(self) -> Vertex {
        self.first + self.arguments + 1
    }
}

/// One way a method is called.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The call.
    pub site: Site,
    /// The lambda that stands between, with how many arguments it captured and whether it makes the receiver.
    pub through: Option<LambdaId>,
}

/// The graph.
#[derive(Debug, Default)]
pub struct System {
    /// By method; none if it is not reached.
    pub layouts: Vec<Option<Layout>>,
    /// By method.
    pub callers: Vec<Vec<Caller>>,
    /// The locations and their vertices.
    pub locations: BTreeMap<Location, Vertex>,
    starts: Vec<u32>,
    edges: Vec<(Vertex, Kind)>,
}

impl System {
    /// Sorts edges by where they start. Locations get the last vertices.
    pub(crate) fn finish(
        layouts: Vec<Option<Layout>>,
        callers: Vec<Vec<Caller>>,
        locations: BTreeMap<Location, Vertex>,
        vertices: u32,
        mut edges: Vec<(Vertex, Vertex, Kind)>,
    ) -> Self {
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0; vertices as usize + 1];
        for &(from, ..) in &edges {
            starts[from as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Self {
            layouts,
            callers,
            locations,
            starts,
            edges: edges.into_iter().map(|(_, to, kind)| (to, kind)).collect(),
        }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// What a vertex depends on.
    pub fn edges(&self, vertex: Vertex) -> &[(Vertex, Kind)] {
        let at = vertex as usize;
        &self.edges[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The vertices of a method.
    pub fn layout(&self, method: MethodId) -> Option<&Layout> {
        self.layouts[method.0 as usize].as_ref()
    }

    /// The argument of a call that a parameter takes; none if it does not come from the call.
    pub fn argument(graph: &CallGraph, caller: Caller, parameter: u32) -> Option<Vertex> {
        let site = caller.site;
        let Some(lambda) = caller.through else {
            return (parameter < site.arguments).then(|| site.argument(parameter));
        };
        let lambda = &graph.lambdas[lambda.0 as usize];
        let own = parameter.checked_sub(u32::from(lambda.constructs))?;
        let given = own.checked_sub(lambda.captured as u32)? + 1;
        // Where shapes differ (arguments as an array), the last one stands for all.
        (site.arguments > 1).then(|| site.argument(given.min(site.arguments - 1)))
    }
}
