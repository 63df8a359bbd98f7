//! A recursive-descent parser whose operators are parsed by precedence (Pratt 1973), with recovery at the next item.
//!
//! One error ends an item; the parser goes on where the next item seems to begin, so a run reports several errors.
//! What OCaml has and this language has not is refused where it stands, with what to write instead.
//! Nesting is limited, so that no text exhausts the stack of the stages that walk the tree.

mod control;
mod expression;
mod item;
mod literal;
mod module;
mod operator;
mod parameter;
mod pattern;
mod types;

use logos::Logos;

use crate::diagnostic::Diagnostic;
use crate::syntax::{Item, Name, Path, Span};
use crate::token::{LexError, Token};

/// Levels an expression, a pattern or a type may be nested.
pub(crate) const DEPTH: u32 = 10_000;
/// Errors after which parsing stops.
const ERRORS: usize = 20;

type Parsed<T> = Result<T, Diagnostic>;

/// Parses a file; `library` admits `external`.
pub(crate) fn parse(source: &str, library: bool) -> (Vec<Item>, Vec<Diagnostic>) {
    let mut errors = Vec::new();
    let tokens = tokens(source, &mut errors);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        library,
        own: vec![],
        errors,
    };
    let items = parser.items(false);
    (items, parser.errors)
}

fn tokens<'s>(source: &'s str, errors: &mut Vec<Diagnostic>) -> Vec<(Token<'s>, Span)> {
    if source.len() > (u32::MAX / 2) as usize {
        errors.push(Diagnostic::new(
            Span::default(),
            "the program is longer than two gigabytes",
        ));
        return vec![(Token::End_, Span::default())];
    }
    let mut tokens = Vec::new();
    // Brackets that are open inside an attribute, which is skipped.
    let mut attribute = 0u32;
    for (token, range) in Token::lexer(source).spanned() {
        let span = Span {
            start: range.start as u32,
            end: range.end as u32,
        };
        match token {
            Ok(Token::Foreign("[@" | "[@@" | "[@@@")) => attribute += 1,
            Ok(
                Token::OpenBracket | Token::OpenArray | Token::Foreign("[<" | "[>" | "[%" | "[%%"),
            ) if attribute > 0 => attribute += 1,
            Ok(Token::CloseBracket | Token::CloseArray) if attribute > 0 => attribute -= 1,
            Ok(_) if attribute > 0 => {}
            Ok(token) => tokens.push((token, span)),
            Err(_) if errors.len() >= ERRORS => {}
            Err(error) => {
                let text = &source[range];
                errors.push(match error {
                    LexError::Comment => Diagnostic::new(
                        Span {
                            end: span.start + 2,
                            ..span
                        },
                        "this comment never ends",
                    ),
                    LexError::String => Diagnostic::new(
                        Span {
                            end: span.start + 1,
                            ..span
                        },
                        "this string never ends",
                    ),
                    LexError::Character => {
                        Diagnostic::new(span, format!("`{text}` begins nothing in this language"))
                    }
                });
            }
        }
    }
    let end = source.len() as u32;
    tokens.push((Token::End_, Span { start: end, end }));
    tokens
}

pub(crate) struct Parser<'s> {
    tokens: Vec<(Token<'s>, Span)>,
    at: usize,
    depth: u32,
    library: bool,
    /// Which of `&&`, `||`, `|>` and `@@` the program defines itself: from there on they are functions as others.
    own: Vec<Name>,
    errors: Vec<Diagnostic>,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Token<'s> {
        self.tokens[self.at].0
    }

    fn peek_after(&self, n: usize) -> Token<'s> {
        self.tokens.get(self.at + n).map_or(Token::End_, |t| t.0)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The span of the token before.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn advance(&mut self) -> (Token<'s>, Span) {
        let token = self.tokens[self.at];
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, token: Token<'s>) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, token: Token<'s>, what: &str, why: &str) -> Parsed<Span> {
        if self.peek() == token {
            Ok(self.advance().1)
        } else {
            Err(self.unexpected(&format!("{what} {why}")))
        }
    }

    /// The token here is not what the grammar wants.
    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let span = self.span();
        if let Some((what, advice)) = refused(self.peek()) {
            return Diagnostic::new(span, format!("{what} not in this language")).advice(advice);
        }
        let found = match self.peek() {
            Token::End_ => "the text ends here".to_owned(),
            _ => "this is not expected here".to_owned(),
        };
        Diagnostic::new(span, format!("{found}; there should be {wanted}"))
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return Err(Diagnostic::new(
                self.span(),
                format!("this is nested more than {DEPTH} levels deep"),
            )
            .advice("name inner parts with `let`, at top level"));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn lower(&mut self, what: &str) -> Parsed<Name> {
        match self.peek() {
            Token::Lower(text) if text != "_" => {
                self.advance();
                Ok(text.into())
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn upper(&mut self, what: &str) -> Parsed<Name> {
        match self.peek() {
            Token::Upper(text) => {
                self.advance();
                Ok(text.into())
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// `M.N.` before something else than a capitalised name, or before the last of them.
    fn qualifier(&mut self) -> Vec<Name> {
        let mut modules = Vec::new();
        while let Token::Upper(name) = self.peek()
            && self.peek_after(1) == Token::Dot
        {
            modules.push(name.into());
            self.advance();
            self.advance();
        }
        modules
    }

    /// `M.N`.
    fn module_path(&mut self) -> Parsed<Path> {
        let modules = self.qualifier();
        let name = self.upper("the name of a module")?;
        Ok(Path { modules, name })
    }
}

/// Words and signs of OCaml that are refused: what they are and what to write instead.
fn refused(token: Token<'_>) -> Option<(String, &'static str)> {
    let (text, advice) = match token {
        Token::Refused(word) => (
            word,
            match word {
                "constraint" => "leave it out",
                _ => "use records, variants and functions instead of objects",
            },
        ),
        Token::Foreign(sign) => (
            sign,
            match sign {
                "[%" | "[%%" => "leave extensions out: they need a preprocessor",
                _ => "use records and functions instead of objects and subtyping",
            },
        ),
        _ => return None,
    };
    Some((format!("`{text}` is OCaml, but"), advice))
}
