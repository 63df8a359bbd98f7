//! Patterns.

use super::literal;
use super::operator::bare;
use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Path, Pattern, PatternKind};
use crate::token::Token;

impl Parser<'_> {
    /// `p as x`, `p | q`, `p, q`, `p :: q`: loosest first.
    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        self.nested(|p| {
            let mut left = p.or_pattern()?;
            while p.eat(Token::As) {
                let name = p.lower("a name after `as`")?;
                left = Pattern {
                    span: left.span.to(p.last()),
                    kind: PatternKind::Alias(Box::new(left), name),
                };
                if p.eat(Token::Cons) {
                    let tail = p.nested(Self::cons_pattern)?;
                    left = consed(left, tail);
                }
            }
            Ok(left)
        })
    }

    fn or_pattern(&mut self) -> Parsed<Pattern> {
        let mut left = self.tuple_pattern()?;
        let mut alternatives = 0;
        while self.eat(Token::Bar) {
            alternatives += 1;
            if alternatives > super::DEPTH {
                return Err(Diagnostic::new(
                    self.span(),
                    format!("more than {} alternatives", super::DEPTH),
                ));
            }
            let right = self.tuple_pattern()?;
            left = Pattern {
                span: left.span.to(right.span),
                kind: PatternKind::Or(Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    fn tuple_pattern(&mut self) -> Parsed<Pattern> {
        let first = self.cons_pattern()?;
        if self.peek() != Token::Comma {
            return Ok(first);
        }
        let span = first.span;
        let mut parts = vec![first];
        while self.eat(Token::Comma) {
            parts.push(self.cons_pattern()?);
        }
        Ok(Pattern {
            span: span.to(self.last()),
            kind: PatternKind::Tuple(parts),
        })
    }

    fn cons_pattern(&mut self) -> Parsed<Pattern> {
        let head = self.applied_pattern()?;
        if !self.eat(Token::Cons) {
            return Ok(head);
        }
        let tail = self.nested(Self::cons_pattern)?;
        Ok(consed(head, tail))
    }

    fn applied_pattern(&mut self) -> Parsed<Pattern> {
        let start = self.span();
        match self.peek() {
            Token::Backquote => {
                let name = self.tag()?;
                let argument = if self.begins_simple_pattern() {
                    Some(Box::new(self.nested(Self::simple_pattern)?))
                } else {
                    None
                };
                return Ok(Pattern {
                    kind: PatternKind::Tag(name, argument),
                    span: start.to(self.last()),
                });
            }
            Token::Lazy | Token::Exception => {
                let lazy = self.advance().0 == Token::Lazy;
                let inner = Box::new(if lazy {
                    self.simple_pattern()?
                } else {
                    self.nested(Self::pattern)?
                });
                return Ok(Pattern {
                    kind: if lazy {
                        PatternKind::Lazy(inner)
                    } else {
                        PatternKind::Exception(inner)
                    },
                    span: start.to(self.last()),
                });
            }
            Token::Upper(_) => {}
            _ => return self.simple_pattern(),
        }
        let modules = self.qualifier();
        if !modules.is_empty() && !matches!(self.peek(), Token::Upper(_)) {
            return self.opened_pattern(modules, start);
        }
        let name = self.upper("a constructor")?;
        let argument = if self.begins_simple_pattern() {
            Some(Box::new(self.nested(Self::simple_pattern)?))
        } else {
            None
        };
        Ok(Pattern {
            kind: PatternKind::Constructor(Path { modules, name }, argument),
            span: start.to(self.last()),
        })
    }

    pub(super) fn begins_simple_pattern(&self) -> bool {
        self.peek().opens_simple() || matches!(self.peek(), Token::Minus(_))
    }

    /// A pattern that needs no parentheses as an argument.
    pub(super) fn simple_pattern(&mut self) -> Parsed<Pattern> {
        let (token, start) = (self.peek(), self.span());
        let kind = match token {
            Token::Lower("_") => PatternKind::Any,
            Token::Lower("true" | "false") | Token::Upper(_) => {
                let modules = self.qualifier();
                if !modules.is_empty() && !matches!(self.peek(), Token::Upper(_)) {
                    return self.opened_pattern(modules, start);
                }
                let name = match self.advance().0 {
                    Token::Lower(name) | Token::Upper(name) => name.into(),
                    _ => return Err(self.unexpected("a constructor")),
                };
                return Ok(Pattern {
                    kind: PatternKind::Constructor(Path { modules, name }, None),
                    span: start.to(self.last()),
                });
            }
            Token::Lower(name) => PatternKind::Variable(name.into()),
            Token::Int(text) => PatternKind::Int(literal::int(text, false, start)?),
            Token::Float(text) => PatternKind::Float(literal::float(text, start)?),
            Token::String(text) => PatternKind::String(literal::string(text, start)?),
            Token::Quoted(text) => PatternKind::String(pricetag_file::raw::bytes(text)),
            Token::Backquote => {
                let name = self.tag()?;
                return Ok(Pattern {
                    kind: PatternKind::Tag(name, None),
                    span: start.to(self.last()),
                });
            }
            Token::OpenArray => {
                self.advance();
                let parts = self.separated(Token::CloseArray, Self::pattern)?;
                self.expect(Token::CloseArray, "`|]`", "after the array")?;
                return Ok(Pattern {
                    kind: PatternKind::Array(parts),
                    span: start.to(self.last()),
                });
            }
            Token::Char(text) => {
                let low = literal::char(text, start)?;
                if self.peek_after(1) == Token::Range {
                    self.advance();
                    self.advance();
                    let Token::Char(high) = self.peek() else {
                        return Err(self.unexpected("a character after `..`"));
                    };
                    PatternKind::CharRange(low, literal::char(high, self.span())?)
                } else {
                    PatternKind::Char(low)
                }
            }
            Token::Minus(_) => {
                self.advance();
                match self.peek() {
                    Token::Int(text) => PatternKind::Int(literal::int(text, true, self.span())?),
                    Token::Float(text) => PatternKind::Float(-literal::float(text, self.span())?),
                    _ => return Err(self.unexpected("a number after `-`")),
                }
            }
            Token::Open_ => return self.parenthesised_pattern(),
            Token::OpenBracket => {
                self.advance();
                let parts = self.separated(Token::CloseBracket, Self::pattern)?;
                self.expect(Token::CloseBracket, "`]`", "after the list")?;
                return Ok(Pattern {
                    kind: PatternKind::List(parts),
                    span: start.to(self.last()),
                });
            }
            Token::OpenBrace => return self.record_pattern(),
            _ => return Err(self.unexpected("a pattern")),
        };
        self.advance();
        Ok(Pattern {
            kind,
            span: start.to(self.last()),
        })
    }

    /// `M.(p)`, `M.[p]`, `M.{…}`: the path is read.
    fn opened_pattern(
        &mut self,
        mut modules: Vec<crate::syntax::Name>,
        start: crate::syntax::Span,
    ) -> Parsed<Pattern> {
        let name = modules.pop().unwrap_or_else(|| "".into());
        let inner = Box::new(self.nested(Self::simple_pattern)?);
        Ok(Pattern {
            kind: PatternKind::Open(Path { modules, name }, inner),
            span: start.to(self.last()),
        })
    }

    fn parenthesised_pattern(&mut self) -> Parsed<Pattern> {
        let start = self.advance().1;
        if self.eat(Token::Close) {
            return Ok(Pattern {
                kind: PatternKind::Constructor(bare("()"), None),
                span: start.to(self.last()),
            });
        }
        if let Some(name) = self.operator_name() {
            if matches!(&*name, "&&" | "||" | "|>" | "@@") && !self.library {
                self.own.push(name.clone());
            }
            return Ok(Pattern {
                kind: PatternKind::Variable(name),
                span: start.to(self.last()),
            });
        }
        let mut inner = self.pattern()?;
        if self.eat(Token::Colon) {
            let annotation = self.type_expr()?;
            inner.kind = PatternKind::Annotate(Box::new(inner.clone()), annotation);
        }
        self.expect(Token::Close, "`)`", "after the pattern")?;
        inner.span = start.to(self.last());
        Ok(inner)
    }

    fn record_pattern(&mut self) -> Parsed<Pattern> {
        let start = self.advance().1;
        let fields = self.separated(Token::CloseBrace, |p| {
            if p.peek() == Token::Lower("_") {
                p.advance();
                return Ok(None);
            }
            let span = p.span();
            let modules = p.qualifier();
            let name = p.lower("a field")?;
            let path = Path { modules, name };
            let pattern = if p.eat(Token::Equal) {
                p.pattern()?
            } else {
                Pattern {
                    kind: PatternKind::Variable(path.name.clone()),
                    span,
                }
            };
            Ok(Some((path, pattern)))
        })?;
        self.expect(Token::CloseBrace, "`}`", "after the fields")?;
        Ok(Pattern {
            kind: PatternKind::Record(fields.into_iter().flatten().collect()),
            span: start.to(self.last()),
        })
    }

    /// Parts between semicolons, up to `end`.
    pub(super) fn separated<T>(
        &mut self,
        end: Token<'_>,
        mut part: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut parts = Vec::new();
        while self.peek() != end {
            parts.push(part(self)?);
            if !self.eat(Token::Semicolon) {
                break;
            }
        }
        Ok(parts)
    }
}

/// `head :: tail`.
fn consed(head: Pattern, tail: Pattern) -> Pattern {
    let span = head.span.to(tail.span);
    let both = Pattern {
        kind: PatternKind::Tuple(vec![head, tail]),
        span,
    };
    Pattern {
        kind: PatternKind::Constructor(bare("::"), Some(Box::new(both))),
        span,
    }
}
