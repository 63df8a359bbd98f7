//! Dependent chains: operations of a recursive function whose result is an operand of the same operation one call later, so that each
//! waits for the one before (*latency*), where others overlap (*throughput*).
//!
//! An operation is on a chain when it lies between a parameter and the argument that takes its place in a call of the function itself, or
//! between the result of such a call and the function's own result. Limits: chains through data structures, through other functions and
//! through functions defined together are not seen.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::{Expr, Lambda, Pattern, Program, VarId, Work};

/// Where a value comes from: a parameter, or the result of the function's own call.
const RESULT: usize = usize::MAX;

type Sources = BTreeSet<usize>;

/// Addresses of the operations that are on a chain.
pub(super) fn find(program: &Program, chained: &mut BTreeSet<usize>) {
    for item in program.items.iter().filter(|i| !i.library) {
        match &item.work {
            Work::Nothing => {}
            Work::Expression(e, _) => expression(e, chained),
            Work::Let(bindings, _) => bindings.iter().for_each(|b| expression(&b.value, chained)),
            Work::LetRec(functions) => functions
                .iter()
                .for_each(|(g, l)| function(Name::Global(*g), l, chained)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Local(VarId),
    Global(u32),
}

/// Looks for recursive functions inside.
fn expression(e: &Expr, chained: &mut BTreeSet<usize>) {
    if let Expr::LetRec(functions, _) = e {
        functions
            .iter()
            .for_each(|(v, l)| function(Name::Local(*v), l, chained));
        if let Expr::LetRec(_, body) = e {
            expression(body, chained);
        }
        return;
    }
    e.children()
        .into_iter()
        .for_each(|c| expression(c, chained));
}

fn function(name: Name, lambda: &Lambda, chained: &mut BTreeSet<usize>) {
    expression(&lambda.body, chained);
    let mut flow = Flow {
        name,
        arity: lambda.parameters.len(),
        sources: BTreeMap::new(),
        values: BTreeMap::new(),
        calls: vec![],
    };
    for (i, (parameter, _)) in lambda.parameters.iter().enumerate() {
        if let Pattern::Variable(v) = parameter {
            flow.sources.insert(*v, [i].into());
        }
    }
    let result = flow.sources(&lambda.body);
    for arguments in std::mem::take(&mut flow.calls) {
        for (i, argument) in arguments.iter().enumerate() {
            flow.mark(argument, i, chained, 0);
        }
    }
    if result.contains(&RESULT) {
        flow.mark(&lambda.body, RESULT, chained, 0);
    }
}

struct Flow<'p> {
    name: Name,
    arity: usize,
    sources: BTreeMap<VarId, Sources>,
    values: BTreeMap<VarId, &'p Expr>,
    calls: Vec<&'p [Expr]>,
}

impl<'p> Flow<'p> {
    fn is_own(&self, e: &Expr) -> bool {
        match e {
            Expr::Local(v) => self.name == Name::Local(*v),
            Expr::Global(g) => self.name == Name::Global(*g),
            _ => false,
        }
    }

    /// What a value is computed from; notes calls of the function itself on the way.
    fn sources(&mut self, e: &'p Expr) -> Sources {
        match e {
            Expr::Local(v) => self.sources.get(v).cloned().unwrap_or_default(),
            Expr::Operate(_, arguments, _) => {
                arguments.iter().flat_map(|a| self.sources(a)).collect()
            }
            Expr::Apply(f, arguments) => {
                arguments.iter().for_each(|a| {
                    self.sources(a);
                });
                if self.is_own(f) && arguments.len() == self.arity {
                    self.calls.push(arguments);
                    return [RESULT].into();
                }
                Sources::new()
            }
            Expr::If(c, yes, no) => {
                self.sources(c);
                let mut all = self.sources(yes);
                all.extend(self.sources(no));
                all
            }
            Expr::Match { value, clauses, .. } | Expr::Try(value, clauses) => {
                self.sources(value);
                clauses.iter().flat_map(|c| self.sources(&c.body)).collect()
            }
            Expr::Let(bindings, body) => {
                for b in bindings {
                    let sources = self.sources(&b.value);
                    if let Pattern::Variable(v) = b.pattern {
                        self.sources.insert(v, sources);
                        self.values.insert(v, &b.value);
                    }
                }
                self.sources(body)
            }
            Expr::LetRec(_, body) => self.sources(body),
            Expr::Sequence(parts) => parts
                .iter()
                .map(|p| self.sources(p))
                .last()
                .unwrap_or_default(),
            other => {
                other.children().into_iter().for_each(|c| {
                    self.sources(c);
                });
                Sources::new()
            }
        }
    }

    /// Marks the operations between a source and an expression's value.
    fn mark(&mut self, e: &'p Expr, source: usize, chained: &mut BTreeSet<usize>, depth: u32) {
        if depth > 200 || !self.sources(e).contains(&source) {
            return;
        }
        let next = depth + 1;
        match e {
            Expr::Operate(_, arguments, _) => {
                if !chained.insert(std::ptr::from_ref(e).addr()) {
                    return;
                }
                arguments
                    .iter()
                    .for_each(|a| self.mark(a, source, chained, next));
            }
            Expr::Local(v) => {
                if let Some(value) = self.values.get(v).copied() {
                    self.mark(value, source, chained, next);
                }
            }
            Expr::If(_, yes, no) => {
                self.mark(yes, source, chained, next);
                self.mark(no, source, chained, next);
            }
            Expr::Match { clauses, .. } | Expr::Try(_, clauses) => {
                clauses
                    .iter()
                    .for_each(|c| self.mark(&c.body, source, chained, next));
            }
            Expr::Let(_, body) | Expr::LetRec(_, body) => self.mark(body, source, chained, next),
            Expr::Sequence(parts) => parts
                .iter()
                .for_each(|p| self.mark(p, source, chained, next)),
            _ => {}
        }
    }
}
