//! Free variables: what a closure captures.

use std::collections::BTreeSet;

use super::pattern;
use crate::core::{Expr, Lambda, VarId};

/// Collects the variables a function uses and does not bind.
pub(crate) fn free_of_lambda(
    lambda: &Lambda,
    bound: &mut BTreeSet<VarId>,
    free: &mut BTreeSet<VarId>,
) {
    // Variables are unique in the program, so what is bound anywhere inside never is free outside of it.
    lambda
        .parameters
        .iter()
        .for_each(|(p, _)| pattern::variables(p, bound));
    free_of(&lambda.body, bound, free);
}

pub(super) fn free_of(e: &Expr, bound: &mut BTreeSet<VarId>, free: &mut BTreeSet<VarId>) {
    match e {
        Expr::Int(_)
        | Expr::Float(_)
        | Expr::String(_)
        | Expr::Global(_)
        | Expr::AssertFailure(_) => {}
        Expr::SetField(a, _, _, b, _) | Expr::While(a, b) => {
            free_of(a, bound, free);
            free_of(b, bound, free);
        }
        Expr::For(v, a, b, _, c) => {
            bound.insert(*v);
            [a, b, c].into_iter().for_each(|p| free_of(p, bound, free));
        }
        Expr::Mutable(v, a, _, b) => {
            bound.insert(*v);
            free_of(a, bound, free);
            free_of(b, bound, free);
        }
        // It is never in an inner function.
        Expr::Assign(_, a) => free_of(a, bound, free),
        Expr::Attempt {
            value,
            clauses,
            handlers,
            ..
        } => {
            free_of(value, bound, free);
            for c in clauses.iter().chain(handlers) {
                pattern::variables(&c.pattern, bound);
                c.guard.iter().for_each(|g| free_of(g, bound, free));
                free_of(&c.body, bound, free);
            }
        }
        Expr::Local(v) => {
            if !bound.contains(v) {
                free.insert(*v);
            }
        }
        Expr::Lambda(l) => free_of_lambda(l, bound, free),
        Expr::Apply(f, parts) => {
            free_of(f, bound, free);
            parts.iter().for_each(|p| free_of(p, bound, free));
        }
        Expr::Operate(_, parts, _)
        | Expr::Construct {
            arguments: parts, ..
        }
        | Expr::Tuple(parts)
        | Expr::List(parts)
        | Expr::Exception(_, parts)
        | Expr::Array(parts, _)
        | Expr::Sequence(parts) => {
            parts.iter().for_each(|p| free_of(p, bound, free));
        }
        Expr::And(a, b) | Expr::Or(a, b) | Expr::Cons(a, b) => {
            free_of(a, bound, free);
            free_of(b, bound, free);
        }
        Expr::RecordWith { base, fields, .. } => {
            free_of(base, bound, free);
            fields.iter().for_each(|(_, p)| free_of(p, bound, free));
        }
        Expr::Field(a, ..) => free_of(a, bound, free),
        Expr::If(a, b, c) => [a, b, c].into_iter().for_each(|p| free_of(p, bound, free)),
        Expr::Match { value, clauses, .. } | Expr::Try(value, clauses) => {
            free_of(value, bound, free);
            for c in clauses {
                pattern::variables(&c.pattern, bound);
                c.guard.iter().for_each(|g| free_of(g, bound, free));
                free_of(&c.body, bound, free);
            }
        }
        Expr::Let(bindings, body) => {
            for b in bindings {
                pattern::variables(&b.pattern, bound);
                free_of(&b.value, bound, free);
            }
            free_of(body, bound, free);
        }
        Expr::LetRec(functions, body) => {
            bound.extend(functions.iter().map(|(v, _)| *v));
            functions
                .iter()
                .for_each(|(_, l)| free_of_lambda(l, bound, free));
            free_of(body, bound, free);
        }
    }
}
