//! What is known of a value that crossed: a number as it is, all else by its size.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, json};

/// A parameter or result, characterised.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// A primitive, boxed or not; truth values are 0 and 1, characters their code, constants of an enumeration their place in it. May be NaN or infinite.
    Number(f64),
    /// A string, array, collection, map, file or stream.
    Sized {
        /// Characters, elements or bytes.
        size: f64,
        /// Elements that are values themselves, the first of many.
        elements: Vec<Value>,
        /// Of primitives, their sum, least and largest; none of an empty array.
        totals: Option<[f64; 3]>,
        /// How many different primitives there are.
        kinds: Option<f64>,
        /// How often each primitive is there, if they are few.
        histogram: BTreeMap<String, f64>,
    },
    /// An object of which no size is known.
    Unknown,
}

impl Value {
    /// The size, where there is one.
    pub fn size(&self) -> Option<f64> {
        match self {
            Self::Sized { size, .. } => Some(*size),
            _ => None,
        }
    }

    /// Numbers that describe it, each with a name that continues the value's own: `""`, `.size`, `.count(2)`, `[0].size`, …
    pub fn features(&self, name: &str, tell: &mut dyn FnMut(String, f64)) {
        match self {
            Self::Null => tell(format!("{name}.null"), 1.0),
            Self::Number(number) if number.is_finite() => tell(name.to_owned(), *number),
            Self::Number(_) | Self::Unknown => {}
            Self::Sized {
                size,
                elements,
                totals,
                kinds,
                histogram,
            } => {
                tell(format!("{name}.size"), *size);
                if let Some([sum, least, largest]) = totals {
                    tell(format!("{name}.sum"), *sum);
                    tell(format!("{name}.least"), *least);
                    tell(format!("{name}.largest"), *largest);
                }
                if let Some(kinds) = kinds {
                    tell(format!("{name}.kinds"), *kinds);
                }
                for (value, count) in histogram {
                    tell(format!("{name}.count({value})"), *count);
                }
                let sizes: Vec<f64> = elements.iter().filter_map(Self::size).collect();
                if !sizes.is_empty() {
                    tell(format!("{name}.sizes"), sizes.iter().sum());
                }
                let numbers: Vec<f64> = elements.iter().filter_map(Self::number).collect();
                if !numbers.is_empty() && totals.is_none() {
                    tell(format!("{name}.sum"), numbers.iter().sum());
                }
            }
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The element at an index: described itself, or known because all primitives are alike.
    pub fn element(&self, index: usize) -> Option<&Self> {
        match self {
            Self::Sized { elements, .. } => elements.get(index),
            _ => None,
        }
    }

    fn read(json: &serde_json::Value) -> Option<Self> {
        use serde_json::Value as Json;
        Some(match json {
            Json::Null => Self::Null,
            Json::Number(number) => Self::Number(number.as_f64()?),
            Json::String(text) => Self::Number(match text.as_str() {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                "-Infinity" => f64::NEG_INFINITY,
                _ => return None,
            }),
            Json::Object(parts) if parts.contains_key("of") => Self::Unknown,
            Json::Object(parts) => {
                let number = |name: &str| parts.get(name).and_then(Json::as_f64);
                let elements = parts.get("e").and_then(Json::as_array);
                let elements = elements.map(|all| all.iter().map(Self::read).collect());
                let counts = parts.get("v").and_then(Json::as_object);
                let histogram = counts.map(|counts| {
                    let pairs = counts.iter();
                    pairs
                        .map(|(value, count)| Some((value.clone(), count.as_f64()?)))
                        .collect()
                });
                let totals = [number("sum"), number("min"), number("max")];
                Self::Sized {
                    size: number("n")?,
                    elements: elements.unwrap_or(Some(Vec::new()))?,
                    totals: match totals {
                        [Some(sum), Some(least), Some(largest)] => Some([sum, least, largest]),
                        _ => None,
                    },
                    kinds: number("kinds"),
                    histogram: histogram.unwrap_or(Some(BTreeMap::new()))?,
                }
            }
            _ => return None,
        })
    }

    fn json(&self) -> serde_json::Value {
        match self {
            Self::Null => json!(null),
            Self::Number(number) if number.is_nan() => json!("NaN"),
            Self::Number(number) if number.is_infinite() && *number > 0.0 => json!("Infinity"),
            Self::Number(number) if number.is_infinite() => json!("-Infinity"),
            Self::Number(number) => json!(number),
            Self::Unknown => json!({ "of": "?" }),
            Self::Sized {
                size,
                elements,
                totals,
                kinds,
                histogram,
            } => {
                let mut parts = Map::new();
                parts.insert("n".to_owned(), json!(size));
                if !elements.is_empty() {
                    let all: Vec<_> = elements.iter().map(Self::json).collect();
                    parts.insert("e".to_owned(), json!(all));
                }
                if let Some([sum, least, largest]) = totals {
                    parts.insert("sum".to_owned(), json!(sum));
                    parts.insert("min".to_owned(), json!(least));
                    parts.insert("max".to_owned(), json!(largest));
                }
                if let Some(kinds) = kinds {
                    parts.insert("kinds".to_owned(), json!(kinds));
                }
                if !histogram.is_empty() {
                    parts.insert("v".to_owned(), json!(histogram));
                }
                serde_json::Value::Object(parts)
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        Self::read(&json).ok_or_else(|| D::Error::custom(format!("no value: {json}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn values_are_read_as_they_are_written_and_describe_themselves() {
        let text = r#"{"n":3.0,"e":[{"n":10.0},{"n":5.0},null],"sum":1.0,"min":-1.0,"max":2.0,"kinds":2.0,"v":{"-1":1.0,"2":1.0}}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let mut told = Vec::new();
        value.features("files", &mut |name, number| told.push((name, number)));
        let find = |name: &str| told.iter().find(|(n, _)| n == name).map(|(_, v)| *v);
        assert_eq!(find("files.size"), Some(3.0));
        assert_eq!(find("files.sizes"), Some(15.0));
        assert_eq!(find("files.count(-1)"), Some(1.0));
        assert_eq!(find("files.largest"), Some(2.0));
        let again: Value = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
        assert_eq!(again, value);
        for odd in ["NaN", "\"x\"", "{}", "[1]", "true"] {
            assert!(serde_json::from_str::<Value>(odd).is_err(), "{odd}");
        }
        let infinite: Value = serde_json::from_str("\"-Infinity\"").unwrap();
        assert_eq!(infinite, Value::Number(f64::NEG_INFINITY));
        assert_eq!(serde_json::to_string(&infinite).unwrap(), "\"-Infinity\"");
    }
}
