//! Expressions: their types and their core.

use super::{ConstructorInfo, FieldInfo, Infer, Inferred, Place, Scope};
use crate::core::{self, Lambda, VarId};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Clause, Definition, Expr, ExprKind, Name, Path, Pattern, PatternKind, Span};
use crate::types::{self, Node, Ty};

type Typed = (core::Expr, Ty);

/// Whether evaluating an expression cannot do anything: its type may be generalised in full.
pub(super) fn is_value(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Char(_)
        | ExprKind::String(_)
        | ExprKind::Variable(_)
        | ExprKind::Fun(..)
        | ExprKind::Function(_) => true,
        ExprKind::Constructor(_, argument) => argument.as_deref().is_none_or(is_value),
        ExprKind::List(parts) | ExprKind::Tuple(parts) => parts.iter().all(is_value),
        ExprKind::Record(fields) => fields.iter().all(|(_, e)| is_value(e)),
        ExprKind::RecordWith(base, fields) => {
            is_value(base) && fields.iter().all(|(_, e)| is_value(e))
        }
        ExprKind::Field(e, _) | ExprKind::Annotate(e, _) | ExprKind::Open(_, e) => is_value(e),
        ExprKind::Let(d, body) => d.bindings.iter().all(|b| is_value(&b.value)) && is_value(body),
        ExprKind::If(_, a, b) => is_value(a) && b.as_deref().is_none_or(is_value),
        ExprKind::Match(v, clauses) => {
            is_value(v)
                && clauses
                    .iter()
                    .all(|c| c.guard.is_none() && is_value(&c.body))
        }
        ExprKind::Sequence(parts) => parts.last().is_none_or(is_value),
        _ => false,
    }
}

impl Infer {
    /// Instances of a constructor's argument types and result.
    pub(super) fn constructor_types(&mut self, info: &ConstructorInfo) -> (Vec<Ty>, Ty) {
        let mut map = std::collections::BTreeMap::new();
        let arguments = info
            .arguments
            .iter()
            .map(|a| self.types.copy(*a, &mut map))
            .collect();
        (arguments, self.types.copy(info.result, &mut map))
    }

    /// Instances of a field's type and its record's.
    pub(super) fn field_types(&mut self, info: &FieldInfo) -> (Ty, Ty) {
        let mut map = std::collections::BTreeMap::new();
        (
            self.types.copy(info.ty, &mut map),
            self.types.copy(info.record, &mut map),
        )
    }

    /// An expression of a given type.
    fn check(&mut self, expression: &Expr, wanted: Ty) -> Inferred<core::Expr> {
        let (core, found) = self.expression(expression)?;
        self.require(expression.span, found, wanted)?;
        Ok(core)
    }

    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> Inferred<T>) -> Inferred<T> {
        let depth = self.scopes.len();
        self.scopes.push(Scope::default());
        let result = work(self);
        self.scopes.truncate(depth);
        result
    }

    pub(super) fn expression(&mut self, e: &Expr) -> Inferred<Typed> {
        match &e.kind {
            ExprKind::Int(n) => Ok((core::Expr::Int(*n), self.types.basic(types::INT))),
            ExprKind::Char(c) => Ok((
                core::Expr::Int(i64::from(*c)),
                self.types.basic(types::CHAR),
            )),
            ExprKind::Float(x) => Ok((core::Expr::Float(*x), self.types.basic(types::FLOAT))),
            ExprKind::String(s) => Ok((
                core::Expr::String(s.clone()),
                self.types.basic(types::STRING),
            )),
            ExprKind::Variable(path) => self.variable(path, e.span),
            ExprKind::Constructor(path, argument) => {
                self.construct(path, argument.as_deref(), e.span)
            }
            ExprKind::List(parts) => {
                let element = self.types.variable();
                let parts = parts
                    .iter()
                    .map(|p| self.check(p, element))
                    .collect::<Inferred<_>>()?;
                Ok((
                    core::Expr::List(parts),
                    self.types.constructor(types::LIST, vec![element]),
                ))
            }
            ExprKind::Tuple(parts) => {
                let typed = parts
                    .iter()
                    .map(|p| self.expression(p))
                    .collect::<Inferred<Vec<_>>>()?;
                let (cores, parts) = typed.into_iter().unzip();
                Ok((core::Expr::Tuple(cores), self.types.tuple(parts)))
            }
            ExprKind::Apply(function, arguments) => self.apply(function, arguments, e.span),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let bool = self.types.basic(types::BOOL);
                let (x, y) = (
                    Box::new(self.check(a, bool)?),
                    Box::new(self.check(b, bool)?),
                );
                let and = matches!(e.kind, ExprKind::And(..));
                Ok((
                    if and {
                        core::Expr::And(x, y)
                    } else {
                        core::Expr::Or(x, y)
                    },
                    bool,
                ))
            }
            ExprKind::Fun(parameters, body) => {
                let (lambda, ty) = self.lambda(parameters, body, e.span)?;
                Ok((core::Expr::Lambda(Box::new(lambda)), ty))
            }
            ExprKind::Function(clauses) => {
                let (from, to) = (self.types.variable(), self.types.variable());
                let argument = self.local();
                let clauses = self.clauses(clauses, from, to)?;
                let value = Box::new(core::Expr::Local(argument));
                let body = core::Expr::Match {
                    value,
                    clauses,
                    span: e.span,
                };
                let lambda = Lambda {
                    parameters: vec![(core::Pattern::Variable(argument), e.span)],
                    body,
                    ty: self.types.arrow(from, to),
                };
                let ty = lambda.ty;
                Ok((core::Expr::Lambda(Box::new(lambda)), ty))
            }
            ExprKind::Let(definition, body) => {
                self.scoped(|i| i.local_let(definition, body, e.span))
            }
            ExprKind::Match(value, clauses) => {
                let (value, from) = self.expression(value)?;
                let to = self.types.variable();
                let clauses = self.clauses(clauses, from, to)?;
                Ok((
                    core::Expr::Match {
                        value: Box::new(value),
                        clauses,
                        span: e.span,
                    },
                    to,
                ))
            }
            ExprKind::Try(value, clauses) => {
                let (value, ty) = self.expression(value)?;
                let exn = self.types.basic(types::EXN);
                let clauses = self.clauses(clauses, exn, ty)?;
                Ok((core::Expr::Try(Box::new(value), clauses), ty))
            }
            ExprKind::If(condition, yes, no) => {
                let bool = self.types.basic(types::BOOL);
                let condition = Box::new(self.check(condition, bool)?);
                let (yes, no, ty) = if let Some(no) = no {
                    let (y, ty) = self.expression(yes)?;
                    (y, self.check(no, ty)?, ty)
                } else {
                    let unit = self.types.basic(types::UNIT);
                    (self.check(yes, unit)?, core::Expr::Int(0), unit)
                };
                Ok((core::Expr::If(condition, Box::new(yes), Box::new(no)), ty))
            }
            ExprKind::Sequence(parts) => {
                let unit = self.types.basic(types::UNIT);
                let mut cores = Vec::new();
                let mut ty = unit;
                for (i, part) in parts.iter().enumerate() {
                    let (core, t) = self.expression(part)?;
                    // OCaml only warns about a value that is dropped; so the type may be anything.
                    cores.push(core);
                    if i + 1 == parts.len() {
                        ty = t;
                    }
                }
                Ok((core::Expr::Sequence(cores), ty))
            }
            ExprKind::Record(fields) => self.record(fields, e.span),
            ExprKind::RecordWith(base, fields) => {
                let (base, ty) = self.expression(base)?;
                let (mut size, mut flat) = (0, false);
                let mut cores = Vec::new();
                for (path, value) in fields {
                    let info = self.lookup(path, e.span, "field", |s| s.fields.get(&path.name))?;
                    let (field, record) = self.field_types(&info);
                    self.require(e.span, ty, record)?;
                    (size, flat) = (info.size, info.flat);
                    if cores.iter().any(|(index, _)| *index == info.index) {
                        return Err(given_twice(value.span, &path.name));
                    }
                    cores.push((info.index, self.check(value, field)?));
                }
                cores.sort_by_key(|(index, _)| *index);
                Ok((
                    core::Expr::RecordWith {
                        base: Box::new(base),
                        size,
                        flat,
                        fields: cores,
                    },
                    ty,
                ))
            }
            ExprKind::Field(record, path) => {
                let info = self.lookup(path, e.span, "field", |s| s.fields.get(&path.name))?;
                let (field, wanted) = self.field_types(&info);
                let record = self.check(record, wanted)?;
                Ok((
                    core::Expr::Field(Box::new(record), info.index, info.flat),
                    field,
                ))
            }
            ExprKind::Annotate(inner, annotation) => {
                let ty = self.annotation(annotation)?;
                Ok((self.check(inner, ty)?, ty))
            }
            ExprKind::Open(path, body) => self.scoped(|i| {
                i.open(path, e.span)?;
                i.expression(body)
            }),
        }
    }

    fn variable(&mut self, path: &Path, span: Span) -> Inferred<Typed> {
        if path.modules.is_empty() && &*path.name == "ref" {
            return Err(
                Diagnostic::new(span, "references are OCaml, but not in this language")
                    .advice("pass the changing value on as an argument"),
            );
        }
        let (place, scheme) = self.lookup(path, span, "value", |s| s.values.get(&path.name))?;
        let ty = self.types.instantiate(scheme);
        let core = match place {
            Place::Local(v) => core::Expr::Local(v),
            Place::Global(g) => core::Expr::Global(g),
            Place::External(operator, arity) => {
                // As a value, a built-in function is one that calls it.
                let variables: Vec<VarId> = (0..arity).map(|_| self.local()).collect();
                let first = match self.types.node(ty) {
                    Node::Arrow(from, _) => *from,
                    _ => ty,
                };
                let arguments = variables.iter().map(|v| core::Expr::Local(*v)).collect();
                core::Expr::Lambda(Box::new(Lambda {
                    parameters: variables
                        .iter()
                        .map(|v| (core::Pattern::Variable(*v), span))
                        .collect(),
                    body: core::Expr::Operate(operator, arguments, first),
                    ty,
                }))
            }
        };
        Ok((core, ty))
    }

    fn construct(&mut self, path: &Path, argument: Option<&Expr>, span: Span) -> Inferred<Typed> {
        let info = self.lookup(path, span, "constructor", |s| {
            s.constructors.get(&path.name)
        })?;
        let (types, result) = self.constructor_types(&info);
        let arguments = match (argument, types.len()) {
            (None, 0) => vec![],
            (
                Some(Expr {
                    kind: ExprKind::Tuple(parts),
                    ..
                }),
                n,
            ) if n > 1 && parts.len() == n => {
                let parts = parts.iter().zip(&types).map(|(p, t)| self.check(p, *t));
                parts.collect::<Inferred<_>>()?
            }
            (Some(part), 1) => vec![self.check(part, types[0])?],
            (given, n) => {
                return Err(super::pattern::wrong_number(
                    span,
                    &path.name,
                    n,
                    given.is_some(),
                ));
            }
        };
        let core = match info.exception {
            Some(id) => core::Expr::Exception(id, arguments),
            None if arguments.is_empty() => core::Expr::Int(i64::from(info.tag)),
            None if &*path.name == "::" => {
                let mut parts = arguments.into_iter().map(Box::new);
                match (parts.next(), parts.next()) {
                    (Some(head), Some(tail)) => core::Expr::Cons(head, tail),
                    _ => unreachable!("a list cell has a head and a tail"),
                }
            }
            None => core::Expr::Construct {
                tag: info.tag as u8,
                arguments,
                ty: result,
            },
        };
        Ok((core, result))
    }

    fn apply(&mut self, function: &Expr, arguments: &[Expr], span: Span) -> Inferred<Typed> {
        let mut external = None;
        if let ExprKind::Variable(path) = &function.kind
            && let Ok((Place::External(operator, arity), _)) =
                self.lookup(path, span, "value", |s| s.values.get(&path.name))
            && arity == arguments.len()
        {
            external = Some(operator);
        }
        let (function_core, mut ty) = self.expression(function)?;
        let (mut cores, mut first) = (Vec::new(), ty);
        for (i, argument) in arguments.iter().enumerate() {
            let expanded = self.types.expand(ty);
            let (from, to) = match *self.types.node(expanded) {
                Node::Arrow(from, to) => (from, to),
                Node::Variable(_) => {
                    let (from, to) = (self.types.variable(), self.types.variable());
                    let arrow = self.types.arrow(from, to);
                    self.require(function.span, expanded, arrow)?;
                    (from, to)
                }
                _ if i == 0 => {
                    return Err(Diagnostic::new(
                        function.span,
                        "this is applied to arguments, but is no function",
                    ));
                }
                _ => {
                    return Err(Diagnostic::new(
                        argument.span,
                        format!("this function takes {i} arguments only"),
                    )
                    .advice("is there a `;` or an operator missing before this?"));
                }
            };
            cores.push(self.check(argument, from)?);
            first = if i == 0 { from } else { first };
            ty = to;
        }
        let core = match external {
            Some(operator) => core::Expr::Operate(operator, cores, first),
            None => core::Expr::Apply(Box::new(function_core), cores),
        };
        Ok((core, ty))
    }

    /// `fun p q -> body`; `fun p -> fun q -> body` is the same function.
    fn lambda(
        &mut self,
        parameters: &[Pattern],
        body: &Expr,
        span: Span,
    ) -> Inferred<(Lambda, Ty)> {
        self.scoped(|i| {
            let mut patterns = Vec::new();
            let mut types = Vec::new();
            for (n, parameter) in parameters.iter().enumerate() {
                let ty = i.types.variable();
                let place = if n == 0 { span } else { parameter.span };
                patterns.push((i.bind_pattern(parameter, ty)?, place));
                types.push(ty);
            }
            let (core, mut ty) = i.expression(body)?;
            for from in types.into_iter().rev() {
                ty = i.types.arrow(from, ty);
            }
            let body = match core {
                core::Expr::Lambda(inner) if patterns.iter().all(|(p, _)| is_total(p)) => {
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

    fn clauses(&mut self, clauses: &[Clause], from: Ty, to: Ty) -> Inferred<Vec<core::Clause>> {
        let mut cores = Vec::new();
        for clause in clauses {
            cores.push(self.scoped(|i| {
                let pattern = i.bind_pattern(&clause.pattern, from)?;
                let bool = i.types.basic(types::BOOL);
                let guard = clause
                    .guard
                    .as_ref()
                    .map(|g| i.check(g, bool))
                    .transpose()?;
                Ok(core::Clause {
                    pattern,
                    guard,
                    body: i.check(&clause.body, to)?,
                })
            })?);
        }
        Ok(cores)
    }

    fn record(&mut self, fields: &[(Path, Expr)], span: Span) -> Inferred<Typed> {
        let ty = self.types.variable();
        let mut places: Vec<Option<core::Expr>> = Vec::new();
        let mut names: std::rc::Rc<[Name]> = std::rc::Rc::from([]);
        let mut flat = false;
        for (path, value) in fields {
            let info = self.lookup(path, span, "field", |s| s.fields.get(&path.name))?;
            let (field, record) = self.field_types(&info);
            self.require(span, record, ty)?;
            places.resize(info.size, None);
            names = info.names.clone();
            flat = info.flat;
            if places[info.index].is_some() {
                return Err(given_twice(value.span, &path.name));
            }
            places[info.index] = Some(self.check(value, field)?);
        }
        let mut arguments = Vec::new();
        for (place, name) in places.into_iter().zip(&*names) {
            arguments.push(
                place.ok_or_else(|| Diagnostic::new(span, format!("field `{name}` is missing")))?,
            );
        }
        let tag = if flat { crate::machine::FLAT } else { 0 };
        Ok((core::Expr::Construct { tag, arguments, ty }, ty))
    }

    fn local_let(&mut self, definition: &Definition, body: &Expr, span: Span) -> Inferred<Typed> {
        self.types.level += 1;
        if definition.recursive {
            let bindings = self.recursive(definition, false)?;
            self.types.level -= 1;
            for (name, ..) in &bindings {
                let ty = self.scope().values[name].1;
                self.generalize(ty, false, body.span)?;
            }
            let (body, ty) = self.expression(body)?;
            let functions = bindings.into_iter().map(|(_, v, l)| (v, l)).collect();
            return Ok((core::Expr::LetRec(functions, Box::new(body)), ty));
        }
        let (bindings, variables) = self.parallel(definition, Some(span))?;
        self.types.level -= 1;
        for (name, variable, ty, expansive) in variables {
            self.generalize(ty, expansive, body.span)?;
            self.scope()
                .values
                .insert(name, (Place::Local(variable), ty));
        }
        let (body, ty) = self.expression(body)?;
        Ok((core::Expr::Let(bindings, Box::new(body)), ty))
    }

    /// Bindings that do not see each other: cores, and variables with their types. A failed match is reported at the span, or the pattern.
    #[expect(
        clippy::type_complexity,
        reason = "two lists that are taken apart at once"
    )]
    pub(super) fn parallel(
        &mut self,
        definition: &Definition,
        span: Option<Span>,
    ) -> Inferred<(Vec<core::Binding>, Vec<(Name, VarId, Ty, bool)>)> {
        let (mut bindings, mut variables) = (Vec::new(), Vec::new());
        for binding in &definition.bindings {
            let ty = self.types.variable();
            let mut bound = Vec::new();
            let pattern = self.pattern(&binding.pattern, ty, &mut bound)?;
            let value = self.check(&binding.value, ty)?;
            let expansive = !is_value(&binding.value);
            variables.extend(bound.into_iter().map(|(n, v, t)| (n, v, t, expansive)));
            bindings.push(core::Binding {
                pattern,
                value,
                span: span.unwrap_or(binding.pattern.span),
            });
        }
        Ok((bindings, variables))
    }

    /// Functions that see each other; their names go into the innermost scope.
    pub(super) fn recursive(
        &mut self,
        definition: &Definition,
        top: bool,
    ) -> Inferred<Vec<(Name, u32, Lambda)>> {
        let mut heads = Vec::new();
        for binding in &definition.bindings {
            let ty = self.types.variable();
            let pattern = match &binding.pattern.kind {
                PatternKind::Annotate(inner, annotation) => {
                    let wanted = self.annotation(annotation)?;
                    self.require(binding.pattern.span, ty, wanted)?;
                    inner
                }
                _ => &binding.pattern,
            };
            let PatternKind::Variable(name) = &pattern.kind else {
                return Err(
                    Diagnostic::new(pattern.span, "`let rec` defines functions by name")
                        .advice("write a name here"),
                );
            };
            let id = if top { self.global() } else { self.local() };
            let place = if top {
                Place::Global(id)
            } else {
                Place::Local(id)
            };
            if self
                .scope()
                .values
                .insert(name.clone(), (place, ty))
                .is_some()
            {
                return Err(Diagnostic::new(
                    pattern.span,
                    format!("`{name}` is defined twice here"),
                ));
            }
            heads.push((name.clone(), id, ty));
        }
        let mut functions = Vec::new();
        for (binding, (name, id, ty)) in definition.bindings.iter().zip(heads) {
            match self.check(&binding.value, ty)? {
                core::Expr::Lambda(lambda) => functions.push((name, id, *lambda)),
                _ => {
                    return Err(Diagnostic::new(
                        binding.value.span,
                        "`let rec` defines functions only",
                    )
                    .advice("write a function here, or leave `rec` out"));
                }
            }
        }
        Ok(functions)
    }
}

/// Whether matching a parameter cannot fail.
fn is_total(pattern: &core::Pattern) -> bool {
    use core::Pattern as P;
    match pattern {
        P::Any | P::Variable(_) => true,
        P::Tuple(parts) => parts.iter().all(is_total),
        P::Record(fields, _) => fields.iter().all(|(_, p)| is_total(p)),
        P::Construct {
            sole, arguments, ..
        } => *sole && arguments.iter().all(is_total),
        P::Alias(inner, _) => is_total(inner),
        _ => false,
    }
}

fn given_twice(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(span, format!("field `{name}` is given twice"))
}
