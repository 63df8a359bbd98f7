//! Values as the toplevel prints them, read back.

use pricetag_miniml::first_order::{Entry, Shape};

use super::Value;

/// A value as the toplevel prints it, read back; nothing where it was cut short.
pub fn read(entry: &Entry, shape: &Shape, text: &mut &str) -> Option<Value> {
    fn take(text: &mut &str, what: &str) -> bool {
        *text = text.trim_start();
        let found = text.strip_prefix(what);
        *text = found.unwrap_or(text);
        found.is_some()
    }
    *text = text.trim_start();
    match shape {
        Shape::Opaque => {
            // To the end of this part: what is inside parentheses belongs to it.
            if let Some(rest) = text.strip_prefix('\'') {
                // A character, which may be a parenthesis.
                let end = rest.char_indices().skip(1).find(|(_, c)| *c == '\'')?.0;
                *text = &rest[end + 1..];
                return Some(Value::Opaque);
            }
            let (mut depth, mut end) = (0, text.len());
            for (i, c) in text.char_indices() {
                match c {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' if depth > 0 => depth -= 1,
                    ')' | ']' | '}' | ',' | ';' if depth == 0 => {
                        end = i;
                        break;
                    }
                    _ => {}
                }
            }
            *text = &text[end..];
            Some(Value::Opaque)
        }
        Shape::Number => {
            let open = take(text, "(");
            let end = text
                .find(|c: char| !c.is_ascii_digit() && c != '-')
                .unwrap_or(text.len());
            let n: i64 = text[..end].parse().ok()?;
            *text = &text[end..];
            if open && !take(text, ")") {
                return None;
            }
            Some(Value::Number(n.max(0) as u64))
        }
        Shape::Tuple(shapes) => {
            if !take(text, "(") && !take(text, "{") {
                return None;
            }
            let mut parts = Vec::new();
            for shape in shapes {
                if let Some(at) = text.find('=')
                    && text[..at]
                        .trim()
                        .chars()
                        .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
                {
                    *text = &text[at + 1..];
                }
                parts.push(read(entry, shape, text)?);
                let _ = take(text, ",") || take(text, ";");
            }
            (take(text, ")") || take(text, "}")).then_some(Value::Tuple(parts))
        }
        Shape::Data(id) if entry.data[*id].constructors.iter().any(|c| c.name == "::") => {
            if !take(text, "[") {
                return None;
            }
            let inside = entry.data[*id].constructors[0].fields[0].clone()?;
            let mut parts = Vec::new();
            while !take(text, "]") {
                if text.starts_with("...") || text.is_empty() {
                    return None;
                }
                let before = text.len();
                parts.push(read(entry, &inside, text)?);
                take(text, ";");
                if text.len() == before {
                    return None;
                }
            }
            let nodes = parts.into_iter().rev();
            Some(nodes.fold(Value::Constant, |tail, head| {
                Value::Node(0, vec![(false, head), (true, tail)])
            }))
        }
        Shape::Data(id) => {
            let open = take(text, "(");
            let end = text
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(text.len());
            let name = text[..end].to_owned();
            *text = &text[end..];
            let data = &entry.data[*id];
            let value = match data.constructors.iter().position(|c| c.name == name) {
                None if data.constants.contains(&name) => Value::Constant,
                None => return None,
                Some(c) => {
                    let fields = &data.constructors[c].fields;
                    let several = fields.len() > 1 && take(text, "(");
                    let mut parts = Vec::new();
                    for field in fields {
                        let shape = field.clone().unwrap_or(Shape::Data(*id));
                        parts.push((field.is_none(), read(entry, &shape, text)?));
                        take(text, ",");
                    }
                    if several && !take(text, ")") {
                        return None;
                    }
                    Value::Node(c, parts)
                }
            };
            if open && !take(text, ")") {
                return None;
            }
            Some(value)
        }
    }
}
