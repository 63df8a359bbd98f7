//! Expressions: their types and their core.

use super::{ConstructorInfo, FieldInfo, Infer, Inferred, Place, Scope};
use crate::core::{self, Lambda, VarId};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Clause, Expr, ExprKind, Label, Name, Path, PatternKind, Span};
use crate::types::{self, Node, Ty};

pub(super) type Typed = (core::Expr, Ty);

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
    pub(super) fn check(&mut self, expression: &Expr, wanted: Ty) -> Inferred<core::Expr> {
        if let ExprKind::String(text) = &expression.kind
            && self.is_format(wanted)
        {
            let (core, found) = self.format(text, expression.span)?;
            self.require(expression.span, found, wanted)?;
            return Ok(core);
        }
        self.hint = Some(wanted);
        let (core, found) = self.expression(expression)?;
        let (core, found) = self.without_options(core, found, wanted, expression.span);
        self.require(expression.span, found, wanted)?;
        Ok(core)
    }

    pub(super) fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> Inferred<T>) -> Inferred<T> {
        let depth = self.scopes.len();
        self.scopes.push(Scope::default());
        let result = work(self);
        self.scopes.truncate(depth);
        result
    }

    pub(super) fn expression(&mut self, e: &Expr) -> Inferred<Typed> {
        let hint = self.hint.take();
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
                self.construct(path, argument.as_deref(), e.span, hint)
            }
            ExprKind::List(parts) => {
                let element = self.types.variable();
                if let Some(hint) = hint {
                    let list = self.types.constructor(types::LIST, vec![element]);
                    self.types.unify(list, hint).ok();
                }
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
                let hints = hint.map(|h| self.types.expand(h));
                let hints: Vec<Ty> = match hints.map(|h| self.types.node(h).clone()) {
                    Some(Node::Tuple(types)) if types.len() == parts.len() => types.to_vec(),
                    _ => vec![],
                };
                let typed = parts
                    .iter()
                    .enumerate()
                    .map(|(i, p)| {
                        self.hint = hints.get(i).copied();
                        self.expression(p)
                    })
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
                let (lambda, ty) = self.lambda(parameters, body, e.span, hint)?;
                Ok((core::Expr::Lambda(Box::new(lambda)), ty))
            }
            ExprKind::Function(clauses) => {
                let (from, to) = (self.types.variable(), self.types.variable());
                if let Some(hint) = hint {
                    let arrow = self.types.arrow(from, to);
                    self.types.unify(arrow, hint).ok();
                }
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
                self.scoped(|i| i.local_let(definition, body, e.span, hint))
            }
            ExprKind::Match(value, clauses) => {
                let (value, from) = self.expression(value)?;
                let to = hint.unwrap_or_else(|| self.types.variable());
                let handles = |c: &Clause| matches!(c.pattern.kind, PatternKind::Exception(_));
                if clauses.iter().any(handles) {
                    return self.attempt(value, from, clauses, to, e.span);
                }
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
                self.hint = hint;
                let (value, ty) = self.expression(value)?;
                let exn = self.types.basic(types::EXN);
                let clauses = self.clauses(clauses, exn, ty)?;
                Ok((core::Expr::Try(Box::new(value), clauses), ty))
            }
            ExprKind::If(condition, yes, no) => {
                let bool = self.types.basic(types::BOOL);
                let condition = Box::new(self.check(condition, bool)?);
                let (yes, no, ty) = if let Some(no) = no {
                    self.hint = hint;
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
                    self.hint = hint.filter(|_| i + 1 == parts.len());
                    let (core, t) = self.expression(part)?;
                    // OCaml only warns about a value that is dropped; so the type may be anything.
                    cores.push(core);
                    if i + 1 == parts.len() {
                        ty = t;
                    }
                }
                Ok((core::Expr::Sequence(cores), ty))
            }
            ExprKind::Record(fields) => self.record(fields, e.span, hint),
            ExprKind::RecordWith(base, fields) => self.record_with(base, fields, e.span, hint),
            ExprKind::Field(record, path) => {
                let (core, info, field) = self.read_field(record, path, e.span)?;
                Ok((
                    core::Expr::Field(Box::new(core), info.index, info.flat),
                    field,
                ))
            }
            ExprKind::Tag(name, argument) => self.tag(name, argument.as_deref(), hint),
            ExprKind::Array(parts) => {
                let element = self.types.variable();
                let parts = parts
                    .iter()
                    .map(|p| self.check(p, element))
                    .collect::<Inferred<_>>()?;
                Ok((
                    core::Expr::Array(parts, element),
                    self.types.constructor(types::ARRAY, vec![element]),
                ))
            }
            ExprKind::Index(path, array, index) => {
                let function = Expr {
                    kind: ExprKind::Variable(path.clone()),
                    span: e.span,
                };
                let arguments = [array, index].map(|a| (Label::None, (**a).clone()));
                self.apply(&function, &arguments, e.span)
            }
            ExprKind::Store(target, value) => self.store(target, value, e.span),
            ExprKind::Assert(condition) => {
                let failure = core::Expr::AssertFailure(e.span);
                if let ExprKind::Constructor(path, None) = &condition.kind
                    && &*path.name == "false"
                {
                    return Ok((failure, hint.unwrap_or_else(|| self.types.variable())));
                }
                let bool = self.types.basic(types::BOOL);
                let condition = Box::new(self.check(condition, bool)?);
                let nothing = Box::new(core::Expr::Int(0));
                Ok((
                    core::Expr::If(condition, nothing, Box::new(failure)),
                    self.types.basic(types::UNIT),
                ))
            }
            ExprKind::Lazy(inner) => self.lazy(inner),
            ExprKind::While(condition, body) => {
                let (bool, unit) = (self.types.basic(types::BOOL), self.types.basic(types::UNIT));
                let condition = Box::new(self.check(condition, bool)?);
                let body = Box::new(self.expression(body)?.0);
                Ok((core::Expr::While(condition, body), unit))
            }
            ExprKind::For(name, first, last, up, body) => {
                let int = self.types.basic(types::INT);
                let first = Box::new(self.check(first, int)?);
                let last = Box::new(self.check(last, int)?);
                let variable = self.local();
                let body = self.scoped(|i| {
                    i.scope()
                        .values
                        .insert(name.clone(), (Place::Local(variable), int));
                    Ok(i.expression(body)?.0)
                })?;
                let unit = self.types.basic(types::UNIT);
                Ok((
                    core::Expr::For(variable, first, last, *up, Box::new(body)),
                    unit,
                ))
            }
            ExprKind::LetModule(name, module, body) => self.local_module(name, module, body, hint),
            ExprKind::LetException(variant, body) => self.local_exception(variant, body, hint),
            ExprKind::Annotate(inner, annotation) => {
                let ty = self.annotation(annotation)?;
                Ok((self.check(inner, ty)?, ty))
            }
            ExprKind::Open(path, body) => self.scoped(|i| {
                i.open(path, e.span)?;
                i.hint = hint;
                i.expression(body)
            }),
        }
    }

    fn variable(&mut self, path: &Path, span: Span) -> Inferred<Typed> {
        let (place, scheme) = self.lookup(path, span, "value", |s| s.values.get(&path.name))?;
        let ty = self.types.instantiate(scheme);
        if self.types.are_too_large() {
            return Err(Diagnostic::new(
                span,
                "the types of this program are too large: what is used twice has variables of its own each time, so a type can double at every definition. Annotate the definitions with types that have no variables",
            ));
        }
        let core = match place {
            Place::Local(v) => core::Expr::Local(v),
            Place::Global(g) => core::Expr::Global(g),
            Place::External(operator, arity) => {
                // As a value, a built-in function is one that calls it.
                let variables: Vec<VarId> = (0..arity).map(|_| self.local()).collect();
                let first = match self.types.node(ty) {
                    Node::Arrow(_, from, _) => *from,
                    _ => ty,
                };
                let arguments: Vec<core::Expr> =
                    variables.iter().map(|v| core::Expr::Local(*v)).collect();
                let body = if operator == core::Operator::Identity {
                    arguments.into_iter().next().unwrap_or(core::Expr::Int(0))
                } else if operator == core::Operator::FormatOf {
                    let mut arguments = arguments.into_iter();
                    let format = arguments.next().unwrap_or(core::Expr::Int(0));
                    core::Expr::Apply(Box::new(format), arguments.collect())
                } else {
                    core::Expr::Operate(operator, arguments, first)
                };
                core::Expr::Lambda(Box::new(Lambda {
                    parameters: variables
                        .iter()
                        .map(|v| (core::Pattern::Variable(*v), span))
                        .collect(),
                    body,
                    ty,
                }))
            }
        };
        Ok((core, ty))
    }

    fn construct(
        &mut self,
        path: &Path,
        argument: Option<&Expr>,
        span: Span,
        hint: Option<Ty>,
    ) -> Inferred<Typed> {
        let info = self.constructor(path, span, hint)?;
        let (types, result) = self.constructor_types(&info);
        if let (Some(hint), true) = (hint, types.len() <= 1) {
            // What is expected may say the type of the argument; what is wrong is said later.
            self.types.unify(result, hint).ok();
        }
        let arguments = match (argument, types.len()) {
            (None, 0) => vec![],
            (
                Some(Expr {
                    kind: ExprKind::Record(fields),
                    ..
                }),
                _,
            ) if info.inline.is_some() => {
                let names = info.inline.clone().unwrap_or_default();
                let parts = self.inline_fields(&names, fields, span)?;
                let parts = parts
                    .into_iter()
                    .zip(&types)
                    .map(|(p, t)| self.check(p, *t));
                parts.collect::<Inferred<_>>()?
            }
            _ if info.inline.is_some() => {
                return Err(Diagnostic::new(
                    span,
                    "the record inside a constructor as a value is OCaml, but not in this language",
                )
                .advice("write its fields: `Constructor { field = …; … }`"));
            }
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

    /// `` `A e ``, where a declared type may be wanted: then the argument is of the type that is declared for it, which may be recursive.
    fn tag(&mut self, name: &Name, argument: Option<&Expr>, hint: Option<Ty>) -> Inferred<Typed> {
        let declared = hint.map(|hint| self.types.expand(hint)).and_then(|ty| {
            let row = self.types.row(ty)?;
            row.tags.get(name).and_then(|(_, argument)| *argument)
        });
        let number = core::Expr::Int(types::hash(name));
        let (core, ty) = match (argument, declared) {
            (Some(argument), Some(wanted)) => {
                let core = self.check(argument, wanted)?;
                (core::Expr::Tuple(vec![number, core]), Some(wanted))
            }
            (Some(argument), None) => {
                let (core, ty) = self.expression(argument)?;
                (core::Expr::Tuple(vec![number, core]), Some(ty))
            }
            (None, _) => (number, None),
        };
        let tags = [(name.clone(), (true, ty))].into();
        let row = self.types.tags(false, tags);
        match hint {
            Some(hint) if self.types.unify(row, hint).is_ok() => Ok((core, hint)),
            _ => Ok((core, row)),
        }
    }

    /// `lazy e`: a block of what is to be done, or the value at once if there is nothing to do.
    fn lazy(&mut self, inner: &Expr) -> Inferred<Typed> {
        let done = matches!(
            inner.kind,
            ExprKind::Int(_)
                | ExprKind::Char(_)
                | ExprKind::String(_)
                | ExprKind::Constructor(_, None)
                | ExprKind::Variable(_)
                | ExprKind::Fun(..)
                | ExprKind::Function(_)
        );
        let (core, ty) = self.expression(inner)?;
        let lazy = self.types.constructor(types::LAZY, vec![ty]);
        let unit = self.types.basic(types::UNIT);
        let (state, held) = if done {
            (1, core)
        } else {
            let function = Lambda {
                parameters: vec![(core::Pattern::Any, inner.span)],
                body: core,
                ty: self.types.arrow(unit, ty),
            };
            (0, core::Expr::Lambda(Box::new(function)))
        };
        // A value, what makes it, or what it raised: two words, of which both may change.
        let block = core::Expr::Construct {
            tag: 0,
            arguments: vec![core::Expr::Int(state), held],
            ty: lazy,
        };
        Ok((core::Expr::Sequence(vec![block]), lazy))
    }

    /// `match … with … | exception …`.
    fn attempt(
        &mut self,
        value: core::Expr,
        from: Ty,
        clauses: &[Clause],
        to: Ty,
        span: Span,
    ) -> Inferred<Typed> {
        let (mut usual, mut handlers) = (vec![], vec![]);
        for clause in clauses {
            match &clause.pattern.kind {
                PatternKind::Exception(inner) => handlers.push(Clause {
                    pattern: (**inner).clone(),
                    ..clause.clone()
                }),
                _ => usual.push(clause.clone()),
            }
        }
        let exn = self.types.basic(types::EXN);
        let clauses = self.clauses(&usual, from, to)?;
        let handlers = self.clauses(&handlers, exn, to)?;
        let core = core::Expr::Attempt {
            value: Box::new(value),
            clauses,
            handlers,
            span,
        };
        Ok((core, to))
    }

    fn clauses(&mut self, clauses: &[Clause], from: Ty, to: Ty) -> Inferred<Vec<core::Clause>> {
        let mut cores = Vec::new();
        let (rows, wild) = (
            std::mem::take(&mut self.rows),
            std::mem::take(&mut self.wild),
        );
        let mut patterns = Vec::new();
        for clause in clauses {
            let depth = self.scopes.len();
            self.scopes.push(Scope::default());
            let pattern = self.bind_pattern(&clause.pattern, from);
            let scope = self.scopes.pop().unwrap_or_default();
            self.scopes.truncate(depth);
            patterns.push((pattern?, scope));
        }
        self.close_rows();
        (self.rows, self.wild) = (rows, wild);
        for (clause, (pattern, scope)) in clauses.iter().zip(patterns) {
            cores.push(self.scoped(|i| {
                *i.scope() = scope;
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

    /// Rows whose tags patterns name have no others, unless something matches them all.
    pub(super) fn close_rows(&mut self) {
        let wild: Vec<Ty> = self.wild.iter().map(|t| self.types.find(*t)).collect();
        for row in self.rows.clone() {
            let row = self.types.find(row);
            if !wild.contains(&row) {
                self.types.close(row);
            }
        }
    }
}
