//! Field and method descriptors (JVMS §4.3).

/// The parameter types of a method descriptor, as field descriptors, and the return type.
///
/// None if it is no method descriptor.
pub fn split(descriptor: &str) -> Option<(Vec<&str>, &str)> {
    let mut rest = descriptor.strip_prefix('(')?;
    let mut parameters = Vec::new();
    loop {
        if let Some(result) = rest.strip_prefix(')') {
            let complete = result == "V" || type_length(result) == Some(result.len());
            return complete.then_some((parameters, result));
        }
        let (parameter, tail) = rest.split_at(type_length(rest)?);
        parameters.push(parameter);
        rest = tail;
    }
}

/// Length of the field descriptor that `text` starts with.
fn type_length(text: &str) -> Option<usize> {
    let dimensions = text.bytes().take_while(|b| *b == b'[').count();
    match text.as_bytes().get(dimensions)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(dimensions + 1),
        b'L' => text[dimensions..].find(';').map(|end| dimensions + end + 1),
        _ => None,
    }
}

/// Slots a value of this field descriptor takes.
pub fn slots(field: &str) -> u16 {
    if matches!(field, "J" | "D") { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn splits_what_is_a_descriptor() {
        assert_eq!(
            split("(I[[JLa/B;)V"),
            Some((vec!["I", "[[J", "La/B;"], "V"))
        );
        assert_eq!(split("()[La;"), Some((vec![], "[La;")));
        for bad in [
            "", "(", "()", "()VV", "(V)V", "(L)V", "I", "([)V", "(La)V", "()Lä",
        ] {
            assert_eq!(split(bad), None, "{bad}");
        }
    }
}
