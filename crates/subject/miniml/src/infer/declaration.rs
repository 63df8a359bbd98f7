//! Declarations of types, exceptions and the library's built-in functions; types as written.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{ConstructorInfo, Entry, FieldInfo, Infer, Inferred, Place};
use crate::core::{Operator, Work};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Name, Span, TypeBody, TypeDeclaration, TypeExpr, TypeExprKind, Variant};
use crate::types::{self, Letters, Node, Shape, Ty, TypeInfo};

impl Infer {
    /// The type of an annotation; its variables are shared in the item.
    pub(super) fn annotation(&mut self, written: &TypeExpr) -> Inferred<Ty> {
        let mut named = std::mem::take(&mut self.named);
        let ty = self.written(written, &mut named, true);
        self.named = named;
        ty
    }

    fn written(
        &mut self,
        written: &TypeExpr,
        named: &mut BTreeMap<Name, Ty>,
        open: bool,
    ) -> Inferred<Ty> {
        let span = written.span;
        match &written.kind {
            TypeExprKind::Any if open => Ok(self.types.variable()),
            TypeExprKind::Any => Err(Diagnostic::new(span, "`_` is no type in a declaration")),
            TypeExprKind::Variable(name) => match named.get(name) {
                Some(ty) => Ok(*ty),
                None if open => {
                    // Shared by the whole item, so that it is generalised there and not before.
                    let level = std::mem::replace(&mut self.types.level, 1);
                    let ty = self.types.variable();
                    self.types.level = level;
                    named.insert(name.clone(), ty);
                    Ok(ty)
                }
                None => Err(Diagnostic::new(
                    span,
                    format!("`{name}` is no parameter of this type"),
                )),
            },
            TypeExprKind::Arrow(from, to) => {
                let from = self.written(from, named, open)?;
                let to = self.written(to, named, open)?;
                Ok(self.types.arrow(from, to))
            }
            TypeExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.written(p, named, open));
                let parts = parts.collect::<Inferred<_>>()?;
                Ok(self.types.tuple(parts))
            }
            TypeExprKind::Constructor(path, arguments) => {
                let id = self.lookup(path, span, "type", |s| s.types.get(&path.name))?;
                let arity = self.types.infos[id.0 as usize].arity;
                if arity != arguments.len() {
                    return Err(Diagnostic::new(
                        span,
                        format!(
                            "type `{}` has {arity} parameters, {} are given",
                            path.name,
                            arguments.len()
                        ),
                    ));
                }
                let arguments = arguments.iter().map(|a| self.written(a, named, open));
                let arguments = arguments.collect::<Inferred<_>>()?;
                Ok(self.types.constructor(id, arguments))
            }
        }
    }

    pub(super) fn type_declarations(
        &mut self,
        declarations: &[TypeDeclaration],
        span: Span,
    ) -> Inferred<()> {
        let mut ids = Vec::new();
        for d in declarations {
            let id = self.types.declare(TypeInfo {
                name: d.name.clone(),
                arity: d.parameters.len(),
                alias: None,
                covariant: true,
                shape: Shape::Basic,
            });
            self.scope().types.insert(d.name.clone(), id);
            ids.push(id);
        }
        let mut keyword = "type";
        for (d, id) in declarations.iter().zip(ids) {
            let parameters: Vec<Ty> = d.parameters.iter().map(|_| self.types.generic()).collect();
            let mut named = d
                .parameters
                .iter()
                .cloned()
                .zip(parameters.iter().copied())
                .collect();
            let result = self.types.constructor(id, parameters.clone());
            let parameters: Rc<[Ty]> = parameters.into();
            let mut letters = Letters::default();
            let head = self.types.text(result, &mut letters);
            let (parts, text): (Vec<Ty>, String) = match &d.body {
                TypeBody::Alias(body) => {
                    let ty = self.written(body, &mut named, false)?;
                    if let Node::Constructor(other, _) = self.types.node(ty)
                        && *other == id
                    {
                        return Err(Diagnostic::new(d.span, "this type is defined as itself"));
                    }
                    self.types.infos[id.0 as usize].alias = Some((parameters, ty));
                    (vec![ty], self.types.text(ty, &mut letters))
                }
                TypeBody::Record(fields) => {
                    let names: Rc<[Name]> = fields.iter().map(|(n, _)| n.clone()).collect();
                    let mut shape = Vec::new();
                    for (name, field) in fields {
                        if shape.iter().any(|(n, _)| n == name) {
                            return Err(Diagnostic::new(
                                field.span,
                                format!("field `{name}` is declared twice"),
                            ));
                        }
                        shape.push((name.clone(), self.written(field, &mut named, false)?));
                    }
                    let flat = shape.iter().all(|(_, ty)| {
                        let ty = self.types.expand(*ty);
                        matches!(self.types.node(ty), Node::Constructor(types::FLOAT, _))
                    });
                    for (index, (name, ty)) in shape.iter().enumerate() {
                        let info = FieldInfo {
                            index,
                            size: fields.len(),
                            flat,
                            ty: *ty,
                            record: result,
                            names: names.clone(),
                        };
                        self.scope().fields.insert(name.clone(), info);
                    }
                    let text: Vec<String> = shape
                        .iter()
                        .map(|(n, t)| format!("{n} : {};", self.types.text(*t, &mut letters)))
                        .collect();
                    let parts = shape.iter().map(|(_, t)| *t).collect();
                    self.types.infos[id.0 as usize].shape = Shape::Record(parameters, shape);
                    (parts, format!("{{ {} }}", text.join(" ")))
                }
                TypeBody::Variants(variants) => {
                    let (mut constants, mut blocks) = (0, 0);
                    let mut shape = Vec::new();
                    let mut text = Vec::new();
                    for v in variants {
                        let arguments = v
                            .arguments
                            .iter()
                            .map(|a| self.written(a, &mut named, false));
                        let arguments: Rc<[Ty]> = arguments.collect::<Inferred<Vec<_>>>()?.into();
                        let counter = if arguments.is_empty() {
                            &mut constants
                        } else {
                            &mut blocks
                        };
                        let tag = *counter;
                        *counter += 1;
                        if tag > 240 {
                            return Err(Diagnostic::new(
                                v.span,
                                "a type has at most 240 constructors",
                            ));
                        }
                        let info = ConstructorInfo {
                            tag,
                            arguments: arguments.clone(),
                            result,
                            exception: None,
                            sole: variants.len() == 1,
                        };
                        self.scope().constructors.insert(v.name.clone(), info);
                        text.push(self.variant_text(&v.name, &arguments, &mut letters));
                        shape.push((v.name.clone(), arguments));
                    }
                    let parts = shape.iter().flat_map(|(_, a)| a.to_vec()).collect();
                    self.types.infos[id.0 as usize].shape = Shape::Variants(parameters, shape);
                    (parts, text.join(" | "))
                }
            };
            if parts.iter().any(|t| self.types.has_arrow(*t)) {
                self.types.infos[id.0 as usize].covariant = false;
            }
            self.signature
                .push(Entry::Text(format!("{keyword} {head} = {text}\n")));
            keyword = "and";
        }
        self.push(span, Work::Nothing, vec![]);
        Ok(())
    }

    fn variant_text(&self, name: &str, arguments: &[Ty], letters: &mut Letters) -> String {
        if arguments.is_empty() {
            return name.to_owned();
        }
        let parts: Vec<String> = arguments
            .iter()
            .map(|t| self.types.argument_text(*t, letters))
            .collect();
        format!("{name} of {}", parts.join(" * "))
    }

    pub(super) fn exception(&mut self, variant: &Variant) -> Inferred<()> {
        let arguments = variant
            .arguments
            .iter()
            .map(|a| self.written(a, &mut BTreeMap::new(), false));
        let arguments = arguments.collect::<Inferred<Vec<_>>>()?;
        let id = self.exceptions.len() as u32;
        // The runtime's own exceptions are shown bare, this one by its path.
        let shown = if self.library && &*variant.name == "Exit" {
            "Stdlib.Exit"
        } else {
            &variant.name
        };
        self.exceptions.push((shown.to_owned(), arguments.clone()));
        let result = self.types.basic(types::EXN);
        let text = self.variant_text(&variant.name, &arguments, &mut Letters::default());
        self.signature
            .push(Entry::Text(format!("exception {text}\n")));
        let info = ConstructorInfo {
            tag: 0,
            arguments: arguments.into(),
            result,
            exception: Some(id),
            sole: false,
        };
        self.scope().constructors.insert(variant.name.clone(), info);
        Ok(())
    }

    pub(super) fn external(
        &mut self,
        name: &Name,
        written: &TypeExpr,
        operator: &str,
        span: Span,
    ) -> Inferred<()> {
        let operator = Operator::named(operator)
            .ok_or_else(|| Diagnostic::new(span, format!("there is no operator `{operator}`")))?;
        self.types.level = 1;
        let ty = self.annotation(written)?;
        self.types.level = 0;
        self.generalize(ty, false, span)?;
        let (mut arity, mut at) = (0, ty);
        while let Node::Arrow(_, to) = self.types.node(at) {
            arity += 1;
            at = *to;
        }
        self.scope()
            .values
            .insert(name.clone(), (Place::External(operator, arity), ty));
        Ok(())
    }
}
