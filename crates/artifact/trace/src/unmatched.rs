//! Names on a list that the counted classes do not have, or not any longer.
//!
//! A list outlives the code it was made of, and blocks are numbered: a name whose file and lines do not fit is told, too. Whether a class that
//! was not loaded has what is named cannot be known.

use pricetag_classfile::naming;
use pricetag_probe_plan::{BlockPlan, ClassPlan, MethodOutcome, MethodPlan};

use crate::listed::{BlockName, Listed};

/// Names that are told one by one; more are summed up.
const TOLD: usize = 10;

impl Listed {
    /// What to tell of the names that mean nothing in these classes, or something else than where the list was made. Methods that were left for a
    /// reason are not told again.
    pub fn unmatched(&self, plans: &[&ClassPlan]) -> Vec<String> {
        let methods = self.methods().filter_map(|listed| {
            let of_class = plans.iter().filter(|plan| plan.name == listed.class);
            let is = |m: &MethodPlan| m.name == listed.name && m.descriptor == listed.descriptor;
            let known = of_class.flat_map(|plan| &plan.methods).any(is);
            (!known).then(|| nowhere(&listed.to_string()))
        });
        let blocks = self.blocks().filter_map(|listed| told(listed, plans));
        let mut all: Vec<String> = methods.chain(blocks).collect();
        let more = all.len().saturating_sub(TOLD);
        all.truncate(TOLD);
        if more > 0 {
            all.push(format!("the list names {more} more like that"));
        }
        all
    }
}

fn nowhere(name: &str) -> String {
    format!("the list names {name}, which no class that was counted has")
}

/// What to tell of a block, if anything.
fn told(listed: &BlockName, plans: &[&ClassPlan]) -> Option<String> {
    let mut elsewhere = None;
    for plan in plans
        .iter()
        .filter(|plan| listed.is_in(&plan.name, plan.hash))
    {
        let is = |m: &&MethodPlan| listed.is_of(&m.name, &m.descriptor);
        for method in plan.methods.iter().filter(is) {
            if matches!(method.outcome, MethodOutcome::Left(_)) {
                return None;
            }
            let Some(block) = method.blocks.get(listed.block.0 as usize) else {
                continue;
            };
            let place = place(plan, block);
            if listed.place.is_none() || listed.place == place {
                return None;
            }
            elsewhere = place;
        }
    }
    Some(elsewhere.map_or_else(
        || nowhere(&listed.to_string()),
        |place| {
            format!(
                "the list names {listed}, but that block is at {place}: is the list of other code?"
            )
        },
    ))
}

/// File and lines of a block, as its name states them.
fn place(plan: &ClassPlan, block: &BlockPlan) -> Option<String> {
    let lines = block.line_span();
    let lines = lines.map(|(first, last)| (first.into(), last.into()));
    naming::place(plan.source_file.as_deref(), lines)
}
