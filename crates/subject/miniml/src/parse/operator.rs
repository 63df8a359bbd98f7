//! Operators: how tightly each binds, by its first characters, and names in parentheses.

use super::Parser;
use crate::syntax::{Expr, ExprKind, Label, Name, Path, Span};
use crate::token::Token;

/// Binding powers: left, right; a smaller right one than left associates to the right.
pub(super) const COMMA: u8 = 2;

/// What a minus sign before an expression binds.
pub(super) const PREFIX: u8 = 20;

pub(super) fn powers(token: Token<'_>) -> Option<(u8, u8)> {
    Some(match token {
        Token::Assign | Token::Store => (1, 1),
        Token::Comma => (COMMA, COMMA + 1),
        Token::Operator("||") => (5, 4),
        Token::Lower("or") => (5, 4),
        Token::Operator("&&" | "&") => (7, 6),
        Token::Equal => (8, 9),
        Token::Cons => (13, 12),
        Token::Minus(_) => (14, 15),
        Token::Star | Token::Mod | Token::Bits("land" | "lor" | "lxor") => (16, 17),
        Token::Bits(_) => (19, 18),
        Token::Operator(text) => match text.as_bytes() {
            [b'*', b'*', ..] => (19, 18),
            [b'*' | b'/' | b'%', ..] => (16, 17),
            [b'+' | b'-', ..] => (14, 15),
            [b'@' | b'^', ..] => (11, 10),
            _ => (8, 9),
        },
        _ => return None,
    })
}

pub(super) fn bare(name: &str) -> Path {
    Path {
        modules: vec![],
        name: name.into(),
    }
}

pub(super) fn variable(name: &str, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Variable(bare(name)),
        span,
    }
}

/// `f a b`, all by their places.
pub(super) fn call(function: Expr, arguments: Vec<Expr>, span: Span) -> Expr {
    let arguments = arguments.into_iter().map(|a| (Label::None, a)).collect();
    Expr {
        kind: ExprKind::Apply(Box::new(function), arguments),
        span,
    }
}

/// `f @@ x`; where `f` is an application itself, the compiler makes one of both.
pub(super) fn applied(function: Expr, argument: Expr, span: Span) -> Expr {
    match function.kind {
        ExprKind::Apply(inner, mut arguments) => {
            arguments.push((Label::None, argument));
            Expr {
                kind: ExprKind::Apply(inner, arguments),
                span,
            }
        }
        kind => {
            let span_of = function.span;
            let function = Expr {
                kind,
                span: span_of,
            };
            call(function, vec![argument], span)
        }
    }
}

/// The name of a token that is an operator.
pub(super) fn name_of(token: Token<'_>) -> Option<&str> {
    Some(match token {
        Token::Operator(name)
        | Token::Minus(name)
        | Token::Prefix(name)
        | Token::Bits(name)
        | Token::Binding(name) => name,
        Token::Star => "*",
        Token::Equal => "=",
        Token::Mod => "mod",
        Token::Assign => ":=",
        _ => return None,
    })
}

impl Parser<'_> {
    /// The name in `( + )`, or nothing.
    pub(super) fn operator_name(&mut self) -> Option<Name> {
        if self.peek_after(1) != Token::Close {
            return None;
        }
        let name: Name = name_of(self.peek())?.into();
        self.advance();
        self.advance();
        Some(name)
    }

    /// Whether an operator stands between the parenthesis here and the next.
    pub(super) fn names_operator(&self) -> bool {
        self.peek_after(2) == Token::Close && name_of(self.peek_after(1)).is_some()
    }
}
