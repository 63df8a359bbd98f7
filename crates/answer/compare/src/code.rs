//! The counted code of a dataset: its methods, each with the blocks that ran.

use std::collections::BTreeMap;

use pricetag_classfile::naming;
use pricetag_dataset::{Dataset, Feature, FeatureKind};
use pricetag_finding::Place;

/// Class, method and descriptor.
pub(crate) type Key = (String, String, String);

/// A block that ran in some observation.
pub(crate) struct Block {
    /// Column of its executions.
    pub(crate) column: usize,
    pub(crate) number: u32,
    pub(crate) lines: Option<(u32, u32)>,
    /// Its instructions and what they call, without their places.
    pub(crate) content: String,
    pub(crate) instructions: f64,
}

impl Block {
    /// What it calls, by name.
    pub(crate) fn callees(&self) -> impl Iterator<Item = &str> {
        callees(&self.content)
    }
}

/// What a block's content calls, by name.
pub fn callees(content: &str) -> impl Iterator<Item = &str> {
    let calls = content.lines().filter_map(|line| line.split_once(' '));
    calls.filter_map(|(mnemonic, callee)| mnemonic.starts_with("invoke").then_some(callee))
}

/// A method that ran in some observation.
pub(crate) struct Method {
    pub(crate) key: Key,
    pub(crate) place: Place,
    /// By number.
    pub(crate) blocks: Vec<Block>,
    /// Column of its invocations, where they were recorded.
    pub(crate) invocations: Option<usize>,
    /// Whether some count differed between two runs of one input.
    pub(crate) varies: bool,
}

impl Method {
    /// How the code of a block names it that calls it.
    pub(crate) fn callee(&self) -> String {
        let (class, method, descriptor) = &self.key;
        naming::method(class, method, descriptor)
    }

    /// What it consists of.
    pub(crate) fn content(&self) -> String {
        let blocks = self.blocks.iter().map(|block| block.content.as_str());
        blocks.collect::<Vec<_>>().join("\n\n")
    }

    pub(crate) fn instructions(&self) -> f64 {
        self.blocks.iter().map(|block| block.instructions).sum()
    }
}

/// Methods of a dataset in the order of their names.
pub(crate) fn methods(dataset: &Dataset) -> Vec<Method> {
    let mut found: BTreeMap<Key, Method> = BTreeMap::new();
    for (column, feature) in dataset.features.iter().enumerate() {
        let (FeatureKind::Block | FeatureKind::Method, Some(key)) = (feature.kind, key(feature))
        else {
            continue;
        };
        let method = found.entry(key.clone()).or_insert_with(|| Method {
            key,
            place: place(feature),
            blocks: Vec::new(),
            invocations: None,
            varies: false,
        });
        method.varies |= feature.nondeterministic > 0;
        match (feature.kind, feature.block) {
            (FeatureKind::Block, Some(number)) => {
                let text = feature.text.as_deref().unwrap_or_default();
                method.blocks.push(Block {
                    column,
                    number,
                    lines: feature.lines,
                    content: content(text),
                    instructions: text.lines().count().max(1) as f64,
                });
                widen(&mut method.place, feature.lines);
            }
            _ => method.invocations = Some(column),
        }
    }
    let mut methods: Vec<Method> = found.into_values().collect();
    for method in &mut methods {
        method.blocks.sort_by_key(|block| block.number);
    }
    methods
}

/// Instructions of a block's text, lines of `pc mnemonic target`, without their places: the same for the same code.
pub fn content(text: &str) -> String {
    let bare = text.lines().map(|line| match line.split_once(' ') {
        Some((pc, rest)) if pc.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => line,
    });
    bare.collect::<Vec<_>>().join("\n")
}

fn key(feature: &Feature) -> Option<Key> {
    Some((
        feature.class.clone()?,
        feature.method.clone()?,
        feature.descriptor.clone().unwrap_or_default(),
    ))
}

fn place(feature: &Feature) -> Place {
    Place {
        class: feature.class.clone().unwrap_or_default(),
        method: feature.method.clone(),
        descriptor: feature.descriptor.clone(),
        lines: feature.lines,
        source_file: feature.source_file.clone(),
        ..Place::default()
    }
}

fn widen(place: &mut Place, lines: Option<(u32, u32)>) {
    place.lines = match (place.lines, lines) {
        (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
        (known, other) => known.or(other),
    };
}
