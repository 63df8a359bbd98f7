//! Placeholders in a subject's command: `{}` and `{name}`.
//!
//! A placeholder is a pair of braces around nothing or around a name (a letter or `_`, then letters, digits, `_`, `-`,
//! `.`). Any other brace is literal, so JSON or `a{2}` pass through; `{{` and `}}` write a brace before a name.

use std::collections::BTreeMap;

use crate::error::RunnerError;

/// Values of the placeholders of one observation; the empty name is `{}`.
pub type Bindings = BTreeMap<String, String>;

/// A piece of a parsed template.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Slot(&'a str),
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_none_or(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn parse(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        pieces.push(Piece::Text(&rest[..at]));
        let tail = &rest[at..];
        let (piece, length) = if tail.starts_with("{{") || tail.starts_with("}}") {
            (Piece::Text(&tail[..1]), 2)
        } else if let Some(end) = tail
            .starts_with('{')
            .then(|| tail.find('}'))
            .flatten()
            .filter(|&end| is_name(&tail[1..end]))
        {
            (Piece::Slot(&tail[1..end]), end + 1)
        } else {
            (Piece::Text(&tail[..1]), 1)
        };
        pieces.push(piece);
        rest = &tail[length..];
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Whether the template mentions any placeholder.
pub fn has_placeholder(template: &str) -> bool {
    parse(template)
        .iter()
        .any(|piece| matches!(piece, Piece::Slot(_)))
}

/// What fills the only placeholder of a template so that it becomes a text: the placeholder's name and the value. None if the template has
/// none or several, or differs elsewhere.
pub fn filled<'t, 'v>(template: &'t str, text: &'v str) -> Option<(&'t str, &'v str)> {
    let (mut slot, mut around) = (None, [String::new(), String::new()]);
    for piece in parse(template) {
        match piece {
            Piece::Text(literal) => around[usize::from(slot.is_some())].push_str(literal),
            Piece::Slot(name) if slot.is_none() => slot = Some(name),
            Piece::Slot(_) => return None,
        }
    }
    let value = text.strip_prefix(&around[0])?.strip_suffix(&around[1])?;
    Some((slot?, value))
}

/// Replaces every placeholder.
pub fn expand(template: &str, bindings: &Bindings) -> Result<String, RunnerError> {
    let mut text = String::new();
    for piece in parse(template) {
        match piece {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Slot(name) => text.push_str(bindings.get(name).ok_or_else(|| {
                RunnerError::UnknownPlaceholder {
                    name: name.to_owned(),
                    template: template.to_owned(),
                    known: bindings.keys().cloned().collect(),
                }
            })?),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bindings(pairs: &[(&str, &str)]) -> Bindings {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn replaces_inputs_and_columns() {
        let b = bindings(&[("", "a b.txt"), ("size", "7")]);
        assert_eq!(expand("in={} n={size}", &b).unwrap(), "in=a b.txt n=7");
        assert_eq!(expand("{}{}", &b).unwrap(), "a b.txta b.txt");
    }

    #[test]
    fn leaves_other_braces_alone() {
        let b = bindings(&[]);
        for literal in ["{\"a\": 1}", "a{2,3}", "}", "{", "{a", "${1}"] {
            assert_eq!(expand(literal, &b).unwrap(), literal);
            assert!(!has_placeholder(literal));
        }
        assert_eq!(expand("{{x}}", &b).unwrap(), "{x}");
    }

    #[test]
    fn names_the_unknown_placeholder_and_the_known_ones() {
        let error = expand("x{nme}", &bindings(&[("name", "1")])).unwrap_err();
        assert!(error.is_usage());
        let text = error.to_string();
        assert!(text.contains("{nme}") && text.contains("{name}"), "{text}");
    }
}
