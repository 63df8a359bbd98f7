//! Expressions: keywords as far as they reach, operators by precedence.

use super::literal;
use super::operator::{COMMA, PREFIX, applied, bare, call, name_of, powers, variable};
use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expr, ExprKind, Label, Name, Path};
use crate::token::Token;

impl Parser<'_> {
    /// `a; b; c`.
    pub(super) fn sequence(&mut self) -> Parsed<Expr> {
        let first = self.expression(0)?;
        if self.peek() != Token::Semicolon {
            return Ok(first);
        }
        let span = first.span;
        let mut parts = vec![first];
        while self.eat(Token::Semicolon) {
            if !self.begins_expression() {
                break;
            }
            parts.push(self.expression(0)?);
        }
        let span = span.to(self.last());
        Ok(Expr {
            kind: ExprKind::Sequence(parts),
            span,
        })
    }

    /// An expression whose operators bind at least as tightly as `power`.
    pub(super) fn expression(&mut self, power: u8) -> Parsed<Expr> {
        self.nested(|p| {
            let mut left = p.prefix()?;
            let mut chain = 0;
            while let Some((l, r)) = powers(p.peek()) {
                if l < power {
                    break;
                }
                chain += 1;
                if p.depth + chain > super::DEPTH {
                    return Err(Diagnostic::new(
                        p.span(),
                        format!("this is nested more than {} levels deep", super::DEPTH),
                    )
                    .advice("name parts of the expression with `let`"));
                }
                left = if p.peek() == Token::Comma {
                    p.tuple(left)?
                } else {
                    p.infix(left, r)?
                };
            }
            Ok(left)
        })
    }

    fn tuple(&mut self, first: Expr) -> Parsed<Expr> {
        let span = first.span;
        let mut parts = vec![first];
        while self.eat(Token::Comma) {
            parts.push(self.expression(COMMA + 1)?);
        }
        Ok(Expr {
            kind: ExprKind::Tuple(parts),
            span: span.to(self.last()),
        })
    }

    fn infix(&mut self, left: Expr, right_power: u8) -> Parsed<Expr> {
        let (token, at) = self.advance();
        let right = self.expression(right_power)?;
        let span = left.span.to(right.span);
        if let Token::Operator(name) = token
            && self.own.iter().any(|own| **own == *name)
        {
            return Ok(call(variable(name, at), vec![left, right], span));
        }
        let kind = match token {
            Token::Operator("&&" | "&") => ExprKind::And(Box::new(left), Box::new(right)),
            Token::Operator("||") | Token::Lower(_) => {
                ExprKind::Or(Box::new(left), Box::new(right))
            }
            Token::Store => ExprKind::Store(Box::new(left), Box::new(right)),
            Token::Cons => {
                let both = Expr {
                    kind: ExprKind::Tuple(vec![left, right]),
                    span,
                };
                ExprKind::Constructor(bare("::"), Some(Box::new(both)))
            }
            Token::Operator("@@") => return Ok(applied(left, right, span)),
            Token::Operator("|>") => return Ok(applied(right, left, span)),
            other => {
                let name = variable(name_of(other).unwrap_or("mod"), at);
                return Ok(call(name, vec![left, right], span));
            }
        };
        Ok(Expr { kind, span })
    }

    /// Keyword expressions, signs, and applications.
    fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Let => return self.local_let(),
            Token::If => self.conditional()?,
            Token::Match => {
                let (value, clauses) = self.matching()?;
                ExprKind::Match(value, clauses)
            }
            Token::Try => {
                let (value, clauses) = self.matching()?;
                ExprKind::Try(value, clauses)
            }
            Token::Function => {
                self.advance();
                ExprKind::Function(self.clauses()?)
            }
            Token::Fun => {
                self.advance();
                let parameters = self.parameters()?;
                if parameters.is_empty() {
                    return Err(self.unexpected("a parameter after `fun`"));
                }
                let annotation = if self.eat(Token::Colon) {
                    Some(self.applied_type()?)
                } else {
                    None
                };
                self.expect(Token::Arrow, "`->`", "and the function's body")?;
                let mut body = self.sequence()?;
                if let Some(annotation) = annotation {
                    body = Expr {
                        span: body.span,
                        kind: ExprKind::Annotate(Box::new(body), annotation),
                    };
                }
                ExprKind::Fun(parameters, Box::new(body))
            }
            Token::While => {
                self.advance();
                let condition = Box::new(self.sequence()?);
                let body = self.loop_body()?;
                ExprKind::While(condition, body)
            }
            Token::For => self.counted_loop()?,
            Token::Binding(name) => return self.binding_operator(name),
            Token::Minus(sign) => return self.negation(sign),
            Token::Operator(sign @ ("+" | "+.")) => {
                let at = self.advance().1;
                let operand = self.expression(PREFIX)?;
                let name = if sign == "+" { "~+" } else { "~+." };
                let span = start.to(operand.span);
                return Ok(call(variable(name, at), vec![operand], span));
            }
            _ => return self.application(),
        };
        Ok(Expr {
            kind,
            span: start.to(self.last()),
        })
    }

    fn negation(&mut self, sign: &str) -> Parsed<Expr> {
        let start = self.advance().1;
        let token = self.peek();
        let literal = match (token, self.peek_after(1)) {
            (Token::Int(text), next) if sign == "-" && next != Token::Dot => {
                Some(ExprKind::Int(literal::int(text, true, self.span())?))
            }
            (Token::Float(text), _) => Some(ExprKind::Float(-literal::float(text, self.span())?)),
            _ => None,
        };
        if let Some(kind) = literal {
            self.advance();
            return Ok(Expr {
                kind,
                span: start.to(self.last()),
            });
        }
        let operand = self.expression(PREFIX)?;
        let name = if sign == "-" { "~-" } else { "~-." };
        let span = start.to(operand.span);
        Ok(call(variable(name, start), vec![operand], span))
    }

    fn application(&mut self) -> Parsed<Expr> {
        if let (Token::Upper(_), start) = (self.peek(), self.span()) {
            let before = self.at;
            let modules = self.qualifier();
            if let Token::Upper(name) = self.peek() {
                self.advance();
                let argument = if self.begins_simple() {
                    Some(Box::new(self.nested(Self::projected)?))
                } else {
                    None
                };
                let path = Path {
                    modules,
                    name: name.into(),
                };
                return Ok(Expr {
                    kind: ExprKind::Constructor(path, argument),
                    span: start.to(self.last()),
                });
            }
            self.at = before;
        }
        let start = self.span();
        match self.peek() {
            Token::Assert | Token::Lazy => {
                let assert = self.advance().0 == Token::Assert;
                let operand = Box::new(self.nested(Self::projected)?);
                return Ok(Expr {
                    span: start.to(self.last()),
                    kind: if assert {
                        ExprKind::Assert(operand)
                    } else {
                        ExprKind::Lazy(operand)
                    },
                });
            }
            Token::Backquote => {
                let name = self.tag()?;
                let argument = if self.begins_simple() {
                    Some(Box::new(self.nested(Self::projected)?))
                } else {
                    None
                };
                return Ok(Expr {
                    kind: ExprKind::Tag(name, argument),
                    span: start.to(self.last()),
                });
            }
            _ => {}
        }
        let function = self.projected()?;
        let mut arguments = Vec::new();
        while let Some(argument) = self.argument()? {
            arguments.push(argument);
        }
        if arguments.is_empty() {
            return Ok(function);
        }
        Ok(Expr {
            span: function.span.to(self.last()),
            kind: ExprKind::Apply(Box::new(function), arguments),
        })
    }

    /// One argument, if there is one.
    fn argument(&mut self) -> Parsed<Option<(Label, Expr)>> {
        let at = self.span();
        Ok(Some(match self.peek() {
            Token::Label(name) => {
                self.advance();
                (Label::Named(name.into()), variable(name, at))
            }
            Token::Optional(name) => {
                self.advance();
                (Label::Optional(name.into()), variable(name, at))
            }
            Token::LabelOf(name) => {
                self.advance();
                (Label::Named(name.into()), self.nested(Self::projected)?)
            }
            Token::OptionalOf(name) => {
                self.advance();
                (Label::Optional(name.into()), self.nested(Self::projected)?)
            }
            _ if self.begins_simple() => (Label::None, self.nested(Self::projected)?),
            _ => return Ok(None),
        }))
    }

    /// The name after a backquote.
    pub(super) fn tag(&mut self) -> Parsed<Name> {
        self.advance();
        match self.peek() {
            Token::Upper(name) | Token::Lower(name) => {
                self.advance();
                Ok(name.into())
            }
            _ => Err(self.unexpected("a name after the backquote")),
        }
    }

    pub(super) fn begins_simple(&self) -> bool {
        (self.peek().opens_simple() && self.peek() != Token::Lower("or"))
            || matches!(self.peek(), Token::Begin | Token::Prefix(_))
    }

    fn begins_expression(&self) -> bool {
        self.begins_simple()
            || matches!(
                self.peek(),
                Token::Let
                    | Token::If
                    | Token::Match
                    | Token::Try
                    | Token::Function
                    | Token::Fun
                    | Token::While
                    | Token::For
                    | Token::Assert
                    | Token::Lazy
                    | Token::Binding(_)
                    | Token::Minus(_)
            )
    }

    /// `e.field`.
    fn projected(&mut self) -> Parsed<Expr> {
        let mut left = self.simple()?;
        let mut chain = 0;
        while self.eat(Token::Dot) {
            chain += 1;
            if chain > super::DEPTH {
                return Err(self.unexpected("fewer fields of fields"));
            }
            if let Token::Open_ | Token::OpenBracket = self.peek() {
                left = self.index(left)?;
                continue;
            }
            let modules = self.qualifier();
            let name = self.lower("a field after `.`")?;
            left = Expr {
                span: left.span.to(self.last()),
                kind: ExprKind::Field(Box::new(left), Path { modules, name }),
            };
        }
        Ok(left)
    }

    /// `a.(i)`, `s.[i]`.
    fn index(&mut self, left: Expr) -> Parsed<Expr> {
        let array = self.advance().0 == Token::Open_;
        let index = self.sequence()?;
        let (close, text, module) = if array {
            (Token::Close, "`)`", "Array")
        } else {
            (Token::CloseBracket, "`]`", "String")
        };
        self.expect(close, text, "after the index")?;
        let path = Path {
            modules: vec![module.into()],
            name: "get".into(),
        };
        Ok(Expr {
            span: left.span.to(self.last()),
            kind: ExprKind::Index(path, Box::new(left), Box::new(index)),
        })
    }

    /// An expression that needs no parentheses as an argument.
    fn simple(&mut self) -> Parsed<Expr> {
        let (token, start) = (self.peek(), self.span());
        let kind = match token {
            Token::Int(text) => ExprKind::Int(literal::int(text, false, start)?),
            Token::Float(text) => ExprKind::Float(literal::float(text, start)?),
            Token::Char(text) => ExprKind::Char(literal::char(text, start)?),
            Token::String(text) => ExprKind::String(literal::string(text, start)?),
            Token::Quoted(text) => ExprKind::String(pricetag_file::raw::bytes(text)),
            Token::Prefix(name) => {
                self.advance();
                let operand = self.nested(Self::simple)?;
                let span = start.to(self.last());
                return Ok(call(variable(name, start), vec![operand], span));
            }
            Token::Backquote => ExprKind::Tag(self.tag()?, None),
            Token::OpenArray => {
                self.advance();
                let parts = self.separated(Token::CloseArray, |p| p.expression(0))?;
                self.expect(Token::CloseArray, "`|]`", "after the array")?;
                return Ok(Expr {
                    kind: ExprKind::Array(parts),
                    span: start.to(self.last()),
                });
            }
            Token::Lower(name @ ("true" | "false")) => ExprKind::Constructor(bare(name), None),
            Token::Lower("_") => return Err(self.unexpected("an expression, not `_`")),
            Token::Lower(name) => ExprKind::Variable(bare(name)),
            Token::Upper(_) => return self.qualified(),
            Token::Open_ | Token::Begin => return self.parenthesised(),
            Token::OpenBracket => {
                self.advance();
                let parts = self.separated(Token::CloseBracket, |p| p.expression(0))?;
                self.expect(Token::CloseBracket, "`]`", "after the list")?;
                return Ok(Expr {
                    kind: ExprKind::List(parts),
                    span: start.to(self.last()),
                });
            }
            Token::OpenBrace => return self.record(),
            _ => return Err(self.unexpected("an expression")),
        };
        if !matches!(kind, ExprKind::Tag(..)) {
            self.advance();
        }
        Ok(Expr {
            kind,
            span: start.to(self.last()),
        })
    }

    /// `M.x`, `M.C`, `M.(e)`.
    fn qualified(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut modules = self.qualifier();
        let kind = match self.peek() {
            Token::Lower(name) => ExprKind::Variable(Path {
                modules,
                name: name.into(),
            }),
            Token::Upper(name) => ExprKind::Constructor(
                Path {
                    modules,
                    name: name.into(),
                },
                None,
            ),
            Token::Open_ | Token::OpenBracket | Token::OpenBrace | Token::OpenArray => {
                let operator = self.peek() == Token::Open_ && self.names_operator();
                if operator {
                    self.advance();
                    let name = self.operator_name().unwrap_or_else(|| "".into());
                    return Ok(Expr {
                        kind: ExprKind::Variable(Path { modules, name }),
                        span: start.to(self.last()),
                    });
                }
                let name: Name = modules.pop().unwrap_or_else(|| "".into());
                let path = Path { modules, name };
                let body = self.nested(Self::simple)?;
                return Ok(Expr {
                    span: start.to(self.last()),
                    kind: ExprKind::Open(path, Box::new(body)),
                });
            }
            _ => return Err(self.unexpected("a name after the module")),
        };
        self.advance();
        Ok(Expr {
            kind,
            span: start.to(self.last()),
        })
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        let (token, start) = self.advance();
        let (close, text) = if token == Token::Begin {
            (Token::End, "`end`")
        } else {
            (Token::Close, "`)`")
        };
        if self.eat(close) {
            return Ok(Expr {
                kind: ExprKind::Constructor(bare("()"), None),
                span: start.to(self.last()),
            });
        }
        if token == Token::Open_
            && let Some(name) = self.operator_name()
        {
            return Ok(variable(&name, start.to(self.last())));
        }
        if token == Token::Open_ && self.peek() == Token::Module {
            return Err(Diagnostic::new(
                self.span(),
                "modules as values are OCaml, but not in this language",
            )
            .advice("pass a record of functions"));
        }
        let mut inner = self.sequence()?;
        if self.eat(Token::Colon) {
            let annotation = self.type_expr()?;
            inner = Expr {
                span: inner.span,
                kind: ExprKind::Annotate(Box::new(inner), annotation),
            };
        }
        self.expect(close, text, "after the expression")?;
        // A constructor's argument in parentheses is one argument even where it is a pair.
        inner.span = start.to(self.last());
        Ok(inner)
    }

    fn record(&mut self) -> Parsed<Expr> {
        let start = self.advance().1;
        let is_field = matches!(self.peek(), Token::Lower(_) | Token::Upper(_)) && {
            let mut n = 0;
            while matches!(self.peek_after(n), Token::Upper(_))
                && self.peek_after(n + 1) == Token::Dot
            {
                n += 2;
            }
            matches!(
                self.peek_after(n + 1),
                Token::Equal | Token::Semicolon | Token::CloseBrace | Token::Colon
            )
        };
        let base = if is_field {
            None
        } else {
            let base = self.nested(Self::projected)?;
            self.expect(Token::With, "`with`", "after the record that is copied")?;
            Some(Box::new(base))
        };
        let fields = self.separated(Token::CloseBrace, |p| {
            let span = p.span();
            let modules = p.qualifier();
            let name = p.lower("a field")?;
            let annotation = if p.eat(Token::Colon) {
                Some(p.type_expr()?)
            } else {
                None
            };
            let value = if p.eat(Token::Equal) {
                let value = p.expression(0)?;
                match annotation {
                    Some(annotation) => Expr {
                        span: value.span,
                        kind: ExprKind::Annotate(Box::new(value), annotation),
                    },
                    None => value,
                }
            } else {
                variable(&name, span)
            };
            Ok((Path { modules, name }, value))
        })?;
        self.expect(Token::CloseBrace, "`}`", "after the fields")?;
        let kind = match base {
            Some(base) => ExprKind::RecordWith(base, fields),
            None => ExprKind::Record(fields),
        };
        Ok(Expr {
            kind,
            span: start.to(self.last()),
        })
    }
}
