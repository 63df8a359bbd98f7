//! Patterns: their types, and the variables they bind.

use super::{Infer, Inferred, Place};
use crate::core;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Name, Pattern, PatternKind};
use crate::types::{self, Ty};

/// Variables bound so far: name, variable, type.
pub(super) type Bound = Vec<(Name, core::VarId, Ty)>;

/// The names a pattern binds.
pub(super) fn names(pattern: &Pattern, out: &mut Vec<Name>) {
    match &pattern.kind {
        PatternKind::Variable(name) => out.push(name.clone()),
        PatternKind::Alias(inner, name) => {
            names(inner, out);
            out.push(name.clone());
        }
        PatternKind::Constructor(_, Some(inner))
        | PatternKind::Annotate(inner, _)
        | PatternKind::Tag(_, Some(inner))
        | PatternKind::Lazy(inner)
        | PatternKind::Exception(inner)
        | PatternKind::Open(_, inner)
        | PatternKind::Or(inner, _) => {
            names(inner, out);
        }
        PatternKind::List(parts) | PatternKind::Tuple(parts) | PatternKind::Array(parts) => {
            parts.iter().for_each(|p| names(p, out));
        }
        PatternKind::Record(fields) => fields.iter().for_each(|(_, p)| names(p, out)),
        _ => {}
    }
}

impl Infer {
    /// Types a pattern and brings its variables into the innermost scope.
    pub(super) fn bind_pattern(&mut self, pattern: &Pattern, ty: Ty) -> Inferred<core::Pattern> {
        let mut bound = Bound::new();
        let core = self.pattern(pattern, ty, &mut bound)?;
        for (name, variable, ty) in bound {
            self.scope()
                .values
                .insert(name, (Place::Local(variable), ty));
        }
        Ok(core)
    }

    fn name(
        &mut self,
        name: &Name,
        ty: Ty,
        pattern: &Pattern,
        bound: &mut Bound,
    ) -> Inferred<core::VarId> {
        if bound.iter().any(|(n, ..)| n == name) {
            return Err(Diagnostic::new(
                pattern.span,
                format!("`{name}` is bound twice in this pattern"),
            ));
        }
        let variable = self.local();
        bound.push((name.clone(), variable, ty));
        Ok(variable)
    }

    pub(super) fn pattern(
        &mut self,
        pattern: &Pattern,
        ty: Ty,
        bound: &mut Bound,
    ) -> Inferred<core::Pattern> {
        let span = pattern.span;
        let basic = |infer: &mut Self, id, core| {
            let found = infer.types.basic(id);
            infer.require(span, found, ty).map(|()| core)
        };
        match &pattern.kind {
            PatternKind::Any => {
                self.wild.push(ty);
                Ok(core::Pattern::Any)
            }
            PatternKind::Variable(name) => {
                self.wild.push(ty);
                Ok(core::Pattern::Variable(
                    self.name(name, ty, pattern, bound)?,
                ))
            }
            PatternKind::Tag(name, argument) => {
                let number = core::Pattern::Int(types::hash(name));
                let inner = argument.as_ref().map(|_| self.types.variable());
                let row = self
                    .types
                    .tags(false, [(name.clone(), (false, inner))].into());
                self.require(span, row, ty)?;
                self.rows.push(ty);
                match (argument, inner) {
                    (Some(argument), Some(inner)) => Ok(core::Pattern::Construct {
                        tag: 0,
                        sole: false,
                        arguments: vec![number, self.pattern(argument, inner, bound)?],
                    }),
                    _ => Ok(number),
                }
            }
            PatternKind::Array(parts) => {
                let element = self.types.variable();
                let array = self.types.constructor(types::ARRAY, vec![element]);
                self.require(span, array, ty)?;
                let parts = parts.iter().map(|p| self.pattern(p, element, bound));
                Ok(core::Pattern::Array(parts.collect::<Inferred<_>>()?))
            }
            PatternKind::Lazy(_) => Err(Diagnostic::new(
                span,
                "`lazy` in a pattern is OCaml, but not in this language",
            )
            .advice("match `Lazy.force` of the value")),
            PatternKind::Exception(_) => Err(Diagnostic::new(
                span,
                "`exception` stands at the beginning of a clause of `match` only",
            )),
            PatternKind::Open(path, inner) => {
                let depth = self.scopes.len();
                let scope = (*self.opened(path, span)?).clone();
                self.scopes.push(scope);
                let result = self.pattern(inner, ty, bound);
                self.scopes.truncate(depth);
                result
            }
            PatternKind::Int(n) => basic(self, types::INT, core::Pattern::Int(*n)),
            PatternKind::Float(x) => basic(self, types::FLOAT, core::Pattern::Float(*x)),
            PatternKind::Char(c) => basic(self, types::CHAR, core::Pattern::Int(i64::from(*c))),
            PatternKind::CharRange(a, b) => basic(
                self,
                types::CHAR,
                core::Pattern::IntRange(i64::from(*a), i64::from(*b)),
            ),
            PatternKind::String(s) => basic(self, types::STRING, core::Pattern::String(s.clone())),
            PatternKind::Constructor(path, argument) => {
                let info = self.constructor(path, span, Some(ty))?;
                let (arguments, result) = self.constructor_types(&info);
                self.require(span, result, ty)?;
                let parts = match (argument.as_deref(), arguments.len()) {
                    (None, 0) => vec![],
                    (
                        Some(Pattern {
                            kind: PatternKind::Record(fields),
                            ..
                        }),
                        _,
                    ) if info.inline.is_some() => {
                        let names = info.inline.clone().unwrap_or_default();
                        let mut cores = vec![core::Pattern::Any; names.len()];
                        for (path, part) in fields {
                            let Some(i) = names.iter().position(|n| *n == path.name) else {
                                return Err(Diagnostic::new(
                                    part.span,
                                    format!(
                                        "there is no field `{}` in this constructor",
                                        path.name
                                    ),
                                ));
                            };
                            cores[i] = self.pattern(part, arguments[i], bound)?;
                        }
                        cores
                    }
                    (Some(p), n)
                        if n == 1
                            && info.inline.is_some()
                            && !matches!(p.kind, PatternKind::Any) =>
                    {
                        return Err(inline_value(span));
                    }
                    (Some(p), _)
                        if info.inline.is_some() && !matches!(p.kind, PatternKind::Any) =>
                    {
                        return Err(inline_value(span));
                    }
                    (Some(p), n) if n > 1 && matches!(p.kind, PatternKind::Any) => {
                        vec![core::Pattern::Any; n]
                    }
                    (
                        Some(Pattern {
                            kind: PatternKind::Tuple(parts),
                            ..
                        }),
                        n,
                    ) if n > 1 && parts.len() == n => {
                        let mut cores = Vec::new();
                        for (part, ty) in parts.iter().zip(&arguments) {
                            cores.push(self.pattern(part, *ty, bound)?);
                        }
                        cores
                    }
                    (Some(part), 1) => vec![self.pattern(part, arguments[0], bound)?],
                    (given, n) => return Err(wrong_number(span, &path.name, n, given.is_some())),
                };
                Ok(match info.exception {
                    Some(id) => core::Pattern::Exception(id, parts),
                    None if parts.is_empty() => core::Pattern::Int(i64::from(info.tag)),
                    None => core::Pattern::Construct {
                        tag: info.tag as u8,
                        sole: info.sole,
                        arguments: parts,
                    },
                })
            }
            PatternKind::List(parts) => {
                let element = self.types.variable();
                let list = self.types.constructor(types::LIST, vec![element]);
                self.require(span, list, ty)?;
                let mut cores = Vec::new();
                for part in parts {
                    cores.push(self.pattern(part, element, bound)?);
                }
                if cores.len() > crate::parse::DEPTH as usize {
                    return Err(Diagnostic::new(span, "this list pattern is too long"));
                }
                Ok(cores
                    .into_iter()
                    .rev()
                    .fold(core::Pattern::Int(0), |tail, head| {
                        core::Pattern::Construct {
                            tag: 0,
                            sole: false,
                            arguments: vec![head, tail],
                        }
                    }))
            }
            PatternKind::Tuple(parts) => {
                let types: Vec<Ty> = parts.iter().map(|_| self.types.variable()).collect();
                let tuple = self.types.tuple(types.clone());
                self.require(span, tuple, ty)?;
                let parts = parts
                    .iter()
                    .zip(types)
                    .map(|(p, t)| self.pattern(p, t, bound));
                Ok(core::Pattern::Tuple(parts.collect::<Inferred<_>>()?))
            }
            PatternKind::Record(fields) => {
                let (mut cores, mut flat) = (Vec::new(), false);
                let paths: Vec<_> = fields.iter().map(|(p, _)| p).collect();
                let infos = self.fields(&paths, span, Some(ty))?;
                for (info, (_, part)) in infos.iter().zip(fields) {
                    let (field, record) = self.field_types(info);
                    self.require(span, record, ty)?;
                    flat = info.flat;
                    cores.push((info.index, self.pattern(part, field, bound)?));
                }
                Ok(core::Pattern::Record(cores, flat))
            }
            PatternKind::Or(left, right) => self.or_pattern(left, right, ty, bound),
            PatternKind::Alias(inner, name) => {
                let inner = self.pattern(inner, ty, bound)?;
                let variable = self.name(name, ty, pattern, bound)?;
                Ok(core::Pattern::Alias(Box::new(inner), variable))
            }
            PatternKind::Annotate(inner, annotation) => {
                let wanted = self.annotation(annotation)?;
                self.require(span, ty, wanted)?;
                self.pattern(inner, ty, bound)
            }
        }
    }

    /// Both sides bind the same names at the same types; the right side's variables are the left side's.
    fn or_pattern(
        &mut self,
        left: &Pattern,
        right: &Pattern,
        ty: Ty,
        bound: &mut Bound,
    ) -> Inferred<core::Pattern> {
        let before = bound.len();
        let l = self.pattern(left, ty, bound)?;
        let mine = bound.split_off(before);
        let mut others = Bound::new();
        let mut r = self.pattern(right, ty, &mut others)?;
        for (name, variable, ty) in &others {
            let Some((_, same, wanted)) = mine.iter().find(|(n, ..)| n == name) else {
                return Err(one_sided(right, name));
            };
            self.require(right.span, *ty, *wanted)?;
            rename(&mut r, *variable, *same);
        }
        if let Some((name, ..)) = mine
            .iter()
            .find(|(n, ..)| !others.iter().any(|(o, ..)| o == n))
        {
            return Err(one_sided(left, name));
        }
        for (name, variable, ty) in mine {
            if bound.iter().any(|(n, ..)| *n == name) {
                return Err(Diagnostic::new(
                    left.span,
                    format!("`{name}` is bound twice in this pattern"),
                ));
            }
            bound.push((name, variable, ty));
        }
        Ok(core::Pattern::Or(Box::new(l), Box::new(r)))
    }
}

fn inline_value(span: crate::syntax::Span) -> Diagnostic {
    Diagnostic::new(
        span,
        "the record inside a constructor as a value is OCaml, but not in this language",
    )
    .advice("write its fields in the pattern: `Constructor { field; _ }`")
}

fn one_sided(pattern: &Pattern, name: &Name) -> Diagnostic {
    Diagnostic::new(
        pattern.span,
        format!("`{name}` is bound on one side of `|` only"),
    )
    .advice("bind the same names on both sides")
}

pub(super) fn wrong_number(
    span: crate::syntax::Span,
    name: &str,
    wanted: usize,
    given: bool,
) -> Diagnostic {
    let found = if given { "another number" } else { "none" };
    Diagnostic::new(
        span,
        format!("`{name}` takes {wanted} arguments, {found} is given here"),
    )
}

fn rename(pattern: &mut core::Pattern, from: core::VarId, to: core::VarId) {
    match pattern {
        core::Pattern::Variable(v) if *v == from => *v = to,
        core::Pattern::Alias(inner, v) => {
            if *v == from {
                *v = to;
            }
            rename(inner, from, to);
        }
        core::Pattern::Construct {
            arguments: parts, ..
        }
        | core::Pattern::Exception(_, parts)
        | core::Pattern::Array(parts)
        | core::Pattern::Tuple(parts) => parts.iter_mut().for_each(|p| rename(p, from, to)),
        core::Pattern::Record(fields, _) => {
            fields.iter_mut().for_each(|(_, p)| rename(p, from, to));
        }
        core::Pattern::Or(a, b) => {
            rename(a, from, to);
            rename(b, from, to);
        }
        _ => {}
    }
}
