//! JSON with one fact on a line: what fits on a line and is not deeply nested stands on one, so that a changed fact is a changed line.

use serde_json::Value;

/// Characters up to which nested values stand on one line; lists of numbers always do.
const WIDTH: usize = 160;
/// Spaces of a level.
const INDENT: usize = 2;

/// Lays a value out, with a line feed at its end.
pub(crate) fn lay_out(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, 0);
    text.push('\n');
    text
}

fn write(text: &mut String, value: &Value, level: usize) {
    if level > 0 && stands_on_one_line(value) {
        inline(text, value);
        return;
    }
    let pad = " ".repeat((level + 1) * INDENT);
    let members: Vec<(Option<&String>, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, v)| (Some(name), v)).collect(),
        Value::Array(items) => items.iter().map(|v| (None, v)).collect(),
        scalar => return inline(text, scalar),
    };
    let (open, close) = if value.is_object() {
        ('{', '}')
    } else {
        ('[', ']')
    };
    text.push(open);
    for (index, (name, member)) in members.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&pad);
        if let Some(name) = name {
            text.push_str(&Value::from(name.as_str()).to_string());
            text.push_str(": ");
        }
        write(text, member, level + 1);
    }
    if !members.is_empty() {
        text.push('\n');
        text.push_str(&" ".repeat(level * INDENT));
    }
    text.push(close);
}

fn stands_on_one_line(value: &Value) -> bool {
    let numbers = |value: &Value| {
        let items = value.as_array();
        items.is_some_and(|items| items.iter().all(Value::is_number))
    };
    match value {
        Value::Array(items) if items.is_empty() || numbers(value) => true,
        Value::Object(members) if members.is_empty() => true,
        Value::Array(items) => {
            items
                .iter()
                .all(|item| !item.is_object() && !item.is_array())
                && fits(value)
        }
        Value::Object(members) => {
            let flat = |v: &Value| !v.is_object() && (!v.is_array() || numbers(v));
            let long = members.values().any(numbers);
            members.values().all(flat) && (long || fits(value))
        }
        _ => true,
    }
}

fn fits(value: &Value) -> bool {
    value.to_string().chars().count() <= WIDTH
}

fn inline(text: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                inline(text, item);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push_str(": ");
                inline(text, member);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fact_is_a_line_and_the_text_means_the_same() {
        let value = json!({
            "a": 1,
            "b": {"x": {"calls": 3, "blocks": [1, 2, 3]}, "y": {"calls": 4, "blocks": []}},
            "c": [{"number": 0}, {"number": 1}],
            "d": [], "e": {}, "f": "\"\n",
        });
        let text = lay_out(&value);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        for line in [
            "  \"a\": 1,",
            "    \"x\": {\"blocks\": [1, 2, 3], \"calls\": 3},",
            "    {\"number\": 1}",
            "  \"d\": [],",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in {text}");
        }
        let long = lay_out(&json!({"n": (0..200).collect::<Vec<u32>>()}));
        assert_eq!(long.lines().count(), 3, "{long}");
    }
}
