//! One class: plan, rewrite, and the counters of the archive in place of the agent's.
//!
//! The rewriter calls the agent's class. All that differs offline is that class's name, one text among the constants that the rewriter
//! appended.

use std::fmt::Write as _;

use pricetag_classfile::{ClassFile, MemberRef};
use pricetag_instrument::{HELPER_CLASS, Wiring, rewrite};
use pricetag_probe_plan::{ClassPlan, MethodOutcome};

use crate::runtime::replace_texts;

/// Methods of the agent's class that ours has, too.
const OFFERED: [&str; 2] = ["chunk", "others"];
/// Tags of constants that name members.
const MEMBERS: std::ops::RangeInclusive<u8> = 9..=11;

/// An instrumented class.
pub(crate) struct Instrumented {
    pub bytes: Vec<u8>,
    /// Number of counted methods.
    pub methods: u32,
    /// Methods that are as they were, with the reason.
    pub left: Vec<(String, String)>,
}

/// Rewrites a class; none if nothing in it is counted.
pub(crate) fn instrument(
    original: &[u8],
    class: &ClassFile<'_>,
    plan: &ClassPlan,
    class_index: u32,
    counters: &str,
) -> Result<Option<Instrumented>, String> {
    let wiring = Wiring {
        class_index,
        scopes: &[],
        caught: false,
        ..Wiring::default()
    };
    let rewritten = rewrite(original, Some(plan), &wiring).map_err(|error| error.to_string())?;
    let label = |index: usize| {
        let method = &plan.methods[index];
        format!("{}{}", method.name, method.descriptor)
    };
    let mut left: Vec<(String, String)> = Vec::new();
    for (index, method) in plan.methods.iter().enumerate() {
        if let MethodOutcome::Left(reason) = &method.outcome {
            left.push((label(index), reason.clone()));
        }
    }
    for (index, reason) in &rewritten.left {
        left.push((label(usize::from(*index)), reason.clone()));
    }
    if rewritten.methods.is_empty() && left.is_empty() {
        return Ok(None);
    }
    let first = class.constants().count();
    let bytes = replace_texts(&rewritten.bytes, first, |text| {
        (text == HELPER_CLASS).then(|| counters.to_owned())
    })
    .map_err(|error| error.to_string())?;
    check(&bytes, counters)?;
    Ok(Some(Instrumented {
        bytes,
        methods: rewritten.methods.len() as u32,
        left,
    }))
}

/// Refuses code that would need more than our class has.
fn check(bytes: &[u8], counters: &str) -> Result<(), String> {
    let class = ClassFile::parse(bytes).map_err(|error| error.to_string())?;
    let pool = class.constants();
    for (index, tag) in pool.tags() {
        if !MEMBERS.contains(&tag) {
            continue;
        }
        let MemberRef {
            owner,
            name,
            descriptor,
        } = pool.member_ref(index).map_err(|error| error.to_string())?;
        if owner == HELPER_CLASS {
            return Err(format!("it uses {HELPER_CLASS} itself"));
        }
        if owner == counters && (!OFFERED.contains(&name.as_str()) || descriptor != "(I)[J") {
            return Err(format!("its counters need {name}{descriptor}"));
        }
    }
    Ok(())
}

/// Line tables of a class: per method with one, a line with its index and `pc:line` pairs.
pub(crate) fn lines(class: &ClassFile<'_>) -> String {
    let pool = class.constants();
    let mut text = String::new();
    for (index, method) in class.methods().iter().enumerate() {
        let Ok(Some(code)) = method.code(pool) else {
            continue;
        };
        let table = code.line_numbers(pool).unwrap_or_default();
        if table.is_empty() {
            continue;
        }
        let _ = write!(text, "{index}");
        for (pc, line) in table {
            let _ = write!(text, " {pc}:{line}");
        }
        text.push('\n');
    }
    text
}
