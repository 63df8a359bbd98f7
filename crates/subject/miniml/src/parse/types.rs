//! Types as written in annotations and declarations.

use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Path, TypeExpr, TypeExprKind};
use crate::token::Token;

impl Parser<'_> {
    /// `a -> b`, to the right.
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        self.nested(|p| {
            let from = p.tuple_type()?;
            if !p.eat(Token::Arrow) {
                return Ok(from);
            }
            let to = p.type_expr()?;
            Ok(TypeExpr {
                span: from.span.to(to.span),
                kind: TypeExprKind::Arrow(Box::new(from), Box::new(to)),
            })
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
            _ => vec![],
        };
        let mut depth = 0;
        while matches!(self.peek(), Token::Lower(_) | Token::Upper(_)) {
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
