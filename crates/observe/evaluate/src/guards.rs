//! Code that no training run reached: an evaluation that runs it says so, since nothing was learnt or checked about it.
//!
//! Told are methods, blocks, and sides of conditional branches. Where a recording had no counts of blocks only methods are told; where it
//! counted some classes only, classes that it did not count are not told.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_classfile::{Operand, opcode};
use pricetag_dataset::{Dataset, Feature, FeatureKind};
use pricetag_instrument::insert::Place;

use crate::graph::{Flow, Graph, MethodId};

/// A place that no training run reached, and what to say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Its method.
    pub method: MethodId,
    /// Where in it.
    pub place: Place,
    /// How it is shown.
    pub shown: String,
}

/// What training runs reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Methods with their blocks, by first byte.
    blocks: BTreeMap<MethodId, BTreeSet<u32>>,
    /// Methods that were entered.
    methods: BTreeSet<MethodId>,
    /// Sides of branches: the method, the end of the branch, and whether it was taken.
    sides: BTreeSet<(MethodId, u32, bool)>,
    has_blocks: bool,
    has_sides: bool,
    /// Classes that were counted, if not all were.
    only: Option<BTreeSet<usize>>,
}

/// The method of a feature.
fn method_of(graph: &Graph<'_>, feature: &Feature) -> Option<MethodId> {
    let (class, method) = (feature.class.as_deref()?, feature.method.as_deref()?);
    graph.find(class, method, feature.descriptor.as_deref()?)
}

/// Which side of a branch a feature counts: whether it is the taken one.
pub(crate) fn side(feature: &Feature) -> Option<bool> {
    let text = feature.text.as_deref()?;
    match text.split(',').next()? {
        "taken" => Some(true),
        "not taken" => Some(false),
        _ => None,
    }
}

impl Reached {
    /// By the counts of a dataset.
    pub fn by(dataset: &Dataset, graph: &Graph<'_>) -> Self {
        let mut reached = Self::default();
        let restricted = ["include", "exclude", "methods", "blocks"];
        let option = |name: &&str| {
            dataset
                .meta
                .options
                .get(*name)
                .is_some_and(|v| !v.is_empty() && v != "[]")
        };
        let restricted = restricted.iter().any(option);
        let mut counted = BTreeSet::new();
        for (feature, column) in dataset.features.iter().zip(&dataset.columns) {
            reached.has_blocks |= feature.kind == FeatureKind::Block;
            reached.has_sides |= feature.kind == FeatureKind::Branch;
            let ran = column.iter().any(|(_, value)| *value != 0.0);
            let Some(id) = method_of(graph, feature) else {
                continue;
            };
            counted.insert(graph.method(id).class);
            match (feature.kind, feature.pcs) {
                _ if !ran => {}
                (FeatureKind::Method, _) => {
                    reached.methods.insert(id);
                }
                (FeatureKind::Block, Some((start, _))) => {
                    reached.methods.insert(id);
                    reached.blocks.entry(id).or_default().insert(start);
                }
                (FeatureKind::Branch, Some((_, end))) => {
                    reached
                        .sides
                        .extend(side(feature).map(|taken| (id, end, taken)));
                }
                _ => {}
            }
        }
        reached.only = restricted.then_some(counted);
        reached
    }

    /// Methods that training runs entered.
    pub fn methods(&self) -> &BTreeSet<MethodId> {
        &self.methods
    }

    /// Everything else.
    pub fn guards(&self, graph: &Graph<'_>) -> Vec<Guard> {
        let mut guards = Vec::new();
        for id in graph.ids() {
            let method = graph.method(id);
            let counted = self
                .only
                .as_ref()
                .is_none_or(|only| only.contains(&method.class));
            let Some(flow) = method.flow.as_ref().filter(|_| counted) else {
                continue;
            };
            let shown = graph.shown(id);
            if !self.methods.contains(&id) {
                guards.push(Guard {
                    method: id,
                    place: Place::Entry,
                    shown,
                });
                continue;
            }
            if self.has_blocks {
                self.inside(id, flow, &shown, &mut guards);
            }
        }
        guards
    }

    fn inside(&self, id: MethodId, flow: &Flow, shown: &str, guards: &mut Vec<Guard>) {
        let none = BTreeSet::new();
        let blocks = self.blocks.get(&id).unwrap_or(&none);
        let mut add = |place, shown| {
            guards.push(Guard {
                method: id,
                place,
                shown,
            });
        };
        for block in &flow.cfg.blocks {
            let first = &flow.cfg.instructions[block.instructions.start];
            let last = &flow.cfg.instructions[block.instructions.end - 1];
            if !blocks.contains(&u32::from(first.pc)) {
                add(Place::Before(first.pc), format!("{shown} at {}", first.pc));
                continue;
            }
            let Operand::Branch(target) = last.operand else {
                continue;
            };
            if !self.has_sides || !opcode::is_conditional(last.opcode) {
                continue;
            }
            for (taken, to) in [(false, last.end()), (true, target)] {
                let known = self.sides.contains(&(id, last.end(), taken));
                if known || !blocks.contains(&to) {
                    continue;
                }
                let place = if taken {
                    Place::Taken(last.pc)
                } else {
                    Place::NotTaken(last.pc)
                };
                let word = if taken { "taken" } else { "not taken" };
                add(place, format!("{shown} at {}, {word}", last.pc));
            }
        }
    }
}
