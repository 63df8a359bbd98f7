//! Expressions: keywords as far as they reach, operators by precedence.

use super::literal;
use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Clause, Expr, ExprKind, Name, Path, Pattern};
use crate::token::Token;

/// Binding powers: left, right; a smaller right one than left associates to the right.
const COMMA: u8 = 2;

fn powers(token: Token<'_>) -> Option<(u8, u8)> {
    Some(match token {
        Token::Comma => (COMMA, COMMA + 1),
        Token::Operator("||") => (5, 4),
        Token::Operator("&&") => (7, 6),
        Token::Equal | Token::Operator("<" | ">" | "<=" | ">=" | "<>" | "|>") => (8, 9),
        Token::Operator("^" | "@" | "@@") => (11, 10),
        Token::Cons => (13, 12),
        Token::Operator("+" | "+.") | Token::Minus(_) => (14, 15),
        Token::Star | Token::Mod | Token::Operator("/" | "/." | "*.") => (16, 17),
        Token::Operator("**") => (19, 18),
        _ => return None,
    })
}

/// What a minus sign before an expression binds.
const PREFIX: u8 = 20;

fn bare(name: &str) -> Path {
    Path {
        modules: vec![],
        name: name.into(),
    }
}

fn variable(name: &str, span: crate::syntax::Span) -> Expr {
    Expr {
        kind: ExprKind::Variable(bare(name)),
        span,
    }
}

/// `f @@ x`; where `f` is an application itself, the compiler makes one of both.
fn applied(function: Expr, argument: Expr, span: crate::syntax::Span) -> Expr {
    let kind = match function.kind {
        ExprKind::Apply(inner, mut arguments) => {
            arguments.push(argument);
            ExprKind::Apply(inner, arguments)
        }
        kind => {
            let span = function.span;
            ExprKind::Apply(Box::new(Expr { kind, span }), vec![argument])
        }
    };
    Expr { kind, span }
}

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
    fn expression(&mut self, power: u8) -> Parsed<Expr> {
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
        let (left_box, name) = match token {
            Token::Operator("&&") => {
                let kind = ExprKind::And(Box::new(left), Box::new(right));
                return Ok(Expr { kind, span });
            }
            Token::Operator("||") => {
                let kind = ExprKind::Or(Box::new(left), Box::new(right));
                return Ok(Expr { kind, span });
            }
            Token::Cons => {
                let both = Expr {
                    kind: ExprKind::Tuple(vec![left, right]),
                    span,
                };
                let kind = ExprKind::Constructor(bare("::"), Some(Box::new(both)));
                return Ok(Expr { kind, span });
            }
            Token::Operator("@@") => return Ok(applied(left, right, span)),
            Token::Operator("|>") => return Ok(applied(right, left, span)),
            Token::Operator(name) | Token::Minus(name) => (left, name),
            Token::Equal => (left, "="),
            Token::Star => (left, "*"),
            _ => (left, "mod"),
        };
        let kind = ExprKind::Apply(Box::new(variable(name, at)), vec![left_box, right]);
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
                let mut parameters = Vec::new();
                while self.begins_simple_pattern() {
                    parameters.push(self.simple_pattern()?);
                }
                if parameters.is_empty() {
                    return Err(self.unexpected("a parameter after `fun`"));
                }
                self.expect(Token::Arrow, "`->`", "and the function's body")?;
                ExprKind::Fun(parameters, Box::new(self.sequence()?))
            }
            Token::Minus(sign) => return self.negation(sign),
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
        Ok(Expr {
            span: start.to(operand.span),
            kind: ExprKind::Apply(Box::new(variable(name, start)), vec![operand]),
        })
    }

    fn local_let(&mut self) -> Parsed<Expr> {
        let start = self.advance().1;
        if self.eat(Token::Open) {
            let path = self.module_path()?;
            self.expect(Token::In, "`in`", "after `let open`")?;
            let body = self.sequence()?;
            return Ok(Expr {
                span: start.to(body.span),
                kind: ExprKind::Open(path, Box::new(body)),
            });
        }
        if matches!(self.peek(), Token::Module | Token::Exception) {
            return Err(Diagnostic::new(
                self.span(),
                "modules and exceptions inside expressions are OCaml, but not in this language",
            )
            .advice("define it at top level"));
        }
        let definition = self.definition()?;
        self.expect(Token::In, "`in`", "after the local definition")?;
        let body = self.sequence()?;
        Ok(Expr {
            span: start.to(body.span),
            kind: ExprKind::Let(definition, Box::new(body)),
        })
    }

    fn conditional(&mut self) -> Parsed<ExprKind> {
        self.advance();
        let condition = Box::new(self.sequence()?);
        self.expect(Token::Then, "`then`", "after the condition")?;
        let yes = Box::new(self.expression(COMMA)?);
        let no = if self.eat(Token::Else) {
            Some(Box::new(self.expression(COMMA)?))
        } else {
            None
        };
        Ok(ExprKind::If(condition, yes, no))
    }

    fn matching(&mut self) -> Parsed<(Box<Expr>, Vec<Clause>)> {
        self.advance();
        let value = Box::new(self.sequence()?);
        self.expect(Token::With, "`with`", "after the value")?;
        Ok((value, self.clauses()?))
    }

    fn clauses(&mut self) -> Parsed<Vec<Clause>> {
        self.eat(Token::Bar);
        let mut clauses = Vec::new();
        loop {
            if self.peek() == Token::Exception {
                return Err(Diagnostic::new(
                    self.span(),
                    "`match … with exception …` is OCaml, but not in this language",
                )
                .advice("write `try … with …`"));
            }
            let pattern: Pattern = self.pattern()?;
            let guard = if self.eat(Token::When) {
                Some(self.sequence()?)
            } else {
                None
            };
            self.expect(Token::Arrow, "`->`", "after the pattern")?;
            let body = self.sequence()?;
            clauses.push(Clause {
                pattern,
                guard,
                body,
            });
            if !self.eat(Token::Bar) {
                return Ok(clauses);
            }
        }
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
        let function = self.projected()?;
        let mut arguments = Vec::new();
        while self.begins_simple() {
            arguments.push(self.nested(Self::projected)?);
        }
        if let Token::Label(_) = self.peek() {
            return Err(self.unexpected("an argument"));
        }
        if arguments.is_empty() {
            return Ok(function);
        }
        Ok(Expr {
            span: function.span.to(self.last()),
            kind: ExprKind::Apply(Box::new(function), arguments),
        })
    }

    fn begins_simple(&self) -> bool {
        self.peek().opens_simple() || matches!(self.peek(), Token::Begin)
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
            if matches!(self.peek(), Token::Open_ | Token::OpenBracket) {
                return Err(Diagnostic::new(
                    self.span(),
                    "reading arrays and strings by index is OCaml, but not in this language",
                )
                .advice("use a list and `List.nth`, or pattern matching"));
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

    /// An expression that needs no parentheses as an argument.
    fn simple(&mut self) -> Parsed<Expr> {
        let (token, start) = (self.peek(), self.span());
        let kind = match token {
            Token::Int(text) => ExprKind::Int(literal::int(text, false, start)?),
            Token::Float(text) => ExprKind::Float(literal::float(text, start)?),
            Token::Char(text) => ExprKind::Char(literal::char(text, start)?),
            Token::String(text) => ExprKind::String(literal::string(text, start)?),
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
        self.advance();
        Ok(Expr { kind, span: start })
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
            Token::Open_ => {
                let name: Name = modules.pop().unwrap_or_else(|| "".into());
                let path = Path { modules, name };
                let body = self.parenthesised()?;
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

    /// The name in `( + )`, or nothing.
    pub(super) fn operator_name(&mut self) -> Option<Name> {
        if self.peek_after(1) != Token::Close {
            return None;
        }
        let name: Name = match self.peek() {
            Token::Operator("&&" | "||" | "@@" | "|>") => return None,
            Token::Operator(name) | Token::Minus(name) => name.into(),
            Token::Star => "*".into(),
            Token::Equal => "=".into(),
            Token::Mod => "mod".into(),
            _ => return None,
        };
        self.advance();
        self.advance();
        Some(name)
    }

    /// Whether an operator stands between the parenthesis here and the next.
    pub(super) fn names_operator(&self) -> bool {
        self.peek_after(2) == Token::Close
            && matches!(
                self.peek_after(1),
                Token::Operator(_) | Token::Minus(_) | Token::Star | Token::Equal | Token::Mod
            )
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
                Token::Equal | Token::Semicolon | Token::CloseBrace
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
            let value = if p.eat(Token::Equal) {
                p.expression(0)?
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
