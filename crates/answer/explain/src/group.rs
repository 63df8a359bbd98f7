//! Which line of an explanation a feature belongs to.

use pricetag_dataset::{Feature, FeatureKind};
use pricetag_finding::{Grouping, Place};

/// A line of an explanation: its name and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) place: Option<Place>,
}

/// The place of a feature, if it is in the code.
pub(crate) fn place(feature: &Feature) -> Option<Place> {
    feature.class.as_ref().map(|class| Place {
        class: class.clone(),
        method: feature.method.clone(),
        descriptor: feature.descriptor.clone(),
        block: feature.block,
        pcs: feature.pcs,
        lines: feature.lines,
        source_file: feature.source_file.clone(),
    })
}

/// The lines a feature's cost goes to, in equal parts.
pub(crate) fn keys(name: &str, feature: Option<&Feature>, by: Grouping) -> Vec<Key> {
    let own = |place| {
        vec![Key {
            name: name.to_owned(),
            place,
        }]
    };
    let Some(place) = feature.and_then(place) else {
        return own(None);
    };
    match by {
        Grouping::Block | Grouping::Bucket => own(Some(place)),
        Grouping::Method if place.method.is_none() => own(Some(place)),
        Grouping::Method => vec![method_key(place)],
        Grouping::Line => line_keys(&place).unwrap_or_else(|| {
            let mut key = method_key(place);
            key.name.push_str(" (no line numbers)");
            vec![key]
        }),
    }
}

fn method_key(place: Place) -> Key {
    let name = place.method_name();
    let place = Place {
        block: None,
        pcs: None,
        lines: None,
        ..place
    };
    Key {
        name,
        place: Some(place),
    }
}

fn line_keys(place: &Place) -> Option<Vec<Key>> {
    let (first, last) = place.lines?;
    let path = place.source_path()?;
    let key = |line: u32| Key {
        name: format!("{path}:{line}"),
        place: Some(Place {
            method: None,
            descriptor: None,
            block: None,
            pcs: None,
            lines: Some((line, line)),
            ..place.clone()
        }),
    };
    Some((first..=last.max(first)).take(MAX_LINES).map(key).collect())
}

/// Lines that one block may spread over; a wider range is damaged debug information.
const MAX_LINES: usize = 500;

/// The name of a kind, as `--features` and JSON have it.
pub(crate) fn kind_name(kind: FeatureKind) -> &'static str {
    kind.name()
}
