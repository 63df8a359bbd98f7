//! Expressions that reach as far as they can: local definitions, conditions, loops, clauses.

use super::operator::{bare, call, variable};
use super::{Parsed, Parser};
use crate::syntax::{Clause, Expr, ExprKind, Name, Parameter, Pattern, PatternKind};
use crate::token::Token;

impl Parser<'_> {
    /// `do … done`.
    pub(super) fn loop_body(&mut self) -> Parsed<Box<Expr>> {
        self.expect(Token::Do, "`do`", "and the loop's body")?;
        let start = self.span();
        let body = if self.peek() == Token::Done {
            Expr {
                kind: ExprKind::Constructor(bare("()"), None),
                span: start,
            }
        } else {
            self.sequence()?
        };
        self.expect(Token::Done, "`done`", "after the loop's body")?;
        Ok(Box::new(body))
    }

    pub(super) fn counted_loop(&mut self) -> Parsed<ExprKind> {
        self.advance();
        let name: Name = if self.peek() == Token::Lower("_") {
            self.advance();
            "_".into()
        } else {
            self.lower("the loop's variable")?
        };
        self.expect(Token::Equal, "`=`", "and the first number")?;
        let first = Box::new(self.sequence()?);
        let up = self.peek() == Token::To;
        if !up && self.peek() != Token::Downto {
            return Err(self.unexpected("`to` or `downto`"));
        }
        self.advance();
        let last = Box::new(self.sequence()?);
        let body = self.loop_body()?;
        Ok(ExprKind::For(name, first, last, up, body))
    }

    /// `let* p = e and* q = f in body` is `( let* ) (( and* ) e f) (fun (p, q) -> body)`.
    pub(super) fn binding_operator(&mut self, name: &str) -> Parsed<Expr> {
        let start = self.advance().1;
        let (mut pattern, mut value) = self.bound()?;
        while let (Token::Binding(and), at) = (self.peek(), self.span()) {
            if !and.starts_with("and") {
                break;
            }
            self.advance();
            let (second, right) = self.bound()?;
            let span = value.span.to(right.span);
            value = call(variable(and, at), vec![value, right], span);
            pattern = Pattern {
                span: pattern.span.to(second.span),
                kind: PatternKind::Tuple(vec![pattern, second]),
            };
        }
        self.expect(Token::In, "`in`", "after the definition")?;
        let body = self.sequence()?;
        let span = start.to(body.span);
        let function = Expr {
            span: body.span,
            kind: ExprKind::Fun(vec![Parameter::plain(pattern)], Box::new(body)),
        };
        Ok(call(variable(name, start), vec![value, function], span))
    }

    /// `p = e` after a binding operator.
    fn bound(&mut self) -> Parsed<(Pattern, Expr)> {
        let binding = self.binding()?;
        Ok((binding.pattern, binding.value))
    }

    pub(super) fn local_let(&mut self) -> Parsed<Expr> {
        let start = self.advance().1;
        if self.eat(Token::Open) {
            self.eat_override();
            let path = self.module_path()?;
            self.expect(Token::In, "`in`", "after `let open`")?;
            let body = self.sequence()?;
            return Ok(Expr {
                span: start.to(body.span),
                kind: ExprKind::Open(path, Box::new(body)),
            });
        }
        if self.eat(Token::Module) {
            let (name, module) = self.module_binding()?;
            self.expect(Token::In, "`in`", "after the local module")?;
            let body = Box::new(self.sequence()?);
            return Ok(Expr {
                span: start.to(body.span),
                kind: ExprKind::LetModule(name, Box::new(module), body),
            });
        }
        if self.eat(Token::Exception) {
            let variant = self.variant()?;
            self.expect(Token::In, "`in`", "after the local exception")?;
            let body = Box::new(self.sequence()?);
            return Ok(Expr {
                span: start.to(body.span),
                kind: ExprKind::LetException(variant, body),
            });
        }
        let definition = self.definition()?;
        self.expect(Token::In, "`in`", "after the local definition")?;
        let body = self.sequence()?;
        Ok(Expr {
            span: start.to(body.span),
            kind: ExprKind::Let(definition, Box::new(body)),
        })
    }

    pub(super) fn conditional(&mut self) -> Parsed<ExprKind> {
        self.advance();
        let condition = Box::new(self.sequence()?);
        self.expect(Token::Then, "`then`", "after the condition")?;
        let yes = Box::new(self.expression(1)?);
        let no = if self.eat(Token::Else) {
            Some(Box::new(self.expression(1)?))
        } else {
            None
        };
        Ok(ExprKind::If(condition, yes, no))
    }

    pub(super) fn matching(&mut self) -> Parsed<(Box<Expr>, Vec<Clause>)> {
        self.advance();
        let value = Box::new(self.sequence()?);
        self.expect(Token::With, "`with`", "after the value")?;
        Ok((value, self.clauses()?))
    }

    pub(super) fn clauses(&mut self) -> Parsed<Vec<Clause>> {
        self.eat(Token::Bar);
        let mut clauses = Vec::new();
        loop {
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
}
