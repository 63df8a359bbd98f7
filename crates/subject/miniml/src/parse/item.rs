//! Items: definitions, declarations, modules, and top-level expressions; recovery after an error.

use super::{ERRORS, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::{
    Binding, Definition, Expr, ExprKind, Item, ItemKind, Name, Pattern, PatternKind, TypeBody,
    TypeDeclaration, Variant,
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
                Token::Let => open += 1,
                Token::In => {
                    open -= 1;
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
                ItemKind::Exception(self.variant()?)
            }
            Token::Module => self.module()?,
            Token::Open => {
                self.advance();
                ItemKind::Open(self.module_path()?)
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

    fn binding(&mut self) -> Parsed<Binding> {
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
            while self.begins_simple_pattern() {
                parameters.push(self.simple_pattern()?);
            }
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

    fn module(&mut self) -> Parsed<ItemKind> {
        self.advance();
        if matches!(self.peek(), Token::Type | Token::Rec) {
            return Err(self.unexpected("the name of a module"));
        }
        let name = self.upper("the name of a module")?;
        self.expect(Token::Equal, "`=`", "and `struct … end`")?;
        self.expect(Token::Struct, "`struct`", "with the module's definitions")?;
        let items = self.nested(|p| Ok(p.items(true)))?;
        self.expect(Token::End, "`end`", "after the module's definitions")?;
        Ok(ItemKind::Module(name, items))
    }

    fn type_declarations(&mut self) -> Parsed<Vec<TypeDeclaration>> {
        self.advance();
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
        self.expect(Token::Equal, "`=`", "and what the type is")?;
        let body = match self.peek() {
            Token::OpenBrace => TypeBody::Record(self.record_type()?),
            Token::Bar => self.variants()?,
            Token::Upper(_) if self.peek_after(1) != Token::Dot => self.variants()?,
            _ => TypeBody::Alias(self.type_expr()?),
        };
        Ok(TypeDeclaration {
            name,
            parameters,
            body,
            span: start.to(self.last()),
        })
    }

    fn type_parameters(&mut self) -> Parsed<Vec<Name>> {
        match self.peek() {
            Token::TypeVariable(name) => {
                self.advance();
                Ok(vec![name.into()])
            }
            Token::Open_ => {
                self.advance();
                let mut names = Vec::new();
                loop {
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

    fn record_type(&mut self) -> Parsed<Vec<(Name, crate::syntax::TypeExpr)>> {
        self.advance();
        let fields = self.separated(Token::CloseBrace, |p| {
            let name = p.lower("a field")?;
            p.expect(Token::Colon, "`:`", "and the field's type")?;
            Ok((name, p.type_expr()?))
        })?;
        self.expect(Token::CloseBrace, "`}`", "after the fields")?;
        Ok(fields)
    }

    fn variants(&mut self) -> Parsed<TypeBody> {
        self.eat(Token::Bar);
        let mut variants = vec![self.variant()?];
        while self.eat(Token::Bar) {
            variants.push(self.variant()?);
        }
        Ok(TypeBody::Variants(variants))
    }

    fn variant(&mut self) -> Parsed<Variant> {
        let start = self.span();
        let name = self.upper("a constructor")?;
        let mut arguments = Vec::new();
        if self.eat(Token::Of) {
            if self.peek() == Token::OpenBrace {
                return Err(Diagnostic::new(
                    self.span(),
                    "a record inside a constructor is OCaml, but not in this language",
                )
                .advice("declare the record as a type of its own"));
            }
            arguments.push(self.applied_type()?);
            while self.eat(Token::Star) {
                arguments.push(self.applied_type()?);
            }
        }
        Ok(Variant {
            name,
            arguments,
            span: start.to(self.last()),
        })
    }
}
