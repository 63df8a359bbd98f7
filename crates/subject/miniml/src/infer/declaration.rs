//! Declarations of types, exceptions and the library's built-in functions; types as written.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{ConstructorInfo, Entry, FieldInfo, Infer, Inferred, Place};
use crate::core::{Operator, Work};
use crate::diagnostic::Diagnostic;
use crate::syntax::{
    Bound, Field, Label, Name, Span, TypeBody, TypeDeclaration, TypeExpr, TypeExprKind, Variant,
};
use crate::types::{self, Letters, Node, Shape, Ty, TypeId, TypeInfo, Types};

impl Infer {
    /// The type of an annotation; its variables are shared in the item.
    pub(super) fn annotation(&mut self, written: &TypeExpr) -> Inferred<Ty> {
        let mut named = std::mem::take(&mut self.named);
        let ty = self.written(written, &mut named, true);
        self.named = named;
        ty
    }

    /// A type as written, with generalised variables for those that it quantifies.
    pub(super) fn written_generic(
        &mut self,
        written: &TypeExpr,
        named: &mut BTreeMap<Name, Ty>,
    ) -> Inferred<Ty> {
        let TypeExprKind::Poly(names, inner) = &written.kind else {
            return self.written(written, named, true);
        };
        for name in names {
            let ty = self.types.generic();
            named.insert(name.clone(), ty);
        }
        let ty = self.written(inner, named, true);
        names.iter().for_each(|name| {
            named.remove(name);
        });
        ty
    }

    /// A type as written in a declaration, whose variables are its parameters.
    pub(super) fn declared(
        &mut self,
        written: &TypeExpr,
        named: &mut BTreeMap<Name, Ty>,
    ) -> Inferred<Ty> {
        self.written(written, named, false)
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
            TypeExprKind::Arrow(label, from, to) => {
                let mut from = self.written(from, named, open)?;
                let to = self.written(to, named, open)?;
                if let Label::Optional(_) = label {
                    from = self.types.constructor(types::OPTION, vec![from]);
                }
                Ok(self.types.labelled(label.clone(), from, to))
            }
            TypeExprKind::Poly(names, inner) => {
                // Outside of definitions with a signature of their own the variables are the item's.
                for name in names {
                    let level = std::mem::replace(&mut self.types.level, 1);
                    let ty = self.types.variable();
                    self.types.level = level;
                    named.insert(name.clone(), ty);
                }
                self.written(inner, named, open)
            }
            TypeExprKind::Alias(inner, name) => {
                let ty = self.written(inner, named, open)?;
                if let Some(known) = named.insert(name.clone(), ty) {
                    self.require(span, ty, known)?;
                }
                Ok(ty)
            }
            TypeExprKind::Tags(bound, tags, others) => {
                self.tags_type(*bound, tags, others, named, open)
            }
            TypeExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.written(p, named, open));
                let parts = parts.collect::<Inferred<_>>()?;
                Ok(self.types.tuple(parts))
            }
            TypeExprKind::Constructor(path, arguments)
                if path.modules.is_empty()
                    && arguments.is_empty()
                    && named.contains_key(&path.name) =>
            {
                // A type that the function names itself: `(type a)`.
                Ok(named[&path.name])
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

    fn tags_type(
        &mut self,
        bound: Bound,
        tags: &[(Name, Option<TypeExpr>)],
        others: &[TypeExpr],
        named: &mut BTreeMap<Name, Ty>,
        open: bool,
    ) -> Inferred<Ty> {
        let needed = bound != Bound::Most;
        let mut all = BTreeMap::new();
        for (name, argument) in tags {
            let argument = argument.as_ref().map(|a| self.written(a, named, open));
            all.insert(name.clone(), (needed, argument.transpose()?));
        }
        for other in others {
            let ty = self.written(other, named, open)?;
            let ty = self.types.expand(ty);
            let Some(row) = self.types.row(ty) else {
                return Err(Diagnostic::new(
                    other.span,
                    "this is no type of polymorphic variants",
                ));
            };
            let more = row.tags.iter().map(|(n, (_, t))| (n.clone(), (needed, *t)));
            all.extend(more.collect::<Vec<_>>());
        }
        Ok(self.types.tags(bound != Bound::Least, all))
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
                modules: self.modules.clone().into(),
                arity: d.parameters.len(),
                alias: None,
                covariant: !matches!(d.body, TypeBody::Abstract),
                shape: Shape::Basic,
            });
            self.scope().types.insert(d.name.clone(), id);
            ids.push(id);
        }
        let mut keyword = "type";
        let ids_of = ids.clone();
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
            self.types.inside.clone_from(&self.modules);
            let head = self.types.text(result, &mut letters);
            let (parts, text): (Vec<Ty>, String) = match &d.body {
                TypeBody::Abstract => (vec![], String::new()),
                TypeBody::Alias(body) => {
                    let ty = self.written(body, &mut named, false)?;
                    self.types.infos[id.0 as usize].alias = Some((parameters, ty));
                    (vec![ty], self.types.text(ty, &mut letters))
                }
                TypeBody::Record(fields) => {
                    let shape = self.record_shape(fields, &mut named)?;
                    self.declare_fields(id, fields, &shape, result);
                    let text = record_text(fields, &shape, &self.types, &mut letters);
                    let mut parts: Vec<Ty> = shape.iter().map(|(_, t)| *t).collect();
                    if fields.iter().any(|f| f.mutable) {
                        self.types.infos[id.0 as usize].covariant = false;
                        parts.clear();
                    }
                    self.types.infos[id.0 as usize].shape = Shape::Record(parameters, shape);
                    (parts, text)
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
                        let mut arguments = arguments.collect::<Inferred<Vec<_>>>()?;
                        let mut inline = None;
                        if let Some(fields) = &v.record {
                            if fields.iter().any(|f| f.mutable) {
                                return Err(Diagnostic::new(
                                    v.span,
                                    "a mutable record inside a constructor is OCaml, but not in this language",
                                )
                                .advice("declare the record as a type of its own"));
                            }
                            let shape = self.record_shape(fields, &mut named)?;
                            let names: Vec<Name> = shape.iter().map(|(n, _)| n.clone()).collect();
                            inline = Some((
                                Rc::from(names),
                                record_text(fields, &shape, &self.types, &mut letters),
                            ));
                            arguments = shape.into_iter().map(|(_, t)| t).collect();
                        }
                        let arguments: Rc<[Ty]> = arguments.into();
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
                            inline: inline.as_ref().map(|(names, _)| Rc::clone(names)),
                        };
                        let known = self.constructors_of.entry(id).or_default();
                        known.insert(v.name.clone(), info.clone());
                        self.scope().constructors.insert(v.name.clone(), info);
                        text.push(match inline {
                            Some((_, record)) => format!("{} of {record}", v.name),
                            None => self.variant_text(&v.name, &arguments, &mut letters),
                        });
                        shape.push((v.name.clone(), arguments));
                    }
                    let parts = shape.iter().flat_map(|(_, a)| a.to_vec()).collect();
                    self.types.infos[id.0 as usize].shape = Shape::Variants(parameters, shape);
                    (parts, text.join(" | "))
                }
            };
            // What is inside of the library's own types is not shown.
            if self.library
                && !self.modules.is_empty()
                && !matches!(&*d.name, "node")
                && self.modules.last().is_none_or(|m| &**m != "Either")
            {
                self.types.infos[id.0 as usize].shape = Shape::Basic;
            }
            if parts.iter().any(|t| self.types.has_arrow(*t)) {
                self.types.infos[id.0 as usize].covariant = false;
            }
            self.types.inside.clear();
            let equals = if text.is_empty() { "" } else { " = " };
            self.signature
                .push(Entry::Text(format!("{keyword} {head}{equals}{text}\n")));
            keyword = "and";
        }
        for (d, id) in declarations.iter().zip(ids_of) {
            if self.types.is_cyclic(id) {
                return Err(Diagnostic::new(
                    d.span,
                    format!("type `{}` is an abbreviation that contains itself", d.name),
                )
                .advice("declare a variant or a record, whose constructor stands in between"));
            }
        }
        self.push(span, Work::Nothing, vec![]);
        Ok(())
    }

    pub(super) fn variant_text(
        &self,
        name: &str,
        arguments: &[Ty],
        letters: &mut Letters,
    ) -> String {
        if arguments.is_empty() {
            return name.to_owned();
        }
        let parts: Vec<String> = arguments
            .iter()
            .map(|t| self.types.argument_text(*t, letters))
            .collect();
        format!("{name} of {}", parts.join(" * "))
    }

    fn record_shape(
        &mut self,
        fields: &[Field],
        named: &mut BTreeMap<Name, Ty>,
    ) -> Inferred<Vec<(Name, Ty)>> {
        let mut shape: Vec<(Name, Ty)> = Vec::new();
        for field in fields {
            if shape.iter().any(|(n, _)| *n == field.name) {
                return Err(Diagnostic::new(
                    field.ty.span,
                    format!("field `{}` is declared twice", field.name),
                ));
            }
            shape.push((field.name.clone(), self.written(&field.ty, named, false)?));
        }
        Ok(shape)
    }

    /// Brings the fields of a record into scope.
    fn declare_fields(&mut self, id: TypeId, fields: &[Field], shape: &[(Name, Ty)], record: Ty) {
        let names: Rc<[Name]> = shape.iter().map(|(n, _)| n.clone()).collect();
        let flat = shape.iter().all(|(_, ty)| {
            let ty = self.types.expand(*ty);
            matches!(self.types.node(ty), Node::Constructor(types::FLOAT, _))
        });
        for (index, (name, ty)) in shape.iter().enumerate() {
            let info = FieldInfo {
                index,
                size: fields.len(),
                flat,
                mutable: fields[index].mutable,
                ty: *ty,
                record,
                names: names.clone(),
            };
            let known = self.fields_of.entry(id).or_default();
            known.insert(name.clone(), info.clone());
            self.scope().fields.insert(name.clone(), info);
        }
    }

    pub(super) fn exception(&mut self, variant: &Variant) -> Inferred<()> {
        let arguments = variant
            .arguments
            .iter()
            .map(|a| self.written(a, &mut BTreeMap::new(), false));
        let mut arguments = arguments.collect::<Inferred<Vec<_>>>()?;
        let mut inline: Option<Rc<[Name]>> = None;
        if let Some(fields) = &variant.record {
            let shape = self.record_shape(fields, &mut BTreeMap::new())?;
            inline = Some(shape.iter().map(|(n, _)| n.clone()).collect());
            arguments = shape.into_iter().map(|(_, t)| t).collect();
        }
        let id = self.exceptions.len() as u32;
        // The runtime's own exceptions are shown bare, this one by its path.
        let mut shown = String::new();
        if self.library && (!self.modules.is_empty() || &*variant.name == "Exit") {
            shown.push_str("Stdlib.");
        }
        self.modules.iter().for_each(|m| shown += &format!("{m}."));
        shown.push_str(&variant.name);
        self.exceptions.push((shown, arguments.clone()));
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
            inline,
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
        while let Node::Arrow(_, _, to) = self.types.node(at) {
            arity += 1;
            at = *to;
        }
        self.scope()
            .values
            .insert(name.clone(), (Place::External(operator, arity), ty));
        Ok(())
    }
}

/// `{ mutable a : t; b : u; }`.
fn record_text(
    fields: &[Field],
    shape: &[(Name, Ty)],
    types: &Types,
    letters: &mut Letters,
) -> String {
    let parts: Vec<String> = fields
        .iter()
        .zip(shape)
        .map(|(field, (name, ty))| {
            let mutable = if field.mutable { "mutable " } else { "" };
            format!("{mutable}{name} : {};", types.text(*ty, letters))
        })
        .collect();
    format!("{{ {} }}", parts.join(" "))
}
