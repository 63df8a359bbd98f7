//! Modules, functors and signatures as written.

use std::rc::Rc;

use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::{
    ItemKind, ModuleExpr, ModuleKind, Name, PatternKind, SignatureExpr, SignatureItem,
    SignatureKind,
};
use crate::token::Token;

impl Parser<'_> {
    /// `open!`, `include!`: the sign says that hiding names is meant.
    pub(super) fn eat_override(&mut self) {
        self.eat(Token::Prefix("!"));
    }

    /// `module …` at top level.
    pub(super) fn module(&mut self) -> Parsed<ItemKind> {
        self.advance();
        if self.peek() == Token::Rec {
            return Err(Diagnostic::new(
                self.span(),
                "recursive modules are OCaml, but not in this language",
            )
            .advice("define types and functions that need each other in one module"));
        }
        if self.eat(Token::Type) {
            let name = self.upper("the name of a signature")?;
            self.expect(Token::Equal, "`=`", "and the signature")?;
            return Ok(ItemKind::ModuleType(name, self.signature()?));
        }
        let (name, module) = self.module_binding()?;
        Ok(ItemKind::Module(name, module))
    }

    /// `M (X : S) : T = m`, after `module`.
    pub(super) fn module_binding(&mut self) -> Parsed<(Name, ModuleExpr)> {
        let name = if self.peek() == Token::Lower("_") {
            self.advance();
            "_".into()
        } else {
            self.upper("the name of a module")?
        };
        let parameters = self.functor_parameters()?;
        let constraint = if self.eat(Token::Colon) {
            Some(self.signature()?)
        } else {
            None
        };
        self.expect(Token::Equal, "`=`", "and the module")?;
        let mut module = self.module_expr()?;
        if let Some(signature) = constraint {
            module = ModuleExpr {
                span: module.span,
                kind: ModuleKind::Constraint(Box::new(module), Rc::new(signature)),
            };
        }
        Ok((name, functor(parameters, module)))
    }

    fn functor_parameters(&mut self) -> Parsed<Vec<(Name, Option<Rc<SignatureExpr>>)>> {
        let mut parameters = Vec::new();
        while self.eat(Token::Open_) {
            if self.eat(Token::Close) {
                parameters.push(("()".into(), None));
                continue;
            }
            let name = if self.peek() == Token::Lower("_") {
                self.advance();
                "_".into()
            } else {
                self.upper("the functor's parameter")?
            };
            self.expect(Token::Colon, "`:`", "and the parameter's signature")?;
            let signature = self.signature()?;
            self.expect(Token::Close, "`)`", "after the parameter")?;
            parameters.push((name, Some(Rc::new(signature))));
        }
        Ok(parameters)
    }

    /// `struct … end`, a path, a functor, an application.
    pub(super) fn module_expr(&mut self) -> Parsed<ModuleExpr> {
        self.nested(|p| {
            let start = p.span();
            let kind = match p.peek() {
                Token::Struct => {
                    p.advance();
                    let items = p.items(true);
                    p.expect(Token::End, "`end`", "after the module's definitions")?;
                    ModuleKind::Struct(items)
                }
                Token::Functor => {
                    p.advance();
                    let parameters = p.functor_parameters()?;
                    p.expect(Token::Arrow, "`->`", "and the functor's body")?;
                    let body = p.module_expr()?;
                    return Ok(functor(parameters, body));
                }
                Token::Open_ => {
                    p.advance();
                    if p.peek() == Token::Val {
                        return Err(Diagnostic::new(
                            p.span(),
                            "modules as values are OCaml, but not in this language",
                        )
                        .advice("pass a record of functions"));
                    }
                    let inner = p.module_expr()?;
                    let inner = if p.eat(Token::Colon) {
                        let signature = Rc::new(p.signature()?);
                        ModuleExpr {
                            span: start.to(p.last()),
                            kind: ModuleKind::Constraint(Box::new(inner), signature),
                        }
                    } else {
                        inner
                    };
                    p.expect(Token::Close, "`)`", "after the module")?;
                    inner.kind
                }
                _ => ModuleKind::Path(p.module_path()?),
            };
            let mut module = ModuleExpr {
                kind,
                span: start.to(p.last()),
            };
            while p.peek() == Token::Open_ {
                p.advance();
                let argument = if p.peek() == Token::Close {
                    ModuleExpr {
                        kind: ModuleKind::Struct(vec![]),
                        span: p.span(),
                    }
                } else {
                    p.module_expr()?
                };
                p.expect(Token::Close, "`)`", "after the functor's argument")?;
                module = ModuleExpr {
                    span: start.to(p.last()),
                    kind: ModuleKind::Apply(Box::new(module), Box::new(argument)),
                };
            }
            Ok(module)
        })
    }

    /// `sig … end`, a path, `S with type t = u`.
    pub(super) fn signature(&mut self) -> Parsed<SignatureExpr> {
        self.nested(|p| {
            let start = p.span();
            let kind = match p.peek() {
                Token::Sig => {
                    p.advance();
                    let items = p.signature_items()?;
                    p.expect(Token::End, "`end`", "after the signature")?;
                    SignatureKind::Sig(items)
                }
                Token::Functor => {
                    p.advance();
                    p.functor_parameters()?;
                    p.expect(Token::Arrow, "`->`", "and the signature of the result")?;
                    p.signature()?;
                    SignatureKind::Functor
                }
                Token::Open_ => {
                    p.advance();
                    let inner = p.signature()?;
                    p.expect(Token::Close, "`)`", "after the signature")?;
                    inner.kind
                }
                Token::Module => {
                    return Err(Diagnostic::new(
                        start,
                        "`module type of` is OCaml, but not in this language",
                    )
                    .advice("write the signature"));
                }
                _ => SignatureKind::Path(p.module_path()?),
            };
            let mut signature = SignatureExpr {
                kind,
                span: start.to(p.last()),
            };
            if p.eat(Token::With) {
                let mut constraints = Vec::new();
                loop {
                    if p.peek() == Token::Module {
                        return Err(Diagnostic::new(
                            p.span(),
                            "`with module` is OCaml, but not in this language",
                        )
                        .advice("constrain each type: `with type M.t = …`"));
                    }
                    p.expect(Token::Type, "`type`", "after `with`")?;
                    let parameters = p.type_parameters()?;
                    let modules = p.qualifier();
                    let name = p.lower("the name of a type")?;
                    if !p.eat(Token::Assign) {
                        p.expect(Token::Equal, "`=`", "and the type")?;
                    }
                    let ty = p.type_expr()?;
                    constraints.push((parameters, crate::syntax::Path { modules, name }, ty));
                    if !p.eat(Token::And) {
                        break;
                    }
                }
                signature = SignatureExpr {
                    span: start.to(p.last()),
                    kind: SignatureKind::With(Box::new(signature), constraints),
                };
            }
            Ok(signature)
        })
    }

    fn signature_items(&mut self) -> Parsed<Vec<SignatureItem>> {
        let mut items = Vec::new();
        loop {
            while self.eat(Token::DoubleSemicolon) {}
            items.push(match self.peek() {
                Token::Val => {
                    self.advance();
                    let PatternKind::Variable(name) = self.simple_pattern()?.kind else {
                        return Err(self.unexpected("the name of a value"));
                    };
                    self.expect(Token::Colon, "`:`", "and the value's type")?;
                    SignatureItem::Value(name, self.type_expr()?)
                }
                Token::Type => SignatureItem::Types(self.type_declarations()?),
                Token::Exception => {
                    self.advance();
                    SignatureItem::Exception(self.variant()?)
                }
                Token::Module => {
                    self.advance();
                    if self.eat(Token::Type) {
                        let name = self.upper("the name of a signature")?;
                        self.expect(Token::Equal, "`=`", "and the signature")?;
                        SignatureItem::ModuleType(name, self.signature()?)
                    } else {
                        let name = self.upper("the name of a module")?;
                        if self.peek() == Token::Open_ {
                            return Err(Diagnostic::new(
                                self.span(),
                                "functors in signatures are OCaml, but not in this language",
                            )
                            .advice("leave the functor out of the signature"));
                        }
                        self.expect(Token::Colon, "`:`", "and the module's signature")?;
                        SignatureItem::Module(name, self.signature()?)
                    }
                }
                Token::Include => {
                    self.advance();
                    SignatureItem::Include(self.signature()?)
                }
                Token::Open => {
                    self.advance();
                    SignatureItem::Open(self.module_path()?)
                }
                Token::End => return Ok(items),
                _ => return Err(self.unexpected("an item of a signature, or `end`")),
            });
        }
    }
}

fn functor(parameters: Vec<(Name, Option<Rc<SignatureExpr>>)>, body: ModuleExpr) -> ModuleExpr {
    parameters
        .into_iter()
        .rev()
        .fold(body, |body, (name, signature)| ModuleExpr {
            span: body.span,
            kind: ModuleKind::Functor(name, signature, Rc::new(body)),
        })
}
