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
        | PatternKind::Or(inner, _) => {
            names(inner, out);
        }
        PatternKind::List(parts) | PatternKind::Tuple(parts) => {
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
            PatternKind::Any => Ok(core::Pattern::Any),
            PatternKind::Variable(name) => Ok(core::Pattern::Variable(
                self.name(name, ty, pattern, bound)?,
            )),
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
                let info = self.lookup(path, span, "constructor", |s| {
                    s.constructors.get(&path.name)
                })?;
                let (arguments, result) = self.constructor_types(&info);
                self.require(span, result, ty)?;
                let parts = match (argument.as_deref(), arguments.len()) {
                    (None, 0) => vec![],
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
                for (path, part) in fields {
                    let info =
                        self.lookup(path, part.span, "field", |s| s.fields.get(&path.name))?;
                    let (field, record) = self.field_types(&info);
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
