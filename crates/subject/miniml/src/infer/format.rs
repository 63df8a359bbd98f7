//! Formats of `Printf`: a literal where one is expected is read here, and becomes a function of what its text is given to.
//!
//! `"%d of %s"` is `fun k a b -> k (text of a, " of ", text of b)`. Not taken: `%a`, `%t`, `*`, boxed integers, and `@` of `Format`.

use super::{Infer, Inferred};
use crate::core::{self, Lambda, Operator};
use crate::diagnostic::Diagnostic;
use crate::syntax::Span;
use crate::types::{self, Ty};

/// A piece of a format.
enum Piece {
    Text(Vec<u8>),
    /// A conversion, as C writes it.
    Conversion(Vec<u8>),
}

impl Infer {
    /// Whether a type is that of formats.
    pub(super) fn is_format(&mut self, ty: Ty) -> bool {
        let ty = self.types.expand(ty);
        matches!(
            self.types.node(ty),
            types::Node::Constructor(types::FORMAT, _)
        )
    }

    /// A literal as a format: its core and its type.
    pub(super) fn format(&mut self, text: &[u8], span: Span) -> Inferred<(core::Expr, Ty)> {
        let pieces = pieces(text, span)?;
        let [b, c, d, result] = std::array::from_fn(|_| self.types.variable());
        let string = self.types.basic(types::STRING);
        let receiver = self.local();
        let (mut parameters, mut parts, mut arguments) = (vec![], vec![], vec![]);
        for piece in pieces {
            match piece {
                Piece::Text(text) => parts.push(core::Expr::String(text)),
                Piece::Conversion(spec) => {
                    let id = match spec.last() {
                        Some(b's' | b'S') => types::STRING,
                        Some(b'c' | b'C') => types::CHAR,
                        Some(b'b' | b'B') => types::BOOL,
                        Some(b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'h' | b'H') => types::FLOAT,
                        _ => types::INT,
                    };
                    let ty = self.types.basic(id);
                    let variable = self.local();
                    arguments.push(ty);
                    parameters.push((core::Pattern::Variable(variable), span));
                    let value = core::Expr::Local(variable);
                    parts.push(if spec == b"%s" {
                        value
                    } else {
                        let spec = core::Expr::String(spec);
                        core::Expr::Operate(Operator::Format, vec![spec, value], ty)
                    });
                }
            }
        }
        let text = parts.into_iter().rev().reduce(|rest, part| {
            core::Expr::Operate(Operator::StringConcat, vec![part, rest], string)
        });
        let text = text.unwrap_or(core::Expr::String(vec![]));
        let body = core::Expr::Apply(Box::new(core::Expr::Local(receiver)), vec![text]);
        let receive = self.types.arrow(string, result);
        let mut ty = result;
        for argument in arguments.into_iter().rev() {
            ty = self.types.arrow(argument, ty);
        }
        let taken = ty;
        let inner = if parameters.is_empty() {
            body
        } else {
            core::Expr::Lambda(Box::new(Lambda {
                parameters,
                body,
                ty,
            }))
        };
        let lambda = core::Expr::Lambda(Box::new(Lambda {
            parameters: vec![(core::Pattern::Variable(receiver), span)],
            body: inner,
            ty: self.types.arrow(receive, ty),
        }));
        let format = vec![taken, b, c, d, d, result];
        Ok((lambda, self.types.constructor(types::FORMAT, format)))
    }
}

fn pieces(text: &[u8], span: Span) -> Inferred<Vec<Piece>> {
    let refuse = |what: &str| {
        Diagnostic::new(
            span,
            format!("`{what}` in a format is OCaml, but not in this language"),
        )
        .advice("build that part with `^` and give it to `%s`")
    };
    let (mut pieces, mut plain, mut at) = (vec![], vec![], 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'%' {
            plain.push(byte);
            continue;
        }
        let start = at - 1;
        while matches!(
            text.get(at),
            Some(b'-' | b'0'..=b'9' | b'+' | b' ' | b'#' | b'.')
        ) {
            at += 1;
        }
        let Some(&kind) = text.get(at) else {
            return Err(Diagnostic::new(span, "this format ends in a lone `%`"));
        };
        at += 1;
        match kind {
            b'%' | b'@' => plain.push(kind),
            b'!' | b',' => {}
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b's' | b'S' | b'c' | b'C' | b'b' | b'B'
            | b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'h' | b'H' => {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Conversion(text[start..at].to_vec()));
            }
            b'a' | b't' | b'*' | b'l' | b'n' | b'L' | b'r' | b'(' | b'{' | b'_' => {
                return Err(refuse(&format!("%{}", char::from(kind))));
            }
            other => {
                return Err(Diagnostic::new(
                    span,
                    format!("`%{}` is no conversion", char::from(other).escape_default()),
                ));
            }
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}
