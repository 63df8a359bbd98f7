//! Formulas as stochastic expressions of Palladio.
//!
//! Names become variables with a characterisation: `n` is `n.VALUE`, `files.size` is `files.NUMBER_OF_ELEMENTS`, `files.sizes`, the bytes of all files together,
//! is `files.BYTESIZE`, `files[pass].size` is `files.INNER.NUMBER_OF_ELEMENTS`. What Palladio has no characterisation for becomes an inner variable:
//! `types.count(1)` is `types.count_1.VALUE`. Conditions are truth values there, and numbers here: each is made the other where it must be.

use std::fmt::Write as _;

use pricetag_cost_model::{Comparison, Formula};

/// A formula as a number.
pub(crate) fn number(formula: &Formula) -> String {
    let join = |parts: &[Formula], sign: &str| {
        let parts: Vec<String> = parts.iter().map(number).collect();
        format!("({})", parts.join(sign))
    };
    match formula {
        Formula::Constant(c) => literal(*c),
        Formula::Feature(name) => variable(name),
        Formula::Linear { intercept, terms } => {
            let mut out = format!("({}", literal(*intercept));
            for (factor, name) in terms {
                let _ = write!(out, " + {} * {}", literal(*factor), variable(name));
            }
            out + ")"
        }
        Formula::Sum(parts) if parts.is_empty() => "0.0".to_owned(),
        Formula::Product(parts) if parts.is_empty() => "1.0".to_owned(),
        Formula::Sum(parts) => join(parts, " + "),
        Formula::Product(parts) => join(parts, " * "),
        Formula::Quotient(a, b) => format!("({} / {})", number(a), number(b)),
        Formula::Power(a, b) => format!("({} ^ {})", number(a), number(b)),
        Formula::Log(a) => format!("Log({})", number(a)),
        Formula::Exp(a) => format!("Exp({})", number(a)),
        Formula::Sin(a) => format!("Sin({})", number(a)),
        Formula::Arctan(a) => format!("Arctan({})", number(a)),
        Formula::Min(a, b) => chosen(a, "<", b),
        Formula::Max(a, b) => chosen(a, ">", b),
        Formula::Compare(..) => format!("(({}) ? 1 : 0)", truth(formula)),
        Formula::If {
            condition,
            then,
            otherwise,
        } => format!(
            "(({}) ? {} : {})",
            truth(condition),
            number(then),
            number(otherwise)
        ),
    }
}

fn chosen(a: &Formula, sign: &str, b: &Formula) -> String {
    let (a, b) = (number(a), number(b));
    format!("(({a} {sign} {b}) ? {a} : {b})")
}

/// A formula as a truth value.
pub(crate) fn truth(formula: &Formula) -> String {
    match formula {
        Formula::Compare(how, a, b) => {
            let sign = match how {
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
                Comparison::Equal => "==",
                Comparison::NotEqual => "<>",
            };
            format!("{} {sign} {}", number(a), number(b))
        }
        Formula::Product(parts)
            if !parts.is_empty() && parts.iter().all(|p| matches!(p, Formula::Compare(..))) =>
        {
            let parts: Vec<String> = parts.iter().map(|p| format!("({})", truth(p))).collect();
            parts.join(" AND ")
        }
        other => format!("{} <> 0", number(other)),
    }
}

/// Decimal, never with an exponent.
fn literal(number: f64) -> String {
    if number < 0.0 {
        format!("(0.0 - {:?})", Plain(-number))
    } else {
        format!("{:?}", Plain(number))
    }
}

struct Plain(f64);

impl std::fmt::Debug for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.0.to_string();
        if text.contains('.') {
            f.write_str(&text)
        } else {
            write!(f, "{text}.0")
        }
    }
}

/// A name as a variable with its characterisation.
pub(crate) fn variable(name: &str) -> String {
    let (reference, kind) = split(name);
    format!("{}.{kind}", reference.join("."))
}

/// The references and the characterisation of a name.
pub(crate) fn split(name: &str) -> (Vec<String>, &'static str) {
    let (base, kind) = if let Some(base) = name.strip_suffix(".size") {
        (base, "NUMBER_OF_ELEMENTS")
    } else if let Some(base) = name.strip_suffix(".sizes") {
        (base, "BYTESIZE")
    } else {
        (name, "VALUE")
    };
    let details = ["sum", "least", "largest", "kinds", "null", "count"];
    let mut references = vec![String::new()];
    for part in base.split('.') {
        let detail = details.iter().any(|d| part.starts_with(d)) && !references[0].is_empty();
        let (word, inner) = match part.strip_suffix("[pass]") {
            Some(word) => (word, true),
            None => (part, false),
        };
        let word = clean(word);
        let last = references.len() - 1;
        if detail {
            references.push(word);
        } else if references[last].is_empty() {
            references[last] = word;
        } else {
            // `Store.put.p0` is one variable of the caller.
            references[last] = format!("{}_{word}", references[last]);
        }
        if inner {
            references.push("INNER".to_owned());
        }
    }
    (references, kind)
}

/// A word of letters, digits and underscores.
pub(crate) fn clean(word: &str) -> String {
    let mut out: String = word
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    while out.ends_with('_') {
        out.pop();
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) || out.is_empty() {
        out.insert(0, '_');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_variables_with_a_characterisation() {
        for (name, expected) in [
            ("n", "n.VALUE"),
            ("files.size", "files.NUMBER_OF_ELEMENTS"),
            ("files.sizes", "files.BYTESIZE"),
            ("files[pass].size", "files.INNER.NUMBER_OF_ELEMENTS"),
            ("types[pass]", "types.INNER.VALUE"),
            ("types.count(1)", "types.count_1.VALUE"),
            ("Hashing.hash.result", "Hashing_hash_result.VALUE"),
            ("Hashing.hash.p0.size", "Hashing_hash_p0.NUMBER_OF_ELEMENTS"),
        ] {
            assert_eq!(variable(name), expected);
        }
    }

    #[test]
    fn conditions_are_truth_values_and_sums_are_numbers() {
        let formula = Formula::parse("if(size > 200000, 2*size, 0)").unwrap();
        assert_eq!(
            number(&formula),
            "((size.VALUE > 200000.0) ? (2.0 * size.VALUE) : 0.0)"
        );
        let formula = Formula::parse("a > 1").unwrap();
        assert_eq!(number(&formula), "((a.VALUE > 1.0) ? 1 : 0)");
        assert_eq!(literal(-1e-7), "(0.0 - 0.0000001)");
    }
}
