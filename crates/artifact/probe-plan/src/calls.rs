//! What the code of a class calls, as it is stored: each target once, and of every invocation which one it has.
//!
//! Written out at every invocation, targets would be more than half of a stored plan.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash};

use ahash::AHasher;
use pricetag_classfile::opcode as op;
use serde::{Deserialize, Serialize};

use crate::error::CodecError;
use crate::name::Name;
use crate::plan::{BlockPlan, CallSite, ClassPlan, Instruction};

type Numbers<T> = HashMap<T, u32, BuildHasherDefault<AHasher>>;

const MISMATCH: CodecError =
    CodecError::Dangling("a call of an instruction that is no invocation, or none of one");

/// The targets of a class's invocations.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Calls<'a> {
    /// Texts of which no two are alike.
    #[serde(borrow)]
    names: Vec<&'a str>,
    /// Owner, name and descriptor of each target, indices into `names`.
    targets: Vec<[u32; 3]>,
    /// For every invocation in the plan, in its order, an index into `targets`.
    sites: Vec<u32>,
}

impl<'a> Calls<'a> {
    /// Takes them from a plan.
    pub fn of(plan: &'a ClassPlan) -> Result<Self, CodecError> {
        let sites = blocks(plan).map(|block| block.calls.len()).sum();
        let mut calls = Self {
            sites: Vec::with_capacity(sites),
            ..Self::default()
        };
        let (mut names, mut targets) = (Numbers::default(), Numbers::default());
        // The planner has one copy of a text per constant; those are told apart faster than texts.
        let mut copies: Numbers<[*const u8; 3]> = Numbers::default();
        copies.reserve(sites);
        for block in blocks(plan) {
            let mut sites = block.calls.iter();
            for here in invocations(block) {
                let site = sites.next().filter(|site| is_at(site, *here));
                let parts = site.ok_or(MISMATCH)?.parts();
                let target = *copies.entry(parts.map(str::as_ptr)).or_insert_with(|| {
                    let parts = parts.map(|text| number(&mut names, &mut calls.names, text));
                    number(&mut targets, &mut calls.targets, parts)
                });
                calls.sites.push(target);
            }
            if sites.next().is_some() {
                return Err(MISMATCH);
            }
        }
        Ok(calls)
    }

    /// Puts them where they belong in a plan that was read without.
    pub fn give_to(&self, plan: &mut ClassPlan) -> Result<(), CodecError> {
        let names: Vec<Name> = self.names.iter().map(|&text| text.into()).collect();
        let name = |index: u32| names.get(index as usize).cloned();
        let mut sites = self.sites.iter();
        for block in plan.methods.iter_mut().flat_map(|m| &mut m.blocks) {
            let site = |here: &Instruction| {
                let target = self.targets.get(*sites.next()? as usize)?;
                let [owner, method, descriptor] = target.map(name);
                Some(CallSite {
                    pc: here.pc,
                    opcode: here.opcode,
                    owner: owner?,
                    name: method?,
                    descriptor: descriptor?,
                })
            };
            let calls: Option<_> = invocations(block).map(site).collect();
            block.calls = calls.ok_or(MISMATCH)?;
        }
        sites.next().map_or(Ok(()), |_| Err(MISMATCH))
    }
}

impl CallSite {
    fn parts(&self) -> [&str; 3] {
        [&self.owner, &self.name, &self.descriptor].map(Name::as_str)
    }
}

fn blocks(plan: &ClassPlan) -> impl Iterator<Item = &BlockPlan> {
    plan.methods.iter().flat_map(|method| &method.blocks)
}

fn invocations(block: &BlockPlan) -> impl Iterator<Item = &Instruction> {
    let calls = |i: &&Instruction| matches!(i.opcode, op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC);
    block.instructions.iter().filter(calls)
}

fn is_at(site: &CallSite, here: Instruction) -> bool {
    (site.pc, site.opcode) == (here.pc, here.opcode)
}

/// The index of a thing among those that are known by now.
fn number<T: Copy + Eq + Hash>(numbers: &mut Numbers<T>, things: &mut Vec<T>, thing: T) -> u32 {
    *numbers.entry(thing).or_insert_with(|| {
        things.push(thing);
        things.len() as u32 - 1
    })
}
