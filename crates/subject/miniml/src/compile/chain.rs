//! Dependent chains: operations of a recursive function whose result is an operand of the same operation one call later, so that each
//! waits for the one before (*latency*), where others overlap (*throughput*).
//!
//! An operation is on a chain when it lies between a parameter and the argument that takes its place in a call of the function itself, or
//! between the result of such a call and the function's own result. Fields of a block that is built for a parameter's place and taken apart one call later
//! are followed like parameters, each through memory. Loops are in [`looped`]. Limits: chains through other data structures, through other functions and
//! through functions defined together are not seen.

use std::collections::{BTreeMap, BTreeSet};

use super::looped;
use crate::code::{Chain, RESULT};
use crate::core::{Expr, Lambda, Pattern, Program, VarId, Work};

/// Where values come from: parameters, or the result of the function's own call.
type Sources = BTreeSet<Chain>;

/// The chains an operation is on, and those on which a float is put into a box that is opened one call later.
#[derive(Clone, Debug, Default)]
pub(super) struct Membership {
    pub chains: BTreeSet<Chain>,
    pub boxed: BTreeSet<Chain>,
    /// Those it is on by its second operand, whose tag is shifted out before a multiplication.
    pub second: BTreeSet<Chain>,
}

/// Chains of a parameter's fields have numbers from here on; more fields than these are not followed.
const FIELDS: (Chain, usize) = (1 << 20, 16);

/// The chain of a field of the block that is handed over as a parameter.
fn field_chain(parameter: Chain, field: usize) -> Option<Chain> {
    let (first, most) = FIELDS;
    (parameter < first && field < most).then(|| first + parameter * most as Chain + field as Chain)
}

/// By the address of an operation.
pub(super) type Chained = BTreeMap<usize, Membership>;

/// The operations that are on a chain, by address.
pub(super) fn find(program: &Program) -> Chained {
    let mut all = Chained::new();
    let chained = &mut all;
    for item in program.items.iter().filter(|i| !i.library) {
        match &item.work {
            Work::Nothing => {}
            Work::Expression(e, _) => {
                expression(e, chained);
                looped::find(e, chained);
            }
            Work::Let(bindings, _) => bindings.iter().for_each(|b| {
                expression(&b.value, chained);
                looped::find(&b.value, chained);
            }),
            Work::LetRec(functions) => functions.iter().for_each(|(g, l)| {
                function(Name::Global(*g), l, chained);
                looped::find(&l.body, chained);
            }),
        }
    }
    all
}

/// The function whose calls are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// A loop's body is none.
    None,
    Local(VarId),
    Global(u32),
}

/// Looks for recursive functions inside.
fn expression(e: &Expr, chained: &mut Chained) {
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

/// The most calls of functions of their own definition on one way through an expression.
pub(super) fn own_calls(e: &Expr, is_own: &dyn Fn(&Expr) -> bool) -> usize {
    let of = |e: &Expr| own_calls(e, is_own);
    match e {
        Expr::Lambda(_) => 0,
        Expr::If(c, yes, no) => of(c) + of(yes).max(of(no)),
        Expr::Match { value, clauses, .. } | Expr::Try(value, clauses) => {
            let guards: usize = clauses.iter().flat_map(|c| &c.guard).map(of).sum();
            let bodies = clauses.iter().map(|c| of(&c.body)).max();
            of(value) + guards + bodies.unwrap_or(0)
        }
        Expr::LetRec(_, body) => of(body),
        Expr::Apply(f, arguments) => {
            let inside: usize = arguments.iter().map(of).sum();
            inside + usize::from(is_own(f))
        }
        other => other.children().into_iter().map(of).sum(),
    }
}

fn function(name: Name, lambda: &Lambda, chained: &mut Chained) {
    expression(&lambda.body, chained);
    let mut flow = Flow::new(name, lambda.parameters.len());
    for (i, (parameter, _)) in lambda.parameters.iter().enumerate() {
        if let Pattern::Variable(v) = parameter {
            flow.start(*v, i as Chain);
        }
    }
    if own_calls(&lambda.body, &|f| flow.is_own(f)) > 1 {
        return;
    }
    let result = flow.sources(&lambda.body);
    for arguments in std::mem::take(&mut flow.calls) {
        for (i, argument) in arguments.iter().enumerate() {
            flow.mark(argument, i as Chain, i as Chain, chained, 0);
            flow.boxed(argument, i as Chain, chained);
            flow.rebuilt(argument, i as Chain, chained);
        }
    }
    if result.contains(&RESULT) {
        flow.mark(&lambda.body, RESULT, RESULT, chained, 0);
        flow.boxed(&lambda.body, RESULT, chained);
    }
}

pub(super) struct Flow<'p> {
    name: Name,
    arity: usize,
    sources: BTreeMap<VarId, Sources>,
    values: BTreeMap<VarId, &'p Expr>,
    calls: Vec<&'p [Expr]>,
}

impl<'p> Flow<'p> {
    pub(super) fn new(name: Name, arity: usize) -> Self {
        Self {
            name,
            arity,
            sources: BTreeMap::new(),
            values: BTreeMap::new(),
            calls: vec![],
        }
    }

    /// A variable with which a chain begins.
    pub(super) fn start(&mut self, v: VarId, chain: Chain) {
        self.sources.insert(v, [chain].into());
    }

    fn is_own(&self, e: &Expr) -> bool {
        match e {
            Expr::Local(v) => self.name == Name::Local(*v),
            Expr::Global(g) => self.name == Name::Global(*g),
            _ => false,
        }
    }

    /// What a value is computed from; notes calls of the function itself on the way.
    pub(super) fn sources(&mut self, e: &'p Expr) -> Sources {
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
            Expr::Match { value, clauses, .. } => {
                self.sources(value);
                for clause in clauses {
                    self.take_apart(value, &clause.pattern);
                }
                clauses.iter().flat_map(|c| self.sources(&c.body)).collect()
            }
            Expr::Try(value, clauses) => {
                self.sources(value);
                clauses.iter().flat_map(|c| self.sources(&c.body)).collect()
            }
            Expr::Field(record, field, _) => match **record {
                Expr::Local(v) => self.fields(v, *field),
                ref other => {
                    self.sources(other);
                    Sources::new()
                }
            },
            Expr::Let(bindings, body) => {
                for b in bindings {
                    let sources = self.sources(&b.value);
                    self.take_apart(&b.value, &b.pattern);
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

    /// A field of a variable that is a parameter.
    fn fields(&self, v: VarId, field: usize) -> Sources {
        let of = self.sources.get(&v).into_iter().flatten();
        of.filter_map(|p| field_chain(*p, field)).collect()
    }

    /// Variables bound to fields of a parameter.
    fn take_apart(&mut self, value: &Expr, pattern: &Pattern) {
        let Expr::Local(v) = value else { return };
        let parts: Vec<(usize, &Pattern)> = match pattern {
            Pattern::Tuple(parts) => parts.iter().enumerate().collect(),
            Pattern::Construct { arguments, .. } => arguments.iter().enumerate().collect(),
            Pattern::Record(fields, _) => fields.iter().map(|(i, p)| (*i, p)).collect(),
            _ => return,
        };
        for (field, part) in parts {
            if let Pattern::Variable(bound) = part {
                let sources = self.fields(*v, field);
                self.sources.insert(*bound, sources);
            }
        }
    }

    /// Marks a block that takes a parameter's place, and the operations between the parameter's fields and its own, where that goes round.
    fn rebuilt(&mut self, e: &'p Expr, parameter: Chain, chained: &mut Chained) {
        let parts = match e {
            Expr::Tuple(parts) => parts,
            Expr::Construct { arguments, .. } => arguments,
            Expr::Local(v) => {
                if let Some(value) = self.values.get(v).copied() {
                    self.rebuilt(value, parameter, chained);
                }
                return;
            }
            Expr::If(_, yes, no) => {
                self.rebuilt(yes, parameter, chained);
                self.rebuilt(no, parameter, chained);
                return;
            }
            Expr::Let(_, body) => return self.rebuilt(body, parameter, chained),
            _ => return,
        };
        let chains: Vec<Option<Chain>> = (0..parts.len())
            .map(|field| field_chain(parameter, field))
            .collect();
        let from: Vec<Sources> = parts.iter().map(|p| self.sources(p)).collect();
        // Whether a field goes into another, by any number of calls.
        let mut into: Vec<Vec<bool>> = chains
            .iter()
            .map(|c| {
                from.iter()
                    .map(|f| c.is_some_and(|c| f.contains(&c)))
                    .collect()
            })
            .collect();
        for k in 0..parts.len() {
            for i in 0..parts.len() {
                for j in 0..parts.len() {
                    into[i][j] |= into[i][k] && into[k][j];
                }
            }
        }
        for (j, part) in parts.iter().enumerate().filter(|(j, _)| into[*j][*j]) {
            let Some(chain) = chains[j] else { continue };
            let block = chained.entry(std::ptr::from_ref(e).addr()).or_default();
            block.chains.insert(chain);
            for i in 0..parts.len() {
                if let Some(source) = chains[i].filter(|_| into[j][i]) {
                    self.mark(part, source, chain, chained, 0);
                }
            }
        }
    }

    /// Marks the operations between a source and an expression's value, which are on a chain.
    pub(super) fn mark(
        &mut self,
        e: &'p Expr,
        source: Chain,
        chain: Chain,
        chained: &mut Chained,
        depth: u32,
    ) {
        if depth > 200 || !self.sources(e).contains(&source) {
            return;
        }
        let next = depth + 1;
        match e {
            Expr::Operate(_, arguments, _) => {
                let membership = chained.entry(std::ptr::from_ref(e).addr()).or_default();
                if !membership.chains.insert(chain) {
                    return;
                }
                if let [_, second] = &arguments[..]
                    && self.sources(second).contains(&source)
                {
                    let membership = chained.entry(std::ptr::from_ref(e).addr()).or_default();
                    membership.second.insert(chain);
                }
                arguments
                    .iter()
                    .for_each(|a| self.mark(a, source, chain, chained, next));
            }
            Expr::Local(v) => {
                if let Some(value) = self.values.get(v).copied() {
                    self.mark(value, source, chain, chained, next);
                }
            }
            Expr::If(_, yes, no) => {
                self.mark(yes, source, chain, chained, next);
                self.mark(no, source, chain, chained, next);
            }
            Expr::Match { clauses, .. } | Expr::Try(_, clauses) => {
                clauses
                    .iter()
                    .for_each(|c| self.mark(&c.body, source, chain, chained, next));
            }
            Expr::Let(_, body) | Expr::LetRec(_, body) => {
                self.mark(body, source, chain, chained, next);
            }
            Expr::Sequence(parts) => parts
                .iter()
                .for_each(|p| self.mark(p, source, chain, chained, next)),
            _ => {}
        }
    }

    /// Marks the operation whose float is handed on in a box.
    fn boxed(&self, e: &'p Expr, source: Chain, chained: &mut Chained) {
        match e {
            Expr::Operate(operator, ..) if operator.gives_float() => {
                if let Some(membership) = chained.get_mut(&std::ptr::from_ref(e).addr())
                    && membership.chains.contains(&source)
                {
                    membership.boxed.insert(source);
                }
            }
            Expr::Local(v) => {
                if let Some(value) = self.values.get(v).copied() {
                    self.boxed(value, source, chained);
                }
            }
            Expr::If(_, yes, no) => {
                self.boxed(yes, source, chained);
                self.boxed(no, source, chained);
            }
            Expr::Match { clauses, .. } => {
                for clause in clauses {
                    self.boxed(&clause.body, source, chained);
                }
            }
            Expr::Let(_, body) | Expr::LetRec(_, body) => self.boxed(body, source, chained),
            _ => {}
        }
    }
}
