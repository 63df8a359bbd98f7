//! A table of strings, so that a name that occurs in prices, blocks and methods is written once.

use std::collections::HashMap;

use serde_json::Value;

/// Strings by number, in order of first use.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    numbers: HashMap<String, usize>,
    texts: Vec<Value>,
}

impl Strings {
    /// The number of a string.
    pub(crate) fn id(&mut self, text: &str) -> Value {
        if let Some(&number) = self.numbers.get(text) {
            return number.into();
        }
        let number = self.texts.len();
        self.numbers.insert(text.to_owned(), number);
        self.texts.push(text.into());
        number.into()
    }

    /// The number of a string, or `null`.
    pub(crate) fn maybe(&mut self, text: Option<&str>) -> Value {
        text.map_or(Value::Null, |text| self.id(text))
    }

    pub(crate) fn into_json(self) -> Value {
        Value::Array(self.texts)
    }
}

/// A number with six significant digits, which is more than anybody reads; `null` if it is not finite.
pub(crate) fn number(value: f64) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    if value == value.trunc() && value.abs() < 9e15 {
        return (value as i64).into();
    }
    format!("{value:.5e}")
        .parse::<f64>()
        .map_or(Value::Null, Value::from)
}

/// A number or `null`.
pub(crate) fn maybe(value: Option<f64>) -> Value {
    value.map_or(Value::Null, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(0.1 + 0.2).to_string(), "0.3");
        assert_eq!(number(1234567.0).to_string(), "1234567");
        assert_eq!(number(f64::INFINITY), Value::Null);
        assert_eq!(number(1.234_567_89e-9).to_string(), "1.23457e-9");
    }

    #[test]
    fn equal_strings_share_a_number() {
        let mut strings = Strings::default();
        assert_eq!(
            (strings.id("a"), strings.id("b"), strings.id("a")),
            (0.into(), 1.into(), 0.into())
        );
        assert_eq!(strings.into_json().to_string(), "[\"a\",\"b\"]");
    }
}
