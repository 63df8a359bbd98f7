//! Types as written in annotations and declarations.

use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Bound, Label, Name, Path, TypeExpr, TypeExprKind};
use crate::token::Token;

impl Parser<'_> {
    /// `a -> b`, to the right; `t as 'a`; `'a. t`.
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        if let Some(names) = self.quantified() {
            let inner = self.type_expr()?;
            return Ok(TypeExpr {
                span: start.to(inner.span),
                kind: TypeExprKind::Poly(names, Box::new(inner)),
            });
        }
        let mut ty = self.arrow_type()?;
        while self.eat(Token::As) {
            let Token::TypeVariable(name) = self.peek() else {
                return Err(self.unexpected("a type variable after `as`"));
            };
            self.advance();
            ty = TypeExpr {
                span: start.to(self.last()),
                kind: TypeExprKind::Alias(Box::new(ty), name.into()),
            };
        }
        Ok(ty)
    }

    /// `'a 'b.` or `type a b.`
    fn quantified(&mut self) -> Option<Vec<Name>> {
        let skip = usize::from(self.peek() == Token::Type);
        let mut n = skip;
        let mut names: Vec<Name> = vec![];
        loop {
            match self.peek_after(n) {
                Token::TypeVariable(name) if skip == 0 => names.push(name.into()),
                Token::Lower(name) if skip == 1 => names.push(name.into()),
                Token::Dot if !names.is_empty() => break,
                _ => return None,
            }
            n += 1;
        }
        (0..=n).for_each(|_| {
            self.advance();
        });
        Some(names)
    }

    fn arrow_type(&mut self) -> Parsed<TypeExpr> {
        self.nested(|p| {
            let start = p.span();
            let label = match p.peek() {
                Token::OptionalOf(name) => {
                    p.advance();
                    Label::Optional(name.into())
                }
                Token::Lower(name) if p.peek_after(1) == Token::Colon => {
                    p.advance();
                    p.advance();
                    Label::Named(name.into())
                }
                _ => Label::None,
            };
            let from = p.tuple_type()?;
            if !p.eat(Token::Arrow) {
                if label != Label::None {
                    return Err(p.unexpected("`->` after a parameter with a label"));
                }
                return Ok(from);
            }
            let to = p.arrow_type()?;
            Ok(TypeExpr {
                span: start.to(to.span),
                kind: TypeExprKind::Arrow(label, Box::new(from), Box::new(to)),
            })
        })
    }

    /// `` [ `A | `B of t | u ] ``.
    fn tags_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let bound = match self.advance().0 {
            Token::Foreign("[>") => Bound::Least,
            Token::Foreign("[<") => Bound::Most,
            _ => Bound::Exact,
        };
        let (mut tags, mut others) = (vec![], vec![]);
        self.eat(Token::Bar);
        while self.peek() != Token::CloseBracket {
            if self.peek() == Token::Operator(">") {
                return Err(Diagnostic::new(
                    self.span(),
                    "a lower and an upper bound of tags is OCaml, but not in this language",
                )
                .advice("write one of them"));
            }
            if self.peek() == Token::Backquote {
                let name = self.tag()?;
                let argument = if self.eat(Token::Of) {
                    Some(self.tuple_type()?)
                } else {
                    None
                };
                tags.push((name, argument));
            } else {
                others.push(self.applied_type()?);
            }
            if !self.eat(Token::Bar) {
                break;
            }
        }
        self.expect(Token::CloseBracket, "`]`", "after the tags")?;
        Ok(TypeExpr {
            kind: TypeExprKind::Tags(bound, tags, others),
            span: start.to(self.last()),
        })
    }

    /// `a * b`.
    pub(super) fn tuple_type(&mut self) -> Parsed<TypeExpr> {
        let first = self.applied_type()?;
        if self.peek() != Token::Star {
            return Ok(first);
        }
        let span = first.span;
        let mut parts = vec![first];
        while self.eat(Token::Star) {
            parts.push(self.applied_type()?);
        }
        Ok(TypeExpr {
            kind: TypeExprKind::Tuple(parts),
            span: span.to(self.last()),
        })
    }

    /// `(a, b) t u`.
    pub(super) fn applied_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let mut arguments = match self.peek() {
            Token::TypeVariable(name) => {
                self.advance();
                vec![TypeExpr {
                    kind: TypeExprKind::Variable(name.into()),
                    span: start,
                }]
            }
            Token::Lower("_") => {
                self.advance();
                vec![TypeExpr {
                    kind: TypeExprKind::Any,
                    span: start,
                }]
            }
            Token::Open_ => {
                self.advance();
                let mut parts = vec![self.type_expr()?];
                while self.eat(Token::Comma) {
                    parts.push(self.type_expr()?);
                }
                self.expect(Token::Close, "`)`", "after the type")?;
                parts
            }
            Token::OpenBracket | Token::Foreign("[<" | "[>") => vec![self.tags_type()?],
            _ => vec![],
        };
        let mut depth = 0;
        while matches!(self.peek(), Token::Lower(_) | Token::Upper(_))
            && self.peek_after(1) != Token::Colon
        {
            depth += 1;
            if depth > super::DEPTH {
                return Err(self.unexpected("a type of less depth"));
            }
            let modules = self.qualifier();
            let name = self.lower("the name of a type")?;
            let argument = TypeExpr {
                kind: TypeExprKind::Constructor(Path { modules, name }, arguments),
                span: start.to(self.last()),
            };
            arguments = vec![argument];
        }
        match (arguments.len(), arguments.pop()) {
            (1, Some(argument)) => Ok(argument),
            (0, _) => Err(self.unexpected("a type")),
            _ => Err(Diagnostic::new(
                start.to(self.last()),
                "several types in parentheses need the name of a type after them",
            )
            .advice("a tuple's type is written `a * b`")),
        }
    }
}
