//! Items: definitions, declarations, modules, and top-level expressions; recovery after an error.

use super::{ERRORS, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::{
    Binding, Definition, Expr, ExprKind, Field, Item, ItemKind, Name, Pattern, PatternKind,
    TypeBody, TypeDeclaration, TypeExprKind, Variant,
};
use crate::token::Token;

impl Parser<'_> {
    /// Items up to the end of the file, or to `end` in a module.
    pub(super) fn items(&mut self, in_module: bool) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            while self.eat(Token::DoubleSemicolon) {}
            if self.peek() == Token::End_ || (in_module && self.peek() == Token::End) {
                return items;
            }
            let (before, depth) = (self.at, self.depth);
            match self.item() {
                Ok(item) => items.push(item),
                Err(error) => {
                    self.errors.push(error);
                    self.depth = depth;
                    if self.errors.len() >= ERRORS {
                        self.at = self.tokens.len() - 1;
                        return items;
                    }
                    self.recover(before);
                }
            }
        }
    }

    /// Skips to where an item seems to begin, at least one token after `before`.
    fn recover(&mut self, before: usize) {
        if self.at == before {
            self.advance();
        }
        loop {
            match self.peek() {
                Token::End_
                | Token::DoubleSemicolon
                | Token::Type
                | Token::Exception
                | Token::Module
                | Token::Include
                | Token::End => return,
                Token::Let if !self.is_local_let() => return,
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// Whether the `let` here has an `in` before the next item could begin.
    fn is_local_let(&self) -> bool {
        let mut open = 0usize;
        for (token, _) in &self.tokens[self.at..] {
            match token {
                Token::Let | Token::Binding(_) => open += 1,
                Token::In => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return true;
                    }
                }
                Token::DoubleSemicolon | Token::Type | Token::Module | Token::End_ => return false,
                _ => {}
            }
        }
        false
    }

    fn item(&mut self) -> Parsed<Item> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Let => self.let_item()?,
            Token::Type => ItemKind::Types(self.type_declarations()?),
            Token::Exception => {
                self.advance();
                if let (Token::Upper(name), Token::Equal) = (self.peek(), self.peek_after(1)) {
                    self.advance();
                    self.advance();
                    ItemKind::SameException(name.into(), self.module_path()?)
                } else {
                    ItemKind::Exception(self.variant()?)
                }
            }
            Token::Module => self.module()?,
            Token::Open => {
                self.advance();
                self.eat_override();
                ItemKind::Open(self.module_expr()?)
            }
            Token::Include => {
                self.advance();
                ItemKind::Include(self.module_expr()?)
            }
            Token::External if self.library => self.external()?,
            Token::External => {
                return Err(Diagnostic::new(
                    start,
                    "`external` is OCaml, but not in this language",
                )
                .advice("write the function in the language itself"));
            }
            _ => ItemKind::Expression(self.sequence()?),
        };
        if matches!(kind, ItemKind::Expression(_) | ItemKind::Let(_))
            && !matches!(
                self.peek(),
                Token::End_
                    | Token::DoubleSemicolon
                    | Token::Let
                    | Token::Type
                    | Token::Exception
                    | Token::Module
                    | Token::Open
                    | Token::Include
                    | Token::External
                    | Token::End
            )
        {
            return Err(self.unexpected("an operator, or the next definition"));
        }
        Ok(Item {
            kind,
            span: start.to(self.last()),
        })
    }

    fn let_item(&mut self) -> Parsed<ItemKind> {
        let begin = self.at;
        let start = self.span();
        if self.peek_after(1) == Token::Open || self.peek_after(1) == Token::Module {
            return Ok(ItemKind::Expression(self.sequence()?));
        }
        self.advance();
        let definition = self.definition()?;
        if self.peek() != Token::In {
            return Ok(ItemKind::Let(definition));
        }
        // It was an expression: go back and read it as one, operators after it included.
        self.at = begin;
        let expression = self.sequence()?;
        debug_assert!(expression.span.start == start.start);
        Ok(ItemKind::Expression(expression))
    }

    /// What stands after `let`.
    pub(super) fn definition(&mut self) -> Parsed<Definition> {
        let recursive = self.eat(Token::Rec);
        let mut bindings = vec![self.binding()?];
        while self.eat(Token::And) {
            bindings.push(self.binding()?);
        }
        Ok(Definition {
            recursive,
            bindings,
        })
    }

    pub(super) fn binding(&mut self) -> Parsed<Binding> {
        let start = self.span();
        let is_name =
            matches!(self.peek(), Token::Lower(n) if n != "_" && n != "true" && n != "false");
        let is_operator = self.peek() == Token::Open_ && self.names_operator();
        let mut pattern = if is_operator || (is_name && self.begins_parameters()) {
            self.simple_pattern()?
        } else {
            self.pattern()?
        };
        let mut parameters = Vec::new();
        if matches!(pattern.kind, PatternKind::Variable(_)) {
            parameters = self.parameters()?;
        }
        let annotation = if self.eat(Token::Colon) {
            Some(self.type_expr()?)
        } else {
            None
        };
        self.expect(Token::Equal, "`=`", "and the value of the definition")?;
        let mut value = self.sequence()?;
        if let Some(annotation) = annotation {
            if parameters.is_empty() {
                let span = pattern.span;
                pattern = Pattern {
                    kind: PatternKind::Annotate(Box::new(pattern), annotation),
                    span,
                };
            } else {
                let span = value.span;
                value = Expr {
                    kind: ExprKind::Annotate(Box::new(value), annotation),
                    span,
                };
            }
        }
        if !parameters.is_empty() {
            let span = start.to(value.span);
            value = Expr {
                kind: ExprKind::Fun(parameters, Box::new(value)),
                span,
            };
        }
        Ok(Binding { pattern, value })
    }

    /// Whether the name here is followed by parameters, a type or `=`: not by more of a pattern.
    fn begins_parameters(&self) -> bool {
        !matches!(
            self.peek_after(1),
            Token::Comma | Token::Cons | Token::Bar | Token::As
        )
    }

    fn external(&mut self) -> Parsed<ItemKind> {
        self.advance();
        let PatternKind::Variable(name) = self.simple_pattern()?.kind else {
            return Err(self.unexpected("a name"));
        };
        self.expect(Token::Colon, "`:`", "and a type")?;
        let annotation = self.type_expr()?;
        self.expect(Token::Equal, "`=`", "and an operator")?;
        let Token::String(operator) = self.advance().0 else {
            return Err(self.unexpected("an operator"));
        };
        let operator = operator.trim_matches('"').to_owned();
        Ok(ItemKind::External(name, annotation, operator))
    }

    pub(super) fn type_declarations(&mut self) -> Parsed<Vec<TypeDeclaration>> {
        self.advance();
        self.eat(Token::Nonrec);
        let mut declarations = vec![self.type_declaration()?];
        while self.eat(Token::And) {
            declarations.push(self.type_declaration()?);
        }
        Ok(declarations)
    }

    fn type_declaration(&mut self) -> Parsed<TypeDeclaration> {
        let start = self.span();
        let parameters = self.type_parameters()?;
        let name = self.lower("the name of a type")?;
        if !self.eat(Token::Equal) {
            return Ok(TypeDeclaration {
                name,
                parameters,
                body: TypeBody::Abstract,
                span: start.to(self.last()),
            });
        }
        if self.peek() == Token::Private {
            return Err(Diagnostic::new(
                self.span(),
                "private types are OCaml, but not in this language",
            )
            .advice("leave `private` out, or hide the type behind a signature"));
        }
        if self.peek() == Token::Range {
            return Err(Diagnostic::new(
                self.span(),
                "types that grow (`..`) are OCaml, but not in this language",
            )
            .advice("declare all constructors at once"));
        }
        let body = self.type_body()?;
        Ok(TypeDeclaration {
            name,
            parameters,
            body,
            span: start.to(self.last()),
        })
    }

    fn type_body(&mut self) -> Parsed<TypeBody> {
        Ok(match self.peek() {
            Token::OpenBrace => TypeBody::Record(self.record_type()?),
            Token::Bar => self.variants()?,
            Token::Upper(_) if self.peek_after(1) != Token::Dot => self.variants()?,
            _ => {
                let same = self.type_expr()?;
                // `type t = u = A | B` declares the constructors of `u` again.
                if self.eat(Token::Equal) {
                    return self.type_body();
                }
                TypeBody::Alias(same)
            }
        })
    }

    pub(super) fn type_parameters(&mut self) -> Parsed<Vec<Name>> {
        self.variance();
        match self.peek() {
            Token::TypeVariable(name) => {
                self.advance();
                Ok(vec![name.into()])
            }
            Token::Lower("_") => Err(Diagnostic::new(
                self.span(),
                "generalised constructors (GADTs) are OCaml, but not in this language",
            )
            .advice("use a variant whose parameters are variables")),
            Token::Open_ => {
                self.advance();
                let mut names = Vec::new();
                loop {
                    self.variance();
                    let Token::TypeVariable(name) = self.peek() else {
                        return Err(self.unexpected("a type variable"));
                    };
                    if names.iter().any(|n: &Name| **n == *name) {
                        return Err(Diagnostic::new(
                            self.span(),
                            format!("`{name}` is a parameter twice"),
                        ));
                    }
                    self.advance();
                    names.push(name.into());
                    if !self.eat(Token::Comma) {
                        break;
                    }
                }
                self.expect(Token::Close, "`)`", "after the parameters")?;
                Ok(names)
            }
            _ => Ok(vec![]),
        }
    }

    /// `+` or `-` before a parameter: what is declared is checked by use.
    fn variance(&mut self) {
        if matches!(self.peek(), Token::Operator("+") | Token::Minus("-")) {
            self.advance();
        }
    }

    fn record_type(&mut self) -> Parsed<Vec<Field>> {
        self.advance();
        let fields = self.separated(Token::CloseBrace, |p| {
            let mutable = p.eat(Token::Mutable);
            let name = p.lower("a field")?;
            p.expect(Token::Colon, "`:`", "and the field's type")?;
            let ty = p.type_expr()?;
            if matches!(ty.kind, TypeExprKind::Poly(..)) {
                return Err(Diagnostic::new(
                    ty.span,
                    "fields of polymorphic type are OCaml, but not in this language",
                )
                .advice("give the record a parameter"));
            }
            Ok(Field { name, mutable, ty })
        })?;
        self.expect(Token::CloseBrace, "`}`", "after the fields")?;
        Ok(fields)
    }

    /// A constructor's name; `()`, `[]`, `(::)` and booleans may be declared again.
    fn constructor_name(&mut self) -> Parsed<Name> {
        match (self.peek(), self.peek_after(1), self.peek_after(2)) {
            (Token::Open_, Token::Cons, Token::Close) => {
                (0..3).for_each(|_| {
                    self.advance();
                });
                Ok("::".into())
            }
            (Token::OpenBracket, Token::CloseBracket, _) => {
                self.advance();
                self.advance();
                Ok("[]".into())
            }
            _ => self.upper("a constructor"),
        }
    }

    fn variants(&mut self) -> Parsed<TypeBody> {
        self.eat(Token::Bar);
        let mut variants = vec![self.variant()?];
        while self.eat(Token::Bar) {
            variants.push(self.variant()?);
        }
        Ok(TypeBody::Variants(variants))
    }

    pub(super) fn variant(&mut self) -> Parsed<Variant> {
        let start = self.span();
        let name = self.constructor_name()?;
        let mut arguments = Vec::new();
        if self.eat(Token::Of) {
            if self.peek() == Token::OpenBrace {
                let record = Some(self.record_type()?);
                return Ok(Variant {
                    name,
                    arguments,
                    record,
                    span: start.to(self.last()),
                });
            }
            arguments.push(self.applied_type()?);
            while self.eat(Token::Star) {
                arguments.push(self.applied_type()?);
            }
        }
        if matches!(self.peek(), Token::Colon | Token::Arrow) {
            return Err(Diagnostic::new(
                self.span(),
                "generalised constructors (GADTs) are OCaml, but not in this language",
            )
            .advice("write `Constructor of …`"));
        }
        Ok(Variant {
            name,
            arguments,
            record: None,
            span: start.to(self.last()),
        })
    }
}
