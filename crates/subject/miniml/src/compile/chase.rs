//! Pointers followed from call to call: loads of a recursive function whose result takes the place of the parameter it was loaded from.
//!
//! Each such load waits for the one before, some five cycles on current processors, while other loads overlap with whatever else runs: walking
//! a list costs what its tails cost. Seen are matches (also nested, and of tuples built on the spot) on a parameter or a part of it whose variable is handed to
//! a function of the same recursive definition at the parameter's position. Limits: positions are compared by number between functions defined together.

use std::collections::{BTreeMap, BTreeSet};

use super::chain::own_calls;
use super::pattern::variables;
use crate::code::Chain;
use crate::core::{Expr, Lambda, Pattern, Program, VarId, Work};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Local(VarId),
    Global(u32),
}

/// A part of a parameter.
#[derive(Clone, Copy)]
struct Origin {
    parameter: usize,
    /// The variable it was loaded from, unless that is the parameter.
    parent: Option<VarId>,
    /// Loads from there.
    loads: u32,
}

/// A variable whose loading is on a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chased {
    chain: Chain,
    loads: u32,
    /// Whether it is on the first chain of its function, the one that a sum of prices counts.
    first: bool,
}

/// Variables whose loading is on a chain.
pub(super) fn find(program: &Program) -> BTreeMap<VarId, Chased> {
    let mut chased = BTreeMap::new();
    for item in &program.items {
        match &item.work {
            Work::Nothing => {}
            Work::Expression(e, _) => inside(e, &mut chased),
            Work::Let(bindings, _) => bindings.iter().for_each(|b| inside(&b.value, &mut chased)),
            Work::LetRec(functions) => {
                let names: Vec<Name> = functions.iter().map(|(g, _)| Name::Global(*g)).collect();
                functions
                    .iter()
                    .for_each(|(_, l)| function(&names, l, &mut chased));
            }
        }
    }
    chased
}

/// The longest chain of loads in a pattern: on the first chain of the function, and on each.
pub(super) fn loads(
    pattern: &Pattern,
    chased: &BTreeMap<VarId, Chased>,
) -> (usize, BTreeMap<Chain, usize>) {
    let mut chains = BTreeMap::new();
    if chased.is_empty() {
        return (0, chains);
    }
    let mut names = BTreeSet::new();
    variables(pattern, &mut names);
    let mut first = 0;
    for one in names.iter().filter_map(|v| chased.get(v)) {
        let loads = one.loads as usize;
        let most = chains.entry(one.chain).or_insert(0);
        *most = loads.max(*most);
        if one.first {
            first = first.max(loads);
        }
    }
    (first, chains)
}

/// Recursive functions in an expression that is in none.
fn inside(e: &Expr, chased: &mut BTreeMap<VarId, Chased>) {
    if let Expr::LetRec(functions, _) = e {
        let names: Vec<Name> = functions.iter().map(|(v, _)| Name::Local(*v)).collect();
        functions
            .iter()
            .for_each(|(_, l)| function(&names, l, chased));
    }
    e.children().into_iter().for_each(|c| inside(c, chased));
}

fn function(names: &[Name], lambda: &Lambda, chased: &mut BTreeMap<VarId, Chased>) {
    inside(&lambda.body, chased);
    let mut chase = Chase {
        names,
        origins: BTreeMap::new(),
        hits: BTreeMap::new(),
    };
    if own_calls(&lambda.body, &|f| chase.is_own(f)) > 1 {
        return;
    }
    for (i, (parameter, _)) in lambda.parameters.iter().enumerate() {
        let origin = Origin {
            parameter: i,
            parent: None,
            loads: 0,
        };
        chase.bind(parameter, origin);
    }
    chase.walk(&lambda.body);
    // Chains from several parameters overlap: in a sum the first stands for all.
    let first = chase.hits.keys().next().copied();
    for (parameter, hits) in chase.hits {
        for (v, loads) in hits {
            let one = Chased {
                chain: parameter as Chain,
                loads,
                first: Some(parameter) == first,
            };
            chased.entry(v).or_insert(one);
        }
    }
}

struct Chase<'a> {
    names: &'a [Name],
    origins: BTreeMap<VarId, Origin>,
    /// Variables on a chain and their loads, by parameter.
    hits: BTreeMap<usize, BTreeMap<VarId, u32>>,
}

impl Chase<'_> {
    fn is_own(&self, e: &Expr) -> bool {
        match e {
            Expr::Local(v) => self.names.contains(&Name::Local(*v)),
            Expr::Global(g) => self.names.contains(&Name::Global(*g)),
            _ => false,
        }
    }

    fn walk(&mut self, e: &Expr) {
        match e {
            Expr::Match { value, clauses, .. } => {
                for clause in clauses {
                    self.take_apart(value, &clause.pattern);
                }
            }
            Expr::Let(bindings, _) => {
                for b in bindings {
                    self.take_apart(&b.value, &b.pattern);
                }
            }
            Expr::Apply(f, arguments) if self.is_own(f) => {
                for (i, argument) in arguments.iter().enumerate() {
                    if let Expr::Local(v) = argument {
                        self.hand_over(*v, i);
                    }
                }
            }
            _ => {}
        }
        e.children().into_iter().for_each(|c| self.walk(c));
    }

    /// A pattern over a variable, or over a tuple of variables.
    fn take_apart(&mut self, value: &Expr, pattern: &Pattern) {
        match (value, pattern) {
            (Expr::Local(v), _) => {
                if let Some(origin) = self.origins.get(v).copied() {
                    let origin = Origin {
                        parameter: origin.parameter,
                        parent: Some(*v),
                        loads: 0,
                    };
                    self.bind(pattern, origin);
                }
            }
            (Expr::Tuple(values), Pattern::Tuple(patterns)) => {
                for (v, p) in values.iter().zip(patterns) {
                    self.take_apart(v, p);
                }
            }
            (_, Pattern::Or(a, b)) => {
                self.take_apart(value, a);
                self.take_apart(value, b);
            }
            _ => {}
        }
    }

    fn bind(&mut self, pattern: &Pattern, origin: Origin) {
        let deeper = Origin {
            loads: origin.loads + 1,
            ..origin
        };
        match pattern {
            Pattern::Variable(v) => {
                self.origins.insert(*v, origin);
            }
            Pattern::Alias(inner, v) => {
                self.origins.insert(*v, origin);
                self.bind(inner, origin);
            }
            Pattern::Construct {
                arguments: parts, ..
            }
            | Pattern::Tuple(parts) => {
                parts.iter().for_each(|p| self.bind(p, deeper));
            }
            Pattern::Record(fields, _) => fields.iter().for_each(|(_, p)| self.bind(p, deeper)),
            Pattern::Or(a, b) => {
                self.bind(a, origin);
                self.bind(b, origin);
            }
            _ => {}
        }
    }

    /// A variable becomes a parameter: its loads, and those that led to it, are on a chain if it came from there.
    fn hand_over(&mut self, v: VarId, parameter: usize) {
        let mut next = Some(v);
        while let Some(v) = next {
            let Some(origin) = self.origins.get(&v).filter(|o| o.parameter == parameter) else {
                return;
            };
            if origin.loads > 0 {
                let hits = self.hits.entry(parameter).or_default();
                hits.insert(v, origin.loads);
            }
            next = origin.parent;
        }
    }
}
