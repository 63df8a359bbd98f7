//! Functions and their application: labels, optional arguments, and which parameters are still missing.

use super::{Infer, Inferred, Place};
use crate::core::{self, Lambda};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expr, ExprKind, Label, Parameter, Span};
use crate::types::{self, Node, Ty};

/// What a parameter of an application gets.
enum Given {
    Core(core::Expr),
    /// Nothing yet: label and type.
    Missing(Label, Ty),
}

impl Infer {
    pub(super) fn apply(
        &mut self,
        function: &Expr,
        arguments: &[(Label, Expr)],
        span: Span,
    ) -> Inferred<(core::Expr, Ty)> {
        let mut external = None;
        if let ExprKind::Variable(path) = &function.kind
            && let Ok((Place::External(operator, arity), _)) =
                self.lookup(path, span, "value", |s| s.values.get(&path.name))
            && arity == arguments.len()
        {
            external = Some(operator);
        }
        let (function_core, ty) = self.expression(function)?;
        let (given, first, ty) = self.given(function, ty, arguments)?;
        let missing = given.iter().any(|g| matches!(g, Given::Missing(..)));
        if missing {
            return Ok(self.partially(function_core, given, ty, span));
        }
        let cores = given.into_iter().filter_map(|g| match g {
            Given::Core(core) => Some(core),
            Given::Missing(..) => None,
        });
        let cores: Vec<core::Expr> = cores.collect();
        let core = match external {
            Some(core::Operator::Identity) => {
                return Ok((cores.into_iter().next().unwrap_or(core::Expr::Int(0)), ty));
            }
            Some(core::Operator::FormatOf) => {
                let mut cores = cores.into_iter();
                let format = cores.next().unwrap_or(core::Expr::Int(0));
                core::Expr::Apply(Box::new(format), cores.collect())
            }
            Some(operator) => core::Expr::Operate(operator, cores, first),
            None => core::Expr::Apply(Box::new(function_core), cores),
        };
        Ok((core, ty))
    }

    /// What each parameter gets, up to the last argument; the type of the first, and of the result.
    fn given(
        &mut self,
        function: &Expr,
        mut ty: Ty,
        arguments: &[(Label, Expr)],
    ) -> Inferred<(Vec<Given>, Ty, Ty)> {
        let omitted = self.omits_labels(ty, arguments);
        let mut rest: Vec<Option<&(Label, Expr)>> = arguments.iter().map(Some).collect();
        let (mut given, mut first) = (vec![], None);
        while rest.iter().any(Option::is_some) {
            let expanded = self.types.expand(ty);
            let (label, from, to) = match self.types.node(expanded).clone() {
                Node::Arrow(label, from, to) => (label, from, to),
                Node::Variable(_) => {
                    let next = rest.iter().flatten().next();
                    let label = next.map_or(Label::None, |(l, _)| l.clone());
                    let (from, to) = (self.types.variable(), self.types.variable());
                    let arrow = self.types.labelled(label.clone(), from, to);
                    self.require(function.span, expanded, arrow)?;
                    (label, from, to)
                }
                _ => return Err(too_many(function, &rest, given.len())),
            };
            first = first.or(Some(from));
            let place = rest.iter().position(|r| {
                r.is_some_and(|(l, _)| match (&label, l) {
                    (Label::None, Label::None) => true,
                    (Label::Named(a), Label::Named(b)) => a == b,
                    (Label::Named(_), Label::None) => omitted,
                    (Label::Optional(a), Label::Named(b) | Label::Optional(b)) => a == b,
                    _ => false,
                })
            });
            let argument = place.and_then(|p| rest[p].take());
            given.push(match (argument, &label) {
                (Some((Label::Named(_), value)), Label::Optional(_)) => {
                    let inner = self.types.variable();
                    let option = self.types.constructor(types::OPTION, vec![inner]);
                    self.require(value.span, option, from)?;
                    Given::Core(core::Expr::Construct {
                        tag: 0,
                        arguments: vec![self.check(value, inner)?],
                        ty: from,
                    })
                }
                (Some((_, value)), _) => Given::Core(self.check(value, from)?),
                // Once an argument without a label comes, it stays away.
                (None, Label::Optional(_))
                    if rest.iter().flatten().any(|(l, _)| *l == Label::None) =>
                {
                    Given::Core(core::Expr::Int(0))
                }
                (None, label) => {
                    let labelled = rest.iter().flatten().any(|(l, _)| *l != Label::None);
                    if !labelled {
                        return Err(too_many(function, &rest, given.len()));
                    }
                    Given::Missing(label.clone(), from)
                }
            });
            ty = to;
        }
        Ok((given, first.unwrap_or(ty), ty))
    }

    /// Whether a full application leaves all labels out.
    fn omits_labels(&mut self, ty: Ty, arguments: &[(Label, Expr)]) -> bool {
        if arguments.iter().any(|(l, _)| *l != Label::None) {
            return false;
        }
        let (mut at, mut wanted, mut labelled) = (ty, 0, false);
        loop {
            at = self.types.expand(at);
            match self.types.node(at) {
                Node::Arrow(label, _, to) => {
                    wanted += usize::from(!matches!(label, Label::Optional(_)));
                    labelled |= matches!(label, Label::Named(_));
                    at = *to;
                }
                Node::Variable(_) => return false,
                _ => return labelled && wanted == arguments.len(),
            }
        }
    }

    /// A function with optional parameters where one without is expected: they stay away.
    pub(super) fn without_options(
        &mut self,
        core: core::Expr,
        found: Ty,
        wanted: Ty,
        span: Span,
    ) -> (core::Expr, Ty) {
        let (f, w) = (self.types.expand(found), self.types.expand(wanted));
        let (mut ty, mut options) = (f, 0);
        let Node::Arrow(label, _, _) = self.types.node(w).clone() else {
            return (core, found);
        };
        while let Node::Arrow(Label::Optional(name), _, to) = self.types.node(ty).clone()
            && label != Label::Optional(name)
        {
            options += 1;
            ty = self.types.expand(to);
        }
        let Node::Arrow(Label::None, _, to) = self.types.node(ty).clone() else {
            return (core, found);
        };
        if options == 0 {
            return (core, found);
        }
        let _ = to;
        let (callee, argument) = (self.local(), self.local());
        let mut arguments = vec![core::Expr::Int(0); options];
        arguments.push(core::Expr::Local(argument));
        let body = core::Expr::Apply(Box::new(core::Expr::Local(callee)), arguments);
        let lambda = core::Expr::Lambda(Box::new(Lambda {
            parameters: vec![(core::Pattern::Variable(argument), span)],
            body,
            ty,
        }));
        let binding = core::Binding {
            pattern: core::Pattern::Variable(callee),
            value: core,
            span,
        };
        (core::Expr::Let(vec![binding], Box::new(lambda)), ty)
    }

    /// A function of the parameters that got nothing.
    fn partially(
        &mut self,
        function: core::Expr,
        given: Vec<Given>,
        mut ty: Ty,
        span: Span,
    ) -> (core::Expr, Ty) {
        let (mut bindings, mut parameters, mut arguments, mut types) =
            (vec![], vec![], vec![], vec![]);
        for part in given {
            let variable = self.local();
            arguments.push(core::Expr::Local(variable));
            let pattern = core::Pattern::Variable(variable);
            match part {
                Given::Core(value) => bindings.push(core::Binding {
                    pattern,
                    value,
                    span,
                }),
                Given::Missing(label, from) => {
                    parameters.push((pattern, span));
                    types.push((label, from));
                }
            }
        }
        let callee = self.local();
        bindings.push(core::Binding {
            pattern: core::Pattern::Variable(callee),
            value: function,
            span,
        });
        for (label, from) in types.into_iter().rev() {
            ty = self.types.labelled(label, from, ty);
        }
        let body = core::Expr::Apply(Box::new(core::Expr::Local(callee)), arguments);
        let lambda = core::Expr::Lambda(Box::new(Lambda {
            parameters,
            body,
            ty,
        }));
        bindings.reverse();
        (core::Expr::Let(bindings, Box::new(lambda)), ty)
    }

    /// `fun p q -> body`; `fun p -> fun q -> body` is the same function.
    pub(super) fn lambda(
        &mut self,
        parameters: &[Parameter],
        body: &Expr,
        span: Span,
        hint: Option<Ty>,
    ) -> Inferred<(Lambda, Ty)> {
        self.scoped(|i| {
            let (mut patterns, mut types, mut defaults) = (Vec::new(), Vec::new(), Vec::new());
            let mut expected = hint;
            for parameter in parameters {
                if !parameter.types.is_empty() {
                    for name in &parameter.types {
                        let ty = i.types.variable();
                        i.named.insert(name.clone(), ty);
                    }
                    continue;
                }
                let ty = i.types.variable();
                if let Some(e) = expected {
                    let e = i.types.expand(e);
                    expected = None;
                    if let Node::Arrow(label, from, to) = i.types.node(e).clone()
                        && label == parameter.label
                    {
                        i.types.unify(ty, from).ok();
                        expected = Some(to);
                    }
                }
                let place = if patterns.is_empty() {
                    span
                } else {
                    parameter.pattern.span
                };
                let pattern = match (&parameter.label, &parameter.default) {
                    (Label::Optional(_), default) => {
                        let inner = i.types.variable();
                        let option = i.types.constructor(types::OPTION, vec![inner]);
                        i.require(parameter.pattern.span, ty, option)?;
                        if let Some(default) = default {
                            let (pattern, binding) = i.with_default(parameter, default, inner)?;
                            defaults.push(binding);
                            pattern
                        } else {
                            i.bind_pattern(&parameter.pattern, option)?
                        }
                    }
                    _ => i.bind_pattern(&parameter.pattern, ty)?,
                };
                patterns.push((pattern, place));
                types.push((parameter.label.clone(), ty));
            }
            i.hint = expected;
            let (core, mut ty) = i.expression(body)?;
            for (label, from) in types.into_iter().rev() {
                ty = i.types.labelled(label, from, ty);
            }
            let core = defaults.into_iter().rev().fold(core, |body, binding| {
                core::Expr::Let(vec![binding], Box::new(body))
            });
            if patterns.is_empty() {
                // Names of types alone: the body is the function.
                return match core {
                    core::Expr::Lambda(inner) => Ok((*inner, ty)),
                    _ => Err(Diagnostic::new(span, "there is no parameter here")),
                };
            }
            let body = match core {
                core::Expr::Lambda(inner)
                    if patterns.iter().all(|(p, _)| super::definition::is_total(p)) =>
                {
                    patterns.extend(inner.parameters);
                    inner.body
                }
                other => other,
            };
            Ok((
                Lambda {
                    parameters: patterns,
                    body,
                    ty,
                },
                ty,
            ))
        })
    }

    /// `?(p = default)`: the parameter itself, and `p` bound to what it holds.
    fn with_default(
        &mut self,
        parameter: &Parameter,
        default: &Expr,
        inner: Ty,
    ) -> Inferred<(core::Pattern, core::Binding)> {
        let default = self.check(default, inner)?;
        let (option, held) = (self.local(), self.local());
        let span = parameter.pattern.span;
        let some = core::Pattern::Construct {
            tag: 0,
            sole: false,
            arguments: vec![core::Pattern::Variable(held)],
        };
        let clause = |pattern, body| core::Clause {
            pattern,
            guard: None,
            body,
        };
        let value = core::Expr::Match {
            value: Box::new(core::Expr::Local(option)),
            clauses: vec![
                clause(some, core::Expr::Local(held)),
                clause(core::Pattern::Any, default),
            ],
            span,
        };
        let pattern = self.bind_pattern(&parameter.pattern, inner)?;
        let binding = core::Binding {
            pattern,
            value,
            span,
        };
        Ok((core::Pattern::Variable(option), binding))
    }
}

fn too_many(function: &Expr, rest: &[Option<&(Label, Expr)>], given: usize) -> Diagnostic {
    if given == 0 {
        return Diagnostic::new(
            function.span,
            "this is applied to arguments, but is no function",
        );
    }
    let Some((label, argument)) = rest.iter().flatten().next() else {
        return Diagnostic::new(function.span, "this takes fewer arguments");
    };
    match label {
        Label::None => Diagnostic::new(
            argument.span,
            format!("this function takes {given} arguments only"),
        )
        .advice("is there a `;` or an operator missing before this?"),
        Label::Named(name) | Label::Optional(name) => Diagnostic::new(
            argument.span,
            format!("this function has no parameter `~{name}`"),
        ),
    }
}
