//! Signatures: what of a module is seen outside, and at which types.
//!
//! An abstract type is a new type; behind it stands the module's own, by which values are checked. Deviation: a variant or record that a
//! signature repeats is taken to be the module's own, if it has the same constructors or fields.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Entry, Infer, Inferred, Place, Scope};
use crate::diagnostic::Diagnostic;
use crate::syntax::{
    Name, Path, SignatureExpr, SignatureItem, SignatureKind, Span, TypeBody, TypeDeclaration,
};
use crate::types::{Letters, Node, Shape, Ty, TypeId, TypeInfo};

/// Types that `with type` gives: parameters and body.
type Given = BTreeMap<Name, (Rc<[Ty]>, Ty)>;

impl Infer {
    /// The scope that a signature shows, of a module or of one that is not known yet.
    pub(super) fn signature(
        &mut self,
        signature: &SignatureExpr,
        module: Option<&Scope>,
    ) -> Inferred<Scope> {
        let outer = std::mem::take(&mut self.signature);
        self.scopes.push(Scope::default());
        let depth = self.scopes.len();
        let result = self.signature_into(signature, module, &Given::new());
        let mut scope = self.scopes.pop().unwrap_or_default();
        self.scopes.truncate(depth - 1);
        scope.entries = std::mem::replace(&mut self.signature, outer);
        result.map(|()| scope)
    }

    fn signature_into(
        &mut self,
        signature: &SignatureExpr,
        module: Option<&Scope>,
        given: &Given,
    ) -> Inferred<()> {
        match &signature.kind {
            SignatureKind::Sig(items) => {
                for item in items {
                    self.named.clear();
                    self.signature_item(item, module, given, signature.span)?;
                }
                Ok(())
            }
            SignatureKind::Path(path) => {
                let named = self.lookup(path, signature.span, "signature", |s| {
                    s.signatures.get(&path.name)
                })?;
                let named = (*named).clone();
                self.signature_into(&named, module, given)
            }
            SignatureKind::With(inner, constraints) => {
                let mut all = given.clone();
                for (parameters, path, ty) in constraints {
                    let generic: Vec<Ty> =
                        parameters.iter().map(|_| self.types.generic()).collect();
                    let named = parameters.iter().cloned().zip(generic.iter().copied());
                    let ty = self.declared(ty, &mut named.collect())?;
                    all.insert(path.name.clone(), (generic.into(), ty));
                }
                self.signature_into(inner, module, &all)
            }
            SignatureKind::Functor => Err(Diagnostic::new(
                signature.span,
                "signatures of functors are OCaml, but not in this language",
            )
            .advice("leave the signature of the functor out")),
        }
    }

    fn signature_item(
        &mut self,
        item: &SignatureItem,
        module: Option<&Scope>,
        given: &Given,
        span: Span,
    ) -> Inferred<()> {
        let missing = |what: &str, name: &str| {
            Diagnostic::new(
                span,
                format!("the module lacks the {what} `{name}` of this signature"),
            )
        };
        match item {
            SignatureItem::Value(name, written) => {
                self.types.level += 1;
                let ty = self.annotation(written);
                self.types.level -= 1;
                let ty = ty?;
                self.generalize(ty, false, written.span)?;
                let place = if let Some(module) = module {
                    let (place, own) = module
                        .values
                        .get(name)
                        .copied()
                        .ok_or_else(|| missing("value", name))?;
                    let wanted = self.uncovered(ty);
                    self.check_instance(name, own, wanted, written.span)?;
                    place
                } else {
                    Place::Global(0)
                };
                self.scope().values.insert(name.clone(), (place, ty));
                self.signature.push(Entry::Value(name.clone(), ty));
                Ok(())
            }
            SignatureItem::Types(declarations) => {
                self.signature_types(declarations, module, given, span)
            }
            SignatureItem::Exception(variant) => match module {
                Some(module) => {
                    let info = module
                        .constructors
                        .get(&variant.name)
                        .cloned()
                        .ok_or_else(|| missing("exception", &variant.name))?;
                    let mut letters = Letters::default();
                    let text = self.variant_text(&variant.name, &info.arguments, &mut letters);
                    self.signature
                        .push(Entry::Text(format!("exception {text}\n")));
                    self.scope().constructors.insert(variant.name.clone(), info);
                    Ok(())
                }
                None => self.exception(variant),
            },
            SignatureItem::Module(name, inner) => {
                let own = match module {
                    Some(module) => Some(
                        module
                            .modules
                            .get(name)
                            .cloned()
                            .ok_or_else(|| missing("module", name))?,
                    ),
                    None => None,
                };
                self.modules.push(name.clone());
                let scope = self.signature(inner, own.as_deref());
                self.modules.pop();
                let scope = scope?;
                self.signature
                    .push(Entry::Module(name.clone(), scope.entries.clone()));
                self.scope().modules.insert(name.clone(), Rc::new(scope));
                Ok(())
            }
            SignatureItem::ModuleType(name, inner) => {
                let scope = self.signature(inner, None)?;
                self.signature
                    .push(Entry::Signature(name.clone(), scope.entries));
                self.scope()
                    .signatures
                    .insert(name.clone(), Rc::new(inner.clone()));
                Ok(())
            }
            SignatureItem::Include(inner) => self.signature_into(inner, module, given),
            SignatureItem::Open(path) => {
                let opened = self.lookup(path, span, "module", |s| s.modules.get(&path.name))?;
                // Below the names of the signature itself.
                let at = self.scopes.len() - 1;
                self.scopes.insert(at, (*opened).clone());
                Ok(())
            }
        }
    }

    /// The type with what is behind abstract types in their place.
    fn uncovered(&mut self, ty: Ty) -> Ty {
        let ty = self.types.find(ty);
        match self.types.node(ty).clone() {
            Node::Constructor(id, arguments) => {
                let arguments: Vec<Ty> = arguments.iter().map(|a| self.uncovered(*a)).collect();
                let mut id = id;
                while let Some(behind) = self.behind.get(&id) {
                    id = *behind;
                }
                self.types.constructor(id, arguments)
            }
            Node::Arrow(label, from, to) => {
                let (from, to) = (self.uncovered(from), self.uncovered(to));
                self.types.labelled(label, from, to)
            }
            Node::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.uncovered(*p)).collect();
                self.types.tuple(parts)
            }
            _ => ty,
        }
    }

    /// Whether a value's own type is as general as a signature says.
    fn check_instance(&mut self, name: &Name, own: Ty, wanted: Ty, span: Span) -> Inferred<()> {
        let own = self.types.instantiate(own);
        let wanted = self.rigid(wanted);
        let own = self.uncovered(own);
        self.require(span, own, wanted).map_err(|error| {
            Diagnostic::new(
                span,
                format!("`{name}` does not fit its signature: {}", error.message),
            )
        })
    }

    /// The type with a new type of its own for each generalised variable.
    pub(super) fn rigid(&mut self, ty: Ty) -> Ty {
        let mut map = BTreeMap::new();
        for variable in self.types.generic_variables(ty) {
            let id = self.types.declare(TypeInfo {
                name: "'a".into(),
                modules: Rc::from([]),
                arity: 0,
                alias: None,
                covariant: true,
                shape: Shape::Basic,
            });
            let constant = self.types.basic(id);
            map.insert(variable, constant);
        }
        self.types.copy(ty, &mut map)
    }

    fn signature_types(
        &mut self,
        declarations: &[TypeDeclaration],
        module: Option<&Scope>,
        given: &Given,
        span: Span,
    ) -> Inferred<()> {
        let abstract_only = declarations
            .iter()
            .all(|d| matches!(d.body, TypeBody::Abstract));
        if !abstract_only && module.is_none() {
            return self.type_declarations(declarations, span);
        }
        for d in declarations {
            let own = match module {
                Some(module) => Some(*module.types.get(&d.name).ok_or_else(|| {
                    Diagnostic::new(
                        d.span,
                        format!("the module lacks the type `{}` of this signature", d.name),
                    )
                })?),
                None => None,
            };
            if let Some(own) = own
                && self.types.infos[own.0 as usize].arity != d.parameters.len()
            {
                return Err(Diagnostic::new(
                    d.span,
                    format!("type `{}` has another number of parameters", d.name),
                ));
            }
            let alias = given.get(&d.name).cloned();
            if let (TypeBody::Abstract, _) | (_, None) = (&d.body, own) {
                let id = self.abstract_type(d, own, alias);
                self.scope().types.insert(d.name.clone(), id);
            } else if let (Some(own), Some(module)) = (own, module) {
                self.shown_type(d, own, module)?;
            }
        }
        Ok(())
    }

    /// A type of which a signature says nothing, or only what it is the same as.
    fn abstract_type(
        &mut self,
        d: &TypeDeclaration,
        own: Option<TypeId>,
        alias: Option<(Rc<[Ty]>, Ty)>,
    ) -> TypeId {
        let manifest = alias.is_some();
        let id = self.types.declare(TypeInfo {
            name: d.name.clone(),
            modules: self.modules.clone().into(),
            arity: d.parameters.len(),
            alias,
            covariant: false,
            shape: Shape::Basic,
        });
        if let (Some(own), false) = (own, manifest) {
            self.behind.insert(id, own);
        }
        let parameters: Vec<Ty> = d.parameters.iter().map(|_| self.types.generic()).collect();
        let head = self.types.constructor(id, parameters);
        self.types.inside.clone_from(&self.modules);
        let mut letters = Letters::default();
        let text = self.types.text(head, &mut letters);
        self.types.inside.clear();
        let body = self.types.infos[id.0 as usize].alias.clone();
        let body = body.map(|(_, ty)| format!(" = {}", self.types.text(ty, &mut letters)));
        let body = body.unwrap_or_default();
        self.signature
            .push(Entry::Text(format!("type {text}{body}\n")));
        id
    }

    /// A type whose constructors or fields a signature shows.
    fn shown_type(&mut self, d: &TypeDeclaration, own: TypeId, module: &Scope) -> Inferred<()> {
        let differs = || {
            Diagnostic::new(
                d.span,
                format!("type `{}` is not what the module declares", d.name),
            )
        };
        self.scope().types.insert(d.name.clone(), own);
        match &d.body {
            TypeBody::Variants(variants) => {
                let infos = self.constructors_of.get(&own).cloned().unwrap_or_default();
                if infos.len() != variants.len() {
                    return Err(differs());
                }
                for v in variants {
                    let info = infos.get(&v.name).ok_or_else(differs)?;
                    if v.record.is_none() && info.arguments.len() != v.arguments.len() {
                        return Err(differs());
                    }
                    self.scope()
                        .constructors
                        .insert(v.name.clone(), info.clone());
                }
            }
            TypeBody::Record(fields) => {
                let infos = self.fields_of.get(&own).cloned().unwrap_or_default();
                if infos.len() != fields.len() {
                    return Err(differs());
                }
                for field in fields {
                    let info = infos.get(&field.name).ok_or_else(differs)?;
                    self.scope().fields.insert(field.name.clone(), info.clone());
                }
            }
            TypeBody::Alias(written) => {
                let parameters: Vec<Ty> =
                    d.parameters.iter().map(|_| self.types.generic()).collect();
                let named = d.parameters.iter().cloned().zip(parameters.iter().copied());
                let ty = self.declared(written, &mut named.collect())?;
                let ty = self.uncovered(ty);
                let mine = self.types.constructor(own, parameters);
                let (mine, ty) = (self.types.instantiate(mine), self.types.instantiate(ty));
                if d.parameters.is_empty() {
                    self.require(d.span, mine, ty)?;
                }
            }
            TypeBody::Abstract => {}
        }
        let text = module.entries.iter().find_map(|entry| match entry {
            Entry::Text(text) if declares(text, &d.name) => Some(text.clone()),
            _ => None,
        });
        self.signature.extend(text.map(Entry::Text));
        Ok(())
    }

    /// The module of a path, for names in it.
    pub(super) fn opened(&mut self, path: &Path, span: Span) -> Inferred<Rc<Scope>> {
        self.lookup(path, span, "module", |s| s.modules.get(&path.name))
    }
}

/// Whether a line of a signature declares a type of that name.
fn declares(text: &str, name: &str) -> bool {
    let head = text.split(" = ").next().unwrap_or(text);
    let last = head.split_whitespace().last();
    (text.starts_with("type ") || text.starts_with("and ")) && last == Some(name)
}
