//! Words of the formula language: numbers, names, signs, each with its place.

use crate::text::{is_name_part, is_name_start};
use crate::{Problem, SyntaxError};

/// One word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    Name(String),
    /// A name in backquotes: never a function.
    Quoted(String),
    /// An operator or a bracket, in its ASCII spelling.
    Sign(&'static str),
    End,
}

impl Token {
    /// The word as it is called in messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Number(x) => format!("the number {x}"),
            Self::Name(name) | Self::Quoted(name) => format!("the name `{name}`"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Spellings and what they mean; longer ones first.
const SIGNS: [(&str, &str); 24] = [
    ("<=", "<="),
    (">=", ">="),
    ("==", "=="),
    ("!=", "!="),
    ("**", "^"),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("<", "<"),
    (">", ">"),
    ("+", "+"),
    ("-", "-"),
    ("−", "-"),
    ("*", "*"),
    ("·", "*"),
    ("×", "*"),
    ("⋅", "*"),
    ("/", "/"),
    ("÷", "/"),
    ("∕", "/"),
    ("^", "^"),
    ("(", "("),
    (")", ")"),
    (",", ","),
];

/// All words with the byte offsets at which they begin; the last is [`Token::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, SyntaxError> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if c.is_ascii_digit() || c == '.' {
            number(text, at)?
        } else if c == '`' {
            quoted(text, at)?
        } else if is_name_start(c) {
            let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
            (Token::Name(rest[..length].to_owned()), length)
        } else if let Some((sign, meaning)) = SIGNS.iter().find(|(s, _)| rest.starts_with(s)) {
            (Token::Sign(meaning), sign.len())
        } else {
            return Err(SyntaxError::new(text, at, Problem::Character(c)));
        };
        out.push((token, at));
        at += length;
    }
    out.push((Token::End, at));
    Ok(out)
}

/// Digits, a point, an exponent.
fn number(text: &str, at: usize) -> Result<(Token, usize), SyntaxError> {
    let bytes = &text.as_bytes()[at..];
    let digits = |from: usize| {
        from + bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        end = digits(end + 1 + usize::from(signed));
    }
    let word = &text[at..at + end];
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Token::Number(value), end)),
        _ => Err(SyntaxError::new(text, at, Problem::Number(word.to_owned()))),
    }
}

/// A name in backquotes; a doubled backquote stands for one.
fn quoted(text: &str, at: usize) -> Result<(Token, usize), SyntaxError> {
    let mut name = String::new();
    let mut characters = text[at + 1..].char_indices().peekable();
    while let Some((i, c)) = characters.next() {
        if c != '`' {
            name.push(c);
        } else if characters.next_if(|next| next.1 == '`').is_some() {
            name.push('`');
        } else {
            return Ok((Token::Quoted(name), i + 2));
        }
    }
    Err(SyntaxError::new(text, at, Problem::OpenQuote))
}
