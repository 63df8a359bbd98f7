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

/// Slots that the parameters of a method descriptor take, and its result; none if it is no method descriptor.
pub fn slots_of_call(descriptor: &[u8]) -> Option<(u32, u32)> {
    let (b'(', mut rest) = descriptor
        .split_first()
        .map(|(first, rest)| (*first, rest))?
    else {
        return None;
    };
    let mut parameters = 0;
    loop {
        if let [b')', result @ ..] = rest {
            return match result {
                b"V" => Some((parameters, 0)),
                _ => match first_type(result)? {
                    (slots, []) => Some((parameters, slots)),
                    _ => None,
                },
            };
        }
        let (slots, tail) = first_type(rest)?;
        parameters += slots;
        rest = tail;
    }
}

/// Slots of the field descriptor that `text` starts with, and what follows it.
fn first_type(text: &[u8]) -> Option<(u32, &[u8])> {
    let (first, mut rest) = text.split_first()?;
    let mut element = *first;
    while element == b'[' {
        let (next, tail) = rest.split_first()?;
        (element, rest) = (*next, tail);
    }
    let rest = match element {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => rest,
        b'L' => &rest[rest.iter().position(|b| *b == b';')? + 1..],
        _ => return None,
    };
    Some((1 + u32::from(matches!(first, b'J' | b'D')), rest))
}

/// Slots a value of this field descriptor takes.
pub fn slots(field: &str) -> u16 {
    if matches!(field, "J" | "D") { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::{slots, slots_of_call, split};

    #[test]
    fn splits_what_is_a_descriptor() {
        assert_eq!(
            split("(I[[JLa/B;)V"),
            Some((vec!["I", "[[J", "La/B;"], "V"))
        );
        assert_eq!(split("()[La;"), Some((vec![], "[La;")));
        for descriptor in ["(I[[JLa/B;)V", "()[La;", "(JD[J[[DLx;F)J", "()V", "()[D"] {
            let (parameters, result) = split(descriptor).unwrap();
            let taken = parameters.iter().map(|p| u32::from(slots(p))).sum();
            let left = if result == "V" {
                0
            } else {
                u32::from(slots(result))
            };
            assert_eq!(
                slots_of_call(descriptor.as_bytes()),
                Some((taken, left)),
                "{descriptor}"
            );
        }
        for bad in [
            "", "(", "()", "()VV", "(V)V", "(L)V", "I", "([)V", "(La)V", "()Lä",
        ] {
            assert_eq!(split(bad), None, "{bad}");
            assert_eq!(slots_of_call(bad.as_bytes()), None, "{bad}");
        }
    }
}
