//! Tokens of the language, and those of OCaml's that are only recognised to be refused by name.

use logos::{FilterResult, Lexer, Logos};

/// What is wrong with a piece of text that is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LexError {
    /// A character that begins no token.
    #[default]
    Character,
    /// A comment that never ends.
    Comment,
    /// A string that never ends.
    String,
}

/// A token; literals keep their text.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0c]+")]
#[logos(error = LexError)]
pub enum Token<'s> {
    #[token("(*", comment)]
    Comment,
    #[regex(r"[0-9][0-9_]*|0[xX][0-9a-fA-F][0-9a-fA-F_]*|0[oO][0-7][0-7_]*|0[bB][01][01_]*")]
    Int(&'s str),
    #[regex(r"[0-9][0-9_]*(\.[0-9_]*([eE][+-]?[0-9][0-9_]*)?|[eE][+-]?[0-9][0-9_]*)")]
    Float(&'s str),
    #[regex(r#"'([^'\\\n\r]|\\[\\'"ntbr ]|\\[0-9][0-9][0-9]|\\x[0-9a-fA-F][0-9a-fA-F])'"#)]
    Char(&'s str),
    #[token("\"", string)]
    String(&'s str),
    /// `{|…|}`, without its signs.
    #[regex(r"\{[a-z_]*\|", quoted)]
    Quoted(&'s str),
    #[regex(r"[a-z_][A-Za-z0-9_']*")]
    Lower(&'s str),
    #[regex(r"[A-Z][A-Za-z0-9_']*")]
    Upper(&'s str),
    #[regex(r"'[a-z_][A-Za-z0-9_]*")]
    TypeVariable(&'s str),
    #[token("and")]
    And,
    #[token("as")]
    As,
    #[token("begin")]
    Begin,
    #[token("else")]
    Else,
    #[token("end")]
    End,
    #[token("exception")]
    Exception,
    #[token("external")]
    External,
    #[token("fun")]
    Fun,
    #[token("function")]
    Function,
    #[token("if")]
    If,
    #[token("in")]
    In,
    #[token("let")]
    Let,
    #[token("match")]
    Match,
    #[token("mod")]
    Mod,
    #[token("module")]
    Module,
    #[token("of")]
    Of,
    #[token("open")]
    Open,
    #[token("rec")]
    Rec,
    #[token("struct")]
    Struct,
    #[token("then")]
    Then,
    #[token("try")]
    Try,
    #[token("type")]
    Type,
    #[token("when")]
    When,
    #[token("with")]
    With,
    #[token("assert")]
    Assert,
    #[token("do")]
    Do,
    #[token("done")]
    Done,
    #[token("downto")]
    Downto,
    #[token("for")]
    For,
    #[token("functor")]
    Functor,
    #[token("include")]
    Include,
    #[token("lazy")]
    Lazy,
    #[token("mutable")]
    Mutable,
    #[token("nonrec")]
    Nonrec,
    #[token("private")]
    Private,
    #[token("sig")]
    Sig,
    #[token("to")]
    To,
    #[token("val")]
    Val,
    #[token("while")]
    While,
    #[regex("land|lor|lxor|lsl|lsr|asr")]
    Bits(&'s str),
    #[regex("class|constraint|inherit|initializer|method|new|object|virtual")]
    Refused(&'s str),
    #[token("(")]
    Open_,
    #[token(")")]
    Close,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("[|")]
    OpenArray,
    #[token("|]")]
    CloseArray,
    #[token("[<")]
    #[token("[>")]
    #[token("[@")]
    #[token("[@@")]
    #[token("[@@@")]
    #[token("[%")]
    #[token("[%%")]
    #[token(":>")]
    #[token("#")]
    Foreign(&'s str),
    #[token("`")]
    Backquote,
    #[token(":=")]
    Assign,
    #[token("<-")]
    Store,
    #[token("~")]
    Tilde,
    #[token("?")]
    Question,
    /// `~x`, without its tilde.
    #[regex("~[a-z_][A-Za-z0-9_']*", |lexer| &lexer.slice()[1..])]
    Label(&'s str),
    /// `~x:`.
    #[regex("~[a-z_][A-Za-z0-9_']*:", |lexer| &lexer.slice()[1..lexer.slice().len() - 1])]
    LabelOf(&'s str),
    /// `?x`.
    #[regex(r"\?[a-z_][A-Za-z0-9_']*", |lexer| &lexer.slice()[1..])]
    Optional(&'s str),
    /// `?x:`.
    #[regex(r"\?[a-z_][A-Za-z0-9_']*:", |lexer| &lexer.slice()[1..lexer.slice().len() - 1])]
    OptionalOf(&'s str),
    /// `let*`, `and+`.
    #[regex(r"(let|and)[$&*+\-/<=>@^|%][!$%&*+\-./:<=>?@^|~]*")]
    Binding(&'s str),
    #[token(";;")]
    DoubleSemicolon,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("..")]
    Range,
    #[token(":")]
    Colon,
    #[token("->")]
    Arrow,
    #[token("|")]
    Bar,
    #[token("=")]
    Equal,
    #[token("*")]
    Star,
    #[token("::")]
    Cons,
    #[token("-")]
    #[token("-.")]
    Minus(&'s str),
    /// `!`, `~-`, `!!`: before a simple expression.
    #[regex(r"![!$%&*+\-./:<=>?@^|~]*|[~?][!$%&*+\-./:<=>?@^|~]+")]
    Prefix(&'s str),
    #[regex(r"[=<>@^|&+\-*/$%][!$%&*+\-./:<=>?@^|~]*", priority = 1)]
    #[regex(r"!=[!$%&*+\-./:<=>?@^|~]*", priority = 4)]
    Operator(&'s str),
    /// The end of the text.
    End_,
}

impl Token<'_> {
    /// Whether an expression and a pattern that need no parentheses may begin with it alike.
    pub(crate) fn opens_simple(&self) -> bool {
        matches!(
            self,
            Self::Lower(_)
                | Self::Upper(_)
                | Self::Int(_)
                | Self::Float(_)
                | Self::Char(_)
                | Self::String(_)
                | Self::Quoted(_)
                | Self::Backquote
                | Self::OpenArray
                | Self::Open_
                | Self::OpenBracket
                | Self::OpenBrace
        )
    }
}

/// Skips a comment; comments nest, and a string in a comment may hold its end.
fn comment<'s>(lexer: &mut Lexer<'s, Token<'s>>) -> FilterResult<(), LexError> {
    let bytes = lexer.remainder().as_bytes();
    let (mut depth, mut at) = (1usize, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'(', b'*', ..] => {
                depth += 1;
                at += 2;
            }
            [b'*', b')', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    lexer.bump(at);
                    return FilterResult::Skip;
                }
            }
            [b'\'', b'"', b'\'', ..] => at += 3,
            [b'\'', b'\\', b'"', b'\'', ..] => at += 4,
            [b'"', ..] => match string_end(&bytes[at + 1..]) {
                Some(length) => at += 1 + length,
                None => break,
            },
            _ => at += 1,
        }
    }
    lexer.bump(lexer.remainder().len());
    FilterResult::Error(LexError::Comment)
}

/// Bytes up to and with the closing quote.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

fn string<'s>(lexer: &mut Lexer<'s, Token<'s>>) -> Result<&'s str, LexError> {
    if let Some(length) = string_end(lexer.remainder().as_bytes()) {
        lexer.bump(length);
        Ok(lexer.slice())
    } else {
        lexer.bump(lexer.remainder().len());
        Err(LexError::String)
    }
}

/// The text up to the bar and the name that opened it.
fn quoted<'s>(lexer: &mut Lexer<'s, Token<'s>>) -> Result<&'s str, LexError> {
    let name = &lexer.slice()[1..lexer.slice().len() - 1];
    let end = format!("|{name}}}");
    if let Some(length) = lexer.remainder().find(&end) {
        let text = &lexer.remainder()[..length];
        lexer.bump(length + end.len());
        Ok(text)
    } else {
        lexer.bump(lexer.remainder().len());
        Err(LexError::String)
    }
}
