//! Records and constructors: which type a field or a constructor belongs to, by the type that is expected, else the last declared.

use super::{ConstructorInfo, FieldInfo, Infer, Inferred};
use crate::core;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expr, ExprKind, Name, Path, Span};
use crate::types::{Node, Ty, TypeId};

impl Infer {
    /// The declared type that a type is, if it is one.
    fn declared_type(&mut self, ty: Option<Ty>) -> Option<TypeId> {
        let ty = self.types.expand(ty?);
        match self.types.node(ty) {
            Node::Constructor(id, _) => Some(*id),
            _ => None,
        }
    }

    /// A constructor, of the type that is expected if it has one of that name.
    pub(super) fn constructor(
        &mut self,
        path: &Path,
        span: Span,
        expected: Option<Ty>,
    ) -> Inferred<ConstructorInfo> {
        if path.modules.is_empty()
            && let Some(id) = self.declared_type(expected)
            && let Some(infos) = self.constructors_of.get(&id)
            && let Some(info) = infos.get(&path.name)
        {
            return Ok(info.clone());
        }
        self.lookup(path, span, "constructor", |s| {
            s.constructors.get(&path.name)
        })
    }

    /// A field, of the type that is expected if it has one of that name.
    pub(super) fn field(
        &mut self,
        path: &Path,
        span: Span,
        expected: Option<Ty>,
    ) -> Inferred<FieldInfo> {
        if path.modules.is_empty()
            && let Some(id) = self.declared_type(expected)
            && let Some(infos) = self.fields_of.get(&id)
            && let Some(info) = infos.get(&path.name)
        {
            return Ok(info.clone());
        }
        self.lookup(path, span, "field", |s| s.fields.get(&path.name))
    }

    /// The fields of a record that is written out: of a type that has them all.
    pub(super) fn fields(
        &mut self,
        paths: &[&Path],
        span: Span,
        expected: Option<Ty>,
    ) -> Inferred<Vec<FieldInfo>> {
        let first = self.field(paths[0], span, expected)?;
        let has_all = |info: &FieldInfo| paths.iter().all(|p| info.names.contains(&p.name));
        let first = if has_all(&first) {
            first
        } else {
            let found = self.fields_of.values().rev().find_map(|infos| {
                let info = infos.get(&paths[0].name)?;
                has_all(info).then(|| info.clone())
            });
            found.unwrap_or(first)
        };
        let hint = Some(first.record);
        let modules = &paths[0].modules;
        paths
            .iter()
            .map(|path| {
                let mut path = (*path).clone();
                if self.declared_type(hint).is_some() {
                    path.modules.clear();
                } else if path.modules.is_empty() {
                    path.modules.clone_from(modules);
                }
                self.field(&path, span, hint)
            })
            .collect()
    }

    pub(super) fn record(
        &mut self,
        fields: &[(Path, Expr)],
        span: Span,
        hint: Option<Ty>,
    ) -> Inferred<(core::Expr, Ty)> {
        let ty = self.types.variable();
        let paths: Vec<&Path> = fields.iter().map(|(p, _)| p).collect();
        let infos = self.fields(&paths, span, hint)?;
        let mut places: Vec<Option<core::Expr>> = vec![None; infos[0].size];
        let (names, flat) = (infos[0].names.clone(), infos[0].flat);
        if let Some(hint) = hint {
            // What is expected may say the types of the fields; what is wrong is said later.
            let (_, record) = self.field_types(&infos[0]);
            if self.types.unify(record, ty).is_ok() && self.declared_type(Some(hint)).is_some() {
                let _ = self.types.unify(ty, hint);
            }
        }
        for (info, (path, value)) in infos.iter().zip(fields) {
            let (field, record) = self.field_types(info);
            self.require(span, record, ty)?;
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
        let mutable = self.is_mutable(&infos[0]);
        let core = if mutable {
            // Written as an operation, so that nothing takes it for a constant.
            core::Expr::Sequence(vec![core::Expr::Construct {
                tag: if flat { crate::machine::FLAT } else { 0 },
                arguments,
                ty,
            }])
        } else {
            core::Expr::Construct {
                tag: if flat { crate::machine::FLAT } else { 0 },
                arguments,
                ty,
            }
        };
        Ok((core, ty))
    }

    /// Whether a record of that field's type has a field that changes.
    pub(super) fn is_mutable(&mut self, info: &FieldInfo) -> bool {
        let Some(id) = self.declared_type(Some(info.record)) else {
            return false;
        };
        self.fields_of
            .get(&id)
            .is_some_and(|infos| infos.values().any(|f| f.mutable))
    }

    pub(super) fn record_with(
        &mut self,
        base: &Expr,
        fields: &[(Path, Expr)],
        span: Span,
        hint: Option<Ty>,
    ) -> Inferred<(core::Expr, Ty)> {
        self.hint = hint;
        let (base, ty) = self.expression(base)?;
        let (mut size, mut flat) = (0, false);
        let mut cores = Vec::new();
        let paths: Vec<&Path> = fields.iter().map(|(p, _)| p).collect();
        let known = Some(ty).filter(|ty| self.declared_type(Some(*ty)).is_some());
        let infos = self.fields(&paths, span, known.or(hint))?;
        for (info, (path, value)) in infos.iter().zip(fields) {
            let (field, record) = self.field_types(info);
            self.require(span, ty, record)?;
            (size, flat) = (info.size, info.flat);
            if cores.iter().any(|(index, _)| *index == info.index) {
                return Err(given_twice(value.span, &path.name));
            }
            cores.push((info.index, self.check(value, field)?));
        }
        cores.sort_by_key(|(index, _)| *index);
        let core = core::Expr::RecordWith {
            base: Box::new(base),
            size,
            flat,
            fields: cores,
        };
        let core = if self.is_mutable(&infos[0]) {
            core::Expr::Sequence(vec![core])
        } else {
            core
        };
        Ok((core, ty))
    }

    /// `record.field`: its core, its place and its type.
    pub(super) fn read_field(
        &mut self,
        record: &Expr,
        path: &Path,
        span: Span,
    ) -> Inferred<(core::Expr, FieldInfo, Ty)> {
        let (core, found) = self.expression(record)?;
        let info = self.field(path, span, Some(found))?;
        let (field, wanted) = self.field_types(&info);
        self.require(record.span, found, wanted)?;
        Ok((core, info, field))
    }

    /// `target <- value`.
    pub(super) fn store(
        &mut self,
        target: &Expr,
        value: &Expr,
        span: Span,
    ) -> Inferred<(core::Expr, Ty)> {
        let unit = self.types.basic(crate::types::UNIT);
        match &target.kind {
            ExprKind::Field(record, path) => {
                let (record, info, field) = self.read_field(record, path, span)?;
                if !info.mutable {
                    return Err(Diagnostic::new(
                        span,
                        format!("field `{}` is not mutable", path.name),
                    )
                    .advice("declare it `mutable`"));
                }
                let value = self.check(value, field)?;
                let core = core::Expr::SetField(
                    Box::new(record),
                    info.index,
                    info.flat,
                    Box::new(value),
                    field,
                );
                Ok((core, unit))
            }
            ExprKind::Index(path, array, index) => {
                let set = Path {
                    modules: path.modules.clone(),
                    name: "set".into(),
                };
                if &*path.modules[0] == "String" {
                    return Err(Diagnostic::new(span, "strings do not change")
                        .advice("use `Bytes`, and `Bytes.to_string` at the end"));
                }
                let function = Expr {
                    kind: ExprKind::Variable(set),
                    span,
                };
                let arguments = [&**array, &**index, value];
                let arguments: Vec<_> = arguments
                    .into_iter()
                    .map(|a| (crate::syntax::Label::None, a.clone()))
                    .collect();
                self.apply(&function, &arguments, span)
            }
            _ => Err(
                Diagnostic::new(span, "only fields and elements are assigned with `<-`")
                    .advice("write `:=` for a reference"),
            ),
        }
    }

    /// What a constructor is given as a record, in order of its declaration.
    #[expect(clippy::unused_self, reason = "a rule of records like the others")]
    pub(super) fn inline_fields<'e>(
        &self,
        names: &[Name],
        fields: &'e [(Path, Expr)],
        span: Span,
    ) -> Inferred<Vec<&'e Expr>> {
        for (path, value) in fields {
            if !names.contains(&path.name) {
                return Err(Diagnostic::new(
                    value.span,
                    format!("there is no field `{}` in this constructor", path.name),
                ));
            }
        }
        names
            .iter()
            .map(|name| {
                let found = fields.iter().find(|(p, _)| p.name == *name);
                found
                    .map(|(_, e)| e)
                    .ok_or_else(|| Diagnostic::new(span, format!("field `{name}` is missing")))
            })
            .collect()
    }
}

fn given_twice(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(span, format!("field `{name}` is given twice"))
}
