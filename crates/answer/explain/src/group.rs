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
        code_lines: feature.code_lines.clone(),
        source_file: feature.source_file.clone(),
    })
}

/// The lines a feature's cost goes to, and the part that each has.
pub(crate) fn keys(name: &str, feature: Option<&Feature>, by: Grouping) -> Vec<(Key, f64)> {
    let own = |place| {
        let name = name.to_owned();
        vec![(Key { name, place }, 1.0)]
    };
    let Some(place) = feature.and_then(place) else {
        return own(None);
    };
    match by {
        Grouping::Block | Grouping::Bucket => own(Some(place)),
        Grouping::Method if place.method.is_none() => own(Some(place)),
        Grouping::Method => vec![(method_key(place), 1.0)],
        Grouping::Line => line_keys(&place).unwrap_or_else(|| {
            let mut key = method_key(place);
            key.name.push_str(" (no line numbers)");
            vec![(key, 1.0)]
        }),
    }
}

fn method_key(place: Place) -> Key {
    let name = place.method_name();
    let place = Place {
        block: None,
        pcs: None,
        lines: None,
        code_lines: Vec::new(),
        ..place
    };
    Key {
        name,
        place: Some(place),
    }
}

fn line_keys(place: &Place) -> Option<Vec<(Key, f64)>> {
    let path = place.source_path()?;
    let key = |(line, part): (u32, f64)| {
        let key = Key {
            name: format!("{path}:{line}"),
            place: Some(Place {
                method: None,
                descriptor: None,
                block: None,
                pcs: None,
                lines: Some((line, line)),
                code_lines: Vec::new(),
                ..place.clone()
            }),
        };
        (key, part)
    };
    let keys: Vec<_> = place.by_line().into_iter().map(key).collect();
    (!keys.is_empty()).then_some(keys)
}

/// The name of a kind, as `--features` and JSON have it.
pub(crate) fn kind_name(kind: FeatureKind) -> &'static str {
    kind.name()
}
