//! Functions: closures, groups of closures, and what is known of a function where it is called.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::free::free_of_lambda;
use super::{Body, Compiler, Frame, Location, Want};
use crate::code::{Function, Op};
use crate::construct::Construct;
use crate::core::{Expr, GlobalId, Lambda, Pattern, VarId};

/// A function of the program, where a name is sure to stand for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub function: u32,
    pub arity: u32,
    /// It captures nothing.
    pub closed: bool,
    /// It takes one tuple of so many parts, which need not be made to call it.
    pub tupled: Option<usize>,
}

/// Parts of the only argument, when it is a tuple that is taken apart in every clause of a `function`, or in `fun`. A `match` in the body is
/// something else: there the tuple is made.
pub(super) fn tupled(lambda: &Lambda) -> Option<usize> {
    let [(parameter, begins)] = &lambda.parameters[..] else {
        return None;
    };
    match parameter {
        Pattern::Tuple(parts) => Some(parts.len()),
        Pattern::Variable(v) => match &lambda.body {
            // Of a `function`, parameter and match stand at the same place.
            Expr::Match {
                value,
                clauses,
                span,
            } if span == begins && matches!(**value, Expr::Local(u) if u == *v) => {
                let Pattern::Tuple(parts) = &clauses.first()?.pattern else {
                    return None;
                };
                let flat = clauses
                    .iter()
                    .all(|c| matches!(c.pattern, Pattern::Tuple(_) | Pattern::Any));
                flat.then_some(parts.len())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Words of a function in a closure: its code, its arity, and the code for all arguments at once.
fn code_words(lambda: &Lambda) -> usize {
    if lambda.parameters.len() > 1 || tupled(lambda).is_some() {
        3
    } else {
        2
    }
}

impl<'p> Compiler<'p> {
    pub(super) fn known_function(&self, e: &Expr) -> Option<Known> {
        match e {
            Expr::Local(v) => self.known.get(v).copied(),
            Expr::Global(g) => self.known_globals.get(g).copied(),
            _ => None,
        }
    }

    fn declare(&mut self, lambda: &Lambda, closed: bool, words: usize) -> Known {
        let function = self.code.functions.len() as u32;
        let arity = lambda.parameters.len() as u32;
        let words = if closed { 0 } else { words as u32 };
        self.code.functions.push(Function {
            entry: 0,
            end: 0,
            arity,
            words,
            region: 0,
        });
        Known {
            function,
            arity,
            closed,
            tupled: tupled(lambda),
        }
    }

    /// A number for a recursive definition; paper mode tells none apart.
    fn region(&mut self) -> u32 {
        if self.is_native() {
            self.code.regions += 1;
        }
        self.code.regions
    }

    fn is_closed<'a>(&self, captured: impl IntoIterator<Item = &'a VarId>) -> bool {
        captured
            .into_iter()
            .all(|v| self.known.get(v).is_some_and(|k| k.closed))
    }

    /// How many of the functions at top level that are being defined these functions use: in native code they capture them.
    fn captured_around<'a>(&self, lambdas: impl IntoIterator<Item = &'a Lambda>) -> usize {
        fn collect(e: &Expr, around: &BTreeSet<GlobalId>, found: &mut BTreeSet<GlobalId>) {
            if let Expr::Global(g) = e
                && around.contains(g)
            {
                found.insert(*g);
            }
            e.children()
                .into_iter()
                .for_each(|c| collect(c, around, found));
        }
        let mut found = BTreeSet::new();
        if self.is_native() && !self.around.is_empty() {
            for lambda in lambdas {
                collect(&lambda.body, &self.around, &mut found);
            }
        }
        found.len()
    }

    /// Makes the closure of a function.
    pub(super) fn closure(&mut self, lambda: &'p Lambda) -> Known {
        let mut free = BTreeSet::new();
        free_of_lambda(lambda, &mut BTreeSet::new(), &mut free);
        let captured: Vec<VarId> = free.into_iter().collect();
        let around = self.captured_around([lambda]);
        let closed = around == 0 && self.is_closed(&captured);
        let words = 1 + code_words(lambda) + captured.len() + around;
        let known = self.declare(lambda, closed, words);
        self.charge_closures(
            1,
            captured.len(),
            captured.len() + around,
            if closed { 0 } else { words },
        );
        self.make(lambda, &known, captured, None, &BTreeSet::new());
        known
    }

    /// `paper` captured variables by the paper's rules, `native` by the compiler's.
    fn charge_closures(&mut self, functions: usize, paper: usize, native: usize, words: usize) {
        self.charge(Construct::FunDef, functions);
        self.charge(Construct::Closure, paper);
        self.paper_bytes(24 * functions + 8 * paper);
        if words > 0 {
            self.charge(Construct::AllocClosure, functions);
            self.charge(Construct::Captured, native);
            self.allocate(words);
        }
    }

    fn make(
        &mut self,
        lambda: &'p Lambda,
        known: &Known,
        captured: Vec<VarId>,
        own: Option<VarId>,
        group: &BTreeSet<VarId>,
    ) {
        for variable in captured.iter().rev() {
            if group.contains(variable) {
                self.emit(Op::Int(0));
            } else {
                self.local(*variable, false);
            }
            self.push();
        }
        self.emit(Op::Closure(known.function, captured.len() as u32));
        self.frame.depth -= captured.len() as u32;
        self.todo.push(Body {
            id: known.function,
            lambda,
            captured,
            own,
            around: Rc::clone(&self.around),
        });
    }

    pub(super) fn global_functions(&mut self, functions: &'p [(GlobalId, Lambda)]) {
        let region = self.region();
        for (global, lambda) in functions {
            let known = self.declare(lambda, true, 0);
            self.code.functions[known.function as usize].region = region;
            self.known_globals.insert(*global, known);
        }
        let group = functions.iter().map(|(g, _)| *g).collect();
        self.around = Rc::new(group);
        for (global, lambda) in functions {
            self.charge(Construct::LetRec, 1);
            self.charge_closures(1, 0, 0, 0);
            let known = self.known_globals[global];
            self.make(lambda, &known, vec![], None, &BTreeSet::new());
            self.emit(Op::SetGlobal(*global));
        }
    }

    pub(super) fn local_functions(&mut self, functions: &'p [(VarId, Lambda)]) {
        let group: BTreeSet<VarId> = functions.iter().map(|(v, _)| *v).collect();
        let mut all = BTreeSet::new();
        let mut captures = Vec::new();
        for (own, lambda) in functions {
            let mut free = BTreeSet::new();
            free_of_lambda(lambda, &mut BTreeSet::new(), &mut free);
            free.remove(own);
            all.extend(free.difference(&group).copied());
            captures.push(free.into_iter().collect::<Vec<_>>());
        }
        let around = self.captured_around(functions.iter().map(|(_, l)| l));
        let closed = around == 0 && self.is_closed(&all);
        let region = self.region();
        let mut knowns = Vec::new();
        let mut total = 0;
        for (i, (variable, lambda)) in functions.iter().enumerate() {
            // One block natively: a header each, the captured words once.
            let words = 1 + code_words(lambda) + if i == 0 { all.len() + around } else { 0 };
            total += words;
            let known = self.declare(lambda, closed, words);
            self.code.functions[known.function as usize].region = region;
            self.known.insert(*variable, known);
            knowns.push(known);
        }
        let paper = captures
            .iter()
            .flatten()
            .filter(|v| !group.contains(v))
            .count();
        self.charge(Construct::LetRec, functions.len());
        self.charge_closures(
            functions.len(),
            paper,
            all.len() + around,
            if closed { 0 } else { total },
        );
        // Nothing may be collected before the closures know each other: no segment begins below.
        self.segment();
        let room: usize = captures.iter().map(|c| c.len() + 2).sum();
        let raw = all.iter().filter(|v| self.raw.contains(v)).count();
        self.emit(Op::Reserve((room + 2 * raw * functions.len()) as u32));
        let mut made = Vec::new();
        for (((variable, lambda), known), captured) in functions.iter().zip(knowns).zip(captures) {
            self.make(lambda, &known, captured.clone(), Some(*variable), &group);
            self.push();
            let slot = self.frame.depth - 1;
            self.frame.locations.insert(*variable, Location::Slot(slot));
            made.push((slot, captured));
        }
        for (slot, captured) in made {
            for (i, variable) in captured
                .iter()
                .enumerate()
                .filter(|(_, v)| group.contains(v))
            {
                self.local(*variable, false);
                self.emit(Op::SetField(slot, i as u32 + 1));
            }
        }
    }

    pub(super) fn function(&mut self, body: &Body<'p>) {
        let arity = body.lambda.parameters.len() as u32;
        self.around = Rc::clone(&body.around);
        let entry = self.here();
        self.code.functions[body.id as usize].entry = entry;
        self.frame = Frame {
            depth: arity + 1,
            arity,
            function: Some(body.id),
            ..Frame::default()
        };
        let region = self.code.functions[body.id as usize].region;
        self.frame.recursive = region != 0;
        for (i, variable) in body.captured.iter().enumerate() {
            self.frame
                .locations
                .insert(*variable, Location::Env(i as u32 + 1));
        }
        if let Some(own) = body.own {
            self.frame.locations.insert(own, Location::Slot(arity));
        }
        let ghost = tupled(body.lambda).is_some();
        for (i, (parameter, span)) in body.lambda.parameters.iter().enumerate() {
            // The first argument was pushed last.
            let slot = arity - 1 - i as u32;
            self.bind(parameter, slot, *span, ghost);
        }
        self.expr(
            &body.lambda.body,
            Want {
                tail: true,
                ..Want::default()
            },
        );
        self.emit(Op::Return);
        self.code.functions[body.id as usize].end = self.here();
        self.finish(entry);
    }

    /// Leaves a variable in `acc`; where floats must be boxed, one in a register is.
    pub(super) fn local(&mut self, variable: VarId, raw: bool) {
        match self.frame.locations.get(&variable) {
            Some(Location::Slot(slot)) => {
                let slot = *slot;
                if !raw && self.raw.contains(&variable) {
                    self.charge(Construct::BoxFloat, 1);
                    self.allocate(2);
                    self.emit(Op::Local(slot));
                    self.emit(Op::CopyFloat);
                } else {
                    self.emit(Op::Local(slot));
                }
            }
            Some(Location::Env(field)) => {
                let field = *field;
                self.charge(Construct::Load, 1);
                self.emit(Op::LocalField(self.frame.arity, field));
            }
            None => unreachable!("variable {variable} is bound where it is used"),
        }
    }
}
