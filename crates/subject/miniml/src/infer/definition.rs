//! Definitions: parallel and recursive ones, and signatures of their own.

use super::expression::Typed;
use super::{Infer, Inferred, Place};
use crate::core::{self, Lambda, VarId};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Definition, Expr, ExprKind, Label, Name, PatternKind, Span, TypeExprKind};
use crate::types::{self, Ty};

impl Infer {
    pub(super) fn local_let(
        &mut self,
        definition: &Definition,
        body: &Expr,
        span: Span,
        hint: Option<Ty>,
    ) -> Inferred<Typed> {
        self.types.level += 1;
        if definition.recursive {
            let bindings = self.recursive(definition, false)?;
            self.types.level -= 1;
            for (name, ..) in &bindings {
                let ty = self.scope().values[name].1;
                self.generalize(ty, false, body.span)?;
            }
            self.hint = hint;
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
        self.hint = hint;
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
            let (rows, wild) = (
                std::mem::take(&mut self.rows),
                std::mem::take(&mut self.wild),
            );
            let mut wanted = ty;
            let mut written = &binding.pattern;
            if let PatternKind::Annotate(inner, annotation) = &binding.pattern.kind
                && matches!(annotation.kind, TypeExprKind::Poly(..))
            {
                // The value must have the type for whatever its variables stand for.
                let mut named = std::mem::take(&mut self.named);
                let scheme = self.written_generic(annotation, &mut named);
                self.named = named;
                let scheme = scheme?;
                let instance = self.types.instantiate(scheme);
                self.require(binding.pattern.span, ty, instance)?;
                wanted = self.rigid(scheme);
                written = inner;
            }
            let pattern = self.pattern(written, ty, &mut bound)?;
            self.close_rows();
            (self.rows, self.wild) = (rows, wild);
            let value = self.check(&binding.value, wanted)?;
            let expansive = !self.is_value(&binding.value);
            variables.extend(bound.into_iter().map(|(n, v, t)| (n, v, t, expansive)));
            bindings.push(core::Binding {
                pattern,
                value,
                span: span.unwrap_or(binding.pattern.span),
            });
        }
        Ok((bindings, variables))
    }

    /// The type of a function as far as its parameters tell: their labels, before anything is applied to them.
    fn approximate(&mut self, value: &Expr) -> Ty {
        match &value.kind {
            ExprKind::Fun(parameters, body) => {
                let mut ty = self.approximate(body);
                for parameter in parameters.iter().rev().filter(|p| p.types.is_empty()) {
                    let mut from = self.types.variable();
                    if let Label::Optional(_) = parameter.label {
                        from = self.types.constructor(types::OPTION, vec![from]);
                    }
                    ty = self.types.labelled(parameter.label.clone(), from, ty);
                }
                ty
            }
            _ => self.types.variable(),
        }
    }

    /// Functions that see each other; their names go into the innermost scope.
    pub(super) fn recursive(
        &mut self,
        definition: &Definition,
        top: bool,
    ) -> Inferred<Vec<(Name, u32, Lambda)>> {
        let mut heads = Vec::new();
        for binding in &definition.bindings {
            let ty = self.approximate(&binding.value);
            let mut polymorphic = None;
            let pattern = match &binding.pattern.kind {
                PatternKind::Annotate(inner, annotation)
                    if matches!(annotation.kind, TypeExprKind::Poly(..)) =>
                {
                    polymorphic = Some(annotation);
                    inner
                }
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
            // With a signature of its own, each use may be at another type.
            let ty = match polymorphic {
                Some(annotation) => {
                    let level = std::mem::replace(&mut self.types.level, 0);
                    let mut named = std::mem::take(&mut self.named);
                    let ty = self.written_generic(annotation, &mut named);
                    self.named = named;
                    self.types.level = level;
                    ty?
                }
                None => ty,
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
            // Of a signature of its own, an instance is checked that nothing else is the same as.
            let ty = if self.types.generic_variables(ty).is_empty() {
                ty
            } else {
                self.rigid(ty)
            };
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
pub(super) fn is_total(pattern: &core::Pattern) -> bool {
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
