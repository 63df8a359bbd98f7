//! Elements of a Palladio model as XML.

use std::fmt::Write as _;

/// An element of XML: its name, attributes and what is in it.
pub(crate) fn element(name: &str, attributes: &[(&str, &str)], inside: &str) -> String {
    let mut out = format!("<{name}");
    for (key, value) in attributes {
        let _ = write!(out, " {key}=\"{}\"", escaped(value));
    }
    if inside.is_empty() {
        out + "/>\n"
    } else {
        format!("{out}>\n{inside}</{name}>\n")
    }
}

/// Text for XML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// A random variable with its specification.
pub(crate) fn random(name: &str, specification: &str) -> String {
    element(name, &[("specification", specification)], "")
}

/// One characterisation of a variable.
pub(crate) fn characterised(kind: &str, specification: &str) -> String {
    let inside = random("specification_VariableCharacterisation", specification);
    element(
        "variableCharacterisation_VariableUsage",
        &[("type", kind)],
        &inside,
    )
}

/// A variable with its characterisations.
pub(crate) fn usage(name: &str, variable: &str, inside: &str) -> String {
    let attributes = [
        ("xsi:type", "stoex:VariableReference"),
        ("referenceName", variable),
    ];
    let reference = element("namedReference__VariableUsage", &attributes, "");
    element(name, &[], &format!("{inside}{reference}"))
}
