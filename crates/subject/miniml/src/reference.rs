//! References that the compiler keeps in registers: those that are read and written where they are defined, and never handed over.
//!
//! What `ocamlopt` does before it makes code (its pass that simplifies): `let x = ref e in …`, where `x` occurs as `!x`, `x := …`, `incr x`
//! and `decr x` alone and in no inner function, allocates nothing. A float in such a reference stays in a register.

use crate::core::{Binding, Expr, Item, Lambda, Operator, Pattern, VarId, Work};
use crate::types::{self, Node, Ty, Types};

/// Puts variables in the place of all such references of an item.
pub(crate) fn eliminate(item: &mut Item, types: &mut Types) {
    match &mut item.work {
        Work::Nothing => {}
        Work::Expression(e, _) => expression(e, types),
        Work::Let(bindings, _) => bindings
            .iter_mut()
            .for_each(|b| expression(&mut b.value, types)),
        Work::LetRec(functions) => functions.iter_mut().for_each(|(_, l)| function(l, types)),
    }
}

fn function(lambda: &mut Lambda, types: &mut Types) {
    expression(&mut lambda.body, types);
}

fn expression(e: &mut Expr, types: &mut Types) {
    for child in e.children_mut() {
        expression(child, types);
    }
    let Expr::Let(bindings, body) = e else { return };
    if bindings.len() > 1 {
        if !bindings.iter().any(|b| reference(b, body).is_some()) {
            return;
        }
        // `let a = … and b = …` is one after the other, since no value of these speaks of the others.
        let mut inner = std::mem::replace(&mut **body, Expr::Int(0));
        for binding in bindings.drain(..).rev() {
            inner = Expr::Let(vec![binding], Box::new(inner));
            register(&mut inner, types);
        }
        *e = inner;
    } else {
        register(e, types);
    }
}

/// The variable of a reference that may be kept in a register.
fn reference(binding: &Binding, body: &Expr) -> Option<VarId> {
    match (&binding.pattern, &binding.value) {
        (Pattern::Variable(variable), Expr::Operate(Operator::RefMake, ..)) => {
            is_local(body, *variable).then_some(*variable)
        }
        _ => None,
    }
}

/// Keeps the reference of a `let` of one binding in a register, if it may be.
fn register(e: &mut Expr, types: &mut Types) {
    let Expr::Let(bindings, body) = e else { return };
    let [binding] = &mut bindings[..] else { return };
    let Some(variable) = reference(binding, body) else {
        return;
    };
    let Expr::Operate(_, value, ty) = &mut binding.value else {
        return;
    };
    replace(body, variable);
    let float = is_float(types, *ty);
    let first = value.pop().unwrap_or(Expr::Int(0));
    let body = std::mem::replace(&mut **body, Expr::Int(0));
    *e = Expr::Mutable(variable, Box::new(first), float, Box::new(body));
}

fn is_float(types: &mut Types, ty: Ty) -> bool {
    let ty = types.expand(ty);
    matches!(types.node(ty), Node::Constructor(types::FLOAT, _))
}

/// Whether a variable is used as a reference only, and in no inner function.
fn is_local(e: &Expr, variable: VarId) -> bool {
    match e {
        Expr::Local(v) => *v != variable,
        Expr::Lambda(lambda) => !occurs(&lambda.body, variable),
        Expr::LetRec(functions, body) => {
            !functions.iter().any(|(_, l)| occurs(&l.body, variable)) && is_local(body, variable)
        }
        Expr::Operate(
            Operator::RefGet | Operator::RefSet | Operator::RefIncrement | Operator::RefDecrement,
            arguments,
            _,
        ) => match &arguments[..] {
            [Expr::Local(_), rest @ ..] => rest.iter().all(|a| is_local(a, variable)),
            all => all.iter().all(|a| is_local(a, variable)),
        },
        other => other.children().into_iter().all(|c| is_local(c, variable)),
    }
}

fn occurs(e: &Expr, variable: VarId) -> bool {
    matches!(e, Expr::Local(v) if *v == variable)
        || e.children().into_iter().any(|c| occurs(c, variable))
}

/// Reads and writes of the reference become those of the variable.
fn replace(e: &mut Expr, variable: VarId) {
    for child in e.children_mut() {
        replace(child, variable);
    }
    let Expr::Operate(operator, arguments, ty) = e else {
        return;
    };
    if !matches!(arguments.first(), Some(Expr::Local(v)) if *v == variable) {
        return;
    }
    let step = |operator, ty| {
        let one = vec![Expr::Local(variable), Expr::Int(1)];
        Expr::Assign(variable, Box::new(Expr::Operate(operator, one, ty)))
    };
    match operator {
        Operator::RefGet => *e = Expr::Local(variable),
        Operator::RefSet => {
            let value = arguments.pop().unwrap_or(Expr::Int(0));
            *e = Expr::Assign(variable, Box::new(value));
        }
        Operator::RefIncrement => *e = step(Operator::IntAdd, *ty),
        Operator::RefDecrement => *e = step(Operator::IntSub, *ty),
        _ => {}
    }
}
