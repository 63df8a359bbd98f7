//! Modules: structures, functors (typed again at each application), signatures that hide.
//!
//! A functor's body is typed once with what its parameter's signature promises, for errors, and once for each application, with the
//! argument itself. So its results are known functions where the native compiler calls unknown ones: a limit of extended mode.

use std::rc::Rc;

use super::{Entry, Infer, Inferred, Scope};
use crate::core::{self, Lambda, VarId};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expr, ModuleExpr, ModuleKind, Name, SignatureExpr, Span, Variant};
use crate::types::Ty;

/// A functor and what is in scope at its definition.
#[derive(Clone, Debug)]
pub(super) struct Functor {
    parameter: Name,
    signature: Option<Rc<SignatureExpr>>,
    body: Rc<ModuleExpr>,
    scopes: Vec<Scope>,
    /// Whether it is the library's: what it defines is no item of the program.
    library: bool,
}

/// A definition of a module inside an expression.
#[derive(Debug)]
pub(super) enum Frame {
    Let(Vec<core::Binding>),
    Recursive(Vec<(VarId, Lambda)>),
    Expression(core::Expr),
}

/// What a module expression is.
enum Module {
    Structure(Rc<Scope>),
    Functor(Rc<Functor>),
}

impl Infer {
    /// `module M = …` at top level.
    pub(super) fn module_item(&mut self, name: &Name, module: &ModuleExpr) -> Inferred<()> {
        self.modules.push(name.clone());
        let found = self.module_expr(module);
        self.modules.pop();
        match found? {
            Module::Structure(scope) => {
                self.signature
                    .push(Entry::Module(name.clone(), scope.entries.clone()));
                self.scope().modules.insert(name.clone(), scope);
            }
            Module::Functor(functor) => {
                let entry = self.functor_entry(name, &functor)?;
                self.signature.push(entry);
                self.scope().functors.insert(name.clone(), functor);
            }
        }
        Ok(())
    }

    /// A module that is no functor.
    pub(super) fn structure(&mut self, module: &ModuleExpr) -> Inferred<Rc<Scope>> {
        match self.module_expr(module)? {
            Module::Structure(scope) => Ok(scope),
            Module::Functor(_) => Err(Diagnostic::new(
                module.span,
                "this is a functor, where a module is expected",
            )
            .advice("apply it to a module")),
        }
    }

    fn module_expr(&mut self, module: &ModuleExpr) -> Inferred<Module> {
        match &module.kind {
            ModuleKind::Struct(items) => {
                let outer = std::mem::take(&mut self.signature);
                self.scopes.push(Scope::default());
                let depth = self.scopes.len();
                self.module_items(items);
                // Opened modules are no part of this one, what stands after them is.
                let mut scope = Scope::default();
                let mut own = true;
                for inner in self.scopes.drain(depth - 1..) {
                    if own {
                        scope.extend(inner);
                    }
                    own = !own;
                }
                scope.entries = std::mem::replace(&mut self.signature, outer);
                Ok(Module::Structure(Rc::new(scope)))
            }
            ModuleKind::Path(path) => {
                let functor =
                    self.lookup(path, module.span, "functor", |s| s.functors.get(&path.name));
                if let Ok(functor) = functor {
                    return Ok(Module::Functor(functor));
                }
                let scope =
                    self.lookup(path, module.span, "module", |s| s.modules.get(&path.name))?;
                Ok(Module::Structure(scope))
            }
            ModuleKind::Functor(parameter, signature, body) => {
                let functor = Functor {
                    parameter: parameter.clone(),
                    signature: signature.clone(),
                    body: body.clone(),
                    scopes: self.scopes.clone(),
                    library: self.library,
                };
                Ok(Module::Functor(Rc::new(functor)))
            }
            ModuleKind::Apply(functor, argument) => {
                let Module::Functor(functor) = self.module_expr(functor)? else {
                    return Err(Diagnostic::new(
                        functor.span,
                        "this is applied to a module, but is no functor",
                    ));
                };
                let argument = self.structure(argument)?;
                self.applied_functor(&functor, &argument, module.span)
            }
            ModuleKind::Constraint(inner, signature) => {
                let inner = self.structure(inner)?;
                let scope = self.signature(signature, Some(&inner))?;
                Ok(Module::Structure(Rc::new(scope)))
            }
        }
    }

    fn applied_functor(
        &mut self,
        functor: &Functor,
        argument: &Rc<Scope>,
        span: Span,
    ) -> Inferred<Module> {
        if self.scopes.len() > 1000 {
            return Err(Diagnostic::new(span, "functors are applied too deeply"));
        }
        if let Some(signature) = &functor.signature {
            let outer = std::mem::replace(&mut self.scopes, functor.scopes.clone());
            let checked = self.signature(signature, Some(argument));
            self.scopes = outer;
            checked?;
        }
        let mut scope = Scope::default();
        scope
            .modules
            .insert(functor.parameter.clone(), argument.clone());
        self.with_scopes(functor, scope, |i| i.module_expr(&functor.body))
    }

    /// Does something in a functor's scopes and that of its parameter.
    fn with_scopes<T>(
        &mut self,
        functor: &Functor,
        scope: Scope,
        act: impl FnOnce(&mut Self) -> Inferred<T>,
    ) -> Inferred<T> {
        let mut scopes = functor.scopes.clone();
        scopes.push(scope);
        let outer = std::mem::replace(&mut self.scopes, scopes);
        let library = std::mem::replace(&mut self.library, functor.library);
        let result = act(self);
        self.library = library;
        self.scopes = outer;
        result
    }

    /// Types a functor's body with what its signature promises; what it would run is forgotten.
    fn functor_entry(&mut self, name: &Name, functor: &Functor) -> Inferred<Entry> {
        let (items, exceptions) = (self.items.len(), self.exceptions.len());
        let outer = std::mem::replace(&mut self.scopes, functor.scopes.clone());
        let mut functor = functor.clone();
        let mut parameters = Vec::new();
        let result = loop {
            let argument = match &functor.signature {
                Some(signature) => self.signature(signature, None),
                None => Ok(Scope::default()),
            };
            let argument = match argument {
                Ok(argument) => argument,
                Err(error) => break Err(error),
            };
            parameters.push((functor.parameter.clone(), argument.entries.clone()));
            let mut scope = Scope::default();
            scope
                .modules
                .insert(functor.parameter.clone(), Rc::new(argument));
            self.scopes.push(scope);
            let body = functor.body.clone();
            match self.module_expr(&body) {
                Ok(Module::Structure(scope)) => break Ok(scope),
                Ok(Module::Functor(inner)) => functor = (*inner).clone(),
                Err(error) => break Err(error),
            }
        };
        self.scopes = outer;
        self.items.truncate(items);
        self.exceptions.truncate(exceptions);
        let scope = result?;
        Ok(Entry::Functor(
            name.clone(),
            parameters,
            scope.entries.clone(),
        ))
    }

    /// `let module M = … in body`: its definitions become local ones.
    pub(super) fn local_module(
        &mut self,
        name: &Name,
        module: &ModuleExpr,
        body: &Expr,
        hint: Option<Ty>,
    ) -> Inferred<(core::Expr, Ty)> {
        let outer = self.frames.replace(vec![]);
        let signature = std::mem::take(&mut self.signature);
        let scope = self.structure(module);
        self.signature = signature;
        let frames = std::mem::replace(&mut self.frames, outer).unwrap_or_default();
        let mut around = Scope::default();
        around.modules.insert(name.clone(), scope?);
        self.scopes.push(around);
        self.hint = hint;
        let typed = self.expression(body);
        self.scopes.pop();
        let (body, ty) = typed?;
        let body = frames
            .into_iter()
            .rev()
            .fold(body, |body, frame| match frame {
                Frame::Let(bindings) => core::Expr::Let(bindings, Box::new(body)),
                Frame::Recursive(functions) => core::Expr::LetRec(functions, Box::new(body)),
                Frame::Expression(first) => core::Expr::Sequence(vec![first, body]),
            });
        Ok((body, ty))
    }

    /// `let exception E in body`.
    pub(super) fn local_exception(
        &mut self,
        variant: &Variant,
        body: &Expr,
        hint: Option<Ty>,
    ) -> Inferred<(core::Expr, Ty)> {
        let signature = std::mem::take(&mut self.signature);
        self.scopes.push(Scope::default());
        let declared = self.exception(variant);
        self.signature = signature;
        self.hint = hint;
        let typed = declared.and_then(|()| self.expression(body));
        self.scopes.pop();
        typed
    }
}
