//! Arguments with placeholders: what these stood for, and what of them is known before a run.

use std::collections::BTreeMap;

use pricetag_dataset::{InputValue, Observation};

use crate::{Known, Source};

/// The name of the placeholder that a word is; none if it is something else. That of `{}` is empty.
fn placeholder(word: &str) -> Option<&str> {
    let inside = word.strip_prefix('{')?.strip_suffix('}')?;
    (!inside.contains(['{', '}'])).then_some(inside)
}

/// What the placeholders of a recorded input stood for, as far as that was kept. `{}` is its file, or the only column of its table.
pub fn bindings(observation: &Observation) -> BTreeMap<String, String> {
    let text = |value: &InputValue| match value {
        InputValue::Number(number) => number.to_string(),
        InputValue::Text(text) => text.clone(),
    };
    let columns = observation
        .inputs
        .iter()
        .map(|(name, value)| (name.clone(), text(value)));
    let mut bindings: BTreeMap<String, String> = columns.collect();
    let mut plain = bindings.iter().filter(|(name, _)| !name.contains('.'));
    let only = match (plain.next(), plain.next()) {
        (Some((_, value)), None) => value.clone(),
        _ => observation.label.clone(),
    };
    bindings.insert(String::new(), only);
    bindings
}

/// Where the value of an input feature comes from; none if no argument by itself tells it.
pub fn known(feature: &str, template: &[String]) -> Option<Source> {
    let places = template.iter().enumerate();
    let mut places = places.filter_map(|(at, word)| Some((at, placeholder(word)?)));
    places.find_map(|(argument, name)| {
        let about = |suffix: &str| match feature.strip_suffix(suffix) {
            Some(base) => base == name || name.is_empty(),
            None => false,
        };
        let category = feature.split_once('=');
        let known = if about(".bytes") {
            Known::Bytes
        } else if about(".lines") {
            Known::Lines
        } else if let Some((_, text)) =
            category.filter(|(base, _)| *base == name || name.is_empty())
        {
            Known::Is(text.to_owned())
        } else if feature == name || name.is_empty() && !feature.contains('.') {
            Known::Number
        } else {
            return None;
        };
        Some(Source::Input { argument, known })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn placeholders_stand_for_what_was_recorded() {
        let mut observation = Observation {
            label: "in/a.txt".to_owned(),
            ..Observation::default()
        };
        let inputs = &mut observation.inputs;
        inputs.insert("input.bytes".to_owned(), InputValue::Number(7.0));
        assert_eq!(bindings(&observation)[""], "in/a.txt");
        let inputs = &mut observation.inputs;
        inputs.insert("n".to_owned(), InputValue::Number(1e6));
        let bound = bindings(&observation);
        assert_eq!(
            (bound[""].as_str(), bound["n"].as_str()),
            ("1000000", "1000000")
        );
    }

    #[test]
    fn what_an_argument_tells() {
        let template = words("-q {} {n} x{m}");
        let at = |feature| match known(feature, &template) {
            Some(Source::Input { argument, known }) => Some((argument, known)),
            _ => None,
        };
        assert_eq!(at("input.bytes"), Some((1, Known::Bytes)));
        assert_eq!(at("input.lines"), Some((1, Known::Lines)));
        assert_eq!(
            known("n", &words("{n}")),
            Some(Source::Input {
                argument: 0,
                known: Known::Number
            })
        );
        assert_eq!(
            known("mode=fast", &words("{mode}")),
            Some(Source::Input {
                argument: 0,
                known: Known::Is("fast".to_owned())
            })
        );
        assert_eq!(known("m", &words("x{m}")), None);
        assert_eq!(known("input.bytes", &words("fixed.txt")), None);
    }
}
