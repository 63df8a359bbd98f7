//! The features of one class, described once: names, places, texts.

use std::collections::BTreeMap;

use pricetag_classfile::naming;
use pricetag_classfile::opcode::mnemonic;
use pricetag_dataset::{Feature, FeatureKind};
use pricetag_probe_plan::{
    BlockPlan, CallSite, ClassPlan, CounterIndex, EdgeId, EdgeKind, MethodPlan, Node, StridePlan,
    TransitionPlan,
};

use crate::leaving::{TargetId, Targets};

/// The features of one method, parallel to the tables of its plan.
pub(crate) struct MethodFeatures {
    pub(crate) invocations: Feature,
    pub(crate) blocks: Vec<Feature>,
    pub(crate) loops: Vec<Feature>,
    pub(crate) handlers: Vec<Feature>,
    /// By number of the edge.
    pub(crate) branches: BTreeMap<u32, Feature>,
    /// Of the branches whose transitions are counted, with the counter; parallel to [`ClassPlan::transitions_of`].
    pub(crate) transitions: Vec<(CounterIndex, Feature)>,
    /// Of the array reads whose strides are counted, likewise.
    pub(crate) strides: Vec<(CounterIndex, Feature)>,
    /// Number of the method over all plans, and the name it is shown by.
    pub(crate) number: u32,
    pub(crate) shown: String,
    /// Targets of each block's calls, parallel to [`BlockPlan::calls`].
    pub(crate) calls: Vec<Vec<TargetId>>,
}

/// The shown name of each method of a class, unique within it; `suffix` tells apart classes of one name.
pub(crate) fn method_names(plan: &ClassPlan, suffix: &str) -> Vec<String> {
    let show = |m: &MethodPlan| naming::method(&plan.name, &m.name, &m.descriptor);
    let mut uses: BTreeMap<String, u32> = BTreeMap::new();
    for method in &plan.methods {
        *uses.entry(show(method)).or_default() += 1;
    }
    plan.methods
        .iter()
        .map(|method| {
            let shown = show(method);
            if uses[&shown] > 1 {
                let owner = naming::class(&plan.name);
                format!("{owner}.{}{}{suffix}", method.name, method.descriptor)
            } else {
                format!("{shown}{suffix}")
            }
        })
        .collect()
}

impl MethodFeatures {
    pub(crate) fn of(class: &ClassPlan, index: usize, shown: &str, targets: &mut Targets) -> Self {
        let method = &class.methods[index];
        let calls = method.blocks.iter().map(|block| {
            let numbers = block.calls.iter().map(|call| targets.number(call));
            numbers.collect()
        });
        let describe = Describe {
            class,
            method,
            shown,
        };
        Self {
            invocations: describe.method(),
            blocks: (0..method.blocks.len())
                .map(|b| describe.block(b))
                .collect(),
            loops: describe.loops(),
            handlers: describe.handlers(),
            branches: describe.branches(),
            transitions: describe.transitions(class.transitions_of(index as u16)),
            strides: describe.strides(class.strides_of(index as u16)),
            calls: calls.collect(),
            number: targets.method(),
            shown: shown.to_owned(),
        }
    }
}

/// File and lines of a feature, as they stand at the end of its name.
pub(crate) fn file_and_lines(feature: &Feature) -> String {
    let place = naming::place(feature.source_file.as_deref(), feature.lines);
    place.map_or_else(String::new, |place| format!(" ({place})"))
}

/// A feature's name with more words before its place.
pub(crate) fn inserted(feature: &Feature, words: &str) -> String {
    let place = file_and_lines(feature);
    let name = feature.name.strip_suffix(place.as_str());
    format!("{} {words}{place}", name.unwrap_or(&feature.name))
}

/// The names of the loops of a method whose probes are removed.
pub(crate) fn removed_loops<'a>(
    class: &'a ClassPlan,
    method: &'a MethodPlan,
    shown: &'a str,
) -> impl Iterator<Item = String> + 'a {
    let describe = Describe {
        class,
        method,
        shown,
    };
    let loops = describe.loops().into_iter().map(|feature| feature.name);
    let numbered = (0..).zip(loops);
    numbered.filter_map(|(l, name)| method.is_removed(Some(l)).then_some(name))
}

struct Describe<'a> {
    class: &'a ClassPlan,
    method: &'a MethodPlan,
    shown: &'a str,
}

impl Describe<'_> {
    /// A feature at a block, with the block's place but without its text.
    fn at(&self, kind: FeatureKind, what: &str, block: usize) -> Feature {
        let plan = &self.method.blocks[block];
        let lines = plan.line_span().map(|(a, b)| (a.into(), b.into()));
        let mut feature = Feature {
            block: Some(block as u32),
            pcs: Some((u32::from(plan.start.0), plan.end)),
            lines,
            code_lines: plan.code_lines(),
            ..self.somewhere(kind)
        };
        feature.name = format!("{} {what}{}", self.shown, file_and_lines(&feature));
        feature
    }

    fn somewhere(&self, kind: FeatureKind) -> Feature {
        Feature {
            kind,
            unit: "1".to_owned(),
            class: Some(self.class.name.clone()),
            method: Some(self.method.name.clone()),
            descriptor: Some(self.method.descriptor.clone()),
            source_file: self.class.source_file.clone(),
            ..Feature::default()
        }
    }

    fn method(&self) -> Feature {
        let spans = self.method.blocks.iter().filter_map(BlockPlan::line_span);
        let first = spans.clone().map(|span| span.0).min();
        let lines = first.zip(spans.map(|span| span.1).max());
        Feature {
            name: format!("{} invocations", self.shown),
            pcs: Some((0, self.method.code_bytes)),
            lines: lines.map(|(a, b)| (a.into(), b.into())),
            ..self.somewhere(FeatureKind::Method)
        }
    }

    fn block(&self, block: usize) -> Feature {
        Feature {
            text: Some(text(&self.method.blocks[block])),
            ..self.at(FeatureKind::Block, &format!("block {block}"), block)
        }
    }

    fn loops(&self) -> Vec<Feature> {
        let loops = self.method.loops.iter().enumerate();
        loops
            .map(|(index, l)| {
                let header = l.header.0 as usize;
                let what = format!("loop {index} at block {header}");
                let irregular = if l.reducible {
                    ""
                } else {
                    ", entered in several places"
                };
                Feature {
                    text: Some(format!(
                        "passes of the loop's header, nesting depth {}{irregular}",
                        l.depth
                    )),
                    ..self.at(FeatureKind::Loop, &what, header)
                }
            })
            .collect()
    }

    fn handlers(&self) -> Vec<Feature> {
        let handlers = self.method.handlers.iter().enumerate();
        handlers
            .map(|(index, h)| {
                let block = h.block.0 as usize;
                let caught = if h.catches.is_empty() {
                    "any exception".to_owned()
                } else {
                    let names: Vec<String> = h.catches.iter().map(|c| naming::class(c)).collect();
                    names.join(", ")
                };
                Feature {
                    text: Some(format!("entries by exception: {caught}")),
                    ..self.at(
                        FeatureKind::Exception,
                        &format!("handler {index} at block {block}"),
                        block,
                    )
                }
            })
            .collect()
    }

    fn branches(&self) -> BTreeMap<u32, Feature> {
        let mut features = BTreeMap::new();
        for (index, edge) in self.method.edges.iter().enumerate() {
            let (Node::Block(from), true) = (edge.from, edge.kind.is_branch_outcome()) else {
                continue;
            };
            let side = match edge.kind {
                EdgeKind::Taken => "taken".to_owned(),
                EdgeKind::NotTaken => "not taken".to_owned(),
                EdgeKind::Case(case) => format!("case {case}"),
                _ => "default".to_owned(),
            };
            let block = from.0 as usize;
            let to = match edge.to {
                Node::Block(to) => format!("to block {}", to.0),
                _ => "out".to_owned(),
            };
            let feature = Feature {
                text: Some(format!("{side}, {to}")),
                ..self.at(FeatureKind::Branch, &format!("block {block} {side}"), block)
            };
            features.insert(EdgeId(index as u32).0, feature);
        }
        features
    }
}

impl Describe<'_> {
    fn transitions(&self, planned: &[TransitionPlan]) -> Vec<(CounterIndex, Feature)> {
        let describe = |transition: &TransitionPlan| {
            let block = transition.block.0 as usize;
            let text = "changes of the outcome from one execution to the next on a thread";
            let feature = Feature {
                text: Some(text.to_owned()),
                ..self.at(
                    FeatureKind::Transition,
                    &format!("block {block} transitions"),
                    block,
                )
            };
            (transition.counter, feature)
        };
        planned.iter().map(describe).collect()
    }

    fn strides(&self, planned: &[StridePlan]) -> Vec<(CounterIndex, Feature)> {
        let describe = |stride: &StridePlan| {
            let (block, pc) = (stride.block.0 as usize, stride.pc.0);
            let text = "reads of array elements from another cache line than the last one here, on a thread";
            let what = format!("block {block} strides at {pc}");
            let feature = Feature {
                text: Some(text.to_owned()),
                ..self.at(FeatureKind::Stride, &what, block)
            };
            (stride.counter, feature)
        };
        planned.iter().map(describe).collect()
    }
}

/// One instruction per line: position, mnemonic, and the target of calls.
fn text(block: &BlockPlan) -> String {
    let mut lines = Vec::with_capacity(block.instructions.len());
    for instruction in &block.instructions {
        let call = block.calls.iter().find(|c| c.pc == instruction.pc);
        let target = call.map_or_else(String::new, |c| {
            format!(" {}", naming::method(&c.owner, &c.name, &c.descriptor))
        });
        let name = mnemonic(instruction.opcode);
        lines.push(format!("{} {name}{target}", instruction.pc.0));
    }
    lines.join("\n")
}

/// Calls that leave the counted code for one target.
pub(crate) fn call(owner: &str, site: &CallSite) -> Feature {
    let dynamic = if site.opcode == 0xba { "dynamic " } else { "" };
    Feature {
        name: format!(
            "{dynamic}call {}",
            naming::method(owner, &site.name, &site.descriptor)
        ),
        kind: FeatureKind::Call,
        unit: "1".to_owned(),
        class: Some(owner.to_owned()),
        method: Some(site.name.to_string()),
        descriptor: Some(site.descriptor.to_string()),
        ..Feature::default()
    }
}

/// Executions of one category of opcodes.
pub(crate) fn opcode(category: &str) -> Feature {
    Feature {
        name: format!("opcode {category}"),
        kind: FeatureKind::Opcode,
        unit: "1".to_owned(),
        ..Feature::default()
    }
}
