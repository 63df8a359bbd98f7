//! Parameters of functions: patterns, labels, optional ones with what they are if they are not given, names of types.

use super::{Parsed, Parser};
use crate::syntax::{Expr, Label, Name, Parameter, Pattern, PatternKind};
use crate::token::Token;

impl Parser<'_> {
    /// Parameters of a function.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        loop {
            let at = self.span();
            let named = |name: &str| Pattern {
                kind: PatternKind::Variable(name.into()),
                span: at,
            };
            let parameter = match self.peek() {
                Token::Label(name) => {
                    self.advance();
                    Parameter {
                        label: Label::Named(name.into()),
                        ..Parameter::plain(named(name))
                    }
                }
                Token::LabelOf(name) => {
                    self.advance();
                    Parameter {
                        label: Label::Named(name.into()),
                        ..Parameter::plain(self.simple_pattern()?)
                    }
                }
                Token::Optional(name) => {
                    self.advance();
                    Parameter {
                        label: Label::Optional(name.into()),
                        ..Parameter::plain(named(name))
                    }
                }
                Token::OptionalOf(name) => {
                    self.advance();
                    let (pattern, default) = if self.eat(Token::Open_) {
                        self.with_default()?
                    } else {
                        (self.simple_pattern()?, None)
                    };
                    Parameter {
                        label: Label::Optional(name.into()),
                        default,
                        ..Parameter::plain(pattern)
                    }
                }
                Token::Tilde | Token::Question => {
                    let optional = self.advance().0 == Token::Question;
                    self.expect(Token::Open_, "`(`", "and the parameter")?;
                    let (pattern, default) = self.with_default()?;
                    let Some(name) = name_in(&pattern) else {
                        return Err(self.unexpected("a parameter with a name"));
                    };
                    Parameter {
                        label: if optional {
                            Label::Optional(name)
                        } else {
                            Label::Named(name)
                        },
                        default,
                        ..Parameter::plain(pattern)
                    }
                }
                Token::Open_ if self.peek_after(1) == Token::Type => {
                    self.advance();
                    self.advance();
                    let mut types = Vec::new();
                    while let Token::Lower(name) = self.peek() {
                        self.advance();
                        types.push(name.into());
                    }
                    self.expect(Token::Close, "`)`", "after the names of types")?;
                    Parameter {
                        types,
                        ..Parameter::plain(Pattern {
                            kind: PatternKind::Any,
                            span: at,
                        })
                    }
                }
                _ if self.begins_simple_pattern() => Parameter::plain(self.simple_pattern()?),
                _ => return Ok(parameters),
            };
            parameters.push(parameter);
        }
    }

    /// `p : t = e)`.
    fn with_default(&mut self) -> Parsed<(Pattern, Option<Expr>)> {
        let mut pattern = self.pattern()?;
        if self.eat(Token::Colon) {
            let annotation = self.type_expr()?;
            let span = pattern.span;
            pattern = Pattern {
                kind: PatternKind::Annotate(Box::new(pattern), annotation),
                span,
            };
        }
        let default = if self.eat(Token::Equal) {
            Some(self.expression(0)?)
        } else {
            None
        };
        self.expect(Token::Close, "`)`", "after the parameter")?;
        Ok((pattern, default))
    }
}

/// The name that a parameter's pattern gives it.
fn name_in(pattern: &Pattern) -> Option<Name> {
    match &pattern.kind {
        PatternKind::Variable(name) => Some(name.clone()),
        PatternKind::Annotate(inner, _) => name_in(inner),
        _ => None,
    }
}
