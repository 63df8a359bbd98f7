//! A class that has been rewritten so that it counts.

use std::sync::Arc;

use pricetag_classfile::ClassFile;
use pricetag_classfile::opcode::MONITORENTER;
use pricetag_probe_plan::{ClassPlan, MethodOutcome, MethodPlan};
use pricetag_trace::UNLISTED;

use crate::classes::{Counted, CountedMethod};

/// A class that has been rewritten so that it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// Its class file.
    pub bytes: Vec<u8>,
    /// Where in it the number of the class is, two bytes each.
    pub index_at: Vec<usize>,
    /// What is counted.
    pub counted: Arc<Counted>,
    /// Methods that are left as they are or not fully observed, with the reason.
    pub left: Vec<(String, String)>,
    /// Its plan, as it is stored.
    pub plan: Arc<[u8]>,
}

impl Rewritten {
    /// What came of rewriting a class by its plan, which is also given as it is stored.
    pub fn of(
        name: String,
        plan: &ClassPlan,
        rewritten: pricetag_instrument::Rewritten,
        stored: Vec<u8>,
    ) -> Self {
        let mut methods: Vec<CountedMethod> = plan
            .methods
            .iter()
            .map(|method| CountedMethod {
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                pcs: Vec::new(),
                code_length: 0,
                monitor_enters: instructions(method, MONITORENTER),
            })
            .collect();
        let label = |index: u16| {
            let method = methods.get(usize::from(index));
            method.map_or_else(String::new, |m| format!("{}{}", m.name, m.descriptor))
        };
        let mut left = Vec::new();
        for (index, method) in plan.methods.iter().enumerate() {
            if let MethodOutcome::Left(reason) = &method.outcome
                && reason != UNLISTED
            {
                left.push((label(index as u16), reason.clone()));
            }
        }
        for (method, reason) in &rewritten.left {
            left.push((label(*method), reason.clone()));
        }
        for (method, reason) in &rewritten.without_values {
            let reason = format!("no values are taken in it: {reason}");
            left.push((label(*method), reason));
        }
        for (method, reason) in &rewritten.without_callers {
            let reason = format!(
                "its loops, its invocations and what it calls are not counted by caller: {reason}"
            );
            left.push((label(*method), reason));
        }
        for (method, reason) in &rewritten.without_caught {
            let reason = format!("exceptions caught in it are of an unknown class: {reason}");
            left.push((label(*method), reason));
        }
        for (method, reason) in &rewritten.without_asked {
            let reason = format!("its calls that leave are not written down: {reason}");
            left.push((label(*method), reason));
        }
        for (method, length) in methods.iter_mut().zip(code_lengths(&rewritten.bytes)) {
            method.code_length = length;
        }
        let is_left = |index: u16| rewritten.left.iter().any(|(left, _)| *left == index);
        for changed in rewritten
            .methods
            .into_iter()
            .filter(|changed| !is_left(changed.index))
        {
            let index = usize::from(changed.index);
            if plan
                .methods
                .get(index)
                .is_some_and(|method| method.outcome == MethodOutcome::Counted)
            {
                methods[index].pcs = changed.pcs;
            }
        }
        let counted = Counted {
            hash: plan.hash,
            name,
            counters: plan.counters as usize,
            chunk: plan.chunk_length() as usize,
            variables: plan
                .values
                .as_ref()
                .map_or_else(Vec::new, |v| v.variables.clone()),
            fields: plan
                .values
                .as_ref()
                .map_or_else(Vec::new, |v| v.fields.clone()),
            depths: depths(plan),
            super_name: plan.super_name.clone(),
            methods: methods.into(),
            loops: plan.first_loop(plan.methods.len()) as usize,
            caller: None,
        };
        Self {
            bytes: rewritten.bytes,
            index_at: rewritten.class_index_at,
            counted: Arc::new(counted),
            left,
            plan: stored.into(),
        }
    }
}

/// Length of each method's code, 0 where there is none.
pub fn code_lengths(bytes: &[u8]) -> Vec<usize> {
    let Ok(class) = ClassFile::parse(bytes) else {
        return Vec::new();
    };
    let lengths = class.methods().iter().map(|method| {
        let code = method.code(class.constants()).ok().flatten();
        code.map_or(0, |code| code.bytes.len())
    });
    lengths.collect()
}

/// Recursive methods of a class, and where in its chunk the largest depth is noted.
fn depths(plan: &ClassPlan) -> Vec<(u16, usize)> {
    let recursive = plan.values.iter().flat_map(|values| &values.recursive);
    let elements = recursive.filter_map(|&m| Some((m, plan.depth_element(m)? as usize + 1)));
    elements.collect()
}

/// Where an opcode stands in a method.
fn instructions(method: &MethodPlan, opcode: u8) -> Vec<u16> {
    let all = method.blocks.iter().flat_map(|block| &block.instructions);
    all.filter(|instruction| instruction.opcode == opcode)
        .map(|instruction| instruction.pc.0)
        .collect()
}
