//! Hindley–Milner inference (Milner 1978; Damas and Milner 1982) that leaves the typed core behind.
//!
//! An ill-typed item is reported and its names get any type, so that one run reports several errors.
//! Deviation from OCaml: fields and constructors are looked up by name alone, the last declared first.

mod apply;
mod declaration;
mod definition;
mod expression;
mod format;
mod module;
mod pattern;
mod record;
mod signature;
mod value;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::core::{ExnId, GlobalId, Item, Operator, Program, Shown, VarId, Work};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ItemKind, ModuleKind, Name, Path, Span};
use crate::types::{self, Letters, Mismatch, Shape, Ty, TypeId, TypeInfo, Types};

/// What a name of a value stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Local(VarId),
    Global(GlobalId),
    External(Operator, usize),
}

/// What a constructor is.
#[derive(Clone, Debug)]
pub(super) struct ConstructorInfo {
    /// Of the block, or the number of a constant.
    tag: u32,
    arguments: Rc<[Ty]>,
    result: Ty,
    exception: Option<ExnId>,
    sole: bool,
    /// The names of its arguments, where they are written as a record.
    inline: Option<Rc<[Name]>>,
}

/// What a field is.
#[derive(Clone, Debug)]
pub(super) struct FieldInfo {
    index: usize,
    size: usize,
    /// Whether all fields of the record are floats.
    flat: bool,
    mutable: bool,
    ty: Ty,
    record: Ty,
    names: Rc<[Name]>,
}

/// The names of one scope; scopes are looked through from the innermost.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    values: BTreeMap<Name, (Place, Ty)>,
    constructors: BTreeMap<Name, ConstructorInfo>,
    fields: BTreeMap<Name, FieldInfo>,
    types: BTreeMap<Name, TypeId>,
    modules: BTreeMap<Name, Rc<Scope>>,
    functors: BTreeMap<Name, Rc<module::Functor>>,
    signatures: BTreeMap<Name, Rc<syntax::SignatureExpr>>,
    /// What a module's signature says, in order.
    entries: Vec<Entry>,
}

impl Scope {
    /// The names of another scope hide those of the same name.
    pub(super) fn extend(&mut self, other: Self) {
        self.values.extend(other.values);
        self.constructors.extend(other.constructors);
        self.fields.extend(other.fields);
        self.types.extend(other.types);
        self.modules.extend(other.modules);
        self.functors.extend(other.functors);
        self.signatures.extend(other.signatures);
    }
}

pub(super) type Inferred<T> = Result<T, Diagnostic>;

/// A line of the signature; types of values are written at the end, when all of the program is known.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Text(String),
    Value(Name, Ty),
    Module(Name, Vec<Entry>),
    Signature(Name, Vec<Entry>),
    /// Name, parameters with their signatures, result.
    Functor(Name, Vec<(Name, Vec<Entry>)>, Vec<Entry>),
}

/// The state of inference.
pub(super) struct Infer {
    types: Types,
    scopes: Vec<Scope>,
    items: Vec<Item>,
    errors: Vec<Diagnostic>,
    exceptions: Vec<(String, Vec<Ty>)>,
    globals: u32,
    variables: u32,
    letters: Letters,
    signature: Vec<Entry>,
    library: bool,
    /// Modules around the item at hand.
    modules: Vec<Name>,
    /// Type variables named in annotations of the item at hand.
    named: BTreeMap<Name, Ty>,
    /// The type that the expression at hand should have, if that is known.
    hint: Option<Ty>,
    /// Fields and constructors by type.
    fields_of: BTreeMap<TypeId, BTreeMap<Name, FieldInfo>>,
    constructors_of: BTreeMap<TypeId, BTreeMap<Name, ConstructorInfo>>,
    /// What is behind an abstract type.
    behind: BTreeMap<TypeId, TypeId>,
    /// Definitions of a module inside an expression, while it is read.
    frames: Option<Vec<module::Frame>>,
    /// Rows that patterns name tags of, and types that any value matches at.
    rows: Vec<Ty>,
    wild: Vec<Ty>,
}

/// Types a program after the library; both are parsed.
pub(crate) fn program(
    library: &[syntax::Item],
    user: &[syntax::Item],
) -> Result<Program, Vec<Diagnostic>> {
    let mut infer = Infer::new();
    infer.module_items(library);
    debug_assert!(infer.errors.is_empty(), "{:?}", infer.errors);
    infer.library = false;
    infer.signature.clear();
    infer.scopes.push(Scope::default());
    infer.module_items(user);
    if !infer.errors.is_empty() {
        return Err(infer.errors);
    }
    for item in &mut infer.items {
        crate::reference::eliminate(item, &mut infer.types);
    }
    let signature = infer.signature_text();
    Ok(Program {
        items: infer.items,
        globals: infer.globals,
        exceptions: infer.exceptions,
        signature,
        types: infer.types,
    })
}

impl Infer {
    fn new() -> Self {
        let mut infer = Self {
            types: Types::default(),
            scopes: vec![Scope::default()],
            items: vec![],
            errors: vec![],
            exceptions: vec![],
            globals: 0,
            variables: 0,
            letters: Letters::default(),
            signature: vec![],
            library: true,
            modules: vec![],
            named: BTreeMap::new(),
            hint: None,
            fields_of: BTreeMap::new(),
            constructors_of: BTreeMap::new(),
            behind: BTreeMap::new(),
            frames: None,
            rows: vec![],
            wild: vec![],
        };
        for (name, arity) in [
            ("int", 0),
            ("float", 0),
            ("char", 0),
            ("string", 0),
            ("exn", 0),
            ("bool", 0),
            ("unit", 0),
            ("list", 1),
            ("array", 1),
            ("option", 1),
            ("bytes", 0),
            ("lazy_t", 1),
            ("format6", 6),
        ] {
            let id = infer.types.declare(TypeInfo {
                name: name.into(),
                modules: Rc::from([]),
                arity,
                alias: None,
                covariant: !matches!(name, "array" | "format6"),
                shape: Shape::Basic,
            });
            infer.scopes[0].types.insert(name.into(), id);
        }
        let (bool, unit) = (
            infer.types.basic(types::BOOL),
            infer.types.basic(types::UNIT),
        );
        let element = infer.types.generic();
        let list = infer.types.constructor(types::LIST, vec![element]);
        let option = infer.types.constructor(types::OPTION, vec![element]);
        let some: Rc<[Ty]> = Rc::from([element]);
        infer.types.infos[types::OPTION.0 as usize].shape = Shape::Variants(
            some.clone(),
            vec![("None".into(), Rc::from([])), ("Some".into(), some)],
        );
        for (name, tag, arguments, result) in [
            ("false", 0, vec![], bool),
            ("true", 1, vec![], bool),
            ("()", 0, vec![], unit),
            ("[]", 0, vec![], list),
            ("::", 0, vec![element, list], list),
            ("None", 0, vec![], option),
            ("Some", 0, vec![element], option),
        ] {
            let info = ConstructorInfo {
                tag,
                sole: name == "()",
                arguments: arguments.into(),
                result,
                exception: None,
                inline: None,
            };
            infer.scopes[0].constructors.insert(name.into(), info);
        }
        infer
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub(super) fn local(&mut self) -> VarId {
        self.variables += 1;
        self.variables
    }

    fn global(&mut self) -> GlobalId {
        self.globals += 1;
        self.globals - 1
    }

    /// Looks a name up, through modules when qualified.
    pub(super) fn lookup<T: Clone>(
        &self,
        path: &Path,
        span: Span,
        what: &str,
        get: impl Fn(&Scope) -> Option<&T>,
    ) -> Inferred<T> {
        let unknown = |name: &str, what: &str| {
            Diagnostic::new(span, format!("there is no {what} `{name}`"))
                .advice(advice_for(path, what))
        };
        let modules = match path.modules.split_first() {
            Some((first, rest)) if &**first == "Stdlib" && !rest.is_empty() => rest,
            _ => &path.modules[..],
        };
        let Some((first, rest)) = modules.split_first() else {
            let found = self.scopes.iter().rev().find_map(&get);
            return found.cloned().ok_or_else(|| unknown(&path.name, what));
        };
        if &**first == "Stdlib" && rest.is_empty() {
            return get(&self.scopes[0])
                .cloned()
                .ok_or_else(|| unknown(&path.name, what));
        }
        let mut module = self.module(first).ok_or_else(|| unknown(first, "module"))?;
        for name in rest {
            module = module
                .modules
                .get(name)
                .ok_or_else(|| unknown(name, "module"))?;
        }
        get(module)
            .cloned()
            .ok_or_else(|| unknown(&path.name, what))
    }

    fn module(&self, name: &Name) -> Option<&Rc<Scope>> {
        self.scopes.iter().rev().find_map(|s| s.modules.get(name))
    }

    /// Brings a module's names into scope.
    pub(super) fn open(&mut self, path: &Path, span: Span) -> Inferred<()> {
        let module = self.lookup(path, span, "module", |s| s.modules.get(&path.name))?;
        let scope = (*module).clone();
        self.scopes.push(scope);
        Ok(())
    }

    /// Requires that an expression of type `found` has type `wanted`.
    pub(super) fn require(&mut self, span: Span, found: Ty, wanted: Ty) -> Inferred<()> {
        self.types.unify(found, wanted).map_err(|mismatch| {
            let mut letters = Letters::default();
            let (f, w) = (
                self.types.text(found, &mut letters),
                self.types.text(wanted, &mut letters),
            );
            let why = match mismatch {
                Mismatch::Different => "",
                Mismatch::Cyclic if self.types.row(found).or(self.types.row(wanted)).is_some() => {
                    ": the type would contain itself; name the type of the variants, as in `type t = [ `A of t ]`, and annotate with it"
                }
                Mismatch::Cyclic => ": the type would contain itself",
                Mismatch::Deep => ": the type is nested too deeply",
            };
            Diagnostic::new(
                span,
                format!("this has type `{f}`, where `{w}` is expected{why}"),
            )
        })
    }

    pub(super) fn generalize(&mut self, ty: Ty, expansive: bool, span: Span) -> Inferred<()> {
        self.types
            .generalize(ty, expansive)
            .map_err(|_| Diagnostic::new(span, "the type of this is nested too deeply"))
    }

    pub(super) fn module_items(&mut self, items: &[syntax::Item]) {
        let level = self.types.level;
        for item in items {
            self.named.clear();
            let depth = self.scopes.len();
            self.types.level = level;
            if let Err(error) = self.item(item) {
                if !matches!(item.kind, ItemKind::Open(_)) {
                    self.scopes.truncate(depth);
                }
                self.errors.push(error);
                if let ItemKind::Let(definition) = &item.kind {
                    self.forgive(definition);
                }
            }
        }
        self.types.level = level;
    }

    /// Gives the names of an ill-typed definition any type.
    fn forgive(&mut self, definition: &syntax::Definition) {
        for binding in &definition.bindings {
            let mut names = Vec::new();
            pattern::names(&binding.pattern, &mut names);
            for name in names {
                let (ty, global) = (self.types.generic(), self.global());
                self.scope()
                    .values
                    .insert(name, (Place::Global(global), ty));
            }
        }
    }

    fn item(&mut self, item: &syntax::Item) -> Inferred<()> {
        match &item.kind {
            ItemKind::Let(definition) => self.let_item(definition, item.span),
            ItemKind::Expression(expression) => {
                self.types.level += 1;
                let (core, ty) = self.expression(expression)?;
                self.types.level -= 1;
                let expansive = !self.is_value(expression);
                self.generalize(ty, expansive, item.span)?;
                if let Some(frames) = &mut self.frames {
                    frames.push(module::Frame::Expression(core));
                    return Ok(());
                }
                let global = self.global();
                let shown = vec![self.shown(None, global, ty)];
                self.push(item.span, Work::Expression(core, global), shown);
                Ok(())
            }
            ItemKind::Types(declarations) => self.type_declarations(declarations, item.span),
            ItemKind::Exception(variant) => self.exception(variant),
            ItemKind::SameException(name, path) => {
                let info = self.lookup(path, item.span, "exception", |s| {
                    s.constructors.get(&path.name)
                })?;
                let text = self.variant_text(name, &info.arguments, &mut Letters::default());
                self.signature
                    .push(Entry::Text(format!("exception {text}\n")));
                self.scope().constructors.insert(name.clone(), info);
                Ok(())
            }
            ItemKind::Module(name, module) => self.module_item(name, module),
            ItemKind::ModuleType(name, signature) => {
                let scope = self.signature(signature, None)?;
                self.signature
                    .push(Entry::Signature(name.clone(), scope.entries));
                self.scope()
                    .signatures
                    .insert(name.clone(), Rc::new(signature.clone()));
                Ok(())
            }
            ItemKind::Open(module) => {
                let scope = if let ModuleKind::Path(path) = &module.kind {
                    self.open(path, item.span)?;
                    None
                } else {
                    {
                        let from = self.items.len();
                        let scope = self.structure(module)?;
                        // What is opened only is not shown.
                        self.items[from..].iter_mut().for_each(|i| i.shown.clear());
                        Some(scope)
                    }
                };
                if let Some(scope) = scope {
                    self.scopes.push((*scope).clone());
                }
                self.scopes.push(Scope::default());
                Ok(())
            }
            ItemKind::Include(module) => {
                let scope = self.structure(module)?;
                for entry in &scope.entries {
                    if let Entry::Value(name, _) = entry {
                        self.signature
                            .retain(|e| !matches!(e, Entry::Value(n, _) if n == name));
                    }
                    self.signature.push(entry.clone());
                }
                self.scope().extend((*scope).clone());
                Ok(())
            }
            ItemKind::External(name, annotation, operator) => {
                self.external(name, annotation, operator, item.span)
            }
        }
    }

    fn push(&mut self, span: Span, work: Work, shown: Vec<Shown>) {
        let library = self.library;
        self.items.push(Item {
            span,
            work,
            shown,
            library,
        });
    }

    fn shown(&mut self, name: Option<&Name>, global: GlobalId, ty: Ty) -> Shown {
        self.letters.restart();
        let type_text = self.types.text(ty, &mut self.letters);
        Shown {
            name: name.map(ToString::to_string),
            global,
            ty,
            type_text,
        }
    }

    fn signature_text(&mut self) -> String {
        let mut out = String::new();
        let entries = std::mem::take(&mut self.signature);
        self.write_signature(&entries, &mut Letters::default(), &mut out);
        out
    }

    fn write_signature(&mut self, entries: &[Entry], letters: &mut Letters, out: &mut String) {
        for entry in entries {
            match entry {
                Entry::Text(text) => out.push_str(text),
                Entry::Value(name, ty) => {
                    letters.restart();
                    let ty = self.types.text(*ty, letters);
                    out.push_str(&format!("val {} : {ty}\n", show_name(name)));
                }
                Entry::Module(name, inner) => {
                    out.push_str(&format!("module {name} : sig "));
                    self.types.inside.push(name.clone());
                    self.write_signature(inner, letters, out);
                    self.types.inside.pop();
                    out.push_str(" end\n");
                }
                Entry::Signature(name, inner) => {
                    out.push_str(&format!("module type {name} = sig "));
                    self.write_signature(inner, letters, out);
                    out.push_str(" end\n");
                }
                Entry::Functor(name, parameters, inner) => {
                    out.push_str(&format!("module {name} : "));
                    for (parameter, signature) in parameters {
                        out.push_str(&format!("functor ({parameter} : sig "));
                        self.write_signature(signature, letters, out);
                        out.push_str(" end) -> ");
                    }
                    out.push_str("sig ");
                    self.write_signature(inner, letters, out);
                    out.push_str(" end\n");
                }
            }
        }
    }

    fn let_item(&mut self, definition: &syntax::Definition, span: Span) -> Inferred<()> {
        self.types.level += 1;
        self.scopes.push(Scope::default());
        let inside = self.frames.is_some();
        if definition.recursive {
            let bindings = self.recursive(definition, !inside)?;
            let scope = self.scopes.pop().unwrap_or_default();
            self.types.level -= 1;
            let mut shown = Vec::new();
            for (name, id, _) in &bindings {
                let (place, ty) = scope.values[name];
                self.generalize(ty, false, span)?;
                self.scope().values.insert(name.clone(), (place, ty));
                shown.push(self.exported(name, *id, ty));
            }
            let functions = bindings.into_iter().map(|(_, id, lambda)| (id, lambda));
            let functions: Vec<_> = functions.collect();
            if let Some(frames) = &mut self.frames {
                frames.push(module::Frame::Recursive(functions));
                return Ok(());
            }
            self.push(span, Work::LetRec(functions), shown);
            return Ok(());
        }
        let (bindings, variables) = self.parallel(definition, None)?;
        self.scopes.pop();
        self.types.level -= 1;
        let (mut places, mut shown) = (vec![], vec![]);
        for (name, variable, ty, expansive) in variables {
            self.generalize(ty, expansive, span)?;
            let place = if inside {
                self.exported(&name, 0, ty);
                Place::Local(variable)
            } else {
                let global = self.global();
                places.push((variable, global));
                shown.push(self.exported(&name, global, ty));
                Place::Global(global)
            };
            self.scope().values.insert(name, (place, ty));
        }
        if let Some(frames) = &mut self.frames {
            frames.push(module::Frame::Let(bindings));
            return Ok(());
        }
        self.push(span, Work::Let(bindings, places), shown);
        Ok(())
    }

    fn exported(&mut self, name: &Name, global: GlobalId, ty: Ty) -> Shown {
        let mut shown = self.shown(Some(name), global, ty);
        let mut path = String::new();
        self.modules.iter().for_each(|m| path += &format!("{m}."));
        shown.name = Some(path + name);
        // A later value of the same name hides this one.
        self.signature
            .retain(|e| !matches!(e, Entry::Value(n, _) if n == name));
        self.signature.push(Entry::Value(name.clone(), ty));
        shown
    }
}

/// What to do about a name that is not there.
fn advice_for(path: &Path, what: &str) -> String {
    let module = path.modules.first().map(|m| &**m);
    match module {
        Some("Unix" | "Str" | "Thread" | "Num" | "Big_int" | "Graphics" | "Core" | "Base") => {
            "only parts of OCaml's own library are here, no other libraries".to_owned()
        }
        Some("Int32" | "Int64" | "Nativeint") => "use `int`, which has 63 bits".to_owned(),
        Some("Format") => "use `Printf`".to_owned(),
        Some("Scanf" | "Sys" | "Filename") => {
            "programs read no input: write it as a value".to_owned()
        }
        _ => format!(
            "define this {what} before this line; docs/ocaml.md says which parts of OCaml's library are here"
        ),
    }
}

/// `( + )` for an operator.
fn show_name(name: &str) -> String {
    let word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !name.ends_with(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '\'');
    if word
        && !matches!(
            name,
            "mod" | "land" | "lor" | "lxor" | "lsl" | "lsr" | "asr"
        )
    {
        name.to_owned()
    } else {
        format!("( {name} )")
    }
}
